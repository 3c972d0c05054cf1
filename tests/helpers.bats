#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The leak check that follows every test can fail: each kind of leak is made and must be found.
load helpers

leaks() {
	run check_leaks
	assert_status 1
	assert_output "$1"
}

@test "a forgotten process is found, in whatever namespace and session it hides" {
	setsid unshare --pid --mount --fork sh -c 'cd /; exec sleep 1000' </dev/null >/dev/null 2>&1 3>&- &
	disown
	wait_for own_process_named_sleep
	leaks 'leaked processes'
	wait_for no_own_processes
}

own_process_named_sleep() {
	[ -n "$(own_named sleep)" ]
}

@test "a mount left on the host is found" {
	mkdir "$T/mounted"
	mount -t tmpfs leak "$T/mounted"
	leaks 'the mounts of the host changed'
	! mountpoint -q "$T/mounted"
}

@test "a cgroup left behind is found" {
	local first
	first=$(awk '$9 ~ /^cgroup2?$/ || $8 ~ /^cgroup2?$/ { print $5; exit }' /proc/self/mountinfo)
	[ -n "$first" ] || skip "no cgroup file system"
	mkdir "$first/$ID"
	leaks 'leaked cgroups'
	[ ! -d "$first/$ID" ]
}

@test "a record left below --root is found" {
	mkdir -p "$ROOT/$ID"
	leaks 'leaked files'
	rmdir "$ROOT/$ID" "$ROOT"
}

@test "a test that leaves nothing passes the check" {
	args true
	rt run --bundle "$BUNDLE" "$ID" </dev/null
	check_leaks
}
