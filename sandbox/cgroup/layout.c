/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/cgroup/layout.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "sandbox/common/cleanup.h"
#include "sandbox/common/file.h"

/* A host with thousands of containers has a mountinfo of some hundred KiB. */
#define MOUNTINFO_MAX (16u << 20)

static const struct {
	const char *v1;
	const char *v2;
} names[CGROUP_CONTROLLERS] = {
    [CGROUP_CPU] = {"cpu", "cpu"},
    [CGROUP_CPUACCT] = {"cpuacct", NULL},
    [CGROUP_CPUSET] = {"cpuset", "cpuset"},
    [CGROUP_MEMORY] = {"memory", "memory"},
    [CGROUP_BLKIO] = {"blkio", "io"},
    [CGROUP_PIDS] = {"pids", "pids"},
    [CGROUP_HUGETLB] = {"hugetlb", "hugetlb"},
    [CGROUP_RDMA] = {"rdma", "rdma"},
    [CGROUP_MISC] = {"misc", "misc"},
    [CGROUP_DEVICES] = {"devices", NULL},
    [CGROUP_FREEZER] = {"freezer", NULL},
    [CGROUP_NET_CLS] = {"net_cls", NULL},
    [CGROUP_NET_PRIO] = {"net_prio", NULL},
    [CGROUP_PERF_EVENT] = {"perf_event", "perf_event"},
    [CGROUP_DMEM] = {NULL, "dmem"},
};

const char *cgroup_controller_name(enum cgroup_controller controller, bool v2)
{
	return v2 ? names[controller].v2 : names[controller].v1;
}

uint32_t cgroup_controllers_parse(const char *text, const char *separators, bool v2)
{
	uint32_t mask = 0;

	while (*text != '\0') {
		size_t length = strcspn(text, separators);
		for (unsigned int i = 0; i < CGROUP_CONTROLLERS; i++) {
			const char *name = cgroup_controller_name(i, v2);
			if (name != NULL && strlen(name) == length && memcmp(name, text, length) == 0)
				mask |= 1u << i;
		}
		text += length;
		text += *text != '\0';
	}
	return mask;
}

/* Undoes the kernel's \ooo for space, tab, newline and backslash. */
static char *unescape(struct arena *arena, const char *text, size_t length)
{
	char *copy = arena_strndup(arena, text, length);
	char *to = copy;

	for (const char *from = copy; *from != '\0'; from++) {
		if (from[0] == '\\' && from[1] >= '0' && from[1] <= '3' && from[2] >= '0' && from[2] <= '7' &&
		    from[3] >= '0' && from[3] <= '7') {
			*to++ = (char)((from[1] - '0') * 64 + (from[2] - '0') * 8 + (from[3] - '0'));
			from += 3;
		} else {
			*to++ = *from;
		}
	}
	*to = '\0';
	return copy;
}

/* A space-separated field of a line. */
struct field {
	const char *text;
	size_t length;
};

static struct field next_field(const char **cursor)
{
	struct field field = {.text = *cursor, .length = strcspn(*cursor, " \n")};
	*cursor += field.length;
	*cursor += **cursor == ' ';
	return field;
}

static bool field_is(struct field field, const char *text)
{
	return strlen(text) == field.length && memcmp(field.text, text, field.length) == 0;
}

/* What /proc/self/cgroup calls the hierarchy whose mount has these super block options ("rw,cpu,cpuacct"). */
static bool options_match(struct field options, const char *controllers, size_t controllers_length)
{
	/* Every word of the controllers' list must be among the options. */
	for (size_t i = 0; i < controllers_length;) {
		const char *word = controllers + i;
		size_t length = 0;
		bool found = false;
		while (i + length < controllers_length && word[length] != ',')
			length++;
		for (size_t k = 0; k < options.length && !found;) {
			size_t option_length = 0;
			while (k + option_length < options.length && options.text[k + option_length] != ',')
				option_length++;
			found = option_length == length && memcmp(options.text + k, word, length) == 0;
			k += option_length + 1;
		}
		if (!found)
			return false;
		i += length + 1;
	}
	return controllers_length > 0;
}

/* A host that runs containers has bind mounts of its hierarchies elsewhere; the whole hierarchy below /sys is it. */
static bool is_better(struct field root, struct field mount, const struct cgroup_hierarchy *known)
{
	bool whole = field_is(root, "/");
	bool known_whole = strcmp(known->root, "/") == 0;

	if (whole != known_whole)
		return whole;
	return strncmp(known->mount, "/sys/", 5) != 0 && mount.length > 5 && memcmp(mount.text, "/sys/", 5) == 0;
}

