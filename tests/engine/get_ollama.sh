#!/bin/bash
# get_ollama.sh FOLDER: a real Ollama, built by Go from its module, with llama.cpp's server from Debian as its runner.
# Afterwards FOLDER/bin/ollama. What is there already is kept. Two minutes the first time.
# Needs Go 1.26, and what get_llama_server.sh needs. Exit code 3: not for this kind of machine.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../debian_packages.sh"
[ -n "${1:-}" ] || { echo "usage: get_ollama.sh FOLDER" >&2; exit 2; }
folder=$(absolute "$1")
version=${OLLAMA_VERSION:-0.34.4}

if [ -x "$folder/bin/ollama" ] && "$folder/lib/ollama/llama-server" --version >/dev/null 2>&1; then
  exit 0
fi
command -v go >/dev/null || { echo "there is no Go here, so that Ollama can't be built" >&2; exit 3; }
"$here/get_llama_server.sh" "$folder/llama"
mkdir -p "$folder/bin" "$folder/lib/ollama"
ln -sfn ../../llama/usr/bin/llama-server "$folder/lib/ollama/llama-server" # where Ollama looks for it
GOBIN=$folder/bin go install -ldflags "-s -w -X github.com/ollama/ollama/version.Version=$version" \
  "github.com/ollama/ollama@v$version"
