#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Check the tarball of the series and the recipes for distributions in it, as far as that
# is possible here: all of them must lead to the same tree as the patches one by one.
#
# usage: check-recipes.sh		(what is here, and that faults are found)
#        check-recipes.sh tree DIR	(only the former, in the copy DIR of this tree)

. "$(dirname "$0")/lib.sh"

recipes=Documentation/packaging
wanted='ENERGY_MODEL CPU_FREQ_GOV_SCHEDUTIL X86_INTEL_PSTATE X86_AMD_PSTATE'
count=0
failed=0

# ok DESCRIPTION COMMAND...: a test
ok()
{
	what=$1
	shift
	# Not in a condition: set -e would be without effect.
	set +e
	(set -e; "$@") > "$tmp/log" 2>&1 < /dev/null
	status=$?
	set -e
	count=$((count + 1))
	if [ "$status" -eq 0 ]; then
		echo "ok $count $what"
	else
		failed=$((failed + 1))
		echo "not ok $count $what"
		tail -n 5 "$tmp/log" | sed 's/^/# /'
	fi
}

# not COMMAND...: it has to fail
not()
{
	if "$@"; then
		echo "this should have failed: $*"
		exit 1
	fi
}

# commit DIR: everything in there, always at the same time
commit()
{
	(
		export GIT_COMMITTER_DATE='2026-01-01 00:00:00 +0000' GIT_AUTHOR_DATE='2026-01-01 00:00:00 +0000'
		plain_git -C "$1" add -A -f
		plain_git -C "$1" commit -q -m series
	)
}

# scratch FROM TO: a copy of what the tarball is made from
scratch()
{
	mkdir -p "$2/patches" "$2/Documentation" "$2/scripts"
	cp -r "$1/patches/$BASE" "$2/patches/"
	cp -r "$1/$recipes" "$2/Documentation/"
	cp "$1/scripts/lib.sh" "$1/scripts/dist.sh" "$2/scripts/"
	plain_git -C "$2" init -q
	# For git of dist.sh, whatever the user has set up
	printf '[core]\n\tautocrlf = false\n' >> "$2/.git/config"
}

# same DIR: is it what the patches make of the base, but for what is put there to build?
same()
{
	rm -rf "$1/.pc" "$1/.config" "$1/.config.old" "$1"/localversion.* "$1/scripts/kconfig"
	[ ! -d "$1/scripts" ] || rmdir --ignore-fail-on-non-empty "$1/scripts"
	diff -r "$tmp/want" "$1"
	(cd "$tmp/want" && find . -type f -perm -100 | sort) > "$tmp/want.x"
	(cd "$1" && find . -type f -perm -100 | sort) | diff "$tmp/want.x" -
}

# The base in DIR, as far as it is needed
base_in()
{
	mkdir -p "$1"
	cp -rp "$tmp/base/." "$1"
}

# options FILE: are all the options set there?
options()
{
	for o in $wanted; do
		grep -qx "CONFIG_$o=y" "$1" || { echo "no CONFIG_$o=y"; exit 1; }
	done
}

test_twice()
{
	git clone -q "$tmp/repo" "$tmp/again"
	umask 077
	TZ=Asia/Tokyo LC_ALL=C "$tmp/again/scripts/dist.sh"
	cmp "$tarball" "$tmp/again/build/dist/$name.tar.gz"
	cmp "$tarball.sha256" "$tmp/again/build/dist/$name.tar.gz.sha256"
}

test_members()
{
	tar --numeric-owner --full-time --utc -tvf "$tarball" > "$tmp/members"
	awk -v when='2026-01-01 00:00:00' '$2 != "0/0" || $4 " " $5 != when { print; bad = 1 }
		$1 !~ /^(drwx|-rw.)r.[x-]r.[x-]$/ { print; bad = 1 } END { exit bad }' "$tmp/members"
	tar -tf "$tarball" | sed 's,/$,,' | LC_ALL=C sort -c
	# Names that were to be filled in, and those that must not be in there
	not grep -rn '@[A-Z]*@' "$dist/packaging"
	not grep -rnF "$top" "$dist"
}

test_refuses()
{
	git clone -q "$tmp/repo" "$tmp/dirty"
	echo >> "$tmp/dirty/patches/$BASE/$(series | head -n 1)"
	not "$tmp/dirty/scripts/dist.sh" > "$tmp/dirty.log" 2>&1
	grep "commit or undo this first: patches/$BASE/0001-" "$tmp/dirty.log"
	[ ! -e "$tmp/dirty/build/dist" ]
}

