/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/cgroup/rdt.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sandbox/common/cleanup.h"
#include "sandbox/common/file.h"
#include "sandbox/common/number.h"
#include "spec/json_write.h"

#define MOUNTINFO_MAX (16u << 20)
#define SCHEMATA_MAX 65536

/* Names in the root of resctrl that are no group. */
static const char *const reserved[] = {"info", "mon_groups", "mon_data", "schemata", "tasks",
				       "cpus", "cpus_list",  "mode",     "size"};

static bool has_schema(const struct oci_intel_rdt *config)
{
	return config->schemata_count > 0 || config->l3_cache_schema != NULL || config->mem_bw_schema != NULL;
}

/* One part of a path. */
static bool is_group_name(const char *name)
{
	if (name[0] == '\0' || name[0] == '.' || strpbrk(name, "/\n") != NULL)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(reserved); i++)
		if (strcmp(name, reserved[i]) == 0)
			return false;
	return true;
}

static int check_line(const char *line, const char *field, const char *prefix, struct error *err)
{
	if (line != NULL && strchr(line, '\n') != NULL)
		return error_set(err, EINVAL, "linux.intelRdt.%s must not contain newlines", field);
	if (line != NULL && strncmp(line, prefix, strlen(prefix)) != 0)
		return error_set(err, EINVAL, "linux.intelRdt.%s: \"%s\" does not begin with \"%s\"", field, line,
				 prefix);
	return 0;
}

int rdt_plan_at(struct arena *arena, const struct oci_intel_rdt *config, const char *id, const char *root,
		struct rdt *rdt, struct error *err)
{
	const char *name = config->clos_id == NULL ? id : config->clos_id;
	bool is_root = strcmp(name, "/") == 0 && config->clos_id != NULL;

	*rdt = (struct rdt){.config = config, .root = root, .own = config->clos_id == NULL};
	if (!is_root && !is_group_name(name))
		return error_set(err, EINVAL, "linux.intelRdt.closID: \"%s\" is no name for a resctrl group", name);
	int rc = check_line(config->l3_cache_schema, "l3CacheSchema", "", err);
	if (rc == 0)
		rc = check_line(config->mem_bw_schema, "memBwSchema", "MB:", err);
	for (size_t i = 0; rc == 0 && i < config->schemata_count; i++)
		rc = check_line(config->schemata[i], "schemata", "", err);
	if (rc < 0)
		return rc;
	rdt->group = is_root ? root : arena_printf(arena, "%s/%s", root, name);
	if (config->enable_monitoring) {
		if (!is_group_name(id))
			return error_set(err, EINVAL,
					 "linux.intelRdt: \"%s\" is no name for a resctrl monitoring group", id);
		rdt->monitor = arena_printf(arena, "%s/mon_groups/%s", rdt->group, id);
	}
	return 0;
}

/* "... /sys/fs/resctrl rw,relatime - resctrl resctrl rw" */
static const char *find_mount(struct arena *arena)
{
	CLEANUP_CLOSE int fd = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
	CLEANUP_FREE char *text = NULL;
	size_t length;

	if (fd < 0 || file_read_all(fd, MOUNTINFO_MAX, &text, &length) < 0)
		return NULL;
	for (const char *line = text; *line != '\0';) {
		size_t line_length = strcspn(line, "\n");
		const char *type = memmem(line, line_length, " - resctrl ", 11);
		if (type != NULL) {
			const char *mount = line;
			for (int field = 0; field < 4; field++)
				mount += strcspn(mount, " ") + 1;
			return arena_strndup(arena, mount, strcspn(mount, " "));
		}
		line += line_length;
		line += *line == '\n';
	}
	return NULL;
}

int rdt_plan(struct arena *arena, const struct oci_intel_rdt *config, const char *id, struct rdt *rdt,
	     struct error *err)
{
	const char *root = find_mount(arena);

	if (root == NULL)
		return error_set(err, ENODEV,
				 "linux.intelRdt: no resctrl file system is mounted (mount -t resctrl resctrl "
				 "/sys/fs/resctrl), or the processor has no RDT: mount it, or remove the setting");
	return rdt_plan_at(arena, config, id, root, rdt, err);
}

