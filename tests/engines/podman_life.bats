#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# podman: what is done with a container that is there.
load engines

READY_TERM='trap "exit 11" TERM; trap "echo usr1" USR1; trap "echo hup" HUP; echo ready; while :; do sleep 0.05; done'

box() {
	need podman
	podman run --detach --name box "$@" >/dev/null
}

@test "stop: TERM, in time" {
	box "$IMAGE" sh -c "$READY_TERM"
	wait_for logs_have box ready
	within 8 podman stop box >/dev/null
	assert_eq "$(inspect box '{{.State.Status}} {{.State.ExitCode}}')" "exited 11"
}

@test "stop --time: KILL for what does not listen" {
	box "$IMAGE" sh -c 'trap "" TERM; echo ready; while :; do sleep 0.05; done'
	wait_for logs_have box ready
	within 8 podman stop --time 1 box >/dev/null 2>&1
	assert_eq "$(inspect box '{{.State.ExitCode}}')" 137
	podman start box >/dev/null
	within 5 podman stop --time 0 box >/dev/null 2>&1
	assert_eq "$(inspect box '{{.State.ExitCode}}')" 137
}

@test "stop: --stop-signal, --stop-timeout" {
	box --stop-signal USR1 --stop-timeout 1 "$IMAGE" sh -c 'trap "exit 12" USR1; echo ready; while :; do sleep 0.05; done'
	wait_for logs_have box ready
	podman stop box >/dev/null
	assert_eq "$(inspect box '{{.State.ExitCode}}')" 12
}

@test "kill: signals by name and number, to a process that handles them" {
	box "$IMAGE" sh -c "$READY_TERM"
	wait_for logs_have box ready
	podman kill --signal USR1 box >/dev/null
	wait_for logs_have box usr1
	podman kill --signal 1 box >/dev/null
	wait_for logs_have box hup
	podman kill --signal SIGTERM box >/dev/null
	assert_eq "$(podman wait box)" 11
	run podman kill box
	assert_failed
	assert_output 'state improper'
}

@test "kill: default KILL; jobs go too" {
	box "$IMAGE" sh -c 'setsid sleep 1000 & sleep 1001'
	podman kill box >/dev/null
	assert_eq "$(podman wait box)" 137
	wait_for no_program sleep
}

@test "the main process exits: podman's cleanup ends the jobs" {
	box "$IMAGE" sh -c 'setsid sleep 1000 & exit 3'
	assert_eq "$(within 5 podman wait box)" 3
	wait_for no_program sleep
	assert_eq "$(inspect box '{{.State.Status}}')" exited
}

@test "restart: same container, new process" {
	local before
	box "$IMAGE" sleep 1000
	podman exec box touch /tmp/kept
	before=$(inspect box '{{.State.Pid}}')
	within 10 podman restart --time 1 box >/dev/null
	[ "$before" != "$(inspect box '{{.State.Pid}}')" ]
	podman exec box test -e /tmp/kept
	podman stop --time 0 box >/dev/null 2>&1
	podman restart box >/dev/null
	container_is box running
}

@test "start again and again, with and without an exit code" {
	box "$IMAGE" sh -c 'n=$(cat /tmp/n 2>/dev/null || echo 0); echo $((n + 1)) >/tmp/n; exit $n'
	local i
	for i in 0 1 2 3; do
		assert_eq "$(podman wait box)" "$i"
		[ "$i" = 3 ] || podman start box >/dev/null
	done
}

@test "create, init, start --attach" {
	need podman
	podman create --name box "$IMAGE" sh -c 'echo hi; exit 4' >/dev/null
	container_is box created
	podman init box >/dev/null
	container_is box initialized
	assert_eq "$(podman logs box)" ""
	run podman start --attach box
	assert_status 4
	assert_output '^hi$'
	container_is box exited
}

@test "create, init, rm: what was never started goes" {
	need podman
	podman create --name box "$IMAGE" sleep 1000 >/dev/null
	podman init box >/dev/null
	podman rm --force --time 0 box >/dev/null
	assert_eq "$(podman ps --all --quiet)" ""
}

@test "a pipe on podman's start, exec, kill and stop sees its end" {
	box "$IMAGE" sh -c 'sleep 1000 & sleep 1001'
	within 8 assert_eq "$(podman kill --signal CONT box)" box
	within 8 assert_eq "$(podman stop --time 1 box 2>&1 | tail -1)" box
	within 8 assert_eq "$(podman start box)" box
	within 8 assert_eq "$(podman restart --time 0 box)" box
}

