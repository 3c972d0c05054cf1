#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
load helpers

COMMANDS="create start run state kill delete list spec features wait"

# Every line of a JSON log: an object with level, msg and time; the last one tells why the call failed.
check_json_log() {
	[ -s "$1" ] || fail "the log is empty"
	jq -es 'length > 0 and all(.[]; has("level") and has("msg") and has("time"))' "$1" >/dev/null || fail "bad log: $(cat "$1")"
	assert_eq "$(wc -l <"$1")" "$(jq -s length "$1")" "one object per line"
	jq -es 'last | (.level == "error" or .level == "fatal") and (.msg | length > 0)' "$1" >/dev/null || fail "last line: $(tail -1 "$1")"
	# RFC 3339
	jq -es 'all(.[]; .time | test("^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]+)?(Z|[+-][0-9]{2}:[0-9]{2})$"))' "$1" >/dev/null
}

@test "--version names the program, its version and the specification's" {
	need_sandlock
	run "$SANDLOCK" --version
	assert_status 0
	assert_output '^sandlock-oci version [0-9]+\.[0-9]+\.[0-9]+'
	assert_output '^spec: 1\.[0-9]+\.[0-9]+'
}

@test "--help lists every command" {
	need_sandlock
	run "$SANDLOCK" --help
	assert_status 0
	local command
	for command in $COMMANDS; do
		assert_output "^ *$command( |\$)"
	done
}

@test "every command has a help, which names its options" {
	need_sandlock
	local command
	for command in $COMMANDS; do
		run "$SANDLOCK" "$command" --help
		assert_status 0
		assert_output "[Uu]sage:.*$command"
	done
	run "$SANDLOCK" create --help
	local option
	for option in bundle pid-file console-socket no-pivot preserve-fds no-new-keyring owner; do
		assert_output "--$option"
	done
	run "$SANDLOCK" run --help
	assert_output '--detach'
	assert_output '--keep'
}

@test "without a command the program fails and prints its usage" {
	need_sandlock
	run "$SANDLOCK"
	assert_failed
	assert_output '[Uu]sage'
}

@test "an unknown command fails" {
	run "$SANDLOCK" frobnicate
	assert_failed
}

@test "an unknown option is an error with the usage line, global and of a command" {
	run "$SANDLOCK" --frobnicate list
	assert_failed
	run rt create --frobnicate "$ID"
	assert_failed
	need_sandlock
	assert_output 'frobnicate'
	assert_output '[Uu]sage'
	local command
	for command in $COMMANDS; do
		run rt "$command" --frobnicate "$ID"
		assert_failed
		assert_output 'frobnicate'
	done
}

@test "an option without its argument is an error" {
	need_sandlock
	run rt create --bundle
	assert_failed
	assert_output 'bundle'
	run "$SANDLOCK" --root
	assert_failed
}

@test "options take their argument after a space and after =" {
	args true
	run rt run --bundle="$BUNDLE" --pid-file="$T/pid" "$ID" </dev/null
	assert_status 0
	[ -s "$T/pid" ]
	run "$SANDLOCK" --root="$ROOT" list -q
	assert_status 0
}

@test "a missing or an excess id is an error" {
	local command
	for command in create start state kill delete; do
		run rt $command </dev/null
		assert_failed
		run rt $command one two three </dev/null
		assert_failed
	done
}

@test "ids that are no file names are refused, by every command" {
	local id command
	for id in . .. a/b ../up /abs "" "a b" $'a\nb' 'a*'; do
		for command in create start state kill delete; do
			run rt $command "$id" </dev/null
			assert_failed
		done
	done
	[ ! -e "$T/up" ]
}

@test "--force does not excuse a bad id" {
	need_sandlock
	run rt delete --force ../up
	assert_failed
}

@test "an id of 1024 bytes is refused, one with all allowed characters is not" {
	run rt create --bundle "$BUNDLE" "$(printf 'x%.0s' {1..1025})" </dev/null
	assert_failed
	args true
	run rt run --bundle "$BUNDLE" "$ID-a.B_c+9" </dev/null
	assert_status 0
}

@test "errors are JSON lines in the log file, the fatal one last" {
	rm "$BUNDLE/config.json"
	run rt --log "$T/log" --log-format json create --bundle "$BUNDLE" "$ID" </dev/null
	assert_failed
	check_json_log "$T/log"
	jq -es 'last.msg | test("config[.]json")' "$T/log"
}

@test "a failure of the program's lookup is the log's last line, in the engines' words" {
	args no-such-program
	run rt --log "$T/log" --log-format json create --bundle "$BUNDLE" "$ID" </dev/null
	assert_failed
	check_json_log "$T/log"
	jq -es 'last.msg | test("executable file not found in [$]PATH|no such file or directory")' "$T/log"
}

@test "an unknown id, a bad option and a bad id are in the JSON log too" {
	local i=0
	run rt --log "$T/log.1" --log-format json state "$ID"
	check_json_log "$T/log.1"
	jq -es 'last.msg | test("does not exist")' "$T/log.1"
	need_sandlock
	run rt --log "$T/log.2" --log-format json create --frobnicate "$ID"
	check_json_log "$T/log.2"
	run rt --log "$T/log.3" --log-format json create ..
	check_json_log "$T/log.3"
	run rt --log "$T/log.4" --log-format json create
	check_json_log "$T/log.4"
}