void rdt_fill_plan(struct plan_builder *builder, const struct rdt *rdt)
{
	builder->plan.rdt_group = plan_add_string(builder, rdt->group);
	builder->plan.rdt_monitor = plan_add_string(builder, rdt->monitor);
	builder->plan.rdt_own = rdt->own;
}

/* The value of a domain: L2 and L3 are bit masks in hexadecimal, MB is a number. */
static bool domain_value(const char *schemata, const char *resource, size_t resource_length, const char *domain,
			 size_t domain_length, unsigned long *value)
{
	for (const char *line = schemata; *line != '\0';) {
		size_t length = strcspn(line, "\n");
		const char *name = line + strspn(line, " ");
		const char *end = line + length;
		if (name + resource_length < end && strncmp(name, resource, resource_length) == 0 &&
		    name[resource_length] == ':') {
			for (const char *item = name + resource_length + 1; item < end;) {
				if (strncmp(item, domain, domain_length) == 0 && item[domain_length] == '=') {
					*value = strtoul(item + domain_length + 1, NULL,
							 strncmp(resource, "MB", 2) == 0 ? 10 : 16);
					return true;
				}
				item += strcspn(item, ";\n") + 1;
			}
		}
		line += length;
		line += *line == '\n';
	}
	return false;
}

/* One line, "L3:0=7f;1=1f". */
static bool line_matches(const char *schemata, const char *line, size_t length)
{
	const char *colon = memchr(line, ':', length);
	const char *end = line + length;

	if (colon == NULL)
		return false;
	for (const char *item = colon + 1; item < end;) {
		size_t domain_length = strcspn(item, "=;\n");
		unsigned long value;
		char *stop;
		if (item + domain_length >= end || item[domain_length] != '=')
			return false;
		unsigned long wanted = strtoul(item + domain_length + 1, &stop, strncmp(line, "MB", 2) == 0 ? 10 : 16);
		if (stop == item + domain_length + 1 ||
		    !domain_value(schemata, line, (size_t)(colon - line), item, domain_length, &value) ||
		    value != wanted)
			return false;
		item = stop + (*stop == ';');
		if (item < end && *stop != ';')
			return false;
	}
	return true;
}

bool rdt_schemata_match(const char *schemata, const char *wanted)
{
	while (*wanted != '\0') {
		size_t length = strcspn(wanted, "\n");
		if (length > 0 && !line_matches(schemata, wanted, length))
			return false;
		wanted += length;
		wanted += *wanted == '\n';
	}
	return true;
}

static int group_path(const char *group, const char *file, char *path, size_t size)
{
	return snprintf(path, size, "%s/%s", group, file) < (int)size ? 0 : -ENAMETOOLONG;
}

/* The kernel tells why it refused. */
static int schema_failed(const struct rdt *rdt, const char *line, int rc, struct error *err)
{
	char path[4096];
	char status[512] = "";

	if (group_path(rdt->root, "info/last_cmd_status", path, sizeof path) == 0)
		(void)file_read_at(AT_FDCWD, path, status, sizeof status);
	status[strcspn(status, "\n")] = '\0';
	return error_set(err, -rc, "linux.intelRdt: cannot write \"%s\" to %s/schemata: %s%s%s", line, rdt->group,
			 strerror(-rc), status[0] == '\0' ? "" : ": ", status);
}

/* The lines in the order that config-linux.md wants. */
static const char *schema_line(const struct oci_intel_rdt *config, size_t index)
{
	if (index == 0)
		return config->l3_cache_schema;
	if (index == 1)
		return config->mem_bw_schema;
	return index - 2 < config->schemata_count ? config->schemata[index - 2] : NULL;
}

static int write_schemata(const struct rdt *rdt, struct error *err)
{
	for (size_t i = 0; i < 2 + rdt->config->schemata_count; i++) {
		CLEANUP_ARENA struct arena arena = {0};
		const char *line = schema_line(rdt->config, i);
		char path[4096];
		if (line == NULL || line[0] == '\0')
			continue;
		int rc = group_path(rdt->group, "schemata", path, sizeof path);
		if (rc == 0)
			rc = file_write_at(AT_FDCWD, path, arena_printf(&arena, "%s\n", line));
		if (rc < 0)
			return schema_failed(rdt, line, rc, err);
	}
	return 0;
}

