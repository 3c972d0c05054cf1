/* SPDX-License-Identifier: Apache-2.0 */
/* terminal_open and terminal_mount_console in mount namespaces with root file systems of all kinds. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "sandbox/common/file.h"
#include "sandbox/common/message.h"
#include "sandbox/linux/terminal.h"
#include "tests/unit/check.h"

/* In each child: the root file system, a tmpfs, is here. */
#define ROOT "/tmp"

static int report; /* the child's stdout before it becomes a terminal */
static bool unprivileged;

#define INSIDE(condition)                                                                                   \
	do {                                                                                                \
		if (!(condition)) {                                                                         \
			dprintf(report, "# %s:%d: %s (errno %d)\n", __FILE__, __LINE__, #condition, errno); \
			_exit(1);                                                                           \
		}                                                                                           \
	} while (0)

static void write_map(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);

	if (fd >= 0) {
		if (write(fd, text, strlen(text)) < 0)
			dprintf(report, "# %s: %d\n", path, errno);
		close(fd);
	}
}

/* A root file system with a devpts, in new namespaces. */
static void make_root(bool devpts)
{
	char map[64];
	uid_t uid = geteuid(), gid = getegid();

	INSIDE(unshare(CLONE_NEWNS | (unprivileged ? CLONE_NEWUSER : 0)) == 0);
	if (unprivileged) {
		write_map("/proc/self/setgroups", "deny");
		snprintf(map, sizeof map, "0 %u 1", uid);
		write_map("/proc/self/uid_map", map);
		snprintf(map, sizeof map, "0 %u 1", gid);
		write_map("/proc/self/gid_map", map);
	}
	INSIDE(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0);
	INSIDE(mount("tmpfs", ROOT, "tmpfs", 0, "mode=755") == 0);
	INSIDE(chdir(ROOT) == 0 && mkdir("dev", 0755) == 0 && mkdir("proc", 0755) == 0 && mkdir("etc", 0755) == 0);
	if (devpts) {
		INSIDE(mkdir("dev/pts", 0755) == 0);
		INSIDE(mount("devpts", "dev/pts", "devpts", MS_NOSUID | MS_NOEXEC,
			     unprivileged ? "newinstance,ptmxmode=0666,mode=0620" : "newinstance,mode=0620,gid=5") ==
		       0);
	}
}

struct fixture {
	struct plan plan;
	struct plan_process process;
	struct launch launch;
	int other_end;
	struct error err;
};

static void make_launch(struct fixture *fixture)
{
	int pair[2];

	*fixture = (struct fixture){.process = {.terminal = 1, .console_height = 33, .console_width = 122}};
	fixture->plan.flags = PLAN_NEW_MOUNT_NS;
	INSIDE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) == 0);
	fixture->other_end = pair[1];
	fixture->launch = (struct launch){.plan = &fixture->plan,
					  .process = &fixture->process,
					  .console_socket = pair[0],
					  .root_fd = open(ROOT, O_PATH | O_DIRECTORY | O_CLOEXEC)};
	INSIDE(fixture->launch.root_fd >= 0);
	INSIDE(setsid() > 0);
}

static void open_terminal(struct fixture *fixture)
{
	if (terminal_open(&fixture->launch, &fixture->err) < 0) {
		dprintf(report, "# %s\n", fixture->err.message);
		_exit(1);
	}
}

static void mount_console(struct fixture *fixture)
{
	if (terminal_mount_console(&fixture->launch, &fixture->err) < 0) {
		dprintf(report, "# %s\n", fixture->err.message);
		_exit(1);
	}
}

