#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
load helpers

status_line() {
	awk -v key="$1:" '$1 == key { $1 = ""; print substr($0, 2) }' <<<"$output"
}

@test "the environment is exactly process.env" {
	config '.process.env = ["PATH=/bin", "A=1", "B=two words", "EMPTY=", "QUOTED=\"x\\y\""]'
	args env
	run env LEAKED=yes "$SANDLOCK" --root "$ROOT" run --bundle "$BUNDLE" "$ID" </dev/null
	assert_status 0
	assert_output '^A=1$'
	assert_output '^B=two words$'
	assert_output '^EMPTY=$'
	assert_output '^QUOTED="x\\y"$'
	refute_output 'LEAKED'
}

@test "HOME is taken from the container's passwd when process.env lacks it" {
	config '.process.env = ["PATH=/bin"] | .process.user = {"uid": 1000, "gid": 1000}'
	run_script 'echo "home=$HOME"'
	assert_status 0
	assert_output '^home=/home/user$'
}

@test "cwd is where the program starts" {
	config '.process.cwd = "/home/user"'
	run_script pwd
	assert_status 0
	assert_output '^/home/user$'
}

@test "a cwd that is missing is created" {
	config '.process.cwd = "/not/yet/there"'
	run_script pwd
	assert_status 0
	assert_output '^/not/yet/there$'
}

@test "a cwd that is a file fails" {
	config '.process.cwd = "/etc/passwd"'
	run_script pwd
	assert_failed
}

@test "a relative cwd is refused" {
	config '.process.cwd = "home"'
	run_script pwd
	assert_failed
}

@test "a cwd through /proc/self/fd can't leave the container" {
	local fd
	for fd in 3 4 5 6 7 8 9 10 11 12; do
		config --arg cwd "/proc/self/fd/$fd" '.process.cwd = $cwd'
		run_script 'ls ../../../../../../../; pwd; ls -d /proc/self/cwd/*'
		# refused, or inside: the host's root has a process list, and a boot time in /proc/1/root
		[ "$status" != 0 ] || refute_output "$(basename "$SL_TOP")"
		refute_output 'lost\+found'
	done
}

@test "user and group are set, without additional groups" {
	config '.process.user = {"uid": 1000, "gid": 1000}'
	run_script 'cat /proc/self/status'
	assert_status 0
	assert_eq "$(status_line Uid)" "1000 1000 1000 1000"
	assert_eq "$(status_line Gid)" "1000 1000 1000 1000"
	assert_eq "$(status_line Groups)" ""
}

@test "additional groups are set" {
	config '.process.user = {"uid": 1000, "gid": 1000, "additionalGids": [2000, 3000]}'
	run_script 'cat /proc/self/status'
	assert_status 0
	assert_eq "$(status_line Groups | xargs)" "2000 3000"
}

@test "run.oci.keep_original_groups keeps the caller's groups" {
	need_sandlock
	python3 -c 'import os, sys; os.setgroups([4711, 4712]); os.execvp(sys.argv[1], sys.argv[1:])' true || skip "no setgroups"
	config '.process.user = {"uid": 1000, "gid": 1000, "additionalGids": [2000]} | .annotations["run.oci.keep_original_groups"] = "1"'
	args sh -c 'grep ^Groups: /proc/self/status'
	run python3 -c 'import os, sys; os.setgroups([4711, 4712]); os.execvp(sys.argv[1], sys.argv[1:])' \
		"$SANDLOCK" --root "$ROOT" run --bundle "$BUNDLE" "$ID" </dev/null
	assert_status 0
	assert_eq "$(tr '\t' ' ' <<<"$output" | xargs)" "Groups: 4711 4712"
	config 'del(.annotations)'
	run python3 -c 'import os, sys; os.setgroups([4711, 4712]); os.execvp(sys.argv[1], sys.argv[1:])' \
		"$SANDLOCK" --root "$ROOT" run --bundle "$BUNDLE" "$ID" </dev/null
	assert_eq "$(tr '\t' ' ' <<<"$output" | xargs)" "Groups: 2000"
}

