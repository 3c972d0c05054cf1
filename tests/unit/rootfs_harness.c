/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/unit/rootfs_harness.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sandbox/common/arena.h"
#include "sandbox/common/cleanup.h"
#include "sandbox/common/file.h"
#include "sandbox/common/syscalls.h"
#include "sandbox/linux/devices_plan.h"
#include "sandbox/linux/mounts_plan.h"
#include "sandbox/linux/rootfs.h"
#include "sandbox/plan_builder.h"
#include "spec/parse.h"

#define WORK "/tmp/sandlock-test-rootfs"

/* Counted by all processes of a case. */
static int *failures;
static const char *current;

void check_that(bool ok, const char *format, ...)
{
	char text[4096];
	va_list arguments;

	if (ok)
		return;
	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	fprintf(stderr, "%s: %s\n", current, text);
	__atomic_add_fetch(failures, 1, __ATOMIC_SEQ_CST);
}

void make_file(const char *path, const char *text)
{
	CLEANUP_CLOSE int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	check_that(fd >= 0 && file_write_all(fd, text, strlen(text)) == 0, "create %s: %s", path, strerror(errno));
}

void make_directory(const char *path)
{
	char part[512];

	for (size_t i = 1; i <= strlen(path); i++)
		if (path[i] == '/' || path[i] == '\0') {
			snprintf(part, sizeof part, "%.*s", (int)i, path);
			if (mkdir(part, 0755) < 0 && errno != EEXIST)
				check_that(false, "mkdir %s: %s", part, strerror(errno));
		}
}

void make_link(const char *target, const char *path)
{
	check_that(symlink(target, path) == 0, "link %s: %s", path, strerror(errno));
}

bool file_is(const char *path, const char *text)
{
	char buffer[4096];
	ssize_t length = file_read_at(AT_FDCWD, path, buffer, sizeof buffer);

	return length >= 0 && strcmp(buffer, text) == 0;
}

const char *mount_line(const char *path)
{
	static char found[4096];
	CLEANUP_FREE char *text = NULL;
	CLEANUP_CLOSE int fd = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
	char *position = NULL;
	size_t length;

	found[0] = '\0';
	if (fd < 0 || file_read_all(fd, 1 << 20, &text, &length) < 0) {
		check_that(false, "read mountinfo: %s", strerror(errno));
		return found;
	}
	for (char *line = strtok_r(text, "\n", &position); line != NULL; line = strtok_r(NULL, "\n", &position)) {
		char point[1024];
		int rest = 0;
		if (sscanf(line, "%*d %*d %*s %*s %1023s %n", point, &rest) == 1 && strcmp(point, path) == 0)
			snprintf(found, sizeof found, "%s", line + rest);
	}
	return found;
}

bool has_word(const char *list, const char *word)
{
	size_t length = strlen(word);

	for (;;) {
		size_t part = strcspn(list, ", ");
		if (part == length && strncmp(list, word, length) == 0)
			return true;
		if (list[part] != ',')
			return false;
		list += part + 1;
	}
}

static const char *expand(struct arena *arena, const char *text)
{
	const char *result = "";

	for (const char *next = text == NULL ? "" : text; *next != '\0'; next++)
		result =
		    *next == '%' ? arena_printf(arena, "%s" WORK, result) : arena_printf(arena, "%s%c", result, *next);
	return result;
}

static char *config_text(struct arena *arena, const struct rootfs_case *test)
{
	const char *map = "[{\"containerID\": 0, \"hostID\": 100000, \"size\": 65536}]";
	const char *members = expand(arena, test->linux_);
	const char *user = test->user_namespace ? arena_printf(arena,
							       ", {\"type\": \"user\"}], \"uidMappings\": %s, "
							       "\"gidMappings\": %s",
							       map, map)
						: "]";

	return arena_printf(arena,
			    "{\"ociVersion\": \"1.3.0\", \"root\": {%s}, \"mounts\": [%s], "
			    "\"linux\": {\"namespaces\": [%s{\"type\": \"ipc\"}%s%s%s}}",
			    test->root == NULL ? "\"path\": \"rootfs\"" : expand(arena, test->root),
			    expand(arena, test->mounts), test->no_mount_namespace ? "" : "{\"type\": \"mount\"}, ",
			    user, members[0] == '\0' ? "" : ", ", members);
}

static int make_plan(const struct rootfs_case *test, struct plan_builder *builder, struct arena *arena,
		     struct error *err)
{
	struct mounts_plan_options options = {
	    .bundle = WORK, .user_namespace = test->user_namespace, .privileged = true};
	struct oci_config *config;
	char *text = config_text(arena, test);

	plan_builder_init(builder);
	int result = config_parse(arena, text, strlen(text), NULL, &config, err);
	if (result < 0)
		return result;
	if (mounts_plan(builder, config, &options, err) < 0 || devices_plan(builder, config, &options, err) < 0)
		return -err->code;
	builder->plan.flags |= test->no_mount_namespace ? 0 : PLAN_NEW_MOUNT_NS;
	builder->plan.flags |= test->no_pivot ? PLAN_NO_PIVOT : 0;
	return plan_seal(builder, err);
}

static void write_map(pid_t child, const char *name)
{
	char path[64];

	snprintf(path, sizeof path, "/proc/%d/%s", (int)child, name);
	check_that(file_write_at(AT_FDCWD, path, "0 100000 65536\n") == 0, "write %s", path);
}

static void remove_mount_setattr(void)
{
	struct sock_filter code[] = {
	    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mount_setattr, 0, 1),
	    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
	    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {.len = ARRAY_SIZE(code), .filter = code};

	check_that(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0, "seccomp: %s", strerror(errno));
}

