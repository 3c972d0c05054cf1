/* SPDX-License-Identifier: Apache-2.0 */
/* What create, run and exec give to their callers: pid files, pidfds, signals. */
#ifndef SANDLOCK_RUNTIME_OUTPUT_H
#define SANDLOCK_RUNTIME_OUTPUT_H

#include <sys/types.h>

#include "sandbox/common/error.h"
#include "sandbox/session/console.h"

/* Writes a pid file: complete or not there at all, since engines read it as soon as it exists. */
int output_pid_file(const char *path, pid_t pid, struct error *err);

/* --pidfd-socket: connects and sends the descriptor. */
int output_pidfd_socket(const char *path, int pidfd, struct error *err);

/* Checks that `count` descriptors from 3 on can be passed. Those that are not open stay absent in the container: the
 * numbers an engine asks for may have gaps. sandlock-init keeps its own out of the gaps. */
int output_check_preserved(int count, struct error *err);

/* Blocks all signals and returns a signalfd for them. */
int output_block_signals(struct error *err);

/* Reads one signal and passes it on; a terminal's own signals (size, continue) are the relay's. console may be NULL. */
void output_forward_signal(int signals, int pidfd, struct console_relay *console);

#endif
