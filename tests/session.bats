#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# What makes a container a session. The letters are those of the design's rules.
load helpers

setup() {
	common_setup
	need_sandlock
}

no_sleep() {
	[ -z "$(own_named sleep)" ]
}

# Nothing of any session of this test is left, right now.
assert_all_gone() {
	local left pid
	left=$(own_processes)
	for pid in $left; do
		describe_process "$pid" >&2
	done
	[ -z "$left" ] || fail "processes are left"
	assert_eq "$(own_names)" "" names
	assert_eq "$(own_cgroups)" "" cgroups
}

# --- wait: S1, S2 ------------------------------------------------------------------------------------------

@test "wait prints the exit status of the main process and exits with 0" {
	args sh -c 'exit 3'
	create_start "$ID"
	run rt wait "$ID"
	assert_status 0
	assert_eq "$output" 3
}

@test "wait blocks until the main process exits" {
	args sh -c 'while [ ! -e /tmp/go ]; do sleep 0.02; done; exit 4'
	create_start "$ID"
	background rt wait "$ID" >"$T/wait"
	sleep 0.3
	[ ! -s "$T/wait" ]
	touch "$BUNDLE/rootfs/tmp/go"
	wait "$LAST_BACKGROUND"
	assert_eq "$(cat "$T/wait")" 4
}

@test "wait tells a death by signal as 128 plus its number, with --json as the signal" {
	args sleep 100
	create_start "$ID"
	rt kill "$ID" TERM
	run rt wait "$ID"
	assert_status 0
	assert_eq "$output" 143
	rt wait --json "$ID" | jq -e '.result == "exited" and .signal == 15 and (has("exitCode") | not)'
}

@test "wait --json" {
	args sh -c 'exit 3'
	create_start "$ID"
	rt wait --json "$ID" | jq -e '.result == "exited" and .exitCode == 3 and (has("signal") | not)'
}

@test "wait can be repeated, and keeps the session and its job" {
	stopped_with_job
	local i
	for i in 1 2 3 4 5; do
		assert_eq "$(rt wait "$ID")" 3
	done
	job_beats
}

@test "twenty callers wait at once" {
	args sh -c 'while [ ! -e /tmp/go ]; do sleep 0.02; done; exit 9'
	create_start "$ID"
	local i
	for i in {1..20}; do
		background rt wait "$ID" >"$T/wait.$i"
	done
	sleep 0.2
	touch "$BUNDLE/rootfs/tmp/go"
	for i in "${BACKGROUND[@]}"; do
		wait "$i"
	done
	assert_eq "$(cat "$T"/wait.* | sort | uniq -c | xargs)" "20 9"
}

@test "a wait that is killed ends nothing" {
	args sleep 100
	create_start "$ID"
	local i
	for i in 1 2 3; do
		"$SANDLOCK" --root "$ROOT" wait "$ID" >/dev/null 3>&- &
		sleep 0.1
		kill -KILL $!
		wait $! || true
	done
	assert_eq "$(status_of "$ID")" running
	rt kill "$ID" KILL
	assert_eq "$(rt wait "$ID")" 137
}

@test "wait on a created container lasts until it was started and ended" {
	args sh -c 'exit 6'
	create "$ID"
	background rt wait "$ID" >"$T/wait"
	sleep 0.2
	[ ! -s "$T/wait" ]
	start "$ID"
	wait "$LAST_BACKGROUND"
	assert_eq "$(cat "$T/wait")" 6
}

@test "wait --timeout gives up with 124 and the word timeout, and ends nothing" {
	args sleep 100
	create_start "$ID"
	local begin
	begin=$(milliseconds)
	run rt wait --timeout 300ms "$ID"
	assert_status 124
	assert_eq "$output" timeout
	[ $(($(milliseconds) - begin)) -ge 300 ]
	[ $(($(milliseconds) - begin)) -lt 3000 ]
	run rt wait --timeout 100ms --json "$ID"
	assert_status 124
	jq -e '.result == "timeout" and (has("exitCode") | not)' <<<"$output"
	assert_eq "$(status_of "$ID")" running
}

