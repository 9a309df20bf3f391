/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of a symbol table by address (see symbol_table.h): libdwfl's own search looks at every symbol each time. */
#include "gate/symbols/symbol_table.h"

#if GATE_HAS_DW
#include <stdlib.h>

enum { OVERLAPS_MAX = 16 };

static bool is_function(const GElf_Sym *symbol, const char *name) {
    int type = GELF_ST_TYPE(symbol->st_info);
    if (symbol->st_shndx == SHN_UNDEF || name == NULL || name[0] == '\0' || name[0] == '$') /* "$x": marks of ARM */
        return false;
    return type == STT_FUNC || type == STT_GNU_IFUNC || (type == STT_NOTYPE && symbol->st_size != 0);
}

static uint32_t rank_of(const GElf_Sym *symbol) {
    int binding = GELF_ST_BIND(symbol->st_info);
    return binding == STB_GLOBAL ? 0 : binding == STB_WEAK ? 1 : 2;
}

static int row_compare(const void *a, const void *b) {
    const struct gate_symbol_row *left = a, *right = b;
    if (left->start != right->start)
        return left->start < right->start ? -1 : 1;
    bool has_size[2] = {left->end > left->start, right->end > right->start};
    if (has_size[0] != has_size[1])
        return has_size[0] ? -1 : 1;
    if (left->rank != right->rank)
        return left->rank < right->rank ? -1 : 1;
    return strcmp(left->name, right->name);
}

/* What has no size reaches to what comes next. */
static void ends_fill(struct gate_symbol_table *table) {
    GElf_Addr next = 0;
    for (size_t i = table->count; i-- > 0;) {
        struct gate_symbol_row *row = &table->rows[i];
        if (row->end <= row->start)
            row->end = next > row->start ? next : row->start + 1;
        if (i > 0 && table->rows[i - 1].start != row->start)
            next = row->start;
    }
}

bool gate_symbol_table_open(struct gate_symbol_table *out, Dwfl_Module *module, struct gate_arena *arena) {
    int count = dwfl_module_getsymtab(module);
    *out = (struct gate_symbol_table){0};
    for (int i = 1; i < count; i++) {
        GElf_Sym symbol;
        GElf_Addr address = 0;
        const char *name = dwfl_module_getsym_info(module, i, &symbol, &address, NULL, NULL, NULL);
        if (name == NULL || !is_function(&symbol, name))
            continue;
        struct gate_symbol_row *grown = gate_arena_regrow(arena, out->rows, out->count, &out->capacity, sizeof *grown);
        if (grown == NULL)
            return false;
        out->rows = grown;
        GElf_Addr size = symbol.st_size <= UINT64_MAX - address ? symbol.st_size : 0;
        out->rows[out->count++] = (struct gate_symbol_row){address, address + size, name, rank_of(&symbol)};
    }
    if (out->count > 1)
        qsort(out->rows, out->count, sizeof *out->rows, row_compare);
    ends_fill(out);
    return true;
}

struct gate_str gate_symbol_table_find(const struct gate_symbol_table *table, GElf_Addr address) {
    size_t low = 0, high = table->count; /* rows before `low` begin at or before the address */
    const struct gate_symbol_row *best = NULL;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (table->rows[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    for (size_t back = 0; low > 0 && back < OVERLAPS_MAX; back++) {
        const struct gate_symbol_row *row = &table->rows[--low];
        if (best != NULL && row->start != best->start)
            break;
        if (address < row->end)
            best = row; /* of those at one place the first in order, which is met last */
    }
    if (best == NULL)
        return GATE_STR("");
    const char *version = strchr(best->name, '@');
    size_t len = version == NULL || version == best->name ? strlen(best->name) : (size_t)(version - best->name);
    return (struct gate_str){best->name, len};
}
#endif
