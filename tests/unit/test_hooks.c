/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "hooks/hooks.h"
#include "hooks/plan.h"
#include "sandbox/common/cleanup.h"
#include "sandbox/common/file.h"
#include "sandbox/common/syscalls.h"
#include "tests/unit/linux_support.h"

#define PATH_VARIABLE "PATH=/usr/bin:/bin"

static char directory[] = "/tmp/test_hooks.XXXXXX";

/* sh -c SCRIPT */
static struct oci_hook shell_hook(const char **arguments, const char **environment, const char *script)
{
	arguments[0] = "sh";
	arguments[1] = "-c";
	arguments[2] = script;
	environment[0] = PATH_VARIABLE;
	return (struct oci_hook){
	    .path = "/bin/sh", .args = arguments, .args_count = 3, .env = environment, .env_count = 1};
}

static const struct plan *make_plan(struct oci_hook *hooks, size_t count)
{
	static struct plan_builder builder;
	struct oci_config config = {.oci_version = "1.3.0", .hooks.prestart = {hooks, count}};
	struct error err = {0};

	plan_builder_init(&builder);
	builder.plan.bundle = plan_add_string(&builder, directory);
	hooks_plan_state(&builder, &config, "some-id", directory);
	CHECK_OK(hooks_plan(&builder, &config, &err), &err);
	const struct plan *plan = support_plan(&builder);
	plan_builder_free(&builder);
	return plan;
}

static int run_hook(struct oci_hook *hook, const char *state, size_t length, struct error *err)
{
	const struct plan *plan = make_plan(hook, 1);

	*err = (struct error){0};
	return hooks_run(plan, plan->hooks_prestart, "prestart", state, length, err);
}

static int run_script(const char *script, int timeout, struct error *err)
{
	const char *arguments[3], *environment[1];
	struct oci_hook hook = shell_hook(arguments, environment, script);

	if (timeout > 0)
		hook.timeout = (struct opt_i32){true, timeout};
	return run_hook(&hook, "{}", 2, err);
}

