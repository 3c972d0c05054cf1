/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/linux/namespaces_plan.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <linux/nsfs.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>

#include "sandbox/common/cleanup.h"
#include "sandbox/common/file.h"
#include "sandbox/common/number.h"
#include "sandbox/common/syscalls.h"
#include "sandbox/linux/pid1.h"

/* The types: their word in config.json and their file in /proc/PID/ns. */
static const struct {
	uint32_t type;
	const char *name;
	const char *own;
} types[] = {
    {CLONE_NEWUSER, "user", "/proc/self/ns/user"}, {CLONE_NEWNS, "mount", "/proc/self/ns/mnt"},
    {CLONE_NEWPID, "pid", "/proc/self/ns/pid"},    {CLONE_NEWNET, "network", "/proc/self/ns/net"},
    {CLONE_NEWIPC, "ipc", "/proc/self/ns/ipc"},    {CLONE_NEWUTS, "uts", "/proc/self/ns/uts"},
    {CLONE_NEWTIME, "time", "/proc/self/ns/time"}, {CLONE_NEWCGROUP, "cgroup", "/proc/self/ns/cgroup"},
};

const char *namespaces_name(uint32_t type)
{
	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		if (types[i].type == type)
			return types[i].name;
	return "unknown";
}

static const char *own_path(uint32_t type)
{
	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		if (types[i].type == type)
			return types[i].own;
	return "";
}

const struct oci_namespace *namespaces_find(const struct oci_config *config, uint32_t type)
{
	for (size_t i = 0; i < config->linux_.namespaces_count; i++)
		if (config->linux_.namespaces[i].type == type)
			return &config->linux_.namespaces[i];
	return NULL;
}

static bool is_given(const char *path)
{
	return path != NULL && path[0] != '\0';
}

static bool is_own(uint32_t type, const struct stat *status)
{
	struct stat own;

	return stat(own_path(type), &own) == 0 && own.st_dev == status->st_dev && own.st_ino == status->st_ino;
}

bool namespaces_private(const struct oci_config *config, uint32_t type)
{
	const struct oci_namespace *entry = namespaces_find(config, type);
	struct stat status;

	if (entry == NULL)
		return false;
	return !is_given(entry->path) || stat(entry->path, &status) < 0 || !is_own(type, &status);
}

