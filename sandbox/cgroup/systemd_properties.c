/* SPDX-License-Identifier: Apache-2.0 */
/* Limits and annotations as properties of a systemd unit. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "sandbox/cgroup/systemd.h"
#include "sandbox/cgroup/systemd_protocol.h"
#include "sandbox/common/cleanup.h"
#include "sandbox/common/number.h"

/* Files that systemd writes, too. It has no word for the others and leaves them alone. */
static const struct {
	const char *file;
	bool v2;
	const char *property;
	const char *signature;
} properties[] = {
    {"memory.max", true, "MemoryMax", "t"},
    {"memory.high", true, "MemoryHigh", "t"},
    {"memory.low", true, "MemoryLow", "t"},
    {"memory.min", true, "MemoryMin", "t"},
    {"memory.swap.max", true, "MemorySwapMax", "t"},
    {"cpu.weight", true, "CPUWeight", "t"},
    {"io.weight", true, "IOWeight", "t"},
    {"cpuset.cpus", true, "AllowedCPUs", "ay"},
    {"cpuset.mems", true, "AllowedMemoryNodes", "ay"},
    {"pids.max", true, "TasksMax", "t"},
    {"memory.limit_in_bytes", false, "MemoryLimit", "t"},
    {"cpu.shares", false, "CPUShares", "t"},
    {"blkio.weight", false, "BlockIOWeight", "t"},
    {"pids.max", false, "TasksMax", "t"},
};

/* Microseconds per second for a quota per period. systemd keeps whole percents, so the next one up: it must not be
 * less than the cgroup itself has. */
static const char *quota_per_second(struct arena *arena, const char *quota, const char *period)
{
	uint64_t q, p = 100000;

	if (number_parse_u64(quota, 1, UINT64_MAX / 1000000, &q) < 0)
		return "max";
	if (period != NULL && number_parse_u64(period, 1, UINT64_MAX, &p) < 0)
		return "max";
	uint64_t per_second = (q * 1000000 + p - 1) / p;
	return arena_printf(arena, "%" PRIu64, (per_second + 9999) / 10000 * 10000);
}

static const char *add(struct arena *arena, const char *lines, const char *property, const char *signature,
		       const char *value)
{
	return arena_printf(arena, "%sproperty %s %s %s\n", lines, property, signature, value);
}

/* "max 100000", "50000" */
static const char *add_cpu_max(struct arena *arena, const char *lines, const char *value)
{
	size_t length = strcspn(value, " ");
	const char *quota = arena_strndup(arena, value, length);
	const char *period = value[length] == ' ' ? value + length + 1 : NULL;

	if (period != NULL)
		lines = add(arena, lines, "CPUQuotaPeriodUSec", "t", period);
	return add(arena, lines, "CPUQuotaPerSecUSec", "t", quota_per_second(arena, quota, period));
}

const char *cgroup_systemd_limits(struct arena *arena, const struct cgroup_writes *writes)
{
	const char *lines = "";
	const char *quota = NULL;
	const char *period = NULL;

	for (size_t i = 0; i < writes->count; i++) {
		const struct cgroup_write *write = &writes->items[i];
		if (write->v2 && strcmp(write->file, "cpu.max") == 0)
			lines = add_cpu_max(arena, lines, write->value);
		if (!write->v2 && strcmp(write->file, "cpu.cfs_quota_us") == 0)
			quota = write->value;
		if (!write->v2 && strcmp(write->file, "cpu.cfs_period_us") == 0)
			period = write->value;
		for (size_t k = 0; k < ARRAY_SIZE(properties); k++) {
			const char *value = write->value;
			if (properties[k].v2 != write->v2 || strcmp(properties[k].file, write->file) != 0)
				continue;
			/* v1's "no limit"; a limit of 0 tasks, which systemd refuses, is as good as 1. */
			if (strcmp(value, "-1") == 0)
				value = "max";
			else if (strcmp(value, "0") == 0 && strcmp(properties[k].property, "TasksMax") == 0)
				value = "1";
			lines = add(arena, lines, properties[k].property, properties[k].signature, value);
		}
	}
	if (period != NULL)
		lines = add(arena, lines, "CPUQuotaPeriodUSec", "t", period);
	if (quota != NULL)
		lines = add(arena, lines, "CPUQuotaPerSecUSec", "t", quota_per_second(arena, quota, period));
	return lines;
}