/* The content of a file in the bundle, "" without it. */
static const char *content(const char *name)
{
	static char text[65536];
	char path[128];

	snprintf(path, sizeof path, "%s/%s", directory, name);
	text[0] = '\0';
	if (file_read_at(AT_FDCWD, path, text, sizeof text) < 0)
		text[0] = '\0';
	return text;
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void test_state(void)
{
	const struct plan *plan = make_plan(NULL, 0);
	struct oci_pair annotations[] = {{"a\"b", "line\nend\\"}, {"c", "\xc3\xa4"}};
	struct oci_config config = {.oci_version = "1.3.0", .annotations = annotations, .annotations_count = 2};
	CLEANUP_PLAN_BUILDER struct plan_builder builder;
	struct error err = {0};
	char *text = NULL, wanted[256];
	size_t length = 0;

	CHECK_OK(hooks_state(plan, "creating", 42, &text, &length, &err), &err);
	snprintf(wanted, sizeof wanted,
		 "{\"ociVersion\":\"1.3.0\",\"id\":\"some-id\",\"bundle\":\"%s\",\"status\":\"creating\",\"pid\":42}",
		 directory);
	CHECK_TEXT(text, wanted);
	CHECK(text != NULL && length == strlen(text));
	free(text);

	plan_builder_init(&builder);
	hooks_plan_state(&builder, &config, "x", "/b");
	plan = support_plan(&builder);
	CHECK_OK(hooks_state(plan, "stopped", 0, &text, &length, &err), &err);
	CHECK_TEXT(text, "{\"ociVersion\":\"1.3.0\",\"id\":\"x\",\"bundle\":\"/b\",\"annotations\":{\"a\\\"b\":"
			 "\"line\\u000aend\\\\\",\"c\":\"\xc3\xa4\"},\"status\":\"stopped\"}");
	free(text);
}

static void test_plan_refuses(void)
{
	CLEANUP_PLAN_BUILDER struct plan_builder builder;
	struct oci_hook relative = {.path = "bin/x"};
	struct oci_hook hurried = {.path = "/bin/x", .timeout = {true, 0}};
	struct oci_config config = {.hooks.poststop = {&relative, 1}};
	struct error err = {0};

	plan_builder_init(&builder);
	CHECK(hooks_plan(&builder, &config, &err) == -EINVAL);
	CHECK_MESSAGE(&err, "hooks.poststop[0].path");
	config.hooks.poststop.items = &hurried;
	CHECK(hooks_plan(&builder, &config, &err) == -EINVAL);
	CHECK_MESSAGE(&err, "hooks.poststop[0].timeout");
}

/* State, arguments, environment, working directory and descriptors are what the specification says. */
static void test_what_a_hook_gets(void)
{
	const char *arguments[] = {"name-of-hook", "-c",
				   "cat >state; echo \"$0|$1|$PWD\" >args; env | grep -v '^_=\\|^PWD=\\|^SHLVL=' >env; "
				   "ls /proc/self/fd >fds; grep '^Sig[BI]' /proc/self/status >signals",
				   "zero", "one"};
	const char *environment[] = {PATH_VARIABLE, "HOOK=yes"};
	struct oci_hook hook = {
	    .path = "/bin/sh", .args = arguments, .args_count = 5, .env = environment, .env_count = 2};
	struct error err;
	char wanted[128];
	/* Strays without close-on-exec, and signals ignored and blocked, as engines leave them. */
	int stray = open("/dev/null", O_RDONLY);
	sigset_t blocked;
	unsigned long ignore[16] = {(unsigned long)(uintptr_t)SIG_IGN};

	signal(SIGPIPE, SIG_IGN);
	/* One that libc keeps for itself, left so by a caller that does not use libc. */
	syscall(SYS_rt_sigaction, 32, ignore, NULL, 8);
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGUSR1);
	sigprocmask(SIG_BLOCK, &blocked, NULL);
	setenv("SANDLOCK_TEST_LEAK", "1", 1);
	CHECK_OK(run_hook(&hook, "{\"the\":\"state\"}", 15, &err), &err);
	sigprocmask(SIG_UNBLOCK, &blocked, NULL);
	signal(SIGPIPE, SIG_DFL);
	close(stray);
	CHECK_TEXT(content("state"), "{\"the\":\"state\"}");
	snprintf(wanted, sizeof wanted, "zero|one|%s\n", directory);
	CHECK_TEXT(content("args"), wanted);
	CHECK(strstr(content("env"), "HOOK=yes") != NULL);
	CHECK(strstr(content("env"), "SANDLOCK_TEST_LEAK") == NULL);
	/* 3 is the directory ls reads. */
	CHECK_TEXT(content("fds"), "0\n1\n2\n3\n");
	CHECK_TEXT(content("signals"), "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
}

static void test_without_arguments_and_environment(void)
{
	char script[64], wanted[128];
	struct oci_hook hook = {.path = script};
	struct error err;

	snprintf(script, sizeof script, "%s/script", directory);
	int fd = open(script, O_WRONLY | O_CREAT | O_CLOEXEC, 0755);
	const char text[] = "#!/bin/sh\necho \"$0\" >name\nread line\necho \"$line\" >line\n"
			    "echo \"$SANDLOCK_TEST_LEAK\" >leak\n";
	CHECK(fd >= 0 && file_write_all(fd, text, strlen(text)) == 0);
	close(fd);
	setenv("SANDLOCK_TEST_LEAK", "inherited", 1);
	CHECK_OK(run_hook(&hook, "s\n", 2, &err), &err);
	CHECK_TEXT(content("leak"), "inherited\n");
	hook.env_set = true;
	CHECK_OK(run_hook(&hook, "s\n", 2, &err), &err);
	CHECK_TEXT(content("leak"), "\n");
	snprintf(wanted, sizeof wanted, "%s\n", script);
	CHECK_TEXT(content("name"), wanted);
	CHECK_TEXT(content("line"), "s\n");
}

static void test_failures(void)
{
	struct oci_hook missing = {.path = "/nonexistent/hook"};
	struct error err;

	CHECK(run_script("echo to stdout; echo oops >&2; exit 3", 0, &err) == -ECANCELED);
	CHECK_MESSAGE(&err, "error running prestart hook #0: exit status 3, stdout: to stdout, stderr: oops");
	CHECK(run_script("kill -SEGV $$", 0, &err) == -ECANCELED);
	CHECK_MESSAGE(&err, "error running prestart hook #0: signal: Segmentation fault");
	CHECK(run_hook(&missing, "", 0, &err) == -ENOENT);
	CHECK_MESSAGE(&err, "error running prestart hook #0: exec /nonexistent/hook: no such file or directory");
	/* The end of long output is what tells. */
	CHECK(run_script("head -c 3000000 /dev/zero | tr '\\0' x >&2; echo the end >&2; exit 1", 0, &err) ==
	      -ECANCELED);
	CHECK_MESSAGE(&err, "xxxthe end (");
}

static void test_order(void)
{
	const char *arguments[3][3], *environment[3][1];
	struct oci_hook hooks[] = {
	    shell_hook(arguments[0], environment[0], "echo 1 >>order"),
	    shell_hook(arguments[1], environment[1], "echo 2 >>order; exit 7"),
	    shell_hook(arguments[2], environment[2], "echo 3 >>order"),
	};
	const struct plan *plan = make_plan(hooks, 3);
	struct error err = {0};

	CHECK(hooks_run(plan, plan->hooks_prestart, "createRuntime", "{}", 2, &err) == -ECANCELED);
	CHECK_MESSAGE(&err, "error running createRuntime hook #1: exit status 7");
	CHECK_TEXT(content("order"), "1\n2\n");
}

/* A state of any size must neither stall a hook that does not read it nor kill the runtime. */
static void test_large_state(void)
{
	const char *arguments[3], *environment[1];
	struct oci_hook hook = shell_hook(arguments, environment, "exec 0<&-; exit 0");
	size_t size = 4 << 20;
	char *state = malloc(size);
	struct error err;

	CHECK(state != NULL);
	memset(state, 'x', size);
	CHECK_OK(run_hook(&hook, state, size, &err), &err);
	hook = shell_hook(arguments, environment, "sleep 0.2");
	CHECK_OK(run_hook(&hook, state, size, &err), &err);
	hook = shell_hook(arguments, environment, "wc -c >size");
	CHECK_OK(run_hook(&hook, state, size, &err), &err);
	CHECK_TEXT(content("size"), "4194304\n");
	free(state);
}

/* Whether the process whose number is in the file is gone. */
static bool is_gone(const char *name)
{
	int pid = atoi(content(name));

	return pid > 1 && kill(pid, 0) < 0 && errno == ESRCH;
}

static void test_timeout(void)
{
	struct error err;
	double start = seconds();

	/* One in the hook's own group, one that left its session, one whose parent is gone as well. */
	CHECK(run_script("sleep 1000 & echo $! >same; setsid sh -c 'echo $$ >other; exec sleep 1000' & "
			 "sh -c \"setsid sh -c 'echo \\$\\$ >orphan; exec sleep 1000' & exit\"; "
			 "while [ ! -s other ] || [ ! -s orphan ]; do sleep 0.01; done; echo ready >ready; sleep 1000",
			 1, &err) == -ETIMEDOUT);
	CHECK(seconds() - start < 8);
	CHECK_MESSAGE(&err, "error running prestart hook #0: hook ran past specified timeout of 1.0s");
	CHECK_TEXT(content("ready"), "ready\n");
	CHECK(is_gone("same"));
	CHECK(is_gone("other"));
	CHECK(is_gone("orphan"));
	/* In time. */
	CHECK_OK(run_script("exit 0", 1000, &err), &err);
}

/* What a successful hook leaves running stays and holds nobody up, though it has the hook's output. */
static void test_daemon(void)
{
	struct error err;
	double start = seconds();

	CHECK_OK(run_script("sleep 1000 & echo $! >daemon", 100, &err), &err);
	CHECK(seconds() - start < 20);
	int pid = atoi(content("daemon"));
	CHECK(pid > 1 && kill(pid, 0) == 0);
	if (pid > 1)
		kill(pid, SIGKILL);
}

static void run_long(void *context)
{
	struct error err;

	(void)context;
	run_script("echo $$ >long; sleep 1000", 0, &err);
}

/* The caller's death ends its hook. */
static void test_caller_dies(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		run_long(NULL);
		_exit(0);
	}
	while (content("long")[0] == '\0')
		sched_yield();
	CLEANUP_CLOSE int pidfd = sl_pidfd_open(atoi(content("long")), 0);
	struct pollfd entry = {.fd = pidfd, .events = POLLIN};
	CHECK(pidfd >= 0);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	CHECK(poll(&entry, 1, 20000) == 1);
}

