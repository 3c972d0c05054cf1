#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
load helpers

# Adds a bind mount of $T/data. $1: destination; more: options
bind() {
	local destination=$1
	shift
	mkdir -p "$T/data"
	config --arg s "$T/data" --arg d "$destination" \
		'.mounts += [{"destination": $d, "type": "bind", "source": $s, "options": $ARGS.positional}]' --args -- "$@"
}

# Options and optional fields of a mount as the container sees them. $1: mount point
mount_line() {
	awk -v point="$1" '$5 == point { print $6, $7 }' <<<"$output" | tail -1
}

@test "the standard file systems are mounted, with their options" {
	run_script 'cat /proc/self/mountinfo'
	assert_status 0
	assert_output ' /proc rw[^ ]* .*- proc '
	assert_output ' /dev rw,nosuid[^ ]* .*- tmpfs .*mode=755'
	assert_output ' /dev/pts rw,nosuid,noexec[^ ]* .*- devpts .*mode=620,ptmxmode=666'
	assert_output ' /dev/shm rw,nosuid,nodev,noexec[^ ]* .*- tmpfs '
	assert_output ' /dev/mqueue rw,nosuid,nodev,noexec[^ ]* .*- mqueue '
	assert_output ' /sys ro,nosuid,nodev,noexec[^ ]* .*- sysfs '
}

@test "nothing of the host's mounts is visible" {
	run_script 'cut -d" " -f5 /proc/self/mountinfo; ls /'
	assert_status 0
	refute_output "$BATS_RUN_TMPDIR"
	refute_output 'old|pivot|put_old'
}

@test "mounts happen in the listed order" {
	mkdir -p "$T/one" "$T/two"
	echo 1 >"$T/one/file"
	echo 2 >"$T/two/file"
	config --arg a "$T/one" --arg b "$T/two" '.mounts += [
		{"destination": "/mnt", "type": "bind", "source": $a, "options": ["bind"]},
		{"destination": "/mnt", "type": "bind", "source": $b, "options": ["bind"]}]'
	run_script 'cat /mnt/file'
	assert_output '^2$'
}

@test "a bind mount is writable by default and reaches the host" {
	bind /mnt bind
	run_script 'echo written >/mnt/file'
	assert_status 0
	assert_eq "$(cat "$T/data/file")" written
}

@test "a bind mount with ro is read-only" {
	bind /mnt bind ro
	run_script 'cat /proc/self/mountinfo; touch /mnt/file'
	assert_failed
	[[ $(mount_line /mnt) == ro* ]]
	[ ! -e "$T/data/file" ]
}

@test "every flag of a bind mount is applied" {
	bind /mnt bind ro nosuid nodev noexec noatime
	run_script 'cat /proc/self/mountinfo'
	assert_status 0
	[[ $(mount_line /mnt) == ro,nosuid,nodev,noexec,noatime* ]]
}

@test "flags may be cleared again by a later option" {
	bind /mnt bind ro rw noexec exec nosuid suid
	run_script 'cat /proc/self/mountinfo'
	assert_status 0
	[[ $(mount_line /mnt) == rw,* ]]
	[[ $(mount_line /mnt) != *noexec* ]]
	[[ $(mount_line /mnt) != *nosuid* ]]
}

@test "a bind of a source with flags keeps them when it adds one" {
	mkdir -p "$T/data"
	test_mount -t tmpfs -o nosuid,nodev,noexec tmpfs "$T/data"
	bind /mnt bind ro
	run_script 'cat /proc/self/mountinfo'
	assert_status 0
	[[ $(mount_line /mnt) == ro* ]]
}

@test "bind takes the mount alone, rbind what is below too" {
	mkdir -p "$T/data"
	test_mount -t tmpfs tmpfs "$T/data"
	mkdir "$T/data/sub"
	test_mount -t tmpfs tmpfs "$T/data/sub"
	echo deep >"$T/data/sub/file"
	bind /mnt bind
	run_script 'ls /mnt/sub'
	assert_status 0
	assert_eq "$output" ""
	config '.mounts[-1].options = ["rbind"]'
	run_script 'cat /mnt/sub/file'
	assert_status 0
	assert_eq "$output" deep
}

