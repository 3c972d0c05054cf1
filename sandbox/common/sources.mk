# SPDX-License-Identifier: Apache-2.0
COMMON_COMMON_SOURCES = \
	sandbox/common/error.c sandbox/common/error.h \
	sandbox/common/file.c sandbox/common/file.h \
	sandbox/common/message.c sandbox/common/message.h \
	sandbox/common/number.c sandbox/common/number.h \
	sandbox/common/cleanup.h sandbox/common/syscalls.h
COMMON_PROGRAM_SOURCES = sandbox/common/arena.c sandbox/common/arena.h \
	sandbox/common/unix_socket.c sandbox/common/unix_socket.h
COMMON_UNIT_TESTS =