@test "a time-out is told apart from a program that exits with 124" {
	args sh -c 'exit 124'
	create_start "$ID"
	run rt wait --timeout 5s "$ID"
	assert_status 0
	assert_eq "$output" 124
}

@test "wait --timeout of a process that ended answers at once" {
	args sh -c 'exit 3'
	create_start "$ID"
	wait_state "$ID" stopped
	run rt wait --timeout 0s "$ID"
	assert_status 0
	assert_eq "$output" 3
}

@test "wait refuses what is no duration" {
	args sleep 100
	create_start "$ID"
	local duration
	for duration in "" x 1y -1s 1.5.2s 99999999999999999999s; do
		run rt wait --timeout "$duration" "$ID"
		assert_failed
		[ "$status" != 124 ]
	done
}

@test "wait for an unknown container fails" {
	run rt wait "$ID"
	assert_failed
	assert_output 'does not exist'
}

@test "the status is right when the caller of create collected the process" {
	args sh -c 'exit 77'
	"$TOOLS/subreaper" "$T/pid" "$T/status" "$SANDLOCK" --root "$ROOT" create --bundle "$BUNDLE" --pid-file "$T/pid" "$ID" \
		</dev/null >/dev/null 2>&1 3>&- &
	local reaper=$!
	wait_for file_has "$T/status" '^created 0'
	start "$ID"
	wait $reaper
	file_has "$T/status" '^exit 77'
	assert_eq "$(rt wait "$ID")" 77
	rt state "$ID" | jq -e '.session.main.exitCode == 77'
}

@test "waiters are told when the session is deleted under them" {
	args sleep 100
	create_start "$ID"
	background rt wait "$ID" >"$T/wait"
	sleep 0.2
	rt delete --force "$ID"
	local begin result=0
	begin=$(milliseconds)
	wait "$LAST_BACKGROUND" || result=$?
	[ $(($(milliseconds) - begin)) -lt 3000 ]
	[ "$result" != 0 ] || assert_eq "$(cat "$T/wait")" 137
}

# --- after the main process's exit: S3 -----------------------------------------------------------------------

@test "the main process's status is known at once, while the job lives" {
	local begin
	begin=$(milliseconds)
	stopped_with_job
	assert_eq "$(rt wait "$ID")" 3
	[ $(($(milliseconds) - begin)) -lt 3000 ]
	assert_eq "$(status_of "$ID")" stopped
	job_beats
}

@test "state has a session object: exit, jobs, reach" {
	args sh -c 'sleep 1111 & sleep 1112 & setsid sleep 1113 & exit 3'
	create "$ID"
	rt state "$ID" | jq -e '.session.main.exited == false and .session.reach == "pidns"'
	start "$ID"
	wait_state "$ID" stopped
	rt state "$ID" >"$T/state"
	jq -e '.status == "stopped"' "$T/state"
	jq -e '.session.main.exited and .session.main.exitCode == 3' "$T/state"
	jq -e '.session.processes == 3' "$T/state"
	jq -e '.session.groups == 2' "$T/state"
	jq -e '.session.reach == "pidns"' "$T/state"
}

@test "state tells the signal that ended the main process" {
	args sleep 100
	create_start "$ID"
	rt kill "$ID" USR1
	wait_state "$ID" stopped
	rt state "$ID" | jq -e '.session.main.signal == 10 and (.session.main | has("exitCode") | not)'
}

@test "kill without --all fails after the main process's exit, kill --all reaches the jobs" {
	stopped_with_job
	run rt kill "$ID" KILL
	assert_failed
	assert_output 'not running|process already finished|no such process'
	job_beats
	rt kill --all "$ID" KILL
	wait_for no_sleep
	rt state "$ID" | jq -e '.session.processes == 0 and .status == "stopped"'
}

@test "kill --all delivers the signal that was asked for" {
	args sh -c '(trap "echo usr1 >>/tmp/got" USR1; echo ready >/tmp/ready; while :; do sleep 0.05; done) & exit 3'
	create_start "$ID"
	wait_state "$ID" stopped
	wait_for [ -s "$BUNDLE/rootfs/tmp/ready" ]
	rt kill --all "$ID" USR1
	wait_for file_has "$BUNDLE/rootfs/tmp/got" usr1
	job_lives
}

