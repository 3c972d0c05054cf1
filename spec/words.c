/* SPDX-License-Identifier: Apache-2.0 */
#include "spec/words.h"

#include <linux/capability.h>
#include <linux/mempolicy.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <time.h>

#include "sandbox/common/syscalls.h"

/* Newer than the headers of Linux 6.1: weighted interleave is of Linux 6.9. */
#define SL_MPOL_WEIGHTED_INTERLEAVE 6
/* linux/ioprio.h came with the headers of Linux 5.15. */
#define SL_IOPRIO_CLASS_RT 1
#define SL_IOPRIO_CLASS_BE 2
#define SL_IOPRIO_CLASS_IDLE 3
/* The kernel keeps the number, but has no such policy. */
#define SL_SCHED_ISO 4

const struct word namespace_words[] = {
    {"mount", CLONE_NEWNS},      {"pid", CLONE_NEWPID},   {"network", CLONE_NEWNET},
    {"uts", CLONE_NEWUTS},       {"ipc", CLONE_NEWIPC},   {"user", CLONE_NEWUSER},
    {"cgroup", CLONE_NEWCGROUP}, {"time", CLONE_NEWTIME}, {NULL, 0},
};

const struct word rlimit_words[] = {
    {"RLIMIT_AS", RLIMIT_AS},
    {"RLIMIT_CORE", RLIMIT_CORE},
    {"RLIMIT_CPU", RLIMIT_CPU},
    {"RLIMIT_DATA", RLIMIT_DATA},
    {"RLIMIT_FSIZE", RLIMIT_FSIZE},
    {"RLIMIT_LOCKS", RLIMIT_LOCKS},
    {"RLIMIT_MEMLOCK", RLIMIT_MEMLOCK},
    {"RLIMIT_MSGQUEUE", RLIMIT_MSGQUEUE},
    {"RLIMIT_NICE", RLIMIT_NICE},
    {"RLIMIT_NOFILE", RLIMIT_NOFILE},
    {"RLIMIT_NPROC", RLIMIT_NPROC},
    {"RLIMIT_RSS", RLIMIT_RSS},
    {"RLIMIT_RTPRIO", RLIMIT_RTPRIO},
    {"RLIMIT_RTTIME", RLIMIT_RTTIME},
    {"RLIMIT_SIGPENDING", RLIMIT_SIGPENDING},
    {"RLIMIT_STACK", RLIMIT_STACK},
    {NULL, 0},
};

#define CAPABILITY(name)                     \
	{                                    \
#name, UINT64_C(1) << (name) \
	}
const struct word capability_words[] = {
    CAPABILITY(CAP_CHOWN),
    CAPABILITY(CAP_DAC_OVERRIDE),
    CAPABILITY(CAP_DAC_READ_SEARCH),
    CAPABILITY(CAP_FOWNER),
    CAPABILITY(CAP_FSETID),
    CAPABILITY(CAP_KILL),
    CAPABILITY(CAP_SETGID),
    CAPABILITY(CAP_SETUID),
    CAPABILITY(CAP_SETPCAP),
    CAPABILITY(CAP_LINUX_IMMUTABLE),
    CAPABILITY(CAP_NET_BIND_SERVICE),
    CAPABILITY(CAP_NET_BROADCAST),
    CAPABILITY(CAP_NET_ADMIN),
    CAPABILITY(CAP_NET_RAW),
    CAPABILITY(CAP_IPC_LOCK),
    CAPABILITY(CAP_IPC_OWNER),
    CAPABILITY(CAP_SYS_MODULE),
    CAPABILITY(CAP_SYS_RAWIO),
    CAPABILITY(CAP_SYS_CHROOT),
    CAPABILITY(CAP_SYS_PTRACE),
    CAPABILITY(CAP_SYS_PACCT),
    CAPABILITY(CAP_SYS_ADMIN),
    CAPABILITY(CAP_SYS_BOOT),
    CAPABILITY(CAP_SYS_NICE),
    CAPABILITY(CAP_SYS_RESOURCE),
    CAPABILITY(CAP_SYS_TIME),
    CAPABILITY(CAP_SYS_TTY_CONFIG),
    CAPABILITY(CAP_MKNOD),
    CAPABILITY(CAP_LEASE),
    CAPABILITY(CAP_AUDIT_WRITE),
    CAPABILITY(CAP_AUDIT_CONTROL),
    CAPABILITY(CAP_SETFCAP),
    CAPABILITY(CAP_MAC_OVERRIDE),
    CAPABILITY(CAP_MAC_ADMIN),
    CAPABILITY(CAP_SYSLOG),
    CAPABILITY(CAP_WAKE_ALARM),
    CAPABILITY(CAP_BLOCK_SUSPEND),
    CAPABILITY(CAP_AUDIT_READ),
    CAPABILITY(CAP_PERFMON),
    CAPABILITY(CAP_BPF),
    CAPABILITY(CAP_CHECKPOINT_RESTORE),
    {NULL, 0},
};

