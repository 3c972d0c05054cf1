/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/linux/sysctl_plan.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "sandbox/common/cleanup.h"
#include "sandbox/common/syscalls.h"
#include "sandbox/linux/namespaces_plan.h"

/* What belongs to a namespace, by path; one that ends in a slash stands for all below it. */
static const struct {
	const char *path;
	uint32_t type;
} namespaced[] = {
    {"kernel/msgmax", CLONE_NEWIPC},
    {"kernel/msgmnb", CLONE_NEWIPC},
    {"kernel/msgmni", CLONE_NEWIPC},
    {"kernel/msg_next_id", CLONE_NEWIPC},
    {"kernel/sem", CLONE_NEWIPC},
    {"kernel/sem_next_id", CLONE_NEWIPC},
    {"kernel/shmall", CLONE_NEWIPC},
    {"kernel/shmmax", CLONE_NEWIPC},
    {"kernel/shmmni", CLONE_NEWIPC},
    {"kernel/shm_next_id", CLONE_NEWIPC},
    {"kernel/shm_rmid_forced", CLONE_NEWIPC},
    {"fs/mqueue/", CLONE_NEWIPC},
    {"net/", CLONE_NEWNET},
    {"kernel/hostname", CLONE_NEWUTS},
    {"kernel/domainname", CLONE_NEWUTS},
    {"user/", CLONE_NEWUSER},
};

const char *sysctl_path(struct arena *arena, const char *key)
{
	char *path = arena_strdup(arena, key);

	if (path[strcspn(path, "./")] == '.')
		for (char *c = path; *c != '\0'; c++)
			*c = *c == '.' ? '/' : *c == '/' ? '.' : *c;
	/* Nothing but names may be between the slashes. */
	for (const char *name = path;;) {
		size_t length = strcspn(name, "/");
		if (length == 0 || (length == 1 && name[0] == '.') || (length == 2 && name[0] == '.' && name[1] == '.'))
			return NULL;
		if (name[length] == '\0')
			return path;
		name += length + 1;
	}
}

/* The namespace a setting belongs to, 0 for none. */
static uint32_t namespace_of(const char *path)
{
	for (size_t i = 0; i < ARRAY_SIZE(namespaced); i++) {
		size_t length = strlen(namespaced[i].path);
		bool prefix = namespaced[i].path[length - 1] == '/';
		if (prefix ? strncmp(path, namespaced[i].path, length) == 0 : strcmp(path, namespaced[i].path) == 0)
			return namespaced[i].type;
	}
	return 0;
}

/* hostname and domainname have fields of their own, which must not be contradicted. runc and crun refuse
 * kernel.hostname also when the field is absent. */
static int check_conflict(const struct oci_config *config, const struct oci_pair *pair, const char *path,
			  struct error *err)
{
	const struct {
		const char *path;
		const char *field;
		const char *value;
		bool needed;
	} fields[] = {
	    {"kernel/hostname", "hostname", config->hostname, true},
	    {"kernel/domainname", "domainname", config->domainname, false},
	};

	for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
		const char *value = fields[i].value;
		bool absent = value == NULL || value[0] == '\0';
		if (strcmp(path, fields[i].path) == 0 && (absent ? fields[i].needed : strcmp(value, pair->value) != 0))
			return error_set(err, EINVAL,
					 "sysctl \"%s\" is not allowed as it conflicts with the OCI \"%s\" field",
					 pair->key, fields[i].field);
	}
	return 0;
}

static int check(const struct oci_config *config, const struct oci_pair *pair, const char *path, struct error *err)
{
	if (path == NULL)
		return error_set(err, EINVAL, "linux.sysctl: \"%s\" is not the name of a kernel parameter", pair->key);
	uint32_t type = namespace_of(path);
	if (type == 0)
		return error_set(
		    err, EINVAL,
		    "sysctl \"%s\" is not in a separate kernel namespace: setting it would change the host", pair->key);
	if (!namespaces_private(config, type))
		return error_set(
		    err, EINVAL,
		    "sysctl \"%s\" is not allowed in the host's %s namespace: the container needs one of its own in "
		    "linux.namespaces",
		    pair->key, namespaces_name(type));
	return check_conflict(config, pair, path, err);
}

int sysctl_plan(struct plan_builder *builder, const struct oci_config *config, struct error *err)
{
	const struct oci_linux *linux_ = &config->linux_;
	struct arena arena CLEANUP_ARENA = {0};
	struct plan_pair *pairs = arena_array(&arena, linux_->sysctl_count, sizeof *pairs);

	for (size_t i = 0; i < linux_->sysctl_count; i++) {
		const char *path = sysctl_path(&arena, linux_->sysctl[i].key);
		int rc = check(config, &linux_->sysctl[i], path, err);
		if (rc < 0)
			return rc;
		pairs[i].key = plan_add_string(builder, path);
		pairs[i].value = plan_add_string(builder, linux_->sysctl[i].value);
	}
	builder->plan.sysctl = plan_add_array(builder, pairs, linux_->sysctl_count, sizeof *pairs);
	return 0;
}
