/* SPDX-License-Identifier: Apache-2.0 */
/* Where the container's cgroup is: from cgroupsPath to one directory per hierarchy. */
#include "sandbox/cgroup/cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sandbox/cgroup/cgroup_internal.h"
#include "sandbox/cgroup/devices.h"
#include "sandbox/cgroup/systemd.h"
#include "sandbox/common/cleanup.h"
#include "sandbox/common/file.h"

const char *cgroup_clean_path(struct arena *arena, const char *path)
{
	bool absolute = path[0] == '/';
	char *clean = arena_alloc(arena, strlen(path) + 2);
	size_t used = 0;

	while (*path != '\0') {
		size_t length = strcspn(path, "/");
		if (length == 2 && path[0] == '.' && path[1] == '.') {
			while (used > 0 && clean[--used] != '/')
				continue;
		} else if (length > 0 && !(length == 1 && path[0] == '.')) {
			clean[used++] = '/';
			memcpy(clean + used, path, length);
			used += length;
		}
		path += length;
		path += *path == '/';
	}
	clean[used] = '\0';
	if (absolute)
		return used == 0 ? "/" : clean;
	return used == 0 ? "" : clean + 1;
}

/* Whether the id map of this user namespace is another than the initial one's. */
static bool in_user_namespace(void)
{
	static const char initial[] = "         0          0 4294967295\n";
	char text[128];

	return file_read_at(AT_FDCWD, "/proc/self/uid_map", text, sizeof text) > 0 && strcmp(text, initial) != 0;
}

/* The caller's cgroup, or the root where the cgroup namespace does not reach that far up. */
static const char *own_cgroup(struct arena *arena, const struct cgroup_hierarchy *hierarchy, enum cgroup_mode mode)
{
	const char *own = hierarchy->own;

	if (own[0] != '/' || strncmp(own, "/..", 3) == 0)
		return "/";
	/* On v2 a cgroup with processes can't hand its controllers down: the container goes beside the caller. */
	if (mode == CGROUP_MODE_V2) {
		const char *last = strrchr(own, '/');
		own = arena_strndup(arena, own, (size_t)(last - own));
	}
	return own[0] == '\0' ? "/" : own;
}

void cgroup_add_node(struct cgroup *cgroup, const struct cgroup_hierarchy *hierarchy, const char *path)
{
	struct arena *arena = &cgroup->arena;
	size_t i = cgroup->count++;

	cgroup->paths[i] = (struct cgroup_path){.controllers = hierarchy->controllers,
						.path = cgroup_hierarchy_path(arena, hierarchy, path)};
	cgroup->nodes[i] = (struct cgroup_node){
	    .mask = hierarchy->mask,
	    .v2 = hierarchy->v2,
	    .mount_length = strlen(hierarchy->mount),
	    .root = hierarchy->root,
	};
	if (hierarchy->v2) {
		char file[4096];
		char text[512] = "";
		if (snprintf(file, sizeof file, "%s/cgroup.controllers", hierarchy->mount) < (int)sizeof file)
			(void)file_read_at(AT_FDCWD, file, text, sizeof text);
		cgroup->nodes[i].mask = cgroup_controllers_parse(text, " \n", true);
	}
}

/* cgroupfs: absolute paths are below the mount point, relative ones and the container's id below the caller's. */
static int place(struct cgroup *cgroup, const struct cgroup_layout *layout, const struct cgroup_settings *settings,
		 struct error *err)
{
	struct arena *arena = &cgroup->arena;
	const char *given = settings->cgroups_path == NULL ? "" : settings->cgroups_path;
	const char *inner = cgroup_clean_path(arena, given[0] == '\0' ? settings->id : given);

	if (strcmp(inner, "/") == 0 || inner[0] == '\0')
		return error_set(err, EINVAL,
				 "linux.cgroupsPath: \"%s\" is the root of the hierarchy, which can't be a container's",
				 given);
	if (strlen(inner) > 3000)
		return error_set(err, ENAMETOOLONG, "linux.cgroupsPath is too long");
	for (size_t i = 0; i < layout->count; i++) {
		const struct cgroup_hierarchy *hierarchy = &layout->hierarchies[i];
		const char *path = inner;
		if (inner[0] != '/') {
			const char *own = own_cgroup(arena, hierarchy, layout->mode);
			path = arena_printf(arena, "%s/%s", strcmp(own, "/") == 0 ? "" : own, inner);
		}
		cgroup_add_node(cgroup, hierarchy, path);
	}
	return 0;
}

