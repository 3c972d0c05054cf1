/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/session/console.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sandbox/common/cleanup.h"
#include "sandbox/common/message.h"
#include "sandbox/common/unix_socket.h"

#ifndef TIOCGPTPEER
#define TIOCGPTPEER _IO('T', 0x41)
#endif

/* More than the kernel holds between a slave's writer and the master's reader (64 KiB in the tty's buffer, 4 KiB in
 * the line discipline): what comes after that was written after the main process's end. */
#define DRAIN_LIMIT (256 * 1024)

int console_check(bool terminal, bool detach, const char *console_socket, struct error *err)
{
	if (terminal && detach && console_socket == NULL)
		return error_set(err, EINVAL,
				 "cannot allocate tty if sandlock-oci will detach without setting console socket");
	if (console_socket != NULL && (!detach || !terminal))
		return error_set(err, EINVAL,
				 "cannot use console socket if sandlock-oci will not detach or allocate tty");
	return 0;
}

int console_socket_connect(const char *path, struct error *err)
{
	int fd = unix_socket_connect(path, SOCK_STREAM);

	if (fd < 0)
		return error_errno(err, -fd, "connect to the console socket %s", path);
	return fd;
}

int console_receive_master(int socket, struct error *err)
{
	char name[PATH_MAX];
	size_t count = 0;
	int master = -1;
	ssize_t length = message_receive(socket, name, sizeof name, &master, 1, &count);

	if (length < 0)
		return error_errno(err, (int)-length, "receive the terminal");
	if (count != 1)
		return error_set(err, EPROTO, "receive the terminal: the container sent none");
	return master;
}

/* A description of its own for the same file, so that O_NONBLOCK does not reach other processes that share the
 * caller's. Where that is not possible, sockets are used with MSG_DONTWAIT, and others in pieces that poll(2) has
 * found room for. */
static int open_again(int fd, int flags)
{
	char path[32];
	struct stat status;

	if (fstat(fd, &status) == 0 && (S_ISCHR(status.st_mode) || S_ISFIFO(status.st_mode))) {
		snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
		int opened = open(path, flags | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
		if (opened >= 0)
			return opened;
	}
	return fcntl(fd, F_DUPFD_CLOEXEC, 3);
}

static size_t length(const struct console_buffer *buffer)
{
	return buffer->end - buffer->start;
}

/* Takes out what was written. */
static void consume(struct console_buffer *buffer, size_t count)
{
	buffer->start += count;
	if (buffer->start == buffer->end)
		buffer->start = buffer->end = 0;
}

static void close_one(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static bool would_block(ssize_t rc)
{
	return rc < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR);
}

/* The default action of a job control signal: a process in the background stops until it is brought to the
 * foreground. Callers block such signals. */
static void with_default(int signal_number, void (*action)(struct console_relay *), struct console_relay *relay)
{
	sigset_t set, saved;

	sigemptyset(&set);
	sigaddset(&set, signal_number);
	sigprocmask(SIG_UNBLOCK, &set, &saved);
	action(relay);
	sigprocmask(SIG_SETMASK, &saved, NULL);
}

static void set_raw(struct console_relay *relay)
{
	struct termios raw = relay->saved;

	cfmakeraw(&raw);
	relay->raw = tcsetattr(relay->input, TCSANOW, &raw) == 0;
}

static void make_raw(struct console_relay *relay)
{
	with_default(SIGTTOU, set_raw, relay);
}

static void stop_for_input(struct console_relay *relay)
{
	raise(SIGTTIN);
}

void console_relay_resize(struct console_relay *relay)
{
	struct winsize size;

	if (relay->terminal < 0 || relay->master < 0 || ioctl(relay->terminal, TIOCGWINSZ, &size) < 0)
		return;
	/* A terminal that does not know its size has nothing to say. */
	if (size.ws_row != 0 || size.ws_col != 0)
		ioctl(relay->master, TIOCSWINSZ, &size);
}

void console_relay_resume(struct console_relay *relay)
{
	if (relay->raw && relay->input >= 0)
		make_raw(relay);
	console_relay_resize(relay);
}

static int set_nonblocking(int fd)
{
	int flags = fcntl(fd, F_GETFL);

	return flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0 ? -errno : 0;
}

int console_relay_open(struct console_relay *relay, int master, int input, int output, struct error *err)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN};
	struct stat status;

	*relay = (struct console_relay)CONSOLE_RELAY_NONE;
	relay->master = master;
	int rc = set_nonblocking(master);
	if (rc < 0)
		return error_errno(err, -rc, "make the terminal non-blocking");
	relay->pipe_ignored = sigaction(SIGPIPE, &ignore, &relay->saved_pipe) == 0;
	/* May be refused, as the container's user owns it. */
	relay->slave = ioctl(master, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
	relay->input = open_again(input, O_RDONLY);
	relay->output = open_again(output, O_WRONLY);
	if (relay->output >= 0) {
		int flags = fcntl(relay->output, F_GETFL);
		relay->output_is_socket = fstat(relay->output, &status) == 0 && S_ISSOCK(status.st_mode);
		relay->output_piece = flags >= 0 && (flags & O_NONBLOCK) != 0 ? SIZE_MAX
				      : isatty(relay->output)                 ? 256
									      : PIPE_BUF;
	}
	relay->terminal = isatty(input) ? input : isatty(output) ? output : -1;
	if (relay->terminal == input && relay->input >= 0 && tcgetattr(input, &relay->saved) == 0)
		make_raw(relay);
	console_relay_resize(relay);
	return 0;
}

