/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/cgroup/mount.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "sandbox/cgroup/paths.h"
#include "sandbox/common/cleanup.h"
#include "sandbox/common/syscalls.h"
#include "sandbox/linux/mount.h"
#include "sandbox/linux/resolve.h"

/* Where every distribution has them; a container without a cgroup of its own gets to see this. */
#define HOST_CGROUPS "/sys/fs/cgroup"
/* As for every mount of a kernel file system. */
#define PLAIN_FLAGS (MS_NOSUID | MS_NODEV | MS_NOEXEC)
#define FD_PATH_SIZE 32

static void fd_path(int fd, char path[FD_PATH_SIZE])
{
	snprintf(path, FD_PATH_SIZE, "/proc/self/fd/%d", fd);
}

/* Whether /proc/self/cgroup begins at the container's cgroup. */
static bool has_namespace(const struct plan *plan)
{
	const struct plan_namespace *namespaces = plan_items(plan, plan->namespaces);

	for (uint32_t i = 0; i < plan->namespaces.count; i++)
		if (namespaces[i].type == CLONE_NEWCGROUP)
			return true;
	return (plan->flags & PLAN_UNSHARE_CGROUP) != 0 || (plan->clone_flags & CLONE_NEWCGROUP) != 0;
}

/* The mount that now covers the destination. */
static int reopen(const struct launch *launch, const struct plan_mount *mount, struct error *err)
{
	int fd = resolve_open(launch->root_fd, plan_text(launch->plan, mount->destination), O_PATH | O_DIRECTORY, 0);

	return fd < 0 ? error_errno(err, -fd, "open the cgroup mount") : fd;
}

/* Propagation and recursive flags, which hardly any configuration has for a cgroup mount. */
static int apply_rest(const struct launch *launch, const struct plan_mount *mount, int tree, struct error *err)
{
	const uint64_t *words = plan_items(launch->plan, mount->propagation);
	int rc = 0;

	if (mount->propagation.count == 0 && (mount->recursive_set | mount->recursive_clear) == 0)
		return 0;
	CLEANUP_CLOSE int owned = tree < 0 ? reopen(launch, mount, err) : -1;
	if (tree < 0)
		tree = owned;
	if (tree < 0)
		return tree;
	if ((mount->recursive_set | mount->recursive_clear) != 0)
		rc = mount_change(tree, mount->recursive_set, mount->recursive_clear, 0, 1);
	for (uint32_t i = 0; rc == 0 && i < mount->propagation.count; i++)
		rc = mount_change(tree, 0, 0, words[i], (words[i] & MS_REC) != 0);
	return rc < 0 ? error_errno(err, -rc, "set the flags of the cgroup mount") : 0;
}

/* Binds `source` to the directory, with these MS_* flags. Returns 0 or a negative errno value. */
static int bind_to(const char *source, int directory, uint64_t flags, bool recursive)
{
	unsigned int how = SL_OPEN_TREE_CLONE | SL_OPEN_TREE_CLOEXEC | (recursive ? SL_AT_RECURSIVE : 0);
	uint64_t clear = 0;
	uint64_t set = mount_attributes(flags, &clear);
	CLEANUP_CLOSE int tree = sl_open_tree(AT_FDCWD, source, how);

	if (tree < 0)
		return -errno;
	/* Detached, so that it is never visible without its flags; before Linux 5.12 that can't be. */
	int changed = mount_change(tree, set, clear, MS_PRIVATE, recursive);
	int rc = changed < 0 && changed != -ENOSYS && changed != -EINVAL ? changed : mount_attach(tree, directory, "");
	if (rc == 0 && changed < 0)
		rc = mount_change(tree, set, clear, MS_PRIVATE, recursive);
	return rc;
}

/* Nothing to see, and nothing to write to. */
static int mask(int directory)
{
	char path[FD_PATH_SIZE];

	fd_path(directory, path);
	return mount("tmpfs", path, "tmpfs", PLAIN_FLAGS | MS_RDONLY, "size=0k,mode=755") < 0 ? -errno : 0;
}

static const char *find_v2(const struct cgroup_path *paths, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (cgroup_path_is_v2(&paths[i]))
			return paths[i].path;
	return NULL;
}

