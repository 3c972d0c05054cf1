/* SPDX-License-Identifier: Apache-2.0 */
/* Real cgroups of this machine, whatever its layout. Exits with 77 (skipped) without the privilege to make one. */
#include <sched.h>
#include <sys/mman.h>
#include <time.h>

#include "sandbox/cgroup/freezer.h"
#include "sandbox/cgroup/kill.h"
#include "tests/unit/cgroup_support.h"

static void stubborn_family(void)
{
	for (int number = 1; number < NSIG; number++)
		signal(number, SIG_IGN);
	for (int i = 0; i < 500; i++)
		if (fork() == 0)
			sleeper();
	sleeper();
}

static void forker(void)
{
	ready();
	/* As fast as it can, each generation from the one before. */
	for (;;) {
		pid_t pid = fork();
		if (pid > 0)
			_exit(0);
		if (pid < 0)
			sched_yield();
	}
}

static void test_join(void)
{
	struct cgroup *cgroup = make(NULL, NULL);
	struct error err = {0};
	CLEANUP_CGROUP_PIDS struct cgroup_pids pids = {0};

	pid_t fast = spawn(cgroup, sleeper);
	pid_t slow = fork();
	if (slow == 0)
		sleeper();
	await_ready(2);
	CHECK(ok(cgroup_verify(cgroup, fast, &err), &err));
	CHECK(cgroup_verify(cgroup, slow, &err) == -ESRCH);
	CHECK(ok(cgroup_join(cgroup, slow, &err), &err));
	CHECK(ok(cgroup_verify(cgroup, slow, &err), &err));
	CHECK(ok(cgroup_processes(cgroup, &pids, &err), &err));
	CHECK(pids.count == 2);
	/* Somebody else's cgroup now. */
	struct cgroup_settings settings = settings_for(NULL);
	struct cgroup *other = NULL;
	CHECK(ok(cgroup_plan(&settings, NULL, &other, &err), &err));
	CHECK(cgroup_create(other, &err) == -EBUSY);
	CHECK(strstr(err.message, "container's cgroup is not empty") != NULL);
	cgroup_free(other);
	/* Live processes stay, and so does the cgroup. */
	CHECK(ok(cgroup_kill(cgroup, &err), &err));
	CHECK(waitpid(fast, NULL, 0) == fast && waitpid(slow, NULL, 0) == slow);
	remove_and_check(cgroup);
}

static void test_kill_stubborn(bool frozen)
{
	struct cgroup *cgroup = make(NULL, NULL);
	struct error err = {0};
	CLEANUP_CGROUP_PIDS struct cgroup_pids pids = {0};

	pid_t pid = spawn(cgroup, stubborn_family);
	await_ready(501);
	if (frozen) {
		CHECK(cgroup_frozen(cgroup, &err) == 0);
		CHECK(ok(cgroup_freeze(cgroup, &err), &err));
		CHECK(ok(cgroup_freeze(cgroup, &err), &err));
		CHECK(cgroup_frozen(cgroup, &err) == 1);
	}
	CHECK(ok(cgroup_processes(cgroup, &pids, &err), &err));
	CHECK(pids.count == 501);
	CHECK(ok(cgroup_kill(cgroup, &err), &err));
	CHECK(waitpid(pid, NULL, 0) == pid);
	CHECK(cgroup_processes(cgroup, &pids, &err) == 0 && pids.count == 0);
	remove_and_check(cgroup);
}

static void test_kill_forker(void)
{
	struct oci_resources resources = {.pids_limit = {true, 200}};
	struct cgroup *cgroup = make(NULL, &resources);
	struct error err = {0};

	pid_t pid = spawn(cgroup, forker);
	await_ready(1);
	CHECK(ok(cgroup_kill(cgroup, &err), &err));
	waitpid(pid, NULL, 0);
	remove_and_check(cgroup);
}

