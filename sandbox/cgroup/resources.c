/* SPDX-License-Identifier: Apache-2.0 */
/* From linux.resources to writes, and from writes to the files. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sandbox/cgroup/cgroup_internal.h"
#include "sandbox/cgroup/devices.h"
#include "sandbox/cgroup/systemd.h"
#include "sandbox/common/cleanup.h"
#include "sandbox/common/file.h"
#include "sandbox/common/number.h"

#define ALL_CONTROLLERS ((1u << CGROUP_CONTROLLERS) - 1)
/* Not controllers on v2, but always there or without an equal; see v2_limits.c. */
#define V1_ONLY                                                                                      \
	(1u << CGROUP_CPUACCT | 1u << CGROUP_DEVICES | 1u << CGROUP_FREEZER | 1u << CGROUP_NET_CLS | \
	 1u << CGROUP_NET_PRIO | 1u << CGROUP_PERF_EVENT)

int cgroup_find(const struct cgroup *cgroup, enum cgroup_controller controller)
{
	int v2 = -1;

	for (size_t i = 0; i < cgroup->count; i++) {
		if (!(cgroup->nodes[i].mask & 1u << controller))
			continue;
		if (!cgroup->nodes[i].v2)
			return (int)i;
		v2 = (int)i;
	}
	return v2;
}

int cgroup_find_v2(const struct cgroup *cgroup)
{
	for (size_t i = 0; i < cgroup->count; i++)
		if (cgroup->nodes[i].v2)
			return (int)i;
	return -1;
}

const char *cgroup_limit_in(const struct cgroup *cgroup, size_t index)
{
	for (size_t i = 0; i < cgroup->writes.count; i++) {
		const struct cgroup_write *write = &cgroup->writes.items[i];
		int node = write->v2 ? cgroup_find_v2(cgroup) : cgroup_find(cgroup, write->controller);
		if (node == (int)index && !(write->flags & CGROUP_WRITE_MAY_LACK))
			return write->field;
	}
	return NULL;
}

void cgroup_drop_node(struct cgroup *cgroup, size_t index)
{
	cgroup->count--;
	for (size_t i = index; i < cgroup->count; i++) {
		cgroup->paths[i] = cgroup->paths[i + 1];
		cgroup->nodes[i] = cgroup->nodes[i + 1];
	}
}

static ssize_t read_file(const struct cgroup *cgroup, int node, const char *file, char *buffer, size_t size)
{
	char path[4096];

	if (snprintf(path, sizeof path, "%s/%s", cgroup->paths[node].path, file) >= (int)sizeof path)
		return -ENAMETOOLONG;
	ssize_t length = file_read_at(AT_FDCWD, path, buffer, size);
	if (length > 0 && buffer[length - 1] == '\n')
		buffer[--length] = '\0';
	return length;
}

/* The limits of the existing v2 cgroup that an update has to combine with what it was given. */
static void read_current(struct cgroup *cgroup, int node, const struct oci_resources *resources,
			 struct cgroup_v2_current *current)
{
	char text[64];

	if (resources->memory != NULL && resources->memory->swap.set &&
	    read_file(cgroup, node, "memory.max", text, sizeof text) > 0) {
		uint64_t limit;
		current->memory_limit = -1;
		if (number_parse_u64(text, 0, INT64_MAX, &limit) == 0)
			current->memory_limit = (int64_t)limit;
	}
	if (resources->cpu != NULL && read_file(cgroup, node, "cpu.max", text, sizeof text) > 0) {
		size_t length = strcspn(text, " ");
		current->cpu_quota = arena_strndup(&cgroup->arena, text, length);
		if (text[length] == ' ')
			current->cpu_period = arena_strdup(&cgroup->arena, text + length + 1);
	}
}

