#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
load helpers

@test "run passes the exit status on: 0, 1, 3, 126, 127, 255" {
	local code status
	for code in 0 1 3 126 127 255; do
		args sh -c "exit $code"
		status=0
		rt run --bundle "$BUNDLE" "$ID" </dev/null || status=$?
		assert_eq "$status" "$code"
	done
}

@test "run tells a death by signal with 128 plus its number" {
	run_script 'kill -KILL $$; sleep 100'
	# pid 1 of a namespace can't kill itself: runtimes where the program is pid 1 run into the sleep instead
	is_sandlock || skip "the program is pid 1"
	assert_status 137
}

@test "run tells a death by a signal from outside" {
	args sleep 100
	background rt run --bundle "$BUNDLE" "$ID" </dev/null >/dev/null 2>&1
	local pid=$LAST_BACKGROUND status=0
	wait_state "$ID" running
	rt kill "$ID" KILL
	wait "$pid" || status=$?
	assert_eq "$status" 137
}

@test "run of a missing program fails and says why" {
	args no-such-program
	run rt run --bundle "$BUNDLE" "$ID" </dev/null
	assert_failed
	assert_output 'executable file not found in \$PATH|no such file or directory'
	run rt state "$ID"
	assert_failed
}

@test "run of a program that may not be executed fails and says why" {
	args /bin/not-executable
	run rt run --bundle "$BUNDLE" "$ID" </dev/null
	assert_failed
	assert_output 'permission denied'
}

@test "run leaves no container behind" {
	run_script true
	assert_status 0
	run rt state "$ID"
	assert_failed
	assert_eq "$(rt list -q)" ""
}

@test "run connects stdin, stdout and stderr" {
	args sh -c 'cat; echo to-err >&2'
	echo from-stdin | rt run --bundle "$BUNDLE" "$ID" >"$T/out" 2>"$T/err"
	assert_eq "$(cat "$T/out")" from-stdin
	assert_eq "$(cat "$T/err")" to-err
}

@test "run passes binary data unchanged" {
	head -c 300000 /dev/urandom >"$T/in"
	args cat
	rt run --bundle "$BUNDLE" "$ID" <"$T/in" >"$T/out"
	cmp "$T/in" "$T/out"
}

@test "run with 200000 bytes of output into a pipe is complete" {
	args sh -c 'head -c 200000 /dev/zero | tr "\0" x; echo end'
	rt run --bundle "$BUNDLE" "$ID" </dev/null | tail -c 4 >"$T/tail"
	assert_eq "$(cat "$T/tail")" end
	rt run --bundle "$BUNDLE" "$ID" </dev/null | wc -c >"$T/count"
	assert_eq "$(cat "$T/count")" 200004
}

@test "a slow reader gets everything" {
	args sh -c 'head -c 200000 /dev/zero | tr "\0" x; echo end'
	rt run --bundle "$BUNDLE" "$ID" </dev/null | {
		sleep 0.5
		wc -c
	} >"$T/count"
	assert_eq "$(cat "$T/count")" 200004
}

@test "a reader that goes away ends the program with SIGPIPE, not the runtime with a hang" {
	args sh -c 'while echo xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; do :; done'
	local begin
	begin=$(milliseconds)
	rt run --bundle "$BUNDLE" "$ID" </dev/null | head -n 1 >"$T/out"
	[ $(($(milliseconds) - begin)) -lt 10000 ]
	assert_eq "$(cat "$T/out")" xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
}

@test "run --detach returns while the program runs" {
	args sleep 100
	rt run --detach --bundle "$BUNDLE" --pid-file "$T/pid" "$ID" </dev/null >/dev/null 2>&1
	assert_eq "$(status_of "$ID")" running
	assert_eq "$(pid_of "$ID")" "$(cat "$T/pid")"
	rt kill "$ID" KILL
	wait_state "$ID" stopped
	rt delete "$ID"
}

@test "run -d of a missing program fails and leaves nothing" {
	args no-such-program
	run rt run -d --bundle "$BUNDLE" "$ID" </dev/null
	assert_failed
	run rt state "$ID"
	assert_failed
}

@test "run forwards TERM, HUP, INT and USR1 to the program" {
	args sh -c 'for s in TERM HUP INT USR1; do trap "echo $s >>/tmp/got" $s; done; echo ready >/tmp/ready
		while [ ! -e /tmp/stop ]; do sleep 0.05; done; exit 5'
	"$SANDLOCK" --root "$ROOT" run --bundle "$BUNDLE" "$ID" </dev/null >/dev/null 2>&1 3>&- &
	local pid=$! signal status=0
	wait_for [ -s "$BUNDLE/rootfs/tmp/ready" ]
	for signal in TERM HUP USR1; do
		kill -$signal $pid
		wait_for file_has "$BUNDLE/rootfs/tmp/got" "^$signal\$"
	done
	echo >"$BUNDLE/rootfs/tmp/stop"
	wait $pid || status=$?
	assert_eq $status 5
}

@test "run of a taken id fails and does not disturb the first" {
	args sleep 100
	create_start "$ID"
	run rt run --bundle "$BUNDLE" "$ID" </dev/null
	assert_failed
	assert_output 'exist'
	assert_eq "$(status_of "$ID")" running
}

@test "runs at the same time with different ids" {
	local i pids=()
	for i in 1 2 3 4 5 6 7 8; do
		new_bundle "bundle$i"
		args sh -c "exit $i"
		rt run --bundle "$BUNDLE" "$(unique_id "$i")" </dev/null >/dev/null 2>&1 3>&- &
		pids+=($!)
	done
	i=1
	for pid in "${pids[@]}"; do
		status=0
		wait "$pid" || status=$?
		assert_eq "$status" "$i"
		i=$((i + 1))
	done
}

@test "run writes the pid-file before the program starts" {
	config --arg s "$T" '.mounts += [{"destination": "/mnt", "type": "bind", "source": $s, "options": ["bind"]}]'
	args sh -c 'test -s /mnt/pid'
	run rt run --pid-file "$T/pid" --bundle "$BUNDLE" "$ID" </dev/null
	assert_status 0
}

@test "run with a pid-file that can't be written fails and leaves nothing" {
	args sleep 100
	run rt run --pid-file "$T/none/pid" --bundle "$BUNDLE" "$ID" </dev/null
	assert_failed
	assert_output 'none/.?pid|pid-file|pid file'
	run rt state "$ID"
	assert_failed
}
