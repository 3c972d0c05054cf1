#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
load helpers
load cgroups

setup() {
	common_setup
	need_sandlock
	limit_memory
}

@test "a main process that was killed for lack of memory is told as such" {
	args sh -c "exec $HUNGRY"
	create_start "$ID"
	wait_state "$ID" stopped
	assert_eq "$(rt wait --json "$ID" | jq -c .)" '{"result":"exited","signal":9,"oomKilled":true}'
	rt state "$ID" | jq -e '.session.oom and .session.main.signal == 9'
	rt list --format json | jq -e '.[0].session.oom'
	assert_eq "$(rt wait "$ID")" 137
}

@test "one who waits when it happens is told" {
	args sh -c "while [ ! -e /tmp/go ]; do sleep 0.02; done; exec $HUNGRY"
	create_start "$ID"
	background rt wait --json "$ID" >"$T/result"
	touch "$BUNDLE/rootfs/tmp/go"
	wait "$LAST_BACKGROUND"
	jq -e '.oomKilled and .signal == 9' "$T/result"
}

@test "without a pid namespace, too" {
	config '.linux.namespaces |= map(select(.type != "pid"))'
	args sh -c "exec $HUNGRY"
	create_start "$ID"
	wait_state "$ID" stopped
	rt wait --json "$ID" | jq -e '.oomKilled'
}

@test "a main process that was killed otherwise is not told as short of memory" {
	args sleep 100
	create_start "$ID"
	rt kill "$ID" KILL
	assert_eq "$(rt wait --json "$ID" | jq -c .)" '{"result":"exited","signal":9}'
	rt state "$ID" | jq -e '.session.oom == false'
}

# A main process that lost a child for lack of memory.
bereaved() {
	args sh -c "$HUNGRY; echo \$? >/tmp/child; $1"
	create_start "$ID"
	wait_for [ -s "$BUNDLE/rootfs/tmp/child" ]
	assert_eq "$(cat "$BUNDLE/rootfs/tmp/child")" 137
}

@test "a main process that exits after its child was killed for lack of memory was not" {
	bereaved 'exit 137'
	wait_state "$ID" stopped
	assert_eq "$(rt wait --json "$ID" | jq -c .)" '{"result":"exited","exitCode":137}'
	rt state "$ID" | jq -e '.session.oom == false'
}

# Whether somebody is connected to the session: the accepted socket has its name too.
has_client() {
	[ "$(grep -c "/$1\$" /proc/net/unix)" -ge 2 ]
}

@test "nor is one that was killed by a call after its child was killed for lack of memory" {
	bereaved 'sleep 100'
	rt kill "$ID" KILL
	assert_eq "$(rt wait --json "$ID" | jq -c .)" '{"result":"exited","signal":9}'
	rt delete "$ID"
	rm "$BUNDLE/rootfs/tmp/child"
	bereaved 'sleep 100'
	rt kill --all "$ID" KILL
	assert_eq "$(rt wait --json "$ID" | jq -c .)" '{"result":"exited","signal":9}'
	rt delete "$ID"
	rm "$BUNDLE/rootfs/tmp/child"
	bereaved 'sleep 100'
	background rt wait --json "$ID" >"$T/result"
	wait_for has_client "$ID"
	rt delete --force "$ID"
	wait "$LAST_BACKGROUND"
	jq -e '.signal == 9 and (has("oomKilled") | not)' "$T/result"
}

@test "a job that is killed for lack of memory afterwards changes nothing" {
	args sh -c "(while [ ! -e /tmp/go ]; do sleep 0.02; done; $HUNGRY; echo \$? >/tmp/child) </dev/null >/dev/null 2>&1 & exit 3"
	create_start "$ID"
	wait_state "$ID" stopped
	touch "$BUNDLE/rootfs/tmp/go"
	wait_for [ -s "$BUNDLE/rootfs/tmp/child" ]
	assert_eq "$(cat "$BUNDLE/rootfs/tmp/child")" 137
	assert_eq "$(rt wait --json "$ID" | jq -c .)" '{"result":"exited","exitCode":3}'
	rt state "$ID" | jq -e '.session.oom == false'
}

@test "a foreground run of a hungry program exits with 137" {
	args sh -c "exec $HUNGRY"
	run rt run --bundle "$BUNDLE" "$ID" </dev/null
	assert_status 137
}
