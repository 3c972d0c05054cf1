/* SPDX-License-Identifier: Apache-2.0 */
/* The supervisor's start: it binds the name, makes the holder of the namespaces, and serves (serve.c). */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hooks/hooks.h"
#include "sandbox/cgroup/kill.h"
#include "sandbox/common/cleanup.h"
#include "sandbox/common/file.h"
#include "sandbox/common/message.h"
#include "sandbox/common/syscalls.h"
#include "sandbox/session/name.h"
#include "sandbox/session/reaper.h"
#include "sandbox/session/roles.h"
#include "sandbox/session/supervisor.h"

static void report(int control, uint32_t kind, int32_t value, const struct error *err, const int *fds, size_t fds_count)
{
	struct progress progress = {.kind = kind, .value = value, .supervisor_pid = getpid()};

	if (err != NULL)
		progress.error = *err;
	message_send(control, &progress, sizeof progress, fds, fds_count);
}

/* Who looks for the supervisor, to kill it say, must not take its forks for it. */
static void rename_role(char *role, const char *name)
{
	size_t room = strlen(role);

	memset(role, 0, room);
	memcpy(role, name, strlen(name) < room ? strlen(name) : room);
}

/* The joiner, when the main process shall be our child. Like the holder it closes everything first, above all the
 * name. */
static int fork_joiner(const struct supervisor *supervisor, int joiner, int control, struct error *err)
{
	struct sl_clone_args args = {.exit_signal = SIGCHLD};
	long pid = sl_clone3(&args);

	if (pid < 0)
		return error_errno(err, errno, "fork the launcher");
	if (pid == 0) {
		/* The place of the program's socket, behind the descriptors of --preserve-fds. */
		if (dup2(joiner, control) < 0 || file_close_from((unsigned int)control + 1) < 0)
			_exit(125);
		rename_role(supervisor->role, "launcher");
		_exit(joiner_main(control));
	}
	return 0;
}

/* Clones the process that will be pid 1 with the new namespaces; in a user namespace given by path, through a
 * process that entered it first. */
static long clone_holder(uint64_t flags, int userns, int cgroup, int *pidfd)
{
	struct sl_clone_args args = {
	    .flags = flags | CLONE_PIDFD, .pidfd = (uint64_t)(uintptr_t)pidfd, .exit_signal = SIGCHLD};

	if (cgroup >= 0) {
		args.flags |= CLONE_INTO_CGROUP;
		args.cgroup = (uint64_t)cgroup;
	}
	if (userns < 0)
		return sl_clone3(&args);

	int pair[2];
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return -1;
	/* The cgroup is the caller's: root of the user namespace may not move into it. */
	struct sl_clone_args entering = {
	    .flags = args.flags & CLONE_INTO_CGROUP, .cgroup = args.cgroup, .exit_signal = SIGCHLD};
	args.flags &= ~(uint64_t)CLONE_INTO_CGROUP;
	args.cgroup = 0;
	long entered = sl_clone3(&entering);
	if (entered == 0) {
		if (setns(userns, CLONE_NEWUSER) < 0 || setresgid(0, 0, 0) < 0 || setresuid(0, 0, 0) < 0)
			_exit(errno & 0x7f);
		/* The exit signal comes with the parent. */
		args.flags |= CLONE_PARENT;
		args.exit_signal = 0;
		long pid = sl_clone3(&args);
		if (pid == 0)
			return 0;
		if (pid < 0)
			_exit(errno & 0x7f);
		_exit(message_send(pair[1], &pid, sizeof pid, pidfd, 1) < 0 ? EPROTO : 0);
	}
	close(pair[1]);
	long pid = -1;
	int status = 0;
	size_t count = 0;
	ssize_t length = entered < 0 ? -1 : message_receive(pair[0], &pid, sizeof pid, pidfd, 1, &count);
	if (entered > 0)
		while (waitpid((pid_t)entered, &status, 0) < 0 && errno == EINTR)
			;
	close(pair[0]);
	if (length != sizeof pid || count != 1) {
		errno = WIFEXITED(status) && WEXITSTATUS(status) != 0 ? WEXITSTATUS(status) : EPROTO;
		return -1;
	}
	return pid;
}

