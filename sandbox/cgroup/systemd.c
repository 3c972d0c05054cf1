/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/cgroup/systemd.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sandbox/cgroup/systemd_protocol.h"
#include "sandbox/common/cleanup.h"
#include "sandbox/common/file.h"
#include "sandbox/common/message.h"
#include "sandbox/common/number.h"

#ifndef SANDLOCK_LIBEXECDIR
#define SANDLOCK_LIBEXECDIR "/usr/libexec"
#endif
#define HELPER "sandlock-systemd"
#define ANNOTATION "org.systemd.property."

/* A running helper. */
struct helper {
	pid_t pid;
	int fd;
};

const char *cgroup_systemd_slice_path(struct arena *arena, const char *slice)
{
	size_t length = strlen(slice);
	const char *path = "";
	size_t begin = 0;

	if (length <= 6 || strcmp(slice + length - 6, ".slice") != 0 || strchr(slice, '/') != NULL)
		return NULL;
	length -= 6;
	if (length == 1 && slice[0] == '-')
		return "";
	for (size_t i = 0; i <= length; i++) {
		if (i < length && slice[i] != '-')
			continue;
		if (i == begin)
			return NULL;
		path = arena_printf(arena, "%s/%.*s.slice", path, (int)i, slice);
		begin = i + 1;
	}
	return path;
}

/* What systemd allows in a unit's name. */
static bool is_unit_name(const char *name)
{
	static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789:-_.\\@";
	size_t length = strlen(name);

	return length > 0 && length < 256 && name[strspn(name, allowed)] == '\0';
}

static bool ends_with(const char *text, const char *end)
{
	size_t length = strlen(text);

	return length >= strlen(end) && strcmp(text + length - strlen(end), end) == 0;
}

int cgroup_systemd_parse(struct arena *arena, const char *cgroups_path, const char *id, bool rootless,
			 struct cgroup_systemd_names *names, struct error *err)
{
	const char *slice = rootless ? "user.slice" : "system.slice";
	const char *prefix = "sandlock";
	const char *name = id;

	if (cgroups_path != NULL && cgroups_path[0] != '\0') {
		const char *first = strchr(cgroups_path, ':');
		const char *second = first == NULL ? NULL : strchr(first + 1, ':');
		if (first == NULL || (second != NULL && strchr(second + 1, ':') != NULL))
			return error_set(
			    err, EINVAL,
			    "expected cgroupsPath to be of format \"slice:prefix:name\" for systemd cgroups, got "
			    "\"%s\" instead",
			    cgroups_path);
		if (first != cgroups_path)
			slice = arena_strndup(arena, cgroups_path, (size_t)(first - cgroups_path));
		prefix = second == NULL ? "" : arena_strndup(arena, first + 1, (size_t)(second - first - 1));
		name = second == NULL ? first + 1 : second + 1;
	}
	if (name[0] == '\0' || ends_with(name, ".slice"))
		return error_set(err, EINVAL, "linux.cgroupsPath: \"%s\" is no name for the scope of a container",
				 name);
	names->slice = slice;
	names->unit = arena_printf(arena, "%s%s%s%s", prefix, prefix[0] == '\0' ? "" : "-", name,
				   ends_with(name, ".scope") ? "" : ".scope");
	if (cgroup_systemd_slice_path(arena, slice) == NULL || !is_unit_name(slice))
		return error_set(err, EINVAL, "linux.cgroupsPath: invalid slice name: %s", slice);
	if (!is_unit_name(names->unit))
		return error_set(err, EINVAL, "linux.cgroupsPath: \"%s\" is not a valid name of a systemd unit",
				 names->unit);
	return 0;
}

