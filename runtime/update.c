/* SPDX-License-Identifier: Apache-2.0 */
/* update: changes limits of a container that runs; what is not named stays as it is. */
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "runtime/container.h"
#include "sandbox/cgroup/rdt.h"
#include "sandbox/common/cleanup.h"
#include "sandbox/common/file.h"
#include "sandbox/common/number.h"
#include "spec/checks.h"
#include "spec/json.h"
#include "spec/parse.h"

/* What the options set, in one struct so that a table can say where. */
struct limits {
	struct oci_memory memory;
	struct oci_cpu cpu;
	struct oci_block_io block_io;
	struct oci_resources other;
	const char *l3_cache_schema;
	const char *mem_bw_schema;
};

enum limit_kind {
	LIMIT_SIZE, /* struct opt_i64: bytes with a unit, -1 */
	LIMIT_I64,
	LIMIT_U64,
	LIMIT_U16,
	LIMIT_CPUSET, /* const char * */
	LIMIT_SCHEMA, /* const char *, checked where it is written */
};

#define LIMITS(member) offsetof(struct limits, member)

static const struct limit {
	const char *name;
	enum limit_kind kind;
	size_t offset;
	const char *argument;
	const char *help;
} limits_table[] = {
    {"blkio-weight", LIMIT_U16, LIMITS(block_io.weight), "WEIGHT", "block IO weight, from 10 to 1000"},
    {"cpu-burst", LIMIT_U64, LIMITS(cpu.burst), "US", "CPU time that may be saved up for bursts, microseconds"},
    {"cpu-idle", LIMIT_I64, LIMITS(cpu.idle), "0|1", "1: run only when nothing else wants to (SCHED_IDLE)"},
    {"cpu-period", LIMIT_U64, LIMITS(cpu.period), "US", "CPU period, microseconds"},
    {"cpu-quota", LIMIT_I64, LIMITS(cpu.quota), "US", "CPU time in a period, microseconds; -1: no limit"},
    {"cpu-rt-period", LIMIT_U64, LIMITS(cpu.realtime_period), "US", "realtime period, microseconds"},
    {"cpu-rt-runtime", LIMIT_I64, LIMITS(cpu.realtime_runtime), "US", "realtime CPU time in a period, microseconds"},
    {"cpu-share", LIMIT_U64, LIMITS(cpu.shares), "SHARES", "CPU shares, relative to other containers"},
    {"cpuset-cpus", LIMIT_CPUSET, LIMITS(cpu.cpus), "LIST", "CPUs to use, such as 0-3,7"},
    {"cpuset-mems", LIMIT_CPUSET, LIMITS(cpu.mems), "LIST", "memory nodes to use"},
    {"kernel-memory", LIMIT_SIZE, LIMITS(memory.kernel), "SIZE", "kernel memory (obsolete; cgroup v1)"},
    {"kernel-memory-tcp", LIMIT_SIZE, LIMITS(memory.kernel_tcp), "SIZE", "TCP buffer memory (obsolete; cgroup v1)"},
    {"l3-cache-schema", LIMIT_SCHEMA, LIMITS(l3_cache_schema), "SCHEMA", "Intel RDT/CAT L3 cache schema"},
    {"mem-bw-schema", LIMIT_SCHEMA, LIMITS(mem_bw_schema), "SCHEMA", "Intel RDT/MBA memory bandwidth schema"},
    {"memory", LIMIT_SIZE, LIMITS(memory.limit), "SIZE", "memory, such as 512m; -1: no limit"},
    {"memory-reservation", LIMIT_SIZE, LIMITS(memory.reservation), "SIZE", "memory that is kept under pressure"},
    {"memory-swap", LIMIT_SIZE, LIMITS(memory.swap), "SIZE", "memory and swap together; -1: no limit"},
    {"pids-limit", LIMIT_I64, LIMITS(other.pids_limit), "NUMBER", "processes and threads; -1: no limit"},
};

/* Digits of a fraction that count: more would not fit a 64-bit product, and no one byte depends on them. */
#define FRACTION_DIGITS 6

/* "512", "64k", "1.5g", "20MiB": powers of 1024, as runc and docker take them. */
static int parse_size(const char *text, int64_t *value)
{
	static const char units[] = "bkmgtp";
	uint64_t whole = 0, fraction = 0, scale = 1;
	char digits[24];
	size_t length = strspn(text, "0123456789");

	if (length == 0 || length >= sizeof digits)
		return -EINVAL;
	memcpy(digits, text, length);
	digits[length] = '\0';
	if (number_parse_u64(digits, 0, INT64_MAX, &whole) < 0)
		return -ERANGE;
	text += length;
	if (*text == '.') {
		text++;
		for (length = strspn(text, "0123456789"); length > 0; length--, text++)
			if (scale < 1000000) {
				fraction = fraction * 10 + (uint64_t)(*text - '0');
				scale *= 10;
			}
	}
	text += *text == ' ';
	char unit = (char)(*text | 0x20);
	const char *found = *text == '\0' ? units : strchr(units, unit);
	if (found == NULL)
		return -EINVAL;
	unsigned int shift = 10 * (unsigned int)(found - units);
	if (*text != '\0') {
		text++;
		/* "k", "kb", "kib"; but "b" alone. */
		if (shift > 0 && (text[0] | 0x20) == 'i' && (text[1] | 0x20) == 'b')
			text += 2;
		else if (shift > 0 && (text[0] | 0x20) == 'b')
			text++;
	}
	if (*text != '\0')
		return -EINVAL;
	if (whole > (uint64_t)INT64_MAX >> shift)
		return -ERANGE;
	uint64_t part =
	    shift >= 40 ? ((UINT64_C(1) << (shift - 20)) * fraction / scale) << 20 : (fraction << shift) / scale;
	*value = (int64_t)((whole << shift) + part);
	return *value < 0 ? -ERANGE : 0;
}

