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
	if [ -z "$FORCE" ]; then
		for d in rebase-merge rebase-apply; do
			[ ! -d "$tree/.git/$d" ] ||
				die "finish what git is doing in build/$BASE/linux, or use FORCE=1 to lose it"
		done
		[ -z "$(git -C "$tree" status --porcelain -uno)" ] ||
			die "there are uncommitted changes in build/$BASE/linux, commit them or use FORCE=1 to lose them"
		[ "$(git -C "$tree" rev-parse -q --verify series)" = "$(cat "$build/linux.tip" 2>/dev/null)" ] ||
			die "there are commits in build/$BASE/linux, run 'make series' first or use FORCE=1 to lose them"
	fi
	# It is of no use with another base.
	cmp -s "$build/base.id" "$build/linux.base" || rm -rf "$tree"
fi

# Say what is wrong before touching anything.
need_tmp
mkdir "$tmp/check"
touched | copy_files "$base" "$tmp/check"
apply_series "$tmp/check"

if [ ! -d "$tree/.git" ]; then
	say "copying the base and committing it, this takes a minute"
	need_space $((tree_kb + 500000))
	every 10 say "still copying"
	cp -a "$base" "$tmp/linux"
	plain_git -C "$tmp/linux" init -q -b series
	# Nothing may be left out because of the kernel's .gitignore.  The big file
	# threshold makes git write one pack, which is smaller.
	plain_git -C "$tmp/linux" -c core.bigFileThreshold=1 -c core.compression=1 add -A -f
	GIT_AUTHOR_DATE='2026-01-01T00:00:00Z' GIT_COMMITTER_DATE='2026-01-01T00:00:00Z' \
		plain_git -C "$tmp/linux" commit -q -m "Linux $(base_version)"
	plain_git -C "$tmp/linux" tag base
	quiet
	rm -rf "$tree"
	mv "$tmp/linux" "$tree"
	cp "$build/base.id" "$build/linux.base"
fi

# Only move the branch when all of the patches have been applied.
git -C "$tree" checkout -q -f --detach base
for p in $(series); do
	plain_git -C "$tree" am -q --committer-date-is-author-date "$patches/$p" > "$tmp/log" 2>&1 || {
		plain_git -C "$tree" am --abort
		git -C "$tree" checkout -q -f series
		die "git am does not take $p: $(head -n 1 "$tmp/log")"
	}
done
git -C "$tree" checkout -q -B series
git -C "$tree" rev-parse series > "$build/linux.tip"
say "branch 'series' in build/$BASE/linux has $(git -C "$tree" rev-list --count base..series) patches on top of the base"
