/* SPDX-License-Identifier: Apache-2.0 */
/* NOTIFY_SOCKET: when a container gets one, what passes, and the container's end of it. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sandbox/common/arena.h"
#include "sandbox/common/cleanup.h"
#include "sandbox/common/message.h"
#include "sandbox/session/launch.h"
#include "sandbox/session/notify.h"
#include "spec/config.h"
#include "tests/unit/check.h"

/* A pair in place of the two sockets: what is sent to `container` arrives at `manager`. */
struct fixture {
	struct notify notify;
	int container;
	int manager;
};

static void set_up(struct fixture *fixture)
{
	int inside[2], manager[2];

	if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, inside) < 0 ||
	    socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, manager) < 0)
		exit(2);
	*fixture = (struct fixture){
	    .notify = {.inside = inside[0], .manager = manager[0]}, .container = inside[1], .manager = manager[1]};
}

static void tear_down(struct fixture *fixture)
{
	notify_close(&fixture->notify);
	notify_close(&fixture->notify);
	close(fixture->container);
	close(fixture->manager);
}

/* What the manager has got; "" when nothing. */
static const char *received(const struct fixture *fixture)
{
	static char text[8192];
	ssize_t length = recv(fixture->manager, text, sizeof text - 1, MSG_DONTWAIT);

	text[length > 0 ? length : 0] = '\0';
	return text;
}

static void test_filter(void)
{
	static const struct {
		const char *sent, *arrives;
		pid_t main_pid;
		bool ready;
	} cases[] = {
	    {"READY=1", "READY=1\n", 0, true},
	    {"READY=1\n", "READY=1\nMAINPID=77\n", 77, true},
	    {"STATUS=well\nREADY=1\nERRNO=2", "STATUS=well\nREADY=1\nERRNO=2\nMAINPID=77\n", 77, true},
	    {"STATUS=well", "STATUS=well\n", 77, false},
	    {"READY=12\nREADY=\nXREADY=1\nREADY=0", "", 77, false},
	    {"MAINPID=1\nFDSTORE=1\nBARRIER=1\nNOTIFYACCESS=all\nWATCHDOG_USEC=1\nFDSTOREREMOVE=1", "", 77, false},
	    {"MAINPID=1\nREADY=1", "READY=1\n", 0, true},
	    {"WATCHDOG=1\nSTOPPING=1\nRELOADING=1\nMONOTONIC_USEC=5\nEXTEND_TIMEOUT_USEC=9",
	     "WATCHDOG=1\nSTOPPING=1\nRELOADING=1\nMONOTONIC_USEC=5\nEXTEND_TIMEOUT_USEC=9\n", 0, false},
	    {"\n\n", "", 0, false},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct fixture fixture;
		set_up(&fixture);
		fixture.notify.main_pid = cases[i].main_pid;
		size_t length = strlen(cases[i].sent);
		CHECK(send(fixture.container, cases[i].sent, length, 0) == (ssize_t)length);
		CHECK(notify_poll(&fixture.notify).fd == fixture.notify.inside);
		notify_forward(&fixture.notify);
		CHECK_TEXT(received(&fixture), cases[i].arrives);
		CHECK(fixture.notify.ready == cases[i].ready);
		CHECK_TEXT(received(&fixture), "");
		tear_down(&fixture);
	}
}

/* A NUL, an empty datagram, one that is larger than any, a descriptor with a barrier. */
static void test_odd_datagrams(void)
{
	struct fixture fixture;
	static char large[20000];
	int ends[2];
	char byte;

	set_up(&fixture);
	CHECK(send(fixture.container, "STATUS=a\0b\nREADY=1", 18, 0) == 18);
	CHECK(send(fixture.container, "", 0, 0) == 0);
	memset(large, 'x', sizeof large);
	memcpy(large, "STATUS=", 7);
	CHECK(send(fixture.container, large, sizeof large, 0) == sizeof large);
	CHECK(pipe2(ends, O_CLOEXEC | O_NONBLOCK) == 0);
	CHECK(message_send(fixture.container, "BARRIER=1", 9, &ends[1], 1) == 0);
	close(ends[1]);
	CHECK(send(fixture.container, "STOPPING=1", 10, 0) == 10);
	CHECK(read(ends[0], &byte, 1) < 0 && errno == EAGAIN);
	notify_forward(&fixture.notify);
	CHECK_TEXT(received(&fixture), "READY=1\n");
	CHECK(strlen(received(&fixture)) == 4097);
	CHECK_TEXT(received(&fixture), "STOPPING=1\n");
	/* The writer's end is closed: sd_notify_barrier returns. */
	CHECK(read(ends[0], &byte, 1) == 0);
	close(ends[0]);
	tear_down(&fixture);
}