static void case_terminal(void)
{
	struct fixture fixture;
	char name[64] = "", text[64];
	int master = -1;
	size_t count = 0;
	struct stat slave, stdio, directory;
	struct winsize size;

	make_root(true);
	make_launch(&fixture);
	fixture.process.uid = unprivileged ? 0 : 1234;
	open_terminal(&fixture);
	INSIDE(message_receive(fixture.other_end, name, sizeof name - 1, &master, 1, &count) > 0 && count == 1);
	INSIDE(strcmp(name, "/dev/ptmx") == 0);
	/* One message, and then the end. */
	INSIDE(recv(fixture.other_end, text, sizeof text, 0) == 0 && fixture.launch.console_socket == -1);
	INSIDE(isatty(0) && isatty(1) && isatty(2));
	/* It is the container's first, not one of the host's. */
	INSIDE(fstat(0, &stdio) == 0 && stat(ROOT "/dev/pts/0", &slave) == 0 && stat(ROOT "/dev/pts", &directory) == 0);
	INSIDE(slave.st_ino == stdio.st_ino && slave.st_dev == stdio.st_dev && slave.st_dev == directory.st_dev);
	INSIDE(stdio.st_uid == fixture.process.uid && (unprivileged || stdio.st_gid == 5));
	INSIDE((stdio.st_mode & 0777) == 0620);
	INSIDE(ioctl(0, TIOCGWINSZ, &size) == 0 && size.ws_row == 33 && size.ws_col == 122);
	INSIDE(tcgetsid(0) == getpid() && tcgetpgrp(0) == getpgrp());
	INSIDE(dprintf(1, "hello\n") == 6 && read(master, text, sizeof text) == 7 && memcmp(text, "hello\r\n", 7) == 0);
	INSIDE(write(master, "typed\n", 6) == 6 && read(0, text, sizeof text) == 6 && memcmp(text, "typed\n", 6) == 0);
	/* Nothing but the standard streams is left open on the slave: the master sees the end. */
	INSIDE(fcntl(0, F_GETFD) == 0 && fcntl(2, F_GETFD) == 0);
	signal(SIGHUP, SIG_IGN);
	close(0);
	close(1);
	close(2);
	while (read(master, text, sizeof text) > 0)
		;
	INSIDE(errno == EIO);
}

static void case_default_size(void)
{
	struct fixture fixture;
	struct winsize size;

	make_root(true);
	make_launch(&fixture);
	fixture.process.console_height = fixture.process.console_width = 0;
	open_terminal(&fixture);
	INSIDE(ioctl(0, TIOCGWINSZ, &size) == 0 && size.ws_row == 0 && size.ws_col == 0);
}

/* After pivot_root there is no root_fd. */
static void case_current_root(void)
{
	struct fixture fixture;

	make_root(true);
	make_launch(&fixture);
	INSIDE(chroot(ROOT) == 0 && chdir("/") == 0);
	fixture.launch.root_fd = -1;
	open_terminal(&fixture);
	mount_console(&fixture);
	struct stat console, stdio;
	INSIDE(stat("/dev/console", &console) == 0 && fstat(0, &stdio) == 0 && console.st_rdev == stdio.st_rdev);
}

static void case_no_terminal(void)
{
	struct fixture fixture;

	make_root(false);
	make_launch(&fixture);
	fixture.process.terminal = 0;
	open_terminal(&fixture);
	mount_console(&fixture);
	INSIDE(fixture.launch.console_socket >= 0 && access(ROOT "/dev/console", F_OK) < 0);
}

static void case_unmapped_user(void)
{
	struct fixture fixture;

	make_root(true);
	make_launch(&fixture);
	fixture.process.uid = 4294967294u;
	if (!unprivileged)
		fixture.process.uid = 4294967295u - 1;
	open_terminal(&fixture);
}

static void refuse(struct fixture *fixture, int (*step)(struct launch *, struct error *), int code, const char *text)
{
	int rc = step(&fixture->launch, &fixture->err);

	if (rc != -code || strstr(fixture->err.message, text) == NULL) {
		dprintf(report, "# %d: %s, wanted %d: %s\n", rc, fixture->err.message, -code, text);
		_exit(1);
	}
}

static void case_no_devpts(void)
{
	struct fixture fixture;

	make_root(false);
	make_launch(&fixture);
	refuse(&fixture, terminal_open, ENOENT, "/dev/pts");
	/* A directory of the image's with what it calls a terminal. */
	INSIDE(mkdir("dev/pts", 0755) == 0 && mkfifo("dev/pts/ptmx", 0666) == 0);
	refuse(&fixture, terminal_open, ENODEV, "not a devpts");
	INSIDE(fixture.launch.console_socket >= 0 && isatty(0) == 0);
}

/* A link that leads out of the container by way of procfs. */
static void case_magic_link(void)
{
	struct fixture fixture;

	make_root(false);
	INSIDE(mount("/proc", ROOT "/proc", NULL, MS_BIND | MS_REC, NULL) == 0);
	INSIDE(symlink("/proc/self/root/dev/pts", "dev/pts") == 0);
	make_launch(&fixture);
	refuse(&fixture, terminal_open, ELOOP, "/dev/pts");
}

