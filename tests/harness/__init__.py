# SPDX-License-Identifier: GPL-2.0-or-later
"""What all tests in Python share, so that each thing is written once.

  expect    Failure, Skip, and the checks
  suite     a test program: its options, its scratch folder, which tests it runs, TAP
  commands  running a command, with a time-out
  compiler  the build's compilers, and compiling a program with them
  browsers  which browsers there are, and starting one
  files     reading files back and writing them
  profile   reads a profile that the tool wrote, after checking its rules
  graphfile reads a heap graph that the tool wrote, after checking its rules
  page      a page of dmdv view, and its contents
  debuginfod  a server of debug information of the tests' own
  postgresql  a PostgreSQL server of the tests' own, for histories
  protobuf  the wire format of heap graphs and of other programs' files
  valgrind  running programs under the tool, or another of Valgrind's, and reading their files

The programs tests/*/run put the folder tests into sys.path before they import it.
"""

from harness.commands import HANG_SECONDS, TimedOut
from harness.expect import Failure, Skip
from harness.suite import Case, Place, Test, functions_of, main, parser, run

__all__ = ["HANG_SECONDS", "TimedOut", "Failure", "Skip", "Case", "Place", "Test", "functions_of", "main", "parser", "run"]
