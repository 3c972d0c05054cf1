/* SPDX-License-Identifier: Apache-2.0 */
/* The supervisor's loop: process ends, the launcher's report, clients. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sandbox/cgroup/freezer.h"
#include "sandbox/cgroup/kill.h"
#include "sandbox/cgroup/oom.h"
#include "sandbox/cgroup/paths.h"
#include "sandbox/common/cleanup.h"
#include "sandbox/common/message.h"
#include "sandbox/common/syscalls.h"
#include "sandbox/session/name.h"
#include "sandbox/session/peer.h"
#include "sandbox/session/supervisor.h"

uint32_t supervisor_status(const struct supervisor *supervisor)
{
	if (!supervisor->created)
		return SESSION_CREATING;
	if (supervisor->main_dead)
		return SESSION_STOPPED;
	return supervisor->started ? SESSION_RUNNING : SESSION_CREATED;
}

void supervisor_reply(const struct supervisor *supervisor, struct reply *reply)
{
	*reply = (struct reply){
	    .magic = REPLY_MAGIC,
	    .version = PROTOCOL_VERSION,
	    .status = supervisor_status(supervisor),
	    .main_pid = supervisor->main_dead ? 0 : supervisor->main_pid,
	    .reaper_pid = supervisor->reaper_dead || supervisor->reaper_pidfd < 0 ? 0 : supervisor->reaper_pid,
	    .exit_kind = supervisor->exit.kind,
	    .exit_value = supervisor->exit.value,
	    .reach = supervisor->reaper_pidfd >= 0              ? REACH_PIDNS
		     : supervisor->plan->cgroup_paths.count > 0 ? REACH_CGROUP
								: REACH_NONE,
	};
	if (supervisor->main_dead && supervisor->exit.kind == EXIT_NOT_YET) {
		reply->exit_kind = EXIT_UNKNOWN;
		reply->flags |= REPLY_EXIT_PENDING;
	}
	if (supervisor->zombie_held)
		reply->flags |= REPLY_ZOMBIE_HELD;
	if (supervisor->main_oom)
		reply->flags |= REPLY_OOM;
	if (supervisor->settling)
		reply->flags |= REPLY_ENDING;
	if (supervisor->plan->hooks_poststart.count > 0)
		reply->flags |= REPLY_POSTSTART;
	if (supervisor->plan->hooks_poststop.count > 0)
		reply->flags |= REPLY_POSTSTOP;
}

void supervisor_send(const struct supervisor *supervisor, int fd, struct reply *reply)
{
	const int candidates[REPLY_FD_COUNT] = {supervisor->record_fd, supervisor->plan_fd, supervisor->main_pidfd,
						supervisor->reaper_pidfd, supervisor->init_fd};
	int fds[REPLY_FD_COUNT + SESSION_NAMESPACES_MAX];
	size_t count = 0;
	uint32_t present = 0;

	for (unsigned int i = 0; i < REPLY_FD_COUNT; i++)
		if ((reply->fds & (1U << i)) != 0 && candidates[i] >= 0) {
			fds[count++] = candidates[i];
			present |= 1U << i;
		}
	reply->fds = present;
	for (size_t i = 0; i < reply->namespace_fds; i++)
		fds[count++] = supervisor->namespaces[i];
	message_send(fd, reply, sizeof *reply, fds, count);
}

static void answer(const struct supervisor *supervisor, int fd, uint32_t fds)
{
	struct reply reply;

	supervisor_reply(supervisor, &reply);
	reply.fds = fds;
	supervisor_send(supervisor, fd, &reply);
}

static void refuse(const struct supervisor *supervisor, int fd, int code, const char *text)
{
	struct reply reply;

	supervisor_reply(supervisor, &reply);
	reply.error = code;
	snprintf(reply.text, sizeof reply.text, "%s", text);
	supervisor_send(supervisor, fd, &reply);
}

static void answer_waiters(struct supervisor *supervisor)
{
	for (size_t i = 0; i < supervisor->clients_count; i++)
		if (supervisor->clients[i].waiting) {
			supervisor->clients[i].waiting = false;
			answer(supervisor, supervisor->clients[i].fd, 0);
		}
}

/* The OOM killer leaves no other mark on a process than SIGKILL; it counts in the cgroup, before the signal. */
static bool is_oom_kill(const struct supervisor *supervisor)
{
	struct cgroup_path paths[CGROUP_PATHS_MAX];

	if (supervisor->exit.kind != EXIT_SIGNAL || supervisor->exit.value != SIGKILL || supervisor->main_killed)
		return false;
	size_t count = cgroup_paths_from_plan(supervisor->plan, paths);
	return cgroup_oom_killed(paths, count) > 0;
}

