/* SPDX-License-Identifier: Apache-2.0 */
/* Settings of the container's namespaces and of the main process that are not in config.md "process", translated:
 * hostname, domainname, sysctl, netDevices, personality, memoryPolicy, and the session keyring. */
#ifndef SANDLOCK_LINUX_KERNEL_SETTINGS_PLAN_H
#define SANDLOCK_LINUX_KERNEL_SETTINGS_PLAN_H

#include "sandbox/plan_builder.h"
#include "spec/config.h"

/* Fills these fields of the plan; plan.id is there already. Errors: EINVAL, with the field and what it lacks, for
 * settings that would change the host because the container does not have the namespace they belong to. */
int kernel_settings_plan(struct plan_builder *builder, const struct oci_config *config, struct error *err);

#endif
