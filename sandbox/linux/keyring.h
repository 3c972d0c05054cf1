/* SPDX-License-Identifier: Apache-2.0 */
/* The session keyring (a runtime gives each container its own, see --no-new-keyring) */
#ifndef SANDLOCK_LINUX_KEYRING_H
#define SANDLOCK_LINUX_KEYRING_H

#include "sandbox/session/launch.h"

/* Joins the session keyring plan->keyring (made when missing), as root of the container's user namespace. The main
 * process also lets the container search it. A kernel or a seccomp filter without keyrings is no error: it has
 * none to inherit. */
int keyring_apply(struct launch *launch, struct error *err);

#endif
