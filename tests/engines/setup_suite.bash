# SPDX-License-Identifier: Apache-2.0
source "$BATS_TEST_DIRNAME/../setup_suite.bash"
