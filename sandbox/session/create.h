/* SPDX-License-Identifier: Apache-2.0 */
/* Making a session: supervisor, namespaces, launcher, hooks, until it is `created`. */
#ifndef SANDLOCK_SESSION_CREATE_H
#define SANDLOCK_SESSION_CREATE_H

#include <stdbool.h>
#include <sys/types.h>

#include "sandbox/common/error.h"
#include "sandbox/plan_builder.h"
#include "sandbox/session/client.h"
#include "sandbox/session/place.h"
#include "spec/config.h"

struct cgroup;

/* What to create. Nothing is owned. */
struct session_order {
	const struct session_place *place;
	const char *id;
	const struct oci_config *config;
	const struct plan_builder *builder; /* the plan and the descriptors beside it */
	int plan_fd;                        /* the sealed plan */
	const struct plan *plan;            /* the same, mapped */
	struct cgroup *cgroup;              /* NULL: none */
	const char *record;                 /* JSON, for `state` and for the disk */
	size_t record_length;
	unsigned int preserve_fds;
	int listen_fds;                                   /* -1: none */
	int console_socket;                               /* connected, -1: none */
	int owner_pidfd;                                  /* -1: none */
	void (*warn)(void *context, const char *message); /* about hooks that fail after the fact */
	void *warn_context;
	bool own_main; /* the supervisor shall be the main process's parent (foreground run) */
};

/* A session that was created. */
struct session_created {
	struct session_client supervisor; /* the creator's connection: good for further requests */
	pid_t main_pid;
	int main_pidfd;
	int notify_socket; /* the container's end of NOTIFY_SOCKET; -1: none */
};

/* Creates the session. On failure everything is gone again. */
int session_create(const struct session_order *order, struct session_created *created, struct error *err);
void session_created_close(struct session_created *created);

#endif
