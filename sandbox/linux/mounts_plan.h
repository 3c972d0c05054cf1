/* SPDX-License-Identifier: Apache-2.0 */
/* config.md "root" and "mounts", config-linux.md "rootfsPropagation", "maskedPaths", "readonlyPaths", "mountLabel". */
#ifndef SANDLOCK_LINUX_MOUNTS_PLAN_H
#define SANDLOCK_LINUX_MOUNTS_PLAN_H

#include <stdbool.h>

#include "sandbox/common/arena.h"
#include "sandbox/common/error.h"
#include "sandbox/plan_builder.h"
#include "spec/config.h"

/* What the planners of the root file system need to know beside config.json. */
struct mounts_plan_options {
	const char *bundle;  /* absolute host path of the bundle */
	bool user_namespace; /* the launcher will be in a user namespace, new or joined, that is not the caller's */
	bool privileged;     /* the caller has CAP_SYS_ADMIN in the user namespace that owns its mount namespace */
	/* Is told about properties without effect on this machine; may be NULL. */
	void (*note)(void *context, const char *message);
	void *context;
};

/* Fills the plan's rootfs, rootfs_fd, rootfs_propagation, mounts, masked_paths, readonly_paths, mount_label and
 * PLAN_ROOT_READONLY. With a user namespace and a privileged caller, bind sources and the root file system are
 * opened here: the container's root may lack the permission to reach them.
 * Errors: as the kernel gives them for a source or root that cannot be opened; EINVAL for what config.md forbids;
 * EPERM for mounts over or in /proc. */
int mounts_plan(struct plan_builder *builder, const struct oci_config *config,
		const struct mounts_plan_options *options, struct error *err);

/* "/a//b/../c/." gives "/a/c"; relative paths are below "/" (config.md "destination"). The result is in the arena. */
char *mounts_clean_path(struct arena *arena, const char *path);

#endif
