/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "sandbox/cgroup/stats_internal.h"
#include "sandbox/common/cleanup.h"
#include "sandbox/common/file.h"
#include "sandbox/common/number.h"

/* USER_HZ, part of the kernel's interface: 100 on all architectures but alpha and ia64. */
#define NANOSECONDS_PER_TICK (1000000000u / 100u)

void stats_v1_cpu(struct cgroup_stats *stats, int dirfd)
{
	const char *text = stats_text(&stats->arena, dirfd, "cpu.stat");

	stats->cpu.periods = stats_keyed(text, "nr_periods");
	stats->cpu.throttled_periods = stats_keyed(text, "nr_throttled");
	stats->cpu.throttled_time = stats_keyed(text, "throttled_time");
	/* Linux 5.14 */
	stats->cpu.burst_periods = stats_keyed(text, "nr_bursts");
	stats->cpu.burst_time = stats_keyed(text, "burst_time");
}

void stats_v1_cpuacct(struct cgroup_stats *stats, int dirfd)
{
	struct arena *arena = &stats->arena;
	const char *text = stats_text(arena, dirfd, "cpuacct.stat");

	stats->cpu.user = stats_keyed(text, "user") * NANOSECONDS_PER_TICK;
	stats->cpu.kernel = stats_keyed(text, "system") * NANOSECONDS_PER_TICK;
	(void)stats_number(dirfd, "cpuacct.usage", &stats->cpu.total);
	stats->cpu.percpu = stats_numbers(arena, stats_text(arena, dirfd, "cpuacct.usage_percpu"));
	stats->cpu.percpu_user = stats_numbers(arena, stats_text(arena, dirfd, "cpuacct.usage_percpu_user"));
	stats->cpu.percpu_kernel = stats_numbers(arena, stats_text(arena, dirfd, "cpuacct.usage_percpu_sys"));
}

/* "0-3,7" */
static struct cgroup_numbers parse_list(struct arena *arena, const char *text)
{
	struct cgroup_numbers numbers = {0};
	char *copy = arena_strdup(arena, text == NULL ? "" : text);
	char *word;
	size_t capacity = 0;

	while ((word = stats_word(&copy, ",\n")) != NULL) {
		char *end = strchr(word, '-');
		uint64_t first, last;
		if (end != NULL)
			*end++ = '\0';
		if (!stats_parse(word, &first))
			continue;
		last = first;
		if ((end != NULL && !stats_parse(end, &last)) || last < first || last - first > UINT16_MAX)
			continue;
		for (uint64_t i = first; i <= last; i++) {
			if (numbers.count == capacity) {
				capacity = capacity * 2 + 16;
				uint64_t *items = arena_array(arena, capacity, sizeof *items);
				if (numbers.count > 0)
					memcpy(items, numbers.items, numbers.count * sizeof *items);
				numbers.items = items;
			}
			numbers.items[numbers.count++] = i;
		}
	}
	return numbers;
}

void stats_v1_cpuset(struct cgroup_stats *stats, int dirfd)
{
	/* In the order of stats_json.c. */
	static const char *const files[CGROUP_CPUSET_FLAGS] = {
	    "cpuset.cpu_exclusive",   "cpuset.mem_hardwall",       "cpuset.mem_exclusive",
	    "cpuset.memory_migrate",  "cpuset.memory_spread_page", "cpuset.memory_spread_slab",
	    "cpuset.memory_pressure", "cpuset.sched_load_balance", "cpuset.sched_relax_domain_level",
	};

	stats->cpuset.cpus = parse_list(&stats->arena, stats_text(&stats->arena, dirfd, "cpuset.cpus"));
	stats->cpuset.mems = parse_list(&stats->arena, stats_text(&stats->arena, dirfd, "cpuset.mems"));
	for (size_t i = 0; i < CGROUP_CPUSET_FLAGS; i++) {
		char text[32];
		if (file_read_at(dirfd, files[i], text, sizeof text) <= 0)
			continue;
		text[strcspn(text, "\n")] = '\0';
		(void)number_parse_i64(text, INT64_MIN, INT64_MAX, &stats->cpuset.flags[i]);
	}
}

void stats_v2_cpuset(struct cgroup_stats *stats, int dirfd)
{
	/* The files of the cgroup itself are empty unless they were written. */
	stats->cpuset.cpus = parse_list(&stats->arena, stats_text(&stats->arena, dirfd, "cpuset.cpus.effective"));
	stats->cpuset.mems = parse_list(&stats->arena, stats_text(&stats->arena, dirfd, "cpuset.mems.effective"));
}

static void memory_entry(int dirfd, const char *name, struct cgroup_memory_entry *entry)
{
	static const struct {
		const char *suffix;
		size_t offset;
	} files[] = {
	    {"usage_in_bytes", offsetof(struct cgroup_memory_entry, usage)},
	    {"max_usage_in_bytes", offsetof(struct cgroup_memory_entry, max)},
	    {"failcnt", offsetof(struct cgroup_memory_entry, failcnt)},
	    {"limit_in_bytes", offsetof(struct cgroup_memory_entry, limit)},
	};

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		char file[64];
		snprintf(file, sizeof file, "memory.%s%s", name, files[i].suffix);
		(void)stats_number(dirfd, file, (uint64_t *)((char *)entry + files[i].offset));
	}
}

