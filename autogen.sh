#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
set -e
cd "$(dirname "$0")"
exec autoreconf --force --install --warnings=all,no-portability
