/* SPDX-License-Identifier: Apache-2.0 */
/* v1 keeps either a list of what is allowed or one of what is denied, and takes changes one by one. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sandbox/cgroup/devices.h"
#include "sandbox/common/cleanup.h"
#include "sandbox/common/file.h"
#include "sandbox/common/number.h"

#define LIST_MAX (256u << 10)

/* The kernel's state: a default and exceptions from it. */
struct device_list {
	bool allow; /* what is not an exception */
	struct cgroup_device_rule *items;
	size_t count;
};

/* Whether all devices of `inner` are devices of `outer`. */
static bool covers(const struct cgroup_device_rule *outer, const struct cgroup_device_rule *inner)
{
	return outer->type == inner->type && (outer->major < 0 || outer->major == inner->major) &&
	       (outer->minor < 0 || outer->minor == inner->minor);
}

static bool overlaps(const struct cgroup_device_rule *a, const struct cgroup_device_rule *b)
{
	return a->type == b->type && (a->major < 0 || b->major < 0 || a->major == b->major) &&
	       (a->minor < 0 || b->minor < 0 || a->minor == b->minor);
}

static bool same(const struct cgroup_device_rule *a, const struct cgroup_device_rule *b)
{
	return a->type == b->type && a->major == b->major && a->minor == b->minor;
}

static const char *rule_text(struct arena *arena, const struct cgroup_device_rule *rule, uint32_t access)
{
	char major[24] = "*";
	char minor[24] = "*";

	if (rule->major >= 0)
		snprintf(major, sizeof major, "%" PRId64, rule->major);
	if (rule->minor >= 0)
		snprintf(minor, sizeof minor, "%" PRId64, rule->minor);
	return arena_printf(arena, "%c %s:%s %s%s%s", rule->type, major, minor, access & CGROUP_DEVICE_READ ? "r" : "",
			    access & CGROUP_DEVICE_WRITE ? "w" : "", access & CGROUP_DEVICE_MKNOD ? "m" : "");
}

/* An exception from the default. The list has room. */
static void list_except(struct device_list *list, const struct cgroup_device_rule *rule)
{
	for (size_t i = 0; i < list->count; i++) {
		if (same(&list->items[i], rule)) {
			list->items[i].access |= rule->access;
			return;
		}
	}
	list->items[list->count] = *rule;
	list->items[list->count++].allow = !list->allow;
}

/* Back to the default. The kernel drops exceptions with exactly these numbers and ignores all others, so one that is
 * wider than the rule can't be narrowed: it has to be refused, or more would stay allowed than was asked for. */
static int list_restore(struct device_list *list, const struct cgroup_device_rule *rule, struct arena *arena,
			struct error *err)
{
	size_t kept = 0;

	for (size_t i = 0; i < list->count; i++) {
		struct cgroup_device_rule *item = &list->items[i];
		if (covers(rule, item))
			item->access &= ~rule->access;
		else if (overlaps(rule, item) && (item->access & rule->access) != 0)
			return error_set(err, EINVAL,
					 "linux.resources.devices: \"%s %s\" makes an exception from \"%s %s\", which "
					 "cgroup v1 can't express",
					 rule->allow ? "allow" : "deny", rule_text(arena, rule, rule->access),
					 item->allow ? "allow" : "deny", rule_text(arena, item, item->access));
		if (item->access != 0)
			list->items[kept++] = *item;
	}
	list->count = kept;
	return 0;
}

static int list_apply(struct device_list *list, const struct cgroup_device_rule *rule, struct arena *arena,
		      struct error *err)
{
	if (rule->type == 'a' && rule->major < 0 && rule->minor < 0 && rule->access == CGROUP_DEVICE_ALL) {
		list->allow = rule->allow;
		list->count = 0;
		return 0;
	}
	/* v1 ignores the rest of a line that begins with "a". */
	if (rule->type == 'a') {
		struct cgroup_device_rule part = *rule;
		part.type = 'b';
		int rc = list_apply(list, &part, arena, err);
		part.type = 'c';
		return rc < 0 ? rc : list_apply(list, &part, arena, err);
	}
	if (rule->allow == list->allow)
		return list_restore(list, rule, arena, err);
	list_except(list, rule);
	return 0;
}

