/* SPDX-License-Identifier: Apache-2.0 */
/* Ends the calling process's descendants. */
#ifndef SANDLOCK_HOOKS_TREE_H
#define SANDLOCK_HOOKS_TREE_H

/* Kills and reaps every child of the caller until none is left. With PR_SET_CHILD_SUBREAPER set before the first was
 * made, that reaches all descendants: the orphans of those killed become children. Needs a procfs at "/proc" for
 * the orphans; it is not trusted: only children of the caller are ever signalled. `milliseconds` bounds the
 * waiting for processes that are stuck in the kernel. */
void tree_kill(int milliseconds);

#endif
