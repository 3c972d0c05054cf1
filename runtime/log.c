/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "sandbox/common/file.h"
#include "spec/json_write.h"

int log_open(struct log *log, const char *path, const char *format, bool debug, struct error *err)
{
	*log = (struct log){.fd = -1, .debug = debug};
	if (format != NULL && strcmp(format, "json") == 0)
		log->json = true;
	else if (format != NULL && strcmp(format, "text") != 0)
		return error_set(err, EINVAL, "--log-format: \"%s\" is neither text nor json", format);
	if (path == NULL || path[0] == '\0')
		return 0;
	log->fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY, 0644);
	if (log->fd < 0)
		return error_errno(err, errno, "--log: open %s", path);
	return 0;
}

static const char *level_name(enum log_level level)
{
	static const char *const names[] = {"error", "warning", "info", "debug"};

	return names[level];
}

static void write_line(const struct log *log, int fd, enum log_level level, const char *message)
{
	CLEANUP_JSON_WRITER struct json_writer line = JSON_WRITER(0);
	char seconds[40], now[64];
	struct timespec time_now;
	struct tm broken_down;

	clock_gettime(CLOCK_REALTIME, &time_now);
	gmtime_r(&time_now.tv_sec, &broken_down);
	strftime(seconds, sizeof seconds, "%Y-%m-%dT%H:%M:%S", &broken_down);
	snprintf(now, sizeof now, "%s.%09ldZ", seconds, time_now.tv_nsec);
	if (log->json) {
		json_begin_object(&line);
		json_key_string(&line, "level", level_name(level));
		json_key_string(&line, "msg", message);
		json_key_string(&line, "time", now);
		json_end_object(&line);
	} else {
		json_raw(&line, "time=");
		json_raw(&line, now);
		json_raw(&line, " level=");
		json_raw(&line, level_name(level));
		json_raw(&line, " msg=");
		json_string(&line, message);
	}
	json_raw(&line, "\n");
	file_write_all(fd, line.data, line.length);
}

void log_message(const struct log *log, enum log_level level, const char *format, ...)
{
	char message[4096];
	va_list args;

	if (level == LOG_LEVEL_DEBUG && !log->debug)
		return;
	va_start(args, format);
	vsnprintf(message, sizeof message, format, args);
	va_end(args);
	for (char *c = message; *c != '\0'; c++)
		if (*c == '\n')
			*c = ' ';
	write_line(log, log->fd >= 0 ? log->fd : STDERR_FILENO, level, message);
}

void log_fatal(const struct log *log, const struct error *err)
{
	const char *message = err->message[0] != '\0' ? err->message : strerror(err->code);

	if (log->fd >= 0 || log->json)
		write_line(log, log->fd >= 0 ? log->fd : STDERR_FILENO, LOG_LEVEL_ERROR, message);
	if (log->fd >= 0 || !log->json)
		fprintf(stderr, "sandlock-oci: %s\n", message);
}
