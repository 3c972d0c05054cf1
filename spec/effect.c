/* SPDX-License-Identifier: Apache-2.0 */
#include "spec/effect.h"

#include <linux/ioprio.h>
#include <sched.h>
#include <string.h>

#include "sandbox/linux/mount_options.h"
#include "spec/annotations.h"

#define NOTE(validation, ...) config_note((validation)->arena, (validation)->notes, NOTE_NO_EFFECT, __VA_ARGS__)

static void note_process(const struct validation *validation, const struct oci_process *process)
{
	const struct oci_scheduler *scheduler = process->scheduler;

	if (process->console_size.set && !process->terminal)
		NOTE(validation, "process.consoleSize: has no effect, since process.terminal is not true");
	if (process->user.username != NULL)
		NOTE(validation, "process.user.username: has no effect on Linux");
	if (process->io_priority != NULL && process->io_priority->class_ == IOPRIO_CLASS_IDLE &&
	    process->io_priority->priority.value != 0)
		NOTE(validation, "process.ioPriority.priority: has no effect, since IOPRIO_CLASS_IDLE has one level");
	/* sched_setattr(2): sched_nice belongs to two policies. */
	if (scheduler != NULL && scheduler->nice.value != 0 && scheduler->policy != SCHED_OTHER &&
	    scheduler->policy != SCHED_BATCH)
		NOTE(validation, "process.scheduler.nice: has no effect, since the policy is neither SCHED_OTHER nor "
				 "SCHED_BATCH");
}

static void note_mounts(const struct validation *validation, const struct oci_config *config)
{
	for (size_t i = 0; i < config->mounts_count; i++)
		for (size_t j = 0; j < config->mounts[i].options_count; j++) {
			const char *word = config->mounts[i].options[j];
			/* "defaults" says that there is nothing to say. */
			if (mount_options_ignored(word) && strcmp(word, "defaults") != 0)
				NOTE(validation, "mounts[%zu].options[%zu]: %s has no effect here", i, j, word);
		}
}

static bool notifies(const struct oci_seccomp *seccomp)
{
	bool found = strcmp(seccomp->default_action, "SCMP_ACT_NOTIFY") == 0;

	for (size_t i = 0; i < seccomp->syscalls_count; i++)
		found |= strcmp(seccomp->syscalls[i].action, "SCMP_ACT_NOTIFY") == 0;
	return found;
}

/* config-linux.md "seccomp": the value is ignored without the action. */
static void note_seccomp(const struct validation *validation, const struct oci_seccomp *seccomp)
{
	if (seccomp != NULL && seccomp->listener_path != NULL && !notifies(seccomp))
		NOTE(validation, "linux.seccomp.listenerPath: has no effect, since no action is SCMP_ACT_NOTIFY");
}

/* Names that other runtimes give a meaning to, or that look like ours. */
static void note_annotations(const struct validation *validation, const struct oci_config *config)
{
	static const char *const prefixes[] = {"io.sandlock.", "run.oci."};

	for (size_t i = 0; i < config->annotations_count; i++) {
		const char *key = config->annotations[i].key;
		bool looks = false;
		for (size_t j = 0; j < sizeof prefixes / sizeof prefixes[0]; j++)
			looks |= strncmp(key, prefixes[j], strlen(prefixes[j])) == 0;
		if (looks && annotation_find(key) == NULL)
			NOTE(validation, "annotations[\"%.64s\"]: has no effect here", key);
	}
}

void effect_note(const struct validation *validation, const struct oci_config *config)
{
	if (config->process != NULL)
		note_process(validation, config->process);
	note_mounts(validation, config);
	note_seccomp(validation, config->linux_.seccomp);
	note_annotations(validation, config);
}
