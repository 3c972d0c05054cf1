/* SPDX-License-Identifier: Apache-2.0 */
/* The program's side of the joiner's and launcher's control socket: for create and for exec. */
#ifndef SANDLOCK_SESSION_LAUNCH_CHANNEL_H
#define SANDLOCK_SESSION_LAUNCH_CHANNEL_H

#include <stddef.h>
#include <sys/types.h>

#include "sandbox/cgroup/paths.h"
#include "sandbox/common/error.h"
#include "sandbox/session/protocol.h"

/* The way into a cgroup: close it with launch_cgroup_close. */
struct launch_cgroup {
	int v2;                    /* directory for CLONE_INTO_CGROUP, or negative */
	int fds[CGROUP_PATHS_MAX]; /* for cgroup_join_fds */
	size_t count;
};

#define LAUNCH_CGROUP_NONE \
	{                  \
		.v2 = -1   \
	}

/* Opens the way into these directories. */
int launch_cgroup_open(struct launch_cgroup *cgroup, const struct cgroup_path *paths, size_t count, struct error *err);
void launch_cgroup_close(struct launch_cgroup *cgroup);

/* A fixed descriptor of the order: LAUNCH_FD_*, left out when it is negative. Listed in the order of the bits. */
struct launch_descriptor {
	uint32_t bit;
	int fd;
};

/* A pair of SEQPACKET sockets, close-on-exec. */
int launch_pair(int *ours, int *theirs, struct error *err);

/* Opens a namespace of a process: `name` as in /proc/PID/ns. Returns a descriptor or a negative errno value. */
int launch_open_namespace(pid_t pid, const char *name, struct error *err);

/* Sends the order; its numbers of descriptors are filled in here. */
int launch_send_order(int control, struct launch_order *order, const struct launch_descriptor *descriptors,
		      size_t descriptors_count, const struct launch_cgroup *cgroup, const int *plan_fds,
		      size_t plan_fds_count, struct error *err);

/* Receives an event. An error that the launcher reports, and its end, are errors here. *fd is -1 without a descriptor.
 */
int launch_receive(int control, struct launch_event *event, int *fd, struct error *err);

/* Ends a launch that failed: kills the launcher and collects it and the joiner (0: none) where they are our children.
 * *launcher is its pidfd, or -1 when it was not announced yet; it stays open. Other children are not touched: a program
 * that was executed in place of a shell has inherited the shell's. */
void launch_end(int control, pid_t joiner, int *launcher);

#endif