/* One line of devices.list, "c 1:3 rwm". Only "a" is written with the default of allowing. */
static void list_parse_line(struct device_list *list, const char *line, size_t length)
{
	char type = '\0';
	char major[24];
	char minor[24];
	char access[8];
	char text[64];

	if (length == 0 || length >= sizeof text)
		return;
	memcpy(text, line, length);
	text[length] = '\0';
	if (sscanf(text, "%c %23[^:]:%23s %7s", &type, major, minor, access) != 4)
		return;
	if (type == 'a') {
		list->allow = true;
		list->count = 0;
		return;
	}
	struct cgroup_device_rule rule = {.allow = true, .type = type, .major = -1, .minor = -1};
	(void)number_parse_i64(major, 0, INT32_MAX, &rule.major);
	(void)number_parse_i64(minor, 0, INT32_MAX, &rule.minor);
	for (const char *c = access; *c != '\0'; c++)
		rule.access |= *c == 'r' ? CGROUP_DEVICE_READ : *c == 'w' ? CGROUP_DEVICE_WRITE : CGROUP_DEVICE_MKNOD;
	list_except(list, &rule);
}

static void list_parse(struct arena *arena, struct device_list *list, const char *text)
{
	size_t lines = 1;

	for (const char *c = text; *c != '\0'; c++)
		lines += *c == '\n';
	*list = (struct device_list){.items = arena_array(arena, lines, sizeof *list->items)};
	while (*text != '\0') {
		size_t length = strcspn(text, "\n");
		list_parse_line(list, text, length);
		text += length;
		text += *text == '\n';
	}
}

static uint32_t access_of(const struct device_list *list, const struct cgroup_device_rule *rule)
{
	for (size_t i = 0; i < list->count; i++)
		if (same(&list->items[i], rule))
			return list->items[i].access;
	return 0;
}

int cgroup_devices_v1_lines(struct arena *arena, const char *list, const struct cgroup_device_rule *rules, size_t count,
			    const char ***lines, size_t *lines_count, struct error *err)
{
	struct device_list current;
	struct device_list target = {.items = arena_array(arena, count * 2 + 1, sizeof *target.items)};
	size_t used = 0;

	list_parse(arena, &current, list);
	for (size_t i = 0; i < count; i++) {
		int rc = list_apply(&target, &rules[i], arena, err);
		if (rc < 0)
			return rc;
	}
	*lines = arena_array(arena, current.count + target.count + 1, sizeof **lines);
	/* In allow mode the file does not show its exceptions: start afresh. */
	if (current.allow || current.allow != target.allow) {
		(*lines)[used++] = target.allow ? "+a" : "-a";
		current.count = 0;
	}
	/* First what is gained, then what is lost: a device in both lists is never out of reach. */
	for (size_t i = 0; i < target.count; i++) {
		uint32_t access = target.items[i].access & ~access_of(&current, &target.items[i]);
		if (access != 0)
			(*lines)[used++] = arena_printf(arena, "%c%s", target.allow ? '-' : '+',
							rule_text(arena, &target.items[i], access));
	}
	for (size_t i = 0; i < current.count; i++) {
		uint32_t access = current.items[i].access & ~access_of(&target, &current.items[i]);
		if (access != 0)
			(*lines)[used++] = arena_printf(arena, "%c%s", target.allow ? '+' : '-',
							rule_text(arena, &current.items[i], access));
	}
	*lines_count = used;
	return 0;
}

int cgroup_devices_v1_apply(const char *path, const struct cgroup_device_rule *rules, size_t count, bool replace,
			    struct error *err)
{
	CLEANUP_ARENA struct arena arena = {0};
	CLEANUP_CLOSE int dirfd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	CLEANUP_CLOSE int allow = dirfd < 0 ? -1 : openat(dirfd, "devices.allow", O_WRONLY | O_CLOEXEC);
	CLEANUP_CLOSE int deny = allow < 0 ? -1 : openat(dirfd, "devices.deny", O_WRONLY | O_CLOEXEC);
	CLEANUP_FREE char *list = NULL;
	const char **lines;
	size_t lines_count;

	if (deny < 0)
		return error_errno(err, errno, "cannot set linux.resources.devices of the cgroup %s", path);
	if (replace) {
		CLEANUP_CLOSE int fd = openat(dirfd, "devices.list", O_RDONLY | O_CLOEXEC);
		size_t length;
		int rc = fd < 0 ? -errno : file_read_all(fd, LIST_MAX, &list, &length);
		if (rc < 0)
			return error_errno(err, -rc, "cannot read %s/devices.list", path);
	}
	/* A new cgroup has its parent's list; "deny all" puts every one of them into the same state. */
	int rc =
	    cgroup_devices_v1_lines(&arena, list == NULL ? "a *:* rwm" : list, rules, count, &lines, &lines_count, err);
	for (size_t i = 0; rc == 0 && i < lines_count; i++) {
		rc = file_write_all(lines[i][0] == '+' ? allow : deny, lines[i] + 1, strlen(lines[i] + 1));
		if (rc < 0)
			return error_errno(err, -rc, "cannot set linux.resources.devices: %s \"%s\" in %s%s",
					   lines[i][0] == '+' ? "allow" : "deny", lines[i] + 1, path,
					   rc == -EPERM ? " (the cgroup above does not allow it)" : "");
	}
	return rc;
}
