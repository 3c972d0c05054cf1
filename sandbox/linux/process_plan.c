/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/linux/process_plan.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sched.h>
#include <string.h>
#include <sys/vfs.h>

#include "sandbox/common/cleanup.h"
#include "sandbox/common/file.h"
#include "sandbox/linux/bit_list.h"
#include "sandbox/linux/capability_plan.h"
#include "sandbox/linux/environment_plan.h"

#ifndef SCHED_DEADLINE
#define SCHED_DEADLINE 6
#endif

/* linux/ioprio.h */
#define IO_CLASS_SHIFT 13
#define IO_CLASS_HIGHEST 3
#define IO_PRIORITY_LOWEST 7

#define OOM_SCORE_ADJ_LIMIT 1000

static int plan_arguments(struct plan_builder *builder, const struct oci_process *process, struct plan_process *out,
			  struct error *err)
{
	if (process->args_count == 0)
		return error_set(err, EINVAL, "process.args must not be empty: there is nothing to execute");
	if (process->cwd == NULL || process->cwd[0] == '\0')
		return error_set(err, EINVAL, "process.cwd is missing");
	if (process->cwd[0] != '/')
		return error_set(err, EINVAL, "process.cwd \"%s\" must be an absolute path", process->cwd);
	out->args = plan_add_strings(builder, (const char *const *)process->args, process->args_count);
	out->cwd = plan_add_string(builder, process->cwd);
	return 0;
}

static void plan_user(struct plan_builder *builder, const struct oci_process *process,
		      const struct process_plan_options *options, struct plan_process *out)
{
	const struct plan *container = options->exec ? options->container : NULL;
	const struct oci_user *user = &process->user;

	out->uid = user->uid;
	out->gid = user->gid;
	out->additional_gids =
	    plan_add_array(builder, user->additional_gids, user->additional_gids_count, sizeof *user->additional_gids);
	out->keep_groups = container != NULL ? container->process.keep_groups : options->keep_groups;
	if (user->umask.set)
		out->umask = user->umask.value & 0777;
	else
		out->umask = container != NULL ? container->process.umask : UINT32_MAX;
}

static int plan_rlimits(struct plan_builder *builder, const struct oci_process *process, const struct plan *container,
			struct plan_process *out, struct error *err)
{
	struct plan_rlimit limits[64] = {0};
	uint64_t seen = 0;

	if (process->rlimits_count == 0 && container != NULL) {
		out->rlimits = plan_add_array(builder, plan_items(container, container->process.rlimits),
					      container->process.rlimits.count, sizeof *limits);
		return 0;
	}
	for (size_t i = 0; i < process->rlimits_count; i++) {
		const struct oci_rlimit *limit = &process->rlimits[i];
		if (limit->resource >= ARRAY_SIZE(limits))
			return error_set(err, EINVAL, "process.rlimits[%zu].type is unknown", i);
		if (seen >> limit->resource & 1)
			return error_set(err, EINVAL, "process.rlimits[%zu]: %s is there twice", i, limit->type);
		if (limit->soft > limit->hard)
			return error_set(
			    err, EINVAL, "process.rlimits[%zu]: %s has a soft limit (%llu) above the hard one (%llu)",
			    i, limit->type, (unsigned long long)limit->soft, (unsigned long long)limit->hard);
		seen |= UINT64_C(1) << limit->resource;
		limits[i] = (struct plan_rlimit){.resource = limit->resource, .soft = limit->soft, .hard = limit->hard};
	}
	out->rlimits = plan_add_array(builder, limits, process->rlimits_count, sizeof *limits);
	return 0;
}

static int plan_oom_score(const struct oci_process *process, const struct plan *container, struct plan_process *out,
			  struct error *err)
{
	if (!process->oom_score_adj.set && container != NULL) {
		out->oom_score_adj_set = container->process.oom_score_adj_set;
		out->oom_score_adj = container->process.oom_score_adj;
		return 0;
	}
	int32_t value = process->oom_score_adj.value;
	if (process->oom_score_adj.set && (value < -OOM_SCORE_ADJ_LIMIT || value > OOM_SCORE_ADJ_LIMIT))
		return error_set(err, EINVAL, "process.oomScoreAdj is %d: it must be from -%d to %d", value,
				 OOM_SCORE_ADJ_LIMIT, OOM_SCORE_ADJ_LIMIT);
	out->oom_score_adj_set = process->oom_score_adj.set;
	out->oom_score_adj = value;
	return 0;
}

