#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
load helpers

# A hook of the host that appends its name to $T/order. $1: kind; $2: word
hook() {
	config --arg kind "$1" --arg text "echo $2 >>$T/order" \
		'.hooks[$kind] += [{"path": "/bin/sh", "args": ["sh", "-c", $text]}]'
}

# Any hook: $1: kind; $2: shell text; $3: JSON to merge
hook_script() {
	config --arg kind "$1" --arg text "$2" --argjson more "${3:-{\}}" \
		'.hooks[$kind] += [{"path": "/bin/sh", "args": ["sh", "-c", $text]} + $more]'
}

order() {
	xargs <"$T/order"
}

# So that hooks in the container and the program can write the same file.
share_order() {
	touch "$T/order"
	config --arg s "$T" '.mounts += [{"destination": "/shared", "type": "bind", "source": $s, "options": ["bind"]}]'
}

@test "the six kinds run in the order of the specification" {
	share_order
	hook prestart prestart
	hook createRuntime createRuntime
	# createContainer: path in the runtime's namespace, process in the container's
	hook createContainer createContainer
	hook_script startContainer 'echo startContainer >>/shared/order'
	hook poststart poststart
	hook poststop poststop
	args sh -c 'echo program >>/shared/order'
	create "$ID"
	assert_eq "$(order)" "prestart createRuntime createContainer"
	start "$ID"
	wait_state "$ID" stopped
	[[ $(order) == "prestart createRuntime createContainer startContainer"* ]]
	[[ $(order) == *poststart* && $(order) == *program* ]]
	[[ $(order) != *poststop* ]]
	rt delete "$ID"
	[[ $(order) == *" poststop" ]]
}

@test "hooks of a kind run in the listed order" {
	hook createRuntime one
	hook createRuntime two
	hook createRuntime three
	create "$ID"
	assert_eq "$(order)" "one two three"
}

@test "hooks get the state on stdin, with the status of their time" {
	local kind
	for kind in prestart createRuntime poststart poststop; do
		hook_script $kind "cat >$T/$kind.json"
	done
	hook_script createContainer "cat >$T/createContainer.json"
	share_order
	hook_script startContainer "cat >/shared/startContainer.json"
	config '.annotations = {"org.example": "value"}'
	args sleep 100
	create_start "$ID"
	local pid
	pid=$(pid_of "$ID")
	rt delete --force "$ID"
	for kind in prestart createRuntime createContainer startContainer poststart poststop; do
		jq -e --arg id "$ID" --arg b "$BUNDLE" '.id == $id and .bundle == $b and .ociVersion != null and .annotations["org.example"] == "value"' \
			"$T/$kind.json" >/dev/null || fail "$kind: $(cat "$T/$kind.json")"
	done
	for kind in prestart createRuntime poststart; do
		jq -e --argjson pid "$pid" '.pid == $pid' "$T/$kind.json"
	done
	# runtime.md can be read both ways: they run within create, but after its step 2
	jq -e '.status == "creating" or .status == "created"' "$T/createRuntime.json"
	jq -e '.status == "creating" or .status == "created"' "$T/createContainer.json"
	jq -e '.status == "running"' "$T/poststart.json"
	jq -e '.status == "stopped"' "$T/poststop.json"
	need_sandlock
	jq -e '.status == "created"' "$T/startContainer.json"
}

@test "the environment of a hook is what config.json says, and nothing else" {
	hook_script createRuntime "env >$T/env" '{"env": ["ONE=1", "PATH=/bin:/usr/bin"]}'
	LEAKED=yes create "$ID"
	grep -qx 'ONE=1' "$T/env"
	refute grep -q LEAKED "$T/env"
	need_sandlock
	new_bundle other
	hook_script createRuntime "/usr/bin/env >$T/env2" '{"env": []}'
	LEAKED=yes create "$(unique_id 2)"
	refute grep -q LEAKED "$T/env2"
}

@test "a hook without env gets the environment of create, a startContainer hook that of the process" {
	local kind
	share_order
	for kind in prestart createRuntime createContainer poststart poststop; do
		hook_script "$kind" "/usr/bin/env >$T/$kind.env"
	done
	hook_script startContainer "env >/shared/startContainer.env"
	config '.process.env += ["INSIDE=yes"]'
	args sleep 100
	INHERITED=yes create "$ID"
	start "$ID"
	rt delete --force "$ID"
	for kind in prestart createRuntime createContainer; do
		grep -qx INHERITED=yes "$T/$kind.env" || fail "$kind: $(cat "$T/$kind.env")"
	done
	[ -s "$T/poststart.env" ] && [ -s "$T/poststop.env" ]
	grep -qx INSIDE=yes "$T/startContainer.env"
	refute grep -q INHERITED "$T/startContainer.env"
}

