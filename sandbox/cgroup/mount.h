/* SPDX-License-Identifier: Apache-2.0 */
/* Mounts of type cgroup and cgroup2. */
#ifndef SANDLOCK_CGROUP_MOUNT_H
#define SANDLOCK_CGROUP_MOUNT_H

#include "sandbox/common/error.h"
#include "sandbox/session/launch.h"

/* Mounts the container's cgroups. destination_fd is an O_PATH of the directory, resolved inside the root. */
int cgroup_mount_apply(struct launch *launch, const struct plan_mount *mount, int destination_fd, struct error *err);

#endif
