/* SPDX-License-Identifier: Apache-2.0 */
/* What an attacker in a container tries. Says on stdout how it went; see hostile.bats.
 *
 *   intruder ask NAME          asks the session with this abstract name for its state
 *   intruder impostor NAME     binds the name and answers every request with success
 *   intruder pid1              takes pid 1 over with ptrace and tries what its filter must not allow
 *   intruder hold              stops pid 1 with ptrace, for ever
 *   intruder bomb              forks for ever */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

/* sandbox/session/protocol.h */
static const uint32_t state_request[4] = {0x51524c53, 1, 1, 0};

static int named_socket(const char *name, struct sockaddr_un *address, socklen_t *length)
{
	size_t size = strlen(name);

	memset(address, 0, sizeof *address);
	address->sun_family = AF_UNIX;
	if (size > sizeof address->sun_path - 1)
		exit(2);
	memcpy(address->sun_path + 1, name, size);
	*length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + size);
	return socket(AF_UNIX, SOCK_SEQPACKET, 0);
}

static int ask(const char *name)
{
	struct sockaddr_un address;
	socklen_t length;
	char answer[8192];
	int fd = named_socket(name, &address, &length);

	if (connect(fd, (struct sockaddr *)&address, length) < 0) {
		printf("not connected: %s\n", strerror(errno));
		return 1;
	}
	ssize_t sent = send(fd, state_request, sizeof state_request, MSG_NOSIGNAL);
	ssize_t received = sent < 0 ? 0 : recv(fd, answer, sizeof answer, 0);
	printf("%s\n", received > 0 ? "answered" : "unanswered");
	return 0;
}

static int impostor(const char *name)
{
	struct sockaddr_un address;
	socklen_t length;
	int listener = named_socket(name, &address, &length);

	if (bind(listener, (struct sockaddr *)&address, length) < 0 || listen(listener, 5) < 0) {
		printf("not bound: %s\n", strerror(errno));
		return 1;
	}
	puts("bound");
	fflush(stdout);
	for (;;) {
		/* struct reply: magic, version, no error, status "stopped" */
		static uint32_t reply[2112 / sizeof(uint32_t)] = {0x50524c53, 1, 0, 3};
		char request[64];
		int fd = accept(listener, NULL, NULL);
		if (fd >= 0 && recv(fd, request, sizeof request, 0) > 0) {
			puts("believed");
			fflush(stdout);
			send(fd, reply, sizeof reply, MSG_NOSIGNAL);
		}
		close(fd);
	}
}

#if defined(__x86_64__)
/* Makes the traced process do a system call. */
static long call(pid_t pid, long number, long a, long b, long c)
{
	struct user_regs_struct saved, regs;
	int status;

	ptrace(PTRACE_GETREGS, pid, NULL, &saved);
	regs = saved;
	/* The instruction before the interrupted call's end is "syscall". */
	regs.rip -= 2;
	regs.rax = (unsigned long)number;
	regs.orig_rax = (unsigned long)-1;
	regs.rdi = (unsigned long)a;
	regs.rsi = (unsigned long)b;
	regs.rdx = (unsigned long)c;
	ptrace(PTRACE_SETREGS, pid, NULL, &regs);
	for (int i = 0; i < 2; i++) {
		ptrace(PTRACE_SYSCALL, pid, NULL, NULL);
		waitpid(pid, &status, __WALL);
	}
	ptrace(PTRACE_GETREGS, pid, NULL, &regs);
	ptrace(PTRACE_SETREGS, pid, NULL, &saved);
	return (long)regs.rax;
}

static int pid1(void)
{
	static const struct {
		const char *name;
		long number;
	} tries[] = {
	    {"open", SYS_open}, {"openat", SYS_openat},     {"execve", SYS_execve}, {"prctl", SYS_prctl},
	    {"fork", SYS_fork}, {"clone", SYS_clone},       {"setuid", SYS_setuid}, {"socket", SYS_socket},
	    {"kill", SYS_kill}, {"ptrace", SYS_ptrace},     {"mount", SYS_mount},   {"setns", SYS_setns},
	    {"dup2", SYS_dup2}, {"write", SYS_write},       {"fcntl", SYS_fcntl},   {"unshare", SYS_unshare},
	    {"mmap", SYS_mmap}, {"mprotect", SYS_mprotect}, {"capset", SYS_capset}, {"recvmsg", SYS_recvmsg},
	};
	int status;

	if (ptrace(PTRACE_ATTACH, 1, NULL, NULL) < 0) {
		printf("not attached: %s\n", strerror(errno));
		return 0;
	}
	waitpid(1, &status, __WALL);
	puts("attached");
	for (size_t i = 0; i < sizeof tries / sizeof tries[0]; i++) {
		long result = call(1, tries[i].number, -1, 0, 0);
		if (result != -ENOSYS)
			printf("%s: %ld\n", tries[i].name, result);
	}
	ptrace(PTRACE_DETACH, 1, NULL, NULL);
	puts("tried");
	return 0;
}
#else
static int pid1(void)
{
	puts("not attached: only tried on x86_64");
	return 0;
}
#endif

static int hold(void)
{
	int status;

	if (ptrace(PTRACE_ATTACH, 1, NULL, NULL) < 0) {
		printf("not attached: %s\n", strerror(errno));
		return 1;
	}
	waitpid(1, &status, __WALL);
	puts("attached");
	for (;;)
		pause();
}

static int bomb(void)
{
	puts("forking");
	for (;;)
		if (fork() == 0)
			setsid();
}

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc == 3 && strcmp(argv[1], "ask") == 0)
		return ask(argv[2]);
	if (argc == 3 && strcmp(argv[1], "impostor") == 0)
		return impostor(argv[2]);
	if (argc == 2 && strcmp(argv[1], "pid1") == 0)
		return pid1();
	if (argc == 2 && strcmp(argv[1], "hold") == 0)
		return hold();
	if (argc == 2 && strcmp(argv[1], "bomb") == 0)
		return bomb();
	fprintf(stderr, "usage: intruder ask|impostor NAME | pid1|hold|bomb\n");
	return 2;
}
