/* SPDX-License-Identifier: Apache-2.0 */
/* Where sessions are: the state root, the names that belong to it, and what crashed sessions left there. */
#ifndef SANDLOCK_SESSION_PLACE_H
#define SANDLOCK_SESSION_PLACE_H

#include <stdbool.h>

#include "sandbox/common/error.h"
#include "sandbox/session/name.h"

/* A state root. `directory` is -1 when it is not there or not usable: sessions work without (design N5). */
struct session_place {
	char *path;
	int directory;
	bool writable;
	char prefix[64]; /* of the names: user and root */
	size_t prefix_length;
};

/* Opens the root; with `create` makes it (mode 0700). Fails only for a path that cannot be one (not absolute after
 * resolving, too long). */
int session_place_open(struct session_place *place, const char *path, bool create, struct error *err);
void session_place_close(struct session_place *place);

/* Checks an id as runc does: letters, digits, "_", "+", "-", ".", not "." or "..", at most 1024 bytes. */
int session_id_check(const char *id, struct error *err);

/* The name of a session. */
void session_place_name(const struct session_place *place, const char *id, struct session_name *name);

/* If a name in /proc/net/unix (without "@") belongs to this place, the id in it; else NULL. Ids too long for a name
 * are not found so. */
const char *session_place_id(const struct session_place *place, const char *name);

/* Removes what a session that is gone left below the root. The caller must hold the session's name. Waits for the
 * processes that die with their supervisor. */
int session_place_clear(const struct session_place *place, const char *id, struct error *err);

/* Like session_place_clear, but binds the name for the time of it. Returns -EADDRINUSE if somebody has it, -ENOENT if
 * there was nothing. */
int session_place_clear_stale(const struct session_place *place, const char *id, struct error *err);

/* The name is bound, but nobody answers there: says who has it (process and user, found in /proc). Returns
 * -EADDRINUSE. */
int session_place_describe_holder(const struct session_place *place, const char *id, struct error *err);

/* Writes ROOT/ID/record.json. */
int session_place_record(const struct session_place *place, const char *id, const char *text, size_t length,
			 struct error *err);

#endif
