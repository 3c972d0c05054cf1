/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/creation.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "hooks/plan.h"
#include "runtime/output.h"
#include "sandbox/cgroup/cgroup.h"
#include "sandbox/common/cleanup.h"
#include "sandbox/common/file.h"
#include "sandbox/common/number.h"
#include "sandbox/common/syscalls.h"
#include "sandbox/linux/devices_plan.h"
#include "sandbox/linux/kernel_settings_plan.h"
#include "sandbox/linux/mounts_plan.h"
#include "sandbox/linux/namespaces_plan.h"
#include "sandbox/linux/pid1.h"
#include "sandbox/linux/process_plan.h"
#include "sandbox/linux/seccomp_plan.h"
#include "sandbox/session/console.h"
#include "spec/annotations.h"
#include "spec/parse.h"
#include "spec/record.h"

static void warn(void *data, const char *message)
{
	const struct context *context = data;

	log_message(&context->log, LOG_LEVEL_WARNING, "%s", message);
}

/* A part of the configuration has no effect; --strict refuses it. */
static void warn_ineffective(void *data, const char *message)
{
	struct context *context = data;

	warn(context, message);
	if (context->ineffective == NULL)
		context->ineffective = arena_strdup(&context->arena, message);
}

/* The same where it is no news to anybody: profiles are written for many kernels and machines. */
static void note_ineffective(void *data, const char *message)
{
	struct context *context = data;

	log_message(&context->log, LOG_LEVEL_DEBUG, "%s", message);
	if (context->ineffective == NULL)
		context->ineffective = arena_strdup(&context->arena, message);
}

/* Whether the capability is in our effective set; /proc is not needed for that. */
static bool has_capability(int capability)
{
	struct {
		uint32_t version;
		int pid;
	} header = {0x20080522, 0};
	struct {
		uint32_t effective, permitted, inheritable;
	} data[2] = {{0}, {0}};

	return syscall(SYS_capget, &header, data) == 0 &&
	       (data[capability / 32].effective & (1u << (capability % 32))) != 0;
}

#define CAPABILITY_SYS_ADMIN 21

static int plan_cgroup(struct context *context, const char *id, struct creation_plan *plan, struct error *err)
{
	const struct global_options *global = context->global;
	const struct oci_config *config = plan->config;
	struct cgroup_settings settings = {
	    .manager = global->systemd_cgroup ? CGROUP_MANAGER_SYSTEMD : CGROUP_MANAGER_CGROUPFS,
	    .id = id,
	    .cgroups_path = config->linux_.cgroups_path,
	    .rootless = geteuid() != 0,
	    .annotations = config->annotations,
	    .annotations_count = config->annotations_count,
	    .intel_rdt = config->linux_.intel_rdt,
	    .owner_uid = cgroup_owner(config),
	};
	/* The words were checked when the options were parsed. */
	if (global->cgroup_manager != NULL)
		settings.manager = strcmp(global->cgroup_manager, "systemd") == 0    ? CGROUP_MANAGER_SYSTEMD
				   : strcmp(global->cgroup_manager, "disabled") == 0 ? CGROUP_MANAGER_DISABLED
										     : CGROUP_MANAGER_CGROUPFS;
	if (global->rootless != NULL && strcmp(global->rootless, "auto") != 0)
		settings.rootless = strcmp(global->rootless, "true") == 0;
	if (cgroup_plan(&settings, config->linux_.resources, &plan->cgroup, err) < 0)
		return -err->code;
	cgroup_fill_plan(&plan->builder, plan->cgroup);
	return 0;
}

/* The value of NAME= in an environment, or NULL. */
static const char *find_variable(const char *const *environment, size_t count, const char *name)
{
	size_t length = strlen(name);

	for (size_t i = count; i-- > 0;)
		if (strncmp(environment[i], name, length) == 0 && environment[i][length] == '=')
			return environment[i] + length + 1;
	return NULL;
}

/* Socket activation (sd_listen_fds(3)). Descriptors meant for us go on to the container, before those of
 * --preserve-fds; an engine that puts LISTEN_FDS into config.json passes them with --preserve-fds, and cannot know the
 * main process's number in its namespace. The launcher sets LISTEN_PID. */
