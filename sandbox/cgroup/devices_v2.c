/* SPDX-License-Identifier: Apache-2.0 */
/* v2 has no device controller: a BPF program decides. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sandbox/cgroup/devices.h"
#include "sandbox/common/cleanup.h"

/* Instructions before the rules and after them, and at most for one rule. */
#define FRAME_LENGTH 8
#define RULE_LENGTH 8
/* The kernel's BPF_CGROUP_MAX_PROGS */
#define PROGRAMS_MAX 64

/* Registers: the argument, then what is loaded from it. */
enum { RESULT = 0, CONTEXT = 1, TYPE = 2, ACCESS = 3, MAJOR = 4, MINOR = 5 };

static struct bpf_insn load(int to, int offset)
{
	return (struct bpf_insn){.code = BPF_LDX | BPF_MEM | BPF_W, .dst_reg = to, .src_reg = CONTEXT, .off = offset};
}

/* A 32-bit operation with a constant. */
static struct bpf_insn alu(int operation, int to, int value)
{
	return (struct bpf_insn){.code = BPF_ALU | operation | BPF_K, .dst_reg = to, .imm = value};
}

static struct bpf_insn jump(int operation, int reg, int value)
{
	return (struct bpf_insn){.code = BPF_JMP | operation | BPF_K, .dst_reg = reg, .imm = value};
}

static void finish(struct bpf_insn *program, size_t *length, bool allow)
{
	program[(*length)++] = alu(BPF_MOV, RESULT, allow);
	program[(*length)++] = (struct bpf_insn){.code = BPF_JMP | BPF_EXIT};
}

static bool is_everything(const struct cgroup_device_rule *rule)
{
	return rule->type == 'a' && rule->major < 0 && rule->minor < 0 && rule->access == CGROUP_DEVICE_ALL;
}

/* One rule. ACCESS holds what has not been allowed yet: an allowing rule takes its part out and allows when nothing
 * is left, a denying one denies when it meets something. */
static void add_rule(struct bpf_insn *program, size_t *length, const struct cgroup_device_rule *rule)
{
	size_t start = *length;

	if (rule->type != 'a')
		program[(*length)++] =
		    jump(BPF_JNE, TYPE, rule->type == 'b' ? BPF_DEVCG_DEV_BLOCK : BPF_DEVCG_DEV_CHAR);
	if (rule->major >= 0)
		program[(*length)++] = jump(BPF_JNE, MAJOR, (int)rule->major);
	if (rule->minor >= 0)
		program[(*length)++] = jump(BPF_JNE, MINOR, (int)rule->minor);
	if (rule->allow) {
		program[(*length)++] = alu(BPF_AND, ACCESS, (int)~rule->access);
		program[(*length)++] = jump(BPF_JNE, ACCESS, 0);
	} else {
		program[(*length)++] =
		    (struct bpf_insn){.code = BPF_ALU | BPF_MOV | BPF_X, .dst_reg = CONTEXT, .src_reg = ACCESS};
		program[(*length)++] = alu(BPF_AND, CONTEXT, (int)rule->access);
		program[(*length)++] = jump(BPF_JEQ, CONTEXT, 0);
	}
	finish(program, length, rule->allow);
	/* All jumps lead behind the rule. */
	for (size_t i = start; i < *length; i++)
		if (BPF_CLASS(program[i].code) == BPF_JMP && BPF_OP(program[i].code) != BPF_EXIT)
			program[i].off = (int16_t)(*length - i - 1);
}

struct bpf_insn *cgroup_devices_v2_program(struct arena *arena, const struct cgroup_device_rule *rules, size_t count,
					   size_t *length)
{
	struct bpf_insn *program = arena_array(arena, FRAME_LENGTH + count * RULE_LENGTH, sizeof *program);

	*length = 0;
	/* struct bpf_cgroup_dev_ctx: access_type (access in the upper half), major, minor */
	program[(*length)++] = load(TYPE, 0);
	program[(*length)++] = alu(BPF_AND, TYPE, 0xffff);
	program[(*length)++] = load(ACCESS, 0);
	program[(*length)++] = alu(BPF_RSH, ACCESS, 16);
	program[(*length)++] = load(MAJOR, 4);
	program[(*length)++] = load(MINOR, 8);
	for (size_t i = count; i > 0; i--) {
		/* The rules before this one don't matter, and the verifier refuses what can't be reached. */
		if (is_everything(&rules[i - 1])) {
			finish(program, length, rules[i - 1].allow);
			return program;
		}
		add_rule(program, length, &rules[i - 1]);
	}
	finish(program, length, false);
	return program;
}

