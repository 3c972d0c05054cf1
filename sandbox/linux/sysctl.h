/* SPDX-License-Identifier: Apache-2.0 */
/* config-linux.md "sysctl" */
#ifndef SANDLOCK_LINUX_SYSCTL_H
#define SANDLOCK_LINUX_SYSCTL_H

#include "sandbox/session/launch.h"

/* Writes the values through the container's procfs (procfs.h), in the container's namespaces, before its paths are
 * made read-only. */
int sysctl_apply(struct launch *launch, struct error *err);

#endif
