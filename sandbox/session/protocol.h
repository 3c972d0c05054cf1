/* SPDX-License-Identifier: Apache-2.0 */
/* The messages between the program, the supervisor, the reaper and the launcher.
 *
 * All sockets are SOCK_SEQPACKET, one struct per datagram, native byte order: everybody is on one machine, and
 * all but the clients of a long-lived supervisor come from one build. What those exchange (struct request,
 * struct reply) is versioned: fields are only ever added at the end.
 */
#ifndef SANDLOCK_SESSION_PROTOCOL_H
#define SANDLOCK_SESSION_PROTOCOL_H

#include <stdint.h>

#include "sandbox/common/error.h"

#define PROTOCOL_VERSION 1u
#define REQUEST_MAGIC 0x51524c53u
#define REPLY_MAGIC 0x50524c53u

/* OCI runtime.md "state": status */
enum session_status {
	SESSION_CREATING = 0,
	SESSION_CREATED,
	SESSION_RUNNING,
	SESSION_STOPPED,
};

/* design section 7 */
enum session_reach {
	REACH_PIDNS = 0,
	REACH_CGROUP,
	REACH_GROUPS,
	REACH_NONE,
};

/* How the main process ended. */
enum exit_kind {
	EXIT_NOT_YET = 0,
	EXIT_CODE,    /* exit_value is the exit code */
	EXIT_SIGNAL,  /* exit_value is the signal */
	EXIT_UNKNOWN, /* it ended, but its parent took the status with it (kernel before 6.15) */
};

enum request_operation {
	REQUEST_STATE = 1, /* reply: state; fds: record, plan, main pidfd, reaper pidfd */
	REQUEST_START,     /* reply after exec succeeded or failed; fds as for STATE */
	REQUEST_WAIT,      /* reply when the main process ended */
	REQUEST_KILL,      /* argument: signal for the main process */
	REQUEST_DELETE,    /* argument: 1 to kill a running main process (--force); reply when all is gone */
	REQUEST_ABANDON,   /* like DELETE with force, from the creator only, also while creating */
	REQUEST_CREATED,   /* from the creator only; fds: main pidfd, launcher's session socket, record, then the
			    * namespaces given by path in the order of plan.namespaces */
	REQUEST_JOIN,   /* exec; argument: 1 also after the main process ended (--session); fds: all of REPLY_FD_*, then
			 * reply.namespace_fds more, which belong to plan.namespaces */
	REQUEST_JOINED, /* exec: fds: pidfd of the new job; recorded before it may run; argument: 1 if it ends with the
			 * main process */
	REQUEST_CGROUP, /* from the creator only, without a reply: the cgroup was made, so it is ours to end and remove
			 */
	REQUEST_NOTIFY, /* from the creator only; fds: the container's notification socket, the service manager's */
	REQUEST_LAUNCHED, /* from the creator only, before the launcher may do anything, where no pid namespace ends it;
			   * fds: its pidfd; no reply */
};

/* As many as there are types of namespaces. */
#define SESSION_NAMESPACES_MAX 8

struct request {
	uint32_t magic;
	uint32_t version;
	uint32_t operation;
	int32_t argument;
};

/* Bits of reply.fds: which descriptors came along, in this order. */
enum {
	REPLY_FD_RECORD = 1 << 0,
	REPLY_FD_PLAN = 1 << 1,
	REPLY_FD_MAIN = 1 << 2,
	REPLY_FD_REAPER = 1 << 3,
	REPLY_FD_INIT = 1 << 4,
	REPLY_FD_COUNT = 5,
};

struct reply {
	uint32_t magic;
	uint32_t version;
	int32_t error; /* 0 or a positive errno value; then text says what */
	uint32_t status;
	int32_t main_pid;   /* in the supervisor's pid namespace; 0 once it may belong to another process */
	int32_t reaper_pid; /* 0: none */
	uint32_t exit_kind;
	int32_t exit_value;
	uint32_t reach;
	uint32_t fds;
	uint32_t jobs_killed; /* DELETE */
	uint32_t flags;       /* REPLY_* */
	uint32_t namespace_fds;
	uint32_t reserved[3];
	char text[2048]; /* struct error's message */
};

enum {
	REPLY_ZOMBIE_HELD = 1 << 0,  /* all is dead, but a parent outside the session does not reap its child */
	REPLY_POSTSTART = 1 << 1,    /* the plan has poststart hooks */
	REPLY_POSTSTOP = 1 << 2,     /* the plan has poststop hooks, the caller shall run them */
	REPLY_OOM = 1 << 3,          /* the kernel's OOM killer killed the main process */
	REPLY_ENDING = 1 << 4,       /* the session is being deleted */
	REPLY_EXIT_PENDING = 1 << 5, /* EXIT_UNKNOWN for now: it will be known once the main process is reaped */
};