job_lives() {
	rt state "$ID" | jq -e '.session.processes >= 1'
}

@test "list says (main exited) and no number" {
	stopped_with_job
	run rt list
	assert_output "^$ID +\(main exited\) +stopped"
	rt list --format json | jq -e '.[0].pid == 0'
}

# --- the end: S4, S5 ----------------------------------------------------------------------------------------

@test "delete ends every job and leaves nothing, at the moment it returns" {
	stopped_with_job
	job_beats
	rt delete "$ID"
	assert_all_gone
	[ ! -e "$ROOT/$ID" ]
}

@test "delete ends jobs that hide: own session, double fork, stopped, deaf to signals" {
	args sh -c 'trap "" TERM HUP INT QUIT; (setsid sleep 1111 &) ; (sleep 1112 & kill -STOP $!) ; (trap "" TERM; setsid sh -c "sleep 1113 & sleep 1114") & exit 0'
	create_start "$ID"
	wait_state "$ID" stopped
	rt delete "$ID"
	assert_all_gone
}

@test "delete ends a session that keeps forking" {
	args sh -c 'f() { while :; do sleep 0.01 & done; }; f & f & sleep 0.2; exit 0'
	create_start "$ID"
	wait_state "$ID" stopped
	rt delete "$ID"
	assert_all_gone
}

@test "the end of a foreground run ends the jobs" {
	args sh -c 'sleep 1111 </dev/null >/dev/null 2>&1 & exit 3'
	run rt run --bundle "$BUNDLE" "$ID" </dev/null
	assert_status 3
	assert_all_gone
}

@test "a foreground run returns at once though a job holds its stdout" {
	args sh -c 'sleep 1111 & exit 3'
	local begin
	begin=$(milliseconds)
	run rt run --bundle "$BUNDLE" "$ID" </dev/null
	assert_status 3
	[ $(($(milliseconds) - begin)) -lt 3000 ]
	assert_all_gone
}

@test "run --keep returns the status and keeps the session" {
	args sh -c '(while :; do echo beat >>/tmp/beat; sleep 0.05; done) </dev/null >/dev/null 2>&1 & exit 3'
	run rt run --keep --bundle "$BUNDLE" "$ID" </dev/null
	assert_status 3
	assert_eq "$(status_of "$ID")" stopped
	job_beats
	assert_eq "$(rt wait "$ID")" 3
	rt delete "$ID"
	assert_all_gone
}

@test "delete of a running container fails and ends nothing" {
	args sh -c '(while :; do echo beat >>/tmp/beat; sleep 0.05; done) & sleep 100'
	create_start "$ID"
	wait_for [ -s "$BUNDLE/rootfs/tmp/beat" ]
	run rt delete "$ID"
	assert_failed
	assert_eq "$(status_of "$ID")" running
	job_beats
}

@test "delete --force ends a container that was never started" {
	args sleep 100
	create "$ID"
	rt delete --force "$ID"
	assert_all_gone
}

@test "a caller that never collects the main process can't hang delete, and the name is free" {
	args sh -c 'exit 0'
	background /usr/bin/python3 -c '
import ctypes, subprocess, sys, time
ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)
subprocess.run(sys.argv[1:], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
print("created", flush=True)
time.sleep(1000)' "$SANDLOCK" --root "$ROOT" create --bundle "$BUNDLE" "$ID" >"$T/said"
	wait_for file_has "$T/said" created
	start "$ID"
	wait_state "$ID" stopped
	local begin
	begin=$(milliseconds)
	rt delete "$ID"
	[ $(($(milliseconds) - begin)) -lt 10000 ]
	create "$ID"
	rt delete --force "$ID"
}

# --- what a kill can't reach: S6, S7 ----------------------------------------------------------------------------

@test "without a pid namespace the cgroup is the reach" {
	config 'del(.linux.namespaces[] | select(.type == "pid"))'
	args sh -c 'setsid sleep 1111 & sleep 1112 & exit 3'
	create_start "$ID"
	wait_state "$ID" stopped
	rt state "$ID" | jq -e '.session.reach == "cgroup" and .session.processes == 2'
	assert_eq "$(rt wait "$ID")" 3
	rt delete "$ID"
	assert_all_gone
}

