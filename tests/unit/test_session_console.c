/* SPDX-License-Identifier: Apache-2.0 */
/* The relay of a foreground terminal, with processes that write to a pty as containers do. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "sandbox/common/cleanup.h"
#include "sandbox/common/message.h"
#include "sandbox/session/console.h"
#include "tests/unit/check.h"

#define LARGE (200 * 1024)

static struct console_relay relay;

/* A pty; the slave is close-on-exec and does not become the controlling terminal. */
static int open_pty(int *slave)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);

	if (master < 0 || grantpt(master) < 0 || unlockpt(master) < 0)
		exit(2);
	*slave = open(ptsname(master), O_RDWR | O_NOCTTY | O_CLOEXEC);
	return master;
}

/* The main process of a container: a session leader with this terminal. */
static pid_t start(int slave, const char *script)
{
	pid_t child = fork();

	if (child != 0) {
		close(slave);
		return child;
	}
	setsid();
	ioctl(slave, TIOCSCTTY, 0);
	for (int fd = 0; fd <= 2; fd++)
		dup2(slave, fd);
	/* Jobs that stay behind end with the test. */
	alarm(30);
	execl("/bin/sh", "sh", "-c", script, NULL);
	_exit(127);
}

/* What run does: relays until the process has ended, and then what is left. Returns the wait status. */
static int relay_until_end(pid_t child)
{
	int status = -1;
	int pidfd = (int)syscall(434 /* pidfd_open */, child, 0);
	struct pollfd fds[1 + CONSOLE_POLL_FDS] = {{.fd = pidfd, .events = POLLIN}};

	do {
		size_t count = console_relay_poll(&relay, fds + 1);
		if (poll(fds, (nfds_t)count + 1, 20000) <= 0) {
			printf("# nothing happens\n");
			kill(child, SIGKILL);
			break;
		}
		console_relay_handle(&relay, fds + 1, count);
	} while (fds[0].revents == 0);
	console_relay_drain(&relay);
	waitpid(child, &status, 0);
	close(pidfd);
	return status;
}

/* A reader of the relay's output that counts; slow ones take a little at a time. */
static pid_t start_reader(int fd, size_t piece, int report)
{
	pid_t child = fork();
	static char buffer[65536];
	size_t total = 0;

	if (child != 0)
		return child;
	for (;;) {
		ssize_t count = read(fd, buffer, piece);
		if (count <= 0)
			break;
		total += (size_t)count;
		if (piece < 4096)
			nanosleep(&(struct timespec){0, 200000}, NULL);
	}
	if (write(report, &total, sizeof total) != sizeof total)
		_exit(1);
	_exit(0);
}

/* Relays a script's output to `output`, whose other end is `input`. Returns how much arrived. */
static size_t relayed(const char *script, int input, int output, size_t piece)
{
	int slave, master = open_pty(&slave), report[2];
	struct error err = {0};
	size_t total = 0;

	if (pipe2(report, O_CLOEXEC) < 0)
		exit(2);
	pid_t reader = fork();
	if (reader == 0) {
		close(slave);
		close(master);
		close(output);
		close(report[0]);
		pid_t inner = start_reader(input, piece, report[1]);
		_exit(waitpid(inner, NULL, 0) == inner ? 0 : 1);
	}
	close(input);
	close(report[1]);
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	CHECK(console_relay_open(&relay, master, null, output, &err) == 0);
	int status = relay_until_end(start(slave, script));
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	console_relay_restore(&relay);
	close(output);
	close(null);
	CHECK(read(report[0], &total, sizeof total) == sizeof total);
	waitpid(reader, NULL, 0);
	close(report[0]);
	return total;
}

static size_t through_pipe(const char *script, size_t piece)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		exit(2);
	size_t total = relayed(script, ends[0], ends[1], piece);
	return total;
}

