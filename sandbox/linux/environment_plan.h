/* SPDX-License-Identifier: Apache-2.0 */
/* config.md "process.env", translated. */
#ifndef SANDLOCK_LINUX_ENVIRONMENT_PLAN_H
#define SANDLOCK_LINUX_ENVIRONMENT_PLAN_H

#include "sandbox/plan_builder.h"
#include "spec/config.h"

/* Adds the variables in their order: of several with one name the last, and no empty HOME, which the launcher
 * replaces (environment.h). Errors: EINVAL for an entry that is not NAME=VALUE. */
int environment_plan(struct plan_builder *builder, const struct oci_process *process, struct plan_array *out,
		     struct error *err);

#endif
