/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of sandbox/linux/seccomp_numbers.c against libseccomp's, and far jumps. */
#include <errno.h>
#include <linux/audit.h>
#include <seccomp.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sandbox/common/cleanup.h"
#include "sandbox/linux/seccomp_bpf.h"
#include "sandbox/linux/seccomp_numbers.h"
#include "tests/unit/bpf_run.h"
#include "tests/unit/check.h"

/* linux/net.h SYS_*, linux/ipc.h: the place is the selector. */
static const char *const sockets[] = {NULL,          "socket",      "bind",       "connect",    "listen",  "accept",
				      "getsockname", "getpeername", "socketpair", "send",       "recv",    "sendto",
				      "recvfrom",    "shutdown",    "setsockopt", "getsockopt", "sendmsg", "recvmsg",
				      "accept4",     "recvmmsg",    "sendmmsg"};
static const char *const ipc[] = {
    [1] = "semop",   [2] = "semget",  [3] = "semctl", [4] = "semtimedop", [11] = "msgsnd", [12] = "msgrcv",
    [13] = "msgget", [14] = "msgctl", [21] = "shmat", [22] = "shmdt",     [23] = "shmget", [24] = "shmctl"};

/* libseccomp's number for a direct call, from its other table; -1: none. */
static int direct_number(uint32_t token, const char *name)
{
	for (int number = 0; number < 500; number++) {
		char *found = seccomp_syscall_resolve_num_arch(token, number);
		bool same = found != NULL && strcmp(found, name) == 0;
		free(found);
		if (same)
			return number;
	}
	return -1;
}

static void check_multiplexed(const struct seccomp_architecture *architecture, const char *name, uint32_t multiplexer,
			      uint32_t selector)
{
	struct seccomp_number numbers[2];
	size_t count = seccomp_numbers(architecture, name, numbers);
	int direct = direct_number(architecture->token, name);

	if (!CHECK(count == (direct < 0 ? 1 : 2)) ||
	    !CHECK(numbers[0].number == architecture->base + multiplexer && numbers[0].selector == selector) ||
	    (count == 2 &&
	     !CHECK(numbers[1].number == architecture->base + (uint32_t)direct && numbers[1].selector == 0)))
		printf("# %s of %s: libseccomp %d\n", name, architecture->word, direct);
}

static void test_multiplexed(void)
{
	static const uint32_t tokens[] = {SCMP_ARCH_X86,   SCMP_ARCH_S390,    SCMP_ARCH_S390X, SCMP_ARCH_PPC,
					  SCMP_ARCH_PPC64, SCMP_ARCH_PPC64LE, SCMP_ARCH_MIPS,  SCMP_ARCH_MIPSEL};

	for (size_t i = 0; i < ARRAY_SIZE(tokens); i++) {
		const struct seccomp_architecture *architecture = seccomp_architecture_by_token(tokens[i]);
		for (uint32_t j = 1; j < ARRAY_SIZE(sockets); j++)
			check_multiplexed(architecture, sockets[j], 102, j);
		for (uint32_t j = 1; j < ARRAY_SIZE(ipc); j++)
			if (ipc[j] != NULL)
				check_multiplexed(architecture, ipc[j], 117, j);
	}
}

static void test_names(void)
{
	const struct seccomp_architecture *native = seccomp_architecture_native();
	const struct seccomp_architecture *x32 = seccomp_architecture_by_word("SCMP_ARCH_X32");
	const struct seccomp_architecture *mips = seccomp_architecture_by_word("SCMP_ARCH_MIPS64");
	struct seccomp_number numbers[2];

	CHECK(native != NULL && seccomp_numbers(native, "getpid", numbers) == 1 && numbers[0].number == SYS_getpid);
	CHECK(seccomp_numbers(x32, "getpid", numbers) == 1 && numbers[0].number == (SECCOMP_X32_BIT | 39));
	/* Newer than some libseccomp. */
	CHECK(seccomp_numbers(native, "mseal", numbers) == 1 && numbers[0].number == 462);
	CHECK(seccomp_numbers(x32, "mseal", numbers) == 1 && numbers[0].number == (SECCOMP_X32_BIT | 462));
	CHECK(seccomp_numbers(mips, "cachestat", numbers) == 1 && numbers[0].number == 5451);
	CHECK(seccomp_numbers(native, "no_such_call", numbers) == 0);
	CHECK(seccomp_name_known("mseal") && seccomp_name_known("cacheflush") && !seccomp_name_known("no_such_call"));
	CHECK(seccomp_architecture_by_word("SCMP_ARCH_VAX") == NULL && seccomp_architecture_by_token(1) == NULL);
}

static void test_families(void)
{
	static const struct {
		const char *native, *other;
		bool runs;
	} cases[] = {
	    {"SCMP_ARCH_X86_64", "SCMP_ARCH_X86", true},       {"SCMP_ARCH_X86_64", "SCMP_ARCH_X32", true},
	    {"SCMP_ARCH_X86_64", "SCMP_ARCH_AARCH64", false},  {"SCMP_ARCH_AARCH64", "SCMP_ARCH_ARM", true},
	    {"SCMP_ARCH_S390X", "SCMP_ARCH_S390", true},       {"SCMP_ARCH_PPC64LE", "SCMP_ARCH_PPC64", false},
	    {"SCMP_ARCH_PPC64", "SCMP_ARCH_PPC", true},        {"SCMP_ARCH_MIPSEL64", "SCMP_ARCH_MIPSEL64N32", true},
	    {"SCMP_ARCH_MIPSEL64", "SCMP_ARCH_MIPS64", false},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		CHECK(seccomp_architecture_runs(seccomp_architecture_by_word(cases[i].native),
						seccomp_architecture_by_word(cases[i].other)) == cases[i].runs);
}

/* Both targets of a branch at all distances around what eight bits hold. */
static void test_branches(void)
{
	static struct bpf_writer writer;
	struct seccomp_data data[2] = {{.nr = 5}, {.nr = 6}};

	for (unsigned int near = 0; near < 600; near += near < 245 || near > 262 ? 49 : 1)
		for (unsigned int apart = 0; apart < 600; apart += apart < 245 || apart > 262 ? 49 : 1)
			for (int swap = 0; swap < 2; swap++) {
				writer = (struct bpf_writer){0};
				bpf_return(&writer, swap ? 2 : 1);
				bpf_label far_label = bpf_here(&writer);
				for (unsigned int i = 0; i < apart; i++)
					bpf_return(&writer, 9);
				bpf_return(&writer, swap ? 1 : 2);
				bpf_label near_label = bpf_here(&writer);
				for (unsigned int i = 0; i < near; i++)
					bpf_return(&writer, 9);
				bpf_branch(&writer, BPF_JEQ, 5, swap ? near_label : far_label,
					   swap ? far_label : near_label);
				bpf_load(&writer, 0);
				const struct sock_filter *program = writer.instructions + BPF_MAXINSNS - writer.count;
				bool right = bpf_run(program, writer.count, &data[0], NULL) == 1 &&
					     bpf_run(program, writer.count, &data[1], NULL) == 2;
				if (!right && !CHECK(right))
					printf("# near %u, apart %u, %d\n", near, apart, swap);
			}
	CHECK(!writer.overflow);
	for (unsigned int i = 0; i < BPF_MAXINSNS; i++)
		bpf_return(&writer, 9);
	CHECK(writer.overflow && writer.count == BPF_MAXINSNS);
}

int main(void)
{
	test_multiplexed();
	test_names();
	test_families();
	test_branches();
	return check_result();
}
