/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/cgroup/oom.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "sandbox/common/cleanup.h"
#include "sandbox/common/file.h"
#include "sandbox/common/number.h"

/* The number behind `key` in "key number" lines. */
static bool keyed_number(const char *text, const char *key, uint64_t *value)
{
	size_t length = strlen(key);

	for (const char *line = text; *line != '\0';) {
		size_t line_length = strcspn(line, "\n");
		if (line_length > length && strncmp(line, key, length) == 0 && line[length] == ' ') {
			char number[32];
			snprintf(number, sizeof number, "%.*s", (int)(line_length - length - 1), line + length + 1);
			return number_parse_u64(number, 0, UINT64_MAX, value) == 0;
		}
		line += line_length;
		line += *line == '\n';
	}
	return false;
}

/* The directory of the memory controller, or -1. */
static int open_memory(const struct cgroup_path *paths, size_t count, bool *v2)
{
	for (size_t i = 0; i < count; i++) {
		if (!cgroup_path_has(&paths[i], "memory"))
			continue;
		*v2 = false;
		return open(paths[i].path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	}
	for (size_t i = 0; i < count; i++) {
		if (!cgroup_path_is_v2(&paths[i]))
			continue;
		*v2 = true;
		return open(paths[i].path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	}
	errno = ENODEV;
	return -1;
}

/* v1: an eventfd that is registered with oom_control. It is also signalled when the cgroup is removed. */
static int watch_v1(struct cgroup_oom *oom, struct error *err)
{
	char line[64];

	oom->events = openat(oom->directory, "memory.oom_control", O_RDONLY | O_CLOEXEC);
	if (oom->events < 0)
		return error_errno(err, errno, "cannot watch the cgroup for out of memory: memory.oom_control");
	oom->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (oom->fd < 0)
		return error_errno(err, errno, "cannot watch the cgroup for out of memory");
	snprintf(line, sizeof line, "%d %d", oom->fd, oom->events);
	int rc = file_write_at(oom->directory, "cgroup.event_control", line);
	return rc < 0 ? error_errno(err, -rc, "cannot watch the cgroup for out of memory: cgroup.event_control") : 0;
}

static int read_v2_count(const struct cgroup_oom *oom, uint64_t *count)
{
	char text[512];
	ssize_t length = pread(oom->events, text, sizeof text - 1, 0);

	if (length < 0)
		return -errno;
	text[length] = '\0';
	/* "oom" counts failed allocations that no killing preceded; engines want to hear of the killing. */
	return keyed_number(text, "oom_kill", count) ? 0 : -ENODATA;
}

/* v2: the kernel "modifies" the file. It never deletes it for inotify, so cgroup.events tells of the end. */
static int watch_v2(struct cgroup_oom *oom, struct error *err)
{
	char path[64];

	oom->events = openat(oom->directory, "memory.events", O_RDONLY | O_CLOEXEC);
	if (oom->events < 0)
		return error_errno(err, errno == ENOENT ? ENODEV : errno,
				   "cannot watch the cgroup for out of memory: memory.events");
	oom->fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	if (oom->fd < 0)
		return error_errno(err, errno, "cannot watch the cgroup for out of memory");
	snprintf(path, sizeof path, "/proc/self/fd/%d", oom->events);
	int watch = inotify_add_watch(oom->fd, path, IN_MODIFY);
	snprintf(path, sizeof path, "/proc/self/fd/%d/cgroup.events", oom->directory);
	if (watch >= 0)
		oom->end_watch = inotify_add_watch(oom->fd, path, IN_MODIFY);
	if (watch < 0 || oom->end_watch < 0)
		return error_errno(err, errno, "cannot watch the cgroup for out of memory");
	int rc = read_v2_count(oom, &oom->count);
	return rc < 0 ? error_errno(err, -rc, "cannot read memory.events") : 0;
}

int cgroup_oom_watch(const struct cgroup_path *paths, size_t count, struct cgroup_oom *oom, struct error *err)
{
	*oom = (struct cgroup_oom)CGROUP_OOM_NONE;
	oom->directory = open_memory(paths, count, &oom->v2);
	if (oom->directory < 0)
		return error_errno(err, errno, "cannot watch the container's memory cgroup");
	int rc = oom->v2 ? watch_v2(oom, err) : watch_v1(oom, err);
	if (rc < 0)
		cgroup_oom_close(oom);
	return rc;
}

static int read_v1(struct cgroup_oom *oom)
{
	uint64_t value;
	char text[256];

	if (read(oom->fd, &value, sizeof value) != sizeof value)
		return errno == EAGAIN || errno == EINTR ? 0 : -errno;
	/* A cgroup that is removed signals too. */
	return file_read_at(oom->directory, "memory.oom_control", text, sizeof text) < 0 ? -ENODEV : 1;
}

/* One notice at a time: what happens after the files were read makes another. The kernel holds those of memory.events
 * back, so that the one of the last process's end can come first; the numbers are right at once. */
static int read_v2(struct cgroup_oom *oom)
{
	struct inotify_event event;
	char text[128];
	uint64_t count = oom->count;
	uint64_t populated = 1;

	if (read(oom->fd, &event, sizeof event) != sizeof event)
		return errno == EAGAIN || errno == EINTR ? 0 : -errno;
	bool ended = file_read_at(oom->directory, "cgroup.events", text, sizeof text) < 0 ||
		     (keyed_number(text, "populated", &populated) && populated == 0);
	if (read_v2_count(oom, &count) < 0)
		return -ENODEV;
	if (count <= oom->count)
		return ended ? -ENODEV : 0;
	oom->count = count;
	/* The end is told by the next call; the removal of a watch is a notice, too. */
	if (ended)
		inotify_rm_watch(oom->fd, oom->end_watch);
	return 1;
}

int cgroup_oom_read(struct cgroup_oom *oom)
{
	return oom->v2 ? read_v2(oom) : read_v1(oom);
}

bool cgroup_oom_pending(struct cgroup_oom *oom)
{
	uint64_t count = 0;

	return oom->v2 ? read_v2_count(oom, &count) == 0 && count > oom->count : read_v1(oom) > 0;
}

void cgroup_oom_close(struct cgroup_oom *oom)
{
	int *const fds[] = {&oom->fd, &oom->events, &oom->directory};

	for (size_t i = 0; i < ARRAY_SIZE(fds); i++) {
		if (*fds[i] >= 0)
			close(*fds[i]);
		*fds[i] = -1;
	}
}

uint64_t cgroup_oom_killed(const struct cgroup_path *paths, size_t count)
{
	bool v2 = false;
	CLEANUP_CLOSE int directory = open_memory(paths, count, &v2);
	uint64_t killed = 0;
	char text[512];

	/* v1 counts since Linux 4.13, and for the cgroup alone. */
	if (directory >= 0 &&
	    file_read_at(directory, v2 ? "memory.events" : "memory.oom_control", text, sizeof text) > 0)
		(void)keyed_number(text, "oom_kill", &killed);
	return killed;
}