@test "without a pid namespace kill --all reaches the cgroup's processes" {
	config 'del(.linux.namespaces[] | select(.type == "pid"))'
	args sh -c 'setsid sleep 1111 & sleep 1112 & exit 3'
	create_start "$ID"
	wait_state "$ID" stopped
	rt kill --all "$ID" KILL
	wait_for no_sleep
}

# --- the supervisor's death: S8 ---------------------------------------------------------------------------------

@test "SIGKILL to the supervisor ends everything: created" {
	args sleep 1111
	create "$ID"
	local pid
	pid=$(pid_of "$ID")
	kill -KILL "$(role_pid supervisor "$ID")"
	create "$ID"
	wait_for is_gone "$pid"
	rt delete --force "$ID"
	wait_for no_own_processes
}

@test "SIGKILL to the supervisor ends everything: running with jobs" {
	args sh -c 'setsid sleep 1111 & sleep 1112'
	create_start "$ID"
	wait_for own_sleeps 2
	kill -KILL "$(role_pid supervisor "$ID")"
	wait_for no_sleep
	run rt state "$ID"
	assert_failed
	create "$ID"
	rt delete --force "$ID"
	wait_for no_own_processes
}

own_sleeps() {
	[ "$(own_named sleep | wc -l)" = "$1" ]
}

@test "SIGKILL to the supervisor ends everything: stopped with jobs, and list clears the record" {
	stopped_with_job
	kill -KILL "$(role_pid supervisor "$ID")"
	wait_for no_sleep
	run rt list -q
	assert_status 0
	assert_eq "$output" ""
	[ ! -e "$ROOT/$ID" ]
	wait_for no_own_processes
}

@test "delete clears what a killed supervisor left" {
	stopped_with_job
	kill -KILL "$(role_pid supervisor "$ID")"
	wait_for no_sleep
	rt delete --force "$ID"
	[ ! -e "$ROOT/$ID" ]
	assert_eq "$(own_cgroups)" ""
}

@test "SIGKILL to the supervisor without a pid namespace: no process stays" {
	config 'del(.linux.namespaces[] | select(.type == "pid"))'
	args sh -c 'setsid sleep 1111 & sleep 1112'
	create_start "$ID"
	wait_for own_sleeps 2
	kill -KILL "$(role_pid supervisor "$ID")"
	rt delete --force "$ID"
	wait_for no_sleep
}

@test "SIGKILL to the reaper ends the container, the supervisor tells so" {
	args sh -c 'setsid sleep 1111 & sleep 1112'
	create_start "$ID"
	wait_for own_sleeps 2
	kill -KILL "$(role_pid reaper "$ID")"
	wait_state "$ID" stopped
	wait_for no_sleep
	rt delete "$ID"
	assert_all_gone
}

@test "SIGKILL to the supervisor at any moment of create: no process stays, the id is usable at once" {
	args sleep 1111
	run "$SL_TOP/tests/tools/kill-supervisor" create "${KILL_ROUNDS:-40}" "$SANDLOCK" "$ROOT" "$BUNDLE" "$ID"
	assert_status 0
	wait_for no_own_processes
}

@test "SIGKILL to the supervisor at any moment of start: no process stays, the id is usable at once" {
	args sh -c 'setsid sleep 1111 & sleep 1112'
	run "$SL_TOP/tests/tools/kill-supervisor" start "${KILL_ROUNDS:-40}" "$SANDLOCK" "$ROOT" "$BUNDLE" "$ID"
	assert_status 0
	wait_for no_own_processes
}

@test "SIGKILL to the supervisor at any moment of delete: no process stays, the id is usable at once" {
	args sh -c 'setsid sleep 1111 & sleep 1112'
	run "$SL_TOP/tests/tools/kill-supervisor" delete "${KILL_ROUNDS:-40}" "$SANDLOCK" "$ROOT" "$BUNDLE" "$ID"
	assert_status 0
	wait_for no_own_processes
}