test_sums()
{
	(cd "$tmp/repo/build/dist" && sha256sum -c --strict --quiet "$name.tar.gz.sha256")
	(cd "$dist" && sha256sum -c --strict --quiet SHA256SUMS)
	(cd "$dist" && find . -type f ! -name SHA256SUMS | sed 's,^\./,,' | sort) > "$tmp/here"
	sed 's/^[0-9a-f]*  //' "$dist/SHA256SUMS" | sort | diff - "$tmp/here"
	sed '/^#/d' "$dist/patches/series" | sort > "$tmp/listed"
	(cd "$dist/patches" && ls ./*.patch) | sed 's,^\./,,' | diff "$tmp/listed" -
	# One changed byte must be noticed.
	cp -r "$dist" "$tmp/damaged"
	printf x >> "$tmp/damaged/packaging/cpufreq-eas.config"
	cd "$tmp/damaged"
	not sha256sum -c --strict --quiet SHA256SUMS
}

test_quilt()
{
	base_in "$tmp/quilt"
	cd "$tmp/quilt"
	QUILT_PATCHES=$dist/patches QUILT_PATCH_OPTS='' QUILT_NO_DIFF_INDEX=1 \
		quilt --quiltrc /dev/null push -a --fuzz=0 -q
	same "$tmp/quilt"
}

test_options()
{
	options "$dist/packaging/cpufreq-eas.config"
	sed -n 's/^CONFIG_\(.*\)=y$/\1/p' "$dist/packaging/cpufreq-eas.config" | while read -r o; do
		grep -qx "config $o" "$base/kernel/power/Kconfig" "$base"/drivers/cpufreq/Kconfig* ||
			{ echo "Linux has no option $o"; exit 1; }
	done
}

# What makepkg does until the kernel is configured
test_arch()
{
	dir=$tmp/arch
	mkdir -p "$dir/src"
	cp "$tarball" "$tarball.sha256" "$dist/packaging/arch/PKGBUILD" "$dir/"
	printf '# CONFIG_ENERGY_MODEL is not set\nCONFIG_SMP=y\n' > "$dir/src/config"
	base_in "$dir/src/linux-$version"
	mkdir -p "$dir/src/linux-$version/scripts/kconfig"
	cp -p "$base/scripts/kconfig/merge_config.sh" "$dir/src/linux-$version/scripts/kconfig/"
	tar -xf "$tarball" -C "$dir/src"
	# shellcheck disable=SC2016	# for bash
	(cd "$dir" && bash -e -c '
		make() { [ "$*" = olddefconfig ]; }
		. ./PKGBUILD
		[ "$pkgver" = "$1" ] || { echo "it is for $pkgver"; exit 1; }
		[ ${#source[@]} -eq ${#sha256sums[@]} ] || { echo "sources and checksums differ in number"; exit 1; }
		for i in ${!source[@]}; do
			case ${source[i]} in
			*://*|config)
				;;
			*)	echo "${sha256sums[i]}  ${source[i]}" | sha256sum -c --strict - ;;
			esac
		done
		cd src
		prepare
	' makepkg "$version")
	options "$dir/src/linux-$version/.config"
	grep -qx CONFIG_SMP=y "$dir/src/linux-$version/.config"
	same "$dir/src/linux-$version"
}

# Like Fedora's: the tree is made in a directory of the name of the package.
test_fedora()
{
	dir=$tmp/fedora
	mkdir -p "$dir/SOURCES" "$dir/linux-$version"
	cp "$tarball" "$dist/packaging/fedora/kernel-cpufreq-eas.inc" "$dir/SOURCES/"
	base_in "$dir/linux-$version"
	tar -C "$dir" -cf "$dir/SOURCES/linux-$version.tar" "linux-$version"
	cat > "$dir/kernel.spec" <<-END
	Name: kernel
	Version: $version
	Release: 1
	Summary: Linux
	License: GPL-2.0-only
	Source0: linux-%{version}.tar
	%include %{_sourcedir}/kernel-cpufreq-eas.inc
	%description
	%prep
	%setup -q -n kernel-%{version} -c
	cd linux-%{version}
	%{apply_cpufreq_eas}
	touch $dir/prepared
	END
	set -- --define "_topdir $dir" --define "_dbpath $dir/db" --define "_tmppath $dir" "$dir/kernel.spec"
	HOME=$dir rpmspec -P "$@" > "$dir/parsed"
	grep -qx "Source4900: $name.tar.gz" "$dir/parsed"
	not grep -n 'cpufreq_eas}' "$dir/parsed"
	HOME=$dir rpmbuild -bp --nodeps "$@"
	[ -f "$dir/prepared" ]
	same "$dir/BUILD/kernel-$version/linux-$version"
}

# evaluate VERSION: the module, in place of NixOS, with a kernel of that version
evaluate()
{
	cat > "$tmp/eval.nix" <<-END
	let
	  lib.kernel.yes = { tristate = "y"; };
	  lib.versions.majorMinor = v: builtins.concatStringsSep "."
	    (map (builtins.elemAt (builtins.splitVersion v)) [ 0 1 ]);
	  config.boot.kernelPackages.kernel.version = "$1";
	  m = import $dist/packaging/nixos/cpufreq-eas.nix { inherit config lib; };
	  lines = p:
	    (if p.patch == null then [ ] else [ "patch \${toString p.patch}" ])
	    ++ map (o: "option CONFIG_\${o}=\${p.structuredExtraConfig.\${o}.tristate}")
	      (builtins.attrNames (p.structuredExtraConfig or { }));
	in
	builtins.concatMap lines m.boot.kernelPatches
	++ map (a: if a.assertion then "fits" else a.message) m.assertions
	END
	NIX_STATE_DIR=$tmp/nix NIX_LOG_DIR=$tmp/nix NIX_CONF_DIR=$tmp/nix HOME=$tmp/nix \
		nix-instantiate --store dummy:// --eval --strict --json "$tmp/eval.nix" > "$tmp/eval.json"
	python3 -c 'import json, sys; print("\n".join(json.load(sys.stdin)))' < "$tmp/eval.json"
}

test_nixos()
{
	evaluate "$version" > "$tmp/eval"
	grep -qx fits "$tmp/eval"
	sed -n 's/^option //p' "$tmp/eval" > "$tmp/eval.config"
	options "$tmp/eval.config"
	base_in "$tmp/nixos"
	sed -n 's/^patch //p' "$tmp/eval" | while read -r p; do
		patch -d "$tmp/nixos" -p1 -s -f --fuzz=0 -i "$p"
	done
	same "$tmp/nixos"
	evaluate 1.2.3 > "$tmp/eval"
	grep "for Linux $version, but boot.kernelPackages is 1.2.3" "$tmp/eval"
	not grep -qx fits "$tmp/eval"
}

test_gentoo()
{
	ROOT=$tmp/gentoo "$dist/packaging/gentoo/install-patches.sh"
	options "$tmp/gentoo/etc/kernel/config.d/cpufreq-eas.config"
	patches_dir=$tmp/gentoo/etc/portage/patches/sys-kernel/gentoo-kernel-$version
	(cd "$patches_dir" && find . -type f) | sed 's,^\./,,' | LC_ALL=C sort > "$tmp/lexical"
	sed '/^#/d; /^$/d' "$dist/patches/series" | diff - "$tmp/lexical"
	base_in "$tmp/gentoo-tree"
	while read -r p; do
		patch -d "$tmp/gentoo-tree" -p1 -s -f -g0 --fuzz=0 --no-backup-if-mismatch -i "$patches_dir/$p"
	done < "$tmp/lexical"
	same "$tmp/gentoo-tree"
	# It does not mix two versions of the series.
	not env ROOT="$tmp/gentoo" "$dist/packaging/gentoo/install-patches.sh"
}

# check DIR: all tests of the copy DIR
check()
{
	scratch "$1" "$tmp/repo"
	commit "$tmp/repo"
	version=$(cat "$tmp/repo/patches/$BASE/base")
	name=cpufreq-eas-$version-$(git -C "$tmp/repo" describe --always --abbrev=12)
	tarball=$tmp/repo/build/dist/$name.tar.gz
	dist=$tmp/$name
	touched > "$tmp/touched"
	mkdir "$tmp/base"
	copy_files "$base" "$tmp/base" < "$tmp/touched"
	base_in "$tmp/want"
	apply_series "$tmp/want"

	ok "dist: a tarball is made" "$tmp/repo/scripts/dist.sh"
	[ -f "$tarball" ] || die "no tarball, nothing else can be checked"
	tar -xf "$tarball" -C "$tmp"
	ok "dist: making it again leads to the same bytes" test_twice
	ok "dist: order, owner, time and mode of files" test_members
	ok "dist: changes that are not committed are refused" test_refuses
	ok "dist: checksums" test_sums
	ok "dist: quilt" test_quilt
	ok "options are there" test_options
	ok "Arch: prepare()" test_arch
	ok "Fedora: %prep" test_fedora
	ok "NixOS: boot.kernelPatches" test_nixos
	ok "Gentoo: user patches" test_gentoo
}

# The next four make faults in the copy of the tree that they are run in.

# The first and the last patch to the file that most of them touch change places in the
# series.
swap()
{
	(cd "$patches" && series | xargs sed -n 's,^+++ b/,,p') | sort | uniq -c | sort -rn > "$tmp/files"
	file=$(awk 'NR == 1 { print $2 }' "$tmp/files")
	(cd "$patches" && series | xargs grep -lxF "+++ b/$file") > "$tmp/patches"
	first=$(head -n 1 "$tmp/patches") last=$(tail -n 1 "$tmp/patches")
	sed -i "s/^$first\$/LAST/; s/^$last\$/$first/; s/^LAST\$/$last/" "patches/$BASE/series"
}

# Every recipe forgets a patch or gets the order wrong.
wrong_recipes()
{
	sed -i 's,/patches/series"),/patches/series" | sort -r),' $recipes/arch/PKGBUILD.in
	sed -i 's/| while read/| sed 1d | while read/' $recipes/fedora/*.in $recipes/gentoo/*.sh
	sed -i 's,(lines (patches + "/series")),(builtins.tail (lines (patches + "/series"))),' $recipes/nixos/*.nix
}

# The tarball depends on umask, has another time, is made in spite of changes and has not
# got all checksums.
wrong_tarball()
{
	# shellcheck disable=SC2016	# it is a dollar sign
	sed -i -e 's/--mode=[^ ]*//' -e 's/--mtime="[^"]*"/--mtime=@0/' -e '/^\[ -z "$changed" \]/,+1d' \
		-e 's/! -name SHA256SUMS/-name "*.patch"/' scripts/dist.sh
}

