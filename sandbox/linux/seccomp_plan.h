/* SPDX-License-Identifier: Apache-2.0 */
/* config-linux.md "seccomp" to a compiled filter. */
#ifndef SANDLOCK_LINUX_SECCOMP_PLAN_H
#define SANDLOCK_LINUX_SECCOMP_PLAN_H

#include <stdbool.h>

#include "sandbox/common/error.h"
#include "sandbox/plan_builder.h"
#include "spec/config.h"

struct seccomp_plan_options {
	const char *oci_version; /* goes into the container process state */
	/* Is told about system calls that are not known and therefore left out; may be NULL. */
	void (*warn)(void *context, const char *message);
	void *context;
	bool fail_unknown; /* they are an error instead (run.oci.seccomp_fail_unknown_syscall) */
};

/* Compiles the profile into the plan; NULL is no profile. With SCMP_ACT_NOTIFY it connects to listenerPath, and the
 * connection travels as out->listener_fd. Errors: EINVAL for what the specification forbids, with runc's words where
 * it has some; what connect(2) returns. */
int seccomp_plan(struct plan_builder *builder, const struct oci_seccomp *seccomp,
		 const struct seccomp_plan_options *options, struct plan_seccomp *out, struct error *err);

/* Connects to a seccomp agent. exec needs its own connection: one container process state is sent over each.
 * Returns a descriptor (close-on-exec). */
int seccomp_listener_connect(const char *path, struct error *err);

/* Whether this kernel knows the flag, a word of config.json ("SECCOMP_FILTER_FLAG_LOG"). */
bool seccomp_flag_supported(const char *word);

#endif
