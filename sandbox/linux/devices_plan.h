/* SPDX-License-Identifier: Apache-2.0 */
/* config-linux.md "devices", "Default Devices" and runtime-linux.md "Dev symbolic links". */
#ifndef SANDLOCK_LINUX_DEVICES_PLAN_H
#define SANDLOCK_LINUX_DEVICES_PLAN_H

#include "sandbox/linux/mounts_plan.h"

/* Fills the plan's devices, devices_fd, symlinks and PLAN_BIND_DEVICES. Nothing is planned below a /dev that is a
 * bind mount: it belongs to somebody else. In a user namespace mknod(2) is not allowed, so a privileged caller makes
 * the nodes here, in a tmpfs of the plan's; an unprivileged one leaves it to bind mounts of the host's nodes.
 * Errors: EINVAL for a device without a path, of an unknown type or with numbers out of range. */
int devices_plan(struct plan_builder *builder, const struct oci_config *config,
		 const struct mounts_plan_options *options, struct error *err);

#endif
