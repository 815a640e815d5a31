# SPDX-License-Identifier: GPL-2.0-or-later
#
# dmd on Debian, from its own package:
#
#   docker build -t dmd .
#   docker run --rm -v "$PWD:/work" dmd dmdv ./app
#
# Programs that need other libraries than Debian's: begin an image of your own with "FROM dmd", and install them there.
# Another release: --build-arg SUITE=trixie. To attach to or read a process of another container, add
# --cap-add=SYS_PTRACE. An image of a clone lacks the page of dmdv view, which a release brings along.

ARG SUITE=bookworm

FROM debian:${SUITE} AS build
ENV DEBIAN_FRONTEND=noninteractive
COPY . /build/dmd
WORKDIR /build/dmd
RUN apt-get -q update && apt-get -q install -y --no-install-recommends build-essential \
 && apt-get -q build-dep -y --no-install-recommends --build-profiles=nocheck ./ \
 && DEB_BUILD_OPTIONS=nocheck dpkg-buildpackage -us -uc -b --build-profiles=nocheck

FROM debian:${SUITE}
COPY --from=build /build/valgrind-dmd_*.deb /tmp/
RUN apt-get -q update && DEBIAN_FRONTEND=noninteractive apt-get -q install -y --no-install-recommends /tmp/*.deb \
 && rm -rf /tmp/*.deb /var/lib/apt/lists/*
WORKDIR /work
CMD ["dmdv"]
