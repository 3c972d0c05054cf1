/* SPDX-License-Identifier: Apache-2.0 */
/* Idmapped mounts, config.md "uidMappings", "gidMappings", "idmap" and "ridmap". */
#ifndef SANDLOCK_LINUX_IDMAP_H
#define SANDLOCK_LINUX_IDMAP_H

#include <stddef.h>

#include "sandbox/common/error.h"
#include "spec/config.h"

/* A user namespace that carries the mapping of idmapped mounts; the last one is kept for the next mount. */
struct idmap_cache {
	const struct oci_id_mapping *uids;
	const struct oci_id_mapping *gids;
	size_t uids_count;
	size_t gids_count;
	int fd;
};

/* Idmaps the detached mount `tree_fd` as mount and config ask for. `text` is what crun's option "idmap=" gives, or
 * NULL. The order of preference is the text, the mount's mappings, the container's user namespace.
 * Errors: EINVAL when there is no mapping or the file system knows no idmapped mounts; EPERM without privilege over
 * the file system; ENOSYS before Linux 5.12. */
int idmap_apply(struct idmap_cache *cache, int tree_fd, int recursive, const struct oci_config *config,
		const struct oci_mount *mount, const char *text, struct error *err);
void idmap_cache_free(struct idmap_cache *cache);

#endif
