/* SPDX-License-Identifier: Apache-2.0 */
/* For clang-tidy alone: it sees one file at a time and has to be told that these never return 0. */
#ifndef SANDLOCK_LINT_ANALYZER_H
#define SANDLOCK_LINT_ANALYZER_H

#include "sandbox/common/error.h"

#define error_set(...) ((error_set)(__VA_ARGS__), -1)
#define error_errno(...) ((error_errno)(__VA_ARGS__), -1)
#define error_wrap(...) ((error_wrap)(__VA_ARGS__), -1)

#endif
