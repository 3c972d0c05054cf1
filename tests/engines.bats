#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The runtime under podman and containerd, with storage, state and configuration of the tests' own.
load helpers

setup_file() {
	export ENGINE=$BATS_FILE_TMPDIR/engine
	mkdir -p "$ENGINE"
	chmod 0711 "$BATS_FILE_TMPDIR" "$ENGINE"
	if command -v podman >/dev/null; then
		cat >"$ENGINE/containers.conf" <<-END
			[containers]
			# the default raises hard limits, which takes CAP_SYS_RESOURCE
			default_ulimits = ["nofile=1024:1024", "nproc=4096:4096"]
			netns = "none"
			log_driver = "k8s-file"
			[engine]
			cgroup_manager = "cgroupfs"
			events_logger = "file"
			lock_type = "file"
			runtime_supports_json = ["crun", "runc", "sandlock-oci"]
		END
		cat >"$ENGINE/storage.conf" <<-END
			[storage]
			driver = "overlay"
			graphroot = "$ENGINE/state/storage"
			runroot = "$ENGINE/state/run"
		END
		tar_rootfs "$ENGINE/busybox.tar"
		podman_with "$ENGINE/state" import "$ENGINE/busybox.tar" busybox:test >&2
		podman_with "$ENGINE/state" save --quiet --format oci-archive -o "$ENGINE/busybox.oci" busybox:test >&2
	fi
}

