/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles in the shape the parser gives them, planned, loaded and felt by child processes. */
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sandbox/linux/seccomp.h"
#include "sandbox/linux/seccomp_numbers.h"
#include "tests/unit/bpf_run.h"
#include "tests/unit/seccomp_default_profile.h"
#include "tests/unit/seccomp_support.h"

/* Plans a profile that must be refused with a message that has `text`. */
static void refused(const struct oci_seccomp *seccomp, const char *text)
{
	struct planned planned = {.fd = -1};
	struct error err = {0};

	if (!CHECK(!make_plan(seccomp, &planned, &err)) || !CHECK(strstr(err.message, text) != NULL))
		printf("# wanted: %s\n# found:  %s\n", text, err.message);
	free_plan(&planned);
}

/* Loads the profile in a child that then does `calls`, whose result it exits with. Returns the wait status. */
static int in_child(const struct oci_seccomp *seccomp, int (*calls)(void))
{
	struct planned planned = {.fd = -1};
	struct error err = {0};
	int status = -1;

	if (!CHECK(make_plan(seccomp, &planned, &err))) {
		printf("# %s\n", err.message);
		return -1;
	}
	pid_t child = fork();
	if (child == 0) {
		struct launch launch = {.plan = planned.plan, .process = &planned.plan->process};
		prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
		if (seccomp_apply(&launch, &err) < 0) {
			dprintf(2, "# %s\n", err.message);
			_exit(99);
		}
		syscall(SYS_exit_group, calls());
	}
	CHECK(waitpid(child, &status, 0) == child);
	free_plan(&planned);
	return status;
}

/* 0: allowed, else the errno of getppid. */
static int call_getppid(void)
{
	errno = 0;
	return syscall(SYS_getppid) >= 0 ? errno : errno != 0 ? errno : 98;
}

static void got_sigsys(int signal_number, siginfo_t *info, void *context)
{
	syscall(SYS_exit_group, info->si_syscall == SYS_getppid ? 55 : 56);
}

static int call_trapped(void)
{
	struct sigaction action = {.sa_sigaction = got_sigsys, .sa_flags = SA_SIGINFO};

	sigaction(SIGSYS, &action, NULL);
	return call_getppid();
}

static int killed_thread(void)
{
	/* The process has this thread only. */
	return call_getppid();
}

static void test_actions(void)
{
	static const struct {
		const char *action;
		struct opt_u32 errno_ret;
		int (*calls)(void);
		int code, signal_number;
	} cases[] = {
	    {"SCMP_ACT_ALLOW", {0}, call_getppid, 0, 0},
	    {"SCMP_ACT_LOG", {0}, call_getppid, 0, 0},
	    {"SCMP_ACT_ERRNO", {0}, call_getppid, EPERM, 0},
	    {"SCMP_ACT_ERRNO", {true, 77}, call_getppid, 77, 0},
	    {"SCMP_ACT_ERRNO", {true, 0}, call_getppid, 0, 0},
	    {"SCMP_ACT_TRACE", {true, 1}, call_getppid, ENOSYS, 0},
	    {"SCMP_ACT_TRAP", {0}, call_trapped, 55, 0},
	    {"SCMP_ACT_TRAP", {0}, call_getppid, 0, SIGSYS},
	    {"SCMP_ACT_KILL", {0}, killed_thread, 0, SIGSYS},
	    {"SCMP_ACT_KILL_THREAD", {0}, killed_thread, 0, SIGSYS},
	    {"SCMP_ACT_KILL_PROCESS", {0}, call_trapped, 0, SIGSYS},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		/* As a rule, and as the default action with all else allowed. */
		struct oci_seccomp rule = {
		    .default_action =
			strcmp(cases[i].action, "SCMP_ACT_ALLOW") == 0 ? "SCMP_ACT_LOG" : "SCMP_ACT_ALLOW",
		    CALLS({NAMES("getppid"), .action = cases[i].action, .errno_ret = cases[i].errno_ret}),
		};
		struct oci_seccomp otherwise = {
		    .default_action = cases[i].action,
		    .default_errno_ret = cases[i].errno_ret,
		    CALLS({NAMES("exit_group", "rt_sigaction", "rt_sigreturn", "futex_waitv"),
			   .action = rule.default_action}),
		};
		int status[2] = {in_child(&rule, cases[i].calls), in_child(&otherwise, cases[i].calls)};
		for (int j = 0; j < 2; j++)
			if (!CHECK(cases[i].signal_number != 0 ? dies(status[j], cases[i].signal_number)
							       : exits(status[j], cases[i].code)))
				printf("# %s, %s\n", cases[i].action, j == 0 ? "rule" : "default");
	}
}

