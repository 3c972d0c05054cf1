/* SPDX-License-Identifier: Apache-2.0 */
/* config.md "process.capabilities", translated. */
#ifndef SANDLOCK_LINUX_CAPABILITY_PLAN_H
#define SANDLOCK_LINUX_CAPABILITY_PLAN_H

#include "sandbox/linux/process_plan.h"

/* Fills the sets and warns about what can't be granted: the launcher leaves that out (capability.h). */
void capability_plan(const struct oci_process *process, const struct process_plan_options *options,
		     struct plan_process *out);

#endif