/* Makes the holder of the namespaces and tells the program. */
static int make_holder(struct supervisor *supervisor, int control, int userns, bool await_cgroup, struct error *err)
{
	CLEANUP_CLOSE int cgroup = -1;
	CLEANUP_CLOSE int ours = -1;
	CLEANUP_CLOSE int theirs = -1;
	int pair[2];

	if (await_cgroup) {
		size_t count = 0;
		char byte;
		if (message_receive(control, &byte, sizeof byte, &cgroup, 1, &count) != sizeof byte)
			return error_set(err, EPIPE, "the program that creates the container is gone");
		supervisor->cgroup_ours = true;
	}
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return error_errno(err, errno, "make the reaper's channel");
	ours = pair[0];
	theirs = pair[1];
	long pid = clone_holder(supervisor->plan->clone_flags, userns, cgroup, &supervisor->reaper_pidfd);
	if (pid < 0) {
		supervisor->reaper_pidfd = -1;
		return error_errno(err, errno, "create the namespaces");
	}
	if (pid == 0) {
		rename_role(supervisor->role, "reaper");
		holder_main(supervisor->plan, ours, supervisor->init_fd, supervisor->self_pidfd);
	}
	supervisor->reaper_pid = (pid_t)pid;
	int fds[2] = {supervisor->reaper_pidfd, theirs};
	report(control, PROGRESS_REAPER, (int32_t)pid, NULL, fds, ARRAY_SIZE(fds));
	return 0;
}

/* Own session, nothing of the caller's: its standard streams, directory and inherited descriptors go. */
static int detach(int control, struct error *err)
{
	CLEANUP_CLOSE int null = open("/dev/null", O_RDWR | O_CLOEXEC | O_NOCTTY);

	if (null < 0)
		return error_errno(err, errno, "open /dev/null");
	setsid();
	for (int fd = 0; fd < 3; fd++)
		if (dup2(null, fd) < 0)
			return error_errno(err, errno, "detach from the standard streams");
	if (control > 3 && sl_close_range(3, (unsigned int)control - 1, 0) < 0)
		return error_errno(err, errno, "close inherited descriptors");
	if (chdir("/") < 0)
		return error_errno(err, errno, "chdir to /");
	return 0;
}

/* As many clients and jobs as the caller's hard limit allows; a low soft one may have been meant for a shell. None of
 * them may take the last descriptor: a connection that cannot be accepted would keep the loop busy. */
static void fit_descriptor_limit(struct supervisor *supervisor)
{
	struct rlimit limit;
	size_t room = SUPERVISOR_CLIENTS_MAX + SUPERVISOR_JOBS_MAX;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_NOFILE, &limit);
		if (limit.rlim_cur < room + SUPERVISOR_DESCRIPTORS)
			room = limit.rlim_cur > SUPERVISOR_DESCRIPTORS ? limit.rlim_cur - SUPERVISOR_DESCRIPTORS : 0;
	}
	room = room < 16 ? 16 : room;
	supervisor->clients_max = room / 2 < SUPERVISOR_CLIENTS_MAX ? room / 2 : SUPERVISOR_CLIENTS_MAX;
	supervisor->jobs_max = room - supervisor->clients_max;
}

