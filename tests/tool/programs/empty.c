/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * No blocks at all.
 */
int main(void) {
  return 0;
}
