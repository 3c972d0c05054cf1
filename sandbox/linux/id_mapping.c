/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/linux/id_mapping.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "sandbox/common/arena.h"
#include "sandbox/common/cleanup.h"
#include "sandbox/common/file.h"

/* user_namespaces(7), since Linux 4.15 */
#define MAPPINGS_MAXIMUM 340

/* One of the two maps. */
struct map {
	pid_t pid;
	const char *file;    /* "uid_map" */
	const char *field;   /* "linux.uidMappings" */
	const char *program; /* "newuidmap" */
	const char *ranges;  /* "/etc/subuid" */
	uint32_t own;        /* the caller's id */
	const struct oci_id_mapping *items;
	size_t count;
};

static int write_proc(pid_t pid, const char *file, const char *text)
{
	char path[64];

	snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, file);
	return file_write_at(AT_FDCWD, path, text);
}

/* What the kernel would answer with a bare EINVAL. */
static int check(const struct map *map, struct error *err)
{
	if (map->count == 0)
		return error_set(err, EINVAL, "%s is empty: a user namespace needs a mapping", map->field);
	if (map->count > MAPPINGS_MAXIMUM)
		return error_set(err, EINVAL, "%s has %zu entries: the kernel takes %d at most", map->field, map->count,
				 MAPPINGS_MAXIMUM);
	for (size_t i = 0; i < map->count; i++) {
		const struct oci_id_mapping *item = &map->items[i];
		if (item->size == 0)
			return error_set(err, EINVAL, "%s[%zu].size is 0", map->field, i);
		if (item->size > UINT32_MAX - item->container_id || item->size > UINT32_MAX - item->host_id)
			return error_set(err, EINVAL, "%s[%zu] goes beyond the highest id", map->field, i);
		for (size_t j = 0; j < i; j++) {
			const struct oci_id_mapping *other = &map->items[j];
			if ((item->container_id < other->container_id + other->size &&
			     other->container_id < item->container_id + item->size) ||
			    (item->host_id < other->host_id + other->size &&
			     other->host_id < item->host_id + item->size))
				return error_set(err, EINVAL, "%s[%zu] and %s[%zu] overlap", map->field, j, map->field,
						 i);
		}
	}
	return 0;
}

static int write_directly(const struct map *map)
{
	struct arena arena CLEANUP_ARENA = {0};
	size_t size = map->count * 36 + 1, length = 0;
	char *text = arena_alloc(&arena, size);

	for (size_t i = 0; i < map->count; i++)
		length += (size_t)snprintf(text + length, size - length, "%" PRIu32 " %" PRIu32 " %" PRIu32 "\n",
					   map->items[i].container_id, map->items[i].host_id, map->items[i].size);
	/* kernel/user_namespace.c, map_write: less than a page. */
	return length >= (size_t)sysconf(_SC_PAGESIZE) ? -E2BIG : write_proc(map->pid, map->file, text);
}

/* Searches PATH, then /usr/bin: engines call runtimes without a PATH. */
static const char *find_program(struct arena *arena, const char *name)
{
	const char *search = getenv("PATH");

	search = arena_printf(arena, "%s:/usr/bin:/bin:/usr/local/bin", search != NULL ? search : "");
	for (const char *next = search;; next++) {
		size_t length = strcspn(next, ":");
		if (length > 0 && next[0] == '/') {
			const char *path = arena_printf(arena, "%.*s/%s", (int)length, next, name);
			struct stat status;
			if (stat(path, &status) == 0 && S_ISREG(status.st_mode) && access(path, X_OK) == 0)
				return path;
		}
		next += length;
		if (*next == '\0')
			return NULL;
	}
}

static char **program_arguments(struct arena *arena, const struct map *map)
{
	char **arguments = arena_array(arena, map->count * 3 + 3, sizeof *arguments);
	size_t count = 0;

	arguments[count++] = arena_strdup(arena, map->program);
	arguments[count++] = arena_printf(arena, "%d", (int)map->pid);
	for (size_t i = 0; i < map->count; i++) {
		arguments[count++] = arena_printf(arena, "%" PRIu32, map->items[i].container_id);
		arguments[count++] = arena_printf(arena, "%" PRIu32, map->items[i].host_id);
		arguments[count++] = arena_printf(arena, "%" PRIu32, map->items[i].size);
	}
	return arguments;
}