@test "ro leaves submounts of an rbind writable, rro does not" {
	mkdir -p "$T/data"
	test_mount -t tmpfs tmpfs "$T/data"
	mkdir "$T/data/sub"
	test_mount -t tmpfs tmpfs "$T/data/sub"
	bind /mnt rbind ro
	run_script 'touch /mnt/sub/file; ! touch /mnt/file 2>/dev/null'
	assert_status 0
	[ -e "$T/data/sub/file" ]
	config '.mounts[-1].options = ["rbind", "rro"]'
	run_script '! touch /mnt/sub/other 2>/dev/null && ! touch /mnt/other 2>/dev/null'
	assert_status 0
	[ ! -e "$T/data/sub/other" ]
}

@test "recursive flags: rnoexec, rnosuid, rnodev, rnoatime" {
	need_sandlock
	mkdir -p "$T/data"
	test_mount -t tmpfs tmpfs "$T/data"
	mkdir "$T/data/sub"
	test_mount -t tmpfs tmpfs "$T/data/sub"
	bind /mnt rbind rnoexec rnosuid rnodev rnoatime
	run_script 'cat /proc/self/mountinfo'
	assert_status 0
	[[ $(mount_line /mnt) == rw,nosuid,nodev,noexec,noatime* ]]
	[[ $(mount_line /mnt/sub) == rw,nosuid,nodev,noexec,noatime* ]]
}

@test "propagation of a mount: private, slave, shared" {
	mkdir -p "$T/data"
	test_mount -t tmpfs tmpfs "$T/data"
	mount --make-shared "$T/data"
	bind /mnt rbind rslave
	run_script 'cat /proc/self/mountinfo'
	[[ $(mount_line /mnt) == *master:* ]]
	config '.mounts[-1].options = ["rbind", "rprivate"]'
	run_script 'cat /proc/self/mountinfo'
	[[ $(mount_line /mnt) != *master:* && $(mount_line /mnt) != *shared:* ]]
	config '.mounts[-1].options = ["rbind", "rshared"]'
	run_script 'cat /proc/self/mountinfo'
	[[ $(mount_line /mnt) == *shared:* ]]
}

@test "a file is bound over a file, and the destination is made when missing" {
	echo content >"$T/file"
	config --arg s "$T/file" '.mounts += [
		{"destination": "/etc/passwd", "type": "bind", "source": $s, "options": ["bind", "ro"]},
		{"destination": "/made/up/file", "type": "bind", "source": $s, "options": ["bind"]}]'
	run_script 'cat /etc/passwd /made/up/file'
	assert_status 0
	assert_eq "$output" $'content\ncontent'
}

@test "a socket and a device can be bound" {
	/usr/bin/python3 -c 'import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])' "$T/socket"
	config --arg s "$T/socket" '.mounts += [
		{"destination": "/run/socket", "type": "bind", "source": $s, "options": ["bind"]},
		{"destination": "/run/null", "type": "bind", "source": "/dev/null", "options": ["bind"]}]'
	run_script 'test -S /run/socket && test -c /run/null'
	assert_status 0
}

@test "a missing destination directory is made" {
	bind /deep/er/dir bind
	run_script 'echo x >/deep/er/dir/file'
	assert_status 0
	[ -s "$T/data/file" ]
}

@test "a missing bind source is an error that names it" {
	config --arg s "$T/not-there" '.mounts += [{"destination": "/mnt", "type": "bind", "source": $s, "options": ["bind"]}]'
	run_script true
	assert_failed
	assert_output 'not-there'
}

@test "a relative bind source is taken from the bundle" {
	mkdir "$BUNDLE/data"
	echo relative >"$BUNDLE/data/file"
	config '.mounts += [{"destination": "/mnt", "type": "bind", "source": "data", "options": ["bind"]}]'
	run_script 'cat /mnt/file'
	assert_status 0
	assert_output '^relative$'
}