int cgroup_translate(struct cgroup *cgroup, const struct oci_resources *resources, struct cgroup_writes *writes,
		     bool update, struct error *err)
{
	struct cgroup_writes lacking = {.arena = &cgroup->arena};
	struct cgroup_v2_current current = {0};
	int v2_node = cgroup_find_v2(cgroup);
	uint32_t v1 = 0;
	uint32_t v2 = v2_node < 0 ? 0 : cgroup->nodes[v2_node].mask;

	*writes = (struct cgroup_writes){.arena = &cgroup->arena};
	if (resources == NULL)
		return 0;
	for (size_t i = 0; i < cgroup->count; i++)
		if (!cgroup->nodes[i].v2)
			v1 |= cgroup->nodes[i].mask;
	v2 &= ~v1;
	if (cgroup->mode == CGROUP_MODE_V2)
		v2 |= V1_ONLY;
	if (update && v2_node >= 0)
		read_current(cgroup, v2_node, resources, &current);
	int rc = cgroup_v1_limits(writes, resources, v1, err);
	if (rc == 0)
		rc = cgroup_v2_limits(writes, resources, v2, &current, err);
	if (rc == 0 && ((v1 | v2) & 1u << CGROUP_RDMA))
		cgroup_rdma_limits(writes, resources, (v2 & 1u << CGROUP_RDMA) != 0);
	if (rc == 0 && resources->unified_count > 0 && v2_node < 0)
		return error_set(err, EINVAL,
				 "invalid configuration: cannot use unified on cgroup v1: linux.resources.unified "
				 "needs a cgroup2 mount and a cgroup in it");
	if (rc == 0)
		rc = cgroup_unified_limits(writes, resources, err);
	if (rc == 0)
		rc = cgroup_v1_limits(&lacking, resources, ALL_CONTROLLERS & ~(v1 | v2), err);
	if (rc == 0 && !((v1 | v2) & 1u << CGROUP_RDMA))
		cgroup_rdma_limits(&lacking, resources, false);
	if (rc == 0 && lacking.count > 0) {
		const struct cgroup_write *write = &lacking.items[0];
		return error_set(
		    err, ENODEV, "linux.resources.%s can't be set: %s the cgroup controller \"%s\" (on v2: \"%s\")",
		    write->field,
		    cgroup->count == 0 ? "the container has no cgroup with" : "this machine has no hierarchy with",
		    cgroup_controller_name(write->controller, false),
		    cgroup_controller_name(write->controller, true) == NULL
			? "none"
			: cgroup_controller_name(write->controller, true));
	}
	return rc;
}

static int write_one(const struct cgroup *cgroup, const struct cgroup_write *write)
{
	int node = write->v2 ? cgroup_find_v2(cgroup) : cgroup_find(cgroup, write->controller);
	char path[4096];

	if (node < 0)
		return -ENODEV;
	if (snprintf(path, sizeof path, "%s/%s", cgroup->paths[node].path, write->file) >= (int)sizeof path)
		return -ENAMETOOLONG;
	int rc = file_write_at(AT_FDCWD, path, write->value);
	if (rc == -ENOENT && write->other_file != NULL) {
		if (snprintf(path, sizeof path, "%s/%s", cgroup->paths[node].path, write->other_file) >=
		    (int)sizeof path)
			return -ENAMETOOLONG;
		rc = file_write_at(AT_FDCWD, path, write->other_value);
	}
	return rc == -ENOENT && (write->flags & CGROUP_WRITE_MAY_LACK) ? 0 : rc;
}

/* Says why: the controller is not there, the file is not, or the kernel does not take the value. */
static int write_failed(const struct cgroup *cgroup, const struct cgroup_write *write, int rc, struct error *err)
{
	int node = write->v2 ? cgroup_find_v2(cgroup) : cgroup_find(cgroup, write->controller);
	const char *path = node < 0 ? "" : cgroup->paths[node].path;
	size_t name_length = strcspn(write->file, ".");
	char usage[64] = "";
	char peak[64] = "";

	if (node < 0)
		return error_set(err, ENODEV,
				 "cannot set linux.resources.%s: container could not join or create cgroup",
				 write->field);
	if (rc == -EBUSY && strcmp(write->field, "memory.limit") == 0 && !write->v2) {
		(void)read_file(cgroup, node, "memory.usage_in_bytes", usage, sizeof usage);
		(void)read_file(cgroup, node, "memory.max_usage_in_bytes", peak, sizeof peak);
		return error_set(err, EBUSY, "unable to set memory limit to %s (current usage: %s, peak usage: %s)",
				 write->value, usage, peak);
	}
	if (rc != -ENOENT && rc != -EACCES && rc != -EPERM)
		return error_set(err, -rc, "cannot set linux.resources.%s: write \"%s\" to %s/%s: %s", write->field,
				 write->value, path, write->file, strerror(-rc));
	if (write->v2 && strncmp(write->file, "cgroup.", 7) != 0) {
		char controllers[512];
		bool found = false;
		if (read_file(cgroup, node, "cgroup.controllers", controllers, sizeof controllers) >= 0)
			for (const char *word = controllers; *word != '\0' && !found;) {
				size_t length = strcspn(word, " ");
				found = length == name_length && memcmp(word, write->file, length) == 0;
				word += length;
				word += *word == ' ';
			}
		if (!found)
			return error_set(err, ENODEV,
					 "cannot set linux.resources.%s: controller \"%.*s\" not available in %s",
					 write->field, (int)name_length, write->file, path);
	}
	if (rc == -ENOENT)
		return error_set(err, ENOENT,
				 "cannot set linux.resources.%s: this kernel has no %s%s%s (no such file or directory)",
				 write->field, write->file, write->other_file == NULL ? "" : " or ",
				 write->other_file == NULL ? "" : write->other_file);
	return error_errno(err, -rc, "cannot set linux.resources.%s: %s/%s", write->field, path, write->file);
}