/* One hierarchy at a time, as if the others did not exist: each way of killing has to do alone. */
static void test_kill_each_hierarchy(void)
{
	struct cgroup *cgroup = make(NULL, NULL);
	struct error err = {0};
	size_t count;
	const struct cgroup_path *paths = cgroup_paths(cgroup, &count);

	for (size_t i = 0; i < count; i++) {
		pid_t pid = spawn(cgroup, stubborn_family);
		await_ready(501);
		CHECK(ok(cgroup_kill_paths(&paths[i], 1, CGROUP_TIMEOUT_MS, &err), &err));
		CHECK(waitpid(pid, NULL, 0) == pid);
		if (cgroup_path_is_v2(&paths[i]) || cgroup_path_has(&paths[i], "freezer")) {
			pid = spawn(cgroup, forker);
			await_ready(1);
			CHECK(ok(cgroup_kill_paths(&paths[i], 1, CGROUP_TIMEOUT_MS, &err), &err));
			waitpid(pid, NULL, 0);
		}
	}
	/* A cgroup that was told to kill is not used again, but made anew. */
	pid_t pid = spawn(cgroup, stubborn_family);
	await_ready(501);
	CHECK(ok(cgroup_end_paths(paths, count, CGROUP_TIMEOUT_MS, &err), &err));
	CHECK(waitpid(pid, NULL, 0) == pid);
	struct cgroup *again = make(NULL, NULL);
	pid = spawn(again, sleeper);
	await_ready(1);
	CHECK(ok(cgroup_kill(again, &err), &err));
	CHECK(waitpid(pid, NULL, 0) == pid);
	cgroup_free(again);
	remove_and_check(cgroup);
}

static long counter_value(const long *counter)
{
	return __atomic_load_n(counter, __ATOMIC_RELAXED);
}

static long *shared_counter;

static void counting(void)
{
	ready();
	for (;;)
		__atomic_add_fetch(shared_counter, 1, __ATOMIC_RELAXED);
}

static void test_freeze(bool each)
{
	struct cgroup *cgroup = make(NULL, NULL);
	struct error err = {0};
	size_t count;
	const struct cgroup_path *paths = cgroup_paths(cgroup, &count);

	*shared_counter = 0;
	pid_t pid = spawn(cgroup, counting);
	await_ready(1);
	for (size_t i = 0; i < (each ? count : 1); i++) {
		const struct cgroup_path *some = each ? &paths[i] : paths;
		size_t some_count = each ? 1 : count;
		if (each && !cgroup_path_is_v2(some) && !cgroup_path_has(some, "freezer")) {
			CHECK(cgroup_freeze_paths(some, 1, 1000, &err) == -EOPNOTSUPP);
			continue;
		}
		CHECK(ok(cgroup_freeze_paths(some, some_count, 5000, &err), &err));
		CHECK(cgroup_frozen_paths(some, some_count, &err) == 1);
		long before = counter_value(shared_counter);
		struct timespec moment = {.tv_nsec = 20000000};
		nanosleep(&moment, NULL);
		CHECK(counter_value(shared_counter) == before);
		CHECK(ok(cgroup_thaw_paths(some, some_count, &err), &err));
		CHECK(cgroup_frozen_paths(some, some_count, &err) == 0);
		while (counter_value(shared_counter) == before)
			sched_yield();
	}
	/* A container that is frozen dies too. */
	CHECK(ok(cgroup_freeze(cgroup, &err), &err));
	CHECK(ok(cgroup_kill(cgroup, &err), &err));
	CHECK(waitpid(pid, NULL, 0) == pid);
	remove_and_check(cgroup);
	CHECK(cgroup_frozen_paths(paths, 0, &err) == 0);
}

