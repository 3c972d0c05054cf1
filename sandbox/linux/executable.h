/* SPDX-License-Identifier: Apache-2.0 */
/* config.md "process.args[0]": where the program is. */
#ifndef SANDLOCK_LINUX_EXECUTABLE_H
#define SANDLOCK_LINUX_EXECUTABLE_H

#include "sandbox/session/launch.h"

/* Looks args[0] up as execvp(3) does: a name with a slash as it is (relative to the working directory), another
 * one in the PATH of launch->environment. Call it as the container's user, in its cwd. *path is malloc'ed.
 * Errors have the words engines look for: ENOENT "executable file not found in $PATH" or "no such file or
 * directory", EACCES "permission denied". */
int executable_find(const struct launch *launch, char **path, struct error *err);

/* Words for an execve(2) of that path that failed with `code`. Returns -code. */
int executable_error(const char *path, int code, struct error *err);

#endif