/* The last: a number that no kernel has, one above all that are named, one below that is not. */
static int call_unknown(void)
{
	if (syscall(100000) != -1 || errno != ENOSYS)
		return 1;
	if (syscall(SYS_futex_waitv) != -1 || errno != ENOSYS)
		return 2;
	if (syscall(SYS_getpgid, 0) != -1 || errno != EPERM)
		return 3;
	if (syscall(SYS_getppid) != -1 || errno != 77)
		return 4;
	return 0;
}

static int call_unknown_allowed(void)
{
	/* A permissive default leaves it to the kernel. */
	if (syscall(100000) != -1 || errno != ENOSYS)
		return 1;
	return syscall(SYS_getpgid, 0) < 0 ? 2 : 0;
}

static void test_unknown_numbers(void)
{
	struct oci_seccomp profile = {
	    .default_action = "SCMP_ACT_ERRNO",
	    CALLS({NAMES("exit_group", "pidfd_open"), .action = "SCMP_ACT_ALLOW"},
		  {NAMES("getppid"), .action = "SCMP_ACT_ERRNO", .errno_ret = {true, 77}},
		  {NAMES("no_such_call", "neither_this"), .action = "SCMP_ACT_ALLOW"}),
	};
	CHECK(exits(in_child(&profile, call_unknown), 0));
	CHECK_TEXT(warning, "unknown seccomp syscalls ignored: no_such_call, neither_this");
	/* Killing is no better for a C library that tries a new call. */
	profile.syscalls[1].names = (const char *[]){"getppid", "getpgid"};
	profile.syscalls[1].names_count = 2;
	profile.default_action = "SCMP_ACT_KILL_PROCESS";
	CHECK(dies(in_child(&profile, call_getppid), SIGSYS) == false);
	profile.default_action = "SCMP_ACT_LOG";
	profile.syscalls_count = 1;
	CHECK(exits(in_child(&profile, call_unknown_allowed), 0));
}

/* fadvise64 on a descriptor that is not there: EBADF when the filter lets it through. */
static bool advised(uint64_t offset, uint64_t length, uint64_t advice)
{
	return syscall(SYS_fadvise64, -1, offset, length, advice) == -1 && errno == 77;
}

static int (*comparison)(uint64_t);

static int call_compared(void)
{
	static const uint64_t values[] = {0,           4,           5,           6,           0xffffffff,
					  0x100000004, 0x100000005, 0x100000006, 0x200000005, UINT64_MAX};

	for (size_t i = 0; i < ARRAY_SIZE(values); i++)
		if (advised(values[i], 0, 0) != comparison(values[i]))
			return 10 + (int)i;
	return 0;
}

#define WIDE_VALUE 0x100000005

static int compare_ne(uint64_t v)
{
	return v != WIDE_VALUE;
}
static int compare_lt(uint64_t v)
{
	return v < WIDE_VALUE;
}
static int compare_le(uint64_t v)
{
	return v <= WIDE_VALUE;
}
static int compare_eq(uint64_t v)
{
	return v == WIDE_VALUE;
}
static int compare_ge(uint64_t v)
{
	return v >= WIDE_VALUE;
}
static int compare_gt(uint64_t v)
{
	return v > WIDE_VALUE;
}
static int compare_masked(uint64_t v)
{
	return (v & WIDE_VALUE) == 0x100000004;
}

static void test_operators(void)
{
	static const struct {
		const char *op;
		int (*function)(uint64_t);
	} cases[] = {
	    {"SCMP_CMP_NE", compare_ne},
	    {"SCMP_CMP_LT", compare_lt},
	    {"SCMP_CMP_LE", compare_le},
	    {"SCMP_CMP_EQ", compare_eq},
	    {"SCMP_CMP_GE", compare_ge},
	    {"SCMP_CMP_GT", compare_gt},
	    {"SCMP_CMP_MASKED_EQ", compare_masked},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct oci_seccomp profile = {
		    .default_action = "SCMP_ACT_ALLOW",
		    CALLS({NAMES("fadvise64"), .action = "SCMP_ACT_ERRNO", .errno_ret = {true, 77},
			   ARGS({1, WIDE_VALUE, 0x100000004, cases[i].op})}),
		};
		comparison = cases[i].function;
		if (!CHECK(exits(in_child(&profile, call_compared), 0)))
			printf("# %s\n", cases[i].op);
	}
}