static void end_with_main(const struct supervisor *supervisor)
{
	for (size_t i = 0; i < supervisor->jobs_count; i++)
		if (supervisor->jobs[i].ends_with_main)
			sl_pidfd_send_signal(supervisor->jobs[i].pidfd, SIGKILL);
}

/* The main process ended, or its parent reaped it. */
static void handle_main(struct supervisor *supervisor)
{
	if (!supervisor->main_dead)
		end_with_main(supervisor);
	supervisor->main_dead = true;
	if (supervisor->exit.kind == EXIT_NOT_YET &&
	    !exit_status_read(supervisor->main_pidfd, supervisor->main_pid, supervisor->own_main, &supervisor->exit) &&
	    supervisor->exit.kind == EXIT_NOT_YET)
		return;
	supervisor->main_oom = supervisor->main_oom || is_oom_kill(supervisor);
	answer_waiters(supervisor);
}

/* Children that ended: the reaper, the main process where it is ours, joiners, and a launcher that never became a main
 * process. Each must go, or it would keep its pid namespace from ending. */
static void reap_children(struct supervisor *supervisor)
{
	struct signalfd_siginfo ignored;

	while (read(supervisor->signals, &ignored, sizeof ignored) > 0)
		;
	for (;;) {
		siginfo_t info = {0};
		if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) < 0 || info.si_pid == 0)
			return;
		if (info.si_pid == supervisor->main_pid && supervisor->main_pidfd >= 0)
			handle_main(supervisor);
		waitid(P_PID, (id_t)info.si_pid, &info, WEXITED | WNOHANG);
		if (info.si_pid != supervisor->reaper_pid)
			continue;
		supervisor->reaper_dead = true;
		/* Without its pid 1 nothing of the session lives. */
		if (!supervisor->created)
			supervisor_settle_begin(supervisor);
	}
}

/* After the start order: an error from the launcher, or the end of its socket, which is exec's success. */
static void handle_launcher(struct supervisor *supervisor)
{
	struct error err = {0};
	ssize_t length = message_receive(supervisor->launcher, &err, sizeof err, NULL, 0, NULL);
	bool failed = length == sizeof err;

	close(supervisor->launcher);
	supervisor->launcher = -1;
	err.message[sizeof err.message - 1] = '\0';
	for (size_t i = 0; i < supervisor->clients_count; i++) {
		if (!supervisor->clients[i].starting)
			continue;
		supervisor->clients[i].starting = false;
		if (failed)
			refuse(supervisor, supervisor->clients[i].fd, err.code, err.message);
		else
			answer(supervisor, supervisor->clients[i].fd, REPLY_FD_PLAN | REPLY_FD_RECORD | REPLY_FD_MAIN);
	}
}

static bool is_frozen(const struct supervisor *supervisor)
{
	struct cgroup_path paths[CGROUP_PATHS_MAX];
	struct error ignored = {0};
	size_t count = cgroup_paths_from_plan(supervisor->plan, paths);

	return cgroup_frozen_paths(paths, count, &ignored) > 0;
}

