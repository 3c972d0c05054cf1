/* SPDX-License-Identifier: Apache-2.0 */
/* Namespaces that are made after the others. */
#ifndef SANDLOCK_SESSION_LATE_NAMESPACES_H
#define SANDLOCK_SESSION_LATE_NAMESPACES_H

#include "sandbox/plan.h"

/* Unshares the cgroup namespace, whose root is the cgroup the caller is in by now, and the time namespace, whose
 * offsets must be written before a process enters it: the caller's children will. */
int late_namespaces_make(const struct plan *plan, struct error *err);

#endif
