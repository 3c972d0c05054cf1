/* SPDX-License-Identifier: Apache-2.0 */
/* Checks that need more than one property; those of a single one are in the tables. What depends on the host (which
 * namespace is private, what the kernel has) is checked where it is planned, in sandbox/. */
#ifndef SANDLOCK_SPEC_VALIDATE_H
#define SANDLOCK_SPEC_VALIDATE_H

#include <stdbool.h>

#include "sandbox/common/arena.h"
#include "sandbox/common/error.h"
#include "spec/config.h"
#include "spec/notes.h"

/* The oldest and newest version of the specification that is implemented. */
#define OCI_VERSION_MIN "1.0.0"
#define OCI_VERSION_MAX "1.3.0"

/* What the checks share. */
struct validation {
	struct arena *arena;
	struct config_notes *notes; /* may be NULL */
	struct error *err;
};

/* Checks a parsed configuration and brings it into its normal form: relative mount destinations become absolute,
 * capability sets are cut to what the kernel would accept, of environment entries for one variable the last one
 * stays. Returns -EINVAL at the first violation. */
int config_validate(const struct validation *validation, struct oci_config *config);

/* The same for a process; `path` is "process." for the one of config.json, "" for a file with a process. */
int process_validate(const struct validation *validation, const char *path, struct oci_process *process);

/* The part of config_validate for config-linux.md. */
int linux_validate(const struct validation *validation, const struct oci_config *config);

/* Whether this version of the specification can be served: major version 1, SemVer. A minor version beyond
 * OCI_VERSION_MAX gives a warning: what it added is ignored. */
int oci_version_check(const struct validation *validation, const char *version);

/* The namespace entry of this type (CLONE_NEW*), or NULL: the runtime's own namespace is kept. */
const struct oci_namespace *config_namespace(const struct oci_config *config, uint32_t type);

#endif