/* Beside the program (in a build tree), below the same prefix, where it was configured to be. */
static int helper_path(char *path, size_t size)
{
	static const char *const places[] = {"%.*s/" HELPER, "%.*s/../libexec/" HELPER};
	char self[4096];
	ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);

	self[length < 0 ? 0 : length] = '\0';
	const char *slash = strrchr(self, '/');
	for (size_t i = 0; slash != NULL && i < ARRAY_SIZE(places); i++) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		if (snprintf(path, size, places[i], (int)(slash - self), self) < (int)size && access(path, X_OK) == 0)
			return 0;
#pragma GCC diagnostic pop
	}
	if (snprintf(path, size, "%s/" HELPER, SANDLOCK_LIBEXECDIR) < (int)size && access(path, X_OK) == 0)
		return 0;
	return -ENOENT;
}

static int helper_start(struct helper *helper, struct error *err)
{
	char path[4200];
	char *arguments[] = {(char[]){HELPER}, NULL};
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t none;
	int pair[2];

	if (helper_path(path, sizeof path) < 0)
		return error_set(
		    err, ENOENT,
		    "the systemd cgroup manager needs the helper program " HELPER
		    " (it is built where libsystemd is found): install it, or use --cgroup-manager=cgroupfs");
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return error_errno(err, errno, "cannot start " HELPER);
	sigemptyset(&none);
	posix_spawn_file_actions_init(&actions);
	posix_spawnattr_init(&attributes);
	posix_spawn_file_actions_adddup2(&actions, pair[1], 0);
	posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
	int code = posix_spawn(&helper->pid, path, &actions, &attributes, arguments, environ);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attributes);
	close(pair[1]);
	helper->fd = pair[0];
	if (code == 0)
		return 0;
	close(pair[0]);
	return error_errno(err, code, "cannot start %s", path);
}

static void helper_end(struct helper *helper)
{
	close(helper->fd);
	while (waitpid(helper->pid, NULL, 0) < 0 && errno == EINTR)
		continue;
}

/* Sends the request and reads the answer; `text` gets what is behind "ok ". */
static int helper_ask(const struct helper *helper, const char *request, char *text, size_t size, struct error *err)
{
	char answer[2048];

	if (strlen(request) >= SYSTEMD_MESSAGE_MAX)
		return error_set(err, E2BIG, "too many properties for systemd");
	int rc = message_send(helper->fd, request, strlen(request), NULL, 0);
	ssize_t length = rc < 0 ? rc : message_receive(helper->fd, answer, sizeof answer - 1, NULL, 0, NULL);
	if (length <= 0)
		return error_set(err, EPIPE, HELPER " ended unexpectedly");
	answer[length] = '\0';
	if (strncmp(answer, "ok", 2) == 0) {
		if (text != NULL)
			snprintf(text, size, "%s", answer[2] == ' ' ? answer + 3 : "");
		return 0;
	}
	/* "error 17 text" */
	size_t digits = strspn(answer + 6, "0123456789");
	char number[16];
	uint64_t code;
	snprintf(number, sizeof number, "%.*s", (int)digits, answer + 6);
	if (strncmp(answer, "error ", 6) != 0 || answer[6 + digits] != ' ' ||
	    number_parse_u64(number, 1, 4095, &code) < 0)
		return error_set(err, EPROTO, HELPER " gave an answer that makes no sense");
	return error_set(err, (int)code, "systemd: %s", answer + 6 + digits + 1);
}

static int ask_once(bool rootless, const char *request, char *text, size_t size, struct error *err)
{
	CLEANUP_ARENA struct arena arena = {0};
	struct helper helper = {0};

	int rc = helper_start(&helper, err);
	if (rc < 0)
		return rc;
	rc = helper_ask(&helper, arena_printf(&arena, "%s%s", rootless ? "bus user\n" : "", request), text, size, err);
	helper_end(&helper);
	return rc;
}

