#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# podman run: exit codes, standard streams, terminals, names, environment, users.
load engines

@test "run: exit codes 0, 3 and 255 are the program's" {
	need podman
	assert_eq "$(exit_code_of podman run --rm "$IMAGE" true)" 0
	assert_eq "$(exit_code_of podman run --rm "$IMAGE" sh -c 'exit 3')" 3
	assert_eq "$(exit_code_of podman run --rm "$IMAGE" sh -c 'exit 255')" 255
}

@test "run: 126 and permission denied for what cannot be executed" {
	need podman
	run podman run --rm "$IMAGE" /bin/not-executable
	assert_status 126
	assert_output '[Pp]ermission denied'
	run podman run --rm "$IMAGE" /etc
	assert_status 126
}

@test "run: 127 for what is not there" {
	need podman
	run podman run --rm "$IMAGE" no-such-program
	assert_status 127
	assert_output 'executable file .?no-such-program.? not found in \$PATH|executable file not found in \$PATH'
	run podman run --rm "$IMAGE" /no/such/program
	assert_status 127
	assert_output '[Nn]o such file or directory'
}

@test "run: output and errors keep apart and are complete" {
	need podman
	podman run --rm "$IMAGE" sh -c 'echo out; echo err >&2' >"$T/out" 2>"$T/err"
	assert_eq "$(cat "$T/out")" out
	assert_eq "$(cat "$T/err")" err
	podman run --rm "$IMAGE" sh -c 'head -c 1048576 /dev/zero | tr "\0" x; echo end' >"$T/out"
	assert_eq "$(wc -c <"$T/out")" 1048580
	assert_eq "$(tail -c 4 "$T/out")" end
}

@test "run -i: standard input reaches the program, to its end" {
	need podman
	assert_eq "$(echo text | podman run --rm -i "$IMAGE" cat)" text
	head -c 1000000 /dev/urandom >"$T/in"
	podman run --rm -i "$IMAGE" cat <"$T/in" >"$T/out"
	cmp "$T/in" "$T/out"
	assert_eq "$(echo unread | podman run --rm "$IMAGE" sh -c 'cat; echo done')" "done"
}

@test "run -it: a terminal of the caller's size, owned by its user, that can be resized" {
	need podman
	run podman_dialogue 'size=33x99
expect=33 99
size=20x70
expect=20 70
send=exit 7\n' run --rm -it --user 1000 "$IMAGE" \
		sh -c 'trap "stty size" WINCH; stty size; ls -ln $(tty); until [ "$(stty size)" = "20 70" ]; do sleep 0.05; done; read -r line; echo "got $line"; $line'
	assert_status 7
	assert_output '^crw--w---- +1 1000 +5'
	assert_output '^got exit 7'
}

@test "run -t without -i, and -i without -t" {
	need podman
	run podman_dialogue 'size=24x80' run --rm -t "$IMAGE" sh -c 'test -t 1 && echo terminal; exit 4'
	assert_status 4
	assert_output '^terminal'
	run podman_dialogue 'size=24x80' run --rm -i "$IMAGE" sh -c 'test -t 1 || echo pipe; exit 5'
	assert_status 5
	assert_output '^pipe'
}

@test "run -it: ^C interrupts, ^Z and job control work, the shell has a controlling terminal" {
	need podman
	run podman_dialogue 'expect=ready
send=sh -c "echo st\x27\x27arted; exec sleep 1000"\n
expect=started
keys=\x1a
expect=Stopped
expect=ready
send=fg\n
expect=sleep 1000
keys=\x03
expect=ready
send=exit 6\n' run --rm -it --env PS1='ready ' "$IMAGE" sh
	assert_status 6
}

@test "run -it: detach with keys, attach again, end" {
	need podman
	run podman_dialogue 'expect=ready
keys=\x10\x11' run -it --name box --env PS1='ready ' "$IMAGE" sh
	assert_status 0
	container_is box running
	run podman_dialogue 'send=\n
expect=ready
send=exit 9\n' attach box
	assert_eq "$(podman wait box)" 9
}

@test "run -it: the terminal hangs up: the container lives on" {
	need podman
	run podman_dialogue 'expect=ready
hangup' run -it --sig-proxy=false --name box --env PS1='ready ' "$IMAGE" sh
	sleep 0.5
	container_is box running
}

@test "run -d: id, logs, wait, exit code" {
	need podman
	local id
	id=$(podman run --detach --name box "$IMAGE" sh -c 'echo said; echo err >&2; sleep 0.3; exit 5')
	[[ $id =~ ^[0-9a-f]{64}$ ]]
	assert_eq "$(podman wait box)" 5
	assert_eq "$(podman logs box 2>/dev/null)" said
	assert_eq "$(podman logs box 2>&1 >/dev/null)" err
	assert_eq "$(inspect box '{{.State.Status}} {{.State.ExitCode}}')" "exited 5"
}

