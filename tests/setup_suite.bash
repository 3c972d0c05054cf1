# SPDX-License-Identifier: Apache-2.0
# Made once per run of bats: a busybox root filesystem and the helper programs, in a directory that every
# user may traverse (a container in a user namespace has to reach its root filesystem).

setup_suite() {
	local top
	top=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
	if [ "$(id -u)" != 0 ]; then
		echo "these tests need root" >&2
		return 1
	fi
	chmod 0711 "$BATS_RUN_TMPDIR"
	export SL_TOP=$top
	export SL_BASE=$BATS_SUITE_TMPDIR/base
	chmod 0711 "$BATS_SUITE_TMPDIR"
	mkdir -p "$SL_BASE/tools" "$SL_BASE/rootfs"
	SANDLOCK=${SANDLOCK:-$top/sandlock-oci}
	SANDLOCK=$(command -v "$SANDLOCK") || {
		echo "no runtime at '$SANDLOCK': build it first or set SANDLOCK" >&2
		return 1
	}
	SANDLOCK=$(realpath "$SANDLOCK")
	export SANDLOCK
	local source
	for source in "$top"/tests/tools/*.c; do
		${CC:-cc} -O1 -Wall -Wextra -static -o "$SL_BASE/tools/$(basename "$source" .c)" "$source" || return 1
	done
	make_rootfs "$SL_BASE/rootfs"
}

# A tree with busybox and the least of /etc. $1: directory
make_rootfs() {
	local busybox applet dir
	busybox=$(command -v busybox) || {
		echo "busybox is missing (busybox-static)" >&2
		return 1
	}
	mkdir -p "$1"
	for dir in bin dev etc home/user mnt proc root run sys tmp usr/bin var/tmp work; do
		mkdir -p "$1/$dir"
	done
	chmod 1777 "$1/tmp" "$1/var/tmp"
	chown 1000:1000 "$1/home/user"
	cp -L "$busybox" "$1/bin/busybox"
	for applet in $("$1/bin/busybox" --list); do
		[ "$applet" = busybox ] || ln -s busybox "$1/bin/$applet"
	done
	cat >"$1/etc/passwd" <<-END
		root:x:0:0:root:/root:/bin/sh
		user:x:1000:1000:user:/home/user:/bin/sh
	END
	cat >"$1/etc/group" <<-END
		root:x:0:
		tty:x:5:
		user:x:1000:
		extra:x:2000:user
	END
	echo "not a program" >"$1/bin/not-executable"
	chmod 0644 "$1/bin/not-executable"
}
