/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/linux/pid1.h"

#include <errno.h>
#include <string.h>

#include "sandbox/common/cleanup.h"
#include "sandbox/common/syscalls.h"

/* Base names of programs that refuse to be, or misbehave as, anything but pid 1. */
static const char *const init_names[] = {
    "init",
    "systemd",
    "upstart",
    "openrc-init",
    "runit",
    "runit-init",
    "finit",
    "dinit",
    "s6-svscan",
    "s6-linux-init",
    "s6-overlay-suexec",
    "shepherd",
    "sinit",
    "my_init",
    "podman-init",
    "docker-init",
    "catatonit",
    "tini",
    "tini-static",
    "dumb-init",
    "pause",
};

bool pid1_is_init(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash != NULL ? slash + 1 : path;

	for (size_t i = 0; i < ARRAY_SIZE(init_names); i++)
		if (strcmp(name, init_names[i]) == 0)
			return true;
	return false;
}

static const char *annotation(const struct oci_config *config)
{
	for (size_t i = 0; i < config->annotations_count; i++)
		if (strcmp(config->annotations[i].key, PID1_ANNOTATION) == 0)
			return config->annotations[i].value;
	return NULL;
}

int pid1_plan(struct plan *plan, const struct oci_config *config, struct error *err)
{
	const char *wanted = annotation(config);
	const struct oci_process *process = config->process;
	bool main_is_init = process != NULL && process->args_count > 0 && pid1_is_init(process->args[0]);

	if (wanted != NULL && strcmp(wanted, "main") != 0 && strcmp(wanted, "reaper") != 0)
		return error_set(err, EINVAL,
				 "annotation " PID1_ANNOTATION " is \"%s\": it must be \"main\" or \"reaper\"", wanted);
	if (!(plan->clone_flags & CLONE_NEWPID)) {
		if (wanted != NULL)
			return error_set(err, EINVAL,
					 "annotation " PID1_ANNOTATION
					 " is \"%s\", but the container gets no new pid namespace: add "
					 "{\"type\": \"pid\"} without a path to linux.namespaces",
					 wanted);
		return 0;
	}
	if (wanted != NULL)
		main_is_init = strcmp(wanted, "main") == 0;
	plan->flags |= main_is_init ? PLAN_NESTED_PID : PLAN_REAPER;
	return 0;
}
