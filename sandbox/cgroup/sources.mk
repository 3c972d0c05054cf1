# SPDX-License-Identifier: Apache-2.0
CGROUP_COMMON_SOURCES = sandbox/cgroup/rdt_remove.c sandbox/cgroup/rdt_remove.h sandbox/cgroup/oom.c sandbox/cgroup/oom.h sandbox/cgroup/paths.c sandbox/cgroup/paths.h sandbox/cgroup/freezer.c \
	sandbox/cgroup/freezer.h sandbox/cgroup/kill.c sandbox/cgroup/kill.h sandbox/cgroup/remove.c
CGROUP_PROGRAM_SOURCES = sandbox/cgroup/cgroup.c sandbox/cgroup/cgroup.h sandbox/cgroup/cgroup_internal.h \
	sandbox/cgroup/create.c sandbox/cgroup/join.c sandbox/cgroup/layout.c sandbox/cgroup/layout.h \
	sandbox/cgroup/rdt.c sandbox/cgroup/rdt.h sandbox/cgroup/resources.c sandbox/cgroup/writes.c sandbox/cgroup/writes.h sandbox/cgroup/v1_limits.c \
	sandbox/cgroup/v2_limits.c sandbox/cgroup/devices.c sandbox/cgroup/devices.h sandbox/cgroup/devices_v1.c \
	sandbox/cgroup/devices_v2.c sandbox/cgroup/stats.c sandbox/cgroup/stats.h sandbox/cgroup/stats_internal.h \
	sandbox/cgroup/stats_json.c sandbox/cgroup/stats_v1.c sandbox/cgroup/stats_v2.c sandbox/cgroup/systemd.c sandbox/cgroup/systemd.h \
	sandbox/cgroup/systemd_properties.c sandbox/cgroup/systemd_protocol.h
CGROUP_INIT_SOURCES = sandbox/cgroup/mount.c sandbox/cgroup/mount.h
CGROUP_UNIT_TESTS = tests/unit/test_cgroup_devices tests/unit/test_cgroup_layout tests/unit/test_cgroup_limits \
	tests/unit/test_cgroup_live tests/unit/test_cgroup_rdt tests/unit/test_cgroup_resources \
	tests/unit/test_cgroup_systemd

if HAVE_SYSTEMD
libexec_PROGRAMS += sandlock-systemd
endif
sandlock_systemd_SOURCES = sandbox/cgroup/systemd_helper.c sandbox/cgroup/systemd_protocol.h \
	sandbox/common/number.c sandbox/common/number.h
sandlock_systemd_CPPFLAGS = $(AM_CPPFLAGS) $(SYSTEMD_CFLAGS)
sandlock_systemd_LDADD = $(SYSTEMD_LIBS)
