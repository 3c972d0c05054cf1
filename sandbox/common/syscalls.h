/* SPDX-License-Identifier: Apache-2.0 */
/* System calls and constants that libc or the build machine's kernel headers may lack
 * (Debian 12: headers of Linux 6.1; musl has no wrappers for most). */
#ifndef SANDLOCK_COMMON_SYSCALLS_H
#define SANDLOCK_COMMON_SYSCALLS_H

#include <linux/types.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/wait.h> /* before P_PIDFD, which it has as an enumerator */
#include <unistd.h>

#ifndef CLONE_NEWTIME
#define CLONE_NEWTIME 0x00000080
#endif
#ifndef CLONE_NEWCGROUP
#define CLONE_NEWCGROUP 0x02000000
#endif
#ifndef CLONE_PIDFD
#define CLONE_PIDFD 0x00001000
#endif
#ifndef CLONE_INTO_CGROUP
#define CLONE_INTO_CGROUP 0x200000000ULL
#endif
#ifndef P_PIDFD
#define P_PIDFD 3
#endif
#ifndef CLOSE_RANGE_CLOEXEC
#define CLOSE_RANGE_CLOEXEC 4
#endif
/* Linux 6.5 */
#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77
#endif
#ifndef SO_PASSPIDFD
#define SO_PASSPIDFD 76
#endif

/* Linux 6.13 (exit information: 6.15) */
struct sl_pidfd_info {
	__u64 mask;
	__u64 cgroupid;
	__u32 pid;
	__u32 tgid;
	__u32 ppid;
	__u32 ruid;
	__u32 rgid;
	__u32 euid;
	__u32 egid;
	__u32 suid;
	__u32 sgid;
	__u32 fsuid;
	__u32 fsgid;
	__s32 exit_code;
};
#define SL_PIDFD_GET_INFO _IOWR(0xFF, 11, struct sl_pidfd_info)
#define SL_PIDFD_INFO_PID (1UL << 0)
#define SL_PIDFD_INFO_EXIT (1UL << 3)

/* clone3(2); libc has no wrapper */
struct sl_clone_args {
	__u64 flags;
	__u64 pidfd;
	__u64 child_tid;
	__u64 parent_tid;
	__u64 exit_signal;
	__u64 stack;
	__u64 stack_size;
	__u64 tls;
	__u64 set_tid;
	__u64 set_tid_size;
	__u64 cgroup;
};

static inline long sl_clone3(struct sl_clone_args *args)
{
	return syscall(SYS_clone3, args, sizeof *args);
}

static inline int sl_pidfd_open(pid_t pid, unsigned int flags)
{
	return (int)syscall(SYS_pidfd_open, pid, flags);
}

static inline int sl_pidfd_send_signal(int pidfd, int signal_number)
{
	return (int)syscall(SYS_pidfd_send_signal, pidfd, signal_number, NULL, 0);
}

static inline int sl_close_range(unsigned int first, unsigned int last, unsigned int flags)
{
	return (int)syscall(SYS_close_range, first, last, flags);
}

static inline int sl_execveat(int dirfd, const char *path, char *const argv[], char *const envp[], int flags)
{
	return (int)syscall(SYS_execveat, dirfd, path, argv, envp, flags);
}

/* Gives a signal its default action; also those that libc keeps for itself (32 and 33), which a caller may ignore
 * for us. */
static inline int sl_signal_default(int signal_number)
{
	/* The kernel's struct sigaction has another order on each architecture: here all of it is zero. */
	unsigned long action[16] = {0};

	return (int)syscall(SYS_rt_sigaction, signal_number, action, NULL, (_NSIG - 1) / 8);
}

/* openat2(2), Linux 5.6 */
struct sl_open_how {
	__u64 flags;
	__u64 mode;
	__u64 resolve;
};
#define SL_RESOLVE_NO_XDEV 0x01
#define SL_RESOLVE_NO_MAGICLINKS 0x02
#define SL_RESOLVE_NO_SYMLINKS 0x04
#define SL_RESOLVE_BENEATH 0x08
#define SL_RESOLVE_IN_ROOT 0x10

static inline int sl_openat2(int dirfd, const char *path, struct sl_open_how *how)
{
	return (int)syscall(SYS_openat2, dirfd, path, how, sizeof *how);
}

/* The mount API, Linux 5.2; mount_setattr 5.12 */
struct sl_mount_attr {
	__u64 attr_set;
	__u64 attr_clr;
	__u64 propagation;
	__u64 userns_fd;
};
#ifndef SYS_mount_setattr
#define SYS_mount_setattr 442
#endif
#define SL_OPEN_TREE_CLONE 1
#define SL_OPEN_TREE_CLOEXEC 02000000
#define SL_AT_RECURSIVE 0x8000
#define SL_MOVE_MOUNT_F_EMPTY_PATH 0x00000004
#define SL_MOVE_MOUNT_T_EMPTY_PATH 0x00000040
#define SL_FSOPEN_CLOEXEC 1
#define SL_FSMOUNT_CLOEXEC 1
#define SL_FSCONFIG_SET_FLAG 0
#define SL_FSCONFIG_SET_STRING 1
#define SL_FSCONFIG_SET_FD 5
#define SL_FSCONFIG_CMD_CREATE 6
#define SL_MOUNT_ATTR_RDONLY 0x00000001
#define SL_MOUNT_ATTR_NOSUID 0x00000002
#define SL_MOUNT_ATTR_NODEV 0x00000004
#define SL_MOUNT_ATTR_NOEXEC 0x00000008
#define SL_MOUNT_ATTR__ATIME 0x00000070
#define SL_MOUNT_ATTR_RELATIME 0x00000000
#define SL_MOUNT_ATTR_NOATIME 0x00000010
#define SL_MOUNT_ATTR_STRICTATIME 0x00000020
#define SL_MOUNT_ATTR_NODIRATIME 0x00000080
#define SL_MOUNT_ATTR_IDMAP 0x00100000
#define SL_MOUNT_ATTR_NOSYMFOLLOW 0x00200000

static inline int sl_open_tree(int dirfd, const char *path, unsigned int flags)
{
	return (int)syscall(SYS_open_tree, dirfd, path, flags);
}

static inline int sl_move_mount(int from_dirfd, const char *from, int to_dirfd, const char *to, unsigned int flags)
{
	return (int)syscall(SYS_move_mount, from_dirfd, from, to_dirfd, to, flags);
}

static inline int sl_fsopen(const char *type, unsigned int flags)
{
	return (int)syscall(SYS_fsopen, type, flags);
}

static inline int sl_fsconfig(int fd, unsigned int command, const char *key, const void *value, int aux)
{
	return (int)syscall(SYS_fsconfig, fd, command, key, value, aux);
}

static inline int sl_fsmount(int fd, unsigned int flags, unsigned int attributes)
{
	return (int)syscall(SYS_fsmount, fd, flags, attributes);
}

static inline int sl_mount_setattr(int dirfd, const char *path, unsigned int flags, struct sl_mount_attr *attr)
{
	return (int)syscall(SYS_mount_setattr, dirfd, path, flags, attr, sizeof *attr);
}

static inline int sl_pivot_root(const char *new_root, const char *put_old)
{
	return (int)syscall(SYS_pivot_root, new_root, put_old);
}

#endif
