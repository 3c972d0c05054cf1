/* SPDX-License-Identifier: Apache-2.0 */
/* sandlock-init: one small static executable for everything that outlives the program or enters a container. */
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>

#include "sandbox/common/number.h"
#include "sandbox/session/roles.h"

int main(int argc, char **argv)
{
	int fds[3] = {-1, -1, -1};
	sigset_t none;

	if (argc < 3)
		return 125;
	for (int i = 0; i < 3 && i + 2 < argc; i++)
		if (number_parse_int(argv[i + 2], 0, 1 << 20, &fds[i]) < 0)
			return 125;
	/* An executable without a path would be called after its descriptor's number. */
	prctl(PR_SET_NAME, "sandlock-init");
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);

	if (strcmp(argv[1], "supervisor") == 0)
		return supervisor_main(fds[0]);
	if (strcmp(argv[1], "launcher") == 0)
		return joiner_main(fds[0]);
	if (strcmp(argv[1], "reaper") == 0)
		return reaper_main(fds[0], fds[1], fds[2]);
	return 125;
}
