// SPDX-License-Identifier: Apache-2.0
// The library of shop.cpp: what a canary makes slower.

double round_price(double price, int rounds) {
    double rounded = price;
    for (int i = 0; i < rounds; i++)
        rounded = (rounded * 1.0001 + 0.004) / (1.0 + rounded * 1e-9);
    return rounded;
}