static int mount_v2(struct launch *launch, const struct plan_mount *mount_entry, int destination,
		    const struct cgroup_path *paths, size_t count, struct error *err)
{
	const char *data = plan_text(launch->plan, mount_entry->data);
	bool namespace = has_namespace(launch->plan);
	const char *own = namespace ? find_v2(paths, count) : NULL;
	char path[FD_PATH_SIZE];
	int rc = -EPERM;

	fd_path(destination, path);
	/* Outside of a cgroup namespace a new mount without options would take nsdelegate and memory_recursiveprot away
	 * from the host's, so that one is bound; it shows the same. */
	if (!namespace && (data == NULL || *data == '\0'))
		rc = bind_to(HOST_CGROUPS, destination, mount_entry->flags, false);
	if (rc < 0)
		rc = mount("cgroup", path, "cgroup2", (unsigned long)mount_entry->flags, data) < 0 ? -errno : 0;
	/* EPERM: a user namespace without a cgroup namespace. EBUSY: /sys came with the host's mount at this place.
	 * Then the directory is bound that a cgroup namespace would show, or the whole where there is none. */
	if (rc == -EPERM || rc == -EBUSY) {
		rc = bind_to(own != NULL ? own : HOST_CGROUPS, destination, mount_entry->flags, false);
		if (rc == -ENOENT)
			rc = mask(destination);
	}
	return rc < 0 ? error_errno(err, -rc, "mount cgroup2") : apply_rest(launch, mount_entry, -1, err);
}

/* The directory of a hierarchy as distributions call it. */
static void hierarchy_name(const struct cgroup_path *path, char *name, size_t size)
{
	const char *controllers = path->controllers;

	if (cgroup_path_is_v2(path))
		controllers = "unified";
	else if (strncmp(controllers, "name=", 5) == 0)
		controllers += 5;
	else if (strcmp(controllers, "cpuacct,cpu") == 0)
		controllers = "cpu,cpuacct";
	else if (strcmp(controllers, "net_prio,net_cls") == 0)
		controllers = "net_cls,net_prio";
	snprintf(name, size, "%s", controllers);
}

/* cpu -> cpu,cpuacct */
static int link_controllers(int tree, const char *name)
{
	for (const char *word = name; strchr(name, ',') != NULL && *word != '\0';) {
		char link[64];
		size_t length = strcspn(word, ",");
		if (length > 0 && length < sizeof link) {
			memcpy(link, word, length);
			link[length] = '\0';
			if (symlinkat(name, tree, link) < 0 && errno != EEXIST)
				return -errno;
		}
		word += length;
		word += *word == ',';
	}
	return 0;
}

