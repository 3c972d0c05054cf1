/* SPDX-License-Identifier: Apache-2.0 */
/* The log: --log FILE (default: standard error), text or JSON lines with level, msg, time. */
#ifndef SANDLOCK_RUNTIME_LOG_H
#define SANDLOCK_RUNTIME_LOG_H

#include <stdbool.h>

#include "sandbox/common/error.h"

enum log_level { LOG_LEVEL_ERROR, LOG_LEVEL_WARNING, LOG_LEVEL_INFO, LOG_LEVEL_DEBUG };

/* Where messages go; created by log_open, passed to whoever logs. */
struct log {
	int fd; /* the log file, or -1: standard error */
	bool json;
	bool debug;
};

/* Opens the file for appending. An unknown format is an error. */
int log_open(struct log *log, const char *path, const char *format, bool debug, struct error *err);

/* Writes one line in one write(2), so that lines of several processes do not mix. Debug messages only with --debug. */
void log_message(const struct log *log, enum log_level level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The error that ends the program: to the log as the last line, and to standard error, where a person sees it. */
void log_fatal(const struct log *log, const struct error *err);

#endif
