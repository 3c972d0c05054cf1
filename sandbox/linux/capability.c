/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/linux/capability.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdint.h>
#include <sys/prctl.h>

#include "sandbox/common/syscalls.h"
#include "sandbox/linux/seccomp.h"

/* The sets are 64 bits wide; prctl refuses those the kernel does not know. */
#define CAPABILITY_BITS 64

struct sets {
	uint64_t effective;
	uint64_t permitted;
	uint64_t inheritable;
};

static int get_sets(struct sets *sets)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2] = {0};

	if (syscall(SYS_capget, &header, data) < 0)
		return -errno;
	sets->effective = data[0].effective | (uint64_t)data[1].effective << 32;
	sets->permitted = data[0].permitted | (uint64_t)data[1].permitted << 32;
	sets->inheritable = data[0].inheritable | (uint64_t)data[1].inheritable << 32;
	return 0;
}

static int set_sets(const struct sets *sets)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2] = {
	    {(uint32_t)sets->effective, (uint32_t)sets->permitted, (uint32_t)sets->inheritable},
	    {(uint32_t)(sets->effective >> 32), (uint32_t)(sets->permitted >> 32), (uint32_t)(sets->inheritable >> 32)},
	};

	return syscall(SYS_capset, &header, data) < 0 ? -errno : 0;
}

static uint64_t bounding_set(void)
{
	uint64_t set = 0;

	for (int bit = 0; bit < CAPABILITY_BITS; bit++) {
		int there = prctl(PR_CAPBSET_READ, bit, 0, 0, 0);
		if (there < 0)
			break;
		if (there > 0)
			set |= UINT64_C(1) << bit;
	}
	return set;
}

int capability_bounding_apply(struct launch *launch, struct error *err)
{
	uint64_t surplus = bounding_set() & ~launch->process->bounding;

	for (int bit = 0; bit < CAPABILITY_BITS; bit++)
		if ((surplus >> bit & 1) && prctl(PR_CAPBSET_DROP, bit, 0, 0, 0) < 0)
			return error_errno(err, errno, "unable to apply bounding set: drop capability %d%s", bit,
					   errno == EPERM ? " (CAP_SETPCAP is missing)" : "");
	return 0;
}

int capability_keep(struct launch *launch, struct error *err)
{
	if (prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) < 0)
		return error_errno(err, errno, "unable to set keep caps");
	return 0;
}

static int apply_ambient(uint64_t wanted, struct error *err)
{
	/* EINVAL: a kernel with SECBIT_NO_CAP_AMBIENT_RAISE locked on or built without them has none to clear. */
	if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) < 0 && errno != EINVAL)
		return error_errno(err, errno, "unable to reset ambient capabilities");
	for (int bit = 0; bit < CAPABILITY_BITS; bit++)
		if ((wanted >> bit & 1) && prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, bit, 0, 0) < 0 &&
		    errno != EPERM && errno != EINVAL)
			return error_errno(err, errno, "can't raise ambient capability %d", bit);
	return 0;
}

int capability_apply(struct launch *launch, struct error *err)
{
	const struct plan_process *process = launch->process;
	struct sets current = {0}, next;
	/* See seccomp.h: execve takes it away. */
	uint64_t kept = seccomp_needs_privilege(launch) ? UINT64_C(1) << CAP_SYS_ADMIN : 0;

	if (prctl(PR_SET_KEEPCAPS, 0, 0, 0, 0) < 0)
		return error_errno(err, errno, "unable to clear keep caps");
	int rc = get_sets(&current);
	if (rc < 0)
		return error_errno(err, -rc, "read the launcher's capabilities");

	/* The rules of capset(2): nothing new in permitted, effective within permitted; inheritable may grow by what
	 * is permitted and in the bounding set. */
	next.permitted = (process->permitted | kept) & current.permitted;
	next.effective = (process->effective | kept) & next.permitted;
	next.inheritable = process->inheritable & (current.inheritable | (current.permitted & bounding_set()));
	rc = set_sets(&next);
	if (rc < 0)
		return error_errno(err, -rc,
				   "can't apply capabilities (effective %#llx, permitted %#llx, inheritable %#llx)",
				   (unsigned long long)next.effective, (unsigned long long)next.permitted,
				   (unsigned long long)next.inheritable);
	return apply_ambient(process->ambient & process->permitted & next.permitted & next.inheritable, err);
}
