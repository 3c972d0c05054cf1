/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/session/client.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sandbox/common/cleanup.h"
#include "sandbox/common/message.h"
#include "sandbox/common/syscalls.h"
#include "sandbox/session/peer.h"

/* How long a process that closes its sockets because it ends may take for the rest of that. */
#define CLOSING_TIME_MS 1000

int session_connect(const struct session_place *place, const char *id, struct session_client *client, struct error *err)
{
	struct session_name name;

	client->fd = -1;
	client->peer = (struct session_peer){.pidfd = -1};
	if (session_id_check(id, err) < 0)
		return -err->code;
	session_place_name(place, id, &name);
	client->fd = session_name_connect(&name);
	if (client->fd < 0) {
		int code = -client->fd;
		client->fd = -1;
		if (code == ECONNREFUSED)
			return error_set(err, ENOENT, "container \"%s\" does not exist", id);
		if (code == EPROTOTYPE)
			return error_set(err, EADDRINUSE,
					 "the name of container \"%s\" is bound by a socket that is not a session's",
					 id);
		return error_errno(err, code, "connect to container \"%s\"", id);
	}
	int rc = session_peer_get(client->fd, &client->peer);
	if (rc < 0) {
		session_disconnect(client);
		return error_errno(err, -rc, "see who answers for container \"%s\"", id);
	}
	const char *reason = session_supervisor_distrust(&client->peer);
	if (reason != NULL) {
		error_set(err, EADDRINUSE,
			  "the name of container \"%s\" is bound by process %d of user %u, which is not trusted to be "
			  "a session: %s",
			  id, client->peer.pid, client->peer.uid, reason);
		session_disconnect(client);
		return -EADDRINUSE;
	}
	return 0;
}

void session_disconnect(struct session_client *client)
{
	if (client->fd >= 0)
		close(client->fd);
	if (client->peer.pidfd >= 0)
		close(client->peer.pidfd);
	client->fd = -1;
	client->peer.pidfd = -1;
}

void session_answer_close(struct session_answer *answer)
{
	int *const fds[] = {&answer->record_fd, &answer->plan_fd, &answer->main_pidfd, &answer->reaper_pidfd,
			    &answer->init_fd};

	for (size_t i = 0; i < ARRAY_SIZE(fds); i++) {
		cleanup_close(fds[i]);
		*fds[i] = -1;
	}
	for (uint32_t i = 0; i < answer->reply.namespace_fds; i++)
		cleanup_close(&answer->namespaces[i]);
	answer->reply.namespace_fds = 0;
}

/* The connection ended without an answer. Mostly the session has; a supervisor that is out of places or descriptors
 * closes it, too. The end of a process is visible a moment after its sockets are closed. */
static int closed(const struct session_client *client, struct error *err)
{
	struct pollfd poll_fd = {.fd = client->peer.pidfd, .events = POLLIN};

	if (client->peer.pidfd < 0 || poll(&poll_fd, 1, CLOSING_TIME_MS) != 0)
		return error_set(err, EPIPE, "the session ended in this moment: container does not exist");
	return error_set(err, EPIPE,
			 "process %d, which has the session's name, closed the connection without an answer",
			 client->peer.pid);
}

int session_receive(struct session_client *client, int timeout_ms, struct session_answer *answer, struct error *err)
{
	struct pollfd poll_fd = {.fd = client->fd, .events = POLLIN};
	int ready = 1;

	*answer = (struct session_answer)SESSION_ANSWER_NONE;
	int *const targets[REPLY_FD_COUNT] = {&answer->record_fd, &answer->plan_fd, &answer->main_pidfd,
					      &answer->reaper_pidfd, &answer->init_fd};
	int fds[REPLY_FD_COUNT + SESSION_NAMESPACES_MAX];
	size_t count = 0, next = 0;

	while (timeout_ms >= 0 && (ready = poll(&poll_fd, 1, timeout_ms)) < 0 && errno == EINTR)
		;
	if (ready == 0)
		return error_set(err, ETIMEDOUT, "the session's supervisor (process %d) does not answer",
				 client->peer.pid);
	ssize_t length =
	    message_receive(client->fd, &answer->reply, sizeof answer->reply, fds, ARRAY_SIZE(fds), &count);

	if (length == 0 || length == -ECONNRESET)
		return closed(client, err);
	if (length < 0)
		return error_errno(err, (int)-length, "receive from the supervisor");
	if (length != sizeof answer->reply || answer->reply.magic != REPLY_MAGIC) {
		while (count > 0)
			close(fds[--count]);
		answer->reply.namespace_fds = 0;
		return error_set(err, EPROTO, "process %d, which has the session's name, is not a supervisor (user %u)",
				 client->peer.pid, client->peer.uid);
	}
	for (unsigned int i = 0; i < REPLY_FD_COUNT; i++)
		if ((answer->reply.fds & (1U << i)) != 0 && next < count)
			*targets[i] = fds[next++];
	uint32_t namespaces = 0;
	while (next < count && namespaces < answer->reply.namespace_fds && namespaces < SESSION_NAMESPACES_MAX)
		answer->namespaces[namespaces++] = fds[next++];
	answer->reply.namespace_fds = namespaces;
	while (next < count)
		close(fds[next++]);
	answer->reply.text[sizeof answer->reply.text - 1] = '\0';
	if (answer->reply.error != 0)
		return error_set(err, answer->reply.error, "%s", answer->reply.text);
	return 0;
}

int session_send(struct session_client *client, uint32_t operation, int32_t argument, const int *fds, size_t fds_count,
		 struct error *err)
{
	struct request request = {REQUEST_MAGIC, PROTOCOL_VERSION, operation, argument};
	int rc = message_send(client->fd, &request, sizeof request, fds, fds_count);

	if (rc == -EPIPE || rc == -ECONNRESET)
		return closed(client, err);
	return rc < 0 ? error_errno(err, -rc, "send to the supervisor") : 0;
}

int session_request(struct session_client *client, uint32_t operation, int32_t argument, const int *fds,
		    size_t fds_count, int timeout_ms, struct session_answer *answer, struct error *err)
{
	*answer = (struct session_answer)SESSION_ANSWER_NONE;
	if (session_send(client, operation, argument, fds, fds_count, err) < 0)
		return -err->code;
	return session_receive(client, timeout_ms, answer, err);
}

int session_kill_supervisor(struct session_client *client, struct error *err)
{
	struct pollfd poll_fd = {.fd = client->peer.pidfd, .events = POLLIN};

	if (client->peer.pidfd < 0)
		return 0;
	if (sl_pidfd_send_signal(client->peer.pidfd, SIGKILL) < 0 && errno != ESRCH)
		return error_errno(err, errno, "kill the supervisor (process %d)", client->peer.pid);
	if (poll(&poll_fd, 1, SESSION_ANSWER_TIMEOUT_MS) <= 0)
		return error_set(err, ETIMEDOUT, "the supervisor (process %d) does not end", client->peer.pid);
	return 0;
}

const char *session_status_name(uint32_t status)
{
	static const char *const names[] = {"creating", "created", "running", "stopped"};

	return status < ARRAY_SIZE(names) ? names[status] : "unknown";
}

const char *session_reach_name(uint32_t reach)
{
	static const char *const names[] = {"pidns", "cgroup", "groups", "none"};

	return reach < ARRAY_SIZE(names) ? names[reach] : "unknown";
}
