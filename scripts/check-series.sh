#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Check that the series applies to the pristine base, with git am and with quilt,
# without fuzz, and that the patches match the sources they are made from.

. "$(dirname "$0")/lib.sh"

need_base
need_tmp

[ -n "$(series)" ] || die "there are no patches in patches/$BASE/series, run 'make series'"

# The series file lists all patches and nothing else.
(cd "$patches" && ls ./*.patch) | sed 's,^\./,,' > "$tmp/present"
series | sort > "$tmp/listed"
cmp -s "$tmp/present" "$tmp/listed" ||
	die "patches/$BASE/series and the patches there differ, run 'make series': $(comm -3 "$tmp/present" "$tmp/listed" | tr -s '\t\n' ' ')"

# Changes made in the developer's tree must not be forgotten.
tree=$build/linux
if [ -d "$tree/.git" ] && [ -f "$build/linux.tip" ]; then
	[ "$(git -C "$tree" rev-parse series)" = "$(cat "$build/linux.tip")" ] ||
		die "there are commits in build/$BASE/linux that are not in patches/$BASE, run 'make series'"
fi

# Only the files that the series touches are needed.
touched > "$tmp/touched"
mkdir "$tmp/quilt" "$tmp/git"
copy_files "$base" "$tmp/quilt" < "$tmp/touched"
copy_files "$base" "$tmp/git" < "$tmp/touched"

# A file the series adds must not be in the base.
grep -h -A 1 '^--- /dev/null' "$patches"/*.patch | sed -n 's,^+++ b/,,p' | while read -r f; do
	[ ! -e "$base/$f" ] || die "$f is in the base already, but the series adds it"
done

cp -r "$tmp/quilt" "$tmp/plain"
apply_series "$tmp/plain"

(cd "$tmp/quilt" && QUILT_PATCHES=$patches QUILT_PATCH_OPTS='' QUILT_NO_DIFF_INDEX=1 \
	quilt --quiltrc /dev/null push -a --fuzz=0 -q) > "$tmp/log" 2>&1 ||
	die "quilt cannot apply the series: $(tail -n 1 "$tmp/log")"
if grep -Ei 'fuzz|offset' "$tmp/log" >&2; then
	die "the patches do not match the base exactly, rebase them and run 'make series'"
fi
rm -rf "$tmp/quilt/.pc"

plain_git -C "$tmp/git" init -q
plain_git -C "$tmp/git" add -A -f
plain_git -C "$tmp/git" commit -q -m base
# shellcheck disable=SC2046	# there are no special characters in names of patches
plain_git -C "$tmp/git" am -q $(series | sed "s,^,$patches/,") > "$tmp/log" 2>&1 ||
	die "git am cannot apply the series: $(grep -m 1 -i 'failed\|error' "$tmp/log")"
! grep -i 'whitespace\|fuzz' "$tmp/log" >&2 || die "git am complains about the series"
[ "$(plain_git -C "$tmp/git" rev-list --count HEAD)" -eq "$(($(series | wc -l) + 1))" ] ||
	die "git am has made a different number of commits than there are patches"
plain_git -C "$tmp/git" diff --stat=72 "HEAD~$(series | wc -l)" HEAD > "$tmp/stat"
rm -rf "$tmp/git/.git"

for way in quilt plain; do
	diff -r "$tmp/$way" "$tmp/git" > "$tmp/log" || die "git am and quilt do not lead to the same result: $(head -n 1 "$tmp/log")"
done

# The sources at the top level are what the patches add.
series_files > "$tmp/files"
while read -r f; do
	[ -f "$tmp/git/$f" ] || die "no patch adds $f listed in patches/$BASE/files"
	cmp -s "$tmp/git/$f" "$top/$f" ||
		die "$f differs from what the patches add, run 'make series' or 'make sources'"
done < "$tmp/files"

# New files that are not listed would not stand at the top level.
grep -h -A 1 '^--- /dev/null' "$patches"/*.patch | sed -n 's,^+++ b/,,p' | while read -r f; do
	grep -qxF "$f" "$tmp/files" || die "the series adds $f, list it in patches/$BASE/files"
done

# The cover letter is up to date: its text and the subjects of the patches.
[ -f "$patches/cover-letter" ] || die "there is no cover letter, run 'make series'"
tail -n +3 "$patches/cover-letter.txt" > "$tmp/text"
sed -n '1,/^$/d; /^.* ([0-9]*):$/q; p' "$patches/cover-letter" | sed '$ { /^$/d }' > "$tmp/cover"
cmp -s "$tmp/text" "$tmp/cover" ||
	die "the text of the cover letter is out of date, run 'make series'"
while read -r line; do
	grep -qF -- "$line" "$patches/cover-letter" ||
		die "the cover letter lacks '$line', run 'make series'"
done < "$tmp/stat"
series | while read -r p; do
	subject=$(plain_git mailinfo /dev/null /dev/null < "$patches/$p" | sed -n 's/^Subject: //p')
	grep -qF -- "$(printf '%.60s' "$subject")" "$patches/cover-letter" ||
		die "the cover letter does not mention $p, run 'make series'"
	[ "$(grep -c '^Signed-off-by: ' "$patches/$p")" -eq 1 ] ||
		die "$p does not have exactly one sign-off, run 'make series'"
done

[ "$(cat "$patches/base")" = "$(base_version)" ] ||
	say "the series was made for Linux $(cat "$patches/base"), the base is $(base_version)"

say "$(series | wc -l) patches apply to Linux $(base_version) with git am and quilt and match the sources"
