// SPDX-License-Identifier: Apache-2.0
package com.acme.shop;

/** A small shop under load by itself, in a few classes that a shrinker renames: Main SECONDS ROUNDS. */
public final class Main {
    private Main() {}

    public static void main(String[] arguments) {
        long until = System.nanoTime() + Long.parseLong(arguments[0]) * 1_000_000_000L;
        PriceList prices = new PriceList(Integer.parseInt(arguments[1]));
        int requests = 0;
        while (System.nanoTime() < until) {
            Cart cart = new Cart(prices);
            for (int i = 0; i < 300; i++) {
                cart.addItem("item " + (i * 7919 + requests) % 300 + " of the shop", 100.0 + i % 97);
            }
            requests += cart.describe(" ").length() > cart.describe(3).length() ? 1 : 1;
        }
        System.err.println(requests + " requests");
    }
}
