#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
load helpers

# Receives the terminal into $T/screen; what recvtty says is in $T/recv. Arguments go to recvtty.
receive() {
	background "$SL_TOP/tests/tools/recvtty" "$T/console" "$@" </dev/null >"$T/screen" 2>"$T/recv"
	RECEIVER=$LAST_BACKGROUND
	wait_for [ -S "$T/console" ]
}

terminal() {
	config '.process.terminal = true'
	args sh -c "$1"
}

received() {
	wait_for file_has "$T/recv" '^received'
}

@test "the console socket gets the master of the terminal" {
	terminal 'tty; test -t 0 && test -t 1 && test -t 2 && echo terminal'
	receive
	create "$ID" --console-socket "$T/console"
	received
	file_has "$T/recv" 'with 1 descriptors'
	start "$ID"
	wait "$RECEIVER"
	assert_eq "$(tr -d '\r' <"$T/screen")" $'/dev/console\nterminal' || assert_eq "$(tr -d '\r' <"$T/screen")" $'/dev/pts/0\nterminal'
}

@test "input reaches the program, output its reader" {
	terminal 'read line; echo "got: $line"'
	receive --send 'hello\n'
	create "$ID" --console-socket "$T/console"
	start "$ID"
	wait "$RECEIVER"
	grep -q 'got: hello' "$T/screen"
}

@test "it is the controlling terminal: ^C sends SIGINT, /dev/tty opens" {
	terminal 'trap "echo interrupted; exit 0" INT; echo ready >/dev/tty; while :; do sleep 0.1; done'
	receive --after ready --send '\x03'
	create "$ID" --console-socket "$T/console"
	start "$ID"
	wait_state "$ID" stopped
	wait "$RECEIVER"
	file_has "$T/screen" 'interrupted'
}

@test "/dev/console is the terminal" {
	terminal 'echo to-console >/dev/console; stat -c %F /dev/console'
	receive
	create "$ID" --console-socket "$T/console"
	start "$ID"
	wait "$RECEIVER"
	grep -q 'to-console' "$T/screen"
	grep -q 'character special file' "$T/screen"
}

@test "consoleSize sets the size" {
	config '.process.consoleSize = {"height": 33, "width": 99}'
	terminal 'stty size'
	receive
	create "$ID" --console-socket "$T/console"
	start "$ID"
	wait "$RECEIVER"
	file_has "$T/recv" '^size 33 99$'
	grep -q '33 99' "$T/screen"
}

@test "the reader's resize reaches the program" {
	terminal 'sleep 0.3; stty size'
	receive --resize 50x120
	create "$ID" --console-socket "$T/console"
	start "$ID"
	wait "$RECEIVER"
	grep -q '50 120' "$T/screen"
}

@test "the terminal belongs to the user" {
	config '.process.user = {"uid": 1000, "gid": 1000}'
	terminal 'stat -c %u $(readlink /proc/self/fd/0); echo x >$(readlink /proc/self/fd/0)'
	receive
	create "$ID" --console-socket "$T/console"
	start "$ID"
	wait "$RECEIVER"
	grep -q '^1000' "$T/screen"
	refute grep -q 'denied' "$T/screen"
}

@test "the tail of the output is not lost when the program has gone" {
	terminal 'i=0; while [ $i -lt 50 ]; do echo line-$i; i=$((i+1)); done'
	mkfifo "$T/go"
	background "$SL_TOP/tests/tools/recvtty" "$T/console" --hold <>"$T/go" >"$T/screen" 2>"$T/recv"
	RECEIVER=$LAST_BACKGROUND
	wait_for [ -S "$T/console" ]
	create "$ID" --console-socket "$T/console"
	received
	start "$ID"
	wait_state "$ID" stopped
	echo >"$T/go"
	wait "$RECEIVER"
	grep -q 'line-49' "$T/screen"
}

@test "terminal without a console socket is refused by create, a socket without terminal too" {
	terminal true
	run rt create --bundle "$BUNDLE" "$ID" </dev/null
	assert_failed
	config '.process.terminal = false'
	receive
	run rt create --bundle "$BUNDLE" --console-socket "$T/console" "$ID" </dev/null
	assert_failed
}

@test "a console socket that nobody listens on is an error, and nothing is left" {
	terminal true
	run rt create --bundle "$BUNDLE" --console-socket "$T/none" "$ID" </dev/null
	assert_failed
	run rt state "$ID"
	assert_failed
}

@test "foreground run on a terminal: the size is taken over, output is complete, the exit status passed on" {
	terminal 'stty size; head -c 20000 /dev/zero | tr "\0" x; echo end; exit 5'
	run /usr/bin/python3 "$SL_TOP/tests/tools/withtty" 44 111 "$SANDLOCK" --root "$ROOT" run --bundle "$BUNDLE" "$ID"
	assert_status 5
	assert_output '44 111'
	assert_output 'x+end'
	assert_eq "$(tr -cd x <<<"$output" | wc -c)" 20000
}

@test "foreground run on a terminal restores the terminal's modes" {
	terminal 'stty raw -echo; true'
	run /usr/bin/python3 "$SL_TOP/tests/tools/withtty" --compare-modes 24 80 "$SANDLOCK" --root "$ROOT" run --bundle "$BUNDLE" "$ID"
	assert_status 0
	assert_output 'modes unchanged'
}
