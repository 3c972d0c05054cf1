#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# podman run: namespaces, users, capabilities, system calls, cgroups, limits, devices.
load engines

namespace_of() {
	readlink "/proc/$1/ns/$2"
}

# Each line of $output that starts with $1, without $1.
line_of() {
	sed -n "s/^$1//p" <<<"$output"
}

@test "own namespaces: pid, mnt, uts, ipc, net, cgroup are none of the host's" {
	need podman
	local name
	run podman run --rm --cgroupns private "$IMAGE" sh -c 'for n in pid mnt uts ipc net cgroup; do echo $n=$(readlink /proc/self/ns/$n); done'
	assert_status 0
	for name in pid mnt uts ipc net cgroup; do
		[ -n "$(line_of "$name=")" ]
		[ "$(line_of "$name=")" != "$(namespace_of self "$name")" ] || fail "$name is the host's"
	done
}

@test "--pid, --uts, --ipc, --network, --cgroupns host: the host's namespaces" {
	need podman
	local name
	run podman run --rm --pid host --uts host --ipc host --network host --cgroupns host "$IMAGE" \
		sh -c 'for n in pid uts ipc net cgroup; do echo $n=$(readlink /proc/self/ns/$n); done'
	assert_status 0
	for name in pid uts ipc net cgroup; do
		assert_eq "$(line_of "$name=")" "$(namespace_of self "$name")" "$name"
	done
}

@test "--pid host: exit code, and a job left behind ends with the container" {
	need podman
	assert_eq "$(exit_code_of podman run --rm --pid host "$IMAGE" sh -c 'setsid sleep 1000 </dev/null >/dev/null 2>&1 & exit 3')" 3
	wait_for no_program sleep
	podman run --detach --name box --pid host "$IMAGE" sh -c 'setsid sleep 1000 & sleep 1001' >/dev/null
	assert_eq "$(podman exec box sh -c 'exit 4'; echo $?)" 4
	podman rm --force --time 0 box >/dev/null
	wait_for no_program sleep
}

@test "--pid, --uts, --ipc, --network, --userns container: those of another container" {
	need podman
	local pid name
	podman run --detach --name first --ipc shareable --uidmap 0:100000:5000 "$IMAGE" sleep 1000 >/dev/null
	pid=$(inspect first '{{.State.Pid}}')
	run podman run --rm --userns container:first --pid container:first --uts container:first --ipc container:first --network container:first "$IMAGE" \
		sh -c 'for n in user pid uts ipc net; do echo $n=$(readlink /proc/self/ns/$n); done; ps'
	assert_status 0
	for name in user pid uts ipc net; do
		assert_eq "$(line_of "$name=")" "$(namespace_of "$pid" "$name")" "$name"
	done
	assert_output 'sleep 1000'
	# the first lives on
	container_is first running
}

@test "--pid container: the end of the second ends its jobs and leaves the first alone" {
	need podman
	podman run --detach --name first "$IMAGE" sleep 1000 >/dev/null
	podman run --detach --name second --pid container:first "$IMAGE" sh -c 'setsid sleep 1001 & sleep 1002' >/dev/null
	wait_for exec_sees first 'sleep 1001'
	podman rm --force --time 0 second >/dev/null
	refute exec_sees first 'sleep 100[12]'
	container_is first running
}

exec_sees() {
	podman exec "$1" ps | grep -q "$2"
}

@test "--uidmap, --gidmap: ids are mapped, files and exec alike" {
	need podman
	run podman run --rm --uidmap 0:100000:5000 --gidmap 0:200000:3000 --user 1000:1000 "$IMAGE" \
		sh -c 'cat /proc/self/uid_map /proc/self/gid_map; id -u; touch /tmp/f; stat -c "%u:%g" /tmp/f; ls -ln /bin/busybox'
	assert_status 0
	assert_output '^ *0 +100000 +5000$'
	assert_output '^ *0 +200000 +3000$'
	assert_output '^1000:1000$'
	podman run --detach --name box --uidmap 0:100000:5000 "$IMAGE" sleep 1000 >/dev/null
	assert_eq "$(awk '/^Uid/ { print $2 }' "/proc/$(inspect box '{{.State.Pid}}')/status")" 100000
	assert_eq "$(podman exec --user 7 box sh -c 'id -u; cat /proc/self/uid_map' | tr -s ' \n' ' ')" "7 0 100000 5000 "
	podman exec box sh -c 'echo x >/dev/null && echo x >/etc/new'
}

