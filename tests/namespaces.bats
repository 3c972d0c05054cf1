#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
load helpers

# Namespace link of the container, as printed by the script below. $1: name
ns() {
	awk -v name="$1" '$1 == name { print $2 }' <<<"$output"
}

PRINT_NS='for n in cgroup ipc mnt net pid time user uts; do echo $n $(readlink /proc/self/ns/$n); done'

host_ns() {
	readlink "/proc/self/ns/$1"
}

# A user namespace for the container. $1: first host id
user_namespace() {
	chown -R "$1:$1" "$BUNDLE/rootfs/root" "$BUNDLE/rootfs/tmp" "$BUNDLE/rootfs/work"
	config --argjson first "$1" '.linux.namespaces += [{"type": "user"}]
		| .linux.uidMappings = [{"containerID": 0, "hostID": $first, "size": 65536}]
		| .linux.gidMappings = [{"containerID": 0, "hostID": $first, "size": 65536}]'
}

@test "listed namespaces are new, the others are the caller's" {
	run_script "$PRINT_NS"
	assert_status 0
	local name
	for name in ipc mnt net pid uts; do
		[ "$(ns $name)" != "$(host_ns $name)" ] || fail "$name is the host's"
	done
	for name in user time cgroup; do
		assert_eq "$(ns $name)" "$(host_ns $name)" $name
	done
}

@test "without a network namespace the host's is shared" {
	config 'del(.linux.namespaces[] | select(.type == "network"))'
	run_script "$PRINT_NS"
	assert_status 0
	assert_eq "$(ns net)" "$(host_ns net)"
}

@test "without an ipc and a uts namespace the host's are shared" {
	config 'del(.linux.namespaces[] | select(.type == "ipc" or .type == "uts")) | del(.hostname)
		| del(.mounts[] | select(.type == "mqueue"))'
	run_script "$PRINT_NS; hostname"
	assert_status 0
	assert_eq "$(ns ipc)" "$(host_ns ipc)"
	assert_eq "$(ns uts)" "$(host_ns uts)"
	assert_output "^$(hostname)\$"
}

@test "without a pid namespace the program runs in the host's, and delete ends it" {
	config 'del(.linux.namespaces[] | select(.type == "pid"))'
	args sleep 100
	create_start "$ID"
	local pid
	pid=$(pid_of "$ID")
	assert_eq "$(readlink "/proc/$pid/ns/pid")" "$(host_ns pid)"
	rt delete --force "$ID"
	is_gone "$pid"
}

@test "a new cgroup namespace hides the path" {
	config '.linux.namespaces += [{"type": "cgroup"}]'
	run_script "$PRINT_NS; cat /proc/self/cgroup"
	assert_status 0
	[ "$(ns cgroup)" != "$(host_ns cgroup)" ]
	refute_output "$ID"
	assert_output '^[0-9]+:.*:/$'
}

@test "hostname and domainname" {
	need_sandlock
	config '.hostname = "my.host" | .domainname = "my.domain"'
	run_script 'hostname; cat /proc/sys/kernel/domainname'
	assert_status 0
	assert_eq "$output" $'my.host\nmy.domain'
}

@test "a hostname without a uts namespace is refused, the host's name stays" {
	local before
	before=$(hostname)
	config 'del(.linux.namespaces[] | select(.type == "uts")) | .hostname = "stolen"'
	run_script true
	assert_failed
	assert_eq "$(hostname)" "$before"
}

@test "a new network namespace has its loopback device up" {
	run_script 'cat /sys/class/net/lo/operstate; ip addr show lo 2>&1'
	assert_status 0
	assert_output 'UP'
	assert_output '127\.0\.0\.1'
}

# Whether the process $1 is in other namespaces than ours: $2...
left_namespace() {
	local type pid=$1
	shift
	for type; do
		[ "$(host_ns "$type")" != "$(readlink "/proc/$pid/ns/$type")" ] || return 1
	done
}

@test "namespaces are joined by path" {
	local name type
	unshare --net --ipc --uts sleep 1000 3>&- &
	BACKGROUND+=($!)
	local pid=$!
	wait_for left_namespace "$pid" net uts ipc
	config --arg p "/proc/$pid/ns" '.linux.namespaces = [{"type": "pid"}, {"type": "mount"},
		{"type": "network", "path": ($p + "/net")}, {"type": "ipc", "path": ($p + "/ipc")}, {"type": "uts", "path": ($p + "/uts")}]
		| del(.hostname)'
	run_script "$PRINT_NS"
	assert_status 0
	for name in net ipc uts; do
		assert_eq "$(ns $name)" "$(readlink "/proc/$pid/ns/$name")" $name
	done
}

