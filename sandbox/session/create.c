/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/session/create.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hooks/hooks.h"
#include "sandbox/cgroup/cgroup.h"
#include "sandbox/cgroup/kill.h"
#include "sandbox/cgroup/paths.h"
#include "sandbox/cgroup/rdt.h"
#include "sandbox/common/cleanup.h"
#include "sandbox/common/file.h"
#include "sandbox/common/message.h"
#include "sandbox/common/syscalls.h"
#include "sandbox/linux/id_mapping.h"
#include "sandbox/linux/network_devices.h"
#include "sandbox/session/launch_channel.h"
#include "sandbox/session/spawn.h"

/* How often a name that is just being given up is asked for again. */
#define BIND_ATTEMPTS 100

/* A creation under way; descriptors are -1 when absent. */
struct creation {
	const struct session_order *order;
	struct session_created *created;
	int image;
	int joiner; /* our end of the joiner's, then the launcher's control socket */
	int joiner_theirs;
	int session_ours;   /* the supervisor's end of the session socket */
	int session_theirs; /* the launcher's */
	int reaper_pidfd;
	pid_t reaper_pid;
	int reaper_channel;
	pid_t joiner_pid; /* our child, or 0 */
	struct launch_cgroup cgroup;
	bool bound;
	bool built;        /* there is a container, if not a whole one: its poststop hooks run when it goes */
	bool cgroup_made;  /* and handed over to the supervisor */
	bool attach;       /* processes are moved to the cgroup after they were created */
	bool await_cgroup; /* the supervisor waits for the cgroup2 directory before it clones the holder */
};

static int receive_progress(struct creation *creation, uint32_t kind, int *fds, size_t fds_size, int32_t *value,
			    struct error *err)
{
	struct progress progress;
	size_t count = 0;
	ssize_t length =
	    message_receive(creation->created->supervisor.fd, &progress, sizeof progress, fds, fds_size, &count);

	if (length != sizeof progress)
		return error_set(err, EPIPE, "the supervisor ended unexpectedly");
	progress.error.message[sizeof progress.error.message - 1] = '\0';
	if (progress.kind == PROGRESS_ERROR) {
		*err = progress.error;
		return -err->code;
	}
	if (progress.kind != kind || count != fds_size)
		return error_set(err, EPROTO, "the supervisor answered out of order");
	*value = progress.value;
	creation->created->supervisor.peer.pid = progress.supervisor_pid;
	return 0;
}

/* The user namespace given by path, in which the supervisor makes the others. */
static int userns_by_path(const struct session_order *order)
{
	const struct plan_namespace *namespaces = plan_items(order->plan, order->plan->namespaces);

	for (uint32_t i = 0; i < order->plan->namespaces.count; i++)
		if (namespaces[i].type == CLONE_NEWUSER)
			return order->builder->fds[namespaces[i].fd];
	return -1;
}

/* Whether the supervisor makes a process that holds the new namespaces. */
static bool has_holder(const struct plan *plan)
{
	return (plan->flags & (PLAN_REAPER | PLAN_NESTED_PID)) != 0;
}

static bool uses_cgroup_v2(const struct cgroup *cgroup)
{
	size_t count = 0;
	const struct cgroup_path *paths = cgroup == NULL ? NULL : cgroup_paths(cgroup, &count);

	for (size_t i = 0; i < count; i++)
		if (cgroup_path_is_v2(&paths[i]))
			return true;
	return false;
}

