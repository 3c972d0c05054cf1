/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/session/peer.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sandbox/common/file.h"
#include "sandbox/common/number.h"
#include "sandbox/common/syscalls.h"

/* Room for /proc/PID/status; its longest line is that of the supplementary groups. */
#define STATUS_MAXIMUM 65536

/* The number that /proc has for the process: not SO_PEERCRED's when /proc is of another pid namespace. 0: none, or it
 * was reaped. */
static int number_in_proc(int pidfd)
{
	char path[64], text[1024];
	int number;

	snprintf(path, sizeof path, "/proc/self/fdinfo/%d", pidfd);
	if (pidfd < 0 || file_read_at(-1, path, text, sizeof text) <= 0)
		return 0;
	char *line = strstr(text, "\nPid:\t");
	if (line == NULL)
		return 0;
	line += strlen("\nPid:\t");
	line[strcspn(line, "\n")] = '\0';
	return number_parse_int(line, 1, INT32_MAX, &number) < 0 ? 0 : number;
}

enum equality { SAME, DIFFERENT, HIDDEN, UNKNOWN };

/* Compares what /proc/self and /proc/NUMBER have under a name. */
static enum equality compare(int number, const char *name)
{
	char ours[64], theirs[64];
	struct stat our_status, their_status;

	snprintf(ours, sizeof ours, "/proc/self/%s", name);
	snprintf(theirs, sizeof theirs, "/proc/%d/%s", number, name);
	if (stat(ours, &our_status) < 0)
		return UNKNOWN;
	if (stat(theirs, &their_status) < 0)
		return errno == EACCES || errno == EPERM ? HIDDEN : UNKNOWN;
	return our_status.st_dev == their_status.st_dev && our_status.st_ino == their_status.st_ino ? SAME : DIFFERENT;
}

/* The permitted capabilities of a process of our pid namespace; 0 is ourselves. */
static bool permitted_capabilities(pid_t pid, uint64_t *capabilities)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3, .pid = pid};
	struct __user_cap_data_struct data[2] = {{0}, {0}};

	if (syscall(SYS_capget, &header, data) < 0)
		return false;
	*capabilities = (uint64_t)data[1].permitted << 32 | data[0].permitted;
	return true;
}

/* Whether a process that is more privileged than we are, so that /proc hides its namespaces from us, is in our user and
 * pid namespaces. Everybody may read its id map, which is not that of a namespace below, and its numbers, of which
 * there are more in a pid namespace below. (A namespace below that root has made does not hide from root.) */
static bool looks_like_ours(int number)
{
	char path[64], ours[4096], theirs[4096], status[STATUS_MAXIMUM];

	snprintf(path, sizeof path, "/proc/%d/uid_map", number);
	if (file_read_at(-1, "/proc/self/uid_map", ours, sizeof ours) <= 0 ||
	    file_read_at(-1, path, theirs, sizeof theirs) <= 0 || strcmp(ours, theirs) != 0)
		return false;
	snprintf(path, sizeof path, "/proc/%d/status", number);
	if (file_read_at(-1, path, status, sizeof status) <= 0)
		return false;
	const char *line = strstr(status, "\nNSpid:\t");
	return line != NULL && line[strlen("\nNSpid:\t") + strspn(line + strlen("\nNSpid:\t"), "0123456789")] == '\n';
}

/* Which of two processes lacks capabilities of the other. */
enum { THEY_LACK = 1, WE_LACK = 2 };

/* Returns NULL when there is no reason. `matters`: whose lack is one. */
static const char *examine(int number, pid_t pid, unsigned int matters)
{
	uint64_t ours, theirs;

	enum equality user = compare(number, "ns/user");
	if (user == DIFFERENT)
		return "it is in another user namespace";
	if (user == UNKNOWN || (user == HIDDEN && !looks_like_ours(number)))
		return "/proc does not tell its namespaces";
	if (user == SAME) {
		if (compare(number, "ns/mnt") == SAME && compare(number, "root") == SAME)
			return NULL;
		if (compare(number, "ns/pid") != SAME)
			return "it is in another mount and another pid namespace";
	}
	if (!permitted_capabilities(0, &ours) || !permitted_capabilities(pid, &theirs))
		return "its capabilities are not known";
	if ((matters & THEY_LACK) != 0 && (ours & ~theirs) != 0)
		return "it is in another mount namespace and lacks capabilities";
	if (user == SAME && (matters & WE_LACK) != 0 && (theirs & ~ours) != 0)
		return "it is in another mount namespace and has more capabilities than the caller";
	return NULL;
}

static const char *check(const struct session_peer *peer, unsigned int matters)
{
	if (peer->uid != geteuid() && peer->uid != 0)
		return "it is of another user";
	int number = number_in_proc(peer->pidfd);
	if (number == 0)
		return "it is gone, or not in this pid namespace";
	const char *reason = examine(number, peer->pid, matters);
	/* The number was the peer's all the time if it still is. */
	return reason == NULL && number_in_proc(peer->pidfd) != number ? "it is gone" : reason;
}

const char *session_client_distrust(const struct session_peer *peer)
{
	return check(peer, THEY_LACK);
}

const char *session_supervisor_distrust(const struct session_peer *peer)
{
	return check(peer, THEY_LACK | WE_LACK);
}
