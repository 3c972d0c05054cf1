#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# podman run: --mount, --volume, --tmpfs in their forms.
load engines

# The options of the mount at $1, in $output (lines of /proc/mounts)
options_at() {
	awk -v p="$1" '$2 == p { print $4 }' <<<"$output"
}

@test "--volume: read-write, read-only, of a file" {
	need podman
	mkdir "$T/data"
	echo content >"$T/file"
	run podman run --rm --volume "$T/data:/data" --volume "$T/data:/ro:ro" --volume "$T/file:/etc/file:ro" "$IMAGE" \
		sh -c 'echo new >/data/x; cat /ro/x /etc/file; touch /ro/y; echo z >>/etc/file'
	assert_failed
	assert_output '^new$'
	assert_output '^content$'
	assert_output '/ro/y: Read-only file system'
	assert_output '/etc/file: Read-only file system'
	assert_eq "$(cat "$T/data/x")" new
}

@test "--volume: named, with what the image has there; it outlives the container" {
	need podman
	podman volume create one >/dev/null
	podman run --rm --volume one:/etc "$IMAGE" sh -c 'test -s /etc/passwd && echo mine >/etc/mine'
	assert_eq "$(podman run --rm --volume one:/data "$IMAGE" cat /data/mine)" mine
	podman run --rm --volume two:/data "$IMAGE" touch /data/x
	assert_eq "$(podman volume ls --quiet | sort | tr '\n' ' ')" "one two "
	podman run --rm --volume /anonymous "$IMAGE" touch /anonymous/x
	assert_eq "$(podman volume ls --quiet | wc -l)" 2
	podman volume rm one two >/dev/null
}

@test "--volume :U, :O, :z, :nosuid,nodev,noexec" {
	need podman
	mkdir "$T/data"
	echo lower >"$T/data/file"
	podman run --rm --user 1000:1000 --volume "$T/data:/data:U" "$IMAGE" touch /data/x
	assert_eq "$(stat -c %u "$T/data")" 1000
	podman run --rm --volume "$T/data:/data:O" "$IMAGE" sh -c 'cat /data/file; echo upper >/data/file'
	assert_eq "$(cat "$T/data/file")" lower
	podman run --rm --volume "$T/data:/data:z" "$IMAGE" cat /data/file
	run podman run --rm --volume "$T/data:/data:nosuid,nodev,noexec" "$IMAGE" cat /proc/mounts
	[[ $(options_at /data) == *nosuid,nodev,noexec* ]]
}

@test "--volume with propagation: rslave sees later mounts, rprivate does not" {
	need podman
	mkdir "$T/shared"
	test_mount -t tmpfs x "$T/shared"
	mount --make-shared "$T/shared"
	mkdir "$T/shared/later"
	podman run --detach --name slave --volume "$T/shared:/data:rslave" "$IMAGE" sleep 1000 >/dev/null
	podman run --detach --name private --volume "$T/shared:/data:rprivate" "$IMAGE" sleep 1000 >/dev/null
	test_mount -t tmpfs x "$T/shared/later"
	echo seen >"$T/shared/later/file"
	assert_eq "$(podman exec slave cat /data/later/file)" seen
	refute podman exec private cat /data/later/file
	podman rm --force --time 0 slave private >/dev/null
}

@test "--volume with rshared: what the container mounts appears outside" {
	need podman
	mkdir "$T/shared"
	test_mount -t tmpfs x "$T/shared"
	mount --make-shared "$T/shared"
	mkdir "$T/shared/inner"
	podman run --detach --name box --privileged --volume "$T/shared:/data:rshared" "$IMAGE" sh -c 'mount -t tmpfs x /data/inner && echo out >/data/inner/file; sleep 1000' >/dev/null
	wait_for file_has "$T/shared/inner/file" out
	umount "$T/shared/inner"
	podman rm --force --time 0 box >/dev/null
}

@test "--volume: submounts come along with rbind and not with bind" {
	need podman
	mkdir -p "$T/data/sub"
	test_mount -t tmpfs x "$T/data/sub"
	echo below >"$T/data/sub/file"
	assert_eq "$(podman run --rm --volume "$T/data:/data:rbind" "$IMAGE" cat /data/sub/file)" below
	refute podman run --rm --volume "$T/data:/data:bind" "$IMAGE" cat /data/sub/file
	run podman run --rm --volume "$T/data:/data:ro,rbind" "$IMAGE" touch /data/x
	assert_failed
}

@test "--mount type=bind, with its options" {
	need podman
	mkdir "$T/data"
	run podman run --rm --mount "type=bind,src=$T/data,dst=/data,ro=true,bind-propagation=private" "$IMAGE" sh -c 'cat /proc/mounts; touch /data/x'
	assert_failed
	[[ $(options_at /data) == ro,* ]]
	refute podman run --rm --mount "type=bind,src=$T/none,dst=/data" "$IMAGE" true
}

