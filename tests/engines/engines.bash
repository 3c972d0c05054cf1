# SPDX-License-Identifier: Apache-2.0
# Common to the tests of engines. Each test has engines of its own: storage, state, configuration and daemons lie below
# $T. Images are made here from busybox; there is no registry.
load ../helpers

# What one call of an engine may take before it counts as hung, in seconds.
ENGINE_TIMEOUT=${ENGINE_TIMEOUT:-60}
# Engines clean up behind the caller's back.
LEAK_WAIT=15
IMAGE=localhost/busybox:test

setup_file() {
	engines_setup_file
}

teardown_file() {
	engines_teardown_file
}

# Made once per file: the image, as archives and as a read-only store that every podman of the file looks into.
engines_setup_file() {
	export BATS_TEST_TIMEOUT=${BATS_TEST_TIMEOUT:-120}
	export ENGINES=$BATS_FILE_TMPDIR/engines
	mkdir -p "$ENGINES"
	chmod 0711 "$BATS_FILE_TMPDIR"
	chmod 0755 "$ENGINES"
	tar_rootfs "$ENGINES/busybox.tar"
	command -v podman >/dev/null || return 0
	podman_configuration "$ENGINES/maker"
	podman_in "$ENGINES/maker" import "$ENGINES/busybox.tar" "$IMAGE" >&2
	podman_in "$ENGINES/maker" import --change 'CMD ["sleep", "1000000"]' "$ENGINES/busybox.tar" localhost/pause:test >&2
	podman_in "$ENGINES/maker" save --quiet --format oci-archive -o "$ENGINES/busybox.oci" "$IMAGE" >&2
	podman_in "$ENGINES/maker" save --quiet --format docker-archive -o "$ENGINES/busybox.docker" "$IMAGE" >&2
	unmount_below "$ENGINES"
}

engines_teardown_file() {
	unmount_below "$ENGINES"
	# podman's and containerd's parents of cgroups, when nobody else uses them
	rmdir /sys/fs/cgroup/*/libpod_parent/conmon /sys/fs/cgroup/*/libpod_parent 2>/dev/null || true
}

setup() {
	common_setup
	P=$T/podman
	# conmon leaves a file named "oom" where its caller was
	cd "$T" || return 1
	podman_configuration "$P"
}

teardown() {
	local failed=0
	podman_teardown || failed=1
	common_teardown || failed=1
	return "$failed"
}

need() {
	local program
	for program in "$@"; do
		command -v "$program" >/dev/null || skip "$program is not installed"
	done
}

# Whether the kernel offers cgroups in the layout of version 2 alone.
is_cgroup_v2() {
	[ "$(stat -f -c %T /sys/fs/cgroup)" = cgroup2fs ]
}

# --- podman ------------------------------------------------------------------------------------------------

# $1: directory of a podman's state. Text for containers.conf below [containers] and [engine]: $2, $3
podman_configuration() {
	mkdir -p "$1"
	chmod 0755 "$1"
	cat >"$1/containers.conf" <<-END
		[containers]
		# podman's own default raises hard limits, which takes CAP_SYS_RESOURCE
		default_ulimits = ["nofile=1024:1024", "nproc=4096:4096"]
		netns = "none"
		log_driver = "k8s-file"
		${2:-}
		[engine]
		cgroup_manager = "cgroupfs"
		events_logger = "file"
		lock_type = "file"
		infra_image = "localhost/pause:test"
		runtime = "$(basename "$SANDLOCK")"
		runtime_supports_json = ["crun", "runc", "sandlock-oci"]
		runtime_supports_nocgroup = ["crun", "sandlock-oci"]
		${3:-}
		[engine.runtimes]
		$(basename "$SANDLOCK") = ["$SANDLOCK"]
	END
	cat >"$1/storage.conf" <<-END
		[storage]
		driver = "overlay"
		graphroot = "$1/storage"
		runroot = "$1/run"
		[storage.options]
		additionalimagestores = ["$ENGINES/maker/storage"]
	END
	[ "$1" != "$ENGINES/maker" ] || sed -i '/additionalimagestores/d' "$1/storage.conf"
}

# $1: directory of a podman's state
podman_in() {
	local state=$1
	shift
	CONTAINERS_CONF=$state/containers.conf CONTAINERS_STORAGE_CONF=$state/storage.conf \
		timeout --foreground -k 5 "$ENGINE_TIMEOUT" podman --tmpdir "$state/tmp" "$@"
}