/* Reads to the end, keeping the beginning. */
static void read_output(int fd, char *text, size_t size)
{
	char rest[512] = "";
	size_t length = 0;

	for (;;) {
		bool full = length + 1 >= size;
		ssize_t count = read(fd, full ? rest : text + length, full ? sizeof rest : size - 1 - length);
		if (count < 0 && errno == EINTR)
			continue;
		if (count <= 0)
			break;
		if (!full)
			length += (size_t)count;
	}
	while (length > 0 && (text[length - 1] == '\n' || text[length - 1] == ' '))
		length--;
	text[length] = '\0';
}

static int run_program(const struct map *map, struct error *err)
{
	struct arena arena CLEANUP_ARENA = {0};
	const char *path = find_program(&arena, map->program);
	char **arguments = program_arguments(&arena, map);
	static char *const no_environment[] = {NULL};
	char output[512];
	int ends[2], status;

	if (path == NULL)
		return error_set(err, EPERM,
				 "write %s: operation not permitted: the caller may not map these ids itself, and %s "
				 "(package uidmap "
				 "or shadow-utils) is not installed",
				 map->field, map->program);
	if (pipe2(ends, O_CLOEXEC) < 0)
		return error_errno(err, errno, "run %s", path);
	pid_t pid = fork();
	if (pid < 0) {
		close(ends[0]);
		close(ends[1]);
		return error_errno(err, errno, "run %s", path);
	}
	if (pid == 0) {
		if (dup2(ends[1], 1) >= 0 && dup2(ends[1], 2) >= 0 && file_close_from(3) == 0)
			execve(path, arguments, no_environment);
		_exit(127);
	}
	close(ends[1]);
	read_output(ends[0], output, sizeof output);
	close(ends[0]);
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return error_errno(err, errno, "wait for %s", path);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	return error_set(err, EPERM, "%s could not write %s (%s %d): %s; the caller's ranges are in %s", path,
			 map->field, WIFEXITED(status) ? "exit status" : "signal",
			 WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status), output, map->ranges);
}

/* Whether only the caller's own id is mapped, which needs no privilege. */
static bool maps_only_own(const struct map *map)
{
	return map->count == 1 && map->items[0].size == 1 && map->items[0].host_id == map->own;
}

static int write_map(const struct map *map, struct error *err)
{
	int rc = write_directly(map);

	if (rc == 0)
		return 0;
	if (rc == -EPERM && !maps_only_own(map))
		return run_program(map, err);
	if (rc == -E2BIG)
		return error_set(err, E2BIG,
				 "%s is longer than the page of text that the kernel takes: use fewer ranges",
				 map->field);
	if (rc == -EINVAL)
		return error_set(err, EINVAL,
				 "write %s: invalid argument: a host id is not mapped in the caller's user namespace",
				 map->field);
	return error_errno(err, -rc, "write %s to /proc/%d/%s", map->field, (int)map->pid, map->file);
}

int id_mappings_write(pid_t pid, const struct oci_id_mapping *uids, size_t uids_count,
		      const struct oci_id_mapping *gids, size_t gids_count, struct error *err)
{
	const struct map uid_map = {pid,       "uid_map", "linux.uidMappings", "newuidmap", "/etc/subuid",
				    geteuid(), uids,      uids_count};
	const struct map gid_map = {pid,       "gid_map", "linux.gidMappings", "newgidmap", "/etc/subgid",
				    getegid(), gids,      gids_count};

	int rc = check(&uid_map, err);
	if (rc < 0)
		return rc;
	rc = check(&gid_map, err);
	if (rc < 0)
		return rc;
	/* The group map first: it can be written without "deny" only by those who may change groups. */
	rc = write_directly(&gid_map);
	if (rc == -EPERM && maps_only_own(&gid_map)) {
		rc = write_proc(pid, "setgroups", "deny");
		if (rc < 0)
			return error_errno(err, -rc, "write deny to /proc/%d/setgroups", (int)pid);
		rc = -EPERM;
	}
	if (rc < 0) {
		rc = write_map(&gid_map, err);
		if (rc < 0)
			return rc;
	}
	return write_map(&uid_map, err);
}