@test "run --rm: a job that the program leaves neither delays its end nor outlives it" {
	need podman
	assert_eq "$(within 3 exit_code_of podman run --rm "$IMAGE" sh -c 'sleep 1000 </dev/null >/dev/null 2>&1 & exit 3')" 3
	wait_for no_program sleep
	assert_eq "$(podman ps --all --quiet)" ""
}

@test "run --name: a name that is taken is refused" {
	need podman
	podman run --detach --name box "$IMAGE" sleep 1000 >/dev/null
	run podman run --rm --name box "$IMAGE" true
	assert_status 125
	assert_output 'already in use'
	podman run --rm --replace --name box "$IMAGE" true
}

@test "run --entrypoint, --workdir" {
	need podman
	assert_eq "$(podman run --rm --entrypoint /bin/echo "$IMAGE" a b)" "a b"
	assert_eq "$(podman run --rm --entrypoint '["/bin/sh", "-c"]' "$IMAGE" 'echo $0' )" "/bin/sh"
	assert_eq "$(podman run --rm --workdir /home/user "$IMAGE" pwd)" /home/user
	run podman run --rm --workdir /no/such/place "$IMAGE" pwd
	assert_failed
	assert_output '/no/such/place'
}

@test "run --env, --env-file, --unsetenv: the environment is what was asked for" {
	need podman
	printf 'FILE=f\nHOST\n' >"$T/env"
	HOST=h podman run --rm --env A=1 --env B= --env-file "$T/env" --unsetenv container "$IMAGE" env | sort >"$T/out"
	diff "$T/out" <(printf 'A=1\nB=\nFILE=f\nHOME=/root\nHOST=h\nHOSTNAME=%s\nPATH=%s\nTERM=xterm\n' \
		"$(sed -n 's/^HOSTNAME=//p' "$T/out")" /usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin)
}

@test "run --user in its forms, --group-add" {
	need podman
	assert_eq "$(podman run --rm --user 1000 "$IMAGE" sh -c 'echo $(id -u):$(id -g):$(id -G) $HOME')" "1000:1000:1000 2000 /home/user"
	assert_eq "$(podman run --rm --user user:extra "$IMAGE" sh -c 'echo $(id -u):$(id -g)')" "1000:2000"
	assert_eq "$(podman run --rm --user 4321:8765 "$IMAGE" sh -c 'echo $(id -u):$(id -g):$(id -G) $HOME')" "4321:8765:8765 /"
	assert_eq "$(podman run --rm --user 1000:1000 --group-add 2000 --group-add 3000 "$IMAGE" id -G)" "1000 2000 3000"
	run podman run --rm --user nobody-knows "$IMAGE" id
	assert_failed
}

@test "run --hostname, --add-host, --dns, --no-hosts" {
	need podman
	assert_eq "$(podman run --rm --hostname name "$IMAGE" hostname)" name
	podman run --rm --hostname name --add-host other:10.9.8.7 "$IMAGE" cat /etc/hosts >"$T/hosts"
	grep -qE '^10.9.8.7[[:space:]]+other' "$T/hosts"
	podman run --rm --network host --dns 10.1.2.3 --dns-search example.org "$IMAGE" cat /etc/resolv.conf >"$T/resolv"
	grep -q '^nameserver 10.1.2.3' "$T/resolv"
	podman run --rm --no-hosts "$IMAGE" test ! -s /etc/hosts
}

@test "run --umask" {
	need podman
	assert_eq "$(podman run --rm "$IMAGE" sh -c umask)" 0022
	assert_eq "$(podman run --rm --umask 0077 "$IMAGE" sh -c 'umask; touch /tmp/x; stat -c %a /tmp/x' | tr '\n' ' ')" "0077 600 "
}

@test "run --tz" {
	need podman
	[ -e /usr/share/zoneinfo/Asia/Tokyo ] || skip "no zoneinfo"
	podman run --rm --tz Asia/Tokyo "$IMAGE" cat /etc/localtime >"$T/zone"
	cmp "$T/zone" /usr/share/zoneinfo/Asia/Tokyo
}

