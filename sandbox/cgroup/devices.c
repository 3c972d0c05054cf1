/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/cgroup/devices.h"

#include <errno.h>
#include <string.h>

#include "sandbox/cgroup/cgroup_internal.h"
#include "sandbox/common/cleanup.h"

/* What every container may do: make any node (but not use it), and use the devices that config-linux.md "Default
 * Devices" supplies, with the pseudo terminals. */
static const struct cgroup_device_rule default_rules[] = {
    {true, 'c', -1, -1, CGROUP_DEVICE_MKNOD}, {true, 'b', -1, -1, CGROUP_DEVICE_MKNOD},
    {true, 'c', 1, 3, CGROUP_DEVICE_ALL},    /* null */
    {true, 'c', 1, 5, CGROUP_DEVICE_ALL},    /* zero */
    {true, 'c', 1, 7, CGROUP_DEVICE_ALL},    /* full */
    {true, 'c', 1, 8, CGROUP_DEVICE_ALL},    /* random */
    {true, 'c', 1, 9, CGROUP_DEVICE_ALL},    /* urandom */
    {true, 'c', 5, 0, CGROUP_DEVICE_ALL},    /* tty */
    {true, 'c', 5, 1, CGROUP_DEVICE_ALL},    /* console */
    {true, 'c', 5, 2, CGROUP_DEVICE_ALL},    /* ptmx */
    {true, 'c', 136, -1, CGROUP_DEVICE_ALL}, /* pts */
};

/* Bits for "rwm" in any order; 0 for a text with something else in it. */
static uint32_t parse_access(const char *text)
{
	uint32_t access = 0;

	if (text == NULL || *text == '\0')
		return CGROUP_DEVICE_ALL;
	for (; *text != '\0'; text++) {
		if (*text == 'r')
			access |= CGROUP_DEVICE_READ;
		else if (*text == 'w')
			access |= CGROUP_DEVICE_WRITE;
		else if (*text == 'm')
			access |= CGROUP_DEVICE_MKNOD;
		else
			return 0;
	}
	return access;
}

/* A number of the device, -1 for any. The kernel's are 12 and 20 bits long. */
static int parse_number(struct opt_i64 number, const char *what, size_t index, int64_t *value, struct error *err)
{
	*value = number.set && number.value >= 0 ? number.value : -1;
	if (*value > INT32_MAX)
		return error_set(err, EINVAL, "linux.resources.devices[%zu].%s: %lld is no device number", index, what,
				 (long long)*value);
	return 0;
}

int cgroup_device_rules(struct arena *arena, const struct oci_resources *resources, struct cgroup_device_rule **rules,
			size_t *count, struct error *err)
{
	size_t given = resources == NULL ? 0 : resources->devices_count;

	*rules = arena_array(arena, given + ARRAY_SIZE(default_rules), sizeof **rules);
	*count = given + ARRAY_SIZE(default_rules);
	for (size_t i = 0; i < given; i++) {
		const struct oci_device_cgroup *device = &resources->devices[i];
		struct cgroup_device_rule *rule = &(*rules)[i];
		*rule = (struct cgroup_device_rule){.allow = device->allow,
						    .type = device->type == '\0' ? 'a' : device->type,
						    .access = parse_access(device->access)};
		if (rule->access == 0)
			return error_set(err, EINVAL,
					 "linux.resources.devices[%zu].access: \"%s\" has something else in it than r, "
					 "w and m",
					 i, device->access);
		if (rule->type != 'a' && rule->type != 'b' && rule->type != 'c')
			return error_set(err, EINVAL, "linux.resources.devices[%zu].type: '%c' is not a, b or c", i,
					 rule->type);
		int rc = parse_number(device->major, "major", i, &rule->major, err);
		if (rc == 0)
			rc = parse_number(device->minor, "minor", i, &rule->minor, err);
		if (rc < 0)
			return rc;
	}
	memcpy(*rules + given, default_rules, sizeof default_rules);
	return 0;
}

/* Whether nothing is lost when the rules can't be set: none of those that were given denies or restricts. */
static bool is_harmless(const struct cgroup_device_rule *rules, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!rules[i].allow || rules[i].access != CGROUP_DEVICE_ALL)
			return false;
	return true;
}

int cgroup_devices_apply(struct cgroup *cgroup, const struct oci_resources *resources, bool replace, struct error *err)
{
	CLEANUP_ARENA struct arena arena = {0};
	struct cgroup_device_rule *rules;
	size_t count;
	int node = cgroup_find(cgroup, CGROUP_DEVICES);
	bool v2 = node < 0;

	if (v2)
		node = cgroup_find_v2(cgroup);
	if (node < 0)
		return 0;
	int rc = cgroup_device_rules(&arena, resources, &rules, &count, err);
	if (rc < 0)
		return rc;
	if (v2)
		rc = cgroup_devices_v2_apply(cgroup->paths[node].path, rules, count, err);
	else
		rc = cgroup_devices_v1_apply(cgroup->paths[node].path, rules, count, replace, err);
	/* Without privilege there is no way, and no use either: the host's devices can't be opened nor made. */
	if ((rc == -EPERM || rc == -EACCES) &&
	    (cgroup->rootless || is_harmless(rules, count - ARRAY_SIZE(default_rules)))) {
		error_clear(err);
		return 0;
	}
	return rc;
}
