/* SPDX-License-Identifier: Apache-2.0 */
/* A program that DHAT records: blocks that are freed, kept and leaked, in two paths. Usage: shop ROUNDS */
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

static void keep(int order) {
    free(kept[order % 64]);
    kept[order % 64] = text_new((size_t)order % 3000 + 1);
}

int main(int argc, char **argv) {
    for (int i = 0; i < (argc > 1 ? atoi(argv[1]) : 1000); i++) {
        price(i, 6);
        keep(i);
    }
    return 0;
}
