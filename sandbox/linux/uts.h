/* SPDX-License-Identifier: Apache-2.0 */
/* config.md "hostname" and "domainname" */
#ifndef SANDLOCK_LINUX_UTS_H
#define SANDLOCK_LINUX_UTS_H

#include "sandbox/session/launch.h"

/* sethostname(2) and setdomainname(2), in the container's UTS namespace. */
int uts_apply(struct launch *launch, struct error *err);

#endif
