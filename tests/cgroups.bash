# SPDX-License-Identifier: Apache-2.0
# For tests about cgroups: finds a container's files in whatever hierarchies the machine has.

# The first of the files that exists in a cgroup of this test; more names: what version 2 calls it.
cgroup_file() {
	local directory name
	for directory in $(own_cgroups); do
		for name in "$@"; do
			[ -e "$directory/$name" ] && echo "$directory/$name" && return
		done
	done
	return 1
}

cgroup_value() {
	local file
	file=$(cgroup_file "$@") || fail "no cgroup of the container has $*" || return 1
	cat "$file"
}

need_cgroup_file() {
	cgroup_file "$@" >/dev/null || skip "no hierarchy here has $*"
}

# Freezes or thaws behind the runtime's back. $1: 1 or 0
freeze_by_hand() {
	local file
	if file=$(cgroup_file freezer.state); then
		[ "$1" = 1 ] && echo FROZEN >"$file" || echo THAWED >"$file"
	else
		echo "$1" >"$(cgroup_file cgroup.freeze)"
	fi
}

# A main process that writes a line to /tmp/beat every 50 ms.
start_beating() {
	args sh -c 'while :; do echo beat >>/tmp/beat; sleep 0.05; done'
	create_start "$ID" "$@"
	wait_for [ -s "$BUNDLE/rootfs/tmp/beat" ]
}

beats() {
	wc -c <"$BUNDLE/rootfs/tmp/beat"
}

stands_still() {
	local before
	before=$(beats)
	sleep 0.3
	assert_eq "$(beats)" "$before" "beats while it should stand still"
}

# 32 MiB of memory, no swap.
limit_memory() {
	config '.linux.resources.memory = {"limit": 33554432, "swap": 33554432}'
}

# Shell text for the container: something that wants more than that.
HUNGRY='dd if=/dev/zero of=/dev/null bs=256M count=1'
