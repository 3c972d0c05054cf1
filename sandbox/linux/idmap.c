/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/linux/idmap.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "sandbox/common/arena.h"
#include "sandbox/common/cleanup.h"
#include "sandbox/common/file.h"
#include "sandbox/common/number.h"
#include "sandbox/common/syscalls.h"

/* Maps of a user namespace have at most this many lines (Linux 4.15, UID_GID_MAP_MAX_EXTENTS). */
#define EXTENTS_MAXIMUM 340

struct mappings {
	const struct oci_id_mapping *items;
	size_t count;
};

static const char *map_text(struct arena *arena, struct mappings map)
{
	size_t size = map.count * 36 + 1, length = 0;
	char *text = arena_alloc(arena, size);

	for (size_t i = 0; i < map.count; i++)
		length += (size_t)snprintf(text + length, size - length, "%u %u %u\n", map.items[i].container_id,
					   map.items[i].host_id, map.items[i].size);
	return text;
}

static int write_map(struct arena *arena, pid_t child, const char *name, struct mappings map, struct error *err)
{
	char path[64];

	snprintf(path, sizeof path, "/proc/%d/%s", (int)child, name);
	int result = file_write_at(AT_FDCWD, path, map_text(arena, map));
	if (result < 0)
		return error_errno(err, -result, "write the %s of an idmapped mount", name);
	return 0;
}

/* A child that holds a new user namespace until its maps are written and the namespace is opened. */
static int new_user_namespace(struct mappings uids, struct mappings gids, struct error *err)
{
	CLEANUP_ARENA struct arena arena = {0};
	struct sl_clone_args args = {.flags = CLONE_NEWUSER, .exit_signal = SIGCHLD};
	char path[64];
	int fd = -1;

	pid_t child = (pid_t)sl_clone3(&args);
	if (child < 0)
		return error_errno(err, errno, "create a user namespace for an idmapped mount");
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		file_close_from(0);
		for (;;)
			pause();
	}
	int result = write_map(&arena, child, "uid_map", uids, err);
	if (result == 0)
		result = write_map(&arena, child, "gid_map", gids, err);
	if (result == 0) {
		snprintf(path, sizeof path, "/proc/%d/ns/user", (int)child);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			result = error_errno(err, errno, "open the user namespace of an idmapped mount");
	}
	kill(child, SIGKILL);
	while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
	return result < 0 ? result : fd;
}

static bool same(struct mappings a, const struct oci_id_mapping *items, size_t count)
{
	return a.count == count && memcmp(a.items, items, count * sizeof *items) == 0;
}

/* The namespace for these maps: the one of the last mount when they are equal. The cache owns it. */
static int cached_namespace(struct idmap_cache *cache, struct mappings uids, struct mappings gids, struct error *err)
{
	if (cache->fd > 0 && same(uids, cache->uids, cache->uids_count) && same(gids, cache->gids, cache->gids_count))
		return cache->fd;
	int fd = new_user_namespace(uids, gids, err);
	if (fd < 0)
		return fd;
	idmap_cache_free(cache);
	*cache = (struct idmap_cache){uids.items, gids.items, uids.count, gids.count, fd};
	return fd;
}

/* One number of crun's text, up to a '-' , '#' or the end. */
static int text_number(const char **text, uint64_t *value)
{
	size_t length = strcspn(*text, "-#");
	char number[16];

	if (length == 0 || length >= sizeof number)
		return -EINVAL;
	memcpy(number, *text, length);
	number[length] = '\0';
	*text += length;
	if (**text == '-')
		(*text)++;
	return number_parse_u64(number, 0, UINT32_MAX, value);
}

/* A mapping relative to the container's: the host id is one of the container's ids. */
static int relative_id(struct mappings container, uint64_t *id)
{
	for (size_t i = 0; i < container.count; i++) {
		const struct oci_id_mapping *map = &container.items[i];
		if (*id >= map->container_id && *id - map->container_id < map->size) {
			*id = *id - map->container_id + map->host_id;
			return 0;
		}
	}
	return -ENOENT;
}

/* "0-1-10#@10-11-10": triples of id in the file system, id of the host, count. */
static int parse_text(struct arena *arena, char *text, struct mappings container, struct mappings *map)
{
	struct oci_id_mapping *items = arena_array(arena, strlen(text) / 6 + 1, sizeof *items);
	const char *next = text;

	map->items = items;
	map->count = 0;
	while (*next != '\0') {
		uint64_t values[3];
		if (*next == '#')
			next++;
		bool relative = *next == '@';
		if (relative)
			next++;
		for (size_t i = 0; i < 3; i++)
			if (text_number(&next, &values[i]) < 0)
				return -EINVAL;
		if (relative && relative_id(container, &values[1]) < 0)
			return -ENOENT;
		if (map->count == EXTENTS_MAXIMUM)
			return -E2BIG;
		items[map->count++] =
		    (struct oci_id_mapping){(uint32_t)values[0], (uint32_t)values[1], (uint32_t)values[2]};
		if (*next != '\0' && *next != '#')
			return -EINVAL;
	}
	return map->count == 0 ? -EINVAL : 0;
}

