/* SPDX-License-Identifier: Apache-2.0 */
/* config-linux.md "devices", default devices and the links of /dev. */
#ifndef SANDLOCK_LINUX_DEVICE_H
#define SANDLOCK_LINUX_DEVICE_H

#include "sandbox/common/error.h"
#include "sandbox/session/launch.h"

/* Makes the plan's devices and links inside the root, after its mounts. Expects umask 0. A device that is there
 * already stays as it is; anything else in its place is an error (EEXIST). */
int device_apply(struct launch *launch, struct error *err);

#endif
