#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
load helpers

# $1: the syscalls array; $2: default action
profile() {
	config --argjson syscalls "$1" --arg action "${2:-SCMP_ACT_ALLOW}" '.linux.seccomp = {"defaultAction": $action, "syscalls": $syscalls}'
}

@test "SCMP_ACT_ERRNO is EPERM by default, errnoRet says otherwise" {
	profile '[{"names": ["mkdir", "mkdirat"], "action": "SCMP_ACT_ERRNO"}]'
	run_script 'mkdir /tmp/x'
	assert_failed
	assert_output 'Operation not permitted'
	profile '[{"names": ["mkdir", "mkdirat"], "action": "SCMP_ACT_ERRNO", "errnoRet": 28}]'
	run_script 'mkdir /tmp/x'
	assert_failed
	assert_output 'No space left'
}

@test "errnoRet 0 pretends success" {
	profile '[{"names": ["mkdir", "mkdirat"], "action": "SCMP_ACT_ERRNO", "errnoRet": 0}]'
	run_script 'mkdir /tmp/x && test ! -d /tmp/x'
	assert_status 0
}

@test "the program is in filter mode, and no more filters than one" {
	profile '[{"names": ["mkdir"], "action": "SCMP_ACT_ERRNO"}]'
	run_script 'grep Seccomp /proc/self/status'
	assert_output '^Seccomp:.*2$'
	need_sandlock
	assert_output '^Seccomp_filters:.*1$'
}

@test "without a profile there is no filter on the program" {
	run_script 'grep ^Seccomp: /proc/self/status'
	assert_output '^Seccomp:.*0$'
}

@test "SCMP_ACT_KILL_PROCESS and SCMP_ACT_KILL end the program with SIGSYS" {
	local action
	for action in SCMP_ACT_KILL_PROCESS SCMP_ACT_KILL SCMP_ACT_KILL_THREAD; do
		profile "[{\"names\": [\"mkdir\", \"mkdirat\"], \"action\": \"$action\"}]"
		args mkdir /tmp/x
		run rt run --bundle "$BUNDLE" "$ID" </dev/null
		assert_status 159
	done
}

@test "SCMP_ACT_TRAP sends SIGSYS" {
	profile '[{"names": ["mkdir", "mkdirat"], "action": "SCMP_ACT_TRAP"}]'
	args mkdir /tmp/x
	run rt run --bundle "$BUNDLE" "$ID" </dev/null
	assert_status 159
}

@test "SCMP_ACT_LOG lets the call through" {
	profile '[{"names": ["mkdir", "mkdirat"], "action": "SCMP_ACT_LOG"}]'
	run_script 'mkdir /tmp/x'
	assert_status 0
}

@test "the operators on arguments" {
	# chmod's mode is argument 1 of chmod, 2 of fchmodat
	local op value two refused allowed
	while read -r op value two refused allowed; do
		profile "[{\"names\": [\"chmod\"], \"action\": \"SCMP_ACT_ERRNO\", \"args\": [{\"index\": 1, \"value\": $value, \"valueTwo\": $two, \"op\": \"$op\"}]}]"
		run_script "touch /tmp/f; chmod $refused /tmp/f 2>/dev/null && echo refused-passed; chmod $allowed /tmp/f || echo allowed-failed; true"
		assert_status 0
		assert_eq "$output" "" "$op"
	done <<-END
		SCMP_CMP_EQ 511 0 777 755
		SCMP_CMP_NE 511 0 755 777
		SCMP_CMP_LT 256 0 177 777
		SCMP_CMP_LE 256 0 400 777
		SCMP_CMP_GT 256 0 777 400
		SCMP_CMP_GE 256 0 400 377
		SCMP_CMP_MASKED_EQ 7 7 777 770
	END
}

@test "two conditions on different arguments must both hold" {
	profile '[{"names": ["chown", "lchown"], "action": "SCMP_ACT_ERRNO", "args": [
		{"index": 1, "value": 7, "op": "SCMP_CMP_EQ"}, {"index": 2, "value": 8, "op": "SCMP_CMP_EQ"}]}]'
	run_script 'touch /tmp/f; chown 7:8 /tmp/f 2>/dev/null && echo passed; chown 7:9 /tmp/f || echo failed; true'
	assert_eq "$output" ""
}

@test "a default action of ERRNO with an allow list, as engines have" {
	need_sandlock
	# what a static busybox needs for echo, and a bit more
	profile '[{"names": ["execve", "brk", "arch_prctl", "set_tid_address", "set_robust_list", "rseq", "prlimit64", "readlink", "readlinkat",
		"getrandom", "mprotect", "prctl", "getuid", "geteuid", "getgid", "getegid", "setuid", "setgid", "write", "exit_group", "exit", "read", "close",
		"mmap", "munmap", "fstat", "newfstatat", "ioctl", "rt_sigaction", "rt_sigprocmask", "futex", "uname"], "action": "SCMP_ACT_ALLOW"}]' SCMP_ACT_ERRNO
	args echo allowed
	run rt run --bundle "$BUNDLE" "$ID" </dev/null
	assert_status 0
	assert_output '^allowed$'
	args mkdir /tmp/x
	run rt run --bundle "$BUNDLE" "$ID" </dev/null
	assert_failed
}

