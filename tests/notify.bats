#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# NOTIFY_SOCKET: from the container to the caller's service manager.
load helpers

setup() {
	common_setup
	need_sandlock
	background "$SL_TOP/tests/tools/notify-manager" "$T/manager" "$T/report" </dev/null
	wait_for [ -S "$T/manager" ]
	ln "$SL_BASE/tools/notify" "$BUNDLE/rootfs/bin/notify" 2>/dev/null || cp "$SL_BASE/tools/notify" "$BUNDLE/rootfs/bin/notify"
	export NOTIFY_SOCKET=$T/manager
}

@test "a foreground run passes on what a service says about itself, from its own process" {
	args sh -c 'echo $NOTIFY_SOCKET; notify READY=1,STATUS=well,MAINPID=1,FDSTORE=1 WATCHDOG=1; notify STOPPING=1'
	rt run --bundle "$BUNDLE" "$ID" </dev/null >"$T/out"
	assert_eq "$(cat "$T/out")" /run/notify/notify.sock
	wait_for file_has "$T/report" STOPPING
	assert_eq "$(cut -d' ' -f2- "$T/report" | paste -sd' ')" "READY=1,STATUS=well WATCHDOG=1 STOPPING=1"
	# timeout(1) executes the runtime as its child; all came from one process
	assert_eq "$(cut -d' ' -f1 "$T/report" | sort -u | wc -l)" 1
}

@test "run --detach stays until the service is ready and names its successor" {
	args sh -c 'while ! [ -e /go ]; do sleep 0.05; done; notify READY=1; sleep 60'
	background timeout 30 "$SANDLOCK" --root "$ROOT" run --detach --pid-file "$T/pid" --bundle "$BUNDLE" "$ID" </dev/null >/dev/null 2>&1
	local runtime=$LAST_BACKGROUND
	wait_for is_state "$ID" running
	sleep 0.3
	kill -0 "$runtime"
	refute file_has "$T/report" READY
	touch "$BUNDLE/rootfs/go"
	wait "$runtime"
	wait_for file_has "$T/report" READY
	assert_eq "$(cut -d' ' -f2- "$T/report")" "READY=1,MAINPID=$(cat "$T/pid")"
}

@test "run --detach does not wait for a service that ends without being ready" {
	args sh -c 'exit 3'
	rt run --detach --bundle "$BUNDLE" "$ID" </dev/null >/dev/null
	wait_state "$ID" stopped
	refute file_has "$T/report" .
}

@test "create and start do not wait; the supervisor passes on, also from a background job" {
	args sh -c '(sleep 0.5; notify STATUS=job; sleep 60) & sleep 0.2; notify READY=1'
	create "$ID" --pid-file "$T/pid"
	local before
	before=$(milliseconds)
	start "$ID"
	[ $(($(milliseconds) - before)) -lt 5000 ]
	wait_for file_has "$T/report" STATUS=job
	assert_eq "$(cut -d' ' -f2- "$T/report" | paste -sd' ')" "READY=1,MAINPID=$(cat "$T/pid") STATUS=job"
}

@test "in a user namespace, as another user" {
	config '.linux.namespaces += [{"type": "user"}] | .linux.uidMappings = [{"containerID": 0, "hostID": 100000, "size": 65536}] |
		.linux.gidMappings = .linux.uidMappings | .process.user = {"uid": 1000, "gid": 1000}'
	args notify READY=1
	chown 100000:100000 "$BUNDLE/rootfs/run"
	rt run --bundle "$BUNDLE" "$ID" </dev/null
	wait_for file_has "$T/report" READY=1
}

@test "a variable inherited by accident breaks nothing" {
	args sh -c 'echo "[$NOTIFY_SOCKET]"; test -e /run/notify || echo none'
	local socket
	for socket in "$T/nobody" relative @sandlock-nobody ''; do
		NOTIFY_SOCKET=$socket rt run --bundle "$BUNDLE" "$ID" </dev/null >"$T/out"
		assert_eq "$(paste -sd' ' "$T/out")" "[] none"
	done
	# no place for it in the image
	rmdir "$BUNDLE/rootfs/run"
	touch "$BUNDLE/rootfs/run"
	args true
	rt run --bundle "$BUNDLE" "$ID" </dev/null
}

@test "config.json with its own socket is left alone" {
	args sh -c 'echo "$NOTIFY_SOCKET"; ls /run'
	config '.process.env += ["NOTIFY_SOCKET=/theirs"]'
	rt run --bundle "$BUNDLE" "$ID" </dev/null >"$T/out"
	assert_eq "$(cat "$T/out")" /theirs
	config 'del(.process.env[-1])'
	mkdir "$T/theirs"
	config --arg t "$T/theirs" '.mounts += [{"destination": "/run/notify", "type": "bind", "source": $t, "options": ["bind"]}]'
	rt run --bundle "$BUNDLE" "$ID" </dev/null >"$T/out"
	assert_eq "$(paste -sd' ' "$T/out")" " notify"
}
