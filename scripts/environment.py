"""Makes the environment in `.venv`, once, and prints the folder of its programs.

    python3 scripts/environment.py complete|develop

`complete` has what completing needs, `develop` what the tests need too. Standard library only; runs on any
Python 3 so far as to say which one is needed.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
HOME = os.path.join(ROOT, ".venv")
PROGRAMS = os.path.join(HOME, "Scripts" if os.name == "nt" else "bin")
PYTHON = os.path.join(PROGRAMS, "python")
OLDEST, NEWEST = (3, 11), (3, 14)


def main():
    kind = sys.argv[1]
    if not OLDEST <= sys.version_info[:2] <= NEWEST:
        return with_another_python()
    done = os.path.join(HOME, ".kireji-" + kind)
    wanted = fingerprint(kind)
    if not (os.path.exists(done) and read(done) == wanted):
        begin = time.time()
        make(kind)
        with open(done, "w") as marker:
            marker.write(wanted)
        say("the environment is ready (%.0f s)" % (time.time() - begin))
    print(PROGRAMS)
    return 0


def with_another_python():
    for minor in range(NEWEST[1], OLDEST[1] - 1, -1):
        other = shutil.which("python3.%d" % minor)
        if other:
            return subprocess.call([other] + sys.argv)
    say("Kireji needs Python 3.11 to 3.14, and this is %d.%d: install one of them" % sys.version_info[:2])
    return 2


def make(kind):
    if not os.path.exists(PYTHON):
        say("making an environment in .venv")
        make_environment()
    pip = [PYTHON, "-m", "pip", "--disable-pip-version-check", "install"]
    if not sys.stderr.isatty():
        pip.append("--quiet")  # progress bars are for a terminal
    say("installing its packages (76 to 112 MB to download, versions and hashes as locked)")
    run(pip + ["--require-hashes", "-r", os.path.join(ROOT, "requirements", kind + ".lock")])
    say("installing Kireji itself")
    run(pip + ["--quiet", "--no-deps", "--no-build-isolation", "--editable", ROOT])


def make_environment():
    command = [sys.executable, "-m", "venv", HOME]
    if subprocess.call(command, stdout=sys.stderr) == 0:
        return
    shutil.rmtree(HOME, ignore_errors=True)
    package = "python%d.%d-venv" % sys.version_info[:2]
    if shutil.which("apt-get") and hasattr(os, "geteuid") and os.geteuid() == 0:
        say("this Python has no venv: installing " + package)
        run(["apt-get", "update", "-qq"])
        run(["apt-get", "install", "-y", "-qq", package])
        run(command)
        return
    sys.exit("kireji: this Python can't make an environment. On Debian or Ubuntu: sudo apt-get install " + package)


def run(command):
    code = subprocess.call(command, stdout=sys.stderr, cwd=ROOT)
    if code:
        sys.exit("kireji: this failed with exit code %d: %s" % (code, " ".join(command)))


def fingerprint(kind):
    """Of all that the environment is made from: it is made anew where that changed."""
    digest = hashlib.sha256(sys.version.encode() + ROOT.encode())
    for name in (os.path.join("requirements", kind + ".lock"), "pyproject.toml"):
        digest.update(read(os.path.join(ROOT, name)).encode())
    return digest.hexdigest()


def read(path):
    with open(path) as source:
        return source.read()


def say(what):
    sys.stderr.write(f"kireji: {what}\n")
    sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main())
