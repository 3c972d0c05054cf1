#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# podman exec.
load engines

# A container "box" that sleeps. Arguments: podman run's options
box() {
	need podman
	podman run --detach --name box "$@" "$IMAGE" sleep 1000 >/dev/null
}

@test "exec: exit codes and messages" {
	box
	assert_eq "$(exit_code_of podman exec box true)" 0
	assert_eq "$(exit_code_of podman exec box sh -c 'exit 7')" 7
	assert_eq "$(exit_code_of podman exec box sh -c 'exit 255')" 255
	assert_eq "$(exit_code_of podman exec box sh -c 'kill -KILL $$')" 137
	assert_eq "$(exit_code_of podman exec box sh -c 'kill -TERM $$')" 143
	run podman exec box no-such-program
	assert_status 127
	assert_output 'executable file not found in \$PATH|not found'
	run podman exec box /bin/not-executable
	assert_status 126
	assert_output '[Pp]ermission denied'
	run podman exec box /etc
	assert_status 126
	run podman exec --workdir /no/such/place box pwd
	assert_status 127
	assert_output '/no/such/place'
	container_is box running
}

@test "exec: streams: output, errors, standard input to its end" {
	box
	podman exec box sh -c 'echo out; echo err >&2' >"$T/out" 2>"$T/err"
	assert_eq "$(cat "$T/out") $(cat "$T/err")" "out err"
	head -c 1000000 /dev/urandom >"$T/in"
	podman exec -i box cat <"$T/in" >"$T/out"
	cmp "$T/in" "$T/out"
	assert_eq "$(echo unread | podman exec box cat)" ""
}

@test "exec: 1 MiB of output is complete" {
	box
	podman exec box sh -c 'head -c 1048576 /dev/zero | tr "\0" x' >"$T/out"
	assert_eq "$(wc -c <"$T/out")" 1048576
	podman exec box sh -c 'head -c 1048576 /dev/zero | tr "\0" x >&2' 2>"$T/err"
	assert_eq "$(wc -c <"$T/err")" 1048576
}

@test "exec -it: a terminal that can be resized, of its user" {
	box
	run podman_dialogue 'size=33x99
expect=33 99
size=20x70
expect=20 70
send=exit 7\n' exec -it --user 1000 box \
		sh -c 'stty size; ls -ln $(tty); until [ "$(stty size)" = "20 70" ]; do sleep 0.05; done; stty size; read -r line; $line'
	assert_status 7
	assert_output '^crw--w---- +1 1000 +5'
}

@test "exec -it: ^C, job control, the end of a shell with jobs" {
	box
	run podman_dialogue 'expect=ready
send=sh -c "echo st\x27\x27arted; exec sleep 2000"\n
expect=started
keys=\x03
expect=ready
send=sleep 2001 &\n
expect=ready
send=exit 6\n' exec -it --env PS1='ready ' box sh
	assert_status 6
}

@test "exec -it: detach with keys" {
	box
	run podman_dialogue 'expect=ready
keys=\x10\x11' exec -it --env PS1='ready ' box sh
	assert_eq "$(exit_code_of podman exec box true)" 0
	container_is box running
}

@test "exec -t into a container without a terminal, and without one into a container that has one" {
	need podman
	podman run --detach --tty --name box "$IMAGE" sleep 1000 >/dev/null
	assert_eq "$(podman exec box sh -c 'test -t 1 || echo pipe')" pipe
	run podman_dialogue 'size=24x80' exec -t box sh -c 'test -t 1 && tty; exit 3'
	assert_status 3
	assert_output '/dev/pts/1'
}

@test "exec --detach" {
	box
	podman exec --detach box sh -c 'sleep 0.2; echo done >/tmp/file' >/dev/null
	wait_for podman exec box test -s /tmp/file
}

@test "exec: a detached job ends with the container" {
	box
	podman exec --detach box setsid sleep 1001 >/dev/null
	wait_for exec_sees 'sleep 1001'
	podman rm --force --time 0 box >/dev/null
	wait_for no_program sleep
}

exec_sees() {
	podman exec box ps | grep -q "$1"
}

@test "exec --user, --workdir, --env, --env-file" {
	box --env BASE=1
	echo FILE=f >"$T/env"
	assert_eq "$(podman exec --user 1000 --workdir /home/user --env A=1 --env-file "$T/env" box sh -c 'echo $(id -u):$(id -g) $(pwd) $HOME $A $FILE $BASE')" \
		"1000:1000 /home/user /home/user 1 f 1"
	assert_eq "$(podman exec --user 4321:8765 box sh -c 'echo $(id -u):$(id -g)')" "4321:8765"
	assert_eq "$(podman exec --user user:extra box sh -c 'echo $(id -u):$(id -g)')" "1000:2000"
	assert_failed_exec podman exec --user nobody-knows box id
}

assert_failed_exec() {
	run "$@"
	assert_failed
}

