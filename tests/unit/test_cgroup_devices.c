/* SPDX-License-Identifier: Apache-2.0 */
/* Device rules: the lists of v1 and the program of v2. The program is run by an interpreter here, which shows what it
 * decides without a kernel. */
#include <stdlib.h>

#include "sandbox/cgroup/devices.h"
#include "tests/unit/check.h"

#define R CGROUP_DEVICE_READ
#define W CGROUP_DEVICE_WRITE
#define M CGROUP_DEVICE_MKNOD
#define RW (R | W)
#define RWM CGROUP_DEVICE_ALL
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct arena arena;

static const char *lines_of(const char *list, const struct cgroup_device_rule *rules, size_t count)
{
	const char **lines;
	size_t lines_count;
	const char *text = "";
	struct error err = {0};

	if (cgroup_devices_v1_lines(&arena, list, rules, count, &lines, &lines_count, &err) < 0)
		return arena_printf(&arena, "error: %s", err.message);
	for (size_t i = 0; i < lines_count; i++)
		text = arena_printf(&arena, "%s%s%s", text, i == 0 ? "" : "|", lines[i]);
	return text;
}

#define ALLOW_ALL_LIST "a *:* rwm\n"

static void test_v1_new(void)
{
	const struct cgroup_device_rule usual[] = {
	    {false, 'a', -1, -1, RWM}, {true, 'c', 1, 3, RWM}, {true, 'b', 8, -1, R}};
	const struct cgroup_device_rule merged[] = {{true, 'c', 1, 3, R}, {true, 'c', 1, 3, W}, {false, 'c', 1, 3, R}};
	const struct cgroup_device_rule privileged[] = {{true, 'a', -1, -1, RWM}, {true, 'c', 1, 3, RWM}};
	const struct cgroup_device_rule except[] = {{true, 'a', -1, -1, RWM}, {false, 'c', 10, 200, RW}};
	const struct cgroup_device_rule narrowed[] = {
	    {true, 'c', 1, 3, RWM}, {true, 'c', 1, 5, RWM}, {false, 'c', 1, -1, W}};
	const struct cgroup_device_rule hole[] = {{true, 'c', 1, -1, RWM}, {false, 'c', 1, 3, W}};
	const struct cgroup_device_rule apart[] = {{true, 'c', 1, -1, R}, {false, 'c', 1, 3, W}};
	const struct cgroup_device_rule both_types[] = {{true, 'a', 7, 1, RW}};

	CHECK_TEXT(lines_of(ALLOW_ALL_LIST, usual, COUNT(usual)), "-a|+c 1:3 rwm|+b 8:* r");
	CHECK_TEXT(lines_of(ALLOW_ALL_LIST, merged, COUNT(merged)), "-a|+c 1:3 w");
	CHECK_TEXT(lines_of(ALLOW_ALL_LIST, privileged, COUNT(privileged)), "+a");
	CHECK_TEXT(lines_of(ALLOW_ALL_LIST, except, COUNT(except)), "+a|-c 10:200 rw");
	/* A wider rule takes from narrower exceptions, which the kernel would not do by itself. */
	CHECK_TEXT(lines_of(ALLOW_ALL_LIST, narrowed, COUNT(narrowed)), "-a|+c 1:3 rm|+c 1:5 rm");
	CHECK(strstr(lines_of(ALLOW_ALL_LIST, hole, COUNT(hole)), "error: ") != NULL);
	CHECK_TEXT(lines_of(ALLOW_ALL_LIST, apart, COUNT(apart)), "-a|+c 1:* r");
	CHECK_TEXT(lines_of(ALLOW_ALL_LIST, both_types, COUNT(both_types)), "-a|+b 7:1 rw|+c 7:1 rw");
	CHECK_TEXT(lines_of(ALLOW_ALL_LIST, NULL, 0), "-a");
}