static int call_together(void)
{
	return advised(1, 2, 3) && !advised(1, 3, 3) && !advised(2, 2, 3) && !advised(1, 2, 0) ? 0 : 1;
}

static int call_repeated(void)
{
	return advised(1, 0, 0) && advised(2, 0, 0) && advised(7, 0, 5) && !advised(3, 0, 0) ? 0 : 1;
}

/* What the planned filter says to a call. */
static uint32_t planned_action(const struct oci_seccomp *profile, int number, const uint64_t args[static 4])
{
	struct planned planned = {.fd = -1};
	struct error err = {0};
	struct seccomp_data data = {.arch = seccomp_architecture_native()->audit, .nr = number};
	uint32_t action = UINT32_MAX;

	memcpy(data.args, args, 4 * sizeof *args);
	if (CHECK(make_plan(profile, &planned, &err)))
		action = bpf_run(plan_items(planned.plan, planned.plan->seccomp.filter),
				 planned.plan->seccomp.filter.count, &data, NULL);
	free_plan(&planned);
	return action;
}

static void test_conditions(void)
{
	struct oci_seccomp together = {
	    .default_action = "SCMP_ACT_ALLOW",
	    CALLS({NAMES("fadvise64"), .action = "SCMP_ACT_ERRNO", .errno_ret = {true, 77},
		   ARGS({1, 1, 0, "SCMP_CMP_EQ"}, {2, 2, 0, "SCMP_CMP_EQ"}, {3, 3, 0, "SCMP_CMP_EQ"})}),
	};
	struct oci_seccomp repeated = {
	    .default_action = "SCMP_ACT_ALLOW",
	    CALLS({NAMES("fadvise64"), .action = "SCMP_ACT_ERRNO", .errno_ret = {true, 77},
		   ARGS({1, 1, 0, "SCMP_CMP_EQ"}, {1, 2, 0, "SCMP_CMP_EQ"}, {3, 5, 0, "SCMP_CMP_EQ"})}),
	};
	CHECK(exits(in_child(&together, call_together), 0));
	CHECK(exits(in_child(&repeated, call_repeated), 0));
}