static int mount_hierarchy(const struct cgroup_path *path, int tree, uint64_t flags, bool namespace)
{
	char name[256];
	char target[FD_PATH_SIZE];

	hierarchy_name(path, name, sizeof name);
	if (name[0] == '.' || strchr(name, '/') != NULL)
		return -EINVAL;
	if (mkdirat(tree, name, 0755) < 0 && errno != EEXIST)
		return -errno;
	CLEANUP_CLOSE int directory = openat(tree, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (directory < 0)
		return -errno;
	int rc = -EPERM;
	if (namespace) {
		bool v2 = cgroup_path_is_v2(path);
		fd_path(directory, target);
		rc = mount("cgroup", target, v2 ? "cgroup2" : "cgroup", (unsigned long)flags,
			   v2 ? NULL : path->controllers) < 0
			 ? -errno
			 : 0;
	}
	/* Without a cgroup namespace, or in a user namespace that does not own it. */
	if (rc == -EPERM || rc == -EBUSY)
		rc = bind_to(path->path, directory, flags, false);
	return rc < 0 ? rc : link_controllers(tree, name);
}

/* A tmpfs for one directory per hierarchy. Returns a descriptor of it. */
static int mount_frame(struct launch *launch, const struct plan_mount *mount_entry, int destination, struct error *err)
{
	const char *label = plan_text(launch->plan, launch->plan->mount_label);
	char path[FD_PATH_SIZE];
	char data[1024] = "mode=755";

	if (label != NULL && snprintf(data, sizeof data, "mode=755,context=\"%s\"", label) >= (int)sizeof data)
		return error_set(err, ENAMETOOLONG, "linux.mountLabel is too long");
	fd_path(destination, path);
	if (mount("tmpfs", path, "tmpfs", PLAIN_FLAGS, data) < 0)
		return error_errno(err, errno, "mount a tmpfs for the cgroup hierarchies");
	return reopen(launch, mount_entry, err);
}

static int finish_frame(const struct launch *launch, const struct plan_mount *mount_entry, int tree, struct error *err)
{
	if ((mount_entry->flags & MS_RDONLY) != 0) {
		int rc = mount_change(tree, SL_MOUNT_ATTR_RDONLY, 0, 0, 0);
		if (rc < 0)
			return error_errno(err, -rc, "make the directory of the cgroup hierarchies read-only");
	}
	return apply_rest(launch, mount_entry, tree, err);
}

static int mount_v1(struct launch *launch, const struct plan_mount *mount_entry, int destination,
		    const struct cgroup_path *paths, size_t count, struct error *err)
{
	uint64_t flags = PLAIN_FLAGS | (mount_entry->flags & (MS_RDONLY | MS_NOATIME | MS_RELATIME));
	bool namespace = has_namespace(launch->plan);
	CLEANUP_CLOSE int tree = mount_frame(launch, mount_entry, destination, err);

	if (tree < 0)
		return tree;
	for (size_t i = 0; i < count; i++) {
		int rc = mount_hierarchy(&paths[i], tree, flags, namespace);
		if (rc < 0)
			return error_errno(err, -rc, "mount the cgroup hierarchy \"%s\"",
					   cgroup_path_is_v2(&paths[i]) ? "unified" : paths[i].controllers);
	}
	return finish_frame(launch, mount_entry, tree, err);
}

/* crun's annotation run.oci.systemd.force_cgroup_v1: on a v2 host, the hierarchy that old versions of systemd need. */
static int mount_systemd_v1(struct launch *launch, const struct plan_mount *mount_entry, int destination,
			    struct error *err)
{
	char target[FD_PATH_SIZE];
	CLEANUP_CLOSE int tree = mount_frame(launch, mount_entry, destination, err);

	if (tree < 0)
		return tree;
	if (mkdirat(tree, "systemd", 0755) < 0)
		return error_errno(err, errno, "make the directory of the systemd hierarchy");
	CLEANUP_CLOSE int directory = openat(tree, "systemd", O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (directory < 0)
		return error_errno(err, errno, "open the directory of the systemd hierarchy");
	fd_path(directory, target);
	if (mount("cgroup", target, "cgroup", PLAIN_FLAGS, "none,name=systemd,xattr") < 0)
		return error_errno(
		    err, errno,
		    "run.oci.systemd.force_cgroup_v1: mount the hierarchy name=systemd, which the host must "
		    "have mounted too");
	return finish_frame(launch, mount_entry, tree, err);
}

/* A container without a cgroup sees the host's, and can't change anything there. */
static int mount_none(struct launch *launch, const struct plan_mount *mount_entry, int destination, struct error *err)
{
	struct statfs status;

	if (statfs(HOST_CGROUPS, &status) == 0 && status.f_type == CGROUP2_SUPER_MAGIC)
		return mount_v2(launch, mount_entry, destination, NULL, 0, err);
	int rc = bind_to(HOST_CGROUPS, destination, mount_entry->flags | MS_RDONLY, true);
	/* No such directory, or no way to make all of it read-only (before Linux 5.12). */
	if (rc == -ENOENT || rc == -ENOSYS)
		rc = mask(destination);
	return rc < 0 ? error_errno(err, -rc, "bind the host's " HOST_CGROUPS)
		      : apply_rest(launch, mount_entry, -1, err);
}

int cgroup_mount_apply(struct launch *launch, const struct plan_mount *mount_entry, int destination_fd,
		       struct error *err)
{
	struct cgroup_path paths[CGROUP_PATHS_MAX];
	size_t count = cgroup_paths_from_plan(launch->plan, paths);
	const char *force_v1 = plan_text(launch->plan, launch->plan->cgroup_force_v1);

	if (force_v1 != NULL && strcmp(force_v1, plan_text(launch->plan, mount_entry->destination)) == 0)
		return mount_systemd_v1(launch, mount_entry, destination_fd, err);
	switch (launch->plan->cgroup_mode) {
	case CGROUP_MODE_V2:
		return mount_v2(launch, mount_entry, destination_fd, paths, count, err);
	case CGROUP_MODE_V1:
	case CGROUP_MODE_HYBRID:
		return mount_v1(launch, mount_entry, destination_fd, paths, count, err);
	default:
		return mount_none(launch, mount_entry, destination_fd, err);
	}
}
