# SPDX-License-Identifier: Apache-2.0
SPEC_PROGRAM_SOURCES = spec/config.h \
	spec/annotations.c spec/annotations.h \
	spec/checks.c spec/checks.h \
	spec/config_linux.c \
	spec/config_process.c \
	spec/config_resources.c \
	spec/config_root.c \
	spec/config_seccomp.c \
	spec/effect.c spec/effect.h \
	spec/features.c spec/features.h \
	spec/generate.c spec/generate.h \
	spec/json.c spec/json.h \
	spec/json_write.c spec/json_write.h \
	spec/notes.c spec/notes.h \
	spec/parse.c spec/parse.h \
	spec/record.c spec/record.h \
	spec/reference.c spec/reference.h \
	spec/state.c spec/state.h \
	spec/table.c spec/table.h spec/tables.h \
	spec/utf8.c spec/utf8.h \
	spec/validate.c spec/validate_linux.c spec/validate.h \
	spec/words.c spec/words.h
SPEC_UNIT_TESTS = tests/unit/test_spec_json tests/unit/test_spec_config tests/unit/test_spec_refuse \
	tests/unit/test_spec_state tests/unit/test_spec_corpus
tests_unit_test_spec_corpus_SOURCES = tests/fuzz/fuzz_config.c tests/fuzz/replay.c
