/* SPDX-License-Identifier: Apache-2.0 */
/* Processes of a container's cgroup, for the program. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sandbox/cgroup/cgroup_internal.h"
#include "sandbox/cgroup/freezer.h"
#include "sandbox/cgroup/kill.h"
#include "sandbox/cgroup/systemd.h"
#include "sandbox/common/cleanup.h"
#include "sandbox/common/file.h"

#define PROC_CGROUP_MAX (1u << 20)

static int write_pid(const char *directory, pid_t pid)
{
	CLEANUP_CLOSE int dirfd = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
	char text[16];

	snprintf(text, sizeof text, "%d", (int)pid);
	return dirfd < 0 ? -errno : file_write_at(dirfd, "cgroup.procs", text);
}

/* "container/sub" without a way out. */
static int check_subpath(const char *subpath, struct error *err)
{
	if (subpath[0] == '/')
		return error_set(err, EINVAL, "the cgroup path \"%s\" must be relative to the container's cgroup",
				 subpath);
	for (const char *part = subpath; *part != '\0';) {
		size_t length = strcspn(part, "/");
		if (length == 2 && part[0] == '.' && part[1] == '.')
			return error_set(err, EINVAL, "invalid cgroup path \"%s\": `..` components are not allowed",
					 subpath);
		part += length;
		part += *part == '/';
	}
	return 0;
}

/* Where the process is in the v2 hierarchy: the line "0::/path", as a path below the mount point. */
static int v2_path_of(pid_t pid, char *path, size_t size)
{
	char name[64];
	char text[8192];

	snprintf(name, sizeof name, "/proc/%d/cgroup", (int)pid);
	ssize_t length = file_read_at(AT_FDCWD, name, text, sizeof text);
	if (length < 0)
		return (int)length;
	for (const char *line = text; *line != '\0';) {
		size_t line_length = strcspn(line, "\n");
		if (line_length > 3 && strncmp(line, "0::", 3) == 0 && line_length - 3 < size) {
			memcpy(path, line + 3, line_length - 3);
			path[line_length - 3] = '\0';
			return 0;
		}
		line += line_length;
		line += *line == '\n';
	}
	return -ENOENT;
}

/* The directory in the v2 hierarchy of a process of the container. -EBUSY: not below the container's cgroup. */
static int find_beside(const struct cgroup *cgroup, size_t index, pid_t beside, struct arena *arena, const char **path)
{
	struct cgroup_layout layout;
	struct error ignored;
	char where[4096];

	int rc = beside <= 0 ? -EBUSY : v2_path_of(beside, where, sizeof where);
	if (rc == 0)
		rc = cgroup_layout_detect(arena, &layout, &ignored);
	for (size_t i = 0; rc == 0 && i < layout.count; i++) {
		if (!layout.hierarchies[i].v2)
			continue;
		*path = cgroup_hierarchy_path(arena, &layout.hierarchies[i], where);
		size_t length = strlen(cgroup->paths[index].path);
		if (strncmp(*path, cgroup->paths[index].path, length) == 0 && (*path)[length] == '/')
			return 0;
	}
	return rc < 0 ? rc : -EBUSY;
}

/* The container has made its own cgroup an inner node, which takes no processes: go where the main process is. */
static int join_beside(const struct cgroup *cgroup, size_t index, pid_t pid, pid_t beside)
{
	CLEANUP_ARENA struct arena arena = {0};
	const char *path;

	int rc = find_beside(cgroup, index, beside, &arena, &path);
	return rc < 0 ? rc : write_pid(path, pid);
}

/* Whether the cgroup hands controllers down, so that the kernel takes no processes into it. */
static bool is_inner(const char *path)
{
	char file[4096];
	char text[512];

	return snprintf(file, sizeof file, "%s/cgroup.subtree_control", path) < (int)sizeof file &&
	       file_read_at(AT_FDCWD, file, text, sizeof text) > 0 && text[0] != '\n';
}

static int sub_paths(struct cgroup *cgroup, const char *subpath, struct cgroup_path paths[CGROUP_PATHS_MAX],
		     struct error *err)
{
	bool found = false;

	int rc = check_subpath(subpath, err);
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < cgroup->count; i++) {
		const char *path = arena_printf(&cgroup->arena, "%s/%s", cgroup->paths[i].path, subpath);
		struct stat status;
		if (stat(path, &status) < 0 || !S_ISDIR(status.st_mode))
			continue;
		paths[i].path = path;
		found = true;
	}
	return found
		   ? 0
		   : error_set(err, ENOENT, "the cgroup path \"%s\" does not exist in the container's cgroup", subpath);
}

