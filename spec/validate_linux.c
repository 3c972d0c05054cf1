/* SPDX-License-Identifier: Apache-2.0 */
/* config-linux.md */
#include <errno.h>
#include <linux/mempolicy.h>
#include <string.h>
#include <sys/stat.h>

#include "sandbox/common/cleanup.h"
#include "sandbox/common/syscalls.h"
#include "spec/validate.h"
#include "spec/words.h"

static int namespaces_validate(const struct validation *validation, const struct oci_config *config)
{
	uint32_t seen = 0;

	for (size_t i = 0; i < config->linux_.namespaces_count; i++) {
		uint32_t type = config->linux_.namespaces[i].type;
		if (seen & type)
			return error_set(validation->err, EINVAL,
					 "linux.namespaces[%zu]: duplicated namespace \"%s\"",
					 i, word_text(namespace_words, type));
		seen |= type;
	}
	return 0;
}

/* A property that only works in a namespace of the container's own. */
static int need_namespace(const struct validation *validation, const struct oci_config *config, uint32_t type,
			  const char *property)
{
	if (config_namespace(config, type) != NULL)
		return 0;
	return error_set(validation->err, EINVAL, "%s: needs a namespace of type \"%s\" in linux.namespaces", property,
			 word_text(namespace_words, type));
}