const struct word scheduler_policy_words[] = {
    {"SCHED_OTHER", SCHED_NORMAL},
    {"SCHED_FIFO", SCHED_FIFO},
    {"SCHED_RR", SCHED_RR},
    {"SCHED_BATCH", SCHED_BATCH},
    {"SCHED_ISO", SL_SCHED_ISO},
    {"SCHED_IDLE", SCHED_IDLE},
    {"SCHED_DEADLINE", SCHED_DEADLINE},
    {NULL, 0},
};

const struct word scheduler_flag_words[] = {
    {"SCHED_FLAG_RESET_ON_FORK", SCHED_FLAG_RESET_ON_FORK},   {"SCHED_FLAG_RECLAIM", SCHED_FLAG_RECLAIM},
    {"SCHED_FLAG_DL_OVERRUN", SCHED_FLAG_DL_OVERRUN},         {"SCHED_FLAG_KEEP_POLICY", SCHED_FLAG_KEEP_POLICY},
    {"SCHED_FLAG_KEEP_PARAMS", SCHED_FLAG_KEEP_PARAMS},       {"SCHED_FLAG_UTIL_CLAMP_MIN", SCHED_FLAG_UTIL_CLAMP_MIN},
    {"SCHED_FLAG_UTIL_CLAMP_MAX", SCHED_FLAG_UTIL_CLAMP_MAX}, {NULL, 0},
};

const struct word io_priority_class_words[] = {
    {"IOPRIO_CLASS_RT", SL_IOPRIO_CLASS_RT},
    {"IOPRIO_CLASS_BE", SL_IOPRIO_CLASS_BE},
    {"IOPRIO_CLASS_IDLE", SL_IOPRIO_CLASS_IDLE},
    {NULL, 0},
};

/* The r forms are not in the specification; dockerd and podman write them. */
const struct word propagation_words[] = {
    {"private", MS_PRIVATE},
    {"shared", MS_SHARED},
    {"slave", MS_SLAVE},
    {"unbindable", MS_UNBINDABLE},
    {"rprivate", MS_PRIVATE | MS_REC},
    {"rshared", MS_SHARED | MS_REC},
    {"rslave", MS_SLAVE | MS_REC},
    {"runbindable", MS_UNBINDABLE | MS_REC},
    {NULL, 0},
};

const struct word device_type_words[] = {{"c", 'c'}, {"b", 'b'}, {"u", 'u'}, {"p", 'p'}, {NULL, 0}};

const struct word device_rule_type_words[] = {{"a", 'a'}, {"b", 'b'}, {"c", 'c'}, {NULL, 0}};

const struct word memory_policy_mode_words[] = {
    {"MPOL_DEFAULT", MPOL_DEFAULT},       {"MPOL_BIND", MPOL_BIND},
    {"MPOL_INTERLEAVE", MPOL_INTERLEAVE}, {"MPOL_WEIGHTED_INTERLEAVE", SL_MPOL_WEIGHTED_INTERLEAVE},
    {"MPOL_PREFERRED", MPOL_PREFERRED},   {"MPOL_PREFERRED_MANY", MPOL_PREFERRED_MANY},
    {"MPOL_LOCAL", MPOL_LOCAL},           {NULL, 0},
};

