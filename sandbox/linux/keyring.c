/* SPDX-License-Identifier: Apache-2.0 */
#include "sandbox/linux/keyring.h"

#include <errno.h>
#include <linux/keyctl.h>
#include <stdio.h>
#include <string.h>

#include "sandbox/common/syscalls.h"
#include "sandbox/linux/procfs.h"

/* keyctl(2), "Permissions": KEY_OTH_SEARCH and KEY_USR_SEARCH of the kernel's linux/key.h */
#define OTHER_SEARCH 0x00000008u
#define USER_SEARCH 0x00080000u

static long keyctl_call(int command, unsigned long first, unsigned long second, unsigned long third)
{
	return syscall(SYS_keyctl, command, first, second, third, 0);
}

/* The permission mask in "type;uid;gid;permissions;name" of KEYCTL_DESCRIBE. */
static int permissions(long key, uint32_t *mask)
{
	char text[512];
	long length = keyctl_call(KEYCTL_DESCRIBE, (unsigned long)key, (unsigned long)(uintptr_t)text, sizeof text - 1);

	if (length < 0)
		return -errno;
	if ((size_t)length > sizeof text - 1)
		return -EMSGSIZE;
	text[length] = '\0';
	const char *field = text;
	for (int i = 0; i < 3; i++) {
		field = strchr(field, ';');
		if (field == NULL)
			return -EBADMSG;
		field++;
	}
	*mask = 0;
	for (; *field != ';' && *field != '\0'; field++) {
		static const char digits[] = "0123456789abcdef";
		const char *digit = strchr(digits, *field);
		if (digit == NULL)
			return -EBADMSG;
		*mask = *mask << 4 | (uint32_t)(digit - digits);
	}
	return 0;
}

/* Lets the container find its keys: by uid, or as anybody when its ids are those of another user namespace. */
static int allow_search(const struct plan *plan, long key, struct error *err)
{
	uint32_t mask = 0;
	int rc = permissions(key, &mask);

	if (rc == 0 &&
	    keyctl_call(KEYCTL_SETPERM, (unsigned long)key, mask | (plan->userns ? OTHER_SEARCH : USER_SEARCH), 0) < 0)
		rc = -errno;
	if (rc < 0)
		return error_errno(err, -rc, "unable to mod keyring permissions");
	return 0;
}

int keyring_apply(struct launch *launch, struct error *err)
{
	const struct plan *plan = launch->plan;
	const char *name = plan_text(plan, plan->keyring);
	const char *label = launch_process_text(launch, launch->process->selinux_label);

	if ((plan->flags & PLAN_NO_NEW_KEYRING) || name == NULL)
		return 0;
	/* SELinux labels a key with what keycreate says. */
	if (label != NULL) {
		int rc = procfs_write(launch, "self/attr/keycreate", label);
		if (rc < 0 && rc != -ENOENT)
			return error_errno(err, -rc, "set the SELinux label of the session keyring to %s", label);
	}
	long key = keyctl_call(KEYCTL_JOIN_SESSION_KEYRING, (unsigned long)(uintptr_t)name, 0, 0);
	int code = key < 0 ? errno : 0;
	if (label != NULL)
		(void)procfs_write(launch, "self/attr/keycreate", "\n");
	/* EPERM: the default seccomp profile of docker and podman around this runtime. */
	if (code == ENOSYS || code == EPERM || code == EOPNOTSUPP)
		return 0;
	if (code == EDQUOT)
		return error_set(
		    err, code,
		    "unable to join session keyring: disk quota exceeded: the user has no keys left; raise "
		    "/proc/sys/kernel/keys/maxkeys or use --no-new-keyring");
	if (code != 0)
		return error_errno(err, code, "unable to join session keyring %s", name);
	/* An exec'ed process finds it as the main process left it. */
	return launch->process == &plan->process ? allow_search(plan, key, err) : 0;
}
