/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/session/notify.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sandbox/common/cleanup.h"

/* A service's words about itself. The rest is about processes, descriptors and the manager's settings, which are
 * not the container's business: MAINPID, FDSTORE, NOTIFYACCESS, ... */
static const char *const allowed[] = {
    "READY=1",   "RELOADING=1", "STOPPING=1",       "STATUS=",         "ERRNO=",
    "BUSERROR=", "WATCHDOG=1",  "WATCHDOG=trigger", "MONOTONIC_USEC=", "EXTEND_TIMEOUT_USEC=",
};

enum { DATAGRAM = 4096 };

struct pollfd notify_poll(const struct notify *notify)
{
	if (notify->inside < 0 || notify->manager < 0)
		return (struct pollfd){.fd = -1};
	if (notify->blocked)
		return (struct pollfd){.fd = notify->manager, .events = POLLOUT};
	return (struct pollfd){.fd = notify->inside, .events = POLLIN};
}

static bool is_allowed(const char *line, size_t length)
{
	for (size_t i = 0; i < ARRAY_SIZE(allowed); i++) {
		size_t wanted = strlen(allowed[i]);
		bool prefix = allowed[i][wanted - 1] == '=';
		if ((prefix ? length >= wanted : length == wanted) && memcmp(line, allowed[i], wanted) == 0)
			return true;
	}
	return false;
}

/* Copies the allowed lines. Returns the length. */
static size_t filter(const char *text, size_t length, char *result, bool *ready)
{
	size_t used = 0;

	while (length > 0) {
		const char *end = memchr(text, '\n', length);
		size_t line = end == NULL ? length : (size_t)(end - text);
		if (is_allowed(text, line) && memchr(text, '\0', line) == NULL) {
			*ready |= line == strlen("READY=1") && memcmp(text, "READY=1", line) == 0;
			memcpy(result + used, text, line);
			used += line;
			result[used++] = '\n';
		}
		size_t step = end == NULL ? line : line + 1;
		text += step;
		length -= step;
	}
	return used;
}

/* Returns whether there may be more. */
static bool forward_one(struct notify *notify)
{
	char text[DATAGRAM], message[DATAGRAM + 64];
	bool ready = false;

	/* Descriptors that come along are closed by the kernel, as there is no room for them: that answers a barrier.
	 */
	ssize_t length = recv(notify->inside, text, sizeof text, MSG_DONTWAIT | MSG_PEEK);
	if (length < 0)
		return errno == EINTR;
	size_t used = filter(text, (size_t)length, message, &ready);
	if (ready && notify->main_pid > 0)
		used += (size_t)snprintf(message + used, sizeof message - used, "MAINPID=%d\n", (int)notify->main_pid);
	ssize_t sent = used == 0 ? 0 : send(notify->manager, message, used, MSG_DONTWAIT | MSG_NOSIGNAL);
	notify->blocked = sent < 0 && (errno == EAGAIN || errno == ENOBUFS);
	if (notify->blocked)
		return false;
	/* It is sent, or the manager does not want it. */
	while (recv(notify->inside, text, 1, MSG_DONTWAIT) < 0 && errno == EINTR)
		;
	notify->ready |= ready;
	return true;
}

void notify_forward(struct notify *notify)
{
	/* A container that never stops must not take all our time. */
	for (int i = 0; i < 64 && notify->inside >= 0; i++)
		if (!forward_one(notify))
			break;
}

void notify_close(struct notify *notify)
{
	cleanup_close(&notify->inside);
	cleanup_close(&notify->manager);
	*notify = (struct notify){.inside = -1, .manager = -1, .ready = notify->ready};
}
