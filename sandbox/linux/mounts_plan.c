/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/linux/mounts_plan.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "sandbox/common/cleanup.h"
#include "sandbox/common/syscalls.h"
#include "sandbox/linux/idmap.h"
#include "sandbox/linux/mount_options.h"

#ifndef SELINUX_MAGIC
#define SELINUX_MAGIC 0xf97cff8c
#endif

/* What is shared by all mounts of one config. */
struct planner {
	struct plan_builder *builder;
	const struct oci_config *config;
	const struct mounts_plan_options *options;
	struct arena *arena;
	struct idmap_cache idmaps;
	const char *label_option; /* `context="LABEL"`, NULL without SELinux */
};

/* One mount on its way into the plan. */
struct job {
	const struct oci_mount *mount;
	struct mount_settings settings;
	const char *destination;
	const char *type;
	const char *source;
	int source_fd;
};

/* Entries of procfs that may be replaced: lxcfs emulates them. As runc has it. */
static const char *const proc_entries[] = {
    "/proc/cpuinfo",
    "/proc/diskstats",
    "/proc/meminfo",
    "/proc/stat",
    "/proc/swaps",
    "/proc/uptime",
    "/proc/loadavg",
    "/proc/slabinfo",
    "/proc/net/dev",
    "/proc/sys/kernel/ns_last_pid",
    "/proc/sys/crypto/fips_enabled",
};

/* Options of mounts that name none: without them these would be unusable. As crun has it. */
static const struct {
	const char *destination;
	const char *type;
	const char *words[6];
} default_options[] = {
    {"/dev", "tmpfs", {"nosuid", "noexec", "strictatime", "mode=755"}},
    {"/dev/shm", "tmpfs", {"nosuid", "noexec", "nodev", "mode=1777", "size=65536k"}},
    {"/dev/mqueue", "mqueue", {"nosuid", "noexec", "nodev"}},
    {"/dev/pts", "devpts", {"nosuid", "noexec", "newinstance", "ptmxmode=0666", "mode=620"}},
    {"/sys", "sysfs", {"nosuid", "noexec", "nodev"}},
};

char *mounts_clean_path(struct arena *arena, const char *path)
{
	char *clean = arena_alloc(arena, strlen(path) + 2);
	size_t length = 0;

	while (*path != '\0') {
		size_t part = strcspn(path, "/");
		if (part == 2 && path[0] == '.' && path[1] == '.') {
			while (length > 0 && clean[--length] != '/')
				;
		} else if (part > 0 && !(part == 1 && path[0] == '.')) {
			clean[length++] = '/';
			memcpy(clean + length, path, part);
			length += part;
		}
		path += part + (path[part] == '/');
	}
	if (length == 0)
		clean[length++] = '/';
	clean[length] = '\0';
	return clean;
}

static const char *absolute(struct planner *planner, const char *path)
{
	return path[0] == '/' ? path : arena_printf(planner->arena, "%s/%s", planner->options->bundle, path);
}

static bool is_type(const struct job *job, const char *type)
{
	return job->type != NULL && strcmp(job->type, type) == 0;
}

static bool is_bind(const struct job *job)
{
	return (job->settings.plan_options & PLAN_MOUNT_BIND) != 0;
}

static void read_options(struct planner *planner, struct job *job)
{
	const struct oci_mount *mount = job->mount;
	const char *const *words = (const char *const *)mount->options;
	size_t count = mount->options_count;

	for (size_t i = 0; i < ARRAY_SIZE(default_options) && mount->options_count == 0; i++)
		if (strcmp(job->destination, default_options[i].destination) == 0 &&
		    is_type(job, default_options[i].type)) {
			words = default_options[i].words;
			while (count < ARRAY_SIZE(default_options[i].words) && words[count] != NULL)
				count++;
		}
	mount_options_read(planner->arena, words, count, &job->settings);
	if (is_type(job, "bind") || is_type(job, "rbind"))
		job->settings.plan_options |= PLAN_MOUNT_BIND | (is_type(job, "rbind") ? PLAN_MOUNT_RECURSIVE : 0);
	if (mount->uid_mappings_count != 0 || mount->gid_mappings_count != 0)
		job->settings.plan_options |= PLAN_MOUNT_IDMAP;
}

