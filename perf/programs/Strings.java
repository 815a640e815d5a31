// SPDX-License-Identifier: GPL-2.0-or-later
import java.util.HashMap;

/** A table of strings, and threads that make garbage. */
class Strings {
  public static void main(String[] args) throws InterruptedException {
    HashMap<Integer, String> table = new HashMap<>();
    for (int i = 0; i < 200000; i++) table.put(i, "string " + i);
    Thread[] threads = new Thread[4];
    for (int i = 0; i < threads.length; i++) {
      threads[i] = new Thread(() -> { for (int k = 0; k < 100000; k++) new byte[100].clone(); });
      threads[i].start();
    }
    for (Thread thread : threads) thread.join();
    System.out.println(table.size());
  }
}