@test "SIGKILL to create itself at any moment: no process stays, the id is usable at once" {
	args sleep 1111
	local i
	for i in {1..30}; do
		"$SANDLOCK" --root "$ROOT" create --bundle "$BUNDLE" "$ID" </dev/null >/dev/null 2>&1 3>&- &
		sleep "0.$(printf '%03d' $((i * 2 - 1)))"
		kill -KILL $! 2>/dev/null || true
		wait $! 2>/dev/null || true
		# either it was complete, or there is nothing, or its end is under way
		rt delete --force "$ID"
		create "$ID"
		rt delete --force "$ID"
	done
	wait_for no_own_processes
}

@test "a supervisor that is stopped: delete --force works within its bound" {
	stopped_with_job
	kill -STOP "$(role_pid supervisor "$ID")"
	local begin
	begin=$(milliseconds)
	rt delete --force "$ID"
	[ $(($(milliseconds) - begin)) -lt 30000 ]
	wait_for no_own_processes
	assert_eq "$(own_names)" ""
	create "$ID"
	rt delete --force "$ID"
}

@test "a supervisor that is stopped: state and list answer within their bound, other containers are listed" {
	args sleep 100
	create_start "$ID"
	create_start "$(unique_id other)"
	local supervisor
	supervisor=$(role_pid supervisor "$ID")
	kill -STOP "$supervisor"
	run rt state "$ID"
	assert_failed
	run rt list -q
	assert_status 0
	assert_output "^$(unique_id other)\$"
	kill -CONT "$supervisor"
	assert_eq "$(status_of "$ID")" running
}

@test "the supervisor is of its own session, with no descriptor of the caller and / as its directory" {
	exec 17<"$SL_BASE"
	args sleep 100
	create_start "$ID"
	exec 17<&-
	local supervisor reaper pid
	supervisor=$(role_pid supervisor "$ID")
	reaper=$(role_pid reaper "$ID")
	for pid in "$supervisor" "$reaper"; do
		refute eval "readlink /proc/$pid/fd/* | grep -qF '$SL_BASE'"
	done
	# what the container writes to is the reaper's too, as long as the main process lives
	refute eval "readlink /proc/$supervisor/fd/* | grep -qF '$T/$ID.'"
	assert_eq "$(cut -d' ' -f6 "/proc/$supervisor/stat")" "$supervisor" "session"
	assert_eq "$(readlink "/proc/$supervisor/fd/0")" /dev/null
	assert_eq "$(readlink "/proc/$supervisor/cwd")" /
	[[ $(readlink "/proc/$supervisor/exe") == /memfd:* ]]
}

# --- the owner: S9 ---------------------------------------------------------------------------------------------

@test "the session ends with its owner" {
	args sh -c 'setsid sleep 1111 & sleep 1112'
	sleep 1000 3>&- &
	local owner=$!
	create "$ID" --owner $owner
	start "$ID"
	wait_for own_sleeps 3
	kill -KILL $owner
	wait $owner || true
	wait_for no_own_processes
	assert_eq "$(own_names)" ""
}

@test "an owner that is a zombie has ended" {
	args sleep 1111
	/usr/bin/python3 -c '
import os, time, sys
pid = os.fork()
if pid == 0:
    time.sleep(1000)
print(pid, flush=True)
time.sleep(1000)' >"$T/owner" 3>&- &
	BACKGROUND+=($!)
	wait_for [ -s "$T/owner" ]
	create "$ID" --owner "$(cat "$T/owner")"
	start "$ID"
	kill -KILL "$(cat "$T/owner")"
	wait_for no_sleep
	wait_for [ -z "$(own_names)" ]
}

@test "an owner that does not exist is refused" {
	args sleep 100
	local owner
	for owner in 0 -1 x 4194304; do
		run rt create --bundle "$BUNDLE" --owner $owner "$ID" </dev/null
		assert_failed
	done
	run rt state "$ID"
	assert_failed
}

@test "SIGKILL to a foreground run ends its session" {
	args sh -c 'setsid sleep 1111 & sleep 1112'
	"$SANDLOCK" --root "$ROOT" run --bundle "$BUNDLE" "$ID" </dev/null >/dev/null 2>&1 3>&- &
	local pid=$!
	wait_for own_sleeps 2
	kill -KILL $pid
	wait $pid || true
	wait_for no_own_processes
	assert_eq "$(own_names)" ""
}

