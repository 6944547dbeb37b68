#!/bin/sh
# Writes the lock files anew from pyproject.toml, for every supported Python and platform. Needs uv.
set -eu
cd "$(dirname "$0")/.."
lock() {
    out=requirements/$1.lock
    shift
    uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-annotate \
        --custom-compile-command scripts/lock.sh "$@" pyproject.toml -o "$out"
}
lock complete --extra embedded --group build
lock develop --extra embedded --group dev --constraint requirements/complete.lock
