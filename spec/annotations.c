/* SPDX-License-Identifier: Apache-2.0 */
#include "spec/annotations.h"

#include <string.h>

/* Those that begin with run.oci are crun's; engines set them (podman: --group-add keep-groups). */
const struct annotation annotations[] = {
    {"io.sandlock.pid1", "main, reaper", "whether the main process is pid 1 itself or a reaper is",
     "sandbox/linux/pid1.c", "tests/session.bats"},
    {"org.systemd.property.", "a GVariant text", "a property of the systemd unit",
     "sandbox/cgroup/systemd_properties.c", "tests/unit/test_cgroup_systemd.c"},
    {"run.oci.delegate-cgroup", "a relative path", "the cgroup below run.oci.systemd.subgroup that is delegated",
     "sandbox/cgroup/systemd.c", "tests/unit/test_cgroup_systemd.c"},
    {"run.oci.keep_original_groups", "1", "the caller's groups stay; additionalGids is not applied",
     "sandbox/linux/user.c", "tests/process.bats"},
    {"run.oci.mount_context_type", "context, fscontext, defcontext, rootcontext",
     "the mount option that linux.mountLabel becomes", "sandbox/linux/mounts_plan.c", "tests/unit/test_linux_mounts.c"},
    {"run.oci.pidfd_receiver", "a path", "Unix socket that gets a pidfd of the main process, like --pidfd-socket",
     "runtime/creation.c", "tests/create_start.bats"},
    {"run.oci.seccomp_fail_unknown_syscall", "1", "names that are no system call are an error, not a warning",
     "sandbox/linux/seccomp_plan.c", "tests/seccomp.bats"},
    {"run.oci.systemd.force_cgroup_v1", "a path", "on a v2 host, where to mount the hierarchy name=systemd",
     "sandbox/cgroup/mount.c", "tests/unit/test_cgroup_systemd.c"},
    {"run.oci.systemd.subgroup", "a relative path", "the cgroup below the systemd scope for the processes",
     "sandbox/cgroup/systemd.c", "tests/unit/test_cgroup_systemd.c"},
};
const size_t annotations_count = sizeof annotations / sizeof annotations[0];

const struct annotation *annotation_find(const char *name)
{
	for (size_t i = 0; i < annotations_count; i++) {
		size_t length = strlen(annotations[i].name);
		if (annotations[i].name[length - 1] == '.' ? strncmp(annotations[i].name, name, length) == 0
							   : strcmp(annotations[i].name, name) == 0)
			return &annotations[i];
	}
	return NULL;
}

const char *config_annotation(const struct oci_config *config, const char *name)
{
	for (size_t i = 0; i < config->annotations_count; i++)
		if (strcmp(config->annotations[i].key, name) == 0)
			return config->annotations[i].value;
	return NULL;
}

bool config_annotation_on(const struct oci_config *config, const char *name)
{
	const char *value = config_annotation(config, name);

	return value != NULL && value[0] != '\0' && strcmp(value, "0") != 0 && strcmp(value, "false") != 0;
}
