/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the directories of a container's cgroup. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sandbox/cgroup/cgroup_internal.h"
#include "sandbox/cgroup/freezer.h"
#include "sandbox/cgroup/kill.h"
#include "sandbox/cgroup/systemd.h"
#include "sandbox/common/cleanup.h"
#include "sandbox/common/file.h"
#include "sandbox/common/syscalls.h"

static bool is_empty_list(const char *text)
{
	return text[0] == '\0' || text[0] == '\n';
}

/* The value that shall be in the new cgroup's file; NULL: what the cgroup above has. */
static const char *asked_for(const struct cgroup *cgroup, const char *file)
{
	for (size_t i = 0; i < cgroup->writes.count; i++) {
		const struct cgroup_write *write = &cgroup->writes.items[i];
		if (write->controller == CGROUP_CPUSET && !write->v2 && strcmp(write->file, file) == 0)
			return write->value;
	}
	return NULL;
}

/* A new v1 cpuset has no processors and no memory, and nothing can join it. Values of the leaf that were asked for
 * are not inherited first: they may be the only ones that an exclusive parent can give. */
static int cpuset_inherit(const struct cgroup *cgroup, int parent, int child, bool leaf)
{
	static const char *const files[] = {"cpuset.cpus", "cpuset.mems"};
	/* With the mount option noprefix, as on Android. */
	static const char *const bare_files[] = {"cpus", "mems"};

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		char text[4096];
		const char *file = files[i];
		const char *asked = leaf ? asked_for(cgroup, file) : NULL;
		/* What can't be had is told when the limits are set. */
		if (asked != NULL && file_write_at(child, file, asked) == 0)
			continue;
		ssize_t length = file_read_at(parent, file, text, sizeof text);
		if (length == -ENOENT) {
			file = bare_files[i];
			length = file_read_at(parent, file, text, sizeof text);
		}
		if (length < 0)
			return (int)length;
		int rc = is_empty_list(text) ? 0 : file_write_at(child, file, text);
		if (rc < 0)
			return rc;
	}
	return 0;
}

/* Whether the directory's cpuset has to be filled: it is new, or somebody made it and left it empty. */
static bool cpuset_lacks(int dirfd)
{
	char text[64];

	return file_read_at(dirfd, "cpuset.cpus", text, sizeof text) >= 0 &&
	       (is_empty_list(text) ||
		(file_read_at(dirfd, "cpuset.mems", text, sizeof text) >= 0 && is_empty_list(text)));
}