static void test_v1_update(void)
{
	const struct cgroup_device_rule rules[] = {{true, 'c', 1, 3, RWM}, {true, 'c', 1, 5, R}};
	const struct cgroup_device_rule all[] = {{true, 'a', -1, -1, RWM}};

	/* Nothing is denied on the way that is allowed before and after. */
	CHECK_TEXT(lines_of("c 1:3 rwm\nc 1:5 r\n", rules, COUNT(rules)), "");
	CHECK_TEXT(lines_of("c 1:3 rw\nc 1:5 rw\nb *:* m\n", rules, COUNT(rules)), "+c 1:3 m|-c 1:5 w|-b *:* m");
	CHECK_TEXT(lines_of("", rules, COUNT(rules)), "+c 1:3 rwm|+c 1:5 r");
	CHECK_TEXT(lines_of("c 1:3 rwm\n", all, COUNT(all)), "+a");
	CHECK_TEXT(lines_of("nonsense\nc 1:3 rwm\n", rules, COUNT(rules)), "+c 1:5 r");
}

/* What the kernel would do; -1 for a program it would refuse. */
static int run_program(const struct bpf_insn *program, size_t length, uint32_t type, uint32_t access, uint32_t major,
		       uint32_t minor)
{
	uint64_t reg[10] = {0};
	const uint32_t context[3] = {type | access << 16, major, minor};
	bool set[10] = {false, true};

	for (size_t pc = 0; pc < length; pc++) {
		const struct bpf_insn *insn = &program[pc];
		unsigned int to = insn->dst_reg;
		uint64_t operand = BPF_SRC(insn->code) == BPF_X ? reg[insn->src_reg] : (uint64_t)(int64_t)insn->imm;
		switch (BPF_CLASS(insn->code)) {
		case BPF_LDX:
			if (insn->src_reg != 1 || insn->off % 4 != 0 || insn->off < 0 || insn->off > 8)
				return -1;
			reg[to] = context[insn->off / 4];
			set[to] = true;
			break;
		case BPF_ALU:
			if (BPF_OP(insn->code) != BPF_MOV && !set[to])
				return -1;
			if (BPF_OP(insn->code) == BPF_MOV)
				reg[to] = (uint32_t)operand;
			else if (BPF_OP(insn->code) == BPF_AND)
				reg[to] = (uint32_t)reg[to] & (uint32_t)operand;
			else if (BPF_OP(insn->code) == BPF_RSH)
				reg[to] = (uint32_t)reg[to] >> operand;
			else
				return -1;
			set[to] = true;
			break;
		case BPF_JMP:
			if (BPF_OP(insn->code) == BPF_EXIT)
				return set[0] ? (int)reg[0] : -1;
			if (!set[to] || insn->off < 0)
				return -1;
			if (BPF_OP(insn->code) == BPF_JNE ? reg[to] != operand
							  : BPF_OP(insn->code) == BPF_JEQ && reg[to] == operand)
				pc += (size_t)insn->off;
			break;
		default:
			return -1;
		}
	}
	return -1;
}

/* The rules read literally: for each kind of access the last rule that matches counts. */
static int decide(const struct cgroup_device_rule *rules, size_t count, char type, uint32_t access, int64_t major,
		  int64_t minor)
{
	for (uint32_t bit = 1; bit <= 4; bit <<= 1) {
		bool allowed = false;
		if (!(access & bit))
			continue;
		for (size_t i = 0; i < count; i++)
			if ((rules[i].type == 'a' || rules[i].type == type) &&
			    (rules[i].major < 0 || rules[i].major == major) &&
			    (rules[i].minor < 0 || rules[i].minor == minor) && (rules[i].access & bit))
				allowed = rules[i].allow;
		if (!allowed)
			return 0;
	}
	return 1;
}

static void compare(const struct cgroup_device_rule *rules, size_t count)
{
	size_t length;
	struct bpf_insn *program = cgroup_devices_v2_program(&arena, rules, count, &length);

	for (unsigned int type = 0; type < 2; type++)
		for (uint32_t access = 1; access <= RWM; access++)
			for (int64_t major = 0; major < 4; major++)
				for (int64_t minor = 0; minor < 4; minor++) {
					int found = run_program(program, length,
								type == 0 ? BPF_DEVCG_DEV_BLOCK : BPF_DEVCG_DEV_CHAR,
								access, (uint32_t)major, (uint32_t)minor);
					int wanted = decide(rules, count, type == 0 ? 'b' : 'c', access, major, minor);
					if (found != wanted) {
						printf("# type %u access %u %lld:%lld: %d instead of %d\n", type,
						       access, (long long)major, (long long)minor, found, wanted);
						CHECK(found == wanted);
						return;
					}
				}
	CHECK(length > 0);
}