void stats_v1_memory(struct cgroup_stats *stats, int dirfd)
{
	const char *text = stats_text(&stats->arena, dirfd, "memory.stat");

	stats_memory_raw(stats, text);
	stats->memory.cache = stats_keyed(text, "cache");
	memory_entry(dirfd, "", &stats->memory.usage);
	memory_entry(dirfd, "memsw.", &stats->memory.swap);
	memory_entry(dirfd, "kmem.", &stats->memory.kernel);
	memory_entry(dirfd, "kmem.tcp.", &stats->memory.kernel_tcp);
}

/* "8:0 Read 1282048", "8:0 6792", "Total 0" */
static bool read_io(struct cgroup_stats *stats, int dirfd, const char *file, enum cgroup_io_kind kind)
{
	const char *text = stats_text(&stats->arena, dirfd, file);
	char *copy;
	char *line;

	if (text == NULL)
		return false;
	copy = arena_strdup(&stats->arena, text);
	while (stats_line(&copy, &line)) {
		struct cgroup_io_entry entry = {.op = ""};
		char *words[4] = {0};
		size_t count = 0;
		while (count < 4 && (words[count] = stats_word(&line, " :")) != NULL)
			count++;
		if (count < 3 || !stats_parse(words[0], &entry.major) || !stats_parse(words[1], &entry.minor) ||
		    !stats_parse(words[count - 1], &entry.value))
			continue;
		if (count == 4)
			entry.op = words[2];
		stats_io_add(stats, kind, entry);
	}
	return true;
}

/* Which files have something depends on the I/O scheduler and the kernel's configuration. The first family that has
 * entries is taken, as runc does; the last one is always there. */
void stats_v1_blkio(struct cgroup_stats *stats, int dirfd)
{
	static const struct {
		const char *family;
		const char *prefix;
		const char *suffix;
		bool all; /* with the files that only CFQ and BFQ with debugging have */
	} families[] = {
	    {"bfq", "blkio.bfq.", "_recursive", true},  {"bfq", "blkio.bfq.", "_recursive", false},
	    {"cfq", "blkio.", "_recursive", true},      {"throttle", "blkio.throttle.", "_recursive", false},
	    {"throttle", "blkio.throttle.", "", false},
	};
	static const struct {
		const char *name;
		enum cgroup_io_kind kind;
		bool always;
	} files[] = {
	    {"sectors", CGROUP_IO_SECTORS, false},        {"io_service_time", CGROUP_IO_SERVICE_TIME, false},
	    {"io_wait_time", CGROUP_IO_WAIT_TIME, false}, {"io_merged", CGROUP_IO_MERGED, false},
	    {"io_queued", CGROUP_IO_QUEUED, false},       {"time", CGROUP_IO_TIME, false},
	    {"io_serviced", CGROUP_IO_SERVICED, true},    {"io_service_bytes", CGROUP_IO_SERVICE_BYTES, true},
	};

	for (size_t i = 0; i < ARRAY_SIZE(families); i++) {
		bool first = true;
		for (size_t k = 0; k < ARRAY_SIZE(files); k++) {
			char file[96];
			if (!files[k].always && !families[i].all)
				continue;
			snprintf(file, sizeof file, "%s%s%s", families[i].prefix, files[k].name, families[i].suffix);
			bool there = read_io(stats, dirfd, file, files[k].kind);
			if (first && (!there || stats->io.lists[files[k].kind].count == 0))
				break;
			first = false;
		}
		if (!first)
			return;
	}
}

void stats_v1_hugetlb(struct cgroup_stats *stats, int dirfd)
{
	const char **sizes;
	size_t count;

	stats_page_sizes(&stats->arena, &sizes, &count);
	stats->hugetlb = arena_array(&stats->arena, count + 1, sizeof *stats->hugetlb);
	for (size_t i = 0; i < count; i++) {
		struct cgroup_hugetlb_stats *entry = &stats->hugetlb[stats->hugetlb_count];
		/* Reservations are counted since Linux 5.7. */
		const char *reserved = ".rsvd";
		char file[96];
		entry->page_size = sizes[i];
		snprintf(file, sizeof file, "hugetlb.%s.rsvd.usage_in_bytes", sizes[i]);
		if (!stats_number(dirfd, file, &entry->usage)) {
			reserved = "";
			snprintf(file, sizeof file, "hugetlb.%s.usage_in_bytes", sizes[i]);
			if (!stats_number(dirfd, file, &entry->usage))
				continue;
		}
		snprintf(file, sizeof file, "hugetlb.%s%s.max_usage_in_bytes", sizes[i], reserved);
		(void)stats_number(dirfd, file, &entry->max);
		snprintf(file, sizeof file, "hugetlb.%s%s.failcnt", sizes[i], reserved);
		(void)stats_number(dirfd, file, &entry->failcnt);
		stats->hugetlb_count++;
	}
}
