/* SPDX-License-Identifier: Apache-2.0 */
/* The launcher: builds the container from inside, applies the plan, parks until `start`, executes the program. */
#include "sandbox/session/launcher.h"
#include "sandbox/session/notify.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hooks/hooks.h"
#include "sandbox/common/cleanup.h"
#include "sandbox/common/file.h"
#include "sandbox/common/message.h"
#include "sandbox/common/number.h"
#include "sandbox/common/syscalls.h"
#include "sandbox/linux/affinity.h"
#include "sandbox/linux/capability.h"
#include "sandbox/linux/cwd.h"
#include "sandbox/linux/environment.h"
#include "sandbox/linux/executable.h"
#include "sandbox/linux/io_priority.h"
#include "sandbox/linux/keyring.h"
#include "sandbox/linux/lsm.h"
#include "sandbox/linux/memory_policy.h"
#include "sandbox/linux/network.h"
#include "sandbox/linux/no_new_privileges.h"
#include "sandbox/linux/personality.h"
#include "sandbox/linux/rlimit.h"
#include "sandbox/linux/rootfs.h"
#include "sandbox/linux/scheduler.h"
#include "sandbox/linux/seccomp.h"
#include "sandbox/linux/sysctl.h"
#include "sandbox/linux/terminal.h"
#include "sandbox/linux/user.h"
#include "sandbox/linux/uts.h"
#include "sandbox/session/late_namespaces.h"

