/* SPDX-License-Identifier: Apache-2.0 */
/* The roles of sandlock-init. Each runs until the process ends; the result is its exit status. */
#ifndef SANDLOCK_SESSION_ROLES_H
#define SANDLOCK_SESSION_ROLES_H

/* `control`: the socket to the program. Descriptors 3 .. control-1 are those of --preserve-fds. */
/* `role` is the word in the command line, which processes forked from here overwrite with their own. */
int supervisor_main(int control, char *role);

/* Joins the container's namespaces and forks the launcher. */
int joiner_main(int control);

/* Pid 1 of the container, after the exec that gave it the main process's environment.
 * `channel`: to the launcher; `main_pidfd`; `supervisor_pidfd`: to notice that it died in the meantime. */
int reaper_main(int channel, int main_pidfd, int supervisor_pidfd);

#endif
