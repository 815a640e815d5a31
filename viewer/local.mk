# SPDX-License-Identifier: GPL-2.0-or-later
#
# The page of dmdv view: viewer/page.html in the build folder, from viewer/src, viewer/dmd.wasm and npm's packages. A release
# has the page in its sources, and nothing to build.

viewer_sources = \
  $(wildcard $(top_srcdir)/viewer/*.mjs $(top_srcdir)/viewer/tsconfig.json) \
  $(wildcard $(top_srcdir)/viewer/src/*.* $(top_srcdir)/viewer/src/*/*.*)

# What package-lock.json names, no script of which is run. Where npm does not get it the page is left out: its file is empty,
# and every make says so; `make page` tries again.
npm_ci = $(NPM) ci --ignore-scripts --prefer-offline --no-progress --loglevel=error --fetch-timeout=30000 --fetch-retries=2 \
  --fetch-retry-mintimeout=1000 --fetch-retry-maxtimeout=5000
viewer_packages = package.json package-lock.json .npmrc
viewer/node_modules/stamp: $(addprefix $(top_srcdir)/viewer/,$(viewer_packages))
	$(AM_V_GEN)$(MKDIR_P) viewer && for file in $(viewer_packages); do \
	  test $(top_srcdir)/viewer/$$file -ef viewer/$$file || cp $(top_srcdir)/viewer/$$file viewer/ || exit 1; done
	$(AM_V_at)cd viewer && { $(npm_ci) >npm.log 2>&1 || { \
	  rm -rf node_modules && $(MKDIR_P) node_modules && touch node_modules/missing; }; }
	$(AM_V_at)touch $@

if BUILD_VIEWER
viewer/page.html: viewer/node_modules/stamp $(built_viewer) $(viewer_sources)
	$(AM_V_GEN)if test -f viewer/node_modules/missing; then : >$@; $(say_page); else $(NODE) $(top_srcdir)/viewer/build.mjs --src $(top_srcdir)/viewer --modules viewer/node_modules \
	  $(addprefix --wasm ,$(built_viewer)) --out $@; fi
built_page = viewer/page.html
say_page = test -s viewer/page.html || { \
  echo "dmdv is built without the page of dmdv view: npm could not install what it is built with (viewer/npm.log says why)."; \
  echo "make page tries again; configure --disable-viewer leaves the page out without trying."; }
page:
	rm -rf viewer/node_modules viewer/page.html
	$(MAKE) all
endif
.PHONY: page

# The page is part of a release, so that nobody who builds one needs node.
if HAVE_VIEWER
dist-hook: viewer/page.html
	test -s $< || { echo "a release has the page of dmdv view, which was not built: see make page"; exit 1; }
	$(MKDIR_P) $(distdir)/viewer
	test -f $(distdir)/viewer/page.html || cp $< $(distdir)/viewer/
endif

# What the tests in browsers drive these with.
if HAVE_VIEWER
browsers = $(top_srcdir)/tests/viewer/browsers
viewer/browsers/node_modules/stamp: $(browsers)/package.json $(browsers)/package-lock.json $(top_srcdir)/viewer/.npmrc
	$(AM_V_GEN)$(MKDIR_P) viewer/browsers && cp $^ viewer/browsers/
	$(AM_V_at)cd viewer/browsers && { $(npm_ci) >npm.log 2>&1 || { \
	  rm -rf node_modules && $(MKDIR_P) node_modules && touch node_modules/missing; }; }
	$(AM_V_at)touch $@
if BUILD_VIEWER
check_DATA = viewer/browsers/node_modules/stamp
endif
endif
