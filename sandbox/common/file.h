/* SPDX-License-Identifier: Apache-2.0 */
/* Small files and descriptors. Functions return 0 (or a count or descriptor) or a negative errno value. */
#ifndef SANDLOCK_COMMON_FILE_H
#define SANDLOCK_COMMON_FILE_H

#include <stddef.h>
#include <sys/types.h>

/* Writes the whole buffer; interrupted and short writes are continued. */
int file_write_all(int fd, const void *data, size_t length);
/* Opens `path` below `dirfd` for writing (no creation) and writes `text` in one write call. */
int file_write_at(int dirfd, const char *path, const char *text);
/* Reads until end of file or `size - 1` bytes; NUL-terminates. Returns the length; -EFBIG when more was there. */
ssize_t file_read_at(int dirfd, const char *path, char *buffer, size_t size);
/* Reads a whole file of at most `maximum` bytes into malloc'ed, NUL-terminated memory. -EFBIG beyond that. */
int file_read_all(int fd, size_t maximum, char **data, size_t *length);
/* Like file_read_all, from the start of the file whatever the descriptor's position is, and without moving it. */
int file_read_at_start(int fd, size_t maximum, char **data, size_t *length);
/* A sealed memfd with this content. Returns the descriptor (close-on-exec). */
int file_sealed_memfd(const char *name, const void *data, size_t length, int executable);
/* Closes every descriptor from `first` up. */
int file_close_from(unsigned int first);
/* Closes every descriptor from `first` up but those in `keep` (at most 8, any order, negative ones are ignored). */
int file_close_except(unsigned int first, const int *keep, size_t count);
/* Takes the numbers from `first` to before `end` that are free, with close-on-exec copies of standard input: nothing
 * that is opened later ends up there. */
int file_fill_gaps(int first, int end);
/* Closes the close-on-exec descriptors from `first` to before `end`. */
void file_close_gaps(int first, int end);
/* Sets or clears close-on-exec. */
int file_set_cloexec(int fd, int on);

#endif