/* The container makes cgroups of its own in all hierarchies and puts processes there. */
static void test_nested(void)
{
	struct cgroup *cgroup = make("/sandlock-test/deep/er", NULL);
	struct error err = {0};
	size_t count;
	const struct cgroup_path *paths = cgroup_paths(cgroup, &count);
	CLEANUP_CGROUP_PIDS struct cgroup_pids pids = {0};

	for (size_t i = 0; i < count; i++) {
		char path[4096];
		snprintf(path, sizeof path, "%s/nested", paths[i].path);
		CHECK(mkdir(path, 0755) == 0);
		snprintf(path, sizeof path, "%s/nested/more", paths[i].path);
		CHECK(mkdir(path, 0755) == 0);
		/* v1 cpusets that are empty take no process. */
		char value[64];
		if (cgroup_path_has(&paths[i], "cpuset")) {
			static const char *const files[] = {"cpuset.cpus", "cpuset.mems"};
			for (size_t k = 0; k < 2; k++) {
				char from[4200];
				snprintf(from, sizeof from, "%s/%s", paths[i].path, files[k]);
				CHECK(file_read_at(AT_FDCWD, from, value, sizeof value) > 0);
				snprintf(from, sizeof from, "%s/nested/%s", paths[i].path, files[k]);
				CHECK(file_write_at(AT_FDCWD, from, value) == 0);
				snprintf(from, sizeof from, "%s/nested/more/%s", paths[i].path, files[k]);
				CHECK(file_write_at(AT_FDCWD, from, value) == 0);
			}
		}
	}
	pid_t pid = spawn(cgroup, sleeper);
	pid_t below = spawn(cgroup, sleeper);
	await_ready(2);
	CHECK(ok(cgroup_join_below(cgroup, below, "nested/more", -1, &err), &err));
	CHECK(ok(cgroup_verify(cgroup, below, &err), &err));
	CHECK(cgroup_join_below(cgroup, below, "nested/../..", -1, &err) == -EINVAL);
	CHECK(strstr(err.message, "`..` components are not allowed") != NULL);
	CHECK(cgroup_join_below(cgroup, below, "/nested", -1, &err) == -EINVAL);
	CHECK(cgroup_join_below(cgroup, below, "absent", -1, &err) == -ENOENT);
	CHECK(ok(cgroup_join_below(cgroup, below, "nested/more", -1, &err), &err));
	CHECK(ok(cgroup_processes(cgroup, &pids, &err), &err));
	CHECK(pids.count == 2);
	CHECK(ok(cgroup_freeze(cgroup, &err), &err));
	CHECK(ok(cgroup_kill(cgroup, &err), &err));
	CHECK(waitpid(pid, NULL, 0) == pid && waitpid(below, NULL, 0) == below);
	/* The parents that were made on the way are not the container's own, but nobody else's here. */
	char parents[CGROUP_PATHS_MAX][4096];
	for (size_t i = 0; i < count; i++)
		snprintf(parents[i], sizeof parents[i], "%.*s", (int)(strrchr(paths[i].path, '/') - paths[i].path),
			 paths[i].path);
	remove_and_check(cgroup);
	for (size_t i = 0; i < count; i++) {
		CHECK(rmdir(parents[i]) == 0);
		*strrchr(parents[i], '/') = '\0';
		CHECK(rmdir(parents[i]) == 0);
	}
}

/* What the supervisor does with nothing but the plan. */
static void test_plan_only(void)
{
	struct cgroup *cgroup = make(NULL, NULL);
	struct error err = {0};
	CLEANUP_PLAN_BUILDER struct plan_builder builder;
	const struct plan *plan;
	struct stat status;

	plan_builder_init(&builder);
	cgroup_fill_plan(&builder, cgroup);
	CLEANUP_CLOSE int fd = plan_seal(&builder, &err);
	if (!CHECK(fd >= 0) || !CHECK(ok(plan_map(fd, &plan, &err), &err)))
		return;
	pid_t pid = spawn(cgroup, stubborn_family);
	await_ready(501);
	struct cgroup *opened = NULL;
	CHECK(ok(cgroup_open(plan, &opened, &err), &err));
	CHECK(cgroup_mode(opened) == cgroup_mode(cgroup));
	CHECK(ok(cgroup_freeze(opened, &err), &err));
	CHECK(cgroup_frozen(cgroup, &err) == 1);
	cgroup_free(opened);
	CHECK(ok(cgroup_thaw_plan(plan, &err), &err));
	CHECK(cgroup_frozen(cgroup, &err) == 0);
	CHECK(ok(cgroup_end_plan(plan, &err), &err));
	CHECK(waitpid(pid, NULL, 0) == pid);
	CHECK(ok(cgroup_remove_plan(plan, &err), &err));
	CHECK(stat(cgroup->paths[0].path, &status) < 0 && errno == ENOENT);
	cgroup_free(cgroup);
}

int main(void)
{
	if (!can_test())
		return 77;
	shared_counter = mmap(NULL, sizeof *shared_counter, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	test_join();
	test_kill_stubborn(false);
	test_kill_stubborn(true);
	test_kill_forker();
	test_kill_each_hierarchy();
	test_freeze(false);
	test_freeze(true);
	test_nested();
	test_plan_only();
	return check_result();
}
