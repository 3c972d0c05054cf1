/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/linux/seccomp_numbers.h"

#include <seccomp.h>
#include <string.h>

#include "sandbox/common/cleanup.h"

#ifndef EM_LOONGARCH
#define EM_LOONGARCH 258
#endif
#ifndef EM_RISCV
#define EM_RISCV 243
#endif

#define LE __AUDIT_ARCH_LE
#define WIDE __AUDIT_ARCH_64BIT
#define N32 0x20000000 /* __AUDIT_ARCH_CONVENTION_MIPS64_N32 */

/* In multiplexed numbers: the calls' offsets from -100 and -200 are the selectors of socketcall and ipc
 * (linux/net.h, linux/ipc.h). libseccomp has these numbers and the direct ones, but answers with one of them. */
enum { SOCKETCALL = 102, IPC = 117, SOCKET_CALLS = 20, IPC_CALLS = 24 };

/* clang-format off */
static const uint16_t sockets_x86[SOCKET_CALLS + 1] = {0,
	359, 361, 362, 363, 0, 367, 368, 360, 0, 0, 369, 371, 373, 366, 365, 370, 372, 364, 337, 345};
static const uint16_t sockets_s390[SOCKET_CALLS + 1] = {0,
	359, 361, 362, 363, 0, 367, 368, 360, 0, 0, 369, 371, 373, 366, 365, 370, 372, 364, 357, 358};
static const uint16_t sockets_ppc[SOCKET_CALLS + 1] = {0,
	326, 327, 328, 329, 330, 331, 332, 333, 334, 336, 335, 337, 338, 339, 340, 341, 342, 344, 343, 349};
static const uint16_t sockets_mips[SOCKET_CALLS + 1] = {0,
	183, 169, 170, 174, 168, 172, 171, 184, 178, 175, 180, 176, 182, 181, 173, 179, 177, 334, 335, 343};
static const uint16_t sockets_m68k[SOCKET_CALLS + 1] = {0,
	356, 358, 359, 360, 0, 364, 365, 357, 0, 0, 366, 368, 370, 363, 362, 367, 369, 361, 371, 372};
static const uint16_t sockets_sh[SOCKET_CALLS + 1] = {0,
	340, 341, 342, 343, 344, 345, 346, 347, 348, 350, 349, 351, 352, 353, 354, 355, 356, 358, 357, 363};

/* The same everywhere (Linux 5.1) but for semtimedop, which 32-bit architectures have with another time type. */
static const uint16_t ipc_calls[IPC_CALLS + 1] = {
	[2] = 393, [3] = 394, [11] = 400, [12] = 401, [13] = 399, [14] = 402,
	[21] = 397, [22] = 398, [23] = 395, [24] = 396};

static const struct seccomp_architecture architectures[] = {
	{"SCMP_ARCH_X86", EM_386 | LE, EM_386 | LE, 0, false, sockets_x86, 0},
	{"SCMP_ARCH_X86_64", EM_X86_64 | WIDE | LE, EM_X86_64 | WIDE | LE, 0, true, NULL, 0},
	{"SCMP_ARCH_X32", EM_X86_64 | LE, EM_X86_64 | WIDE | LE, SECCOMP_X32_BIT, false, NULL, 0},
	{"SCMP_ARCH_ARM", EM_ARM | LE, EM_ARM | LE, 0, false, NULL, 0},
	{"SCMP_ARCH_AARCH64", EM_AARCH64 | WIDE | LE, EM_AARCH64 | WIDE | LE, 0, true, NULL, 0},
	{"SCMP_ARCH_MIPS", EM_MIPS, EM_MIPS, 4000, false, sockets_mips, 0},
	{"SCMP_ARCH_MIPS64", EM_MIPS | WIDE, EM_MIPS | WIDE, 5000, true, NULL, 0},
	{"SCMP_ARCH_MIPS64N32", EM_MIPS | WIDE | N32, EM_MIPS | WIDE | N32, 6000, false, NULL, 0},
	{"SCMP_ARCH_MIPSEL", EM_MIPS | LE, EM_MIPS | LE, 4000, false, sockets_mips, 0},
	{"SCMP_ARCH_MIPSEL64", EM_MIPS | WIDE | LE, EM_MIPS | WIDE | LE, 5000, true, NULL, 0},
	{"SCMP_ARCH_MIPSEL64N32", EM_MIPS | WIDE | N32 | LE, EM_MIPS | WIDE | N32 | LE, 6000, false, NULL, 0},
	{"SCMP_ARCH_PPC", EM_PPC, EM_PPC, 0, false, sockets_ppc, 0},
	{"SCMP_ARCH_PPC64", EM_PPC64 | WIDE, EM_PPC64 | WIDE, 0, true, sockets_ppc, 392},
	{"SCMP_ARCH_PPC64LE", EM_PPC64 | WIDE | LE, EM_PPC64 | WIDE | LE, 0, true, sockets_ppc, 392},
	{"SCMP_ARCH_S390", EM_S390, EM_S390, 0, false, sockets_s390, 0},
	{"SCMP_ARCH_S390X", EM_S390 | WIDE, EM_S390 | WIDE, 0, true, sockets_s390, 392},
	{"SCMP_ARCH_PARISC", EM_PARISC, EM_PARISC, 0, false, NULL, 0},
	{"SCMP_ARCH_PARISC64", EM_PARISC | WIDE, EM_PARISC | WIDE, 0, true, NULL, 0},
	{"SCMP_ARCH_RISCV64", EM_RISCV | WIDE | LE, EM_RISCV | WIDE | LE, 0, true, NULL, 0},
	{"SCMP_ARCH_LOONGARCH64", EM_LOONGARCH | WIDE | LE, EM_LOONGARCH | WIDE | LE, 0, true, NULL, 0},
	{"SCMP_ARCH_M68K", EM_68K, EM_68K, 0, false, sockets_m68k, 0},
	{"SCMP_ARCH_SH", EM_SH | LE, EM_SH | LE, 0, false, sockets_sh, 0},
	{"SCMP_ARCH_SHEB", EM_SH, EM_SH, 0, false, sockets_sh, 0},
};