/* The manager does not read: nothing is lost, nothing spins. */
static void test_blocked(void)
{
	struct fixture fixture;
	int filler = 0, arrived = 0;

	set_up(&fixture);
	while (send(fixture.notify.manager, "STATUS=filler\n", 14, MSG_DONTWAIT) > 0)
		filler++;
	CHECK(filler > 0 && send(fixture.container, "READY=1", 7, 0) == 7);
	notify_forward(&fixture.notify);
	CHECK(fixture.notify.blocked && !fixture.notify.ready);
	struct pollfd wait = notify_poll(&fixture.notify);
	CHECK(wait.fd == fixture.notify.manager && wait.events == POLLOUT && poll(&wait, 1, 0) == 0);
	while (strcmp(received(&fixture), "STATUS=filler\n") == 0)
		arrived++;
	CHECK(arrived == filler && poll(&wait, 1, 1000) == 1);
	notify_forward(&fixture.notify);
	CHECK_TEXT(received(&fixture), "READY=1\n");
	CHECK(fixture.notify.ready && notify_poll(&fixture.notify).fd == fixture.notify.inside);
	/* It is gone: what comes is thrown away. */
	close(fixture.manager);
	fixture.manager = -1;
	CHECK(send(fixture.container, "STATUS=x", 8, 0) == 8);
	notify_forward(&fixture.notify);
	struct pollfd empty = notify_poll(&fixture.notify);
	CHECK(poll(&empty, 1, 0) == 0);
	tear_down(&fixture);
	CHECK(notify_poll(&fixture.notify).fd == -1);
}

/* A container that never stops is left after some datagrams. */
static void test_flood(void)
{
	struct fixture fixture;

	set_up(&fixture);
	/* Both directions of a pair have a queue of their own length. */
	int sent = 0;
	while (send(fixture.container, "x", 1, MSG_DONTWAIT) > 0)
		sent++;
	CHECK(sent > 0);
	notify_forward(&fixture.notify);
	CHECK_TEXT(received(&fixture), "");
	tear_down(&fixture);
}

static void test_plan(void)
{
	CLEANUP_ARENA struct arena arena = {0};
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	const char *env[] = {"PATH=/bin", "NOTIFY_SOCKETS=/x"}, *theirs[] = {"NOTIFY_SOCKET=/y"};
	struct oci_process process = {.env = env, .env_count = 2};
	struct oci_mount mount = {.destination = "/run/notify/deeper"};
	struct oci_config config = {.process = &process};
	struct error reason;
	char path[64], text[16];

	unsetenv(NOTIFY_VARIABLE);
	CHECK(notify_plan(&arena, &config, &reason) == -1 && reason.code == 0 && process.env_count == 2);
	setenv(NOTIFY_VARIABLE, "", 1);
	CHECK(notify_plan(&arena, &config, &reason) == -1 && reason.code == 0);
	setenv(NOTIFY_VARIABLE, "/nonexistent/socket", 1);
	CHECK(notify_plan(&arena, &config, &reason) == -1);
	CHECK_TEXT(reason.message, "NOTIFY_SOCKET=/nonexistent/socket is not used: no such file or directory");
	setenv(NOTIFY_VARIABLE, "vsock:2:1", 1);
	CHECK(notify_plan(&arena, &config, &reason) == -1 && reason.code == EINVAL);

	snprintf(path, sizeof path, "/tmp/sandlock-notify-%d", getpid());
	snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
	int manager = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	CHECK(bind(manager, (struct sockaddr *)&address, sizeof address) == 0);
	setenv(NOTIFY_VARIABLE, path, 1);
	int fd = notify_plan(&arena, &config, &reason);
	CHECK(fd >= 0 && process.env_count == 3 && process.env != env);
	CHECK_TEXT(process.env[0], "PATH=/bin");
	CHECK_TEXT(process.env[2], "NOTIFY_SOCKET=/run/notify/notify.sock");
	CHECK(send(fd, "hello", 5, 0) == 5 && recv(manager, text, sizeof text, 0) == 5);
	close(fd);
	/* config.json deals with it. */
	CHECK(notify_plan(&arena, &config, &reason) == -1 && reason.code == 0 && process.env_count == 3);
	process = (struct oci_process){.env = theirs, .env_count = 1};
	CHECK(notify_plan(&arena, &config, &reason) == -1 && reason.code == 0);
	process = (struct oci_process){0};
	config.mounts = &mount;
	config.mounts_count = 1;
	CHECK(notify_plan(&arena, &config, &reason) == -1 && reason.code == 0);
	mount.destination = "/run/notify.d";
	fd = notify_plan(&arena, &config, &reason);
	CHECK(fd >= 0 && process.env_count == 1);
	close(fd);
	config.process = NULL;
	CHECK(notify_plan(&arena, &config, &reason) == -1 && reason.code == 0);
	close(manager);
	unlink(path);
}

