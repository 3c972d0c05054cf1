# SPDX-License-Identifier: Apache-2.0
# Common to all *.bats. The runtime under test is $SANDLOCK; what the specification demands of every runtime
# can be run with another one: SANDLOCK=runc bats tests/mounts.bats
bats_require_minimum_version 1.7.0

# What one call of the runtime may take before it counts as hung, in seconds.
RT_TIMEOUT=${RT_TIMEOUT:-60}

setup() {
	common_setup
}

teardown() {
	common_teardown
}

common_setup() {
	T=$BATS_TEST_TMPDIR
	chmod 0711 "$BATS_RUN_TMPDIR"/test "$T" 2>/dev/null || chmod 0711 "$T"
	ROOT=$T/oci-root
	ID_PREFIX=t$$-$BATS_TEST_NUMBER
	ID=$ID_PREFIX
	TOOLS=$SL_BASE/tools
	BACKGROUND=()
	TEST_MOUNTS=()
	# Every descendant of this shell inherits its timer slack, whatever namespaces, ids, groups and parents it
	# moves to: the tag tells which processes this test is answerable for.
	TAG=$((1000000 + $$))
	echo "$TAG" >/proc/$$/timerslack_ns
	MOUNTS_BEFORE=$(host_mounts)
	new_bundle
}

common_teardown() {
	local failed=0
	end_background
	[ -n "${KEEP_CONTAINERS:-}" ] || delete_all || failed=1
	remove_test_mounts
	check_leaks || failed=1
	return "$failed"
}

# --- the runtime -----------------------------------------------------------------------------------------

# The runtime with this test's --root.
rt() {
	timeout --foreground -k 5 "$RT_TIMEOUT" "$SANDLOCK" --root "$ROOT" "$@"
}

is_sandlock() {
	[[ $("$SANDLOCK" --version) == *sandlock-oci* ]]
}

# Skips what only this runtime claims when the tests are tried on another one.
need_sandlock() {
	is_sandlock || skip "only sandlock-oci has this"
}

# create with stdio of its own: $1: id, more: options. Output goes to $T/ID.out and $T/ID.err.
create() {
	local id=$1
	shift
	rt create --bundle "$BUNDLE" "$@" "$id" </dev/null >"$T/$id.out" 2>"$T/$id.err" || {
		echo "create: $?: $(cat "$T/$id.err")" >&2
		return 1
	}
}

start() {
	rt start "$1" </dev/null >/dev/null 2>"$T/$1.start-err" || {
		echo "start: $?: $(cat "$T/$1.start-err")" >&2
		return 1
	}
}

create_start() {
	create "$@" && start "$1"
}

# Foreground run of a shell script in the container; result in $status and $output. $1: script
run_script() {
	args sh -c "$1"
	run rt run --bundle "$BUNDLE" "$ID" </dev/null
}

status_of() {
	rt state "$1" 2>/dev/null | jq -r .status
}

is_state() {
	[ "$(status_of "$1")" = "$2" ]
}

wait_state() {
	wait_for is_state "$1" "$2"
}

pid_of() {
	rt state "$1" | jq -r .pid
}

# --- sessions ---------------------------------------------------------------------------------------------

# The host pid of a session's supervisor or reaper; empty when there is none. $1: role, $2: id
role_pid() {
	local pid supervisor inodes
	# the table may lack a line when others come and go while it is read; clients' connections have the name too
	for _ in 1 2 3 4 5; do
		inodes=$(awk -v name="/$2" 'substr($8, length($8) - length(name) + 1) == name { print "socket:[" $7 "]" }' /proc/net/unix)
		[ -z "$inodes" ] || break
	done
	[ -n "$inodes" ] || return 0
	# a parked launcher has the supervisor's command line, but only the supervisor holds the name
	for pid in $(own_processes); do
		readlink "/proc/$pid/fd/"* 2>/dev/null | grep -qxF "$inodes" && supervisor=$pid && break
	done
	[ -n "${supervisor:-}" ] || return 0
	if [ "$1" = supervisor ]; then
		echo "$supervisor"
		return 0
	fi
	for pid in $(own_processes); do
		[ "$(parent_of "$pid")" != "$supervisor" ] || ! grep -qa "^sandlock-init.$1" "/proc/$pid/cmdline" || echo "$pid"
	done
	return 0
}

parent_of() {
	awk '/^PPid/ { print $2 }' "/proc/$1/status" 2>/dev/null
}

# A session whose main process exited with 3 and left a job that writes a line to /tmp/beat every 50 ms.
stopped_with_job() {
	args sh -c '(trap "" HUP TERM; while :; do echo beat >>/tmp/beat; sleep 0.05; done) </dev/null >/dev/null 2>&1 & exit 3'
	create_start "${1:-$ID}"
	wait_state "${1:-$ID}" stopped
}

