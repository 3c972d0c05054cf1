/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/cgroup/writes.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

void cgroup_writes_add(struct cgroup_writes *writes, struct cgroup_write write)
{
	if (writes->count == writes->capacity) {
		size_t capacity = writes->capacity == 0 ? 16 : writes->capacity * 2;
		struct cgroup_write *items = arena_array(writes->arena, capacity, sizeof *items);
		if (writes->count > 0)
			memcpy(items, writes->items, writes->count * sizeof *items);
		writes->items = items;
		writes->capacity = capacity;
	}
	writes->items[writes->count++] = write;
}

static const char *number(struct arena *arena, const struct cgroup_knob *knob, bool v2, bool set, bool negative,
			  uint64_t magnitude)
{
	if (!set || (magnitude == 0 && !(knob->flags & CGROUP_KNOB_ZERO)))
		return NULL;
	if (negative)
		return v2 ? "max" : "-1";
	return arena_printf(arena, "%" PRIu64, magnitude);
}

/* The text to write, NULL when the field is absent. */
static const char *knob_value(struct arena *arena, const void *base, const struct cgroup_knob *knob, bool v2)
{
	const void *field = (const char *)base + knob->offset;

	switch (knob->type) {
	case CGROUP_KNOB_I64: {
		const struct opt_i64 *value = field;
		return number(arena, knob, v2, value->set, value->value < 0,
			      value->value < 0 ? 1 : (uint64_t)value->value);
	}
	case CGROUP_KNOB_U64: {
		const struct opt_u64 *value = field;
		return number(arena, knob, v2, value->set, false, value->value);
	}
	case CGROUP_KNOB_U32: {
		const struct opt_u32 *value = field;
		return number(arena, knob, v2, value->set, false, value->value);
	}
	case CGROUP_KNOB_U16: {
		const struct opt_u16 *value = field;
		return number(arena, knob, v2, value->set, false, value->value);
	}
	case CGROUP_KNOB_BOOL: {
		const struct opt_bool *value = field;
		return !value->set ? NULL : value->value ? "1" : "0";
	}
	case CGROUP_KNOB_TEXT: {
		const char *const *value = field;
		return *value == NULL || **value == '\0' ? NULL : *value;
	}
	}
	return NULL;
}

void cgroup_knobs_add(struct cgroup_writes *writes, enum cgroup_controller controller, bool v2, const void *base,
		      const struct cgroup_knob *knobs, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const char *value = knob_value(writes->arena, base, &knobs[i], v2);
		if (value == NULL)
			continue;
		cgroup_writes_add(writes, (struct cgroup_write){
					      .controller = controller,
					      .v2 = v2,
					      .file = knobs[i].file,
					      .value = value,
					      .other_file = knobs[i].other_file,
					      .other_value = value,
					      .field = knobs[i].field,
					      .group = knobs[i].group,
					      .flags = knobs[i].flags,
					  });
	}
}

/* Base 2 logarithm of a number of at least 1, one bit of the fraction per squaring: no need for libm. */
static double log_base_2(double x)
{
	double result = 0;

	while (x >= 2) {
		x /= 2;
		result += 1;
	}
	for (double bit = 0.5; bit > 1e-16; bit /= 2) {
		x *= x;
		if (x >= 2) {
			x /= 2;
			result += bit;
		}
	}
	return result;
}

/* 10 to the power of 0..4. */
static double power_of_10(double exponent)
{
	double result = 1;
	double term = 1;

	while (exponent >= 1) {
		result *= 10;
		exponent -= 1;
	}
	double x = exponent * 2.302585092994045684;
	double sum = 1;
	for (int i = 1; i < 40; i++) {
		term *= x / i;
		sum += term;
	}
	return result * sum;
}

uint64_t cgroup_shares_to_weight(uint64_t shares)
{
	if (shares == 0)
		return 0;
	if (shares <= 2)
		return 1;
	if (shares >= 262144)
		return 10000;
	double l = log_base_2((double)shares);
	double weight = power_of_10((l * l + 125 * l) / 612.0 - 7.0 / 34.0);
	uint64_t whole = (uint64_t)weight;
	/* Round up, but not for the noise behind a whole number (1024 gives 100). */
	return weight - (double)whole > 1e-9 ? whole + 1 : whole;
}

