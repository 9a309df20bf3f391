// SPDX-License-Identifier: Apache-2.0
package com.acme.shop;

/** Prices, by a loop that takes its time. */
final class PriceList {
    private final int rounds;

    PriceList(int rounds) {
        this.rounds = rounds;
    }

    double roundPrice(double price) {
        double rounded = price;
        for (int i = 0; i < rounds; i++) {
            rounded = (rounded * 1.0001 + 0.004) / (1.0 + rounded * 1e-9);
        }
        return rounded;
    }

    double withTax(double price) {
        double taxed = price;
        for (int i = 0; i < 20; i++) {
            taxed = Math.sqrt(taxed * taxed + 0.19 * i);
        }
        return taxed;
    }
}
