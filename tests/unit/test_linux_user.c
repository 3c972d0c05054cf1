/* SPDX-License-Identifier: Apache-2.0 */
/* The launcher's steps around the change of user: capabilities, user, environment, cwd, executable. */
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "sandbox/common/cleanup.h"
#include "sandbox/common/file.h"
#include "sandbox/common/syscalls.h"
#include "sandbox/linux/capability.h"
#include "sandbox/linux/cwd.h"
#include "sandbox/linux/environment.h"
#include "sandbox/linux/executable.h"
#include "sandbox/linux/user.h"
#include "tests/unit/linux_support.h"

/* The steps around the change of user, in the launcher's order. */
static int change_user(struct launch *launch, struct error *err)
{
	if (capability_bounding_apply(launch, err) < 0 || capability_keep(launch, err) < 0 ||
	    user_apply(launch, err) < 0)
		return -err->code;
	return capability_apply(launch, err);
}

#define CHECK_STATUS(field, wanted) CHECK_TEXT(support_line("/proc/self/status", "\n" field ":"), wanted)

static void test_capabilities_of_user(void *context)
{
	struct setup setup;
	uint32_t gids[] = {20, 30};

	(void)context;
	setup_begin(&setup);
	struct plan_process *process = setup_process(&setup);
	process->uid = 1234;
	process->gid = 4321;
	process->umask = 027;
	process->additional_gids = plan_add_array(&setup.builder, gids, 2, sizeof *gids);
	process->capabilities_set = 1;
	process->bounding = 0xf;
	process->permitted = 0x7;
	process->effective = 0x5;
	process->inheritable = 0x6;
	/* CAP_KILL (5) is not permitted, so it can't be ambient; nor can what is not inheritable. */
	process->ambient = 0x2 | 0x1 | 0x20;
	CHECK_OK(change_user(setup_launch(&setup), &setup.err), &setup.err);
	CHECK_STATUS("Uid", "1234\t1234\t1234\t1234");
	CHECK_STATUS("Gid", "4321\t4321\t4321\t4321");
	CHECK_STATUS("Groups", "20 30 ");
	CHECK_STATUS("Umask", "0027");
	CHECK_STATUS("CapInh", "0000000000000006");
	CHECK_STATUS("CapPrm", "0000000000000007");
	CHECK_STATUS("CapEff", "0000000000000005");
	CHECK_STATUS("CapBnd", "000000000000000f");
	CHECK_STATUS("CapAmb", "0000000000000002");
}

static void test_capabilities_absent(void *context)
{
	struct setup setup;

	(void)context;
	setup_begin(&setup);
	CHECK_OK(change_user(setup_launch(&setup), &setup.err), &setup.err);
	CHECK_STATUS("CapInh", "0000000000000000");
	CHECK_STATUS("CapPrm", "0000000000000000");
	CHECK_STATUS("CapEff", "0000000000000000");
	CHECK_STATUS("CapBnd", "0000000000000000");
	CHECK_STATUS("CapAmb", "0000000000000000");
}

/* What the caller lacks is left out, not an error. */
static void test_capabilities_lacking(void *context)
{
	struct setup setup;

	(void)context;
	CHECK(prctl(PR_CAPBSET_DROP, 0, 0, 0, 0) == 0);
	setup_begin(&setup);
	setup_process(&setup)->bounding = 0x3;
	setup_process(&setup)->permitted = UINT64_C(1) << 63 | 0x3;
	setup_process(&setup)->effective = UINT64_C(1) << 63 | 0x3;
	setup_process(&setup)->inheritable = 0x3;
	CHECK_OK(change_user(setup_launch(&setup), &setup.err), &setup.err);
	CHECK_STATUS("CapBnd", "0000000000000002");
	CHECK_STATUS("CapPrm", "0000000000000003");
	CHECK_STATUS("CapInh", "0000000000000002");
}

/* The streams of a container that is not root's become its own; the null device stays. */
static void test_stdio(void *context)
{
	struct setup setup;
	struct stat status;
	int null = open("/dev/null", O_RDWR | O_CLOEXEC), pipe_ends[2];
	int shown = dup(1);

	(void)context;
	CHECK(fstat(null, &status) == 0);
	uid_t owner = status.st_uid;
	CHECK(pipe2(pipe_ends, O_CLOEXEC) == 0);
	dup2(null, 0);
	dup2(pipe_ends[1], 1);
	close(2);
	setup_begin(&setup);
	setup_process(&setup)->uid = 1234;
	setup_process(&setup)->gid = 1235;
	int rc = user_apply(setup_launch(&setup), &setup.err);
	dup2(shown, 1);
	dup2(shown, 2);
	CHECK_OK(rc, &setup.err);
	CHECK(fstat(pipe_ends[1], &status) == 0 && status.st_uid == 1234 && status.st_gid == 1235);
	CHECK(fstat(null, &status) == 0 && status.st_uid == owner);
}