int console_relay_init(struct console_relay *relay, int socket, struct error *err)
{
	int master = console_receive_master(socket, err);

	return master < 0 ? master : console_relay_open(relay, master, STDIN_FILENO, STDOUT_FILENO, err);
}

size_t console_relay_poll(const struct console_relay *relay, struct pollfd fds[CONSOLE_POLL_FDS])
{
	short master = 0;
	size_t count = 0;

	if (relay->input >= 0 && !relay->finishing && length(&relay->to_master) == 0)
		fds[count++] = (struct pollfd){.fd = relay->input, .events = POLLIN};
	if (!relay->ended && length(&relay->to_output) == 0)
		master |= POLLIN;
	if (!relay->ended && !relay->finishing && length(&relay->to_master) > 0)
		master |= POLLOUT;
	if (master != 0)
		fds[count++] = (struct pollfd){.fd = relay->master, .events = master};
	if (relay->output >= 0 && length(&relay->to_output) > 0)
		fds[count++] = (struct pollfd){.fd = relay->output, .events = POLLOUT};
	return count;
}

static void read_input(struct console_relay *relay)
{
	struct console_buffer *buffer = &relay->to_master;
	ssize_t count = read(relay->input, buffer->data, sizeof buffer->data);

	if (count < 0 && errno == EIO && tcgetpgrp(relay->input) != getpgrp()) {
		with_default(SIGTTIN, stop_for_input, relay);
		/* Still there: nobody can bring an orphaned process group to the foreground. */
		if (tcgetpgrp(relay->input) == getpgrp()) {
			console_relay_resume(relay);
			return;
		}
	}
	if (count > 0)
		buffer->end = (size_t)count;
	else if (!would_block(count))
		close_one(&relay->input); /* as runc, no end-of-file character: the program may want none */
}

static void write_master(struct console_relay *relay)
{
	struct console_buffer *buffer = &relay->to_master;

	if (length(buffer) == 0)
		return;
	ssize_t count = write(relay->master, buffer->data + buffer->start, length(buffer));
	if (count > 0)
		consume(buffer, (size_t)count);
	else if (!would_block(count))
		consume(buffer, length(buffer));
}