static void test_tail(void)
{
	int ends[2];

	/* "head" writes no newlines, so nothing becomes \r\n. */
	CHECK(through_pipe("head -c 204800 /dev/zero | tr '\\0' x", 65536) == LARGE);
	CHECK(through_pipe("head -c 204800 /dev/zero | tr '\\0' x", 300) == LARGE);
	/* The terminal stays open in a job that outlives the main process. */
	CHECK(through_pipe("sleep 25 & head -c 204800 /dev/zero | tr '\\0' x", 65536) == LARGE);
	CHECK(through_pipe("sleep 25 & head -c 204800 /dev/zero | tr '\\0' x", 300) == LARGE);
	/* All processes leave the terminal, come back, and go on. */
	CHECK(through_pipe("exec <&- >&- 2>&-; sleep 0.1; exec 1>/dev/tty; head -c 204800 /dev/zero | tr '\\0' x",
			   4096) == LARGE);
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0)
		CHECK(relayed("head -c 204800 /dev/zero | tr '\\0' x", ends[0], ends[1], 300) == LARGE);
	else
		CHECK(false);
}

/* A job that never stops writing does not keep the end away. */
static void test_endless_job(void)
{
	size_t total = through_pipe("(trap '' HUP; exec yes xxxxxxxxxxxxxxx) & sleep 0.2; exit 0", 300);

	CHECK(total > 4096);
}

/* The output's reader goes away: the container does not stall. */
static void test_closed_output(void)
{
	int slave, master = open_pty(&slave), ends[2];
	struct error err = {0};

	if (pipe2(ends, O_CLOEXEC) < 0)
		exit(2);
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	CHECK(console_relay_open(&relay, master, null, ends[1], &err) == 0);
	close(ends[0]);
	int status = relay_until_end(start(slave, "head -c 204800 /dev/zero; exit 6"));
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 6);
	console_relay_restore(&relay);
	struct sigaction action;
	CHECK(sigaction(SIGPIPE, NULL, &action) == 0 && action.sa_handler == SIG_DFL);
	close(ends[1]);
	close(null);
}

/* Input that is no terminal, larger than the pty takes at once; its end is not the container's. */
static void test_input(void)
{
	int slave, master = open_pty(&slave), in[2], out[2];
	struct error err = {0};
	char text[64] = "";

	if (pipe2(in, O_CLOEXEC) < 0 || pipe2(out, O_CLOEXEC) < 0)
		exit(2);
	CHECK(console_relay_open(&relay, master, in[0], out[1], &err) == 0);
	pid_t writer = fork();
	if (writer == 0) {
		for (int i = 0; i < 5000; i++)
			if (write(in[1], "0123456789abcde\n", 16) != 16)
				_exit(1);
		_exit(0);
	}
	close(in[1]);
	/* head ends with the last line; the terminal has no end. */
	struct termios settings;
	CHECK(tcgetattr(slave, &settings) == 0);
	settings.c_lflag &= ~(tcflag_t)ECHO;
	CHECK(tcsetattr(slave, TCSANOW, &settings) == 0);
	int status = relay_until_end(start(slave, "n=$(head -n 5000 | wc -c); printf %s $n; sleep 0.1"));
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	CHECK(read(out[0], text, sizeof text - 1) > 0);
	CHECK_TEXT(text, "80000");
	console_relay_restore(&relay);
	waitpid(writer, NULL, 0);
	close(in[0]);
	close(out[0]);
	close(out[1]);
}

