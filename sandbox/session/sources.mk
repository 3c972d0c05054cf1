# SPDX-License-Identifier: Apache-2.0
SESSION_COMMON_SOURCES = \
	sandbox/session/notify.c sandbox/session/notify.h \
	sandbox/session/name.c sandbox/session/name.h \
	sandbox/session/peer.c sandbox/session/peer.h \
	sandbox/session/protocol.h
SESSION_PROGRAM_SOURCES = \
	sandbox/session/client.c sandbox/session/client.h \
	sandbox/session/console.c sandbox/session/console.h \
	sandbox/session/create.c sandbox/session/create.h \
	sandbox/session/end.c sandbox/session/end.h \
	sandbox/session/exec.c sandbox/session/exec.h \
	sandbox/session/jobs.c sandbox/session/jobs.h \
	sandbox/session/launch_channel.c sandbox/session/launch_channel.h \
	sandbox/session/notify_plan.c \
	sandbox/session/place.c sandbox/session/place.h \
	sandbox/session/place_clear.c \
	sandbox/session/spawn.c sandbox/session/spawn.h
SESSION_INIT_SOURCES = \
	sandbox/session/exit_status.c sandbox/session/exit_status.h \
	sandbox/session/holder.c \
	sandbox/session/init_main.c \
	sandbox/session/joiner.c \
	sandbox/session/late_namespaces.c sandbox/session/late_namespaces.h \
	sandbox/session/launch.h \
	sandbox/session/launcher.c sandbox/session/launcher.h \
	sandbox/session/notify_socket.c \
	sandbox/session/reaper.c sandbox/session/reaper.h \
	sandbox/session/roles.h \
	sandbox/session/serve.c \
	sandbox/session/settle.c \
	sandbox/session/supervisor.c sandbox/session/supervisor.h
SESSION_UNIT_TESTS = tests/unit/test_session_console tests/unit/test_session_notify
tests_unit_test_session_notify_SOURCES = \
	sandbox/session/notify_socket.c \
	tests/unit/test_session_notify.c
