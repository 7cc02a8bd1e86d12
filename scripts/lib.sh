# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# Common part of the scripts in this directory, to be sourced by them.

set -eu

prog=$(basename "$0" .sh)
top=$(cd "$(dirname "$0")/.." && pwd)

: "${BASE:=7.3}" "${KSRC:=}" "${KERNEL:=patched}" "${V:=}"

die()
{
	echo "$prog: $*" >&2
	exit 1
}

say()
{
	echo "$prog: $*" >&2
}

case $top in
*[[:space:]:]*)
	die "the kernel cannot be built in a directory with spaces or colons in its name, move '$top'" ;;
esac

[ -d "$top/patches/$BASE" ] ||
	die "no series for BASE=$BASE, there is one for: $(cd "$top/patches" && echo [0-9]*)"

build=$top/build/$BASE
base=$build/base
patches=$top/patches/$BASE

# A directory for temporary files, removed on exit.
tmp=
# Processes to be terminated on exit.
kids=

cleanup()
{
	for kid in $kids; do
		kill "$kid" 2>/dev/null || :
	done
	[ -z "$tmp" ] || rm -rf "$tmp"
}

need_tmp()
{
	mkdir -p "$build"
	tmp=$(mktemp -d "$build/tmp.XXXXXX")
}

trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# Call the rest of the arguments every $1 seconds, until "quiet" is called, to show
# that something is going on.
every()
{
	(
		# Do not hold locks and pipes of the caller open.
		exec 3>&- 9>&-
		seconds=$1
		shift
		nap=
		trap 'kill $nap 2>/dev/null; exit' TERM
		while :; do
			sleep "$seconds" >/dev/null 2>&1 &
			nap=$!
			wait $nap
			"$@"
		done
	) &
	kids=$!
}

quiet()
{
	[ -n "$kids" ] || return 0
	kill "$kids"
	wait "$kids" 2>/dev/null || :
	kids=
}

# Git must not depend on, or change, anything that the user has set up.
plain_git()
{
	GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null git \
		-c user.name=series -c user.email=series@localhost \
		-c core.autocrlf=false -c gc.auto=0 -c advice.detachedHead=false \
		-c commit.gpgSign=false -c core.hooksPath=/dev/null "$@"
}

# The patches of the series, in order, without directories.
series()
{
	[ ! -f "$patches/series" ] || sed -e 's/[[:space:]]*#.*//' -e '/^$/d' "$patches/series"
}

# The new files of the series that also stand at the top level.
series_files()
{
	sed -e 's/[[:space:]]*#.*//' -e '/^$/d' "$patches/files"
}

# All files that the series touches.
touched()
{
	series | while read -r p; do
		sed -n 's,^+++ b/,,p; s,^--- a/,,p' "$patches/$p"
	done | sed 's/[[:space:]]*$//' | sort -u
}

# Copy the files listed on standard input from tree $1 to $2, if they exist.
copy_files()
{
	while read -r f; do
		[ -f "$1/$f" ] || continue
		mkdir -p "$2/$(dirname "$f")"
		cp -p "$1/$f" "$2/$f"
	done
}

# Apply the series to directory $1, naming the patch and the file on failure.
apply_series()
{
	series | while read -r p; do
		[ -f "$patches/$p" ] ||
			die "patches/$BASE/series names $p which is not there, run 'make series'"
		if ! patch -d "$1" -p1 -s -f --fuzz=0 --no-backup-if-mismatch -r - \
			-i "$patches/$p" > "$1.log" 2>&1; then
			f=$(sed -n 's/.*patching file \([^ ]*\).*/\1/p' "$1.log" | tail -n 1)
			[ -n "$f" ] || f=$(patch -d "$1" -p1 -f --dry-run --fuzz=0 \
				-i "$patches/$p" 2>/dev/null |
				awk '/^checking file/ { f = $3 } /FAILED|No file/ { print f; exit }')
			die "$p does not apply to ${f:-the base} of Linux $(base_version)"
		fi
	done
}

base_version()
{
	make -s -C "$base" kernelversion
}

need_base()
{
	"$top/scripts/fetch.sh"
}

# Measured: an unpacked kernel tree takes 1.8 GiB.
# shellcheck disable=SC2034	# for those who source this
tree_kb=1950000

# need_space KB: where everything is built
need_space()
{
	avail=$(df -Pk "$build" | awk 'NR == 2 { print $4 }')
	[ "$avail" -ge "$1" ] ||
		die "no space: $(($1 / 1024)) MiB needed, $((avail / 1024)) MiB free in the file system of build/"
}

