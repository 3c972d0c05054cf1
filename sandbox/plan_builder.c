/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/plan_builder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sandbox/common/cleanup.h"
#include "sandbox/common/file.h"

void plan_builder_init(struct plan_builder *builder)
{
	*builder = (struct plan_builder){.plan = {.magic = PLAN_MAGIC, .version = PLAN_VERSION}};
	builder->plan.rootfs_fd = -1;
	builder->plan.devices_fd = -1;
	builder->plan.seccomp.listener_fd = -1;
	builder->plan.process.umask = UINT32_MAX;
}

void plan_builder_free(struct plan_builder *builder)
{
	for (size_t i = 0; i < builder->fds_count; i++)
		if (builder->fds[i] >= 0)
			close(builder->fds[i]);
	free(builder->fds);
	free(builder->data);
	*builder = (struct plan_builder){0};
}

/* Room for `size` bytes behind the plan, aligned; returns its offset. */
static uint32_t reserve(struct plan_builder *builder, size_t size, size_t alignment)
{
	size_t start = (builder->length + alignment - 1) / alignment * alignment;

	if (size > UINT32_MAX / 2 || start > UINT32_MAX / 2) {
		fputs("sandlock-oci: the launch plan is too large\n", stderr);
		_Exit(1);
	}
	if (start + size > builder->capacity) {
		size_t capacity = (start + size) * 2 + 4096;
		char *data = realloc(builder->data, capacity);
		if (data == NULL) {
			fputs("sandlock-oci: out of memory\n", stderr);
			_Exit(1);
		}
		builder->data = data;
		builder->capacity = capacity;
	}
	memset(builder->data + builder->length, 0, start + size - builder->length);
	builder->length = start + size;
	return (uint32_t)(sizeof(struct plan) + start);
}

static void *at(struct plan_builder *builder, uint32_t offset)
{
	return builder->data + (offset - sizeof(struct plan));
}

plan_string plan_add_string(struct plan_builder *builder, const char *text)
{
	if (text == NULL)
		return 0;
	size_t size = strlen(text) + 1;
	uint32_t offset = reserve(builder, size, 1);
	memcpy(at(builder, offset), text, size);
	return offset;
}

struct plan_array plan_add_array(struct plan_builder *builder, const void *items, size_t count, size_t size)
{
	struct plan_array array = {0};

	if (count == 0)
		return array;
	array.offset = reserve(builder, count * size, 8);
	array.count = (uint32_t)count;
	memcpy(at(builder, array.offset), items, count * size);
	return array;
}

struct plan_array plan_add_strings(struct plan_builder *builder, const char *const *items, size_t count)
{
	struct plan_array array = {0};

	if (count == 0)
		return array;
	array.offset = reserve(builder, count * sizeof(plan_string), 8);
	array.count = (uint32_t)count;
	for (size_t i = 0; i < count; i++) {
		plan_string offset = plan_add_string(builder, items[i]);
		memcpy((char *)at(builder, array.offset) + i * sizeof offset, &offset, sizeof offset);
	}
	return array;
}

plan_fd plan_add_fd(struct plan_builder *builder, int fd)
{
	int *fds = realloc(builder->fds, (builder->fds_count + 1) * sizeof *fds);

	if (fds == NULL) {
		fputs("sandlock-oci: out of memory\n", stderr);
		_Exit(1);
	}
	builder->fds = fds;
	fds[builder->fds_count] = fd;
	return (plan_fd)builder->fds_count++;
}

int plan_seal(struct plan_builder *builder, struct error *err)
{
	CLEANUP_FREE char *block = NULL;
	size_t size = sizeof builder->plan + builder->length;

	builder->plan.size = (uint32_t)size;
	block = malloc(size);
	if (block == NULL)
		return error_errno(err, ENOMEM, "make the launch plan");
	memcpy(block, &builder->plan, sizeof builder->plan);
	if (builder->length > 0)
		memcpy(block + sizeof builder->plan, builder->data, builder->length);
	int fd = file_sealed_memfd("sandlock-plan", block, size, 0);
	if (fd < 0)
		return error_errno(err, -fd, "make the launch plan");
	return fd;
}
