/* SPDX-License-Identifier: Apache-2.0 */
/* The joiner: enters the container's namespaces with the caller's privileges and forks the launcher, as a child of its
 * own parent: entering a pid namespace takes effect for children only. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "sandbox/common/cleanup.h"
#include "sandbox/common/message.h"
#include "sandbox/common/syscalls.h"
#include "sandbox/linux/affinity.h"
#include "sandbox/linux/oom_score.h"
#include "sandbox/linux/rlimit.h"
#include "sandbox/session/launcher.h"
#include "sandbox/session/protocol.h"
#include "sandbox/session/roles.h"

/* Receives the order: the fixed descriptors, then those of the plan in further datagrams. */
static int receive_order(struct joining *joining, struct error *err)
{
	struct launch_order *order = &joining->order;
	int fds[LAUNCH_FD_COUNT];
	size_t count = 0, next = 0, received = 0;

	ssize_t length = message_receive(joining->launch.control, order, sizeof *order, fds, ARRAY_SIZE(fds), &count);
	if (length != sizeof *order || count != (size_t)__builtin_popcount(order->fds))
		return error_set(err, EPROTO, "the launcher got a malformed order");
	int *targets[LAUNCH_FD_COUNT] = {&joining->plan_fd,
					 &joining->holder,
					 &joining->reaper,
					 &joining->launch.session,
					 &joining->launch.console_socket,
					 &joining->time_ns,
					 &joining->process_fd,
					 &joining->cgroup,
					 &joining->root,
					 &joining->seccomp,
					 &joining->cgroup_ns};
	for (unsigned int i = 0; i < LAUNCH_FD_COUNT; i++)
		if ((order->fds & (1U << i)) != 0)
			*targets[i] = fds[next++];

	if (order->cgroup_fds > 0) {
		char byte;
		length = message_receive(joining->launch.control, &byte, sizeof byte, joining->cgroup_fds,
					 CGROUP_PATHS_MAX, &count);
		if (length != sizeof byte || count != order->cgroup_fds)
			return error_set(err, EPROTO, "the launcher got a malformed order");
	}
	if (order->plan_fds == 0)
		return 0;
	int *plan_fds = calloc(order->plan_fds, sizeof *plan_fds);
	if (plan_fds == NULL)
		return error_errno(err, ENOMEM, "receive the plan's descriptors");
	while (received < order->plan_fds) {
		char byte;
		length = message_receive(joining->launch.control, &byte, sizeof byte, plan_fds + received,
					 order->plan_fds - received, &count);
		if (length != sizeof byte || count == 0) {
			free(plan_fds);
			return error_set(err, EPROTO, "the launcher got a malformed order");
		}
		received += count;
	}
	joining->launch.fds = plan_fds;
	joining->launch.fds_count = received;
	return 0;
}

/* create gets all descriptors of the plan, exec those of the namespaces alone, in their order. */
static int namespace_fd(const struct joining *joining, uint32_t index)
{
	const struct plan_namespace *namespaces = plan_items(joining->launch.plan, joining->launch.plan->namespaces);

	return joining->launch.fds[joining->order.exec ? index : (uint32_t)namespaces[index].fd];
}

/* The namespaces given by path. Those that only the caller may enter come before the user namespace, those that
 * belong to the user namespace after it. */
static int join_by_path(const struct joining *joining, bool *joined, bool last, struct error *err)
{
	const struct plan *plan = joining->launch.plan;
	const struct plan_namespace *namespaces = plan_items(plan, plan->namespaces);

	for (uint32_t i = 0; i < plan->namespaces.count; i++) {
		if (joined[i] || namespaces[i].type == CLONE_NEWUSER)
			continue;
		if (setns(namespace_fd(joining, i), (int)namespaces[i].type) == 0)
			joined[i] = true;
		else if (last || errno != EPERM)
			return error_errno(err, errno, "linux.namespaces: join %s by path",
					   launcher_namespace_name(namespaces[i].type));
	}
	return 0;
}

static int join_userns_by_path(const struct joining *joining, struct error *err)
{
	const struct plan *plan = joining->launch.plan;
	const struct plan_namespace *namespaces = plan_items(plan, plan->namespaces);

	for (uint32_t i = 0; i < plan->namespaces.count; i++)
		if (namespaces[i].type == CLONE_NEWUSER && setns(namespace_fd(joining, i), CLONE_NEWUSER) < 0)
			return error_errno(err, errno, "linux.namespaces: join user by path");
	return 0;
}

/* With the mount option nsdelegate the kernel lets nobody who is inside of a cgroup namespace clone into it from
 * outside: the launcher enters it when it is in the container's cgroup. */
static int join_cgroup_namespace(const struct joining *joining, struct error *err)
{
	if (joining->cgroup_ns >= 0 && setns(joining->cgroup_ns, CLONE_NEWCGROUP) < 0)
		return error_errno(err, errno, "join the container's cgroup namespace");
	return 0;
}

