/* SPDX-License-Identifier: Apache-2.0 */
/* One error object: a code and a message chain, written once at the place that knows most. */
#ifndef SANDLOCK_COMMON_ERROR_H
#define SANDLOCK_COMMON_ERROR_H

#include <stddef.h>

/* An error. It owns nothing, so it can be copied and sent over a socket.
 * code is a positive errno value, 0 while there is no error; message is "" or a text without a newline. */
struct error {
	int code;
	char message[2048];
};

/* Sets the message. Returns -code, so that callers can `return error_set(...)`. */
int error_set(struct error *err, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Like error_set with ": " and the kernel's text for `code` behind the message. Returns -code. */
int error_errno(struct error *err, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Puts "context: " in front of a message that is there already. Returns -code. */
int error_wrap(struct error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Forgets the error. */
void error_clear(struct error *err);

#endif
