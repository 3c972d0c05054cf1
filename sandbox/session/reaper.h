/* SPDX-License-Identifier: Apache-2.0 */
/* The first life of pid 1: it holds the new namespaces while the launcher builds in them. */
#ifndef SANDLOCK_SESSION_REAPER_H
#define SANDLOCK_SESSION_REAPER_H

#include <stdbool.h>

#include "sandbox/plan.h"

/* Has the kernel kill the caller when its parent, the supervisor, dies. False if that has happened already. */
bool reaper_tie_to_supervisor(int supervisor_pidfd);

/* The second life of the holder where the main process itself is pid 1, of a pid namespace below the holder's: it keeps
 * that one, so that everything ends with the supervisor, and does nothing else. */
_Noreturn void reaper_guard(int supervisor_pidfd);

/* Runs in the child that the supervisor cloned with the new namespaces, and never returns. Takes orders on
 * `channel`; the handoff executes `init_fd` as the reaper role with the main process's user and environment. */
_Noreturn void holder_main(const struct plan *plan, int channel, int init_fd, int supervisor_pidfd);

#endif
