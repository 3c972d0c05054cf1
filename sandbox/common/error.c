/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/common/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void format_message(struct error *err, const char *format, va_list args)
{
	int length = vsnprintf(err->message, sizeof err->message, format, args);
	if (length < 0)
		err->message[0] = '\0';
	/* Log records are single lines. */
	for (char *c = err->message; *c != '\0'; c++)
		if (*c == '\n' || *c == '\r')
			*c = ' ';
}

int error_set(struct error *err, int code, const char *format, ...)
{
	va_list args;

	err->code = code > 0 ? code : EINVAL;
	va_start(args, format);
	format_message(err, format, args);
	va_end(args);
	return -err->code;
}

int error_errno(struct error *err, int code, const char *format, ...)
{
	va_list args;

	err->code = code > 0 ? code : EINVAL;
	va_start(args, format);
	format_message(err, format, args);
	va_end(args);

	/* Engines look for runc's lower-case wording of these. */
	static const struct {
		int code;
		const char *text;
	} lower_case[] = {
	    {ENOENT, "no such file or directory"}, {EACCES, "permission denied"}, {EPERM, "operation not permitted"},
	    {ENOTDIR, "not a directory"},          {EEXIST, "file exists"},       {EINVAL, "invalid argument"},
	    {ENOEXEC, "exec format error"},        {ESRCH, "no such process"},    {EBUSY, "device or resource busy"},
	};
	const char *text = strerror(err->code);
	for (size_t i = 0; i < sizeof lower_case / sizeof lower_case[0]; i++)
		if (lower_case[i].code == err->code)
			text = lower_case[i].text;

	size_t length = strlen(err->message);
	snprintf(err->message + length, sizeof err->message - length, ": %s", text);
	return -err->code;
}

int error_wrap(struct error *err, const char *format, ...)
{
	struct error outer = {.code = err->code};
	va_list args;

	va_start(args, format);
	format_message(&outer, format, args);
	va_end(args);

	/* What does not fit is cut at the end. */
	size_t length = strlen(outer.message);
	size_t room = sizeof outer.message - length - 1;
	for (const char *c = ": "; *c != '\0' && room > 0; c++, room--)
		outer.message[length++] = *c;
	for (const char *c = err->message; *c != '\0' && room > 0; c++, room--)
		outer.message[length++] = *c;
	outer.message[length] = '\0';
	*err = outer;
	return -(err->code > 0 ? err->code : EINVAL);
}

void error_clear(struct error *err)
{
	err->code = 0;
	err->message[0] = '\0';
}
