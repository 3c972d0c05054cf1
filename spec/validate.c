/* SPDX-License-Identifier: Apache-2.0 */
/* config.md */
#include "spec/validate.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/sched.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "spec/effect.h"
#include "spec/words.h"

#define DIGITS "0123456789"
#define IDENTIFIER DIGITS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-"

/* A number without leading zeros, as SemVer has it. Returns its end or NULL. */
static const char *version_number(const char *text, unsigned int *value)
{
	size_t digits = strspn(text, DIGITS);

	*value = 0;
	if (digits == 0 || digits > 6 || (digits > 1 && text[0] == '0'))
		return NULL;
	for (size_t i = 0; i < digits; i++)
		*value = *value * 10 + (unsigned int)(text[i] - '0');
	return text + digits;
}

/* Identifiers with dots between them. Returns their end or NULL. */
static const char *version_identifiers(const char *text)
{
	for (;;) {
		size_t length = strspn(text, IDENTIFIER);
		if (length == 0)
			return NULL;
		text += length;
		if (*text != '.')
			return text;
		text++;
	}
}

/* Parses MAJOR.MINOR.PATCH[-PRERELEASE][+BUILD] */
static bool version_parse(const char *text, unsigned int parts[3])
{
	for (size_t i = 0; i < 3; i++) {
		text = version_number(text, &parts[i]);
		if (text == NULL || (i < 2 && *text++ != '.'))
			return false;
	}
	if (*text == '-')
		text = version_identifiers(text + 1);
	if (text != NULL && *text == '+')
		text = version_identifiers(text + 1);
	return text != NULL && *text == '\0';
}

int oci_version_check(const struct validation *validation, const char *version)
{
	unsigned int parts[3] = {0}, newest[3] = {0};

	if (!version_parse(version, parts))
		return error_set(validation->err, EINVAL,
				 "ociVersion: \"%.64s\" is not a version like " OCI_VERSION_MAX, version);
	if (parts[0] != 1)
		return error_set(validation->err, EINVAL,
				 "ociVersion: \"%.64s\" is not supported (" OCI_VERSION_MIN " to " OCI_VERSION_MAX ")",
				 version);
	version_parse(OCI_VERSION_MAX, newest);
	if (parts[1] > newest[1])
		config_note(validation->arena, validation->notes, NOTE_IGNORED,
			    "ociVersion: %.64s is newer than " OCI_VERSION_MAX ", what it added is ignored", version);
	return 0;
}

const struct oci_namespace *config_namespace(const struct oci_config *config, uint32_t type)
{
	for (size_t i = 0; i < config->linux_.namespaces_count; i++)
		if (config->linux_.namespaces[i].type == type)
			return &config->linux_.namespaces[i];
	return NULL;
}

/* An entry of the environment by its name. */
struct variable {
	const char *entry;
	size_t name; /* length of the name */
	size_t index;
};

static int compare_variables(const void *left, const void *right)
{
	const struct variable *a = left, *b = right;
	size_t common = a->name < b->name ? a->name : b->name;
	int order = memcmp(a->entry, b->entry, common);

	if (order == 0 && a->name != b->name)
		order = a->name < b->name ? -1 : 1;
	if (order != 0)
		return order;
	return a->index < b->index ? -1 : 1;
}

/* Which of two entries for one variable a program sees differs from libc to libc: only the last one stays. */
static void drop_overridden(const struct validation *validation, struct oci_process *process)
{
	size_t count = process->env_count, kept = 0;
	struct variable *variables = arena_array(validation->arena, count, sizeof *variables);

	if (count < 2)
		return;
	for (size_t i = 0; i < count; i++)
		variables[i] = (struct variable){process->env[i], strcspn(process->env[i], "="), i};
	qsort(variables, count, sizeof *variables, compare_variables);
	for (size_t i = 0; i + 1 < count; i++) {
		const struct variable *this = &variables[i], *next = &variables[i + 1];
		if (this->name == next->name && memcmp(this->entry, next->entry, this->name) == 0)
			process->env[this->index] = NULL;
	}
	for (size_t i = 0; i < count; i++)
		if (process->env[i] != NULL)
			process->env[kept++] = process->env[i];
	process->env_count = kept;
}

