/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/session/exec.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sandbox/cgroup/cgroup.h"
#include "sandbox/cgroup/rdt.h"
#include "sandbox/common/cleanup.h"
#include "sandbox/common/message.h"
#include "sandbox/common/syscalls.h"
#include "sandbox/linux/seccomp_plan.h"
#include "sandbox/session/launch_channel.h"
#include "sandbox/session/protocol.h"
#include "sandbox/session/spawn.h"

/* An exec under way; descriptors are -1 when absent. */
struct execution {
	const struct session_exec_order *order;
	int control;
	int control_theirs;
	int session;
	int session_theirs;
	int root;
	int seccomp;
	struct launch_cgroup cgroup;
	bool attach; /* the process is moved to the cgroup after it was created */
	pid_t joiner;
};

/* The way into the container's cgroup, or into one below it. */
static int open_cgroup(struct execution *execution, struct error *err)
{
	__attribute__((cleanup(cgroup_freep))) struct cgroup *cgroup = NULL;
	struct cgroup_path paths[CGROUP_PATHS_MAX];
	size_t count;

	if (execution->order->plan->cgroup_paths.count == 0)
		return execution->order->cgroup == NULL
			   ? 0
			   : error_set(err, EINVAL, "--cgroup: the container has no cgroup of its own");
	if (cgroup_open(execution->order->plan, &cgroup, err) < 0)
		return -err->code;
	const struct reply *reply = &execution->order->session->reply;
	pid_t beside = reply->main_pid != 0 ? reply->main_pid : reply->reaper_pid;
	if (cgroup_exec_paths(cgroup, execution->order->cgroup, beside, paths, &count, err) < 0)
		return -err->code;
	execution->attach = !cgroup_can_enter(cgroup);
	return execution->attach ? 0 : launch_cgroup_open(&execution->cgroup, paths, count, err);
}

static int attach(const struct execution *execution, pid_t pid, struct error *err)
{
	__attribute__((cleanup(cgroup_freep))) struct cgroup *cgroup = NULL;
	const struct reply *reply = &execution->order->session->reply;

	if (rdt_join(execution->order->plan, pid, err) < 0)
		return -err->code;
	if (!execution->attach)
		return 0;
	if (cgroup_open(execution->order->plan, &cgroup, err) < 0)
		return -err->code;
	return cgroup_join_below(cgroup, pid, execution->order->cgroup,
				 reply->main_pid != 0 ? reply->main_pid : reply->reaper_pid, err);
}

/* Where the root of the mount namespace is not the container's (--no-pivot, or no mount namespace). */
static int open_root(struct execution *execution, struct error *err)
{
	const struct session_exec_order *order = execution->order;
	char path[64];

	if ((order->plan->flags & (PLAN_NO_PIVOT | PLAN_SHARED_MOUNTS)) == 0)
		return 0;
	pid_t pid =
	    order->session->reply.main_pid != 0 ? order->session->reply.main_pid : order->session->reply.reaper_pid;
	snprintf(path, sizeof path, "/proc/%d/root", pid);
	execution->root = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return execution->root < 0 ? error_errno(err, errno, "open the container's root") : 0;
}

/* The namespaces to enter through the holder. The main process is in all of them. After its end the reaper has the new
 * ones, and those given by path come beside. */
static uint32_t holder_flags(const struct session_exec_order *order, bool main_lives)
{
	const struct plan *plan = order->plan;
	const struct plan_namespace *namespaces = plan_items(plan, plan->namespaces);
	uint32_t flags = plan->clone_flags;

	if ((plan->flags & PLAN_UNSHARE_TIME) != 0)
		flags |= CLONE_NEWTIME;
	if (main_lives && (plan->flags & PLAN_NESTED_PID) != 0)
		flags |= CLONE_NEWPID;
	for (uint32_t i = 0; main_lives && i < plan->namespaces.count; i++)
		flags |= namespaces[i].type;
	/* Entered last, see the joiner. */
	return flags & ~(uint32_t)CLONE_NEWCGROUP;
}

static bool has_cgroup_namespace(const struct plan *plan)
{
	const struct plan_namespace *namespaces = plan_items(plan, plan->namespaces);

	for (uint32_t i = 0; i < plan->namespaces.count; i++)
		if (namespaces[i].type == CLONE_NEWCGROUP)
			return true;
	return (plan->flags & PLAN_UNSHARE_CGROUP) != 0;
}