podman() {
	podman_in "$P" "$@"
}


# podman on a terminal. $1: steps of tests/tools/dialogue, in one string separated by newlines; rest: podman's arguments
podman_dialogue() {
	local -a steps
	mapfile -t steps <<<"$1"
	shift
	CONTAINERS_CONF=$P/containers.conf CONTAINERS_STORAGE_CONF=$P/storage.conf \
		"$SL_TOP/tests/tools/dialogue" "${steps[@]}" -- podman --tmpdir "$P/tmp" "$@" | tr -d '\r'
	return "${PIPESTATUS[0]}"
}

# Ends every container of $1 (default: this test's podman), then looks for what they left.
podman_teardown() {
	local state=${1:-$P} id leaked=0
	[ -d "$state/storage" ] || return 0
	podman_in "$state" pod rm --all --force --time 0 </dev/null >/dev/null 2>"$T/pod-rm" || leaked=1
	podman_in "$state" rm --all --force --time 0 </dev/null >/dev/null 2>"$T/rm" || leaked=1
	[ "$leaked" = 0 ] || cat "$T/pod-rm" "$T/rm" >&2
	for id in $(podman_ids "$state"); do
		podman_left "$id" || leaked=1
	done
	unmount_below "$state"
	return "$leaked"
}

# Every container there ever was, from podman's events.
podman_ids() {
	find "$1" -name events.log -exec cat {} + 2>/dev/null | jq -r 'select(.Type == "container") | .ID' | sort -u
}

# Fails if a runtime left anything of a container. $1: id
podman_left() {
	local left=0 text
	text=$(find /sys/fs/cgroup -type d -name "*$1*" ! -name "*conmon*" 2>/dev/null)
	[ -z "$text" ] || { printf '# leaked cgroups:\n%s\n' "$text" >&2 && left=1; }
	text=$(awk '{ print $8 }' /proc/net/unix | grep -F -- "$1")
	[ -z "$text" ] || { printf '# leaked names:\n%s\n' "$text" >&2 && left=1; }
	text=$(ls -d /run/{sandlock-oci,runc,crun}/"$1" 2>/dev/null)
	[ -z "$text" ] || { printf '# leaked records:\n%s\n' "$text" >&2 && left=1; }
	# conmon's own cgroup goes when conmon has gone
	find /sys/fs/cgroup -depth -type d -name "*conmon-$1*" -exec rmdir {} + 2>/dev/null
	return "$left"
}

unmount_below() {
	awk '{ print $5 }' /proc/self/mountinfo | grep -F -- "$1/" | sort -r | xargs -r -n1 umount -l 2>/dev/null
	return 0
}

logs_have() {
	podman logs "$1" 2>&1 | grep -q -- "$2"
}

# podman inspect. $1: container, $2: Go template
inspect() {
	podman inspect --format "$2" "$1"
}

container_is() {
	[ "$(inspect "$1" '{{.State.Status}}')" = "$2" ]
}

wait_container() {
	wait_for container_is "$1" "$2"
}

# The cgroup directory of a container in a v1 hierarchy, or the v2 one. $1: container, $2: controller
cgroup_of() {
	local pid
	pid=$(inspect "$1" '{{.State.Pid}}')
	if is_cgroup_v2; then
		echo "/sys/fs/cgroup$(sed -n 's/^0:://p' "/proc/$pid/cgroup")"
	else
		echo "/sys/fs/cgroup/$2$(sed -n "s/^[0-9]*:\([^:]*,\)*$2\(,[^:]*\)*://p" "/proc/$pid/cgroup")"
	fi
}

# --- results -------------------------------------------------------------------------------------------------

exit_code_of() {
	local result=0
	"$@" || result=$?
	echo "$result"
}

# $1: seconds that the rest of the command may take at most
within() {
	local limit=$(($1 * 1000)) begin result=0
	shift
	begin=$(milliseconds)
	"$@" || result=$?
	[ $(($(milliseconds) - begin)) -lt "$limit" ] || fail "took $(($(milliseconds) - begin)) ms: $*"
	return "$result"
}

no_program() {
	[ -z "$(own_named "$1")" ]
}