@test "prestart and createRuntime run in the runtime's namespaces, before pivot_root, with the new ones made" {
	hook_script createRuntime "readlink /proc/self/ns/mnt >$T/mnt; readlink /proc/self/ns/net >$T/net
		sed 's/.*\"pid\": *\\([0-9]*\\).*/\\1/' >$T/pid; readlink /proc/\$(cat $T/pid)/ns/net >$T/inner"
	create "$ID"
	assert_eq "$(cat "$T/mnt")" "$(readlink /proc/self/ns/mnt)"
	assert_eq "$(cat "$T/net")" "$(readlink /proc/self/ns/net)"
	[ "$(cat "$T/inner")" != "$(readlink /proc/self/ns/net)" ]
}

@test "createContainer hooks run in the container's namespaces, with the host's paths" {
	hook_script createContainer "readlink /proc/self/ns/mnt >$T/mnt; readlink /proc/self/ns/net >$T/net; test -d $BUNDLE/rootfs"
	create "$ID"
	assert_eq "$(cat "$T/net")" "$(readlink "/proc/$(pid_of "$ID")/ns/net")"
	assert_eq "$(cat "$T/mnt")" "$(readlink "/proc/$(pid_of "$ID")/ns/mnt")"
}

@test "mounts made by a createContainer hook are seen by the program, not by the host" {
	hook_script createContainer "mount -t tmpfs -o size=64k hook $BUNDLE/rootfs/mnt && echo from-hook >$BUNDLE/rootfs/mnt/file"
	run_script 'cat /mnt/file'
	assert_status 0
	assert_output '^from-hook$'
}

@test "startContainer hooks run inside, after start was asked for and before the program" {
	program /bin/my-hook <<-'END'
		#!/bin/sh
		echo "hook $(cat /proc/sys/kernel/hostname)" >>/tmp/order
	END
	config '.hooks.startContainer = [{"path": "/bin/my-hook"}]'
	args sh -c 'echo program >>/tmp/order'
	create "$ID"
	[ ! -e "$BUNDLE/rootfs/tmp/order" ]
	start "$ID"
	wait_state "$ID" stopped
	assert_eq "$(cat "$BUNDLE/rootfs/tmp/order")" $'hook box\nprogram'
}

@test "a failing prestart, createRuntime or createContainer hook fails create, and poststop hooks run" {
	local kind
	for kind in prestart createRuntime createContainer; do
		new_bundle "bundle-$kind"
		hook_script $kind 'echo broken-hook >&2; exit 7'
		hook_script $kind "echo not-reached >>$T/order"
		run rt create --bundle "$BUNDLE" "$ID" </dev/null
		assert_failed
		assert_output 'hook'
		run rt state "$ID"
		assert_failed
	done
	[ ! -e "$T/order" ]
	need_sandlock
	new_bundle last
	hook_script createRuntime 'exit 7'
	hook poststop poststop
	run rt create --bundle "$BUNDLE" "$ID" </dev/null
	assert_failed
	assert_eq "$(order)" poststop
}

@test "the exit status and the output of a failing hook are in the error" {
	hook_script createRuntime 'echo broken-hook >&2; exit 7'
	run rt create --bundle "$BUNDLE" "$ID" </dev/null
	assert_failed
	assert_output '7'
	assert_output 'broken-hook'
}

@test "a failing startContainer hook fails start and the program does not run" {
	program /bin/my-hook <<<$'#!/bin/sh\nexit 7'
	config '.hooks.startContainer = [{"path": "/bin/my-hook"}]'
	args sh -c 'echo program >>/tmp/order; sleep 100'
	create "$ID"
	run rt start "$ID"
	need_sandlock
	assert_failed
	assert_output 'hook'
	wait_for is_ended "$ID"
	[ ! -e "$BUNDLE/rootfs/tmp/order" ]
}

is_ended() {
	local status
	status=$(status_of "$1")
	[ "$status" = stopped ] || [ -z "$status" ]
}

