/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/linux/user.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "sandbox/common/cleanup.h"
#include "sandbox/linux/procfs.h"

static bool is_null_device(const struct stat *status)
{
	return S_ISCHR(status->st_mode) && status->st_rdev == makedev(1, 3);
}

/* What makes it impossible to change the owner is no reason to refuse the container: an owner that is not mapped
 * here (EPERM), a read-only /dev (EROFS), a file system without owners. */
static bool owner_may_stay(int code)
{
	return code == EPERM || code == EROFS || code == EINVAL || code == EOVERFLOW || code == ENOSYS ||
	       code == EOPNOTSUPP;
}

/* Without this a program that is not root could not reopen its streams (/dev/stdout, /proc/self/fd/1). The host's
 * null device is everybody's and stays as it is. */
static int give_stdio(uid_t uid, gid_t gid, struct error *err)
{
	for (int fd = 0; fd <= 2; fd++) {
		struct stat status;
		if (fstat(fd, &status) < 0) {
			if (errno == EBADF)
				continue;
			return error_errno(err, errno, "stat descriptor %d", fd);
		}
		/* The group of a terminal belongs to the devpts mount, that of other devices to the system. */
		gid_t group = S_ISREG(status.st_mode) || S_ISFIFO(status.st_mode) ? gid : (gid_t)-1;
		if (status.st_uid == uid || is_null_device(&status))
			continue;
		if (fchown(fd, uid, group) < 0 && !owner_may_stay(errno))
			return error_errno(err, errno, "change the owner of descriptor %d to %u", fd, uid);
	}
	return 0;
}

/* Whether user_namespaces(7) "setgroups" is "deny" here. */
static bool setgroups_denied(const struct launch *launch)
{
	CLEANUP_CLOSE int fd = procfs_open(launch, "self/setgroups", O_RDONLY);
	char text[8] = "";

	return fd >= 0 && read(fd, text, sizeof text - 1) >= 4 && strncmp(text, "deny", 4) == 0;
}

/* Whether membership in these groups is there without setgroups(2): as the gid, or among the groups now. */
static bool groups_present(const gid_t *groups, size_t count, gid_t gid)
{
	CLEANUP_FREE gid_t *present = NULL;
	int present_count = getgroups(0, NULL);

	if (present_count > 0) {
		present = calloc((size_t)present_count, sizeof *present);
		if (present == NULL)
			return false;
		present_count = getgroups(present_count, present);
	}
	for (size_t i = 0; i < count; i++) {
		bool found = groups[i] == gid;
		for (int j = 0; j < present_count && !found; j++)
			found = present[j] == groups[i];
		if (!found)
			return false;
	}
	return true;
}

static int set_groups(const struct launch *launch, struct error *err)
{
	const struct plan_process *process = launch->process;
	const uint32_t *groups = launch_process_items(launch, process->additional_gids);
	size_t count = process->additional_gids.count;

	if (process->keep_groups)
		return 0;
	_Static_assert(sizeof(gid_t) == sizeof(uint32_t), "groups are passed on as they are");
	if (setgroups(count, count > 0 ? groups : NULL) == 0)
		return 0;
	int code = errno;
	if (code == EPERM && setgroups_denied(launch)) {
		/* Nobody can change the groups in such a namespace; the host's show as the overflow group. */
		if (groups_present(groups, count, process->gid))
			return 0;
		return error_set(
		    err, code,
		    "setgroups: process.user.additionalGids can't be set: the user namespace denies setgroups "
		    "(it maps one group without newgidmap); add ranges to /etc/subgid or remove additionalGids");
	}
	if (code == EINVAL)
		return error_set(err, code,
				 "setgroups: a group of process.user.additionalGids is not mapped in the user "
				 "namespace, or there are too many");
	return error_errno(err, code, "setgroups");
}

int user_apply(struct launch *launch, struct error *err)
{
	const struct plan_process *process = launch->process;
	uid_t uid = process->uid;
	gid_t gid = process->gid;

	int rc = give_stdio(uid, gid, err);
	if (rc < 0)
		return error_wrap(err, "unable to setup user");
	rc = set_groups(launch, err);
	if (rc < 0)
		return error_wrap(err, "unable to setup user");
	if (setresgid(gid, gid, gid) < 0)
		return errno == EINVAL
			   ? error_set(err, EINVAL,
				       "unable to setup user: cannot setgid to unmapped gid %u in user namespace", gid)
			   : error_errno(err, errno, "unable to setup user: setresgid %u", gid);
	if (setresuid(uid, uid, uid) < 0)
		return errno == EINVAL
			   ? error_set(err, EINVAL,
				       "unable to setup user: cannot setuid to unmapped uid %u in user namespace", uid)
			   : error_errno(err, errno, "unable to setup user: setresuid %u", uid);
	if (process->umask != UINT32_MAX)
		umask((mode_t)process->umask);
	return 0;
}
