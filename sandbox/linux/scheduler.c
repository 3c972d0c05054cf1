/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/linux/scheduler.h"

#include <errno.h>

#include "sandbox/common/syscalls.h"

#ifndef SCHED_DEADLINE
#define SCHED_DEADLINE 6
#endif

/* struct sched_attr of linux/sched/types.h, with the fields of Linux 5.3; that header clashes with libc's sched.h. */
struct attributes {
	uint32_t size;
	uint32_t policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime;
	uint64_t deadline;
	uint64_t period;
	uint32_t util_minimum;
	uint32_t util_maximum;
};

int scheduler_apply(struct launch *launch, struct error *err)
{
	const struct plan_scheduler *scheduler = &launch->process->scheduler;
	struct attributes attributes = {
	    .size = sizeof attributes,
	    .policy = scheduler->policy,
	    .flags = scheduler->flags,
	    .nice = scheduler->nice,
	    .priority = scheduler->priority,
	    .runtime = scheduler->runtime,
	    .deadline = scheduler->deadline,
	    .period = scheduler->period,
	};

	if (!scheduler->set || syscall(SYS_sched_setattr, 0, &attributes, 0) == 0)
		return 0;
	int code = errno;
	if (code == EPERM && scheduler->policy == SCHED_DEADLINE)
		return error_set(
		    err, code,
		    "error setting scheduler: operation not permitted: SCHED_DEADLINE needs CAP_SYS_NICE and a process "
		    "that may run on every CPU; it can't be used together with a cpuset (AllowedCPUs)");
	if (code == EPERM)
		return error_set(
		    err, code,
		    "error setting scheduler (policy %u, nice %d, priority %u): operation not permitted: it needs "
		    "CAP_SYS_NICE of the host, or RLIMIT_NICE and RLIMIT_RTPRIO that allow it; with real-time group "
		    "scheduling the cgroup needs cpu.rt_runtime_us",
		    scheduler->policy, scheduler->nice, scheduler->priority);
	return error_errno(err, code, "error setting scheduler (policy %u, nice %d, priority %u, flags %#llx)",
			   scheduler->policy, scheduler->nice, scheduler->priority,
			   (unsigned long long)scheduler->flags);
}