@test "run --init: a catatonit is pid 1, signals and exit codes pass" {
	need podman catatonit
	run podman run --rm --init "$IMAGE" sh -c 'tr "\0" " " </proc/1/cmdline; echo; echo $$; exit 6'
	assert_status 6
	assert_output '^(/dev/init|/run/podman-init|.*catatonit) '
	podman run --detach --init --name box "$IMAGE" sh -c 'trap "exit 11" TERM; echo ready; while :; do sleep 0.05; done' >/dev/null
	wait_for logs_have box ready
	within 8 podman stop box >/dev/null
	assert_eq "$(inspect box '{{.State.ExitCode}}')" 11
}

@test "run --systemd=always: what systemd needs is there" {
	need podman
	podman run --rm --systemd=always "$IMAGE" \
		sh -c 'echo $container; for m in /run /run/lock /tmp /var/log/journal /sys/fs/cgroup/systemd; do awk -v m=$m "\$2 == m { print \$2, \$3, \$4 }" /proc/mounts; done; touch /run/x && echo writable' >"$T/out"
	grep -q '^podman$\|^oci$' "$T/out"
	grep -q '^/run tmpfs rw' "$T/out"
	grep -q '^/tmp tmpfs rw' "$T/out"
	grep -q '^writable' "$T/out"
	is_cgroup_v2 || grep -q '^/sys/fs/cgroup/systemd cgroup rw' "$T/out"
}

@test "run --systemd=always: stopped with RTMIN+3, as pid 1" {
	need podman
	mkdir "$T/tree"
	cp -a "$SL_BASE/rootfs/." "$T/tree/"
	mkdir -p "$T/tree/sbin"
	printf '#!/bin/sh\ntrap "exit 37" RTMIN+3 37\necho "pid $$"\nwhile :; do sleep 0.05; done\n' >"$T/tree/sbin/init"
	chmod 0755 "$T/tree/sbin/init"
	podman run --detach --name box --rootfs "$T/tree" /sbin/init >/dev/null
	wait_for logs_have box 'pid 1$'
	assert_eq "$(inspect box '{{.Config.StopSignal}}')" 37
	within 8 podman stop box >/dev/null
	assert_eq "$(inspect box '{{.State.ExitCode}}')" 37
}

@test "run --rootfs, and with an overlay above it" {
	need podman
	mkdir "$T/tree"
	cp -a "$SL_BASE/rootfs/." "$T/tree/"
	podman run --rm --rootfs "$T/tree" sh -c 'echo kept >/work/file'
	assert_eq "$(cat "$T/tree/work/file")" kept
	podman run --rm --rootfs "$T/tree:O" sh -c 'cat /work/file; echo lost >/work/other'
	[ ! -e "$T/tree/work/other" ]
}

@test "run --preserve-fds: these descriptors and no others" {
	need podman
	echo three >"$T/3"
	echo four >"$T/4"
	run podman run --rm --preserve-fds 2 "$IMAGE" sh -c 'cat <&3; cat <&4; ls /proc/self/fd' 3<"$T/3" 4<"$T/4"
	assert_status 0
	assert_output '^three$'
	assert_output '^four$'
	assert_eq "$(podman run --rm "$IMAGE" sh -c 'ls /proc/$$/fd; true' 7<"$T/3" | tr '\n' ' ')" "0 1 2 "
}

@test "run with LISTEN_FDS: socket activation" {
	need podman
	run env LISTEN_FDS=1 LISTEN_FDNAMES=name bash -c 'exec 3<>"$1"; shift; LISTEN_PID=$$ exec "$@"' - "$T/3" \
		env CONTAINERS_CONF="$P/containers.conf" CONTAINERS_STORAGE_CONF="$P/storage.conf" podman --tmpdir "$P/tmp" \
		run --rm "$IMAGE" sh -c 'echo "fds=$LISTEN_FDS mine=$([ "$LISTEN_PID" = $$ ] && echo yes)"; test -e /proc/self/fd/3 && echo open'
	assert_status 0
	assert_output '^fds=1 mine=yes$'
	assert_output '^open$'
}

@test "run --sig-proxy: signals to podman reach the program" {
	need podman
	background podman run --name box "$IMAGE" sh -c 'trap "exit 12" USR1; echo ready; while :; do sleep 0.05; done' >"$T/out" 2>&1
	wait_for file_has "$T/out" ready
	local pid
	pid=$(own_named podman | head -1)
	kill -USR1 "$pid"
	local result=0
	wait "$LAST_BACKGROUND" || result=$?
	assert_eq "$result" 12
}

@test "run --attach, --log-driver none, passthrough" {
	need podman
	assert_eq "$(podman run --rm --attach stdout "$IMAGE" sh -c 'echo out; echo err >&2' 2>&1)" out
	assert_eq "$(podman run --rm --log-driver none "$IMAGE" echo said)" said
	podman run --log-driver passthrough --name box "$IMAGE" echo through >"$T/out"
	assert_eq "$(cat "$T/out")" through
}

