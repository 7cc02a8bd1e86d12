#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Checks of the files themselves.
#
# usage: check-style.sh shellcheck|spdx|size|checkpatch|man

. "$(dirname "$0")/lib.sh"

cd "$top"
need_tmp

files()
{
	git ls-files -co --exclude-standard | while read -r f; do
		[ -f "$f" ] && echo "$f"
	done
}

# Drop what checkpatch has to say about the layout of TRACE_EVENT(), which is the
# same in all of include/trace/events and has nothing to do with that of functions.
trace_layout()
{
	awk 'BEGIN { RS = ""; ORS = "\n\n" }
		/^CHECK: (Alignment should match open|Lines should not end with a)/ &&
		/FILE: include\/trace\/events\// { next } { print }'
}

# Patches, and what is generated along with them, are as the tools want them.
generated='^patches/[0-9.]*/([0-9]{4}-.*\.patch|base|cover-letter|cover-letter\.txt)$'

case ${1-} in
shellcheck)
	files | while read -r f; do
		head -n 1 "$f" | grep -Eq '^#!.*\b(sh|bash)$' && echo "$f"
		case $f in *.sh) echo "$f" ;; esac
	done | sort -u > "$tmp/scripts"
	[ -s "$tmp/scripts" ] || die "found no scripts"
	xargs shellcheck < "$tmp/scripts"
	say "$(wc -l < "$tmp/scripts") scripts checked" ;;
spdx)
	files | grep -Ev "$generated" > "$tmp/files"
	[ -s "$tmp/files" ] || die "found no files"
	while read -r f; do
		head -n 3 "$f" | grep -q 'SPDX-License-Identifier: GPL-2.0' || echo "$f"
	done < "$tmp/files" > "$tmp/bad"
	[ ! -s "$tmp/bad" ] || die "no SPDX-License-Identifier in: $(tr '\n' ' ' < "$tmp/bad")"
	say "$(wc -l < "$tmp/files") files checked" ;;
size)
	files | grep -Ev "$generated" | while read -r f; do
		[ "$(wc -l < "$f")" -le 800 ] || echo "$f"
	done > "$tmp/bad"
	[ ! -s "$tmp/bad" ] || die "more than 800 lines in: $(tr '\n' ' ' < "$tmp/bad")" ;;
checkpatch)
	need_base
	bad=0
	for p in $(series); do
		# MAINTAINERS has patterns for all of the directories concerned, and
		# the base is not a git repository.
		"$base/scripts/checkpatch.pl" --root="$base" --no-tree --strict --quiet --no-summary \
			--ignore FILE_PATH_CHANGES "$patches/$p" > "$tmp/log" 2>&1 || [ -s "$tmp/log" ] || bad=1
		trace_layout < "$tmp/log" > "$tmp/left"
		[ ! -s "$tmp/left" ] || { echo "$p:"; cat "$tmp/left"; bad=1; }
	done
	exit $bad ;;
man)
	scripts/deps.sh mandoc man-db groff-base
	files | grep -E '\.[1-8]$' > "$tmp/pages"
	[ -s "$tmp/pages" ] || die "found no man pages"
	: > "$tmp/log"
	xargs mandoc -T lint -W warning < "$tmp/pages"
	while read -r f; do
		LC_ALL=C.UTF-8 MANROFFSEQ='' MANWIDTH=80 man --warnings -l -Tutf8 -Z "$f" 2>> "$tmp/log" > /dev/null
	done < "$tmp/pages"
	[ ! -s "$tmp/log" ] || { cat "$tmp/log"; exit 1; }
	say "$(wc -l < "$tmp/pages") pages checked" ;;
*)
	echo "usage: check-style.sh shellcheck|spdx|size|checkpatch|man" >&2
	exit 2 ;;
esac