/* Carries the list out. A write of a group that is refused is put off until others of the group are done. */
static int write_all(const struct cgroup *cgroup, const struct cgroup_writes *writes, struct error *err)
{
	CLEANUP_FREE bool *done = calloc(writes->count + 1, sizeof *done);

	if (done == NULL)
		return error_errno(err, ENOMEM, "cannot set linux.resources");
	for (;;) {
		size_t failed = writes->count;
		int failure = 0;
		bool progress = false;
		for (size_t i = 0; i < writes->count; i++) {
			if (done[i])
				continue;
			int rc = write_one(cgroup, &writes->items[i]);
			if (rc == 0) {
				done[i] = true;
				progress = true;
				continue;
			}
			if (writes->items[i].group == CGROUP_WRITE_ALONE || rc == -ENOENT)
				return write_failed(cgroup, &writes->items[i], rc, err);
			if (failed == writes->count) {
				failed = i;
				failure = rc;
			}
		}
		if (failed == writes->count)
			return 0;
		if (!progress)
			return write_failed(cgroup, &writes->items[failed], failure, err);
	}
}

/* v2 would rather kill than refuse a limit below the usage. */
static int check_memory(const struct cgroup *cgroup, const struct oci_resources *resources, struct error *err)
{
	int node = cgroup_find(cgroup, CGROUP_MEMORY);
	const struct oci_memory *memory = resources->memory;
	char text[64];
	uint64_t usage = 0;
	uint64_t swap = 0;

	if (memory == NULL || !memory->check_before_update.value || node < 0 || !cgroup->nodes[node].v2)
		return 0;
	if (read_file(cgroup, node, "memory.current", text, sizeof text) > 0)
		(void)number_parse_u64(text, 0, UINT64_MAX, &usage);
	if (read_file(cgroup, node, "memory.swap.current", text, sizeof text) > 0)
		(void)number_parse_u64(text, 0, UINT64_MAX, &swap);
	if (memory->limit.set && memory->limit.value > 0 && usage > (uint64_t)memory->limit.value)
		return error_set(err, EBUSY,
				 "cannot set the memory limit lower than its current usage: rejecting memory limit "
				 "%" PRId64 " < usage %" PRIu64,
				 memory->limit.value, usage);
	if (memory->swap.set && memory->swap.value > 0 && usage + swap > (uint64_t)memory->swap.value)
		return error_set(err, EBUSY,
				 "cannot set the memory limit lower than its current usage: rejecting memory+swap "
				 "limit %" PRId64 " < usage %" PRIu64,
				 memory->swap.value, usage + swap);
	return 0;
}

int cgroup_apply(struct cgroup *cgroup, const struct oci_resources *resources, struct error *err)
{
	int rc = write_all(cgroup, &cgroup->writes, err);

	if (rc == 0 && cgroup->devices_set)
		rc = cgroup_devices_apply(cgroup, resources, false, err);
	return rc;
}

int cgroup_update(struct cgroup *cgroup, const struct oci_resources *resources, struct error *err)
{
	struct cgroup_writes writes;

	int rc = cgroup_translate(cgroup, resources, &writes, true, err);
	if (rc == 0)
		rc = check_memory(cgroup, resources, err);
	if (rc == 0 && cgroup->manager == CGROUP_MANAGER_SYSTEMD)
		rc = cgroup_systemd_update(cgroup, &writes, err);
	if (rc == 0)
		rc = write_all(cgroup, &writes, err);
	/* Device rules are a list that is replaced as a whole, when there is one. */
	if (rc == 0 && resources->devices_count > 0)
		rc = cgroup_devices_apply(cgroup, resources, true, err);
	return rc;
}
