/* SPDX-License-Identifier: Apache-2.0 */
/* Who is pid 1 of a new pid namespace: a reaper, or the main process itself. */
#ifndef SANDLOCK_LINUX_PID1_H
#define SANDLOCK_LINUX_PID1_H

#include <stdbool.h>

#include "sandbox/plan.h"
#include "spec/config.h"

/* "main" or "reaper" overrides what the program's name says. */
#define PID1_ANNOTATION "io.sandlock.pid1"

/* Sets PLAN_REAPER or PLAN_NESTED_PID when plan->clone_flags has a new pid namespace. Errors: EINVAL for another
 * value of the annotation, or one that needs a pid namespace the container does not get. */
int pid1_plan(struct plan *plan, const struct oci_config *config, struct error *err);

/* Whether a program with this path is an init, that is, wants to be pid 1. */
bool pid1_is_init(const char *path);

#endif
