/* SPDX-License-Identifier: Apache-2.0 */
/* The launch plan: everything the launcher needs, computed once by `create` and sealed in a memfd.
 *
 * It is one block without pointers: `struct plan` at offset 0, strings and arrays behind it, referred to by
 * offset. It is written by plan_builder.h (in the program, which parses config.json) and read by sandlock-init,
 * which has neither a JSON parser nor libseccomp. Both come from one build; `version` guards the rest. The block
 * is made by trusted code and sealed, so readers check it once (plan_map) and then trust offsets.
 */
#ifndef SANDLOCK_PLAN_H
#define SANDLOCK_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "sandbox/common/error.h"

#define PLAN_MAGIC 0x4b434c53u
#define PLAN_VERSION 1u

/* Offset of a NUL-terminated string in the plan; 0 means absent. */
typedef uint32_t plan_string;

/* `count` elements at `offset`. */
struct plan_array {
	uint32_t offset;
	uint32_t count;
};

/* Index into the descriptors that travel beside the plan (launch->fds); -1 means none. */
typedef int32_t plan_fd;

/* A namespace to join by path; type is CLONE_NEW*. */
struct plan_namespace {
	uint32_t type;
	plan_fd fd;
};

struct plan_hook {
	plan_string path;
	struct plan_array args; /* of plan_string; empty: path alone */
	struct plan_array env;  /* of plan_string; the whole environment */
	int32_t timeout;        /* seconds, 0: none */
	uint32_t reserved;
};

struct plan_rlimit {
	uint32_t resource; /* RLIMIT_* */
	uint32_t reserved;
	uint64_t soft;
	uint64_t hard;
};

struct plan_pair {
	plan_string key;
	plan_string value;
};

/* Bits of plan_mount.options: what is neither a kernel flag nor file system data. */
enum {
	PLAN_MOUNT_BIND = 1 << 0,
	PLAN_MOUNT_RECURSIVE = 1 << 1, /* rbind */
	PLAN_MOUNT_CGROUP = 1 << 2,    /* type cgroup or cgroup2 */
	PLAN_MOUNT_TMPCOPYUP = 1 << 3, /* copy what is below the destination */
	PLAN_MOUNT_IDMAP = 1 << 4,     /* idmapped through userns_fd */
	PLAN_MOUNT_IDMAP_RECURSIVE = 1 << 5,
	PLAN_MOUNT_SOURCE_IS_FILE = 1 << 6, /* bind source is not a directory */
	PLAN_MOUNT_SYSFS_FALLBACK = 1 << 7, /* bind /sys when a user namespace may not mount sysfs */
	PLAN_MOUNT_SRC_NOFOLLOW = 1 << 8,   /* bind the link itself */
	PLAN_MOUNT_DEST_NOFOLLOW = 1 << 9,  /* mount onto the link itself */
	PLAN_MOUNT_REMOUNT = 1 << 10,       /* change an existing mount */
	PLAN_MOUNT_INHERIT_MODE = 1 << 11,  /* tmpfs without mode=: that of the directory below it */
	PLAN_MOUNT_SYMLINK = 1 << 12,       /* no mount: a symbolic link to `source` (copy-symlink) */
	PLAN_MOUNT_PROC_ENTRY = 1 << 13, /* may lie on procfs: one of the files that lxcfs emulates, or procfs itself */
	PLAN_MOUNT_REAL_DIRECTORY = 1 << 14, /* no symbolic link in the destination (proc, sysfs) */
	PLAN_MOUNT_READONLY_LATER = 1 << 15, /* MS_RDONLY once all mounts, devices and links are made */
};

/* config.md "mounts", translated. */
struct plan_mount {
	plan_string destination;
	plan_string type;
	plan_string source;
	plan_string data;       /* file system specific options, joined with commas */
	uint64_t flags;         /* MS_* to set */
	uint64_t clear_flags;   /* MS_* that were named negatively (rw, exec, ...) */
	uint64_t recursive_set; /* MOUNT_ATTR_* for mount_setattr(AT_RECURSIVE) */
	uint64_t recursive_clear;
	struct plan_array propagation; /* of uint64_t: MS_SHARED|MS_REC ..., applied in order */
	uint32_t options;              /* PLAN_MOUNT_* */
	plan_fd source_fd; /* an open_tree(2) clone made by the program, when only it may reach the source; an
			    * idmapped mount comes so too: idmapping takes privilege over its file system */
};