#define ROOT "/tmp"

static bool unprivileged;

static void write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		_exit(3);
	close(fd);
}

/* In new namespaces, on an empty root; `prepare` puts something there. Returns what notify_socket_make does. */
static int make_in_container(void (*prepare)(void), struct error *err)
{
	char map[64];
	uid_t uid = geteuid();
	gid_t gid = getegid();
	struct plan plan = {.flags = PLAN_NEW_MOUNT_NS};

	if (unshare(CLONE_NEWNS | (unprivileged ? CLONE_NEWUSER : 0)) < 0)
		_exit(4);
	if (unprivileged) {
		write_file("/proc/self/setgroups", "deny");
		snprintf(map, sizeof map, "0 %u 1", uid);
		write_file("/proc/self/uid_map", map);
		snprintf(map, sizeof map, "0 %u 1", gid);
		write_file("/proc/self/gid_map", map);
	}
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 || mount("tmpfs", ROOT, "tmpfs", 0, NULL) < 0 ||
	    chdir(ROOT) < 0)
		_exit(5);
	if (prepare != NULL)
		prepare();
	struct launch launch = {.plan = &plan, .root_fd = open(ROOT, O_PATH | O_DIRECTORY | O_CLOEXEC)};
	return notify_socket_make(&launch, err);
}

static bool works(int fd)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = ROOT "/run/notify/notify.sock"};
	struct statvfs file_system;
	struct stat status;
	char text[16], here[64];
	int client = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (chroot(ROOT) < 0 || (geteuid() == 0 && !unprivileged && setresuid(1234, 1234, 1234) < 0))
		return false;
	snprintf(address.sun_path, sizeof address.sun_path, "/run/notify/notify.sock");
	return getcwd(here, sizeof here) != NULL && strcmp(here, "/") == 0 &&
	       sendto(client, "READY=1", 7, 0, (struct sockaddr *)&address, sizeof address) == 7 &&
	       recv(fd, text, sizeof text, 0) == 7 && stat("/run/notify/notify.sock", &status) == 0 &&
	       S_ISSOCK(status.st_mode) && (status.st_mode & 0777) == 0777 &&
	       statvfs("/run/notify", &file_system) == 0 && (file_system.f_flag & ST_NOSUID) != 0 &&
	       (file_system.f_flag & ST_RDONLY) != 0;
}

static void make_run_link(void)
{
	/* Leads out of the root for whoever follows it from outside. */
	if (mkdir("var", 0755) < 0 || mkdir("var/run", 0755) < 0 || symlink("../../../../var/run", "run") < 0)
		_exit(6);
}

static void make_run_file(void)
{
	close(open("run", O_CREAT | O_WRONLY, 0644));
}

static void make_read_only(void)
{
	if (mount(NULL, ROOT, NULL, MS_REMOUNT | MS_BIND | MS_RDONLY, NULL) < 0)
		_exit(6);
}

static void case_plain(void)
{
	struct error err = {0};
	_exit(works(make_in_container(NULL, &err)) ? 0 : 1);
}

static void case_link(void)
{
	struct error err = {0};
	_exit(works(make_in_container(make_run_link, &err)) ? 0 : 1);
}

static void case_file(void)
{
	struct error err = {0};
	int rc = make_in_container(make_run_file, &err);
	_exit(rc == -ENOTDIR && strstr(err.message, "/run/notify") != NULL ? 0 : 1);
}

static void case_read_only(void)
{
	struct error err = {0};
	_exit(make_in_container(make_read_only, &err) < 0 && strstr(err.message, "/run/notify") != NULL ? 0 : 1);
}

static void case_host_mounts(void)
{
	struct error err = {0};
	struct plan plan = {0};
	struct launch launch = {.plan = &plan, .root_fd = -1};
	_exit(notify_socket_make(&launch, &err) == -ENOTSUP ? 0 : 1);
}

static void test_container_socket(void)
{
	static const struct {
		const char *name;
		void (*function)(void);
	} cases[] = {{"plain", case_plain},
		     {"link", case_link},
		     {"file", case_file},
		     {"read-only", case_read_only},
		     {"host mounts", case_host_mounts}};

	for (int pass = geteuid() == 0 ? 0 : 1; pass < 2; pass++)
		for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
			int status = -1;
			unprivileged = pass == 1;
			fflush(stdout);
			pid_t child = fork();
			if (child == 0) {
				alarm(10);
				cases[i].function();
			}
			CHECK(waitpid(child, &status, 0) == child);
			if (!CHECK(status == 0))
				printf("# %s, pass %d: %#x\n", cases[i].name, pass, (unsigned int)status);
		}
}

int main(void)
{
	test_filter();
	test_odd_datagrams();
	test_blocked();
	test_flood();
	test_plan();
	test_container_socket();
	return check_result();
}