static int plan_listen_fds(const struct oci_process *config, struct creation_options *options,
			   struct process_plan_options *process, struct error *err)
{
	const char *ours = getenv("LISTEN_FDS"), *pid = getenv("LISTEN_PID");
	const char *theirs = find_variable((const char *const *)config->env, config->env_count, "LISTEN_FDS");
	int count = 0, meant_for;

	if (ours != NULL && pid != NULL && number_parse_int(pid, 1, INT_MAX, &meant_for) == 0 &&
	    meant_for == getpid() && number_parse_int(ours, 1, 1024, &count) == 0) {
		options->preserve_fds += count;
		process->listen_names = getenv("LISTEN_FDNAMES");
	} else if (theirs == NULL || number_parse_int(theirs, 1, 1024, &count) < 0 || count > options->preserve_fds) {
		count = 0;
	}
	process->listen_fds = (uint32_t)count;
	return output_check_preserved(options->preserve_fds, err);
}

/* The whole of config.json, each part by the file that knows it. */
static int plan_all(struct context *context, struct creation_options *options, const char *id, const char *bundle,
		    struct creation_plan *plan, struct error *err)
{
	struct plan_builder *builder = &plan->builder;
	struct oci_config *config = plan->config;
	struct mounts_plan_options mounts = {
	    .bundle = bundle,
	    .privileged = has_capability(CAPABILITY_SYS_ADMIN),
	    .note = note_ineffective,
	    .context = context,
	};
	struct process_plan_options process = {.warn = warn_ineffective, .warn_context = context};
	const struct seccomp_plan_options seccomp = {
	    .oci_version = "1.3.0",
	    .warn = note_ineffective,
	    .context = context,
	    .fail_unknown = config_annotation_on(config, "run.oci.seccomp_fail_unknown_syscall"),
	};

	builder->plan.id = plan_add_string(builder, id);
	builder->plan.bundle = plan_add_string(builder, bundle);
	builder->plan.flags = (options->no_pivot ? PLAN_NO_PIVOT : 0) |
			      (options->no_new_keyring ? PLAN_NO_NEW_KEYRING : 0) |
			      (mounts.privileged ? 0 : PLAN_ROOTLESS);
	int defaulted = namespaces_default_mappings(&context->arena, config, err);
	if (defaulted < 0 || namespaces_plan(builder, config, err) < 0)
		return -err->code;
	if (defaulted > 0)
		warn(context,
		     "linux.uidMappings and linux.gidMappings are absent: in the user namespace every id stands "
		     "for itself");
	if (namespaces_find(config, CLONE_NEWNS) == NULL)
		builder->plan.flags |= PLAN_SHARED_MOUNTS;
	mounts.user_namespace = builder->plan.userns;
	process.userns = builder->plan.userns;
	process.keep_groups = config_annotation_on(config, "run.oci.keep_original_groups");
	if (kernel_settings_plan(builder, config, err) < 0 || mounts_plan(builder, config, &mounts, err) < 0 ||
	    devices_plan(builder, config, &mounts, err) < 0 || hooks_plan(builder, config, err) < 0)
		return -err->code;
	hooks_plan_state(builder, config, id, bundle);
	struct error reason;
	plan->notify_manager = notify_plan(&context->arena, plan->config, &reason);
	if (plan->notify_manager >= 0)
		builder->plan.flags |= PLAN_NOTIFY;
	else if (reason.code != 0)
		warn(context, reason.message);
	if (config->process != NULL && plan_listen_fds(config->process, options, &process, err) < 0)
		return -err->code;
	if (config->process != NULL &&
	    process_plan(builder, config->process, &builder->plan.process, &process, err) < 0)
		return -err->code;
	if (seccomp_plan(builder, config->linux_.seccomp, &seccomp, &builder->plan.seccomp, err) < 0)
		return -err->code;
	if (context->global->strict && context->ineffective != NULL)
		return error_set(err, EINVAL, "--strict: config.json: %s", context->ineffective);
	return plan_cgroup(context, id, plan, err);
}

/* The caller's name; his number where /etc/passwd has none. The file alone is asked: name services need shared
 * libraries, which a static program does without. */
