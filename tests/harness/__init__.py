# SPDX-License-Identifier: GPL-2.0-or-later
"""What all tests in Python share, so that each thing is written once.

  expect    Failure, Skip, and saying what must hold
  suite     a test program: its options, its scratch folder, which tests it runs, TAP
  commands  running a command, with a time-out
  compiler  the build's compilers, and compiling a program with them
  browsers  which browsers there are, and starting one
  files     reading files back and writing them
  profile   a profile that the tool wrote: its rules are checked, then it can be asked
  graphfile a heap graph that the tool wrote: the same
  page      a page of dmdv view, and what is in it
  postgresql  a PostgreSQL server of the tests' own, for histories
  protobuf  the wire format that heap graphs and others' files are made of
  valgrind  running programs under the tool, or another of Valgrind's, and having what they left

The programs tests/*/run put the folder tests into sys.path before they import it.
"""

from harness.commands import HANG_SECONDS, TimedOut
from harness.expect import Failure, Skip
from harness.suite import Case, Place, Test, functions_of, main, parser, run

__all__ = ["HANG_SECONDS", "TimedOut", "Failure", "Skip", "Case", "Place", "Test", "functions_of", "main", "parser", "run"]
