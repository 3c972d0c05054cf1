/* SPDX-License-Identifier: Apache-2.0 */
/* The systemd cgroup manager: the container's cgroup is that of a transient scope. D-Bus is spoken by a helper
 * executable, so that the program does not load its libraries. */
#ifndef SANDLOCK_CGROUP_SYSTEMD_H
#define SANDLOCK_CGROUP_SYSTEMD_H

#include "sandbox/cgroup/cgroup_internal.h"

/* Parses "slice:prefix:name" (or takes the default slice and the id) and adds the directories that the scope will
 * have. */
int cgroup_systemd_place(struct cgroup *cgroup, const struct cgroup_layout *layout,
			 const struct cgroup_settings *settings, struct error *err);

/* Starts the scope, with the helper process in it. EEXIST if the unit exists already. */
int cgroup_systemd_start(struct cgroup *cgroup, struct error *err);

/* Moves the helper to the container's own directory, where that is below the scope's. */
int cgroup_systemd_descend(struct cgroup *cgroup, struct error *err);

/* Has systemd move a process to the scope, or to `subpath` below the container's directory (NULL: none). */
int cgroup_systemd_attach(const struct cgroup *cgroup, pid_t pid, const char *subpath, struct error *err);

/* Lets the helper process end. */
void cgroup_systemd_settle(struct cgroup *cgroup);

/* Tells systemd of changed limits, which it would otherwise set back when it reloads. */
int cgroup_systemd_update(struct cgroup *cgroup, const struct cgroup_writes *writes, struct error *err);

/* Stops the scope; one that is gone is fine. */
int cgroup_systemd_stop(const struct cgroup *cgroup, struct error *err);

/* The names in cgroupsPath. */
struct cgroup_systemd_names {
	const char *slice; /* "machine.slice" */
	const char *unit;  /* "libpod-1234.scope" */
};

/* "slice:prefix:name", "slice:name"; NULL and "" give the defaults. EINVAL for other forms. */
int cgroup_systemd_parse(struct arena *arena, const char *cgroups_path, const char *id, bool rootless,
			 struct cgroup_systemd_names *names, struct error *err);

/* "a-b.slice" -> "/a.slice/a-b.slice", "-.slice" -> "". NULL for what is no slice. */
const char *cgroup_systemd_slice_path(struct arena *arena, const char *slice);

/* Lines "property ..." of systemd_protocol.h for the limits in the list; "" if there are none. */
const char *cgroup_systemd_limits(struct arena *arena, const struct cgroup_writes *writes);

/* The same for one annotation org.systemd.property.NAME, whose value is a GVariant text. */
int cgroup_systemd_annotation(struct arena *arena, const char *name, const char *value, const char **line,
			      struct error *err);

#endif
