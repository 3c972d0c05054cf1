/* SPDX-License-Identifier: Apache-2.0 */
/* The statistics in runc's JSON, which containerd and others parse: zeros are left out where runc leaves them out. */
#include <string.h>

#include "sandbox/cgroup/stats.h"
#include "sandbox/common/cleanup.h"

static void unless_zero(struct json_writer *writer, const char *key, uint64_t value)
{
	if (value != 0)
		json_key_u64(writer, key, value);
}

static void numbers(struct json_writer *writer, const char *key, const struct cgroup_numbers *list)
{
	if (list->count == 0)
		return;
	json_key(writer, key);
	json_begin_array(writer);
	for (size_t i = 0; i < list->count; i++)
		json_u64(writer, list->items[i]);
	json_end_array(writer);
}

/* "0.50" -> 0.5, as a JSON number. */
static void average(struct json_writer *writer, const char *key, const char *text)
{
	char number[32];
	size_t length = strlen(text);

	if (length >= sizeof number)
		length = sizeof number - 1;
	if (memchr(text, '.', length) != NULL) {
		while (length > 1 && text[length - 1] == '0')
			length--;
		if (length > 1 && text[length - 1] == '.')
			length--;
	}
	memcpy(number, text, length);
	number[length] = '\0';
	json_key(writer, key);
	json_text(writer, number);
}

static void psi_line(struct json_writer *writer, const char *key, const struct cgroup_psi_line *line)
{
	json_key(writer, key);
	json_begin_object(writer);
	average(writer, "avg10", line->avg10);
	average(writer, "avg60", line->avg60);
	average(writer, "avg300", line->avg300);
	json_key_u64(writer, "total", line->total);
	json_end_object(writer);
}

static void pressure(struct json_writer *writer, const struct cgroup_psi *psi)
{
	if (psi == NULL)
		return;
	json_key(writer, "psi");
	json_begin_object(writer);
	psi_line(writer, "some", &psi->some);
	psi_line(writer, "full", &psi->full);
	json_end_object(writer);
}

static void cpu(struct json_writer *writer, const struct cgroup_stats *stats)
{
	json_key(writer, "cpu");
	json_begin_object(writer);
	json_key(writer, "usage");
	json_begin_object(writer);
	unless_zero(writer, "total", stats->cpu.total);
	numbers(writer, "percpu", &stats->cpu.percpu);
	numbers(writer, "percpu_kernel", &stats->cpu.percpu_kernel);
	numbers(writer, "percpu_user", &stats->cpu.percpu_user);
	json_key_u64(writer, "kernel", stats->cpu.kernel);
	json_key_u64(writer, "user", stats->cpu.user);
	json_end_object(writer);
	json_key(writer, "throttling");
	json_begin_object(writer);
	unless_zero(writer, "periods", stats->cpu.periods);
	unless_zero(writer, "throttledPeriods", stats->cpu.throttled_periods);
	unless_zero(writer, "throttledTime", stats->cpu.throttled_time);
	json_end_object(writer);
	if (stats->cpu.burst_periods != 0) {
		json_key(writer, "burst");
		json_begin_object(writer);
		json_key_u64(writer, "burstsPeriods", stats->cpu.burst_periods);
		json_key_u64(writer, "burstTime", stats->cpu.burst_time);
		json_end_object(writer);
	}
	pressure(writer, stats->cpu.psi);
	json_end_object(writer);
}

static void cpuset(struct json_writer *writer, const struct cgroup_stats *stats)
{
	static const char *const before[] = {"cpu_exclusive"};
	static const char *const after[] = {
	    "mem_hardwall",       "mem_exclusive",   "memory_migrate",     "memory_spread_page",
	    "memory_spread_slab", "memory_pressure", "sched_load_balance", "sched_relax_domain_level",
	};

	json_key(writer, "cpuset");
	json_begin_object(writer);
	numbers(writer, "cpus", &stats->cpuset.cpus);
	json_key_i64(writer, before[0], stats->cpuset.flags[0]);
	numbers(writer, "mems", &stats->cpuset.mems);
	for (size_t i = 0; i < ARRAY_SIZE(after); i++)
		json_key_i64(writer, after[i], stats->cpuset.flags[i + 1]);
	json_end_object(writer);
}

static void memory_entry(struct json_writer *writer, const char *key, const struct cgroup_memory_entry *entry)
{
	json_key(writer, key);
	json_begin_object(writer);
	json_key_u64(writer, "limit", entry->limit);
	unless_zero(writer, "usage", entry->usage);
	unless_zero(writer, "max", entry->max);
	json_key_u64(writer, "failcnt", entry->failcnt);
	json_end_object(writer);
}