/* A terminal as the caller's: raw while the relay lasts, its size is the container's. */
static void test_caller_terminal(void)
{
	int slave, master = open_pty(&slave), caller_slave, caller = open_pty(&caller_slave);
	struct termios before, during, after;
	struct winsize size = {.ws_row = 44, .ws_col = 111}, got = {0};
	struct error err = {0};

	CHECK(ioctl(caller, TIOCSWINSZ, &size) == 0 && tcgetattr(caller_slave, &before) == 0);
	int flags = fcntl(caller_slave, F_GETFL);
	CHECK(console_relay_open(&relay, master, caller_slave, caller_slave, &err) == 0);
	CHECK(tcgetattr(caller_slave, &during) == 0 && (during.c_lflag & (ECHO | ICANON | ISIG)) == 0);
	CHECK(ioctl(slave, TIOCGWINSZ, &got) == 0 && got.ws_row == 44 && got.ws_col == 111);
	/* Others that have the caller's terminal open do not get EAGAIN. */
	CHECK(fcntl(caller_slave, F_GETFL) == flags);
	size.ws_row = 12;
	CHECK(ioctl(caller, TIOCSWINSZ, &size) == 0);
	console_relay_resize(&relay);
	CHECK(ioctl(slave, TIOCGWINSZ, &got) == 0 && got.ws_row == 12 && got.ws_col == 111);
	/* The shell changed it while we were stopped. */
	CHECK(tcsetattr(caller_slave, TCSANOW, &before) == 0);
	console_relay_resume(&relay);
	CHECK(tcgetattr(caller_slave, &during) == 0 && (during.c_lflag & (ECHO | ICANON | ISIG)) == 0);

	/* What is typed: an interrupt character, too, is the container's business. */
	pid_t child =
	    start(slave, "trap 'echo int; exit 3' INT; stty -echo; echo ready; read x; echo $x; sleep 10 & wait");
	int status = -1;
	size_t used = 0;
	char seen[256] = "";
	int step = 0;
	for (int i = 0; i < 1000 && waitpid(child, &status, WNOHANG) == 0; i++) {
		struct pollfd fds[1 + CONSOLE_POLL_FDS] = {{.fd = caller, .events = POLLIN}};
		size_t count = console_relay_poll(&relay, fds + 1);
		poll(fds, (nfds_t)count + 1, 20);
		console_relay_handle(&relay, fds + 1, count);
		if (fds[0].revents != 0 && used < sizeof seen - 1) {
			ssize_t length = read(caller, seen + used, sizeof seen - 1 - used);
			used += length > 0 ? (size_t)length : 0;
			seen[used] = '\0';
		}
		if (step == 0 && strstr(seen, "ready") != NULL)
			step += write(caller, "typed\r", 6) == 6;
		else if (step == 1 && strstr(seen, "typed") != NULL)
			step += write(caller, "\003", 1) == 1;
	}
	CHECK(step == 2 && WIFEXITED(status) && WEXITSTATUS(status) == 3);
	console_relay_drain(&relay);
	console_relay_restore(&relay);
	console_relay_restore(&relay);
	struct pollfd rest = {.fd = caller, .events = POLLIN};
	if (strstr(seen, "int") == NULL && CHECK(poll(&rest, 1, 5000) == 1)) {
		ssize_t length = read(caller, seen + used, sizeof seen - 1 - used);
		seen[used + (length > 0 ? (size_t)length : 0)] = '\0';
	}
	CHECK(strstr(seen, "int") != NULL);
	CHECK(tcgetattr(caller_slave, &after) == 0 && after.c_lflag == before.c_lflag &&
	      after.c_iflag == before.c_iflag && after.c_oflag == before.c_oflag);
	CHECK(fcntl(caller_slave, F_GETFL) == flags);
	close(caller_slave);
	close(caller);
}

