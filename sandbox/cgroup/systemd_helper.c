/* SPDX-License-Identifier: Apache-2.0 */
/* sandlock-systemd: talks to systemd for sandlock-oci, see systemd_protocol.h. */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <systemd/sd-bus.h>
#include <unistd.h>

#include "sandbox/cgroup/systemd_protocol.h"
#include "sandbox/common/number.h"

#define DESTINATION "org.freedesktop.systemd1"
#define MANAGER_PATH "/org/freedesktop/systemd1"
#define MANAGER "org.freedesktop.systemd1.Manager"
#define SCOPE "org.freedesktop.systemd1.Scope"
/* systemd answers in milliseconds; a machine that is starting up can keep it busy. */
#define TIMEOUT_USEC (30ull * 1000 * 1000)
#define BITS_MAX 8192

struct property {
	const char *name;
	const char *signature;
	char *value;
	bool dropped;
};

struct request {
	const char *command;
	const char *unit;
	const char *slice;
	const char *path;
	uint64_t pid;
	bool user_bus;
	struct property properties[SYSTEMD_PROPERTIES_MAX];
	size_t count;
};

/* A job that is awaited; `result` is NULL until it is over. */
struct job {
	const char *path;
	char *result;
};

static void answer(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void answer(const char *format, ...)
{
	char text[2000];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof text, format, arguments);
	va_end(arguments);
	for (char *c = text; *c != '\0'; c++)
		if (*c == '\n')
			*c = ' ';
	if (send(0, text, strlen(text), MSG_NOSIGNAL) < 0)
		_exit(1);
}

static int fail(int code, const sd_bus_error *error, const char *what)
{
	if (code < 0)
		code = -code;
	answer("error %d %s: %s", code == 0 ? EIO : code, what,
	       error != NULL && error->message != NULL ? error->message : strerror(code));
	return 1;
}

static char *word(char **text)
{
	char *start = *text;
	size_t length = strcspn(start, " ");

	*text = start + length + (start[length] == ' ');
	start[length] = '\0';
	return start;
}

static int parse(char *text, struct request *request)
{
	while (*text != '\0') {
		size_t length = strcspn(text, "\n");
		char *line = text;
		text += length + (text[length] == '\n');
		line[length] = '\0';
		const char *key = word(&line);
		if (strcmp(key, "command") == 0) {
			request->command = line;
		} else if (strcmp(key, "bus") == 0) {
			request->user_bus = strcmp(line, "user") == 0;
		} else if (strcmp(key, "path") == 0) {
			request->path = line;
		} else if (strcmp(key, "pid") == 0) {
			if (number_parse_u64(line, 1, INT32_MAX, &request->pid) < 0)
				return -EINVAL;
		} else if (strcmp(key, "unit") == 0) {
			request->unit = line;
		} else if (strcmp(key, "slice") == 0) {
			request->slice = line;
		} else if (strcmp(key, "property") == 0 && request->count < SYSTEMD_PROPERTIES_MAX) {
			struct property *property = &request->properties[request->count++];
			property->name = word(&line);
			property->signature = word(&line);
			property->value = line;
		} else {
			return -EINVAL;
		}
	}
	return request->command == NULL ? -EINVAL : 0;
}

/* "0-3,7" as a bit mask, the first bit lowest. Returns its length in bytes or a negative errno value. */
static int parse_bits(char *text, uint8_t bits[BITS_MAX / 8])
{
	int length = 0;

	memset(bits, 0, BITS_MAX / 8);
	for (char *item = strtok(text, ","); item != NULL; item = strtok(NULL, ",")) {
		char *last_text = strchr(item, '-');
		uint64_t first, last;
		if (last_text != NULL)
			*last_text++ = '\0';
		if (number_parse_u64(item, 0, BITS_MAX - 1, &first) < 0)
			return -EINVAL;
		last = first;
		if (last_text != NULL && number_parse_u64(last_text, first, BITS_MAX - 1, &last) < 0)
			return -EINVAL;
		for (uint64_t i = first; i <= last; i++)
			bits[i / 8] |= (uint8_t)(1u << i % 8);
		if ((int)(last / 8) + 1 > length)
			length = (int)(last / 8) + 1;
	}
	return length;
}

