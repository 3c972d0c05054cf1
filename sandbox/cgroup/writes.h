/* SPDX-License-Identifier: Apache-2.0 */
/* Limits as a list of writes to cgroup files. config-linux.md "resources" is translated to such a list by tables
 * and pure functions (v1_limits.c, v2_limits.c); one function carries the list out. */
#ifndef SANDLOCK_CGROUP_WRITES_H
#define SANDLOCK_CGROUP_WRITES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sandbox/cgroup/layout.h"
#include "sandbox/common/arena.h"
#include "sandbox/common/error.h"
#include "spec/config.h"

/* Writes of one group depend on each other: one that is refused is tried again after the others. */
enum cgroup_write_group {
	CGROUP_WRITE_ALONE,
	CGROUP_WRITE_MEMORY,
	CGROUP_WRITE_CPU,
	CGROUP_WRITE_REALTIME,
	CGROUP_WRITE_CPUSET,
};

/* The write comes from linux.resources.unified: `controller` is CGROUP_CONTROLLERS when the key names none known. */
#define CGROUP_WRITE_UNIFIED 4u

/* A file may be missing: what was asked for is what holds without it. */
#define CGROUP_WRITE_MAY_LACK 1u

struct cgroup_write {
	enum cgroup_controller controller;
	bool v2;
	const char *file;
	const char *value;
	const char *other_file; /* where `file` does not exist, or NULL */
	const char *other_value;
	const char *field; /* "memory.limit", below linux.resources */
	enum cgroup_write_group group;
	unsigned int flags;
};

/* A list that grows in an arena. */
struct cgroup_writes {
	struct arena *arena;
	struct cgroup_write *items;
	size_t count;
	size_t capacity;
};

void cgroup_writes_add(struct cgroup_writes *writes, struct cgroup_write write);

/* What a limit's value is in the parsed config.json. */
enum cgroup_knob_type {
	CGROUP_KNOB_I64, /* struct opt_i64; -1: v1 "-1", v2 "max" */
	CGROUP_KNOB_U64, /* struct opt_u64 */
	CGROUP_KNOB_U16,
	CGROUP_KNOB_U32,
	CGROUP_KNOB_BOOL, /* "1" or "0" */
	CGROUP_KNOB_TEXT, /* const char * */
};

/* 0 is a value of its own, not the absence of one. */
#define CGROUP_KNOB_ZERO 2u

/* One scalar limit: where it is found and where it goes. */
struct cgroup_knob {
	size_t offset;
	enum cgroup_knob_type type;
	const char *field;
	const char *file;
	const char *other_file;
	enum cgroup_write_group group;
	unsigned int flags; /* CGROUP_WRITE_*, CGROUP_KNOB_* */
};

/* Adds a write for each knob that has a value in the struct at `base`. */
void cgroup_knobs_add(struct cgroup_writes *writes, enum cgroup_controller controller, bool v2, const void *base,
		      const struct cgroup_knob *knobs, size_t count);

/* What a v2 translation has to know of the cgroup as it is: limits that v2 keeps in one file or relates to others
 * differently from v1, and that an update does not name. */
struct cgroup_v2_current {
	int64_t memory_limit;   /* -1: none, 0: not known */
	const char *cpu_quota;  /* first word of cpu.max; NULL: not known */
	const char *cpu_period; /* second word */
};

/* The translations. `has` is the mask of controllers that the list is for; resources of other controllers are
 * left out. Errors: EINVAL for values that can't be translated or are out of range. */
int cgroup_v1_limits(struct cgroup_writes *writes, const struct oci_resources *resources, uint32_t has,
		     struct error *err);
int cgroup_v2_limits(struct cgroup_writes *writes, const struct oci_resources *resources, uint32_t has,
		     const struct cgroup_v2_current *current, struct error *err);

/* linux.resources.rdma, the same on both versions. */
void cgroup_rdma_limits(struct cgroup_writes *writes, const struct oci_resources *resources, bool v2);
/* linux.resources.unified: one write per line. EINVAL for names that are no file of a cgroup. */
int cgroup_unified_limits(struct cgroup_writes *writes, const struct oci_resources *resources, struct error *err);

/* cpu.shares (2..262144, 0: unset) to cpu.weight, as runc since 1.4 and crun since 1.23 do: a curve through the
 * smallest, the default (1024 -> 100) and the largest value. */
uint64_t cgroup_shares_to_weight(uint64_t shares);
/* blkio weight (10..1000, 0: unset) to io.weight (1..10000). */
uint64_t cgroup_blkio_to_io_weight(uint16_t weight);
/* memory + swap limit to memory.swap.max: -1 unlimited, 0 unset (*set false) or none. */
int cgroup_swap_v2(int64_t swap, int64_t limit, bool *set, int64_t *value, struct error *err);
/* "2MB", "1GB", "64KB": whether it can be part of a file name. */
bool cgroup_page_size_valid(const char *page_size);

#endif
