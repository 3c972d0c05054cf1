/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/linux/capability_plan.h"

#include <ctype.h>
#include <string.h>
#include <sys/capability.h>
#include <sys/prctl.h>

#include "sandbox/common/cleanup.h"
#include "sandbox/common/syscalls.h"

#define CAPABILITY_BITS 64

/* What the kernel knows, and of that what the caller could pass on. */
static void available(uint64_t *known, uint64_t *granted)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2] = {0};
	uint64_t permitted = 0;

	*known = *granted = 0;
	if (syscall(SYS_capget, &header, data) == 0)
		permitted = data[0].permitted | (uint64_t)data[1].permitted << 32;
	for (int bit = 0; bit < CAPABILITY_BITS; bit++) {
		int bounding = prctl(PR_CAPBSET_READ, bit, 0, 0, 0);
		if (bounding < 0)
			break;
		*known |= UINT64_C(1) << bit;
		if (bounding > 0)
			*granted |= UINT64_C(1) << bit;
	}
	*granted &= permitted;
}

/* "CAP_CHOWN, CAP_41" */
static const char *names(struct arena *arena, uint64_t set)
{
	const char *list = "";

	for (int bit = 0; bit < CAPABILITY_BITS; bit++) {
		if (!(set >> bit & 1))
			continue;
		char *name = cap_to_name(bit);
		char *copy = name != NULL && !isdigit((unsigned char)name[0]) ? arena_strdup(arena, name)
									      : arena_printf(arena, "cap_%d", bit);
		cap_free(name);
		for (char *c = copy; *c != '\0'; c++)
			*c = (char)toupper((unsigned char)*c);
		list = arena_printf(arena, "%s%s%s", list, list[0] == '\0' ? "" : ", ", copy);
	}
	return list;
}

static void warn_about(const struct process_plan_options *options, const char *what, uint64_t set)
{
	struct arena arena CLEANUP_ARENA = {0};

	if (set != 0 && options->warn != NULL)
		options->warn(options->warn_context, arena_printf(&arena, "%s: %s", what, names(&arena, set)));
}

void capability_plan(const struct oci_process *process, const struct process_plan_options *options,
		     struct plan_process *out)
{
	const struct oci_capabilities *sets = process->capabilities;
	uint64_t known, granted;

	if (sets == NULL) {
		if (options->exec && options->container != NULL) {
			const struct plan_process *main_process = &options->container->process;
			out->capabilities_set = main_process->capabilities_set;
			out->bounding = main_process->bounding;
			out->effective = main_process->effective;
			out->inheritable = main_process->inheritable;
			out->permitted = main_process->permitted;
			out->ambient = main_process->ambient;
		}
		return;
	}
	out->capabilities_set = 1;
	out->bounding = sets->bounding;
	out->effective = sets->effective;
	out->inheritable = sets->inheritable;
	out->permitted = sets->permitted;
	out->ambient = sets->ambient;

	available(&known, &granted);
	uint64_t all = sets->bounding | sets->effective | sets->inheritable | sets->permitted | sets->ambient;
	warn_about(options, "ignoring capabilities this kernel does not know", all & ~known);
	/* A new user namespace starts with every capability; elsewhere none can be added to the caller's. */
	if (!options->userns)
		warn_about(options, "ignoring capabilities that can't be granted, since the caller does not have them",
			   all & known & ~granted);
	warn_about(options, "ignoring effective capabilities that are not permitted",
		   sets->effective & ~sets->permitted);
	warn_about(options, "ignoring ambient capabilities that are not both permitted and inheritable",
		   sets->ambient & ~(sets->permitted & sets->inheritable));
}