/* A user namespace that maps one group and denies setgroups. */
static void test_groups_denied(void *context)
{
	struct setup setup;
	uint32_t own[] = {0}, other[] = {0, 5};

	(void)context;
	CHECK(setgroups(0, NULL) == 0 && setresgid(500, 500, 500) == 0 && setresuid(500, 500, 500) == 0);
	prctl(PR_SET_DUMPABLE, 1); /* or the files in /proc/self are root's */
	CHECK(unshare(CLONE_NEWUSER) == 0);
	CHECK(file_write_at(AT_FDCWD, "/proc/self/setgroups", "deny") == 0);
	CHECK(file_write_at(AT_FDCWD, "/proc/self/uid_map", "0 500 1") == 0);
	CHECK(file_write_at(AT_FDCWD, "/proc/self/gid_map", "0 500 1") == 0);
	setup_begin(&setup);
	CHECK_OK(user_apply(setup_launch(&setup), &setup.err), &setup.err);
	setup_begin(&setup);
	setup_process(&setup)->additional_gids = plan_add_array(&setup.builder, own, 1, sizeof *own);
	CHECK_OK(user_apply(setup_launch(&setup), &setup.err), &setup.err);
	setup_begin(&setup);
	setup_process(&setup)->additional_gids = plan_add_array(&setup.builder, other, 2, sizeof *other);
	CHECK(user_apply(setup_launch(&setup), &setup.err) == -EPERM);
	CHECK_MESSAGE(&setup.err, "additionalGids");
	setup_begin(&setup);
	setup_process(&setup)->uid = 7;
	CHECK(user_apply(setup_launch(&setup), &setup.err) == -EINVAL);
	CHECK_MESSAGE(&setup.err, "cannot setuid to unmapped uid 7 in user namespace");
	setup_begin(&setup);
	setup_process(&setup)->gid = 8;
	CHECK(user_apply(setup_launch(&setup), &setup.err) == -EINVAL);
	CHECK_MESSAGE(&setup.err, "cannot setgid to unmapped gid 8 in user namespace");
}

/* Makes a file below the current root. */
static void put(const char *path, const char *text, mode_t mode)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);

	CHECK(fd >= 0 && file_write_all(fd, text, strlen(text)) == 0 && fchmod(fd, mode) == 0);
	if (fd >= 0)
		close(fd);
}

/* Enters an empty root in a mount namespace of its own, as after pivot_root. `host` gets a directory outside. */
static void enter_root(int *host)
{
	CHECK(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0);
	CHECK(mount("x", "/tmp", "tmpfs", 0, NULL) == 0);
	CHECK(mkdir("/tmp/root", 0755) == 0 && mkdir("/tmp/root/old", 0755) == 0 && mkdir("/tmp/root/proc", 0755) == 0);
	CHECK(mount("/tmp/root", "/tmp/root", NULL, MS_BIND, NULL) == 0);
	CHECK(mount("/proc", "/tmp/root/proc", NULL, MS_BIND | MS_REC, NULL) == 0);
	*host = open("/usr", O_RDONLY | O_DIRECTORY);
	CHECK(chdir("/tmp/root") == 0 && sl_pivot_root(".", "old") == 0 && chdir("/") == 0);
	CHECK(umount2("/old", MNT_DETACH) == 0);
}

static const char *home(const char *passwd, uint32_t uid)
{
	struct setup setup;

	if (passwd != NULL)
		put("/etc/passwd", passwd, 0600);
	setup_begin(&setup);
	setup_process(&setup)->uid = uid;
	CHECK_OK(environment_apply(setup_launch(&setup), &setup.err), &setup.err);
	const char *value = environment_get(&setup.launch, "HOME");
	return value != NULL ? value : "(none)";
}