int cgroup_exec_paths(struct cgroup *cgroup, const char *subpath, pid_t beside,
		      struct cgroup_path paths[CGROUP_PATHS_MAX], size_t *count, struct error *err)
{
	int v2 = cgroup_find_v2(cgroup);
	const char *path;

	*count = cgroup->count;
	for (size_t i = 0; i < cgroup->count; i++)
		paths[i] = cgroup->paths[i];
	if (subpath != NULL && subpath[0] != '\0')
		return sub_paths(cgroup, subpath, paths, err);
	if (v2 >= 0 && cgroup->delegate != NULL)
		paths[v2].path = cgroup_delegate(cgroup);
	if (v2 >= 0 && is_inner(paths[v2].path) && find_beside(cgroup, (size_t)v2, beside, &cgroup->arena, &path) == 0)
		paths[v2].path = path;
	return 0;
}

int cgroup_leave(const struct cgroup *cgroup, pid_t pid, struct error *err)
{
	CLEANUP_ARENA struct arena arena = {0};
	struct cgroup_layout layout;

	if (cgroup->mode != CGROUP_MODE_V2 || cgroup->count == 0)
		return 0;
	int rc = cgroup_layout_detect(&arena, &layout, err);
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < layout.count; i++) {
		if (!layout.hierarchies[i].v2)
			continue;
		const char *path = cgroup_hierarchy_path(&arena, &layout.hierarchies[i], layout.hierarchies[i].own);
		rc = write_pid(path, pid);
		if (rc < 0)
			return error_errno(err, -rc, "cannot move process %d to the cgroup %s", (int)pid, path);
	}
	return 0;
}

const char *cgroup_delegate(const struct cgroup *cgroup)
{
	return cgroup->delegate_path;
}

int cgroup_join_delegate(const struct cgroup *cgroup, pid_t pid, struct error *err)
{
	int rc = cgroup->delegate_path == NULL ? 0 : write_pid(cgroup->delegate_path, pid);

	return rc < 0
		   ? error_errno(err, -rc, "cannot move process %d to the cgroup %s", (int)pid, cgroup->delegate_path)
		   : 0;
}

bool cgroup_can_enter(const struct cgroup *cgroup)
{
	CLEANUP_ARENA struct arena arena = {0};
	struct cgroup_layout layout;
	struct error ignored;
	int v2 = cgroup_find_v2(cgroup);

	if (!cgroup->rootless || v2 < 0)
		return true;
	if (cgroup_layout_detect(&arena, &layout, &ignored) < 0)
		return false;
	for (size_t i = 0; i < layout.count; i++) {
		if (!layout.hierarchies[i].v2)
			continue;
		const char *own = cgroup_hierarchy_path(&arena, &layout.hierarchies[i], layout.hierarchies[i].own);
		const char *path = cgroup->paths[v2].path;
		size_t common = 0;
		for (size_t k = 0;; k++) {
			bool own_ends = own[k] == '/' || own[k] == '\0';
			bool path_ends = path[k] == '/' || path[k] == '\0';
			if (own_ends && path_ends)
				common = k;
			if (own[k] != path[k] || own[k] == '\0')
				break;
		}
		const char *file = arena_printf(&arena, "%.*s/cgroup.procs", (int)common, path);
		return faccessat(AT_FDCWD, file, W_OK, AT_EACCESS) == 0;
	}
	return false;
}

int cgroup_join_below(const struct cgroup *cgroup, pid_t pid, const char *subpath, pid_t beside, struct error *err)
{
	bool joined = subpath == NULL || subpath[0] == '\0';

	int rc = joined ? 0 : check_subpath(subpath, err);
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < cgroup->count; i++) {
		const char *path = cgroup->paths[i].path;
		char sub[4096];
		rc = -ENOENT;
		if (subpath != NULL && subpath[0] != '\0' &&
		    snprintf(sub, sizeof sub, "%s/%s", path, subpath) < (int)sizeof sub)
			rc = write_pid(sub, pid);
		if (rc == 0)
			joined = true;
		else if (rc == -ENOENT)
			rc = write_pid(path, pid);
		if (rc == -EBUSY && cgroup->nodes[i].v2)
			rc = join_beside(cgroup, i, pid, beside);
		if ((rc == -EACCES || rc == -EPERM) && cgroup->manager == CGROUP_MANAGER_SYSTEMD) {
			rc = cgroup_systemd_attach(cgroup, pid, subpath, err);
			return rc < 0 ? rc : 0;
		}
		if (rc < 0)
			return error_errno(err, -rc, "cannot move process %d to the cgroup %s", (int)pid, path);
	}
	if (!joined)
		return error_set(err, ENOENT, "the cgroup path \"%s\" does not exist in the container's cgroup",
				 subpath);
	return 0;
}

