/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/linux/lsm.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sandbox/common/cleanup.h"
#include "sandbox/linux/procfs.h"

/* Writes self/attr/<lsm>/exec (apparmor: Linux 5.8), or self/attr/exec, which one LSM of several owns. */
static int write_exec_attribute(const struct launch *launch, const char *lsm, const char *value)
{
	char path[64];

	snprintf(path, sizeof path, "self/attr/%s/exec", lsm);
	int rc = procfs_write(launch, path, value);
	return rc == -ENOENT ? procfs_write(launch, "self/attr/exec", value) : rc;
}

/* Whether AppArmor confines the launcher, which it inherited from its caller. */
static bool apparmor_confines(const struct launch *launch)
{
	static const char unconfined[] = "unconfined";
	char text[sizeof unconfined] = "";
	CLEANUP_CLOSE int fd = procfs_open(launch, "self/attr/apparmor/current", O_RDONLY);

	if (fd < 0) {
		fd = procfs_open(launch, "self/attr/current", O_RDONLY);
		if (fd < 0)
			return false;
	}
	return read(fd, text, sizeof text - 1) > 0 && strcmp(text, unconfined) != 0;
}

static int apply_apparmor(const struct launch *launch, const char *profile, struct error *err)
{
	/* With no_new_privs a confined process may only become more confined: the profile is put on top of its own
	 * (kernel: security/apparmor/domain.c, apparmor_bprm_creds_for_exec). */
	bool stack = launch->process->no_new_privileges && apparmor_confines(launch);
	const char *verb = stack ? "stack" : "exec";
	size_t size = strlen("stack ") + strlen(profile) + 1;
	CLEANUP_FREE char *value = malloc(size);

	if (value == NULL)
		return error_errno(err, ENOMEM, "unable to apply apparmor profile");
	snprintf(value, size, "%s %s", verb, profile);
	int rc = write_exec_attribute(launch, "apparmor", value);
	if (rc == -ENOENT)
		return error_set(
		    err, ENOENT,
		    "unable to apply apparmor profile: apparmor failed to apply profile: the profile \"%s\" is not "
		    "loaded: no such file or directory; load it with apparmor_parser",
		    profile);
	if (rc < 0)
		return error_errno(
		    err, -rc, "unable to apply apparmor profile: apparmor failed to apply profile \"%s\"", profile);
	return 0;
}

int lsm_apply(struct launch *launch, struct error *err)
{
	const char *profile = launch_process_text(launch, launch->process->apparmor_profile);
	const char *label = launch_process_text(launch, launch->process->selinux_label);

	if (profile != NULL) {
		int rc = apply_apparmor(launch, profile, err);
		if (rc < 0)
			return rc;
	}
	if (label != NULL) {
		int rc = write_exec_attribute(launch, "selinux", label);
		if (rc < 0)
			return error_errno(err, -rc, "can't set process label \"%s\"", label);
	}
	return 0;
}