static int send_setup(struct creation *creation, const struct session_name *name, struct error *err)
{
	const struct session_order *order = creation->order;
	CLEANUP_CLOSE int self = sl_pidfd_open(getpid(), 0);
	struct setup setup = {.preserve_fds = order->preserve_fds, .name_length = (uint32_t)name->length};
	int fds[SETUP_FD_COUNT] = {order->plan_fd, creation->image, creation->joiner_theirs, self};
	size_t count = SETUP_FD_ROOT;
	int userns = userns_by_path(order);

	if (self < 0)
		return error_errno(err, errno, "pidfd_open");
	memcpy(setup.name, name->bytes, sizeof setup.name);
	if (order->own_main)
		setup.flags |= SETUP_OWN_MAIN;
	if (getppid() == 1)
		setup.flags |= SETUP_CALLER_IS_INIT;
	creation->await_cgroup = has_holder(order->plan) && uses_cgroup_v2(order->cgroup);
	if (creation->await_cgroup)
		setup.flags |= SETUP_AWAIT_CGROUP;
	if (order->place->directory >= 0 && order->place->writable) {
		setup.flags |= SETUP_HAS_ROOT;
		fds[count++] = order->place->directory;
	}
	if (order->owner_pidfd >= 0) {
		setup.flags |= SETUP_HAS_OWNER;
		fds[count++] = order->owner_pidfd;
	}
	if (userns >= 0) {
		setup.flags |= SETUP_HAS_USERNS;
		fds[count++] = userns;
	}
	int rc = message_send(creation->created->supervisor.fd, &setup, sizeof setup, fds, count);
	return rc < 0 ? error_errno(err, -rc, "reach the supervisor") : 0;
}

/* The name is taken: a session that answers is an error; one that is just ending is worth another try. Returns 0 to
 * try again. */
static int examine_holder(const struct session_order *order, struct error *err)
{
	CLEANUP_SESSION_CLIENT struct session_client client = {.fd = -1};
	CLEANUP_SESSION_ANSWER struct session_answer answer = SESSION_ANSWER_NONE;

	int rc = session_connect(order->place, order->id, &client, err);
	if (rc == -ENOENT)
		return 0;
	if (rc < 0)
		return rc;
	rc = session_request(&client, REQUEST_STATE, 0, NULL, 0, SESSION_ANSWER_TIMEOUT_MS, &answer, err);
	if (rc == -EPIPE)
		return 0;
	if (rc == -ETIMEDOUT) {
		/* It holds the name, but can't be told anything: design N6. */
		error_clear(err);
		return session_kill_supervisor(&client, err);
	}
	if (rc < 0)
		return rc;
	return error_set(err, EEXIST, "container with given ID already exists: %s", order->id);
}

static int start_supervisor(struct creation *creation, int32_t *run_joiner, struct error *err)
{
	const struct session_order *order = creation->order;
	struct session_name name;

	session_place_name(order->place, order->id, &name);
	for (int attempt = 0; attempt < BIND_ATTEMPTS; attempt++) {
		error_clear(err);
		int fd = spawn_supervisor(creation->image, order->preserve_fds, order->id, err);
		if (fd < 0)
			return fd;
		creation->created->supervisor.fd = fd;
		if (send_setup(creation, &name, err) < 0)
			return -err->code;
		int rc = receive_progress(creation, PROGRESS_BOUND, &creation->created->supervisor.peer.pidfd, 1,
					  run_joiner, err);
		if (rc == 0) {
			creation->bound = true;
			return 0;
		}
		if (rc != -EADDRINUSE)
			return rc;
		session_disconnect(&creation->created->supervisor);
		struct error holder = {0};
		if (examine_holder(order, &holder) < 0) {
			*err = holder;
			return -err->code;
		}
	}
	return session_place_describe_holder(order->place, order->id, err);
}

static int write_id_maps(const struct creation *creation, pid_t pid, struct error *err)
{
	const struct oci_linux *config = &creation->order->config->linux_;

	if ((creation->order->plan->clone_flags & CLONE_NEWUSER) == 0)
		return 0;
	return id_mappings_write(pid, config->uid_mappings, config->uid_mappings_count, config->gid_mappings,
				 config->gid_mappings_count, err);
}

/* Has the holder make what depends on id maps and cgroup. */
static int finish_holder(struct creation *creation, struct error *err)
{
	const struct plan *plan = creation->order->plan;
	struct reaper_order go = {.kind = REAPER_GO};
	struct reaper_answer answer;

	if (write_id_maps(creation, creation->reaper_pid, err) < 0)
		return -err->code;
	if ((plan->clone_flags & CLONE_NEWUSER) == 0 && creation->cgroup.count == 0 &&
	    (plan->flags & (PLAN_UNSHARE_CGROUP | PLAN_UNSHARE_TIME)) == 0)
		return 0;
	int rc = message_send(creation->reaper_channel, &go, sizeof go, creation->cgroup.fds, creation->cgroup.count);
	if (rc < 0)
		return error_errno(err, -rc, "reach the container's pid 1");
	if (message_receive(creation->reaper_channel, &answer, sizeof answer, NULL, 0, NULL) != sizeof answer)
		return error_set(err, EPIPE, "the container's pid 1 ended unexpectedly");
	if (answer.value < 0)
		*err = answer.error;
	return answer.value;
}

