# SPDX-License-Identifier: Apache-2.0
EXTRA_DIST = tests/fuzz/config.dict tests/fuzz/corpus tests/unit/check.h tests/unit/cgroup_support.h tests/unit/data
EXTRA_DIST += $(wildcard $(addprefix $(srcdir)/tests/,*.bats *.bash config.json run bench/run engines/* lint/* tools/* unit/*.h)) \
	$(srcdir)/.ci/run $(srcdir)/.clang-format $(srcdir)/.clang-tidy

# Fuzz targets need clang's libFuzzer: `make fuzz`, then tests/fuzz/fuzz_config -dict=... NEW_CORPUS tests/fuzz/corpus.
# `make check` replays the corpus without it.
FUZZ_CC = clang
FUZZ_CFLAGS = -g -O1 -fno-omit-frame-pointer -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all
FUZZ_TARGETS = tests/fuzz/fuzz_config
fuzz_config_files = tests/fuzz/fuzz_config.c $(SPEC_PROGRAM_SOURCES) \
	sandbox/common/arena.c sandbox/common/error.c sandbox/common/file.c sandbox/common/number.c \
	sandbox/linux/mount_options.c

fuzz: $(FUZZ_TARGETS)
.PHONY: fuzz

tests/fuzz/fuzz_config: $(fuzz_config_files) config.h
	@$(MKDIR_P) $(@D)
	$(AM_V_CCLD)$(FUZZ_CC) -std=gnu17 -D_GNU_SOURCE -I. -I$(srcdir) $(AM_CPPFLAGS) $(FUZZ_CFLAGS) -o $@ \
		$(addprefix $(srcdir)/,$(filter %.c,$(fuzz_config_files))) $(SECCOMP_LIBS) $(YAJL_LIBS) $(CAP_LIBS)

mostlyclean-local:
	rm -f $(FUZZ_TARGETS)
