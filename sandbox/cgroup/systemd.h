/* SPDX-License-Identifier: Apache-2.0 */
/* The systemd cgroup manager: the container's cgroup is that of a transient scope. D-Bus is spoken by a helper
 * executable, so that the program does not load its libraries. */
#ifndef SANDLOCK_CGROUP_SYSTEMD_H
#define SANDLOCK_CGROUP_SYSTEMD_H

#include "sandbox/cgroup/cgroup_internal.h"

/* Parses "slice:prefix:name" (or takes system.slice and the id) and adds the directories that the scope will have. */
int cgroup_systemd_place(struct cgroup *cgroup, const struct cgroup_layout *layout,
			 const struct cgroup_settings *settings, struct error *err);

/* Starts the scope, with a helper process in it. EEXIST if the unit exists already. */
int cgroup_systemd_start(struct cgroup *cgroup, struct error *err);

/* Lets the helper process end. */
void cgroup_systemd_settle(struct cgroup *cgroup);

/* Stops the scope; one that is gone is fine. */
int cgroup_systemd_stop(const struct cgroup *cgroup, struct error *err);

#endif
