/* SPDX-License-Identifier: Apache-2.0 */
/* The config.json that `spec` writes. */
#ifndef SANDLOCK_SPEC_GENERATE_H
#define SANDLOCK_SPEC_GENERATE_H

#include <stdbool.h>
#include <stdint.h>

#include "spec/json_write.h"

struct generate_options {
	bool cgroup_namespace; /* with version 2 of cgroups only: the tree of version 1 cannot be mounted in one */
	bool rootless;         /* for a caller without privileges: a user namespace with one id, ... */
	uint32_t uid;          /* ... these of the caller, ... */
	uint32_t gid;
};

/* What fits this host and caller: /sys/fs/cgroup decides about the cgroup namespace, the ids are the effective
 * ones. rootless stays false. */
struct generate_options generate_defaults(void);

/* Writes the configuration: a shell with a terminal, a read-only root file system "rootfs", few capabilities. */
void generate_write(struct json_writer *writer, const struct generate_options *options);

#endif
