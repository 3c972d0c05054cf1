/* SPDX-License-Identifier: Apache-2.0 */
/* The first life of the container's pid 1: it holds the new namespaces, still with the supervisor's image. */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/securebits.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "sandbox/cgroup/paths.h"
#include "sandbox/common/cleanup.h"
#include "sandbox/common/file.h"
#include "sandbox/common/message.h"
#include "sandbox/common/syscalls.h"
#include "sandbox/session/late_namespaces.h"
#include "sandbox/session/protocol.h"
#include "sandbox/session/reaper.h"

struct holder {
	const struct plan *plan;
	int channel;
	int init_fd;
	int supervisor_pidfd;
};

/* The id maps are written: enter the cgroup, and make what depends on either. */
static int finish_namespaces(const struct holder *holder, const int *cgroup_fds, size_t count, struct error *err)
{
	const struct plan *plan = holder->plan;

	if (cgroup_join_fds(cgroup_fds, count, err) < 0)
		return -err->code;
	for (size_t i = 0; i < count; i++)
		close(cgroup_fds[i]);
	if ((plan->clone_flags & CLONE_NEWUSER) != 0 && (setresgid(0, 0, 0) < 0 || setresuid(0, 0, 0) < 0))
		return error_errno(err, errno, "become root of the user namespace");
	return late_namespaces_make(plan, err);
}

/* The main process's environment, with HOME if the launcher had to find it. */
static char **make_environment(const struct plan *plan, const char *home)
{
	const plan_string *items = plan_items(plan, plan->process.env);
	char **env = calloc(plan->process.env.count + 2, sizeof *env);
	size_t n = 0;

	if (env == NULL)
		return NULL;
	for (uint32_t i = 0; i < plan->process.env.count; i++) {
		const char *item = plan_text(plan, items[i]);
		if (home[0] == '\0' || strncmp(item, "HOME=", 5) != 0)
			env[n++] = (char *)item;
	}
	if (home[0] != '\0')
		env[n] = (char *)home;
	return env;
}

/* Same user as the main process, but without a capability and without a way to get one. */
static int drop_privileges(const struct plan *plan, struct error *err)
{
	const struct plan_process *process = &plan->process;
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2] = {{0}, {0}};

	/* Kernels that know fewer capabilities answer EINVAL for the rest. */
	for (int capability = 0; capability < 64; capability++)
		if (prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) < 0)
			break;
	prctl(PR_SET_SECUREBITS, SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_NO_SETUID_FIXUP_LOCKED, 0, 0, 0);
	/* A user namespace may deny setgroups; then there are no groups to set either. */
	if (setgroups(process->additional_gids.count, plan_items(plan, process->additional_gids)) < 0 && errno != EPERM)
		return error_errno(err, errno, "reaper: set the additional groups");
	if (setresgid(process->gid, process->gid, process->gid) < 0)
		return error_errno(err, errno, "reaper: set gid %u", process->gid);
	if (setresuid(process->uid, process->uid, process->uid) < 0)
		return error_errno(err, errno, "reaper: set uid %u", process->uid);
	if (syscall(SYS_capset, &header, data) < 0)
		return error_errno(err, errno, "reaper: drop the capabilities");
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return error_errno(err, errno, "reaper: set no_new_privs");
	return 0;
}

/* Becomes the reaper: only returns on failure. */
static int become_reaper(const struct holder *holder, const struct reaper_order *order, const int *fds,
			 size_t fds_count, struct error *err)
{
	char channel[16], main_pidfd[16], supervisor_pidfd[16];
	char home[sizeof order->home + 8];

	size_t streams = (holder->plan->flags & PLAN_NESTED_PID) != 0 ? 0 : REAPER_STREAMS;
	if (fds_count < streams + 1)
		return error_set(err, EPROTO, "reaper: the handoff came without descriptors");
	for (int i = 0; i < (int)streams; i++)
		if (dup2(fds[i], i) < 0)
			return error_errno(err, errno, "reaper: take over the standard streams");
	int main_process = fds[streams];
	/* pivot_root(2) moved our root along; MS_MOVE and chroot did not. */
	if (fds_count > streams + 1 && (fchdir(fds[streams + 1]) < 0 || chroot(".") < 0))
		return error_errno(err, errno, "reaper: enter the root filesystem");
	if (chdir("/") < 0)
		return error_errno(err, errno, "reaper: chdir to /");
	if (drop_privileges(holder->plan, err) < 0)
		return -err->code;
	if (!reaper_tie_to_supervisor(holder->supervisor_pidfd))
		return error_set(err, ESRCH, "reaper: the supervisor is gone");
	if (file_set_cloexec(holder->channel, 0) < 0 || file_set_cloexec(main_process, 0) < 0 ||
	    file_set_cloexec(holder->supervisor_pidfd, 0) < 0)
		return error_errno(err, errno, "reaper: keep descriptors");
	snprintf(channel, sizeof channel, "%d", holder->channel);
	snprintf(main_pidfd, sizeof main_pidfd, "%d", main_process);
	snprintf(supervisor_pidfd, sizeof supervisor_pidfd, "%d", holder->supervisor_pidfd);
	snprintf(home, sizeof home, "%s%s", order->home[0] != '\0' ? "HOME=" : "", order->home);
	char *argv[] = {"sandlock-init", "reaper", channel, main_pidfd, supervisor_pidfd, NULL};
	char **env = make_environment(holder->plan, home);
	if (env == NULL)
		return error_errno(err, ENOMEM, "reaper: make the environment");
	sl_execveat(holder->init_fd, "", argv, env, AT_EMPTY_PATH);
	return error_errno(err, errno, "reaper: execute the sealed image");
}

void holder_main(const struct plan *plan, int channel, int init_fd, int supervisor_pidfd)
{
	struct holder holder = {plan, channel, init_fd, supervisor_pidfd};
	int keep[] = {channel, init_fd, supervisor_pidfd};

	if (file_close_except(3, keep, ARRAY_SIZE(keep)) < 0 || !reaper_tie_to_supervisor(supervisor_pidfd))
		_exit(125);
	for (;;) {
		struct reaper_order order;
		struct reaper_answer answer = {0};
		int fds[CGROUP_PATHS_MAX];
		size_t fds_count;
		ssize_t length = message_receive(channel, &order, sizeof order, fds, ARRAY_SIZE(fds), &fds_count);
		if (length == 0 && (plan->flags & PLAN_NESTED_PID) != 0)
			reaper_guard(supervisor_pidfd);
		if (length != sizeof order)
			_exit(125);
		order.home[sizeof order.home - 1] = '\0';
		if (order.kind == REAPER_GO)
			answer.value = finish_namespaces(&holder, fds, fds_count, &answer.error);
		else
			answer.value = become_reaper(&holder, &order, fds, fds_count, &answer.error);
		if (message_send(channel, &answer, sizeof answer, NULL, 0) < 0 || answer.value < 0)
			_exit(125);
	}
}
