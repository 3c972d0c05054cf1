#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
load helpers
load cgroups

# A main process with a job in another process group.
start_two() {
	args sh -c 'setsid sleep 1111 & echo ready >/tmp/ready; wait'
	create_start "$ID"
	wait_for [ -s "$BUNDLE/rootfs/tmp/ready" ]
	wait_for [ -n "$(own_named sleep)" ]
}

pids() {
	rt ps --format json "$ID" | jq -c sort
}

@test "ps --format json: the host's numbers of the session's processes, and no others" {
	start_two
	local main job
	main=$(pid_of "$ID")
	job=$(own_named sleep)
	assert_eq "$(pids)" "$(jq -nc "[$main, $job] | sort")"
}

@test "ps: a table with a row for each process" {
	start_two
	run rt ps "$ID"
	assert_status 0
	assert_eq "${#lines[@]}" 3
	[[ ${lines[0]} =~ UID.*PID.*PPID.*CMD ]]
	assert_output "^[^ ]+ +$(pid_of "$ID") .* sh -c setsid sleep"
	assert_output "^[^ ]+ +$(own_named sleep) .* sleep 1111$"
}

@test "ps hands arguments behind the id to ps(1)" {
	start_two
	run rt ps "$ID" -e -o pid,comm
	assert_status 0
	assert_eq "${#lines[@]}" 3
	assert_output "^ *PID COMMAND$"
	assert_output "^ *$(own_named sleep) sleep$"
	run rt ps "$ID" aux
	assert_output "^USER +PID +%CPU"
	assert_eq "${#lines[@]}" 3
}

@test "ps says what ps(1) refuses" {
	start_two
	run rt ps "$ID" --no-such-option
	assert_failed
	assert_output 'unknown'
	run rt ps "$ID" -e -o comm
	assert_failed
	assert_output "couldn't find PID field in ps output"
}

@test "ps refuses an unknown format and an unknown container" {
	start_two
	run rt ps --format xml "$ID"
	assert_failed
	assert_output 'invalid format option'
	run rt ps "$(unique_id none)"
	assert_failed
	assert_output 'does not exist'
	run rt ps
	assert_failed
}

@test "ps shows exec'ed processes" {
	start_two
	rt exec --detach --pid-file "$T/pid" "$ID" sleep 2222 </dev/null >/dev/null 2>&1
	rt ps --format json "$ID" | jq -e --argjson pid "$(cat "$T/pid")" 'index($pid) != null and length == 3'
}

@test "ps of a created and of a paused container" {
	need_sandlock
	args sleep 1111
	create "$ID"
	assert_eq "$(pids)" "[$(pid_of "$ID")]"
	start "$ID"
	rt pause "$ID"
	assert_eq "$(pids)" "[$(pid_of "$ID")]"
	run rt ps "$ID"
	assert_output "sleep 1111$"
}

@test "after the main process ended ps shows the jobs, and no number as its" {
	need_sandlock
	args sh -c 'sleep 1111 </dev/null >/dev/null 2>&1 & exit 3'
	create "$ID"
	local main
	main=$(pid_of "$ID")
	start "$ID"
	wait_state "$ID" stopped
	assert_eq "$(pids)" "[$(own_named sleep)]"
	run rt ps "$ID"
	assert_status 0
	assert_output "sleep 1111$"
	assert_output '^\(main exited\)$'
	refute_output "^[^ ]+ +$main "
}

@test "ps of a session that has no process left" {
	need_sandlock
	create_start "$ID"
	wait_state "$ID" stopped
	assert_eq "$(pids)" '[]'
	run rt ps "$ID"
	assert_status 0
	assert_eq "${#lines[@]}" 2
	assert_eq "${lines[1]}" '(main exited)'
}

@test "ps shows no zombies" {
	need_sandlock
	args sh -c 'true & exec sleep 1111'
	create_start "$ID"
	wait_for own_zombie
	assert_eq "$(pids)" "[$(pid_of "$ID")]"
	run rt ps "$ID"
	assert_eq "${#lines[@]}" 2
}

own_zombie() {
	local main
	main=$(pid_of "$ID")
	grep -ql "^State:.Z" $(awk '{ for (i = 1; i <= NF; i++) print "/proc/" $i "/status" }' "/proc/$main/task/$main/children") /dev/null
}

@test "ps without a pid namespace shows the container's processes alone" {
	need_sandlock
	config '.linux.namespaces |= map(select(.type != "pid"))'
	start_two
	local main job
	main=$(pid_of "$ID")
	job=$(own_named sleep)
	assert_eq "$(pids)" "$(jq -nc "[$main, $job] | sort")"
	run rt ps "$ID"
	assert_eq "${#lines[@]}" 3
}

@test "ps of a container that can't know its jobs shows the main process and says so" {
	need_sandlock
	config '.linux.namespaces |= map(select(.type != "pid"))'
	args sleep 1111
	rt --cgroup-manager=disabled create --bundle "$BUNDLE" "$ID" </dev/null >/dev/null 2>&1
	start "$ID"
	assert_eq "$(rt ps --format json "$ID" 2>"$T/warning")" "[$(pid_of "$ID")]"
	file_has "$T/warning" 'only its main process'
}

@test "ps needs neither PATH nor HOME" {
	start_two
	run env -i "$SANDLOCK" --root "$ROOT" ps "$ID"
	assert_status 0
	assert_output 'sleep 1111$'
}

@test "ps says that ps(1) is missing" {
	need_sandlock
	start_two
	run env PATH=/nonexistent "$SANDLOCK" --root "$ROOT" ps "$ID"
	assert_failed
	assert_output 'executable file not found in \$PATH'
}
