/* SPDX-License-Identifier: Apache-2.0 */
/* NOTIFY_SOCKET (sd_notify(3)): from a process in the container to the service manager that called us.
 *
 * The manager looks at who sends, so the container can't have its socket: it gets one of its own on /run/notify, made
 * by the launcher, and somebody outside passes on what arrives there. A foreground run does that itself, being the
 * service's main process; so does `run --detach` until the service is ready, with MAINPID beside READY. Otherwise it
 * is the supervisor (a unit then needs NotifyAccess=all): neither create nor start waits for anything.
 *
 * The variable is easily inherited by accident, from an engine's own service. So nothing here makes a container fail.
 */
#ifndef SANDLOCK_SESSION_NOTIFY_H
#define SANDLOCK_SESSION_NOTIFY_H

#include <poll.h>
#include <stdbool.h>
#include <sys/types.h>

#include "sandbox/common/error.h"

struct arena;
struct launch;
struct oci_config;

#define NOTIFY_DIRECTORY "/run/notify"
#define NOTIFY_SOCKET_NAME "notify.sock"
#define NOTIFY_VARIABLE "NOTIFY_SOCKET"

/* The two ends; owned, -1 when absent. */
struct notify {
	int inside;     /* receives what the container sends */
	int manager;    /* connected to the service manager */
	pid_t main_pid; /* not 0: is told with READY=1 */
	bool ready;     /* READY=1 was passed on */
	bool blocked;   /* the manager's queue is full: wait for it, not for the container */
};

#define NOTIFY_NONE                         \
	{                                   \
		.inside = -1, .manager = -1 \
	}

/* Program: whether the container is to have a socket, which is so if the caller has one and config.json does not deal
 * with it on its own. Then the variable is added to config->process->env and a descriptor returned that is connected
 * to the manager. Returns -1 otherwise; `reason` then says why if a socket was given but can't be used, else "". */
int notify_plan(struct arena *arena, struct oci_config *config, struct error *reason);

/* Launcher, after the container's mounts: makes the container's socket. Returns a descriptor. */
int notify_socket_make(const struct launch *launch, struct error *err);

/* What to poll; fd is -1 when there is nothing. */
struct pollfd notify_poll(const struct notify *notify);

/* Passes on what has arrived, the lines that a service may say about itself. Does not block. */
void notify_forward(struct notify *notify);

void notify_close(struct notify *notify);

#define CLEANUP_NOTIFY __attribute__((cleanup(notify_close)))

#endif
