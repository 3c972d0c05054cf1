/* SPDX-License-Identifier: Apache-2.0 */
/* config-linux.md "sysctl", translated. */
#ifndef SANDLOCK_LINUX_SYSCTL_PLAN_H
#define SANDLOCK_LINUX_SYSCTL_PLAN_H

#include "sandbox/plan_builder.h"
#include "spec/config.h"

/* Fills plan.sysctl with paths below /proc/sys. Errors: EINVAL for a key that belongs to no namespace, or to one the
 * container does not have: it would change the host. */
int sysctl_plan(struct plan_builder *builder, const struct oci_config *config, struct error *err);

/* The path below /proc/sys for a key, in the arena: "net.ipv4.conf.eth0/1.forwarding" and
 * "net/ipv4/conf/eth0.1/forwarding" both give the latter (sysctl.d(5): the first separator decides). NULL for a key
 * that is no such path. */
const char *sysctl_path(struct arena *arena, const char *key);

#endif