static void test_environment(void *context)
{
	static const char passwd[] =
	    "root:x:0:0:root:/root:/bin/sh\n# 7:\n\nbroken:x\nuser:x:1000:1000::/home/user:/bin/sh\n"
	    "second:x:1000:1000::/home/second:\nempty:x:5:5:::\nlast:x:9:9:g:/home/last:";
	struct setup setup;
	int host;

	(void)context;
	enter_root(&host);
	close(host);
	CHECK_TEXT(home(NULL, 0), "/");
	CHECK(mkdir("/etc", 0755) == 0);
	CHECK_TEXT(home(passwd, 0), "/root");
	CHECK_TEXT(home(passwd, 1000), "/home/user");
	CHECK_TEXT(home(passwd, 5), "/");
	CHECK_TEXT(home(passwd, 9), "/home/last");
	CHECK_TEXT(home(passwd, 7), "/");
	CHECK_TEXT(home("a:x:1:1:g:/home/a", 1), "/home/a");
	CHECK_TEXT(home("a:x:1:1:g", 1), "/");
	CHECK_TEXT(home("", 1), "/");
	/* A line longer than any real one, around the reader's buffer, and the one behind it. */
	for (size_t length = 4000; length < 8200; length += 83) {
		char *text = malloc(length + 64);
		CHECK(text != NULL);
		memset(text, 'a', length);
		strcpy(text + length, "\nb:x:2:2::/home/b:/bin/sh\n");
		CHECK_TEXT(home(text, 2), "/home/b");
		memcpy(text + length - 8, ":2:2::/x", 8); /* the end of a line that is passed over */
		CHECK_TEXT(home(text, 2), "/home/b");
		free(text);
	}
	/* Links stay inside; what is no regular file does not hold the launcher up. */
	put("/real", "u:x:3:3::/linked:", 0644);
	CHECK(unlink("/etc/passwd") == 0 && symlink("/../../real", "/etc/passwd") == 0);
	CHECK_TEXT(home(NULL, 3), "/linked");
	CHECK(unlink("/etc/passwd") == 0 && mkfifo("/etc/passwd", 0666) == 0);
	CHECK_TEXT(home(NULL, 3), "/");
	CHECK(unlink("/etc/passwd") == 0 && symlink("/proc/self/fd/0", "/etc/passwd") == 0);
	CHECK_TEXT(home(NULL, 3), "/");

	const char *variables[] = {"A=1", "HOME=/given"};
	char pid[32];
	setup_begin(&setup);
	setup_process(&setup)->env = plan_add_strings(&setup.builder, variables, 2);
	setup_process(&setup)->listen_fds = 3;
	setup_process(&setup)->listen_names = plan_add_string(&setup.builder, "x:y");
	CHECK_OK(environment_apply(setup_launch(&setup), &setup.err), &setup.err);
	snprintf(pid, sizeof pid, "LISTEN_PID=%d", (int)getpid());
	const char *wanted[] = {"A=1", "HOME=/given", "LISTEN_FDS=3", pid, "LISTEN_FDNAMES=x:y"};
	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++)
		CHECK_TEXT(setup.launch.environment[i], wanted[i]);
	CHECK(setup.launch.environment[ARRAY_SIZE(wanted)] == NULL);
	CHECK(environment_get(&setup.launch, "HOM") == NULL && environment_get(&setup.launch, "A") != NULL);
}

static struct launch *cwd_launch(struct setup *setup, const char *path, uint32_t uid)
{
	setup_begin(setup);
	setup_process(setup)->cwd = plan_add_string(&setup->builder, path);
	setup_process(setup)->uid = uid;
	return setup_launch(setup);
}

static void check_cwd_refused(const char *path, int code, const char *text)
{
	struct setup setup;
	struct launch *launch = cwd_launch(&setup, path, 0);
	int rc = cwd_create(launch, &setup.err);

	if (rc == 0)
		rc = cwd_enter(launch, &setup.err);
	if (rc == 0)
		rc = cwd_verify(launch, &setup.err);
	if (!CHECK(rc == -code))
		printf("#   cwd %s: %d\n", path, rc);
	CHECK_MESSAGE(&setup.err, text);
}

