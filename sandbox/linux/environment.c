/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/linux/environment.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "sandbox/common/cleanup.h"
#include "sandbox/common/number.h"
#include "sandbox/common/syscalls.h"

/* /etc/passwd belongs to the image: what is larger is not read to its end, longer lines are passed over. */
#define PASSWD_MAXIMUM (4U << 20)
#define PASSWD_LINE_MAXIMUM 4096
#define PASSWD_UID 2
#define PASSWD_HOME 5

/* HOME, LISTEN_FDS, LISTEN_PID, LISTEN_FDNAMES and the end */
#define EXTRA_VARIABLES 5

/* Opens a regular file of the container; symbolic links stay in its root, a fifo or a device is refused. */
static int open_passwd(void)
{
	CLEANUP_CLOSE int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	CLEANUP_CLOSE int fd = -1;
	struct sl_open_how how = {
	    .flags = O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK,
	    .resolve = SL_RESOLVE_IN_ROOT | SL_RESOLVE_NO_MAGICLINKS,
	};
	struct stat status;

	if (root < 0)
		return -1;
	fd = sl_openat2(root, "etc/passwd", &how);
	if (fd < 0 || fstat(fd, &status) < 0 || !S_ISREG(status.st_mode))
		return -1;
	return take_fd(&fd);
}

/* The home directory if the line is the user's. Cuts the line into its fields. */
static const char *home_of_line(char *line, uint32_t uid)
{
	char *fields[PASSWD_HOME + 1];
	uint64_t number;

	for (int i = 0; i <= PASSWD_HOME; i++) {
		fields[i] = line;
		line = line == NULL ? NULL : strchr(line, ':');
		if (line != NULL)
			*line++ = '\0';
		else if (i < PASSWD_HOME)
			return NULL;
	}
	if (number_parse_u64(fields[PASSWD_UID], 0, UINT32_MAX, &number) < 0 || number != uid)
		return NULL;
	return fields[PASSWD_HOME];
}

/* Returns "HOME=directory", malloc'ed; NULL without memory. */
static char *home_variable(uint32_t uid)
{
	CLEANUP_CLOSE int fd = open_passwd();
	char buffer[PASSWD_LINE_MAXIMUM];
	size_t length = 0, total = 0;
	bool skip = false;
	const char *home = NULL;
	ssize_t count = fd < 0 ? 0 : 1;

	while (home == NULL && count > 0 && total < PASSWD_MAXIMUM) {
		count = read(fd, buffer + length, sizeof buffer - 1 - length);
		if (count < 0 && errno == EINTR) {
			count = 1;
			continue;
		}
		if (count > 0) {
			length += (size_t)count;
			total += (size_t)count;
		}
		buffer[length] = '\0';
		char *line = buffer, *end;
		while (home == NULL && (end = memchr(line, '\n', length - (size_t)(line - buffer))) != NULL) {
			*end = '\0';
			home = skip ? NULL : home_of_line(line, uid);
			skip = false;
			line = end + 1;
		}
		if (home != NULL)
			break;
		length -= (size_t)(line - buffer);
		memmove(buffer, line, length);
		buffer[length] = '\0';
		if (count <= 0 && length > 0 && !skip)
			home = home_of_line(buffer, uid); /* a last line without its end */
		if (length == sizeof buffer - 1) {
			skip = true;
			length = 0;
		}
	}
	if (home == NULL || home[0] == '\0')
		home = "/";
	size_t size = strlen("HOME=") + strlen(home) + 1;
	char *variable = malloc(size);
	if (variable != NULL)
		snprintf(variable, size, "HOME=%s", home);
	return variable;
}

const char *environment_get(const struct launch *launch, const char *name)
{
	size_t length = strlen(name);

	for (char **entry = launch->environment; entry != NULL && *entry != NULL; entry++)
		if (strncmp(*entry, name, length) == 0 && (*entry)[length] == '=')
			return *entry + length + 1;
	return NULL;
}

/* "name=value", malloc'ed. */
static char *make_variable(const char *name, const char *value)
{
	size_t size = strlen(name) + strlen(value) + 2;
	char *variable = malloc(size);

	if (variable != NULL)
		snprintf(variable, size, "%s=%s", name, value);
	return variable;
}

static char *make_number_variable(const char *name, uint32_t value)
{
	char text[16];

	snprintf(text, sizeof text, "%u", value);
	return make_variable(name, text);
}

static bool is_activation(const char *variable)
{
	return strncmp(variable, "LISTEN_FDS=", 11) == 0 || strncmp(variable, "LISTEN_PID=", 11) == 0;
}

int environment_apply(struct launch *launch, struct error *err)
{
	const struct plan_process *process = launch->process;
	const plan_string *variables = launch_process_items(launch, process->env);
	char **environment = calloc((size_t)process->env.count + EXTRA_VARIABLES, sizeof *environment);
	size_t count = 0;

	if (environment == NULL)
		return error_errno(err, ENOMEM, "make the environment");
	/* The plan is a private mapping that lives until execve. */
	for (uint32_t i = 0; i < process->env.count; i++) {
		const char *variable = launch_process_text(launch, variables[i]);
		/* Set anew below: the number that the engine could think of is another namespace's. */
		if (process->listen_fds == 0 || !is_activation(variable))
			environment[count++] = (char *)(uintptr_t)variable;
	}
	launch->environment = environment;

	const char *home = environment_get(launch, "HOME");
	if (home == NULL && (environment[count++] = home_variable(process->uid)) == NULL)
		return error_errno(err, ENOMEM, "make the environment");
	if (process->listen_fds > 0) {
		/* sd_listen_fds(3) compares LISTEN_PID with the process's own number, which is that of the
		 * container's pid namespace. */
		const char *names = launch_process_text(launch, process->listen_names);
		environment[count++] = make_number_variable("LISTEN_FDS", process->listen_fds);
		environment[count++] = make_number_variable("LISTEN_PID", (uint32_t)getpid());
		if (environment[count - 1] == NULL || environment[count - 2] == NULL)
			return error_errno(err, ENOMEM, "make the environment");
		if (names != NULL && (environment[count++] = make_variable("LISTEN_FDNAMES", names)) == NULL)
			return error_errno(err, ENOMEM, "make the environment");
	}
	return 0;
}
