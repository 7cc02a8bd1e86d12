#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Write the new files of the series that stand at the top level from its patches.

. "$(dirname "$0")/lib.sh"

need_base
need_tmp
mkdir "$tmp/tree"
touched | copy_files "$base" "$tmp/tree"
apply_series "$tmp/tree"
series_files | while read -r f; do
	[ -f "$tmp/tree/$f" ] || die "no patch adds $f, drop the line from patches/$BASE/files"
	cmp -s "$tmp/tree/$f" "$top/$f" && continue
	mkdir -p "$top/$(dirname "$f")"
	cat "$tmp/tree/$f" > "$top/$f"
	say "$f"
done
