/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/linux/oom_score.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

#include "sandbox/common/cleanup.h"
#include "sandbox/common/file.h"
#include "sandbox/linux/procfs.h"

int oom_score_apply(struct launch *launch, struct error *err)
{
	/* The host's procfs, whatever launch->proc_fd may be by now. */
	struct launch host = {.proc_fd = -1};
	char value[16];

	if (!launch->process->oom_score_adj_set)
		return 0;
	snprintf(value, sizeof value, "%d", launch->process->oom_score_adj);
	int rc = procfs_write(&host, "self/oom_score_adj", value);
	if (rc == -EACCES || rc == -EPERM)
		return error_set(
		    err, -rc,
		    "failed to update /proc/self/oom_score_adj to %s: permission denied: a value below the caller's "
		    "needs CAP_SYS_RESOURCE; leave process.oomScoreAdj out or raise it",
		    value);
	if (rc < 0)
		return error_errno(err, -rc, "failed to update /proc/self/oom_score_adj to %s", value);
	return 0;
}
