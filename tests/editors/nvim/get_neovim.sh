#!/bin/bash
# get_neovim.sh FOLDER: Neovim 0.12 or later from Debian's unstable suite in a folder of its own, for the tests.
# Afterwards FOLDER/usr/bin/nvim. What is there already is kept.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../../debian_packages.sh"
[ -n "${1:-}" ] || { echo "usage: get_neovim.sh FOLDER" >&2; exit 2; }
folder=$(absolute "$1")

if "$folder/usr/bin/nvim" --version >/dev/null 2>&1; then
  exit 0
fi
check_machine
partial=$folder.partial.$$
unpack neovim "$partial"
program=$(readlink -f "$partial/usr/bin/nvim")
[ -f "$program" ] || program=$partial/usr/bin/nvim
"$patchelf" --set-interpreter "$folder/$(loader "$partial")" --force-rpath \
  --set-rpath "$folder/$libraries:$folder/$libraries/nvim" "$program"
rm -rf "$folder"
mv "$partial" "$folder"
"$folder/usr/bin/nvim" --version | sed -n 1p >&2