/* Its cgroup namespace begins at the container's cgroup; now the holder goes where it stays. A guard is not visible to
 * the container's init, which could not hand controllers down with a process in its cgroup that it can't move (v2). */
static int settle_holder(const struct creation *creation, struct error *err)
{
	const struct cgroup *cgroup = creation->order->cgroup;

	if (rdt_join(creation->order->plan, creation->reaper_pid, err) < 0)
		return -err->code;
	if (cgroup == NULL)
		return 0;
	if ((creation->order->plan->flags & PLAN_NESTED_PID) != 0)
		return cgroup_leave(cgroup, creation->reaper_pid, err);
	return cgroup_join_delegate(cgroup, creation->reaper_pid, err);
}

static int send_order(struct creation *creation, struct error *err)
{
	const struct session_order *order = creation->order;
	CLEANUP_CLOSE int time_ns = -1;
	CLEANUP_CLOSE int cgroup_ns = -1;
	struct launch_order launch = {
	    .preserve_fds = order->preserve_fds,
	    .listen_fds = order->listen_fds,
	};

	if (creation->reaper_pidfd >= 0) {
		launch.holder_flags = order->plan->clone_flags;
		if ((order->plan->flags & PLAN_UNSHARE_CGROUP) != 0) {
			cgroup_ns = launch_open_namespace(creation->reaper_pid, "cgroup", err);
			if (cgroup_ns < 0)
				return -err->code;
		}
		if (userns_by_path(order) >= 0)
			launch.holder_flags |= CLONE_NEWUSER;
		if ((order->plan->flags & PLAN_UNSHARE_TIME) != 0) {
			time_ns = launch_open_namespace(creation->reaper_pid, "time_for_children", err);
			if (time_ns < 0)
				return -err->code;
		}
	}
	const struct launch_descriptor descriptors[] = {
	    {LAUNCH_FD_PLAN, order->plan_fd},
	    {LAUNCH_FD_HOLDER, creation->reaper_pidfd},
	    {LAUNCH_FD_REAPER, creation->reaper_channel},
	    {LAUNCH_FD_SESSION, creation->session_theirs},
	    {LAUNCH_FD_CONSOLE, order->console_socket},
	    {LAUNCH_FD_TIME, time_ns},
	    {LAUNCH_FD_CGROUP, creation->cgroup.v2},
	    {LAUNCH_FD_CGROUP_NS, cgroup_ns},
	};
	return launch_send_order(creation->joiner, &launch, descriptors, ARRAY_SIZE(descriptors), &creation->cgroup,
				 order->builder->fds, order->builder->fds_count, err);
}

/* The launcher's number in our pid namespace: below a guard it could not know it. */
static pid_t pid_of(int pidfd)
{
	char path[64], text[1024];

	snprintf(path, sizeof path, "/proc/self/fdinfo/%d", pidfd);
	if (file_read_at(-1, path, text, sizeof text) <= 0)
		return -1;
	const char *line = strstr(text, "\nPid:\t");
	return line == NULL ? -1 : (pid_t)strtol(line + 6, NULL, 10);
}

static int run_runtime_hooks(struct creation *creation, struct error *err)
{
	const struct plan *plan = creation->order->plan;
	CLEANUP_FREE char *state = NULL;
	size_t length;

	if (hooks_state(plan, "created", creation->created->main_pid, &state, &length, err) < 0 ||
	    hooks_run(plan, plan->hooks_prestart, "prestart", state, length, err) < 0 ||
	    hooks_run(plan, plan->hooks_create_runtime, "createRuntime", state, length, err) < 0)
		return -err->code;
	int rc = message_send(creation->joiner, "", 1, NULL, 0);
	return rc < 0 ? error_errno(err, -rc, "reach the launcher") : 0;
}

