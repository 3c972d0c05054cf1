/* SPDX-License-Identifier: Apache-2.0 */
/* The supervisor's state, shared by its files: supervisor.c (start-up), serve.c (loop and clients),
 * settle.c (the end). */
#ifndef SANDLOCK_SESSION_SUPERVISOR_H
#define SANDLOCK_SESSION_SUPERVISOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "sandbox/plan.h"
#include "sandbox/session/exit_status.h"
#include "sandbox/session/notify.h"
#include "sandbox/session/protocol.h"

/* Each takes a descriptor: there are fewer where the limit of open files is low. */
#define SUPERVISOR_CLIENTS_MAX 1024
#define SUPERVISOR_JOBS_MAX 4096
/* What the supervisor has open beside them, at most. */
#define SUPERVISOR_DESCRIPTORS 32

/* A connected client. */
struct client {
	int fd;
	bool creator;
	bool waiting;  /* wants to know the main process's exit */
	bool starting; /* wants to know the outcome of start */
	bool deleting; /* wants to know when all is gone */
};

/* An exec'ed process: its parent is outside, so that its zombie would hold the pid namespace. */
struct job {
	int pidfd;
	bool ends_with_main;
};

/* Descriptors are -1 when absent. */
struct supervisor {
	const struct plan *plan;
	char *role; /* our word in the command line */
	int plan_fd;
	int init_fd;
	int record_fd;
	int root_dir;
	int listener;
	int self_pidfd;

	int reaper_pidfd;
	pid_t reaper_pid;
	int main_pidfd;
	pid_t main_pid;
	int signals; /* signalfd for SIGCHLD */
	int owner_pidfd;
	int creator_pidfd;
	int launcher;                           /* session socket of the parked launcher */
	int namespaces[SESSION_NAMESPACES_MAX]; /* given by path, for exec after the main process is gone */
	size_t namespaces_count;
	struct notify notify; /* passed on here unless a program does that */

	bool own_main;    /* the main process is our child */
	bool cgroup_ours; /* the program has made the plan's cgroup: before, it may be another container's */
	bool created;
	bool abandoned; /* by the creator */
	bool started;
	bool settling;
	bool reaper_dead;
	bool main_dead;          /* a zombie at least */
	bool main_killed;        /* by us */
	bool main_oom;           /* by the kernel, for lack of memory */
	bool zombie_held;        /* all is dead, but a parent outside does not reap */
	int64_t zombie_deadline; /* when such a parent is no longer waited for; 0: there is none */
	bool run_poststop;       /* nobody else will */
	bool finished;
	struct exit_status exit;
	uint64_t rootfs_mount; /* what rootfs lay on before the launcher, see finish in settle.c */

	struct client clients[SUPERVISOR_CLIENTS_MAX];
	size_t clients_count;
	size_t clients_max;
	struct job *jobs;
	size_t jobs_count;
	size_t jobs_max;
	/* descendants of the reaper that are awaited while settling */
	int dying[64];
	size_t dying_count;
};

/* serve.c: runs until the session is over. */
void supervisor_serve(struct supervisor *supervisor);
/* Fills a reply with the present state. */
void supervisor_reply(const struct supervisor *supervisor, struct reply *reply);
/* Sends a reply, with the descriptors named in reply->fds. */
void supervisor_send(const struct supervisor *supervisor, int fd, struct reply *reply);
/* OCI status */
uint32_t supervisor_status(const struct supervisor *supervisor);

/* settle.c: CLOCK_MONOTONIC in milliseconds. */
int64_t supervisor_now(void);
/* settle.c: whether the process behind a pidfd has ended; true for -1. */
bool supervisor_is_dead(int pidfd);
/* settle.c: the id of the mount that rootfs is on, which is another once the container's root is mounted there; 0 where
 * that is in a mount namespace of the container's. */
uint64_t supervisor_rootfs_mount(const struct plan *plan);
/* settle.c: the shutdown. begin kills every job; progress looks whether all are gone and, once they are, clears
 * cgroup and record and gives the name free (finished is set). */
void supervisor_settle_begin(struct supervisor *supervisor);
void supervisor_settle_progress(struct supervisor *supervisor);

#endif