@test "--uidmap with devices, tmpfs, volumes and a terminal" {
	need podman
	# runc 1.1 looks for the device's destination on the host
	need_sandlock
	mkdir "$T/data"
	chown 100005:100005 "$T/data"
	run podman_dialogue 'size=24x80' run --rm -t --uidmap 0:100000:5000 --tmpfs /work --volume "$T/data:/data" --device /dev/zero:/dev/my \
		--user 5 "$IMAGE" sh -c 'touch /data/x && stat -c "%u" /data/x; head -c 3 /dev/my | wc -c; tty; stat -c "%u" $(tty); df /work | tail -1'
	assert_status 0
	assert_output '^5$'
	assert_output '^3$'
	assert_output '/dev/pts/0|/dev/console'
	assert_eq "$(stat -c %u "$T/data/x")" 100005
}

@test "--userns auto" {
	need podman
	# podman takes the ranges of the user "containers": a file of our own in a private mount namespace
	echo "containers:300000:100000" >"$T/subid"
	run unshare --mount sh -c 'mount --bind "$0" /etc/subuid && mount --bind "$0" /etc/subgid && exec "$@"' "$T/subid" \
		env CONTAINERS_CONF="$P/containers.conf" CONTAINERS_STORAGE_CONF="$P/storage.conf" podman --tmpdir "$P/tmp" \
		run --rm --userns auto:size=2000 "$IMAGE" cat /proc/self/uid_map
	assert_status 0
	assert_output '^ *0 +3[0-9]{5} +2000$'
}

@test "--cap-drop, --cap-add, and the default set" {
	need podman
	assert_eq "$(podman run --rm --cap-drop all "$IMAGE" grep CapBnd /proc/self/status)" $'CapBnd:\t0000000000000000'
	assert_eq "$(podman run --rm --cap-drop all --cap-add CHOWN --cap-add NET_BIND_SERVICE "$IMAGE" grep CapEff /proc/self/status)" $'CapEff:\t0000000000000401'
	local default
	default=0x$(podman run --rm "$IMAGE" sed -n 's/^CapEff:.//p' /proc/self/status)
	# CHOWN and SETFCAP, but neither SYS_ADMIN nor SYS_MODULE
	[ $((default & 1)) != 0 ] && [ $((default >> 31 & 1)) != 0 ]
	[ $((default >> 21 & 1)) = 0 ] && [ $((default >> 16 & 1)) = 0 ]
	assert_eq "$(podman run --rm --user 1000 "$IMAGE" grep CapEff /proc/self/status)" $'CapEff:\t0000000000000000'
	run podman run --rm --user 1000 --cap-add CHOWN "$IMAGE" grep -E 'Cap(Eff|Amb|Inh)' /proc/self/status
	assert_output 'CapAmb:.0000000000000001'
	assert_output 'CapEff:.0000000000000001'
	refute podman run --rm --cap-drop CHOWN "$IMAGE" chown 5 /etc/passwd
}

@test "--privileged: all capabilities, mounts, devices, nothing masked" {
	need podman
	run podman run --rm --privileged "$IMAGE" \
		sh -c 'grep CapEff /proc/self/status; mount -t tmpfs x /mnt && echo mounted; test -e /dev/loop-control -o -e /dev/fuse -o -e /dev/net/tun && echo devices; grep -c " /proc/" /proc/mounts; grep " /sys sysfs rw" /proc/mounts; grep Seccomp: /proc/self/status'
	assert_status 0
	assert_output "$(grep CapBnd /proc/self/status | sed 's/CapBnd:./CapEff:./')"
	assert_output '^mounted$'
	assert_output '^devices$'
	assert_output '^0$'
	assert_output 'sysfs rw'
	assert_output 'Seccomp:.0'
}