/* Items that are separated by SYSTEMD_SEPARATOR, in one container each when `pairs`. */
static int append_items(sd_bus_message *message, char *text, bool pairs)
{
	int rc = sd_bus_message_open_container(message, 'a', pairs ? "(ss)" : "s");

	while (rc >= 0 && *text != '\0') {
		const char *items[2] = {NULL, ""};
		for (int i = 0; i < (pairs ? 2 : 1); i++) {
			size_t length = strcspn(text, (char[]){SYSTEMD_SEPARATOR, '\0'});
			items[i] = text;
			text += length;
			if (*text != '\0')
				*text++ = '\0';
		}
		rc = pairs ? sd_bus_message_append(message, "(ss)", items[0], items[1])
			   : sd_bus_message_append(message, "s", items[0]);
	}
	return rc < 0 ? rc : sd_bus_message_close_container(message);
}

static int append_basic(sd_bus_message *message, char type, const char *text)
{
	uint64_t number = UINT64_MAX;
	int64_t integer = 0;

	switch (type) {
	case 's':
		return sd_bus_message_append(message, "s", text);
	case 'b':
		return sd_bus_message_append(message, "b", strcmp(text, "true") == 0);
	case 't':
		if (strcmp(text, "max") != 0 && number_parse_u64(text, 0, UINT64_MAX, &number) < 0)
			return -EINVAL;
		return sd_bus_message_append(message, "t", number);
	case 'u':
		if (number_parse_u64(text, 0, UINT32_MAX, &number) < 0)
			return -EINVAL;
		return sd_bus_message_append(message, "u", (uint32_t)number);
	case 'i':
		if (number_parse_i64(text, INT32_MIN, INT32_MAX, &integer) < 0)
			return -EINVAL;
		return sd_bus_message_append(message, "i", (int32_t)integer);
	case 'x':
		if (number_parse_i64(text, INT64_MIN, INT64_MAX, &integer) < 0)
			return -EINVAL;
		return sd_bus_message_append(message, "x", integer);
	default:
		return -EINVAL;
	}
}

static int append_value(sd_bus_message *message, const struct property *property)
{
	uint8_t bits[BITS_MAX / 8];

	if (strcmp(property->signature, "as") == 0)
		return append_items(message, property->value, false);
	if (strcmp(property->signature, "a(ss)") == 0)
		return append_items(message, property->value, true);
	if (strcmp(property->signature, "ay") == 0) {
		int length = parse_bits(property->value, bits);
		return length < 0 ? length : sd_bus_message_append_array(message, 'y', bits, (size_t)length);
	}
	return append_basic(message, property->signature[0], property->value);
}

static int append_property(sd_bus_message *message, const struct property *property)
{
	int rc = sd_bus_message_open_container(message, 'r', "sv");

	if (rc >= 0)
		rc = sd_bus_message_append(message, "s", property->name);
	if (rc >= 0)
		rc = sd_bus_message_open_container(message, 'v', property->signature);
	if (rc >= 0) {
		/* A second attempt needs the text again. */
		struct property copy = *property;
		copy.value = strdup(property->value);
		rc = copy.value == NULL ? -ENOMEM : append_value(message, &copy);
		free(copy.value);
	}
	if (rc >= 0)
		rc = sd_bus_message_close_container(message);
	return rc < 0 ? rc : sd_bus_message_close_container(message);
}

static int append_properties(sd_bus_message *message, const struct request *request)
{
	int rc = 0;

	for (size_t i = 0; i < request->count && rc >= 0; i++)
		if (!request->properties[i].dropped)
			rc = append_property(message, &request->properties[i]);
	return rc;
}

/* systemd names a property that it does not know or can't change. A limit that an old systemd has no word for is set
 * in the cgroup by the program all the same. */
static bool drop_unknown(struct request *request, const sd_bus_error *error)
{
	if (error->message == NULL || strstr(error->message, "unknown property") == NULL)
		return false;
	for (size_t i = 0; i < request->count; i++) {
		if (request->properties[i].dropped || strstr(error->message, request->properties[i].name) == NULL)
			continue;
		request->properties[i].dropped = true;
		return true;
	}
	return false;
}