static int start(struct supervisor *supervisor, int control, struct error *err)
{
	struct setup setup;
	struct session_name name;
	int fds[SETUP_FD_COUNT];
	size_t count = 0;
	size_t next = SETUP_FD_ROOT;
	int userns = -1;

	ssize_t length = message_receive(control, &setup, sizeof setup, fds, ARRAY_SIZE(fds), &count);
	size_t expected = SETUP_FD_ROOT + ((setup.flags & SETUP_HAS_ROOT) != 0) +
			  ((setup.flags & SETUP_HAS_OWNER) != 0) + ((setup.flags & SETUP_HAS_USERNS) != 0);
	if (length != sizeof setup || count != expected || setup.name_length > sizeof name.bytes - 1)
		return error_set(err, EPROTO, "the supervisor got a malformed order");
	supervisor->plan_fd = fds[SETUP_FD_PLAN];
	supervisor->init_fd = fds[SETUP_FD_INIT];
	supervisor->creator_pidfd = fds[SETUP_FD_CREATOR];
	if ((setup.flags & SETUP_HAS_ROOT) != 0)
		supervisor->root_dir = fds[next++];
	if ((setup.flags & SETUP_HAS_OWNER) != 0)
		supervisor->owner_pidfd = fds[next++];
	if ((setup.flags & SETUP_HAS_USERNS) != 0)
		userns = fds[next++];
	if (plan_map(supervisor->plan_fd, &supervisor->plan, err) < 0)
		return -err->code;

	name.length = setup.name_length;
	memcpy(name.bytes, setup.name, sizeof name.bytes);
	supervisor->listener = session_name_bind(&name);
	if (supervisor->listener < 0)
		return error_errno(err, -supervisor->listener, "bind the session's name");

	supervisor->rootfs_mount = supervisor_rootfs_mount(supervisor->plan);

	/* Nobody among our ancestors collects orphans: then init would get the main process, and may be slow to reap it
	 * or never tell its status. An engine that is a subreaper gets its child. */
	supervisor->own_main =
	    (setup.flags & SETUP_OWN_MAIN) != 0 || ((setup.flags & SETUP_CALLER_IS_INIT) == 0 && getppid() == 1);
	if (supervisor->own_main && fork_joiner(supervisor, fds[SETUP_FD_JOINER], control, err) < 0)
		return -err->code;
	close(fds[SETUP_FD_JOINER]);
	if (detach(control, err) < 0)
		return -err->code;
	supervisor->self_pidfd = sl_pidfd_open(getpid(), 0);
	if (supervisor->self_pidfd < 0)
		return error_errno(err, errno, "pidfd_open");
	report(control, PROGRESS_BOUND, supervisor->own_main ? 0 : 1, NULL, &supervisor->self_pidfd, 1);
	if ((supervisor->plan->flags & (PLAN_REAPER | PLAN_NESTED_PID)) != 0 &&
	    make_holder(supervisor, control, userns, (setup.flags & SETUP_AWAIT_CGROUP) != 0, err) < 0)
		return -err->code;
	if (userns >= 0)
		close(userns);
	/* Only now: those who go into the container have the caller's limits. */
	fit_descriptor_limit(supervisor);
	return 0;
}

/* The last act of a session whose end nobody waited for: there is no name any more that a fork could hold. */
static void run_poststop(const struct supervisor *supervisor)
{
	CLEANUP_FREE char *state = NULL;
	struct error err = {0};
	size_t length;

	if (hooks_state(supervisor->plan, "stopped", 0, &state, &length, &err) == 0)
		hooks_run_all(supervisor->plan, supervisor->plan->hooks_poststop, "poststop", state, length, NULL,
			      NULL);
}

int supervisor_main(int control, char *role)
{
	static struct supervisor supervisor;
	struct error err = {0};

	supervisor = (struct supervisor){
	    .role = role,
	    .plan_fd = -1,
	    .init_fd = -1,
	    .record_fd = -1,
	    .root_dir = -1,
	    .listener = -1,
	    .self_pidfd = -1,
	    .reaper_pidfd = -1,
	    .main_pidfd = -1,
	    .signals = -1,
	    .owner_pidfd = -1,
	    .creator_pidfd = -1,
	    .launcher = -1,
	    .notify = NOTIFY_NONE,
	};
	signal(SIGPIPE, SIG_IGN);
	sigset_t children;
	sigemptyset(&children);
	sigaddset(&children, SIGCHLD);
	sigprocmask(SIG_BLOCK, &children, NULL);
	supervisor.signals = signalfd(-1, &children, SFD_CLOEXEC | SFD_NONBLOCK);
	if (supervisor.signals < 0 || file_set_cloexec(control, 1) < 0)
		return 125;
	if (start(&supervisor, control, &err) < 0) {
		if (supervisor.cgroup_ours) {
			struct error ignored;
			cgroup_remove_plan(supervisor.plan, &ignored);
		}
		report(control, PROGRESS_ERROR, 0, &err, NULL, 0);
		/* Without the name there is nothing yet. With it, what the creator has made is cleared once he gives
		 * up. */
		if (supervisor.listener < 0)
			return 125;
		supervisor_settle_begin(&supervisor);
	}
	/* A creator that does not listen must not stall the others. */
	fcntl(control, F_SETFL, O_RDWR | O_NONBLOCK);
	supervisor.clients[supervisor.clients_count++] = (struct client){.fd = control, .creator = true};
	supervisor_serve(&supervisor);
	if (supervisor.run_poststop)
		run_poststop(&supervisor);
	return 0;
}