/* A class of service that exists belongs to others as well: it is not changed. */
static int compare_schemata(const struct rdt *rdt, struct error *err)
{
	CLEANUP_FREE char *schemata = NULL;
	char path[4096];
	size_t length;

	int rc = group_path(rdt->group, "schemata", path, sizeof path);
	CLEANUP_CLOSE int fd = rc < 0 ? -1 : open(path, O_RDONLY | O_CLOEXEC);
	rc = fd < 0 ? -errno : file_read_all(fd, SCHEMATA_MAX, &schemata, &length);
	if (rc < 0)
		return error_errno(err, -rc, "linux.intelRdt: cannot read %s", path);
	for (size_t i = 0; i < 2 + rdt->config->schemata_count; i++) {
		const char *line = schema_line(rdt->config, i);
		if (line != NULL && !rdt_schemata_match(schemata, line))
			return error_set(
			    err, EINVAL,
			    "linux.intelRdt: the class of service %s exists with another schemata than \"%s\"",
			    rdt->group, line);
	}
	return 0;
}

static int prepare_group(struct rdt *rdt, struct error *err)
{
	struct stat status;

	if (!rdt->own && !has_schema(rdt->config)) {
		if (stat(rdt->group, &status) < 0)
			return error_errno(
			    err, errno,
			    "linux.intelRdt: the class of service %s does not exist, and there is no schemata to "
			    "make it with",
			    rdt->group);
		return 0;
	}
	if (mkdir(rdt->group, 0755) == 0) {
		rdt->made_group = true;
		return write_schemata(rdt, err);
	}
	if (errno != EEXIST)
		return error_errno(err, errno, "linux.intelRdt: cannot make the class of service %s%s", rdt->group,
				   errno == ENOSPC ? " (the processor has no more of them)" : "");
	/* One's own is what a container of the same name left. */
	return rdt->own ? write_schemata(rdt, err) : compare_schemata(rdt, err);
}

int rdt_create(struct rdt *rdt, struct error *err)
{
	int rc = prepare_group(rdt, err);

	if (rc == 0 && rdt->monitor != NULL && mkdir(rdt->monitor, 0755) < 0 && errno != EEXIST)
		rc = error_errno(err, errno, "linux.intelRdt: cannot make the monitoring group %s%s", rdt->monitor,
				 errno == ENOSPC ? " (the processor has no more of them)" : "");
	else if (rc == 0 && rdt->monitor != NULL)
		rdt->made_monitor = true;
	if (rc < 0)
		rdt_undo(rdt);
	return rc;
}

void rdt_undo(struct rdt *rdt)
{
	if (rdt->made_monitor)
		rmdir(rdt->monitor);
	if (rdt->made_group)
		rmdir(rdt->group);
	rdt->made_group = rdt->made_monitor = false;
}

int rdt_join(const struct plan *plan, pid_t pid, struct error *err)
{
	/* The kernel takes a process into a monitoring group only from the group that one is in. */
	const char *groups[] = {plan_text(plan, plan->rdt_group), plan_text(plan, plan->rdt_monitor)};
	char text[16];

	snprintf(text, sizeof text, "%d", (int)pid);
	for (size_t i = 0; i < ARRAY_SIZE(groups); i++) {
		char path[4096];
		if (groups[i] == NULL)
			continue;
		int rc = group_path(groups[i], "tasks", path, sizeof path);
		if (rc == 0)
			rc = file_write_at(AT_FDCWD, path, text);
		if (rc < 0)
			return error_errno(err, -rc, "linux.intelRdt: cannot move process %d to %s", (int)pid,
					   groups[i]);
	}
	return 0;
}

