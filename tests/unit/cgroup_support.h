/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests on real cgroups share. */
#ifndef SANDLOCK_TESTS_CGROUP_SUPPORT_H
#define SANDLOCK_TESTS_CGROUP_SUPPORT_H

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sandbox/cgroup/cgroup_internal.h"
#include "sandbox/common/cleanup.h"
#include "sandbox/common/file.h"
#include "sandbox/common/syscalls.h"
#include "tests/unit/check.h"

static char id[64];

static inline struct cgroup_settings settings_for(const char *path)
{
	return (struct cgroup_settings){
	    .manager = CGROUP_MANAGER_CGROUPFS, .id = id, .cgroups_path = path, .owner_uid = UINT32_MAX};
}

/* The error is shown when there should be none. */
static inline bool ok(int rc, const struct error *err)
{
	if (rc < 0)
		printf("# %s\n", err->message);
	return rc >= 0;
}

static inline struct cgroup *make(const char *path, const struct oci_resources *resources)
{
	struct cgroup_settings settings = settings_for(path);
	struct cgroup *cgroup = NULL;
	struct error err = {0};

	if (!CHECK(ok(cgroup_plan(&settings, resources, &cgroup, &err), &err)) ||
	    !CHECK(ok(cgroup_create(cgroup, &err), &err)) || !CHECK(ok(cgroup_apply(cgroup, resources, &err), &err)))
		exit(1);
	return cgroup;
}

static inline void remove_and_check(struct cgroup *cgroup)
{
	struct error err = {0};
	size_t count;
	const struct cgroup_path *paths = cgroup_paths(cgroup, &count);
	struct stat status;

	CHECK(ok(cgroup_remove(cgroup, &err), &err));
	for (size_t i = 0; i < count; i++)
		if (!CHECK(stat(paths[i].path, &status) < 0 && errno == ENOENT))
			printf("# left: %s\n", paths[i].path);
	/* Again: nothing to do is fine. */
	CHECK(ok(cgroup_remove(cgroup, &err), &err));
	cgroup_free(cgroup);
}

/* A child in the cgroup, the fast way. */
static inline pid_t spawn(struct cgroup *cgroup, void (*body)(void))
{
	int fds[CGROUP_PATHS_MAX];
	struct error err = {0};
	size_t count;
	const struct cgroup_path *paths = cgroup_paths(cgroup, &count);
	CLEANUP_CLOSE int v2 = cgroup_open_v2_dir(paths, count, &err);

	if (!CHECK(ok(cgroup_join_open(paths, count, v2 >= 0, fds, &err), &err)))
		exit(1);
	struct sl_clone_args args = {.exit_signal = SIGCHLD};
	if (v2 >= 0) {
		args.flags = CLONE_INTO_CGROUP;
		args.cgroup = (uint64_t)v2;
	}
	pid_t pid = (pid_t)sl_clone3(&args);
	if (pid == 0) {
		if (cgroup_join_fds(fds, count, &err) < 0)
			_exit(99);
		body();
		_exit(0);
	}
	CHECK(pid > 0);
	for (size_t i = 0; i < count; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	return pid;
}

/* A pipe that a child writes to when it is ready; the parent waits for `wanted` bytes. */
static int ready_pipe[2];

static inline void ready(void)
{
	if (write(ready_pipe[1], "r", 1) != 1)
		_exit(98);
}

static inline void await_ready(size_t wanted)
{
	char byte;

	while (wanted > 0 && read(ready_pipe[0], &byte, 1) == 1)
		wanted--;
	CHECK(wanted == 0);
}

static inline void sleeper(void)
{
	ready();
	for (;;)
		pause();
}

/* Whether a cgroup can be made here; prints why not. */
static inline bool can_test(void)
{
	struct cgroup_settings settings;
	struct cgroup *cgroup = NULL;
	struct error err = {0};

	setlinebuf(stdout);
	snprintf(id, sizeof id, "sandlock-test-%d", (int)getpid());
	settings = settings_for(NULL);
	if (geteuid() != 0 || cgroup_plan(&settings, NULL, &cgroup, &err) < 0 || cgroup_create(cgroup, &err) < 0) {
		printf("1..0 # SKIP no cgroup can be made here: %s\n", err.message);
		return false;
	}
	remove_and_check(cgroup);
	return pipe2(ready_pipe, O_CLOEXEC) == 0;
}

#endif
