/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/plan.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/stat.h>

int plan_map(int fd, const struct plan **plan, struct error *err)
{
	struct stat status;

	if (fstat(fd, &status) < 0)
		return error_errno(err, errno, "stat the launch plan");
	if (status.st_size < (off_t)sizeof(struct plan) || status.st_size > UINT32_MAX)
		return error_set(err, EPROTO, "the launch plan has a wrong size");
	void *memory = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (memory == MAP_FAILED)
		return error_errno(err, errno, "map the launch plan");
	const struct plan *header = memory;
	if (header->magic != PLAN_MAGIC || header->version != PLAN_VERSION ||
	    header->size != (uint64_t)status.st_size) {
		munmap(memory, (size_t)status.st_size);
		return error_set(err, EPROTO, "the launch plan was made by another version of sandlock-oci");
	}
	*plan = header;
	return 0;
}