/* Of two rules that both hold the more specific one wins, whatever their order. */
static void test_overlaps(void)
{
	static const struct {
		struct oci_seccomp_arg wins[2], loses[2];
		uint64_t args[4];
	} cases[] = {
	    {{{1, 1, 0, "SCMP_CMP_EQ"}}, {{1, 5, 0, "SCMP_CMP_LE"}}, {0, 1, 0, 0}},
	    {{{1, 1, 0, "SCMP_CMP_EQ"}}, {{1, 2, 0, "SCMP_CMP_NE"}}, {0, 1, 0, 0}},
	    {{{1, 7, 0, "SCMP_CMP_EQ"}}, {{1, 3, 3, "SCMP_CMP_MASKED_EQ"}}, {0, 7, 0, 0}},
	    {{{1, 7, 3, "SCMP_CMP_MASKED_EQ"}}, {{1, 3, 3, "SCMP_CMP_MASKED_EQ"}}, {0, 11, 0, 0}},
	    {{{1, 3, 3, "SCMP_CMP_MASKED_EQ"}}, {{1, 2, 0, "SCMP_CMP_GT"}}, {0, 7, 0, 0}},
	    {{{1, 5, 0, "SCMP_CMP_LE"}}, {{1, 9, 0, "SCMP_CMP_LT"}}, {0, 5, 0, 0}},
	    {{{1, 9, 0, "SCMP_CMP_GT"}}, {{1, 5, 0, "SCMP_CMP_GE"}}, {0, 10, 0, 0}},
	    {{{1, 9, 0, "SCMP_CMP_LT"}}, {{1, 9, 0, "SCMP_CMP_LE"}}, {0, 8, 0, 0}},
	    {{{1, 9, 0, "SCMP_CMP_GE"}}, {{1, 7, 0, "SCMP_CMP_NE"}}, {0, 9, 0, 0}},
	    {{{1, 1, 0, "SCMP_CMP_EQ"}, {2, 2, 0, "SCMP_CMP_EQ"}}, {{1, 1, 0, "SCMP_CMP_EQ"}}, {0, 1, 2, 0}},
	    {{{3, 1, 0, "SCMP_CMP_EQ"}}, {{1, 1, 0, "SCMP_CMP_EQ"}}, {0, 1, 0, 1}},
	};

	for (size_t i = 0; i < 4 * ARRAY_SIZE(cases); i++) {
		const char *names[] = {"fadvise64"};
		struct oci_seccomp_syscall calls[2];
		size_t winner = i % 2;
		bool allowed = i / 2 % 2 == 1;
		for (size_t j = 0; j < 2; j++) {
			const struct oci_seccomp_arg *args = j == winner ? cases[i / 4].wins : cases[i / 4].loses;
			calls[j] = (struct oci_seccomp_syscall){.names = names,
								.names_count = 1,
								.action = allowed == (j == winner) ? "SCMP_ACT_ALLOW"
												   : "SCMP_ACT_ERRNO",
								.args = (struct oci_seccomp_arg *)args,
								.args_count = args[1].op != NULL ? 2 : 1};
		}
		struct oci_seccomp profile = {
		    .default_action = "SCMP_ACT_KILL_PROCESS", .syscalls = calls, .syscalls_count = 2};
		uint32_t action = planned_action(&profile, SYS_fadvise64, cases[i / 4].args);
		if (!CHECK(action == (allowed ? SECCOMP_RET_ALLOW : (SECCOMP_RET_ERRNO | EPERM))))
			printf("# case %zu, %zu: %08x\n", i / 4, i % 4, action);
	}
	/* Nothing but the action differs: the stricter one, as with several filters. */
	struct oci_seccomp equal = {
	    .default_action = "SCMP_ACT_LOG",
	    CALLS({NAMES("fadvise64"), .action = "SCMP_ACT_ALLOW", ARGS({1, 1, 0, "SCMP_CMP_EQ"})},
		  {NAMES("fadvise64"), .action = "SCMP_ACT_KILL_PROCESS", ARGS({1, 1, 0, "SCMP_CMP_EQ"})},
		  {NAMES("fadvise64"), .action = "SCMP_ACT_ERRNO", ARGS({1, 1, 0, "SCMP_CMP_EQ"})}),
	};
	uint64_t one[4] = {0, 1, 0, 0};
	CHECK(planned_action(&equal, SYS_fadvise64, one) == SECCOMP_RET_KILL_PROCESS);
	/* Without conditions: before all others, the first. */
	struct oci_seccomp unconditional = {
	    .default_action = "SCMP_ACT_LOG",
	    CALLS({NAMES("fadvise64"), .action = "SCMP_ACT_KILL_PROCESS", ARGS({1, 1, 0, "SCMP_CMP_EQ"})},
		  {NAMES("fadvise64"), .action = "SCMP_ACT_ALLOW"}, {NAMES("fadvise64"), .action = "SCMP_ACT_ERRNO"}),
	};
	CHECK(planned_action(&unconditional, SYS_fadvise64, one) == SECCOMP_RET_ALLOW);
}

#ifdef __x86_64__
/* getpid by the interface of 32-bit programs. */
static long compat_getpid(void)
{
	long result;

	__asm__ volatile("int $0x80" : "=a"(result) : "a"(20L) : "memory", "r8", "r9", "r10", "r11");
	return result;
}

static int call_compat(void)
{
	return compat_getpid() > 0 ? 0 : 1;
}

static void test_architectures(void)
{
	const char *with[] = {"SCMP_ARCH_X86", "SCMP_ARCH_S390X", "SCMP_ARCH_AARCH64", "SCMP_ARCH_X86_64"};
	struct oci_seccomp profile = {
	    .default_action = "SCMP_ACT_ALLOW",
	    CALLS({NAMES("getppid"), .action = "SCMP_ACT_ERRNO"}),
	};

	/* A kernel without IA32_EMULATION has nothing to show. */
	pid_t child = fork();
	if (child == 0)
		_exit(call_compat());
	int status = -1;
	waitpid(child, &status, 0);
	bool emulation = WIFEXITED(status) && WEXITSTATUS(status) == 0;
	CHECK(exits(in_child(&profile, call_getppid), EPERM));
	if (emulation)
		CHECK(dies(in_child(&profile, call_compat), SIGSYS));
	profile.architectures = with;
	profile.architectures_count = ARRAY_SIZE(with);
	CHECK(exits(in_child(&profile, call_getppid), EPERM));
	if (emulation)
		CHECK(exits(in_child(&profile, call_compat), 0));
	else
		printf("# no 32-bit calls on this kernel\n");
}
#else
static void test_architectures(void)
{
}
#endif