/* The container: prepares, pivots, checks. */
static void container(const struct rootfs_case *test, const struct plan_builder *builder, int sealed, int channel)
{
	struct launch launch = {.fds = builder->fds, .fds_count = builder->fds_count, .proc_fd = -1, .root_fd = -1};
	struct error err = {0};
	char cwd[64];

	if (test->user_namespace && (setresgid(0, 0, 0) < 0 || setresuid(0, 0, 0) < 0))
		check_that(false, "become root of the user namespace");
	if (test->old_kernel)
		remove_mount_setattr();
	if (plan_map(sealed, &launch.plan, &err) < 0 || rootfs_prepare(&launch, &err) < 0 ||
	    rootfs_pivot(&launch, &err) < 0 || rootfs_finish(&launch, &err) < 0) {
		if (test->error == NULL || strstr(err.message, test->error) == NULL)
			check_that(false, "%s (code %d)", err.message, err.code);
	} else {
		check_that(test->error == NULL, "succeeded, expected an error with \"%s\"", test->error);
		check_that(getcwd(cwd, sizeof cwd) != NULL && strcmp(cwd, "/") == 0, "the current directory is %s",
			   cwd);
		check_that(launch.rootfs == NULL, "launch->rootfs is left behind");
		if (test->error == NULL && test->inside != NULL)
			test->inside();
	}
	/* The caller looks around while these namespaces live. */
	char byte = 0;
	if (write(channel, &byte, 1) != 1 || read(channel, &byte, 1) < 0)
		_exit(1);
	_exit(0);
}

/* Between the caller and the container: makes the namespaces, waits for the maps. */
static void enter(const struct rootfs_case *test, const struct plan_builder *builder, int sealed, int channel)
{
	int flags = (test->no_mount_namespace ? 0 : CLONE_NEWNS) | CLONE_NEWIPC | CLONE_NEWUTS;
	char byte = 0;

	flags |= test->user_namespace ? CLONE_NEWUSER : 0;
	flags |= test->host_network ? 0 : CLONE_NEWNET;
	flags |= test->host_pids ? 0 : CLONE_NEWPID;
	if (unshare(flags) < 0 || write(channel, &byte, 1) != 1 || read(channel, &byte, 1) != 1) {
		check_that(false, "unshare: %s", strerror(errno));
		_exit(1);
	}
	pid_t child = fork();
	if (child == 0)
		container(test, builder, sealed, channel);
	waitpid(child, NULL, 0);
	_exit(0);
}

static void run(const struct rootfs_case *test)
{
	CLEANUP_ARENA struct arena arena = {0};
	CLEANUP_PLAN_BUILDER struct plan_builder builder;
	struct error err = {0};
	int channel[2];
	char byte;

	int sealed = make_plan(test, &builder, &arena, &err);
	if (sealed < 0) {
		if (test->error == NULL || strstr(err.message, test->error) == NULL)
			check_that(false, "planning: %s (code %d)", err.message, err.code);
		return;
	}
	if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, channel) < 0)
		return check_that(false, "socketpair");
	pid_t child = fork();
	if (child == 0) {
		close(channel[0]);
		enter(test, &builder, sealed, channel[1]);
	}
	close(channel[1]);
	if (read(channel[0], &byte, 1) == 1) {
		if (test->user_namespace) {
			write_map(child, "uid_map");
			write_map(child, "gid_map");
		}
		check_that(write(channel[0], &byte, 1) == 1 && read(channel[0], &byte, 1) == 1, "the container died");
		if (test->outside != NULL)
			test->outside();
	}
	close(channel[0]);
	waitpid(child, NULL, 0);
}

static void prepare_host(const struct rootfs_case *test)
{
	/* A /tmp of its own: cases of several tests run at once and leave nothing behind. The rest is read-only, so
	 * that a case that breaks out does no harm. */
	if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
	    mount(NULL, "/", NULL, MS_REMOUNT | MS_BIND | MS_RDONLY, NULL) < 0 ||
	    mount(NULL, "/dev", NULL, MS_REMOUNT | MS_BIND | MS_RDONLY, NULL) < 0 ||
	    mount("tmpfs", "/tmp", "tmpfs", 0, "mode=1777") < 0 || mkdir(WORK, 0755) < 0 ||
	    mount("tmpfs", WORK, "tmpfs", 0, "mode=755") < 0 || chdir(WORK) < 0 || mkdir("rootfs", 0755) < 0) {
		check_that(false, "prepare the work directory: %s", strerror(errno));
		_exit(1);
	}
	if (test->user_namespace && chown("rootfs", 100000, 100000) < 0)
		check_that(false, "chown: %s", strerror(errno));
	if (test->shared && mount(NULL, "/", NULL, MS_REC | MS_SHARED, NULL) < 0)
		check_that(false, "share: %s", strerror(errno));
}

static bool kernel_is(int wanted)
{
	struct utsname name;
	int major = 0, minor = 0;

	return uname(&name) == 0 && sscanf(name.release, "%d.%d", &major, &minor) == 2 && major * 100 + minor >= wanted;
}

int rootfs_case_run(const struct rootfs_case *test)
{
	if (!kernel_is(test->kernel)) {
		printf("%s: skipped, needs Linux %d.%d\n", test->name, test->kernel / 100, test->kernel % 100);
		return 0;
	}
	if (failures == NULL)
		failures = mmap(NULL, sizeof *failures, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (failures == MAP_FAILED)
		return 1;
	int before = *failures;
	current = test->name;
	pid_t child = fork();
	if (child == 0) {
		umask(022);
		prepare_host(test);
		if (test->before != NULL)
			test->before();
		run(test);
		_exit(0);
	}
	int status;
	if (child < 0 || waitpid(child, &status, 0) < 0 || status != 0)
		check_that(false, "the case ended with status %d", status);
	return *failures - before;
}
