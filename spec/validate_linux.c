/* SPDX-License-Identifier: Apache-2.0 */
/* config-linux.md */
#include <errno.h>
#include <linux/mempolicy.h>
#include <string.h>

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
			return error_set(validation->err, EINVAL, "linux.namespaces[%zu]: duplicated namespace \"%s\"",
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
		config_note(validation->arena, validation->notes, NOTE_IGNORED,
			    "linux.uidMappings and linux.gidMappings are ignored: the user namespace exists already");
	return rc;
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
	if (rc == 0)
		rc = memory_policy_validate(validation, config->linux_.memory_policy);
	if (rc == 0)
		rc = seccomp_validate(validation, config->linux_.seccomp);
	return rc;
}
