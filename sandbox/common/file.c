/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/common/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sandbox/common/cleanup.h"
#include "sandbox/common/syscalls.h"

#ifndef MFD_EXEC
#define MFD_EXEC 0x0010U
#endif
#ifndef F_SEAL_EXEC
#define F_SEAL_EXEC 0x0020
#endif
#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U
#endif

int file_write_all(int fd, const void *data, size_t length)
{
	const char *next = data;

	while (length > 0) {
		ssize_t written = write(fd, next, length);
		if (written < 0) {
			if (errno == EINTR)
				continue;
			return -errno;
		}
		next += written;
		length -= (size_t)written;
	}
	return 0;
}

int file_write_at(int dirfd, const char *path, const char *text)
{
	CLEANUP_CLOSE int fd = openat(dirfd, path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	size_t length = 0;

	if (fd < 0)
		return -errno;
	while (text[length] != '\0')
		length++;
	/* Kernel files take a value in one call; a second one would be another value. */
	ssize_t written;
	do
		written = write(fd, text, length);
	while (written < 0 && errno == EINTR);
	if (written < 0)
		return -errno;
	return (size_t)written == length ? 0 : -EIO;
}

ssize_t file_read_at(int dirfd, const char *path, char *buffer, size_t size)
{
	CLEANUP_CLOSE int fd = openat(dirfd, path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	size_t length = 0;

	if (fd < 0)
		return -errno;
	for (;;) {
		ssize_t count = read(fd, buffer + length, size - length);
		if (count < 0 && errno == EINTR)
			continue;
		if (count < 0)
			return -errno;
		length += (size_t)count;
		if (length == size)
			return -EFBIG;
		if (count == 0)
			break;
	}
	buffer[length] = '\0';
	return (ssize_t)length;
}

int file_read_all(int fd, size_t maximum, char **data, size_t *length)
{
	CLEANUP_FREE char *buffer = NULL;
	size_t size = 0, capacity = 16384;
	struct stat status;

	if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
		if ((uint64_t)status.st_size > maximum)
			return -EFBIG;
		capacity = (size_t)status.st_size + 2;
	}
	buffer = malloc(capacity);
	if (buffer == NULL)
		return -ENOMEM;
	for (;;) {
		if (size + 1 == capacity) {
			if (capacity > maximum)
				return -EFBIG;
			char *larger = realloc(buffer, capacity * 2);
			if (larger == NULL)
				return -ENOMEM;
			buffer = larger;
			capacity *= 2;
		}
		ssize_t count = read(fd, buffer + size, capacity - size - 1);
		if (count < 0 && errno == EINTR)
			continue;
		if (count < 0)
			return -errno;
		if (count == 0)
			break;
		size += (size_t)count;
		if (size > maximum)
			return -EFBIG;
	}
	buffer[size] = '\0';
	*data = buffer;
	buffer = NULL;
	*length = size;
	return 0;
}

int file_read_at_start(int fd, size_t maximum, char **data, size_t *length)
{
	CLEANUP_FREE char *buffer = NULL;
	struct stat status;

	if (fstat(fd, &status) < 0)
		return -errno;
	if (status.st_size < 0 || (uint64_t)status.st_size > maximum)
		return -EFBIG;
	buffer = malloc((size_t)status.st_size + 1);
	if (buffer == NULL)
		return -ENOMEM;
	ssize_t count = pread(fd, buffer, (size_t)status.st_size, 0);
	if (count != (ssize_t)status.st_size)
		return count < 0 ? -errno : -EIO;
	buffer[count] = '\0';
	*data = buffer;
	buffer = NULL;
	*length = (size_t)count;
	return 0;
}

int file_sealed_memfd(const char *name, const void *data, size_t length, int executable)
{
	unsigned int flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
	CLEANUP_CLOSE int fd = -1;

	/* Linux 6.3 wants to be told about the executable bit; older ones refuse the flags. */
	fd = memfd_create(name, flags | (executable ? MFD_EXEC : MFD_NOEXEC_SEAL));
	if (fd < 0 && errno == EINVAL)
		fd = memfd_create(name, flags);
	if (fd < 0)
		return -errno;
	int rc = file_write_all(fd, data, length);
	if (rc < 0)
		return rc;
	/* An executable one is /proc/1/exe in a container, whose root could take the permission to execute it away:
	 * F_SEAL_EXEC, Linux 6.3. */
	const int seals = F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
	if (fcntl(fd, F_ADD_SEALS, seals | (executable ? F_SEAL_EXEC : 0)) < 0 &&
	    (!executable || errno != EINVAL || fcntl(fd, F_ADD_SEALS, seals) < 0))
		return -errno;
	return take_fd(&fd);
}

int file_close_from(unsigned int first)
{
	return sl_close_range(first, ~0U, 0) < 0 ? -errno : 0;
}

int file_close_except(unsigned int first, const int *keep, size_t count)
{
	for (;;) {
		/* The lowest kept one that is not behind us. */
		unsigned int next = ~0U;
		for (size_t i = 0; i < count; i++)
			if (keep[i] >= 0 && (unsigned int)keep[i] >= first && (unsigned int)keep[i] < next)
				next = (unsigned int)keep[i];
		if (next == ~0U)
			return file_close_from(first);
		if (next > first && sl_close_range(first, next - 1, 0) < 0)
			return -errno;
		first = next + 1;
	}
}

int file_fill_gaps(int first, int end)
{
	for (int fd = first; fd < end; fd++)
		if (fcntl(fd, F_GETFD) < 0 && dup3(0, fd, O_CLOEXEC) < 0)
			return -errno;
	return 0;
}

void file_close_gaps(int first, int end)
{
	for (int fd = first; fd < end; fd++) {
		int flags = fcntl(fd, F_GETFD);
		if (flags >= 0 && (flags & FD_CLOEXEC) != 0)
			close(fd);
	}
}

int file_set_cloexec(int fd, int on)
{
	return fcntl(fd, F_SETFD, on ? FD_CLOEXEC : 0) < 0 ? -errno : 0;
}