static void request_start(struct supervisor *supervisor, struct client *client)
{
	static const char *const refusals[] = {
	    [SESSION_CREATING] = "cannot start a container that is being created",
	    [SESSION_RUNNING] = "cannot start an already running container",
	    [SESSION_STOPPED] = "cannot start a container that has stopped",
	};
	uint32_t status = supervisor_status(supervisor);
	char go = 1;

	if (status != SESSION_CREATED) {
		refuse(supervisor, client->fd, EINVAL, refusals[status]);
	} else if (supervisor->plan->process.args.count == 0) {
		refuse(supervisor, client->fd, EINVAL, "process: config.json has no process to start");
	} else if (is_frozen(supervisor)) {
		/* A frozen launcher would keep the caller waiting. */
		refuse(supervisor, client->fd, EBUSY, "cannot start a container in the paused state; resume it first");
	} else if (message_send(supervisor->launcher, &go, sizeof go, NULL, 0) < 0) {
		refuse(supervisor, client->fd, ESRCH, "the launcher is gone");
	} else {
		supervisor->started = true;
		client->starting = true;
	}
}

/* From here on the launcher can be ended, whatever becomes of its creator. */
static bool request_launched(struct supervisor *supervisor, const struct client *client, const int *fds, size_t count,
			     pid_t main_pid)
{
	if (!client->creator || supervisor->main_pidfd >= 0 || count != 1) {
		while (count > 0)
			close(fds[--count]);
		return false;
	}
	supervisor->main_pidfd = fds[0];
	supervisor->main_pid = main_pid;
	if (supervisor->settling)
		sl_pidfd_send_signal(supervisor->main_pidfd, SIGKILL);
	return true;
}

static void request_created(struct supervisor *supervisor, struct client *client, const int *fds, size_t count,
			    pid_t main_pid)
{
	bool allowed = client->creator && !supervisor->created && count >= 3 && count <= 3 + SESSION_NAMESPACES_MAX;

	if (!allowed || supervisor->settling) {
		refuse(supervisor, client->fd, allowed ? ECANCELED : EPERM,
		       allowed ? "the container was deleted while it was being created"
			       : "only the creator finishes the creation");
		for (size_t i = 0; i < count; i++)
			close(fds[i]);
		return;
	}
	cleanup_close(&supervisor->main_pidfd);
	supervisor->main_pidfd = fds[0];
	supervisor->launcher = fds[1];
	supervisor->record_fd = fds[2];
	for (size_t i = 3; i < count; i++)
		supervisor->namespaces[supervisor->namespaces_count++] = fds[i];
	supervisor->main_pid = main_pid;
	supervisor->created = true;
	close(supervisor->creator_pidfd);
	supervisor->creator_pidfd = -1;
	answer(supervisor, client->fd, 0);
}

static void request_kill(struct supervisor *supervisor, const struct client *client, int signal_number)
{
	bool alive = !supervisor_is_dead(supervisor->main_pidfd);
	struct error err = {0};

	if (signal_number < 0 || signal_number > 64) {
		refuse(supervisor, client->fd, EINVAL, "invalid signal");
	} else if (!supervisor->created || supervisor->main_dead) {
		refuse(supervisor, client->fd, ESRCH, "container not running");
	} else if (sl_pidfd_send_signal(supervisor->main_pidfd, signal_number) < 0) {
		refuse(supervisor, client->fd, errno,
		       errno == ESRCH ? "container not running" : "the kernel refused to signal the main process");
	} else {
		supervisor->main_killed = supervisor->main_killed || (alive && signal_number == SIGKILL);
		/* In a frozen cgroup of version 1 nothing dies. */
		if (signal_number == SIGKILL && cgroup_thaw_plan(supervisor->plan, &err) < 0)
			refuse(supervisor, client->fd, err.code, err.message);
		else
			answer(supervisor, client->fd, 0);
	}
}