static int owners_validate(const struct validation *validation, const struct oci_config *config)
{
	const struct oci_linux *linux_config = &config->linux_;
	const struct {
		bool used;
		uint32_t type;
		const char *property;
	} properties[] = {
	    {config->hostname != NULL, CLONE_NEWUTS, "hostname"},
	    {config->domainname != NULL, CLONE_NEWUTS, "domainname"},
	    {linux_config->uid_mappings_count > 0, CLONE_NEWUSER, "linux.uidMappings"},
	    {linux_config->gid_mappings_count > 0, CLONE_NEWUSER, "linux.gidMappings"},
	    {linux_config->masked_paths_count > 0, CLONE_NEWNS, "linux.maskedPaths"},
	    {linux_config->readonly_paths_count > 0, CLONE_NEWNS, "linux.readonlyPaths"},
	    {linux_config->time_offsets_count > 0, CLONE_NEWTIME, "linux.timeOffsets"},
	    {linux_config->net_devices_count > 0, CLONE_NEWNET, "linux.netDevices"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(properties); i++) {
		int rc = properties[i].used
			     ? need_namespace(validation, config, properties[i].type, properties[i].property)
			     : 0;
		if (rc < 0)
			return rc;
	}
	const struct oci_namespace *time_namespace = config_namespace(config, CLONE_NEWTIME);
	if (linux_config->time_offsets_count > 0 && time_namespace->path != NULL)
		return error_set(validation->err, EINVAL,
				 "linux.timeOffsets: cannot be set for the existing time namespace %.256s",
				 time_namespace->path);
	return 0;
}

/* user_namespaces(7): at most 340 lines, ranges within 32 bits that do not overlap. */
static int mappings_validate(const struct validation *validation, const char *property,
			     const struct oci_id_mapping *mappings, size_t count)
{
	if (count > 340)
		return error_set(validation->err, EINVAL, "%s: more than 340 entries", property);
	for (size_t i = 0; i < count; i++) {
		uint64_t size = mappings[i].size;
		if (mappings[i].container_id + size > UINT32_MAX || mappings[i].host_id + size > UINT32_MAX)
			return error_set(validation->err, EINVAL, "%s[%zu]: reaches beyond the last id", property, i);
		for (size_t j = 0; j < i; j++) {
			bool inside =
			    mappings[i].container_id < (uint64_t)mappings[j].container_id + mappings[j].size &&
			    mappings[j].container_id < mappings[i].container_id + size;
			bool outside = mappings[i].host_id < (uint64_t)mappings[j].host_id + mappings[j].size &&
				       mappings[j].host_id < mappings[i].host_id + size;
			if (inside || outside)
				return error_set(validation->err, EINVAL, "%s[%zu]: overlaps with entry %zu", property,
						 i, j);
		}
	}
	return 0;
}

static int all_mappings_validate(const struct validation *validation, const struct oci_config *config)
{
	const struct oci_linux *linux_config = &config->linux_;
	const struct oci_namespace *user = config_namespace(config, CLONE_NEWUSER);
	int rc = mappings_validate(validation, "linux.uidMappings", linux_config->uid_mappings,
				   linux_config->uid_mappings_count);

	if (rc == 0)
		rc = mappings_validate(validation, "linux.gidMappings", linux_config->gid_mappings,
				       linux_config->gid_mappings_count);
	for (size_t i = 0; rc == 0 && i < config->mounts_count; i++) {
		const struct oci_mount *mount = &config->mounts[i];
		const char *property = arena_printf(validation->arena, "mounts[%zu].uidMappings", i);
		rc = mappings_validate(validation, property, mount->uid_mappings, mount->uid_mappings_count);
		property = arena_printf(validation->arena, "mounts[%zu].gidMappings", i);
		if (rc == 0)
			rc = mappings_validate(validation, property, mount->gid_mappings, mount->gid_mappings_count);
	}
	/* podman adds a mapping for older runtimes, which wanted one even then. */
	if (rc == 0 && user != NULL && user->path != NULL &&
	    (linux_config->uid_mappings_count > 0 || linux_config->gid_mappings_count > 0))
		config_note(validation->arena, validation->notes, NOTE_WARNING,
			    "linux.uidMappings and linux.gidMappings are ignored: the user namespace exists already");
	return rc;
}

static void swap_separators(char *text)
{
	for (char *c = text; *c != '\0'; c++) {
		if (*c == '/')
			*c = '.';
		else if (*c == '.')
			*c = '/';
	}
}

const char *sysctl_key_path(struct arena *arena, const char *name)
{
	char *path = arena_strdup(arena, name);

	if (path[strcspn(path, "./")] == '.')
		swap_separators(path);
	/* "net.//.kernel" would leave the directory of the namespace. */
	for (const char *part = path;;) {
		size_t length = strcspn(part, "/");
		if (length == 0 || (length <= 2 && strspn(part, ".") == length))
			return NULL;
		if (part[length] == '\0')
			return path;
		part += length + 1;
	}
}

/* The name with dots between its parts, for the table below. */
static const char *sysctl_dotted(struct arena *arena, const char *path)
{
	char *dotted = arena_strdup(arena, path);

	swap_separators(dotted);
	return dotted;
}

/* Sysctls that belong to a namespace. A name that ends with a dot stands for all below it. */
static const struct {
	const char *name;
	uint32_t type;
} namespaced_sysctls[] = {
    {"net.", CLONE_NEWNET},
    {"fs.mqueue.", CLONE_NEWIPC},
    {"kernel.msgmax", CLONE_NEWIPC},
    {"kernel.msgmnb", CLONE_NEWIPC},
    {"kernel.msgmni", CLONE_NEWIPC},
    {"kernel.msg_next_id", CLONE_NEWIPC},
    {"kernel.auto_msgmni", CLONE_NEWIPC},
    {"kernel.sem", CLONE_NEWIPC},
    {"kernel.sem_next_id", CLONE_NEWIPC},
    {"kernel.shmall", CLONE_NEWIPC},
    {"kernel.shmmax", CLONE_NEWIPC},
    {"kernel.shmmni", CLONE_NEWIPC},
    {"kernel.shm_next_id", CLONE_NEWIPC},
    {"kernel.shm_rmid_forced", CLONE_NEWIPC},
    {"kernel.domainname", CLONE_NEWUTS},
    {"kernel.hostname", CLONE_NEWUTS},
    {"user.", CLONE_NEWUSER},
};

static uint32_t sysctl_namespace(const char *dotted)
{
	for (size_t i = 0; i < ARRAY_SIZE(namespaced_sysctls); i++) {
		const char *name = namespaced_sysctls[i].name;
		size_t length = strlen(name);
		if (name[length - 1] == '.' ? strncmp(dotted, name, length) == 0 && dotted[length] != '\0'
					    : strcmp(dotted, name) == 0)
			return namespaced_sysctls[i].type;
	}
	return 0;
}

/* A namespace that is joined by path may be the runtime's own; then the sysctl would change the host. */
static bool is_own_namespace(const struct oci_namespace *joined, const char *own)
{
	struct stat a, b;

	return joined->path != NULL && stat(joined->path, &a) == 0 && stat(own, &b) == 0 && a.st_dev == b.st_dev &&
	       a.st_ino == b.st_ino;
}

/* The file of a namespace of this process. */
static const char *own_namespace(uint32_t type)
{
	switch (type) {
	case CLONE_NEWNET:
		return "/proc/self/ns/net";
	case CLONE_NEWIPC:
		return "/proc/self/ns/ipc";
	case CLONE_NEWUTS:
		return "/proc/self/ns/uts";
	default:
		return "/proc/self/ns/user";
	}
}

static int one_sysctl_validate(const struct validation *validation, const struct oci_config *config,
			       const struct oci_pair *sysctl)
{
	const char *path = sysctl_key_path(validation->arena, sysctl->key);

	if (path == NULL)
		return error_set(validation->err, EINVAL, "linux.sysctl: \"%.256s\" is not the name of a sysctl",
				 sysctl->key);
	const char *name = sysctl_dotted(validation->arena, path);
	uint32_t type = sysctl_namespace(name);
	if (type == 0)
		return error_set(validation->err, EINVAL,
				 "linux.sysctl: sysctl \"%.256s\" is not in a separate kernel namespace", sysctl->key);
	const struct oci_namespace *owner = config_namespace(config, type);
	if (owner == NULL || is_own_namespace(owner, own_namespace(type)))
		return error_set(validation->err, EINVAL,
				 "linux.sysctl: sysctl \"%.256s\" is not allowed in the host's %s namespace",
				 sysctl->key, word_text(namespace_words, type));
	if (strcmp(name, "kernel.hostname") == 0)
		return error_set(validation->err, EINVAL,
				 "linux.sysctl: sysctl \"%.256s\" conflicts with the property hostname, use that",
				 sysctl->key);
	if (strcmp(name, "kernel.domainname") == 0 && config->domainname != NULL &&
	    strcmp(config->domainname, sysctl->value) != 0)
		return error_set(validation->err, EINVAL,
				 "linux.sysctl: sysctl \"%.256s\" conflicts with the property domainname", sysctl->key);
	return 0;
}

static int memory_policy_validate(const struct validation *validation, const struct oci_memory_policy *policy)
{
	const char *mode;
	bool without_nodes;

	if (policy == NULL)
		return 0;
	mode = word_text(memory_policy_mode_words, policy->mode);
	without_nodes = policy->mode == MPOL_DEFAULT || policy->mode == MPOL_LOCAL;
	if (without_nodes && policy->nodes != NULL)
		return error_set(validation->err, EINVAL, "linux.memoryPolicy.nodes: must not be set for %s", mode);
	if (!without_nodes && policy->nodes == NULL && policy->mode != MPOL_PREFERRED)
		return error_set(validation->err, EINVAL, "linux.memoryPolicy.nodes: required for %s", mode);
	if ((policy->flags & MPOL_F_STATIC_NODES) != 0 && (policy->flags & MPOL_F_RELATIVE_NODES) != 0)
		return error_set(
		    validation->err, EINVAL,
		    "linux.memoryPolicy.flags: MPOL_F_STATIC_NODES and MPOL_F_RELATIVE_NODES exclude each other");
	return 0;
}

/* A notification that nobody gets would block the program for ever. */
static int seccomp_validate(const struct validation *validation, const struct oci_seccomp *seccomp)
{
	bool notify;

	if (seccomp == NULL)
		return 0;
	notify = strcmp(seccomp->default_action, "SCMP_ACT_NOTIFY") == 0;
	for (size_t i = 0; i < seccomp->syscalls_count; i++)
		notify = notify || strcmp(seccomp->syscalls[i].action, "SCMP_ACT_NOTIFY") == 0;
	if (notify && seccomp->listener_path == NULL)
		return error_set(validation->err, EINVAL, "linux.seccomp.listenerPath: required for SCMP_ACT_NOTIFY");
	return 0;
}

int linux_validate(const struct validation *validation, const struct oci_config *config)
{
	int rc = namespaces_validate(validation, config);

	if (rc == 0)
		rc = owners_validate(validation, config);
	if (rc == 0)
		rc = all_mappings_validate(validation, config);
	for (size_t i = 0; rc == 0 && i < config->linux_.sysctl_count; i++)
		rc = one_sysctl_validate(validation, config, &config->linux_.sysctl[i]);
	if (rc == 0)
		rc = memory_policy_validate(validation, config->linux_.memory_policy);
	if (rc == 0)
		rc = seccomp_validate(validation, config->linux_.seccomp);
	return rc;
}
