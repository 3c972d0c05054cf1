/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/linux/memory_policy.h"

#include <errno.h>
#include <stddef.h>

#include "sandbox/common/syscalls.h"

int memory_policy_apply(struct launch *launch, struct error *err)
{
	const struct plan *plan = launch->plan;
	const uint64_t *nodes =
	    plan->memory_policy_nodes.count > 0 ? plan_items(plan, plan->memory_policy_nodes) : NULL;
	/* The kernel takes one bit less than it is told (mm/mempolicy.c, get_nodes). */
	unsigned long bits = nodes != NULL ? plan->memory_policy_nodes.count * 64UL + 1 : 0;

	_Static_assert(sizeof(unsigned long) == sizeof(uint64_t) || __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
		       "a mask of 64-bit words must read as one of unsigned longs");
	if (!plan->memory_policy_set || syscall(SYS_set_mempolicy, plan->memory_policy_mode, nodes, bits) == 0)
		return 0;
	if (errno == ENOSYS)
		return error_set(
		    err, ENOSYS,
		    "set linux.memoryPolicy: this kernel has no memory policies (CONFIG_NUMA), or a seccomp filter "
		    "around this runtime hides them");
	if (errno == EINVAL)
		return error_set(
		    err, EINVAL,
		    "set linux.memoryPolicy (mode and flags %#x): invalid argument: the mode does not go with the "
		    "flags "
		    "or nodes, no node exists and is allowed by the cpuset, or the kernel is too old for the mode",
		    plan->memory_policy_mode);
	return error_errno(err, errno, "set linux.memoryPolicy (mode and flags %#x)", plan->memory_policy_mode);
}