job_beats() {
	local before
	before=$(wc -c <"$BUNDLE/rootfs/tmp/beat")
	WAIT_SECONDS=${1:-5} wait_for has_grown "$BUNDLE/rootfs/tmp/beat" "$before"
}

has_grown() {
	[ "$(wc -c <"$1")" -gt "$2" ]
}

# --- bundles -----------------------------------------------------------------------------------------------

# A bundle of its own: busybox's links share their inode with other tests, everything else is a copy.
# $1: name (default "bundle"). Sets BUNDLE.
# shellcheck disable=SC2120 # the argument may be left out
new_bundle() {
	BUNDLE=$T/${1:-bundle}
	mkdir -p "$BUNDLE/rootfs"
	chmod 0711 "$BUNDLE"
	local entry
	for entry in "$SL_BASE"/rootfs/*; do
		case $entry in
		*/bin) cp -al "$entry" "$BUNDLE/rootfs/" ;;
		*) cp -a "$entry" "$BUNDLE/rootfs/" ;;
		esac
	done
	cp "$SL_TOP/tests/config.json" "$BUNDLE/config.json"
}

# Edits config.json with jq: config '.hostname = "x"', config --arg a b '.x = $a'
config() {
	jq "$@" <"$BUNDLE/config.json" >"$BUNDLE/config.new" && mv "$BUNDLE/config.new" "$BUNDLE/config.json"
}

# Sets process.args.
args() {
	config '.process.args = $ARGS.positional' --args -- "$@"
}

# A host file written into the root filesystem as a program. $1: path in the container; stdin: text
program() {
	mkdir -p "$(dirname "$BUNDLE/rootfs$1")"
	rm -f "$BUNDLE/rootfs$1"
	cat >"$BUNDLE/rootfs$1"
	chmod 0755 "$BUNDLE/rootfs$1"
}

# A further id of this test.
unique_id() {
	echo "$ID_PREFIX-$1"
}

# --- waiting -----------------------------------------------------------------------------------------------

# Polls until the command succeeds. WAIT_SECONDS: deadline (10).
wait_for() {
	local deadline=$((SECONDS + ${WAIT_SECONDS:-10}))
	until "$@"; do
		if [ "$SECONDS" -ge "$deadline" ]; then
			echo "timed out waiting for: $*" >&2
			return 1
		fi
		sleep 0.02
	done
}

is_gone() {
	! [ -e "/proc/$1" ] || [ "$(process_state "$1")" = Z ]
}

