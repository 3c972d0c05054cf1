/* SPDX-License-Identifier: Apache-2.0 */
/* What stats*.c share: small files of a cgroup directory. */
#ifndef SANDLOCK_CGROUP_STATS_INTERNAL_H
#define SANDLOCK_CGROUP_STATS_INTERNAL_H

#include "sandbox/cgroup/stats.h"

/* All of a file, NULL if it can't be read. */
const char *stats_text(struct arena *arena, int dirfd, const char *file);
/* A file with one number; "max" is UINT64_MAX. false: missing or something else. */
bool stats_number(int dirfd, const char *file, uint64_t *value);
/* The number behind `key` in "key number" lines; 0 if it is missing. */
uint64_t stats_keyed(const char *text, const char *key);
/* Numbers that are separated by blanks. */
struct cgroup_numbers stats_numbers(struct arena *arena, const char *text);
/* Cuts the next line off; false at the end. */
bool stats_line(char **text, char **line);
/* Cuts the next word off, which ends at one of `separators`; NULL at the end. */
char *stats_word(char **text, const char *separators);
/* A number up to the end of the word; false if there is something else in it. */
bool stats_parse(const char *text, uint64_t *value);
/* memory.stat */
void stats_memory_raw(struct cgroup_stats *stats, const char *text);
void stats_io_add(struct cgroup_stats *stats, enum cgroup_io_kind kind, struct cgroup_io_entry entry);
/* A *.pressure file, NULL if the kernel has none. */
const struct cgroup_psi *stats_psi(struct arena *arena, int dirfd, const char *file);
/* Page sizes as the files of the hugetlb controller are called. */
void stats_page_sizes(struct arena *arena, const char ***sizes, size_t *count);

/* Each reads what one controller knows. */
void stats_v1_cpu(struct cgroup_stats *stats, int dirfd);
void stats_v1_cpuacct(struct cgroup_stats *stats, int dirfd);
void stats_v1_cpuset(struct cgroup_stats *stats, int dirfd);
void stats_v1_memory(struct cgroup_stats *stats, int dirfd);
void stats_v1_blkio(struct cgroup_stats *stats, int dirfd);
void stats_v1_hugetlb(struct cgroup_stats *stats, int dirfd);
void stats_v2_cpu(struct cgroup_stats *stats, int dirfd);
void stats_v2_cpuset(struct cgroup_stats *stats, int dirfd);
void stats_v2_memory(struct cgroup_stats *stats, int dirfd);
void stats_v2_io(struct cgroup_stats *stats, int dirfd);
void stats_v2_hugetlb(struct cgroup_stats *stats, int dirfd);
/* The same files on both. */
void stats_pids(struct cgroup_stats *stats, int dirfd, bool v2);

#endif