@test "--mount type=tmpfs, --tmpfs, with their options" {
	need podman
	run podman run --rm --mount type=tmpfs,dst=/one,tmpfs-size=1048576,tmpfs-mode=0711 --tmpfs /two:size=2m,mode=1777,noexec --tmpfs /etc:rw "$IMAGE" \
		sh -c 'cat /proc/mounts; stat -c "%n %a" /one /two; test -s /etc/passwd && echo copied'
	assert_status 0
	[[ $(options_at /one) == *size=1024k* ]]
	[[ $(options_at /two) == *noexec*size=2048k* ]]
	assert_output '^/one 711$'
	assert_output '^/two 1777$'
	# podman asks for tmpcopyup
	assert_output '^copied$'
}

@test "--mount type=volume, type=image, type=devpts" {
	need podman
	podman run --rm --mount type=volume,src=vol,dst=/data "$IMAGE" touch /data/x
	podman run --rm --mount type=volume,src=vol,dst=/data,ro=true "$IMAGE" sh -c 'test -e /data/x && ! touch /data/y'
	# podman 4.3 wants such an image's layers in its own store
	mkdir "$T/tree"
	echo data >"$T/tree/file"
	tar -C "$T/tree" -cf "$T/own.tar" .
	podman import "$T/own.tar" localhost/own:1 >/dev/null 2>&1
	podman run --rm --mount "type=image,src=localhost/own:1,dst=/image" "$IMAGE" sh -c 'test -s /image/file && ! touch /image/x'
	podman run --rm --mount type=devpts,destination=/pts "$IMAGE" sh -c 'test -e /pts/ptmx'
}

@test "--volumes-from" {
	need podman
	podman create --name first --volume vol:/data "$IMAGE" true >/dev/null
	podman run --rm --volumes-from first "$IMAGE" touch /data/x
	podman run --rm --volumes-from first:ro "$IMAGE" sh -c 'test -e /data/x && ! touch /data/y'
}

@test "mounts at places that do not exist, below one another, over files" {
	need podman
	mkdir -p "$T/a" "$T/b"
	echo file >"$T/f"
	podman run --rm --volume "$T/a:/new/deep" --volume "$T/b:/new/deep/below" --volume "$T/f:/etc/passwd" "$IMAGE" \
		sh -c 'touch /new/deep/below/x; grep -qx file /etc/passwd'
	[ -e "$T/b/x" ]
}

@test "mounts at symbolic links of the image stay inside it" {
	need podman
	mkdir "$T/data" "$T/tree"
	cp -a "$SL_BASE/rootfs/." "$T/tree/"
	ln -s /work/absolute "$T/tree/link"
	ln -s ../../../../../../work/climbing "$T/tree/climb"
	mkdir "$T/tree/work/absolute" "$T/tree/work/climbing"
	podman run --rm --rootfs "$T/tree" true
	podman run --rm --volume "$T/data:/link" --volume "$T/data:/climb" --rootfs "$T/tree" sh -c 'touch /work/absolute/x; test -e /work/climbing/x'
	[ -e "$T/data/x" ]
}

@test "a mount on /dev/shm, /proc/x and /sys/fs/cgroup" {
	need podman
	mkdir "$T/shm"
	podman run --rm --volume "$T/shm:/dev/shm" "$IMAGE" touch /dev/shm/x
	[ -e "$T/shm/x" ]
	podman run --rm --volume /sys/fs/cgroup:/sys/fs/cgroup:ro "$IMAGE" test -d /sys/fs/cgroup
	run podman run --rm --volume "$T/shm:/proc/sys/kernel" "$IMAGE" true
	[ "$status" != 124 ]
}

@test "an image without /proc, /sys, /dev, /etc" {
	need podman
	mkdir -p "$T/tree/bin"
	cp "$SL_BASE/rootfs/bin/busybox" "$T/tree/bin/busybox"
	tar -C "$T/tree" -cf "$T/bare.tar" .
	podman import "$T/bare.tar" localhost/bare:1 >/dev/null 2>&1
	run podman run --rm localhost/bare:1 /bin/busybox sh -c 'busybox() { /bin/busybox "$@"; }; busybox ls /; busybox readlink /proc/self/exe; echo x >/dev/null && echo ok'
	assert_status 0
	assert_output '^ok$'
	assert_output '^/bin/busybox$'
}

@test "50 volumes" {
	need podman
	local -a volumes=()
	local i
	for i in {1..50}; do
		mkdir "$T/v$i"
		volumes+=(--volume "$T/v$i:/v/$i")
	done
	podman run --rm "${volumes[@]}" "$IMAGE" sh -c 'for i in $(seq 50); do touch /v/$i/x; done'
	assert_eq "$(ls -d "$T"/v*/x | wc -l)" 50
}
