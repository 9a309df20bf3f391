/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/symbols/dwarf.h"

#if GATE_HAS_DW
#include "gate/base/search.h"
#include "gate/base/str.h"
#include "gate/base/table.h"
#include "gate/symbols/demangle.h"

#include <dwarf.h>
#include <stdlib.h>

/* ---- the function at an address and the calls inlined there ------------------------------------------------------ */

/* libdw's own search needs a table of addresses that clang does not write, and walks a whole unit for each address.
 * Here, units and functions are indexed once. */

enum { NESTING_MAX = 64, CODE_INDEX_OVERLAPS_MAX = 64 };
enum { CPP_17 = 0x2a, CPP_20 = 0x2b }; /* DW_LANG values that older headers lack */

/* ---- ranges ------------------------------------------------------------------------------------------------------ */

static int range_compare(const void *a, const void *b) {
    const struct gate_code_range *left = a, *right = b;
    if (left->low != right->low)
        return left->low < right->low ? -1 : 1;
    return left->index < right->index ? -1 : left->index > right->index;
}

static bool ranges_add(struct gate_code_ranges *ranges, Dwarf_Die *die, uint32_t index, struct gate_arena *arena) {
    Dwarf_Addr base = 0, low = 0, high = 0;
    for (ptrdiff_t at = dwarf_ranges(die, 0, &base, &low, &high); at > 0;
         at = dwarf_ranges(die, at, &base, &low, &high)) {
        if (low >= high || low == 0) /* ranges of code that the linker removed start at 0 */
            continue;
        if (!GATE_REGROW(arena, ranges->items, ranges->count, ranges->capacity))
            return false;
        ranges->items[ranges->count++] = (struct gate_code_range){low, high, index};
    }
    return true;
}

static void ranges_sort(struct gate_code_ranges *ranges) {
    if (ranges->count > 1)
        qsort(ranges->items, ranges->count, sizeof *ranges->items, range_compare);
}

/* Return the range that contains the address and has the highest start, or NULL. */
static const struct gate_code_range *ranges_find(const struct gate_code_ranges *ranges, Dwarf_Addr address) {
    size_t at = 0;
    GATE_SEARCH(at, ranges->count, ranges->items[at].low <= address);
    for (size_t back = 0; at > 0 && back < CODE_INDEX_OVERLAPS_MAX; back++)
        if (address < ranges->items[--at].high)
            return &ranges->items[at];
    return NULL;
}

/* ---- units and functions ----------------------------------------------------------------------------------------- */

static bool unit_add(struct gate_code_index *index, Dwarf_Die *die) {
    Dwarf_Attribute attribute;
    if (!GATE_GROW(index->arena, index->units, index->unit_count, index->unit_capacity))
        return false;
    index->units[index->unit_count] =
        (struct gate_code_unit){.die = *die, .folder = dwarf_formstring(dwarf_attr(die, DW_AT_comp_dir, &attribute))};
    return ranges_add(&index->ranges, die, (uint32_t)index->unit_count++, index->arena);
}

bool gate_code_index_open(struct gate_code_index *out, Dwarf *dwarf, struct gate_arena *arena) {
    Dwarf_CU *unit = NULL;
    Dwarf_Die die, split; /* `split` is cleared for a unit that is not in a .dwo file */
    *out = (struct gate_code_index){.arena = arena};
    gate_table_init(&out->local_keys, arena);
    while (dwarf_get_units(dwarf, unit, &unit, NULL, NULL, &die, &split) == 0) {
        if (dwarf_tag(&die) != DW_TAG_compile_unit && dwarf_tag(&die) != DW_TAG_skeleton_unit)
            continue;
        if (!unit_add(out, &die))
            return false;
        if (dwarf_tag(&split) ==
            DW_TAG_compile_unit) /* the .dwo file's unit has the functions, the skeleton unit has the addresses */
            out->units[out->unit_count - 1].die = split;
    }
    ranges_sort(&out->ranges);
    return true;
}

static bool holds_functions(int tag) {
    return tag == DW_TAG_namespace || tag == DW_TAG_structure_type || tag == DW_TAG_class_type ||
           tag == DW_TAG_union_type || tag == DW_TAG_enumeration_type || tag == DW_TAG_module;
}

static bool function_add(struct gate_code_unit *unit, Dwarf_Die *die, struct gate_arena *arena) {
    size_t before = unit->ranges.count;
    if (!ranges_add(&unit->ranges, die, (uint32_t)unit->function_count, arena))
        return false;
    if (unit->ranges.count == before)
        return true; /* a declaration has no ranges */
    if (!GATE_REGROW(arena, unit->functions, unit->function_count, unit->function_capacity))
        return false;
    unit->functions[unit->function_count++] = *die;
    return true;
}