@test "start of what cannot be executed, and it can be removed" {
	need podman
	podman create --name box "$IMAGE" no-such-program >/dev/null
	run podman start --attach box
	assert_failed
	assert_output 'executable file not found'
	run podman start box
	assert_failed
	podman rm box >/dev/null
}

@test "pause, unpause, ps, stop and rm of a paused container" {
	box "$IMAGE" sh -c 'while :; do echo beat; sleep 0.05; done'
	local before
	podman pause box >/dev/null
	container_is box paused
	before=$(podman logs box | wc -l)
	sleep 0.3
	assert_eq "$(podman logs box | wc -l)" "$before"
	podman unpause box >/dev/null
	wait_for more_logs "$before"
	podman pause box >/dev/null
	within 10 podman rm --force --time 0 box >/dev/null
	assert_eq "$(podman ps --all --quiet)" ""
}

more_logs() {
	[ "$(podman logs box | wc -l)" -gt "$1" ]
}

@test "rm: refused for what runs, forced, of many, of what is not there" {
	box "$IMAGE" sleep 1000
	refute podman rm box
	within 10 podman rm --force --time 0 box >/dev/null
	podman run --detach --name a "$IMAGE" sleep 1000 >/dev/null
	podman run --detach --name b "$IMAGE" true >/dev/null
	within 15 podman rm --force --time 0 a b >/dev/null
	podman rm --force no-such-box
	assert_eq "$(exit_code_of podman rm no-such-box 2>/dev/null)" 1
}

@test "rm --force: of a container whose runtime state is gone" {
	box "$IMAGE" sleep 1000
	"$SANDLOCK" delete --force "$(inspect box '{{.Id}}')"
	within 10 podman rm --force --time 0 box >/dev/null
	assert_eq "$(podman ps --all --quiet)" ""
}

@test "wait: several waiters, --condition" {
	box "$IMAGE" sh -c 'sleep 0.7; exit 5'
	podman wait box >"$T/1" 3>&- &
	local first=$!
	podman wait box >"$T/2" 3>&- &
	local second=$!
	podman wait --condition running box >/dev/null
	wait "$first" "$second"
	assert_eq "$(cat "$T/1" "$T/2" | tr '\n' ' ')" "5 5 "
}

@test "logs: --follow ends with the container, --tail, --timestamps, --since" {
	box "$IMAGE" sh -c 'for i in 1 2 3 4; do echo line-$i; sleep 0.2; done; setsid sleep 1000 & exit 0'
	assert_eq "$(within 8 podman logs --follow box | wc -l)" 4
	assert_eq "$(podman logs --tail 1 box)" line-4
	podman logs --timestamps box | grep -qE '^[0-9]{4}-.* line-1$'
}

@test "logs: a job's output after the main process's end arrives as long as the container is there" {
	box --init "$IMAGE" sh -c 'echo first; sleep 0.1; echo second'
	podman wait box >/dev/null
	assert_eq "$(podman logs box | tr '\n' ' ')" "first second "
}

@test "top, with ps's own formats and with podman's" {
	box "$IMAGE" sleep 1000
	podman top box | grep -q 'sleep 1000'
	podman top box pid user args | grep -qE '^[0-9]+ +root +sleep 1000'
	podman top box seccomp capeff label | tail -1 | grep -q filter
	podman exec box ps | grep -q 'sleep 1000'
}

@test "stats" {
	box --memory 100m "$IMAGE" sh -c 'while :; do :; done'
	sleep 0.5
	run podman stats --no-stream --format '{{.Name}} {{.MemLimit}} {{.PIDs}} {{.CPUNano}}' box
	assert_status 0
	assert_output '^box 104857600 [1-9][0-9]* [1-9][0-9]{6,}$|^box 104857600 [1-9]'
}

@test "update: limits change, others stay" {
	is_cgroup_v2 && skip "checked for cgroup v1"
	box --pids-limit 50 --memory 64m "$IMAGE" sleep 1000
	podman update --memory 100m --cpus 0.25 box >/dev/null
	assert_eq "$(cat "$(cgroup_of box memory)/memory.limit_in_bytes")" 104857600
	assert_eq "$(cat "$(cgroup_of box cpu)/cpu.cfs_quota_us")" 25000
	assert_eq "$(cat "$(cgroup_of box pids)/pids.max")" 50
}

