#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
load helpers
load cgroups

# Events go to $T/events; waits until they are watched.
start_events() {
	background rt events "$@" "$ID" >"$T/events" 2>"$T/events-err"
	EVENTS=$LAST_BACKGROUND
}

events_end() {
	wait_for is_gone "$EVENTS"
	wait "$EVENTS"
}

types() {
	jq -r .type "$T/events" | uniq | paste -sd ' '
}

@test "events --stats prints one object in runc's form" {
	args sh -c 'i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; echo ready >/tmp/ready; sleep 100'
	config '.linux.resources = {"memory": {"limit": 67108864}, "pids": {"limit": 20}}'
	create_start "$ID"
	wait_for [ -s "$BUNDLE/rootfs/tmp/ready" ]
	rt events --stats "$ID" >"$T/stats"
	assert_eq "$(wc -l <"$T/stats")" 1
	jq -e --arg id "$ID" '.type == "stats" and .id == $id' "$T/stats"
	jq -e '.data.cpu.usage.total > 1000000' "$T/stats"
	jq -e '.data.pids.current >= 2 and .data.pids.limit == 20' "$T/stats"
	jq -e '.data.memory.usage | .limit == 67108864 and .usage > 0 and .max >= .usage' "$T/stats"
	jq -e '.data | has("blkio") and has("hugetlb") and has("intel_rdt")' "$T/stats"
}

@test "the statistics follow what the container does" {
	args sh -c 'while :; do :; done'
	create_start "$ID"
	local before after
	before=$(rt events --stats "$ID" | jq .data.cpu.usage.total)
	sleep 0.5
	after=$(rt events --stats "$ID" | jq .data.cpu.usage.total)
	[ "$after" -gt $((before + 50000000)) ]
}

@test "events prints statistics at the interval, and ends with the main process" {
	args sh -c 'while [ ! -e /tmp/go ]; do sleep 0.02; done; exit 3'
	create_start "$ID"
	start_events --interval 50ms
	wait_for more_lines_than 4
	touch "$BUNDLE/rootfs/tmp/go"
	events_end
	jq -es 'all(.[:-1][]; .type == "stats")' "$T/events"
	if is_sandlock; then
		jq -es --arg id "$ID" '.[-1] == {"type": "exit", "id": $id, "data": {"exitCode": 3}}' "$T/events"
	fi
}

more_lines_than() {
	[ "$(wc -l <"$T/events")" -gt "$1" ]
}

@test "the first statistics come after the first interval" {
	args sleep 100
	create_start "$ID"
	start_events --interval 1m30s
	sleep 0.5
	[ ! -s "$T/events" ]
	refute is_gone "$EVENTS"
}

@test "events tells a child that was killed for lack of memory, and goes on" {
	limit_memory
	args sh -c "while [ ! -e /tmp/go ]; do sleep 0.02; done; $HUNGRY; echo \$? >/tmp/child; sleep 100"
	create_start "$ID"
	need_cgroup_file memory.limit_in_bytes memory.max
	start_events --interval 1h
	sleep 0.3
	touch "$BUNDLE/rootfs/tmp/go"
	wait_for file_has "$T/events" '"type":"oom"'
	jq -es --arg id "$ID" '.[0].type == "oom" and .[0].id == $id' "$T/events"
	sleep 0.1
	refute is_gone "$EVENTS"
	rt kill "$ID" KILL
	events_end
	is_sandlock || return 0
	assert_eq "$(types)" "oom exit"
	jq -es '.[-1].data == {"signal": 9}' "$T/events"
}

@test "events tells a main process that was killed for lack of memory: oom before exit" {
	need_sandlock
	limit_memory
	local round
	for round in 1 2 3 4 5; do
		args sh -c "while [ ! -e /tmp/go ]; do sleep 0.02; done; exec $HUNGRY"
		create_start "$ID"
		start_events --interval 1h
		sleep 0.2
		touch "$BUNDLE/rootfs/tmp/go"
		events_end
		assert_eq "$(types)" "oom exit"
		jq -es '.[-1].data == {"signal": 9, "oomKilled": true}' "$T/events"
		rt delete "$ID"
		rm "$BUNDLE/rootfs/tmp/go"
	done
}

@test "without lack of memory nothing is told of it" {
	need_sandlock
	limit_memory
	args sleep 100
	create_start "$ID"
	start_events --interval 1h
	sleep 0.2
	rt delete --force "$ID"
	events_end
	assert_eq "$(types)" "exit"
}

@test "events of a session whose main process has ended fails" {
	need_sandlock
	stopped_with_job
	RT_TIMEOUT=5 run rt events --interval 1h "$ID"
	assert_failed
	assert_output 'is not running'
}

@test "events of a paused container" {
	start_beating
	rt pause "$ID"
	rt events --stats "$ID" | jq -e '.type == "stats"'
	start_events --interval 50ms
	wait_for more_lines_than 1
	rt delete --force "$ID"
	events_end
}

@test "events of a stopped and of an unknown container fail" {
	create_start "$ID"
	wait_state "$ID" stopped
	run rt events --stats "$ID"
	assert_failed
	assert_output 'is not running'
	run rt events "$(unique_id none)"
	assert_failed
	assert_output 'does not exist'
}

@test "events refuses an interval that is none" {
	args sleep 100
	create_start "$ID"
	local interval
	for interval in 0s -1s abc 1x 5s5 1.s. 99999999999999999999s 9999999h 1e3s; do
		RT_TIMEOUT=5 run rt events --interval="$interval" "$ID"
		assert_failed
	done
	run rt events --interval=0s "$ID"
	assert_output 'duration interval must be greater than 0'
}

@test "events ends when its reader is gone" {
	args sleep 100
	create_start "$ID"
	background rt events --interval 50ms "$ID" > >(head -n 2 >"$T/two") 2>/dev/null
	wait_for is_gone "$LAST_BACKGROUND"
	assert_eq "$(wc -l <"$T/two")" 2
}

@test "many can watch at once" {
	args sh -c 'while [ ! -e /tmp/go ]; do sleep 0.02; done'
	create_start "$ID"
	local i
	local -a pids
	for i in 1 2 3 4 5; do
		background rt events --interval 50ms "$ID" >"$T/events.$i"
		pids+=("$LAST_BACKGROUND")
	done
	for i in 1 2 3 4 5; do
		wait_for [ -s "$T/events.$i" ]
	done
	touch "$BUNDLE/rootfs/tmp/go"
	for i in 1 2 3 4 5; do
		wait "${pids[$((i - 1))]}"
		jq -es 'length > 1' "$T/events.$i"
	done
}

@test "statistics of a container without a cgroup fail" {
	need_sandlock
	args sleep 100
	rt --cgroup-manager=disabled create --bundle "$BUNDLE" "$ID" </dev/null >/dev/null 2>&1
	start "$ID"
	run rt events --stats "$ID"
	assert_failed
	assert_output 'cgroup'
}