static int env_validate(const struct validation *validation, const char *path, struct oci_process *process)
{
	for (size_t i = 0; i < process->env_count; i++) {
		const char *entry = process->env[i];
		if (strchr(entry, '=') == NULL)
			return error_set(validation->err, EINVAL, "%senv[%zu]: \"%.64s\" is not of the form NAME=VALUE",
					 path, i, entry);
		if (entry[0] == '=')
			return error_set(validation->err, EINVAL, "%senv[%zu]: \"%.64s\" has no name", path, i, entry);
	}
	drop_overridden(validation, process);
	return 0;
}

static int rlimits_validate(const struct validation *validation, const char *path, const struct oci_process *process)
{
	uint64_t seen = 0;

	for (size_t i = 0; i < process->rlimits_count; i++) {
		uint64_t bit = UINT64_C(1) << process->rlimits[i].resource;
		if (seen & bit)
			return error_set(validation->err, EINVAL, "%srlimits[%zu]: %s is there more than once", path, i,
					 process->rlimits[i].type);
		seen |= bit;
	}
	return 0;
}

/* Cuts a set to what the kernel grants. The specification wants a warning, not an error. */
static void cut_set(const struct validation *validation, const char *path, const char *name, uint64_t *set,
		    uint64_t allowed, const char *where)
{
	char names[900] = "";
	size_t length = 0;

	for (const struct word *word = capability_words; word->text != NULL; word++)
		if ((*set & ~allowed & word->value) != 0 && length < sizeof names)
			length += (size_t)snprintf(names + length, sizeof names - length, "%s%s",
						   length > 0 ? ", " : "", word->text);
	if (length > 0)
		config_note(validation->arena, validation->notes, NOTE_IGNORED,
			    "%scapabilities.%s: ignored, since not in %s: %s", path, name, where, names);
	*set &= allowed;
}

static void capabilities_validate(const struct validation *validation, const char *path, struct oci_capabilities *sets)
{
	/* capset(2): effective must be within permitted; prctl(2) PR_CAP_AMBIENT_RAISE: ambient within both. */
	cut_set(validation, path, "effective", &sets->effective, sets->permitted, "permitted");
	cut_set(validation, path, "ambient", &sets->ambient, sets->permitted, "permitted");
	cut_set(validation, path, "ambient", &sets->ambient, sets->inheritable, "inheritable");
}

/* sched(7): 1024 <= runtime <= deadline <= period < 2^63; a period of 0 is the deadline. The kernel says EINVAL to
 * all that. The words are crun's. */
static int deadline_validate(const struct validation *validation, const char *path,
			     const struct oci_scheduler *scheduler)
{
	const uint64_t minimum = 1024, maximum = UINT64_C(1) << 63;
	uint64_t period = scheduler->period != 0 ? scheduler->period : scheduler->deadline;
	const struct {
		const char *name;
		uint64_t value;
		const char *next;
		uint64_t next_value;
	} order[] = {
	    {"runtime", scheduler->runtime, "deadline", scheduler->deadline},
	    {"deadline", scheduler->deadline, "period", period},
	    {"period", period, "period", period},
	};

	for (size_t i = 0; i < 2; i++)
		if (order[i].value == 0)
			return error_set(validation->err, EINVAL,
					 "%sscheduler: sched_setattr: `SCHED_DEADLINE` requires `%s` (greater than 0)",
					 path, order[i].name);
	for (size_t i = 0; i < 3; i++)
		if (order[i].value > order[i].next_value)
			return error_set(validation->err, EINVAL,
					 "%sscheduler: sched_setattr: `SCHED_DEADLINE` %s (%" PRIu64
					 ") must be <= %s (%" PRIu64 ")",
					 path, order[i].name, order[i].value, order[i].next, order[i].next_value);
	for (size_t i = 0; i < 3; i++)
		if (order[i].value < minimum || order[i].value >= maximum)
			return error_set(validation->err, EINVAL,
					 "%sscheduler: sched_setattr: `SCHED_DEADLINE` %s (%" PRIu64
					 ") must be between %" PRIu64 " and %" PRIu64,
					 path, order[i].name, order[i].value, minimum, maximum - 1);
	return 0;
}