@test "--security-opt seccomp: default profile, unconfined, a profile of one's own" {
	need podman
	assert_eq "$(podman run --rm "$IMAGE" grep Seccomp: /proc/self/status)" $'Seccomp:\t2'
	assert_eq "$(podman run --rm --security-opt seccomp=unconfined "$IMAGE" grep Seccomp: /proc/self/status)" $'Seccomp:\t0'
	cat >"$T/profile.json" <<-'END'
		{"defaultAction": "SCMP_ACT_ALLOW", "syscalls": [{"names": ["mkdir", "mkdirat"], "action": "SCMP_ACT_ERRNO", "errnoRet": 28}]}
	END
	run podman run --rm --security-opt seccomp="$T/profile.json" "$IMAGE" mkdir /tmp/x
	assert_status 1
	assert_output 'No space left on device'
	podman run --detach --name box --security-opt seccomp="$T/profile.json" "$IMAGE" sleep 1000 >/dev/null
	run podman exec box mkdir /tmp/x
	assert_status 1
	assert_output 'No space left on device'
}

@test "--security-opt no-new-privileges" {
	need podman
	assert_eq "$(podman run --rm "$IMAGE" grep NoNewPrivs /proc/self/status)" $'NoNewPrivs:\t0'
	assert_eq "$(podman run --rm --security-opt no-new-privileges "$IMAGE" grep NoNewPrivs /proc/self/status)" $'NoNewPrivs:\t1'
	podman run --detach --name box --security-opt no-new-privileges "$IMAGE" sleep 1000 >/dev/null
	assert_eq "$(podman exec box grep NoNewPrivs /proc/self/status)" $'NoNewPrivs:\t1'
}

@test "--security-opt mask, unmask, proc-opts" {
	need podman
	assert_eq "$(podman run --rm --security-opt mask=/etc/passwd:/home "$IMAGE" sh -c 'cat /etc/passwd; ls /home')" ""
	assert_eq "$(podman run --rm "$IMAGE" sh -c 'cat /proc/timer_list | wc -c; grep -c "^proc /proc/sys .*ro," /proc/mounts' | tr '\n' ' ')" "0 1 "
	podman run --rm --security-opt unmask=ALL "$IMAGE" sh -c '! grep " /proc/" /proc/mounts'
	podman run --rm --security-opt proc-opts=hidepid=2 "$IMAGE" grep -q '^proc /proc proc .*hidepid=' /proc/mounts
}

@test "--read-only, with and without its tmpfs" {
	need podman
	run podman run --rm --read-only "$IMAGE" sh -c 'touch /x; touch /tmp/x /run/x /var/tmp/x /dev/shm/x && echo fine'
	assert_output '/x: Read-only file system'
	assert_output '^fine$'
	run podman run --rm --read-only --read-only-tmpfs=false "$IMAGE" sh -c 'touch /x /tmp/y'
	assert_output '/x: Read-only file system'
	assert_output '/tmp/y: Read-only file system'
}

@test "--ulimit" {
	need podman
	assert_eq "$(podman run --rm --ulimit nproc=4096:4096 --ulimit nofile=77:88 --ulimit core=0:0 --ulimit stack=1048576:2097152 "$IMAGE" \
		sh -c 'ulimit -Sn; ulimit -Hn; ulimit -c; ulimit -Ss; ulimit -Hs' | tr '\n' ' ')" "77 88 0 1024 2048 "
	podman run --detach --name box --ulimit nproc=4096:4096 --ulimit nofile=77:88 "$IMAGE" sleep 1000 >/dev/null
	# runc's exec is a Go program, which raises its own limit
	! is_sandlock || assert_eq "$(podman exec box sh -c 'ulimit -Sn; ulimit -Hn' | tr '\n' ' ')" "77 88 "
}

