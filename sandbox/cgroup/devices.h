/* SPDX-License-Identifier: Apache-2.0 */
/* config-linux.md "Allowed Device list": what the container may open and make. */
#ifndef SANDLOCK_CGROUP_DEVICES_H
#define SANDLOCK_CGROUP_DEVICES_H

#include <linux/bpf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sandbox/cgroup/cgroup.h"
#include "sandbox/common/arena.h"
#include "sandbox/common/error.h"
#include "spec/config.h"

/* Bits of access, as the kernel's BPF_DEVCG_ACC_*. */
#define CGROUP_DEVICE_MKNOD 1u
#define CGROUP_DEVICE_READ 2u
#define CGROUP_DEVICE_WRITE 4u
#define CGROUP_DEVICE_ALL 7u

/* A rule; -1: any number. */
struct cgroup_device_rule {
	bool allow;
	char type; /* 'b', 'c', or 'a' for both */
	int64_t major;
	int64_t minor;
	uint32_t access;
};

/* The rules of the resources and behind them those every container gets: all others are denied, any node may be
 * made, and the usual devices used. EINVAL for a rule that makes no sense. */
int cgroup_device_rules(struct arena *arena, const struct oci_resources *resources, struct cgroup_device_rule **rules,
			size_t *count, struct error *err);

/* Applies them to a cgroup, on v1 or v2; `replace` when processes run under other rules already. */
int cgroup_devices_apply(struct cgroup *cgroup, const struct oci_resources *resources, bool replace, struct error *err);

/* v1: what has to be written, in order, to get from `list` (the text of devices.list) to the rules; each line begins
 * with '+' (devices.allow) or '-' (devices.deny). EINVAL for rules v1 can't express: an exception from a wildcard. */
int cgroup_devices_v1_lines(struct arena *arena, const char *list, const struct cgroup_device_rule *rules, size_t count,
			    const char ***lines, size_t *lines_count, struct error *err);
/* `replace`: other rules are in force; changes them without a moment in which more is denied than under both. */
int cgroup_devices_v1_apply(const char *path, const struct cgroup_device_rule *rules, size_t count, bool replace,
			    struct error *err);

/* v2: a BPF program of type CGROUP_DEVICE that decides as the rules do when the last matching one wins, for each kind
 * of access apart. */
struct bpf_insn *cgroup_devices_v2_program(struct arena *arena, const struct cgroup_device_rule *rules, size_t count,
					   size_t *length);
/* Loads it and attaches it in place of what was attached before. */
int cgroup_devices_v2_apply(const char *path, const struct cgroup_device_rule *rules, size_t count, struct error *err);

#endif