/* config.md leaves mounts on procfs open; runc refuses them, since programs trust what is below /proc. */
static int check_proc(struct job *job, struct error *err)
{
	const char *path = job->destination;
	struct statfs status;

	if (strncmp(path, "/proc", 5) != 0 || (path[5] != '\0' && path[5] != '/'))
		return 0;
	job->settings.plan_options |= PLAN_MOUNT_PROC_ENTRY;
	if (path[5] == '\0') {
		job->settings.plan_options |= PLAN_MOUNT_REAL_DIRECTORY;
		if (is_type(job, "proc") && !is_bind(job))
			return 0;
		if (is_bind(job) && statfs(job->source, &status) == 0 && status.f_type == PROC_SUPER_MAGIC)
			return 0;
		return error_set(err, EPERM, "\"%s\" cannot be mounted because it is not of type proc", path);
	}
	for (size_t i = 0; i < ARRAY_SIZE(proc_entries); i++)
		if (strcmp(path, proc_entries[i]) == 0)
			return 0;
	return error_set(err, EPERM, "\"%s\" cannot be mounted because it is inside /proc", path);
}

static bool has_mount_namespace(const struct oci_config *config)
{
	for (size_t i = 0; i < config->linux_.namespaces_count; i++)
		if (config->linux_.namespaces[i].type == CLONE_NEWNS)
			return true;
	return false;
}

static int check(const struct planner *planner, const struct job *job, struct error *err)
{
	uint32_t options = job->settings.plan_options;

	/* The end of the container unmounts one mount there. */
	if (strcmp(job->destination, "/") == 0 && (options & PLAN_MOUNT_REMOUNT) == 0 &&
	    !has_mount_namespace(planner->config))
		return error_set(err, EINVAL, "a mount on / needs a mount namespace of the container's own");

	if ((options & PLAN_MOUNT_IDMAP) != 0 && !is_bind(job))
		return error_set(err, EINVAL, "idmapped mounts are bind mounts: option bind or rbind is missing");
	if ((options & PLAN_MOUNT_TMPCOPYUP) != 0 && (!is_type(job, "tmpfs") || is_bind(job)))
		return error_set(err, EINVAL, "option tmpcopyup is for mounts of type tmpfs");
	if ((options & PLAN_MOUNT_TMPCOPYUP) != 0 && strcmp(job->destination, "/") == 0)
		return error_set(err, EINVAL, "option tmpcopyup is not possible on /");
	if (job->settings.copy_symlink && (options & (PLAN_MOUNT_SRC_NOFOLLOW | PLAN_MOUNT_DEST_NOFOLLOW)) != 0)
		return error_set(err, EINVAL, "option copy-symlink excludes src-nofollow and dest-nofollow");
	if (is_bind(job) && job->source == NULL && (options & PLAN_MOUNT_REMOUNT) == 0)
		return error_set(err, EINVAL, "a bind mount needs a source");
	if (!is_bind(job) && (options & PLAN_MOUNT_REMOUNT) == 0 && (job->type == NULL || job->type[0] == '\0'))
		return error_set(err, EINVAL, "neither a type nor the option bind or rbind is given");
	return 0;
}

/* crun's copy-symlink: a source that is a link becomes a link with the same text. */
static int copy_symlink(struct planner *planner, struct job *job, struct error *err)
{
	char text[PATH_MAX];

	ssize_t length = readlink(job->source, text, sizeof text - 1);
	if (length < 0 && errno == EINVAL)
		return 0;
	if (length < 0)
		return error_errno(err, errno, "read the link %s", job->source);
	job->source = arena_strndup(planner->arena, text, (size_t)length);
	job->settings.plan_options = PLAN_MOUNT_SYMLINK;
	return 0;
}

