#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
load helpers

setup() {
	common_setup
	need_sandlock
}

@test "checkpoint and restore are refused by name, whatever their options" {
	args sleep 100
	create_start "$ID"
	run rt checkpoint --image-path "$T/image" --work-path "$T/work" --leave-running "$ID"
	assert_status 1
	assert_output 'checkpoint is not supported by this build'
	run rt restore --bundle "$BUNDLE" --detach --image-path "$T/image" --pid-file "$T/pid" "$(unique_id restored)"
	assert_status 1
	assert_output 'restore is not supported by this build'
	assert_eq "$(status_of "$ID")" running
	[ ! -e "$T/image" ] && [ ! -e "$T/pid" ]
}

@test "checkpoint --help prints help, and its exit status says no to podman" {
	for command in checkpoint restore; do
		run rt "$command" --help
		assert_status 1
		assert_output "^Usage: .* $command "
		assert_output 'Not supported'
	done
}

@test "the refusal is in the JSON log" {
	run rt --log "$T/log" --log-format json checkpoint "$ID"
	assert_status 1
	jq -es '.[-1] | .level == "error" and (.msg | contains("checkpoint is not supported"))' "$T/log"
}
