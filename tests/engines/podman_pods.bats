#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# podman: pods with shared namespaces, kube play.
load engines

# A pod "pod" with its infra container. Arguments: podman pod create's options
pod() {
	need podman
	podman pod create --name pod "$@" >/dev/null
}

namespaces() {
	podman exec "$1" sh -c 'for n in ipc net uts pid mnt; do readlink /proc/self/ns/$n; done'
}

pod_is() {
	[ "$(podman pod inspect --format '{{.State}}' pod)" = "$1" ]
}

@test "pod: containers share ipc, net and uts, and have pid and mnt of their own" {
	pod
	podman run --detach --pod pod --name a "$IMAGE" sleep 1000 >/dev/null
	podman run --detach --pod pod --name b "$IMAGE" sleep 1001 >/dev/null
	local a b
	mapfile -t a < <(namespaces a)
	mapfile -t b < <(namespaces b)
	assert_eq "${a[*]:0:3}" "${b[*]:0:3}"
	[ "${a[3]}" != "${b[3]}" ] && [ "${a[4]}" != "${b[4]}" ]
	podman pod ps | grep -q Running
	within 20 podman pod rm --force --time 0 pod >/dev/null
	assert_eq "$(podman ps --all --quiet)" ""
	wait_for no_program sleep
}

@test "pod --share pid: containers see one another, and end one by one" {
	pod --share pid,net,ipc,uts
	podman run --detach --pod pod --name a "$IMAGE" sh -c 'setsid sleep 1000 & exec sleep 1001' >/dev/null
	podman run --detach --pod pod --name b "$IMAGE" sleep 1002 >/dev/null
	podman exec b ps | grep -q 'sleep 1000$'
	podman exec a ps | grep -q 'sleep 1002$'
	# the jobs of one go with it, the other and the infra container stay
	podman rm --force --time 0 a >/dev/null
	refute exec_sees b 'sleep 100[01]$'
	exec_sees b 'sleep 1002$'
	container_is b running
	assert_eq "$(exit_code_of podman run --rm --pod pod "$IMAGE" sh -c 'sleep 1003 & exit 3')" 3
	wait_for eval '! exec_sees b "sleep 1003$"'
}

exec_sees() {
	podman exec "$1" ps | grep -q "$2"
}

@test "pod: stop, start, restart, kill, pause, unpause" {
	pod
	podman run --detach --pod pod --name a "$IMAGE" sleep 1000 >/dev/null
	within 20 podman pod stop --time 1 pod >/dev/null 2>&1
	pod_is Exited
	within 20 podman pod start pod >/dev/null
	pod_is Running
	within 40 podman pod restart pod >/dev/null 2>&1
	pod_is Running
	podman pod pause pod >/dev/null
	container_is a paused
	podman pod unpause pod >/dev/null
	container_is a running
	podman pod kill pod >/dev/null
	wait_for pod_is Exited
}

@test "pod: an exec, a loopback that is shared, a hostname" {
	pod --hostname name
	podman run --detach --pod pod --name a "$IMAGE" sh -c 'while :; do echo hello | nc -l -p 77; done' >/dev/null
	wait_for talk
	assert_eq "$(podman exec a hostname)" name
}

talk() {
	[ "$(podman run --rm --pod pod "$IMAGE" sh -c 'nc 127.0.0.1 77 </dev/null')" = hello ]
}

@test "pod top, pod stats, pod inspect, pod logs" {
	pod
	podman run --detach --pod pod --name a "$IMAGE" sh -c 'echo said; exec sleep 1000' >/dev/null
	podman pod top pod | grep -q 'sleep 1000'
	podman pod stats --no-stream pod | grep -q a
	assert_eq "$(podman pod inspect --format '{{.NumContainers}}' pod)" 2
	wait_for pod_logs_have said
}

pod_logs_have() {
	podman pod logs pod 2>&1 | grep -q "$1"
}

@test "pod: init containers run first, once or always" {
	pod
	podman create --pod pod --name first --init-ctr once --volume vol:/data "$IMAGE" sh -c 'echo init >>/data/order' >/dev/null
	podman create --pod pod --name main --volume vol:/data "$IMAGE" sh -c 'echo main >>/data/order; sleep 1000' >/dev/null
	podman pod start pod >/dev/null
	wait_for eval '[ "$(podman exec main cat /data/order | xargs)" = "init main" ]'
}

@test "pod with user namespace and limits" {
	need podman
	podman pod create --name pod --uidmap 0:100000:5000 --gidmap 0:100000:5000 >/dev/null
	assert_eq "$(podman run --rm --pod pod "$IMAGE" cat /proc/self/uid_map | xargs)" "0 100000 5000"
}

@test "pod without an infra container" {
	pod --infra=false
	podman run --detach --pod pod --name a "$IMAGE" sleep 1000 >/dev/null
	container_is a running
}

@test "kube play, and down again" {
	need podman
	mkdir "$T/data"
	cat >"$T/pod.yaml" <<-END
		apiVersion: v1
		kind: Pod
		metadata:
		  name: kube
		spec:
		  hostname: kubehost
		  restartPolicy: Never
		  initContainers:
		  - name: before
		    image: $IMAGE
		    command: ["/bin/sh", "-c", "echo before >>/data/order; chmod 0666 /data/order"]
		    volumeMounts: [{name: data, mountPath: /data}]
		  containers:
		  - name: main
		    image: $IMAGE
		    command: ["/bin/sh", "-c", "echo main >>/data/order; hostname >>/data/order; id -u >>/data/order; sleep 1000"]
		    env: [{name: A, value: "1"}]
		    securityContext: {runAsUser: 1000, readOnlyRootFilesystem: true, allowPrivilegeEscalation: false, capabilities: {drop: [all]}}
		    resources: {limits: {memory: 64Mi, cpu: 500m}}
		    volumeMounts: [{name: data, mountPath: /data}, {name: scratch, mountPath: /scratch}]
		  - name: other
		    image: $IMAGE
		    command: ["/bin/sleep", "1001"]
		  volumes:
		  - name: data
		    hostPath: {path: $T/data, type: Directory}
		  - name: scratch
		    emptyDir: {}
	END
	chmod 0777 "$T/data"
	podman play kube --network none "$T/pod.yaml" >"$T/play" 2>&1 || fail "$(cat "$T/play")"
	wait_for has_lines "$T/data/order" 4
	assert_eq "$(xargs <"$T/data/order")" "before main kubehost 1000"
	assert_eq "$(podman exec kube-main sh -c 'echo $A; grep NoNewPrivs /proc/self/status; touch /x 2>&1' | grep -c -e '^1$' -e 'NoNewPrivs:.1' -e Read-only)" 3
	is_cgroup_v2 || assert_eq "$(cat "$(cgroup_of kube-main memory)/memory.limit_in_bytes")" 67108864
	podman play kube --down "$T/pod.yaml" >/dev/null 2>&1
	assert_eq "$(podman ps --all --quiet)" ""
}

has_lines() {
	[ "$(cat "$1" 2>/dev/null | wc -l)" -ge "$2" ]
}
