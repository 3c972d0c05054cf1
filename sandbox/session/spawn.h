/* SPDX-License-Identifier: Apache-2.0 */
/* Starts sandlock-init from a sealed memfd. */
#ifndef SANDLOCK_SESSION_SPAWN_H
#define SANDLOCK_SESSION_SPAWN_H

#include <sys/types.h>

#include "sandbox/common/error.h"

/* The embedded image in a sealed, executable memfd. Returns the descriptor or a negative errno value. */
int spawn_image(struct error *err);

/* Runs the supervisor with one end of a socket pair; the other end is returned. It is started through a child that
 * ends at once, so that its parent is already the one it will keep. Descriptors 0..2 and `preserve_fds` more are
 * inherited, nothing else. */
int spawn_supervisor(int image, unsigned int preserve_fds, const char *id, struct error *err);

/* Runs the joiner on `control` as a child of the caller. Returns its pid or a negative errno value. */
pid_t spawn_joiner(int image, unsigned int preserve_fds, int control, const char *id, struct error *err);

#endif
