#!/bin/bash
# get_llama_server.sh FOLDER: llama.cpp's programs from Debian's unstable suite in a folder of their own, for the tests.
# Afterwards FOLDER/usr/bin/llama-server. What is there already is kept.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../debian_packages.sh"
[ -n "${1:-}" ] || { echo "usage: get_llama_server.sh FOLDER" >&2; exit 2; }
folder=$(absolute "$1")

if "$folder/usr/bin/llama-server" --version >/dev/null 2>&1; then
  exit 0
fi
check_machine
partial=$folder.partial.$$
unpack llama.cpp-tools "$partial"

search=$(printf "$folder/$libraries/%s:" . llama ggml openblas-pthread blas lapack)
interpreter=$folder/$(loader "$partial")
is_program() { [ -f "$1" ] && [ ! -L "$1" ] && head -c4 "$1" | grep -q ELF; }
for program in "$partial"/usr/bin/llama-* "$partial/$libraries"/llama/llama-*; do
  if is_program "$program"; then
    "$patchelf" --set-interpreter "$interpreter" --force-rpath --set-rpath "${search%:}" "$program"
  fi
done
# the back-ends for each kind of processor are loaded at run time, from beside the program
for library in "$partial/$libraries"/lib{llama,ggml}*.so.* "$partial/$libraries"/{llama,ggml}/{,*/}*.so; do
  if is_program "$library"; then
    "$patchelf" --force-rpath --set-rpath "${search%:}" "$library"
  fi
done
(cd "$partial/usr/bin" && ln -sf ../lib/x86_64-linux-gnu/ggml/*/libggml-cpu-*.so .)
rm -rf "$folder"
mv "$partial" "$folder"
"$folder/usr/bin/llama-server" --version 2>&1 | sed -n 1,2p >&2
