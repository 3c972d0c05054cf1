/* SPDX-License-Identifier: Apache-2.0 */
/* Planning of process and kernel settings. */
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "sandbox/common/cleanup.h"
#include "sandbox/common/file.h"
#include "sandbox/common/syscalls.h"
#include "sandbox/linux/bit_list.h"
#include "sandbox/linux/kernel_settings_plan.h"
#include "sandbox/linux/network_devices.h"
#include "sandbox/linux/process_plan.h"
#include "sandbox/linux/sysctl_plan.h"
#include "tests/unit/linux_support.h"

static char warnings[4096];

static void note_warning(void *context, const char *message)
{
	(void)context;
	size_t length = strlen(warnings);
	snprintf(warnings + length, sizeof warnings - length, "%s\n", message);
}

static const char *const arguments[] = {"/bin/true", "x"};

/* The least that is valid. */
static struct oci_process minimal(void)
{
	return (struct oci_process){.args = (const char **)(uintptr_t)arguments, .args_count = 2, .cwd = "/work"};
}

static int plan_process(const struct oci_process *process, const struct process_plan_options *options,
			const struct plan **plan, struct error *err)
{
	CLEANUP_PLAN_BUILDER struct plan_builder builder;

	*err = (struct error){0};
	warnings[0] = '\0';
	plan_builder_init(&builder);
	int rc = process_plan(&builder, process, &builder.plan.process, options, err);
	if (rc == 0 && plan != NULL)
		*plan = support_plan(&builder);
	return rc;
}

static const char *text_at(const struct plan *plan, struct plan_array array, uint32_t index)
{
	const plan_string *items = plan_items(plan, array);

	return index < array.count ? plan_text(plan, items[index]) : NULL;
}

static void test_bit_list(void)
{
	static const struct {
		const char *text;
		int rc;
		size_t count;
		uint64_t first;
		uint64_t last;
	} cases[] = {
	    {"", 0, 0, 0, 0},
	    {"0", 0, 1, 1, 1},
	    {"0-3,7", 0, 1, 0x8f, 0x8f},
	    {"0-3, 7", 0, 1, 0x8f, 0x8f},
	    {"63,64", 0, 2, UINT64_C(1) << 63, 1},
	    {"8191", 0, 128, 0, UINT64_C(1) << 63},
	    {"8192", -ERANGE, 0, 0, 0},
	    {"3-1", -EINVAL, 0, 0, 0},
	    {"1,,2", -EINVAL, 0, 0, 0},
	    {"-1", -EINVAL, 0, 0, 0},
	    {"1-", -EINVAL, 0, 0, 0},
	    {"0x1", -EINVAL, 0, 0, 0},
	    {"all", -EINVAL, 0, 0, 0},
	    {"18446744073709551617", -ERANGE, 0, 0, 0},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct arena arena CLEANUP_ARENA = {0};
		uint64_t *words;
		size_t count;
		int rc = bit_list_parse(cases[i].text, &arena, &words, &count);
		bool good = rc == cases[i].rc;
		if (good && rc == 0)
			good = count == cases[i].count &&
			       (count == 0 || (words[0] == cases[i].first && words[count - 1] == cases[i].last));
		if (!CHECK(good))
			printf("#   list \"%s\": %d\n", cases[i].text, rc);
	}
}

static void test_minimal_process(void)
{
	struct oci_process process = minimal();
	struct process_plan_options options = {0};
	const struct plan *plan;
	struct error err;

	CHECK_OK(plan_process(&process, &options, &plan, &err), &err);
	CHECK(plan->process.args.count == 2);
	CHECK_TEXT(text_at(plan, plan->process.args, 1), "x");
	CHECK_TEXT(plan_text(plan, plan->process.cwd), "/work");
	CHECK(plan->process.umask == UINT32_MAX);
	CHECK(plan->process.capabilities_set == 0 && plan->process.bounding == 0);
	CHECK(plan->process.io_priority == 0 && plan->process.scheduler.set == 0 &&
	      plan->process.oom_score_adj_set == 0);
	CHECK(plan->process.apparmor_profile == 0 && plan->process.selinux_label == 0 && plan->process.listen_fds == 0);
}

