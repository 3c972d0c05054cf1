#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Attackers in the container, impatient callers, kills at the wrong moment.
load helpers

setup() {
	common_setup
	need_sandlock
}

# The capabilities that engines give by default.
DEFAULT_CAPABILITIES='["CAP_CHOWN","CAP_DAC_OVERRIDE","CAP_FSETID","CAP_FOWNER","CAP_MKNOD","CAP_NET_RAW","CAP_SETGID",
	"CAP_SETUID","CAP_SETFCAP","CAP_SETPCAP","CAP_NET_BIND_SERVICE","CAP_SYS_CHROOT","CAP_KILL","CAP_AUDIT_WRITE"]'

# $1: a list of capabilities, JSON
capabilities() {
	config --argjson list "$1" '.process.capabilities |= with_entries(.value = $list) | .process.noNewPrivileges = false'
}

host_network() {
	config '.linux.namespaces |= map(select(.type != "network")) | .mounts |= map(select(.type != "sysfs"))'
}

intruder() {
	program /bin/intruder <"$TOOLS/intruder"
}

# The abstract name that the session $1 of this root has or would have.
name_of() {
	local probe
	probe=$(unique_id probe)
	args sleep 100
	create "$probe"
	own_names | grep "/$probe\$" | sed "s|^@||; s|/$probe\$|/$1|"
	rt delete --force "$probe"
}

# --- the name: N3 ------------------------------------------------------------------------------------------

@test "root in a container on the host's network is not a client: neither of its own session nor of another" {
	local name other
	intruder
	host_network
	capabilities "$DEFAULT_CAPABILITIES"
	name=$(name_of "$ID")
	other=$(unique_id other)
	args sleep 100
	create_start "$other"
	args sh -c "intruder ask $name; intruder ask ${name%/*}/$other"
	run rt run --bundle "$BUNDLE" "$ID" </dev/null
	assert_status 0
	assert_eq "$output" "$(printf 'unanswered\nunanswered')"
	assert_eq "$(status_of "$other")" running
}

@test "root in a container that shares all namespaces but the mounts is no client" {
	local name
	intruder
	name=$(name_of "$ID")
	config 'del(.hostname) | .linux.namespaces = [{type: "mount"}]'
	capabilities "$DEFAULT_CAPABILITIES"
	args intruder ask "$name"
	run rt run --bundle "$BUNDLE" "$ID" </dev/null
	assert_status 0
	assert_eq "$output" unanswered
}

@test "root in a container that shares only the mounts is no client" {
	local name
	intruder
	name=$(name_of "$ID")
	config 'del(.hostname) | .linux.namespaces = [{type: "pid"}] | .mounts = [] | del(.linux.maskedPaths, .linux.readonlyPaths)'
	capabilities "$DEFAULT_CAPABILITIES"
	args intruder ask "$name"
	run rt run --bundle "$BUNDLE" "$ID" </dev/null
	assert_status 0
	assert_eq "$output" unanswered
}

@test "root of a user namespace is no client" {
	local name
	intruder
	host_network
	name=$(name_of "$ID")
	# uid 0 of the container is uid 0 of the host
	config '.linux.namespaces += [{type: "user"}]
		| .linux.uidMappings = [{containerID: 0, hostID: 0, size: 1000}]
		| .linux.gidMappings = .linux.uidMappings'
	args intruder ask "$name"
	run rt run --bundle "$BUNDLE" "$ID" </dev/null
	assert_status 0
	assert_eq "$output" unanswered
}

@test "nobody believes a container that binds the name of a session" {
	local name victim command
	intruder
	host_network
	capabilities "$DEFAULT_CAPABILITIES"
	victim=$(unique_id victim)
	name=$(name_of "$victim")
	args intruder impostor "$name"
	create_start "$ID"
	wait_for file_has "$T/$ID.out" bound
	for command in state delete 'delete --force' kill 'kill --all' start wait list; do
		# shellcheck disable=SC2086 # options
		run rt $command "$victim" </dev/null
		assert_failed
	done
	run rt exec "$victim" true </dev/null
	assert_failed
	run rt create --bundle "$BUNDLE" "$victim" </dev/null
	assert_failed
	assert_output "process $(pid_of "$ID") of user 0"
	run rt list
	assert_status 0
	assert_eq "$(cat "$T/$ID.out")" bound
	assert_eq "$(status_of "$ID")" running
}