static bool is_dead(int pidfd)
{
	struct pollfd item = {.fd = pidfd, .events = POLLIN};

	return poll(&item, 1, 0) > 0;
}

/* The launcher is there: what has to be done from outside before it can go on. */
static int launcher_forked(struct creation *creation, int32_t pid, int pidfd, struct error *err)
{
	struct session_created *created = creation->created;

	created->main_pidfd = pidfd;
	creation->built = true;
	created->main_pid = (creation->order->plan->flags & PLAN_NESTED_PID) != 0 ? pid_of(pidfd) : pid;
	if (created->main_pid <= 0)
		return error_set(err, ESRCH, "the launcher is gone");
	if (rdt_join(creation->order->plan, created->main_pid, err) < 0)
		return -err->code;
	/* Of a launcher that has failed meanwhile, its own words count: they come next. */
	if (creation->attach && cgroup_join(creation->order->cgroup, created->main_pid, err) < 0 && !is_dead(pidfd))
		return -err->code;
	if (creation->order->config->linux_.net_devices_count > 0 &&
	    net_devices_move(creation->order->config, created->main_pid, err) < 0)
		return -err->code;
	if (creation->reaper_pidfd >= 0)
		return 0;
	if (session_send(&created->supervisor, REQUEST_LAUNCHED, created->main_pid, &pidfd, 1, err) < 0 ||
	    write_id_maps(creation, created->main_pid, err) < 0)
		return -err->code;
	int rc = message_send(creation->joiner, "", 1, NULL, 0);
	return rc < 0 ? error_errno(err, -rc, "reach the launcher") : 0;
}

/* Follows the launcher until it is parked. The joiner announces it, but runs beside it: the announcement can come after
 * what the launcher itself says. */
static int follow_launcher(struct creation *creation, struct error *err)
{
	bool forked = false, hooks = false, ready = false;

	while (!forked || !ready) {
		struct launch_event event;
		int fd;
		if (launch_receive(creation->joiner, &event, &fd, err) < 0)
			return -err->code;
		if (event.kind == LAUNCH_FORKED && fd >= 0 && !forked) {
			forked = true;
			if (launcher_forked(creation, event.value, fd, err) < 0)
				return -err->code;
		} else if (event.kind == LAUNCH_HOOKS) {
			hooks = true;
		} else if (event.kind == LAUNCH_NOTIFY && creation->created->notify_socket < 0) {
			creation->created->notify_socket = fd;
			if (fd < 0)
				creation->order->warn(creation->order->warn_context, event.error.message);
		} else if (event.kind == LAUNCH_READY) {
			ready = true;
		} else {
			cleanup_close(&fd);
			return error_set(err, EPROTO, "the launcher answered out of order");
		}
		if (forked && hooks) {
			hooks = false;
			if (run_runtime_hooks(creation, err) < 0)
				return -err->code;
		}
	}
	return 0;
}

/* Children of ours that are done: joiners, never the launcher. */
static void reap_joiners(const struct creation *creation)
{
	if (creation->joiner_pid > 0)
		while (waitpid(creation->joiner_pid, NULL, 0) < 0 && errno == EINTR)
			;
}

static int finish_creation(struct creation *creation, struct error *err)
{
	CLEANUP_SESSION_ANSWER struct session_answer answer = SESSION_ANSWER_NONE;
	const struct session_order *order = creation->order;
	CLEANUP_CLOSE int record = file_sealed_memfd("sandlock-record", order->record, order->record_length, 0);

	if (record < 0)
		return error_errno(err, -record, "keep the record");
	int fds[3 + SESSION_NAMESPACES_MAX] = {creation->created->main_pidfd, creation->session_ours, record};
	size_t count = 3;
	const struct plan_namespace *namespaces = plan_items(order->plan, order->plan->namespaces);
	for (uint32_t i = 0; i < order->plan->namespaces.count && i < SESSION_NAMESPACES_MAX; i++)
		fds[count++] = order->builder->fds[namespaces[i].fd];
	return session_request(&creation->created->supervisor, REQUEST_CREATED, creation->created->main_pid, fds, count,
			       SESSION_ANSWER_TIMEOUT_MS, &answer, err);
}

