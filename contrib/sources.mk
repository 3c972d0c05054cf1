# SPDX-License-Identifier: Apache-2.0
bashcompletiondir = $(datadir)/bash-completion/completions
dist_bashcompletion_DATA = contrib/completions/sandlock-oci.bash
zshcompletiondir = $(datadir)/zsh/site-functions
dist_zshcompletion_DATA = contrib/completions/_sandlock-oci
fishcompletiondir = $(datadir)/fish/vendor_completions.d
dist_fishcompletion_DATA = contrib/completions/sandlock-oci.fish
EXTRA_DIST += contrib/README.md contrib/containers.conf contrib/containerd.toml contrib/crio.conf contrib/daemon.json contrib/demo
