/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/linux/kernel_settings_plan.h"

#include <errno.h>
#include <linux/utsname.h>
#include <net/if.h>
#include <string.h>

#include "sandbox/common/cleanup.h"
#include "sandbox/common/syscalls.h"
#include "sandbox/linux/bit_list.h"
#include "sandbox/linux/namespaces_plan.h"
#include "sandbox/linux/network_devices.h"
#include "sandbox/linux/sysctl_plan.h"

/* hostname or domainname */
static int plan_name(struct plan_builder *builder, const struct oci_config *config, const char *field,
		     const char *value, plan_string *out, struct error *err)
{
	if (value == NULL || value[0] == '\0')
		return 0;
	if (!namespaces_private(config, CLONE_NEWUTS))
		return error_set(
		    err, EINVAL,
		    "unable to set %s without a private UTS namespace: add {\"type\": \"uts\"} to linux.namespaces",
		    field);
	if (strlen(value) > __NEW_UTS_LEN)
		return error_set(err, EINVAL, "%s is longer than the kernel's limit of %d bytes", field, __NEW_UTS_LEN);
	*out = plan_add_string(builder, value);
	return 0;
}

static int plan_net_devices(struct plan_builder *builder, const struct oci_config *config, struct error *err)
{
	const struct oci_linux *linux_ = &config->linux_;
	struct arena arena CLEANUP_ARENA = {0};
	struct plan_pair *pairs = arena_array(&arena, linux_->net_devices_count, sizeof *pairs);

	if (linux_->net_devices_count == 0)
		return 0;
	if (!namespaces_private(config, CLONE_NEWNET))
		return error_set(err, EINVAL,
				 "unable to move network devices without a NET namespace: linux.netDevices needs a "
				 "network namespace "
				 "other than the caller's");
	for (size_t i = 0; i < linux_->net_devices_count; i++) {
		const struct oci_net_device *device = &linux_->net_devices[i];
		const char *name = device->name != NULL && device->name[0] != '\0' ? device->name : device->host_name;
		if (!network_device_name_valid(device->host_name))
			return error_set(err, EINVAL, "linux.netDevices: invalid network device name \"%s\"",
					 device->host_name);
		if (!network_device_name_valid(name))
			return error_set(err, EINVAL,
					 "linux.netDevices[\"%s\"].name: invalid network device name \"%s\"",
					 device->host_name, name);
		pairs[i].key = plan_add_string(builder, device->host_name);
		pairs[i].value = plan_add_string(builder, name);
	}
	builder->plan.net_devices = plan_add_array(builder, pairs, linux_->net_devices_count, sizeof *pairs);
	return 0;
}

static int plan_memory_policy(struct plan_builder *builder, const struct oci_config *config, struct error *err)
{
	const struct oci_memory_policy *policy = config->linux_.memory_policy;
	struct arena arena CLEANUP_ARENA = {0};
	uint64_t *words;
	size_t count;

	if (policy == NULL)
		return 0;
	builder->plan.memory_policy_set = 1;
	builder->plan.memory_policy_mode = policy->mode | policy->flags;
	if (policy->nodes == NULL)
		return 0;
	if (bit_list_parse(policy->nodes, &arena, &words, &count) < 0)
		return error_set(err, EINVAL,
				 "linux.memoryPolicy.nodes \"%s\" is not a list of memory nodes like \"0-3,7\"",
				 policy->nodes);
	builder->plan.memory_policy_nodes = plan_add_array(builder, words, count, sizeof *words);
	return 0;
}

/* runc's name for it, so that tools find it. */
static int plan_keyring(struct plan_builder *builder, struct error *err)
{
	struct arena arena CLEANUP_ARENA = {0};

	if (builder->plan.id == 0)
		return error_set(err, EINVAL, "the launch plan has no id yet");
	const char *id = builder->data + (builder->plan.id - sizeof builder->plan);
	builder->plan.keyring = plan_add_string(builder, arena_printf(&arena, "_ses.%s", id));
	return 0;
}

int kernel_settings_plan(struct plan_builder *builder, const struct oci_config *config, struct error *err)
{
	struct plan *plan = &builder->plan;

	int rc = plan_name(builder, config, "hostname", config->hostname, &plan->hostname, err);
	if (rc < 0)
		return rc;
	rc = plan_name(builder, config, "domainname", config->domainname, &plan->domainname, err);
	if (rc < 0)
		return rc;
	rc = sysctl_plan(builder, config, err);
	if (rc < 0)
		return rc;
	rc = plan_net_devices(builder, config, err);
	if (rc < 0)
		return rc;
	if (config->linux_.personality != NULL) {
		plan->personality_set = 1;
		plan->personality = config->linux_.personality->domain;
	}
	rc = plan_memory_policy(builder, config, err);
	if (rc < 0)
		return rc;
	return plan_keyring(builder, err);
}
