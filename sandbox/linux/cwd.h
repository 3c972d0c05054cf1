/* SPDX-License-Identifier: Apache-2.0 */
/* config.md "process.cwd" */
#ifndef SANDLOCK_LINUX_CWD_H
#define SANDLOCK_LINUX_CWD_H

#include "sandbox/session/launch.h"

/* Makes the directory and its parents when they are missing, owned by root, mode 0755. For `create` alone: `exec`
 * does not change the root file system. Call it when everything is mounted and before the root becomes read-only;
 * works below launch->root_fd, or below "/" when that is -1. */
int cwd_create(struct launch *launch, struct error *err);

/* Goes there while still privileged, inside the container. Permission denied is put off until cwd_verify. */
int cwd_enter(struct launch *launch, struct error *err);

/* After the change of user: goes there if cwd_enter could not, then makes sure that the working directory is
 * inside the container. */
int cwd_verify(struct launch *launch, struct error *err);

#endif
