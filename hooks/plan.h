/* SPDX-License-Identifier: Apache-2.0 */
/* config.md "hooks" and the state they get, translated. */
#ifndef SANDLOCK_HOOKS_PLAN_H
#define SANDLOCK_HOOKS_PLAN_H

#include "sandbox/plan_builder.h"
#include "spec/config.h"

/* Fills the hook arrays of the plan. Errors: EINVAL for a path that is not absolute or a timeout that is not above
 * zero. */
int hooks_plan(struct plan_builder *builder, const struct oci_config *config, struct error *err);

/* Writes plan.state_prefix: the state (runtime.md "State") of a container with this id and absolute bundle path, up
 * to but without its status and pid, which hooks_state adds. */
void hooks_plan_state(struct plan_builder *builder, const struct oci_config *config, const char *id,
		      const char *bundle);

#endif
