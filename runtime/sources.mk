# SPDX-License-Identifier: Apache-2.0
RUNTIME_SOURCES = \
	runtime/checkpoint.c \
	runtime/command.h \
	runtime/container.c runtime/container.h \
	runtime/context.c runtime/context.h \
	runtime/create.c \
	runtime/creation.c runtime/creation.h \
	runtime/delete.c runtime/delete.h \
	runtime/duration.c runtime/duration.h \
	runtime/events.c \
	runtime/exec.c \
	runtime/exec_process.c runtime/exec_process.h \
	runtime/features.c \
	runtime/kill.c \
	runtime/list.c \
	runtime/log.c runtime/log.h \
	runtime/main.c \
	runtime/options.c \
	runtime/output.c runtime/output.h \
	runtime/pause.c \
	runtime/ps.c \
	runtime/report.c runtime/report.h \
	runtime/run.c \
	runtime/signals.c runtime/signals.h \
	runtime/spec.c \
	runtime/start.c runtime/start.h \
	runtime/state.c \
	runtime/update.c \
	runtime/wait.c
