/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/linux/seccomp_library.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/seccomp.h>
#include <seccomp.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sandbox/common/cleanup.h"
#include "sandbox/linux/seccomp_bpf.h"

static void release(scmp_filter_ctx *context)
{
	if (*context != NULL)
		seccomp_release(*context);
}

static struct scmp_arg_cmp comparison(const struct seccomp_condition *condition)
{
	static const enum scmp_compare operators[] = {
	    [SECCOMP_NE] = SCMP_CMP_NE,
	    [SECCOMP_LT] = SCMP_CMP_LT,
	    [SECCOMP_LE] = SCMP_CMP_LE,
	    [SECCOMP_EQ] = SCMP_CMP_EQ,
	    [SECCOMP_GE] = SCMP_CMP_GE,
	    [SECCOMP_GT] = SCMP_CMP_GT,
	    [SECCOMP_MASKED_EQ] = SCMP_CMP_MASKED_EQ,
	};
	bool masked = condition->operator_ == SECCOMP_MASKED_EQ;

	return (struct scmp_arg_cmp){.arg = condition->index,
				     .op = operators[condition->operator_],
				     .datum_a = masked ? condition->mask : condition->value,
				     .datum_b = masked ? condition->value : 0};
}

static int add_rule(scmp_filter_ctx context, const struct seccomp_rule *rule, struct error *err)
{
	struct scmp_arg_cmp comparisons[6];

	for (size_t i = 0; i < rule->conditions_count; i++)
		comparisons[i] = comparison(&rule->conditions[i]);
	for (size_t i = 0; i < rule->names_count; i++) {
		int number = seccomp_syscall_resolve_name(rule->names[i]);
		if (number == __NR_SCMP_ERROR)
			continue;
		int rc = seccomp_rule_add_array(context, rule->action, number, (unsigned int)rule->conditions_count,
						comparisons);
		if (rc < 0)
			return error_errno(err, -rc, "error adding seccomp rule for syscall %s", rule->names[i]);
	}
	return 0;
}

static int make_filter(scmp_filter_ctx context, const struct seccomp_profile *profile, struct error *err)
{
	for (size_t i = 0; i < profile->architectures_count; i++) {
		int rc = seccomp_arch_add(context, profile->architectures[i]->token);
		if (rc < 0 && rc != -EEXIST)
			return error_errno(err, -rc, "error adding architecture %s to seccomp filter",
					   profile->architectures[i]->word);
	}
	for (size_t i = 0; i < profile->rules_count; i++) {
		/* libseccomp refuses rules that change nothing. */
		if (profile->rules[i].action == profile->default_action)
			continue;
		if (add_rule(context, &profile->rules[i], err) < 0)
			return -err->code;
	}
	return 0;
}

/* Sends numbers above all that the profile names to ENOSYS, others to the `pass` label. Returns false if it names
 * none. */
static bool emit_limit(struct bpf_writer *writer, const struct seccomp_profile *profile,
		       const struct seccomp_architecture *architecture, bpf_label pass)
{
	struct seccomp_number numbers[2];
	uint32_t highest;

	if (!seccomp_highest(profile, architecture, &highest))
		return false;
	bpf_return(writer, SECCOMP_RET_ERRNO | ENOSYS);
	bpf_branch(writer, BPF_JGE, highest + 1, bpf_here(writer), pass);
	/* ARM's private calls are far above. */
	for (size_t i = 0; i < profile->rules_count; i++)
		for (size_t j = 0; j < profile->rules[i].names_count; j++)
			if (seccomp_numbers(architecture, profile->rules[i].names[j], numbers) > 0 &&
			    numbers[0].number > highest)
				bpf_branch(writer, BPF_JEQ, numbers[0].number, pass, bpf_here(writer));
	return true;
}

