/* SPDX-License-Identifier: Apache-2.0 */
/* config-linux.md "personality" */
#ifndef SANDLOCK_LINUX_PERSONALITY_H
#define SANDLOCK_LINUX_PERSONALITY_H

#include "sandbox/session/launch.h"

/* personality(2) for the launcher; kept over execve. */
int personality_apply(struct launch *launch, struct error *err);

#endif
