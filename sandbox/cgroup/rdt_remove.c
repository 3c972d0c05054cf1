/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/cgroup/rdt_remove.h"

#include <errno.h>
#include <unistd.h>

int rdt_remove_plan(const struct plan *plan, struct error *err)
{
	/* A monitoring group goes with the group it is in, but that may be somebody else's. */
	const char *paths[] = {plan_text(plan, plan->rdt_monitor),
			       plan->rdt_own ? plan_text(plan, plan->rdt_group) : NULL};

	for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++)
		if (paths[i] != NULL && rmdir(paths[i]) < 0 && errno != ENOENT)
			return error_errno(err, errno, "cannot remove the resctrl group %s", paths[i]);
	return 0;
}