static int job_removed(sd_bus_message *message, void *data, sd_bus_error *error)
{
	struct job *job = data;
	const char *path, *unit, *result;
	uint32_t id;

	(void)error;
	if (sd_bus_message_read(message, "uoss", &id, &path, &unit, &result) < 0)
		return 0;
	if (job->path != NULL && strcmp(path, job->path) == 0 && job->result == NULL)
		job->result = strdup(result);
	return 0;
}

static int await_job(sd_bus *bus, struct job *job)
{
	uint64_t waited = 0;

	while (job->result == NULL) {
		int rc = sd_bus_process(bus, NULL);
		if (rc < 0)
			return rc;
		if (rc > 0)
			continue;
		if (waited >= TIMEOUT_USEC)
			return -ETIMEDOUT;
		rc = sd_bus_wait(bus, TIMEOUT_USEC);
		if (rc < 0 && rc != -EINTR)
			return rc;
		if (rc == 0)
			waited = TIMEOUT_USEC;
	}
	return 0;
}

static int start_call(sd_bus *bus, const struct request *request, sd_bus_message **reply, sd_bus_error *error)
{
	static const char *const accounting[] = {"CPUAccounting", "MemoryAccounting", "IOAccounting", "TasksAccounting",
						 "Delegate"};
	sd_bus_message *message = NULL;

	int rc =
	    sd_bus_message_new_method_call(bus, &message, DESTINATION, MANAGER_PATH, MANAGER, "StartTransientUnit");
	if (rc >= 0)
		rc = sd_bus_message_append(message, "ss", request->unit, "fail");
	if (rc >= 0)
		rc = sd_bus_message_open_container(message, 'a', "(sv)");
	if (rc >= 0)
		rc =
		    sd_bus_message_append(message, "(sv)(sv)(sv)(sv)(sv)", "Description", "s", "sandlock-oci container",
					  "Slice", "s", request->slice, "DefaultDependencies", "b", 0, "CollectMode",
					  "s", "inactive-or-failed", "PIDs", "au", 1, (uint32_t)getpid());
	for (size_t i = 0; i < sizeof accounting / sizeof accounting[0] && rc >= 0; i++)
		rc = sd_bus_message_append(message, "(sv)", accounting[i], "b", 1);
	if (rc >= 0)
		rc = append_properties(message, request);
	if (rc >= 0)
		rc = sd_bus_message_close_container(message);
	if (rc >= 0)
		rc = sd_bus_message_append(message, "a(sa(sv))", 0);
	if (rc >= 0)
		rc = sd_bus_call(bus, message, TIMEOUT_USEC, error, reply);
	sd_bus_message_unref(message);
	return rc;
}

/* Whether nothing is in the unit's cgroup or below it, or it is gone. systemd hears of the end of the last process a
 * moment later. A v1 hierarchy does not tell. */
static bool is_empty(const char *cgroup)
{
	static const char *const roots[] = {"/sys/fs/cgroup", "/sys/fs/cgroup/unified", "/sys/fs/cgroup/systemd"};

	for (size_t i = 0; i < sizeof roots / sizeof roots[0]; i++) {
		char path[4096];
		char text[256] = "";
		snprintf(path, sizeof path, "%s/cgroup.procs", roots[i]);
		if (access(path, F_OK) < 0)
			continue;
		snprintf(path, sizeof path, "%s%s", roots[i], cgroup);
		if (cgroup[0] != '/' || access(path, F_OK) < 0)
			return cgroup[0] == '/' || cgroup[0] == '\0';
		snprintf(path, sizeof path, "%s%s/cgroup.events", roots[i], cgroup);
		FILE *file = fopen(path, "re");
		if (file == NULL)
			return false;
		size_t length = fread(text, 1, sizeof text - 1, file);
		fclose(file);
		text[length] = '\0';
		return strstr(text, "populated 0\n") != NULL;
	}
	return false;
}

/* A unit of that name that has failed, or whose processes have all ended, is about to go. Others must not be touched.
 */
