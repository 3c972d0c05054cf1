/* SPDX-License-Identifier: Apache-2.0 */
/* A profile like those that container engines use by default: more than 400 calls, some with conditions. */
#ifndef SANDLOCK_TESTS_SECCOMP_DEFAULT_PROFILE_H
#define SANDLOCK_TESTS_SECCOMP_DEFAULT_PROFILE_H

#include "sandbox/common/cleanup.h"
#include "spec/config.h"

/* clang-format off */
#define LIST(array) .names = (array), .names_count = ARRAY_SIZE(array)
#define WHERE(array) .args = (array), .args_count = ARRAY_SIZE(array)
static const char *default_names_0[] = {
	"bdflush", "io_pgetevents", "kexec_file_load", "kexec_load", "migrate_pages", "move_pages",
	"nfsservctl", "nice", "oldfstat", "oldlstat", "oldolduname", "oldstat", "olduname", "pciconfig_iobase",
	"pciconfig_read", "pciconfig_write", "sgetmask", "ssetmask", "swapcontext", "swapoff", "swapon",
	"sysfs", "uselib", "userfaultfd", "ustat", "vm86", "vm86old", "vmsplice",
};
static const char *default_names_1[] = {
	"_llseek", "_newselect", "accept", "accept4", "access", "adjtimex", "alarm", "bind", "brk", "capget",
	"capset", "chdir", "chmod", "chown", "chown32", "clock_adjtime", "clock_adjtime64", "clock_getres",
	"clock_getres_time64", "clock_gettime", "clock_gettime64", "clock_nanosleep", "clock_nanosleep_time64",
	"clone", "clone3", "close", "close_range", "connect", "copy_file_range", "creat", "dup", "dup2",
	"dup3", "epoll_create", "epoll_create1", "epoll_ctl", "epoll_ctl_old", "epoll_pwait", "epoll_pwait2",
	"epoll_wait", "epoll_wait_old", "eventfd", "eventfd2", "execve", "execveat", "exit", "exit_group",
	"faccessat", "faccessat2", "fadvise64", "fadvise64_64", "fallocate", "fanotify_mark", "fchdir",
	"fchmod", "fchmodat", "fchown", "fchown32", "fchownat", "fcntl", "fcntl64", "fdatasync", "fgetxattr",
	"flistxattr", "flock", "fork", "fremovexattr", "fsconfig", "fsetxattr", "fsmount", "fsopen", "fspick",
	"fstat", "fstat64", "fstatat64", "fstatfs", "fstatfs64", "fsync", "ftruncate", "ftruncate64", "futex",
	"futex_time64", "futimesat", "get_mempolicy", "get_robust_list", "get_thread_area", "getcpu", "getcwd",
	"getdents", "getdents64", "getegid", "getegid32", "geteuid", "geteuid32", "getgid", "getgid32",
	"getgroups", "getgroups32", "getitimer", "getpeername", "getpgid", "getpgrp", "getpid", "getppid",
	"getpriority", "getrandom", "getresgid", "getresgid32", "getresuid", "getresuid32", "getrlimit",
	"getrusage", "getsid", "getsockname", "getsockopt", "gettid", "gettimeofday", "getuid", "getuid32",
	"getxattr", "inotify_add_watch", "inotify_init", "inotify_init1", "inotify_rm_watch", "io_cancel",
	"io_destroy", "io_getevents", "io_setup", "io_submit", "ioctl", "ioprio_get", "ioprio_set", "ipc",
	"keyctl", "kill", "landlock_add_rule", "landlock_create_ruleset", "landlock_restrict_self", "lchown",
	"lchown32", "lgetxattr", "link", "linkat", "listen", "listxattr", "llistxattr", "lremovexattr",
	"lseek", "lsetxattr", "lstat", "lstat64", "madvise", "mbind", "membarrier", "memfd_create",
	"memfd_secret", "mincore", "mkdir", "mkdirat", "mknod", "mknodat", "mlock", "mlock2", "mlockall",
	"mmap", "mmap2", "mount", "mount_setattr", "move_mount", "mprotect", "mq_getsetattr", "mq_notify",
	"mq_open", "mq_timedreceive", "mq_timedreceive_time64", "mq_timedsend", "mq_timedsend_time64",
	"mq_unlink", "mremap", "msgctl", "msgget", "msgrcv", "msgsnd", "msync", "munlock", "munlockall",
	"munmap", "name_to_handle_at", "nanosleep", "newfstatat", "open", "open_tree", "openat", "openat2",
	"pause", "pidfd_getfd", "pidfd_open", "pidfd_send_signal", "pipe", "pipe2", "pivot_root", "pkey_alloc",
	"pkey_free", "pkey_mprotect", "poll", "ppoll", "ppoll_time64", "prctl", "pread64", "preadv", "preadv2",
	"prlimit64", "process_mrelease", "process_vm_readv", "process_vm_writev", "pselect6",
	"pselect6_time64", "ptrace", "pwrite64", "pwritev", "pwritev2", "read", "readahead", "readdir",
	"readlink", "readlinkat", "readv", "reboot", "recv", "recvfrom", "recvmmsg", "recvmmsg_time64",
	"recvmsg", "remap_file_pages", "removexattr", "rename", "renameat", "renameat2", "restart_syscall",
	"rmdir", "rseq", "rt_sigaction", "rt_sigpending", "rt_sigprocmask", "rt_sigqueueinfo", "rt_sigreturn",
	"rt_sigsuspend", "rt_sigtimedwait", "rt_sigtimedwait_time64", "rt_tgsigqueueinfo",
	"sched_get_priority_max", "sched_get_priority_min", "sched_getaffinity", "sched_getattr",
	"sched_getparam", "sched_getscheduler", "sched_rr_get_interval", "sched_rr_get_interval_time64",
	"sched_setaffinity", "sched_setattr", "sched_setparam", "sched_setscheduler", "sched_yield", "seccomp",
	"select", "semctl", "semget", "semop", "semtimedop", "semtimedop_time64", "send", "sendfile",
	"sendfile64", "sendmmsg", "sendmsg", "sendto", "set_mempolicy", "set_robust_list", "set_thread_area",
	"set_tid_address", "setfsgid", "setfsgid32", "setfsuid", "setfsuid32", "setgid", "setgid32",
	"setgroups", "setgroups32", "setitimer", "setns", "setpgid", "setpriority", "setregid", "setregid32",
	"setresgid", "setresgid32", "setresuid", "setresuid32", "setreuid", "setreuid32", "setrlimit",
	"setsid", "setsockopt", "setuid", "setuid32", "setxattr", "shmat", "shmctl", "shmdt", "shmget",
	"shutdown", "sigaction", "sigaltstack", "signal", "signalfd", "signalfd4", "sigpending", "sigprocmask",
	"sigreturn", "sigsuspend", "socketcall", "socketpair", "splice", "stat", "stat64", "statfs",
	"statfs64", "statx", "symlink", "symlinkat", "sync", "sync_file_range", "syncfs", "syscall", "sysinfo",
	"syslog", "tee", "tgkill", "time", "timer_create", "timer_delete", "timer_getoverrun", "timer_gettime",
	"timer_gettime64", "timer_settime", "timer_settime64", "timerfd", "timerfd_create", "timerfd_gettime",
	"timerfd_gettime64", "timerfd_settime", "timerfd_settime64", "times", "tkill", "truncate",
	"truncate64", "ugetrlimit", "umask", "umount", "umount2", "uname", "unlink", "unlinkat", "unshare",
	"utime", "utimensat", "utimensat_time64", "utimes", "vfork", "wait4", "waitid", "waitpid", "write",
	"writev",
};
static const char *default_names_2[] = {"personality"};
static struct oci_seccomp_arg default_args_2[] = {{0, 0u, 0u, "SCMP_CMP_EQ"}};
static const char *default_names_3[] = {"personality"};
static struct oci_seccomp_arg default_args_3[] = {{0, 8u, 0u, "SCMP_CMP_EQ"}};
static const char *default_names_4[] = {"personality"};
static struct oci_seccomp_arg default_args_4[] = {{0, 131072u, 0u, "SCMP_CMP_EQ"}};
static const char *default_names_5[] = {"personality"};
static struct oci_seccomp_arg default_args_5[] = {{0, 131080u, 0u, "SCMP_CMP_EQ"}};
static const char *default_names_6[] = {"personality"};
static struct oci_seccomp_arg default_args_6[] = {{0, 4294967295u, 0u, "SCMP_CMP_EQ"}};
static const char *default_names_7[] = {"arch_prctl"};
static const char *default_names_8[] = {"modify_ldt"};
static const char *default_names_9[] = {"open_by_handle_at"};
static const char *default_names_10[] = {
	"bpf", "fanotify_init", "lookup_dcookie", "perf_event_open", "quotactl", "setdomainname",
	"sethostname", "setns",
};
static const char *default_names_11[] = {"chroot"};
static const char *default_names_12[] = {
	"delete_module", "finit_module", "init_module", "query_module",
};
static const char *default_names_13[] = {"acct"};
static const char *default_names_14[] = {"kcmp", "process_madvise"};
static const char *default_names_15[] = {"ioperm", "iopl"};
static const char *default_names_16[] = {
	"clock_settime", "clock_settime64", "settimeofday", "stime",
};
static const char *default_names_17[] = {"vhangup"};
static const char *default_names_18[] = {"socket"};
static struct oci_seccomp_arg default_args_18[] = {{0, 16u, 0u, "SCMP_CMP_EQ"}, {2, 9u, 0u, "SCMP_CMP_EQ"}};
static const char *default_names_19[] = {"socket"};
static struct oci_seccomp_arg default_args_19[] = {{2, 9u, 0u, "SCMP_CMP_NE"}};
static const char *default_names_20[] = {"socket"};
static struct oci_seccomp_arg default_args_20[] = {{0, 16u, 0u, "SCMP_CMP_NE"}};
static const char *default_names_21[] = {"socket"};
static struct oci_seccomp_arg default_args_21[] = {{2, 9u, 0u, "SCMP_CMP_NE"}};
static struct oci_seccomp_syscall default_calls[] = {
	{LIST(default_names_0), .action = "SCMP_ACT_ERRNO", .errno_ret = {true, 1}},
	{LIST(default_names_1), .action = "SCMP_ACT_ALLOW"},
	{LIST(default_names_2), .action = "SCMP_ACT_ALLOW", WHERE(default_args_2)},
	{LIST(default_names_3), .action = "SCMP_ACT_ALLOW", WHERE(default_args_3)},
	{LIST(default_names_4), .action = "SCMP_ACT_ALLOW", WHERE(default_args_4)},
	{LIST(default_names_5), .action = "SCMP_ACT_ALLOW", WHERE(default_args_5)},
	{LIST(default_names_6), .action = "SCMP_ACT_ALLOW", WHERE(default_args_6)},
	{LIST(default_names_7), .action = "SCMP_ACT_ALLOW"},
	{LIST(default_names_8), .action = "SCMP_ACT_ALLOW"},
	{LIST(default_names_9), .action = "SCMP_ACT_ERRNO", .errno_ret = {true, 1}},
	{LIST(default_names_10), .action = "SCMP_ACT_ERRNO", .errno_ret = {true, 1}},
	{LIST(default_names_11), .action = "SCMP_ACT_ALLOW"},
	{LIST(default_names_12), .action = "SCMP_ACT_ERRNO", .errno_ret = {true, 1}},
	{LIST(default_names_13), .action = "SCMP_ACT_ERRNO", .errno_ret = {true, 1}},
	{LIST(default_names_14), .action = "SCMP_ACT_ERRNO", .errno_ret = {true, 1}},
	{LIST(default_names_15), .action = "SCMP_ACT_ERRNO", .errno_ret = {true, 1}},
	{LIST(default_names_16), .action = "SCMP_ACT_ERRNO", .errno_ret = {true, 1}},
	{LIST(default_names_17), .action = "SCMP_ACT_ERRNO", .errno_ret = {true, 1}},
	{LIST(default_names_18), .action = "SCMP_ACT_ERRNO", .errno_ret = {true, 22}, WHERE(default_args_18)},
	{LIST(default_names_19), .action = "SCMP_ACT_ALLOW", WHERE(default_args_19)},
	{LIST(default_names_20), .action = "SCMP_ACT_ALLOW", WHERE(default_args_20)},
	{LIST(default_names_21), .action = "SCMP_ACT_ALLOW", WHERE(default_args_21)},
};
static const char *default_architectures[] = {"SCMP_ARCH_X86_64", "SCMP_ARCH_X86", "SCMP_ARCH_X32"};
static const struct oci_seccomp default_profile = {
	.default_action = "SCMP_ACT_ERRNO",
	.default_errno_ret = {true, 38},
	.architectures = default_architectures, .architectures_count = ARRAY_SIZE(default_architectures),
	.syscalls = default_calls, .syscalls_count = ARRAY_SIZE(default_calls),
};
/* clang-format on */

#endif