@test "--sysctl: those of the container's own namespaces" {
	need podman
	assert_eq "$(podman run --rm --sysctl kernel.shmmax=12345 --sysctl net.ipv4.ip_forward=1 --sysctl fs.mqueue.msg_max=17 "$IMAGE" \
		sh -c 'cat /proc/sys/kernel/shmmax /proc/sys/net/ipv4/ip_forward /proc/sys/fs/mqueue/msg_max' | tr '\n' ' ')" "12345 1 17 "
	refute podman run --rm --sysctl net.nothing.here=1 "$IMAGE" true
}

@test "--device, --device-cgroup-rule, and what is not granted" {
	need podman
	run podman run --rm --device /dev/zero:/dev/mine:r "$IMAGE" sh -c 'stat -c "%t:%T" /dev/mine; head -c 5 /dev/mine | wc -c'
	assert_status 0
	assert_output '^1:5$'
	assert_output '^5$'
	run podman run --rm --cap-add MKNOD "$IMAGE" sh -c 'mknod /tmp/fuse c 10 229 && cat /tmp/fuse'
	assert_status 1
	assert_output 'Operation not permitted'
	run podman run --rm --cap-add MKNOD --device-cgroup-rule 'c 10:229 rwm' "$IMAGE" sh -c 'mknod /tmp/fuse c 10 229 && cat /tmp/fuse'
	assert_status 1
	# fuse's own answer
	refute_output 'cannot open|Permission denied'
	refute podman run --rm --device /dev/no-such "$IMAGE" true
}

@test "the devices of every container" {
	need podman
	run podman run --rm "$IMAGE" sh -c 'for d in null zero full random urandom tty; do stat -c "%n %F %a" /dev/$d; done; ls /dev/pts /dev/shm /dev/mqueue; for l in fd stdin ptmx; do readlink /dev/$l; done; echo x >/dev/full'
	assert_output '^/dev/null character special file 666$'
	assert_output '^/dev/tty character special file 666$'
	assert_output '^/proc/self/fd$'
	assert_output 'No space left'
}

@test "--memory, --cpus, --cpu-shares, --cpuset-cpus, --pids-limit reach the cgroups" {
	need podman
	is_cgroup_v2 && skip "checked for cgroup v1"
	podman run --detach --name box --memory 64m --memory-reservation 32m --cpus 0.5 --cpu-shares 512 --cpuset-cpus 0 --pids-limit 33 "$IMAGE" sleep 1000 >/dev/null
	assert_eq "$(cat "$(cgroup_of box memory)/memory.limit_in_bytes")" 67108864
	assert_eq "$(cat "$(cgroup_of box memory)/memory.soft_limit_in_bytes")" 33554432
	assert_eq "$(cat "$(cgroup_of box cpu)/cpu.cfs_quota_us")" 50000
	assert_eq "$(cat "$(cgroup_of box cpu)/cpu.shares")" 512
	assert_eq "$(cat "$(cgroup_of box cpuset)/cpuset.cpus")" 0
	assert_eq "$(cat "$(cgroup_of box pids)/pids.max")" 33
}

@test "--memory: a program that takes more is killed" {
	need podman
	assert_eq "$(exit_code_of podman run --name box --memory 24m --memory-swap 24m "$IMAGE" sh -c 'exec tail /dev/zero')" 137
	assert_eq "$(inspect box '{{.State.Status}}')" exited
}

@test "--pids-limit: no more processes than that" {
	need podman
	run podman run --rm --pids-limit 10 "$IMAGE" sh -c 'for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do sleep 5 & done; echo all'
	assert_output 'fork'
	refute_output '^all$'
}

