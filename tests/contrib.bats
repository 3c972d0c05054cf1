#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
load helpers

setup() {
	common_setup
	need_sandlock
	PATH=$(dirname "$SANDLOCK"):$PATH
}

# Completes a command line in bash. $1: its words, $2: the last word, to be completed
complete_bash() {
	bash --norc -c '
		. "$1/contrib/completions/sandlock-oci.bash"
		COMP_WORDS=($2 "$3") COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
		_sandlock_oci
		printf "%s\n" "${COMPREPLY[@]}"' bash "$SL_TOP" "$1" "$2" | sort -u
}

# All words that stand for options or commands in a help text.
words_of_help() {
	"$SANDLOCK" "$@" --help | grep -oE '^ +(-[a-zA-Z], )?--[a-z-]+|^ +-[a-zA-Z],' | grep -oE '\-\-?[a-zA-Z][a-z-]*' | sort -u
}

@test "the demonstration runs and finds what it promises" {
	run env SANDLOCK="$SANDLOCK" "$SL_TOP/contrib/demo" --no-build
	assert_status 0
	assert_output '^  \| 3$'
	assert_output 'Hello from the session demo'
	assert_output 'refused'
	assert_output '^Nothing is left\.$'
}

@test "bash completion offers all commands and all options" {
	local command
	run complete_bash "sandlock-oci" ""
	for command in create start run state kill delete list spec features wait; do
		assert_output "^$command\$"
	done
	for command in "" create run kill delete list spec wait; do
		# shellcheck disable=SC2086 # may be empty
		diff <(words_of_help $command | grep -vx -- --help) <(complete_bash "sandlock-oci $command" "-" | grep -vx -- --help)
	done
}

@test "bash completion offers containers and values" {
	args sleep 100
	create "$ID"
	assert_eq "$(complete_bash "sandlock-oci --root $ROOT kill" "")" "$ID"
	assert_eq "$(complete_bash "sandlock-oci --root $ROOT --log-format text delete --force" "${ID:0:3}")" "$ID"
	assert_eq "$(complete_bash "sandlock-oci --log-format" "" | xargs)" "json text"
	assert_eq "$(complete_bash "sandlock-oci create --bundle" "$SL_TOP/contr")" "$SL_TOP/contrib"
}

@test "zsh and fish completion load and offer commands and options" {
	local shell tried=0
	if command -v fish >/dev/null; then
		tried=1
		run fish --no-config -c "source $SL_TOP/contrib/completions/sandlock-oci.fish; complete -C 'sandlock-oci '; complete -C 'sandlock-oci create --'"
		assert_status 0
		assert_output '^create'
		assert_output '^--bundle'
		assert_output '^--console-socket'
	fi
	if command -v zsh >/dev/null; then
		tried=1
		run zsh -f -c "autoload -Uz compinit && compinit -u -d $T/zcompdump; fpath=($SL_TOP/contrib/completions \$fpath)
			autoload -Uz _sandlock-oci; functions[_arguments]='print -l -- \$*'; words=(sandlock-oci) state=none
			_sandlock-oci 2>&1"
		assert_output '--root='
		assert_output '--log-format='
	fi
	[ $tried = 1 ] || skip "neither zsh nor fish is installed"
}

@test "the engines' configuration is well-formed" {
	jq -e '.runtimes["sandlock-oci"].path | startswith("/")' "$SL_TOP/contrib/daemon.json"
	/usr/bin/python3 - "$SL_TOP"/contrib/{containers.conf,containerd.toml,crio.conf} <<-'END'
		import sys
		try:
		    import tomllib
		except ImportError:
		    sys.exit(0)
		for path in sys.argv[1:]:
		    with open(path, "rb") as file:
		        tomllib.load(file)
	END
}

@test "podman takes the runtime from contrib/containers.conf" {
	command -v podman >/dev/null || skip "podman is not installed"
	sed "s|\"/usr/local/bin/sandlock-oci\"|\"$SANDLOCK\"|" "$SL_TOP/contrib/containers.conf" >"$T/containers.conf"
	sed -i 's/^\[engine\]$/[engine]\ncgroup_manager = "cgroupfs"/' "$T/containers.conf"
	printf '[storage]\ndriver = "vfs"\ngraphroot = "%s"\nrunroot = "%s"\n' "$T/storage" "$T/run" >"$T/storage.conf"
	CONTAINERS_CONF=$T/containers.conf CONTAINERS_STORAGE_CONF=$T/storage.conf run podman --root "$T/storage" --runroot "$T/run" --tmpdir "$T/tmp" \
		--storage-driver vfs info --format '{{.Host.OCIRuntime.Name}} {{.Host.OCIRuntime.Path}}'
	assert_status 0
	assert_output "^sandlock-oci $SANDLOCK\$"
}

@test "containerd takes the runtime from contrib/containerd.toml" {
	command -v containerd >/dev/null || skip "containerd is not installed"
	run containerd --config "$SL_TOP/contrib/containerd.toml" config dump
	assert_status 0
	assert_output 'default_runtime_name = "sandlock-oci"'
	assert_output 'BinaryName = "/usr/local/bin/sandlock-oci"'
}
