/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/linux/uts.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

int uts_apply(struct launch *launch, struct error *err)
{
	const char *hostname = plan_text(launch->plan, launch->plan->hostname);
	const char *domainname = plan_text(launch->plan, launch->plan->domainname);

	if (hostname != NULL && sethostname(hostname, strlen(hostname)) < 0)
		return error_errno(err, errno, "sethostname \"%s\"", hostname);
	if (domainname != NULL && setdomainname(domainname, strlen(domainname)) < 0)
		return error_errno(err, errno, "setdomainname \"%s\"", domainname);
	return 0;
}