static void memory(struct json_writer *writer, const struct cgroup_stats *stats)
{
	json_key(writer, "memory");
	json_begin_object(writer);
	unless_zero(writer, "cache", stats->memory.cache);
	memory_entry(writer, "usage", &stats->memory.usage);
	memory_entry(writer, "swap", &stats->memory.swap);
	memory_entry(writer, "kernel", &stats->memory.kernel);
	memory_entry(writer, "kernelTCP", &stats->memory.kernel_tcp);
	if (stats->memory.raw_count > 0) {
		json_key(writer, "raw");
		json_begin_object(writer);
		for (size_t i = 0; i < stats->memory.raw_count; i++)
			json_key_u64(writer, stats->memory.raw[i].key, stats->memory.raw[i].value);
		json_end_object(writer);
	}
	pressure(writer, stats->memory.psi);
	json_end_object(writer);
}

static void io(struct json_writer *writer, const struct cgroup_stats *stats)
{
	static const char *const keys[CGROUP_IO_KINDS] = {
	    [CGROUP_IO_SERVICE_BYTES] = "ioServiceBytesRecursive",
	    [CGROUP_IO_SERVICED] = "ioServicedRecursive",
	    [CGROUP_IO_QUEUED] = "ioQueueRecursive",
	    [CGROUP_IO_SERVICE_TIME] = "ioServiceTimeRecursive",
	    [CGROUP_IO_WAIT_TIME] = "ioWaitTimeRecursive",
	    [CGROUP_IO_MERGED] = "ioMergedRecursive",
	    [CGROUP_IO_TIME] = "ioTimeRecursive",
	    [CGROUP_IO_SECTORS] = "sectorsRecursive",
	};

	json_key(writer, "blkio");
	json_begin_object(writer);
	for (size_t i = 0; i < CGROUP_IO_KINDS; i++) {
		const struct cgroup_io_list *list = &stats->io.lists[i];
		if (list->count == 0)
			continue;
		json_key(writer, keys[i]);
		json_begin_array(writer);
		for (size_t k = 0; k < list->count; k++) {
			json_begin_object(writer);
			unless_zero(writer, "major", list->items[k].major);
			unless_zero(writer, "minor", list->items[k].minor);
			if (list->items[k].op != NULL && list->items[k].op[0] != '\0')
				json_key_string(writer, "op", list->items[k].op);
			unless_zero(writer, "value", list->items[k].value);
			json_end_object(writer);
		}
		json_end_array(writer);
	}
	pressure(writer, stats->io.psi);
	json_end_object(writer);
}

static void hugetlb(struct json_writer *writer, const struct cgroup_stats *stats)
{
	json_key(writer, "hugetlb");
	json_begin_object(writer);
	for (size_t i = 0; i < stats->hugetlb_count; i++) {
		json_key(writer, stats->hugetlb[i].page_size);
		json_begin_object(writer);
		unless_zero(writer, "usage", stats->hugetlb[i].usage);
		unless_zero(writer, "max", stats->hugetlb[i].max);
		json_key_u64(writer, "failcnt", stats->hugetlb[i].failcnt);
		json_end_object(writer);
	}
	json_end_object(writer);
}

void cgroup_stats_json(const struct cgroup_stats *stats, const char *intel_rdt, struct json_writer *writer)
{
	json_begin_object(writer);
	cpu(writer, stats);
	cpuset(writer, stats);
	memory(writer, stats);
	json_key(writer, "pids");
	json_begin_object(writer);
	unless_zero(writer, "current", stats->pids.current);
	unless_zero(writer, "limit", stats->pids.limit);
	json_end_object(writer);
	io(writer, stats);
	hugetlb(writer, stats);
	json_key(writer, "intel_rdt");
	json_text(writer, intel_rdt == NULL ? "{}" : intel_rdt);
	/* Those that runc itself sets up; an OCI configuration has none. */
	json_key(writer, "network_interfaces");
	json_null(writer);
	json_end_object(writer);
}

void cgroup_event_json(const char *type, const char *id, const struct cgroup_stats *stats, const char *intel_rdt,
		       struct json_writer *writer)
{
	json_begin_object(writer);
	json_key_string(writer, "type", type);
	json_key_string(writer, "id", id);
	if (stats != NULL) {
		json_key(writer, "data");
		cgroup_stats_json(stats, intel_rdt, writer);
	}
	json_end_object(writer);
}