/* The rules of sched_setattr(2), which the kernel itself would answer with a bare EINVAL or ignore. */
static int check_scheduler(const struct oci_scheduler *scheduler, struct error *err)
{
	uint32_t policy = scheduler->policy;
	int32_t nice = scheduler->nice.set ? scheduler->nice.value : 0;
	int32_t priority = scheduler->priority.set ? scheduler->priority.value : 0;

	if ((policy == SCHED_OTHER || policy == SCHED_BATCH) && (nice < -20 || nice > 19))
		return error_set(err, EINVAL, "process.scheduler.nice is %d: it must be from -20 to 19", nice);
	if (priority != 0 && policy != SCHED_FIFO && policy != SCHED_RR)
		return error_set(err, EINVAL,
				 "process.scheduler.priority can only be given for SCHED_FIFO and SCHED_RR");
	if (priority < 0 || priority > 99)
		return error_set(err, EINVAL, "process.scheduler.priority is %d: it must be from 1 to 99", priority);
	if (policy != SCHED_DEADLINE && (scheduler->runtime != 0 || scheduler->deadline != 0 || scheduler->period != 0))
		return error_set(err, EINVAL,
				 "process.scheduler.runtime, deadline and period can only be given for SCHED_DEADLINE");
	return 0;
}

static int plan_scheduler(const struct oci_process *process, const struct plan *container, struct plan_process *out,
			  struct error *err)
{
	const struct oci_scheduler *scheduler = process->scheduler;

	if (scheduler == NULL) {
		if (container != NULL)
			out->scheduler = container->process.scheduler;
		return 0;
	}
	int rc = check_scheduler(scheduler, err);
	if (rc < 0)
		return rc;
	out->scheduler = (struct plan_scheduler){
	    .set = 1,
	    .policy = scheduler->policy,
	    .flags = scheduler->flags,
	    .nice = scheduler->nice.set ? scheduler->nice.value : 0,
	    .priority = scheduler->priority.set ? (uint32_t)scheduler->priority.value : 0,
	    .runtime = scheduler->runtime,
	    .deadline = scheduler->deadline,
	    .period = scheduler->period,
	};
	return 0;
}

static int plan_io_priority(const struct oci_process *process, const struct plan *container, struct plan_process *out,
			    struct error *err)
{
	const struct oci_io_priority *io = process->io_priority;

	if (io == NULL) {
		out->io_priority = container != NULL ? container->process.io_priority : 0;
		return 0;
	}
	int32_t priority = io->priority.set ? io->priority.value : 0;
	if (io->class_ < 1 || io->class_ > IO_CLASS_HIGHEST)
		return error_set(err, EINVAL, "process.ioPriority.class is unknown");
	if (priority < 0 || priority > IO_PRIORITY_LOWEST)
		return error_set(err, EINVAL, "process.ioPriority.priority is %d: it must be from 0 to %d", priority,
				 IO_PRIORITY_LOWEST);
	out->io_priority = io->class_ << IO_CLASS_SHIFT | (uint32_t)priority;
	return 0;
}

static int plan_cpu_list(struct plan_builder *builder, const char *list, const char *which, struct plan_array *out,
			 struct error *err)
{
	struct arena arena CLEANUP_ARENA = {0};
	uint64_t *words;
	size_t count;

	if (list == NULL)
		return 0;
	int rc = bit_list_parse(list, &arena, &words, &count);
	if (rc < 0)
		return error_set(err, EINVAL, "process.execCPUAffinity.%s \"%s\" is not a list of CPUs like \"0-3,7\"",
				 which, list);
	*out = plan_add_array(builder, words, count, sizeof *words);
	return 0;
}

static int plan_affinity(struct plan_builder *builder, const struct oci_process *process,
			 const struct process_plan_options *options, struct plan_process *out, struct error *err)
{
	const struct oci_cpu_affinity *affinity = process->exec_cpu_affinity;

	if (affinity != NULL) {
		/* Kept for exec, which may be asked later; config.md: not applicable to the main process. */
		int rc = plan_cpu_list(builder, affinity->initial, "initial", &out->affinity_initial, err);
		return rc < 0 ? rc : plan_cpu_list(builder, affinity->final, "final", &out->affinity_final, err);
	}
	if (options->container != NULL) {
		const struct plan *container = options->container;
		out->affinity_initial =
		    plan_add_array(builder, plan_items(container, container->process.affinity_initial),
				   container->process.affinity_initial.count, sizeof(uint64_t));
		out->affinity_final = plan_add_array(builder, plan_items(container, container->process.affinity_final),
						     container->process.affinity_final.count, sizeof(uint64_t));
	}
	return 0;
}