/* Newer than libseccomp 2.5.4 (Linux 5.17). New calls have one number everywhere, above the base. */
static const struct {
	const char *name;
	uint16_t number;
} newer[] = {
	{"cachestat", 451}, {"fchmodat2", 452}, {"map_shadow_stack", 453}, {"futex_wake", 454},
	{"futex_wait", 455}, {"futex_requeue", 456}, {"statmount", 457}, {"listmount", 458},
	{"lsm_get_self_attr", 459}, {"lsm_set_self_attr", 460}, {"lsm_list_modules", 461}, {"mseal", 462},
	{"setxattrat", 463}, {"getxattrat", 464}, {"listxattrat", 465}, {"removexattrat", 466},
	{"open_tree_attr", 467}, {"file_getattr", 468}, {"file_setattr", 469}, {"listns", 470},
	{"rseq_slice_yield", 471},
};
/* clang-format on */

const struct seccomp_architecture *seccomp_architecture_by_word(const char *word)
{
	for (size_t i = 0; i < ARRAY_SIZE(architectures); i++)
		if (strcmp(architectures[i].word, word) == 0)
			return &architectures[i];
	return NULL;
}

const struct seccomp_architecture *seccomp_architecture_by_token(uint32_t token)
{
	for (size_t i = 0; i < ARRAY_SIZE(architectures); i++)
		if (architectures[i].token == token)
			return &architectures[i];
	return NULL;
}

const struct seccomp_architecture *seccomp_architecture_native(void)
{
	return seccomp_architecture_by_token(seccomp_arch_native());
}

/* One number for the machines whose kernels run each other's programs. */
static uint32_t family(uint32_t token)
{
	static const uint16_t narrow_of[][2] = {{EM_X86_64, EM_386}, {EM_AARCH64, EM_ARM}, {EM_PPC64, EM_PPC}};
	uint32_t machine = token & 0xffff;

	for (size_t i = 0; i < ARRAY_SIZE(narrow_of); i++)
		if (machine == narrow_of[i][0])
			machine = narrow_of[i][1];
	return machine | (token & LE);
}

bool seccomp_architecture_runs(const struct seccomp_architecture *native, const struct seccomp_architecture *other)
{
	return family(native->token) == family(other->token);
}

static int newer_number(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(newer); i++)
		if (strcmp(newer[i].name, name) == 0)
			return newer[i].number;
	return -1;
}

size_t seccomp_numbers(const struct seccomp_architecture *architecture, const char *name,
		       struct seccomp_number numbers[static 2])
{
	int number = seccomp_syscall_resolve_name_arch(architecture->token, name);
	uint16_t direct = 0;

	if (number == __NR_SCMP_ERROR) {
		number = newer_number(name);
		if (number >= 0)
			number += (int)architecture->base;
	}
	if (number >= 0) {
		numbers[0] = (struct seccomp_number){.number = (uint32_t)number};
		return 1;
	}
	if (architecture->sockets == NULL)
		return 0;
	int socket_call = -100 - number, ipc_call = -200 - number;
	if (socket_call > 0 && socket_call <= SOCKET_CALLS) {
		numbers[0] = (struct seccomp_number){architecture->base + SOCKETCALL, (uint32_t)socket_call};
		direct = architecture->sockets[socket_call];
	} else if (ipc_call > 0 && ipc_call <= IPC_CALLS) {
		numbers[0] = (struct seccomp_number){architecture->base + IPC, (uint32_t)ipc_call};
		direct = ipc_call == 4 ? architecture->semtimedop : ipc_calls[ipc_call];
	} else {
		return 0;
	}
	if (direct == 0)
		return 1;
	numbers[1] = (struct seccomp_number){.number = architecture->base + direct};
	return 2;
}

bool seccomp_name_known(const char *name)
{
	return seccomp_syscall_resolve_name(name) != __NR_SCMP_ERROR || newer_number(name) >= 0;
}