static bool functions_collect(struct gate_code_unit *unit, Dwarf_Die *parent, uint32_t depth,
                              struct gate_arena *arena) {
    Dwarf_Die die;
    bool ok = true;
    if (depth > NESTING_MAX || dwarf_child(parent, &die) != 0)
        return true;
    do {
        int tag = dwarf_tag(&die);
        if (tag == DW_TAG_subprogram)
            ok = function_add(unit, &die, arena);
        else if (holds_functions(tag))
            ok = functions_collect(unit, &die, depth + 1, arena);
    } while (ok && dwarf_siblingof(&die, &die) == 0);
    return ok;
}

static struct gate_code_unit *unit_of(struct gate_code_index *index, Dwarf_Addr address) {
    const struct gate_code_range *range = ranges_find(&index->ranges, address);
    if (range == NULL)
        return NULL;
    struct gate_code_unit *unit = &index->units[range->index];
    if (!unit->is_read) {
        if (!functions_collect(unit, &unit->die, 0, index->arena))
            return NULL;
        ranges_sort(&unit->ranges);
        unit->is_read = true;
    }
    return unit;
}

/* ---- calls ------------------------------------------------------------------------------------------------------- */

/* Find a child of `parent` that contains the address: an inlined call, or a block that may contain one. */
static bool child_find(Dwarf_Die *out, Dwarf_Die *parent, Dwarf_Addr address) {
    if (dwarf_child(parent, out) != 0)
        return false;
    do {
        int tag = dwarf_tag(out);
        if ((tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block || tag == DW_TAG_try_block ||
             tag == DW_TAG_catch_block || tag == DW_TAG_subprogram) &&
            dwarf_haspc(out, address) > 0)
            return true;
    } while (dwarf_siblingof(out, out) == 0);
    return false;
}

/* Collect the functions at the address, outermost first. Return their number. */
static uint32_t chain_find(Dwarf_Die chain[GATE_SYMBOL_LINES_MAX], Dwarf_Die *function, Dwarf_Addr address) {
    uint32_t count = 1;
    Dwarf_Die at = *function, child;
    chain[0] = at;
    for (uint32_t depth = 0; depth < 4 * GATE_SYMBOL_LINES_MAX && child_find(&child, &at, address); depth++) {
        at = child;
        if (dwarf_tag(&at) == DW_TAG_subprogram) /* a nested function is not a call from the function around it */
            count = 0;
        else if (dwarf_tag(&at) != DW_TAG_inlined_subroutine)
            continue;
        if (count ==
            GATE_SYMBOL_LINES_MAX) /* no room: drop the outermost call, because the innermost are more important */
            memmove(chain, chain + 1, --count * sizeof *chain);
        chain[count++] = at;
    }
    return count;
}

static struct gate_str text_of(const char *text) {
    return text == NULL ? GATE_STR("") : gate_str_from(text);
}

static int64_t number_of(Dwarf_Die *die, unsigned name) {
    Dwarf_Attribute attribute;
    Dwarf_Word value = 0;
    if (dwarf_formudata(dwarf_attr_integrate(die, name, &attribute), &value) != 0 || value > INT32_MAX)
        return 0;
    return (int64_t)value;
}

static bool is_cpp(Dwarf_Die *unit) {
    int language = dwarf_srclang(unit);
    return language == DW_LANG_C_plus_plus || language == DW_LANG_C_plus_plus_03 ||
           language == DW_LANG_C_plus_plus_11 || language == DW_LANG_C_plus_plus_14 || language == CPP_17 ||
           language == CPP_20;
}