@test "exec is what the main process is: user, capabilities, umask, limits, cwd, cgroup, no_new_privs, seccomp" {
	need podman
	local settings='id -u; id -g; umask; pwd; ulimit -n; ulimit -u; grep -E "Cap|NoNewPrivs|Seccomp:" /proc/self/status; cat /proc/self/cgroup; for n in pid mnt uts ipc net cgroup user time; do readlink /proc/self/ns/$n; done; env | sort | grep -vE "^(TERM|HOSTNAME|PWD|OLDPWD|SHLVL)="'
	podman run --detach --name box --user 1000:1000 --group-add 2000 --cap-drop all --cap-add CHOWN --security-opt no-new-privileges --umask 0027 \
		--workdir /home/user --ulimit nofile=77:77 --ulimit nproc=100:100 --env A=b --cgroupns private "$IMAGE" sh -c "($settings) >/tmp/main 2>&1; sleep 1000" >/dev/null
	wait_for podman exec box test -s /tmp/main
	podman exec box cat /tmp/main >"$T/main"
	podman exec box sh -c "$settings" >"$T/exec"
	# runc 1.1 has no umask for exec
	is_sandlock || sed -i 's/^0022$/0027/' "$T/exec"
	diff "$T/main" "$T/exec"
	[ -s "$T/exec" ]
}

@test "exec --privileged" {
	box --cap-drop all
	assert_eq "$(podman exec box grep CapEff /proc/self/status)" $'CapEff:\t0000000000000000'
	assert_eq "$(podman exec --privileged box grep CapEff /proc/self/status)" "$(grep CapBnd /proc/self/status | sed 's/CapBnd/CapEff/')"
}

@test "exec --preserve-fds" {
	box
	echo three >"$T/3"
	assert_eq "$(podman exec --preserve-fds 1 box cat /proc/self/fd/3 3<"$T/3")" three
	assert_eq "$(podman exec box sh -c 'ls /proc/$$/fd; true' 7<"$T/3" | tr '\n' ' ')" "0 1 2 "
}

@test "exec into containers with --pid host, --userns, --read-only, --cgroups no-conmon, in a pod" {
	need podman
	podman run --detach --name one --pid host "$IMAGE" sleep 1000 >/dev/null
	assert_eq "$(podman exec one cat /proc/self/comm)" cat
	podman run --detach --name two --uidmap 0:100000:5000 --read-only "$IMAGE" sleep 1000 >/dev/null
	assert_eq "$(podman exec --user 3 two id -u)" 3
	podman run --detach --name three --cgroups no-conmon "$IMAGE" sleep 1000 >/dev/null
	assert_eq "$(podman exec three echo three)" three
}

@test "exec into a container that is not running" {
	need podman
	podman create --name box "$IMAGE" sleep 1000 >/dev/null
	run podman exec box true
	assert_status 255
	assert_output 'can only create exec sessions on running containers|container state improper'
	podman init box >/dev/null
	run podman exec box true
	assert_failed
	run podman exec no-such-box true
	assert_status 125
}

@test "exec into a paused container" {
	box
	podman pause box >/dev/null
	run podman exec box true
	assert_failed
	podman unpause box >/dev/null
	podman exec box true
}

@test "exec: the job ends at once when its container does" {
	box
	background podman exec box sleep 1001 >/dev/null 2>&1
	wait_for exec_sees 'sleep 1001'
	podman kill --signal KILL box >/dev/null
	wait_for no_program sleep
	within 5 podman wait box >/dev/null
	# and nothing keeps podman from cleaning up
	assert_eq "$(find /sys/fs/cgroup -name "libpod-$(inspect box '{{.Id}}')")" ""
}

@test "exec: stop, restart and rm of a container with an exec open" {
	box
	background podman exec box sleep 1001 >/dev/null 2>&1
	wait_for exec_sees 'sleep 1001'
	within 8 podman stop --time 1 box >/dev/null 2>&1
	podman start box >/dev/null
	background podman exec box sleep 1002 >/dev/null 2>&1
	wait_for exec_sees 'sleep 1002'
	within 8 podman restart --time 1 box >/dev/null 2>&1
	background podman exec box sleep 1003 >/dev/null 2>&1
	wait_for exec_sees 'sleep 1003'
	within 8 podman rm --force --time 1 box >/dev/null 2>&1
	wait_for no_program sleep
}

@test "exec: a failed one does no harm" {
	box
	local i
	for i in 1 2 3 4 5; do
		refute podman exec box no-such-program 2>/dev/null
		refute podman exec --user no-such-user box true 2>/dev/null
	done
	assert_eq "$(podman exec box echo well)" well
}

@test "100 execs in parallel into one container" {
	box
	local i pid failed=0
	local -a pids=()
	mkdir "$T/results"
	for i in {1..100}; do
		podman exec box sh -c "echo said-$i; exit $((i % 7))" </dev/null >"$T/results/$i" 2>"$T/results/$i.err" 3>&- &
		pids+=($!)
	done
	for i in {1..100}; do
		local result=0
		wait "${pids[i - 1]}" || result=$?
		[ "$result" = $((i % 7)) ] && [ "$(cat "$T/results/$i")" = "said-$i" ] || {
			echo "exec $i: exit $result, output $(cat "$T/results/$i") $(cat "$T/results/$i.err")" >&2
			failed=1
		}
	done
	assert_eq "$failed" 0
	assert_eq "$(podman exec box ps | grep -c said-)" 0
}
