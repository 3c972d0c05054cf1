/* SPDX-License-Identifier: Apache-2.0 */
/* runtime.md "State": what hooks read and what `state` prints. */
#ifndef SANDLOCK_SPEC_STATE_H
#define SANDLOCK_SPEC_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "sandbox/common/arena.h"
#include "spec/json_write.h"
#include "spec/record.h"

/* What `state` tells about the session beside the properties of the specification. */
struct state_session {
	bool exited;        /* the main process has exited: */
	bool exit_known;    /* false: its parent took the status, on a kernel that does not keep it */
	int exit_code;      /* its exit code, if exit_signal is 0 */
	int exit_signal;    /* or the signal that killed it */
	bool oom;           /* the kernel killed it for lack of memory */
	uint32_t groups;    /* process groups that are left */
	uint32_t processes; /* processes that are left */
	const char *reach;  /* "pidns", "cgroup", "groups" or "none" */
};

/* The state of a container at one moment. */
struct state {
	const struct session_record *record;
	const char *status;                  /* "creating", "created", "running", "stopped", "paused" */
	pid_t pid;                           /* of the main process; ignored once session->exited */
	const struct state_session *session; /* NULL: left out */
};

/* The state as hooks get it, on one line, up to but without `,"status":"...","pid":N}`, which the launcher adds:
 * {"ociVersion":"1.3.0","id":"...","bundle":"...","annotations":{...} */
const char *state_prefix(struct arena *arena, const struct session_record *record);

/* The state as `state` prints it; the caller chooses the layout with the writer. The number of a main process
 * that has exited may belong to another one: pid is 0 then. */
void state_write(struct json_writer *writer, const struct state *state);

#endif