const char *launcher_namespace_name(uint32_t type)
{
	static const struct {
		uint32_t type;
		const char *name;
	} names[] = {
	    {CLONE_NEWPID, "pid"}, {CLONE_NEWNET, "network"}, {CLONE_NEWNS, "mount"},      {CLONE_NEWIPC, "ipc"},
	    {CLONE_NEWUTS, "uts"}, {CLONE_NEWUSER, "user"},   {CLONE_NEWCGROUP, "cgroup"}, {CLONE_NEWTIME, "time"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (names[i].type == type)
			return names[i].name;
	return "unknown";
}

void launcher_fail(const struct launch *launch, const struct error *err)
{
	struct launch_event event = {.kind = LAUNCH_ERROR, .value = err->code, .error = *err};

	message_send(launch->control, &event, sizeof event, NULL, 0);
	_exit(125);
}

static int send_event(const struct launch *launch, uint32_t kind, struct error *err)
{
	struct launch_event event = {.kind = kind};
	int rc = message_send(launch->control, &event, sizeof event, NULL, 0);

	return rc < 0 ? error_errno(err, -rc, "reach the program that creates the container") : 0;
}

/* Waits for the program's go-ahead. End of file is its death, never a go. */
static int await_program(const struct launch *launch, struct error *err)
{
	char byte;
	ssize_t length = message_receive(launch->control, &byte, sizeof byte, NULL, 0, NULL);

	return length == sizeof byte ? 0 : error_set(err, EPIPE, "the program that creates the container is gone");
}

/* Inherited dispositions are the engine's business, not the container's (SIGPIPE is often ignored). */
static void reset_signals(void)
{
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	for (int number = 1; number < NSIG; number++)
		sl_signal_default(number);
}

/* A launcher that makes the namespaces itself does what the holder does elsewhere. */
static int finish_own_namespaces(struct joining *joining, struct error *err)
{
	const struct plan *plan = joining->launch.plan;

	if (joining->order.exec || joining->holder >= 0)
		return 0;
	if (await_program(&joining->launch, err) < 0)
		return -err->code;
	if (late_namespaces_make(plan, err) < 0)
		return -err->code;
	if ((plan->flags & PLAN_UNSHARE_TIME) != 0) {
		CLEANUP_CLOSE int fd = open("/proc/self/ns/time_for_children", O_RDONLY | O_CLOEXEC);
		if (fd < 0 || setns(fd, CLONE_NEWTIME) < 0)
			return error_errno(err, errno, "enter the time namespace");
	}
	return 0;
}

static int become_namespace_root(struct launch *launch, struct error *err)
{
	if (!launch->plan->userns)
		return 0;
	if (setresgid(0, 0, 0) < 0 || setresuid(0, 0, 0) < 0)
		return error_errno(err, errno, "become root of the user namespace");
	/* A namespace that denies setgroups keeps the caller's. */
	if (!launch->process->keep_groups && setgroups(0, NULL) < 0 && errno != EPERM)
		return error_errno(err, errno, "drop the caller's groups");
	return 0;
}

static int run_hooks(struct launch *launch, struct plan_array hooks, const char *kind, const char *status,
		     struct error *err)
{
	CLEANUP_FREE char *state = NULL;
	size_t length;

	if (hooks.count == 0)
		return 0;
	if (hooks_state(launch->plan, status, getpid(), &state, &length, err) < 0)
		return -err->code;
	return hooks_run(launch->plan, hooks, kind, state, length, err);
}

/* config.md "hooks": after the namespaces are there, before pivot_root. Step 2 of the lifecycle is done then, which
 * makes the status "created" (runtime.md "State"). */
static int hooks_before_pivot(struct launch *launch, struct error *err)
{
	const struct plan *plan = launch->plan;

	if (plan->hooks_prestart.count + plan->hooks_create_runtime.count > 0 &&
	    (send_event(launch, LAUNCH_HOOKS, err) < 0 || await_program(launch, err) < 0))
		return -err->code;
	return run_hooks(launch, plan->hooks_create_container, "createContainer", "created", err);
}

static int build_root(struct launch *launch, struct error *err)
{
	if (keyring_apply(launch, err) < 0)
		return -err->code;
	if ((launch->plan->flags & PLAN_LOOPBACK_UP) != 0 && network_apply(launch, err) < 0)
		return -err->code;
	if (uts_apply(launch, err) < 0)
		return -err->code;
	if (rootfs_prepare(launch, err) < 0 || hooks_before_pivot(launch, err) < 0 || rootfs_pivot(launch, err) < 0)
		return -err->code;
	return 0;
}

/* Gives pid 1 the main process's environment and standard streams; the answer is awaited later. A guard, which the
 * container cannot see, gets no streams: it would only keep them open. */
static int hand_off(const struct joining *joining, struct error *err)
{
	struct reaper_order order = {.kind = REAPER_HANDOFF};
	const struct launch *launch = &joining->launch;
	CLEANUP_CLOSE int self = sl_pidfd_open(getpid(), 0);
	const int fds[5] = {0, 1, 2, self, launch->root_fd};
	size_t first = (launch->plan->flags & PLAN_NESTED_PID) != 0 ? REAPER_STREAMS : 0;
	size_t end = (launch->plan->flags & PLAN_NO_PIVOT) != 0 && launch->root_fd >= 0 ? 5 : 4;

	if (self < 0)
		return error_errno(err, errno, "pidfd_open");
	const char *home = launch->environment == NULL ? NULL : environment_get(launch, "HOME");
	if (home != NULL)
		snprintf(order.home, sizeof order.home, "%s", home);
	int rc = message_send(joining->reaper, &order, sizeof order, fds + first, end - first);
	return rc < 0 ? error_errno(err, -rc, "hand over to the reaper") : 0;
}

static int await_reaper(const struct joining *joining, struct error *err)
{
	struct reaper_answer answer;
	ssize_t length = message_receive(joining->reaper, &answer, sizeof answer, NULL, 0, NULL);

	if (length != sizeof answer)
		return error_set(err, EPIPE, "the reaper ended unexpectedly");
	if (answer.value < 0) {
		*err = answer.error;
		return answer.value;
	}
	/* It has answered, and confines itself before it lets go of the channel. Should it die instead, so do we. */
	message_receive(joining->reaper, &answer, sizeof answer, NULL, 0, NULL);
	return 0;
}

/* Everything of config.md "process" that needs the privileges which the change of user takes away, the change of
 * user, and what follows it. */
static int apply_process(struct launch *launch, struct error *err)
{
	static int (*const steps[])(struct launch *, struct error *) = {
	    personality_apply,
	    memory_policy_apply,
	    io_priority_apply,
	    affinity_final_apply,
	    scheduler_apply,
	    lsm_apply,
	    no_new_privileges_apply,
	    capability_keep,
	    cwd_enter,
	    capability_bounding_apply,
	    user_apply,
	    capability_apply,
	    cwd_verify,
	};

	for (size_t i = 0; i < ARRAY_SIZE(steps); i++)
		if (steps[i](launch, err) < 0)
			return -err->code;
	/* The limits last: a low one would hinder the steps before. */
	if (executable_find(launch, &launch->executable, err) < 0)
		return -err->code;
	return rlimits_apply(launch, err);
}

/* The arguments as execve(2) wants them. */
static int make_arguments(struct launch *launch, struct error *err)
{
	const plan_string *items = launch_process_items(launch, launch->process->args);

	launch->arguments = calloc(launch->process->args.count + 1, sizeof *launch->arguments);
	if (launch->arguments == NULL)
		return error_errno(err, ENOMEM, "process.args");
	for (uint32_t i = 0; i < launch->process->args.count; i++)
		launch->arguments[i] = (char *)launch_process_text(launch, items[i]);
	return 0;
}

/* Waits for the start order. End of file means that the supervisor is gone, and with it the session. */
static void park(const struct launch *launch)
{
	char go;

	if (message_receive(launch->session, &go, sizeof go, NULL, 0, NULL) != sizeof go)
		_exit(125);
}

/* After start: only the supervisor listens. */
_Noreturn static void fail_start(const struct launch *launch, const struct error *err)
{
	message_send(launch->session, err, sizeof *err, NULL, 0);
	/* As a shell would say it. */
	_exit(err->code == ENOENT ? 127 : err->code == EACCES || err->code == ENOEXEC ? 126 : 1);
}

_Noreturn static void execute(struct launch *launch)
{
	struct error err = {0};

	launch->fail = fail_start;
	if (!launch->exec &&
	    run_hooks(launch, launch->plan->hooks_start_container, "startContainer", "created", &err) < 0) {
		/* Tells `start` that a hook failed, however it did. */
		err.code = ECANCELED;
		fail_start(launch, &err);
	}
	if (seccomp_apply(launch, &err) < 0)
		fail_start(launch, &err);
	execve(launch->executable, launch->arguments, launch->environment);
	executable_error(launch->executable, errno, &err);
	fail_start(launch, &err);
}

/* Our number in the caller's pid namespace: what "self" is in its procfs. */
static pid_t read_host_pid(int proc)
{
	char text[16];
	int pid;
	ssize_t length = readlinkat(proc, "self", text, sizeof text - 1);

	if (length <= 0)
		return 0;
	text[length] = '\0';
	return number_parse_int(text, 1, INT32_MAX, &pid) < 0 ? 0 : pid;
}

/* The container runs without it as well: see notify.h. */
static int offer_notify_socket(struct launch *launch, struct error *err)
{
	struct launch_event event = {.kind = LAUNCH_NOTIFY};

	if ((launch->plan->flags & PLAN_NOTIFY) == 0)
		return 0;
	CLEANUP_CLOSE int fd = notify_socket_make(launch, &event.error);
	int rc = message_send(launch->control, &event, sizeof event, &fd, fd >= 0 ? 1 : 0);
	return rc < 0 ? error_errno(err, -rc, "reach the program that creates the container") : 0;
}

/* What is made once for the container: everything that `exec` finds there. */
static int build_container(struct joining *joining, struct error *err)
{
	struct launch *launch = &joining->launch;
	bool has_process = launch->process->args.count > 0;
	bool reaper = joining->reaper >= 0 && (launch->plan->flags & (PLAN_REAPER | PLAN_NESTED_PID)) != 0;

	if (build_root(launch, err) < 0 || offer_notify_socket(launch, err) < 0)
		return -err->code;
	if (has_process && (make_arguments(launch, err) < 0 || environment_apply(launch, err) < 0))
		return -err->code;
	if (terminal_open(launch, err) < 0 || terminal_mount_console(launch, err) < 0)
		return -err->code;
	if (reaper && hand_off(joining, err) < 0)
		return -err->code;
	if (sysctl_apply(launch, err) < 0 || (has_process && cwd_create(launch, err) < 0) ||
	    rootfs_finish(launch, err) < 0 || (has_process && apply_process(launch, err) < 0))
		return -err->code;
	return reaper ? await_reaper(joining, err) : 0;
}

/* A further process in a container that is there. */
static int enter_container(struct joining *joining, struct error *err)
{
	struct launch *launch = &joining->launch;

	if (joining->root >= 0 && (fchdir(joining->root) < 0 || chroot(".") < 0))
		return error_errno(err, errno, "enter the container's root");
	if (chdir("/") < 0)
		return error_errno(err, errno, "chdir to the container's root");
	if (keyring_apply(launch, err) < 0 || make_arguments(launch, err) < 0 || environment_apply(launch, err) < 0 ||
	    terminal_open(launch, err) < 0)
		return -err->code;
	return apply_process(launch, err);
}

static int build(struct joining *joining, struct error *err)
{
	struct launch *launch = &joining->launch;

	if (finish_own_namespaces(joining, err) < 0 || become_namespace_root(launch, err) < 0)
		return -err->code;
	if (setsid() < 0)
		return error_errno(err, errno, "setsid");
	if ((launch->exec ? enter_container(joining, err) : build_container(joining, err)) < 0)
		return -err->code;
	return send_event(launch, LAUNCH_READY, err);
}

/* All that is left is the session socket and what the user's program gets (D1, D4). */
static int close_own(const struct joining *joining)
{
	const struct launch *launch = &joining->launch;
	int listener = launch->plan->seccomp.listener_fd;
	int keep[] = {launch->session, joining->seccomp, listener >= 0 && !launch->exec ? launch->fds[listener] : -1};

	file_close_gaps(3, 3 + (int)launch->preserve_fds);
	return file_close_except(3 + launch->preserve_fds, keep, ARRAY_SIZE(keep));
}

void launcher_main(struct joining *joining)
{
	struct launch *launch = &joining->launch;
	struct error err = {0};

	reset_signals();
	launch->fail = fail_start;
	if (joining->host_proc >= 0)
		launch->host_pid = read_host_pid(joining->host_proc);
	if (build(joining, &err) < 0) {
		if (!launch->exec)
			rootfs_abandon(launch);
		launcher_fail(launch, &err);
	}
	if (close_own(joining) < 0)
		_exit(125);
	park(launch);
	execute(launch);
}