static int collect_annotations(struct cgroup *cgroup, const struct cgroup_settings *settings, struct error *err)
{
	struct arena *arena = &cgroup->arena;

	cgroup->properties = "";
	for (size_t i = 0; i < settings->annotations_count; i++) {
		const char *key = settings->annotations[i].key;
		const char *line;
		if (strncmp(key, ANNOTATION, sizeof ANNOTATION - 1) != 0)
			continue;
		int rc = cgroup_systemd_annotation(arena, key + sizeof ANNOTATION - 1, settings->annotations[i].value,
						   &line, err);
		if (rc < 0)
			return rc;
		cgroup->properties = arena_printf(arena, "%s%s", cgroup->properties, line);
	}
	return 0;
}

/* A directory below the scope, from an annotation. */
static int sub_directory(struct cgroup *cgroup, const struct cgroup_settings *settings, const char *key,
			 const char **result, struct error *err)
{
	*result = NULL;
	for (size_t i = 0; i < settings->annotations_count; i++) {
		const char *value = settings->annotations[i].value;
		if (strcmp(settings->annotations[i].key, key) != 0 || value[0] == '\0')
			continue;
		const char *clean = cgroup_clean_path(&cgroup->arena, value[0] == '/' ? value + 1 : value);
		if (strstr(value, "..") != NULL || clean[0] == '\0' || clean[0] == '/')
			return error_set(err, EINVAL, "annotation %s: \"%s\" is no path below the scope", key, value);
		*result = clean;
	}
	return 0;
}

int cgroup_systemd_place(struct cgroup *cgroup, const struct cgroup_layout *layout,
			 const struct cgroup_settings *settings, struct error *err)
{
	struct arena *arena = &cgroup->arena;
	struct cgroup_systemd_names names = {0};
	char manager[3000] = "";
	const char *subgroup = NULL;

	int rc = cgroup_systemd_parse(arena, settings->cgroups_path, settings->id, cgroup->rootless, &names, err);
	if (rc == 0)
		rc = collect_annotations(cgroup, settings, err);
	if (rc == 0)
		rc = sub_directory(cgroup, settings, "run.oci.systemd.subgroup", &subgroup, err);
	if (rc == 0)
		rc = sub_directory(cgroup, settings, "run.oci.delegate-cgroup", &cgroup->delegate, err);
	if (rc == 0 && cgroup->delegate != NULL && (subgroup == NULL || layout->mode != CGROUP_MODE_V2))
		rc = error_set(err, EINVAL,
			       "annotation run.oci.delegate-cgroup: needs run.oci.systemd.subgroup and cgroup v2");
	/* A user's systemd is somewhere below the system's. */
	if (rc == 0 && cgroup->rootless)
		rc = ask_once(true, "command control-group\n", manager, sizeof manager, err);
	if (rc < 0)
		return rc;
	cgroup->slice = names.slice;
	cgroup->unit = names.unit;
	const char *scope = arena_printf(arena, "%s%s/%s", strcmp(manager, "/") == 0 ? "" : manager,
					 cgroup_systemd_slice_path(arena, names.slice), names.unit);
	for (size_t i = 0; i < layout->count; i++) {
		const struct cgroup_hierarchy *hierarchy = &layout->hierarchies[i];
		const char *path = subgroup == NULL ? scope : arena_printf(arena, "%s/%s", scope, subgroup);
		cgroup_add_node(cgroup, hierarchy, path);
		struct cgroup_node *node = &cgroup->nodes[cgroup->count - 1];
		node->scope_length = strlen(cgroup_hierarchy_path(arena, hierarchy, scope));
		if (hierarchy->v2 && cgroup->delegate != NULL)
			cgroup->delegate_path =
			    arena_printf(arena, "%s/%s", cgroup->paths[cgroup->count - 1].path, cgroup->delegate);
	}
	return 0;
}