@test "a client in another mount namespace with all privileges is served" {
	args sleep 100
	create_start "$ID"
	assert_eq "$(unshare --mount "$SANDLOCK" --root "$ROOT" state "$ID" | jq -r .status)" running
	unshare --mount "$SANDLOCK" --root "$ROOT" kill "$ID" KILL
	wait_state "$ID" stopped
	unshare --mount "$SANDLOCK" --root "$ROOT" delete "$ID"
}

@test "a client that would not be trusted is told so, and delete does not claim success" {
	args sleep 100
	create_start "$ID"
	run unshare --mount setpriv --bounding-set -sys_admin "$SANDLOCK" --root "$ROOT" delete --force "$ID"
	assert_failed
	assert_output 'not trusted'
	assert_eq "$(status_of "$ID")" running
	# in the same mount namespace capabilities do not matter
	setpriv --bounding-set -sys_admin "$SANDLOCK" --root "$ROOT" delete --force "$ID"
}

# --- callers -------------------------------------------------------------------------------------------------

@test "a caller that ignores SIGCHLD" {
	args sh -c 'exit 7'
	/usr/bin/python3 - "$SANDLOCK" "$ROOT" "$BUNDLE" "$ID" <<-'END'
		import os, signal, sys
		runtime, root, bundle, ident = sys.argv[1:]

		def call(*words):
		    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
		    child = os.fork()
		    if child == 0:
		        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
		        os.execv(runtime, [runtime, "--root", root, *words])
		    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

		assert call("create", "--bundle", bundle, ident) == 0, "create"
		assert call("exec", ident, "sh", "-c", "exit 4") == 4, "exec"
		assert call("exec", ident, "no-such-program") == 255, "exec that fails"
		assert call("delete", "--force", ident) == 0, "delete"
		assert call("run", "--bundle", bundle, ident) == 7, "run"
	END
}

@test "a runtime that took a shell's place does not wait for the shell's children" {
	local before
	args sleep 100
	create_start "$ID"
	before=$(milliseconds)
	run bash -c 'sleep 30 >/dev/null 2>&1 </dev/null 3>&- & exec "$@"' bash "$SANDLOCK" --root "$ROOT" exec "$ID" no-such-program
	assert_failed
	args no-such-program
	run "$TOOLS/subreaper" "$T/pid" "$T/status" bash -c 'sleep 30 >/dev/null 2>&1 </dev/null 3>&- & exec "$@"' bash \
		"$SANDLOCK" --root "$ROOT" create --bundle "$BUNDLE" "$(unique_id second)"
	assert_failed
	[ $(($(milliseconds) - before)) -lt 10000 ]
	own_named sleep | xargs -r kill
}

