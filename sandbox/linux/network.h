/* SPDX-License-Identifier: Apache-2.0 */
/* What a new network namespace needs */
#ifndef SANDLOCK_LINUX_NETWORK_H
#define SANDLOCK_LINUX_NETWORK_H

#include "sandbox/session/launch.h"

/* Brings up "lo" when the plan says PLAN_LOOPBACK_UP; needs CAP_NET_ADMIN in the container's network namespace. */
int network_apply(struct launch *launch, struct error *err);

#endif