int cgroup_join(const struct cgroup *cgroup, pid_t pid, struct error *err)
{
	return cgroup_join_below(cgroup, pid, NULL, -1, err);
}

/* Whether /proc/PID/cgroup's `where` is the host path `path`, or below it. */
static bool is_at(const struct cgroup *cgroup, size_t index, const char *where, size_t where_length)
{
	const struct cgroup_node *node = &cgroup->nodes[index];
	const char *path = cgroup->paths[index].path + node->mount_length;
	size_t root_length = strcmp(node->root, "/") == 0 ? 0 : strlen(node->root);
	size_t length = strlen(path);

	if (where_length < root_length + length || strncmp(where, node->root, root_length) != 0 ||
	    strncmp(where + root_length, path, length) != 0)
		return false;
	return where_length == root_length + length || where[root_length + length] == '/';
}

int cgroup_verify(const struct cgroup *cgroup, pid_t pid, struct error *err)
{
	CLEANUP_FREE char *text = NULL;
	char name[64];
	size_t length;

	if (cgroup->count == 0)
		return 0;
	snprintf(name, sizeof name, "/proc/%d/cgroup", (int)pid);
	CLEANUP_CLOSE int fd = open(name, O_RDONLY | O_CLOEXEC);
	int rc = fd < 0 ? -errno : file_read_all(fd, PROC_CGROUP_MAX, &text, &length);
	if (rc < 0)
		return error_errno(err, -rc, "cannot tell the cgroup of process %d", (int)pid);
	for (size_t i = 0; i < cgroup->count; i++) {
		const char *controllers = cgroup->paths[i].controllers;
		size_t controllers_length = strlen(controllers);
		bool found = false;
		if (cgroup->nodes[i].root == NULL)
			continue;
		for (const char *line = text; *line != '\0' && !found;) {
			size_t line_length = strcspn(line, "\n");
			size_t prefix = strcspn(line, ":") + 1;
			if (line_length > prefix + controllers_length && line[prefix + controllers_length] == ':' &&
			    strncmp(line + prefix, controllers, controllers_length) == 0)
				found = is_at(cgroup, i, line + prefix + controllers_length + 1,
					      line_length - prefix - controllers_length - 1);
			line += line_length;
			line += *line == '\n';
		}
		if (!found)
			return error_set(err, ESRCH, "process %d is not in the cgroup %s", (int)pid,
					 cgroup->paths[i].path);
	}
	return 0;
}

static int compare_pids(const void *a, const void *b)
{
	pid_t x = *(const pid_t *)a;
	pid_t y = *(const pid_t *)b;
	return (x > y) - (x < y);
}

int cgroup_processes(const struct cgroup *cgroup, struct cgroup_pids *pids, struct error *err)
{
	/* Any hierarchy knows them; v2 is the one a process can't leave without privilege. */
	int node = cgroup_find_v2(cgroup);

	pids->count = 0;
	if (cgroup->count == 0)
		return error_set(err, ENOENT, "the container has no cgroup, so its processes are not known");
	if (node < 0)
		node = 0;
	int rc = cgroup_pids_below(AT_FDCWD, cgroup->paths[node].path, pids);
	if (rc < 0)
		return error_errno(err, -rc, "cannot list the processes of the cgroup %s", cgroup->paths[node].path);
	if (pids->count > 0)
		qsort(pids->items, pids->count, sizeof *pids->items, compare_pids);
	return 0;
}

int cgroup_freeze(const struct cgroup *cgroup, struct error *err)
{
	return cgroup_freeze_paths(cgroup->paths, cgroup->count, CGROUP_TIMEOUT_MS, err);
}

int cgroup_thaw(const struct cgroup *cgroup, struct error *err)
{
	return cgroup_thaw_paths(cgroup->paths, cgroup->count, err);
}

int cgroup_frozen(const struct cgroup *cgroup, struct error *err)
{
	return cgroup_frozen_paths(cgroup->paths, cgroup->count, err);
}

int cgroup_kill(const struct cgroup *cgroup, struct error *err)
{
	return cgroup_kill_paths(cgroup->paths, cgroup->count, CGROUP_TIMEOUT_MS, err);
}

int cgroup_remove(struct cgroup *cgroup, struct error *err)
{
	struct error unit_error;
	int unit = cgroup->unit == NULL ? 0 : cgroup_systemd_stop(cgroup, &unit_error);
	int rc = cgroup_remove_paths(cgroup->paths, cgroup->count, err);

	if (rc == 0 && unit < 0)
		*err = unit_error;
	return rc < 0 ? rc : unit;
}
