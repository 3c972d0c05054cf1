/* SPDX-License-Identifier: Apache-2.0 */
/* Cleanup attributes for descriptors and memory. */
#ifndef SANDLOCK_COMMON_CLEANUP_H
#define SANDLOCK_COMMON_CLEANUP_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static inline void cleanup_close(int *fd)
{
	if (*fd >= 0) {
		int saved = errno;
		close(*fd);
		errno = saved;
	}
}

static inline void cleanup_free(void *pointer)
{
	free(*(void **)pointer);
}

static inline void cleanup_fclose(FILE **file)
{
	if (*file != NULL)
		fclose(*file);
}

/* Closes the descriptor (if not negative) at the end of the scope; errno is kept. */
#define CLEANUP_CLOSE __attribute__((cleanup(cleanup_close)))
/* Frees the memory at the end of the scope. */
#define CLEANUP_FREE __attribute__((cleanup(cleanup_free)))
/* Closes the FILE (if not NULL) at the end of the scope. */
#define CLEANUP_FCLOSE __attribute__((cleanup(cleanup_fclose)))

/* Gives a descriptor away: the variable becomes -1. */
static inline int take_fd(int *fd)
{
	int taken = *fd;
	*fd = -1;
	return taken;
}

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#endif
