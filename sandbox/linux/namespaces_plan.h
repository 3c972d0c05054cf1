/* SPDX-License-Identifier: Apache-2.0 */
/* config-linux.md "namespaces", translated. */
#ifndef SANDLOCK_LINUX_NAMESPACES_PLAN_H
#define SANDLOCK_LINUX_NAMESPACES_PLAN_H

#include <stdbool.h>

#include "sandbox/common/arena.h"
#include "sandbox/plan_builder.h"
#include "spec/config.h"

/* Fills clone_flags, namespaces, userns, time_offsets, and the flags PLAN_NEW_MOUNT_NS, PLAN_LOOPBACK_UP,
 * PLAN_UNSHARE_CGROUP, PLAN_UNSHARE_TIME, PLAN_SET_TIME_OFFSETS, PLAN_REAPER, PLAN_NESTED_PID. Namespaces that are
 * given by path are opened here, with the caller's view of the file system, and added to the builder's descriptors;
 * they stand in plan.namespaces in the order of config.json. The caller's own user namespace, which can't be
 * joined, is left out. Errors name linux.namespaces[i]. */
int namespaces_plan(struct plan_builder *builder, const struct oci_config *config, struct error *err);

/* A new user namespace without uidMappings and gidMappings, as crun takes it: for root every id stands for itself, like
 * the ids of the caller's own user namespace; the arrays of `config` are filled. Returns 1 then, 0 when there is
 * nothing to do (also for other users, whom namespaces_plan refuses it), or a negative errno value. */
int namespaces_default_mappings(struct arena *arena, struct oci_config *config, struct error *err);

/* The entry of a type (CLONE_NEW*), or NULL. */
const struct oci_namespace *namespaces_find(const struct oci_config *config, uint32_t type);

/* Whether the container has a namespace of this type that is not the caller's own. */
bool namespaces_private(const struct oci_config *config, uint32_t type);

/* "network", "mount", ... as in config.json. */
const char *namespaces_name(uint32_t type);

#endif
