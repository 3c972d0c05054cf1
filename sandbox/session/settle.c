/* SPDX-License-Identifier: Apache-2.0 */
/* The end of a session: SIGKILL for every job, reap, clear what is on disk, free the name (design S4). */
#include <errno.h>
#include <fcntl.h>
#include <linux/stat.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sandbox/cgroup/freezer.h"
#include "sandbox/cgroup/kill.h"
#include "sandbox/cgroup/paths.h"
#include "sandbox/cgroup/rdt_remove.h"
#include "sandbox/common/cleanup.h"
#include "sandbox/common/file.h"
#include "sandbox/common/number.h"
#include "sandbox/common/syscalls.h"
#include "sandbox/session/supervisor.h"

/* How long a parent outside has to reap its child before the session ends without that. */
#define ZOMBIE_GRACE_MS 100

int64_t supervisor_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

bool supervisor_is_dead(int pidfd)
{
	struct pollfd poll_fd = {.fd = pidfd, .events = POLLIN};

	return pidfd < 0 || poll(&poll_fd, 1, 0) > 0;
}

void supervisor_settle_begin(struct supervisor *supervisor)
{
	struct cgroup_path paths[CGROUP_PATHS_MAX];
	struct error err = {0};

	if (supervisor->settling)
		return;
	supervisor->settling = true;
	supervisor->main_killed = supervisor->main_killed || !supervisor_is_dead(supervisor->main_pidfd);
	if (supervisor->reaper_pidfd >= 0)
		sl_pidfd_send_signal(supervisor->reaper_pidfd, SIGKILL);
	if (supervisor->main_pidfd >= 0)
		sl_pidfd_send_signal(supervisor->main_pidfd, SIGKILL);
	for (size_t i = 0; i < supervisor->jobs_count; i++)
		sl_pidfd_send_signal(supervisor->jobs[i].pidfd, SIGKILL);
	/* Without a pid namespace of its own the session is reached through its cgroup; with one, frozen processes
	 * must be let go to die (cgroup v1). */
	size_t count = supervisor->cgroup_ours ? cgroup_paths_from_plan(supervisor->plan, paths) : 0;
	if (count > 0 && supervisor->reaper_pidfd < 0)
		cgroup_end_paths(paths, count, CGROUP_TIMEOUT_MS, &err);
	else if (count > 0)
		cgroup_thaw_tree_paths(paths, count, &err);
	if (!supervisor_is_dead(supervisor->main_pidfd))
		cgroup_take_back(paths, count, supervisor->main_pid);
}

static void drop_dying(struct supervisor *supervisor)
{
	for (size_t i = 0; i < supervisor->dying_count; i++)
		close(supervisor->dying[i]);
	supervisor->dying_count = 0;
}

/* Opens pidfds of the killed reaper's remaining children, to be awaited. Returns false if it cannot be known whether
 * there are any. Numbers are only looked at here, nothing is signalled by them. */
static bool watch_children(struct supervisor *supervisor)
{
	struct cgroup_path paths[CGROUP_PATHS_MAX];
	size_t count = cgroup_paths_from_plan(supervisor->plan, paths);
	char path[64], text[4096], again[4096];

	drop_dying(supervisor);
	snprintf(path, sizeof path, "/proc/%d/task/%d/children", supervisor->reaper_pid, supervisor->reaper_pid);
	ssize_t length = file_read_at(-1, path, text, sizeof text);
	if (length == -ENOENT && access("/proc/self", F_OK) == 0 && supervisor_is_dead(supervisor->reaper_pidfd))
		return true;
	if (length < 0 && length != -EFBIG)
		return false;
	if (length == -EFBIG)
		text[sizeof text - 1] = '\0';
	char *position = text;
	for (char *word = strtok_r(text, " \n", &position);
	     word != NULL && supervisor->dying_count < ARRAY_SIZE(supervisor->dying);
	     word = strtok_r(NULL, " \n", &position)) {
		int pid;
		if (number_parse_int(word, 1, INT32_MAX, &pid) < 0)
			continue;
		int pidfd = sl_pidfd_open(pid, 0);
		if (pidfd >= 0) {
			if (!supervisor_is_dead(pidfd))
				cgroup_take_back(paths, count, pid);
			supervisor->dying[supervisor->dying_count++] = pidfd;
		} else if (errno != ESRCH)
			return false;
	}
	/* A number that was used again meanwhile is not the reaper's child any more: look anew rather than wait. */
	if (supervisor->dying_count > 0 && file_read_at(-1, path, again, sizeof again) == 0)
		drop_dying(supervisor);
	return true;
}

static bool is_reaped(int pidfd)
{
	return pidfd < 0 || (sl_pidfd_send_signal(pidfd, 0) < 0 && errno == ESRCH);
}

/* The reaper of a killed namespace ends after the last process in it was reaped. One whose parent is outside (the main
 * process under an engine, exec'ed ones) is reaped by that parent, at its leisure: when nothing but such zombies is
 * left, everything is dead, and that is what was asked for. */
