/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of seccomp share: profiles in the shape the parser gives them, planned. */
#ifndef SANDLOCK_TESTS_SECCOMP_SUPPORT_H
#define SANDLOCK_TESTS_SECCOMP_SUPPORT_H

#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sandbox/common/cleanup.h"
#include "sandbox/linux/seccomp_plan.h"
#include "tests/unit/check.h"

#define NAMES(...) .names = (const char *[]){__VA_ARGS__}, .names_count = ARRAY_SIZE(((const char *[]){__VA_ARGS__}))
#define CALLS(...)                                               \
	.syscalls = (struct oci_seccomp_syscall[]){__VA_ARGS__}, \
	.syscalls_count = ARRAY_SIZE(((struct oci_seccomp_syscall[]){__VA_ARGS__}))
#define ARGS(...)                                        \
	.args = (struct oci_seccomp_arg[]){__VA_ARGS__}, \
	.args_count = ARRAY_SIZE(((struct oci_seccomp_arg[]){__VA_ARGS__}))

static char warning[512];

static inline void keep_warning(void *context, const char *message)
{
	snprintf(context, sizeof warning, "%s", message);
}

static const struct seccomp_plan_options options = {.oci_version = "1.3.0", .warn = keep_warning, .context = warning};

/* A planned profile. */
struct planned {
	struct plan_builder builder;
	int fd;
	const struct plan *plan;
	int fds[1];
};

static inline bool make_plan(const struct oci_seccomp *seccomp, struct planned *planned, struct error *err)
{
	plan_builder_init(&planned->builder);
	struct plan_builder *builder = &planned->builder;
	warning[0] = '\0';
	if (seccomp_plan(builder, seccomp, &options, &builder->plan.seccomp, err) < 0)
		return false;
	builder->plan.process.no_new_privileges = 1;
	builder->plan.state_prefix =
	    plan_add_string(builder, "{\"ociVersion\":\"1.3.0\",\"id\":\"x\",\"bundle\":\"/b\"");
	planned->fd = plan_seal(builder, err);
	return planned->fd >= 0 && plan_map(planned->fd, &planned->plan, err) == 0;
}

static inline void free_plan(struct planned *planned)
{
	if (planned->plan != NULL)
		munmap((void *)planned->plan, planned->plan->size);
	close(planned->fd);
	plan_builder_free(&planned->builder);
}

static inline bool exits(int status, int code)
{
	if (WIFEXITED(status) && WEXITSTATUS(status) == code)
		return true;
	printf("# status %#x, wanted exit %d\n", (unsigned int)status, code);
	return false;
}

static inline bool dies(int status, int signal_number)
{
	return WIFSIGNALED(status) && WTERMSIG(status) == signal_number;
}

#endif