static bool apparmor_enabled(const struct process_plan_options *options)
{
	struct arena arena CLEANUP_ARENA = {0};
	const char *sysfs = options->sysfs != NULL ? options->sysfs : "/sys";
	const char *path = arena_printf(&arena, "%s/module/apparmor/parameters/enabled", sysfs);
	char text[8] = "";

	return file_read_at(AT_FDCWD, path, text, sizeof text) > 0 && text[0] == 'Y';
}

static bool selinux_enabled(const struct process_plan_options *options)
{
	struct arena arena CLEANUP_ARENA = {0};
	const char *sysfs = options->sysfs != NULL ? options->sysfs : "/sys";
	struct statfs system;

	/* The file system is there only while SELinux is on. */
	return statfs(arena_printf(&arena, "%s/fs/selinux", sysfs), &system) == 0 &&
	       (unsigned long)system.f_type == SELINUX_MAGIC;
}

static bool is_given(const char *text)
{
	return text != NULL && text[0] != '\0';
}

static int plan_labels(struct plan_builder *builder, const struct oci_process *process,
		       const struct process_plan_options *options, struct plan_process *out, struct error *err)
{
	const struct plan *container = options->container;
	const char *profile = process->apparmor_profile;
	const char *label = process->selinux_label;

	if (is_given(profile) && !apparmor_enabled(options)) {
		/* Without the module everything is unconfined. */
		if (strcmp(profile, "unconfined") != 0)
			return error_set(
			    err, ENOTSUP,
			    "apparmor: config provided but apparmor not supported: the kernel runs without AppArmor; "
			    "remove process.apparmorProfile \"%s\"",
			    profile);
		profile = NULL;
	} else if (!is_given(profile) && container != NULL) {
		profile = plan_text(container, container->process.apparmor_profile);
	}
	if (is_given(label) && !selinux_enabled(options))
		return error_set(
		    err, ENOTSUP,
		    "selinux label is specified in config, but selinux is disabled or not supported; remove "
		    "process.selinuxLabel \"%s\"",
		    label);
	if (!is_given(label) && container != NULL)
		label = plan_text(container, container->process.selinux_label);
	out->apparmor_profile = is_given(profile) ? plan_add_string(builder, profile) : 0;
	out->selinux_label = is_given(label) ? plan_add_string(builder, label) : 0;
	return 0;
}

static void plan_terminal(const struct oci_process *process, struct plan_process *out)
{
	out->terminal = process->terminal;
	/* config.md: consoleSize is ignored without a terminal. */
	if (process->terminal && process->console_size.set) {
		out->console_height = process->console_size.height;
		out->console_width = process->console_size.width;
	}
}

int process_plan(struct plan_builder *builder, const struct oci_process *process, struct plan_process *out,
		 const struct process_plan_options *options, struct error *err)
{
	const struct plan *container = options->exec ? options->container : NULL;
	int rc;

	*out = (struct plan_process){0};
	rc = plan_arguments(builder, process, out, err);
	if (rc < 0)
		return rc;
	rc = environment_plan(builder, process, &out->env, err);
	if (rc < 0)
		return rc;
	plan_user(builder, process, options, out);
	plan_terminal(process, out);
	capability_plan(process, options, out);
	rc = plan_rlimits(builder, process, container, out, err);
	if (rc < 0)
		return rc;
	out->no_new_privileges = process->no_new_privileges;
	rc = plan_oom_score(process, container, out, err);
	if (rc < 0)
		return rc;
	rc = plan_labels(builder, process, options, out, err);
	if (rc < 0)
		return rc;
	rc = plan_scheduler(process, container, out, err);
	if (rc < 0)
		return rc;
	rc = plan_io_priority(process, container, out, err);
	if (rc < 0)
		return rc;
	rc = plan_affinity(builder, process, options, out, err);
	if (rc < 0)
		return rc;
	out->listen_fds = options->listen_fds;
	out->listen_names = options->listen_fds > 0 ? plan_add_string(builder, options->listen_names) : 0;
	return 0;
}
