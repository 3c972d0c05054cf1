/* SPDX-License-Identifier: Apache-2.0 */
/* config.md "process.terminal": the pty inside the container. */
#ifndef SANDLOCK_LINUX_TERMINAL_H
#define SANDLOCK_LINUX_TERMINAL_H

#include "sandbox/session/launch.h"

/* Opens a pty from the container's own devpts, sends the master over launch->console_socket and closes both there,
 * makes the slave the standard streams and the controlling terminal. The caller has called setsid, the container's
 * mounts are there and the launcher still has its capabilities. Nothing to do without process->terminal.
 * Errors: ENODEV when /dev/pts is not a devpts. */
int terminal_open(struct launch *launch, struct error *err);

/* Binds the terminal that terminal_open made onto the container's /dev/console; only for a container that is
 * created with a mount namespace of its own, otherwise nothing is done. */
int terminal_mount_console(struct launch *launch, struct error *err);

#endif