teardown_file() {
	rmdir /sys/fs/cgroup/*/libpod_parent 2>/dev/null || true
	[ ! -d "$ENGINE/storage" ] || mountpoint -q "$ENGINE/storage/overlay" && umount "$ENGINE/storage/overlay" 2>/dev/null || true
}

setup() {
	common_setup
	PODMAN_CONTAINERS=()
	# podman cleans up behind the caller's back
	LEAK_WAIT=15
}

teardown() {
	local result=0
	[ ! -e "$T/podman-used" ] || podman rm --all --force >/dev/null 2>&1
	stop_containerd
	# made by the engines
	mountpoint -q "$ENGINE/storage/overlay" && umount "$ENGINE/storage/overlay"
	common_teardown || result=1
	return $result
}

# podman with its state in a directory. $1: directory
podman_with() {
	local state=$1
	shift
	CONTAINERS_CONF=$ENGINE/containers.conf CONTAINERS_STORAGE_CONF="$ENGINE/storage.conf" command podman --root "$state/storage" --runroot "$state/run" \
		--tmpdir "$state/tmp" --storage-driver overlay --runtime "$SANDLOCK" "$@"
}

# Each test has its own copy of the storage: tests run at the same time, and podman's state is one database.
podman() {
	if [ ! -e "$T/podman-used" ]; then
		cp -a "$ENGINE/state" "$T/engine"
		rm -rf "$T/engine/storage/libpod" "$T/engine/tmp" "$T/engine/run"
		touch "$T/podman-used"
	fi
	# not with --runtime-flag: podman's own cleanup, which conmon calls, does not get it
	podman_with "$T/engine" "$@"
}

need_podman() {
	command -v podman >/dev/null || skip "podman is not installed"
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

exit_code_of() {
	local result=0
	"$@" || result=$?
	echo "$result"
}

@test "podman run: exit codes 0, 3, 126, 127, 137 and 255" {
	need_podman
	assert_eq "$(exit_code_of podman run --rm busybox:test true 2>&1)" 0
	assert_eq "$(exit_code_of podman run --rm busybox:test sh -c 'exit 3')" 3
	assert_eq "$(exit_code_of podman run --rm busybox:test sh -c 'exit 255')" 255
	assert_eq "$(exit_code_of podman run --rm busybox:test /bin/not-executable 2>"$T/126")" 126
	assert_eq "$(exit_code_of podman run --rm busybox:test /etc 2>"$T/126-directory")" 126
	assert_eq "$(exit_code_of podman run --rm busybox:test no-such-program 2>"$T/127")" 127
	assert_eq "$(exit_code_of podman run --rm busybox:test /no/such/program 2>"$T/127-path")" 127
	grep -qi 'permission denied' "$T/126"
	grep -qE 'executable file not found|no such file or directory' "$T/127"
	podman run --name killed --detach busybox:test sleep 1000 >/dev/null
	podman kill --signal KILL killed >/dev/null
	assert_eq "$(podman wait killed)" 137
	assert_eq "$(podman ps --all --quiet --filter status=running)" ""
}

@test "podman run: a job that the program leaves does not delay its end" {
	need_podman
	podman run --rm busybox:test true
	assert_eq "$(within 2 exit_code_of podman run --rm busybox:test sh -c 'sleep 100 & exit 3')" 3
	podman run --name left --detach busybox:test sh -c 'sleep 100 & exit 3' >/dev/null
	assert_eq "$(within 3 podman wait left)" 3
	WAIT_SECONDS=10 wait_for no_sleep
}

no_sleep() {
	[ -z "$(own_named sleep)" ]
}

@test "podman run -d, ps, logs, stop, start, rm" {
	need_podman
	local id
	id=$(within 10 podman run --detach --name box busybox:test sh -c 'echo said; echo err >&2; trap "exit 0" TERM; while :; do sleep 0.1; done')
	[ -n "$id" ]
	assert_eq "$(podman ps --quiet --no-trunc)" "$id"
	wait_for podman_logs_have box said
	podman logs box 2>&1 | grep -q err
	within 8 podman stop box >/dev/null
	assert_eq "$(podman inspect --format '{{.State.ExitCode}}' box)" 0
	# must not hang: nobody may keep the pipe
	text=$(within 10 podman start box)
	assert_eq "$(podman inspect --format '{{.State.Running}}' box)" true
	podman rm --force --time 0 box >/dev/null
	assert_eq "$(podman ps --all --quiet)" ""
	assert_eq "$(find /sys/fs/cgroup -name "libpod-$id*")" ""
}

podman_logs_have() {
	podman logs "$1" 2>/dev/null | grep -q "$2"
}

@test "podman run -it" {
	need_podman
	podman run --rm busybox:test true
	run /usr/bin/python3 "$SL_TOP/tests/tools/withtty" 44 111 env CONTAINERS_CONF="$ENGINE/containers.conf" CONTAINERS_STORAGE_CONF="$ENGINE/storage.conf" \
		podman --root "$T/engine/storage" --runroot "$T/engine/run" --tmpdir "$T/engine/tmp" --storage-driver overlay \
		--runtime "$SANDLOCK" run --rm -it busybox:test sh -c 'test -t 0 && test -t 1 && echo terminal; sleep 0.3; stty size; exit 5'
	assert_status 5
	assert_output 'terminal'
	assert_output '44 111'
}

@test "podman run: output of 200000 bytes is complete" {
	need_podman
	podman run --rm busybox:test sh -c 'head -c 200000 /dev/zero | tr "\0" x; echo end' >"$T/out"
	assert_eq "$(wc -c <"$T/out")" 200004
	assert_eq "$(tail -c 4 "$T/out")" end
	assert_eq "$(echo from-stdin | podman run --rm -i busybox:test cat)" from-stdin
}

@test "podman run: options that change the configuration" {
	need_podman
	mkdir "$T/data"
	run podman run --rm --user 1000:1000 --workdir /home/user --env A=1 --hostname name --volume "$T/data:/mnt:ro" --tmpfs /work:size=1m \
		--read-only --cap-drop all --cap-add CHOWN --security-opt no-new-privileges --group-add 2000 --ulimit nofile=77:88 --ulimit nproc=100:100 busybox:test \
		sh -c 'id -u; pwd; echo $A; hostname; touch /mnt/x 2>&1; touch /file 2>&1; df /work | tail -1; ulimit -n; grep -E "CapBnd|NoNew" /proc/self/status; id -G'
	assert_status 0
	assert_output '^1000$'
	assert_output '^/home/user$'
	assert_output '^1$'
	assert_output '^name$'
	assert_output '/mnt/x: Read-only'
	assert_output '/file: Read-only'
	assert_output '1024 .*/work'
	assert_output '^77$'
	assert_output '^CapBnd:.0000000000000001'
	assert_output '^NoNewPrivs:.1'
	assert_output '^1000 2000$'
}