static void console_is_terminal(void)
{
	struct stat console, stdio;

	INSIDE(stat(ROOT "/dev/console", &console) == 0 && fstat(0, &stdio) == 0);
	INSIDE(S_ISCHR(console.st_mode) && console.st_ino == stdio.st_ino && console.st_dev == stdio.st_dev);
	int fd = open(ROOT "/dev/console", O_RDWR | O_NOCTTY);
	INSIDE(fd >= 0 && isatty(fd));
	close(fd);
}

static void case_console_missing(void)
{
	struct fixture fixture;

	make_root(true);
	make_launch(&fixture);
	open_terminal(&fixture);
	mount_console(&fixture);
	console_is_terminal();
	/* What was made below is an empty file. */
	struct stat status;
	INSIDE(umount2(ROOT "/dev/console", MNT_DETACH) == 0 && stat(ROOT "/dev/console", &status) == 0);
	INSIDE(S_ISREG(status.st_mode) && status.st_size == 0 && (status.st_mode & 0777) == 0600);
}

static void case_console_there(void)
{
	struct fixture fixture;

	make_root(true);
	make_launch(&fixture);
	INSIDE(mkfifo("dev/console", 0600) == 0);
	open_terminal(&fixture);
	mount_console(&fixture);
	console_is_terminal();
}

static void case_console_dangling_link(void)
{
	struct fixture fixture;
	struct stat status;

	make_root(true);
	make_launch(&fixture);
	/* Out of the root, as the host would read it. */
	INSIDE(symlink("../../../../etc/sandlock-console", "dev/console") == 0);
	open_terminal(&fixture);
	mount_console(&fixture);
	INSIDE(stat(ROOT "/etc/sandlock-console", &status) == 0 && S_ISCHR(status.st_mode));
	INSIDE(access("/etc/sandlock-console", F_OK) < 0);
}

static void case_console_link_to_proc(void)
{
	struct fixture fixture;

	make_root(true);
	INSIDE(mount("/proc", ROOT "/proc", NULL, MS_BIND | MS_REC, NULL) == 0);
	make_launch(&fixture);
	INSIDE(symlink("/proc/sys/kernel/core_pattern", "dev/console") == 0);
	open_terminal(&fixture);
	refuse(&fixture, terminal_mount_console, EINVAL, "kernel file");
	INSIDE(unlink("dev/console") == 0 && mkdir("dev/console", 0755) == 0);
	refuse(&fixture, terminal_mount_console, EINVAL, "directory");
}

/* A container without a mount namespace of its own: the host's /dev/console is left alone. */
static void case_console_of_host(void)
{
	struct fixture fixture;

	make_root(true);
	make_launch(&fixture);
	fixture.plan.flags = 0;
	open_terminal(&fixture);
	mount_console(&fixture);
	INSIDE(access(ROOT "/dev/console", F_OK) < 0);
}

static void run(const char *name, void (*function)(void))
{
	int status = -1;

	fflush(stdout);
	pid_t child = fork();
	if (child == 0) {
		alarm(20);
		/* What the caller's streams are must not matter. */
		for (int fd = 0; fd <= 2; fd++) {
			close(fd);
			if (open("/dev/null", O_RDWR) != fd)
				_exit(2);
		}
		function();
		_exit(0);
	}
	CHECK(waitpid(child, &status, 0) == child);
	if (!CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0))
		printf("# %s%s: status %#x\n", name, unprivileged ? " in a user namespace" : "", (unsigned int)status);
}

int main(void)
{
	static const struct {
		const char *name;
		void (*function)(void);
	} cases[] = {
	    {"terminal", case_terminal},
	    {"default size", case_default_size},
	    {"current root", case_current_root},
	    {"no terminal", case_no_terminal},
	    {"unmapped user", case_unmapped_user},
	    {"no devpts", case_no_devpts},
	    {"magic link", case_magic_link},
	    {"console missing", case_console_missing},
	    {"console there", case_console_there},
	    {"console dangling link", case_console_dangling_link},
	    {"console link to proc", case_console_link_to_proc},
	    {"console of the host", case_console_of_host},
	};

	report = fcntl(1, F_DUPFD_CLOEXEC, 10);
	for (int pass = geteuid() == 0 ? 0 : 1; pass < 2; pass++) {
		unprivileged = pass == 1;
		for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
			run(cases[i].name, cases[i].function);
	}
	return check_result();
}