static void test_refused_processes(void)
{
	struct oci_rlimit twice[] = {{RLIMIT_CORE, "RLIMIT_CORE", 1, 2}, {RLIMIT_CORE, "RLIMIT_CORE", 1, 2}};
	struct oci_rlimit above[] = {{RLIMIT_CORE, "RLIMIT_CORE", 3, 2}};
	struct oci_scheduler nice = {.policy = SCHED_OTHER, .nice = {true, 20}};
	struct oci_scheduler priority = {.policy = SCHED_OTHER, .priority = {true, 1}};
	struct oci_scheduler deadline = {.policy = SCHED_RR, .runtime = 1};
	struct oci_io_priority io = {.class_ = 2, .priority = {true, 8}};
	struct oci_cpu_affinity affinity = {.initial = "0", .final = "0-x"};
	const char *no_equals[] = {"A=1", "NOTHING"}, *no_name[] = {"=x"};
	struct {
		struct oci_process process;
		const char *message;
	} cases[] = {
	    {minimal(), "process.args"},
	    {minimal(), "process.cwd \"work\" must be an absolute path"},
	    {minimal(), "process.cwd is missing"},
	    {minimal(), "process.rlimits[1]: RLIMIT_CORE is there twice"},
	    {minimal(), "soft limit (3) above the hard one (2)"},
	    {minimal(), "process.scheduler.nice"},
	    {minimal(), "process.scheduler.priority"},
	    {minimal(), "process.scheduler.runtime"},
	    {minimal(), "process.ioPriority.priority"},
	    {minimal(), "process.execCPUAffinity.final"},
	    {minimal(), "process.env[1] \"NOTHING\": invalid environment variable: missing '='"},
	    {minimal(), "process.env[0] \"=x\": invalid environment variable: name cannot be empty"},
	    {minimal(), "process.oomScoreAdj is 1001"},
	    {minimal(), "apparmor: config provided but apparmor not supported"},
	    {minimal(), "selinux label is specified in config, but selinux is disabled or not supported"},
	};
	struct process_plan_options options = {.sysfs = "/nonexistent"};
	size_t next = 0;

	cases[next++].process.args_count = 0;
	cases[next++].process.cwd = "work";
	cases[next++].process.cwd = NULL;
	cases[next].process.rlimits = twice;
	cases[next++].process.rlimits_count = 2;
	cases[next].process.rlimits = above;
	cases[next++].process.rlimits_count = 1;
	cases[next++].process.scheduler = &nice;
	cases[next++].process.scheduler = &priority;
	cases[next++].process.scheduler = &deadline;
	cases[next++].process.io_priority = &io;
	cases[next++].process.exec_cpu_affinity = &affinity;
	cases[next].process.env = no_equals;
	cases[next++].process.env_count = 2;
	cases[next].process.env = no_name;
	cases[next++].process.env_count = 1;
	cases[next++].process.oom_score_adj = (struct opt_i32){true, 1001};
	cases[next++].process.apparmor_profile = "profile";
	cases[next++].process.selinux_label = "label";
	CHECK(next == ARRAY_SIZE(cases));
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct error err;
		CHECK(plan_process(&cases[i].process, &options, NULL, &err) < 0);
		CHECK_MESSAGE(&err, cases[i].message);
	}
}

