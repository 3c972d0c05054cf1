/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/linux/seccomp.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sandbox/common/cleanup.h"
#include "sandbox/common/message.h"

bool seccomp_needs_privilege(const struct launch *launch)
{
	return launch->plan->seccomp.filter.count > 0 && !launch->process->no_new_privileges;
}

/* Returns the listener or 0. */
static int load(const struct launch *launch, struct error *err)
{
	const struct plan_seccomp *seccomp = &launch->plan->seccomp;
	struct sock_fprog program = {
	    .len = (unsigned short)seccomp->filter.count,
	    .filter = (struct sock_filter *)plan_items(launch->plan, seccomp->filter),
	};
	int rc = (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, seccomp->flags, &program);

	if (rc >= 0)
		return rc;
	switch (errno) {
	case EACCES:
		return error_set(err, EACCES,
				 "error loading seccomp filter into kernel: permission denied: without "
				 "noNewPrivileges it takes CAP_SYS_ADMIN");
	case EBUSY:
		return error_set(err, EBUSY,
				 "error loading seccomp filter into kernel: another filter sends its notifications to "
				 "a listener, and the kernel allows one: the profile can't use SCMP_ACT_NOTIFY here");
	default:
		return error_errno(err, errno, "error loading seccomp filter into kernel");
	}
}

/* The steps of the thread that sends the listener. After the filter is on, the loading thread can't wake or tell it
 * anything by a system call, which the profile may forbid or send to the agent that does not listen yet: memory has
 * to do. Both wait for no longer than one system call of the other takes. */
enum phase { IDLE, LOADING, LOADED, ABANDONED, SENT };

struct handover {
	const struct launch *launch;
	const char *text;
	size_t length;
	int socket;
	int listener;
	_Atomic uint32_t phase;
};

static int send_state(const struct handover *handover)
{
	/* One message as a rule; a long text goes on without the descriptor. */
	union {
		struct cmsghdr header;
		char buffer[CMSG_SPACE(sizeof(int))];
	} control = {0};
	const char *next = handover->text;
	size_t left = handover->length;

	for (bool first = true; left > 0; first = false) {
		struct iovec iov = {.iov_base = (void *)next, .iov_len = left};
		struct msghdr message = {.msg_iov = &iov, .msg_iovlen = 1};
		if (first) {
			message.msg_control = control.buffer;
			message.msg_controllen = sizeof control.buffer;
			struct cmsghdr *header = CMSG_FIRSTHDR(&message);
			header->cmsg_level = SOL_SOCKET;
			header->cmsg_type = SCM_RIGHTS;
			header->cmsg_len = CMSG_LEN(sizeof(int));
			memcpy(CMSG_DATA(header), &handover->listener, sizeof(int));
		}
		ssize_t sent;
		do
			sent = sendmsg(handover->socket, &message, MSG_NOSIGNAL);
		while (sent < 0 && errno == EINTR);
		if (sent < 0)
			return -errno;
		next += sent;
		left -= (size_t)sent;
	}
	return 0;
}

static void *send_listener(void *argument)
{
	struct handover *handover = argument;

	while (atomic_load(&handover->phase) == IDLE)
		syscall(SYS_futex, &handover->phase, FUTEX_WAIT_PRIVATE, IDLE, NULL, NULL, 0);
	while (atomic_load(&handover->phase) == LOADING)
		sched_yield();
	if (atomic_load(&handover->phase) == ABANDONED)
		return NULL;
	int rc = send_state(handover);
	if (rc < 0) {
		struct error err = {0};
		error_errno(&err, -rc, "send the container process state to the seccomp agent");
		/* Calls that wait for the agent end. */
		close(handover->listener);
		if (handover->launch->fail != NULL)
			handover->launch->fail(handover->launch, &err);
		_exit(1);
	}
	/* The agent may wait for the end of the message, and for execve after that. */
	close(handover->socket);
	atomic_store(&handover->phase, SENT);
	return NULL;
}

/* config-linux.md "containerProcessState": of this process, and in it the state of the container. */
static char *state_text(const struct launch *launch)
{
	const struct plan *plan = launch->plan;
	const char *head = plan_text(plan, plan->seccomp.listener_state);
	const char *state = plan_text(plan, plan->state_prefix);
	int pid = launch->host_pid > 0 ? launch->host_pid : getpid();
	int main_pid = launch->exec ? launch->main_pid : pid;
	const char *status = !launch->exec ? "created" : main_pid > 0 ? "running" : "stopped";
	char member[24] = "", *text = NULL;

	if (main_pid > 0)
		snprintf(member, sizeof member, ",\"pid\":%d", main_pid);
	if (asprintf(&text, "%s,\"pid\":%d,\"state\":%s,\"status\":\"%s\"%s}}", head != NULL ? head : "{", pid,
		     state != NULL ? state : "{", status, member) < 0)
		return NULL;
	return text;
}

static int load_and_send(const struct launch *launch, int socket, const char *text, struct error *err)
{
	struct handover handover = {.launch = launch, .text = text, .length = strlen(text), .socket = socket};
	pthread_t thread;

	int rc = pthread_create(&thread, NULL, send_listener, &handover);
	if (rc != 0)
		return error_errno(err, rc, "make a thread that sends the seccomp listener");
	atomic_store(&handover.phase, LOADING);
	syscall(SYS_futex, &handover.phase, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
	handover.listener = load(launch, err);
	if (handover.listener < 0) {
		atomic_store(&handover.phase, ABANDONED);
		pthread_join(thread, NULL);
		return -err->code;
	}
	atomic_store(&handover.phase, LOADED);
	while (atomic_load(&handover.phase) != SENT) {
#if defined(__x86_64__) || defined(__i386__)
		__builtin_ia32_pause();
#endif
	}
	/* No pthread_join: that may take a system call. execve ends the thread. */
	return 0;
}

int seccomp_apply(struct launch *launch, struct error *err)
{
	const struct plan_seccomp *seccomp = &launch->plan->seccomp;

	if (seccomp->filter.count == 0)
		return 0;
	if ((seccomp->flags & SECCOMP_FILTER_FLAG_NEW_LISTENER) == 0)
		return load(launch, err);
	int socket = launch->seccomp_socket;
	if (socket <= 0 && seccomp->listener_fd >= 0 && (size_t)seccomp->listener_fd < launch->fds_count)
		socket = launch->fds[seccomp->listener_fd];
	if (socket <= 0)
		return error_set(err, ENOTCONN, "the profile uses SCMP_ACT_NOTIFY, but there is no seccomp agent");
	CLEANUP_FREE char *text = state_text(launch);
	if (text == NULL)
		return error_errno(err, ENOMEM, "write the container process state");
	return load_and_send(launch, socket, text, err);
}
