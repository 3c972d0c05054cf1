# SPDX-License-Identifier: Apache-2.0
LINUX_COMMON_SOURCES =
LINUX_PROGRAM_SOURCES = \
	sandbox/linux/seccomp_bpf.c sandbox/linux/seccomp_bpf.h \
	sandbox/linux/seccomp_compile.c sandbox/linux/seccomp_compile.h \
	sandbox/linux/seccomp_library.c sandbox/linux/seccomp_library.h \
	sandbox/linux/seccomp_numbers.c sandbox/linux/seccomp_numbers.h \
	sandbox/linux/seccomp_plan.c sandbox/linux/seccomp_plan.h
LINUX_INIT_SOURCES = \
	sandbox/linux/seccomp.c sandbox/linux/seccomp.h \
	sandbox/linux/terminal.c sandbox/linux/terminal.h
LINUX_UNIT_TESTS =
