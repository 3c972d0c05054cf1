/* SPDX-License-Identifier: Apache-2.0 */
/* The caller's side of a container's terminal: console sockets, and the relay of foreground `run -t`. */
#ifndef SANDLOCK_SESSION_CONSOLE_H
#define SANDLOCK_SESSION_CONSOLE_H

#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <termios.h>

#include "sandbox/common/error.h"

/* Checks process.terminal against --detach (which create implies) and --console-socket (NULL: not given). */
int console_check(bool terminal, bool detach, const char *console_socket, struct error *err);

/* Connects to --console-socket. Returns a descriptor (close-on-exec). */
int console_socket_connect(const char *path, struct error *err);

/* Receives the master that terminal_open sends to the other end of `socket`. Returns a descriptor. */
int console_receive_master(int socket, struct error *err);

/* Bytes on their way. */
struct console_buffer {
	size_t start;
	size_t end;
	char data[16384];
};

/* Copies between the caller's terminal (or pipes, files, sockets) and the master of a pty. */
struct console_relay {
	int master; /* owned, non-blocking */
	int slave;  /* owned: keeps the master from reporting a hang-up while no process has the terminal open; or -1 */
	int input;  /* owned; -1 after end of file */
	int output; /* owned; -1 when nobody reads it: what comes is thrown away then */
	int terminal; /* the caller's descriptor that is a terminal, or -1 */
	bool output_is_socket;
	size_t output_piece; /* most that is written at once */
	bool raw;
	bool ended;       /* the master has no more */
	bool finishing;   /* the main process has ended */
	size_t remaining; /* what may still be read then */
	struct termios saved;
	struct sigaction saved_pipe;
	bool pipe_ignored;
	struct console_buffer to_master;
	struct console_buffer to_output;
};

#define CONSOLE_RELAY_NONE                                                           \
	{                                                                            \
		.master = -1, .slave = -1, .input = -1, .output = -1, .terminal = -1 \
	}

/* Most descriptors that console_relay_poll wants. */
#define CONSOLE_POLL_FDS 3

/* Receives the master from the other end of the launcher's console_socket, and relays between it and the standard
 * input and output. */
int console_relay_init(struct console_relay *relay, int socket, struct error *err);

/* Takes the master. The caller's terminal, if `input` is one, becomes raw, and the pty gets its size. `input` and
 * `output` stay the caller's; their O_NONBLOCK is not touched, as other processes share it. SIGPIPE is ignored until
 * console_relay_restore. */
int console_relay_open(struct console_relay *relay, int master, int input, int output, struct error *err);

/* Writes what to poll and returns how many descriptors that are. */
size_t console_relay_poll(const struct console_relay *relay, struct pollfd fds[CONSOLE_POLL_FDS]);

/* Copies after poll filled in `revents`. Does not block. */
void console_relay_handle(struct console_relay *relay, const struct pollfd *fds, size_t count);

/* After SIGWINCH: the pty gets the size of the caller's terminal. */
void console_relay_resize(struct console_relay *relay);

/* After SIGCONT: the terminal becomes raw again, should the shell have changed it. */
void console_relay_resume(struct console_relay *relay);

/* The main process has ended: input is no longer read, and of the output only what is in the terminal now, for jobs
 * may write to it for ever. Go on with poll and handle until console_relay_done. */
void console_relay_finish(struct console_relay *relay);

/* Whether everything was written. */
bool console_relay_done(const struct console_relay *relay);

/* console_relay_finish, and then poll and handle until done, for callers with nothing else to wait for. */
void console_relay_drain(struct console_relay *relay);

/* Gives the caller's terminal its settings back and closes what the relay owns. Can be called again. */
void console_relay_restore(struct console_relay *relay);

#define CLEANUP_CONSOLE_RELAY __attribute__((cleanup(console_relay_restore)))

#endif