/* A caller in the background stops when it starts to use the terminal, and goes on in the foreground. */
static void test_background(void)
{
	int caller_slave, caller = open_pty(&caller_slave), status = 0;

	pid_t shell = fork();
	if (shell == 0) {
		setsid();
		ioctl(caller_slave, TIOCSCTTY, 0);
		signal(SIGTTOU, SIG_IGN);
		sigset_t all;
		sigfillset(&all);
		pid_t job = fork();
		if (job == 0) {
			struct error err = {0};
			int slave, master = open_pty(&slave);
			alarm(20);
			signal(SIGTTOU, SIG_DFL);
			setpgid(0, 0);
			sigprocmask(SIG_BLOCK, &all, NULL);
			if (console_relay_open(&relay, master, caller_slave, caller_slave, &err) < 0 || !relay.raw)
				_exit(1);
			console_relay_restore(&relay);
			_exit(tcgetpgrp(caller_slave) == getpgrp() ? 0 : 1);
		}
		setpgid(job, job);
		int job_status = 0;
		if (waitpid(job, &job_status, WUNTRACED) != job || !WIFSTOPPED(job_status) ||
		    WSTOPSIG(job_status) != SIGTTOU)
			_exit(2);
		if (tcsetpgrp(caller_slave, job) < 0 || kill(-job, SIGCONT) < 0 || waitpid(job, &job_status, 0) != job)
			_exit(3);
		_exit(WIFEXITED(job_status) ? WEXITSTATUS(job_status) : 4);
	}
	CHECK(waitpid(shell, &status, 0) == shell);
	if (!CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0))
		printf("# status %#x\n", (unsigned int)status);
	close(caller_slave);
	close(caller);
}

static void test_sockets(void)
{
	struct error err = {0};
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	char directory[160], path[256], name[64];
	int length = snprintf(directory, sizeof directory, "/tmp/sandlock-console-%d-", getpid());

	memset(directory + length, 'x', 120);
	directory[length + 120] = '\0';
	snprintf(path, sizeof path, "%s/socket", directory);
	CHECK(mkdir(directory, 0700) == 0 && chdir(directory) == 0);
	int listening = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	snprintf(address.sun_path, sizeof address.sun_path, "socket");
	CHECK(bind(listening, (struct sockaddr *)&address, sizeof address) == 0 && listen(listening, 1) == 0);
	int fd = console_socket_connect(path, &err);
	CHECK(fd >= 0 && (fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0);
	int other = accept(listening, NULL, NULL);
	/* The master arrives; something else is refused. */
	int slave, master = open_pty(&slave);
	CHECK(message_send(other, "/dev/ptmx", 9, &master, 1) == 0);
	int received = console_receive_master(fd, &err);
	CHECK(received >= 0 && ioctl(received, TIOCGWINSZ, name) == 0);
	CHECK(message_send(other, "x", 1, NULL, 0) == 0 && console_receive_master(fd, &err) < 0);
	CHECK_TEXT(err.message, "receive the terminal: the container sent none");
	close(received);
	close(master);
	close(slave);
	close(other);
	close(fd);
	close(listening);
	CHECK(console_socket_connect(path, &err) < 0 && strstr(err.message, path) != NULL);
	CHECK(unlink(path) == 0 && console_socket_connect(path, &err) == -ENOENT);
	CHECK(strstr(err.message, "no such file or directory") != NULL);
	CHECK(chdir("/") == 0 && rmdir(directory) == 0);
}

static void test_check(void)
{
	static const struct {
		bool terminal, detach;
		const char *socket, *message;
	} cases[] = {
	    {false, false, NULL, ""},
	    {true, false, NULL, ""},
	    {false, true, NULL, ""},
	    {true, true, "/s", ""},
	    {true, true, NULL, "cannot allocate tty if sandlock-oci will detach without setting console socket"},
	    {false, true, "/s", "cannot use console socket if sandlock-oci will not detach or allocate tty"},
	    {true, false, "/s", "cannot use console socket if sandlock-oci will not detach or allocate tty"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct error err = {0};
		int rc = console_check(cases[i].terminal, cases[i].detach, cases[i].socket, &err);
		CHECK((rc < 0) == (*cases[i].message != '\0'));
		CHECK_TEXT(err.message, cases[i].message);
	}
}

int main(void)
{
	alarm(120);
	test_check();
	test_sockets();
	test_tail();
	test_endless_job();
	test_closed_output();
	test_input();
	test_caller_terminal();
	test_background();
	return check_result();
}
