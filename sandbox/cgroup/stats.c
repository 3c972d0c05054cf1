/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/cgroup/stats.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sandbox/cgroup/cgroup_internal.h"
#include "sandbox/cgroup/stats_internal.h"
#include "sandbox/common/cleanup.h"
#include "sandbox/common/file.h"
#include "sandbox/common/number.h"

#define STATS_MAX (4u << 20)

const char *stats_text(struct arena *arena, int dirfd, const char *file)
{
	CLEANUP_CLOSE int fd = openat(dirfd, file, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	CLEANUP_FREE char *text = NULL;
	size_t length;

	if (fd < 0 || file_read_all(fd, STATS_MAX, &text, &length) < 0)
		return NULL;
	return arena_strndup(arena, text, length);
}

bool stats_parse(const char *text, uint64_t *value)
{
	return number_parse_u64(text, 0, UINT64_MAX, value) == 0;
}

bool stats_number(int dirfd, const char *file, uint64_t *value)
{
	char text[64];
	ssize_t length = file_read_at(dirfd, file, text, sizeof text);

	if (length <= 0)
		return false;
	text[strcspn(text, "\n")] = '\0';
	if (strcmp(text, "max") == 0) {
		*value = UINT64_MAX;
		return true;
	}
	return stats_parse(text, value);
}

char *stats_word(char **text, const char *separators)
{
	*text += strspn(*text, separators);
	if (**text == '\0')
		return NULL;
	char *word = *text;
	*text += strcspn(*text, separators);
	if (**text != '\0')
		*(*text)++ = '\0';
	return word;
}

bool stats_line(char **text, char **line)
{
	*line = stats_word(text, "\n");
	return *line != NULL;
}

uint64_t stats_keyed(const char *text, const char *key)
{
	size_t length = strlen(key);

	for (const char *line = text; line != NULL && *line != '\0';) {
		size_t line_length = strcspn(line, "\n");
		if (line_length > length && strncmp(line, key, length) == 0 && line[length] == ' ') {
			char number[32];
			uint64_t value = 0;
			snprintf(number, sizeof number, "%.*s", (int)(line_length - length - 1), line + length + 1);
			return stats_parse(number, &value) ? value : 0;
		}
		line += line_length;
		line += *line == '\n';
	}
	return 0;
}

struct cgroup_numbers stats_numbers(struct arena *arena, const char *text)
{
	struct cgroup_numbers numbers = {0};
	size_t words = 1;

	if (text == NULL)
		return numbers;
	for (const char *c = text; *c != '\0'; c++)
		words += *c == ' ' || *c == '\n';
	numbers.items = arena_array(arena, words, sizeof *numbers.items);
	char *copy = arena_strdup(arena, text);
	char *word;
	while ((word = stats_word(&copy, " \n")) != NULL)
		if (stats_parse(word, &numbers.items[numbers.count]))
			numbers.count++;
	return numbers;
}

void stats_memory_raw(struct cgroup_stats *stats, const char *text)
{
	size_t lines = 1;

	if (text == NULL)
		return;
	for (const char *c = text; *c != '\0'; c++)
		lines += *c == '\n';
	stats->memory.raw = arena_array(&stats->arena, lines, sizeof *stats->memory.raw);
	char *copy = arena_strdup(&stats->arena, text);
	char *line;
	while (stats_line(&copy, &line)) {
		uint64_t value;
		const char *key = stats_word(&line, " ");
		if (key != NULL && stats_parse(line, &value))
			stats->memory.raw[stats->memory.raw_count++] = (struct cgroup_stat_pair){key, value};
	}
}

void stats_io_add(struct cgroup_stats *stats, enum cgroup_io_kind kind, struct cgroup_io_entry entry)
{
	struct cgroup_io_list *list = &stats->io.lists[kind];

	if (list->count == list->capacity) {
		size_t capacity = list->capacity == 0 ? 8 : list->capacity * 2;
		struct cgroup_io_entry *items = arena_array(&stats->arena, capacity, sizeof *items);
		if (list->count > 0)
			memcpy(items, list->items, list->count * sizeof *items);
		list->items = items;
		list->capacity = capacity;
	}
	list->items[list->count++] = entry;
}

/* "avg10=0.00 avg60=0.00 avg300=0.00 total=0" */
static void parse_pressure(char *line, struct cgroup_psi_line *psi)
{
	char *word;

	while ((word = stats_word(&line, " ")) != NULL) {
		char *value = strchr(word, '=');
		if (value == NULL)
			continue;
		*value++ = '\0';
		if (strcmp(word, "total") == 0)
			(void)stats_parse(value, &psi->total);
		/* What goes into the JSON as it is must be a number. */
		else if (value[strspn(value, "0123456789.")] != '\0' || value[0] == '.' || value[0] == '\0')
			continue;
		else if (strcmp(word, "avg10") == 0)
			psi->avg10 = value;
		else if (strcmp(word, "avg60") == 0)
			psi->avg60 = value;
		else if (strcmp(word, "avg300") == 0)
			psi->avg300 = value;
	}
}

const struct cgroup_psi *stats_psi(struct arena *arena, int dirfd, const char *file)
{
	/* EOPNOTSUPP where it has to be switched on at boot, ENOENT where it is switched off for the cgroup. */
	const char *text = stats_text(arena, dirfd, file);
	struct cgroup_psi *psi;

	if (text == NULL || *text == '\0')
		return NULL;
	psi = arena_alloc(arena, sizeof *psi);
	*psi = (struct cgroup_psi){.some = {"0", "0", "0", 0}, .full = {"0", "0", "0", 0}};
	char *copy = arena_strdup(arena, text);
	char *line;
	while (stats_line(&copy, &line)) {
		char *kind = stats_word(&line, " ");
		if (kind != NULL && strcmp(kind, "some") == 0)
			parse_pressure(line, &psi->some);
		else if (kind != NULL && strcmp(kind, "full") == 0)
			parse_pressure(line, &psi->full);
	}
	return psi;
}

void stats_page_sizes(struct arena *arena, const char ***sizes, size_t *count)
{
	DIR *directory = opendir("/sys/kernel/mm/hugepages");
	struct dirent *entry;
	size_t capacity = 0;

	*sizes = NULL;
	*count = 0;
	/* "hugepages-2048kB" */
	while (directory != NULL && (entry = readdir(directory)) != NULL) {
		char number[32];
		uint64_t size;
		if (strncmp(entry->d_name, "hugepages-", 10) != 0)
			continue;
		snprintf(number, sizeof number, "%.*s", (int)strspn(entry->d_name + 10, "0123456789"),
			 entry->d_name + 10);
		if (!stats_parse(number, &size))
			continue;
		if (*count == capacity) {
			capacity = capacity * 2 + 8;
			const char **items = arena_array(arena, capacity, sizeof *items);
			if (*count > 0)
				memcpy(items, *sizes, *count * sizeof *items);
			*sizes = items;
		}
		const char *unit = size >= 1u << 20 ? "GB" : size >= 1u << 10 ? "MB" : "KB";
		size >>= size >= 1u << 20 ? 20 : size >= 1u << 10 ? 10 : 0;
		(*sizes)[(*count)++] = arena_printf(arena, "%" PRIu64 "%s", size, unit);
	}
	if (directory != NULL)
		closedir(directory);
}

void stats_pids(struct cgroup_stats *stats, int dirfd, bool v2)
{
	uint64_t limit = UINT64_MAX;

	if (!stats_number(dirfd, "pids.current", &stats->pids.current) && v2) {
		/* Without the controller the list tells. */
		const char *list = stats_text(&stats->arena, dirfd, "cgroup.procs");
		for (const char *c = list; c != NULL && *c != '\0'; c++)
			stats->pids.current += *c == '\n';
	}
	(void)stats_number(dirfd, "pids.max", &limit);
	stats->pids.limit = limit == UINT64_MAX ? 0 : limit;
}

static const struct {
	enum cgroup_controller controller;
	void (*read)(struct cgroup_stats *stats, int dirfd);
} v1_readers[] = {
    {CGROUP_CPU, stats_v1_cpu},       {CGROUP_CPUACCT, stats_v1_cpuacct}, {CGROUP_CPUSET, stats_v1_cpuset},
    {CGROUP_MEMORY, stats_v1_memory}, {CGROUP_BLKIO, stats_v1_blkio},     {CGROUP_HUGETLB, stats_v1_hugetlb},
};

/* Only what no v1 hierarchy has. */
static void read_v2(struct cgroup_stats *stats, int dirfd, uint32_t has, uint32_t v1)
{
	stats->cpu.psi = stats_psi(&stats->arena, dirfd, "cpu.pressure");
	stats->memory.psi = stats_psi(&stats->arena, dirfd, "memory.pressure");
	stats->io.psi = stats_psi(&stats->arena, dirfd, "io.pressure");
	/* cpu.stat is there without the controller. */
	if (!(v1 & 1u << CGROUP_CPUACCT))
		stats_v2_cpu(stats, dirfd);
	if (has & ~v1 & 1u << CGROUP_CPUSET)
		stats_v2_cpuset(stats, dirfd);
	if (has & ~v1 & 1u << CGROUP_MEMORY)
		stats_v2_memory(stats, dirfd);
	if (has & ~v1 & 1u << CGROUP_BLKIO)
		stats_v2_io(stats, dirfd);
	if (has & ~v1 & 1u << CGROUP_HUGETLB)
		stats_v2_hugetlb(stats, dirfd);
	if (!(v1 & 1u << CGROUP_PIDS))
		stats_pids(stats, dirfd, true);
}

int cgroup_stats_read(const struct cgroup *cgroup, struct cgroup_stats *stats, struct error *err)
{
	uint32_t v1 = 0;

	*stats = (struct cgroup_stats){0};
	if (cgroup->count == 0)
		return error_set(err, ENOENT, "the container has no cgroup, so there are no statistics");
	for (size_t i = 0; i < cgroup->count; i++)
		if (!cgroup->nodes[i].v2)
			v1 |= cgroup->nodes[i].mask;
	for (size_t i = 0; i < cgroup->count; i++) {
		const struct cgroup_node *node = &cgroup->nodes[i];
		CLEANUP_CLOSE int dirfd = open(cgroup->paths[i].path, O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (dirfd < 0)
			return error_errno(err, errno, "cannot read the cgroup %s", cgroup->paths[i].path);
		if (node->v2) {
			read_v2(stats, dirfd, node->mask, v1);
			continue;
		}
		for (size_t k = 0; k < ARRAY_SIZE(v1_readers); k++)
			if (node->mask & 1u << v1_readers[k].controller)
				v1_readers[k].read(stats, dirfd);
		if (node->mask & 1u << CGROUP_PIDS)
			stats_pids(stats, dirfd, false);
	}
	return 0;
}

void cgroup_stats_free(struct cgroup_stats *stats)
{
	arena_free(&stats->arena);
}