static bool unit_is_left_over(sd_bus *bus, const char *unit)
{
	sd_bus_message *reply = NULL;
	const char *path = NULL;
	char *state = NULL;
	char *cgroup = NULL;
	bool left_over = false;

	if (sd_bus_call_method(bus, DESTINATION, MANAGER_PATH, MANAGER, "GetUnit", NULL, &reply, "s", unit) < 0)
		return true;
	if (sd_bus_message_read(reply, "o", &path) >= 0 &&
	    sd_bus_get_property_string(bus, DESTINATION, path, "org.freedesktop.systemd1.Unit", "ActiveState", NULL,
				       &state) >= 0) {
		left_over = strcmp(state, "inactive") == 0 || strcmp(state, "failed") == 0 ||
			    strcmp(state, "deactivating") == 0;
		if (strcmp(state, "active") == 0 &&
		    sd_bus_get_property_string(bus, DESTINATION, path, SCOPE, "ControlGroup", NULL, &cgroup) >= 0)
			left_over = is_empty(cgroup);
	}
	free(cgroup);
	free(state);
	sd_bus_message_unref(reply);
	return left_over;
}

static int unit_removed(sd_bus_message *message, void *data, sd_bus_error *error)
{
	struct job *job = data;
	const char *unit, *path;

	(void)error;
	if (sd_bus_message_read(message, "so", &unit, &path) >= 0 && strcmp(unit, job->path) == 0 &&
	    job->result == NULL)
		job->result = strdup("removed");
	return 0;
}

/* Lets systemd forget a unit that is over. */
static void clear_left_over(sd_bus *bus, const char *unit)
{
	struct job job = {.path = unit};
	sd_bus_slot *slot = NULL;

	sd_bus_match_signal(bus, &slot, DESTINATION, MANAGER_PATH, MANAGER, "UnitRemoved", unit_removed, &job);
	sd_bus_call_method(bus, DESTINATION, MANAGER_PATH, MANAGER, "ResetFailedUnit", NULL, NULL, "s", unit);
	sd_bus_message *reply = NULL;
	if (sd_bus_call_method(bus, DESTINATION, MANAGER_PATH, MANAGER, "GetUnit", NULL, &reply, "s", unit) >= 0) {
		sd_bus_call_method(bus, DESTINATION, MANAGER_PATH, MANAGER, "StopUnit", NULL, NULL, "ss", unit,
				   "replace");
		(void)await_job(bus, &job);
	}
	sd_bus_message_unref(reply);
	sd_bus_slot_unref(slot);
	free(job.result);
}

static int start(sd_bus *bus, struct request *request)
{
	sd_bus_error error = SD_BUS_ERROR_NULL;
	sd_bus_message *reply = NULL;
	struct job job = {0};
	bool cleared = false;

	int rc = sd_bus_match_signal(bus, NULL, DESTINATION, MANAGER_PATH, MANAGER, "JobRemoved", job_removed, &job);
	if (rc < 0)
		return fail(rc, NULL, "watch jobs");
	for (;;) {
		rc = start_call(bus, request, &reply, &error);
		if (rc >= 0)
			break;
		bool exists = sd_bus_error_has_name(&error, "org.freedesktop.systemd1.UnitExists");
		if (exists && !cleared && unit_is_left_over(bus, request->unit)) {
			clear_left_over(bus, request->unit);
			cleared = true;
		} else if (exists || !drop_unknown(request, &error)) {
			return fail(exists ? EEXIST : rc, &error, "StartTransientUnit");
		}
		sd_bus_error_free(&error);
	}
	if (sd_bus_message_read(reply, "o", &job.path) < 0)
		return fail(EPROTO, NULL, "StartTransientUnit");
	rc = await_job(bus, &job);
	if (rc < 0)
		return fail(rc, NULL, "wait for the unit to start");
	if (strcmp(job.result, "done") != 0) {
		answer("error %d error creating systemd unit `%s`: got `%s`", EIO, request->unit, job.result);
		return 1;
	}
	answer("ok");
	/* The scope lives as long as it has a process: this one, until the container's first one is there. */
	char byte;
	sd_bus_flush_close_unref(bus);
	while (recv(0, &byte, 1, 0) > 0)
		continue;
	return 0;
}

static int set(sd_bus *bus, struct request *request)
{
	for (;;) {
		sd_bus_error error = SD_BUS_ERROR_NULL;
		sd_bus_message *message = NULL;
		int rc = sd_bus_message_new_method_call(bus, &message, DESTINATION, MANAGER_PATH, MANAGER,
							"SetUnitProperties");
		if (rc >= 0)
			rc = sd_bus_message_append(message, "sb", request->unit, 1);
		if (rc >= 0)
			rc = sd_bus_message_open_container(message, 'a', "(sv)");
		if (rc >= 0)
			rc = append_properties(message, request);
		if (rc >= 0)
			rc = sd_bus_message_close_container(message);
		if (rc >= 0)
			rc = sd_bus_call(bus, message, TIMEOUT_USEC, &error, NULL);
		sd_bus_message_unref(message);
		if (rc < 0 && drop_unknown(request, &error)) {
			sd_bus_error_free(&error);
			continue;
		}
		if (rc < 0)
			return fail(rc, &error, "SetUnitProperties");
		answer("ok");
		return 0;
	}
}

