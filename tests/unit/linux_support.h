/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of sandbox/linux and hooks share: plans made in memory, and steps run in a child of their own. */
#ifndef SANDLOCK_TESTS_LINUX_SUPPORT_H
#define SANDLOCK_TESTS_LINUX_SUPPORT_H

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sandbox/common/file.h"
#include "sandbox/plan_builder.h"
#include "sandbox/session/launch.h"
#include "tests/unit/check.h"

/* Seals and maps what the builder holds; ends the test program if that fails. */
static inline const struct plan *support_plan(struct plan_builder *builder)
{
	struct error err = {0};
	const struct plan *plan = NULL;
	int fd = plan_seal(builder, &err);

	if (fd < 0 || plan_map(fd, &plan, &err) < 0) {
		printf("not ok - can't make a plan: %s\n", err.message);
		exit(1);
	}
	close(fd);
	return plan;
}

/* A launch of the plan's main process, inside no container. */
static inline struct launch support_launch(const struct plan *plan)
{
	return (struct launch){.plan = plan,
			       .process = &plan->process,
			       .process_plan = plan,
			       .control = -1,
			       .session = -1,
			       .proc_fd = -1,
			       .root_fd = -1,
			       .console_socket = -1};
}

/* Runs `body` in a child with these new namespaces (0: none); its checks count here. A failed check or a crash in the
 * child is a failed check of the caller. */
static inline bool support_child(int namespaces, void (*body)(void *), void *context, const char *name)
{
	fflush(NULL);
	pid_t pid = fork();
	if (pid == 0) {
		checks_run = checks_failed = 0;
		if (namespaces != 0 && unshare(namespaces) < 0) {
			printf("not ok - %s: unshare: %s\n", name, strerror(errno));
			_exit(2);
		}
		body(context);
		fflush(NULL);
		_exit(checks_failed == 0 && checks_run > 0 ? 0 : 1);
	}
	int status = -1;
	waitpid(pid, &status, 0);
	bool good = pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
	if (!good)
		printf("# %s: child ended with status %#x\n", name, (unsigned int)status);
	return check_that(good, __FILE__, __LINE__, name);
}

/* The message contains the text. */
#define CHECK_MESSAGE(error, text)                                                                     \
	do {                                                                                           \
		if (!check_that(strstr((error)->message, (text)) != NULL, __FILE__, __LINE__, (text))) \
			printf("#   message: %s\n", (error)->message);                                 \
	} while (0)

/* A step succeeded; otherwise its message is shown. */
#define CHECK_OK(call, error)                                            \
	do {                                                             \
		if (!check_that((call) == 0, __FILE__, __LINE__, #call)) \
			printf("#   message: %s\n", (error)->message);   \
	} while (0)

/* A plan under construction, and the launch of it. */
struct setup {
	struct plan_builder builder;
	struct launch launch;
	struct error err;
};

static inline void setup_begin(struct setup *setup)
{
	*setup = (struct setup){0};
	plan_builder_init(&setup->builder);
}

static inline struct plan_process *setup_process(struct setup *setup)
{
	return &setup->builder.plan.process;
}

static inline struct launch *setup_launch(struct setup *setup)
{
	setup->launch = support_launch(support_plan(&setup->builder));
	return &setup->launch;
}

/* The rest of a line of a file that begins so. */
static inline const char *support_line(const char *path, const char *start)
{
	static char text[16384];

	if (file_read_at(AT_FDCWD, path, text, sizeof text) < 0)
		return "";
	char *line = strstr(text, start);
	if (line == NULL)
		return "";
	line += strlen(start);
	line += strspn(line, " \t");
	line[strcspn(line, "\n")] = '\0';
	return line;
}

static inline const char *support_content(const char *path)
{
	return support_line(path, "");
}

#endif