@test "the death of a detached session's creator ends nothing" {
	args sleep 1111
	(rt run --detach --bundle "$BUNDLE" "$ID" </dev/null >/dev/null 2>&1)
	assert_eq "$(status_of "$ID")" running
}

# --- names: N1 to N6 --------------------------------------------------------------------------------------------

# The abstract name that session $1 of this root would have.
name_of() {
	args sleep 100
	create "$(unique_id probe)"
	own_names | grep "/$(unique_id probe)\$" | sed "s|^@||; s|/$(unique_id probe)\$|/$1|"
	rt delete --force "$(unique_id probe)"
}

@test "a squatted name is an error that names the holder's pid and uid" {
	local name
	name=$(name_of "$ID")
	background setpriv --reuid 1000 --regid 1000 --clear-groups /usr/bin/python3 -c '
import socket, sys, time
s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
s.bind(b"\0" + sys.argv[1].encode())
s.listen(5)
print("bound", flush=True)
time.sleep(1000)' "$name" >"$T/said"
	wait_for file_has "$T/said" bound
	run rt create --bundle "$BUNDLE" "$ID" </dev/null
	assert_failed
	assert_output "$LAST_BACKGROUND"
	assert_output 'uid 1000|1000'
	run rt delete --force "$ID"
	# nothing of ours is there; the squatter is not killed
	kill -0 "$LAST_BACKGROUND"
	run rt state "$ID"
	assert_failed
}

@test "a foreign client is closed unanswered" {
	args sleep 100
	create_start "$ID"
	local name
	name=$(own_names | sed 's/^@//')
	run setpriv --reuid 1000 --regid 1000 --clear-groups /usr/bin/python3 -c '
import socket, struct, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
s.connect(b"\0" + sys.argv[1].encode())
try:
    s.send(struct.pack("IIIi", 0x51524c53, 1, 5, 1))
    print("got", len(s.recv(4096)))
except (BrokenPipeError, ConnectionResetError):
    print("got 0")' "$name"
	assert_output '^got 0$'
	assert_eq "$(status_of "$ID")" running
}

@test "a client that sends rubbish or nothing hurts nobody" {
	args sleep 100
	create_start "$ID"
	local name
	name=$(own_names | sed 's/^@//')
	background /usr/bin/python3 -c '
import os, socket, sys, time
clients = []
for size in (0, 1, 4, 15, 16, 17, 4096):
    s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    s.connect(b"\0" + sys.argv[1].encode())
    try:
        s.send(os.urandom(size))
    except OSError:
        pass
    clients.append(s)
for _ in range(50):
    s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    s.connect(b"\0" + sys.argv[1].encode())
    clients.append(s)
print("sent", flush=True)
time.sleep(1000)' "$name" >"$T/said"
	wait_for file_has "$T/said" sent
	assert_eq "$(status_of "$ID")" running
	rt delete --force "$ID"
	[ -z "$(own_names)" ]
}

@test "a state root that can't be written: everything works without the record" {
	mkdir "$ROOT"
	test_mount -t tmpfs -o ro tmpfs "$ROOT"
	MOUNTS_BEFORE=$(host_mounts)
	stopped_with_job
	assert_eq "$(rt wait "$ID")" 3
	assert_eq "$(rt list -q)" "$ID"
	run rt create --bundle "$BUNDLE" "$ID" </dev/null
	assert_failed
	rt delete "$ID"
	assert_all_gone
	remove_test_mounts
	MOUNTS_BEFORE=$(host_mounts)
}

@test "a state root that does not exist and can't be made" {
	local ROOT=/proc/no/such/directory
	args sh -c 'exit 3'
	run rt run --bundle "$BUNDLE" "$ID" </dev/null
	assert_status 3
	run rt list -q
	assert_status 0
}

@test "a record without a session is cleared, and is no obstacle to create" {
	stopped_with_job
	cp -a "$ROOT/$ID" "$T/record"
	rt delete "$ID"
	cp -a "$T/record" "$ROOT/$ID"
	run rt state "$ID"
	assert_failed
	assert_output 'does not exist'
	args sleep 100
	create "$ID"
	assert_eq "$(status_of "$ID")" created
}

# --- pid 1 ---------------------------------------------------------------------------------------------------

