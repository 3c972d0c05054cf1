/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/exec_process.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <strings.h>

#include "sandbox/common/cleanup.h"
#include "sandbox/common/file.h"
#include "sandbox/common/number.h"
#include "spec/parse.h"
#include "spec/words.h"

#define PROCESS_MAX (16 * 1024 * 1024)

static int read_process(struct context *context, const char *path, struct oci_process **process, struct error *err)
{
	CLEANUP_CLOSE int fd = strcmp(path, "-") == 0 ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
						      : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	CLEANUP_FREE char *text = NULL;
	size_t length = 0;

	int rc = fd < 0 ? -errno : file_read_all(fd, PROCESS_MAX, &text, &length);
	if (rc < 0)
		return error_errno(err, -rc, "--process: read %s", path);
	if (process_parse(&context->arena, text, length, NULL, process, err) < 0)
		return error_wrap(err, "--process %s", path);
	return 0;
}

/* The container's strings, with room for more. */
static const char **copy_strings(struct context *context, const struct plan *plan, struct plan_array array, size_t more)
{
	const plan_string *items = plan_items(plan, array);
	const char **strings = arena_array(&context->arena, array.count + more, sizeof *strings);

	for (uint32_t i = 0; i < array.count; i++)
		strings[i] = plan_text(plan, items[i]);
	return strings;
}

static int parse_user(const char *text, struct oci_user *user, struct arena *arena, struct error *err)
{
	const char *colon = strchr(text, ':');
	const char *uid_text = colon == NULL ? text : arena_strndup(arena, text, (size_t)(colon - text));
	uint64_t uid, gid = user->gid;

	if (number_parse_u64(uid_text, 0, UINT32_MAX - 1, &uid) < 0 ||
	    (colon != NULL && number_parse_u64(colon + 1, 0, UINT32_MAX - 1, &gid) < 0))
		return error_set(err, EINVAL, "--user: \"%s\" is not UID or UID:GID", text);
	user->uid = (uint32_t)uid;
	user->gid = (uint32_t)gid;
	return 0;
}

static int add_groups(struct context *context, const struct exec_options *options, const struct plan_process *container,
		      const struct plan *plan, struct oci_user *user, struct error *err)
{
	size_t count = container->additional_gids.count;
	uint32_t *gids = arena_array(&context->arena, count + options->additional_gids.count, sizeof *gids);

	if (count > 0)
		memcpy(gids, plan_items(plan, container->additional_gids), count * sizeof *gids);
	for (size_t i = 0; i < options->additional_gids.count; i++) {
		uint64_t gid;
		if (number_parse_u64(options->additional_gids.items[i], 0, UINT32_MAX - 1, &gid) < 0)
			return error_set(err, EINVAL, "--additional-gids: \"%s\" is not a group id",
					 options->additional_gids.items[i]);
		gids[count++] = (uint32_t)gid;
	}
	user->additional_gids = gids;
	user->additional_gids_count = count;
	return 0;
}

/* --cap adds to what the main process has, in the sets that runc adds it to. */
static int add_capabilities(struct context *context, const struct exec_options *options,
			    const struct plan_process *container, struct oci_process *process, struct error *err)
{
	struct oci_capabilities *sets = arena_alloc(&context->arena, sizeof *sets);

	if (options->capabilities.count == 0)
		return 0;
	*sets = (struct oci_capabilities){container->bounding, container->effective, container->inheritable,
					  container->permitted, container->ambient};
	for (size_t i = 0; i < options->capabilities.count; i++) {
		const char *name = options->capabilities.items[i];
		const struct word *word =
		    word_find(capability_words,
			      strncasecmp(name, "CAP_", 4) == 0 ? name : arena_printf(&context->arena, "CAP_%s", name));
		if (word == NULL)
			return error_set(err, EINVAL, "--cap: \"%s\" is not a capability", name);
		uint64_t bit = word->value;
		sets->bounding |= bit;
		sets->effective |= bit;
		sets->permitted |= bit;
		if (container->inheritable != 0)
			sets->inheritable |= bit;
		if (container->ambient != 0)
			sets->ambient |= bit;
	}
	process->capabilities = sets;
	return 0;
}

/* The container's process with another command. */
static int derive(struct context *context, const struct exec_options *options, const struct plan *plan, int argc,
		  char **argv, struct oci_process *process, struct error *err)
{
	const struct plan_process *container = &plan->process;

	if (argc == 0)
		return error_set(err, EINVAL,
				 "process args cannot be empty: name the program to run, or use --process");
	process->args = (const char **)argv;
	process->args_count = (size_t)argc;
	process->env = copy_strings(context, plan, container->env, options->env.count);
	process->env_count = container->env.count;
	for (size_t i = 0; i < options->env.count; i++)
		process->env[process->env_count++] = options->env.items[i];
	process->cwd = options->cwd != NULL ? options->cwd : plan_text(plan, container->cwd);
	process->user.uid = container->uid;
	process->user.gid = container->gid;
	process->terminal = options->tty;
	process->no_new_privileges = options->no_new_privs || container->no_new_privileges;
	process->apparmor_profile = options->apparmor;
	process->selinux_label = options->label;
	if (options->user != NULL && parse_user(options->user, &process->user, &context->arena, err) < 0)
		return -err->code;
	if (add_groups(context, options, container, plan, &process->user, err) < 0)
		return -err->code;
	return add_capabilities(context, options, container, process, err);
}

int exec_process_make(struct context *context, const struct exec_options *options, const struct plan *container,
		      int argc, char **argv, struct oci_process **process, struct error *err)
{
	if (options->process == NULL) {
		*process = arena_alloc(&context->arena, sizeof **process);
		return derive(context, options, container, argc, argv, *process, err);
	}
	if (read_process(context, options->process, process, err) < 0)
		return -err->code;
	(*process)->terminal = (*process)->terminal || options->tty;
	return 0;
}
