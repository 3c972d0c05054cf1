/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "sandbox/common/arena.h"
#include "sandbox/common/cleanup.h"
#include "sandbox/common/unix_socket.h"
#include "sandbox/session/notify.h"
#include "spec/config.h"

/* An engine may have made a socket of its own. */
static bool config_has_one(const struct oci_config *config)
{
	size_t length = strlen(NOTIFY_VARIABLE);

	for (size_t i = 0; i < config->process->env_count; i++)
		if (strncmp(config->process->env[i], NOTIFY_VARIABLE "=", length + 1) == 0)
			return true;
	length = strlen(NOTIFY_DIRECTORY);
	for (size_t i = 0; i < config->mounts_count; i++) {
		const char *destination = config->mounts[i].destination;
		if (destination != NULL && strncmp(destination, NOTIFY_DIRECTORY, length) == 0 &&
		    (destination[length] == '\0' || destination[length] == '/'))
			return true;
	}
	return false;
}

/* sd_notify(3): a path, or a name in the abstract name space that begins with '@'. */
static int connect_manager(const char *name, struct error *reason)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	size_t length = strlen(name);
	int fd;

	if (*name == '/') {
		fd = unix_socket_connect(name, SOCK_DGRAM);
		return fd < 0 ? error_errno(reason, -fd, "%s=%s is not used", NOTIFY_VARIABLE, name) : fd;
	}
	if (*name != '@' || length > sizeof address.sun_path)
		return error_set(reason, EINVAL, "%s=%s is not used: neither a path nor an abstract name",
				 NOTIFY_VARIABLE, name);
	memcpy(address.sun_path + 1, name + 1, length - 1);
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length);
	if (fd >= 0 && connect(fd, (const struct sockaddr *)&address, size) == 0)
		return fd;
	error_errno(reason, errno, "%s=%s is not used", NOTIFY_VARIABLE, name);
	if (fd >= 0)
		close(fd);
	return -reason->code;
}

int notify_plan(struct arena *arena, struct oci_config *config, struct error *reason)
{
	const char *name = getenv(NOTIFY_VARIABLE);

	error_clear(reason);
	if (name == NULL || *name == '\0' || config->process == NULL || config_has_one(config))
		return -1;
	int fd = connect_manager(name, reason);
	if (fd < 0)
		return -1;
	struct oci_process *process = config->process;
	const char **env = arena_array(arena, process->env_count + 1, sizeof *env);
	if (process->env_count > 0)
		memcpy(env, process->env, process->env_count * sizeof *env);
	env[process->env_count++] = NOTIFY_VARIABLE "=" NOTIFY_DIRECTORY "/" NOTIFY_SOCKET_NAME;
	process->env = env;
	return fd;
}
