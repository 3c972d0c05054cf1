/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/linux/sysctl.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "sandbox/common/cleanup.h"
#include "sandbox/linux/procfs.h"

static int write_value(const struct launch *launch, const char *key, const char *value, struct error *err)
{
	char path[512];
	int rc = -ENAMETOOLONG;

	if ((size_t)snprintf(path, sizeof path, "sys/%s", key) < sizeof path)
		rc = procfs_write(launch, path, value);
	switch (rc) {
	case 0:
		return 0;
	case -ENOENT:
		return error_set(
		    err, ENOENT,
		    "open sysctl %s file: no such file or directory: the kernel or the namespace has no /proc/sys/%s "
		    "(value \"%s\")",
		    key, key, value);
	case -EACCES:
	case -EPERM:
		return error_errno(err, -rc,
				   "failed to write sysctl %s = \"%s\" (it does not belong to a namespace of the "
				   "container, or the user namespace does not own it)",
				   key, value);
	case -EXDEV:
		return error_set(err, EXDEV,
				 "failed to write sysctl %s = \"%s\": /proc is not a procfs of the container", key,
				 value);
	default:
		return error_errno(err, -rc, "failed to write sysctl %s = \"%s\"", key, value);
	}
}

int sysctl_apply(struct launch *launch, struct error *err)
{
	const struct plan *plan = launch->plan;
	const struct plan_pair *pairs = plan_items(plan, plan->sysctl);

	for (uint32_t i = 0; i < plan->sysctl.count; i++) {
		int rc = write_value(launch, plan_text(plan, pairs[i].key), plan_text(plan, pairs[i].value), err);
		if (rc < 0)
			return rc;
	}
	return 0;
}
