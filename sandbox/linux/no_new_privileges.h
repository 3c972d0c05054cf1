/* SPDX-License-Identifier: Apache-2.0 */
/* config.md "process.noNewPrivileges" */
#ifndef SANDLOCK_LINUX_NO_NEW_PRIVILEGES_H
#define SANDLOCK_LINUX_NO_NEW_PRIVILEGES_H

#include "sandbox/session/launch.h"

/* PR_SET_NO_NEW_PRIVS when the configuration asks for it. */
int no_new_privileges_apply(struct launch *launch, struct error *err);

#endif