/* sched_setattr(2): which parameters a policy has. */
static int scheduler_validate(const struct validation *validation, const char *path,
			      const struct oci_scheduler *scheduler)
{
	bool realtime = scheduler->policy == SCHED_FIFO || scheduler->policy == SCHED_RR;
	bool deadline = scheduler->policy == SCHED_DEADLINE;
	const char *policy = word_text(scheduler_policy_words, scheduler->policy);

	if (scheduler->priority.set && scheduler->priority.value != 0 && !realtime)
		return error_set(validation->err, EINVAL,
				 "%sscheduler.priority: can only be set for SCHED_FIFO and SCHED_RR, not for %s", path,
				 policy);
	if (!deadline && (scheduler->runtime != 0 || scheduler->deadline != 0 || scheduler->period != 0))
		return error_set(
		    validation->err, EINVAL,
		    "%sscheduler: runtime, deadline and period can only be set for SCHED_DEADLINE, not for %s", path,
		    policy);
	return deadline ? deadline_validate(validation, path, scheduler) : 0;
}

int process_validate(const struct validation *validation, const char *path, struct oci_process *process)
{
	int rc;

	if (process->args_count == 0)
		return error_set(validation->err, EINVAL, "%sargs: must not be empty", path);
	rc = env_validate(validation, path, process);
	if (rc == 0)
		rc = rlimits_validate(validation, path, process);
	if (rc == 0 && process->capabilities != NULL)
		capabilities_validate(validation, path, process->capabilities);
	if (rc == 0 && process->scheduler != NULL)
		rc = scheduler_validate(validation, path, process->scheduler);
	return rc;
}

static bool has_option(const struct oci_mount *mount, const char *option)
{
	for (size_t i = 0; i < mount->options_count; i++)
		if (strcmp(mount->options[i], option) == 0)
			return true;
	return false;
}

static int mounts_validate(const struct validation *validation, struct oci_config *config)
{
	for (size_t i = 0; i < config->mounts_count; i++) {
		struct oci_mount *mount = &config->mounts[i];
		bool mapped = mount->uid_mappings_count > 0;

		if (mount->destination[0] != '/') {
			config_note(
			    validation->arena, validation->notes, NOTE_WARNING,
			    "mounts[%zu].destination: \"%.64s\" is relative, which is deprecated: taken as \"/%.64s\"",
			    i, mount->destination, mount->destination);
			mount->destination = arena_printf(validation->arena, "/%s", mount->destination);
		}
		if (mapped != (mount->gid_mappings_count > 0))
			return error_set(validation->err, EINVAL,
					 "mounts[%zu]: uidMappings and gidMappings must be set together", i);
		if ((has_option(mount, "idmap") || has_option(mount, "ridmap")) && !mapped &&
		    config_namespace(config, CLONE_NEWUSER) == NULL)
			return error_set(validation->err, EINVAL,
					 "mounts[%zu]: idmap needs uidMappings and gidMappings or a user namespace", i);
	}
	return 0;
}

int config_validate(const struct validation *validation, struct oci_config *config)
{
	int rc = oci_version_check(validation, config->oci_version);

	if (rc == 0)
		rc = mounts_validate(validation, config);
	if (rc == 0 && config->process != NULL)
		rc = process_validate(validation, "process.", config->process);
	if (rc == 0)
		rc = linux_validate(validation, config);
	if (rc == 0)
		effect_note(validation, config);
	return rc;
}
