# SPDX-License-Identifier: GPL-2.0-or-later
#
# The page of dmdv view: viewer/page.html in the build folder, from viewer/src, viewer/dmd.wasm and npm's packages. A release
# has the page in its sources, and nothing to build.

viewer_sources = \
  $(wildcard $(top_srcdir)/viewer/*.mjs $(top_srcdir)/viewer/tsconfig.json) \
  $(wildcard $(top_srcdir)/viewer/src/*.* $(top_srcdir)/viewer/src/*/*.*)

# What package-lock.json names, no script of which is run.
viewer_packages = package.json package-lock.json .npmrc
viewer/node_modules/stamp: $(addprefix $(top_srcdir)/viewer/,$(viewer_packages))
	$(AM_V_GEN)$(MKDIR_P) viewer && for file in $(viewer_packages); do \
	  test $(top_srcdir)/viewer/$$file -ef viewer/$$file || cp $(top_srcdir)/viewer/$$file viewer/ || exit 1; done
	$(AM_V_at)cd viewer && { $(NPM) ci --ignore-scripts --prefer-offline --no-progress --loglevel=error >npm.log 2>&1 || { \
	  cat npm.log; echo "npm could not install what the page is built with; configure --disable-viewer builds dmd without it"; \
	  exit 1; }; }
	$(AM_V_at)touch $@

if BUILD_VIEWER
viewer/page.html: viewer/node_modules/stamp $(built_viewer) $(viewer_sources)
	$(AM_V_GEN)$(NODE) $(top_srcdir)/viewer/build.mjs --src $(top_srcdir)/viewer --modules viewer/node_modules \
	  $(addprefix --wasm ,$(built_viewer)) --out $@
built_page = viewer/page.html
endif

# The page is part of a release, so that nobody who builds one needs node.
if HAVE_VIEWER
dist-hook: viewer/page.html
	$(MKDIR_P) $(distdir)/viewer
	test -f $(distdir)/viewer/page.html || cp $< $(distdir)/viewer/
endif

# What the tests in browsers drive these with.
if HAVE_VIEWER
browsers = $(top_srcdir)/tests/viewer/browsers
viewer/browsers/node_modules/stamp: $(browsers)/package.json $(browsers)/package-lock.json $(top_srcdir)/viewer/.npmrc
	$(AM_V_GEN)$(MKDIR_P) viewer/browsers && cp $^ viewer/browsers/
	$(AM_V_at)cd viewer/browsers && { $(NPM) ci --ignore-scripts --prefer-offline --no-progress --loglevel=error >npm.log 2>&1 || { \
	  cat npm.log; exit 1; }; }
	$(AM_V_at)touch $@
if BUILD_VIEWER
check_DATA = viewer/browsers/node_modules/stamp
endif
endif