/* Without its bundle a hook still runs; one of startContainer stays where it is. */
static void test_working_directory(void)
{
	const char *arguments[3], *environment[1];
	struct oci_hook hook = shell_hook(arguments, environment, "[ \"$(pwd)\" = / ]");
	CLEANUP_PLAN_BUILDER struct plan_builder builder;
	struct oci_config config = {.hooks.start_container = {&hook, 1}};
	struct error err = {0};

	plan_builder_init(&builder);
	builder.plan.bundle = plan_add_string(&builder, "/nonexistent/bundle");
	CHECK_OK(hooks_plan(&builder, &config, &err), &err);
	const struct plan *plan = support_plan(&builder);
	CHECK_OK(hooks_run(plan, plan->hooks_start_container, "poststop", "", 0, &err), &err);
	CHECK(chdir("/usr") == 0);
	CHECK(hooks_run(plan, plan->hooks_start_container, "startContainer", "", 0, &err) == -ECANCELED);
	CHECK(chdir("/") == 0);
	CHECK_OK(hooks_run(plan, plan->hooks_start_container, "startContainer", "", 0, &err), &err);
}

/* In a pid namespace whose /proc is the host's, as createContainer hooks have it, numbers differ: the orphans must be
 * found all the same. */
static void run_in_pid_namespace(void *context)
{
	struct error err;
	pid_t pid = fork();

	(void)context;
	if (pid == 0) {
		int rc = run_script(
		    "setsid sh -c 'grep ^NSpid: /proc/self/status >nspid; echo x >>escaped; exec sleep 1000' & "
		    "while [ ! -s escaped ]; do sleep 0.01; done; sleep 1000",
		    1, &err);
		/* Only this process, the namespace's init, may be left. */
		_exit(rc == -ETIMEDOUT && kill(-1, 0) < 0 && errno == ESRCH ? 0 : 1);
	}
	int status = -1;
	waitpid(pid, &status, 0);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

int main(void)
{
	if (mkdtemp(directory) == NULL)
		return 1;
	test_state();
	test_plan_refuses();
	test_what_a_hook_gets();
	test_without_arguments_and_environment();
	test_failures();
	test_order();
	test_large_state();
	test_timeout();
	test_daemon();
	test_caller_dies();
	test_working_directory();
	if (geteuid() == 0)
		support_child(CLONE_NEWPID, run_in_pid_namespace, NULL, "hooks in a pid namespace");
	char command[64];
	const char *arguments[] = {"rm", "-rf", directory, NULL};
	snprintf(command, sizeof command, "/bin/rm");
	pid_t pid = fork();
	if (pid == 0)
		execv(command, (char **)(uintptr_t)arguments);
	waitpid(pid, NULL, 0);
	return check_result();
}