wrong_options()
{
	sed -i 's/ENERGY_MODEL/NO_ENERGY_MODEL/' $recipes/cpufreq-eas.config
}

# found TESTS: does the copy fail these, and only these?
found()
{
	[ -s "$tmp/changed" ] || { echo "the fault has not been made"; exit 1; }
	"$top/scripts/check-recipes.sh" tree "$tmp/fault" > "$tmp/fault.out" 2>&1 || :
	grep -v '^ok' "$tmp/fault.out"
	sed -n 's/^not ok \([0-9]*\) .*/\1/p' "$tmp/fault.out" | xargs > "$tmp/fault.failed"
	echo "failed: $(cat "$tmp/fault.failed"), should have: $1"
	echo "$1" | cmp - "$tmp/fault.failed"
	grep -qx 1..11 "$tmp/fault.out"
}

# fault TESTS DESCRIPTION COMMAND...: run in a copy, it makes these tests fail
fault()
{
	numbers=$1 what=$2
	shift 2
	rm -rf "$tmp/fault"
	scratch "$top" "$tmp/fault"
	commit "$tmp/fault"
	(cd "$tmp/fault" && "$@")
	plain_git -C "$tmp/fault" status --porcelain > "$tmp/changed"
	rm -rf "$tmp/fault/.git"
	ok "found: $what" found "$numbers"
}

umask 022
need_base
"$top/scripts/deps.sh" rpm nix-bin
need_tmp

if [ "${1-}" = tree ]; then
	check "$2"
else
	every 10 say "still checking"
	check "$top"
	fault '6 8 9 10 11' "two patches that have changed places in the series" swap
	fault '8 9 10 11' "recipes that forget a patch, or the order" wrong_recipes
	fault '2 3 4 5' "a tarball that differs, has another time, changes, or too few checksums" wrong_tarball
	fault '7 8 10 11' "options that are missing, or that Linux does not have" wrong_options
	quiet
fi

echo "1..$count"
[ "$failed" -eq 0 ]