static int open_source(struct planner *planner, struct job *job, struct error *err)
{
	uint32_t options = job->settings.plan_options;
	unsigned int flags = SL_OPEN_TREE_CLONE | SL_OPEN_TREE_CLOEXEC;

	if ((options & PLAN_MOUNT_RECURSIVE) != 0)
		flags |= SL_AT_RECURSIVE;
	if ((options & PLAN_MOUNT_SRC_NOFOLLOW) != 0)
		flags |= AT_SYMLINK_NOFOLLOW;
	CLEANUP_CLOSE int fd = sl_open_tree(AT_FDCWD, job->source, flags);
	if (fd < 0)
		return error_errno(err, errno, "open %s%s", job->source,
				   errno == EINVAL && (options & PLAN_MOUNT_RECURSIVE) == 0
				       ? " (it may have locked mounts below it: use rbind)"
				       : "");
	if ((options & PLAN_MOUNT_IDMAP) != 0) {
		int result = idmap_apply(&planner->idmaps, fd, (options & PLAN_MOUNT_IDMAP_RECURSIVE) != 0,
					 planner->config, job->mount, job->settings.idmap, err);
		if (result < 0)
			return result;
	}
	job->source_fd = take_fd(&fd);
	return 0;
}

static int bind_source(struct planner *planner, struct job *job, struct error *err)
{
	uint32_t *options = &job->settings.plan_options;
	struct stat status;
	int result = 0;

	if (job->settings.copy_symlink)
		result = copy_symlink(planner, job, err);
	if (result < 0 || (*options & PLAN_MOUNT_SYMLINK) != 0)
		return result;
	if ((*options & PLAN_MOUNT_SRC_NOFOLLOW) != 0 ? lstat(job->source, &status) : stat(job->source, &status))
		return error_errno(err, errno, "bind source path %s", job->source);
	if (!S_ISDIR(status.st_mode))
		*options |= PLAN_MOUNT_SOURCE_IS_FILE;
	if ((*options & PLAN_MOUNT_IDMAP) != 0 || (planner->options->user_namespace && planner->options->privileged))
		return open_source(planner, job, err);
	return 0;
}

static bool has_mode(const char *data)
{
	for (; data != NULL; data = strchr(data, ',')) {
		data += *data == ',';
		if (strncmp(data, "mode=", 5) == 0)
			return true;
	}
	return false;
}

static void file_system(struct planner *planner, struct job *job)
{
	struct mount_settings *settings = &job->settings;
	bool kernel_made = is_type(job, "proc") || is_type(job, "sysfs");

	if (is_type(job, "cgroup") || is_type(job, "cgroup2"))
		settings->plan_options |= PLAN_MOUNT_CGROUP;
	if (kernel_made)
		settings->plan_options |= PLAN_MOUNT_REAL_DIRECTORY;
	if (is_type(job, "sysfs") && planner->options->user_namespace && (settings->flags & MS_RDONLY) != 0)
		settings->plan_options |= PLAN_MOUNT_SYSFS_FALLBACK;
	if (is_type(job, "tmpfs")) {
		if (!has_mode(settings->data))
			settings->plan_options |= PLAN_MOUNT_INHERIT_MODE;
		/* Others are mounted, devices made and files copied below it first. */
		if ((settings->flags & MS_RDONLY) != 0)
			settings->plan_options |= PLAN_MOUNT_READONLY_LATER;
	}
	/* procfs and sysfs refuse the option, cgroup2 is the host's file system (sandbox/cgroup/mount.c labels what it
	 * adds), mqueue is labelled by attribute (launcher). */
	if (planner->label_option != NULL && !kernel_made && !is_type(job, "mqueue") &&
	    (settings->plan_options & (PLAN_MOUNT_REMOUNT | PLAN_MOUNT_CGROUP)) == 0)
		settings->data = settings->data == NULL
				     ? planner->label_option
				     : arena_printf(planner->arena, "%s,%s", settings->data, planner->label_option);
}

