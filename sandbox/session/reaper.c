/* SPDX-License-Identifier: Apache-2.0 */
/* The reaper: pid 1 of the container. It reaps orphans, forwards signals to the main process, and nothing else. */
#include <errno.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sandbox/common/cleanup.h"
#include "sandbox/common/file.h"
#include "sandbox/common/message.h"
#include "sandbox/common/syscalls.h"
#include "sandbox/session/protocol.h"
#include "sandbox/session/reaper.h"
#include "sandbox/session/roles.h"

#if defined(__x86_64__)
#define REAPER_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define REAPER_ARCH AUDIT_ARCH_AARCH64
#elif defined(__riscv) && __riscv_xlen == 64
#define REAPER_ARCH AUDIT_ARCH_RISCV64
#elif defined(__s390x__)
#define REAPER_ARCH AUDIT_ARCH_S390X
#elif defined(__powerpc64__) && defined(__LITTLE_ENDIAN__)
#define REAPER_ARCH AUDIT_ARCH_PPC64LE
#else
#error "add the audit architecture"
#endif

bool reaper_tie_to_supervisor(int supervisor_pidfd)
{
	struct pollfd poll_fd = {.fd = supervisor_pidfd, .events = POLLIN};

	/* Cleared by a change of credentials, so armed again after each; then what was missed is looked for. */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0)
		return false;
	return poll(&poll_fd, 1, 0) == 0;
}

/* What the loop below needs; whoever takes over pid 1 from inside gets no more. */
static int confine(void)
{
	static const int allowed[] = {
	    SYS_read,  SYS_ppoll, SYS_wait4,      SYS_waitid,       SYS_pidfd_send_signal,
	    SYS_close, SYS_exit,  SYS_exit_group, SYS_rt_sigreturn, SYS_restart_syscall,
#ifdef SYS_poll
	    SYS_poll,
#endif
	};
	struct sock_filter filter[ARRAY_SIZE(allowed) + 6];
	size_t n = 0;

	filter[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch));
	filter[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, REAPER_ARCH, 1, 0);
	filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
	filter[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
	for (size_t i = 0; i < ARRAY_SIZE(allowed); i++)
		filter[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)allowed[i],
							   (uint8_t)(ARRAY_SIZE(allowed) - i), 0);
	filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS);
	filter[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);

	struct sock_fprog program = {.len = (unsigned short)n, .filter = filter};
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -errno;
	/* A kernel without seccomp has no profile for the container either. */
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) < 0 && errno != EINVAL)
		return -errno;
	return 0;
}

static void reap(void)
{
	while (waitpid(-1, NULL, WNOHANG | __WALL) > 0)
		;
}

_Noreturn static void serve(int signals, int main_pidfd)
{
	struct pollfd poll_fds[2] = {
	    {.fd = signals, .events = POLLIN},
	    {.fd = main_pidfd, .events = POLLIN},
	};

	for (;;) {
		if (poll(poll_fds, ARRAY_SIZE(poll_fds), -1) < 0)
			continue;
		if ((poll_fds[0].revents & POLLIN) != 0) {
			struct signalfd_siginfo info;
			if (read(signals, &info, sizeof info) != sizeof info)
				continue;
			/* A SIGCHLD that somebody sent is his, the kernel's are ours. */
			bool from_kernel = info.ssi_signo == SIGCHLD && info.ssi_code != SI_USER &&
					   info.ssi_code != SI_TKILL && info.ssi_code != SI_QUEUE;
			if (info.ssi_signo == SIGCHLD)
				reap();
			if (!from_kernel && main_pidfd >= 0)
				sl_pidfd_send_signal(main_pidfd, (int)info.ssi_signo);
		}
		if (main_pidfd >= 0 && (poll_fds[1].revents & POLLIN) != 0) {
			/* Whoever reads the container's output shall see its end as soon as the jobs let go. */
			close(STDIN_FILENO);
			close(STDOUT_FILENO);
			close(STDERR_FILENO);
			close(main_pidfd);
			main_pidfd = -1;
			poll_fds[1].fd = -1;
		}
	}
}

void reaper_guard(int supervisor_pidfd)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct none[2] = {{0}, {0}};
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	int signals = signalfd(-1, &all, SFD_CLOEXEC);
	if (signals < 0 || syscall(SYS_capset, &header, none) < 0 || !reaper_tie_to_supervisor(supervisor_pidfd) ||
	    file_close_except(0, &signals, 1) < 0 || confine() < 0)
		_exit(125);
	serve(signals, -1);
}

int reaper_main(int channel, int main_pidfd, int supervisor_pidfd)
{
	struct reaper_answer answer = {0};
	sigset_t all;

	/* Readable by the main process's user, so that /proc/1/fd/1 leads to the container's output. It gives nothing
	 * away: the image is a copy, and the reaper has no privilege that the main process lacks. */
	prctl(PR_SET_DUMPABLE, 1);
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	int signals = signalfd(-1, &all, SFD_CLOEXEC);
	file_set_cloexec(main_pidfd, 1);
	if (signals < 0 || !reaper_tie_to_supervisor(supervisor_pidfd))
		return 125;
	close(supervisor_pidfd);
	/* The launcher goes on when the channel ends, which comes after the filter: until then nobody can be in our
	 * way. */
	if (message_send(channel, &answer, sizeof answer, NULL, 0) < 0 || confine() < 0)
		return 125;
	close(channel);
	serve(signals, main_pidfd);
}
