# SPDX-License-Identifier: GPL-2.0-or-later
"""Sources and files of Debian packages, from the mirror that apt uses, by apt itself with package lists of our own.

A file that is unavailable raises suite.Missing with the reason. This installs no package.
"""
import glob
import os
import shutil
import subprocess

import suite

KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"


def system(command, folder, **options):
    done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace", **options)
    if done.returncode != 0:
        raise suite.Missing("%s: %s" % (" ".join(command[:3]), done.stdout.strip().split("\n")[-1]))
    return done.stdout


def _apt(folder, release):
    """apt-get, as a list, with the sources of a release ("": the one that apt uses) up to date."""
    if shutil.which("apt-get") is None or shutil.which("dpkg-source") is None:
        raise suite.Missing("no apt-get or no dpkg-source here to get packages with")
    targets = system(["apt-get", "indextargets", "--format", "$(LABEL)|$(COMPONENT)|$(REPO_URI)|$(RELEASE)",
                      "Created-By: Packages"], folder).split("\n")
    mirrors = [target.split("|") for target in targets if target.startswith("Debian|main|")]
    if not mirrors:
        raise suite.Missing("apt knows no mirror of Debian")
    uri = mirrors[0][2]
    release = release or mirrors[0][3]
    state = os.path.join(folder, "apt-" + release)
    os.makedirs(os.path.join(state, "lists", "partial"), exist_ok=True)
    with open(os.path.join(state, "sources.list"), "w", encoding="utf-8") as file:
        file.write("".join(f"{kind} [signed-by={KEYRING}] {uri} {release} main\n" for kind in ("deb", "deb-src")))
    apt = ["apt-get", "-q", "-o", f"Dir::Etc::sourcelist={state}/sources.list", "-o", "Dir::Etc::sourceparts=-",
           "-o", f"Dir::State::lists={state}/lists", "-o", f"Dir::Cache={state}", "-o", "APT::Sandbox::User=root"]
    if not os.path.exists(os.path.join(state, "updated")):
        system([*apt, "update"], folder)
        with open(os.path.join(state, "updated"), "w", encoding="utf-8"):
            pass
    return apt


def source(name, folder, release=""):
    """The unpacked source of a package, in the folder; an existing one is reused."""
    found = sorted(glob.glob(os.path.join(folder, name + "-[0-9]*", "")))
    if not found:
        system([*_apt(folder, release), "source", name], folder)
        found = sorted(glob.glob(os.path.join(folder, name + "-[0-9]*", "")))
    return found[-1]


def unpacked(name, folder, release=""):
    """The folder with the files of a binary package, as it would install them."""
    place = os.path.join(folder, name)
    if not os.path.exists(place):
        package = os.path.join(folder, "packages")
        os.makedirs(package, exist_ok=True)
        system([*_apt(folder, release), "download", name], package)
        system(["dpkg-deb", "-x", glob.glob(os.path.join(package, name + "_*.deb"))[0], place], folder)
    return place
