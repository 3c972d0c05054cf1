/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/cgroup/systemd.h"

#include <errno.h>

int cgroup_systemd_place(struct cgroup *cgroup, const struct cgroup_layout *layout,
			 const struct cgroup_settings *settings, struct error *err)
{
	(void)cgroup;
	(void)layout;
	(void)settings;
	return error_set(err, ENOSYS, "the systemd cgroup manager is not available in this build");
}

int cgroup_systemd_start(struct cgroup *cgroup, struct error *err)
{
	(void)cgroup;
	return error_set(err, ENOSYS, "the systemd cgroup manager is not available in this build");
}

void cgroup_systemd_settle(struct cgroup *cgroup)
{
	(void)cgroup;
}

int cgroup_systemd_stop(const struct cgroup *cgroup, struct error *err)
{
	(void)cgroup;
	return error_set(err, ENOSYS, "the systemd cgroup manager is not available in this build");
}
