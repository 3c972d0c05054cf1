/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a fuzz target over files instead of inventing texts: as a test over the corpus, or over one text that the
 * fuzzer found. Arguments are files and directories; without any it is the corpus beside the sources. */
#include <dirent.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sandbox/common/cleanup.h"
#include "sandbox/common/file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define SIZE_LIMIT (64u * 1024 * 1024)

static size_t replay_file(int dirfd, const char *name)
{
	CLEANUP_CLOSE int fd = openat(dirfd, name, O_RDONLY | O_CLOEXEC);
	CLEANUP_FREE char *text = NULL;
	size_t length = 0;

	if (fd < 0 || file_read_all(fd, SIZE_LIMIT, &text, &length) < 0) {
		printf("not ok - cannot read %s\n", name);
		exit(1);
	}
	/* A block of the exact size: reading past the end is seen by the sanitizers. */
	CLEANUP_FREE uint8_t *exact = malloc(length > 0 ? length : 1);
	memcpy(exact, text, length);
	LLVMFuzzerTestOneInput(exact, length);
	return 1;
}

static size_t replay(const char *path)
{
	DIR *directory = opendir(path);
	size_t count = 0;

	if (directory == NULL)
		return replay_file(AT_FDCWD, path);
	for (struct dirent *entry; (entry = readdir(directory)) != NULL;)
		if (entry->d_name[0] != '.')
			count += replay_file(dirfd(directory), entry->d_name);
	closedir(directory);
	return count;
}

int main(int argc, char **argv)
{
	const char *source = getenv("srcdir");
	char path[4096];
	size_t count = 0;

	snprintf(path, sizeof path, "%s/tests/fuzz/corpus", source != NULL ? source : ".");
	for (int i = 1; i < argc; i++)
		count += replay(argv[i]);
	if (argc < 2)
		count = replay(path);
	printf("%s - %zu texts\n", count > 0 ? "ok" : "not ok", count);
	return count > 0 ? 0 : 1;
}