/* "['a', 'b']" -> a, b. NULL for anything else. */
static const char *parse_strings(struct arena *arena, const char *text)
{
	const char *items = "";
	size_t count = 0;

	for (text++;; text++) {
		text += strspn(text, " ");
		if (*text == ']' && count == 0)
			return text[1] == '\0' ? "" : NULL;
		if (*text != '\'')
			return NULL;
		const char *end = strchr(text + 1, '\'');
		if (end == NULL || memchr(text, '\\', (size_t)(end - text)) != NULL)
			return NULL;
		const char *item = arena_strndup(arena, text + 1, (size_t)(end - text - 1));
		items = count++ == 0 ? item : arena_printf(arena, "%s%c%s", items, SYSTEMD_SEPARATOR, item);
		text = end + 1;
		text += strspn(text, " ");
		if (*text == ']')
			return text[1] == '\0' ? items : NULL;
		if (*text != ',')
			return NULL;
	}
}

static const struct {
	const char *prefix;
	const char *signature;
	int64_t minimum;
	uint64_t maximum;
} numbers[] = {
    {"uint64 ", "t", 0, UINT64_MAX},       {"int64 ", "x", INT64_MIN, INT64_MAX}, {"uint32 ", "u", 0, UINT32_MAX},
    {"int32 ", "i", INT32_MIN, INT32_MAX}, {"", "i", INT32_MIN, INT32_MAX},
};

/* A number with its type in front of it, without one an int32. */
static const char *parse_number(struct arena *arena, const char *text, uint64_t factor, const char **signature)
{
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		size_t length = strlen(numbers[i].prefix);
		uint64_t magnitude;
		int64_t number;
		if (strncmp(text, numbers[i].prefix, length) != 0)
			continue;
		/* Times are unsigned microseconds, whatever type the seconds had. */
		*signature = factor > 1 ? "t" : numbers[i].signature;
		if (number_parse_u64(text + length, 0, numbers[i].maximum, &magnitude) == 0) {
			if (magnitude > UINT64_MAX / factor)
				return NULL;
			return arena_printf(arena, "%" PRIu64, magnitude * factor);
		}
		if (factor > 1 || number_parse_i64(text + length, numbers[i].minimum, -1, &number) < 0)
			return NULL;
		return arena_printf(arena, "%" PRId64, number);
	}
	return NULL;
}

static bool is_property_name(const char *name)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

	return name[0] != '\0' && name[strspn(name, letters)] == '\0';
}

int cgroup_systemd_annotation(struct arena *arena, const char *name, const char *text, const char **line,
			      struct error *err)
{
	size_t length = strlen(name);
	const char *signature = NULL;
	const char *value = NULL;
	uint64_t factor = 1;

	text += strspn(text, " ");
	if (!is_property_name(name) || strpbrk(text, "\n\r\037") != NULL)
		return error_set(err, EINVAL, "annotation org.systemd.property.%s: not a property of systemd", name);
	/* On the bus all times are microseconds: TimeoutStopSec is TimeoutStopUSec. */
	if (length > 3 && strcmp(name + length - 3, "Sec") == 0 && (length < 4 || name[length - 4] != 'U')) {
		name = arena_printf(arena, "%.*sUSec", (int)(length - 3), name);
		factor = 1000000;
	}
	if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0) {
		signature = "b";
		value = text;
	} else if (text[0] == '\'') {
		const char *end = strchr(text + 1, '\'');
		signature = "s";
		if (end != NULL && end[1] == '\0' && strchr(text, '\\') == NULL)
			value = arena_strndup(arena, text + 1, (size_t)(end - text - 1));
	} else if (text[0] == '[') {
		signature = "as";
		value = parse_strings(arena, text);
	} else {
		value = parse_number(arena, text, factor, &signature);
	}
	if (value == NULL)
		return error_set(
		    err, EINVAL,
		    "annotation org.systemd.property.%s: \"%s\" is no value that can be passed on (true, 'text', "
		    "['a', 'b'], 5, uint64 5)",
		    name, text);
	*line = arena_printf(arena, "property %s %s %s\n", name, signature, value);
	return 0;
}