@test "joining a pid namespace by path" {
	unshare --pid --fork sleep 1000 3>&- &
	BACKGROUND+=($!)
	local pid=$! inner
	wait_for eval 'inner=$(cat /proc/$pid/task/$pid/children) && [ -n "$inner" ]'
	inner=$(xargs <"/proc/$pid/task/$pid/children")
	config --arg p "/proc/$inner/ns/pid" '.linux.namespaces |= map(if .type == "pid" then .path = $p else . end)'
	run_script "$PRINT_NS"
	assert_status 0
	assert_eq "$(ns pid)" "$(readlink "/proc/$inner/ns/pid")"
	# and it outlives the container
	[ "$(process_state "$inner")" = S ]
	kill -KILL "$inner"
}

@test "joining a user namespace by path that does not map the host's root" {
	unshare --user sleep 1000 3>&- &
	BACKGROUND+=($!)
	local pid=$!
	wait_for left_namespace "$pid" user
	printf '0 100000 5000' >"/proc/$pid/uid_map"
	printf '0 100000 5000' >"/proc/$pid/gid_map"
	chown -R 100000:100000 "$BUNDLE/rootfs/tmp"
	config --arg p "/proc/$pid/ns/user" '.linux.namespaces += [{"type": "user", "path": $p}]
		| .linux.uidMappings = [{"containerID": 0, "hostID": 100000, "size": 5000}] | .linux.gidMappings = .linux.uidMappings'
	run_script "$PRINT_NS; cat /proc/self/uid_map"
	assert_status 0
	assert_eq "$(ns user)" "$(readlink "/proc/$pid/ns/user")"
	assert_output '^ *0 +100000 +5000$'
}

@test "a namespace path of the wrong type is refused" {
	config '.linux.namespaces |= map(if .type == "network" then .path = "/proc/self/ns/uts" else . end)'
	run_script true
	assert_failed
}

@test "a namespace path that is missing or no namespace is refused" {
	config --arg p "$T/none" '.linux.namespaces |= map(if .type == "network" then .path = $p else . end)'
	run_script true
	assert_failed
	assert_output 'none'
	config '.linux.namespaces |= map(if .type == "network" then .path = "/etc/passwd" else . end)'
	run_script true
	assert_failed
}

@test "a namespace that is listed twice, and an unknown one, are refused" {
	config '.linux.namespaces += [{"type": "network"}]'
	run_script true
	assert_failed
	new_bundle other
	config '.linux.namespaces += [{"type": "nonesuch"}]'
	run_script true
	assert_failed
}

@test "a user namespace with mappings" {
	user_namespace 100000
	run_script "$PRINT_NS"' ; cat /proc/self/uid_map /proc/self/gid_map; id -u; touch /work/file'
	assert_status 0
	[ "$(ns user)" != "$(host_ns user)" ]
	assert_output '^ +0 +100000 +65536$'
	assert_output '^0$'
	assert_eq "$(stat -c %u:%g "$BUNDLE/rootfs/work/file")" 100000:100000
}

@test "a user namespace with several mappings" {
	chown -R 100000:100000 "$BUNDLE/rootfs/root" "$BUNDLE/rootfs/work"
	config '.linux.namespaces += [{"type": "user"}]
		| .linux.uidMappings = [{"containerID": 0, "hostID": 100000, "size": 1000}, {"containerID": 1000, "hostID": 300000, "size": 10}]
		| .linux.gidMappings = [{"containerID": 0, "hostID": 100000, "size": 1000}, {"containerID": 1000, "hostID": 300000, "size": 10}]
		| .process.user = {"uid": 1000, "gid": 1000}'
	args sleep 100
	create_start "$ID"
	assert_eq "$(awk '/^Uid/ { print $2 }' "/proc/$(pid_of "$ID")/status")" 300000
}

@test "a user namespace: devices work, the standard mounts are there" {
	user_namespace 100000
	run_script 'echo x >/dev/null && head -c 2 /dev/zero | wc -c && cut -d" " -f5 /proc/self/mountinfo'
	assert_status 0
	assert_output '^2$'
	local point
	for point in /proc /dev /dev/pts /dev/shm /dev/mqueue /sys; do
		assert_output "^$point\$"
	done
}

@test "a user namespace: root inside may not touch what is not its own" {
	user_namespace 100000
	chmod 0600 "$BUNDLE/rootfs/etc/group"
	run_script 'cat /etc/group'
	assert_failed
}

