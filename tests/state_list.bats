#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
load helpers

@test "state has the fields of the specification" {
	args sleep 100
	config '.annotations = {"org.example.key": "value", "quoted": "a\"b\\c\n"}'
	create "$ID"
	rt state "$ID" >"$T/state"
	jq -e --arg id "$ID" '.id == $id' "$T/state"
	jq -e '.ociVersion | test("^1[.][0-9]+[.][0-9]+")' "$T/state"
	jq -e '.status == "created"' "$T/state"
	jq -e '.pid | type == "number" and . > 0' "$T/state"
	jq -e --arg bundle "$BUNDLE" '.bundle == $bundle' "$T/state"
	jq -e '.annotations["org.example.key"] == "value" and .annotations.quoted == "a\"b\\c\n"' "$T/state"
}

@test "state follows created, running, stopped" {
	args sleep 100
	create "$ID"
	assert_eq "$(status_of "$ID")" created
	start "$ID"
	assert_eq "$(status_of "$ID")" running
	rt kill "$ID" KILL
	wait_state "$ID" stopped
}

@test "state of a stopped container has no pid of a process" {
	create_start "$ID"
	wait_state "$ID" stopped
	rt state "$ID" | jq -e '(has("pid") | not) or .pid == 0'
}

@test "state of an unknown container fails" {
	run rt state "$ID"
	assert_failed
	assert_output 'does not exist'
}

@test "state of a deleted container fails" {
	create_start "$ID"
	wait_state "$ID" stopped
	rt delete "$ID"
	run rt state "$ID"
	assert_failed
}

@test "the main process is in the container's pid namespace and state names it" {
	args sleep 100
	create_start "$ID"
	local pid
	pid=$(pid_of "$ID")
	assert_eq "$(tr '\0' ' ' <"/proc/$pid/cmdline")" "sleep 100 "
	[ "$(readlink "/proc/$pid/ns/pid")" != "$(readlink /proc/self/ns/pid)" ]
}

@test "list shows all containers: table, json, ids" {
	args sleep 100
	local a b
	a=$(unique_id a) b=$(unique_id b)
	create "$a"
	create_start "$b"
	run rt list
	assert_status 0
	assert_output '^ID +PID +STATUS +BUNDLE +CREATED +OWNER'
	assert_output "^$a +$(pid_of "$a") +created +$BUNDLE +[0-9]{4}-[0-9-]+T[0-9:.]+Z +root"
	assert_output "^$b +$(pid_of "$b") +running "
	rt list --format json >"$T/list"
	jq -e 'length == 2' "$T/list"
	jq -e --arg a "$a" '.[] | select(.id == $a) | .status == "created" and .pid > 0 and .bundle != "" and .created != "" and .owner == "root"' "$T/list"
	assert_eq "$(rt list -q | sort | tr '\n' ' ')" "$a $b "
	assert_eq "$(rt list --quiet | wc -l)" 2
}

@test "list of nothing: a header, an empty array, no line" {
	run rt list
	assert_status 0
	assert_output '^ID '
	assert_eq "$(wc -l <<<"$output")" 1
	run rt list -q
	assert_status 0
	assert_eq "$output" ""
	run rt list --format json
	assert_status 0
	[ "$output" = null ] || [ "$output" = "[]" ]
}

@test "list never shows the number of a main process that is gone" {
	create_start "$ID"
	wait_state "$ID" stopped
	run rt list
	assert_output "^$ID .*stopped"
	need_sandlock
	assert_output "^$ID +(0|-|\(main exited\)) +stopped"
}

@test "list refuses an unknown format" {
	run rt list --format yaml
	assert_failed
}

@test "one broken record does not break list" {
	need_sandlock
	args sleep 100
	create "$ID"
	mkdir -p "$ROOT/broken-$ID" "$ROOT/empty-$ID"
	echo '{ "id": ' >"$ROOT/broken-$ID/state.json"
	run rt list -q
	assert_status 0
	assert_output "^$ID\$"
	rm -rf "$ROOT/broken-$ID" "$ROOT/empty-$ID"
}

@test "containers of one root are unknown in another" {
	args sleep 100
	create "$ID"
	run "$SANDLOCK" --root "$T/other" state "$ID"
	assert_failed
	run "$SANDLOCK" --root "$T/other" list -q
	assert_status 0
	assert_eq "$output" ""
	# and the same id can live in both, unless they want the same cgroup
	config --arg path "/$ID-other" '.linux.cgroupsPath = $path'
	"$SANDLOCK" --root "$T/other" create --bundle "$BUNDLE" "$ID" </dev/null >/dev/null 2>&1
	"$SANDLOCK" --root "$T/other" delete --force "$ID"
	assert_eq "$(status_of "$ID")" created
}

@test "the state root is reached through a symbolic link as well" {
	args sleep 100
	create "$ID"
	ln -s "$ROOT" "$T/link"
	"$SANDLOCK" --root "$T/link" state "$ID" | jq -e '.status == "created"'
	cd "$T"
	"$SANDLOCK" --root oci-root state "$ID" | jq -e '.status == "created"'
}