static const char *user_name(struct arena *arena)
{
	CLEANUP_FCLOSE FILE *users = NULL;
	const struct passwd *user;
	uid_t uid = geteuid();

	if (uid == 0)
		return "root";
	users = fopen("/etc/passwd", "re");
	while (users != NULL && (user = fgetpwent(users)) != NULL)
		if (user->pw_uid == uid)
			return arena_strdup(arena, user->pw_name);
	return arena_printf(arena, "%u", uid);
}

static void make_record(struct context *context, const char *id, const char *bundle, struct creation_plan *plan)
{
	const struct oci_config *config = plan->config;
	struct session_record record = {
	    .oci_version = config->oci_version,
	    .id = id,
	    .bundle = bundle,
	    .rootfs = plan_text(plan->plan, plan->plan->rootfs),
	    .owner_uid = geteuid(),
	    .owner = user_name(&context->arena),
	    .annotations = config->annotations,
	    .annotations_count = config->annotations_count,
	};
	const struct plan_pair *pairs = plan_items(plan->plan, plan->plan->cgroup_paths);

	clock_gettime(CLOCK_REALTIME, &record.created);
	record.cgroups = arena_array(&context->arena, plan->plan->cgroup_paths.count, sizeof *record.cgroups);
	record.cgroups_count = plan->plan->cgroup_paths.count;
	for (size_t i = 0; i < record.cgroups_count; i++) {
		const char *controllers = plan_text(plan->plan, pairs[i].key);
		record.cgroups[i] =
		    (struct oci_pair){controllers == NULL ? "" : controllers, plan_text(plan->plan, pairs[i].value)};
	}
	plan->record = (char *)record_write(&context->arena, &record);
	plan->record_length = strlen(plan->record);
}

static int open_console(const struct creation_options *options, struct creation_plan *plan, struct error *err)
{
	bool terminal = plan->config->process != NULL && plan->config->process->terminal;
	int pair[2];

	if (console_check(terminal, options->detach, options->console_socket, err) < 0)
		return -err->code;
	if (!terminal)
		return 0;
	if (options->console_socket != NULL) {
		plan->console_socket = console_socket_connect(options->console_socket, err);
		return plan->console_socket < 0 ? -err->code : 0;
	}
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return error_errno(err, errno, "make a socket pair for the terminal");
	plan->console_ours = pair[0];
	plan->console_socket = pair[1];
	return 0;
}

/* crun's name for --pidfd-socket. */
static void take_annotations(const struct oci_config *config, struct creation_options *options)
{
	if (options->pidfd_socket == NULL)
		options->pidfd_socket = config_annotation(config, "run.oci.pidfd_receiver");
}

static int open_owner(const struct creation_options *options, struct creation_plan *plan, struct error *err)
{
	int pid = getpid();

	if (options->owner != NULL) {
		if (number_parse_int(options->owner, 1, INT_MAX, &pid) < 0)
			return error_set(err, EINVAL, "--owner: \"%s\" is not a process id", options->owner);
	} else if (options->detach || options->keep) {
		return 0;
	}
	plan->owner_pidfd = sl_pidfd_open(pid, 0);
	if (plan->owner_pidfd < 0)
		return error_errno(err, errno, "--owner: open process %d", pid);
	return 0;
}

/* --config is crun's: a path relative to the current directory, but its default, config.json, to the bundle. */
static int load_config(struct context *context, const struct creation_options *options, struct creation_plan *plan,
		       struct config_notes *notes, struct error *err)
{
	bool other = options->config != NULL && strcmp(options->config, "config.json") != 0;

	return config_load_file(&context->arena, other ? AT_FDCWD : plan->bundle_fd,
				other ? options->config : "config.json", notes, &plan->config, err);
}

int creation_plan_make(struct context *context, struct creation_options *options, const char *id,
		       struct creation_plan *plan, struct error *err)
{
	struct config_notes notes = {0};
	char bundle[PATH_MAX];

