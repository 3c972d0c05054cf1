/* SPDX-License-Identifier: Apache-2.0 */
/* Where a mount of config.json goes, and new file systems. Shared by mount*.c alone. */
#ifndef SANDLOCK_LINUX_MOUNT_TARGET_H
#define SANDLOCK_LINUX_MOUNT_TARGET_H

#include <stdbool.h>

#include "sandbox/common/error.h"
#include "sandbox/session/launch.h"

/* "/proc/self/fd/NUMBER/NAME" */
#define MOUNT_TARGET_PATH_SIZE 320

/* A resolved mount point: `name` below `dirfd`, or dirfd itself when name is "". */
struct mount_target {
	int dirfd;
	int owned;        /* what to close afterwards, or -1 */
	const char *name; /* a single part of a path that is no link, or "" */
	bool existed;
};

/* Finds or creates the mount point inside the root. */
int mount_target_open(struct launch *launch, const struct plan_mount *entry, struct mount_target *target,
		      struct error *err);
/* Its path through the caller's procfs, for mount(2). */
void mount_target_path(const struct mount_target *target, char path[MOUNT_TARGET_PATH_SIZE]);

/* Mounts a new file system (no bind mount) on the target. */
int mount_file_system(struct launch *launch, const struct plan_mount *entry, const struct mount_target *target,
		      struct error *err);

/* Remembers what the later steps need of a mount that was just attached: /dev, /proc, the root itself, read-only at
 * the end. *tree_fd is an O_PATH of its root; when `owned` it may be taken (it is -1 then). */
int mount_note(struct launch *launch, const struct plan_mount *entry, int *tree_fd, bool owned, bool is_new,
	       struct error *err);

#endif