static void request_delete(struct supervisor *supervisor, struct client *client, bool force)
{
	static const char *const names[] = {"being created", "created", "running", "stopped"};
	uint32_t status = supervisor_status(supervisor);

	if (!force && status != SESSION_STOPPED) {
		char text[128];
		snprintf(text, sizeof text,
			 "cannot delete a container that is not stopped: it is %s; kill it first or use --force",
			 names[status]);
		refuse(supervisor, client->fd, EBUSY, text);
		return;
	}
	client->deleting = true;
	supervisor_settle_begin(supervisor);
}

/* What exec needs to enter the session. */
static void request_join(const struct supervisor *supervisor, const struct client *client, bool session)
{
	struct reply reply;

	supervisor_reply(supervisor, &reply);
	if (reply.status == SESSION_CREATING || supervisor->settling) {
		refuse(supervisor, client->fd, EAGAIN, "container not running: it is being created or deleted");
	} else if (reply.status == SESSION_STOPPED && !session) {
		refuse(
		    supervisor, client->fd, ESRCH,
		    "cannot exec in a stopped container: container not running (--session reaches the jobs it left)");
	} else if (reply.status == SESSION_STOPPED && (supervisor->reaper_dead || supervisor->reaper_pidfd < 0 ||
						       (supervisor->plan->flags & PLAN_REAPER) == 0)) {
		refuse(supervisor, client->fd, ESRCH, "container not running: its session ended with the main process");
	} else {
		reply.fds = (1U << REPLY_FD_COUNT) - 1;
		reply.namespace_fds = (uint32_t)supervisor->namespaces_count;
		supervisor_send(supervisor, client->fd, &reply);
	}
}

static void request_joined(struct supervisor *supervisor, const struct client *client, const int *fds, size_t count,
			   bool ends_with_main)
{
	struct job *jobs = NULL;
	size_t alive = 0;

	for (size_t i = 0; i < supervisor->jobs_count; i++) {
		if (supervisor_is_dead(supervisor->jobs[i].pidfd))
			close(supervisor->jobs[i].pidfd);
		else
			supervisor->jobs[alive++] = supervisor->jobs[i];
	}
	supervisor->jobs_count = alive;
	/* Fail closed (S6): what is not recorded does not run. */
	if (count == 1 && !supervisor->settling && supervisor->jobs_count < supervisor->jobs_max)
		jobs = realloc(supervisor->jobs, (supervisor->jobs_count + 1) * sizeof *jobs);
	if (jobs == NULL) {
		for (size_t i = 0; i < count; i++)
			close(fds[i]);
		refuse(supervisor, client->fd, ENOMEM, "the session cannot take another job");
		return;
	}
	supervisor->jobs = jobs;
	jobs[supervisor->jobs_count++] = (struct job){.pidfd = fds[0], .ends_with_main = ends_with_main};
	if (ends_with_main && supervisor->main_dead)
		refuse(supervisor, client->fd, ESRCH, "cannot exec in a stopped container: container not running");
	else
		answer(supervisor, client->fd, 0);
}

static void request_notify(struct supervisor *supervisor, struct client *client, const int *fds, size_t count)
{
	if (!client->creator || count != 2 || supervisor->notify.inside >= 0) {
		refuse(supervisor, client->fd, EPERM, "only the creator hands over a notification socket, once");
		for (size_t i = 0; i < count; i++)
			close(fds[i]);
		return;
	}
	supervisor->notify = (struct notify){.inside = fds[0], .manager = fds[1], .main_pid = supervisor->main_pid};
	answer(supervisor, client->fd, 0);
}

/* Returns false when the client is to be dropped: one that is refused shall not take a place all the same. */
static bool request_wait(const struct supervisor *supervisor, struct client *client)
{
	if (supervisor->main_dead && supervisor->exit.kind != EXIT_NOT_YET) {
		answer(supervisor, client->fd, 0);
		return true;
	}
	/* Waiters stay: they leave places to those who come and go, above all to delete. */
	if (supervisor->clients_count > supervisor->clients_max - supervisor->clients_max / 8) {
		refuse(supervisor, client->fd, EAGAIN, "too many callers wait for the container already");
		return false;
	}
	client->waiting = true;
	return true;
}