/* Whether the caller may make the directory: it may write to the nearest one that exists. */
static bool may_create(const char *path)
{
	char current[4096];
	size_t length = strlen(path);

	if (length >= sizeof current)
		return true;
	memcpy(current, path, length + 1);
	if (faccessat(AT_FDCWD, current, F_OK, 0) == 0)
		return faccessat(AT_FDCWD, current, W_OK, AT_EACCESS) == 0;
	while (length > 1) {
		while (length > 1 && current[--length] != '/')
			continue;
		current[length] = '\0';
		if (faccessat(AT_FDCWD, current, W_OK, AT_EACCESS) == 0)
			return true;
		if (errno != ENOENT)
			return false;
	}
	return false;
}

/* Without a delegated cgroup a rootless caller gets none, unless something asks for one: then making it tells why it
 * can't be had. */
static void drop_forbidden(struct cgroup *cgroup)
{
	if (cgroup->path_given || !cgroup->rootless)
		return;
	for (size_t i = 0; i < cgroup->count;) {
		if (cgroup_limit_in(cgroup, i) == NULL && !may_create(cgroup->paths[i].path))
			cgroup_drop_node(cgroup, i);
		else
			i++;
	}
	cgroup->devices_set = cgroup->count > 0;
}

static const char *annotation(struct arena *arena, const struct cgroup_settings *settings, const char *key)
{
	for (size_t i = 0; i < settings->annotations_count; i++)
		if (strcmp(settings->annotations[i].key, key) == 0)
			return arena_strdup(arena, settings->annotations[i].value);
	return NULL;
}

int cgroup_plan(const struct cgroup_settings *settings, const struct oci_resources *resources, struct cgroup **result,
		struct error *err)
{
	struct arena first = {0};
	struct cgroup *cgroup = arena_alloc(&first, sizeof *cgroup);
	struct cgroup_layout layout = {0};
	int rc = 0;

	/* It lies in its own arena. */
	cgroup->arena = first;
	cgroup->manager = settings->manager;
	cgroup->rootless = settings->rootless || geteuid() != 0 || in_user_namespace();
	cgroup->path_given = settings->cgroups_path != NULL && settings->cgroups_path[0] != '\0';
	cgroup->owner_uid = settings->owner_uid;
	cgroup->id = arena_strdup(&cgroup->arena, settings->id);
	cgroup->force_v1 = annotation(&cgroup->arena, settings, "run.oci.systemd.force_cgroup_v1");
	if (settings->manager == CGROUP_MANAGER_DISABLED && cgroup->path_given)
		rc = error_set(err, EINVAL, "linux.cgroupsPath is \"%s\", but the cgroup manager is disabled",
			       settings->cgroups_path);
	if (rc == 0 && settings->manager != CGROUP_MANAGER_DISABLED) {
		rc = cgroup_layout_detect(&cgroup->arena, &layout, err);
		cgroup->mode = layout.mode;
		if (rc == 0 && layout.count == 0 && (!cgroup->rootless || cgroup->path_given))
			rc = error_set(err, ENODEV,
				       "no cgroup file system is mounted: mount one, or use --cgroup-manager=disabled");
		if (rc == 0 && layout.count > 0)
			rc = settings->manager == CGROUP_MANAGER_SYSTEMD
				 ? cgroup_systemd_place(cgroup, &layout, settings, err)
				 : place(cgroup, &layout, settings, err);
		cgroup->devices_set = cgroup->count > 0;
	}
	if (rc == 0)
		rc = cgroup_translate(cgroup, resources, &cgroup->writes, false, err);
	if (rc == 0 && cgroup->manager == CGROUP_MANAGER_CGROUPFS)
		drop_forbidden(cgroup);
	if (rc == 0 && settings->intel_rdt != NULL)
		rc = rdt_plan(&cgroup->arena, settings->intel_rdt, cgroup->id, &cgroup->rdt, err);
	if (rc == 0 && cgroup->devices_set) {
		struct cgroup_device_rule *rules;
		size_t count;
		rc = cgroup_device_rules(&cgroup->arena, resources, &rules, &count, err);
	}
	if (rc < 0) {
		cgroup_free(cgroup);
		return rc;
	}
	*result = cgroup;
	return 0;
}