/* Goes in front of libseccomp's program, which begins at `pass`. */
static void emit_enosys(struct bpf_writer *writer, const struct seccomp_profile *profile, bpf_label pass)
{
	bpf_label starts[64], x32 = pass;
	size_t count =
	    profile->architectures_count < ARRAY_SIZE(starts) ? profile->architectures_count : ARRAY_SIZE(starts);

	for (size_t i = 0; i < count; i++)
		if (profile->architectures[i]->base == SECCOMP_X32_BIT &&
		    emit_limit(writer, profile, profile->architectures[i], pass))
			x32 = bpf_here(writer);
	for (size_t i = 0; i < count; i++) {
		const struct seccomp_architecture *architecture = profile->architectures[i];
		starts[i] = pass;
		if (architecture->base == SECCOMP_X32_BIT || !emit_limit(writer, profile, architecture, pass))
			continue;
		if (architecture->audit == AUDIT_ARCH_X86_64)
			bpf_branch(writer, BPF_JGE, SECCOMP_X32_BIT, x32, bpf_here(writer));
		if ((architecture->token & 0xffff) == EM_S390) {
			bpf_return(writer, SECCOMP_RET_ERRNO | ENOSYS);
			bpf_branch(writer, BPF_JEQ, 0, bpf_here(writer), bpf_here(writer) - 1);
		}
		bpf_load(writer, offsetof(struct seccomp_data, nr));
		starts[i] = bpf_here(writer);
	}
	bpf_jump(writer, pass);
	for (size_t i = count; i-- > 0;)
		if (profile->architectures[i]->base != SECCOMP_X32_BIT)
			bpf_branch(writer, BPF_JEQ, profile->architectures[i]->audit, starts[i], bpf_here(writer));
	bpf_load(writer, offsetof(struct seccomp_data, arch));
}

/* libseccomp 2.5 writes to a descriptor only. */
static int export_filter(scmp_filter_ctx context, struct bpf_writer *writer, struct error *err)
{
	CLEANUP_CLOSE int fd = memfd_create("seccomp", MFD_CLOEXEC);
	struct stat status;

	if (fd < 0)
		return error_errno(err, errno, "memfd_create");
	int rc = seccomp_export_bpf(context, fd);
	if (rc < 0)
		return error_errno(err, -rc, "error exporting seccomp filter");
	if (fstat(fd, &status) < 0)
		return error_errno(err, errno, "fstat");
	size_t size = (size_t)status.st_size;
	if (size % sizeof(struct sock_filter) != 0 || size > sizeof writer->instructions)
		return error_set(err, E2BIG, "the seccomp filter has %zu instructions, the kernel takes at most %d",
				 size / sizeof(struct sock_filter), BPF_MAXINSNS);
	writer->count = (uint32_t)(size / sizeof(struct sock_filter));
	ssize_t got = pread(fd, writer->instructions + BPF_MAXINSNS - writer->count, size, 0);
	if (got < 0 || (size_t)got != size)
		return error_errno(err, got < 0 ? errno : EIO, "read the exported seccomp filter");
	return 0;
}

int seccomp_compile_library(struct arena *arena, const struct seccomp_profile *profile, struct seccomp_program *program,
			    struct error *err)
{
	__attribute__((cleanup(release))) scmp_filter_ctx context = seccomp_init(profile->default_action);
	struct bpf_writer *writer = arena_alloc(arena, sizeof *writer);

	if (context == NULL)
		return error_set(err, EINVAL, "error creating seccomp filter");
	if (make_filter(context, profile, err) < 0 || export_filter(context, writer, err) < 0)
		return -err->code;
	if (profile->enosys_above)
		emit_enosys(writer, profile, bpf_here(writer));
	if (writer->overflow)
		return error_set(err, E2BIG,
				 "the seccomp filter has more than the %d instructions that the kernel takes",
				 BPF_MAXINSNS);
	program->instructions = writer->instructions + BPF_MAXINSNS - writer->count;
	program->count = writer->count;
	return 0;
}
