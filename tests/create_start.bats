#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
load helpers

@test "create leaves a created container whose process waits" {
	args sh -c 'echo ran >/tmp/mark; exit 0'
	create "$ID"
	assert_eq "$(status_of "$ID")" created
	local pid
	pid=$(pid_of "$ID")
	[ -d "/proc/$pid" ]
	[ ! -e "$BUNDLE/rootfs/tmp/mark" ]
	start "$ID"
	wait_for [ -e "$BUNDLE/rootfs/tmp/mark" ]
	wait_state "$ID" stopped
	rt delete "$ID"
}

@test "nothing of the program runs before start, however long that takes" {
	args sh -c 'echo ran >/tmp/mark'
	create "$ID"
	sleep 0.3
	[ ! -e "$BUNDLE/rootfs/tmp/mark" ]
	assert_eq "$(status_of "$ID")" created
}

@test "create writes the pid-file with the pid of state" {
	args sleep 100
	create "$ID" --pid-file "$T/pid"
	assert_eq "$(cat "$T/pid")" "$(pid_of "$ID")"
	start "$ID"
	assert_eq "$(cat "$T/pid")" "$(pid_of "$ID")"
	# exactly the number: some readers want no end of line
	[[ $(od -An -c "$T/pid") != *'\n'* ]]
}

@test "create uses the working directory as the bundle by default" {
	args sleep 100
	cd "$BUNDLE"
	rt create "$ID" </dev/null >/dev/null 2>&1
	assert_eq "$(rt state "$ID" | jq -r .bundle)" "$BUNDLE"
}

@test "create takes a relative bundle path and a relative root.path" {
	args sleep 100
	cd "$T"
	rt create --bundle bundle "$ID" </dev/null >/dev/null 2>&1
	assert_eq "$(rt state "$ID" | jq -r .bundle)" "$BUNDLE"
}

@test "root.path may be absolute, outside of the bundle" {
	mv "$BUNDLE/rootfs" "$T/elsewhere"
	config --arg path "$T/elsewhere" '.root.path = $path'
	run_script 'echo works'
	assert_status 0
	assert_output '^works$'
}

@test "root.path may be the bundle itself" {
	cp "$BUNDLE/config.json" "$BUNDLE/rootfs/config.json"
	BUNDLE=$BUNDLE/rootfs
	config '.root.path = "."'
	run_script 'echo works'
	assert_status 0
	assert_output '^works$'
}

@test "--config reads another file, relative to the current directory" {
	need_sandlock
	mkdir "$T/elsewhere"
	args sh -c 'echo another'
	mv "$BUNDLE/config.json" "$T/elsewhere/other.json"
	(cd "$T/elsewhere" && rt run --config other.json --bundle "$BUNDLE" "$ID" </dev/null >"$T/out")
	assert_eq "$(cat "$T/out")" another
	run rt create --config "$T/elsewhere/missing.json" --bundle "$BUNDLE" "$ID" </dev/null
	assert_failed
	assert_output 'missing.json not found'
	# crun's default, which means the bundle's
	run rt create --config config.json --bundle "$BUNDLE" "$ID" </dev/null
	assert_failed
	assert_output 'config.json not found'
	cp "$T/elsewhere/other.json" "$BUNDLE/config.json"
	rt run --config config.json --bundle "$BUNDLE" "$ID" </dev/null
}

@test "a pidfd of the main process: --pidfd-socket, run.oci.pidfd_receiver" {
	need_sandlock
	local id
	args sleep 100
	background "$SL_TOP/tests/tools/pidfd-receiver" "$T/socket1" "$T/report1" </dev/null
	background "$SL_TOP/tests/tools/pidfd-receiver" "$T/socket2" "$T/report2" </dev/null
	wait_for test -S "$T/socket1"
	wait_for test -S "$T/socket2"
	create "$ID" --pidfd-socket "$T/socket1"
	wait_for test -s "$T/report1"
	assert_eq "$(cat "$T/report1")" "$(pid_of "$ID")"
	id=$(unique_id 2)
	config --arg s "$T/socket2" '.annotations["run.oci.pidfd_receiver"] = $s'
	create "$id"
	wait_for test -s "$T/report2"
	assert_eq "$(cat "$T/report2")" "$(pid_of "$id")"
}

@test "create fails without config.json, and leaves nothing" {
	rm "$BUNDLE/config.json"
	run rt create --bundle "$BUNDLE" "$ID" </dev/null
	assert_failed
	assert_output 'config\.json'
	run rt state "$ID"
	assert_failed
}

@test "create fails without the bundle" {
	run rt create --bundle "$T/none" "$ID" </dev/null
	assert_failed
	assert_output 'no such file or directory|does not exist'
}

@test "create fails on broken JSON" {
	echo '{ "ociVersion": "1.0.2", ' >"$BUNDLE/config.json"
	run rt create --bundle "$BUNDLE" "$ID" </dev/null
	assert_failed
}

@test "create fails without a root file system" {
	rm -rf "$BUNDLE/rootfs"
	run rt create --bundle "$BUNDLE" "$ID" </dev/null
	assert_failed
	run rt state "$ID"
	assert_failed
}

@test "create fails when process.args is missing or empty" {
	config 'del(.process.args)'
	run rt create --bundle "$BUNDLE" "$ID" </dev/null
	assert_failed
	config '.process.args = []'
	run rt create --bundle "$BUNDLE" "$ID" </dev/null
	assert_failed
}

