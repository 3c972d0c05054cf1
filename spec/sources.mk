# SPDX-License-Identifier: Apache-2.0
SPEC_PROGRAM_SOURCES = spec/config.h
SPEC_UNIT_TESTS =