/* Return the text with integer types as the demangler writes them: gcc writes "long unsigned int" in "Cart<…>". */
static struct gate_str types_respelled(struct gate_str text, struct gate_arena *arena) {
    static const struct {
        const char *from, *to;
    } types[] = {{"long long unsigned int", "unsigned long long"},
                 {"long long int", "long long"},
                 {"long unsigned int", "unsigned long"},
                 {"short unsigned int", "unsigned short"},
                 {"long int", "long"},
                 {"short int", "short"}};
    if (gate_str_find(text, GATE_STR(" int"), 0) == SIZE_MAX)
        return text;
    char *copy = gate_arena_alloc(arena, text.len + 1); /* no type gets longer */
    size_t len = 0;
    for (size_t at = 0; copy != NULL && at < text.len;) {
        struct gate_str rest = gate_str_slice(text, at, text.len), to = gate_str_slice(text, at, at + 1);
        size_t from = 1;
        bool is_word = at > 0 && (gate_is_letter(text.ptr[at - 1]) || text.ptr[at - 1] == '_');
        for (size_t i = 0; !is_word && from == 1 && i < sizeof types / sizeof *types; i++)
            if (gate_str_starts(rest, gate_str_from(types[i].from))) {
                from = strlen(types[i].from);
                to = gate_str_from(types[i].to);
            }
        memcpy(copy + len, to.ptr, to.len);
        len += to.len;
        at += from;
    }
    return copy == NULL ? text : (struct gate_str){copy, len};
}

static bool is_class(int tag) {
    return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

/* Return the name of a scope. A class without a name is a lambda if it has a call operator. The demangler numbers
 * those, but debug information has no number; stable names have '*' there. */
static struct gate_str scope_name(Dwarf_Die *scope) {
    Dwarf_Die die;
    if (dwarf_diename(scope) != NULL)
        return gate_str_from(dwarf_diename(scope));
    if (!is_class(dwarf_tag(scope)))
        return GATE_STR("(anonymous namespace)");
    if (dwarf_child(scope, &die) == 0)
        do {
            const char *name = dwarf_tag(&die) == DW_TAG_subprogram ? dwarf_diename(&die) : NULL;
            if (name != NULL && strncmp(name, "operator()", strlen("operator()")) == 0)
                return GATE_STR("{lambda#*}");
        } while (dwarf_siblingof(&die, &die) == 0);
    return GATE_STR("{unnamed type#*}");
}

static const char *linkage_name(Dwarf_Die *die) {
    Dwarf_Attribute attribute;
    const char *linkage = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute));
    return linkage != NULL ? linkage : dwarf_formstring(dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attribute));
}

/* Follow the references from an inlined call to its function and to the declaration. Return the last one, whose scope
 * is that of the function. */
static Dwarf_Die origin_of(const Dwarf_Die *die) {
    Dwarf_Attribute attribute;
    Dwarf_Die origin = *die, next;
    for (int step = 0; step < NESTING_MAX; step++) {
        Dwarf_Attribute *link = dwarf_attr(&origin, DW_AT_abstract_origin, &attribute);
        link = link != NULL ? link : dwarf_attr(&origin, DW_AT_specification, &attribute);
        if (dwarf_formref_die(link, &next) == NULL)
            break;
        origin = next;
    }
    return origin;
}

/* Return the qualified name of the function around a local class or lambda if the function has a linkage name;
 * `.len` 0 otherwise. */
static struct gate_str function_around(Dwarf_Die *scope, struct gate_arena *arena) {
    const char *linkage = linkage_name(scope);
    struct gate_str name = linkage == NULL ? GATE_STR("") : gate_demangle(arena, gate_str_from(linkage));
    return name.ptr == NULL || gate_demangle_is_mangled(name) ? GATE_STR("") : name;
}

/* Build the qualified name of a function that is local to a file and thus has no linkage name: "ns::mix", from the
 * scopes around it. A function is a scope only of its classes and lambdas: "ns::run::{lambda#*}::operator()". */
static struct gate_str qualified_name(Dwarf_Die *die, const char *name, struct gate_arena *arena) {
    Dwarf_Die *scopes = NULL, origin = origin_of(die);
    int count = dwarf_getscopes_die(&origin, &scopes);
    struct gate_str whole = types_respelled(gate_str_from(name), arena);
    bool is_in_class = false;
    for (int i = 1, step = 0; i < count && step < NESTING_MAX && whole.ptr != NULL; i++, step++) {
        int tag = dwarf_tag(&scopes[i]);
        bool is_function = tag == DW_TAG_subprogram && is_in_class;
        if (tag != DW_TAG_namespace && !is_class(tag) && !is_function)
            continue;
        struct gate_str outer = is_function ? function_around(&scopes[i], arena) : GATE_STR("");
        bool is_whole = outer.len != 0;
        if (!is_whole)
            outer = types_respelled(scope_name(&scopes[i]), arena);
        whole = gate_str_format(arena, "%.*s::%.*s", GATE_STR_ARG(outer), GATE_STR_ARG(whole));
        is_in_class = is_class(tag);
        if (is_whole)
            break;
        if (is_function) { /* continue with the scopes around its declaration */
            Dwarf_Die *around = NULL;
            origin = origin_of(&scopes[i]);
            count = dwarf_getscopes_die(&origin, &around);
            free(scopes);
            scopes = around;
            i = 0;
        }
    }
    free(scopes);
    return whole.ptr == NULL ? gate_str_from(name) : whole;
}

