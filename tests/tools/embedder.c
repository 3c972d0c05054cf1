/* SPDX-License-Identifier: Apache-2.0 */
/* A program that has a session open and forks, as any threaded program does at any moment.
 *
 *   embedder COUNT DELAY_MS RUNTIME ROOT BUNDLE ID
 *
 * COUNT times: creates the session ID, forks a child that holds whatever the program holds at that moment and
 * does not exec for DELAY_MS, ends the session and makes one of the same name at once. A name, lock or pipe of
 * the session that such a child could keep would fail the next create, or hang a reader. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

struct embedder {
	const char *runtime, *root, *bundle, *id;
	long delay;
};

static void fail(const char *what)
{
	fprintf(stderr, "embedder: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void sleep_ms(long ms)
{
	struct timespec time = {ms / 1000, ms % 1000 * 1000000};
	nanosleep(&time, NULL);
}

/* The child that never execs; it keeps every descriptor of the program. */
static void fork_child(long delay)
{
	pid_t pid = fork();
	if (pid < 0)
		fail("fork");
	if (pid == 0) {
		sleep_ms(delay);
		_exit(0);
	}
}

static pid_t spawn(const char *const argv[], int out)
{
	posix_spawn_file_actions_t actions;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, out, 1);
	pid_t pid;
	int result = posix_spawn(&pid, argv[0], &actions, NULL, (char *const *)argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	if (result != 0) {
		errno = result;
		fail(argv[0]);
	}
	return pid;
}

static void finish(pid_t pid, const char *what, int round)
{
	int status;
	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			fail("waitpid");
	}
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
		fprintf(stderr, "embedder: %s failed in round %d (status 0x%x)\n", what, round, status);
		exit(1);
	}
}

static void create(const struct embedder *e, int out, int round)
{
	const char *argv[] = {e->runtime, "--root", e->root, "create", "--bundle", e->bundle, e->id, NULL};
	pid_t pid = spawn(argv, out);
	fork_child(e->delay); /* while the runtime creates */
	finish(pid, "create", round);
}

static void end(const struct embedder *e, int out, int round)
{
	const char *argv[] = {e->runtime, "--root", e->root, "delete", "--force", e->id, NULL};
	pid_t pid = spawn(argv, out);
	finish(pid, "delete", round);
}

static void round_of(const struct embedder *e, int round)
{
	int out[2];
	if (pipe2(out, O_CLOEXEC) < 0)
		fail("pipe2");
	create(e, out[1], round);
	fork_child(e->delay); /* while the session is open */
	end(e, out[1], round);
	close(out[0]);
	close(out[1]);
	while (waitpid(-1, NULL, WNOHANG) > 0)
		;
}

int main(int argc, char **argv)
{
	if (argc != 7) {
		fprintf(stderr, "usage: embedder COUNT DELAY_MS RUNTIME ROOT BUNDLE ID\n");
		return 2;
	}
	struct embedder e = {argv[3], argv[4], argv[5], argv[6], atol(argv[2])};
	int count = atoi(argv[1]);
	for (int round = 1; round <= count; round++)
		round_of(&e, round);
	while (waitpid(-1, NULL, 0) > 0 || errno == EINTR)
		;
	printf("%d rounds\n", count);
	return 0;
}
