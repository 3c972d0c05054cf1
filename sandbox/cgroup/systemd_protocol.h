/* SPDX-License-Identifier: Apache-2.0 */
/* What the program and its helper sandlock-systemd say to each other, over a SOCK_SEQPACKET socket that is the helper's
 * standard input.
 *
 * A request is one datagram of lines:
 *   command start | set | stop | attach | control-group
 *   bus user                          (otherwise the system's)
 *   unit NAME
 *   slice NAME                        (start)
 *   pid NUMBER, path /BELOW/THE/UNIT  (attach)
 *   property NAME SIGNATURE VALUE     (start, set; VALUE is the rest of the line)
 * Values: t a number or "max"; b true or false; s, u, i, x as they are; ay a list like 0-3,7 that becomes a bit mask;
 * as and a(ss) items that are separated by SYSTEMD_SEPARATOR.
 *
 * The answer is one datagram: "ok", with a blank and the manager's cgroup after control-group, or "error ERRNO TEXT".
 * After "start" the helper is in the scope and stays there until the socket is closed. */
#ifndef SANDLOCK_CGROUP_SYSTEMD_PROTOCOL_H
#define SANDLOCK_CGROUP_SYSTEMD_PROTOCOL_H

#define SYSTEMD_SEPARATOR '\037'
#define SYSTEMD_MESSAGE_MAX 65536
#define SYSTEMD_PROPERTIES_MAX 256

#endif