/* Opens linux.namespaces[index].path. Returns a descriptor. */
static int open_namespace(const struct oci_namespace *entry, size_t index, struct error *err)
{
	/* Nonblocking, should the path name a fifo. */
	CLEANUP_CLOSE int fd = open(entry->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct statfs system;

	if (fd < 0)
		return error_errno(err, errno, "linux.namespaces[%zu].path: open %s", index, entry->path);
	if (fstatfs(fd, &system) < 0)
		return error_errno(err, errno, "linux.namespaces[%zu].path: statfs %s", index, entry->path);
	if ((unsigned long)system.f_type != NSFS_MAGIC)
		return error_set(err, EINVAL, "linux.namespaces[%zu].path: %s is not a namespace file", index,
				 entry->path);
	int type = ioctl(fd, NS_GET_NSTYPE);
	if (type < 0)
		return error_set(err, EINVAL, "linux.namespaces[%zu].path: %s is not a namespace file", index,
				 entry->path);
	if ((uint32_t)type != entry->type)
		return error_set(err, EINVAL, "linux.namespaces[%zu].path: %s is a %s namespace, but type says %s",
				 index, entry->path, namespaces_name((uint32_t)type), namespaces_name(entry->type));
	return take_fd(&fd);
}

/* The next number of a line, or an error beyond its end. */
static int next_number(char **line, uint32_t *number)
{
	uint64_t value = 0;
	char *text = *line + strspn(*line, " ");
	size_t length = strcspn(text, " ");

	*line = text + length + (text[length] == ' ');
	text[length] = '\0';
	int rc = number_parse_u64(text, 0, UINT32_MAX, &value);
	*number = (uint32_t)value;
	return rc;
}

/* Reads a map of ours (user_namespaces(7)): what we can name becomes an id of its own in the new namespace. */
static int read_identity(struct arena *arena, const char *path, struct oci_id_mapping **items, size_t *count,
			 struct error *err)
{
	/* 340 lines of three numbers, each ten wide and with a space. */
	char text[16384];
	ssize_t length = file_read_at(AT_FDCWD, path, text, sizeof text);
	size_t lines = 0;

	if (length < 0)
		return error_errno(err, (int)-length, "read %s", path);
	for (const char *c = text; *c != '\0'; c++)
		lines += *c == '\n';
	*items = arena_array(arena, lines, sizeof **items);
	*count = 0;
	for (char *line = text; *line != '\0' && *count < lines;) {
		char *end = line + strcspn(line, "\n");
		struct oci_id_mapping *item = &(*items)[(*count)++];
		char *next = end + (*end == '\n');
		*end = '\0';
		uint32_t outside;
		if (next_number(&line, &item->container_id) < 0 || next_number(&line, &outside) < 0 ||
		    next_number(&line, &item->size) < 0)
			return error_set(err, EPROTO, "%s has a line that is not three numbers", path);
		item->host_id = item->container_id;
		line = next;
	}
	return 0;
}

int namespaces_default_mappings(struct arena *arena, struct oci_config *config, struct error *err)
{
	struct oci_linux *linux_ = &config->linux_;
	const struct oci_namespace *user = namespaces_find(config, CLONE_NEWUSER);

	if (user == NULL || is_given(user->path) || linux_->uid_mappings_count + linux_->gid_mappings_count > 0 ||
	    geteuid() != 0)
		return 0;
	if (read_identity(arena, "/proc/self/uid_map", &linux_->uid_mappings, &linux_->uid_mappings_count, err) < 0 ||
	    read_identity(arena, "/proc/self/gid_map", &linux_->gid_mappings, &linux_->gid_mappings_count, err) < 0)
		return -err->code;
	return 1;
}

static int check_mappings(const struct oci_config *config, struct error *err)
{
	const struct oci_namespace *user = namespaces_find(config, CLONE_NEWUSER);
	bool uids = config->linux_.uid_mappings_count > 0, gids = config->linux_.gid_mappings_count > 0;

	if (user == NULL && (uids || gids))
		return error_set(err, EINVAL,
				 "user namespace mappings specified, but user namespace isn't enabled in the config");
	if (user != NULL && !is_given(user->path) && !(uids && gids))
		return error_set(
		    err, EINVAL,
		    "user namespaces enabled, but no namespace path to join nor mappings to apply specified: "
		    "linux.uidMappings and linux.gidMappings are needed");
	return 0;
}

/* The text for /proc/PID/timens_offsets (time_namespaces(7)). */
static int plan_time(struct plan_builder *builder, const struct oci_config *config, struct error *err)
{
	const struct oci_namespace *entry = namespaces_find(config, CLONE_NEWTIME);
	const struct oci_linux *linux_ = &config->linux_;
	struct arena arena CLEANUP_ARENA = {0};
	const char *text = "";

	if (linux_->time_offsets_count == 0)
		return 0;
	if (entry == NULL)
		return error_set(
		    err, EINVAL,
		    "time namespace offsets specified, but time namespace isn't enabled in the config: add "
		    "{\"type\": \"time\"} to linux.namespaces");
	if (is_given(entry->path))
		return error_set(err, EINVAL,
				 "time namespace enabled, but both namespace path and time offsets specified -- you "
				 "may only provide one");
	for (size_t i = 0; i < linux_->time_offsets_count; i++) {
		const struct oci_time_offset *offset = &linux_->time_offsets[i];
		const char *clock = offset->clock == CLOCK_BOOTTIME ? "boottime" : "monotonic";
		if (offset->nanosecs >= 1000000000)
			return error_set(err, EINVAL,
					 "linux.timeOffsets.%s.nanosecs is %u: it must be below 1000000000", clock,
					 offset->nanosecs);
		text =
		    arena_printf(&arena, "%s%s %" PRId64 " %" PRIu32 "\n", text, clock, offset->secs, offset->nanosecs);
	}
	builder->plan.time_offsets = plan_add_string(builder, text);
	builder->plan.flags |= PLAN_SET_TIME_OFFSETS;
	return 0;
}

/* A new namespace: what has to be unshared later than at clone, and what is to be done in it. */
static void plan_new(struct plan *plan, uint32_t type)
{
	switch (type) {
	case CLONE_NEWCGROUP: /* its root is the cgroup at the time of unshare */
		plan->flags |= PLAN_UNSHARE_CGROUP;
		return;
	case CLONE_NEWTIME: /* its offsets can be set while no process is in it */
		plan->flags |= PLAN_UNSHARE_TIME;
		return;
	case CLONE_NEWNS:
		plan->flags |= PLAN_NEW_MOUNT_NS;
		break;
	case CLONE_NEWNET:
		plan->flags |= PLAN_LOOPBACK_UP;
		break;
	case CLONE_NEWUSER:
		plan->userns = 1;
		break;
	default:
		break;
	}
	plan->clone_flags |= type;
}

int namespaces_plan(struct plan_builder *builder, const struct oci_config *config, struct error *err)
{
	const struct oci_linux *linux_ = &config->linux_;
	struct plan *plan = &builder->plan;
	struct plan_namespace joined[ARRAY_SIZE(types)];
	size_t joined_count = 0;
	uint32_t seen = 0;

	int rc = check_mappings(config, err);
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < linux_->namespaces_count; i++) {
		const struct oci_namespace *entry = &linux_->namespaces[i];
		if (own_path(entry->type)[0] == '\0')
			return error_set(err, EINVAL, "linux.namespaces[%zu].type is unknown", i);
		if (seen & entry->type)
			return error_set(err, EINVAL, "linux.namespaces[%zu]: the type %s is there twice", i,
					 namespaces_name(entry->type));
		seen |= entry->type;
		if (access(own_path(entry->type), F_OK) < 0 && errno == ENOENT)
			return error_set(err, ENOTSUP,
					 "linux.namespaces[%zu]: %s namespaces aren't enabled in the kernel", i,
					 namespaces_name(entry->type));
		if (!is_given(entry->path)) {
			plan_new(plan, entry->type);
			continue;
		}
		int fd = open_namespace(entry, i, err);
		if (fd < 0)
			return fd;
		struct stat status;
		if (entry->type == CLONE_NEWUSER && fstat(fd, &status) == 0 && is_own(CLONE_NEWUSER, &status)) {
			close(fd);
			continue;
		}
		if (entry->type == CLONE_NEWUSER)
			plan->userns = 1;
		joined[joined_count++] = (struct plan_namespace){.type = entry->type, .fd = plan_add_fd(builder, fd)};
	}
	plan->namespaces = plan_add_array(builder, joined, joined_count, sizeof *joined);
	rc = plan_time(builder, config, err);
	if (rc < 0)
		return rc;
	return pid1_plan(plan, config, err);
}
