// SPDX-License-Identifier: Apache-2.0
package com.acme.shop;

import java.util.ArrayList;
import java.util.List;

/** What is bought. Two methods of one name, and a class within. */
final class Cart {
    private final PriceList prices;
    private final List<Line> lines = new ArrayList<>();

    Cart(PriceList prices) {
        this.prices = prices;
    }

    void addItem(String name, double price) {
        lines.add(new Line(name, prices.withTax(prices.roundPrice(price))));
    }

    String describe(String separator) {
        StringBuilder text = new StringBuilder();
        for (Line line : lines) {
            text.append(line.spell()).append(separator);
        }
        return text.toString();
    }

    String describe(int every) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < lines.size(); i += every) {
            text.append(lines.get(i).price).append('\n');
        }
        return text.toString();
    }

    /** One thing of it. */
    static final class Line {
        private final String name;
        private final double price;

        Line(String name, double price) {
            this.name = name;
            this.price = price;
        }

        String spell() {
            StringBuilder spelled = new StringBuilder();
            for (int i = 0; i < name.length(); i++) {
                spelled.append(Character.toUpperCase(name.charAt(i)));
            }
            return spelled.toString();
        }
    }
}
