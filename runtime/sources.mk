# SPDX-License-Identifier: Apache-2.0
RUNTIME_SOURCES = \
	runtime/command.h \
	runtime/context.c runtime/context.h \
	runtime/create.c \
	runtime/creation.c runtime/creation.h \
	runtime/delete.c runtime/delete.h \
	runtime/exec.c \
	runtime/exec_process.c runtime/exec_process.h \
	runtime/features.c \
	runtime/kill.c \
	runtime/list.c \
	runtime/log.c runtime/log.h \
	runtime/main.c \
	runtime/options.c \
	runtime/output.c runtime/output.h \
	runtime/report.c runtime/report.h \
	runtime/run.c \
	runtime/signals.c runtime/signals.h \
	runtime/spec.c \
	runtime/start.c runtime/start.h \
	runtime/state.c \
	runtime/wait.c