static bool only_foreign_zombies(struct supervisor *supervisor)
{
	bool zombies = !supervisor->own_main && !is_reaped(supervisor->main_pidfd);

	if (!supervisor_is_dead(supervisor->main_pidfd))
		return false;
	for (size_t i = 0; i < supervisor->jobs_count; i++) {
		int pidfd = supervisor->jobs[i].pidfd;
		if (!supervisor_is_dead(pidfd)) {
			/* The loop awaits the last one. */
			supervisor->jobs[i].pidfd = supervisor->jobs[supervisor->jobs_count - 1].pidfd;
			supervisor->jobs[supervisor->jobs_count - 1].pidfd = pidfd;
			return false;
		}
		zombies = zombies || !is_reaped(pidfd);
	}
	/* Also without zombies: what is frozen elsewhere must be taken back, and then what it leaves behind. */
	bool known = watch_children(supervisor);
	return zombies && known && supervisor->dying_count == 0;
}

uint64_t supervisor_rootfs_mount(const struct plan *plan)
{
	struct statx status;

	if ((plan->flags & PLAN_SHARED_MOUNTS) == 0 ||
	    syscall(SYS_statx, AT_FDCWD, plan_text(plan, plan->rootfs), AT_SYMLINK_NOFOLLOW, STATX_MNT_ID, &status) <
		0 ||
	    (status.stx_mask & STATX_MNT_ID) == 0)
		return 0;
	return status.stx_mnt_id;
}

static void remove_record(struct supervisor *supervisor)
{
	const char *id = plan_text(supervisor->plan, supervisor->plan->id);
	CLEANUP_CLOSE int directory = -1;

	if (supervisor->root_dir < 0)
		return;
	directory = openat(supervisor->root_dir, id, O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (directory < 0)
		return;
	unlinkat(directory, "record.json", 0);
	unlinkat(supervisor->root_dir, id, AT_REMOVEDIR);
}

static void finish(struct supervisor *supervisor)
{
	struct cgroup_path paths[CGROUP_PATHS_MAX];
	struct reply reply;
	struct error err = {0};

	drop_dying(supervisor);
	size_t count = supervisor->cgroup_ours ? cgroup_paths_from_plan(supervisor->plan, paths) : 0;
	int rc = count == 0 ? 0 : cgroup_remove_paths(paths, count, &err);
	if (rc == 0)
		rc = rdt_remove_plan(supervisor->plan, &err);
	/* Without a mount namespace of its own the container's mounts are in ours, below one at its root. */
	if (supervisor->rootfs_mount != 0 && supervisor_rootfs_mount(supervisor->plan) != supervisor->rootfs_mount)
		umount2(plan_text(supervisor->plan, supervisor->plan->rootfs), MNT_DETACH | UMOUNT_NOFOLLOW);
	remove_record(supervisor);
	/* From here on the name is free. */
	close(supervisor->listener);
	supervisor->listener = -1;
	supervisor->finished = true;

	supervisor_reply(supervisor, &reply);
	if (rc < 0) {
		reply.error = err.code;
		snprintf(reply.text, sizeof reply.text, "%s", err.message);
	}
	for (size_t i = 0; i < supervisor->clients_count; i++) {
		const struct client *client = &supervisor->clients[i];
		if (client->deleting || client->waiting || client->starting) {
			struct reply copy = reply;
			if (!client->deleting)
				copy.error = 0;
			copy.fds = client->deleting ? REPLY_FD_PLAN : 0;
			/* Whoever deletes runs the poststop hooks. */
			if (client->deleting)
				supervisor->run_poststop = false;
			supervisor_send(supervisor, client->fd, &copy);
		}
	}
}

void supervisor_settle_progress(struct supervisor *supervisor)
{
	if (!supervisor->settling || supervisor->finished)
		return;
	/* It may be making cgroup and record right now; its calls fail, so it gives up. */
	if (!supervisor->created && !supervisor->abandoned && supervisor->creator_pidfd >= 0)
		return;
	if (supervisor->reaper_pidfd >= 0 && !supervisor->reaper_dead) {
		if (!only_foreign_zombies(supervisor)) {
			struct error ignored = {0};
			/* A process that was not dead yet may have frozen another one after settle_begin. Each end of
			 * one that is awaited leads here, so that nobody is left to freeze in the end. */
			cgroup_thaw_plan(supervisor->plan, &ignored);
			supervisor->zombie_deadline = 0;
			return;
		}
		/* Parents mostly reap at once, and then the reaper ends too. */
		int64_t now = supervisor_now();
		if (supervisor->zombie_deadline == 0)
			supervisor->zombie_deadline = now + ZOMBIE_GRACE_MS;
		if (now < supervisor->zombie_deadline)
			return;
		supervisor->zombie_held = true;
	} else if (supervisor->reaper_pidfd < 0 && !supervisor_is_dead(supervisor->main_pidfd)) {
		return;
	}
	finish(supervisor);
}