static int send_order(struct execution *execution, struct error *err)
{
	const struct session_exec_order *order = execution->order;
	const struct session_answer *session = order->session;
	bool main_lives = session->reply.main_pid != 0;
	struct launch_order launch = {
	    .holder_flags = holder_flags(order, main_lives),
	    .preserve_fds = order->preserve_fds,
	    .exec = 1,
	    .main_pid = session->reply.main_pid,
	};
	CLEANUP_CLOSE int cgroup_ns = -1;

	if (has_cgroup_namespace(order->plan)) {
		cgroup_ns = launch_open_namespace(main_lives ? session->reply.main_pid : session->reply.reaper_pid,
						  "cgroup", err);
		if (cgroup_ns < 0)
			return -err->code;
	}
	const struct launch_descriptor descriptors[] = {
	    {LAUNCH_FD_PLAN, session->plan_fd},
	    {LAUNCH_FD_HOLDER, main_lives ? session->main_pidfd : session->reaper_pidfd},
	    {LAUNCH_FD_SESSION, execution->session_theirs},
	    {LAUNCH_FD_CONSOLE, order->console_socket},
	    {LAUNCH_FD_PROCESS, order->process_fd},
	    {LAUNCH_FD_CGROUP, execution->cgroup.v2},
	    {LAUNCH_FD_ROOT, execution->root},
	    {LAUNCH_FD_SECCOMP, execution->seccomp},
	    {LAUNCH_FD_CGROUP_NS, cgroup_ns},
	};

	return launch_send_order(execution->control, &launch, descriptors, ARRAY_SIZE(descriptors), &execution->cgroup,
				 session->namespaces, main_lives ? 0 : session->reply.namespace_fds, err);
}

static int record_job(const struct execution *execution, const struct session_job *job, struct error *err)
{
	CLEANUP_SESSION_ANSWER struct session_answer answer = SESSION_ANSWER_NONE;

	return session_request(execution->order->client, REQUEST_JOINED, 0, &job->pidfd, 1, SESSION_ANSWER_TIMEOUT_MS,
			       &answer, err);
}

/* Follows the launcher until it is parked; it is recorded before it may run (S6). The joiner's announcement can come
 * after what the launcher itself says. */
static int follow(const struct execution *execution, struct session_job *job, struct error *err)
{
	bool ready = false;

	while (!ready || job->pidfd < 0) {
		struct launch_event event;
		int fd;
		if (launch_receive(execution->control, &event, &fd, err) < 0)
			return -err->code;
		if (event.kind == LAUNCH_READY) {
			ready = true;
		} else if (event.kind == LAUNCH_FORKED && fd >= 0 && job->pidfd < 0) {
			job->pid = event.value;
			job->pidfd = fd;
		} else {
			cleanup_close(&fd);
			return error_set(err, EPROTO, "the launcher answered out of order");
		}
	}
	if (attach(execution, job->pid, err) < 0)
		return -err->code;
	return record_job(execution, job, err);
}

static int create(struct execution *execution, struct session_job *job, struct error *err)
{
	const struct session_exec_order *order = execution->order;
	const char *listener = plan_text(order->plan, order->plan->seccomp.listener_path);

	if (launch_pair(&execution->control, &execution->control_theirs, err) < 0 ||
	    launch_pair(&execution->session, &execution->session_theirs, err) < 0 || open_root(execution, err) < 0 ||
	    open_cgroup(execution, err) < 0)
		return -err->code;
	if (listener != NULL) {
		execution->seccomp = seccomp_listener_connect(listener, err);
		if (execution->seccomp < 0)
			return -err->code;
	}
	execution->joiner =
	    spawn_joiner(order->session->init_fd, order->preserve_fds, execution->control_theirs, order->id, err);
	if (execution->joiner < 0)
		return -err->code;
	close(take_fd(&execution->control_theirs));
	if (send_order(execution, err) < 0)
		return -err->code;
	close(take_fd(&execution->session_theirs));
	return follow(execution, job, err);
}

int session_exec_create(const struct session_exec_order *order, struct session_job *job, struct error *err)
{
	struct execution execution = {
	    .order = order,
	    .control = -1,
	    .control_theirs = -1,
	    .session = -1,
	    .session_theirs = -1,
	    .root = -1,
	    .seccomp = -1,
	    .cgroup = LAUNCH_CGROUP_NONE,
	};

	*job = (struct session_job){.pidfd = -1, .session = -1};
	int rc = create(&execution, job, err);
	if (rc < 0)
		launch_end(execution.control, execution.joiner, &job->pidfd);
	else
		while (waitpid(execution.joiner, NULL, 0) < 0 && errno == EINTR)
			;
	int *const fds[] = {&execution.control, &execution.control_theirs, &execution.session_theirs, &execution.root,
			    &execution.seccomp};
	for (size_t i = 0; i < ARRAY_SIZE(fds); i++)
		cleanup_close(fds[i]);
	launch_cgroup_close(&execution.cgroup);
	if (rc < 0) {
		cleanup_close(&execution.session);
		session_job_close(job);
		return rc;
	}
	job->session = execution.session;
	return 0;
}

int session_exec_start(struct session_job *job, struct error *err)
{
	struct error failure;
	char go = 1;

	int rc = message_send(job->session, &go, sizeof go, NULL, 0);
	ssize_t length = rc < 0 ? 0 : message_receive(job->session, &failure, sizeof failure, NULL, 0, NULL);
	/* Success is the close-on-exec end of the socket, which only the launcher could write to (D2). */
	if (length != sizeof failure)
		return 0;
	while (waitpid(job->pid, NULL, 0) < 0 && errno == EINTR)
		;
	failure.message[sizeof failure.message - 1] = '\0';
	*err = failure;
	return -err->code;
}

void session_job_close(struct session_job *job)
{
	cleanup_close(&job->pidfd);
	cleanup_close(&job->session);
	job->pidfd = -1;
	job->session = -1;
}
