/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "sandbox/cgroup/stats_internal.h"
#include "sandbox/common/cleanup.h"

void stats_v2_cpu(struct cgroup_stats *stats, int dirfd)
{
	const char *text = stats_text(&stats->arena, dirfd, "cpu.stat");

	stats->cpu.total = stats_keyed(text, "usage_usec") * 1000;
	stats->cpu.user = stats_keyed(text, "user_usec") * 1000;
	stats->cpu.kernel = stats_keyed(text, "system_usec") * 1000;
	stats->cpu.periods = stats_keyed(text, "nr_periods");
	stats->cpu.throttled_periods = stats_keyed(text, "nr_throttled");
	stats->cpu.throttled_time = stats_keyed(text, "throttled_usec") * 1000;
	stats->cpu.burst_periods = stats_keyed(text, "nr_bursts");
	stats->cpu.burst_time = stats_keyed(text, "burst_usec") * 1000;
}

/* memory.peak since Linux 5.19, memory.swap.peak since 6.5. */
static void memory_entry(int dirfd, const char *name, struct cgroup_memory_entry *entry)
{
	char file[64];

	snprintf(file, sizeof file, "memory.%scurrent", name);
	(void)stats_number(dirfd, file, &entry->usage);
	snprintf(file, sizeof file, "memory.%smax", name);
	(void)stats_number(dirfd, file, &entry->limit);
	snprintf(file, sizeof file, "memory.%speak", name);
	(void)stats_number(dirfd, file, &entry->max);
}

void stats_v2_memory(struct cgroup_stats *stats, int dirfd)
{
	const char *text = stats_text(&stats->arena, dirfd, "memory.stat");
	const char *events = stats_text(&stats->arena, dirfd, "memory.events");
	struct cgroup_memory_entry swap = {0};

	stats_memory_raw(stats, text);
	stats->memory.cache = stats_keyed(text, "file");
	memory_entry(dirfd, "", &stats->memory.usage);
	stats->memory.usage.failcnt = stats_keyed(events, "max");
	stats->memory.kernel.usage = stats_keyed(text, "kernel");
	/* As v1 has it, swap means both together; of a peak there is no sum. */
	memory_entry(dirfd, "swap.", &swap);
	stats->memory.swap.usage = swap.usage + stats->memory.usage.usage;
	stats->memory.swap.limit = swap.limit;
	if (swap.limit != UINT64_MAX)
		stats->memory.swap.limit =
		    stats->memory.usage.limit == UINT64_MAX ? UINT64_MAX : swap.limit + stats->memory.usage.limit;
}

static const struct {
	const char *key;
	enum cgroup_io_kind kind;
	const char *op;
} io_keys[] = {
    {"rbytes", CGROUP_IO_SERVICE_BYTES, "Read"},    {"wbytes", CGROUP_IO_SERVICE_BYTES, "Write"},
    {"dbytes", CGROUP_IO_SERVICE_BYTES, "Discard"}, {"rios", CGROUP_IO_SERVICED, "Read"},
    {"wios", CGROUP_IO_SERVICED, "Write"},          {"dios", CGROUP_IO_SERVICED, "Discard"},
};

/* "8:0 rbytes=1459200 wbytes=314773504 rios=192 wios=353 dbytes=0 dios=0" */
void stats_v2_io(struct cgroup_stats *stats, int dirfd)
{
	const char *text = stats_text(&stats->arena, dirfd, "io.stat");
	char *copy = arena_strdup(&stats->arena, text == NULL ? "" : text);
	char *line;

	while (stats_line(&copy, &line)) {
		struct cgroup_io_entry entry = {0};
		const char *major = stats_word(&line, " :");
		const char *minor = stats_word(&line, " :");
		char *word;
		if (major == NULL || minor == NULL || !stats_parse(major, &entry.major) ||
		    !stats_parse(minor, &entry.minor))
			continue;
		while ((word = stats_word(&line, " ")) != NULL) {
			char *value = strchr(word, '=');
			if (value == NULL)
				continue;
			*value++ = '\0';
			for (size_t i = 0; i < ARRAY_SIZE(io_keys); i++) {
				if (strcmp(word, io_keys[i].key) != 0 || !stats_parse(value, &entry.value))
					continue;
				entry.op = io_keys[i].op;
				stats_io_add(stats, io_keys[i].kind, entry);
			}
		}
	}
}

void stats_v2_hugetlb(struct cgroup_stats *stats, int dirfd)
{
	const char **sizes;
	size_t count;

	stats_page_sizes(&stats->arena, &sizes, &count);
	stats->hugetlb = arena_array(&stats->arena, count + 1, sizeof *stats->hugetlb);
	for (size_t i = 0; i < count; i++) {
		struct cgroup_hugetlb_stats *entry = &stats->hugetlb[stats->hugetlb_count];
		char file[96];
		entry->page_size = sizes[i];
		snprintf(file, sizeof file, "hugetlb.%s.rsvd.current", sizes[i]);
		if (!stats_number(dirfd, file, &entry->usage)) {
			snprintf(file, sizeof file, "hugetlb.%s.current", sizes[i]);
			if (!stats_number(dirfd, file, &entry->usage))
				continue;
		}
		snprintf(file, sizeof file, "hugetlb.%s.events", sizes[i]);
		entry->failcnt = stats_keyed(stats_text(&stats->arena, dirfd, file), "max");
		stats->hugetlb_count++;
	}
}
