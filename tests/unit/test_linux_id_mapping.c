/* SPDX-License-Identifier: Apache-2.0 */
/* Writing the maps of user namespaces, with and without privilege. */
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "sandbox/common/cleanup.h"
#include "sandbox/common/file.h"
#include "sandbox/linux/id_mapping.h"
#include "tests/unit/linux_support.h"

#define ARRAY_AND_COUNT(items) (items), ARRAY_SIZE(items)

/* A process in a user namespace of its own. */
static pid_t make_holder(void)
{
	int ready[2];
	char byte;

	CHECK(pipe2(ready, O_CLOEXEC) == 0);
	pid_t pid = fork();
	if (pid == 0) {
		if (unshare(CLONE_NEWUSER) < 0 || write(ready[1], "", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	close(ready[1]);
	CHECK(read(ready[0], &byte, 1) == 1);
	close(ready[0]);
	return pid;
}

static void end_holder(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* A file of the process with its runs of spaces made one. */
static const char *content(pid_t pid, const char *file)
{
	static char text[4096];
	char path[64];
	size_t length = 0;

	snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, file);
	ssize_t size = file_read_at(AT_FDCWD, path, text, sizeof text);
	for (ssize_t i = 0; i < size; i++)
		if (text[i] != ' ' || (length > 0 && text[length - 1] != ' ' && text[length - 1] != '\n'))
			text[length++] = text[i];
	text[length] = '\0';
	return text;
}

static void test_privileged(void *context)
{
	struct oci_id_mapping uids[] = {{0, 100000, 1000}, {5000, 200000, 1}}, gids[] = {{0, 300000, 65536}};
	struct oci_id_mapping many[340], long_ones[340];
	struct error err = {0};
	pid_t pid = make_holder();

	(void)context;
	CHECK_OK(id_mappings_write(pid, ARRAY_AND_COUNT(uids), ARRAY_AND_COUNT(gids), &err), &err);
	CHECK_TEXT(content(pid, "uid_map"), "0 100000 1000\n5000 200000 1\n");
	CHECK_TEXT(content(pid, "gid_map"), "0 300000 65536\n");
	CHECK_TEXT(content(pid, "setgroups"), "allow\n");
	/* A map is written once. */
	CHECK(id_mappings_write(pid, ARRAY_AND_COUNT(uids), ARRAY_AND_COUNT(gids), &err) < 0);
	CHECK(err.message[0] != '\0');
	end_holder(pid);

	pid = make_holder();
	for (uint32_t i = 0; i < ARRAY_SIZE(many); i++) {
		many[i] = (struct oci_id_mapping){2 * i, 1000 + 2 * i, 1};
		long_ones[i] = (struct oci_id_mapping){2 * i, 2000000000 + 2 * i, 1};
	}
	CHECK(id_mappings_write(pid, ARRAY_AND_COUNT(long_ones), ARRAY_AND_COUNT(gids), &err) == -E2BIG);
	CHECK_MESSAGE(&err, "linux.uidMappings is longer than the page");
	end_holder(pid);
	pid = make_holder();
	CHECK_OK(id_mappings_write(pid, ARRAY_AND_COUNT(many), ARRAY_AND_COUNT(gids), &err), &err);
	end_holder(pid);

	/* The whole range, as of the initial namespace. */
	struct oci_id_mapping all[] = {{0, 0, UINT32_MAX}};
	pid = make_holder();
	CHECK_OK(id_mappings_write(pid, ARRAY_AND_COUNT(all), ARRAY_AND_COUNT(all), &err), &err);
	end_holder(pid);
}

static void test_refused(void *context)
{
	struct oci_id_mapping good[] = {{0, 100000, 1000}};
	struct oci_id_mapping empty[] = {{0, 0, 0}}, beyond[] = {{1, 2, UINT32_MAX}};
	struct oci_id_mapping inside[] = {{0, 100, 10}, {9, 200, 1}}, outside[] = {{0, 100, 10}, {20, 109, 1}};
	const struct {
		struct oci_id_mapping *items;
		size_t count;
		const char *message;
	} cases[] = {
	    {good, 0, "linux.uidMappings is empty"},
	    {empty, 1, "linux.uidMappings[0].size is 0"},
	    {beyond, 1, "linux.uidMappings[0] goes beyond the highest id"},
	    {inside, 2, "linux.uidMappings[0] and linux.uidMappings[1] overlap"},
	    {outside, 2, "overlap"},
	    {good, 341, "the kernel takes 340 at most"},
	};

	(void)context;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct error err = {0};
		CHECK(id_mappings_write(getpid(), cases[i].items, cases[i].count, good, 1, &err) == -EINVAL);
		CHECK_MESSAGE(&err, cases[i].message);
	}
}

static void become(uid_t id)
{
	CHECK(setgroups(0, NULL) == 0 && setresgid(id, id, id) == 0 && setresuid(id, id, id) == 0);
	prctl(PR_SET_DUMPABLE, 1); /* or the files in /proc are root's */
}

static void test_unprivileged(void *context)
{
	struct oci_id_mapping own[] = {{0, 54321, 1}}, other[] = {{0, 54321, 1}, {1, 100000, 10}};
	struct error err = {0};

	(void)context;
	become(54321);
	pid_t pid = make_holder();
	CHECK_OK(id_mappings_write(pid, ARRAY_AND_COUNT(own), ARRAY_AND_COUNT(own), &err), &err);
	CHECK_TEXT(content(pid, "uid_map"), "0 54321 1\n");
	CHECK_TEXT(content(pid, "gid_map"), "0 54321 1\n");
	CHECK_TEXT(content(pid, "setgroups"), "deny\n");
	end_holder(pid);
	/* Ids that are not the caller's, without a range for them or without the helpers. */
	pid = make_holder();
	CHECK(id_mappings_write(pid, ARRAY_AND_COUNT(own), ARRAY_AND_COUNT(other), &err) == -EPERM);
	CHECK_MESSAGE(&err, "linux.gidMappings");
	CHECK_MESSAGE(&err, "newgidmap");
	end_holder(pid);
}

/* A stand-in for newuidmap and newgidmap, found in PATH. */
static void test_helper(void *context)
{
	const char *directory = context;
	char path[128];
	struct oci_id_mapping ids[] = {{0, 54321, 1}, {1, 100000, 10}};
	struct error err = {0};

	for (int i = 0; i < 2; i++) {
		static const char script[] = "#!/bin/sh\necho \"$0 $*\" >>${0%/*}/calls\n"
					     "[ \"$3\" = 54321 ] || { echo not mine >&2; exit 4; }\n";
		snprintf(path, sizeof path, "%s/%s", directory, i == 0 ? "newuidmap" : "newgidmap");
		int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);
		CHECK(fd >= 0 && file_write_all(fd, script, strlen(script)) == 0 && fchmod(fd, 0755) == 0);
		close(fd);
	}
	CHECK(chown(directory, 54321, 54321) == 0);
	become(54321);
	CHECK(setenv("PATH", directory, 1) == 0);
	pid_t pid = make_holder();
	char wanted[256], calls[1024];
	CHECK_OK(id_mappings_write(pid, ARRAY_AND_COUNT(ids), ARRAY_AND_COUNT(ids), &err), &err);
	snprintf(path, sizeof path, "%s/calls", directory);
	CHECK(file_read_at(AT_FDCWD, path, calls, sizeof calls) > 0);
	snprintf(wanted, sizeof wanted,
		 "%s/newgidmap %d 0 54321 1 1 100000 10\n%s/newuidmap %d 0 54321 1 1 100000 10\n", directory, (int)pid,
		 directory, (int)pid);
	CHECK_TEXT(calls, wanted);
	ids[0].host_id = 1;
	CHECK(id_mappings_write(pid, ARRAY_AND_COUNT(ids), ARRAY_AND_COUNT(ids), &err) == -EPERM);
	CHECK_MESSAGE(
	    &err, "newgidmap could not write linux.gidMappings (exit status 4): not mine; the caller's ranges are in "
		  "/etc/subgid");
	end_holder(pid);
}

int main(void)
{
	char directory[] = "/tmp/test_id_mapping.XXXXXX";

	if (geteuid() != 0) {
		printf("skipped: needs root\n");
		return 77;
	}
	support_child(0, test_privileged, NULL, "maps of a privileged caller");
	support_child(0, test_refused, NULL, "maps that make no sense");
	support_child(0, test_unprivileged, NULL, "maps of an unprivileged caller");
	CHECK(mkdtemp(directory) != NULL && chmod(directory, 0755) == 0);
	support_child(0, test_helper, directory, "maps through newuidmap");
	static const char *const files[] = {"newuidmap", "newgidmap", "calls"};
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		char path[128];
		snprintf(path, sizeof path, "%s/%s", directory, files[i]);
		unlink(path);
	}
	CHECK(rmdir(directory) == 0);
	return check_result();
}
