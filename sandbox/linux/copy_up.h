/* SPDX-License-Identifier: Apache-2.0 */
/* Mount option tmpcopyup. */
#ifndef SANDLOCK_LINUX_COPY_UP_H
#define SANDLOCK_LINUX_COPY_UP_H

#include "sandbox/common/error.h"

/* Copies all that is in the directory `from` into the directory `to`, both open for reading: files, directories,
 * links and nodes with owner, mode, times and extended attributes; with_root says whether `to` itself gets those
 * of `from`. Other mounts
 * below `from` are not entered. Nodes that may not be made (user namespace) and attributes that the target does not
 * know are left out. Errors: as the kernel gives them, e.g. ENOSPC. */
int copy_up(int from, int to, int with_root, struct error *err);

#endif
