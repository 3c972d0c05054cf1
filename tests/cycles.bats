#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
load helpers

# What the machine has: everything that a container could leave behind.
# Those that were not there at the first call: the shell itself closes some as it reads on.
new_descriptors() {
	find "/proc/$$/fd" -mindepth 1 -printf '%f\n' | sort >"$T/descriptors.now"
	[ -e "$T/descriptors.first" ] || cp "$T/descriptors.now" "$T/descriptors.first"
	comm -13 "$T/descriptors.first" "$T/descriptors.now" | tr '\n' ' '
}

snapshot() {
	{
		echo "processes: $(own_processes | wc -l)"
		echo "names: $(own_names)"
		echo "cgroups: $(own_cgroups)"
		echo "root: $(ls -A "$ROOT" 2>/dev/null)"
		echo "bundle: $(find "$BUNDLE" | sort | cksum)"
		echo "caller's new descriptors: $(new_descriptors)"
		mounts_changed
	} >"$1"
}

@test "200 cycles of create, start, delete leave the machine as it was" {
	args sh -c 'setsid sleep 1111 & exit 0'
	# the first cycle makes what stays by design: mount points in the bundle, the state root
	create_start "$ID"
	rt delete --force "$ID"
	snapshot "$T/before"
	local i
	for ((i = 0; i < ${CYCLES:-200}; i++)); do
		"$SANDLOCK" --root "$ROOT" create --bundle "$BUNDLE" "$ID" </dev/null >/dev/null 2>&1 3>&-
		"$SANDLOCK" --root "$ROOT" start "$ID" </dev/null >/dev/null 2>&1 3>&-
		"$SANDLOCK" --root "$ROOT" delete --force "$ID" </dev/null >/dev/null 2>&1 3>&-
	done
	snapshot "$T/after"
	diff "$T/before" "$T/after"
}

@test "cycles with all namespaces, a user namespace and a terminal leave the machine as it was" {
	chown -R 100000:100000 "$BUNDLE/rootfs/tmp"
	config '.linux.namespaces += [{"type": "user"}, {"type": "cgroup"}]
		| .linux.uidMappings = [{"containerID": 0, "hostID": 100000, "size": 65536}]
		| .linux.gidMappings = [{"containerID": 0, "hostID": 100000, "size": 65536}]'
	args sh -c 'setsid sleep 1111 & exit 0'
	create_start "$ID"
	rt delete --force "$ID"
	snapshot "$T/before"
	local i
	for ((i = 0; i < ${CYCLES:-200} / 10; i++)); do
		create_start "$ID"
		rt delete --force "$ID"
	done
	snapshot "$T/after"
	diff "$T/before" "$T/after"
}

@test "cycles that fail leave the machine as it was" {
	args no-such-program
	run rt create --bundle "$BUNDLE" "$ID" </dev/null
	assert_failed
	snapshot "$T/before"
	local i
	for ((i = 0; i < ${CYCLES:-200} / 10; i++)); do
		run rt create --bundle "$BUNDLE" "$ID" </dev/null
		assert_failed
	done
	snapshot "$T/after"
	diff "$T/before" "$T/after"
}

@test "cycles of many containers at once leave the machine as it was" {
	args sh -c 'setsid sleep 1111 & exit 0'
	create_start "$ID"
	rt delete --force "$ID"
	snapshot "$T/before"
	local i round pids
	for round in 1 2 3; do
		pids=()
		for i in 1 2 3 4 5 6 7 8; do
			(
				id=$(unique_id "$i")
				create_start "$id" && rt delete --force "$id"
			) 3>&- &
			pids+=($!)
		done
		for i in "${pids[@]}"; do
			wait "$i"
		done
	done
	snapshot "$T/after"
	diff "$T/before" "$T/after"
}