static int join(const struct joining *joining, struct error *err)
{
	const struct plan *plan = joining->launch.plan;
	uint32_t flags = joining->order.holder_flags;
	bool *joined = calloc(plan->namespaces.count + 1, sizeof *joined);

	if (joined == NULL)
		return error_errno(err, ENOMEM, "join namespaces");
	bool enters_userns = (flags & CLONE_NEWUSER) != 0 || plan->userns != 0;
	/* exec enters all namespaces of the main process at once, also those given by path. */
	bool by_path = joining->launch.fds_count > 0;
	int rc = by_path ? join_by_path(joining, joined, !enters_userns, err) : 0;
	if (rc == 0 && by_path && (flags & CLONE_NEWUSER) == 0)
		rc = join_userns_by_path(joining, err);
	if (rc == 0 && joining->holder >= 0 && flags != 0 && setns(joining->holder, (int)flags) < 0)
		rc = error_errno(err, errno, "join the container's namespaces");
	if (rc == 0 && joining->time_ns >= 0 && setns(joining->time_ns, CLONE_NEWTIME) < 0)
		rc = error_errno(err, errno, "join the container's time namespace");
	if (rc == 0 && by_path && enters_userns)
		rc = join_by_path(joining, joined, true, err);
	free(joined);
	return rc;
}

static long fork_as_sibling(uint64_t flags, int cgroup, int *pidfd)
{
	struct sl_clone_args args = {
	    .flags = flags | CLONE_PARENT | CLONE_PIDFD, .pidfd = (uint64_t)(uintptr_t)pidfd, .exit_signal = 0};

	if (cgroup >= 0) {
		args.flags |= CLONE_INTO_CGROUP;
		args.cgroup = (uint64_t)cgroup;
	}
	return sl_clone3(&args);
}

/* Forks the launcher and tells the program; in the launcher returns 0, in the joiner the process ends. */
static int fork_launcher(struct joining *joining, uint64_t flags, struct error *err)
{
	int pidfd = -1;
	long pid = fork_as_sibling(flags, joining->cgroup, &pidfd);

	if (pid < 0)
		return error_errno(err, errno, "fork the launcher");
	if (pid == 0)
		return 0;
	struct launch_event event = {.kind = LAUNCH_FORKED, .value = (int32_t)pid};
	_exit(message_send(joining->launch.control, &event, sizeof event, &pidfd, 1) < 0 ? 125 : 0);
}

static int run(struct joining *joining, struct error *err)
{
	struct launch *launch = &joining->launch;

	if (receive_order(joining, err) < 0 || plan_map(joining->plan_fd, &launch->plan, err) < 0)
		return -err->code;
	launch->process = &launch->plan->process;
	launch->process_plan = launch->plan;
	if (joining->process_fd >= 0) {
		if (plan_map(joining->process_fd, &launch->process_plan, err) < 0)
			return -err->code;
		launch->process = &launch->process_plan->process;
	}
	launch->preserve_fds = joining->order.preserve_fds;
	launch->exec = joining->order.exec != 0;
	launch->main_pid = joining->order.main_pid;
	launch->seccomp_socket = joining->seccomp >= 0 ? joining->seccomp : 0;
	if (launch->plan->seccomp.listener_fd >= 0)
		joining->host_proc = open("/proc", O_PATH | O_DIRECTORY | O_CLOEXEC);
	/* Inside of the user namespace nobody may create processes in the host's cgroup. */
	if (joining->cgroup >= 0 && ((joining->order.holder_flags & CLONE_NEWUSER) != 0 || launch->plan->userns != 0)) {
		int pidfd = -1;
		long pid = fork_as_sibling(0, joining->cgroup, &pidfd);
		if (pid < 0)
			return error_errno(err, errno, "fork into the container's cgroup");
		if (pid > 0)
			_exit(0);
		close(pidfd);
		close(take_fd(&joining->cgroup));
	}
	/* What only the caller may do. */
	if ((launch->exec && affinity_initial_apply(launch, err) < 0) || rlimits_raise(launch, err) < 0 ||
	    oom_score_apply(launch, err) < 0 || join(joining, err) < 0)
		return -err->code;

	uint64_t flags = 0;
	if (!joining->order.exec && joining->holder < 0)
		flags = launch->plan->clone_flags;
	if (!joining->order.exec && (launch->plan->flags & PLAN_NESTED_PID) != 0) {
		/* A pid namespace below the guard's can only be made from inside the guard's. */
		int pidfd = -1;
		long pid = fork_as_sibling(0, joining->cgroup, &pidfd);
		if (pid < 0)
			return error_errno(err, errno, "fork into the guard's pid namespace");
		if (pid > 0)
			_exit(0);
		close(pidfd);
		flags = CLONE_NEWPID;
	}
	/* Only now: forks would count against pids.max, which may leave room for the program alone, or be used up. */
	if (fork_launcher(joining, flags, err) < 0 ||
	    cgroup_join_fds(joining->cgroup_fds, joining->order.cgroup_fds, err) < 0 ||
	    join_cgroup_namespace(joining, err) < 0)
		return -err->code;
	launcher_main(joining);
}

int joiner_main(int control)
{
	struct joining joining = {
	    .launch = {.control = control, .session = -1, .proc_fd = -1, .root_fd = -1, .console_socket = -1},
	    .plan_fd = -1,
	    .holder = -1,
	    .reaper = -1,
	    .time_ns = -1,
	    .cgroup_ns = -1,
	    .process_fd = -1,
	    .cgroup = -1,
	    .root = -1,
	    .seccomp = -1,
	    .host_proc = -1,
	};
	struct error err = {0};

	/* Nobody looks into a process that still has the caller's privileges. */
	prctl(PR_SET_DUMPABLE, 0);
	fcntl(control, F_SETFD, FD_CLOEXEC);
	if (run(&joining, &err) < 0)
		launcher_fail(&joining.launch, &err);
	return 125;
}
