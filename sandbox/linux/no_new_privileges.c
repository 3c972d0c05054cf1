/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/linux/no_new_privileges.h"

#include <errno.h>
#include <sys/prctl.h>

int no_new_privileges_apply(struct launch *launch, struct error *err)
{
	if (launch->process->no_new_privileges && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return error_errno(err, errno, "prctl(SET_NO_NEW_PRIVS)");
	return 0;
}
