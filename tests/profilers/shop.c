/* SPDX-License-Identifier: Apache-2.0 */
/* A program that DHAT and massif record: blocks that are freed, kept and leaked, in two paths. Usage: shop ROUNDS
 * [TIMES]; what is kept is TIMES as large. */
#include <stdlib.h>
#include <string.h>

static char *kept[64];

static char *text_new(size_t len) {
    char *text = malloc(len);
    memset(text, 'x', len);
    return text;
}

static void price(int order, int depth) {
    if (depth == 0)
        free(text_new((size_t)order % 700 + 1));
    else
        price(order, depth - 1);
}

static void keep(int order, int times) {
    free(kept[order % 64]);
    kept[order % 64] = text_new((size_t)(order % 3000 + 1) * (size_t)times);
}

int main(int argc, char **argv) {
    int times = argc > 2 ? atoi(argv[2]) : 1;
    for (int i = 0; i < (argc > 1 ? atoi(argv[1]) : 1000); i++) {
        price(i, 6);
        keep(i, times);
    }
    return 0;
}
