#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
load helpers
load cgroups

# A container with some limits, to see which of them an update touches.
start_limited() {
	args sleep 100
	config '.linux.resources = {"memory": {"limit": 67108864}, "cpu": {"shares": 512, "quota": 40000, "period": 100000},
		"pids": {"limit": 100}}'
	create_start "$ID"
	need_cgroup_file memory.limit_in_bytes memory.max
	SHARES=$(cgroup_value cpu.shares cpu.weight)
}

memory_limit() {
	cgroup_value memory.limit_in_bytes memory.max
}

# Memory, shares (version 2: a weight), quota, period, processes.
all_limits() {
	local quota
	if cgroup_file cpu.max >/dev/null; then
		quota=$(cgroup_value cpu.max)
	else
		quota="$(cgroup_value cpu.cfs_quota_us) $(cgroup_value cpu.cfs_period_us)"
	fi
	echo "$(memory_limit) $(cgroup_value cpu.shares cpu.weight) $quota $(cgroup_value pids.max)"
}

# $1: what all_limits should say; "512" stands for what start_limited's shares have become.
assert_limits() {
	assert_eq "$(all_limits)" "${1/ 512 / $SHARES }"
}

@test "update changes what is named and nothing else" {
	start_limited
	assert_limits "67108864 512 40000 100000 100"
	rt update --memory 134217728 "$ID"
	assert_limits "134217728 512 40000 100000 100"
	rt update --pids-limit 50 "$ID"
	assert_limits "134217728 512 40000 100000 50"
	rt update --cpu-quota 20000 "$ID"
	assert_limits "134217728 512 20000 100000 50"
	rt update --cpu-period 50000 "$ID"
	assert_limits "134217728 512 20000 50000 50"
	rt update "$ID" --memory 33554432 --pids-limit=60 --cpu-quota 30000 --cpu-period 60000
	assert_limits "33554432 512 30000 60000 60"
}

@test "update without options changes nothing" {
	start_limited
	rt update "$ID"
	assert_limits "67108864 512 40000 100000 100"
}

@test "update --cpu-share" {
	start_limited
	rt update --cpu-share 2048 "$ID"
	[ "$(cgroup_value cpu.shares cpu.weight)" -gt "$SHARES" ]
	if cgroup_file cpu.shares; then
		assert_eq "$(cgroup_value cpu.shares)" 2048
	fi
}

@test "update takes sizes with units, as docker writes them" {
	start_limited
	local pair
	for pair in 50331648:50331648 48m:50331648 48M:50331648 48mb:50331648 48MiB:50331648 "48 m:50331648" 49152k:50331648 \
		0.0625g:67108864 1.5m:1572864 33554432b:33554432; do
		rt update --memory 64m "$ID"
		rt update --memory "${pair%:*}" "$ID"
		assert_eq "$(memory_limit)" "${pair#*:}" "--memory ${pair%:*}"
	done
}

@test "update --memory -1 lifts the limit" {
	start_limited
	rt update --memory -1 "$ID"
	local limit
	limit=$(memory_limit)
	[ "$limit" = max ] || [ "$limit" -gt 1000000000000000 ]
	assert_eq "$(cgroup_value pids.max)" 100
	rt update --pids-limit -1 --cpu-quota -1 "$ID"
	assert_eq "$(cgroup_value pids.max)" max
}

@test "update refuses what is no limit, and changes nothing" {
	need_sandlock
	start_limited
	local option
	for option in --memory=abc --memory=12q --memory=1.5.5 --memory=-2 --memory=0x10 --memory=99999999999999999999 --memory=8589934592g \
		--memory=10mbb --memory=10bi --memory-swap=x --pids-limit=abc --pids-limit=1.5 --cpu-quota=1s --cpu-period=-1 --cpu-share=x \
		--cpuset-cpus=a-b --blkio-weight=5 --blkio-weight=1001 --cpu-idle=yes; do
		run rt update --pids-limit 7 "$option" "$ID"
		assert_failed
		option=${option%%=*}
		assert_output "invalid value for ${option#--}:"
	done
	assert_limits "67108864 512 40000 100000 100"
}