/* Opens the directory `path` below `top`, making what is missing; fills cpusets on the way down. */
static int make_directories(const struct cgroup *cgroup, int top, const char *path, bool cpuset, bool *created)
{
	int current = fcntl(top, F_DUPFD_CLOEXEC, 3);

	*created = false;
	while (current >= 0 && *path != '\0') {
		char name[256];
		size_t length = strcspn(path, "/");
		if (length >= sizeof name) {
			close(current);
			return -ENAMETOOLONG;
		}
		memcpy(name, path, length);
		name[length] = '\0';
		path += length;
		path += strspn(path, "/");
		if (length == 0)
			continue;
		bool made = mkdirat(current, name, 0755) == 0;
		int reason = errno;
		int next = made || reason == EEXIST ? openat(current, name, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
		if (next < 0)
			reason = made || reason == EEXIST ? errno : reason;
		bool leaf = *path == '\0';
		int rc = 0;
		if (next >= 0 && cpuset && (made || cpuset_lacks(next)))
			rc = cpuset_inherit(cgroup, current, next, leaf);
		if (rc < 0 && made)
			unlinkat(current, name, AT_REMOVEDIR);
		close(current);
		current = next;
		*created = made;
		if (next < 0)
			return -reason;
		if (rc < 0) {
			close(next);
			return rc;
		}
	}
	return current < 0 ? -errno : current;
}

/* The common case: all is there but the last directory. */
static int make_leaf(const struct cgroup *cgroup, size_t index, bool *created)
{
	const char *path = cgroup->paths[index].path;
	size_t top_length = cgroup->nodes[index].mount_length;
	bool cpuset = !cgroup->nodes[index].v2 && (cgroup->nodes[index].mask & 1u << CGROUP_CPUSET);
	char top[4096];

	*created = false;
	if (!cpuset && mkdir(path, 0755) == 0) {
		*created = true;
		return 0;
	}
	if (!cpuset && errno == EEXIST)
		return 0;
	if (!cpuset && errno != ENOENT)
		return -errno;
	if (top_length >= sizeof top)
		return -ENAMETOOLONG;
	memcpy(top, path, top_length);
	top[top_length] = '\0';
	CLEANUP_CLOSE int topfd = open(top, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (topfd < 0)
		return -errno;
	CLEANUP_CLOSE int leaf = make_directories(cgroup, topfd, path + top_length, cpuset, created);
	return leaf < 0 ? leaf : 0;
}

static int undo(struct cgroup *cgroup, int rc)
{
	struct error ignored;

	/* A scope ends with its last process. */
	cgroup_settle(cgroup);
	for (size_t i = 0; i < cgroup->count; i++)
		if (cgroup->nodes[i].created)
			cgroup_remove_paths(&cgroup->paths[i], 1, &ignored);
	return rc;
}

static bool is_permission(int rc)
{
	return rc == -EACCES || rc == -EPERM || rc == -EROFS;
}

/* A cgroup that is there already may be used if nobody is in it. */
static int check_unused(const struct cgroup *cgroup, size_t index, struct error *err)
{
	CLEANUP_CGROUP_PIDS struct cgroup_pids pids = {0};
	const char *path = cgroup->paths[index].path;

	int rc = cgroup_pids_below(AT_FDCWD, path, &pids);
	if (rc < 0)
		return error_errno(err, -rc, "cannot list the processes of the cgroup %s", path);
	if (pids.count > 0)
		return error_set(
		    err, EBUSY,
		    "container's cgroup is not empty: %zu process(es) found in %s (pid %d%s): remove it or "
		    "give another linux.cgroupsPath",
		    pids.count, path, (int)pids.items[0], pids.count > 1 ? ", ..." : "");
	rc = cgroup_frozen_paths(&cgroup->paths[index], 1, err);
	if (rc > 0)
		return error_set(err, EBUSY, "container's cgroup unexpectedly frozen: %s", path);
	return rc;
}

/* Whether a process that is cloned into the v2 cgroup gets killed, see cgroup_kill_paths. */
static bool kills_clones(const char *path)
{
	CLEANUP_CLOSE int dirfd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct sl_clone_args args = {
	    .flags = CLONE_INTO_CGROUP, .exit_signal = SIGCHLD, .cgroup = dirfd < 0 ? 0 : (uint64_t)dirfd};
	int status = 0;

	if (dirfd < 0)
		return false;
	pid_t pid = (pid_t)sl_clone3(&args);
	if (pid == 0)
		_exit(0);
	if (pid < 0)
		return false;
	while (waitpid(pid, &status, __WALL) < 0 && errno == EINTR)
		continue;
	return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
}

/* Uses an empty cgroup that is there already, with the limits somebody may have given it. */
static int reuse(struct cgroup *cgroup, size_t index, struct error *err)
{
	const char *path = cgroup->paths[index].path;

	int rc = check_unused(cgroup, index, err);
	if (rc < 0 || !cgroup->nodes[index].v2 || !kills_clones(path))
		return rc;
	/* What a container that was killed has left. */
	rc = cgroup_remove_paths(&cgroup->paths[index], 1, err);
	if (rc == 0 && mkdir(path, 0755) < 0)
		rc = error_errno(err, errno, "cannot create the cgroup %s", path);
	return rc;
}

static int create_cgroupfs(struct cgroup *cgroup, struct error *err)
{
	for (size_t i = 0; i < cgroup->count;) {
		struct cgroup_node *node = &cgroup->nodes[i];
		int rc = make_leaf(cgroup, i, &node->created);
		if (rc < 0 && cgroup->rootless && !cgroup->path_given && is_permission(rc)) {
			const char *field = cgroup_limit_in(cgroup, i);
			if (field != NULL)
				return undo(
				    cgroup,
				    error_set(err, -rc,
					      "cannot set linux.resources.%s: container could not join or create "
					      "cgroup %s (%s): rootless needs no limits + no cgrouppath when no "
					      "permission is granted for cgroups",
					      field, cgroup->paths[i].path, strerror(-rc)));
			cgroup_drop_node(cgroup, i);
			continue;
		}
		if (rc < 0)
			return undo(cgroup,
				    error_errno(err, -rc, "cannot create the cgroup %s", cgroup->paths[i].path));
		/* systemd has made its own, with the helper in it. */
		if (!node->created && cgroup->manager == CGROUP_MANAGER_CGROUPFS) {
			rc = reuse(cgroup, i, err);
			if (rc < 0)
				return undo(cgroup, rc);
		}
		i++;
	}
	if (cgroup->count == 0)
		cgroup->devices_set = false;
	return 0;
}

/* Enables controllers for the children of a v2 cgroup. One that can't be had must not keep the others away. */
static void enable_controllers(int dirfd, uint32_t mask)
{
	char all[256] = "";
	size_t used = 0;

	for (unsigned int i = 0; i < CGROUP_CONTROLLERS; i++)
		if (mask & 1u << i)
			used += (size_t)snprintf(all + used, sizeof all - used, "%s+%s", used == 0 ? "" : " ",
						 cgroup_controller_name(i, true));
	if (file_write_at(dirfd, "cgroup.subtree_control", all) == 0)
		return;
	for (unsigned int i = 0; i < CGROUP_CONTROLLERS; i++) {
		if (!(mask & 1u << i))
			continue;
		snprintf(all, sizeof all, "+%s", cgroup_controller_name(i, true));
		(void)file_write_at(dirfd, "cgroup.subtree_control", all);
	}
}

static uint32_t read_controllers(int dirfd)
{
	char text[512];

	return file_read_at(dirfd, "cgroup.controllers", text, sizeof text) < 0
		   ? 0
		   : cgroup_controllers_parse(text, " \n", true);
}

/* The v2 controllers that the container's limits need. */
static uint32_t needed_controllers(const struct cgroup *cgroup)
{
	uint32_t mask = 0;

	for (size_t i = 0; i < cgroup->writes.count; i++)
		if (cgroup->writes.items[i].v2 && cgroup->writes.items[i].controller < CGROUP_CONTROLLERS)
			mask |= 1u << cgroup->writes.items[i].controller;
	return mask;
}

/* Enables the controllers in the directories from `length` on down to the one above the last. */
static void enable_below(const char *path, size_t length, uint32_t wanted)
{
	char current[4096];

	while (length < strlen(path) && length < sizeof current) {
		memcpy(current, path, length);
		current[length] = '\0';
		CLEANUP_CLOSE int dirfd = open(current, O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (dirfd >= 0)
			enable_controllers(dirfd, wanted & read_controllers(dirfd));
		length += 1 + strcspn(path + length + 1, "/");
	}
}

/* Hands the controllers down from the top of the hierarchy. What is not available in the end is told by the limit
 * that needs it.
 *
 * All of them on a v2 machine, for the statistics. In a hybrid layout only those that a limit needs: the others' users
 * are v1 hierarchies, and the host's root cgroup is not touched without need. So it is above a scope, too, where
 * systemd hands down what it knows by itself. */
static int delegate_controllers(struct cgroup *cgroup, size_t index, struct error *err)
{
	struct cgroup_node *node = &cgroup->nodes[index];
	const char *path = cgroup->paths[index].path;
	bool all = cgroup->mode == CGROUP_MODE_V2 && node->scope_length == 0;
	uint32_t wanted = all ? node->mask : needed_controllers(cgroup);
	CLEANUP_CLOSE int leaf = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	char type[64];

	if (leaf < 0)
		return error_errno(err, errno, "cannot open the cgroup %s", path);
	uint32_t have = read_controllers(leaf);
	if (wanted & ~have)
		enable_below(path, node->mount_length, wanted);
	if (node->scope_length > 0)
		enable_below(path, node->scope_length, node->mask);
	node->mask = (wanted & ~have) != 0 || node->scope_length > 0 ? read_controllers(leaf) : have;
	if (file_read_at(leaf, "cgroup.type", type, sizeof type) < 0 || strncmp(type, "domain invalid", 14) != 0)
		return 0;
	/* Below a threaded cgroup there are threaded ones only, without the memory and io controllers. */
	int rc = file_write_at(leaf, "cgroup.type", "threaded");
	if (rc < 0)
		return error_errno(err, -rc, "cannot use the cgroup %s: it is below a threaded one", path);
	return 0;
}

static int chown_one(int dirfd, const char *name, uint32_t uid)
{
	/* Not all of them exist on all kernels. */
	if (fchownat(dirfd, name, uid, (gid_t)-1, AT_EMPTY_PATH) < 0 && errno != ENOENT)
		return -errno;
	return 0;
}

/* config-linux.md "Cgroup ownership" */
static int give_away(const struct cgroup *cgroup, const char *path, struct error *err)
{
	CLEANUP_CLOSE int leaf = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	char list[4096];

	if (leaf < 0)
		return error_errno(err, errno, "cannot open the cgroup %s", path);
	if (file_read_at(AT_FDCWD, "/sys/kernel/cgroup/delegate", list, sizeof list) <= 0)
		snprintf(list, sizeof list, "cgroup.procs\ncgroup.subtree_control\ncgroup.threads\n");
	int rc = chown_one(leaf, "", cgroup->owner_uid);
	for (char *line = list; rc == 0 && *line != '\0';) {
		size_t length = strcspn(line, "\n");
		char *next = line + length + (line[length] == '\n');
		line[length] = '\0';
		if (length > 0 && strchr(line, '/') == NULL)
			rc = chown_one(leaf, line, cgroup->owner_uid);
		line = next;
	}
	return rc < 0 ? error_errno(err, -rc, "cannot change the owner of the cgroup %s", path) : 0;
}

/* The directory for the container's processes below the one that has the limits. */
static int make_delegate(const struct cgroup *cgroup, struct error *err)
{
	int v2 = cgroup_find_v2(cgroup);
	const char *base = cgroup->paths[v2].path;
	bool created;
	CLEANUP_CLOSE int top = open(base, O_PATH | O_DIRECTORY | O_CLOEXEC);
	CLEANUP_CLOSE int leaf = top < 0 ? -errno : make_directories(cgroup, top, cgroup->delegate, false, &created);

	if (leaf < 0)
		return error_errno(err, -leaf, "cannot create the cgroup %s", cgroup->delegate_path);
	return cgroup->owner_uid == UINT32_MAX ? 0 : give_away(cgroup, cgroup->delegate_path, err);
}

static int make_cgroup(struct cgroup *cgroup, struct error *err)
{
	int rc = cgroup->manager == CGROUP_MANAGER_SYSTEMD ? cgroup_systemd_start(cgroup, err) : 0;
	if (rc == 0)
		rc = create_cgroupfs(cgroup, err);
	if (rc == 0 && cgroup->manager == CGROUP_MANAGER_SYSTEMD)
		rc = cgroup_systemd_descend(cgroup, err);
	int v2 = rc < 0 ? -1 : cgroup_find_v2(cgroup);
	if (v2 >= 0)
		rc = delegate_controllers(cgroup, (size_t)v2, err);
	if (rc == 0 && v2 >= 0 && cgroup->mode == CGROUP_MODE_V2 && cgroup->owner_uid != UINT32_MAX)
		rc = give_away(cgroup, cgroup->paths[v2].path, err);
	if (rc == 0 && cgroup->delegate_path != NULL)
		rc = make_delegate(cgroup, err);
	return rc;
}

int cgroup_create(struct cgroup *cgroup, struct error *err)
{
	int rc = cgroup->rdt.config == NULL ? 0 : rdt_create(&cgroup->rdt, err);

	if (rc < 0 || cgroup->count == 0)
		return rc;
	rc = make_cgroup(cgroup, err);
	if (rc < 0 && cgroup->rdt.config != NULL)
		rdt_undo(&cgroup->rdt);
	return rc < 0 ? undo(cgroup, rc) : 0;
}
