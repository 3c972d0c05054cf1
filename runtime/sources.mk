# SPDX-License-Identifier: Apache-2.0
RUNTIME_SOURCES = runtime/main.c
