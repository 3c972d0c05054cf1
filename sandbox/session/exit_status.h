/* SPDX-License-Identifier: Apache-2.0 */
/* How a process ended, read by somebody who need not be its parent. */
#ifndef SANDLOCK_SESSION_EXIT_STATUS_H
#define SANDLOCK_SESSION_EXIT_STATUS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* kind is enum exit_kind of protocol.h, value the exit code or the signal. */
struct exit_status {
	uint32_t kind;
	int32_t value;
};

/* Translates a wait status. */
struct exit_status exit_status_from_wait(int wait_status);

/* Reads how the process behind `pidfd` ended; `pid` is its number in our pid namespace. A child of ours is reaped.
 * Returns true when it ended and its status is known (kind EXIT_CODE or EXIT_SIGNAL). Otherwise kind is EXIT_NOT_YET
 * while a later call may tell (it runs, or its parent has not reaped it), and EXIT_UNKNOWN when none will. */
bool exit_status_read(int pidfd, pid_t pid, bool is_child, struct exit_status *status);

#endif
