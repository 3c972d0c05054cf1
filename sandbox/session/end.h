/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SANDLOCK_SESSION_END_H
#define SANDLOCK_SESSION_END_H

#include "sandbox/session/client.h"

/* Ends the session of a supervisor that does not answer any more (design N6): kills it, unless it has ended by itself,
 * clears what it left on disk and in the cgroup, and waits for the processes that die with it. Fails, and says why,
 * when something is left or the supervisor lives on. */
int session_end(const struct session_place *place, const char *id, struct session_client *client, struct error *err);

/* The same where the supervisor has closed the connection: nothing is killed. */
int session_await_end(const struct session_place *place, const char *id, struct session_client *client,
		      struct error *err);

#endif