static void test_cwd(void *context)
{
	struct setup setup;
	struct launch *launch;
	struct stat status;
	char where[PATH_MAX], path[64];
	int host;

	(void)context;
	enter_root(&host);
	umask(077);
	launch = cwd_launch(&setup, "/a//b/c/", 0);
	CHECK_OK(cwd_create(launch, &setup.err), &setup.err);
	CHECK(stat("/a/b/c", &status) == 0 && (status.st_mode & 07777) == 0755 && status.st_uid == 0);
	CHECK(umask(0) == 077);
	CHECK_OK(cwd_enter(launch, &setup.err), &setup.err);
	CHECK_OK(cwd_verify(launch, &setup.err), &setup.err);
	CHECK_TEXT(getcwd(where, sizeof where), "/a/b/c");
	/* Links stay in the root, also while it is only a directory of the host's. */
	CHECK(mkdir("/image", 0755) == 0 && symlink("/../../../there", "/image/link") == 0);
	CHECK(mkdir("/image/there", 0755) == 0);
	launch = cwd_launch(&setup, "/link/../link/new/dir", 0);
	launch->root_fd = open("/image", O_PATH | O_DIRECTORY | O_CLOEXEC);
	CHECK_OK(cwd_create(launch, &setup.err), &setup.err);
	CHECK(stat("/image/there/new/dir", &status) == 0 && stat("/there", &status) < 0);

	/* CVE-2024-21626: a descriptor of the launcher that leads out of the container. */
	snprintf(path, sizeof path, "/proc/self/fd/%d", host);
	check_cwd_refused(path, ELOOP, "possible container breakout detected");
	snprintf(path, sizeof path, "/proc/self/fd/%d/../share/new", host);
	check_cwd_refused(path, ELOOP, "possible container breakout detected");
	CHECK(symlink("/nowhere", "/dangling") == 0);
	check_cwd_refused("/dangling/x", ENOENT, "create /dangling for process.cwd");
	put("/file", "", 0644);
	check_cwd_refused("/file", ENOTDIR, "chdir to cwd (\"/file\") set in config.json failed: not a directory");
	/* However it came about, a working directory outside is found out. */
	launch = cwd_launch(&setup, "/", 0);
	launch->cwd_entered = true;
	CHECK(fchdir(host) == 0);
	CHECK(cwd_verify(launch, &setup.err) == -EXDEV);
	CHECK_MESSAGE(&setup.err, "current working directory is outside of container mount namespace root -- possible "
				  "container breakout detected");
	CHECK(chdir("/") == 0);

	/* A directory that only the user may enter is entered as the user, one that only root may, as root. */
	CHECK(mkdir("/users", 0700) == 0 && chown("/users", 77, 77) == 0 && mkdir("/roots", 0700) == 0);
	CHECK(prctl(PR_CAPBSET_DROP, 1, 0, 0, 0) == 0 && prctl(PR_CAPBSET_DROP, 2, 0, 0, 0) == 0);
	launch = cwd_launch(&setup, "/roots", 77);
	CHECK_OK(cwd_enter(launch, &setup.err), &setup.err);
	struct setup setup2;
	struct launch *launch2 = cwd_launch(&setup2, "/users", 77);
	launch2->cwd_entered = false;
	struct setup setup3;
	struct launch *launch3 = cwd_launch(&setup3, "/roots", 77);
	CHECK_OK(user_apply(launch, &setup.err), &setup.err);
	CHECK_OK(cwd_verify(launch, &setup.err), &setup.err);
	CHECK_TEXT(getcwd(where, sizeof where), "/roots");
	CHECK_OK(cwd_verify(launch2, &setup2.err), &setup2.err);
	CHECK_TEXT(getcwd(where, sizeof where), "/users");
	CHECK_OK(cwd_enter(launch3, &setup3.err), &setup3.err);
	CHECK(!launch3->cwd_entered);
	CHECK(cwd_verify(launch3, &setup3.err) == -EACCES);
	CHECK_MESSAGE(&setup3.err, "chdir to cwd (\"/roots\") set in config.json failed: permission denied");
}

/* Looks up with this PATH (NULL: none); returns what was found or the message. */
static const char *look_up(const char *program, const char *path)
{
	static struct setup setup;
	static char *found;
	CLEANUP_FREE char *variable = NULL;
	const char *variables[] = {NULL, "HOME=/"};

	setup_begin(&setup);
	setup_process(&setup)->args = plan_add_strings(&setup.builder, &program, 1);
	if (path != NULL) {
		variable = malloc(strlen(path) + 6);
		sprintf(variable, "PATH=%s", path);
		variables[0] = variable;
	}
	setup_process(&setup)->env = plan_add_strings(&setup.builder, variables + (path == NULL), 2 - (path == NULL));
	CHECK_OK(environment_apply(setup_launch(&setup), &setup.err), &setup.err);
	free(found);
	return executable_find(&setup.launch, &found, &setup.err) == 0 ? found : setup.err.message;
}