# need_source: a source tree in $src to build in, the base at first; it and its objects stay
# for as long as the base does
# shellcheck disable=SC2154	# set by those who source this
need_source()
{
	[ ! -d "$src" ] || [ "$(cat "$src.base" 2>/dev/null)" != "$(cat "$build/base.id")" ] || return 0
	say "copying the base"
	every 10 say "still copying"
	rm -rf "$src" "$src".*
	need_space $((tree_kb + 500000))
	cp -a "$base" "$tmp/linux"
	mv "$tmp/linux" "$src"
	cp "$build/base.id" "$src.base"
	quiet
}

# Do not let a build depend on when, where, by whom and from which make it is started.
kernel_env()
{
	export KBUILD_BUILD_TIMESTAMP='2026-01-01' KBUILD_BUILD_USER=vhybrid KBUILD_BUILD_HOST=vhybrid
	unset MAKEFLAGS MFLAGS MAKELEVEL
}

# mk ARGUMENT...: make a kernel from $src in $obj, without holding locks
# shellcheck disable=SC2154	# set by those who source this
mk()
{
	make -C "$src" O="$obj" ARCH=x86_64 "$@" 9>&-
}

# configure FRAGMENT...: options that the tree does not have are left out
configure()
{
	mk tinyconfig &&
		(cd "$src" && scripts/kconfig/merge_config.sh -m -O "$tmp" "$obj/.config" "$@") &&
		cp "$tmp/.config" "$obj/.config" &&
		mk olddefconfig
}

# need_root WHAT-OTHERWISE: sets $as_root, the prefix of commands to be run as root
need_root()
{
	as_root=
	[ "$(id -u)" -ne 0 ] || return 0
	command -v sudo >/dev/null || die "not root and no sudo, $1"
	as_root='sudo -n'
	$as_root true 2>/dev/null || as_root=sudo
}

keyring=/usr/share/keyrings/debian-archive-keyring.gpg

# need_mirrors [ALTERNATIVE]: sets $sites, the places Debian packages come from here, as
# apt itself understands its sources
need_mirrors()
{
	[ -f "$keyring" ] || die "$keyring is missing, install debian-archive-keyring"
	# shellcheck disable=SC2016	# the dollar signs are for apt
	sites=$(apt-get indextargets --no-release-info --format '$(SITE) $(RELEASE) $(COMPONENT)' \
		'Created-By: Packages') ||
		die "apt cannot read the package sources of this machine, repair them"
	sites=$(printf '%s\n' "$sites" |
		awk '$2 ~ /^(bookworm|trixie|forky|sid|stable|testing|unstable|oldstable)(-updates|-backports)?$/ &&
		     $3 == "main" && !seen[$1]++ { print $1 }')
	[ -n "$sites" ] ||
		die "no Debian mirror in the package sources of this machine, add one${1:+ $1}"
}

# apt with the lists of one suite of one mirror, in $tmp
apt()
{
	cmd=$1
	shift
	"apt-$cmd" -q -c "$tmp/apt/apt.conf" "$@"
}

# setup_apt deb|deb-src SITE SUITE
setup_apt()
{
	rm -rf "$tmp/apt"
	mkdir -p "$tmp/apt/lists/partial" "$tmp/apt/cache/archives/partial" "$tmp/apt/none"
	: > "$tmp/apt/status"
	echo "$1 [signed-by=$keyring] $2 $3 main" > "$tmp/apt/sources.list"
	# Everything else, such as a proxy, is what the machine has.
	cat > "$tmp/apt/apt.conf" <<-END
		Dir::State "$tmp/apt";
		Dir::State::Lists "$tmp/apt/lists";
		Dir::State::status "$tmp/apt/status";
		Dir::Cache "$tmp/apt/cache";
		Dir::Etc::SourceList "$tmp/apt/sources.list";
		Dir::Etc::SourceParts "$tmp/apt/none";
		Dir::Etc::Preferences "/dev/null";
		Dir::Etc::PreferencesParts "$tmp/apt/none";
		Acquire::Languages "none";
		APT::Sandbox::User "$(id -un)";
		APT::Update::Error-Mode "any";
		#clear APT::Update::Pre-Invoke;
		#clear APT::Update::Post-Invoke;
		#clear APT::Update::Post-Invoke-Success;
	END
}
