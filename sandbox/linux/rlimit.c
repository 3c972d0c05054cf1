/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/linux/rlimit.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/resource.h>

#include "sandbox/common/cleanup.h"
#include "sandbox/common/syscalls.h"

/* struct rlimit64 of the kernel: 64 bits on every architecture */
struct limit {
	uint64_t soft;
	uint64_t hard;
};

const char *rlimit_name(uint32_t resource)
{
	static const char *const names[] = {
	    [RLIMIT_AS] = "RLIMIT_AS",
	    [RLIMIT_CORE] = "RLIMIT_CORE",
	    [RLIMIT_CPU] = "RLIMIT_CPU",
	    [RLIMIT_DATA] = "RLIMIT_DATA",
	    [RLIMIT_FSIZE] = "RLIMIT_FSIZE",
	    [RLIMIT_LOCKS] = "RLIMIT_LOCKS",
	    [RLIMIT_MEMLOCK] = "RLIMIT_MEMLOCK",
	    [RLIMIT_MSGQUEUE] = "RLIMIT_MSGQUEUE",
	    [RLIMIT_NICE] = "RLIMIT_NICE",
	    [RLIMIT_NOFILE] = "RLIMIT_NOFILE",
	    [RLIMIT_NPROC] = "RLIMIT_NPROC",
	    [RLIMIT_RSS] = "RLIMIT_RSS",
	    [RLIMIT_RTPRIO] = "RLIMIT_RTPRIO",
	    [RLIMIT_RTTIME] = "RLIMIT_RTTIME",
	    [RLIMIT_SIGPENDING] = "RLIMIT_SIGPENDING",
	    [RLIMIT_STACK] = "RLIMIT_STACK",
	};

	return resource < ARRAY_SIZE(names) ? names[resource] : NULL;
}

static int exchange(uint32_t resource, const struct limit *wanted, struct limit *old)
{
	return syscall(SYS_prlimit64, 0, resource, wanted, old) < 0 ? -errno : 0;
}

static const char *value_text(uint64_t value, char *buffer, size_t size)
{
	if (value == UINT64_MAX)
		return "unlimited";
	snprintf(buffer, size, "%" PRIu64, value);
	return buffer;
}

static int limit_error(const struct plan_rlimit *wanted, const struct limit *current, int code, struct error *err)
{
	char soft[24], hard[24], now[24];
	const char *name = rlimit_name(wanted->resource);
	const char *hint = "";

	if (code == EPERM && wanted->hard > current->hard)
		hint = " (raising a hard limit needs CAP_SYS_RESOURCE, which the caller lacks; lower the limit in "
		       "config.json or raise the caller's)";
	if (code == EPERM && wanted->resource == RLIMIT_NOFILE && geteuid() == 0)
		hint = " (raising a hard limit needs CAP_SYS_RESOURCE, and none may exceed /proc/sys/fs/nr_open)";
	return error_errno(err, code, "error setting rlimit type %s to soft %s, hard %s (hard limit now: %s)%s",
			   name != NULL ? name : "?", value_text(wanted->soft, soft, sizeof soft),
			   value_text(wanted->hard, hard, sizeof hard), value_text(current->hard, now, sizeof now),
			   hint);
}

int rlimits_raise(struct launch *launch, struct error *err)
{
	const struct plan_rlimit *limits = launch_process_items(launch, launch->process->rlimits);

	for (uint32_t i = 0; i < launch->process->rlimits.count; i++) {
		struct limit current;
		int rc = exchange(limits[i].resource, NULL, &current);
		if (rc < 0)
			return error_errno(err, -rc, "read resource limit %u", limits[i].resource);
		if (limits[i].hard <= current.hard)
			continue;
		struct limit raised = {current.soft, limits[i].hard};
		rc = exchange(limits[i].resource, &raised, NULL);
		if (rc < 0)
			return limit_error(&limits[i], &current, -rc, err);
	}
	return 0;
}

int rlimits_apply(struct launch *launch, struct error *err)
{
	const struct plan_rlimit *limits = launch_process_items(launch, launch->process->rlimits);

	for (uint32_t i = 0; i < launch->process->rlimits.count; i++) {
		struct limit wanted = {limits[i].soft, limits[i].hard}, current = {0};
		int rc = exchange(limits[i].resource, NULL, &current);
		if (rc == 0)
			rc = exchange(limits[i].resource, &wanted, NULL);
		if (rc < 0)
			return limit_error(&limits[i], &current, -rc, err);
	}
	return 0;
}
