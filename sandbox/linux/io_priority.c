/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/linux/io_priority.h"

#include <errno.h>

#include "sandbox/common/syscalls.h"

/* IOPRIO_WHO_PROCESS of linux/ioprio.h. The specification speaks of the process group: the launcher is alone in
 * its own, and an exec'ed one may share its caller's, which must stay as it is. */
#define WHO_PROCESS 1

int io_priority_apply(struct launch *launch, struct error *err)
{
	uint32_t value = launch->process->io_priority;

	if (value == 0 || syscall(SYS_ioprio_set, WHO_PROCESS, 0, value) == 0)
		return 0;
	if (errno == EPERM)
		return error_set(
		    err, EPERM,
		    "failed to set io priority: operation not permitted: IOPRIO_CLASS_RT needs CAP_SYS_NICE or "
		    "CAP_SYS_ADMIN of the host");
	return error_errno(err, errno, "failed to set io priority (class %u, priority %u)", value >> 13,
			   value & 0x1fff);
}