@test "create refuses an id that is taken, and the first container lives on" {
	args sleep 100
	create_start "$ID"
	run rt create --bundle "$BUNDLE" "$ID" </dev/null
	assert_failed
	assert_output 'exist'
	assert_eq "$(status_of "$ID")" running
}

@test "one of many creates with the same id wins" {
	args sleep 100
	local i won=0 pids=()
	for i in 1 2 3 4 5 6; do
		rt create --bundle "$BUNDLE" "$ID" </dev/null >/dev/null 2>"$T/race.$i" 3>&- &
		pids+=($!)
	done
	for i in "${pids[@]}"; do
		if wait "$i"; then won=$((won + 1)); fi
	done
	assert_eq "$won" 1 "creates that succeeded"
	assert_eq "$(status_of "$ID")" created
}

@test "a program that is missing is found out by create" {
	args no-such-program
	run rt create --bundle "$BUNDLE" "$ID" </dev/null
	assert_failed
	assert_output 'executable file not found in \$PATH|no such file or directory'
	run rt state "$ID"
	assert_failed
}

@test "an absolute path that is missing is found out by create" {
	args /bin/no-such-program
	run rt create --bundle "$BUNDLE" "$ID" </dev/null
	assert_failed
	assert_output 'no such file or directory'
}

@test "a program that may not be executed is found out by create" {
	args /bin/not-executable
	run rt create --bundle "$BUNDLE" "$ID" </dev/null
	assert_failed
	assert_output 'permission denied'
}

@test "the program is looked up in the container's PATH, not in the caller's" {
	program /opt/only/here <<<$'#!/bin/sh\necho found'
	config '.process.env = ["PATH=/opt/only:/bin"]'
	args here
	run rt run --bundle "$BUNDLE" "$ID" </dev/null
	assert_status 0
	assert_output '^found$'
}

@test "a script without a valid interpreter fails, and says so" {
	program /bin/broken <<<$'#!/no/such/interpreter\n'
	args /bin/broken
	run rt run --bundle "$BUNDLE" "$ID" </dev/null
	assert_failed
	assert_output 'no such file or directory'
}

@test "start of an unknown container fails" {
	run rt start "$ID"
	assert_failed
	assert_output 'does not exist'
}

@test "a second start fails and does not touch the container" {
	args sleep 100
	create_start "$ID"
	run rt start "$ID"
	assert_failed
	assert_eq "$(status_of "$ID")" running
}

@test "start of a stopped container fails" {
	create_start "$ID"
	wait_state "$ID" stopped
	run rt start "$ID"
	assert_failed
	assert_output 'stopped'
}

@test "of many starts one wins and the program runs once" {
	args sh -c 'echo x >>/tmp/runs; sleep 100'
	create "$ID"
	local i won=0 pids=()
	for i in 1 2 3 4 5 6; do
		rt start "$ID" </dev/null >/dev/null 2>&1 3>&- &
		pids+=($!)
	done
	for i in "${pids[@]}"; do
		if wait "$i"; then won=$((won + 1)); fi
	done
	assert_eq "$won" 1 "starts that succeeded"
	wait_for file_has "$BUNDLE/rootfs/tmp/runs" x
	assert_eq "$(wc -l <"$BUNDLE/rootfs/tmp/runs")" 1
}

@test "start of a very short program succeeds every time" {
	local i
	for i in 1 2 3 4 5 6 7 8 9 10; do
		create "$ID"
		start "$ID"
		wait_state "$ID" stopped
		rt delete "$ID"
	done
}

@test "changes of config.json after create have no effect" {
	args sh -c 'echo first >/tmp/out; sleep 100'
	create "$ID"
	args sh -c 'echo second >/tmp/out; sleep 100'
	start "$ID"
	wait_for [ -s "$BUNDLE/rootfs/tmp/out" ]
	assert_eq "$(cat "$BUNDLE/rootfs/tmp/out")" first
}

@test "the caller that is a subreaper collects the main process's true status" {
	args sh -c 'exit 42'
	background "$TOOLS/subreaper" "$T/pid" "$T/status" "$SANDLOCK" --root "$ROOT" create --bundle "$BUNDLE" \
		--pid-file "$T/pid" "$ID" </dev/null >/dev/null 2>&1
	wait_for file_has "$T/status" '^created 0'
	start "$ID"
	wait_for file_has "$T/status" '^exit 42'
}

@test "the subreaper sees the signal that killed the main process" {
	args sleep 100
	background "$TOOLS/subreaper" "$T/pid" "$T/status" "$SANDLOCK" --root "$ROOT" create --bundle "$BUNDLE" \
		--pid-file "$T/pid" "$ID" </dev/null >/dev/null 2>&1
	wait_for file_has "$T/status" '^created 0'
	start "$ID"
	rt kill "$ID" KILL
	wait_for file_has "$T/status" '^signal 9'
}

@test "the pid in the pid-file is a child of the subreaper" {
	args sleep 100
	background "$TOOLS/subreaper" "$T/pid" "$T/status" "$SANDLOCK" --root "$ROOT" create --bundle "$BUNDLE" \
		--pid-file "$T/pid" "$ID" </dev/null >/dev/null 2>&1
	local subreaper=$LAST_BACKGROUND
	wait_for file_has "$T/status" '^created 0'
	assert_eq "$(awk '/^PPid/ { print $2 }' "/proc/$(cat "$T/pid")/status")" "$subreaper"
	start "$ID"
	rt delete --force "$ID"
}