@test "update --resources FILE, and from standard input" {
	start_limited
	echo '{"memory": {"limit": 134217728}, "pids": {"limit": 70}}' >"$T/resources"
	rt update --resources "$T/resources" "$ID"
	assert_limits "134217728 512 40000 100000 70"
	rt update --resources=- "$ID" <<<'{"cpu": {"quota": 20000}}'
	assert_limits "134217728 512 20000 100000 70"
	rt update -r - "$ID" <<<'{"cpu": {"quota": 25000, "period": 50000}, "memory": {"limit": 100663296}}'
	assert_limits "100663296 512 25000 50000 70"
	rt update -r "$T/resources" "$ID" </dev/null
	assert_limits "134217728 512 25000 50000 70"
}

@test "what docker sends: zeros and empty strings leave things alone" {
	start_limited
	rt update --resources - "$ID" <<<'{"memory": {"limit": 134217728, "reservation": 0, "swap": 0, "kernel": 0},
		"cpu": {"shares": 0, "quota": 0, "period": 0, "realtimeRuntime": 0, "realtimePeriod": 0, "cpus": "", "mems": ""},
		"blockIO": {"weight": 0}}'
	assert_limits "134217728 512 40000 100000 100"
}

@test "options beside a file go before what stands in it" {
	need_sandlock
	start_limited
	echo '{"memory": {"limit": 134217728}, "pids": {"limit": 70}}' >"$T/resources"
	rt update --resources "$T/resources" --pids-limit 80 "$ID"
	assert_limits "134217728 512 40000 100000 80"
}

@test "update refuses a file that is no resources object" {
	start_limited
	run rt update --resources "$T/missing" "$ID"
	assert_failed
	assert_output 'no such file|No such file'
	for text in '{' '[]' '{"memory": {"limit": "much"}}' '{"memory": {"limit": 1.5}}' ''; do
		run rt update --resources - "$ID" <<<"$text"
		assert_failed
	done
	assert_limits "67108864 512 40000 100000 100"
}

@test "an unknown property is refused with --strict alone" {
	need_sandlock
	start_limited
	run rt --strict update --resources - "$ID" <<<'{"memroy": {"limit": 134217728}, "pids": {"limit": 9}}'
	assert_failed
	assert_output 'memroy'
	assert_limits "67108864 512 40000 100000 100"
	rt update --resources - "$ID" <<<'{"memroy": {"limit": 134217728}, "pids": {"limit": 9}}'
	assert_limits "67108864 512 40000 100000 9"
}

@test "limits up and down again, memory together with swap" {
	args sleep 100
	config '.linux.resources.memory = {"limit": 67108864, "swap": 67108864}'
	create_start "$ID"
	need_cgroup_file memory.memsw.limit_in_bytes
	rt update --memory 128m --memory-swap 256m "$ID"
	assert_eq "$(memory_limit) $(cgroup_value memory.memsw.limit_in_bytes)" "134217728 268435456"
	rt update --memory 32m --memory-swap 48m "$ID"
	assert_eq "$(memory_limit) $(cgroup_value memory.memsw.limit_in_bytes)" "33554432 50331648"
	rt update --memory 64m --memory-swap -1 "$ID"
	assert_eq "$(memory_limit)" 67108864
	[ "$(cgroup_value memory.memsw.limit_in_bytes)" -gt 1000000000000000 ]
}

@test "update --memory-reservation, --cpuset-cpus, --cpuset-mems, --cpu-idle, --cpu-burst" {
	start_limited
	rt update --memory-reservation 32m "$ID"
	assert_eq "$(cgroup_value memory.soft_limit_in_bytes memory.low)" 33554432
	rt update --cpuset-cpus 0 --cpuset-mems 0 "$ID"
	assert_eq "$(cgroup_value cpuset.cpus) $(cgroup_value cpuset.mems)" "0 0"
	assert_eq "$(awk '/^Cpus_allowed_list/ { print $2 }' "/proc/$(pid_of "$ID")/status")" 0
	is_sandlock || return 0
	if cgroup_file cpu.idle; then
		rt update --cpu-idle 1 "$ID"
		assert_eq "$(cgroup_value cpu.idle)" 1
		rt update --cpu-idle 0 "$ID"
		assert_eq "$(cgroup_value cpu.idle)" 0
	fi
	if cgroup_file cpu.cfs_burst_us cpu.max.burst; then
		rt update --cpu-burst 10000 "$ID"
		assert_eq "$(cgroup_value cpu.cfs_burst_us cpu.max.burst)" 10000
	fi
}

