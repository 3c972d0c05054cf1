/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SANDLOCK_CGROUP_RDT_REMOVE_H
#define SANDLOCK_CGROUP_RDT_REMOVE_H

#include "sandbox/common/error.h"
#include "sandbox/plan.h"

/* Removes the container's resctrl groups; ones that are gone, or a container without any, are fine. No library. */
int rdt_remove_plan(const struct plan *plan, struct error *err);

#endif
