#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
load helpers

# A script that prints the shell's descriptors; the one that lists them is gone when it is looked at.
FDS='for f in /proc/$$/fd/*; do [ -L "$f" ] && printf "%s " "${f##*/}"; done; echo'

# Fails unless a pipe's reader gets end of file within two seconds. $1: descriptor number of the reader
assert_end_of_file() {
	timeout 2 cat <&"$1" >"$T/rest" || fail "no end of file: somebody holds the pipe: $(pipe_holders "$1")"
}

# Processes that have a pipe open. $1: descriptor number in this shell
pipe_holders() {
	local pipe fd
	pipe=$(readlink "/proc/$$/fd/$1")
	for fd in /proc/[0-9]*/fd/*; do
		[ "$(readlink "$fd" 2>/dev/null)" = "$pipe" ] && echo "$fd $(tr '\0' ' ' <"/proc/$(cut -d/ -f3 <<<"$fd")/cmdline")"
	done
	return 0
}

@test "stray descriptors of the caller do not reach the program" {
	exec 17<"$SL_BASE" 18>"$T/stray"
	# ls itself opens one
	run_script 'ls /proc/self/fd | wc -l; ls -l /proc/self/fd'
	exec 17<&- 18>&-
	assert_status 0
	assert_output '^4$'
	refute_output "$BATS_RUN_TMPDIR"
}

@test "the program has 0, 1 and 2 and nothing else" {
	args sh -c "$FDS"
	run rt run --bundle "$BUNDLE" "$ID" </dev/null
	assert_status 0
	assert_output '^0 1 2 $'
	create "$ID"
	start "$ID"
	wait_state "$ID" stopped
	assert_eq "$(cat "$T/$ID.out")" "0 1 2 "
}

@test "--preserve-fds passes descriptors from 3 on, and no others" {
	echo three >"$T/three"
	echo four >"$T/four"
	args sh -c "cat <&3; cat <&4; $FDS"
	exec 19<"$SL_BASE"
	run "$SANDLOCK" --root "$ROOT" run --preserve-fds 2 --bundle "$BUNDLE" "$ID" </dev/null 3<"$T/three" 4<"$T/four" 5<"$SL_BASE"
	exec 19<&-
	assert_status 0
	assert_eq "$output" $'three\nfour\n0 1 2 3 4 '
}

@test "--preserve-fds through create and start" {
	echo three >"$T/three"
	args sh -c "cat <&3; $FDS"
	"$SANDLOCK" --root "$ROOT" create --preserve-fds 1 --bundle "$BUNDLE" "$ID" </dev/null >"$T/$ID.out" 2>&1 3<"$T/three"
	start "$ID"
	wait_state "$ID" stopped
	assert_eq "$(cat "$T/$ID.out")" $'three\n0 1 2 3 '
}

@test "--preserve-fds passes what is open and nothing in the gaps" {
	need_sandlock
	echo three >"$T/three"
	echo six >"$T/six"
	args sh -c "cat <&3; cat <&6; $FDS"
	run "$SANDLOCK" --root "$ROOT" --log "$T/log" run --preserve-fds 9 --bundle "$BUNDLE" "$ID" \
		</dev/null 3<"$T/three" 4<&- 5<&- 6<"$T/six" 7<&- 8<&- 9<&- 10<&- 11<&-
	assert_status 0
	assert_eq "$output" $'three\nsix\n0 1 2 3 6 '
}

@test "--preserve-fds with a number that makes no sense is an error" {
	need_sandlock
	local bad
	for bad in -1 x 99999999999 2147483647; do
		run rt create --preserve-fds "$bad" --bundle "$BUNDLE" "$ID" </dev/null
		assert_failed
	done
}

@test "LISTEN_FDS of the runtime's environment is handed on with its descriptors" {
	echo three >"$T/three"
	echo four >"$T/four"
	args sh -c 'cat <&3; cat <&4; echo "$LISTEN_FDS"; [ "$LISTEN_PID" = $$ ] && echo pid-is-mine;'" $FDS"
	run sh -c 'LISTEN_FDS=2 LISTEN_PID=$$ exec "$0" "$@"' "$SANDLOCK" --root "$ROOT" run --bundle "$BUNDLE" "$ID" </dev/null 3<"$T/three" 4<"$T/four"
	assert_status 0
	assert_eq "$output" $'three\nfour\n2\npid-is-mine\n0 1 2 3 4 '
}

@test "the caller's pipe ends when the main process exits and no job holds it" {
	local reader writer
	mkfifo "$T/fifo"
	exec {reader}<>"$T/fifo"
	exec {writer}>"$T/fifo"
	exec {reader}<&-
	exec {reader}<"$T/fifo"
	args sh -c '(sleep 1111 </dev/null >/dev/null 2>&1 &); echo said; exit 3'
	rt create --bundle "$BUNDLE" "$ID" </dev/null >&"$writer" 2>&1 {reader}<&- {writer}>&-
	exec {writer}>&-
	start "$ID"
	assert_end_of_file "$reader"
	exec {reader}<&-
	assert_eq "$(cat "$T/rest")" said
	is_sandlock || return 0
	rt state "$ID" | jq -e '.session.processes == 1'
}

@test "the caller's pipe stays open as long as a job holds it, and ends with delete" {
	need_sandlock
	mkfifo "$T/fifo"
	exec 20<>"$T/fifo" 21>"$T/fifo"
	exec 20<&-
	exec 20<"$T/fifo"
	args sh -c 'sleep 1111 & exit 3'
	rt create --bundle "$BUNDLE" "$ID" </dev/null >&21 2>&1 20<&- 21>&-
	exec 21>&-
	start "$ID"
	wait_state "$ID" stopped
	run timeout 0.3 cat <&20
	assert_status 124
	rt delete "$ID"
	assert_end_of_file 20
	exec 20<&-
}

@test "start, state, kill and delete leave nobody behind that holds the caller's stdio" {
	args sleep 100
	create "$ID"
	local command
	# command substitution reads to the end of file
	local text
	text=$(timeout 5 "$SANDLOCK" --root "$ROOT" start "$ID" 2>&1)
	text=$(timeout 5 "$SANDLOCK" --root "$ROOT" state "$ID" 2>&1)
	text=$(timeout 5 "$SANDLOCK" --root "$ROOT" kill "$ID" KILL 2>&1)
	wait_state "$ID" stopped
	text=$(timeout 5 "$SANDLOCK" --root "$ROOT" delete "$ID" 2>&1)
}

@test "stray pipes of the caller end when create has returned, though the session lives" {
	mkfifo "$T/fifo"
	exec 20<>"$T/fifo" 21>"$T/fifo"
	exec 20<&-
	exec 20<"$T/fifo"
	args sh -c 'sleep 1111 & sleep 1112'
	create "$ID" 20<&-
	exec 21>&-
	assert_end_of_file 20
	exec 20<&-
	start "$ID"
}

@test "a container that gets its stdio closed" {
	args sh -c 'echo to-nowhere; cat; exit 3'
	run sh -c '"$0" "$@" <&- >&- 2>&-' "$SANDLOCK" --root "$ROOT" run --bundle "$BUNDLE" "$ID"
	assert_status 3
}

@test "stdio as containerd's null-io: /dev/null read-only thrice" {
	args sh -c 'cat; exit 3'
	run sh -c 'exec 0</dev/null 1</dev/null 2</dev/null; "$0" "$@"' "$SANDLOCK" --root "$ROOT" run --bundle "$BUNDLE" "$ID"
	assert_status 3
}

@test "no descriptor and no cwd leads to a host directory" {
	need_sandlock
	exec 17<"$SL_BASE"
	run_script 'for p in /proc/[0-9]*; do ls -l $p/fd $p/cwd $p/root $p/exe; done'
	exec 17<&-
	assert_status 0
	refute_output "$BATS_RUN_TMPDIR"
	refute_output "$SL_TOP"
	# no directory but the container's own (ls's /proc/N/fd)
	refute_output '-> /(tmp|work|var|sys/fs|usr|home)'
}

@test "a captured run is complete though the caller reads only afterwards: create and start" {
	args sh -c 'head -c 200000 /dev/zero | tr "\0" x; echo end'
	run "$SL_TOP/tests/tools/captured" create "$SANDLOCK" "$ROOT" "$BUNDLE" "$ID" 200000
	assert_status 0
}

@test "a captured run is complete though the caller reads only afterwards: run --detach" {
	args sh -c 'head -c 200000 /dev/zero | tr "\0" x; echo end'
	run "$SL_TOP/tests/tools/captured" detach "$SANDLOCK" "$ROOT" "$BUNDLE" "$ID" 200000
	assert_status 0
}

@test "a captured run ends at once though the program leaves a job" {
	need_sandlock
	args sh -c '(sleep 1111 </dev/null >/dev/null 2>&1 &) ; head -c 200000 /dev/zero | tr "\0" x; echo end'
	run "$SL_TOP/tests/tools/captured" create "$SANDLOCK" "$ROOT" "$BUNDLE" "$ID" 200000
	assert_status 0
}

@test "an embedder whose children never exec can end a session and make one of the same name at once" {
	args sleep 1000
	run "$TOOLS/embedder" "${EMBEDDER_ROUNDS:-1000}" 300 "$SANDLOCK" "$ROOT" "$BUNDLE" "$ID"
	assert_status 0
	assert_output "^${EMBEDDER_ROUNDS:-1000} rounds\$"
}