@test "a profile without noNewPrivileges" {
	config '.process.noNewPrivileges = false | .process.user = {"uid": 1000, "gid": 1000}'
	profile '[{"names": ["mkdir", "mkdirat"], "action": "SCMP_ACT_ERRNO"}]'
	run_script 'mkdir /tmp/x'
	assert_failed
	run_script 'grep NoNewPrivs /proc/self/status'
	assert_output '0$'
}

@test "unknown system calls in a profile are ignored" {
	profile '[{"names": ["no_such_call_yet", "mkdir", "mkdirat"], "action": "SCMP_ACT_ERRNO"}]'
	run_script 'mkdir /tmp/x'
	assert_failed
	assert_output 'not permitted'
}

@test "unknown system calls are an error with run.oci.seccomp_fail_unknown_syscall" {
	need_sandlock
	profile '[{"names": ["no_such_call_yet", "mkdir"], "action": "SCMP_ACT_ERRNO"}]'
	config '.annotations["run.oci.seccomp_fail_unknown_syscall"] = "1"'
	run_script true
	assert_failed
	assert_output 'no_such_call_yet'
	config '.annotations["run.oci.seccomp_fail_unknown_syscall"] = "0"'
	run_script true
	assert_status 0
}

@test "architectures: known ones are accepted, unknown ones refused" {
	profile '[{"names": ["mkdir", "mkdirat"], "action": "SCMP_ACT_ERRNO"}]'
	config '.linux.seccomp.architectures = ["SCMP_ARCH_X86_64", "SCMP_ARCH_X86", "SCMP_ARCH_X32"]'
	run_script 'mkdir /tmp/x'
	assert_output 'not permitted'
	config '.linux.seccomp.architectures = ["SCMP_ARCH_NONE"]'
	run_script true
	assert_failed
}

@test "unknown actions, operators and flags are refused" {
	profile '[{"names": ["mkdir"], "action": "SCMP_ACT_NONE"}]'
	run_script true
	assert_failed
	profile '[{"names": ["mkdir"], "action": "SCMP_ACT_ERRNO", "args": [{"index": 0, "value": 0, "op": "SCMP_CMP_NONE"}]}]'
	run_script true
	assert_failed
	profile '[]'
	config '.linux.seccomp.flags = ["SECCOMP_FILTER_FLAG_NONE"]'
	run_script true
	assert_failed
}

@test "flags: LOG and SPEC_ALLOW" {
	need_sandlock
	profile '[{"names": ["mkdir", "mkdirat"], "action": "SCMP_ACT_ERRNO"}]'
	config '.linux.seccomp.flags = ["SECCOMP_FILTER_FLAG_LOG", "SECCOMP_FILTER_FLAG_SPEC_ALLOW"]'
	run_script 'mkdir /tmp/x'
	assert_output 'not permitted'
}

@test "the runtime's own steps are not trapped by the profile" {
	need_sandlock
	# calls that a runtime makes before the program, but busybox's echo does not
	profile '[{"names": ["mount", "pivot_root", "umount2", "setns", "unshare", "clone3", "sethostname", "chroot", "openat2", "fchdir", "setgroups",
		"capset", "sendmsg", "recvmsg", "socket", "connect", "chdir", "getdents64", "poll", "ppoll", "close_range", "setsid", "keyctl"],
		"action": "SCMP_ACT_KILL_PROCESS"}]'
	config '.process.noNewPrivileges = true | .process.user.additionalGids = [2000]'
	args echo works
	run rt run --bundle "$BUNDLE" "$ID" </dev/null
	assert_status 0
	assert_output '^works$'
}

@test "SCMP_ACT_NOTIFY hands the listener to listenerPath, with the container's state" {
	profile '[{"names": ["mkdir", "mkdirat"], "action": "SCMP_ACT_NOTIFY"}]'
	config --arg p "$T/listener" '.linux.seccomp += {"listenerPath": $p, "listenerMetadata": "some text"}'
	background "$SL_TOP/tests/tools/seccomp-agent" "$T/listener" "$T/agent"
	wait_for [ -S "$T/listener" ]
	run_script 'mkdir /tmp/x'
	assert_failed
	# the agent answers every call with EXDEV
	assert_output 'Invalid cross-device link|Cross-device'
	jq -e --arg id "$ID" '.fds == ["seccompFd"] and .metadata == "some text" and .state.id == $id and .pid > 0 and .state.status != ""' "$T/agent"
}

@test "SCMP_ACT_NOTIFY without a listenerPath is refused, and with one nobody listens on" {
	profile '[{"names": ["mkdir", "mkdirat"], "action": "SCMP_ACT_NOTIFY"}]'
	run_script true
	assert_failed
	config --arg p "$T/nobody" '.linux.seccomp.listenerPath = $p'
	run_script true
	assert_failed
}
