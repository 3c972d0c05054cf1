/* SPDX-License-Identifier: Apache-2.0 */
/* Calls a runtime the way conmon and containerd's shim do: as a child subreaper.
 *
 *   subreaper PIDFILE STATUSFILE COMMAND [ARGUMENT...]
 *
 * runs COMMAND (a `create` that writes PIDFILE), appends `created CODE` to STATUSFILE when it ends, then waits
 * for the process named in PIDFILE and appends `exit CODE` or `signal NUMBER`. Every other process that it gets
 * to collect on the way is `stray PID NAME`: jobs of a session must not end up here. Ends with the main process. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

static void fail(const char *what)
{
	fprintf(stderr, "subreaper: %s: %s\n", what, strerror(errno));
	exit(125);
}

static void read_name(pid_t pid, char *name, size_t size)
{
	char path[64];
	snprintf(path, sizeof(path), "/proc/%d/comm", (int)pid);
	FILE *file = fopen(path, "re");
	name[0] = '\0';
	if (file != NULL && fgets(name, (int)size, file) != NULL)
		name[strcspn(name, "\n")] = '\0';
	if (file != NULL)
		fclose(file);
}

/* One state change; the zombie's name is read before it is collected. */
static pid_t collect(int *status, char *name, size_t size)
{
	siginfo_t info;
	while (waitid(P_ALL, 0, &info, WEXITED | WNOWAIT) < 0) {
		if (errno != EINTR)
			fail("waitid");
	}
	read_name(info.si_pid, name, size);
	if (waitpid(info.si_pid, status, 0) != info.si_pid)
		fail("waitpid");
	return info.si_pid;
}

static pid_t read_pid_file(const char *path)
{
	int pid = 0;
	FILE *file = fopen(path, "re");
	if (file == NULL || fscanf(file, "%d", &pid) != 1)
		fail(path);
	fclose(file);
	return pid;
}

static int code_of(int status)
{
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

struct early {
	pid_t pid;
	int status;
};

int main(int argc, char **argv)
{
	if (argc < 4) {
		fprintf(stderr, "usage: subreaper PIDFILE STATUSFILE COMMAND [ARGUMENT...]\n");
		return 125;
	}
	if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) < 0)
		fail("PR_SET_CHILD_SUBREAPER");
	FILE *report = fopen(argv[2], "ae");
	if (report == NULL)
		fail(argv[2]);
	setvbuf(report, NULL, _IOLBF, 0);
	pid_t command = fork();
	if (command < 0)
		fail("fork");
	if (command == 0) {
		execvp(argv[3], argv + 3);
		fail(argv[3]);
	}
	struct early early[64];
	size_t early_count = 0;
	pid_t main_pid = 0;
	for (;;) {
		char name[64];
		int status;
		pid_t pid = collect(&status, name, sizeof(name));
		if (pid == command) {
			fprintf(report, "created %d\n", code_of(status));
			if (code_of(status) != 0)
				return code_of(status);
			main_pid = read_pid_file(argv[1]);
			for (size_t i = 0; i < early_count; i++) {
				if (early[i].pid == main_pid) {
					pid = main_pid;
					status = early[i].status;
				}
			}
		}
		if (pid == main_pid) {
			if (WIFEXITED(status))
				fprintf(report, "exit %d\n", WEXITSTATUS(status));
			else
				fprintf(report, "signal %d\n", WTERMSIG(status));
			return 0;
		}
		if (pid == command)
			continue;
		fprintf(report, "stray %d %s\n", (int)pid, name);
		if (main_pid == 0 && early_count < sizeof(early) / sizeof(early[0]))
			early[early_count++] = (struct early){pid, status};
	}
}
