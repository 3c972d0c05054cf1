/* SPDX-License-Identifier: Apache-2.0 */
/* What a container has used: `events --stats`, in runc's JSON. */
#ifndef SANDLOCK_CGROUP_STATS_H
#define SANDLOCK_CGROUP_STATS_H

#include "sandbox/cgroup/cgroup.h"
#include "sandbox/common/arena.h"
#include "spec/json_write.h"

struct cgroup_numbers {
	uint64_t *items;
	size_t count;
};

/* Pressure stall information; the averages are the kernel's text ("0.25"), percent. NULL: there is none. */
struct cgroup_psi {
	struct cgroup_psi_line {
		const char *avg10;
		const char *avg60;
		const char *avg300;
		uint64_t total; /* microseconds */
	} some, full;
};

/* Bytes; a limit of UINT64_MAX is none. */
struct cgroup_memory_entry {
	uint64_t limit;
	uint64_t usage;
	uint64_t max;
	uint64_t failcnt;
};

struct cgroup_io_entry {
	uint64_t major;
	uint64_t minor;
	const char *op;
	uint64_t value;
};

struct cgroup_io_list {
	struct cgroup_io_entry *items;
	size_t count;
	size_t capacity;
};

/* The lists of struct cgroup_stats.io. */
enum cgroup_io_kind {
	CGROUP_IO_SERVICE_BYTES,
	CGROUP_IO_SERVICED,
	CGROUP_IO_QUEUED,
	CGROUP_IO_SERVICE_TIME,
	CGROUP_IO_WAIT_TIME,
	CGROUP_IO_MERGED,
	CGROUP_IO_TIME,
	CGROUP_IO_SECTORS,
	CGROUP_IO_KINDS,
};

/* The v1 cpuset's flags, in the order of runc's JSON. */
enum { CGROUP_CPUSET_FLAGS = 9 };

struct cgroup_stats {
	struct arena arena; /* owns everything below */
	struct {
		uint64_t total, kernel, user; /* nanoseconds */
		struct cgroup_numbers percpu, percpu_kernel, percpu_user;
		uint64_t periods, throttled_periods, throttled_time;
		uint64_t burst_periods, burst_time;
		const struct cgroup_psi *psi;
	} cpu;
	struct {
		struct cgroup_numbers cpus, mems;
		int64_t flags[CGROUP_CPUSET_FLAGS];
	} cpuset;
	struct {
		uint64_t cache;
		struct cgroup_memory_entry usage, swap, kernel, kernel_tcp;
		struct cgroup_stat_pair {
			const char *key;
			uint64_t value;
		} * raw; /* memory.stat */
		size_t raw_count;
		const struct cgroup_psi *psi;
	} memory;
	struct {
		uint64_t current;
		uint64_t limit; /* 0: none */
	} pids;
	struct {
		struct cgroup_io_list lists[CGROUP_IO_KINDS];
		const struct cgroup_psi *psi;
	} io;
	struct cgroup_hugetlb_stats {
		const char *page_size;
		uint64_t usage, max, failcnt;
	} * hugetlb;
	size_t hugetlb_count;
};

/* Reads all that the hierarchies of the container know. ENOENT: the cgroup is gone, or there is none. */
int cgroup_stats_read(const struct cgroup *cgroup, struct cgroup_stats *stats, struct error *err);
void cgroup_stats_free(struct cgroup_stats *stats);
#define CLEANUP_CGROUP_STATS __attribute__((cleanup(cgroup_stats_free)))

/* The `data` object of an event of type "stats". `intel_rdt` is a JSON object as text, NULL: {}. */
void cgroup_stats_json(const struct cgroup_stats *stats, const char *intel_rdt, struct json_writer *writer);

/* One line of `events`: {"type":...,"id":...} with the statistics as data, if they are not NULL. */
void cgroup_event_json(const char *type, const char *id, const struct cgroup_stats *stats, const char *intel_rdt,
		       struct json_writer *writer);

#endif
