#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Make a tarball of the series, with recipes for distributions and checksums: the same
# bytes from the same commit, whoever makes it.

. "$(dirname "$0")/lib.sh"

out=$top/build/dist
recipes=Documentation/packaging

cd "$top"
git rev-parse -q --verify HEAD > /dev/null 2>&1 ||
	die "this is not a git repository with a commit, and the tarball is named after one: clone it"
changed=$(git status --porcelain --untracked-files=all -- "patches/$BASE" "$recipes")
[ -z "$changed" ] ||
	die "commit or undo this first: $(echo "$changed" | sed 's/^...//' | tr '\n' ' ')"

version=$(cat "$patches/base")
revision=$(git describe --always --abbrev=12 | tr / -)
name=cpufreq-eas-$version-$revision
date=$(git log -1 --format=%ct)

need_tmp
dir=$tmp/$name
mkdir -p "$out" "$tmp/from" "$dir/patches"
git archive HEAD "patches/$BASE" "$recipes" | tar -xf - -C "$tmp/from"
for f in base cover-letter series $(series); do
	cp "$tmp/from/patches/$BASE/$f" "$dir/patches/$f" 2> /dev/null ||
		die "patches/$BASE/$f is not in git, commit it or run 'make series'"
done
mv "$tmp/from/$recipes" "$dir/packaging"
mv "$dir/packaging/README.rst" "$dir/README.rst"

# What recipes cannot find out themselves
find "$dir/packaging" -name '*.in' | while read -r f; do
	sed -e "s/@VERSION@/$version/g; s/@SERIES@/$name/g" "$f" > "${f%.in}"
	rm "$f"
done

(cd "$dir" && find . -type f ! -name SHA256SUMS | sed 's,^\./,,' | LC_ALL=C sort |
	xargs sha256sum > "$tmp/sums")
mv "$tmp/sums" "$dir/SHA256SUMS"

LC_ALL=C tar -C "$tmp" --format=ustar --sort=name --mtime="@$date" --owner=0 --group=0 \
	--numeric-owner --mode=u=rwX,go=rX -cf "$tmp/tar" "$name"
gzip -9 -n < "$tmp/tar" > "$tmp/$name.tar.gz"
(cd "$tmp" && sha256sum "$name.tar.gz" > "$name.tar.gz.sha256")
mv "$tmp/$name.tar.gz" "$tmp/$name.tar.gz.sha256" "$out"

echo "build/dist/$name.tar.gz"
