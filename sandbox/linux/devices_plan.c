/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/linux/devices_plan.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "sandbox/common/cleanup.h"
#include "sandbox/common/syscalls.h"

/* Linux has 12 bits for the major and 20 for the minor number. */
#define MAJOR_MAXIMUM 0xfff
#define MINOR_MAXIMUM 0xfffff

static const struct plan_device default_devices[] = {
    {.type = S_IFCHR, .mode = 0666, .major = 1, .minor = 3}, {.type = S_IFCHR, .mode = 0666, .major = 1, .minor = 5},
    {.type = S_IFCHR, .mode = 0666, .major = 1, .minor = 7}, {.type = S_IFCHR, .mode = 0666, .major = 1, .minor = 8},
    {.type = S_IFCHR, .mode = 0666, .major = 1, .minor = 9}, {.type = S_IFCHR, .mode = 0666, .major = 5, .minor = 0},
};
static const char *const default_paths[] = {
    "/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty",
};
_Static_assert(ARRAY_SIZE(default_devices) == ARRAY_SIZE(default_paths), "each default device has a path");

static const struct {
	const char *path;
	const char *target;
	const char *needs; /* host path that must exist */
} default_links[] = {
    {"/dev/fd", "/proc/self/fd", NULL},          {"/dev/stdin", "/proc/self/fd/0", NULL},
    {"/dev/stdout", "/proc/self/fd/1", NULL},    {"/dev/stderr", "/proc/self/fd/2", NULL},
    {"/dev/core", "/proc/kcore", "/proc/kcore"}, {"/dev/ptmx", "pts/ptmx", NULL},
};

struct planner {
	struct plan_builder *builder;
	const struct oci_config *config;
	struct arena *arena;
	struct plan_device *devices;
	const char **paths;
	size_t count;
	int nodes_fd; /* tmpfs for nodes that the launcher may not make, or -1 */
};

/* A /dev that is bound from the host gets no devices and links, as runc and crun have it. */
static bool dev_is_bound(struct planner *planner)
{
	for (size_t i = 0; i < planner->config->mounts_count; i++) {
		const struct oci_mount *mount = &planner->config->mounts[i];
		bool bind =
		    mount->type != NULL && (strcmp(mount->type, "bind") == 0 || strcmp(mount->type, "rbind") == 0);
		if (mount->destination == NULL ||
		    strcmp(mounts_clean_path(planner->arena, mount->destination), "/dev") != 0)
			continue;
		for (size_t j = 0; j < mount->options_count && !bind; j++)
			bind = strcmp(mount->options[j], "bind") == 0 || strcmp(mount->options[j], "rbind") == 0;
		if (bind)
			return true;
	}
	return false;
}

static bool is_below_dev(const char *path)
{
	return strncmp(path, "/dev/", 5) == 0;
}

static int convert(struct planner *planner, const struct oci_device *device, struct plan_device *entry,
		   struct error *err)
{
	uint32_t type = device->type == 'b'                          ? S_IFBLK
			: device->type == 'p'                        ? S_IFIFO
			: device->type == 'c' || device->type == 'u' ? S_IFCHR
								     : 0;

	if (device->path == NULL || device->path[0] != '/')
		return error_set(err, EINVAL, "the path \"%s\" is not absolute",
				 device->path == NULL ? "" : device->path);
	if (type == 0)
		return error_set(err, EINVAL, "%s: the type is none of c, b, u, p", device->path);
	if (type != S_IFIFO &&
	    (device->major < 0 || device->major > MAJOR_MAXIMUM || device->minor < 0 || device->minor > MINOR_MAXIMUM))
		return error_set(err, EINVAL, "%s: the device number %lld:%lld is out of range", device->path,
				 (long long)device->major, (long long)device->minor);
	*entry = (struct plan_device){
	    .type = type,
	    /* Engines may leave the type's bits in. */
	    .mode = device->file_mode.set ? device->file_mode.value & 07777u : 0666,
	    .major = type == S_IFIFO ? 0 : (uint32_t)device->major,
	    .minor = type == S_IFIFO ? 0 : (uint32_t)device->minor,
	    .uid = device->uid.set ? device->uid.value : 0,
	    .gid = device->gid.set ? device->gid.value : 0,
	};
	return 0;
}

static bool is_configured(struct planner *planner, const char *path)
{
	for (size_t i = 0; i < planner->count; i++)
		if (strcmp(planner->paths[i], path) == 0)
			return true;
	return false;
}

static int collect(struct planner *planner, bool with_dev, struct error *err)
{
	const struct oci_linux *linux_ = &planner->config->linux_;
	size_t most = linux_->devices_count + ARRAY_SIZE(default_devices);

	planner->devices = arena_array(planner->arena, most, sizeof *planner->devices);
	planner->paths = arena_array(planner->arena, most, sizeof *planner->paths);
	for (size_t i = 0; i < linux_->devices_count; i++) {
		struct plan_device entry;
		if (convert(planner, &linux_->devices[i], &entry, err) < 0)
			return error_wrap(err, "linux.devices[%zu]", i);
		const char *path = mounts_clean_path(planner->arena, linux_->devices[i].path);
		if (!with_dev && is_below_dev(path))
			continue;
		planner->paths[planner->count] = path;
		planner->devices[planner->count++] = entry;
	}
	for (size_t i = 0; i < ARRAY_SIZE(default_devices) && with_dev; i++) {
		if (is_configured(planner, default_paths[i]))
			continue;
		planner->paths[planner->count] = default_paths[i];
		planner->devices[planner->count++] = default_devices[i];
	}
	return 0;
}