/* Returns false when the client is to be dropped. */
static bool handle_client(struct supervisor *supervisor, struct client *client)
{
	struct request request;
	int fds[3 + SESSION_NAMESPACES_MAX];
	size_t fds_count = 0;
	ssize_t length = message_receive(client->fd, &request, sizeof request, fds, ARRAY_SIZE(fds), &fds_count);

	if (length == -EAGAIN)
		return true;
	if (length != sizeof request || request.magic != REQUEST_MAGIC || request.version != PROTOCOL_VERSION ||
	    (fds_count > 0 && request.operation != REQUEST_CREATED && request.operation != REQUEST_JOINED &&
	     request.operation != REQUEST_NOTIFY && request.operation != REQUEST_LAUNCHED)) {
		while (length > 0 && fds_count > 0)
			close(fds[--fds_count]);
		return false;
	}
	switch (request.operation) {
	case REQUEST_STATE:
		answer(supervisor, client->fd, REPLY_FD_RECORD | REPLY_FD_PLAN | REPLY_FD_MAIN | REPLY_FD_REAPER);
		return true;
	case REQUEST_START:
		request_start(supervisor, client);
		return true;
	case REQUEST_WAIT:
		return request_wait(supervisor, client);
	case REQUEST_KILL:
		request_kill(supervisor, client, request.argument);
		return true;
	case REQUEST_DELETE:
		request_delete(supervisor, client, request.argument != 0);
		return true;
	case REQUEST_ABANDON:
		if (client->creator) {
			client->deleting = true;
			supervisor->abandoned = true;
			supervisor_settle_begin(supervisor);
		}
		return client->creator;
	case REQUEST_CGROUP:
		supervisor->cgroup_ours = client->creator;
		return client->creator;
	case REQUEST_CREATED:
		request_created(supervisor, client, fds, fds_count, request.argument);
		return true;
	case REQUEST_JOIN:
		request_join(supervisor, client, request.argument != 0);
		return true;
	case REQUEST_JOINED:
		request_joined(supervisor, client, fds, fds_count, request.argument != 0);
		return true;
	case REQUEST_LAUNCHED:
		return request_launched(supervisor, client, fds, fds_count, request.argument);
	case REQUEST_NOTIFY:
		request_notify(supervisor, client, fds, fds_count);
		return true;
	default:
		refuse(supervisor, client->fd, EPROTO, "unknown request");
		return true;
	}
}

