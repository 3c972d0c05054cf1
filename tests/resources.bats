#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Where a container's cgroup is, what limits it has, and what is left of it. The layout of the machine (v1, v2, both)
# must not matter: files are looked for by their names.
load helpers
load cgroups

# The container's directory in some hierarchy, as /proc/PID/cgroup of its main process has it. One line each.
cgroups_of_main() {
	cut -d: -f3 "/proc/$(pid_of "$ID")/cgroup" | sort -u
}

is_v2_machine() {
	[ -e /sys/fs/cgroup/cgroup.controllers ]
}

mount_cgroups() {
	config '.mounts += [{"destination": "/sys/fs/cgroup", "type": "cgroup", "source": "cgroup",
		"options": (["nosuid", "noexec", "nodev", "relatime"] + $ARGS.positional)}]' --args -- "$@"
}

cgroup_namespace() {
	config '.linux.namespaces += [{"type": "cgroup"}]'
}

@test "an absolute cgroupsPath is below the mount point of every hierarchy" {
	args sleep 100
	config --arg p "/$ID_PREFIX-top/box" '.linux.cgroupsPath = $p'
	create_start "$ID"
	[ -n "$(own_cgroups)" ]
	cgroups_of_main | while read -r path; do
		[[ $path == *"/$ID_PREFIX-top/box" ]] || [ "$path" = / ]
	done
	assert_eq "$(cgroups_of_main | tail -1)" "/$ID_PREFIX-top/box"
	rt delete --force "$ID"
	# what was made on the way may be others' as well, and stays
	[ -z "$(find /sys/fs/cgroup -type d -path "*$ID_PREFIX-top/box")" ]
	own_cgroups | xargs rmdir
}

@test "relative and absent cgroupsPath give a cgroup of the container's own" {
	args sleep 100
	create_start "$ID"
	cgroups_of_main | grep -q "/$ID\$"
	rt delete --force "$ID"
	config --arg p "$ID_PREFIX-relative/../$ID_PREFIX-x" '.linux.cgroupsPath = $p'
	create_start "$ID"
	cgroups_of_main | grep -q "/$ID_PREFIX-x\$"
	refute grep -q relative <(cgroups_of_main)
}

@test "the root of the hierarchy is nobody's" {
	config '.linux.cgroupsPath = "/.."'
	run rt create --bundle "$BUNDLE" "$ID"
	assert_failed
	assert_output "cgroupsPath"
}