int rdt_update(const struct plan *plan, const char *l3_cache_schema, const char *mem_bw_schema, struct error *err)
{
	CLEANUP_ARENA struct arena arena = {0};
	const struct oci_intel_rdt config = {
	    .l3_cache_schema = l3_cache_schema,
	    .mem_bw_schema = mem_bw_schema,
	};
	struct rdt rdt = {.config = &config, .group = plan_text(plan, plan->rdt_group)};

	if (!has_schema(&config))
		return 0;
	if (rdt.group == NULL)
		return error_set(err, ENODEV,
				 "Intel RDT/%s is not enabled: the container has no class of service, which "
				 "linux.intelRdt of its config.json asks for",
				 l3_cache_schema != NULL ? "CAT: l3 cache schema" : "MBA: memory bandwidth schema");
	int rc = check_line(l3_cache_schema, "l3CacheSchema", "", err);
	if (rc == 0)
		rc = check_line(mem_bw_schema, "memBwSchema", "MB:", err);
	rdt.root = rc < 0 ? NULL : find_mount(&arena);
	if (rdt.root == NULL)
		rdt.root = rdt.group;
	return rc < 0 ? rc : write_schemata(&rdt, err);
}

static const char *read_text(struct arena *arena, const char *directory, const char *file)
{
	char path[4096];
	char text[4096];

	if (group_path(directory, file, path, sizeof path) < 0 || file_read_at(AT_FDCWD, path, text, sizeof text) <= 0)
		return NULL;
	size_t length = strlen(text);
	while (length > 0 && (text[length - 1] == '\n' || text[length - 1] == ' '))
		text[--length] = '\0';
	return arena_strdup(arena, text + strspn(text, " "));
}

/* A line of a schemata file. */
static const char *schema_of(struct arena *arena, const char *directory, const char *resource)
{
	const char *schemata = read_text(arena, directory, "schemata");

	for (const char *line = schemata; line != NULL && *line != '\0';) {
		size_t length = strcspn(line, "\n");
		const char *name = line + strspn(line, " ");
		if (strncmp(name, resource, strlen(resource)) == 0 && name[strlen(resource)] == ':')
			return arena_strndup(arena, name, length - (size_t)(name - line));
		line += length;
		line += *line == '\n';
	}
	return NULL;
}

static void info(struct json_writer *writer, struct arena *arena, const char *root, const char *key,
		 const char *const files[], size_t count)
{
	bool begun = false;

	for (size_t i = 0; i < count; i++) {
		const char *text = read_text(arena, root, files[i]);
		const char *name = strrchr(files[i], '/') + 1;
		uint64_t value;
		if (text == NULL)
			continue;
		if (!begun) {
			json_key(writer, key);
			json_begin_object(writer);
			begun = true;
		}
		if (strcmp(name, "cbm_mask") == 0)
			json_key_string(writer, name, text);
		else if (number_parse_u64(text, 0, UINT64_MAX, &value) == 0)
			json_key_u64(writer, name, value);
	}
	if (begun)
		json_end_object(writer);
}

const char *rdt_stats_json(struct arena *arena, const struct plan *plan)
{
	static const char *const l3_files[] = {"info/L3/cbm_mask", "info/L3/min_cbm_bits", "info/L3/num_closids"};
	static const char *const mb_files[] = {"info/MB/bandwidth_gran", "info/MB/delay_linear",
					       "info/MB/min_bandwidth", "info/MB/num_closids"};
	static const char *const schemas[][2] = {{"l3_cache_schema", "L3"}, {"mem_bw_schema", "MB"}};
	CLEANUP_JSON_WRITER struct json_writer writer = JSON_WRITER(0);
	const char *group = plan_text(plan, plan->rdt_group);
	const char *root = find_mount(arena);

	if (group == NULL || root == NULL)
		return NULL;
	json_begin_object(&writer);
	info(&writer, arena, root, "l3_cache_info", l3_files, ARRAY_SIZE(l3_files));
	info(&writer, arena, root, "mem_bw_info", mb_files, ARRAY_SIZE(mb_files));
	for (size_t i = 0; i < ARRAY_SIZE(schemas); i++) {
		const char *text = schema_of(arena, root, schemas[i][1]);
		if (text != NULL)
			json_key_string(&writer, arena_printf(arena, "%s_root", schemas[i][0]), text);
		text = schema_of(arena, group, schemas[i][1]);
		if (text != NULL)
			json_key_string(&writer, schemas[i][0], text);
	}
	json_end_object(&writer);
	return arena_strdup(arena, writer.data);
}