@test "the program is not pid 1: a reaper is" {
	run_script 'echo "pid $$ parent $PPID"; cat /proc/1/comm'
	assert_status 0
	assert_output '^pid [2-9]'
	refute_output '^pid 1 '
}

@test "a program with the name of an init is pid 1" {
	local name
	for name in init systemd tini dumb-init catatonit podman-init docker-init s6-svscan; do
		program "/sbin/$name" <<<$'#!/bin/sh\necho "pid $$"'
		args "/sbin/$name"
		run rt run --bundle "$BUNDLE" "$ID" </dev/null
		assert_status 0
		assert_output '^pid 1$'
	done
}

@test "the annotation io.sandlock.pid1 decides: main, reaper; anything else is refused" {
	config '.annotations = {"io.sandlock.pid1": "main"}'
	run_script 'echo "pid $$"'
	assert_output '^pid 1$'
	program /sbin/init <<<$'#!/bin/sh\necho "pid $$"'
	config '.annotations = {"io.sandlock.pid1": "reaper"}'
	args /sbin/init
	run rt run --bundle "$BUNDLE" "$ID" </dev/null
	refute_output '^pid 1$'
	assert_output '^pid [0-9]+$'
	config '.annotations = {"io.sandlock.pid1": "both"}'
	run rt run --bundle "$BUNDLE" "$ID" </dev/null
	assert_failed
	assert_output 'io\.sandlock\.pid1'
}

@test "with the program as pid 1 jobs end with it, and the session is still there" {
	config '.annotations = {"io.sandlock.pid1": "main"}'
	args sh -c 'sleep 1111 & exit 3'
	create_start "$ID"
	wait_state "$ID" stopped
	wait_for no_sleep
	assert_eq "$(rt wait "$ID")" 3
	rt delete "$ID"
	assert_all_gone
}

# exec as engines do it: below a subreaper. $1: name of the files for pid and status, rest: options
engine_exec() {
	local name=$1
	shift
	jq '.process | .args = ["sleep", "1113"] | .terminal = false' "$BUNDLE/config.json" >"$T/process.json"
	background "$TOOLS/subreaper" "$T/$name.pid" "$T/$name" "$SANDLOCK" --root "$ROOT" exec --process "$T/process.json" \
		--pid-file "$T/$name.pid" --detach "$@" "$ID" </dev/null >/dev/null 2>&1
	wait_for file_has "$T/$name" 'created 0'
}

@test "an exec'ed process is a job; one that an engine watches ends with the main process, unless it is of the session" {
	args sleep 1000
	create_start "$ID"
	background rt exec "$ID" sleep 1113 </dev/null >/dev/null 2>&1
	engine_exec watched
	engine_exec session --session
	wait_for own_sleeps 4
	rt kill "$ID" KILL
	wait_state "$ID" stopped
	wait_for file_has "$T/watched" 'signal 9'
	assert_eq "$(process_state "$(cat "$T/session.pid")")" S
	wait_for own_sleeps 2
	rt delete "$ID"
	assert_eq "$(own_named sleep)" ""
	wait_for file_has "$T/session" 'signal 9'
}

@test "with the program as pid 1: kill, delete --force and the death of the supervisor" {
	config '.annotations = {"io.sandlock.pid1": "main"}'
	args sh -c 'sleep 1111 & sleep 1112'
	create_start "$ID"
	rt kill "$ID" KILL
	assert_eq "$(rt wait "$ID")" 137
	rt delete "$ID"
	create_start "$ID"
	rt delete --force "$ID"
	assert_all_gone
	create_start "$ID"
	wait_for own_sleeps 2
	kill -KILL "$(role_pid supervisor "$ID")"
	wait_for no_sleep
}

@test "signals that are sent to pid 1 from inside reach the main process" {
	args sh -c 'for s in TERM USR1 HUP INT; do trap "echo $s" $s; done
		for s in TERM USR1 HUP INT; do sh -c "kill -$s 1"; sleep 0.1; done; exit 7'
	run rt run --bundle "$BUNDLE" "$ID" </dev/null
	assert_status 7
	assert_eq "$output" $'TERM\nUSR1\nHUP\nINT'
}

