/* SPDX-License-Identifier: Apache-2.0 */
#include "spec/features.h"

#include <ctype.h>
#include <errno.h>
#include <linux/seccomp.h>
#include <seccomp.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sandbox/common/cleanup.h"
#include "sandbox/linux/mount_options.h"
#include "spec/annotations.h"
#include "spec/tables.h"
#include "spec/validate.h"
#include "spec/words.h"

static void write_words(struct json_writer *writer, const char *key, const struct word *words)
{
	json_key(writer, key);
	json_begin_array(writer);
	for (; words->text != NULL; words++)
		json_string(writer, words->text);
	json_end_array(writer);
}

/* A property of boolean members. */
static void write_enabled(struct json_writer *writer, const char *key)
{
	json_key(writer, key);
	json_begin_object(writer);
	json_key_bool(writer, "enabled", true);
	json_end_object(writer);
}

/* SCMP_ARCH_X86_64 is "x86_64" for libseccomp; which ones it knows depends on its version. */
static bool arch_is_known(const char *word)
{
	char name[32] = "";
	size_t length = 0;

	for (const char *c = word + strlen("SCMP_ARCH_"); *c != '\0' && length < sizeof name - 1; c++)
		name[length++] = (char)tolower((unsigned char)*c);
	return seccomp_arch_resolve_name(name) != 0;
}

/* The kernel looks at the flags before it looks at the filter, which is not there: EFAULT means it knows them. */
static bool flag_is_supported(uint64_t flag)
{
	/* This one is only valid together with a listener. */
	if (flag == SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV)
		flag |= SECCOMP_FILTER_FLAG_NEW_LISTENER;
	return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flag, NULL) < 0 && errno == EFAULT;
}

static void write_seccomp(struct json_writer *writer)
{
	json_key(writer, "seccomp");
	json_begin_object(writer);
	json_key_bool(writer, "enabled", true);
	write_words(writer, "actions", seccomp_action_words);
	write_words(writer, "operators", seccomp_operator_words);
	json_key(writer, "archs");
	json_begin_array(writer);
	for (const struct word *word = seccomp_arch_words; word->text != NULL; word++)
		if (arch_is_known(word->text))
			json_string(writer, word->text);
	json_end_array(writer);
	write_words(writer, "knownFlags", seccomp_flag_words);
	json_key(writer, "supportedFlags");
	json_begin_array(writer);
	for (const struct word *word = seccomp_flag_words; word->text != NULL; word++)
		if (flag_is_supported(word->value))
			json_string(writer, word->text);
	json_end_array(writer);
	json_end_object(writer);
}

static void write_cgroup(struct json_writer *writer, const struct features_build *build)
{
	json_key(writer, "cgroup");
	json_begin_object(writer);
	json_key_bool(writer, "v1", true);
	json_key_bool(writer, "v2", true);
	json_key_bool(writer, "systemd", build->systemd);
	json_key_bool(writer, "systemdUser", build->systemd);
	json_key_bool(writer, "rdma", true);
	json_end_object(writer);
}

static void write_linux(struct json_writer *writer, const struct features_build *build)
{
	json_key(writer, "linux");
	json_begin_object(writer);
	write_words(writer, "namespaces", namespace_words);
	write_words(writer, "capabilities", capability_words);
	write_cgroup(writer, build);
	write_seccomp(writer);
	write_enabled(writer, "apparmor");
	write_enabled(writer, "selinux");
	json_key(writer, "intelRdt");
	json_begin_object(writer);
	json_key_bool(writer, "enabled", build->intel_rdt);
	json_key_bool(writer, "schemata", build->intel_rdt);
	json_key_bool(writer, "monitoring", build->intel_rdt);
	json_end_object(writer);
	json_key(writer, "memoryPolicy");
	json_begin_object(writer);
	write_words(writer, "modes", memory_policy_mode_words);
	write_words(writer, "flags", memory_policy_flag_words);
	json_end_object(writer);
	json_key(writer, "mountExtensions");
	json_begin_object(writer);
	write_enabled(writer, "idmap");
	json_end_object(writer);
	write_enabled(writer, "netDevices");
	json_end_object(writer);
}

static void write_annotations(struct json_writer *writer, const struct features_build *build)
{
	const struct scmp_version *seccomp = seccomp_version();

	json_key(writer, "annotations");
	json_begin_object(writer);
	if (seccomp != NULL) {
		char version[48];
		snprintf(version, sizeof version, "%u.%u.%u", seccomp->major, seccomp->minor, seccomp->micro);
		json_key_string(writer, "io.github.seccomp.libseccomp.version", version);
	}
	json_key_string(writer, "io.sandlock.checkpoint.enabled", build->checkpoint ? "true" : "false");
	if (build->commit != NULL)
		json_key_string(writer, "io.sandlock.commit", build->commit);
	json_key_string(writer, "io.sandlock.version", build->version);
	json_end_object(writer);
}

void features_write(struct json_writer *writer, const struct features_build *build)
{
	json_begin_object(writer);
	json_key_string(writer, "ociVersionMin", OCI_VERSION_MIN);
	json_key_string(writer, "ociVersionMax", OCI_VERSION_MAX);
	json_key(writer, "hooks");
	json_begin_array(writer);
	for (size_t i = 0; i < hooks_table.count; i++)
		json_string(writer, hooks_table.fields[i].name);
	json_end_array(writer);
	json_key(writer, "mountOptions");
	json_begin_array(writer);
	for (size_t i = 0; i < mount_options_count; i++)
		json_string(writer, mount_options[i].name);
	json_end_array(writer);
	write_linux(writer, build);
	write_annotations(writer, build);
	json_key(writer, "potentiallyUnsafeConfigAnnotations");
	json_begin_array(writer);
	for (size_t i = 0; i < annotations_count; i++)
		json_string(writer, annotations[i].name);
	json_end_array(writer);
	json_end_object(writer);
}