@test "podman run: --network host, --pid host, --ipc host, --uts host, --privileged" {
	need_podman
	assert_eq "$(podman run --rm --network host busybox:test readlink /proc/self/ns/net)" "$(readlink /proc/self/ns/net)"
	assert_eq "$(podman run --rm --uts host busybox:test readlink /proc/self/ns/uts)" "$(readlink /proc/self/ns/uts)"
	assert_eq "$(podman run --rm --ipc host busybox:test readlink /proc/self/ns/ipc)" "$(readlink /proc/self/ns/ipc)"
	assert_eq "$(podman run --rm --pid host busybox:test readlink /proc/self/ns/pid)" "$(readlink /proc/self/ns/pid)"
	assert_eq "$(exit_code_of podman run --rm --pid host busybox:test sh -c 'sleep 100 & exit 3')" 3
	WAIT_SECONDS=10 wait_for no_sleep
	podman run --rm --privileged --ulimit host busybox:test true
}

@test "podman exec" {
	need_podman
	"$SANDLOCK" exec --help >/dev/null 2>&1 || skip "this build has no exec"
	podman run --detach --name box busybox:test sleep 1000 >/dev/null
	assert_eq "$(podman exec box echo inside)" inside
	assert_eq "$(exit_code_of podman exec box sh -c 'exit 7')" 7
	assert_eq "$(exit_code_of podman exec box no-such-program 2>/dev/null)" 127
	assert_eq "$(exit_code_of podman exec box /bin/not-executable 2>/dev/null)" 126
	assert_eq "$(echo text | podman exec -i box cat)" text
	assert_eq "$(podman exec --user 1000 --workdir /home/user --env A=1 box sh -c 'echo $(id -u) $(pwd) $A')" "1000 /home/user 1"
	podman rm --force --time 0 box >/dev/null
}

# --- containerd ------------------------------------------------------------------------------------------------

start_containerd() {
	command -v containerd >/dev/null && command -v ctr >/dev/null || skip "containerd is not installed"
	[ -s "$ENGINE/busybox.oci" ] || skip "the image is made with podman"
	mkdir -p "$T/containerd"
	cat >"$T/containerd/config.toml" <<-END
		version = 2
		root = "$T/containerd/root"
		state = "$T/containerd/state"
		disabled_plugins = ["io.containerd.grpc.v1.cri", "io.containerd.snapshotter.v1.btrfs", "io.containerd.snapshotter.v1.zfs",
			"io.containerd.snapshotter.v1.devmapper", "io.containerd.snapshotter.v1.aufs", "io.containerd.internal.v1.opt"]
		[grpc]
		  address = "$T/containerd/s"
		[ttrpc]
		  address = "$T/containerd/t"
	END
	containerd --config "$T/containerd/config.toml" >"$T/containerd/log" 2>&1 3>&- &
	CONTAINERD=$!
	WAIT_SECONDS=20 wait_for ctr_answers
	ctr image import --index-name busybox:test "$ENGINE/busybox.oci" >/dev/null
	IMAGE=busybox:test
}

ctr_answers() {
	[ -S "$T/containerd/s" ] && ctr version >/dev/null 2>&1
}