static void test_settings(void)
{
	struct oci_rlimit limits[] = {{RLIMIT_CORE, "RLIMIT_CORE", 1, UINT64_MAX}};
	struct oci_scheduler scheduler = {.policy = SCHED_BATCH, .nice = {true, -3}, .flags = 1};
	struct oci_io_priority io = {.class_ = 3, .priority = {true, 4}};
	struct oci_cpu_affinity affinity = {.initial = "1", .final = "64"};
	uint32_t gids[] = {5, 4294967294};
	struct oci_process process = minimal();
	struct process_plan_options options = {.listen_fds = 2, .listen_names = "a:b"};
	const struct plan *plan;
	struct error err;

	process.user = (struct oci_user){
	    .uid = 7, .gid = 4294967294, .umask = {true, 027}, .additional_gids = gids, .additional_gids_count = 2};
	process.rlimits = limits;
	process.rlimits_count = 1;
	process.scheduler = &scheduler;
	process.io_priority = &io;
	process.exec_cpu_affinity = &affinity;
	process.oom_score_adj = (struct opt_i32){true, -1000};
	process.console_size.set = true;
	process.console_size.height = 9;
	process.no_new_privileges = true;
	process.apparmor_profile = "unconfined";
	options.sysfs = "/nonexistent";
	CHECK_OK(plan_process(&process, &options, &plan, &err), &err);
	const struct plan_process *out = &plan->process;
	CHECK(out->uid == 7 && out->gid == 4294967294 && out->umask == 027);
	CHECK(out->additional_gids.count == 2 &&
	      ((const uint32_t *)plan_items(plan, out->additional_gids))[1] == 4294967294);
	const struct plan_rlimit *limit = plan_items(plan, out->rlimits);
	CHECK(out->rlimits.count == 1 && limit->resource == RLIMIT_CORE && limit->soft == 1 &&
	      limit->hard == UINT64_MAX);
	CHECK(out->scheduler.set && out->scheduler.policy == SCHED_BATCH && out->scheduler.nice == -3 &&
	      out->scheduler.flags == 1);
	CHECK(out->io_priority == (3 << 13 | 4));
	CHECK(out->affinity_initial.count == 1 && *(const uint64_t *)plan_items(plan, out->affinity_initial) == 2);
	CHECK(out->affinity_final.count == 2);
	CHECK(out->oom_score_adj_set && out->oom_score_adj == -1000);
	CHECK(out->console_height == 0);
	CHECK(out->no_new_privileges == 1);
	CHECK(out->apparmor_profile == 0);
	CHECK(out->listen_fds == 2);
	CHECK_TEXT(plan_text(plan, out->listen_names), "a:b");
	process.terminal = true;
	CHECK_OK(plan_process(&process, &options, &plan, &err), &err);
	CHECK(plan->process.terminal && plan->process.console_height == 9);
}

