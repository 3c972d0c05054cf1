/* SPDX-License-Identifier: Apache-2.0 */
/* sandlock-init: one small static executable for everything that outlives the program or enters a container. */
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>

#include "sandbox/common/cleanup.h"
#include "sandbox/common/file.h"
#include "sandbox/common/number.h"
#include "sandbox/session/roles.h"

int main(int argc, char **argv)
{
	static const struct {
		const char *role;
		int descriptors; /* arguments that follow; more is for people who read ps(1) */
	} roles[] = {{"supervisor", 1}, {"launcher", 1}, {"reaper", 3}};
	int fds[3] = {-1, -1, -1};
	sigset_t none;
	size_t role = 0;

	while (role < ARRAY_SIZE(roles) && (argc < 2 || strcmp(argv[1], roles[role].role) != 0))
		role++;
	if (role == ARRAY_SIZE(roles) || argc < 2 + roles[role].descriptors)
		return 125;
	for (int i = 0; i < roles[role].descriptors; i++)
		if (number_parse_int(argv[i + 2], 0, 1 << 20, &fds[i]) < 0)
			return 125;
	/* An executable without a path would be called after its descriptor's number. */
	prctl(PR_SET_NAME, "sandlock-init");
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	/* Ignored by a caller, the kernel would throw the status of our children away. */
	signal(SIGCHLD, SIG_DFL);

	/* Descriptors 3 to before the first argument are passed on; nothing of ours gets into gaps between them. */
	if (role <= 1 && file_fill_gaps(3, fds[0]) < 0)
		return 125;
	switch (role) {
	case 0:
		return supervisor_main(fds[0], argv[1]);
	case 1:
		return joiner_main(fds[0]);
	default:
		return reaper_main(fds[0], fds[1], fds[2]);
	}
}
