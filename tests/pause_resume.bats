#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
load helpers
load cgroups

no_sleep() {
	[ -z "$(own_named sleep)" ]
}

@test "pause lets everything stand still, resume lets it go on; state and list tell" {
	start_beating
	rt pause "$ID"
	assert_eq "$(status_of "$ID")" paused
	rt list | grep -E "^$ID +[0-9]+ +paused "
	rt list --format json | jq -e --arg id "$ID" '.[] | select(.id == $id) | .status == "paused"'
	stands_still
	rt resume "$ID"
	assert_eq "$(status_of "$ID")" running
	job_beats
}

@test "the pid of a paused container is told" {
	start_beating
	local pid
	pid=$(pid_of "$ID")
	rt pause "$ID"
	assert_eq "$(pid_of "$ID")" "$pid"
}

@test "pause of a paused container fails, and one resume undoes the first" {
	start_beating
	rt pause "$ID"
	run rt pause "$ID"
	assert_failed
	assert_output 'container not running'
	assert_eq "$(status_of "$ID")" paused
	rt resume "$ID"
	assert_eq "$(status_of "$ID")" running
	job_beats
}

@test "resume of a container that is not paused fails" {
	start_beating
	run rt resume "$ID"
	assert_failed
	assert_output 'container not paused'
	rt pause "$ID"
	rt resume "$ID"
	run rt resume "$ID"
	assert_failed
	assert_output 'container not paused'
	job_beats
}

@test "a stopped container can neither be paused nor resumed" {
	create_start "$ID"
	wait_state "$ID" stopped
	run rt pause "$ID"
	assert_failed
	assert_output 'container not running'
	run rt resume "$ID"
	assert_failed
	assert_output 'container not paused'
	assert_eq "$(status_of "$ID")" stopped
}

@test "pause and resume of an unknown container fail" {
	run rt pause "$ID"
	assert_failed
	assert_output 'does not exist'
	run rt resume "$ID"
	assert_failed
	assert_output 'does not exist'
}

@test "the error of pause is in the JSON log" {
	create_start "$ID"
	wait_state "$ID" stopped
	run rt --log "$T/log" --log-format json pause "$ID"
	assert_failed
	jq -es '.[-1] | .level == "error" and (.msg | contains("container not running"))' "$T/log"
}

@test "a created container can be paused, is not started meanwhile, and starts once it is resumed" {
	need_sandlock
	args sleep 100
	create "$ID"
	rt pause "$ID"
	assert_eq "$(status_of "$ID")" paused
	RT_TIMEOUT=10 run rt start "$ID"
	assert_failed
	assert_output 'paused'
	rt resume "$ID"
	assert_eq "$(status_of "$ID")" created
	rt start "$ID" </dev/null >/dev/null 2>&1
	assert_eq "$(status_of "$ID")" running
}

@test "KILL ends a paused container" {
	start_beating
	rt pause "$ID"
	rt kill "$ID" KILL
	wait_state "$ID" stopped
	rt delete "$ID"
}

@test "KILL for the main process lets the jobs go on" {
	need_sandlock
	args sh -c '(while :; do echo beat >>/tmp/beat; sleep 0.05; done) & sleep 1111'
	create_start "$ID"
	wait_for [ -s "$BUNDLE/rootfs/tmp/beat" ]
	rt pause "$ID"
	rt kill "$ID" KILL
	assert_eq "$(rt wait "$ID")" 137
	job_beats
	rt delete "$ID"
	no_sleep
}

@test "a signal for a paused container arrives when it is resumed" {
	args sh -c 'trap "echo got >/tmp/got; exit 7" TERM; echo ready >/tmp/ready; while :; do sleep 0.05; done'
	create_start "$ID"
	wait_for [ -s "$BUNDLE/rootfs/tmp/ready" ]
	rt pause "$ID"
	rt kill "$ID" TERM
	sleep 0.3
	[ ! -e "$BUNDLE/rootfs/tmp/got" ]
	assert_eq "$(status_of "$ID")" paused
	rt resume "$ID"
	wait_state "$ID" stopped
	[ -s "$BUNDLE/rootfs/tmp/got" ]
}