@test "tmpfs with size and mode" {
	config '.mounts += [{"destination": "/mnt", "type": "tmpfs", "source": "tmpfs", "options": ["size=1m", "mode=1700", "nodev"]}]'
	run_script 'stat -c %a /mnt; grep " /mnt " /proc/self/mountinfo'
	assert_status 0
	assert_output 'nodev.*size=1024k'
	need_sandlock
	assert_output '^1700$'
}

@test "a tmpfs over a directory keeps its mode" {
	chmod 1777 "$BUNDLE/rootfs/tmp"
	config '.mounts += [{"destination": "/tmp", "type": "tmpfs", "source": "tmpfs", "options": ["nosuid"]}]'
	run_script 'stat -c %a /tmp'
	assert_status 0
	assert_output '^1777$'
}

@test "tmpcopyup copies what the tmpfs covers" {
	mkdir "$BUNDLE/rootfs/data"
	echo below >"$BUNDLE/rootfs/data/file"
	ln -s file "$BUNDLE/rootfs/data/link"
	chmod 0640 "$BUNDLE/rootfs/data/file"
	config '.mounts += [{"destination": "/data", "type": "tmpfs", "source": "tmpfs", "options": ["tmpcopyup"]}]'
	run_script 'cat /data/file; readlink /data/link; stat -c %a /data/file; echo new >/data/new'
	assert_status 0
	assert_eq "$output" $'below\nfile\n640'
	[ ! -e "$BUNDLE/rootfs/data/new" ]
}

@test "an unknown file system type fails" {
	config '.mounts += [{"destination": "/mnt", "type": "nonesuchfs", "source": "x"}]'
	run_script true
	assert_failed
}

@test "a destination that is a symbolic link stays inside of the container" {
	mkdir "$T/outside"
	ln -s "$T/outside" "$BUNDLE/rootfs/link"
	bind /link/sub bind
	run_script 'true'
	[ ! -e "$T/outside/sub" ]
}

@test "a dangling link as a destination does not create anything on the host" {
	ln -s "../../../../../../../../$T/made-outside" "$BUNDLE/rootfs/link"
	bind /link bind
	run_script 'true'
	[ ! -e "$T/made-outside" ]
}

@test "an image whose /proc is a symbolic link does not get the host's" {
	rmdir "$BUNDLE/rootfs/proc"
	ln -s "$T/outside" "$BUNDLE/rootfs/proc"
	mkdir "$T/outside"
	run_script 'echo ran'
	[ -z "$(ls "$T/outside")" ]
}

@test "an image whose /dev and /dev/null are hostile links" {
	mkdir "$T/outside"
	echo keep >"$T/outside/null"
	rm -rf "$BUNDLE/rootfs/dev"
	ln -s "$T/outside" "$BUNDLE/rootfs/dev"
	run_script 'echo ran'
	assert_eq "$(cat "$T/outside/null")" keep
	assert_eq "$(ls "$T/outside")" null
}

@test "root.readonly" {
	config '.root.readonly = true'
	run_script 'touch /file 2>/dev/null && exit 1; touch /dev/shm/file && awk "\$5 == \"/\"" /proc/self/mountinfo'
	assert_status 0
	assert_output ' / / ro| / ro'
	[ ! -e "$BUNDLE/rootfs/file" ]
}

@test "root.readonly does not make mounts inside read-only" {
	bind /mnt bind
	config '.root.readonly = true'
	run_script 'echo x >/mnt/file'
	assert_status 0
	[ -s "$T/data/file" ]
}

@test "masked paths: files read empty, directories are empty, missing ones are no error" {
	mkdir "$BUNDLE/rootfs/secret"
	echo secret >"$BUNDLE/rootfs/secret/file"
	echo secret >"$BUNDLE/rootfs/secret-file"
	config '.linux.maskedPaths += ["/secret", "/secret-file", "/not/there"]'
	run_script 'ls /secret; cat /secret-file; touch /secret/x 2>/dev/null && echo writable'
	assert_eq "$output" ""
	run_script 'cat /proc/kcore | head -c 1 | wc -c'
	assert_output '^0$'
}