@test "> /proc/1/fd/1 reaches the container's output" {
	run_script 'echo through-one >/proc/1/fd/1; echo err >/proc/1/fd/2'
	assert_status 0
	assert_output '^through-one$'
	assert_output '^err$'
}

@test "> /proc/1/fd/1 works for a user that is not root" {
	config '.process.user = {"uid": 1000, "gid": 1000}'
	args sh -c 'echo through-one >/proc/1/fd/1'
	rt run --bundle "$BUNDLE" "$ID" </dev/null 2>"$T/err" | cat >"$T/out"
	assert_eq "$(cat "$T/out")" through-one
}

@test "/proc/1/environ is the main process's environment" {
	config '.process.env = ["PATH=/bin", "MARK=in-environ", "EMPTY="]'
	run_script 'tr "\0" "\n" </proc/1/environ'
	assert_status 0
	assert_eq "$output" $'PATH=/bin\nMARK=in-environ\nEMPTY='"$(grep ^HOME= <<<"$output" | sed 's/^/\n/')"
}

@test "pid 1 has the program's user and no privilege" {
	config '.process.user = {"uid": 1000, "gid": 1000} | .process.noNewPrivileges = false'
	run_script 'cat /proc/1/status'
	assert_status 0
	assert_output '^Uid:.1000.1000.1000.1000$'
	assert_output '^Gid:.1000.1000.1000.1000$'
	assert_output '^CapEff:.0000000000000000$'
	assert_output '^CapPrm:.0000000000000000$'
	assert_output '^CapBnd:.0000000000000000$'
	assert_output '^NoNewPrivs:.1$'
	assert_output '^Seccomp:.2$'
	new_bundle root
	run_script 'cat /proc/1/status'
	assert_output '^CapEff:.0000000000000000$'
}

@test "pid 1 runs no host file: its executable is a sealed memory file" {
	config '.process.capabilities = {"bounding": ["CAP_SYS_PTRACE", "CAP_DAC_OVERRIDE"], "permitted": ["CAP_SYS_PTRACE", "CAP_DAC_OVERRIDE"], "effective": ["CAP_SYS_PTRACE", "CAP_DAC_OVERRIDE"]}'
	run_script 'readlink /proc/1/exe; ls -l /proc/1/fd /proc/1/cwd /proc/1/root; echo x >>/proc/1/exe'
	assert_failed
	assert_output '^/memfd:'
	refute_output "$SL_TOP"
	refute_output "$BATS_RUN_TMPDIR"
}

@test "orphans go to pid 1 and are collected" {
	args sh -c 'i=0; while [ $i -lt 20 ]; do (sh -c "true" &); i=$((i+1)); done; sleep 0.3
		for p in /proc/[0-9]*; do sed -n "s/^State:.//p" $p/status; done | grep -c Z; (sh -c "sleep 0.2; ps -o ppid,comm >/tmp/ps" &); sleep 0.6; cat /tmp/ps'
	run rt run --bundle "$BUNDLE" "$ID" </dev/null
	assert_output '^0$'
}

@test "orphans do not reach the caller's subreaper" {
	args sh -c '(sleep 0.1 &) ; (setsid sleep 0.2 &) ; sleep 0.5; exit 3'
	"$TOOLS/subreaper" "$T/pid" "$T/status" "$SANDLOCK" --root "$ROOT" create --bundle "$BUNDLE" --pid-file "$T/pid" "$ID" \
		</dev/null >/dev/null 2>&1 3>&- &
	local reaper=$!
	wait_for file_has "$T/status" '^created 0'
	start "$ID"
	wait $reaper
	file_has "$T/status" '^exit 3'
	refute grep -q 'stray [0-9]* sleep' "$T/status"
}

@test "a process inside can neither kill nor trace the supervisor and the reaper" {
	config '.process.capabilities.bounding += ["CAP_SYS_PTRACE"] | .process.capabilities.effective += ["CAP_SYS_PTRACE"] | .process.capabilities.permitted += ["CAP_SYS_PTRACE"]'
	args sh -c 'kill -KILL 1; kill -STOP 1; kill -KILL -1; sleep 0.1; echo survived; exit 3'
	run rt run --bundle "$BUNDLE" "$ID" </dev/null
	assert_status 3
	assert_output '^survived$'
}