@test "messages with quotes, control characters and broken UTF-8 stay valid JSON" {
	args $'no-such-"quote"\\ \x01\ttab'
	run rt --log "$T/log" --log-format json create --bundle "$BUNDLE" "$ID" </dev/null
	assert_failed
	check_json_log "$T/log"
	run rt --log "$T/log.2" --log-format json create --bundle "$T/"$'\xff\xfe' "$ID" </dev/null
	assert_failed
	check_json_log "$T/log.2"
}

@test "the log file is appended to" {
	run rt --log "$T/log" --log-format json state "$ID"
	run rt --log "$T/log" --log-format json state "$ID"
	check_json_log "$T/log"
	[ "$(wc -l <"$T/log")" -ge 2 ]
}

@test "the text log has a line with the error" {
	run rt --log "$T/log" --log-format text state "$ID"
	assert_failed
	grep -q 'does not exist' "$T/log"
}

@test "an unknown log format is refused" {
	run rt --log-format yaml list
	assert_failed
}

@test "a log file that can't be opened is an error" {
	run rt --log "$T/none/log" list
	assert_failed
}

@test "--debug adds lines, the fatal one stays the last" {
	args no-such-program
	run rt --debug --log "$T/log" --log-format json create --bundle "$BUNDLE" "$ID" </dev/null
	assert_failed
	check_json_log "$T/log"
	jq -es 'any(.[]; .level == "debug")' "$T/log"
}

@test "a successful call logs no error" {
	args true
	rt --log "$T/log" --log-format json run --bundle "$BUNDLE" "$ID" </dev/null
	[ ! -s "$T/log" ] || jq -es 'all(.[]; .level != "error" and .level != "fatal")' "$T/log"
}

@test "without a log file the error is on stderr and stdout stays empty" {
	rt state "$ID" >"$T/out" 2>"$T/err" && fail "succeeded"
	grep -q 'does not exist' "$T/err"
	[ ! -s "$T/out" ]
}

@test "features is JSON that names the specification's range, hooks, mounts and namespaces" {
	need_sandlock
	rt features >"$T/features"
	jq -e '.ociVersionMin and .ociVersionMax' "$T/features"
	jq -e '.hooks | contains(["prestart", "createRuntime", "createContainer", "startContainer", "poststart", "poststop"])' "$T/features"
	jq -e '.mountOptions | contains(["rbind", "ro", "rro", "nosuid", "rslave"])' "$T/features"
	jq -e '.linux.namespaces | contains(["pid", "user", "mount", "network", "ipc", "uts", "cgroup", "time"])' "$T/features"
	jq -e '.linux.capabilities | contains(["CAP_SYS_ADMIN"])' "$T/features"
	jq -e '.linux.seccomp | .enabled and (.actions | contains(["SCMP_ACT_ERRNO"])) and (.operators | contains(["SCMP_CMP_EQ"]))' "$T/features"
}

@test "spec writes a config.json that runs" {
	cd "$BUNDLE"
	rm config.json
	rt spec
	jq -e '.ociVersion and .process.args and .root.path == "rootfs"' config.json
	config '.process.terminal = false'
	args sh -c 'echo from-spec'
	run rt run "$ID" </dev/null
	assert_status 0
	assert_output '^from-spec$'
}

@test "spec does not overwrite, and --bundle says where" {
	mkdir "$T/other"
	rt spec --bundle "$T/other"
	[ -s "$T/other/config.json" ]
	cp "$T/other/config.json" "$T/before"
	run rt spec --bundle "$T/other"
	assert_failed
	assert_output 'exist'
	cmp "$T/before" "$T/other/config.json"
}

@test "spec --rootless maps ids and leaves out what needs privilege" {
	mkdir "$T/other"
	rt spec --rootless --bundle "$T/other"
	jq -e '.linux.namespaces | any(.type == "user")' "$T/other/config.json"
	jq -e '.linux.uidMappings | length > 0' "$T/other/config.json"
	jq -e '.linux.gidMappings | length > 0' "$T/other/config.json"
	jq -e '.linux.namespaces | all(.type != "network")' "$T/other/config.json"
}

@test "global options that engines pass are accepted" {
	need_sandlock
	args true
	run rt --systemd-cgroup list -q
	assert_status 0
	run rt --cgroup-manager cgroupfs list -q
	assert_status 0
	run rt --cgroup-manager disabled list -q
	assert_status 0
	run rt --cgroup-manager nonsense list -q
	assert_failed
	run rt --rootless true list -q
	assert_status 0
}

@test "calls work with an empty environment" {
	args true
	run env -i "$SANDLOCK" --root "$ROOT" run --bundle "$BUNDLE" "$ID" </dev/null
	assert_status 0
}

@test "calls work with closed standard descriptors" {
	args sleep 100
	create_start "$ID"
	"$SANDLOCK" --root "$ROOT" state "$ID" <&- 2>&- | jq -e .pid
	"$SANDLOCK" --root "$ROOT" kill "$ID" KILL <&- >&- 2>&-
	wait_state "$ID" stopped
	"$SANDLOCK" --root "$ROOT" delete "$ID" <&- >&- 2>&-
}
