/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/session/late_namespaces.h"

#include <errno.h>
#include <sched.h>

#include "sandbox/common/file.h"
#include "sandbox/common/syscalls.h"

int late_namespaces_make(const struct plan *plan, struct error *err)
{
	if ((plan->flags & PLAN_UNSHARE_CGROUP) != 0 && unshare(CLONE_NEWCGROUP) < 0)
		return error_errno(err, errno, "create the cgroup namespace");
	if ((plan->flags & PLAN_UNSHARE_TIME) == 0)
		return 0;
	if (unshare(CLONE_NEWTIME) < 0)
		return error_errno(err, errno, "create the time namespace");
	const char *offsets = plan_text(plan, plan->time_offsets);
	int rc = offsets == NULL ? 0 : file_write_at(-1, "/proc/self/timens_offsets", offsets);
	return rc < 0 ? error_errno(err, -rc, "linux.timeOffsets: write /proc/self/timens_offsets") : 0;
}