static uint32_t planned_flags(const struct oci_seccomp *profile)
{
	struct planned planned = {.fd = -1};
	struct error err = {0};
	uint32_t flags = UINT32_MAX;

	if (CHECK(make_plan(profile, &planned, &err)))
		flags = planned.plan->seccomp.flags;
	free_plan(&planned);
	return flags;
}

static void test_flags(void)
{
	const char *list[] = {"SECCOMP_FILTER_FLAG_LOG", "SECCOMP_FILTER_FLAG_TSYNC",
			      "SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV"};
	struct oci_seccomp profile = {.default_action = "SCMP_ACT_ALLOW"};

	CHECK(planned_flags(&profile) == SECCOMP_FILTER_FLAG_SPEC_ALLOW);
	profile.flags_set = true;
	CHECK(planned_flags(&profile) == 0);
	profile.flags = list;
	profile.flags_count = 2;
	CHECK(planned_flags(&profile) == SECCOMP_FILTER_FLAG_LOG);
	if (seccomp_flag_supported("SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV")) {
		/* Only a listener makes it mean something. */
		profile.flags_count = 3;
		CHECK(planned_flags(&profile) == SECCOMP_FILTER_FLAG_LOG);
	}
	CHECK(seccomp_flag_supported("SECCOMP_FILTER_FLAG_LOG"));
	CHECK(!seccomp_flag_supported("SECCOMP_FILTER_FLAG_UNHEARD_OF"));
	list[0] = "SECCOMP_FILTER_FLAG_UNHEARD_OF";
	refused(&profile, "seccomp flag SECCOMP_FILTER_FLAG_UNHEARD_OF is not known");
}

static void test_refused(void)
{
	static const char *bad_architecture[] = {"SCMP_ARCH_VAX"};
	/* Each call takes some instructions. */
	enum { MANY = 1000 };
	static struct oci_seccomp_syscall many[MANY];
	static struct oci_seccomp_arg values[MANY];
	static const char *one_name[] = {"fadvise64"};

	refused(&(struct oci_seccomp){CALLS({NAMES("read"), .action = "SCMP_ACT_ALLOW"})}, "defaultAction is not set");
	refused(&(struct oci_seccomp){.default_action = "SCMP_ACT_MAYBE"},
		"string SCMP_ACT_MAYBE is not a valid action");
	refused(&(struct oci_seccomp){.default_action = "SCMP_ACT_ALLOW", .default_errno_ret = {true, 1}},
		"errnoRet is set for action SCMP_ACT_ALLOW");
	refused(&(struct oci_seccomp){.default_action = "SCMP_ACT_ERRNO", .default_errno_ret = {true, 4096}},
		"errnoRet 4096");
	refused(&(struct oci_seccomp){.default_action = "SCMP_ACT_ALLOW",
				      .architectures = bad_architecture,
				      .architectures_count = 1},
		"string SCMP_ARCH_VAX is not a valid arch");
	refused(
	    &(struct oci_seccomp){.default_action = "SCMP_ACT_ALLOW",
				  CALLS({NAMES("read"), .action = "SCMP_ACT_ERRNO", ARGS({6, 0, 0, "SCMP_CMP_EQ"})})},
	    "linux.seccomp.syscalls[0]: seccomp: args index 6");
	refused(
	    &(struct oci_seccomp){.default_action = "SCMP_ACT_ALLOW",
				  CALLS({NAMES("read"), .action = "SCMP_ACT_ERRNO", ARGS({0, 0, 0, "SCMP_CMP_NEAR"})})},
	    "string SCMP_CMP_NEAR is not a valid operator");
	refused(&(struct oci_seccomp){.default_action = "SCMP_ACT_NOTIFY"}, "seccomp listenerPath is not set");
	refused(&(struct oci_seccomp){.default_action = "SCMP_ACT_ALLOW",
				      .listener_path = "",
				      CALLS({NAMES("read"), .action = "SCMP_ACT_NOTIFY"})},
		"seccomp listenerPath is not set");
	refused(&(struct oci_seccomp){.default_action = "SCMP_ACT_ALLOW", .listener_metadata = "x"},
		"listenerMetadata is set, but listenerPath is not");
	refused(&(struct oci_seccomp){.default_action = "SCMP_ACT_NOTIFY", .listener_path = "/nonexistent/agent"},
		"/nonexistent/agent (listenerPath): no such file or directory");

	for (size_t i = 0; i < MANY; i++) {
		values[i] = (struct oci_seccomp_arg){1, i, 0, "SCMP_CMP_EQ"};
		many[i] = (struct oci_seccomp_syscall){.names = one_name,
						       .names_count = 1,
						       .action = "SCMP_ACT_ERRNO",
						       .args = &values[i],
						       .args_count = 1};
	}
	refused(&(struct oci_seccomp){.default_action = "SCMP_ACT_ALLOW", .syscalls = many, .syscalls_count = MANY},
		"4096 instructions");

	struct planned planned = {.fd = -1};
	struct error err = {0};
	CHECK(make_plan(NULL, &planned, &err) && planned.plan->seccomp.filter.count == 0);
	free_plan(&planned);
	planned = (struct planned){.fd = -1};
	CHECK(make_plan(&(struct oci_seccomp){0}, &planned, &err) && planned.plan->seccomp.filter.count == 0);
	free_plan(&planned);
}

