/* SPDX-License-Identifier: Apache-2.0 */
/* Whether the process at the other end of a session's socket may be believed (design N3).
 *
 * Abstract sockets belong to a network namespace, and a container may share the host's: root in it has the uid of root
 * here. A peer is trusted if it could do to us by itself what a session lets it do: it is of our user (or root) and in
 * our user namespace, and either in our mount namespace and root directory, or in our pid namespace and with every
 * capability that we have. It is not when /proc does not tell. */
#ifndef SANDLOCK_SESSION_PEER_H
#define SANDLOCK_SESSION_PEER_H

#include "sandbox/session/name.h"

/* For the supervisor: NULL if the client may command it, else the reason, in words. */
const char *session_client_distrust(const struct session_peer *peer);

/* For the client: NULL if the process that has the name may be a session's supervisor, and will trust us; else the
 * reason, in words. */
const char *session_supervisor_distrust(const struct session_peer *peer);

#endif