uint64_t cgroup_blkio_to_io_weight(uint16_t weight)
{
	return weight == 0 ? 0 : 1 + ((uint64_t)weight - 10) * 9999 / 990;
}

int cgroup_swap_v2(int64_t swap, int64_t limit, bool *set, int64_t *value, struct error *err)
{
	*set = true;
	*value = -1;
	/* As on v1, a limit that is taken away takes the swap's with it. */
	if (swap == 0) {
		*set = limit < 0;
		return 0;
	}
	if (swap < 0)
		return 0;
	*value = swap;
	if (limit < 0)
		return 0;
	if (limit == 0)
		return error_set(err, EINVAL,
				 "linux.resources.memory.swap: unable to set swap limit without memory limit: it is "
				 "the limit of both together, set linux.resources.memory.limit too");
	if (swap < limit)
		return error_set(err, EINVAL,
				 "linux.resources.memory.swap: memory+swap limit should be >= memory limit (%" PRId64
				 " < %" PRId64 ")",
				 swap, limit);
	*value = swap - limit;
	return 0;
}

bool cgroup_page_size_valid(const char *page_size)
{
	static const char *const units[] = {"KB", "MB", "GB"};
	size_t digits = page_size == NULL ? 0 : strspn(page_size, "0123456789");

	if (digits == 0 || digits > 9)
		return false;
	for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
		if (strcmp(page_size + digits, units[i]) == 0)
			return true;
	return false;
}

void cgroup_rdma_limits(struct cgroup_writes *writes, const struct oci_resources *resources, bool v2)
{
	struct arena *arena = writes->arena;

	for (size_t i = 0; i < resources->rdma_count; i++) {
		const struct oci_rdma *rdma = &resources->rdma[i];
		const char *value = rdma->device;
		if (rdma->hca_handles.set)
			value = arena_printf(arena, "%s hca_handle=%" PRIu32, value, rdma->hca_handles.value);
		if (rdma->hca_objects.set)
			value = arena_printf(arena, "%s hca_object=%" PRIu32, value, rdma->hca_objects.value);
		if (value == rdma->device)
			continue;
		cgroup_writes_add(
		    writes,
		    (struct cgroup_write){
			.controller = CGROUP_RDMA, .v2 = v2, .field = "rdma", .file = "rdma.max", .value = value});
	}
}

int cgroup_unified_limits(struct cgroup_writes *writes, const struct oci_resources *resources, struct error *err)
{
	struct arena *arena = writes->arena;

	for (size_t i = 0; i < resources->unified_count; i++) {
		const struct oci_pair *pair = &resources->unified[i];
		if (strchr(pair->key, '/') != NULL)
			return error_set(err, EINVAL, "unified resource \"%s\" must be a file name (no slashes)",
					 pair->key);
		size_t length = strcspn(pair->key, ".");
		if (pair->key[length] == '\0' || length == 0)
			return error_set(err, EINVAL,
					 "unified resource \"%s\" must be in the form CONTROLLER.PARAMETER", pair->key);
		uint32_t mask = cgroup_controllers_parse(arena_strndup(arena, pair->key, length), "", true);
		enum cgroup_controller controller = CGROUP_CONTROLLERS;
		for (unsigned int k = 0; k < CGROUP_CONTROLLERS; k++)
			if (mask & 1u << k)
				controller = k;
		/* Files like io.max take one line per write. */
		for (const char *line = pair->value; line != NULL && *line != '\0';) {
			size_t line_length = strcspn(line, "\n");
			if (line_length > 0)
				cgroup_writes_add(
				    writes, (struct cgroup_write){.controller = controller,
								  .v2 = true,
								  .field = arena_printf(arena, "unified.%s", pair->key),
								  .file = pair->key,
								  .value = arena_strndup(arena, line, line_length),
								  .flags = CGROUP_WRITE_UNIFIED});
			line += line_length;
			line += *line == '\n';
		}
	}
	return 0;
}