static int bpf(int command, union bpf_attr *attributes)
{
	int result;

	/* EAGAIN: the verifier was interrupted. */
	do
		result = (int)syscall(SYS_bpf, command, attributes, sizeof *attributes);
	while (result < 0 && errno == EAGAIN);
	return result < 0 ? -errno : result;
}

static int program_load(const struct bpf_insn *program, size_t length)
{
	union bpf_attr attributes = {
	    .prog_type = BPF_PROG_TYPE_CGROUP_DEVICE,
	    .insn_cnt = (uint32_t)length,
	    .insns = (uint64_t)(uintptr_t)program,
	    .license = (uint64_t)(uintptr_t) "Apache",
	    .prog_name = "sandlock_dev",
	};
	return bpf(BPF_PROG_LOAD, &attributes);
}

/* Ids of the programs attached to the cgroup itself, and how the cgroup takes them. */
static int program_list(int dirfd, uint32_t ids[PROGRAMS_MAX], size_t *count, uint32_t *flags)
{
	union bpf_attr attributes = {.query = {
					 .target_fd = (uint32_t)dirfd,
					 .attach_type = BPF_CGROUP_DEVICE,
					 .prog_ids = (uint64_t)(uintptr_t)ids,
					 .prog_cnt = PROGRAMS_MAX,
				     }};
	int rc = bpf(BPF_PROG_QUERY, &attributes);

	*count = rc < 0 ? 0 : attributes.query.prog_cnt;
	*flags = attributes.query.attach_flags;
	return rc;
}

static int program_open(uint32_t id)
{
	union bpf_attr attributes = {.prog_id = id};
	return bpf(BPF_PROG_GET_FD_BY_ID, &attributes);
}

static int program_attach(int dirfd, int program, uint32_t flags, int replace)
{
	union bpf_attr attributes = {
	    .target_fd = (uint32_t)dirfd,
	    .attach_bpf_fd = (uint32_t)program,
	    .attach_type = BPF_CGROUP_DEVICE,
	    .attach_flags = flags | (replace >= 0 ? BPF_F_REPLACE : 0),
	    .replace_bpf_fd = replace >= 0 ? (uint32_t)replace : 0,
	};
	return bpf(BPF_PROG_ATTACH, &attributes);
}

static void program_detach(int dirfd, int program)
{
	union bpf_attr attributes = {
	    .target_fd = (uint32_t)dirfd, .attach_bpf_fd = (uint32_t)program, .attach_type = BPF_CGROUP_DEVICE};
	(void)bpf(BPF_PROG_DETACH, &attributes);
}

/* With BPF_F_ALLOW_MULTI all programs must agree, so those that were there have to go; one of them is replaced in the
 * same step (Linux 5.6). Without that flag there is one program, which attaching replaces. There is never a moment
 * without any. */
static int attach_instead(int dirfd, int program)
{
	uint32_t ids[PROGRAMS_MAX] = {0};
	int old[PROGRAMS_MAX] = {0};
	size_t count = 0;
	uint32_t flags = 0;

	int rc = program_list(dirfd, ids, &count, &flags);
	if (rc < 0)
		return rc;
	if (count > 0 && !(flags & BPF_F_ALLOW_MULTI))
		return program_attach(dirfd, program, flags, -1);
	for (size_t i = 0; i < count; i++)
		old[i] = program_open(ids[i]);
	rc = program_attach(dirfd, program, BPF_F_ALLOW_MULTI, count > 0 ? old[0] : -1);
	for (size_t i = 0; i < count; i++) {
		if (old[i] < 0)
			continue;
		if (rc >= 0 && i > 0)
			program_detach(dirfd, old[i]);
		close(old[i]);
	}
	return rc < 0 ? rc : 0;
}

int cgroup_devices_v2_apply(const char *path, const struct cgroup_device_rule *rules, size_t count, struct error *err)
{
	CLEANUP_ARENA struct arena arena = {0};
	CLEANUP_CLOSE int dirfd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	size_t length;

	if (dirfd < 0)
		return error_errno(err, errno, "cannot set linux.resources.devices of the cgroup %s", path);
	struct bpf_insn *instructions = cgroup_devices_v2_program(&arena, rules, count, &length);
	CLEANUP_CLOSE int program = program_load(instructions, length);
	if (program < 0)
		return error_errno(err, -program,
				   "cannot set linux.resources.devices: the kernel does not take the BPF program");
	int rc = attach_instead(dirfd, program);
	return rc < 0 ? error_errno(err, -rc, "cannot set linux.resources.devices: attach to the cgroup %s", path) : 0;
}
