/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/session/place.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include "sandbox/common/cleanup.h"
#include "sandbox/common/file.h"

#define ID_MAX 1024

/* FNV-1a: names only have to differ, nobody gains by making them collide with his own. */
static uint64_t hash(uint64_t seed, const void *data, size_t length)
{
	const unsigned char *bytes = data;

	for (size_t i = 0; i < length; i++)
		seed = (seed ^ bytes[i]) * 0x100000001b3u;
	return seed;
}

#define HASH_SEED 0xcbf29ce484222325u

/* Makes the directory and its parents; what is there stays as it is. */
static int make_directories(const char *path)
{
	char copy[PATH_MAX];

	if (snprintf(copy, sizeof copy, "%s", path) >= (int)sizeof copy)
		return -ENAMETOOLONG;
	for (char *slash = strchr(copy + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdir(copy, 0755) < 0 && errno != EEXIST)
			return -errno;
		*slash = '/';
	}
	return mkdir(copy, 0700) < 0 && errno != EEXIST ? -errno : 0;
}

int session_place_open(struct session_place *place, const char *path, bool create, struct error *err)
{
	char resolved[PATH_MAX];
	struct stat status;
	uint64_t value = HASH_SEED;

	*place = (struct session_place){.directory = -1};
	if (path[0] == '\0')
		return error_set(err, EINVAL, "--root: the path is empty");
	if (strlen(path) >= PATH_MAX)
		return error_set(err, ENAMETOOLONG, "--root: the path is too long");
	place->directory = open(path, O_DIRECTORY | O_RDONLY | O_CLOEXEC);
	if (place->directory < 0 && errno == ENOENT && create && make_directories(path) == 0)
		place->directory = open(path, O_DIRECTORY | O_RDONLY | O_CLOEXEC);
	if (realpath(path, resolved) == NULL && snprintf(resolved, sizeof resolved, "%s", path) >= (int)sizeof resolved)
		return error_set(err, ENAMETOOLONG, "--root: the path is too long");
	place->path = strdup(resolved);
	if (place->path == NULL)
		return error_errno(err, ENOMEM, "--root");
	value = hash(value, resolved, strlen(resolved));
	/* The same path in another mount namespace is another root, but shares our network namespace's names. */
	if (place->directory >= 0 && fstat(place->directory, &status) == 0) {
		value = hash(value, &status.st_dev, sizeof status.st_dev);
		value = hash(value, &status.st_ino, sizeof status.st_ino);
		place->writable = faccessat(place->directory, ".", W_OK | X_OK, AT_EACCESS) == 0;
	}
	int length = snprintf(place->prefix, sizeof place->prefix, "sandlock-oci/%u/%016llx/", geteuid(),
			      (unsigned long long)value);
	place->prefix_length = (size_t)length;
	return 0;
}

void session_place_close(struct session_place *place)
{
	cleanup_close(&place->directory);
	free(place->path);
	*place = (struct session_place){.directory = -1};
}

int session_id_check(const char *id, struct error *err)
{
	size_t length = strlen(id);

	if (length == 0)
		return error_set(err, EINVAL, "container id cannot be empty");
	if (length > ID_MAX)
		return error_set(err, EINVAL, "invalid container id: longer than %d bytes", ID_MAX);
	if (strcmp(id, ".") == 0 || strcmp(id, "..") == 0)
		return error_set(err, EINVAL, "invalid container id \"%s\"", id);
	for (size_t i = 0; i < length; i++) {
		char c = id[i];
		bool alphanumeric = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
		if (!alphanumeric && strchr("_+-.", c) == NULL)
			return error_set(err, EINVAL,
					 "invalid container id: byte %zu is not a letter, a digit or one of _+-.",
					 i + 1);
	}
	return 0;
}

void session_place_name(const struct session_place *place, const char *id, struct session_name *name)
{
	size_t length = strlen(id);
	/* The leading NUL byte takes one of sun_path's. */
	size_t room = sizeof name->bytes - 1 - place->prefix_length;

	memset(name, 0, sizeof *name);
	memcpy(name->bytes, place->prefix, place->prefix_length);
	if (length <= room) {
		memcpy(name->bytes + place->prefix_length, id, length);
		name->length = place->prefix_length + length;
		return;
	}
	/* "#" is in no id. */
	int written =
	    snprintf(name->bytes + place->prefix_length, room + 1, "#%016llx%016llx",
		     (unsigned long long)hash(HASH_SEED, id, length), (unsigned long long)hash(~HASH_SEED, id, length));
	name->length = place->prefix_length + (size_t)written;
}

const char *session_place_id(const struct session_place *place, const char *name)
{
	if (strncmp(name, place->prefix, place->prefix_length) != 0)
		return NULL;
	const char *id = name + place->prefix_length;
	return *id == '\0' || *id == '#' ? NULL : id;
}

int session_place_record(const struct session_place *place, const char *id, const char *text, size_t length,
			 struct error *err)
{
	CLEANUP_CLOSE int directory = -1;
	CLEANUP_CLOSE int file = -1;

	if (place->directory < 0 || !place->writable)
		return 0;
	/* Longer ids than a file name allows go without a record (N5). */
	if (strlen(id) > NAME_MAX)
		return 0;
	if (mkdirat(place->directory, id, 0700) < 0 && errno != EEXIST)
		return error_errno(err, errno, "make %s/%s", place->path, id);
	directory = openat(place->directory, id, O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (directory < 0)
		return error_errno(err, errno, "open %s/%s", place->path, id);
	file = openat(directory, "record.json", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	int rc = file < 0 ? -errno : file_write_all(file, text, length);
	return rc < 0 ? error_errno(err, -rc, "write %s/%s/record.json", place->path, id) : 0;
}

int session_place_clear_stale(const struct session_place *place, const char *id, struct error *err)
{
	struct session_name name;
	struct stat status;

	if (place->directory < 0 || fstatat(place->directory, id, &status, AT_SYMLINK_NOFOLLOW) < 0)
		return -ENOENT;
	session_place_name(place, id, &name);
	/* Listening, though nobody is ever answered: who wants the name sees it being given up, and tries again. */
	CLEANUP_CLOSE int holding = session_name_bind(&name);
	if (holding < 0)
		return error_errno(err, -holding, "bind the name of container \"%s\"", id);
	return session_place_clear(place, id, err);
}