@test "update --blkio-weight, or what the machine lacks is named" {
	need_sandlock
	start_limited
	if cgroup_file blkio.weight blkio.bfq.weight io.bfq.weight io.weight; then
		rt update --blkio-weight 200 "$ID"
		cgroup_value blkio.weight blkio.bfq.weight io.bfq.weight io.weight | grep -E '(^|default )(200|1920)$'
	else
		run rt update --blkio-weight 200 "$ID"
		assert_failed
		assert_output 'blockIO.weight'
	fi
}

@test "a schema for a container without a class of service is refused, and nothing is changed" {
	need_sandlock
	start_limited
	run rt update --pids-limit 9 --l3-cache-schema 'L3:0=f' "$ID"
	assert_failed
	assert_output 'Intel RDT/CAT: l3 cache schema is not enabled'
	run rt update --mem-bw-schema 'MB:0=50' "$ID"
	assert_failed
	assert_output 'Intel RDT/MBA: memory bandwidth schema is not enabled'
	assert_limits "67108864 512 40000 100000 100"
}

@test "a new limit on processes works at once" {
	args sh -c 'while [ ! -e /tmp/go ]; do sleep 0.02; done; (sleep 1 & sleep 1 & sleep 1 & sleep 1 & wait) 2>/tmp/errors; echo done >/tmp/done; sleep 100'
	create_start "$ID"
	need_cgroup_file pids.max
	rt update --pids-limit 4 "$ID"
	touch "$BUNDLE/rootfs/tmp/go"
	wait_for file_has "$BUNDLE/rootfs/tmp/errors" fork
}

@test "a new limit on memory works at once" {
	args sh -c "while [ ! -e /tmp/go ]; do sleep 0.02; done; $HUNGRY; echo \$? >/tmp/child; sleep 100"
	create_start "$ID"
	need_cgroup_file memory.limit_in_bytes memory.max
	rt update --memory 32m --memory-swap 32m "$ID"
	touch "$BUNDLE/rootfs/tmp/go"
	wait_for [ -s "$BUNDLE/rootfs/tmp/child" ]
	assert_eq "$(cat "$BUNDLE/rootfs/tmp/child")" 137
}

@test "devices stay denied after an update" {
	config '.linux.resources.devices = [{"allow": false, "access": "rwm"}]'
	args sh -c 'while [ ! -e /tmp/go ]; do sleep 0.02; done; head -c1 /dev/kmsg >/dev/null 2>/tmp/result; echo $? >/tmp/code; sleep 100'
	config '.linux.devices = [{"path": "/dev/kmsg", "type": "c", "major": 1, "minor": 11, "fileMode": 438, "uid": 0, "gid": 0}]'
	create_start "$ID"
	rt update --memory 64m "$ID"
	touch "$BUNDLE/rootfs/tmp/go"
	wait_for [ -s "$BUNDLE/rootfs/tmp/code" ]
	assert_eq "$(cat "$BUNDLE/rootfs/tmp/code")" 1
	file_has "$BUNDLE/rootfs/tmp/result" 'not permitted'
}

@test "created and paused containers can be updated" {
	args sleep 100
	create "$ID"
	need_cgroup_file pids.max
	rt update --pids-limit 33 "$ID"
	assert_eq "$(cgroup_value pids.max)" 33
	start "$ID"
	rt pause "$ID"
	rt update --pids-limit 44 "$ID"
	assert_eq "$(cgroup_value pids.max)" 44
	assert_eq "$(status_of "$ID")" paused
}

@test "update of a stopped and of an unknown container fails" {
	create_start "$ID"
	wait_state "$ID" stopped
	run rt update --memory 64m "$ID"
	assert_failed
	assert_output 'container not running'
	run rt update --memory 64m "$(unique_id none)"
	assert_failed
	assert_output 'does not exist'
}
