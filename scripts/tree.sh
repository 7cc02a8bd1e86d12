#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Make the tree to edit the series in: a git repository with a commit for the
# base, tagged "base", and the patches applied on top of it on branch "series".

. "$(dirname "$0")/lib.sh"

: "${FORCE:=}"
tree=$build/linux

need_base

if [ -d "$tree/.git" ]; then
	git -C "$tree" rev-parse -q --verify series >/dev/null ||
		die "build/$BASE/linux has no branch called 'series', move it away"
	if [ -z "$FORCE" ]; then
		[ -z "$(git -C "$tree" status --porcelain -uno)" ] ||
			die "there are uncommitted changes in build/$BASE/linux, commit them or use FORCE=1 to lose them"
		[ ! -f "$build/linux.tip" ] ||
		[ "$(git -C "$tree" rev-parse series)" = "$(cat "$build/linux.tip")" ] ||
			die "there are commits in build/$BASE/linux, run 'make series' first or use FORCE=1 to lose them"
	fi
else
	need_tmp
	say "copying the base and committing it, this takes a minute"
	cp -a "$base" "$tmp/linux"
	plain_git -C "$tmp/linux" init -q -b series
	# Debian's tree has no .gitignore files and some files would be ignored.
	plain_git -C "$tmp/linux" -c core.looseCompression=0 -c core.safecrlf=false add -A -f
	GIT_AUTHOR_DATE='2026-01-01T00:00:00Z' GIT_COMMITTER_DATE='2026-01-01T00:00:00Z' \
		plain_git -C "$tmp/linux" commit -q -m "Linux $(base_version)"
	plain_git -C "$tmp/linux" tag base
	rm -rf "$tree"
	mv "$tmp/linux" "$tree"
fi

git -C "$tree" checkout -q -f -B series base
series | while read -r p; do
	plain_git -C "$tree" am -q --committer-date-is-author-date "$patches/$p" >/dev/null 2>&1 || {
		plain_git -C "$tree" am --abort
		die "$p does not apply to the tree in build/$BASE/linux"
	}
done
git -C "$tree" rev-parse series > "$build/linux.tip"
say "branch 'series' in build/$BASE/linux has $(git -C "$tree" rev-list --count base..series) patches on top of the base"
