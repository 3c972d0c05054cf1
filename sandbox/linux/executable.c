/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/linux/executable.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "sandbox/common/cleanup.h"
#include "sandbox/common/syscalls.h"
#include "sandbox/linux/environment.h"

/* execvp(3) has a default for processes without PATH; this is that of container images. */
#define DEFAULT_PATH "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

#ifndef SYS_faccessat2
#define SYS_faccessat2 439
#endif

/* Whether this user may execute it: capabilities, ACLs and noexec mounts count. */
static bool may_execute(const char *path, const struct stat *status)
{
	/* Linux 5.8; an outer seccomp filter may hide it. */
	if (syscall(SYS_faccessat2, AT_FDCWD, path, X_OK, AT_EACCESS) == 0)
		return true;
	if (errno == ENOSYS || errno == EPERM)
		return (status->st_mode & 0111) != 0;
	return false;
}

/* 0, or the negative errno value that execve(2) or stat(2) would give. */
static int check(const char *path)
{
	struct stat status;

	if (stat(path, &status) < 0)
		return -errno;
	if (S_ISDIR(status.st_mode))
		return -EISDIR;
	return may_execute(path, &status) ? 0 : -EACCES;
}

static int check_as_named(const char *name, char **path, struct error *err)
{
	int rc = check(name);

	switch (rc) {
	case 0:
		*path = strdup(name);
		return *path == NULL ? error_errno(err, ENOMEM, "exec: \"%s\"", name) : 0;
	case -EISDIR:
		/* runc's wording changed with its Go; engines look for one or the other. execve(2) says EACCES. */
		return error_set(err, EACCES, "exec: \"%s\": is a directory: permission denied", name);
	case -EACCES:
		return error_set(err, EACCES, "exec: \"%s\": permission denied", name);
	default:
		return error_errno(err, -rc, "exec: \"%s\": stat %s", name, name);
	}
}

int executable_find(const struct launch *launch, char **path, struct error *err)
{
	const plan_string *args = launch_process_items(launch, launch->process->args);
	const char *name = launch->process->args.count > 0 ? launch_process_text(launch, args[0]) : NULL;
	const char *search = environment_get(launch, "PATH");
	char refused[256] = "";

	*path = NULL;
	if (name == NULL)
		return error_set(err, EINVAL, "process.args is empty: there is nothing to execute");
	if (strchr(name, '/') != NULL)
		return check_as_named(name, path, err);
	if (search == NULL)
		search = DEFAULT_PATH;
	for (const char *next = search; name[0] != '\0' && *search != '\0';) {
		size_t length = strcspn(next, ":");
		size_t size = length + strlen(name) + 3;
		CLEANUP_FREE char *candidate = malloc(size);

		if (candidate == NULL)
			return error_errno(err, ENOMEM, "exec: \"%s\"", name);
		/* An empty element is the working directory (POSIX, "Other Environment Variables", PATH). */
		snprintf(candidate, size, "%.*s/%s", length > 0 ? (int)length : 1, length > 0 ? next : ".", name);
		int rc = check(candidate);
		if (rc == 0) {
			*path = candidate;
			candidate = NULL;
			return 0;
		}
		if ((rc == -EACCES || rc == -EISDIR) && refused[0] == '\0')
			snprintf(refused, sizeof refused, " (%s can't be executed)", candidate);
		if (next[length] == '\0')
			break;
		next += length + 1;
	}
	return error_set(err, ENOENT, "exec: \"%s\": executable file not found in $PATH%s", name, refused);
}

int executable_error(const char *path, int code, struct error *err)
{
	const char *hint = "";

	if (code == ENOENT && check(path) == 0)
		hint = " (the file is there, but its interpreter or dynamic loader is missing)";
	else if (code == ENOEXEC)
		hint = " (a script without #! line, or a program for another architecture)";
	error_errno(err, code, "exec %s", path);
	size_t length = strlen(err->message);
	snprintf(err->message + length, sizeof err->message - length, "%s", hint);
	return -err->code;
}
