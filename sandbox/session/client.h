/* SPDX-License-Identifier: Apache-2.0 */
/* Talking to a session's supervisor. */
#ifndef SANDLOCK_SESSION_CLIENT_H
#define SANDLOCK_SESSION_CLIENT_H

#include <stdbool.h>

#include "sandbox/common/error.h"
#include "sandbox/session/place.h"
#include "sandbox/session/protocol.h"

/* How long a supervisor may take to answer what it answers at once, in milliseconds (design N6). */
#define SESSION_ANSWER_TIMEOUT_MS 10000

/* A connection to a supervisor. */
struct session_client {
	int fd;
	struct session_peer peer;
};

/* An answer: descriptors are -1 when absent. Closed with session_answer_close. */
struct session_answer {
	struct reply reply;
	int record_fd;
	int plan_fd;
	int main_pidfd;
	int reaper_pidfd;
	int init_fd;
	int namespaces[SESSION_NAMESPACES_MAX]; /* reply.namespace_fds of them */
};

/* Nothing to close. */
#define SESSION_ANSWER_NONE                                                                         \
	{                                                                                           \
		.record_fd = -1, .plan_fd = -1, .main_pidfd = -1, .reaper_pidfd = -1, .init_fd = -1 \
	}
/* Not connected. */
#define SESSION_CLIENT_NONE                      \
	{                                        \
		.fd = -1, .peer = {.pidfd = -1 } \
	}

/* Connects to the session `id`. Errors: -ENOENT "container does not exist" when nobody has the name; -EADDRINUSE when
 * the name is bound by somebody who is not a session of ours (the text has its pid and uid). */
int session_connect(const struct session_place *place, const char *id, struct session_client *client,
		    struct error *err);
void session_disconnect(struct session_client *client);

/* Sends a request and receives the answer. timeout_ms < 0 waits for ever; -ETIMEDOUT when it passed, -EPIPE when the
 * supervisor ended without an answer. An error in the answer is returned as such, with its text. */
int session_request(struct session_client *client, uint32_t operation, int32_t argument, const int *fds,
		    size_t fds_count, int timeout_ms, struct session_answer *answer, struct error *err);
void session_answer_close(struct session_answer *answer);

/* The two halves of session_request, for who has other things to do between them. */
int session_send(struct session_client *client, uint32_t operation, int32_t argument, const int *fds, size_t fds_count,
		 struct error *err);
int session_receive(struct session_client *client, int timeout_ms, struct session_answer *answer, struct error *err);

/* Kills a supervisor that does not answer, and with it the session (design N6), and waits for its end. */
int session_kill_supervisor(struct session_client *client, struct error *err);

/* "creating", "created", "running", "stopped" */
const char *session_status_name(uint32_t status);
/* "pidns", "cgroup", "groups", "none" */
const char *session_reach_name(uint32_t reach);

#define CLEANUP_SESSION_CLIENT __attribute__((cleanup(session_disconnect)))
#define CLEANUP_SESSION_ANSWER __attribute__((cleanup(session_answer_close)))

#endif
