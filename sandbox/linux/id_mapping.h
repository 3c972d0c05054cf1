/* SPDX-License-Identifier: Apache-2.0 */
/* config-linux.md "uidMappings" and "gidMappings": the maps of a new user namespace (user_namespaces(7)). */
#ifndef SANDLOCK_LINUX_ID_MAPPING_H
#define SANDLOCK_LINUX_ID_MAPPING_H

#include <stddef.h>
#include <sys/types.h>

#include "sandbox/common/error.h"
#include "spec/config.h"

/* Writes the maps of the process `pid`, alone in a user namespace it made, from its parent namespace. Writes
 * /proc/PID/uid_map and gid_map; what the caller may not write, newuidmap(1) and newgidmap(1) do. A caller who may
 * only map its own group gets "deny" for setgroups, which the kernel demands. `pid` must stay unreaped meanwhile. */
int id_mappings_write(pid_t pid, const struct oci_id_mapping *uids, size_t uids_count,
		      const struct oci_id_mapping *gids, size_t gids_count, struct error *err);

#endif
