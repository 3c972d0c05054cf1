/* SPDX-License-Identifier: Apache-2.0 */
/* features.md: what this program can do, as `features` prints it. */
#ifndef SANDLOCK_SPEC_FEATURES_H
#define SANDLOCK_SPEC_FEATURES_H

#include <stdbool.h>

#include "spec/json_write.h"

/* What the caller knows of this build. */
struct features_build {
	const char *version; /* of the program */
	const char *commit;  /* NULL: not known */
	bool systemd;        /* the systemd cgroup driver is built in */
	bool checkpoint;     /* checkpoint and restore are */
	bool intel_rdt;      /* linux.intelRdt is */
};

/* Writes the Features structure. */
void features_write(struct json_writer *writer, const struct features_build *build);

#endif
