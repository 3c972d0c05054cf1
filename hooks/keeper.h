/* SPDX-License-Identifier: Apache-2.0 */
/* The process between the runtime and one hook: it feeds the hook, watches it and ends what it started. */
#ifndef SANDLOCK_HOOKS_KEEPER_H
#define SANDLOCK_HOOKS_KEEPER_H

#include <stddef.h>
#include <stdint.h>

/* What a keeper needs; everything belongs to the caller. */
struct keeper_hook {
	const char *path;
	char *const *arguments;
	char *const *environment;
	const char *directory; /* NULL: the current one */
	const char *state;
	size_t state_length;
	int timeout; /* seconds, 0: none */
};

enum keeper_outcome {
	KEEPER_EXITED,    /* value: exit status */
	KEEPER_SIGNALLED, /* value: signal */
	KEEPER_TIMED_OUT,
	KEEPER_NOT_EXECUTED, /* value: errno */
	KEEPER_FAILED,       /* value: errno; the hook may have run */
};

/* Sent through a pipe in one write, so it must stay below PIPE_BUF. */
struct keeper_result {
	int32_t outcome; /* enum keeper_outcome */
	int32_t value;
	char output[384]; /* the end of what the hook wrote, NUL-terminated */
	char errors[1024];
};

/* Runs in a fork of the caller: closes all its descriptors but these two, runs the hook, writes the result to
 * `result_fd`, and ends. `caller` is a pidfd of the caller. Never returns. */
_Noreturn void keeper_main(const struct keeper_hook *hook, int result_fd, int caller);

#endif