/* Tells the supervisor that the cgroup is the container's. */
static int hand_over_cgroup(struct creation *creation, struct error *err)
{
	struct session_client *supervisor = &creation->created->supervisor;

	if (!creation->await_cgroup)
		return session_send(supervisor, REQUEST_CGROUP, 0, NULL, 0, err);
	int rc = message_send(supervisor->fd, "", 1, &creation->cgroup.v2, creation->cgroup.v2 >= 0 ? 1 : 0);
	return rc < 0 ? error_errno(err, -rc, "reach the supervisor") : 0;
}

/* Limits, before any process is in the cgroup; then the way into it. */
static int open_cgroup(struct creation *creation, struct error *err)
{
	struct cgroup *cgroup = creation->order->cgroup;
	size_t count;

	if (cgroup_apply(cgroup, creation->order->config->linux_.resources, err) < 0)
		return -err->code;
	const struct cgroup_path *paths = cgroup_paths(cgroup, &count);
	creation->attach = !cgroup_can_enter(cgroup);
	if (launch_cgroup_open(&creation->cgroup, paths, creation->attach ? 0 : count, err) < 0)
		return -err->code;
	return hand_over_cgroup(creation, err);
}

static int make_cgroup(struct creation *creation, struct error *err)
{
	struct cgroup *cgroup = creation->order->cgroup;
	struct error ignored;

	if (cgroup_create(cgroup, err) < 0)
		return -err->code;
	if (open_cgroup(creation, err) < 0) {
		cgroup_remove(cgroup, &ignored);
		return -err->code;
	}
	creation->cgroup_made = true;
	if (cgroup_delegate(cgroup) == NULL || creation->attach)
		return 0;
	/* The holder begins above it, for its cgroup namespace. */
	close(take_fd(&creation->cgroup.v2));
	creation->cgroup.v2 = open(cgroup_delegate(cgroup), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return creation->cgroup.v2 < 0 ? error_errno(err, errno, "open the cgroup %s", cgroup_delegate(cgroup)) : 0;
}

static int build(struct creation *creation, struct error *err)
{
	const struct session_order *order = creation->order;
	int32_t run_joiner = 0;

	creation->image = spawn_image(err);
	if (creation->image < 0 || launch_pair(&creation->joiner, &creation->joiner_theirs, err) < 0 ||
	    launch_pair(&creation->session_ours, &creation->session_theirs, err) < 0 ||
	    start_supervisor(creation, &run_joiner, err) < 0)
		return -err->code;
	if (run_joiner) {
		creation->joiner_pid =
		    spawn_joiner(creation->image, order->preserve_fds, creation->joiner_theirs, order->id, err);
		if (creation->joiner_pid < 0)
			return -err->code;
	}
	close(take_fd(&creation->joiner_theirs));
	/* Leftovers of a session whose supervisor was killed; the name is ours now. */
	if (session_place_clear(order->place, order->id, err) < 0)
		return -err->code;
	if (order->cgroup != NULL && make_cgroup(creation, err) < 0)
		return -err->code;
	/* The record says what may be killed and removed after a crash: never another container's cgroup. */
	if (session_place_record(order->place, order->id, order->record, order->record_length, err) < 0)
		return -err->code;
	if (has_holder(order->plan)) {
		int fds[2] = {-1, -1};
		int32_t pid = 0;
		if (receive_progress(creation, PROGRESS_REAPER, fds, 2, &pid, err) < 0)
			return -err->code;
		creation->reaper_pidfd = fds[0];
		creation->reaper_channel = fds[1];
		creation->reaper_pid = pid;
		if ((creation->attach && cgroup_join(order->cgroup, pid, err) < 0) ||
		    finish_holder(creation, err) < 0 || settle_holder(creation, err) < 0)
			return -err->code;
	}
	if (send_order(creation, err) < 0)
		return -err->code;
	close(take_fd(&creation->session_theirs));
	if (follow_launcher(creation, err) < 0)
		return -err->code;
	reap_joiners(creation);
	return finish_creation(creation, err);
}

/* runtime.md "Lifecycle": a container whose creation failed is destroyed like any other. */
static void run_poststop(const struct session_order *order)
{
	CLEANUP_FREE char *state = NULL;
	struct error err = {0};
	size_t length;

	if (order->plan->hooks_poststop.count == 0)
		return;
	if (hooks_state(order->plan, "stopped", 0, &state, &length, &err) < 0)
		order->warn(order->warn_context, err.message);
	else
		hooks_run_all(order->plan, order->plan->hooks_poststop, "poststop", state, length, order->warn,
			      order->warn_context);
}

/* Whether a name that is taken is given up within a second. A process that a killed supervisor was just forking has it
 * until its first system call. */
static bool await_name(const struct session_order *order)
{
	struct session_name name;

	session_place_name(order->place, order->id, &name);
	CLEANUP_CLOSE int fd = session_name_connect(&name);
	struct pollfd poll_fd = {.fd = fd, .events = POLLIN};
	return fd < 0 || poll(&poll_fd, 1, 1000) > 0;
}

/* The supervisor was killed: what it would have cleared. Nothing is killed but by the record, which is ours while we
 * have the name; without one (design N5) somebody else may be in the cgroup by now. */
static void clear_for_supervisor(const struct creation *creation)
{
	const struct session_order *order = creation->order;
	struct error ignored = {0};
	int rc = session_place_clear_stale(order->place, order->id, &ignored);

	if (rc == -EADDRINUSE && await_name(order))
		rc = session_place_clear_stale(order->place, order->id, &ignored);
	if (rc == -ENOENT && creation->cgroup_made)
		cgroup_remove_plan(order->plan, &ignored);
}

/* Everything that was made goes again. */
static void abandon(struct creation *creation)
{
	CLEANUP_SESSION_ANSWER struct session_answer answer = SESSION_ANSWER_NONE;
	struct session_client *supervisor = &creation->created->supervisor;
	struct error ignored = {0};
	int rc = 0;

	if (creation->bound)
		rc = session_send(supervisor, REQUEST_ABANDON, 0, NULL, 0, &ignored);
	/* The supervisor waits for the namespace to be empty. */
	launch_end(creation->joiner, creation->joiner_pid, &creation->created->main_pidfd);
	if (creation->bound && rc == 0) {
		/* Its earlier reports may be unread. */
		do
			rc = session_receive(supervisor, SESSION_ANSWER_TIMEOUT_MS, &answer, &ignored);
		while (rc == -EPROTO || rc == -EMSGSIZE);
	}
	if (rc == -EPIPE)
		clear_for_supervisor(creation);
	session_created_close(creation->created);
	if (creation->built)
		run_poststop(creation->order);
}

int session_create(const struct session_order *order, struct session_created *created, struct error *err)
{
	struct creation creation = {
	    .order = order,
	    .created = created,
	    .image = -1,
	    .joiner = -1,
	    .joiner_theirs = -1,
	    .session_ours = -1,
	    .session_theirs = -1,
	    .reaper_pidfd = -1,
	    .reaper_channel = -1,
	    .cgroup = LAUNCH_CGROUP_NONE,
	};

	*created = (struct session_created){
	    .supervisor = {.fd = -1, .peer = {.pidfd = -1}}, .main_pidfd = -1, .notify_socket = -1};
	int rc = build(&creation, err);
	if (rc < 0)
		abandon(&creation);
	int *const fds[] = {&creation.image,         &creation.joiner,         &creation.joiner_theirs,
			    &creation.session_ours,  &creation.session_theirs, &creation.reaper_pidfd,
			    &creation.reaper_channel};
	for (size_t i = 0; i < ARRAY_SIZE(fds); i++)
		cleanup_close(fds[i]);
	launch_cgroup_close(&creation.cgroup);
	return rc;
}

void session_created_close(struct session_created *created)
{
	session_disconnect(&created->supervisor);
	cleanup_close(&created->main_pidfd);
	cleanup_close(&created->notify_socket);
	created->main_pidfd = created->notify_socket = -1;
}