@test "kill --all KILL ends a paused container and its jobs" {
	args sh -c 'sleep 1111 & sleep 1111 & echo ready >/tmp/ready; wait'
	create_start "$ID"
	wait_for [ -s "$BUNDLE/rootfs/tmp/ready" ]
	rt pause "$ID"
	rt kill --all "$ID" KILL
	wait_state "$ID" stopped
	wait_for no_sleep
}

@test "kill --all KILL ends jobs that were frozen after the main process ended" {
	need_sandlock
	stopped_with_job
	freeze_by_hand 1
	stands_still
	rt kill --all "$ID" KILL
	wait_for no_own_beat
}

no_own_beat() {
	[ "$(rt state "$ID" | jq .session.processes)" = 0 ]
}

@test "jobs that were frozen after the main process ended can be resumed" {
	need_sandlock
	stopped_with_job
	freeze_by_hand 1
	stands_still
	rt resume "$ID"
	job_beats
	assert_eq "$(status_of "$ID")" stopped
}

@test "delete of a paused container fails, delete --force ends it" {
	start_beating
	rt pause "$ID"
	run rt delete "$ID"
	assert_failed
	assert_eq "$(status_of "$ID")" paused
	rt delete --force "$ID"
	wait_for no_own_processes
	assert_eq "$(own_cgroups)" ""
	run rt state "$ID"
	assert_failed
}

@test "pause, KILL and delete --force without a pid namespace" {
	need_sandlock
	config '.linux.namespaces |= map(select(.type != "pid"))'
	args sh -c '(setsid sh -c "while :; do echo beat >>/tmp/beat; sleep 0.05; done") & sleep 1111'
	create_start "$ID"
	wait_for [ -s "$BUNDLE/rootfs/tmp/beat" ]
	rt pause "$ID"
	stands_still
	rt kill --all "$ID" KILL
	wait_state "$ID" stopped
	wait_for no_sleep
	rt delete "$ID"
	rm "$BUNDLE/rootfs/tmp/beat"
	create_start "$ID"
	wait_for [ -s "$BUNDLE/rootfs/tmp/beat" ]
	rt pause "$ID"
	rt delete --force "$ID"
	wait_for no_own_processes
}

@test "exec in a paused container is refused" {
	start_beating
	rt pause "$ID"
	RT_TIMEOUT=10 run rt exec "$ID" true
	assert_failed
	assert_output 'paused'
	rt resume "$ID"
	rt exec "$ID" true
}

@test "a container that others froze is told as paused, and can be resumed" {
	start_beating
	freeze_by_hand 1
	wait_state "$ID" paused
	run rt pause "$ID"
	assert_failed
	rt resume "$ID"
	assert_eq "$(status_of "$ID")" running
	job_beats
}

@test "processes in cgroups below the container's stand still, too" {
	need_sandlock
	start_beating
	local file
	file=$(cgroup_file freezer.state cgroup.freeze)
	mkdir "$(dirname "$file")/below"
	args sleep 100
	for pid in $(rt ps --format json "$ID" | jq .[]); do
		echo "$pid" >"$(dirname "$file")/below/cgroup.procs" || true
	done
	rt pause "$ID"
	stands_still
	rt resume "$ID"
	job_beats
}

@test "a container without a cgroup cannot be paused, and is not told as paused" {
	need_sandlock
	args sleep 100
	rt --cgroup-manager=disabled create --bundle "$BUNDLE" "$ID" </dev/null >/dev/null 2>"$T/err"
	start "$ID"
	run rt pause "$ID"
	assert_failed
	assert_output 'no cgroup'
	assert_eq "$(status_of "$ID")" running
}

@test "pause beside delete --force never keeps it from ending" {
	local round
	args sh -c 'sleep 1111 & sleep 1112'
	for round in $(seq 15); do
		create_start "$ID"
		background rt pause "$ID" 2>/dev/null
		RT_TIMEOUT=20 rt delete --force "$ID"
		wait "$LAST_BACKGROUND" || true
		no_own_processes || wait_for no_own_processes
	done
}