# Connects COUNT times, waits for the main process, and stays. $1: NAME, $2: COUNT
crowd() {
	exec /usr/bin/python3 -c '
import resource, socket, struct, sys, time
resource.setrlimit(resource.RLIMIT_NOFILE, (int(sys.argv[2]) + 100, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
clients = []
for _ in range(int(sys.argv[2])):
    s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    s.connect(b"\0" + sys.argv[1].encode())
    try:
        s.send(struct.pack("IIIi", 0x51524c53, 1, 3, 0))
    except OSError:
        pass
    clients.append(s)
print("sent", flush=True)
time.sleep(1000)' "$1" "$2"
}

@test "more waiters than a session takes: it can still be asked and deleted" {
	local name
	args sleep 100
	create_start "$ID"
	name=$(own_names | sed 's/^@//')
	background crowd "$name" 1200 >"$T/said"
	wait_for file_has "$T/said" sent
	assert_eq "$(status_of "$ID")" running
	rt delete --force "$ID"
	assert_eq "$(own_names)" ""
}

@test "a caller with few descriptors: its session can still be asked and deleted" {
	local name
	args sleep 100
	(ulimit -n 64 && create "$ID")
	start "$ID"
	name=$(own_names | sed 's/^@//')
	background crowd "$name" 100 >"$T/said"
	wait_for file_has "$T/said" sent
	assert_eq "$(status_of "$ID")" running
	rt delete --force "$ID"
	assert_eq "$(own_names)" ""
}

@test "delete of a session that closes all connections does not claim success" {
	local name
	args sleep 100
	create_start "$ID"
	name=$(own_names | sed 's/^@//')
	# idle connections are not waiters
	background /usr/bin/python3 -c '
import resource, socket, sys, time
resource.setrlimit(resource.RLIMIT_NOFILE, (2000, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
clients = []
for _ in range(1100):
    s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    s.connect(b"\0" + sys.argv[1].encode())
    clients.append(s)
print("connected", flush=True)
time.sleep(1000)' "$name" >"$T/said"
	wait_for file_has "$T/said" connected
	run rt delete --force "$ID"
	assert_failed
	assert_output lives
	end_background
	assert_eq "$(status_of "$ID")" running
}

# --- a supervisor that does not answer: N6 ------------------------------------------------------------------

# $1...: command that ends the session of a stopped supervisor
ends_stopped_session() {
	args sh -c 'for i in 1 2 3 4 5; do sleep 100 & done; exec sleep 100'
	create_start "$ID"
	kill -STOP "$(role_pid supervisor "$ID")"
	rt "$@"
	assert_eq "$(own_named sleep)" ""
	assert_eq "$(own_names)" ""
	assert_eq "$(own_cgroups)" ""
	[ ! -e "$ROOT/$ID" ]
}

@test "delete --force of a session whose supervisor is stopped leaves nothing" {
	ends_stopped_session delete --force "$ID"
}

@test "kill of a session whose supervisor is stopped leaves nothing" {
	ends_stopped_session kill "$ID" KILL
}

@test "kill --all of a session whose supervisor is stopped leaves nothing" {
	ends_stopped_session kill --all "$ID" KILL
}

@test "start of a container whose supervisor is stopped does not hang" {
	args sleep 100
	create "$ID"
	kill -STOP "$(role_pid supervisor "$ID")"
	RT_TIMEOUT=20 run rt start "$ID" </dev/null
	kill -CONT "$(role_pid supervisor "$ID")"
	assert_failed
	assert_output 'does not answer'
}

# --- kills while a container is being created: S8, S9 -----------------------------------------------------------

# A hook that says that it was reached and then waits. $1: kind
waiting_hook() {
	config --arg kind "$1" --arg text "echo reached >$T/reached; while [ ! -e $T/go ]; do sleep 0.02; done" \
		'.hooks[$kind] = [{path: "/bin/sh", args: ["sh", "-c", $text]}]'
}

nothing_left() {
	[ -z "$(own_names)" ] && [ -z "$(own_cgroups)" ] && [ ! -e "$ROOT/$ID" ] && [ -z "$(own_named sandlock-init)" ] &&
		! grep -qF "$BUNDLE" /proc/self/mountinfo
}

# create, killed while a hook of this kind runs. $1: kind
kill_create_in() {
	waiting_hook "$1"
	background "$SANDLOCK" --root "$ROOT" create --bundle "$BUNDLE" "$ID" </dev/null >/dev/null 2>&1
	wait_for file_has "$T/reached" reached
	kill -KILL "$LAST_BACKGROUND"
	wait_for nothing_left
}

@test "SIGKILL to create: what it made goes by itself" {
	kill_create_in createRuntime
}

@test "SIGKILL to create: what it made goes by itself, in the container's own hook" {
	kill_create_in createContainer
}

@test "SIGKILL to create: the mounts of a container that shares the mount namespace go, too" {
	config 'del(.linux.maskedPaths, .linux.readonlyPaths) | .linux.namespaces |= map(select(.type != "mount"))'
	kill_create_in createContainer
}

@test "SIGKILL to create: the mounts of a container that shares the mount and pid namespaces go, too" {
	config 'del(.linux.maskedPaths, .linux.readonlyPaths)
		| .linux.namespaces |= map(select(.type != "mount" and .type != "pid"))'
	kill_create_in createContainer
}

@test "SIGKILL to create with --cgroup-manager=disabled and without a pid namespace: the launcher goes" {
	config '.linux.namespaces |= map(select(.type != "pid"))'
	waiting_hook createContainer
	background "$SANDLOCK" --root "$ROOT" --cgroup-manager disabled create --bundle "$BUNDLE" "$ID" </dev/null >/dev/null 2>&1
	wait_for file_has "$T/reached" reached
	kill -KILL "$LAST_BACKGROUND"
	wait_for nothing_left
}

@test "SIGKILL to the supervisor while create is under way: create clears what it made" {
	waiting_hook createRuntime
	background rt create --bundle "$BUNDLE" "$ID" </dev/null >/dev/null 2>&1
	wait_for file_has "$T/reached" reached
	kill -KILL "$(role_pid supervisor "$ID")"
	touch "$T/go"
	refute wait "$LAST_BACKGROUND"
	[ ! -e "$ROOT/$ID" ]
	assert_eq "$(own_cgroups)" ""
	# the processes die with the supervisor, whose children they are
	wait_for nothing_left
}

@test "delete --force while create is under way: both end, and nothing is left" {
	waiting_hook createRuntime
	background rt create --bundle "$BUNDLE" "$ID" </dev/null >/dev/null 2>&1
	local creator=$LAST_BACKGROUND
	wait_for file_has "$T/reached" reached
	background rt delete --force "$ID" </dev/null >/dev/null 2>&1
	sleep 0.3
	touch "$T/go"
	refute wait "$creator"
	wait "$LAST_BACKGROUND"
	nothing_left
}

@test "create that fails because namespaces are used up leaves nothing" {
	config '.linux.namespaces += [{type: "time"}]'
	run unshare --user --map-root-user --mount --pid --fork bash -c "
		mount -t proc proc /proc && echo 0 >/proc/sys/user/max_ipc_namespaces &&
		'$SANDLOCK' --root '$ROOT' --cgroup-manager disabled create --bundle '$BUNDLE' '$ID' </dev/null"
	assert_failed
	assert_output 'create the namespaces'
	nothing_left
}

# --- pid 1 and the sealed image -----------------------------------------------------------------------------------

@test "whoever takes over pid 1 with ptrace gets no system call out of it that it does not need" {
	intruder
	capabilities "$DEFAULT_CAPABILITIES"
	args intruder pid1
	run rt run --bundle "$BUNDLE" "$ID" </dev/null
	assert_status 0
	assert_eq "$output" "$(printf 'attached\ntried')"
}

@test "a traced and stopped pid 1 keeps nobody from exec and delete" {
	intruder
	capabilities "$DEFAULT_CAPABILITIES"
	args intruder hold
	create_start "$ID"
	wait_for file_has "$T/$ID.out" attached
	rt exec "$ID" true
	rt delete --force "$ID"
	nothing_left
}

@test "root in the container can't make the runtime's image unusable or change it" {
	printf '6.3\n%s\n' "$(uname -r)" | sort -VC || skip "F_SEAL_EXEC: Linux 6.3"
	capabilities "$DEFAULT_CAPABILITIES"
	args sleep 100
	create_start "$ID"
	run rt exec "$ID" sh -c 'chmod 0 /proc/1/exe; echo x >/proc/1/exe; dd if=/dev/zero of=/proc/1/exe conv=notrunc bs=1 count=1'
	[ -n "$(rt exec "$ID" echo works)" ]
	rt exec "$ID" sh -c '[ "$(wc -c </proc/1/exe)" -gt 1000 ]'
}

@test "scripts with #!/proc/self/exe and executables named by a descriptor run nothing of the host" {
	local name
	printf '#!/proc/self/exe\n' | program /bin/plain
	printf '#!/proc/self/exe supervisor\n' | program /bin/supervisor
	printf '#!/proc/self/exe launcher\n' | program /bin/3
	args sleep 100
	create_start "$ID"
	for name in plain supervisor 3 /proc/self/exe /proc/1/exe; do
		run rt exec "$ID" "$name" 3 </dev/null
		assert_failed
	done
	for name in 3 4 5 6 7 8 9 10 11 12; do
		run rt exec "$ID" "/proc/self/fd/$name/bin/ls" / </dev/null
		assert_failed
		run rt exec --cwd "/proc/self/fd/$name" "$ID" ls </dev/null
		assert_failed
	done
	assert_eq "$(status_of "$ID")" running
}

# --- processes that do not want to end: S4, S7 ------------------------------------------------------------------------

@test "kill --all ends a fork bomb, and so does delete" {
	intruder
	config '.linux.resources.pids.limit = 200'
	args intruder bomb
	create_start "$ID"
	wait_for file_has "$T/$ID.out" forking
	sleep 0.2
	RT_TIMEOUT=20 rt kill --all "$ID" KILL
	wait_state "$ID" stopped
	assert_eq "$(rt state "$ID" | jq .session.processes)" 0
	rt delete "$ID"
	create_start "$ID"
	sleep 0.2
	RT_TIMEOUT=20 rt delete --force "$ID"
	nothing_left
}

@test "processes that the container has frozen by itself end with kill --all and with delete" {
	[ -e /sys/fs/cgroup/freezer/release_agent ] || skip "no freezer of cgroup version 1"
	local how
	config '.mounts += [{destination: "/freezer", type: "bind", source: "/sys/fs/cgroup/freezer", options: ["bind", "rw"]}]'
	args sh -c "cd /freezer/$ID && mkdir deep deep/deeper && (sleep 100 & echo \$! >deep/deeper/cgroup.procs)
		echo FROZEN >deep/deeper/freezer.state; echo FROZEN >deep/freezer.state; echo frozen; sleep 100"
	for how in "kill --all $ID KILL" "delete --force $ID"; do
		create_start "$ID"
		wait_for file_has "$T/$ID.out" frozen
		# shellcheck disable=SC2086 # arguments
		rt $how
		assert_eq "$(own_named sleep)" ""
		rt delete --force "$ID"
		nothing_left
	done
}

# --- without privileges that root mostly has ----------------------------------------------------------------------------

# A caller of create that is a subreaper, but collects nobody until $T/collect is there.
LAZY_PARENT='
import ctypes, os, sys, time
ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)
child = os.fork()
if child == 0:
    os.execvp(sys.argv[2], sys.argv[2:])
os.waitpid(child, 0)
print("created", flush=True)
while not os.path.exists(sys.argv[1]):
    time.sleep(0.02)
while True:
    try:
        os.wait()
    except ChildProcessError:
        break
time.sleep(1000)'

@test "without CAP_SYS_PTRACE the status of another user's main process is not taken for 0" {
	printf '6.15\n%s\n' "$(uname -r)" | sort -VC || skip "PIDFD_INFO_EXIT: Linux 6.15"
	args sh -c 'exit 7'
	config '.process.user = {uid: 1000, gid: 1000}'
	background setpriv --bounding-set -sys_ptrace /usr/bin/python3 -c "$LAZY_PARENT" "$T/collect" \
		"$SANDLOCK" --root "$ROOT" create --bundle "$BUNDLE" "$ID" </dev/null >"$T/said"
	wait_for file_has "$T/said" created
	start "$ID"
	wait_state "$ID" stopped
	assert_eq "$(rt state "$ID" | jq -c .session.main)" '{"exited":true}'
	run rt wait --timeout 100ms "$ID"
	assert_status 124
	touch "$T/collect"
	assert_eq "$(rt wait "$ID")" 7
	assert_eq "$(rt state "$ID" | jq .session.main.exitCode)" 7
}