static int plan_one(struct planner *planner, const struct oci_mount *mount, struct plan_mount *entry, struct error *err)
{
	struct job job = {.mount = mount, .source = mount->source, .type = mount->type, .source_fd = -1};

	if (mount->destination == NULL || mount->destination[0] == '\0')
		return error_set(err, EINVAL, "the destination is missing");
	job.destination = mounts_clean_path(planner->arena, mount->destination);
	read_options(planner, &job);
	if (is_bind(&job) && job.source != NULL)
		job.source = absolute(planner, job.source);
	int result = check(planner, &job, err);
	if (result == 0)
		result = check_proc(&job, err);
	if (result == 0 && (job.settings.plan_options & PLAN_MOUNT_REMOUNT) == 0 && is_bind(&job))
		result = bind_source(planner, &job, err);
	if (result < 0)
		return result;
	if (!is_bind(&job))
		file_system(planner, &job);
	const struct mount_settings *settings = &job.settings;
	/* mount(2) copies a page of data and drops the rest. */
	if (settings->data != NULL && strlen(settings->data) >= (size_t)sysconf(_SC_PAGESIZE))
		return error_set(err, E2BIG, "the options for the file system are too long for a page of memory");
	*entry = (struct plan_mount){
	    .destination = plan_add_string(planner->builder, job.destination),
	    .type = plan_add_string(planner->builder, job.type),
	    .source = plan_add_string(planner->builder, job.source != NULL ? job.source : job.type),
	    .data = plan_add_string(planner->builder, settings->data),
	    .flags = settings->flags,
	    .clear_flags = settings->clear_flags,
	    .recursive_set = settings->recursive_set,
	    .recursive_clear = settings->recursive_clear,
	    .propagation = plan_add_array(planner->builder, settings->propagation, settings->propagation_count,
					  sizeof *settings->propagation),
	    .options = settings->plan_options,
	    .source_fd = job.source_fd < 0 ? -1 : plan_add_fd(planner->builder, job.source_fd),
	};
	return 0;
}

static int plan_mounts(struct planner *planner, struct error *err)
{
	const struct oci_config *config = planner->config;
	struct plan_mount *entries = arena_array(planner->arena, config->mounts_count + 1, sizeof *entries);

	for (size_t i = 0; i < config->mounts_count; i++)
		if (plan_one(planner, &config->mounts[i], &entries[i], err) < 0) {
			const char *destination = config->mounts[i].destination;
			return error_wrap(err, "mounts[%zu] (destination \"%s\")", i,
					  destination == NULL ? "" : destination);
		}
	planner->builder->plan.mounts =
	    plan_add_array(planner->builder, entries, config->mounts_count, sizeof *entries);
	return 0;
}

