/* SPDX-License-Identifier: Apache-2.0 */
/* Durations on the command line. */
#ifndef SANDLOCK_RUNTIME_DURATION_H
#define SANDLOCK_RUNTIME_DURATION_H

/* "1500ms", "2.5s", "1m30s", as Go's flag packages have it, but nothing negative; a bare number is seconds. Rounds up
 * to milliseconds. Returns 0, -EINVAL, or -ERANGE beyond 24 days. */
int duration_parse(const char *text, int *milliseconds);

#endif