static int text_namespace(const char *text, const struct oci_config *config, struct error *err)
{
	CLEANUP_ARENA struct arena arena = {0};
	struct mappings uids = {0}, gids = {0};
	char *copy = arena_strdup(&arena, text), *position = NULL;

	for (char *part = strtok_r(copy, ";", &position); part != NULL; part = strtok_r(NULL, ";", &position)) {
		const struct oci_linux *container = &config->linux_;
		int result = -EINVAL;
		if (strncmp(part, "uids=", 5) == 0)
			result = parse_text(&arena, part + 5,
					    (struct mappings){container->uid_mappings, container->uid_mappings_count},
					    &uids);
		else if (strncmp(part, "gids=", 5) == 0)
			result = parse_text(&arena, part + 5,
					    (struct mappings){container->gid_mappings, container->gid_mappings_count},
					    &gids);
		if (result == -ENOENT)
			return error_set(err, EINVAL,
					 "mount option \"idmap=%s\": an id after '@' is not in linux.uidMappings "
					 "or linux.gidMappings",
					 text);
		if (result < 0)
			return error_set(err, EINVAL,
					 "invalid mount option \"idmap=%s\": expected "
					 "uids=FS-HOST-COUNT[#...];gids=FS-HOST-COUNT[#...]",
					 text);
	}
	if (uids.count == 0 || gids.count == 0)
		return error_set(err, EINVAL, "mount option \"idmap=%s\" needs both uids= and gids=", text);
	return new_user_namespace(uids, gids, err);
}

static const char *user_namespace_path(const struct oci_config *config)
{
	for (size_t i = 0; i < config->linux_.namespaces_count; i++)
		if (config->linux_.namespaces[i].type == CLONE_NEWUSER)
			return config->linux_.namespaces[i].path;
	return NULL;
}

/* The namespace to map by. *owned is -1 or a descriptor to close after use. */
static int choose_namespace(struct idmap_cache *cache, const struct oci_config *config, const struct oci_mount *mount,
			    const char *text, int *owned, struct error *err)
{
	const struct oci_linux *container = &config->linux_;
	struct mappings uids = {mount->uid_mappings, mount->uid_mappings_count};
	struct mappings gids = {mount->gid_mappings, mount->gid_mappings_count};

	if (text != NULL)
		return *owned = text_namespace(text, config, err);
	if ((uids.count == 0) != (gids.count == 0))
		return error_set(err, EINVAL, "uidMappings and gidMappings of a mount must be given together");
	if (uids.count != 0)
		return cached_namespace(cache, uids, gids, err);
	const char *path = user_namespace_path(config);
	if (path != NULL) {
		*owned = open(path, O_RDONLY | O_CLOEXEC);
		if (*owned < 0)
			return error_errno(err, errno, "open the user namespace %s for an idmapped mount", path);
		return *owned;
	}
	uids = (struct mappings){container->uid_mappings, container->uid_mappings_count};
	gids = (struct mappings){container->gid_mappings, container->gid_mappings_count};
	if (uids.count == 0 || gids.count == 0)
		return error_set(err, EINVAL,
				 "option idmap without uidMappings and gidMappings needs a container with a user "
				 "namespace");
	return cached_namespace(cache, uids, gids, err);
}

int idmap_apply(struct idmap_cache *cache, int tree_fd, int recursive, const struct oci_config *config,
		const struct oci_mount *mount, const char *text, struct error *err)
{
	struct sl_mount_attr attributes = {.attr_set = SL_MOUNT_ATTR_IDMAP};
	CLEANUP_CLOSE int owned = -1;

	int fd = choose_namespace(cache, config, mount, text, &owned, err);
	if (fd < 0)
		return fd;
	attributes.userns_fd = (uint64_t)fd;
	if (sl_mount_setattr(tree_fd, "", AT_EMPTY_PATH | (recursive ? SL_AT_RECURSIVE : 0), &attributes) == 0)
		return 0;
	if (errno == ENOSYS)
		return error_set(err, ENOSYS, "idmapped mounts need Linux 5.12");
	return error_errno(err, errno, "idmap the mount%s",
			   errno == EINVAL  ? " (its file system has no idmapped mounts on this kernel, or is mapped "
					      "already)"
			   : errno == EPERM ? " (this takes CAP_SYS_ADMIN over its file system)"
					    : "");
}

void idmap_cache_free(struct idmap_cache *cache)
{
	if (cache->fd > 0)
		close(cache->fd);
	cache->fd = -1;
}