@test "standard streams that are files or pipes go to the user and his group" {
	need_sandlock
	config '.process.user = {"uid": 1000, "gid": 1234}'
	args sh -c 'echo x >/dev/stdout'
	rt run --bundle "$BUNDLE" "$ID" </dev/null >"$T/file"
	assert_eq "$(stat -c %u:%g "$T/file")" 1000:1234
	assert_eq "$(cat "$T/file")" x
}

@test "a deadline scheduler with parameters the kernel would refuse is refused by name" {
	need_sandlock
	local parameters words
	while read -r parameters words; do
		config --argjson p "$parameters" '.process.scheduler = {"policy": "SCHED_DEADLINE"} + $p'
		run_script true
		assert_failed
		assert_output "process.scheduler: .*$words"
	done <<-END
		{"deadline":20000000,"period":20000000} requires .runtime.
		{"runtime":10000000,"period":20000000} requires .deadline.
		{"runtime":30000000,"deadline":20000000,"period":20000000} runtime \\(30000000\\) must be <= deadline
		{"runtime":10000000,"deadline":20000000,"period":10000000} deadline \\(20000000\\) must be <= period
		{"runtime":1023,"deadline":20000000} runtime \\(1023\\) must be between 1024
		{"runtime":9223372036854775809,"deadline":9223372036854775810} runtime .*must be between
	END
}

@test "umask is set, 0022 by default" {
	run_script umask
	assert_output '^0022$'
	config '.process.user.umask = 63'
	run_script umask
	assert_output '^0077$'
}

@test "a user that is not root has no capabilities unless ambient" {
	config '.process.user = {"uid": 1000, "gid": 1000}'
	run_script 'cat /proc/self/status'
	assert_status 0
	assert_eq "$(status_line CapEff)" 0000000000000000
	assert_eq "$(status_line CapPrm)" 0000000000000000
}

@test "the five capability sets are set apart" {
	# CAP_CHOWN 0, CAP_KILL 5, CAP_SETGID 6, CAP_SETUID 7
	config '.process.user = {"uid": 1000, "gid": 1000} | .process.capabilities = {
		"bounding": ["CAP_CHOWN", "CAP_KILL", "CAP_SETGID", "CAP_SETUID"],
		"permitted": ["CAP_CHOWN", "CAP_KILL", "CAP_SETGID"],
		"effective": ["CAP_CHOWN", "CAP_KILL"],
		"inheritable": ["CAP_CHOWN"],
		"ambient": ["CAP_CHOWN"]}'
	run_script 'cat /proc/self/status'
	assert_status 0
	assert_eq "$(status_line CapBnd)" 00000000000000e1
	assert_eq "$(status_line CapInh)" 0000000000000001
	assert_eq "$(status_line CapAmb)" 0000000000000001
	# after execve by a user that is not root only the ambient set is left
	assert_eq "$(status_line CapPrm)" 0000000000000001
	assert_eq "$(status_line CapEff)" 0000000000000001
}

@test "root keeps what bounding allows, and no more" {
	config '.process.capabilities = {"bounding": ["CAP_KILL"], "permitted": ["CAP_KILL"], "effective": ["CAP_KILL"]} | .process.noNewPrivileges = false'
	run_script 'cat /proc/self/status'
	assert_status 0
	assert_eq "$(status_line CapBnd)" 0000000000000020
	assert_eq "$(status_line CapEff)" 0000000000000020
}

@test "without process.capabilities the program has none" {
	config 'del(.process.capabilities)'
	run_script 'cat /proc/self/status'
	assert_status 0
	need_sandlock
	assert_eq "$(status_line CapEff)" 0000000000000000
	assert_eq "$(status_line CapBnd)" 0000000000000000
}

@test "an unknown capability does not grant anything" {
	config '.process.capabilities.bounding += ["CAP_NOT_YET_INVENTED"]'
	run_script 'cat /proc/self/status'
	# ignored with a warning
	assert_status 0
	assert_eq "$(status_line CapBnd)" 00000000000004e1
}

@test "noNewPrivileges is set when asked for, and else not" {
	run_script 'cat /proc/self/status'
	assert_eq "$(status_line NoNewPrivs)" 1
	config '.process.noNewPrivileges = false'
	run_script 'cat /proc/self/status'
	assert_eq "$(status_line NoNewPrivs)" 0
}

