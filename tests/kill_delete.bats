#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
load helpers

# Runs a main process that writes the name of the signals it gets to /tmp/got.
start_catcher() {
	args sh -c 'for s in TERM HUP INT USR1 USR2; do trap "echo $s >>/tmp/got" $s; done
		echo ready >/tmp/ready; while :; do sleep 100 & wait $!; done'
	create_start "$ID"
	wait_for [ -s "$BUNDLE/rootfs/tmp/ready" ]
}

got() {
	wait_for file_has "$BUNDLE/rootfs/tmp/got" "^$1\$"
}

@test "kill takes names with and without SIG, in any case, and numbers" {
	start_catcher
	rt kill "$ID" HUP && got HUP
	rt kill "$ID" SIGUSR1 && got USR1
	rt kill "$ID" 12 && got USR2
	rt kill "$ID" int && got INT
}

@test "kill sends TERM by default" {
	start_catcher
	rt kill "$ID"
	got TERM
}

@test "kill refuses unknown signals, and nothing is sent" {
	start_catcher
	local signal
	for signal in NOPE SIG 999 -1 1x; do
		run rt kill "$ID" "$signal"
		assert_failed
	done
	assert_eq "$(status_of "$ID")" running
	[ ! -e "$BUNDLE/rootfs/tmp/got" ]
}

@test "kill of a created container ends it" {
	args sleep 100
	create "$ID"
	rt kill "$ID" KILL
	wait_state "$ID" stopped
	rt delete "$ID"
}

@test "TERM ends a created container, which has no handler of its own yet" {
	need_sandlock
	args sleep 100
	create "$ID"
	rt kill "$ID" TERM
	wait_state "$ID" stopped
}

@test "kill of a stopped container fails" {
	create_start "$ID"
	wait_state "$ID" stopped
	run rt kill "$ID" KILL
	assert_failed
	assert_output 'not running|process already finished|no such process'
}

@test "kill of an unknown container fails" {
	run rt kill "$ID" KILL
	assert_failed
	assert_output 'does not exist'
}

@test "kill --all reaches the background processes" {
	args sh -c 'sleep 1111 & sleep 1111 & echo ready >/tmp/ready; wait'
	create_start "$ID"
	wait_for [ -s "$BUNDLE/rootfs/tmp/ready" ]
	rt kill --all "$ID" KILL
	wait_state "$ID" stopped
	wait_for no_process_named sleep
}

no_process_named() {
	[ -z "$(own_named "$1")" ]
}

@test "delete of a created container fails or ends it, never leaves it behind" {
	args sleep 100
	create "$ID"
	local pid
	pid=$(pid_of "$ID")
	run rt delete "$ID"
	if [ "$status" = 0 ]; then
		is_gone "$pid"
	else
		assert_eq "$(status_of "$ID")" created
	fi
}

@test "delete reaches processes that somebody froze in a v1 cgroup of his own" {
	need_sandlock
	local freezer=/sys/fs/cgroup/freezer/$ID-elsewhere job
	[ -w /sys/fs/cgroup/freezer/cgroup.procs ] || skip "no v1 freezer"
	mkdir "$freezer"
	args sh -c 'sleep 1111 & wait'
	create_start "$ID"
	wait_for eval '[ -n "$(own_named sleep)" ]'
	job=$(own_named sleep)
	echo "$job" >"$freezer/cgroup.procs"
	pid_of "$ID" >"$freezer/cgroup.procs"
	echo FROZEN >"$freezer/freezer.state"
	wait_for grep -q FROZEN "$freezer/freezer.state"
	run rt delete --force "$ID"
	echo THAWED >"$freezer/freezer.state"
	rmdir "$freezer"
	assert_status 0
	is_gone "$job"
}

@test "delete of a running container fails and does not touch it" {
	args sleep 100
	create_start "$ID"
	run rt delete "$ID"
	assert_failed
	assert_eq "$(status_of "$ID")" running
}

@test "delete --force ends a running container" {
	args sleep 100
	create_start "$ID"
	local pid
	pid=$(pid_of "$ID")
	rt delete --force "$ID"
	is_gone "$pid"
	run rt state "$ID"
	assert_failed
}

@test "delete --force ends a container that ignores signals" {
	args sh -c 'trap "" TERM INT HUP; echo ready >/tmp/ready; while :; do sleep 1; done'
	create_start "$ID"
	wait_for [ -s "$BUNDLE/rootfs/tmp/ready" ]
	local pid
	pid=$(pid_of "$ID")
	rt delete -f "$ID"
	is_gone "$pid"
}

@test "delete of an unknown container fails, with --force it is quiet success" {
	run rt delete "$ID"
	assert_failed
	assert_output 'does not exist'
	run rt delete --force "$ID"
	assert_status 0
	assert_eq "$output" ""
}

@test "delete twice: the second one fails, with --force it does not" {
	create_start "$ID"
	wait_state "$ID" stopped
	rt delete "$ID"
	run rt delete "$ID"
	assert_failed
	rt delete --force "$ID"
}

@test "deletes at the same time: one wins, none hangs, nothing is left" {
	args sleep 100
	create_start "$ID"
	local i pids=()
	for i in 1 2 3 4; do
		rt delete --force "$ID" </dev/null >/dev/null 2>&1 3>&- &
		pids+=($!)
	done
	for i in "${pids[@]}"; do
		wait "$i" || [ $? -lt 124 ]
	done
	run rt state "$ID"
	assert_failed
}

@test "the id is usable again at once after delete" {
	args sleep 100
	local i
	for i in 1 2 3 4 5; do
		create_start "$ID"
		rt delete --force "$ID"
	done
}

@test "delete does not remove what the bundle or its mounts hold" {
	mkdir "$T/data"
	echo precious >"$T/data/file"
	config --arg s "$T/data" '.mounts += [{"destination": "/mnt", "type": "bind", "source": $s, "options": ["rbind", "rw"]}]'
	args sleep 100
	create_start "$ID"
	rt delete --force "$ID"
	assert_eq "$(cat "$T/data/file")" precious
	[ -x "$BUNDLE/rootfs/bin/busybox" ]
}