@test "a cgroup with processes is not taken over, an empty one is used" {
	args sleep 100
	config --arg p "/$ID_PREFIX-shared" '.linux.cgroupsPath = $p'
	create_start "$ID"
	run rt create --bundle "$BUNDLE" "$(unique_id two)"
	assert_failed
	assert_output "cgroup is not empty"
	is_state "$ID" running
	rt delete --force "$ID"
	local root
	for root in /sys/fs/cgroup /sys/fs/cgroup/*/; do
		[ ! -e "$root/cgroup.procs" ] || mkdir "$root/$ID_PREFIX-shared"
		is_v2_machine && break
	done
	create_start "$ID"
	is_state "$ID" running
}

@test "limits are there before the container's first process" {
	mount_cgroups ro
	cgroup_namespace
	config '.linux.resources = {"memory": {"limit": 67108864, "reservation": 33554432}, "pids": {"limit": 55},
		"cpu": {"shares": 2048, "quota": 60000, "period": 100000}}'
	run_script 'cd /sys/fs/cgroup; cat memory.max memory/memory.limit_in_bytes pids.max pids/pids.max 2>/dev/null; \
		cat cpu.max cpu/cpu.cfs_quota_us cpu/cpu.shares memory/memory.soft_limit_in_bytes 2>/dev/null; true'
	assert_status 0
	assert_output '^67108864$'
	assert_output '^55$'
	assert_output '^60000'
}

@test "null, zero and empty resources ask for nothing" {
	config '.linux.resources = {"memory": {"limit": 0, "swap": null}, "cpu": {"shares": 0, "cpus": ""}, "pids": null,
		"blockIO": {"weight": 0}, "network": {"classID": 0, "priorities": []}, "hugepageLimits": [], "rdma": {},
		"unified": {}, "devices": null}'
	run_script 'echo fine'
	assert_status 0
	assert_output fine
}

@test "what the machine can't limit is named" {
	need_sandlock
	config '.linux.resources = {"hugepageLimits": [{"pageSize": "2MB/../../x", "limit": 1}]}'
	run rt create --bundle "$BUNDLE" "$ID"
	assert_failed
	assert_output "linux.resources.hugepageLimits"
	config '.linux.resources = {"cpu": {"cpus": "4000"}}'
	run rt create --bundle "$BUNDLE" "$ID"
	assert_failed
	assert_output "linux.resources.cpu.cpus"
	config '.linux.resources = {"unified": {"../memory.max": "1"}}'
	run rt create --bundle "$BUNDLE" "$ID"
	assert_failed
	assert_output "unified"
	[ -z "$(own_cgroups)" ]
}

@test "unified: a file of cgroup v2" {
	is_v2_machine || [ -e /sys/fs/cgroup/unified ] || skip "no cgroup2 mount"
	args sleep 100
	config '.linux.resources = {"unified": {"cgroup.max.depth": "7"}}'
	create_start "$ID"
	assert_eq "$(cgroup_value cgroup.max.depth)" 7
	rt delete --force "$ID"
	config '.linux.resources = {"unified": {"nonsense.max": "7"}}'
	run rt create --bundle "$BUNDLE" "$ID"
	assert_failed
	assert_output 'controller "nonsense" not available'
}

@test "devices: what is not allowed can't be opened, the usual ones can" {
	config '.linux.resources = {"devices": [{"allow": false, "access": "rwm"}]} |
		.linux.devices = [{"path": "/dev/kmsg", "type": "c", "major": 1, "minor": 11, "fileMode": 438}]'
	run_script 'echo x >/dev/null && head -c1 /dev/zero >/dev/null && echo usual; (exec >>/dev/kmsg) 2>&1'
	assert_output usual
	assert_output "[Nn]ot permitted"
	config '.linux.resources.devices += [{"allow": true, "type": "c", "major": 1, "minor": 11, "access": "w"}]'
	run_script '(exec >>/dev/kmsg) && echo writable; (exec </dev/kmsg) 2>&1'
	assert_output writable
	assert_output "[Nn]ot permitted"
}

@test "a cgroup namespace begins at the container's cgroup" {
	cgroup_namespace
	mount_cgroups ro
	run_script 'cut -d: -f3 /proc/self/cgroup | sort -u; ls -d /sys/fs/cgroup/cgroup.procs /sys/fs/cgroup/memory/cgroup.procs 2>/dev/null;
		mkdir /sys/fs/cgroup/x /sys/fs/cgroup/memory/x 2>&1'
	assert_output '^/$'
	refute_output "$ID"
	assert_output 'cgroup.procs'
	assert_output '[Rr]ead-only'
}

@test "a writable cgroup mount, and what the container makes there is removed" {
	cgroup_namespace
	mount_cgroups
	args sh -c 'for d in /sys/fs/cgroup /sys/fs/cgroup/*/; do [ ! -w $d/cgroup.procs ] || mkdir -p $d/own/below; done; sleep 100'
	create_start "$ID"
	wait_for [ -n "$(find /sys/fs/cgroup -path "*$ID/own/below" -print -quit)" ]
	rt delete --force "$ID"
	[ -z "$(own_cgroups)" ]
}

@test "without a pid namespace the cgroup tells the jobs" {
	config 'del(.linux.namespaces[] | select(.type == "pid"))'
	args sh -c 'trap "" HUP INT TERM; for i in 1 2 3 4 5 6 7 8; do (setsid sleep 100 &) ; done; exit 4'
	create_start "$ID"
	wait_state "$ID" stopped
	[ "$(cgroup_value cgroup.procs | wc -l)" = 8 ]
	rt delete "$ID"
	no_own_processes
	[ -z "$(own_cgroups)" ]
}

