/* SPDX-License-Identifier: Apache-2.0 */
/* What sessions that are gone left behind, and who sits on a name. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sandbox/cgroup/kill.h"
#include "sandbox/cgroup/paths.h"
#include "sandbox/common/arena.h"
#include "sandbox/common/cleanup.h"
#include "sandbox/common/file.h"
#include "sandbox/common/number.h"
#include "sandbox/session/place.h"
#include "spec/record.h"

#define RECORD_MAX (4 * 1024 * 1024)

/* The cgroup of a session whose supervisor was killed: what is still in it dies, if it does not die already. */
static int clear_cgroups(const struct session_record *record, struct error *err)
{
	struct cgroup_path paths[CGROUP_PATHS_MAX];
	size_t count = 0;

	for (size_t i = 0; i < record->cgroups_count && count < CGROUP_PATHS_MAX; i++)
		paths[count++] = (struct cgroup_path){record->cgroups[i].key, record->cgroups[i].value};
	if (count == 0)
		return 0;
	if (cgroup_end_paths(paths, count, CGROUP_TIMEOUT_MS, err) < 0)
		return -err->code;
	return cgroup_remove_paths(paths, count, err);
}

int session_place_clear(const struct session_place *place, const char *id, struct error *err)
{
	__attribute__((cleanup(arena_free))) struct arena arena = {0};
	CLEANUP_CLOSE int directory = -1;
	CLEANUP_CLOSE int file = -1;
	CLEANUP_FREE char *text = NULL;
	struct session_record record;
	struct error ignored = {0};
	size_t length;

	if (place->directory < 0 || strlen(id) > NAME_MAX)
		return 0;
	directory = openat(place->directory, id, O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (directory < 0)
		return errno == ENOENT || !place->writable ? 0 : error_errno(err, errno, "open %s/%s", place->path, id);
	file = openat(directory, "record.json", O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	/* A record that cannot be read must not keep the id from being used. */
	if (file >= 0 && file_read_all(file, RECORD_MAX, &text, &length) == 0 &&
	    record_parse(&arena, text, length, &record, &ignored) == 0 && clear_cgroups(&record, err) < 0)
		return error_wrap(err, "clear what an earlier container \"%s\" left", id);
	if (unlinkat(directory, "record.json", 0) < 0 && errno != ENOENT)
		return error_errno(err, errno, "remove %s/%s/record.json", place->path, id);
	if (unlinkat(place->directory, id, AT_REMOVEDIR) < 0 && errno != ENOENT)
		return error_errno(err, errno, "remove %s/%s", place->path, id);
	return 0;
}

/* The inode of the socket bound to an abstract name, from /proc/net/unix. */
static bool find_socket(const struct session_name *name, unsigned long *inode)
{
	CLEANUP_FCLOSE FILE *sockets = fopen("/proc/net/unix", "re");
	char line[512], path[256];

	while (sockets != NULL && fgets(line, sizeof line, sockets) != NULL)
		if (sscanf(line, "%*s %*s %*s %*s %*s %*s %lu %255s", inode, path) == 2 && path[0] == '@' &&
		    strlen(path + 1) == name->length && memcmp(path + 1, name->bytes, name->length) == 0)
			return true;
	return false;
}

/* The first process that has this socket open. */
static bool find_process(unsigned long inode, int *found, uid_t *uid)
{
	char wanted[64], path[64], link[64];
	bool success = false;
	DIR *proc = opendir("/proc");

	snprintf(wanted, sizeof wanted, "socket:[%lu]", inode);
	for (struct dirent *process; proc != NULL && !success && (process = readdir(proc)) != NULL;) {
		int pid;
		if (number_parse_int(process->d_name, 1, INT_MAX, &pid) < 0)
			continue;
		snprintf(path, sizeof path, "/proc/%d/fd", pid);
		DIR *descriptors = opendir(path);
		struct stat status;
		for (struct dirent *entry; descriptors != NULL && !success && (entry = readdir(descriptors)) != NULL;) {
			ssize_t length = readlinkat(dirfd(descriptors), entry->d_name, link, sizeof link - 1);
			if (length <= 0)
				continue;
			link[length] = '\0';
			if (strcmp(link, wanted) != 0)
				continue;
			snprintf(path, sizeof path, "/proc/%d", pid);
			success = stat(path, &status) == 0;
			*found = pid;
			*uid = success ? status.st_uid : 0;
		}
		if (descriptors != NULL)
			closedir(descriptors);
	}
	if (proc != NULL)
		closedir(proc);
	return success;
}

int session_place_describe_holder(const struct session_place *place, const char *id, struct error *err)
{
	struct session_name name;
	unsigned long inode;
	int pid = 0;
	uid_t uid = 0;

	session_place_name(place, id, &name);
	if (find_socket(&name, &inode) && find_process(inode, &pid, &uid))
		return error_set(err, EADDRINUSE,
				 "the name of container \"%s\" is bound by process %d of user %u, which is not a "
				 "session; end it or use another id",
				 id, pid, uid);
	return error_set(err, EADDRINUSE, "the name of container \"%s\" is bound by a process that is not a session",
			 id);
}
