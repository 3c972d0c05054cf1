# SPDX-License-Identifier: Apache-2.0
LINUX_COMMON_SOURCES =
LINUX_PROGRAM_SOURCES = \
	sandbox/linux/devices_plan.c sandbox/linux/devices_plan.h \
	sandbox/linux/idmap.c sandbox/linux/idmap.h \
	sandbox/linux/mount_options.c sandbox/linux/mount_options.h \
	sandbox/linux/mounts_plan.c sandbox/linux/mounts_plan.h
LINUX_INIT_SOURCES = \
	sandbox/cgroup/mount.h \
	sandbox/linux/cgroup_mount_pending.c \
	sandbox/linux/copy_up.c sandbox/linux/copy_up.h \
	sandbox/linux/device.c sandbox/linux/device.h \
	sandbox/linux/mask.c sandbox/linux/mask.h \
	sandbox/linux/mount.c sandbox/linux/mount.h \
	sandbox/linux/mount_file_system.c \
	sandbox/linux/mount_target.c sandbox/linux/mount_target.h \
	sandbox/linux/move_root.c sandbox/linux/move_root.h \
	sandbox/linux/resolve.c sandbox/linux/resolve.h \
	sandbox/linux/rootfs.c sandbox/linux/rootfs.h
LINUX_UNIT_TESTS =