@test "read-only paths can be read and not written, missing ones are no error" {
	mkdir "$BUNDLE/rootfs/fixed"
	echo text >"$BUNDLE/rootfs/fixed/file"
	config '.linux.readonlyPaths += ["/fixed", "/not/there"]'
	run_script 'cat /fixed/file; echo x >/fixed/file'
	assert_failed
	assert_output '^text$'
	assert_eq "$(cat "$BUNDLE/rootfs/fixed/file")" text
	run_script 'echo 1 >/proc/sys/kernel/domainname'
	assert_failed
}

@test "rootfsPropagation: private by request, slave by default" {
	run_script 'cat /proc/self/mountinfo'
	[[ $(mount_line /) != *shared:* ]]
	config '.linux.rootfsPropagation = "rprivate"'
	run_script 'cat /proc/self/mountinfo'
	[[ $(mount_line /) != *shared:* && $(mount_line /) != *master:* ]]
	config '.linux.rootfsPropagation = "shared"'
	run_script 'cat /proc/self/mountinfo'
	assert_status 0
	[[ $(mount_line /) == *shared:* ]]
}

@test "mounts of the container do not propagate to the host, not even from a shared root" {
	test_mount --bind "$BUNDLE" "$BUNDLE"
	mount --make-shared "$BUNDLE"
	MOUNTS_BEFORE=$(host_mounts)
	args sleep 100
	create_start "$ID"
	assert_eq "$(mounts_changed)" ""
	rt delete --force "$ID"
	remove_test_mounts
	MOUNTS_BEFORE=$(host_mounts)
}

@test "--no-pivot" {
	args sh -c 'ls /bin/busybox; cut -d" " -f5 /proc/self/mountinfo'
	run rt run --no-pivot --bundle "$BUNDLE" "$ID" </dev/null
	assert_status 0
	assert_output '^/bin/busybox$'
	assert_output '^/proc$'
}

@test "a cgroup mount shows the container's own cgroups, read-only" {
	config --arg p "/$ID" '.mounts += [{"destination": "/sys/fs/cgroup", "type": "cgroup", "source": "cgroup",
		"options": ["nosuid", "noexec", "nodev", "relatime", "ro"]}]'
	run_script 'ls /sys/fs/cgroup; cat /proc/self/cgroup; find /sys/fs/cgroup -name cgroup.procs | head -3; grep cgroup /proc/self/mountinfo'
	assert_status 0
	assert_output 'cgroup\.procs'
	assert_output ' /sys/fs/cgroup[^ ]* ro,nosuid,nodev,noexec,relatime '
	refute_output ' /sys/fs/cgroup/[^ ]* rw'
}

@test "an unprivileged view: idmapped bind mount" {
	need_sandlock
	mkdir -p "$T/data"
	touch "$T/data/file"
	chown 1000:1000 "$T/data/file"
	config --arg s "$T/data" '.mounts += [{"destination": "/mnt", "type": "bind", "source": $s, "options": ["bind", "idmap"],
		"uidMappings": [{"containerID": 1000, "hostID": 2000, "size": 1}],
		"gidMappings": [{"containerID": 1000, "hostID": 2000, "size": 1}]}]'
	run_script 'stat -c %u:%g /mnt/file'
	assert_status 0
	assert_output '^2000:2000$'
}

@test "an unknown mount option is handed to the file system, which refuses it" {
	config '.mounts += [{"destination": "/mnt", "type": "tmpfs", "source": "tmpfs", "options": ["nonesuch-option"]}]'
	run_script true
	assert_failed
}

@test "a bundle below a directory that is a symbolic link" {
	ln -s "$BUNDLE" "$T/link"
	args echo works
	run rt run --bundle "$T/link" "$ID" </dev/null
	assert_status 0
	assert_output '^works$'
}
