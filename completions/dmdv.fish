# SPDX-License-Identifier: GPL-2.0-or-later
#
# Completion of dmdv in fish.

complete --command dmdv --no-files --arguments '(__dmdv_complete)'