/* config-linux.md "devices" and the default devices. */
struct plan_device {
	plan_string path;
	uint32_t type; /* S_IFCHR, S_IFBLK, S_IFIFO */
	uint32_t mode; /* permission bits */
	uint32_t major;
	uint32_t minor;
	uint32_t uid;
	uint32_t gid;
	uint32_t precreated; /* a node named by this device's index lies in plan.devices_fd */
	uint32_t reserved;
};

/* A symbolic link made in the root file system (/dev/fd, ...): value is the target. */

/* config-linux.md "seccomp", compiled. */
struct plan_seccomp {
	struct plan_array filter;   /* of struct sock_filter; count 0: no seccomp */
	uint32_t flags;             /* SECCOMP_FILTER_FLAG_* */
	plan_fd listener_fd;        /* connected socket that gets the notification descriptor */
	plan_string listener_state; /* "container process state", JSON text up to, but without, `,"pid":` */
	plan_string listener_path;  /* exec makes a connection of its own: one state per connection */
};

/* config.md "process.scheduler" as struct sched_attr wants it. */
struct plan_scheduler {
	uint32_t set;
	uint32_t policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime;
	uint64_t deadline;
	uint64_t period;
};

/* config.md "process": what exec replaces. */
struct plan_process {
	struct plan_array args; /* of plan_string */
	struct plan_array env;  /* of plan_string */
	plan_string cwd;
	uint32_t uid;
	uint32_t gid;
	struct plan_array additional_gids; /* of uint32_t */
	uint32_t keep_groups;              /* the caller's groups stay (run.oci.keep_original_groups) */
	uint32_t umask;                    /* UINT32_MAX: untouched */
	uint32_t terminal;
	uint32_t console_height;
	uint32_t console_width;
	uint32_t capabilities_set; /* 0: config.json has no "capabilities": all are dropped, see capability.h */
	uint64_t bounding, effective, inheritable, permitted, ambient;
	struct plan_array rlimits; /* of struct plan_rlimit */
	uint32_t no_new_privileges;
	uint32_t oom_score_adj_set;
	int32_t oom_score_adj;
	plan_string apparmor_profile;
	plan_string selinux_label;
	struct plan_scheduler scheduler;
	uint32_t io_priority;               /* as ioprio_set(2) wants it; 0: untouched */
	struct plan_array affinity_initial; /* of uint64_t: the CPU mask; count 0: untouched */
	struct plan_array affinity_final;   /* likewise */
	uint32_t listen_fds;                /* LISTEN_FDS of socket activation, 0: none */
	plan_string listen_names;           /* LISTEN_FDNAMES */
};

/* Bits of plan.flags */
enum {
	PLAN_NO_PIVOT = 1 << 0,
	PLAN_NO_NEW_KEYRING = 1 << 1,
	PLAN_ROOT_READONLY = 1 << 2,
	PLAN_REAPER = 1 << 3,      /* the session form: a reaper is pid 1 of the container */
	PLAN_NESTED_PID = 1 << 4,  /* the main process is pid 1, in a pid namespace below the guard's */
	PLAN_LOOPBACK_UP = 1 << 5, /* a new network namespace: bring up lo */
	PLAN_NEW_MOUNT_NS = 1 << 6,
	PLAN_DETACHED_TERMINAL = 1 << 7,
	PLAN_SET_TIME_OFFSETS = 1 << 8,
	PLAN_UNSHARE_CGROUP = 1 << 9, /* the holder unshares after it was placed in the cgroup */
	PLAN_BIND_DEVICES = 1 << 10,  /* mknod is not possible (user namespace): bind the host's nodes */
	PLAN_ROOTLESS = 1 << 11,      /* the caller had no privilege in its own user namespace */
	PLAN_SHARED_MOUNTS = 1 << 13, /* no mount namespace, neither new nor by path: what is mounted is to be undone */
	PLAN_NOTIFY = 1 << 14,        /* the container gets a notification socket, see sandbox/session/notify.h */
	PLAN_UNSHARE_TIME = 1 << 12,  /* a new time namespace: the holder unshares it, then sets the offsets if any */
};

