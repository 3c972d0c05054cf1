/* SPDX-License-Identifier: Apache-2.0 */
/* config.md "process.rlimits" */
#ifndef SANDLOCK_LINUX_RLIMIT_H
#define SANDLOCK_LINUX_RLIMIT_H

#include "sandbox/session/launch.h"

/* Raises the hard limits that must grow. Only CAP_SYS_RESOURCE of the initial user namespace may do that, so call
 * it with the caller's privileges, before any namespace is joined. Nothing is lowered. */
int rlimits_raise(struct launch *launch, struct error *err);

/* Sets the exact values. Needs no privilege after rlimits_raise; late, since it binds the launcher too. */
int rlimits_apply(struct launch *launch, struct error *err);

/* "RLIMIT_NOFILE", or NULL for a number that is none. */
const char *rlimit_name(uint32_t resource);

#endif
