/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * floating: no allocation at all, floating-point arithmetic: products of 160x160 matrices, with a
 * square root for each element.
 */
#include <math.h>
#include <stdio.h>

enum { N = 160, ROUNDS = 120 };

static double g_a[N][N], g_b[N][N], g_c[N][N];

static void multiply(void) {
  for (int i = 0; i < N; i++)
    for (int k = 0; k < N; k++) {
      double sum = 0;
      for (int j = 0; j < N; j++)
        sum += g_a[i][j] * g_b[j][k];
      g_c[i][k] = sqrt(sum);
    }
}

int main(void) {
  for (int i = 0; i < N; i++)
    for (int k = 0; k < N; k++) {
      g_a[i][k] = 1.0 / (1 + i + k);
      g_b[i][k] = 1.0 / (1 + i * k);
    }
  double trace = 0;
  for (int round = 0; round < ROUNDS; round++) {
    multiply();
    for (int i = 0; i < N; i++) {
      trace += g_c[i][i];
      g_a[i][round] = g_c[round][i];
    }
  }
  printf("%.12g\n", trace);
  return 0;
}
