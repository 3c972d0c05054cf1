/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SANDLOCK_RUNTIME_SIGNALS_H
#define SANDLOCK_RUNTIME_SIGNALS_H

/* A signal's number from its number (0 is allowed: it only checks) or its name, with or without SIG, in any case.
 * -EINVAL for anything else. */
int signal_parse(const char *text);

#endif