static void test_privilege(void)
{
	struct oci_seccomp profile = {.default_action = "SCMP_ACT_ALLOW",
				      CALLS({NAMES("getppid"), .action = "SCMP_ACT_ERRNO"})};
	struct planned planned = {.fd = -1};
	struct error err = {0};

	if (!CHECK(make_plan(&profile, &planned, &err)))
		return;
	struct plan_process process = planned.plan->process;
	struct launch launch = {.plan = planned.plan, .process = &process};
	CHECK(!seccomp_needs_privilege(&launch));
	process.no_new_privileges = 0;
	CHECK(seccomp_needs_privilege(&launch));
	pid_t child = fork();
	if (child == 0) {
		if (geteuid() == 0 && setresuid(65534, 65534, 65534) < 0)
			_exit(3);
		_exit(seccomp_apply(&launch, &err) == -EACCES && strstr(err.message, "CAP_SYS_ADMIN") != NULL ? 0 : 1);
	}
	int status = -1;
	waitpid(child, &status, 0);
	CHECK(exits(status, 0));
	free_plan(&planned);
}

static int call_default_profile(void)
{
	int fd = (int)syscall(SYS_openat, AT_FDCWD, "/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool denied = syscall(SYS_kexec_load, 0, 0, 0, 0) == -1 && errno == EPERM;
	bool unknown = syscall(SYS_mount_setattr + 5000, 0) == -1 && errno == ENOSYS;
	bool audit = syscall(SYS_socket, 16, 3, 9) == -1 && errno == EINVAL;

	return fd >= 0 && denied && unknown && audit ? 0 : 1;
}

static void test_default_profile(void)
{
	struct planned planned = {.fd = -1};
	struct error err = {0};

	CHECK(exits(in_child(&default_profile, call_default_profile), 0));
	if (!CHECK(make_plan(&default_profile, &planned, &err)))
		return;
	const struct sock_filter *filter = plan_items(planned.plan, planned.plan->seccomp.filter);
	size_t count = planned.plan->seccomp.filter.count;
	unsigned int most = 0;
	/* Every call pays for it. */
	for (int number = 0; number < 450; number++) {
		struct seccomp_data data = {.arch = AUDIT_ARCH_X86_64, .nr = number};
		unsigned int steps = 0;
		bpf_run(filter, count, &data, &steps);
		most = steps > most ? steps : most;
	}
	printf("# default profile: %zu instructions, at most %u for a call\n", count, most);
	CHECK(count < 800 && most < 40);
	free_plan(&planned);
}

int main(void)
{
	test_actions();
	test_unknown_numbers();
	test_operators();
	test_conditions();
	test_overlaps();
	test_architectures();
	test_flags();
	test_refused();
	test_privilege();
	test_default_profile();
	return check_result();
}