@test "run --cidfile, --pidfile, --conmon-pidfile" {
	need podman
	podman run --detach --cidfile "$T/cid" --pidfile "$T/pid" --conmon-pidfile "$T/conmon" --name box "$IMAGE" sleep 1000 >/dev/null
	assert_eq "$(cat "$T/cid")" "$(inspect box '{{.Id}}')"
	assert_eq "$(cat "$T/pid")" "$(inspect box '{{.State.Pid}}')"
	assert_eq "$(cat "/proc/$(cat "$T/pid")/comm")" sleep
	# the main process is conmon's child: so its status reaches conmon
	assert_eq "$(parent_of "$(cat "$T/pid")")" "$(cat "$T/conmon")"
}

@test "run: what the image asks for: ENTRYPOINT, CMD, ENV, USER, WORKDIR, VOLUME, STOPSIGNAL" {
	need podman
	podman import --change 'ENTRYPOINT ["/bin/sh", "-c"]' --change 'CMD ["echo $A $(id -u) $(pwd); grep -c /data /proc/mounts"]' \
		--change ENV=A=b --change USER=1000 --change WORKDIR=/home/user --change VOLUME=/data --change STOPSIGNAL=SIGUSR1 \
		"$ENGINES/busybox.tar" localhost/changed:1 >/dev/null 2>&1
	assert_eq "$(podman run --rm localhost/changed:1 | tr '\n' ' ')" "b 1000 /home/user 1 "
	podman run --detach --name box localhost/changed:1 'trap "exit 10" USR1; echo ready; while :; do sleep 0.05; done' >/dev/null
	wait_for logs_have box ready
	podman stop box >/dev/null
	assert_eq "$(inspect box '{{.State.ExitCode}}')" 10
}

@test "run --restart on-failure and always" {
	need podman
	mkdir "$T/data"
	podman run --detach --name box --restart on-failure:2 --volume "$T/data:/data" "$IMAGE" sh -c 'echo x >>/data/runs; exit 3' >/dev/null
	wait_for has_lines "$T/data/runs" 3
	wait_container box exited
	assert_eq "$(wc -l <"$T/data/runs")" 3
	podman run --detach --name again --restart always --volume "$T/data:/data" "$IMAGE" sh -c 'echo x >>/data/again; sleep 0.1' >/dev/null
	wait_for has_lines "$T/data/again" 3
	podman rm --force --time 0 again >/dev/null
}

has_lines() {
	[ "$(cat "$1" 2>/dev/null | wc -l)" -ge "$2" ]
}

@test "run --secret: as file and as variable" {
	need podman
	printf hidden | podman secret create one - >/dev/null
	assert_eq "$(podman run --rm --secret one "$IMAGE" cat /run/secrets/one)" hidden
	assert_eq "$(podman run --rm --secret one,type=mount,uid=1000,mode=0400,target=/etc/key --user 1000 "$IMAGE" sh -c 'cat /etc/key; stat -c " %u %a" /etc/key')" "hidden 1000 400"
	assert_eq "$(podman run --rm --secret one,type=env,target=KEY "$IMAGE" sh -c 'echo $KEY')" hidden
}

@test "run --health-cmd: healthcheck run tells healthy from unhealthy" {
	need podman
	podman run --detach --name box --health-cmd 'test -e /tmp/well' --health-interval disable --health-retries 1 "$IMAGE" sleep 1000 >/dev/null
	run podman healthcheck run box
	assert_status 1
	assert_output unhealthy
	podman exec box touch /tmp/well
	podman healthcheck run box
	assert_eq "$(inspect box '{{.State.Health.Status}}')" healthy
}

@test "run --hooks-dir: OCI hooks of podman's" {
	need podman
	mkdir "$T/hooks"
	printf '#!/bin/sh\ncat >%s\n' "$T/state" >"$T/hook.sh"
	chmod 0755 "$T/hook.sh"
	cat >"$T/hooks/hook.json" <<-END
		{"version": "1.0.0", "hook": {"path": "$T/hook.sh"}, "when": {"annotations": {"^wanted$": "^yes$"}}, "stages": ["prestart"]}
	END
	podman --hooks-dir "$T/hooks" run --rm --annotation wanted=no "$IMAGE" true
	[ ! -e "$T/state" ]
	podman --hooks-dir "$T/hooks" run --rm --annotation wanted=yes --name box "$IMAGE" true
	[ "$(jq -r .pid "$T/state")" -gt 1 ]
	assert_eq "$(jq -r '.annotations.wanted' "$T/state")" yes
}