stop_containerd() {
	[ -n "${CONTAINERD:-}" ] || return 0
	local id pid
	for id in $(ctr task list --quiet); do
		ctr task delete --force "$id" >/dev/null 2>&1
	done
	for id in $(ctr container list --quiet); do
		ctr container rm "$id" >/dev/null 2>&1
	done
	kill "$CONTAINERD"
	wait "$CONTAINERD" || true
	CONTAINERD=
	for pid in $(own_named containerd-shim); do
		echo "# a shim is left: the task was not deleted" >&2
	done
	rmdir /sys/fs/cgroup/*/"$ID_PREFIX"-ns 2>/dev/null || true
}

ctr() {
	command ctr --address "$T/containerd/s" --namespace "$ID_PREFIX-ns" "$@"
}

ctr_run() {
	ctr run --runc-binary "$SANDLOCK" --runc-root "$ROOT" "$@"
}

task_status() {
	ctr task list | awk -v id="$1" '$1 == id { print $3 }'
}

task_is() {
	[ "$(task_status "$1")" = "$2" ]
}

@test "containerd: ctr run, attached: output and exit codes" {
	start_containerd
	assert_eq "$(ctr_run --rm "$IMAGE" "$ID" echo said)" said
	assert_eq "$(exit_code_of ctr_run --rm "$IMAGE" "$ID" sh -c 'exit 3')" 3
	assert_eq "$(within 3 exit_code_of ctr_run --rm "$IMAGE" "$ID" sh -c 'sleep 100 </dev/null >/dev/null 2>&1 & exit 3')" 3
	run ctr_run --rm "$IMAGE" "$ID" no-such-program
	assert_failed
	assert_output 'executable file not found in \$PATH|no such file or directory'
	ctr_run --rm "$IMAGE" "$ID" sh -c 'head -c 200000 /dev/zero | tr "\0" x; echo end' >"$T/out"
	assert_eq "$(wc -c <"$T/out")" 200004
	WAIT_SECONDS=10 wait_for no_sleep
}

@test "containerd: ctr run -d: the task is STOPPED when the main process exits, the job lives until the task's delete" {
	need_sandlock
	start_containerd
	mkdir "$T/data"
	ctr_run --detach --mount "type=bind,src=$T/data,dst=/mnt,options=rbind:rw" "$IMAGE" "$ID" \
		sh -c '(while :; do echo beat >>/mnt/beat; sleep 0.05; done) </dev/null >/dev/null 2>&1 & exit 3'
	wait_for task_is "$ID" STOPPED
	local before
	before=$(wc -c <"$T/data/beat")
	wait_for has_grown "$T/data/beat" "$before"
	run ctr task delete "$ID"
	assert_output 'exit code 3"?$'
	# gone at the moment delete returned
	before=$(wc -c <"$T/data/beat")
	[ -z "$(own_named sh)" ]
	sleep 0.2
	assert_eq "$(wc -c <"$T/data/beat")" "$before"
	ctr container rm "$ID"
}

@test "containerd: kill, exec, terminal" {
	start_containerd
	ctr_run --detach "$IMAGE" "$ID" sleep 1000
	wait_for task_is "$ID" RUNNING
	if "$SANDLOCK" exec --help >/dev/null 2>&1; then
		assert_eq "$(ctr task exec --exec-id one "$ID" echo inside)" inside
		assert_eq "$(exit_code_of ctr task exec --exec-id two "$ID" sh -c 'exit 7')" 7
	fi
	ctr task kill --signal KILL "$ID"
	wait_for task_is "$ID" STOPPED
	run ctr task delete "$ID"
	assert_output 'exit code 137"?$'
	ctr container rm "$ID"
	run /usr/bin/python3 "$SL_TOP/tests/tools/withtty" 44 111 ctr --address "$T/containerd/s" --namespace "$ID_PREFIX-ns" run --rm --tty \
		--runc-binary "$SANDLOCK" --runc-root "$ROOT" "$IMAGE" "$ID-tty" sh -c 'test -t 0 && echo terminal; exit 5'
	assert_status 5
	assert_output terminal
}
