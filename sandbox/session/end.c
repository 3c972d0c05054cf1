/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/session/end.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "sandbox/common/cleanup.h"
#include "sandbox/common/file.h"
#include "sandbox/common/number.h"
#include "sandbox/common/syscalls.h"

/* The reaper, the main process and a joiner are all the children that a supervisor has. */
#define CHILDREN_MAX 16

struct children {
	int pidfds[CHILDREN_MAX];
	size_t count;
};

static bool has_ended(int pidfd, int timeout_ms)
{
	struct pollfd poll_fd = {.fd = pidfd, .events = POLLIN};
	int ready;

	while ((ready = poll(&poll_fd, 1, timeout_ms)) < 0 && errno == EINTR)
		;
	return ready > 0;
}

/* They can only be awaited if their pidfds are opened before the supervisor ends. A number that is listed before and
 * after its pidfd was opened is a child's. */
static void open_children(int supervisor, pid_t pid, struct children *children)
{
	char path[64], before[1024], words[1024], after[1024];
	char *position = words;
	int number;

	snprintf(path, sizeof path, "/proc/%d/task/%d/children", pid, pid);
	if (file_read_at(-1, path, before, sizeof before) <= 0)
		return;
	memcpy(words, before, sizeof words);
	for (char *word = strtok_r(words, " \n", &position); word != NULL && children->count < CHILDREN_MAX;
	     word = strtok_r(NULL, " \n", &position)) {
		int pidfd = number_parse_int(word, 1, INT32_MAX, &number) < 0 ? -1 : sl_pidfd_open(number, 0);
		if (pidfd >= 0)
			children->pidfds[children->count++] = pidfd;
	}
	if (file_read_at(-1, path, after, sizeof after) > 0 && strcmp(before, after) == 0 && !has_ended(supervisor, 0))
		return;
	while (children->count > 0)
		close(children->pidfds[--children->count]);
}

static int await_children(struct children *children, struct error *err)
{
	size_t left = 0;

	for (size_t i = 0; i < children->count; i++) {
		if (!has_ended(children->pidfds[i], left == 0 ? SESSION_ANSWER_TIMEOUT_MS : 0))
			left++;
		close(children->pidfds[i]);
	}
	children->count = 0;
	if (left == 0)
		return 0;
	return error_set(err, EBUSY, "the supervisor is dead, but %zu of its children and what belongs to them are not",
			 left);
}

static int clear(const struct session_place *place, const char *id, struct error *err)
{
	int rc = session_place_clear_stale(place, id, err);

	/* Somebody has made a new session, which began with clearing. */
	if (rc != -ENOENT && rc != -EADDRINUSE)
		return rc;
	error_clear(err);
	return 0;
}

int session_end(const struct session_place *place, const char *id, struct session_client *client, struct error *err)
{
	struct children children = {.count = 0};

	if (client->peer.pidfd >= 0)
		open_children(client->peer.pidfd, client->peer.pid, &children);
	int rc = session_kill_supervisor(client, err);
	if (rc == 0)
		rc = clear(place, id, err);
	struct error later = {0};
	int awaited = await_children(&children, &later);
	if (rc == 0 && awaited < 0)
		*err = later;
	return rc < 0 ? rc : awaited;
}

int session_await_end(const struct session_place *place, const char *id, struct session_client *client,
		      struct error *err)
{
	if (client->peer.pidfd >= 0 && !has_ended(client->peer.pidfd, SESSION_ANSWER_TIMEOUT_MS))
		return error_set(err, EBUSY,
				 "the supervisor of container \"%s\" (process %d) closed the connection without an "
				 "answer, but lives",
				 id, client->peer.pid);
	return clear(place, id, err);
}