static void test_executable(void *context)
{
	int host;
	struct error err = {0};

	(void)context;
	enter_root(&host);
	close(host);
	CHECK(mkdir("/bin", 0755) == 0 && mkdir("/usr", 0755) == 0 && mkdir("/usr/bin", 0755) == 0);
	put("/bin/tool", "#!/nowhere\n", 0755);
	put("/bin/data", "x", 0644);
	put("/usr/bin/data", "x", 0755);
	CHECK(mkdir("/bin/directory", 0755) == 0 && symlink("/gone", "/bin/dangling") == 0);
	CHECK_TEXT(look_up("tool", "/usr/bin:/bin"), "/bin/tool");
	CHECK_TEXT(look_up("tool", NULL), "/bin/tool");
	CHECK_TEXT(look_up("data", "/bin:/usr/bin"), "/usr/bin/data");
	CHECK_TEXT(look_up("/bin/tool", "/usr/bin"), "/bin/tool");
	CHECK_TEXT(look_up("tool", "/usr/bin"), "exec: \"tool\": executable file not found in $PATH");
	CHECK_TEXT(look_up("tool", ""), "exec: \"tool\": executable file not found in $PATH");
	CHECK_TEXT(look_up("", "/bin"), "exec: \"\": executable file not found in $PATH");
	CHECK_TEXT(look_up("directory", "/bin"),
		   "exec: \"directory\": executable file not found in $PATH (/bin/directory can't be executed)");
	CHECK_TEXT(look_up("/bin/none", "/bin"), "exec: \"/bin/none\": stat /bin/none: no such file or directory");
	CHECK_TEXT(look_up("/bin/dangling", "/bin"),
		   "exec: \"/bin/dangling\": stat /bin/dangling: no such file or directory");
	CHECK_TEXT(look_up("/bin/directory", "/bin"), "exec: \"/bin/directory\": is a directory: permission denied");
	CHECK_TEXT(look_up("/bin/data", "/bin"), "exec: \"/bin/data\": permission denied");
	CHECK_TEXT(look_up("/bin/tool/x", "/bin"), "exec: \"/bin/tool/x\": stat /bin/tool/x: not a directory");
	CHECK(chdir("/bin") == 0);
	CHECK_TEXT(look_up("./tool", "/usr/bin"), "./tool");
	CHECK_TEXT(look_up("tool", ":/usr/bin"), "./tool");
	CHECK_TEXT(look_up("tool", "/usr/bin:"), "./tool");
	CHECK_TEXT(look_up("../bin/tool", "/"), "../bin/tool");
	/* Nothing on a noexec mount can be executed, whatever its mode. */
	CHECK(mount("/usr", "/usr", NULL, MS_BIND, NULL) == 0);
	CHECK(mount(NULL, "/usr", NULL, MS_BIND | MS_REMOUNT | MS_NOEXEC, NULL) == 0);
	CHECK_TEXT(look_up("/usr/bin/data", "/"), "exec: \"/usr/bin/data\": permission denied");

	CHECK(execl("/bin/tool", "tool", (char *)NULL) < 0 && errno == ENOENT);
	CHECK(executable_error("/bin/tool", ENOENT, &err) == -ENOENT);
	CHECK_TEXT(err.message,
		   "exec /bin/tool: no such file or directory (the file is there, but its interpreter or dynamic "
		   "loader is missing)");
	CHECK(executable_error("/gone", ENOENT, &err) == -ENOENT);
	CHECK_TEXT(err.message, "exec /gone: no such file or directory");
	CHECK(executable_error("/bin/tool", EACCES, &err) == -EACCES);
	CHECK_TEXT(err.message, "exec /bin/tool: permission denied");
}

int main(void)
{
	static const struct {
		const char *name;
		int namespaces;
		void (*body)(void *context);
	} tests[] = {
	    {"capabilities of a user", 0, test_capabilities_of_user},
	    {"no capabilities", 0, test_capabilities_absent},
	    {"capabilities the caller lacks", 0, test_capabilities_lacking},
	    {"standard streams", 0, test_stdio},
	    {"setgroups denied", 0, test_groups_denied},
	    {"environment", CLONE_NEWNS, test_environment},
	    {"cwd", CLONE_NEWNS, test_cwd},
	    {"executable", CLONE_NEWNS, test_executable},
	};

	if (geteuid() != 0) {
		printf("skipped: needs root\n");
		return 77;
	}
	for (size_t i = 0; i < ARRAY_SIZE(tests); i++)
		support_child(tests[i].namespaces, tests[i].body, NULL, tests[i].name);
	return check_result();
}