# The letter of /proc/PID/stat; empty when the process is gone.
process_state() {
	local text
	text=$(cat "/proc/$1/stat" 2>/dev/null) || return 0
	text=${text##*) }
	echo "${text%% *}"
}

file_has() {
	grep -q -- "$2" "$1" 2>/dev/null
}

milliseconds() {
	echo $((${EPOCHREALTIME/[.,]/} / 1000))
}

# --- processes beside the test ------------------------------------------------------------------------------

# Runs a command beside the test, with this stdin; ended by teardown. Sets LAST_BACKGROUND.
background() {
	"$@" 3>&- <&0 &
	LAST_BACKGROUND=$!
	BACKGROUND+=("$LAST_BACKGROUND")
}

end_background() {
	local pid
	for pid in ${BACKGROUND[@]+"${BACKGROUND[@]}"}; do
		kill -KILL "$pid" 2>/dev/null || true
		wait "$pid" 2>/dev/null || true
	done
	BACKGROUND=()
}

# Process ids of this test, but for this shell and its passing helpers. Zombies that pid 1 has yet to collect
# do not count.
own_processes() {
	local file pid state parent text mine=" $$ " walk=$BASHPID
	while [ "$walk" != $$ ] && [ "$walk" -gt 1 ]; do
		mine+="$walk "
		walk=$(awk '/^PPid/ { print $2 }' "/proc/$walk/status")
	done
	# the subshell that lists is gone when its list is looked at
	text=$(grep -lx "$TAG" /proc/[0-9]*/timerslack_ns 2>/dev/null)
	for file in $text; do
		pid=${file#/proc/}
		pid=${pid%/*}
		[[ $mine != *" $pid "* ]] || continue
		text=$(cat "/proc/$pid/stat" 2>/dev/null) || continue
		text=${text##*) }
		read -r state parent _ <<<"$text"
		[ "$state" = Z ] && [ "$parent" = 1 ] && continue
		echo "$pid"
	done
}

no_own_processes() {
	[ -z "$(own_processes)" ]
}

# Processes of this test which run a given program. $1: comm
own_named() {
	local pid
	for pid in $(own_processes); do
		[ "$(cat "/proc/$pid/comm" 2>/dev/null)" = "$1" ] && echo "$pid"
	done
	return 0
}

# --- mounts, cgroups, names -----------------------------------------------------------------------------------

# The host's mounts without mount ids, less those of tests that run at the same time.
host_mounts() {
	cut -d' ' -f3- /proc/self/mountinfo | grep -vF -- /bats-run- || true
	cut -d' ' -f3- /proc/self/mountinfo | grep -F -- "$T/" || true
}

# What changed since MOUNTS_BEFORE. A mount whose mount point was removed was another's: removing a directory
# unmounts what other mount namespaces have there.
mounts_changed() {
	local line point
	diff <(echo "$MOUNTS_BEFORE") <(host_mounts) | while IFS= read -r line; do
		case $line in
		'>'*) echo "$line" ;;
		'<'*)
			read -r _ _ _ point _ <<<"$line"
			[ ! -e "$(printf '%b' "$point")" ] || echo "$line"
			;;
		esac
	done
}

# mount(8), undone by teardown; the mount point is the last argument.
test_mount() {
	mount "$@" && TEST_MOUNTS=("${@: -1}" ${TEST_MOUNTS[@]+"${TEST_MOUNTS[@]}"})
}

remove_test_mounts() {
	local point
	for point in ${TEST_MOUNTS[@]+"${TEST_MOUNTS[@]}"}; do
		umount "$point" || umount -l "$point" || true
	done
	TEST_MOUNTS=()
}

own_cgroups() {
	find /sys/fs/cgroup -type d -name "*$ID_PREFIX*" 2>/dev/null || true
}

# Abstract sockets that carry an id of this test.
own_names() {
	awk '{ print $8 }' /proc/net/unix | grep -F -- "$ID_PREFIX" || true
}

delete_all() {
	local id result=0
	[ -d "$ROOT" ] || return 0
	for id in $(rt list -q 2>/dev/null); do
		rt delete --force "$id" </dev/null >&2 || {
			echo "# teardown: delete --force $id failed" >&2
			result=1
		}
	done
	return "$result"
}

describe_process() {
	printf '#   pid %s parent %s state %s: %s\n' "$1" "$(awk '/^PPid/ { print $2 }' "/proc/$1/status" 2>/dev/null)" \
		"$(process_state "$1")" "$(tr '\0' ' ' 2>/dev/null <"/proc/$1/cmdline") [$(cat "/proc/$1/comm" 2>/dev/null)]"
}

# Fails if the test left anything: processes, mounts, cgroups, names, records.
# An init that is slow to reap may have a chain of zombies to collect, one after the other.
check_leaks() {
	local leaked=0 pid text
	if ! WAIT_SECONDS=${LEAK_WAIT:-8} wait_for no_own_processes 2>/dev/null; then
		echo "# leaked processes:" >&2
		for pid in $(own_processes); do
			describe_process "$pid" >&2
			kill -KILL "$pid" 2>/dev/null || true
			leaked=1
		done
	fi
	text=$(mounts_changed)
	if [ -n "$text" ]; then
		printf '# the mounts of the host changed:\n%s\n' "$text" >&2
		grep -F -- "$T/" /proc/self/mountinfo | awk '{ print $5 }' | sort -r | xargs -r -n1 umount -l
		leaked=1
	fi
	text=$(own_cgroups)
	if [ -n "$text" ]; then
		printf '# leaked cgroups:\n%s\n' "$text" >&2
		sort -r <<<"$text" | xargs -r -n1 rmdir 2>/dev/null
		leaked=1
	fi
	text=$(own_names)
	if [ -n "$text" ]; then
		printf '# leaked names:\n%s\n' "$text" >&2
		leaked=1
	fi
	if [ -d "$ROOT" ]; then
		text=$(find "$ROOT" -mindepth 1 | head -20)
		if [ -n "$text" ]; then
			printf '# leaked files below --root:\n%s\n' "$text" >&2
			leaked=1
		fi
	fi
	return "$leaked"
}

# --- assertions ----------------------------------------------------------------------------------------------

fail() {
	echo "$*" >&2
	return 1
}

assert_eq() {
	[ "$1" = "$2" ] || fail "${3:-values differ}: expected '$2', got '$1'"
}

# After `run`: $1: exit status
assert_status() {
	[ "$status" = "$1" ] || fail "expected exit status $1, got $status; output: $output"
}

assert_failed() {
	[ "$status" != 0 ] || fail "expected a failure; output: $output"
	[ "$status" != 124 ] && [ "$status" != 137 ] || fail "hung; output: $output"
}

# $1: extended regular expression
assert_output() {
	grep -qE -- "$1" <<<"$output" || fail "no line matches '$1' in: $output"
}

refute_output() {
	! grep -qE -- "$1" <<<"$output" || fail "a line matches '$1' in: $output"
}

# Fails when the command succeeds; `!` alone would not end a test.
refute() {
	! "$@" || fail "should have failed: $*"
}

# The base tree as a tarball: $1. Bundles come and go as hard links to it meanwhile, which tar notices (status 1).
tar_rootfs() {
	tar -C "$SL_BASE/rootfs" --warning=no-file-changed -cf "$1" . || [ $? = 1 ]
}
