/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/report.h"

#include <errno.h>
#include <string.h>

#include "sandbox/cgroup/freezer.h"
#include "sandbox/common/cleanup.h"
#include "sandbox/common/file.h"
#include "sandbox/session/jobs.h"

#define RECORD_MAX (4 * 1024 * 1024)

static size_t cgroup_paths_of(const struct session_record *record, struct cgroup_path paths[CGROUP_PATHS_MAX])
{
	size_t count = 0;

	for (; count < record->cgroups_count && count < CGROUP_PATHS_MAX; count++)
		paths[count] = (struct cgroup_path){record->cgroups[count].key, record->cgroups[count].value};
	return count;
}

void report_members(const struct session_answer *answer, const struct session_record *record,
		    struct session_members *members)
{
	*members =
	    (struct session_members){.reaper_pid = answer->reply.reaper_pid, .reaper_pidfd = answer->reaper_pidfd};
	members->paths_count = cgroup_paths_of(record, members->paths);
}

/* Others than `pause` may freeze the cgroup, so the cgroup itself is asked. One that cannot be read does not keep the
 * rest from being told. */
static const char *status_of(const struct reply *reply, const struct session_record *record)
{
	struct cgroup_path paths[CGROUP_PATHS_MAX];
	struct error ignored = {0};

	if (reply->status != SESSION_CREATED && reply->status != SESSION_RUNNING)
		return session_status_name(reply->status);
	size_t count = cgroup_paths_of(record, paths);
	return cgroup_frozen_paths(paths, count, &ignored) > 0 ? "paused" : session_status_name(reply->status);
}

void report_exit(const struct reply *reply, struct json_writer *writer)
{
	if (reply->exit_kind == EXIT_CODE)
		json_key_i64(writer, "exitCode", reply->exit_value);
	else if (reply->exit_kind == EXIT_SIGNAL)
		json_key_i64(writer, "signal", reply->exit_value);
	else
		json_key_string(writer, "unknown",
				"its parent took the status, and kernels before 6.15 do not keep it");
	if ((reply->flags & REPLY_OOM) != 0)
		json_key_bool(writer, "oomKilled", true);
}

int report_make(struct context *context, const struct session_answer *answer, struct report *report, struct error *err)
{
	const struct reply *reply = &answer->reply;
	struct session_members members;
	struct session_jobs jobs = {0};
	CLEANUP_FREE char *text = NULL;
	size_t length;

	memset(report, 0, sizeof *report);
	if (answer->record_fd < 0)
		return error_set(err, EAGAIN, "the container is being created");
	/* The descriptor's position is shared with the supervisor's and everybody else's. */
	int rc = file_read_at_start(answer->record_fd, RECORD_MAX, &text, &length);
	if (rc < 0)
		return error_errno(err, -rc, "read the session's record");
	if (record_parse(&context->arena, text, length, &report->record, err) < 0)
		return error_wrap(err, "the session's record");
	report->state = (struct state){
	    .record = &report->record,
	    .status = status_of(reply, &report->record),
	    .pid = reply->main_pid,
	    .session = &report->session,
	};
	report->session.reach = session_reach_name(reply->reach);
	report->session.exited = reply->exit_kind != EXIT_NOT_YET;
	report->session.exit_known = reply->exit_kind == EXIT_CODE || reply->exit_kind == EXIT_SIGNAL;
	report->session.exit_code = reply->exit_kind == EXIT_CODE ? reply->exit_value : 0;
	report->session.exit_signal = reply->exit_kind == EXIT_SIGNAL ? reply->exit_value : 0;
	report->session.oom = (reply->flags & REPLY_OOM) != 0;
	report_members(answer, &report->record, &members);
	rc = session_jobs_count(&members, &jobs, err);
	if (rc < 0)
		return rc;
	report->session.processes = (uint32_t)jobs.processes;
	report->session.groups = (uint32_t)jobs.groups;
	return 0;
}