@test "rlimits are set" {
	config '.process.rlimits = [{"type": "RLIMIT_NOFILE", "soft": 100, "hard": 200}, {"type": "RLIMIT_CORE", "soft": 0, "hard": 0}]'
	run_script 'cat /proc/self/limits'
	assert_status 0
	assert_output '^Max open files +100 +200 '
	assert_output '^Max core file size +0 +0 '
}

@test "an unknown rlimit and a limit named twice are refused" {
	config '.process.rlimits = [{"type": "RLIMIT_NONE", "soft": 1, "hard": 1}]'
	run_script true
	assert_failed
	config '.process.rlimits = [{"type": "RLIMIT_CORE", "soft": 0, "hard": 0}, {"type": "RLIMIT_CORE", "soft": 1, "hard": 1}]'
	run_script true
	is_sandlock || skip "only sandlock-oci refuses a limit that is named twice"
	assert_failed
}

@test "a soft limit above the hard one is refused" {
	config '.process.rlimits = [{"type": "RLIMIT_NOFILE", "soft": 200, "hard": 100}]'
	run_script true
	assert_failed
}

@test "oomScoreAdj is set, and inherited when absent" {
	config '.process.oomScoreAdj = 321'
	run_script 'cat /proc/self/oom_score_adj'
	assert_output '^321$'
	config 'del(.process.oomScoreAdj)'
	run_script 'cat /proc/self/oom_score_adj'
	assert_eq "$output" "$(cat /proc/self/oom_score_adj)"
}

@test "arguments reach the program unchanged" {
	args printf '[%s]\n' 'a b' '' '$HOME' '"q"' 'back\slash' '*' 'ünïcödé'
	run rt run --bundle "$BUNDLE" "$ID" </dev/null
	assert_status 0
	assert_eq "$output" '[a b]
[]
[$HOME]
["q"]
[back\slash]
[*]
[ünïcödé]'
}

@test "the program starts with default signal handling and an empty mask" {
	# as conmon calls: SIGPIPE ignored
	args grep -E '^Sig(Blk|Ign)' /proc/self/status
	(
		trap '' PIPE
		exec "$SANDLOCK" --root "$ROOT" run --bundle "$BUNDLE" "$ID" </dev/null >"$T/sig" 2>&1
	)
	assert_eq "$(awk '/SigBlk/ { print $2 }' "$T/sig")" 0000000000000000
	need_sandlock
	assert_eq "$(awk '/SigIgn/ { print $2 }' "$T/sig")" 0000000000000000
}

@test "the program leads a session of its own, without a terminal" {
	args sh -c 'cut -d" " -f6,7 /proc/self/stat; echo $$'
	create "$ID"
	start "$ID"
	wait_state "$ID" stopped
	mapfile -t lines <"$T/$ID.out"
	assert_eq "${lines[0]}" "${lines[1]} 0"
}

@test "numbers that do not fit are errors, not wrapped" {
	config '.process.user.uid = 4294967296'
	run_script id
	assert_failed
	config '.process.user.uid = -1'
	run_script id
	assert_failed
}

@test "null in place of absent objects does not crash" {
	config '.process.capabilities = null | .process.rlimits = null | .hooks = null | .annotations = null | .linux.resources = null
		| .linux.seccomp = null | .linux.devices = null | .linux.uidMappings = null | .process.apparmorProfile = null | .linux.sysctl = null'
	run_script 'echo works'
	assert_status 0
	assert_output '^works$'
}

@test "the runtime's own forks do not count against pids.limit: 0 leaves room for the program, exec works at the limit" {
	need_sandlock
	grep -q pids /proc/self/cgroup || skip "no v1 pids controller"
	config '.linux.resources = {"pids": {"limit": 0}}'
	run_script 'echo alone'
	assert_status 0
	assert_output '^alone$'
	run_script 'true & wait'
	assert_failed
	config '.linux.resources = {"pids": {"limit": 4}}'
	# with the reaper that is four
	args sh -c 'sleep 1000 & sleep 1001 & exec sleep 1002'
	create_start "$ID"
	wait_for eval '[ "$(own_named sleep | wc -l)" = 3 ]'
	run rt exec "$ID" echo inside
	assert_status 0
	assert_output '^inside$'
}