const struct word memory_policy_flag_words[] = {
    {"MPOL_F_NUMA_BALANCING", MPOL_F_NUMA_BALANCING},
    {"MPOL_F_RELATIVE_NODES", MPOL_F_RELATIVE_NODES},
    {"MPOL_F_STATIC_NODES", MPOL_F_STATIC_NODES},
    {NULL, 0},
};

const struct word personality_words[] = {{"LINUX", PER_LINUX}, {"LINUX32", PER_LINUX32}, {NULL, 0}};

const struct word clock_words[] = {{"monotonic", CLOCK_MONOTONIC}, {"boottime", CLOCK_BOOTTIME}, {NULL, 0}};

const struct word seccomp_action_words[] = {
    {"SCMP_ACT_ALLOW", 0},       {"SCMP_ACT_ERRNO", 1},
    {"SCMP_ACT_KILL", 0},        {"SCMP_ACT_KILL_PROCESS", 0},
    {"SCMP_ACT_KILL_THREAD", 0}, {"SCMP_ACT_LOG", 0},
    {"SCMP_ACT_NOTIFY", 0},      {"SCMP_ACT_TRACE", 1},
    {"SCMP_ACT_TRAP", 0},        {NULL, 0},
};

const struct word seccomp_operator_words[] = {
    {"SCMP_CMP_EQ", 0}, {"SCMP_CMP_GE", 0},        {"SCMP_CMP_GT", 0}, {"SCMP_CMP_LE", 0},
    {"SCMP_CMP_LT", 0}, {"SCMP_CMP_MASKED_EQ", 0}, {"SCMP_CMP_NE", 0}, {NULL, 0},
};

const struct word seccomp_arch_words[] = {
    {"SCMP_ARCH_AARCH64", 0},  {"SCMP_ARCH_ARM", 0},         {"SCMP_ARCH_LOONGARCH64", 0}, {"SCMP_ARCH_M68K", 0},
    {"SCMP_ARCH_MIPS", 0},     {"SCMP_ARCH_MIPS64", 0},      {"SCMP_ARCH_MIPS64N32", 0},   {"SCMP_ARCH_MIPSEL", 0},
    {"SCMP_ARCH_MIPSEL64", 0}, {"SCMP_ARCH_MIPSEL64N32", 0}, {"SCMP_ARCH_PARISC", 0},      {"SCMP_ARCH_PARISC64", 0},
    {"SCMP_ARCH_PPC", 0},      {"SCMP_ARCH_PPC64", 0},       {"SCMP_ARCH_PPC64LE", 0},     {"SCMP_ARCH_RISCV64", 0},
    {"SCMP_ARCH_S390", 0},     {"SCMP_ARCH_S390X", 0},       {"SCMP_ARCH_SH", 0},          {"SCMP_ARCH_SHEB", 0},
    {"SCMP_ARCH_X32", 0},      {"SCMP_ARCH_X86", 0},         {"SCMP_ARCH_X86_64", 0},      {NULL, 0},
};

const struct word seccomp_flag_words[] = {
    {"SECCOMP_FILTER_FLAG_TSYNC", SECCOMP_FILTER_FLAG_TSYNC},
    {"SECCOMP_FILTER_FLAG_LOG", SECCOMP_FILTER_FLAG_LOG},
    {"SECCOMP_FILTER_FLAG_SPEC_ALLOW", SECCOMP_FILTER_FLAG_SPEC_ALLOW},
    {"SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV", SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV},
    {NULL, 0},
};

const struct word *word_find(const struct word *words, const char *text)
{
	for (; words->text != NULL; words++)
		if (strcmp(words->text, text) == 0)
			return words;
	return NULL;
}

const char *word_text(const struct word *words, uint64_t value)
{
	for (; words->text != NULL; words++)
		if (words->value == value)
			return words->text;
	return NULL;
}
