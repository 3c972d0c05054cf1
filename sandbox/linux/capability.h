/* SPDX-License-Identifier: Apache-2.0 */
/* config.md "process.capabilities".
 *
 * Without a "capabilities" object every set becomes empty, as in crun and in runc up to 1.2: a configuration that
 * says nothing must not give more than one that says "none".
 */
#ifndef SANDLOCK_LINUX_CAPABILITY_H
#define SANDLOCK_LINUX_CAPABILITY_H

#include "sandbox/session/launch.h"

/* Drops what is not in the bounding set. Needs CAP_SETPCAP: call it before the change of user. */
int capability_bounding_apply(struct launch *launch, struct error *err);
/* Keeps the permitted set over the change of user that follows (PR_SET_KEEPCAPS). */
int capability_keep(struct launch *launch, struct error *err);
/* Sets effective, permitted, inheritable and ambient, after the change of user. What the launcher itself does not
 * have can't be granted and is left out (config.md: runtimes SHOULD NOT fail); process_plan warned about it. */
int capability_apply(struct launch *launch, struct error *err);

#endif