	plan_builder_init(&plan->builder);
	if (output_check_preserved(options->preserve_fds, err) < 0)
		return -err->code;
	session_place_close(&context->place);
	if (context_open_place(context, true, err) < 0)
		return -err->code;
	plan->bundle_fd = open(options->bundle, O_DIRECTORY | O_RDONLY | O_CLOEXEC);
	if (plan->bundle_fd < 0 || realpath(options->bundle, bundle) == NULL)
		return error_errno(err, errno, "--bundle: open %s", options->bundle);
	if (load_config(context, options, plan, &notes, err) < 0 ||
	    context_notes(context, options->config == NULL ? "config.json" : options->config, &notes, err) < 0)
		return -err->code;
	take_annotations(plan->config, options);
	if (open_console(options, plan, err) < 0 || open_owner(options, plan, err) < 0 ||
	    plan_all(context, options, id, bundle, plan, err) < 0)
		return -err->code;
	plan->plan_fd = plan_seal(&plan->builder, err);
	if (plan->plan_fd < 0 || plan_map(plan->plan_fd, &plan->plan, err) < 0)
		return -err->code;
	make_record(context, id, bundle, plan);
	return 0;
}

void creation_plan_free(struct creation_plan *plan)
{
	int *const fds[] = {&plan->plan_fd,      &plan->bundle_fd,   &plan->console_socket,
			    &plan->console_ours, &plan->owner_pidfd, &plan->notify_manager};

	for (size_t i = 0; i < ARRAY_SIZE(fds); i++) {
		cleanup_close(fds[i]);
		*fds[i] = -1;
	}
	plan_builder_free(&plan->builder);
	cgroup_freep(&plan->cgroup);
	plan->cgroup = NULL;
}

struct notify creation_take_notify(struct creation_plan *plan, struct session_created *created)
{
	struct notify notify = NOTIFY_NONE;

	if (created->notify_socket < 0)
		return notify;
	notify.inside = take_fd(&created->notify_socket);
	notify.manager = take_fd(&plan->notify_manager);
	return notify;
}

int creation_hand_over_notify(struct session_created *created, struct notify *notify, struct error *err)
{
	CLEANUP_SESSION_ANSWER struct session_answer answer = SESSION_ANSWER_NONE;
	const int fds[] = {notify->inside, notify->manager};

	if (notify->inside < 0)
		return 0;
	int rc = session_request(&created->supervisor, REQUEST_NOTIFY, 0, fds, ARRAY_SIZE(fds),
				 SESSION_ANSWER_TIMEOUT_MS, &answer, err);
	notify_close(notify);
	return rc;
}

static void abandon(struct session_created *created)
{
	CLEANUP_SESSION_ANSWER struct session_answer answer = SESSION_ANSWER_NONE;
	struct error ignored = {0};

	session_request(&created->supervisor, REQUEST_DELETE, 1, NULL, 0, SESSION_ANSWER_TIMEOUT_MS, &answer, &ignored);
	session_created_close(created);
}

int creation_carry_out(struct context *context, const struct creation_options *options, const char *id,
		       struct creation_plan *plan, struct session_created *created, struct error *err)
{
	const struct session_order order = {
	    .place = &context->place,
	    .id = id,
	    .config = plan->config,
	    .builder = &plan->builder,
	    .plan_fd = plan->plan_fd,
	    .plan = plan->plan,
	    .cgroup = plan->cgroup,
	    .record = plan->record,
	    .record_length = plan->record_length,
	    .preserve_fds = (unsigned int)options->preserve_fds,
	    .console_socket = plan->console_socket,
	    .owner_pidfd = plan->owner_pidfd,
	    .own_main = !options->detach,
	    .warn = warn,
	    .warn_context = context,
	};

	log_message(&context->log, LOG_LEVEL_DEBUG, "create container %s from %s", id,
		    plan_text(plan->plan, plan->plan->bundle));
	if (session_create(&order, created, err) < 0)
		return -err->code;
	/* The launcher has its own of what travels beside the plan. Peers wait for the end of such connections: that
	 * to a seccomp agent is over with its one message. */
	plan_builder_free(&plan->builder);
	log_message(&context->log, LOG_LEVEL_DEBUG, "container %s is created, its main process is %d", id,
		    created->main_pid);
	if ((options->pid_file != NULL && output_pid_file(options->pid_file, created->main_pid, err) < 0) ||
	    (options->pidfd_socket != NULL &&
	     output_pidfd_socket(options->pidfd_socket, created->main_pidfd, err) < 0)) {
		abandon(created);
		return -err->code;
	}
	return 0;
}