int cgroup_open(const struct plan *plan, struct cgroup **result, struct error *err)
{
	struct arena first = {0};
	struct cgroup *cgroup = arena_alloc(&first, sizeof *cgroup);

	cgroup->arena = first;
	cgroup->mode = plan->cgroup_paths.count > 0 ? (enum cgroup_mode)plan->cgroup_mode : CGROUP_MODE_NONE;
	cgroup->rootless = geteuid() != 0 || in_user_namespace();
	cgroup->id = plan_text(plan, plan->id);
	cgroup->unit = plan_text(plan, plan->cgroup_unit);
	cgroup->delegate = plan_text(plan, plan->cgroup_delegate);
	cgroup->manager = cgroup->unit != NULL ? CGROUP_MANAGER_SYSTEMD : CGROUP_MANAGER_CGROUPFS;
	cgroup->owner_uid = UINT32_MAX;
	cgroup->count = cgroup_paths_from_plan(plan, cgroup->paths);
	for (size_t i = 0; i < cgroup->count; i++) {
		struct cgroup_node *node = &cgroup->nodes[i];
		node->v2 = cgroup_path_is_v2(&cgroup->paths[i]);
		if (!node->v2) {
			node->mask = cgroup_controllers_parse(cgroup->paths[i].controllers, ",", false);
			continue;
		}
		char file[4096];
		char text[512] = "";
		if (snprintf(file, sizeof file, "%s/cgroup.controllers", cgroup->paths[i].path) < (int)sizeof file)
			(void)file_read_at(AT_FDCWD, file, text, sizeof text);
		node->mask = cgroup_controllers_parse(text, " \n", true);
	}
	int v2 = cgroup_find_v2(cgroup);
	if (v2 >= 0 && cgroup->delegate != NULL)
		cgroup->delegate_path = arena_printf(&cgroup->arena, "%s/%s", cgroup->paths[v2].path, cgroup->delegate);
	(void)err;
	*result = cgroup;
	return 0;
}

void cgroup_settle(struct cgroup *cgroup)
{
	if (cgroup->manager == CGROUP_MANAGER_SYSTEMD)
		cgroup_systemd_settle(cgroup);
}

void cgroup_free(struct cgroup *cgroup)
{
	struct arena arena = cgroup->arena;

	cgroup_settle(cgroup);
	arena_free(&arena);
}

enum cgroup_mode cgroup_mode(const struct cgroup *cgroup)
{
	return cgroup->count == 0 ? CGROUP_MODE_NONE : cgroup->mode;
}

const struct cgroup_path *cgroup_paths(const struct cgroup *cgroup, size_t *count)
{
	*count = cgroup->count;
	return cgroup->paths;
}

void cgroup_fill_plan(struct plan_builder *builder, const struct cgroup *cgroup)
{
	struct plan_pair pairs[CGROUP_PATHS_MAX];

	for (size_t i = 0; i < cgroup->count; i++)
		pairs[i] = (struct plan_pair){.key = plan_add_string(builder, cgroup->paths[i].controllers),
					      .value = plan_add_string(builder, cgroup->paths[i].path)};
	if (cgroup->rdt.config != NULL)
		rdt_fill_plan(builder, &cgroup->rdt);
	builder->plan.cgroup_paths = plan_add_array(builder, pairs, cgroup->count, sizeof pairs[0]);
	builder->plan.cgroup_mode = cgroup_mode(cgroup);
	builder->plan.cgroup_force_v1 = plan_add_string(builder, cgroup->force_v1);
	builder->plan.cgroup_delegate = plan_add_string(builder, cgroup->delegate);
	builder->plan.cgroup_unit = plan_add_string(builder, cgroup->unit);
}

static bool has_option(const struct oci_mount *mount, const char *option)
{
	for (size_t i = 0; i < mount->options_count; i++)
		if (strcmp(mount->options[i], option) == 0)
			return true;
	return false;
}

uint32_t cgroup_owner(const struct oci_config *config)
{
	bool namespace_new = false;
	bool writable = false;
	uint32_t uid = config->process == NULL ? 0 : config->process->user.uid;

	for (size_t i = 0; i < config->linux_.namespaces_count; i++)
		namespace_new = namespace_new || (config->linux_.namespaces[i].type == CLONE_NEWCGROUP &&
						  config->linux_.namespaces[i].path == NULL);
	for (size_t i = 0; i < config->mounts_count; i++) {
		const struct oci_mount *mount = &config->mounts[i];
		writable = writable || (mount->source != NULL && strcmp(mount->source, "cgroup") == 0 &&
					strcmp(mount->destination, "/sys/fs/cgroup") == 0 && !has_option(mount, "ro"));
	}
	if (!namespace_new || !writable)
		return UINT32_MAX;
	for (size_t i = 0; i < config->linux_.uid_mappings_count; i++) {
		const struct oci_id_mapping *mapping = &config->linux_.uid_mappings[i];
		if (uid >= mapping->container_id && uid - mapping->container_id < mapping->size)
			return mapping->host_id + (uid - mapping->container_id);
	}
	/* Without a user namespace the ids are the host's. */
	return config->linux_.uid_mappings_count == 0 ? uid : UINT32_MAX;
}