static void read_master(struct console_relay *relay)
{
	struct console_buffer *buffer = &relay->to_output;
	size_t room = sizeof buffer->data;

	if (relay->finishing && relay->remaining < room)
		room = relay->remaining;
	if (length(buffer) > 0 || relay->ended)
		return;
	ssize_t count = room > 0 ? read(relay->master, buffer->data, room) : 0;
	if (count > 0) {
		buffer->start = 0;
		buffer->end = (size_t)count;
		if (relay->finishing)
			relay->remaining -= (size_t)count;
	} else if (!would_block(count) || (relay->finishing && errno != EINTR)) {
		/* EIO: no process has the terminal open. While finishing, an empty terminal is the end too: the
		 * kernel moves what was written to the reader before it says EAGAIN. */
		relay->ended = true;
	}
}

static void write_output(struct console_relay *relay)
{
	struct console_buffer *buffer = &relay->to_output;
	size_t size = length(buffer) < relay->output_piece ? length(buffer) : relay->output_piece;
	ssize_t count;

	if (relay->output < 0)
		consume(buffer, length(buffer));
	if (length(buffer) == 0)
		return;
	if (relay->output_is_socket)
		count = send(relay->output, buffer->data + buffer->start, size, MSG_DONTWAIT | MSG_NOSIGNAL);
	else
		count = write(relay->output, buffer->data + buffer->start, size);
	if (count > 0) {
		consume(buffer, (size_t)count);
	} else if (!would_block(count)) {
		/* Nobody reads any more; the container must not stall for it. */
		close_one(&relay->output);
		consume(buffer, length(buffer));
	}
}

void console_relay_handle(struct console_relay *relay, const struct pollfd *fds, size_t count)
{
	short input = 0, master = 0, output = 0;

	for (size_t i = 0; i < count; i++) {
		if (fds[i].fd == relay->input)
			input = fds[i].revents;
		else if (fds[i].fd == relay->master)
			master = fds[i].revents;
		else if (fds[i].fd == relay->output)
			output = fds[i].revents;
	}
	if (input != 0 && length(&relay->to_master) == 0)
		read_input(relay);
	if (!relay->finishing)
		write_master(relay);
	if (output != 0)
		write_output(relay);
	if (master != 0 || relay->finishing)
		read_master(relay);
	/* Descriptors that can't be tried wait for poll. */
	if (relay->output < 0 || relay->output_piece == SIZE_MAX || relay->output_is_socket)
		write_output(relay);
}

void console_relay_finish(struct console_relay *relay)
{
	if (relay->finishing)
		return;
	relay->finishing = true;
	relay->remaining = DRAIN_LIMIT;
	relay->ended = relay->master < 0;
}

bool console_relay_done(const struct console_relay *relay)
{
	return relay->ended && length(&relay->to_output) == 0;
}

void console_relay_drain(struct console_relay *relay)
{
	struct pollfd fds[CONSOLE_POLL_FDS] = {0};

	console_relay_finish(relay);
	for (size_t count = 0;; count = console_relay_poll(relay, fds)) {
		if (count > 0) {
			/* Only a reader that is slow is waited for: an empty terminal ends the drain. */
			bool waits = length(&relay->to_output) > 0;
			while (poll(fds, (nfds_t)count, waits ? -1 : 0) < 0 && errno == EINTR)
				;
		}
		console_relay_handle(relay, fds, count);
		if (console_relay_done(relay))
			return;
	}
}

void console_relay_restore(struct console_relay *relay)
{
	if (relay->raw)
		tcsetattr(relay->input >= 0 ? relay->input : relay->terminal, TCSANOW, &relay->saved);
	relay->raw = false;
	if (relay->pipe_ignored)
		sigaction(SIGPIPE, &relay->saved_pipe, NULL);
	relay->pipe_ignored = false;
	close_one(&relay->master);
	close_one(&relay->slave);
	close_one(&relay->input);
	close_one(&relay->output);
}
