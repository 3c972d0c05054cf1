/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/linux/personality.h"

#include <errno.h>
#include <sys/personality.h>

int personality_apply(struct launch *launch, struct error *err)
{
	if (launch->plan->personality_set && personality(launch->plan->personality) < 0)
		return error_errno(err, errno, "set linux.personality to %#x", launch->plan->personality);
	return 0;
}
