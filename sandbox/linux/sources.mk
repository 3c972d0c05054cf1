# SPDX-License-Identifier: Apache-2.0
LINUX_COMMON_SOURCES =
LINUX_PROGRAM_SOURCES = \
	sandbox/linux/bit_list.c sandbox/linux/bit_list.h \
	sandbox/linux/capability_plan.c sandbox/linux/capability_plan.h \
	sandbox/linux/devices_plan.c sandbox/linux/devices_plan.h \
	sandbox/linux/environment_plan.c sandbox/linux/environment_plan.h \
	sandbox/linux/id_mapping.c sandbox/linux/id_mapping.h \
	sandbox/linux/idmap.c sandbox/linux/idmap.h \
	sandbox/linux/kernel_settings_plan.c sandbox/linux/kernel_settings_plan.h \
	sandbox/linux/mount_options.c sandbox/linux/mount_options.h \
	sandbox/linux/mounts_plan.c sandbox/linux/mounts_plan.h \
	sandbox/linux/namespaces_plan.c sandbox/linux/namespaces_plan.h \
	sandbox/linux/netlink.c sandbox/linux/netlink.h \
	sandbox/linux/network_devices.c sandbox/linux/network_devices.h \
	sandbox/linux/pid1.c sandbox/linux/pid1.h \
	sandbox/linux/process_plan.c sandbox/linux/process_plan.h \
	sandbox/linux/seccomp_bpf.c sandbox/linux/seccomp_bpf.h \
	sandbox/linux/seccomp_compile.c sandbox/linux/seccomp_compile.h \
	sandbox/linux/seccomp_numbers.c sandbox/linux/seccomp_numbers.h \
	sandbox/linux/seccomp_plan.c sandbox/linux/seccomp_plan.h \
	sandbox/linux/seccomp_ranges.c sandbox/linux/seccomp_ranges.h \
	sandbox/linux/sysctl_plan.c sandbox/linux/sysctl_plan.h
LINUX_INIT_SOURCES = \
	sandbox/linux/affinity.c \
	sandbox/linux/capability.c \
	sandbox/linux/copy_up.c sandbox/linux/copy_up.h \
	sandbox/linux/cwd.c \
	sandbox/linux/device.c sandbox/linux/device.h \
	sandbox/linux/environment.c \
	sandbox/linux/executable.c \
	sandbox/linux/io_priority.c \
	sandbox/linux/keyring.c \
	sandbox/linux/lsm.c \
	sandbox/linux/mask.c sandbox/linux/mask.h \
	sandbox/linux/memory_policy.c \
	sandbox/linux/mount.c sandbox/linux/mount.h \
	sandbox/linux/mount_file_system.c \
	sandbox/linux/mount_target.c sandbox/linux/mount_target.h \
	sandbox/linux/move_root.c sandbox/linux/move_root.h \
	sandbox/linux/network.c \
	sandbox/linux/no_new_privileges.c \
	sandbox/linux/oom_score.c \
	sandbox/linux/personality.c \
	sandbox/linux/procfs.c \
	sandbox/linux/resolve.c sandbox/linux/resolve.h \
	sandbox/linux/rlimit.c \
	sandbox/linux/rootfs.c sandbox/linux/rootfs.h \
	sandbox/linux/scheduler.c \
	sandbox/linux/seccomp.c sandbox/linux/seccomp.h \
	sandbox/linux/sysctl.c \
	sandbox/linux/terminal.c sandbox/linux/terminal.h \
	sandbox/linux/user.c \
	sandbox/linux/uts.c
LINUX_UNIT_TESTS = \
	tests/unit/test_linux_id_mapping \
	tests/unit/test_linux_mount_options \
	tests/unit/test_linux_mounts \
	tests/unit/test_linux_namespaces \
	tests/unit/test_linux_network_devices \
	tests/unit/test_linux_plan \
	tests/unit/test_linux_rootfs \
	tests/unit/test_linux_seccomp \
	tests/unit/test_linux_seccomp_compare \
	tests/unit/test_linux_seccomp_notify \
	tests/unit/test_linux_seccomp_numbers \
	tests/unit/test_linux_settings \
	tests/unit/test_linux_sysctl \
	tests/unit/test_linux_terminal \
	tests/unit/test_linux_user
tests_unit_test_linux_seccomp_SOURCES = \
	sandbox/linux/seccomp.c \
	tests/unit/test_linux_seccomp.c tests/unit/bpf_run.h tests/unit/seccomp_default_profile.h \
	tests/unit/seccomp_support.h
tests_unit_test_linux_seccomp_notify_SOURCES = \
	sandbox/linux/seccomp.c \
	tests/unit/test_linux_seccomp_notify.c tests/unit/seccomp_support.h
tests_unit_test_linux_seccomp_compare_SOURCES = \
	tests/unit/test_linux_seccomp_compare.c tests/unit/bpf_run.h
tests_unit_test_linux_terminal_SOURCES = \
	sandbox/linux/terminal.c \
	tests/unit/test_linux_terminal.c
tests_unit_test_linux_settings_SOURCES = \
	sandbox/linux/affinity.c sandbox/linux/io_priority.c sandbox/linux/keyring.c sandbox/linux/lsm.c \
	sandbox/linux/memory_policy.c sandbox/linux/network.c sandbox/linux/no_new_privileges.c \
	sandbox/linux/oom_score.c sandbox/linux/personality.c sandbox/linux/procfs.c sandbox/linux/rlimit.c \
	sandbox/linux/scheduler.c sandbox/linux/sysctl.c sandbox/linux/uts.c \
	tests/unit/test_linux_settings.c tests/unit/linux_support.h
tests_unit_test_linux_user_SOURCES = \
	sandbox/linux/capability.c sandbox/linux/cwd.c sandbox/linux/environment.c sandbox/linux/executable.c \
	sandbox/linux/procfs.c sandbox/linux/seccomp.c sandbox/linux/user.c \
	tests/unit/test_linux_user.c tests/unit/linux_support.h
rootfs_test_files = \
	sandbox/cgroup/mount.c \
	sandbox/linux/copy_up.c \
	sandbox/linux/device.c \
	sandbox/linux/mask.c \
	sandbox/linux/mount.c \
	sandbox/linux/mount_file_system.c \
	sandbox/linux/mount_target.c \
	sandbox/linux/move_root.c \
	sandbox/linux/resolve.c \
	sandbox/linux/rootfs.c \
	tests/unit/rootfs_harness.c tests/unit/rootfs_harness.h
tests_unit_test_linux_mounts_SOURCES = \
	tests/unit/test_linux_mounts.c $(rootfs_test_files)
tests_unit_test_linux_rootfs_SOURCES = \
	tests/unit/test_linux_rootfs.c $(rootfs_test_files)