static void add_mount(struct arena *arena, struct cgroup_layout *layout, const char *line)
{
	const char *cursor = line;
	struct field fields[5];

	for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
		fields[i] = next_field(&cursor);
	struct field root = fields[3];
	struct field mount = fields[4];
	while (*cursor != '\0' && *cursor != '\n' && !field_is(next_field(&cursor), "-"))
		continue;
	struct field type = next_field(&cursor);
	bool v2 = field_is(type, "cgroup2");
	if (!v2 && !field_is(type, "cgroup"))
		return;
	(void)next_field(&cursor);
	struct field options = next_field(&cursor);
	for (size_t i = 0; i < layout->count; i++) {
		struct cgroup_hierarchy *hierarchy = &layout->hierarchies[i];
		if (v2 != hierarchy->v2 ||
		    (!v2 && !options_match(options, hierarchy->controllers, strlen(hierarchy->controllers))))
			continue;
		if (hierarchy->mount == NULL || is_better(root, mount, hierarchy)) {
			hierarchy->root = unescape(arena, root.text, root.length);
			hierarchy->mount = unescape(arena, mount.text, mount.length);
		}
		return;
	}
}

/* "4:memory:/path" */
static void add_hierarchy(struct arena *arena, struct cgroup_layout *layout, const char *line, size_t length)
{
	const char *end = line + length;
	const char *controllers = memchr(line, ':', length);
	const char *path = controllers == NULL ? NULL : memchr(controllers + 1, ':', (size_t)(end - controllers - 1));

	if (path == NULL || layout->count == CGROUP_PATHS_MAX)
		return;
	struct cgroup_hierarchy hierarchy = {
	    .controllers = arena_strndup(arena, controllers + 1, (size_t)(path - controllers - 1)),
	    .own = arena_strndup(arena, path + 1, (size_t)(end - path - 1)),
	};
	hierarchy.v2 = hierarchy.controllers[0] == '\0';
	if (!hierarchy.v2) {
		hierarchy.mask = cgroup_controllers_parse(hierarchy.controllers, ",", false);
		/* Other named hierarchies belong to whoever made them. */
		if (hierarchy.mask == 0 && strcmp(hierarchy.controllers, "name=systemd") != 0)
			return;
	}
	layout->hierarchies[layout->count++] = hierarchy;
}

void cgroup_layout_parse(struct arena *arena, const char *mountinfo, const char *self_cgroup,
			 struct cgroup_layout *layout)
{
	bool v1_controllers = false;
	bool v2 = false;
	size_t kept = 0;

	*layout = (struct cgroup_layout){0};
	for (const char *line = self_cgroup; *line != '\0';) {
		size_t length = strcspn(line, "\n");
		add_hierarchy(arena, layout, line, length);
		line += length;
		line += *line == '\n';
	}
	for (const char *line = mountinfo; line != NULL && *line != '\0';
	     line = strchr(line, '\n'), line += line != NULL)
		add_mount(arena, layout, line);
	for (size_t i = 0; i < layout->count; i++) {
		const struct cgroup_hierarchy *hierarchy = &layout->hierarchies[i];
		v1_controllers = v1_controllers || (hierarchy->mount != NULL && hierarchy->mask != 0);
		v2 = v2 || (hierarchy->mount != NULL && hierarchy->v2);
	}
	/* A name=systemd hierarchy alone beside cgroup2 serves old systemds in containers: this is a v2 machine. */
	for (size_t i = 0; i < layout->count; i++)
		if (layout->hierarchies[i].mount != NULL && (v1_controllers || !v2 || layout->hierarchies[i].v2))
			layout->hierarchies[kept++] = layout->hierarchies[i];
	layout->count = kept;
	if (v1_controllers)
		layout->mode = v2 ? CGROUP_MODE_HYBRID : CGROUP_MODE_V1;
	else if (v2)
		layout->mode = CGROUP_MODE_V2;
	else
		layout->mode = kept > 0 ? CGROUP_MODE_V1 : CGROUP_MODE_NONE;
}

static int read_proc(const char *path, char **text, struct error *err)
{
	CLEANUP_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	size_t length;
	int rc = fd < 0 ? -errno : file_read_all(fd, MOUNTINFO_MAX, text, &length);

	return rc < 0 ? error_errno(err, -rc, "cannot find the cgroups: %s", path) : 0;
}

int cgroup_layout_detect(struct arena *arena, struct cgroup_layout *layout, struct error *err)
{
	CLEANUP_FREE char *mountinfo = NULL;
	CLEANUP_FREE char *self_cgroup = NULL;

	int rc = read_proc("/proc/self/mountinfo", &mountinfo, err);
	if (rc == 0)
		rc = read_proc("/proc/self/cgroup", &self_cgroup, err);
	if (rc == 0)
		cgroup_layout_parse(arena, mountinfo, self_cgroup, layout);
	return rc;
}

const char *cgroup_hierarchy_path(struct arena *arena, const struct cgroup_hierarchy *hierarchy, const char *cgroup)
{
	size_t root_length = strlen(hierarchy->root);

	/* The mount shows a part of the hierarchy, as in a container without a cgroup namespace. */
	if (root_length > 1 && strncmp(cgroup, hierarchy->root, root_length) == 0 &&
	    (cgroup[root_length] == '/' || cgroup[root_length] == '\0'))
		cgroup += root_length;
	if (strcmp(cgroup, "/") == 0)
		cgroup = "";
	return arena_printf(arena, "%s%s", hierarchy->mount, cgroup);
}