@test "--cgroups disabled: no cgroup of its own, and everything else works" {
	need podman
	is_sandlock || skip "this runtime cannot"
	podman run --detach --name box --cgroups disabled "$IMAGE" sh -c 'sleep 1000 & exec sleep 1001' >/dev/null
	assert_eq "$(find /sys/fs/cgroup -name "*$(inspect box '{{.Id}}')*")" ""
	assert_eq "$(podman exec box echo inside)" inside
	podman rm --force --time 0 box >/dev/null
	wait_for no_program sleep
	assert_eq "$(exit_code_of podman run --rm --cgroups disabled "$IMAGE" sh -c 'exit 3')" 3
}

@test "--cgroups no-conmon and split" {
	need podman
	podman run --rm --cgroups no-conmon "$IMAGE" grep -q libpod /proc/self/cgroup
	run podman run --rm --cgroups split "$IMAGE" cat /proc/self/cgroup
	# podman itself refuses split where it finds no unified hierarchy
	[ "$status" = 0 ] || assert_output 'could not find cgroup mount|only supported'
}

@test "--cgroup-parent, --cgroupns private" {
	need podman
	podman run --detach --name box --cgroup-parent "/$ID_PREFIX-parent" "$IMAGE" sleep 1000 >/dev/null
	grep -q "/$ID_PREFIX-parent/libpod-" "/proc/$(inspect box '{{.State.Pid}}')/cgroup"
	podman rm --force --time 0 box >/dev/null
	wait_for parent_goes
	assert_eq "$(podman run --rm --cgroupns private "$IMAGE" sh -c 'cut -d: -f3 /proc/self/cgroup | sort -u')" /
}

# conmon leaves its own cgroup a little later
parent_goes() {
	find /sys/fs/cgroup -depth -type d -path "*/$ID_PREFIX-parent*" -exec rmdir {} + 2>/dev/null
	[ -z "$(own_cgroups)" ]
}

@test "--oom-score-adj, --personality, --shm-size, --ipc none" {
	need podman
	assert_eq "$(podman run --rm --oom-score-adj 500 "$IMAGE" cat /proc/self/oom_score_adj)" 500
	! is_sandlock || assert_eq "$(podman run --rm --personality LINUX32 "$IMAGE" uname -m)" i686
	podman run --rm --shm-size 5m "$IMAGE" df /dev/shm | grep -q ' 5120 '
	podman run --rm --ipc none "$IMAGE" sh -c '! test -e /dev/shm'
}

@test "--network none: loopback alone, and it is up" {
	need podman
	run podman run --rm --network none "$IMAGE" sh -c 'ls /sys/class/net; cat /sys/class/net/lo/operstate; ping -c 1 127.0.0.1 >/dev/null 2>&1 || true; (echo hello | nc -l -p 77 &); sleep 0.2; nc 127.0.0.1 77 </dev/null'
	assert_status 0
	assert_output '^lo$'
	assert_output '^hello$'
}

@test "--network ns:PATH" {
	need podman
	unshare --net sleep 1000 3>&- &
	BACKGROUND+=($!)
	local pid=$!
	wait_for [ "$(namespace_of self net)" != "$(namespace_of "$pid" net)" ]
	assert_eq "$(podman run --rm --network "ns:/proc/$pid/ns/net" "$IMAGE" readlink /proc/self/ns/net)" "$(namespace_of "$pid" net)"
}

@test "--annotation io.sandlock.pid1: main" {
	need podman
	need_sandlock
	assert_eq "$(podman run --rm "$IMAGE" sh -c 'echo $(($$ > 1))')" 1
	assert_eq "$(podman run --rm --annotation io.sandlock.pid1=main "$IMAGE" sh -c 'echo $$')" 1
}

@test "what the host hides stays hidden: no descriptor, directory or program of the host's" {
	need podman
	run podman run --rm "$IMAGE" sh -c 'ls /proc/1/cwd/ /proc/1/root/ /proc/self/root/; ls -l /proc/*/fd/ 2>/dev/null; readlink /proc/1/exe'
	refute_output 'runc|/tmp/|/run/|sandlock-oci'
}
