/* SPDX-License-Identifier: Apache-2.0 */
/* libseccomp as a compiler, for profiles whose meaning lies in its order of rules. */
#ifndef SANDLOCK_LINUX_SECCOMP_LIBRARY_H
#define SANDLOCK_LINUX_SECCOMP_LIBRARY_H

#include "sandbox/linux/seccomp_compile.h"

/* As seccomp_compile. Calls that libseccomp has no name for are left out.
 * Errors: what libseccomp returns, EEXIST for contradictions that it has no order for. */
int seccomp_compile_library(struct arena *arena, const struct seccomp_profile *profile, struct seccomp_program *program,
			    struct error *err);

#endif