@test "a user namespace with a bind mount that is below a directory it may not pass" {
	need_sandlock
	user_namespace 100000
	mkdir -p "$T/closed/data"
	echo reachable >"$T/closed/data/file"
	chmod 0700 "$T/closed"
	config --arg s "$T/closed/data" '.mounts += [{"destination": "/mnt", "type": "bind", "source": $s, "options": ["bind", "ro"]}]'
	run_script 'cat /mnt/file'
	assert_status 0
	assert_output '^reachable$'
}

@test "a user namespace with a root file system below a directory it may not pass" {
	need_sandlock
	user_namespace 100000
	mkdir "$T/closed"
	mv "$BUNDLE" "$T/closed/bundle"
	BUNDLE=$T/closed/bundle
	chmod 0700 "$T/closed"
	run_script 'echo works'
	assert_status 0
	assert_output '^works$'
}

@test "a user namespace without a mapping of the user is refused" {
	user_namespace 100000
	config '.process.user = {"uid": 70000, "gid": 0}'
	run_script true
	assert_failed
}

@test "a user namespace without mappings: for root every id stands for itself, and a warning says so" {
	need_sandlock
	config '.linux.namespaces += [{"type": "user"}]'
	run_script "$PRINT_NS; cat /proc/self/uid_map /proc/self/gid_map"
	assert_status 0
	assert_output 'level=warning .*linux.uidMappings'
	[ "$(ns user)" != "$(host_ns user)" ]
	assert_eq "$(grep -cx ' *0  *0  *4294967295' <<<"$output")" 2
	config '.linux.uidMappings = [{"containerID": 0, "hostID": 1, "size": 1}]'
	run_script true
	assert_failed
	assert_output 'uidMappings and linux.gidMappings are needed|gidMappings'
}

@test "a user namespace: wait, kill and delete work as ever" {
	user_namespace 100000
	args sh -c 'sleep 1111 & exit 3'
	create_start "$ID"
	wait_state "$ID" stopped
	rt delete "$ID"
	[ -z "$(own_named sleep)" ]
}

@test "a time namespace with offsets" {
	need_sandlock
	config '.linux.namespaces += [{"type": "time"}] | .linux.timeOffsets = {"monotonic": {"secs": 1000}, "boottime": {"secs": 1000000, "nanosecs": 5}}'
	run_script "$PRINT_NS; cut -d. -f1 /proc/uptime"
	assert_status 0
	[ "$(ns time)" != "$(host_ns time)" ]
	[ "$(tail -1 <<<"$output")" -gt 1000000 ]
}

@test "sysctl of the container's namespaces" {
	config '.linux.sysctl = {"net.ipv4.ip_forward": "1", "kernel.shm_rmid_forced": "1", "net/ipv4/ip_default_ttl": "77"}'
	run_script 'cat /proc/sys/net/ipv4/ip_forward /proc/sys/kernel/shm_rmid_forced'
	assert_status 0
	assert_eq "$output" $'1\n1'
}

@test "a sysctl that is not the namespace's is refused, the host's stays" {
	local before
	before=$(cat /proc/sys/vm/swappiness)
	config '.linux.sysctl = {"vm.swappiness": "1"}'
	run_script true
	assert_failed
	assert_eq "$(cat /proc/sys/vm/swappiness)" "$before"
	config 'del(.linux.namespaces[] | select(.type == "network")) | .linux.sysctl = {"net.ipv4.ip_forward": "1"}'
	run_script true
	assert_failed
}

@test "kernel.hostname is the business of hostname, kernel.domainname is not" {
	config 'del(.hostname) | .linux.sysctl = {"kernel.hostname": "x"}'
	run_script true
	assert_failed
	assert_output 'conflicts with the OCI .*hostname'
	config '.linux.sysctl = {"kernel.domainname": "example.org"}'
	run_script 'cat /proc/sys/kernel/domainname'
	assert_status 0
	assert_output '^example.org$'
}

@test "a sysctl with .. in its name is refused" {
	config '.linux.sysctl = {"net.ipv4/../../vm/swappiness": "1"}'
	run_script true
	assert_failed
}

@test "a user namespace together with all other new namespaces" {
	user_namespace 100000
	config '.linux.namespaces += [{"type": "cgroup"}]'
	run_script "$PRINT_NS; id -u"
	assert_status 0
	local name
	for name in cgroup ipc mnt net pid user uts; do
		[ "$(ns $name)" != "$(host_ns $name)" ] || fail "$name is the host's"
	done
	assert_output '^0$'
}
