<?php
// SPDX-License-Identifier: Apache-2.0
// A shop that loads itself. Usage: php shop.php ORDERS ROUNDS; round_price goes over each price ROUNDS times.

function round_price(float $price, int $rounds): float {
    for ($i = 0; $i < $rounds * 2000; $i++) {
        $price = (int)($price * 100 + 0.5) / 100 + ($i % 3) / 1000;
    }
    return $price;
}

function line_text(int $article, float $price): string {
    $words = [];
    for ($i = 0; $i < 9000; $i++) {
        $words[] = $article * 31 + $i;
    }
    return implode(' ', $words) . sprintf(': %.2f', $price);
}

function check_stock(array $stock, int $article): bool {
    $sum = 0;
    foreach ($stock as $key => $pieces) {
        $sum += $key % 7 === $article % 7 ? $pieces : 0;
    }
    return $sum > $article;
}

function take_order(array $stock, int $order, int $rounds): int {
    $article = $order % 500;
    $price = round_price(9.99 + $article, $rounds);
    return strlen(line_text($article, $price)) + (int)check_stock($stock, $article);
}

$stock = range(1, 20000);
$length = 0;
for ($order = 0; $order < (int)$argv[1]; $order++) {
    $length += take_order($stock, $order, (int)$argv[2]);
}
echo $length, "\n";
