#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
load helpers

@test "the default devices are there, with their numbers and modes" {
	run_script 'for d in null zero full random urandom tty; do stat -c "%n %F %t:%T %a" /dev/$d; done'
	assert_status 0
	assert_output '^/dev/null character special file 1:3 666$'
	assert_output '^/dev/zero character special file 1:5 666$'
	assert_output '^/dev/full character special file 1:7 666$'
	assert_output '^/dev/random character special file 1:8 666$'
	assert_output '^/dev/urandom character special file 1:9 666$'
	assert_output '^/dev/tty character special file 5:0 666$'
}

@test "the default devices work" {
	run_script 'echo x >/dev/null && head -c 3 /dev/zero | od -An -tx1 && head -c 4 /dev/urandom | wc -c && ! echo x 2>/dev/null >/dev/full'
	assert_status 0
	assert_output '00 00 00'
	assert_output '^4$'
}

@test "the symbolic links of /dev" {
	run_script 'for l in fd stdin stdout stderr ptmx; do echo $l $(readlink /dev/$l); done'
	assert_status 0
	assert_output '^fd /proc/self/fd$'
	assert_output '^stdin /proc/self/fd/0$'
	assert_output '^stdout /proc/self/fd/1$'
	assert_output '^stderr /proc/self/fd/2$'
	assert_output '^ptmx (/dev/)?pts/ptmx$'
}

@test "linux.devices: character, block and fifo, with mode and owner" {
	config '.linux.devices = [
		{"path": "/dev/test-char", "type": "c", "major": 1, "minor": 3, "fileMode": 432, "uid": 1000, "gid": 2000},
		{"path": "/dev/test-block", "type": "b", "major": 7, "minor": 0},
		{"path": "/dev/sub/dir/test-fifo", "type": "p", "fileMode": 384},
		{"path": "/dev/test-unbuffered", "type": "u", "major": 1, "minor": 5}]'
	run_script 'for d in test-char test-block sub/dir/test-fifo test-unbuffered; do stat -c "%n %F %t:%T %a %u:%g" /dev/$d; done'
	assert_status 0
	assert_output '^/dev/test-char character special file 1:3 660 1000:2000$'
	assert_output '^/dev/test-block block special file 7:0 666 0:0$'
	assert_output '^/dev/sub/dir/test-fifo fifo 0:0 600 0:0$'
	assert_output '^/dev/test-unbuffered character special file 1:5 666 0:0$'
}

@test "a device of an unknown type is refused" {
	config '.linux.devices = [{"path": "/dev/x", "type": "q", "major": 1, "minor": 3}]'
	run_script true
	assert_failed
}

@test "the umask of the caller does not change a device's mode" {
	umask 0077
	run_script 'stat -c %a /dev/null /dev/tty'
	assert_status 0
	assert_output '^666$'
	refute_output '^600$'
}

@test "devices without a tmpfs on /dev are made in the root file system's /dev" {
	config 'del(.mounts[] | select(.destination | startswith("/dev")))'
	run_script 'echo x >/dev/null; stat -c "%F %t:%T" /dev/null'
	assert_status 0
	assert_output '^character special file 1:3$'
}

@test "the host's /dev/null keeps its owner" {
	local before
	before=$(stat -c '%a %u:%g' /dev/null)
	config '.process.user = {"uid": 1000, "gid": 1000}'
	run_script 'true'
	assert_status 0
	assert_eq "$(stat -c '%a %u:%g' /dev/null)" "$before"
}

@test "with a user that is not root stdio can be reopened through /dev/stdout" {
	config '.process.user = {"uid": 1000, "gid": 1000}'
	args sh -c 'echo reopened >/dev/stdout; echo err >/dev/stderr'
	rt run --bundle "$BUNDLE" "$ID" </dev/null 2>"$T/err" | cat >"$T/out"
	assert_eq "$(cat "$T/out")" reopened
}

@test "an image with a file in place of /dev/null gets the device, or an error" {
	config 'del(.mounts[] | select(.destination | startswith("/dev")))'
	echo fake >"$BUNDLE/rootfs/dev/null"
	run_script 'test -c /dev/null && echo device'
	[ "$status" != 0 ] || assert_output '^device$'
}