@test "a failing poststart hook fails start, and the container is stopped and destroyed" {
	need_sandlock
	hook_script poststart 'exit 7'
	hook poststart not-reached
	hook poststop poststop
	args sleep 1111
	create "$ID"
	run rt start "$ID"
	assert_failed
	assert_output 'hook'
	[ -z "$(own_named sleep)" ]
	assert_eq "$(order)" poststop
	run rt state "$ID"
	assert_failed
}

@test "a failing poststop hook is a warning, the others run on" {
	need_sandlock
	hook_script poststop 'exit 7'
	hook poststop second
	create_start "$ID"
	wait_state "$ID" stopped
	run rt --log "$T/log" --log-format json delete "$ID"
	assert_status 0
	assert_eq "$(order)" second
	jq -es 'any(.[]; .level == "warning" and (.msg | test("hook")))' "$T/log"
	run rt state "$ID"
	assert_failed
}

@test "poststop hooks run when all is gone" {
	hook_script poststop "grep -s ^State: /proc/\$(cat $T/pid)/status | grep -v Z >$T/left; true"
	args sleep 100
	create "$ID" --pid-file "$T/pid"
	start "$ID"
	rt delete --force "$ID"
	[ -e "$T/left" ]
	assert_eq "$(cat "$T/left")" ""
}

@test "a hook that exceeds its timeout is killed, and create fails in time" {
	hook_script createRuntime 'exec sleep 1111' '{"timeout": 1}'
	local begin
	begin=$(milliseconds)
	run rt create --bundle "$BUNDLE" "$ID" </dev/null
	assert_failed
	[ $(($(milliseconds) - begin)) -lt 5000 ]
	[ -z "$(own_named sleep)" ]
}

@test "a timeout reaches the hook's grandchildren" {
	need_sandlock
	hook_script createRuntime 'sleep 1111 & sleep 1112 & wait' '{"timeout": 1}'
	run rt create --bundle "$BUNDLE" "$ID" </dev/null
	assert_failed
	assert_output 'time'
	[ -z "$(own_named sleep)" ]
}

@test "a timeout reaches grandchildren that left the process group and the session" {
	need_sandlock
	hook_script createRuntime 'setsid sleep 1111 & exec sleep 1112' '{"timeout": 1}'
	run rt create --bundle "$BUNDLE" "$ID" </dev/null
	assert_failed
	[ -z "$(own_named sleep)" ]
}

@test "a hook that left a process behind with its stdout does not hang create" {
	need_sandlock
	hook_script createRuntime "sleep 3 & echo done >>$T/order"
	local begin
	begin=$(milliseconds)
	create "$ID"
	[ $(($(milliseconds) - begin)) -lt 2500 ]
	assert_eq "$(order)" "done"
	WAIT_SECONDS=6 wait_for no_process_named_sleep
}

no_process_named_sleep() {
	[ -z "$(own_named sleep)" ]
}

@test "hook args: the first one is argv[0], without args it is the path" {
	cat >"$T/hook" <<-END
		#!/bin/sh
		echo "\$# \$1 \$2" >>$T/args
	END
	chmod +x "$T/hook"
	config --arg p "$T/hook" '.hooks.createRuntime = [{"path": $p}, {"path": $p, "args": ["name", "first", "second"]}]'
	create "$ID"
	assert_eq "$(cat "$T/args")" $'0  \n2 first second'
}

@test "a relative hook path and a missing one are errors" {
	config '.hooks.createRuntime = [{"path": "bin/true"}]'
	run rt create --bundle "$BUNDLE" "$ID" </dev/null
	assert_failed
	config '.hooks.createRuntime = [{"path": "/no/such/hook"}]'
	run rt create --bundle "$BUNDLE" "$ID" </dev/null
	assert_failed
	assert_output 'no/such/hook'
}

@test "a hook that does not read its stdin is no error" {
	config '.annotations = ([range(2000) | {key: "key\(.)", value: "some value that takes space"}] | from_entries)'
	hook_script createRuntime 'exit 0'
	create "$ID"
}

@test "stray descriptors of the caller do not reach hooks" {
	hook_script createRuntime "ls /proc/self/fd >$T/fds"
	exec 17<"$SL_BASE"
	create "$ID"
	exec 17<&-
	refute grep -qx 17 "$T/fds"
	need_sandlock
	# 0, 1, 2 and the directory that ls reads
	assert_eq "$(xargs <"$T/fds")" "0 1 2 3"
}