static void test_v2(void)
{
	const struct cgroup_device_rule usual[] = {
	    {false, 'a', -1, -1, RWM}, {true, 'c', 1, 3, RWM}, {true, 'b', 2, -1, R}};
	const struct cgroup_device_rule hole[] = {{true, 'c', 1, -1, RWM}, {false, 'c', 1, 3, W}};

	compare(NULL, 0);
	compare(usual, COUNT(usual));
	compare(hole, COUNT(hole));
	/* A full allow as the last rule makes a program that allows, and no more. */
	const struct cgroup_device_rule all[] = {{false, 'c', 1, 1, R}, {true, 'a', -1, -1, RWM}};
	size_t length;
	cgroup_devices_v2_program(&arena, all, COUNT(all), &length);
	CHECK(length == 8);
	compare(all, COUNT(all));

	unsigned int seed = 1;
	for (int round = 0; round < 500; round++) {
		struct cgroup_device_rule rules[6];
		size_t count = 1 + (size_t)rand_r(&seed) % COUNT(rules);
		for (size_t i = 0; i < count; i++)
			rules[i] = (struct cgroup_device_rule){.allow = rand_r(&seed) % 3 > 0,
							       .type = "abc"[rand_r(&seed) % 3],
							       .major = rand_r(&seed) % 5 - 1,
							       .minor = rand_r(&seed) % 5 - 1,
							       .access = 1 + (uint32_t)rand_r(&seed) % 7};
		compare(rules, count);
	}
}

static void test_rules(void)
{
	struct oci_device_cgroup given[] = {{.allow = false, .type = 'a', .access = "rwm"},
					    {.allow = true, .type = 'c', .major = {true, 10}, .access = "wr"}};
	struct oci_resources resources = {.devices = given, .devices_count = 2};
	struct cgroup_device_rule *rules;
	struct error err = {0};
	size_t count, defaults;

	CHECK(cgroup_device_rules(&arena, NULL, &rules, &defaults, &err) == 0);
	/* Nobody asked, so only the usual devices. */
	CHECK(decide(rules, defaults, 'c', RW, 1, 3) == 1);
	CHECK(decide(rules, defaults, 'c', RW, 5, 2) == 1);
	CHECK(decide(rules, defaults, 'c', RW, 136, 77) == 1);
	CHECK(decide(rules, defaults, 'c', RW, 10, 200) == 0);
	CHECK(decide(rules, defaults, 'b', M, 8, 0) == 1);
	CHECK(decide(rules, defaults, 'b', R, 8, 0) == 0);
	CHECK(cgroup_device_rules(&arena, &resources, &rules, &count, &err) == 0);
	CHECK(count == defaults + 2);
	CHECK(decide(rules, count, 'c', RW, 10, 200) == 1);
	CHECK(decide(rules, count, 'c', RWM, 10, 200) == 1);
	CHECK(rules[1].access == RW && rules[1].minor == -1);
	given[1].access = NULL;
	CHECK(cgroup_device_rules(&arena, &resources, &rules, &count, &err) == 0 && rules[1].access == RWM);
	given[1].access = "rx";
	CHECK(cgroup_device_rules(&arena, &resources, &rules, &count, &err) < 0);
	given[1].access = "r";
	given[1].type = 'p';
	CHECK(cgroup_device_rules(&arena, &resources, &rules, &count, &err) < 0);
	given[1].type = 'c';
	given[1].major.value = 1LL << 40;
	CHECK(cgroup_device_rules(&arena, &resources, &rules, &count, &err) < 0);
	given[1].major.value = -1;
	CHECK(cgroup_device_rules(&arena, &resources, &rules, &count, &err) == 0 && rules[1].major == -1);
}

int main(void)
{
	test_v1_new();
	test_v1_update();
	test_v2();
	test_rules();
	arena_free(&arena);
	return check_result();
}