/* Program -> supervisor, once; the descriptors in this order: */
enum setup_fd {
	SETUP_FD_PLAN,
	SETUP_FD_INIT,
	SETUP_FD_JOINER,  /* the joiner's end of its control socket */
	SETUP_FD_CREATOR, /* pidfd of the program that creates: its death before CREATED ends the session */
	SETUP_FD_ROOT,    /* directory of the state root */
	SETUP_FD_OWNER,   /* pidfd of the owner */
	SETUP_FD_USERNS,  /* user namespace given by path, which owns the new ones */
	SETUP_FD_COUNT,
};

enum {
	SETUP_OWN_MAIN = 1 << 0, /* the supervisor is the main process's parent */
	SETUP_HAS_ROOT = 1 << 1,
	SETUP_HAS_OWNER = 1 << 2,
	SETUP_HAS_USERNS = 1 << 3,
	SETUP_CALLER_IS_INIT = 1 << 4, /* the program was called by pid 1, which then wants its child */
	SETUP_AWAIT_CGROUP = 1 << 5,   /* the holder is cloned into a cgroup2 directory: one byte with its descriptor
					* comes   once it is made */
};

struct setup {
	uint32_t flags;
	uint32_t preserve_fds;
	uint32_t name_length; /* of the abstract address, without the leading NUL byte */
	char name[108];
};

/* Supervisor -> program while creating. */
enum progress_kind {
	PROGRESS_BOUND = 1, /* value: 1 if the program shall run the joiner, 0 if the supervisor forked it; fds: the
			     * supervisor's pidfd */
	PROGRESS_REAPER,    /* value: pid; fds: pidfd, launcher's end of the reaper channel */
	PROGRESS_ERROR,
};

struct progress {
	uint32_t kind;
	int32_t value;
	int32_t supervisor_pid;
	struct error error;
};

/* Program -> joiner/launcher. The fixed descriptors, by bit in `fds`, then the plan's (see plan_fd). */
enum {
	LAUNCH_FD_PLAN = 1 << 0,
	LAUNCH_FD_HOLDER = 1 << 1,     /* pidfd whose namespaces are joined: the reaper, or the main process for exec */
	LAUNCH_FD_REAPER = 1 << 2,     /* reaper channel */
	LAUNCH_FD_SESSION = 1 << 3,    /* to the supervisor: start order */
	LAUNCH_FD_CONSOLE = 1 << 4,    /* connected console socket */
	LAUNCH_FD_TIME = 1 << 5,       /* time namespace made by the reaper */
	LAUNCH_FD_PROCESS = 1 << 6,    /* exec: a plan that only has `process` */
	LAUNCH_FD_CGROUP = 1 << 7,     /* cgroup2 directory to be created in (CLONE_INTO_CGROUP) */
	LAUNCH_FD_ROOT = 1 << 8,       /* exec: the container's root, where it is not that of its mount namespace */
	LAUNCH_FD_SECCOMP = 1 << 9,    /* exec: connection to the seccomp agent */
	LAUNCH_FD_CGROUP_NS = 1 << 10, /* the container's cgroup namespace: from inside a user namespace the holder may
					* not be asked for it any more */
	LAUNCH_FD_COUNT = 11,
};

struct launch_order {
	uint32_t fds;
	uint32_t cgroup_fds;   /* number of descriptors for cgroup_join_fds, in the next datagram */
	uint32_t plan_fds;     /* number of descriptors that come in the datagrams after that */
	uint32_t holder_flags; /* CLONE_NEW* to join through the holder */
	uint32_t preserve_fds;
	int32_t listen_fds; /* LISTEN_FDS, -1: none */
	uint32_t exec;      /* 1: exec into a running session: nothing is built */
	int32_t main_pid;   /* exec: the main process as the program sees it, 0: it is gone */
};

/* Joiner and launcher -> program. */
enum launch_event_kind {
	LAUNCH_FORKED = 1, /* value: pid; fds: pidfd */
	LAUNCH_HOOKS, /* namespaces and mounts are there: run prestart and createRuntime, then answer with a byte */
	LAUNCH_READY, /* parked */
	LAUNCH_ERROR,
	LAUNCH_NOTIFY, /* fds: the container's notification socket; without one, error says why there is none */
};

struct launch_event {
	uint32_t kind;
	int32_t value;
	struct error error;
};

/* Launcher -> supervisor over the session socket, after the start order (one byte): only errors; success is the
 * close-on-exec end of that socket, whose only writer is the launcher (D2). */

/* Program and launcher -> reaper over the reaper channel. */
enum reaper_order_kind {
	REAPER_GO = 1,  /* id maps are written: enter the cgroup (fds: for cgroup_join_fds), finish the namespaces;
			 * answered */
	REAPER_HANDOFF, /* become pid 1 of the user's program; fds: 0, 1, 2 (not with PLAN_NESTED_PID), main
			 * pidfd, root directory (with PLAN_NO_PIVOT); answered */
};
#define REAPER_STREAMS 3

struct reaper_order {
	uint32_t kind;
	uint32_t flags;
	char home[512]; /* HANDOFF: HOME if the launcher had to look it up, else "" */
};

struct reaper_answer {
	int32_t value;
	struct error error;
};

#endif
