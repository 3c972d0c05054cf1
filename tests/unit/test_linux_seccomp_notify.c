/* SPDX-License-Identifier: Apache-2.0 */
/* SCMP_ACT_NOTIFY: children that load a profile and execute a shell, with this process as the seccomp agent. */
#include <errno.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>

#include "sandbox/common/message.h"
#include "sandbox/linux/seccomp.h"
#include "tests/unit/seccomp_support.h"

/* An agent's listening socket. */
static int agent_listen(char *path, size_t size)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(path, size, "/tmp/sandlock-agent-%d", getpid());
	unlink(path);
	snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
	CHECK(bind(fd, (struct sockaddr *)&address, sizeof address) == 0 && listen(fd, 4) == 0);
	return fd;
}

static struct {
	int number; /* answered with `value`; others go on */
	long value;
	unsigned int seen, continued;
} agent;

/* Answers until the filter has no process any more. */
static void agent_serve(int listener)
{
	for (;;) {
		struct seccomp_notif notification = {0};
		struct seccomp_notif_resp response = {0};
		struct pollfd poll_fd = {.fd = listener, .events = POLLIN};
		if (poll(&poll_fd, 1, 20000) <= 0 || (poll_fd.revents & POLLIN) == 0)
			return;
		if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &notification) < 0)
			continue;
		response.id = notification.id;
		if (notification.data.nr == agent.number) {
			agent.seen++;
			response.val = agent.value;
		} else {
			agent.continued++;
			response.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
		}
		ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &response);
	}
}

static struct launch agent_launch(struct planned *planned)
{
	planned->fds[0] = planned->builder.fds[0];
	return (struct launch){.plan = planned->plan,
			       .process = &planned->plan->process,
			       .fds = planned->fds,
			       .fds_count = 1,
			       .host_pid = 4711};
}

/* Loads a profile in a child that executes a shell, and is the agent. Returns the wait status. */
static int with_agent(struct oci_seccomp *profile, const char *script, bool exec, char *text, size_t size)
{
	char path[64];
	int listening = agent_listen(path, sizeof path);
	struct planned planned = {.fd = -1};
	struct error err = {0};
	int status = -1, listener = -1;
	size_t count = 0;

	agent.seen = agent.continued = 0;
	profile->listener_path = path;
	if (!CHECK(make_plan(profile, &planned, &err))) {
		printf("# %s\n", err.message);
		return -1;
	}
	int connection = accept4(listening, NULL, NULL, SOCK_CLOEXEC);
	pid_t child = fork();
	if (child == 0) {
		struct launch launch = agent_launch(&planned);
		launch.exec = exec;
		launch.main_pid = exec ? 4242 : 0;
		close(connection);
		prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
		if (seccomp_apply(&launch, &err) < 0)
			_exit(99);
		execl("/bin/sh", "sh", "-c", script, NULL);
		_exit(98);
	}
	close(planned.builder.fds[0]);
	planned.builder.fds[0] = -1;
	ssize_t length = message_receive(connection, text, size - 1, &listener, 1, &count);
	text[length > 0 ? length : 0] = '\0';
	CHECK(count == 1);
	/* One state for each connection, which ends before the agent is needed. */
	char more;
	CHECK(recv(connection, &more, 1, 0) == 0);
	if (CHECK(listener >= 0))
		agent_serve(listener);
	CHECK(waitpid(child, &status, 0) == child);
	close(listener);
	close(connection);
	close(listening);
	unlink(path);
	free_plan(&planned);
	return status;
}

static void test_notify(void)
{
	char text[4096];
	struct oci_seccomp some = {
	    .default_action = "SCMP_ACT_ALLOW",
	    .listener_metadata = "a \"quoted\"\n\\ text",
	    CALLS({NAMES("getcwd", "getppid", "mkdirat", "mkdir"), .action = "SCMP_ACT_NOTIFY"}),
	};
	struct oci_seccomp all = {.default_action = "SCMP_ACT_NOTIFY"};
	struct oci_seccomp sending = {
	    .default_action = "SCMP_ACT_ALLOW",
	    CALLS({NAMES("sendmsg", "write", "close", "futex", "exit_group", "read", "rt_sigprocmask"),
		   .action = "SCMP_ACT_NOTIFY"}),
	};
	struct oci_seccomp strict = {
	    .default_action = "SCMP_ACT_ALLOW",
	    CALLS({NAMES("sendmsg", "futex", "sched_yield", "clone3"), .action = "SCMP_ACT_KILL_PROCESS"},
		  {NAMES("getcwd"), .action = "SCMP_ACT_NOTIFY"}),
	};

	agent.number = SYS_mkdir;
	agent.value = 0;
	int status = with_agent(&some, "mkdir /nonexistent/directory && exit 7", false, text, sizeof text);
	CHECK(exits(status, 7) && agent.seen == 1);
	CHECK_TEXT(text, "{\"ociVersion\":\"1.3.0\",\"fds\":[\"seccompFd\"],\"metadata\":\"a \\\"quoted\\\"\\u000a\\\\ "
			 "text\",\"pid\":4711,\"state\":{\"ociVersion\":\"1.3.0\",\"id\":\"x\",\"bundle\":\"/b\","
			 "\"status\":\"created\",\"pid\":4711}}");
	agent.number = -1;
	CHECK(exits(with_agent(&all, "exit 8", false, text, sizeof text), 8) && agent.continued > 5);
	CHECK(exits(with_agent(&sending, "echo > /dev/null; exit 9", true, text, sizeof text), 9) &&
	      agent.continued > 1);
	CHECK(strstr(text, "\"pid\":4711,\"state\"") != NULL &&
	      strstr(text, "\"status\":\"running\",\"pid\":4242}}") != NULL);
	/* What kills on the way to execve may not be needed there. */
	CHECK(exits(with_agent(&strict, "exit 10", false, text, sizeof text), 10));
}

static void failed(const struct launch *launch, const struct error *err)
{
	syscall(SYS_exit_group, strstr(err->message, "container process state") != NULL ? 42 : 43);
}

/* The agent is gone when its descriptor is to be sent. */
static void test_agent_gone(void)
{
	char path[64];
	int listening = agent_listen(path, sizeof path);
	struct oci_seccomp all = {.default_action = "SCMP_ACT_NOTIFY", .listener_path = path};
	struct planned planned = {.fd = -1};
	struct error err = {0};
	int status = -1;

	if (!CHECK(make_plan(&all, &planned, &err)))
		return;
	close(accept(listening, NULL, NULL));
	close(listening);
	unlink(path);
	pid_t child = fork();
	if (child == 0) {
		struct launch launch = agent_launch(&planned);
		launch.fail = failed;
		prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
		alarm(20);
		seccomp_apply(&launch, &err);
		_exit(1);
	}
	CHECK(waitpid(child, &status, 0) == child);
	CHECK(exits(status, 42));
	free_plan(&planned);
}

int main(void)
{
	test_notify();
	test_agent_gone();
	return check_result();
}
