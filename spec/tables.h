/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of runtime-spec 1.3 (config.md, config-linux.md). */
#ifndef SANDLOCK_SPEC_TABLES_H
#define SANDLOCK_SPEC_TABLES_H

#include "spec/table.h"

extern const struct table config_table;     /* struct oci_config: config.json */
extern const struct table process_table;    /* struct oci_process */
extern const struct table mount_table;      /* struct oci_mount */
extern const struct table id_mapping_table; /* struct oci_id_mapping */
extern const struct table hooks_table;      /* struct oci_hooks */
extern const struct table linux_table;      /* struct oci_linux */
extern const struct table resources_table;  /* struct oci_resources */
extern const struct table seccomp_table;    /* struct oci_seccomp */

#endif