/* The host's id of a container's id; an id without a mapping stays as it is: the overflow id inside. */
static uint32_t host_id(const struct oci_id_mapping *maps, size_t count, uint32_t id)
{
	for (size_t i = 0; i < count; i++)
		if (id >= maps[i].container_id && id - maps[i].container_id < maps[i].size)
			return id - maps[i].container_id + maps[i].host_id;
	return id;
}

/* Makes one node for a container in another user namespace. */
static int precreate(struct planner *planner, size_t index, struct error *err)
{
	const struct oci_linux *linux_ = &planner->config->linux_;
	struct plan_device *device = &planner->devices[index];
	uint32_t uid = host_id(linux_->uid_mappings, linux_->uid_mappings_count, device->uid);
	uint32_t gid = host_id(linux_->gid_mappings, linux_->gid_mappings_count, device->gid);
	char name[32];

	if (device->type == S_IFIFO)
		return 0;
	snprintf(name, sizeof name, "%zu", index);
	/* The mode needs a call of its own: the umask cuts what mknod sets. */
	if (mknodat(planner->nodes_fd, name, device->type | device->mode, makedev(device->major, device->minor)) < 0 ||
	    fchmodat(planner->nodes_fd, name, device->mode, 0) < 0 ||
	    ((uid != 0 || gid != 0) && fchownat(planner->nodes_fd, name, uid, gid, AT_SYMLINK_NOFOLLOW) < 0))
		return error_errno(err, errno, "create the device node %s for the user namespace",
				   planner->paths[index]);
	device->precreated = 1;
	return 0;
}

static int precreate_all(struct planner *planner, struct error *err)
{
	CLEANUP_CLOSE int context = sl_fsopen("tmpfs", SL_FSOPEN_CLOEXEC);

	if (context < 0 || sl_fsconfig(context, SL_FSCONFIG_SET_STRING, "mode", "755", 0) < 0 ||
	    sl_fsconfig(context, SL_FSCONFIG_CMD_CREATE, NULL, NULL, 0) < 0)
		return error_errno(err, errno, "create a tmpfs for device nodes");
	planner->nodes_fd = sl_fsmount(context, SL_FSMOUNT_CLOEXEC, SL_MOUNT_ATTR_NOSUID | SL_MOUNT_ATTR_NOEXEC);
	if (planner->nodes_fd < 0)
		return error_errno(err, errno, "mount a tmpfs for device nodes");
	planner->builder->plan.devices_fd = plan_add_fd(planner->builder, planner->nodes_fd);
	for (size_t i = 0; i < planner->count; i++) {
		int result = precreate(planner, i, err);
		if (result < 0)
			return result;
	}
	return 0;
}

static void plan_links(struct planner *planner)
{
	struct plan_pair pairs[ARRAY_SIZE(default_links)];
	size_t count = 0;

	for (size_t i = 0; i < ARRAY_SIZE(default_links); i++) {
		if (default_links[i].needs != NULL && access(default_links[i].needs, F_OK) < 0)
			continue;
		pairs[count].key = plan_add_string(planner->builder, default_links[i].path);
		pairs[count++].value = plan_add_string(planner->builder, default_links[i].target);
	}
	planner->builder->plan.symlinks = plan_add_array(planner->builder, pairs, count, sizeof pairs[0]);
}

/* Whether the caller itself is in a user namespace below the machine's: nobody may mknod(2) there. */
static bool caller_is_in_user_namespace(void)
{
	struct stat status;

	/* PROC_USER_INIT_INO of the kernel: fixed since Linux 3.8 */
	return stat("/proc/self/ns/user", &status) == 0 && status.st_ino != 0xEFFFFFFDu;
}

int devices_plan(struct plan_builder *builder, const struct oci_config *config,
		 const struct mounts_plan_options *options, struct error *err)
{
	CLEANUP_ARENA struct arena arena = {0};
	struct planner planner = {.builder = builder, .config = config, .arena = &arena, .nodes_fd = -1};
	bool with_dev = !dev_is_bound(&planner);

	int result = collect(&planner, with_dev, err);
	if (result < 0)
		return result;
	bool nested = caller_is_in_user_namespace();
	if (options->user_namespace || nested)
		builder->plan.flags |= PLAN_BIND_DEVICES;
	if (options->user_namespace && options->privileged && !nested && planner.count > 0)
		result = precreate_all(&planner, err);
	if (result < 0)
		return result;
	for (size_t i = 0; i < planner.count; i++)
		planner.devices[i].path = plan_add_string(builder, planner.paths[i]);
	builder->plan.devices = plan_add_array(builder, planner.devices, planner.count, sizeof *planner.devices);
	if (with_dev)
		plan_links(&planner);
	return 0;
}