static void test_apparmor_present(void)
{
	char directory[] = "/tmp/test_linux_plan.XXXXXX", path[128];
	struct oci_process process = minimal();
	struct process_plan_options options = {.sysfs = directory};
	const struct plan *plan;
	struct error err;

	CHECK(mkdtemp(directory) != NULL);
	snprintf(path, sizeof path, "%s/module/apparmor/parameters", directory);
	for (char *slash = strchr(path + sizeof directory, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(path, 0755);
		*slash = '/';
	}
	CHECK(mkdir(path, 0755) == 0);
	strncat(path, "/enabled", sizeof path - strlen(path) - 1);
	for (const char *value = "YN"; *value != '\0'; value++) {
		int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
		CHECK(fd >= 0 && write(fd, value, 1) == 1);
		close(fd);
		process.apparmor_profile = "some-profile";
		int rc = plan_process(&process, &options, &plan, &err);
		CHECK(rc == (*value == 'Y' ? 0 : -ENOTSUP));
		if (rc == 0)
			CHECK_TEXT(plan_text(plan, plan->process.apparmor_profile), "some-profile");
	}
	for (size_t length = strlen(path); length >= strlen(directory); length--)
		if (path[length] == '/' || path[length] == '\0') {
			path[length] = '\0';
			remove(path);
		}
	CHECK(access(directory, F_OK) < 0);
}

static void test_environment(void)
{
	const char *variables[] = {"A=1", "HOME=/x", "B=2", "A=3", "HOME=", "AA=4", "C=a=b", "C="};
	struct oci_process process = minimal();
	struct process_plan_options options = {0};
	const struct plan *plan;
	struct error err;

	process.env = variables;
	process.env_count = ARRAY_SIZE(variables);
	CHECK_OK(plan_process(&process, &options, &plan, &err), &err);
	CHECK(plan->process.env.count == 4);
	CHECK_TEXT(text_at(plan, plan->process.env, 0), "B=2");
	CHECK_TEXT(text_at(plan, plan->process.env, 1), "A=3");
	CHECK_TEXT(text_at(plan, plan->process.env, 2), "AA=4");
	CHECK_TEXT(text_at(plan, plan->process.env, 3), "C=");

	/* As many as a pod of a large cluster has. */
	enum { MANY = 60000 };
	char(*text)[24] = calloc(MANY, sizeof *text);
	const char **many = calloc(MANY, sizeof *many);
	for (int i = 0; i < MANY; i++) {
		snprintf(text[i], sizeof text[i], "SERVICE_%d=x", i / 2);
		many[i] = text[i];
	}
	process.env = many;
	process.env_count = MANY;
	CHECK_OK(plan_process(&process, &options, &plan, &err), &err);
	CHECK(plan->process.env.count == MANY / 2);
	free(text);
	free(many);
}

static void test_capabilities(void)
{
	struct oci_capabilities sets = {
	    .bounding = 1 | UINT64_C(1) << 62, .permitted = 2, .effective = 1 | 2, .inheritable = 0, .ambient = 2};
	struct oci_process process = minimal();
	struct process_plan_options options = {.warn = note_warning, .userns = true};
	const struct plan *plan;
	struct error err;

	process.capabilities = &sets;
	CHECK_OK(plan_process(&process, &options, &plan, &err), &err);
	CHECK(plan->process.capabilities_set && plan->process.bounding == sets.bounding &&
	      plan->process.permitted == 2);
	CHECK_TEXT(warnings,
		   "ignoring capabilities this kernel does not know: CAP_62\n"
		   "ignoring effective capabilities that are not permitted: CAP_CHOWN\n"
		   "ignoring ambient capabilities that are not both permitted and inheritable: CAP_DAC_OVERRIDE\n");
}

static void without_capabilities(void *context)
{
	struct oci_capabilities sets = {.bounding = 1};
	struct oci_process process = minimal();
	struct process_plan_options options = {.warn = note_warning};
	struct error err;

	(void)context;
	process.capabilities = &sets;
	CHECK(setresuid(12345, 12345, 12345) == 0);
	CHECK_OK(plan_process(&process, &options, NULL, &err), &err);
	CHECK_TEXT(warnings,
		   "ignoring capabilities that can't be granted, since the caller does not have them: CAP_CHOWN\n");
}

/* What an exec'ed process leaves out is the container's. */
static void test_exec_inherits(void)
{
	struct oci_rlimit limits[] = {{RLIMIT_CORE, "RLIMIT_CORE", 1, 2}},
			  own[] = {{RLIMIT_NOFILE, "RLIMIT_NOFILE", 3, 4}};
	struct oci_capabilities sets = {.bounding = 7, .permitted = 6, .effective = 2};
	struct oci_capabilities none = {0};
	struct oci_scheduler scheduler = {.policy = SCHED_BATCH};
	struct oci_cpu_affinity affinity = {.final = "0"};
	struct oci_process process = minimal();
	struct process_plan_options options = {0};
	const struct plan *container, *plan;
	struct error err;

	process.rlimits = limits;
	process.rlimits_count = 1;
	process.capabilities = &sets;
	process.scheduler = &scheduler;
	process.exec_cpu_affinity = &affinity;
	process.oom_score_adj = (struct opt_i32){true, 5};
	process.user.umask = (struct opt_u32){true, 077};
	process.no_new_privileges = true;
	CHECK_OK(plan_process(&process, &options, &container, &err), &err);

	process = minimal();
	options = (struct process_plan_options){.exec = true, .container = container};
	CHECK_OK(plan_process(&process, &options, &plan, &err), &err);
	const struct plan_rlimit *limit = plan_items(plan, plan->process.rlimits);
	CHECK(plan->process.rlimits.count == 1 && limit->hard == 2);
	CHECK(plan->process.capabilities_set && plan->process.bounding == 7 && plan->process.effective == 2);
	CHECK(plan->process.scheduler.set && plan->process.scheduler.policy == SCHED_BATCH);
	CHECK(plan->process.affinity_final.count == 1);
	CHECK(plan->process.oom_score_adj == 5 && plan->process.umask == 077);
	CHECK(plan->process.no_new_privileges == 0);

	process.rlimits = own;
	process.rlimits_count = 1;
	process.capabilities = &none;
	process.user.umask = (struct opt_u32){true, 0};
	CHECK_OK(plan_process(&process, &options, &plan, &err), &err);
	limit = plan_items(plan, plan->process.rlimits);
	CHECK(plan->process.rlimits.count == 1 && limit->resource == RLIMIT_NOFILE);
	CHECK(plan->process.capabilities_set && plan->process.bounding == 0 && plan->process.umask == 0);
}

static void test_sysctl_path(void)
{
	static const char *const cases[][2] = {
	    {"net.ipv4.ip_forward", "net/ipv4/ip_forward"},
	    {"net/ipv4/ip_forward", "net/ipv4/ip_forward"},
	    {"net.ipv4.conf.eth0/1.forwarding", "net/ipv4/conf/eth0.1/forwarding"},
	    {"net/ipv4/conf/eth0.1/forwarding", "net/ipv4/conf/eth0.1/forwarding"},
	    {"plain", "plain"},
	    {"net..ipv4", NULL},
	    {"net/../kernel/core_pattern", NULL},
	    {"net.//.x", NULL},
	    {"/net/x", NULL},
	    {"net.x.", NULL},
	    {"", NULL},
	    {"net/./x", NULL},
	};
	struct arena arena CLEANUP_ARENA = {0};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		CHECK_TEXT(sysctl_path(&arena, cases[i][0]), cases[i][1]);
}

/* Plans with all namespaces new that `types` names. */
static int plan_settings(struct oci_config *config, uint32_t types, const struct plan **plan, struct error *err)
{
	static const uint32_t all[] = {CLONE_NEWUTS, CLONE_NEWIPC, CLONE_NEWNET, CLONE_NEWUSER};
	struct oci_namespace items[ARRAY_SIZE(all)];
	CLEANUP_PLAN_BUILDER struct plan_builder builder;

	config->linux_.namespaces = items;
	config->linux_.namespaces_count = 0;
	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		if (types & all[i])
			items[config->linux_.namespaces_count++] = (struct oci_namespace){all[i], NULL};
	*err = (struct error){0};
	plan_builder_init(&builder);
	builder.plan.id = plan_add_string(&builder, "id1");
	int rc = kernel_settings_plan(&builder, config, err);
	if (rc == 0)
		*plan = support_plan(&builder);
	return rc;
}

static void test_sysctl(void)
{
	static const struct {
		const char *key;
		uint32_t type; /* that makes it allowed; 0: nothing does */
	} cases[] = {
	    {"kernel.shmmax", CLONE_NEWIPC},
	    {"fs.mqueue.msg_max", CLONE_NEWIPC},
	    {"fs/mqueue/msg_max", CLONE_NEWIPC},
	    {"net.core.somaxconn", CLONE_NEWNET},
	    {"kernel.domainname", CLONE_NEWUTS},
	    {"user.max_user_namespaces", CLONE_NEWUSER},
	    {"kernel.core_pattern", 0},
	    {"vm.swappiness", 0},
	    {"kernel.shmmaxx", 0},
	    {"network.x", 0},
	    {"net/../kernel/core_pattern", 0},
	    {"kernel", 0},
	};
	struct oci_pair pair = {.value = "1"};
	struct oci_config config = {.linux_ = {.sysctl = &pair, .sysctl_count = 1}};
	const struct plan *plan;
	struct error err;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint32_t everything = CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWNET | CLONE_NEWUSER;
		pair.key = cases[i].key;
		if (cases[i].type != 0)
			CHECK_OK(plan_settings(&config, cases[i].type, &plan, &err), &err);
		CHECK(plan_settings(&config, everything & ~cases[i].type, &plan, &err) == -EINVAL ||
		      cases[i].type == 0);
		CHECK(cases[i].type != 0 || plan_settings(&config, everything, &plan, &err) == -EINVAL);
		CHECK_MESSAGE(&err, pair.key);
	}
	pair = (struct oci_pair){"net.ipv4.ip_forward", "1"};
	CHECK_OK(plan_settings(&config, CLONE_NEWNET, &plan, &err), &err);
	const struct plan_pair *planned = plan_items(plan, plan->sysctl);
	CHECK(plan->sysctl.count == 1);
	CHECK_TEXT(plan_text(plan, planned->key), "net/ipv4/ip_forward");
	CHECK_TEXT(plan_text(plan, planned->value), "1");

	pair = (struct oci_pair){"kernel.hostname", "a"};
	config.hostname = "b";
	CHECK(plan_settings(&config, CLONE_NEWUTS, &plan, &err) == -EINVAL);
	CHECK_MESSAGE(&err, "conflicts with the OCI \"hostname\" field");
	config.hostname = NULL;
	CHECK(plan_settings(&config, CLONE_NEWUTS, &plan, &err) == -EINVAL);
	CHECK_MESSAGE(&err, "conflicts with the OCI \"hostname\" field");
	config.hostname = "a";
	CHECK_OK(plan_settings(&config, CLONE_NEWUTS, &plan, &err), &err);
}