/* Return the qualified name of a local function. Cached per function, because building it walks the unit. */
static struct gate_str local_name(struct gate_code_index *index, struct gate_code_unit *unit, Dwarf_Die *die,
                                  const char *name) {
    Dwarf_Off offset = dwarf_dieoffset(die);
    if (!is_cpp(&unit->die))
        return gate_str_from(name);
    struct gate_str key = {(const char *)&offset, sizeof offset};
    uint32_t known = index->local_keys.count;
    if (!GATE_GROW(index->arena, index->local_names, known, index->local_capacity))
        return gate_str_from(name);
    uint32_t at = gate_table_intern_copy(&index->local_keys, key);
    if (at == GATE_TABLE_NONE || at < known)
        return at == GATE_TABLE_NONE ? gate_str_from(name) : index->local_names[at];
    return index->local_names[at] = qualified_name(die, name, index->arena);
}

static void function_name(struct gate_symbol_line *line, struct gate_code_index *index, struct gate_code_unit *unit,
                          Dwarf_Die *die) {
    const char *linkage = linkage_name(die);
    const char *name = dwarf_diename(die);
    line->system_name = text_of(linkage != NULL ? linkage : name);
    line->name = gate_demangle(index->arena, line->system_name);
    if (linkage == NULL && name != NULL)
        line->name = local_name(index, unit, die, name);
    else if (line->name.ptr == NULL || gate_demangle_is_mangled(line->name))
        line->name = text_of(name != NULL ? name : linkage);
    line->start_line = number_of(die, DW_AT_decl_line);
}

static struct gate_str file_of(const struct gate_code_unit *unit, const char *file, struct gate_arena *arena) {
    if (file == NULL || file[0] == '/' || unit->folder == NULL)
        return text_of(file);
    const char *path = strncmp(file, "./", 2) == 0 ? file + 2 : file;
    struct gate_str whole = gate_str_format(arena, "%s/%s", unit->folder, path);
    return whole.ptr == NULL ? GATE_STR("") : whole;
}

/* Set file and line of the inlined call `die` in the function that contains it. */
static void call_place(struct gate_symbol_line *line, struct gate_code_unit *unit, Dwarf_Die *die,
                       struct gate_arena *arena) {
    Dwarf_Files *files = NULL;
    size_t count = 0;
    int64_t file = number_of(die, DW_AT_call_file);
    line->line = number_of(die, DW_AT_call_line);
    if (file > 0 && dwarf_getsrcfiles(&unit->die, &files, &count) == 0 && (size_t)file < count)
        line->file = file_of(unit, dwarf_filesrc(files, (size_t)file, NULL, NULL), arena);
}

static void innermost_place(struct gate_symbol_line *line, struct gate_code_unit *unit, Dwarf_Addr address,
                            struct gate_arena *arena) {
    Dwarf_Line *row = dwarf_getsrc_die(&unit->die, address);
    int number = 0;
    if (row == NULL)
        return;
    line->file = file_of(unit, dwarf_linesrc(row, NULL, NULL), arena);
    if (dwarf_lineno(row, &number) == 0)
        line->line = number;
}

uint32_t gate_code_index_find(struct gate_symbol_line out[GATE_SYMBOL_LINES_MAX], struct gate_code_index *index,
                              Dwarf_Addr address) {
    Dwarf_Die chain[GATE_SYMBOL_LINES_MAX];
    struct gate_code_unit *unit = unit_of(index, address);
    const struct gate_code_range *range = unit == NULL ? NULL : ranges_find(&unit->ranges, address);
    if (range == NULL)
        return 0;
    uint32_t count = chain_find(chain, &unit->functions[range->index], address);
    for (uint32_t i = 0; i < count; i++) {
        Dwarf_Die *die = &chain[count - 1 - i];
        out[i] = (struct gate_symbol_line){.file = GATE_STR("")};
        function_name(&out[i], index, unit, die);
        if (i == 0)
            innermost_place(&out[i], unit, address, index->arena);
        else
            call_place(&out[i], unit, &chain[count - i], index->arena);
        if (out[i].name.len == 0) /* without a name, the symbol table is more useful */
            return 0;
    }
    return count;
}
#endif