/* The launch plan. */
struct plan {
	uint32_t magic;
	uint32_t version;
	uint32_t size;
	uint32_t flags; /* PLAN_* */

	plan_string id;
	plan_string bundle;
	plan_string state_prefix; /* the state JSON up to, but without, `,"status":` (see hooks/hooks.h) */

	/* namespaces */
	uint32_t clone_flags;         /* CLONE_NEW* that are new */
	struct plan_array namespaces; /* of struct plan_namespace: joined by path */
	plan_string time_offsets;     /* text for /proc/PID/timens_offsets */
	uint32_t userns;              /* the container has a user namespace that is not ours */

	/* root file system */
	plan_string rootfs;               /* absolute host path */
	plan_fd rootfs_fd;                /* open_tree clone, when only the program may reach it */
	uint64_t rootfs_propagation;      /* MS_*, 0: MS_SLAVE|MS_REC */
	struct plan_array mounts;         /* of struct plan_mount */
	struct plan_array devices;        /* of struct plan_device */
	plan_fd devices_fd;               /* a detached tmpfs with nodes that the launcher may not make itself */
	struct plan_array symlinks;       /* of struct plan_pair: link path, target */
	struct plan_array masked_paths;   /* of plan_string */
	struct plan_array readonly_paths; /* of plan_string */
	plan_string mount_label;

	/* kernel settings of the namespaces */
	plan_string hostname;
	plan_string domainname;
	struct plan_array sysctl;      /* of struct plan_pair: path below /proc/sys, value */
	struct plan_array net_devices; /* of struct plan_pair */
	uint32_t personality_set;
	uint32_t personality;
	uint32_t memory_policy_set;
	uint32_t memory_policy_mode;           /* MPOL_* | MPOL_F_* */
	struct plan_array memory_policy_nodes; /* of uint64_t: the node mask */
	plan_string keyring;                   /* name of the session keyring */

	/* cgroups, see sandbox/cgroup/cgroup.h */
	struct plan_array cgroup_paths; /* of struct plan_pair: controllers ("cpu,cpuacct", "" for v2), host path of the
					   container's cgroup directory */
	uint32_t cgroup_mode;           /* enum cgroup_mode */
	plan_string cgroup_unit;        /* the systemd scope; absent with the cgroupfs manager */
	plan_string cgroup_delegate; /* directory below cgroup_paths that the processes are moved to (v2), or absent */
	plan_string rdt_group;       /* resctrl directory of the container's processes, or absent */
	plan_string rdt_monitor;     /* its monitoring group, or absent */
	uint32_t rdt_own;            /* rdt_group is removed with the container */
	plan_string cgroup_force_v1; /* mount point that gets the v1 hierarchy name=systemd on a v2 host */

	struct plan_process process;
	struct plan_seccomp seccomp;

	struct plan_array hooks_prestart; /* of struct plan_hook */
	struct plan_array hooks_create_runtime;
	struct plan_array hooks_create_container;
	struct plan_array hooks_start_container;
	struct plan_array hooks_poststart;
	struct plan_array hooks_poststop;
};

/* The string, or NULL when absent. */
static inline const char *plan_text(const struct plan *plan, plan_string offset)
{
	return offset == 0 ? NULL : (const char *)plan + offset;
}

/* First element of an array; the caller casts to its type. */
static inline const void *plan_items(const struct plan *plan, struct plan_array array)
{
	return (const char *)plan + array.offset;
}

/* Maps the sealed plan and checks its magic, version and size. The mapping lives as long as the process.
 * Errors: EPROTO for a plan of another version. */
int plan_map(int fd, const struct plan **plan, struct error *err);

#endif