@test "cp: into and out of a running and a stopped container" {
	box --volume vol:/data "$IMAGE" sleep 1000
	echo text >"$T/file"
	podman cp "$T/file" box:/tmp/file
	podman cp "$T/file" box:/data/file
	assert_eq "$(podman exec box cat /tmp/file /data/file | tr '\n' ' ')" "text text "
	podman cp box:/etc/passwd "$T/passwd"
	grep -q ^root "$T/passwd"
	podman cp box:/bin - | tar -t | grep -q busybox
	podman stop --time 0 box >/dev/null 2>&1
	podman cp box:/tmp/file "$T/back"
	assert_eq "$(cat "$T/back")" text
}

@test "commit of a running container, and a run of the result" {
	box "$IMAGE" sleep 1000
	podman exec box sh -c 'echo new >/file'
	podman commit --quiet --change 'ENV=A=b' box localhost/committed:1 >/dev/null
	assert_eq "$(podman run --rm localhost/committed:1 sh -c 'cat /file; echo $A' | tr '\n' ' ')" "new b "
}

@test "diff, export, mount" {
	box "$IMAGE" sh -c 'echo new >/file; sleep 1000'
	wait_for podman exec box test -s /file
	podman diff box | grep -q '^A /file'
	podman export box | tar -t | grep -qx file
	assert_eq "$(cat "$(podman mount box)/file")" new
	podman unmount box >/dev/null
}

@test "the mounts of /dev, /proc, /sys leave nothing in the image" {
	box "$IMAGE" sh -c 'touch /dev/new; sleep 1000'
	wait_for podman exec box test -e /dev/new
	assert_eq "$(podman diff box | grep -E '/(dev|proc|sys)/')" ""
}

@test "attach: output of a running container, and its exit code" {
	box "$IMAGE" sh -c 'until [ -e /tmp/go ]; do sleep 0.05; done; echo late; exit 3'
	background podman attach --no-stdin box >"$T/out" 2>&1
	sleep 0.3
	podman exec box touch /tmp/go
	assert_eq "$(podman wait box)" 3
	wait_for file_has "$T/out" late
}

@test "rename, ps --filter, inspect, container exists" {
	box "$IMAGE" sleep 1000
	podman rename box other
	assert_eq "$(podman ps --filter name=other --format '{{.Names}}')" other
	podman container exists other
	refute podman container exists box
	assert_eq "$(inspect other '{{.OCIRuntime}}')" "$(basename "$SANDLOCK")"
}

@test "events: died with the exit code" {
	box "$IMAGE" sh -c 'exit 7'
	podman wait box >/dev/null
	wait_for events_have '"Name":"box".*"Status":"died"|"Status":"died".*"Name":"box"'
}

events_have() {
	podman events --stream=false --format json 2>/dev/null | grep -qE "$1"
}

@test "checkpoint is refused, and does no harm" {
	box "$IMAGE" sleep 1000
	run podman container checkpoint box
	[ "$status" = 0 ] || container_is box running
}

# A service manager's socket at $T/notify; what it gets is in $T/messages.
notify_socket() {
	# shellcheck disable=SC2016
	/usr/bin/python3 -c '
import socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind(sys.argv[1])
with open(sys.argv[2], "w", buffering=1) as out:
    while True:
        out.write(s.recv(4096).decode() + "\n")
' "$T/notify" "$T/messages" 3>&- &
	BACKGROUND+=($!)
	wait_for test -S "$T/notify"
}

@test "--sdnotify ignore: nobody is told, the container has no socket" {
	need podman
	notify_socket
	NOTIFY_SOCKET=$T/notify podman run --rm --sdnotify ignore "$IMAGE" sh -c 'test -z "$NOTIFY_SOCKET"'
	assert_eq "$(cat "$T/messages")" ""
}

@test "--sdnotify conmon: ready once it runs" {
	need podman
	notify_socket
	NOTIFY_SOCKET=$T/notify podman run --detach --name box --sdnotify conmon "$IMAGE" sleep 1000 >/dev/null
	wait_for file_has "$T/messages" READY=1
	file_has "$T/messages" "MAINPID=$(inspect box '{{.State.ConmonPid}}')"
}

@test "--sdnotify container: ready when the container says so" {
	need podman
	notify_socket
	NOTIFY_SOCKET=$T/notify background podman run --name box --sdnotify container --volume "$SL_BASE/tools/notify:/notify" "$IMAGE" \
		sh -c 'until [ -e /tmp/go ]; do sleep 0.05; done; /notify READY=1 && echo sent; sleep 1000' >"$T/out" 2>&1
	wait_for podman exec box true 2>/dev/null
	sleep 0.3
	refute file_has "$T/messages" READY=1
	podman exec box touch /tmp/go
	wait_for file_has "$T/messages" READY=1
	file_has "$T/out" sent
	podman rm --force --time 0 box >/dev/null
}