static int refuse_value(const struct limit *limit, const char *value, const char *wanted, struct error *err)
{
	return error_set(err, EINVAL, "invalid value for %s: \"%s\" is not %s", limit->name, value, wanted);
}

static int set_limit(const struct limit *limit, const char *value, struct limits *limits, struct error *err)
{
	void *target = (char *)limits + limit->offset;

	switch (limit->kind) {
	case LIMIT_SIZE: {
		struct opt_i64 *size = target;
		size->set = true;
		if (strcmp(value, "-1") == 0)
			size->value = -1;
		else if (parse_size(value, &size->value) < 0)
			return refuse_value(limit, value, "a size such as 1073741824, 512m or 1.5g, or -1", err);
		return 0;
	}
	case LIMIT_I64: {
		struct opt_i64 *number = target;
		number->set = true;
		if (number_parse_i64(value, INT64_MIN, INT64_MAX, &number->value) < 0)
			return refuse_value(limit, value, "an integer", err);
		return 0;
	}
	case LIMIT_U64: {
		struct opt_u64 *number = target;
		number->set = true;
		if (number_parse_u64(value, 0, UINT64_MAX, &number->value) < 0)
			return refuse_value(limit, value, "a number that is not negative", err);
		return 0;
	}
	case LIMIT_U16: {
		struct opt_u16 *number = target;
		int parsed;
		number->set = true;
		/* 0, runc's default, leaves it alone. */
		if (number_parse_int(value, 0, 1000, &parsed) < 0 || (parsed > 0 && parsed < 10))
			return refuse_value(limit, value, "a number from 10 to 1000", err);
		number->value = (uint16_t)parsed;
		return 0;
	}
	case LIMIT_CPUSET:
		if (check_cpuset(value) != NULL)
			return refuse_value(limit, value, "a list of numbers and ranges like 0-3,7", err);
		*(const char **)target = value;
		return 0;
	case LIMIT_SCHEMA:
		*(const char **)target = value;
		return 0;
	}
	return 0;
}

/* --resources FILE; "-" is standard input. */
static int read_resources(struct context *context, const char *path, struct oci_resources **resources,
			  struct error *err)
{
	struct config_notes notes = {0};
	CLEANUP_CLOSE int opened = -1;
	CLEANUP_FREE char *text = NULL;
	size_t length;
	int fd = STDIN_FILENO;

	if (strcmp(path, "-") != 0) {
		fd = opened = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
		if (opened < 0)
			return error_errno(err, errno, "--resources: open %s", path);
	}
	int rc = file_read_all(fd, JSON_SIZE_MAX, &text, &length);
	if (rc < 0)
		return error_errno(err, -rc, "--resources: read %s", path);
	if (resources_parse(&context->arena, text, length, &notes, resources, err) < 0)
		return error_wrap(err, "--resources %s", path);
	return context_notes(context, "resources", &notes, err);
}

/* Options set what they name; what stands in the file but is not named by them stays. */
static int collect(const char *const values[], struct limits *limits, struct oci_resources *resources,
		   struct error *err)
{
	if (resources->memory != NULL)
		limits->memory = *resources->memory;
	if (resources->cpu != NULL)
		limits->cpu = *resources->cpu;
	if (resources->block_io != NULL)
		limits->block_io = *resources->block_io;
	limits->other = *resources;
	for (size_t i = 0; i < ARRAY_SIZE(limits_table); i++) {
		/* runc takes an empty value for an option that was not given. */
		if (values[i] != NULL && values[i][0] != '\0' &&
		    set_limit(&limits_table[i], values[i], limits, err) < 0)
			return -err->code;
	}
	*resources = limits->other;
	resources->memory = &limits->memory;
	resources->cpu = &limits->cpu;
	resources->block_io = &limits->block_io;
	return 0;
}

int command_update(const struct command *command, struct global_options *global, int argc, char **argv,
		   struct error *err)
{
	CLEANUP_CONTEXT struct context context;
	CLEANUP_CONTAINER struct container container = CONTAINER_NONE;
	struct option_row rows[ARRAY_SIZE(limits_table) + 1];
	const char *values[ARRAY_SIZE(limits_table)] = {NULL};
	const char *file = NULL;
	struct oci_resources none = {0}, *resources = &none;
	struct limits limits = {0};

	for (size_t i = 0; i < ARRAY_SIZE(limits_table); i++)
		rows[i] = (struct option_row){
		    limits_table[i].name, 0, OPTION_STRING, &values[i], limits_table[i].argument, limits_table[i].help};
	rows[ARRAY_SIZE(limits_table)] = (struct option_row){
	    "resources", 'r', OPTION_STRING, &file, "FILE", "linux.resources as JSON; -: standard input"};

	int rc = context_open_container(&context, global, command, rows, ARRAY_SIZE(rows), &argc, argv, 1, err);
	if (rc != 0)
		return rc < 0 ? rc : 0;
	if ((file != NULL && read_resources(&context, file, &resources, err) < 0) ||
	    collect(values, &limits, resources, err) < 0 || container_open(&context, argv[0], &container, err) < 0)
		return -err->code;
	if (!container_is_live(&container))
		return error_set(err, ESRCH, "container not running");
	/* First what is most likely to be refused: then nothing has been changed. */
	rc = rdt_update(container.plan, limits.l3_cache_schema, limits.mem_bw_schema, err);
	return rc < 0 ? rc : cgroup_update(container.cgroup, resources, err);
}
