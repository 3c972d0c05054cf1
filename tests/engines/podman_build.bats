#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# podman build and buildah: each RUN is a container of the runtime's.
load engines

# $1: Containerfile's text, rest: options. Builds localhost/built:1.
build() {
	need podman
	mkdir -p "$T/context"
	echo content >"$T/context/file"
	printf '%s\n' "$1" >"$T/context/Containerfile"
	shift
	podman build --isolation oci --quiet --network none --tag localhost/built:1 "$@" "$T/context" >"$T/build.out" 2>&1
}

in_built() {
	podman run --rm localhost/built:1 "$@"
}

buildah() {
	CONTAINERS_CONF=$P/containers.conf CONTAINERS_STORAGE_CONF=$P/storage.conf \
		timeout --foreground -k 5 "$ENGINE_TIMEOUT" buildah "$@"
}

@test "build: RUN, COPY, ENV, WORKDIR, USER, SHELL" {
	build "FROM $IMAGE
ENV A=b
WORKDIR /work/deep
COPY file copied
RUN echo \"\$A \$(pwd) \$(id -u)\" >run; cat copied >>run
USER 1000
RUN id -u >/tmp/user
SHELL [\"/bin/sh\", \"-ec\"]
RUN [\"/bin/sh\", \"-c\", \"echo exec-form >/tmp/form\"]
CMD [\"cat\", \"/work/deep/run\"]" || fail "$(cat "$T/build.out")"
	assert_eq "$(in_built cat /work/deep/run /tmp/user /tmp/form | xargs)" "b /work/deep 0 content 1000 exec-form"
	assert_eq "$(in_built | head -1)" "b /work/deep 0"
}

@test "build: a RUN that fails says so, with its exit code" {
	run build "FROM $IMAGE
RUN exit 7"
	assert_failed
	grep -qE 'exit status 7|exit code 7|status code 7' "$T/build.out"
	run build "FROM $IMAGE
RUN [\"/no/such/program\"]"
	assert_failed
	grep -qE 'no such file or directory|not found' "$T/build.out"
}

@test "build: several stages, ARG, ONBUILD" {
	build "FROM $IMAGE AS first
ARG VALUE=default
RUN echo \$VALUE >/artifact
FROM $IMAGE
COPY --from=first /artifact /artifact
RUN test -s /artifact" --build-arg VALUE=given || fail "$(cat "$T/build.out")"
	assert_eq "$(in_built cat /artifact)" given
}

@test "build: RUN --mount of types bind, cache, tmpfs and secret" {
	echo hidden >"$T/secret"
	build "FROM $IMAGE
RUN --mount=type=bind,target=/context cat /context/file >/bound
RUN --mount=type=tmpfs,target=/scratch touch /scratch/x && grep -q ' /scratch tmpfs' /proc/mounts
RUN --mount=type=secret,id=key cat /run/secrets/key >/secret
RUN --mount=type=cache,target=/cache echo kept >>/cache/file
RUN ! test -e /run/secrets/key" --secret "id=key,src=$T/secret" || fail "$(cat "$T/build.out")"
	assert_eq "$(in_built cat /bound /secret | xargs)" "content hidden"
}

@test "build: --volume, --cap-add, --ulimit, --device, --memory, --shm-size" {
	mkdir "$T/data"
	build "FROM $IMAGE
RUN touch /data/x; grep CapEff /proc/self/status >/tmp/caps; ulimit -n >/tmp/limit; df /dev/shm | tail -1 | tr -s ' ' | cut -d ' ' -f 2 >/tmp/shm" \
		--volume "$T/data:/data:rw" --cap-drop all --cap-add CHOWN --ulimit nofile=77:77 --ulimit nproc=4096:4096 --memory 64m --shm-size 5m || fail "$(cat "$T/build.out")"
	[ -e "$T/data/x" ]
	assert_eq "$(in_built cat /tmp/limit /tmp/shm | xargs)" "77 5120"
	assert_eq "$(in_built grep -c 0000000000000001 /tmp/caps)" 1
}

@test "build: a job that a RUN leaves does not hang the build" {
	within 20 build "FROM $IMAGE
RUN sleep 1000 & echo left >/file
RUN test -s /file" || fail "$(cat "$T/build.out")"
	wait_for no_program sleep
}

@test "build: 1 MiB of output in a RUN" {
	build "FROM $IMAGE
RUN head -c 1048576 /dev/zero | tr '\\0' x | fold; echo; echo end" || fail "$(tail -3 "$T/build.out")"
}

@test "build --squash, --layers, and a build on top of a build" {
	build "FROM $IMAGE
RUN echo 1 >/one
RUN echo 2 >/two" --layers
	build "FROM localhost/built:1
RUN cat /one /two >/three" --squash
	assert_eq "$(in_built cat /three | xargs)" "1 2"
}

@test "build --userns-uid-map" {
	build "FROM $IMAGE
RUN cat /proc/self/uid_map >/tmp/map; chown 5:5 /tmp/map" --userns-uid-map 0:100000:5000 --userns-gid-map 0:100000:5000 || fail "$(cat "$T/build.out")"
	assert_eq "$(in_built cat /tmp/map | xargs)" "0 100000 5000"
}

@test "buildah: from, run, config, commit, rm" {
	need podman buildah
	local working
	working=$(buildah from "$IMAGE")
	buildah run --isolation oci --network none "$working" sh -c 'echo run >/file'
	assert_eq "$(echo text | buildah run --isolation oci --network none "$working" cat)" text
	assert_eq "$(exit_code_of buildah run --isolation oci --network none "$working" sh -c 'exit 5' 2>/dev/null)" 5
	assert_eq "$(exit_code_of buildah run --isolation oci --network none "$working" no-such-program 2>/dev/null)" 1
	assert_eq "$(buildah run --isolation oci --network none --user 1000 --workingdir /home/user --env A=b "$working" sh -c 'echo $(id -u) $(pwd) $A')" "1000 /home/user b"
	buildah config --cmd '["cat", "/file"]' "$working"
	buildah commit --quiet "$working" localhost/working:1 >/dev/null
	buildah rm "$working" >/dev/null
	assert_eq "$(podman run --rm localhost/working:1)" run
}

@test "buildah: from scratch, with a tree of one's own" {
	need podman buildah
	local working point
	working=$(buildah from scratch)
	point=$(buildah mount "$working")
	mkdir "$point/bin"
	cp "$SL_BASE/rootfs/bin/busybox" "$point/bin/sh"
	buildah umount "$working" >/dev/null
	assert_eq "$(buildah run --isolation oci --network none "$working" /bin/sh -c 'echo scratch')" scratch
	buildah rm "$working" >/dev/null
}

@test "buildah run -t: a terminal" {
	need podman buildah
	local working
	working=$(buildah from "$IMAGE")
	run env CONTAINERS_CONF="$P/containers.conf" CONTAINERS_STORAGE_CONF="$P/storage.conf" "$SL_TOP/tests/tools/dialogue" size=33x99 'expect=33 99' -- buildah run --isolation oci --network none --tty "$working" \
		sh -c 'stty size; test -t 0 && exit 6'
	assert_status 6
	buildah rm "$working" >/dev/null
}
