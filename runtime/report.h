/* SPDX-License-Identifier: Apache-2.0 */
/* A session as state, list and wait tell it. */
#ifndef SANDLOCK_RUNTIME_REPORT_H
#define SANDLOCK_RUNTIME_REPORT_H

#include "runtime/context.h"
#include "sandbox/session/jobs.h"
#include "spec/state.h"

/* What is known of a session; `state.record` and `state.session` point into it, strings into the context's arena. */
struct report {
	struct session_record record;
	struct state_session session;
	struct state state;
};

/* Makes a report from a supervisor's answer; counts the session's processes once the main process has exited. */
int report_make(struct context *context, const struct session_answer *answer, struct report *report, struct error *err);

/* The session's processes, by its reach; the strings stay the record's, the descriptor the answer's. */
void report_members(const struct session_answer *answer, const struct session_record *record,
		    struct session_members *members);

/* How the main process ended, as properties of the open JSON object: exitCode, signal or unknown, and oomKilled. */
void report_exit(const struct reply *reply, struct json_writer *writer);

#endif