static void accept_client(struct supervisor *supervisor)
{
	CLEANUP_CLOSE int fd = accept4(supervisor->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	struct session_peer peer;

	if (fd < 0)
		return;
	/* Foreign ones are closed unanswered (N3). */
	bool trusted = session_peer_get(fd, &peer) == 0 && session_client_distrust(&peer) == NULL;
	cleanup_close(&peer.pidfd);
	if (!trusted)
		return;
	if (supervisor->clients_count >= supervisor->clients_max)
		return;
	supervisor->clients[supervisor->clients_count++] = (struct client){.fd = take_fd(&fd)};
}

enum slot {
	SLOT_LISTENER,
	SLOT_MAIN,
	SLOT_CHILDREN,
	SLOT_OWNER,
	SLOT_CREATOR,
	SLOT_LAUNCHER,
	SLOT_NOTIFY,
	SLOT_FIXED,
};

static void handle_fixed(struct supervisor *supervisor, const struct pollfd *poll_fds)
{
	if (poll_fds[SLOT_LAUNCHER].revents != 0)
		handle_launcher(supervisor);
	if (poll_fds[SLOT_NOTIFY].revents != 0)
		notify_forward(&supervisor->notify);
	if (poll_fds[SLOT_MAIN].revents != 0)
		handle_main(supervisor);
	if (poll_fds[SLOT_CHILDREN].revents != 0)
		reap_children(supervisor);
	if (poll_fds[SLOT_OWNER].revents != 0 || poll_fds[SLOT_CREATOR].revents != 0) {
		int *pidfd = poll_fds[SLOT_OWNER].revents != 0 ? &supervisor->owner_pidfd : &supervisor->creator_pidfd;
		close(*pidfd);
		*pidfd = -1;
		supervisor->run_poststop = supervisor->plan->hooks_poststop.count > 0;
		supervisor_settle_begin(supervisor);
	}
	if (poll_fds[SLOT_LISTENER].revents != 0)
		accept_client(supervisor);
}

/* While settling, only "all gone" is answered. */
static void handle_clients(struct supervisor *supervisor, const struct pollfd *poll_fds, size_t count)
{
	for (size_t i = count; i-- > 0;) {
		if (poll_fds[i].revents == 0)
			continue;
		struct client *client = &supervisor->clients[i];
		if (handle_client(supervisor, client))
			continue;
		/* The creator's end of file is not its end (S9): its pidfd tells that. */
		close(client->fd);
		*client = supervisor->clients[--supervisor->clients_count];
	}
}

void supervisor_serve(struct supervisor *supervisor)
{
	static struct pollfd poll_fds[SLOT_FIXED + SUPERVISOR_CLIENTS_MAX + 64 + 1];

	while (!supervisor->finished) {
		bool exit_known = supervisor->exit.kind != EXIT_NOT_YET;
		/* A dead main process whose status is not known yet wakes us again when it is reaped: POLLHUP. */
		poll_fds[SLOT_MAIN] = (struct pollfd){.fd = exit_known ? -1 : supervisor->main_pidfd,
						      .events = supervisor->main_dead ? 0 : POLLIN};
		poll_fds[SLOT_LISTENER] = (struct pollfd){.fd = supervisor->listener, .events = POLLIN};
		poll_fds[SLOT_CHILDREN] = (struct pollfd){.fd = supervisor->signals, .events = POLLIN};
		poll_fds[SLOT_OWNER] = (struct pollfd){.fd = supervisor->owner_pidfd, .events = POLLIN};
		poll_fds[SLOT_CREATOR] = (struct pollfd){.fd = supervisor->creator_pidfd, .events = POLLIN};
		/* Before the start order the launcher has nothing to say, and its end is the main process's. */
		poll_fds[SLOT_LAUNCHER] =
		    (struct pollfd){.fd = supervisor->started ? supervisor->launcher : -1, .events = POLLIN};
		poll_fds[SLOT_NOTIFY] = notify_poll(&supervisor->notify);
		size_t n = SLOT_FIXED;
		size_t clients = supervisor->clients_count;
		for (size_t i = 0; i < clients; i++)
			poll_fds[n++] = (struct pollfd){.fd = supervisor->clients[i].fd, .events = POLLIN};
		for (size_t i = 0; i < supervisor->dying_count; i++)
			poll_fds[n++] = (struct pollfd){.fd = supervisor->dying[i], .events = POLLIN};
		/* One after the other, dead ones never: see only_foreign_zombies. */
		if (supervisor->settling && supervisor->jobs_count > 0 &&
		    !supervisor_is_dead(supervisor->jobs[supervisor->jobs_count - 1].pidfd))
			poll_fds[n++] =
			    (struct pollfd){.fd = supervisor->jobs[supervisor->jobs_count - 1].pidfd, .events = POLLIN};
		int timeout = -1;
		if (supervisor->zombie_deadline != 0) {
			int64_t left = supervisor->zombie_deadline - supervisor_now();
			timeout = left > 0 ? (int)left : 0;
		}
		if (poll(poll_fds, (nfds_t)n, timeout) < 0)
			continue;
		handle_clients(supervisor, poll_fds + SLOT_FIXED, clients);
		handle_fixed(supervisor, poll_fds);
		supervisor_settle_progress(supervisor);
	}
}