/* systemd must have put the helper where the container's directories are expected. */
static int check_scope(const struct cgroup *cgroup, struct error *err)
{
	for (size_t i = 0; i < cgroup->count; i++) {
		char path[4096];
		bool managed = cgroup->nodes[i].v2 && cgroup->mode == CGROUP_MODE_V2;
		managed = managed || strcmp(cgroup->paths[i].controllers, "name=systemd") == 0;
		snprintf(path, sizeof path, "%.*s", (int)cgroup->nodes[i].scope_length, cgroup->paths[i].path);
		if (managed && access(path, F_OK) < 0)
			return error_errno(err, errno, "systemd started %s, but not in %s", cgroup->unit, path);
	}
	return 0;
}

int cgroup_systemd_start(struct cgroup *cgroup, struct error *err)
{
	struct helper helper = {0};
	const char *request = arena_printf(&cgroup->arena, "%scommand start\nunit %s\nslice %s\n%s%s",
					   cgroup->rootless ? "bus user\n" : "", cgroup->unit, cgroup->slice,
					   cgroup_systemd_limits(&cgroup->arena, &cgroup->writes), cgroup->properties);

	int rc = helper_start(&helper, err);
	if (rc < 0)
		return rc;
	rc = helper_ask(&helper, request, NULL, 0, err);
	if (rc < 0) {
		helper_end(&helper);
		return error_wrap(err, "unable to start unit \"%s\"", cgroup->unit);
	}
	cgroup->helper_pid = helper.pid;
	cgroup->helper_fd = helper.fd;
	return check_scope(cgroup, err);
}

int cgroup_systemd_attach(const struct cgroup *cgroup, pid_t pid, const char *subpath, struct error *err)
{
	CLEANUP_ARENA struct arena arena = {0};
	int v2 = cgroup_find_v2(cgroup);
	const char *scope = v2 < 0 ? NULL : strstr(cgroup->paths[v2].path, cgroup->unit);
	const char *below = scope == NULL ? "" : scope + strlen(cgroup->unit);

	if (subpath != NULL && subpath[0] != '\0')
		below = arena_printf(&arena, "%s/%s", below, subpath);
	return ask_once(
	    cgroup->rootless,
	    arena_printf(&arena, "command attach\nunit %s\npid %d\npath %s\n", cgroup->unit, (int)pid, below), NULL, 0,
	    err);
}

int cgroup_systemd_descend(struct cgroup *cgroup, struct error *err)
{
	char pid[16];

	snprintf(pid, sizeof pid, "%d", (int)cgroup->helper_pid);
	for (size_t i = 0; i < cgroup->count; i++) {
		if (cgroup->paths[i].path[cgroup->nodes[i].scope_length] == '\0')
			continue;
		CLEANUP_CLOSE int dirfd = open(cgroup->paths[i].path, O_PATH | O_DIRECTORY | O_CLOEXEC);
		int rc = dirfd < 0 ? -errno : file_write_at(dirfd, "cgroup.procs", pid);
		/* The helper is in the scope: the scope itself is what has to be writable. */
		if (rc < 0)
			return error_errno(err, -rc, "cannot use the cgroup %s", cgroup->paths[i].path);
	}
	return 0;
}

void cgroup_systemd_settle(struct cgroup *cgroup)
{
	struct helper helper = {.pid = cgroup->helper_pid, .fd = cgroup->helper_fd};

	if (cgroup->helper_pid > 0)
		helper_end(&helper);
	cgroup->helper_pid = 0;
	cgroup->helper_fd = -1;
}

int cgroup_systemd_update(struct cgroup *cgroup, const struct cgroup_writes *writes, struct error *err)
{
	const char *lines = cgroup_systemd_limits(&cgroup->arena, writes);

	if (lines[0] == '\0')
		return 0;
	return ask_once(cgroup->rootless, arena_printf(&cgroup->arena, "command set\nunit %s\n%s", cgroup->unit, lines),
			NULL, 0, err);
}

int cgroup_systemd_stop(const struct cgroup *cgroup, struct error *err)
{
	CLEANUP_ARENA struct arena arena = {0};

	return ask_once(cgroup->rootless, arena_printf(&arena, "command stop\nunit %s\n", cgroup->unit), NULL, 0, err);
}