/* The canonical path: hooks and the state show it, and --no-pivot compares it with mount points. */
static int plan_root(struct planner *planner, struct error *err)
{
	struct plan *plan = &planner->builder->plan;
	const struct oci_root *root = planner->config->root;
	char link[64], path[PATH_MAX];

	if (root == NULL || root->path == NULL || root->path[0] == '\0')
		return error_set(err, EINVAL, "root.path is missing in config.json");
	const char *given = absolute(planner, root->path);
	CLEANUP_CLOSE int fd = open(given, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return error_errno(err, errno, "rootfs (%s)%s", given, errno == ENOENT ? " does not exist" : "");
	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	ssize_t length = readlink(link, path, sizeof path);
	if (length < 0 || (size_t)length == sizeof path)
		return error_errno(err, length < 0 ? errno : ENAMETOOLONG, "find the path of the rootfs %s", given);
	path[length] = '\0';
	plan->rootfs = plan_add_string(planner->builder, path);
	if (root->readonly)
		plan->flags |= PLAN_ROOT_READONLY;
	if (planner->options->user_namespace && planner->options->privileged) {
		int tree =
		    sl_open_tree(fd, "", AT_EMPTY_PATH | SL_AT_RECURSIVE | SL_OPEN_TREE_CLONE | SL_OPEN_TREE_CLOEXEC);
		if (tree < 0)
			return error_errno(err, errno, "open the rootfs %s as a mount", path);
		plan->rootfs_fd = plan_add_fd(planner->builder, tree);
	}
	return 0;
}

static int plan_paths(struct planner *planner, const char *field, const char **paths, size_t count,
		      struct plan_array *array, struct error *err)
{
	const char **clean = arena_array(planner->arena, count + 1, sizeof *clean);

	for (size_t i = 0; i < count; i++) {
		if (paths[i] == NULL || paths[i][0] != '/')
			return error_set(err, EINVAL, "linux.%s[%zu]: \"%s\" is not an absolute path", field, i,
					 paths[i] == NULL ? "" : paths[i]);
		clean[i] = mounts_clean_path(planner->arena, paths[i]);
	}
	*array = plan_add_strings(planner->builder, clean, count);
	return 0;
}

/* config-linux.md "mountLabel". Without SELinux a label has no meaning and no mount takes the option. */
static int plan_label(struct planner *planner, struct error *err)
{
	static const char *const words[] = {"context", "fscontext", "defcontext", "rootcontext"};
	const char *label = planner->config->linux_.mount_label, *word = words[0];
	struct statfs status;

	if (label == NULL || label[0] == '\0')
		return 0;
	if (statfs("/sys/fs/selinux", &status) < 0 || (uint32_t)status.f_type != SELINUX_MAGIC) {
		if (planner->options->note != NULL)
			planner->options->note(
			    planner->options->context,
			    "linux.mountLabel: has no effect, since the kernel runs without SELinux");
		return 0;
	}
	if (strchr(label, '"') != NULL)
		return error_set(err, EINVAL, "linux.mountLabel: a label has no quotation marks: %s", label);
	for (size_t i = 0; i < planner->config->annotations_count; i++)
		if (strcmp(planner->config->annotations[i].key, "run.oci.mount_context_type") == 0)
			word = planner->config->annotations[i].value;
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (strcmp(word, words[i]) == 0) {
			planner->label_option = arena_printf(planner->arena, "%s=\"%s\"", word, label);
			planner->builder->plan.mount_label = plan_add_string(planner->builder, label);
			return 0;
		}
	return error_set(err, EINVAL,
			 "annotation run.oci.mount_context_type: \"%s\" is none of context, fscontext, defcontext, "
			 "rootcontext",
			 word);
}

int mounts_plan(struct plan_builder *builder, const struct oci_config *config,
		const struct mounts_plan_options *options, struct error *err)
{
	CLEANUP_ARENA struct arena arena = {0};
	struct planner planner = {.builder = builder, .config = config, .options = options, .arena = &arena};
	const struct oci_linux *linux_ = &config->linux_;

	builder->plan.rootfs_propagation = linux_->rootfs_propagation;
	int result = plan_root(&planner, err);
	if (result == 0)
		result = plan_label(&planner, err);
	if (result == 0)
		result = plan_mounts(&planner, err);
	if (result == 0)
		result = plan_paths(&planner, "maskedPaths", linux_->masked_paths, linux_->masked_paths_count,
				    &builder->plan.masked_paths, err);
	if (result == 0)
		result = plan_paths(&planner, "readonlyPaths", linux_->readonly_paths, linux_->readonly_paths_count,
				    &builder->plan.readonly_paths, err);
	idmap_cache_free(&planner.idmaps);
	return result;
}
