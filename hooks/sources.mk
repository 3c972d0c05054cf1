# SPDX-License-Identifier: Apache-2.0
HOOKS_COMMON_SOURCES = \
	hooks/hooks.h \
	hooks/keeper.c hooks/keeper.h \
	hooks/run.c \
	hooks/state.c \
	hooks/tree.c hooks/tree.h
HOOKS_PROGRAM_SOURCES = hooks/plan.c hooks/plan.h
HOOKS_INIT_SOURCES =
HOOKS_UNIT_TESTS = tests/unit/test_hooks
