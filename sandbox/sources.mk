# SPDX-License-Identifier: Apache-2.0
SANDBOX_COMMON_SOURCES = sandbox/plan.c sandbox/plan.h
SANDBOX_PROGRAM_SOURCES = sandbox/plan_builder.c sandbox/plan_builder.h
SANDBOX_INIT_SOURCES =