static int stop(sd_bus *bus, const struct request *request)
{
	sd_bus_error error = SD_BUS_ERROR_NULL;
	sd_bus_message *reply = NULL;
	struct job job = {0};

	int rc = sd_bus_match_signal(bus, NULL, DESTINATION, MANAGER_PATH, MANAGER, "JobRemoved", job_removed, &job);
	if (rc >= 0)
		rc = sd_bus_call_method(bus, DESTINATION, MANAGER_PATH, MANAGER, "StopUnit", &error, &reply, "ss",
					request->unit, "replace");
	if (rc < 0 && sd_bus_error_has_name(&error, "org.freedesktop.systemd1.NoSuchUnit")) {
		answer("ok");
		return 0;
	}
	if (rc < 0)
		return fail(rc, &error, "StopUnit");
	if (sd_bus_message_read(reply, "o", &job.path) < 0)
		return fail(EPROTO, NULL, "StopUnit");
	rc = await_job(bus, &job);
	if (rc < 0)
		return fail(rc, NULL, "wait for the unit to stop");
	/* The name shall be free, also of one that failed. */
	sd_bus_call_method(bus, DESTINATION, MANAGER_PATH, MANAGER, "ResetFailedUnit", NULL, NULL, "s", request->unit);
	answer("ok");
	return 0;
}

/* What a user may not do himself: from his session to a unit of his systemd. */
static int attach(sd_bus *bus, const struct request *request)
{
	sd_bus_error error = SD_BUS_ERROR_NULL;

	int rc =
	    sd_bus_call_method(bus, DESTINATION, MANAGER_PATH, MANAGER, "AttachProcessesToUnit", &error, NULL, "ssau",
			       request->unit, request->path == NULL ? "" : request->path, 1, (uint32_t)request->pid);
	if (rc < 0)
		return fail(rc, &error, "AttachProcessesToUnit");
	answer("ok");
	return 0;
}

static int control_group(sd_bus *bus)
{
	sd_bus_error error = SD_BUS_ERROR_NULL;
	char *path = NULL;

	int rc = sd_bus_get_property_string(bus, DESTINATION, MANAGER_PATH, MANAGER, "ControlGroup", &error, &path);
	if (rc < 0)
		return fail(rc, &error, "read the manager's ControlGroup");
	answer("ok %s", path);
	return 0;
}

int main(void)
{
	static char text[SYSTEMD_MESSAGE_MAX];
	static struct request request;
	sd_bus *bus = NULL;

	/* Nothing of the caller's is needed, and nobody waits for this process. */
	prctl(PR_SET_NAME, "sandlock-systemd");
	ssize_t length = recv(0, text, sizeof text - 1, 0);
	if (length <= 0) {
		fputs("sandlock-systemd is a part of sandlock-oci, which runs it\n", stderr);
		return 2;
	}
	text[length] = '\0';
	if (parse(text, &request) < 0)
		return fail(EINVAL, NULL, "read the request");
	int rc = request.user_bus ? sd_bus_open_user(&bus) : sd_bus_open_system(&bus);
	if (rc < 0)
		return fail(rc, NULL, "connect to systemd's D-Bus");
	if (strcmp(request.command, "control-group") == 0)
		return control_group(bus);
	if (request.unit == NULL || (strcmp(request.command, "start") == 0 && request.slice == NULL))
		return fail(EINVAL, NULL, "read the request");
	if (strcmp(request.command, "start") == 0)
		return start(bus, &request);
	if (strcmp(request.command, "set") == 0)
		return set(bus, &request);
	if (strcmp(request.command, "stop") == 0)
		return stop(bus, &request);
	if (strcmp(request.command, "attach") == 0 && request.pid > 0)
		return attach(bus, &request);
	return fail(EINVAL, NULL, "read the request");
}
