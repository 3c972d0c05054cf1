/* SPDX-License-Identifier: Apache-2.0 */
/* The caller's side of a container's terminal: console sockets, and the relay of foreground `run -t`. */
#ifndef SANDLOCK_SESSION_CONSOLE_H
#define SANDLOCK_SESSION_CONSOLE_H

#include <poll.h>
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

/* Copies between the caller's terminal (or pipes, files, sockets) and the master of a pty. Callers ignore SIGPIPE. */
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
	struct console_buffer to_master;
	struct console_buffer to_output;
};

/* Descriptors that console_relay_poll_fds fills. */
#define CONSOLE_RELAY_FDS 3

/* Takes the master. The caller's terminal, if `input` is one, becomes raw, and the pty gets its size. `input` and
 * `output` stay the caller's; their O_NONBLOCK is not touched, as other processes share it. */
int console_relay_init(struct console_relay *relay, int master, int input, int output, struct error *err);

/* What to poll; unused slots have fd -1, which poll(2) passes over. */
void console_relay_poll_fds(const struct console_relay *relay, struct pollfd fds[CONSOLE_RELAY_FDS]);

/* Copies after poll filled in `revents`. Never blocks. */
void console_relay_handle(struct console_relay *relay, const struct pollfd fds[CONSOLE_RELAY_FDS]);

/* After SIGWINCH: the pty gets the size of the caller's terminal. */
void console_relay_resize(struct console_relay *relay);

/* After SIGCONT: the terminal becomes raw again, should the shell have changed it. */
void console_relay_resume(struct console_relay *relay);

/* The main process has ended: input is no longer read, and of the output only what is in the terminal now. Go on
 * with poll and handle until console_relay_done. */
void console_relay_finish(struct console_relay *relay);

/* Whether everything was written. */
bool console_relay_done(const struct console_relay *relay);

/* console_relay_finish and then poll and handle until done, for callers with nothing else to wait for. */
int console_relay_drain(struct console_relay *relay, struct error *err);

/* Gives the caller's terminal its settings back and closes what the relay owns. Can be called again. */
void console_relay_restore(struct console_relay *relay);

#endif
