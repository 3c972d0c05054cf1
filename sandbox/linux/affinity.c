/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/linux/affinity.h"

#include <errno.h>
#include <string.h>

#include "sandbox/common/syscalls.h"

/* More CPUs than any kernel is built for (NR_CPUS 8192); sched_setaffinity(2) ignores the surplus. */
#define ALL_CPUS_BYTES 1024

static int set_affinity(const void *mask, size_t size)
{
	return syscall(SYS_sched_setaffinity, 0, size, mask) < 0 ? -errno : 0;
}

static int apply_mask(struct launch *launch, struct plan_array mask, const char *which, struct error *err)
{
	int rc = set_affinity(launch_process_items(launch, mask), mask.count * sizeof(uint64_t));

	if (rc == -EINVAL)
		return error_set(
		    err, EINVAL,
		    "error setting %s CPU affinity: process.execCPUAffinity.%s names no CPU that is online and in the "
		    "container's cpuset",
		    which, which);
	if (rc < 0)
		return error_errno(err, -rc, "error setting %s CPU affinity", which);
	return 0;
}

/* config.md: execCPUAffinity is not applicable to the main process. */
static bool is_main(const struct launch *launch)
{
	return launch->process == &launch->plan->process;
}

int affinity_initial_apply(struct launch *launch, struct error *err)
{
	const struct plan_process *process = launch->process;

	if (is_main(launch) || process->affinity_initial.count == 0)
		return 0;
	return apply_mask(launch, process->affinity_initial, "initial", err);
}

int affinity_final_apply(struct launch *launch, struct error *err)
{
	const struct plan_process *process = launch->process;
	unsigned char all[ALL_CPUS_BYTES];

	if (!is_main(launch) && process->affinity_final.count > 0)
		return apply_mask(launch, process->affinity_final, "final", err);
	if (!is_main(launch) && process->affinity_initial.count > 0)
		return 0;
	/* Not asked for, so a kernel or a filter that refuses it leaves what was inherited. */
	memset(all, 0xff, sizeof all);
	(void)set_affinity(all, sizeof all);
	return 0;
}
