#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Write the series: patches/$BASE from the commits in build/$BASE/linux and from
# the new files that stand at the top level.
#
# usage: series.sh [DIRECTORY]	(default: patches/$BASE)

. "$(dirname "$0")/lib.sh"

tree=$build/linux
out=${1:-$patches}

name=$(git config user.name || :)
email=$(git config user.email || :)
[ -n "$name" ] || email=
[ -n "$email" ] ||
	die "author and sign-off come from git, set user.name and user.email with 'git config'"

[ -d "$tree/.git" ] || "$top/scripts/tree.sh"
[ -f "$build/linux.tip" ] || die "'make tree' has not been completed, run it first"
cmp -s "$build/base.id" "$build/linux.base" ||
	die "build/$BASE/linux is for another base, run 'make tree'"
[ "$(git -C "$tree" rev-list --count base..series)" -gt 0 ] ||
	die "there are no commits on branch 'series' in build/$BASE/linux"
tip=$(cat "$build/linux.tip")
need_tmp
[ "$(git -C "$tree" symbolic-ref -q --short HEAD)" = series ] ||
	die "build/$BASE/linux is not on branch 'series', check it out"
[ -z "$(git -C "$tree" status --porcelain -uno)" ] ||
	die "there are uncommitted changes in build/$BASE/linux, commit them (git commit --fixup is fine)"

# New files edited at the top level go to the last patch that has to do with them.
for f in $(series_files); do
	[ -f "$top/$f" ] ||
		die "$f from patches/$BASE/files is not there, run 'make sources' or drop the line"
	commit=$(git -C "$tree" log -1 --format=%H base..series -- "$f")
	[ -n "$commit" ] ||
		die "no patch adds $f, commit it in build/$BASE/linux or drop the line from patches/$BASE/files"
	cmp -s "$top/$f" "$tree/$f" && continue
	# Which one has been edited since they were the same?
	git -C "$tree" show "$tip:$f" > "$tmp/old" 2>/dev/null || :
	if cmp -s "$tmp/old" "$top/$f"; then
		say "$f comes from build/$BASE/linux"
		cat "$tree/$f" > "$top/$f"
		continue
	fi
	cmp -s "$tmp/old" "$tree/$f" ||
		die "$f has been edited both here and in build/$BASE/linux, make them the same"
	say "$f goes to: $(git -C "$tree" log -1 --format=%s "$commit")"
	cp "$top/$f" "$tree/$f"
	plain_git -C "$tree" add -f "$f"
	plain_git -C "$tree" commit -q --fixup="$commit"
done

if git -C "$tree" log --format=%s base..series | grep -Eq '^(fixup|squash|amend)! '; then
	GIT_SEQUENCE_EDITOR=: GIT_EDITOR=: plain_git -C "$tree" rebase -q -i --autosquash base ||
		die "folding changes into the patches failed, finish 'git rebase' in build/$BASE/linux and try again"
fi

# Whoever runs this is the author and signs off, with the dates left alone.
git -C "$tree" branch -q -f out series
# shellcheck disable=SC2016	# expanded by filter-branch
FILTER_BRANCH_SQUELCH_WARNING=1 NAME=$name EMAIL=$email plain_git -C "$tree" filter-branch -f \
	--env-filter '
		GIT_AUTHOR_NAME=$NAME GIT_AUTHOR_EMAIL=$EMAIL
		GIT_COMMITTER_NAME=$NAME GIT_COMMITTER_EMAIL=$EMAIL
		GIT_COMMITTER_DATE=$GIT_AUTHOR_DATE
		export GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL GIT_COMMITTER_DATE' \
	--msg-filter 'sed "/^Signed-off-by: /d" |
		git interpret-trailers --trailer "Signed-off-by: $NAME <$EMAIL>"' \
	base..out >/dev/null

mkdir "$tmp/out"
plain_git -C "$tree" config branch.out.description "$(cat "$patches/cover-letter.txt")"
date=$(git -C "$tree" log -1 --format=%aD out)
GIT_COMMITTER_NAME=$name GIT_COMMITTER_EMAIL=$email plain_git -C "$tree" \
	-c user.name="$name" -c user.email="$email" -c core.abbrev=12 format-patch -q -n \
	--zero-commit --no-signature --stat=72 --cover-letter --cover-from-description=subject \
	-o "$tmp/out" base..out
plain_git -C "$tree" config --unset branch.out.description
git -C "$tree" branch -q -D out

# It is not a patch, so git am and quilt do not have to know about it.
{
	sed "s/^Date: .*/Date: $date/" "$tmp/out/0000-cover-letter.patch"
	echo "base-version: Linux $(base_version)"
} > "$tmp/out/cover-letter"
rm "$tmp/out/0000-cover-letter.patch"
{
	echo "# SPDX-License-Identifier: GPL-2.0-only"
	(cd "$tmp/out" && printf '%s\n' *.patch)
} > "$tmp/out/series"
base_version > "$tmp/out/base"

mkdir -p "$out"
rm -f "$out"/*.patch
cp "$tmp"/out/* "$out/"
git -C "$tree" rev-parse series > "$build/linux.tip"
say "$(series | wc -l) patches for Linux $(base_version)"