@test "processes of exec are in the container's cgroup, or below it" {
	args sleep 100
	create_start "$ID"
	local directory
	for directory in $(own_cgroups); do
		mkdir "$directory/sub"
		# an empty v1 cpuset takes nobody
		for name in cpuset.cpus cpuset.mems; do
			[ ! -e "$directory/sub/$name" ] || [ ! -e "$directory/cpuset.memory_migrate" ] ||
				cat "$directory/$name" >"$directory/sub/$name"
		done
	done
	run rt exec "$ID" cat /proc/self/cgroup
	assert_status 0
	assert_output "/$ID\$"
	need_sandlock
	run rt exec --cgroup sub "$ID" cat /proc/self/cgroup
	assert_status 0
	assert_output "/$ID/sub\$"
	run rt exec --cgroup ../x "$ID" true
	assert_failed
	assert_output 'components are not allowed'
}

@test "a frozen container dies and is removed" {
	start_beating
	freeze_by_hand 1
	rt delete --force "$ID"
	[ -z "$(own_cgroups)" ]
}

@test "--cgroup-manager=disabled" {
	need_sandlock
	args cat /proc/self/cgroup
	run rt --cgroup-manager=disabled run --bundle "$BUNDLE" "$ID"
	assert_status 0
	refute_output "$ID"
	config '.linux.resources = {"pids": {"limit": 5}}'
	run rt --cgroup-manager=disabled run --bundle "$BUNDLE" "$ID"
	assert_failed
	assert_output "linux.resources.pids.limit"
	config --arg p "/$ID" '.linux.resources = {} | .linux.cgroupsPath = $p'
	run rt --cgroup-manager=disabled run --bundle "$BUNDLE" "$ID"
	assert_failed
	assert_output "cgroup manager is disabled"
}

@test "intelRdt without such hardware is an error" {
	[ ! -e /sys/fs/resctrl/schemata ] || skip "resctrl is mounted"
	config '.linux.intelRdt = {"closID": "gold", "schemata": ["L3:0=1"]}'
	run rt create --bundle "$BUNDLE" "$ID"
	assert_failed
	assert_output "resctrl"
	[ -z "$(own_cgroups)" ]
}

@test "systemd: the container is in a scope with its limits, whose name can't be taken twice" {
	need_sandlock
	[ -d /run/systemd/system ] || skip "no systemd"
	[ -x "$(dirname "$SANDLOCK")/sandlock-systemd" ] || skip "no sandlock-systemd"
	args sleep 100
	config --arg p "system.slice:sl:$ID" '.linux.cgroupsPath = $p | .linux.resources =
		{"memory": {"limit": 67108864}, "pids": {"limit": 55}, "cpu": {"shares": 2048}} |
		.annotations["org.systemd.property.TimeoutStopSec"] = "uint64 7"'
	run rt --systemd-cgroup run --detach --bundle "$BUNDLE" "$ID"
	assert_status 0
	assert_eq "$(systemctl show -P MemoryMax "sl-$ID.scope")" 67108864
	assert_eq "$(systemctl show -P TasksMax "sl-$ID.scope")" 55
	assert_eq "$(systemctl show -P TimeoutStopUSec "sl-$ID.scope")" 7s
	cgroups_of_main | grep -q "/system.slice/sl-$ID.scope\$"
	systemctl daemon-reload
	assert_eq "$(cgroup_value memory.max memory.limit_in_bytes)" 67108864
	run rt --systemd-cgroup run --detach --bundle "$BUNDLE" "$(unique_id two)"
	assert_failed
	assert_output "sl-$ID.scope"
	rt update --memory 33554432 "$ID"
	assert_eq "$(systemctl show -P MemoryMax "sl-$ID.scope")" 33554432
	rt delete --force "$ID"
	run rt --systemd-cgroup run --detach --bundle "$BUNDLE" "$ID"
	assert_status 0
}

@test "a creation that fails for its cgroup leaves the one it found alone" {
	args sleep 100
	config --arg p "/$ID_PREFIX-shared" '.linux.cgroupsPath = $p | del(.linux.namespaces[] | select(.type == "pid"))'
	create_start "$ID"
	local other
	other=$(unique_id two)
	run rt create --bundle "$BUNDLE" "$other"
	assert_failed
	is_state "$ID" running
	rt list >/dev/null
	is_state "$ID" running
	config '.linux.namespaces += [{"type": "pid"}]'
	run rt create --bundle "$BUNDLE" "$other"
	assert_failed
	rt list >/dev/null
	run rt delete --force "$other"
	is_state "$ID" running
	! rt list -q | grep -q two
}