static void test_kernel_settings(void)
{
	struct oci_personality personality = {8};
	struct oci_memory_policy policy = {.mode = 3, .flags = 1 << 15, .nodes = "0,64"};
	struct oci_net_device device = {"eth0", NULL}, renamed = {"eth0", "cont%d"}, bad = {"eth0", "a/b"};
	struct oci_config config = {.hostname = "host", .domainname = "domain"};
	const struct plan *plan;
	struct error err;
	char long_name[66];

	config.linux_.personality = &personality;
	config.linux_.memory_policy = &policy;
	config.linux_.net_devices = &renamed;
	config.linux_.net_devices_count = 1;
	CHECK_OK(plan_settings(&config, CLONE_NEWUTS | CLONE_NEWNET, &plan, &err), &err);
	CHECK_TEXT(plan_text(plan, plan->hostname), "host");
	CHECK_TEXT(plan_text(plan, plan->domainname), "domain");
	CHECK_TEXT(plan_text(plan, plan->keyring), "_ses.id1");
	CHECK(plan->personality_set && plan->personality == 8);
	const uint64_t *nodes = plan_items(plan, plan->memory_policy_nodes);
	CHECK(plan->memory_policy_set && plan->memory_policy_mode == (3 | 1 << 15));
	CHECK(plan->memory_policy_nodes.count == 2 && nodes[0] == 1 && nodes[1] == 1);
	const struct plan_pair *pair = plan_items(plan, plan->net_devices);
	CHECK_TEXT(plan_text(plan, pair->value), "cont%d");

	CHECK(plan_settings(&config, CLONE_NEWNET, &plan, &err) == -EINVAL);
	CHECK_MESSAGE(&err, "unable to set hostname without a private UTS namespace");
	CHECK(plan_settings(&config, CLONE_NEWUTS, &plan, &err) == -EINVAL);
	CHECK_MESSAGE(&err, "unable to move network devices without a NET namespace");
	config.linux_.net_devices = &bad;
	CHECK(plan_settings(&config, CLONE_NEWUTS | CLONE_NEWNET, &plan, &err) == -EINVAL);
	CHECK_MESSAGE(&err, "linux.netDevices[\"eth0\"].name");
	config.linux_.net_devices = &device;
	memset(long_name, 'x', sizeof long_name - 1);
	long_name[sizeof long_name - 1] = '\0';
	config.hostname = long_name;
	CHECK(plan_settings(&config, CLONE_NEWUTS | CLONE_NEWNET, &plan, &err) == -EINVAL);
	CHECK_MESSAGE(&err, "hostname is longer");
	config.hostname = "";
	policy.nodes = "a";
	CHECK(plan_settings(&config, CLONE_NEWUTS | CLONE_NEWNET, &plan, &err) == -EINVAL);
	CHECK_MESSAGE(&err, "linux.memoryPolicy.nodes");
}

static void test_device_names(void)
{
	CHECK(network_device_name_valid("eth0") && network_device_name_valid("a.b") &&
	      network_device_name_valid("eth%d"));
	CHECK(network_device_name_valid("123456789012345") && !network_device_name_valid("1234567890123456"));
	CHECK(!network_device_name_valid("") && !network_device_name_valid(".") && !network_device_name_valid(".."));
	CHECK(!network_device_name_valid("a b") && !network_device_name_valid("a:b") &&
	      !network_device_name_valid("a/b"));
	CHECK(!network_device_name_valid("a%s") && !network_device_name_valid("%d%d") &&
	      !network_device_name_valid("%"));
}

int main(void)
{
	test_bit_list();
	test_minimal_process();
	test_refused_processes();
	test_settings();
	test_apparmor_present();
	test_environment();
	test_capabilities();
	if (geteuid() == 0)
		support_child(0, without_capabilities, NULL, "capabilities of an unprivileged caller");
	test_exec_inherits();
	test_sysctl_path();
	test_sysctl();
	test_kernel_settings();
	test_device_names();
	return check_result();
}
