/* SPDX-License-Identifier: Apache-2.0 */
/* Source files, packages and namespaces that moved between two builds. */
#include "gate/compare/moved_files.h"

#include "gate/base/buf.h"
#include "gate/model/location.h"
#include "gate/model/profile.h"
#include "gate/model/sample.h"
#include "gate/names/frame_name.h"
#include "gate/names/own_code.h"
#include "gate/names/stable_names.h"

#include <string.h>

enum { WORD = 64 }; /* groups in a word of `groups` */
/* Limits on the work: files that are missing, or that may be their new places; pairs of folders; pairs of folders that
 * are compared by their functions; and folders of one path. Further ones are ignored. */
enum { FILES_MOST = 2000, LISTED_MOST = 20000, TRIED_MOST = 32, ENDS_MOST = 32 };

#define SEVERAL (GATE_NO_INDEX - 1)

/* A folder of the baseline and one of the canary that have files of the same names. */
struct folders {
    struct gate_str before, after; /* with '/' at the end, or empty */
    uint32_t files;                /* number of files that both have */
    bool is_refuted;               /* their functions differ */
};

/* The first function of a file that is not nested in another one (is_nested); if all are, the first one. */
struct first_function {
    struct gate_code_place place;
    bool is_nested;
};

/* State of a search. `out` contains the files. */
struct search {
    struct gate_moved_files *out;
    struct gate_table names;       /* stable names that contain a file */
    uint32_t *file_of_name;        /* by index in `names` */
    double *costs;                 /* Go only, over all runs: cost charged to each function, by index in `names` */
    struct first_function *firsts; /* by file */
    size_t capacity, cost_capacity, first_capacity;
    enum gate_language language;
    uint32_t group_count, words; /* number of words of a file's `groups` */
    bool is_rough;               /* fast first search: names are not made stable, and `names` stays empty */
    struct gate_arena *arena;
    struct gate_arena scratch;
};

/* The pairs of folders that were found. */
struct folders_list {
    struct gate_table keys; /* both paths with a space between them */
    struct folders *items;
    size_t capacity;
};

/* Return whether `at` is 0 or follows a separator: "/", or "::" in names of C++ and Rust. */
static bool is_after_separator(struct gate_str path, size_t at) {
    return at == 0 || path.ptr[at - 1] == '/' || gate_str_ends((struct gate_str){path.ptr, at}, GATE_STR("::"));
}

/* Return the file in a name, "shop/cart.py" of "parse (shop/cart.py)" and of "parse - shop/cart.py"; empty: none. */
static struct gate_str file_in_name(struct gate_str name) {
    bool in_brackets = gate_str_ends(name, GATE_STR(")"));
    size_t end = name.len - in_brackets, at = end;
    bool has_dot = false;
    for (; at > 0 && (name.ptr[at - 1] != ' ' && name.ptr[at - 1] != '('); at--)
        has_dot = has_dot || name.ptr[at - 1] == '.';
    struct gate_str before = gate_str_slice(name, 0, at), file = gate_str_slice(name, at, end);
    bool is_file = has_dot && gate_str_ends(before, in_brackets ? GATE_STR(" (") : GATE_STR(" - "));
    return is_file && !gate_str_starts(file, GATE_STR("<")) ? file : GATE_STR("");
}

/* Return the package or class in front of a name: "acme/Cart" of the JVM's "acme/Cart.price" and "acme::Cart" of
 * "acme::Cart::price"; empty: none. */
static struct gate_str package_of(struct gate_str name) {
    size_t end = 0, from = 0;
    bool has_colons = false;
    for (size_t at = 1; at < name.len && strchr("<[( ", name.ptr[at]) == NULL; at++) {
        if (name.ptr[at - 1] == '/')
            from = end = at;
        if (name.ptr[at] == ':' && name.ptr[at - 1] == ':') {
            has_colons = true;
            end = at - 1;
        }
        if (name.ptr[at] == '.' && end == from && !has_colons)
            end = at;
    }
    return gate_str_slice(name, 0, end);
}

/* Like package_of, for names of Go. It is a separate function to be fast, because all profiles of Go are searched. */
static struct gate_str go_package_of(struct gate_str name) {
    size_t end = name.len;
    for (const char *mark = "(["; *mark != '\0' && end > 0; mark++) {
        const char *found = memchr(name.ptr, *mark, end);
        end = found == NULL ? end : (size_t)(found - name.ptr);
    }
    size_t from = gate_str_behind_last(gate_str_slice(name, 0, end), '/');
    const char *dot = from == end ? NULL : memchr(name.ptr + from, '.', end - from);
    return gate_str_slice(name, 0, dot == NULL ? 0 : (size_t)(dot - name.ptr));
}

static struct gate_str file_of(struct gate_str name) {
    struct gate_str file = file_in_name(name);
    return file.len != 0 ? file : package_of(name);
}

/* Return the function in a name of Go, ".(*Item).Price" of "acme/cart.(*Item).Price". */
static struct gate_str function_of(struct gate_str name) {
    return gate_str_slice(name, go_package_of(name).len, name.len);
}

/* Return whether a function of Go is nested in another one and named by the compiler. It is a closure, the body of a
 * loop over a function, or the call of a go or defer statement. If the outer function was inlined, the nested one has
 * the file of another package: "shop/cart.find.Search.func1" is in sort/search.go. */
static bool is_nested(struct gate_str name) {
    static const char *const marks[] = {".func", "-range", ".gowrap", ".deferwrap"};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        struct gate_str mark = gate_str_from(marks[i]);
        for (size_t at = gate_str_find(name, mark, 0); at != SIZE_MAX; at = gate_str_find(name, mark, at + 1)) {
            char next = at + mark.len < name.len ? name.ptr[at + mark.len] : '\0';
            if (gate_is_digit(next) || next == '*')
                return true;
        }
    }
    return false;
}

/* Return whether a function of Go belongs to a package that cannot move: a library, third-party code, or the program's
 * main package. */
static bool keeps_path(enum gate_language language, const struct gate_code_place *place) {
    return gate_own_code_of(language, place) != GATE_CODE_OWN ||
           gate_str_equal(go_package_of(place->function), GATE_STR("main"));
}

static bool has_file(const struct gate_moved_file *file, uint32_t group) {
    return (file->groups[group / WORD] >> group % WORD & 1) != 0;
}

static void group_add(struct gate_moved_file *file, uint32_t group) {
    file->group_count += !has_file(file, group);
    file->groups[group / WORD] |= UINT64_C(1) << group % WORD;
}

/* Return the file or package in a name. For Go, only its own form of names is tried. */
static struct gate_str path_in_name(const struct search *search, struct gate_str name) {
    return search->language == GATE_LANGUAGE_GO ? go_package_of(name) : file_of(name);
}

/* Return the index of a path. A new path is added, with the function at `place` as its first one. Returns
 * GATE_TABLE_NONE if the arena is full. */
static uint32_t file_add(struct search *search, struct gate_str path, const struct gate_code_place *place) {
    struct gate_moved_files *out = search->out;
    uint32_t files = out->paths.count;
    uint32_t file = search->is_rough ? gate_table_intern(&out->paths, path) : gate_table_intern_copy(&out->paths, path);
    if (file != files) {
        if (file != GATE_TABLE_NONE && search->firsts[file].is_nested && !is_nested(place->function))
            search->firsts[file] = (struct first_function){.place = *place};
        return file;
    }
    if (!GATE_GROW(search->arena, out->items, files, out->capacity) ||
        !GATE_GROW(&search->scratch, search->firsts, files, search->first_capacity))
        return GATE_TABLE_NONE;
    bool is_nested_in_go = search->language == GATE_LANGUAGE_GO && is_nested(place->function);
    search->firsts[file] = (struct first_function){.place = *place, .is_nested = is_nested_in_go};
    out->items[file] = (struct gate_moved_file){.groups = GATE_NEW_ARRAY(search->arena, uint64_t, search->words)};
    return out->items[file].groups == NULL ? GATE_TABLE_NONE : file;
}

/* Add a function's file and name. `index` is set to the index of its name, or GATE_NO_INDEX if it has no file. */
static bool name_add(struct search *search, const struct gate_code_place *place, uint32_t group, uint32_t *index) {
    struct gate_str name = place->function;
    *index = GATE_NO_INDEX;
    struct gate_str path = path_in_name(search, name), stable = name;
    if (path.len == 0) /* fast check before the name is made stable */
        return true;
    if (!search->is_rough) {
        stable = gate_name_stable(&search->scratch, name);
        if (stable.ptr == NULL)
            return false;
        path = path_in_name(search, stable);
        if (path.len == 0)
            return true;
    }
    uint32_t file = file_add(search, path, place), names = search->names.count;
    if (file == GATE_TABLE_NONE)
        return false;
    struct gate_moved_file *item = &search->out->items[file];
    group_add(item, group);
    if (search->is_rough)
        return true;
    *index = gate_table_intern(&search->names, stable);
    if (*index == GATE_TABLE_NONE || !GATE_GROW(&search->scratch, search->file_of_name, names, search->capacity) ||
        !GATE_GROW(&search->scratch, search->costs, names, search->cost_capacity))
        return false;
    if (*index == names) {
        search->file_of_name[*index] = file;
        search->costs[*index] = 0.0;
    }
    if (search->language == GATE_LANGUAGE_GO && !item->is_kept && !is_nested(place->function))
        item->is_kept = keeps_path(search->language, place);
    return true;
}

/* Return whether the newest group lacks a file that may have moved and whose new path is not found yet. */
static bool is_missing(const struct search *search, uint32_t index) {
    const struct gate_moved_file *file = &search->out->items[index];
    return file->now.len == 0 && !file->is_kept && !has_file(file, search->group_count - 1);
}

/* Return whether a file may be the new place of another one: the newest group has it, and some group lacks it. */
static bool is_candidate(const struct search *search, uint32_t index) {
    const struct gate_moved_file *file = &search->out->items[index];
    return file->group_count < search->group_count && !file->is_kept && has_file(file, search->group_count - 1);
}

/* Return whether some group has both files. They are then different files. */
static bool share_group(const struct search *search, uint32_t one, uint32_t other) {
    const struct gate_moved_file *a = &search->out->items[one], *b = &search->out->items[other];
    for (uint32_t i = 0; i < search->words; i++)
        if ((a->groups[i] & b->groups[i]) != 0)
            return true;
    return false;
}

/* Return the folder of a file, or the package or namespace of a class, with the separator at its end. */
static struct gate_str folder_of(struct gate_str path) {
    size_t end = path.len;
    while (end > 0 && !is_after_separator(path, end))
        end--;
    return gate_str_slice(path, 0, end);
}

/* Return the index of a path to which file `from` may have moved, or GATE_TABLE_NONE. */
static uint32_t candidate_at(const struct search *search, uint32_t from, struct gate_str path) {
    uint32_t index = path.ptr == NULL ? GATE_TABLE_NONE : gate_table_find(&search->out->paths, path);
    return index != GATE_TABLE_NONE && is_candidate(search, index) && !share_group(search, from, index)
               ? index
               : GATE_TABLE_NONE;
}

static void record_move(struct search *search, uint32_t from, uint32_t to) {
    struct gate_moved_file *file = &search->out->items[from], *place = &search->out->items[to];
    file->now = search->out->paths.keys[to];
    for (uint32_t group = 0; group < search->group_count; group++)
        if (has_file(file, group))
            group_add(place, group);
    search->out->count++;
}

/* Find modules that became packages, and packages that became modules. */
static bool find_converted_modules(struct search *search) {
    const struct gate_moved_files *files = search->out;
    const struct gate_str module = GATE_STR(".py"), package = GATE_STR("/__init__.py");
    for (uint32_t i = 0; i < files->paths.count; i++) {
        struct gate_str path = files->paths.keys[i], other;
        if (!is_missing(search, i) || !gate_str_ends(path, module))
            continue;
        bool is_package = gate_str_ends(path, package);
        struct gate_str stem = gate_str_slice(path, 0, path.len - (is_package ? package.len : module.len));
        other = gate_str_format(&search->scratch, "%.*s%.*s", GATE_STR_ARG(stem),
                                GATE_STR_ARG(is_package ? module : package));
        if (other.ptr == NULL)
            return false;
        uint32_t to = candidate_at(search, i, other);
        if (to != GATE_TABLE_NONE)
            record_move(search, i, to);
    }
    return true;
}

/* Split two paths before the longest end that they have in common, at a separator. Returns false if not even the names
 * of the files are equal. */
static bool split_common_end(struct folders *out, struct gate_str before, struct gate_str after) {
    size_t same = 0, common = SIZE_MAX;
    for (; same <= before.len && same <= after.len; same++) {
        if (same > 0 && is_after_separator(before, before.len - same) && is_after_separator(after, after.len - same))
            common = same;
        if (same == before.len || same == after.len ||
            before.ptr[before.len - same - 1] != after.ptr[after.len - same - 1])
            break;
    }
    if (common == SIZE_MAX)
        return false;
    *out = (struct folders){.before = gate_str_slice(before, 0, before.len - common),
                            .after = gate_str_slice(after, 0, after.len - common)};
    return true;
}

/* Return a folder without the separator at its end. */
static struct gate_str folder_name(struct gate_str folder) {
    size_t separator = gate_str_ends(folder, GATE_STR("::")) ? 2 : folder.len > 0;
    return gate_str_slice(folder, 0, folder.len - separator);
}

/* Return `path` with its folder `from` replaced by `to`. The package "shop" counts as the folder "shop/". Returns an
 * empty text if `path` is not in `from`; `.ptr` is NULL if the arena is full. */
static struct gate_str replace_folder(struct gate_str path, struct gate_str from, struct gate_str to,
                                      struct gate_arena *arena) {
    if (from.len != 0 && gate_str_equal(path, folder_name(from)))
        return folder_name(to);
    return gate_str_starts(path, from) ? gate_str_format(arena, "%.*s%.*s", GATE_STR_ARG(to),
                                                         GATE_STR_ARG(gate_str_slice(path, from.len, path.len)))
                                       : GATE_STR("");
}

/* Return the index of the place that a missing file has in the folder `folders->after`, or GATE_TABLE_NONE. Clears
 * `*ok` if the arena is full. */
static uint32_t candidate_in_folder(struct search *search, uint32_t file, const struct folders *folders, bool *ok) {
    const struct gate_moved_files *files = search->out;
    if (!is_missing(search, file))
        return GATE_TABLE_NONE;
    struct gate_str now = replace_folder(files->paths.keys[file], folders->before, folders->after, &search->scratch);
    *ok = *ok && now.ptr != NULL;
    return candidate_at(search, file, now);
}

/* Return a name with another path in place of its own. `.ptr` NULL: the arena is full. */
static struct gate_str replace_path(struct gate_str name, struct gate_str path, struct gate_arena *arena) {
    struct gate_str file = file_of(name);
    size_t at = (size_t)(file.ptr - name.ptr);
    return gate_str_format(arena, "%.*s%.*s%.*s", GATE_STR_ARG(gate_str_slice(name, 0, at)), GATE_STR_ARG(path),
                           GATE_STR_ARG(gate_str_slice(name, at + file.len, name.len)));
}

/* The functions that two files, or the files of two folders, have in common. Costs are 0 except in Go. */
struct overlap {
    uint32_t before, after, same;                   /* numbers of functions */
    double cost[GATE_SIDES], same_cost[GATE_SIDES]; /* charged cost of all of them, and of those that both have */
};

/* Return whether the functions that both sides have are at least half of those of the side with fewer, and have at
 * least half of the cost of each side. */
static bool have_half_in_common(const struct overlap *found) {
    bool is_half_of_cost = 2.0 * found->same_cost[GATE_BASELINE] >= found->cost[GATE_BASELINE] &&
                           2.0 * found->same_cost[GATE_CANARY] >= found->cost[GATE_CANARY];
    return is_half_of_cost && 2 * found->same >= (found->before < found->after ? found->before : found->after);
}

/* Return the function in a name: "parse (" of "parse (shop/cart.py)", ".price" of "acme/Cart.price". */
static struct gate_str function_in_name(const struct search *search, uint32_t index) {
    struct gate_str name = search->names.keys[index], file = file_in_name(name);
    if (search->language == GATE_LANGUAGE_GO)
        return function_of(name);
    return file.len != 0 ? gate_str_slice(name, 0, (size_t)(file.ptr - name.ptr))
                         : gate_str_slice(name, package_of(name).len, name.len);
}

/* Return whether the programmer chose the name at `index`: it is not "<module>", a constructor or lambda of the JVM, a
 * closure, or Go's "init". */
static bool is_author_named(const struct search *search, uint32_t index) {
    struct gate_str function = function_in_name(search, index);
    for (size_t i = 0; search->language != GATE_LANGUAGE_GO && i < function.len; i++)
        if (strchr("<{$", function.ptr[i]) != NULL)
            return false;
    return !is_nested(function) && !gate_str_starts(function, GATE_STR(".init.")) &&
           !gate_str_equal(function, GATE_STR(".init"));
}

/* Return 1 if the function counts as one in an overlap, else 0: closures of Go and the like do not count. */
static uint32_t function_weight(const struct search *search, uint32_t index) {
    return search->language != GATE_LANGUAGE_GO || is_author_named(search, index);
}

/* Add the old function at `index` to the overlap. Return whether file `to` has a function of the same name. */
static bool overlap_add(struct overlap *out, struct search *search, uint32_t index, uint32_t to, bool *ok) {
    struct gate_str now = replace_path(search->names.keys[index], search->out->paths.keys[to], &search->scratch);
    *ok = *ok && now.ptr != NULL;
    uint32_t same = *ok ? gate_table_find(&search->names, now) : GATE_TABLE_NONE;
    out->before += function_weight(search, index);
    out->cost[GATE_BASELINE] += search->costs[index];
    if (same == GATE_TABLE_NONE)
        return false;
    out->same += function_weight(search, index);
    out->same_cost[GATE_BASELINE] += search->costs[index];
    out->same_cost[GATE_CANARY] += search->costs[same];
    return true;
}

/* Return whether the files that two folders have in common also have half of the functions in common, of the side with
 * fewer. File names alone are not enough: every part of a program may have a "models.py" and a "views.py". */
static bool have_same_functions(struct search *search, const struct folders *folders, bool *ok) {
    const struct gate_moved_files *files = search->out;
    struct overlap found = {0};
    for (uint32_t i = 0; *ok && i < search->names.count; i++) {
        uint32_t file = search->file_of_name[i], to = candidate_in_folder(search, file, folders, ok);
        if (is_candidate(search, file)) {
            struct gate_str old =
                replace_folder(files->paths.keys[file], folders->after, folders->before, &search->scratch);
            uint32_t from = old.len == 0 ? GATE_TABLE_NONE : gate_table_find(&files->paths, old);
            bool is_there = from != GATE_TABLE_NONE && is_missing(search, from) && !share_group(search, from, file);
            found.after += is_there ? function_weight(search, i) : 0;
            found.cost[GATE_CANARY] += is_there ? search->costs[i] : 0.0;
            *ok = *ok && old.ptr != NULL;
        }
        if (to != GATE_TABLE_NONE)
            (void)overlap_add(&found, search, i, to, ok);
    }
    return have_half_in_common(&found);
}

/* Count one more file of a pair of folders, which is added if it is new. `key` is a scratch buffer. */
static bool folders_add(struct folders_list *out, const struct folders *folders, struct gate_buf *key,
                        struct gate_arena *scratch) {
    key->len = 0;
    gate_buf_str(key, folders->before);
    gate_buf_text(key, " ");
    gate_buf_str(key, folders->after);
    struct gate_str text = gate_buf_view(key);
    uint32_t known = out->keys.count;
    if (known == LISTED_MOST && gate_table_find(&out->keys, text) == GATE_TABLE_NONE)
        return true;
    uint32_t index = key->failed ? GATE_TABLE_NONE : gate_table_intern_copy(&out->keys, text);
    if (index == GATE_TABLE_NONE || !GATE_GROW(scratch, out->items, known, out->capacity))
        return false;
    if (index == known)
        out->items[index] = *folders;
    out->items[index].files++;
    return true;
}

/* List the pairs of folders of all missing files and their candidates, with the number of common files. */
static bool list_folders(struct folders_list *out, struct search *search) {
    const struct gate_moved_files *files = search->out;
    struct gate_buf key = {0};
    bool ok = true;
    gate_table_init(&out->keys, &search->scratch);
    for (uint32_t i = 0; ok && i < files->paths.count; i++)
        for (uint32_t k = 0; ok && is_missing(search, i) && k < files->paths.count; k++) {
            struct folders at;
            if (is_candidate(search, k) && !share_group(search, i, k) &&
                split_common_end(&at, files->paths.keys[i], files->paths.keys[k]))
                ok = folders_add(out, &at, &key, &search->scratch);
        }
    gate_buf_free(&key);
    return ok;
}

/* Return the pair with most common files that is not refuted, or NULL. */
static struct folders *most_in_common(const struct folders_list *list) {
    struct folders *most = NULL;
    for (uint32_t i = 0; i < list->keys.count; i++)
        if (!list->items[i].is_refuted && (most == NULL || list->items[i].files > most->files))
            most = &list->items[i];
    return most;
}

/* Return whether at least half of the missing files of a folder are in the other one. */
static bool have_half_of_files(const struct search *search, const struct folders *folders) {
    const struct gate_table *paths = &search->out->paths;
    uint32_t all = 0;
    for (uint32_t i = 0; i < paths->count; i++)
        all += is_missing(search, i) && gate_str_starts(paths->keys[i], folders->before);
    return 2 * folders->files >= all;
}

/* Return the pair of folders that are the same folder, with most files, or NULL. `is_single_file`: one file is missing,
 * and there is one candidate, so that a single common file is enough. */
static const struct folders *find_moved_folder(const struct folders_list *list, struct search *search,
                                               bool is_single_file, bool *ok) {
    for (int n = 0; *ok && n < TRIED_MOST; n++) {
        struct folders *most = most_in_common(list);
        if (most == NULL || (most->files < 2 && !is_single_file))
            return NULL;
        if (have_half_of_files(search, most) && have_same_functions(search, most, ok))
            return most;
        most->is_refuted = true;
    }
    return NULL;
}

static uint32_t count_files(const struct search *search, bool (*is_one)(const struct search *search, uint32_t index)) {
    uint32_t files = 0;
    for (uint32_t i = 0; i < search->out->paths.count; i++)
        files += is_one(search, i);
    return files;
}

/* Record a namespace that moved as a whole: the newest group has no file in the old one. Its name also occurs elsewhere
 * in names, such as in the arguments of templates. Returns false if the arena is full. */
static bool keep_namespace(struct search *search, const struct folders *folders) {
    struct gate_moved_files *files = search->out;
    if (!gate_str_ends(folders->before, GATE_STR("::")))
        return true;
    for (uint32_t i = 0; i < files->paths.count; i++)
        if (has_file(&files->items[i], search->group_count - 1) &&
            gate_str_starts(files->paths.keys[i], folders->before))
            return true;
    struct gate_moved_namespace *kept = &files->namespaces[files->namespace_count++];
    kept->before = gate_str_copy(search->arena, folders->before);
    kept->now = gate_str_copy(search->arena, folders->after);
    return kept->before.ptr != NULL && kept->now.ptr != NULL;
}

/* Return whether some package that meets `is_one` may move, judged by its first function. */
static bool has_movable_package(const struct search *search,
                                bool (*is_one)(const struct search *search, uint32_t index)) {
    for (uint32_t i = 0; i < search->out->paths.count; i++)
        if (is_one(search, i) && !keeps_path(search->language, &search->firsts[i].place))
            return true;
    return false;
}

/* Return the file name extension of a path; empty for a class or package. */
static struct gate_str ending_of(struct gate_str path) {
    size_t at = gate_str_behind_last(path, '.');
    return gate_str_slice(path, at == 0 ? path.len : at, path.len);
}

/* Return whether some file of the folder `before` is in the folder `after` now. */
static bool has_moved_folder(const struct gate_moved_files *files, struct gate_str before, struct gate_str after) {
    for (uint32_t i = 0; i < files->paths.count; i++)
        if (files->items[i].now.len != 0 && gate_str_equal(folder_of(files->paths.keys[i]), before) &&
            gate_str_equal(folder_of(files->items[i].now), after))
            return true;
    return false;
}

/* Return whether file `from` may have been renamed to `to` in its folder; a package of Go may be in any folder. */
static bool may_be_renamed(const struct search *search, uint32_t from, uint32_t to) {
    const struct gate_str *paths = search->out->paths.keys;
    struct gate_str before = folder_of(paths[from]), after = folder_of(paths[to]);
    return is_missing(search, from) && is_candidate(search, to) && !share_group(search, from, to) &&
           (search->language == GATE_LANGUAGE_GO ||
            (gate_str_equal(ending_of(paths[from]), ending_of(paths[to])) &&
             (gate_str_equal(before, after) || has_moved_folder(search->out, before, after))));
}

/* Return whether folders may have moved. This compares paths only, before names of functions are compared. */
static bool may_have_moved(struct search *search, bool *ok) {
    struct folders_list list = {0};
    uint32_t before = count_files(search, is_missing), after = count_files(search, is_candidate);
    if (before == 0 || after == 0 || before > FILES_MOST || after > FILES_MOST)
        return false;
    if (search->language == GATE_LANGUAGE_GO) /* a package may have any other name */
        return has_movable_package(search, is_missing) && has_movable_package(search, is_candidate);
    for (uint32_t i = 0; before <= TRIED_MOST && after <= TRIED_MOST && i < search->out->paths.count; i++)
        for (uint32_t k = 0; is_missing(search, i) && k < search->out->paths.count; k++)
            if (may_be_renamed(search, i, k))
                return true;
    *ok = *ok && list_folders(&list, search);
    const struct folders *most = *ok ? most_in_common(&list) : NULL;
    return most != NULL && (most->files > 1 || (before == 1 && after == 1));
}

/* Find files whose folder has another name in the newest group. */
static bool find_moved_files(struct search *search) {
    struct gate_moved_files *files = search->out;
    bool ok = true;
    for (int n = 0; ok && n < GATE_MOVED_FOLDERS_MOST; n++) {
        struct folders_list list = {0};
        uint32_t before = count_files(search, is_missing), after = count_files(search, is_candidate);
        if (before > FILES_MOST || after > FILES_MOST)
            break;
        if (!list_folders(&list, search))
            return false;
        const struct folders *folders = find_moved_folder(&list, search, before == 1 && after == 1, &ok);
        if (folders == NULL)
            break;
        for (uint32_t i = 0; ok && i < files->paths.count; i++) {
            uint32_t to = candidate_in_folder(search, i, folders, &ok);
            if (to != GATE_TABLE_NONE)
                record_move(search, i, to);
        }
        ok = ok && keep_namespace(search, folders);
    }
    return ok;
}

/* ---- files and classes with another name in the same folder, and packages of Go with another name ---------------- */

/* Return whether only these two files have a function of the name at `index`. */
static bool is_function_unique(const struct search *search, uint32_t index, uint32_t one, uint32_t other) {
    struct gate_str function = function_in_name(search, index);
    for (uint32_t i = 0; i < search->names.count; i++)
        if (search->file_of_name[i] != one && search->file_of_name[i] != other &&
            gate_str_equal(function_in_name(search, i), function))
            return false;
    return true;
}

/* Return whether file `to` may be file `from` with another name. It must have half of the functions of the file with
 * fewer. One of these must have a name that no other file has. */
static bool has_common_functions(struct overlap *found, struct search *search, uint32_t from, uint32_t to, bool *ok) {
    bool is_known = false;
    *found = (struct overlap){0};
    if (!may_be_renamed(search, from, to))
        return false;
    for (uint32_t i = 0; *ok && i < search->names.count; i++) {
        uint32_t file = search->file_of_name[i];
        if (file == to) {
            found->after += function_weight(search, i);
            found->cost[GATE_CANARY] += search->costs[i];
        }
        if (file == from && overlap_add(found, search, i, to, ok))
            is_known = is_known || (is_author_named(search, i) && is_function_unique(search, i, from, to));
    }
    return is_known && 2 * found->same >= (found->before < found->after ? found->before : found->after);
}

/* Return whether the only candidate `to` certainly is file `from`. A class needs two common functions. Go, where any
 * folder is possible, needs half of the cost, too, and two common functions in another folder. */
static bool is_certain(const struct search *search, uint32_t from, uint32_t to, const struct overlap *found) {
    const struct gate_str *paths = search->out->paths.keys;
    if (search->language != GATE_LANGUAGE_GO)
        return found->same > 1 || ending_of(paths[from]).len != 0;
    return have_half_in_common(found) &&
           (found->same > 1 || gate_str_equal(folder_of(paths[from]), folder_of(paths[to])));
}

/* Find files that were renamed. A file with several candidates, or a candidate of several files, is left out. */
static bool find_renamed_files(struct search *search) {
    uint32_t files = search->out->paths.count;
    bool ok = true;
    if (count_files(search, is_missing) > TRIED_MOST || count_files(search, is_candidate) > TRIED_MOST)
        return true;
    for (uint32_t from = 0; ok && from < files; from++) {
        uint32_t places = 0, claims = 0, place = 0;
        struct overlap found, best = {0};
        for (uint32_t to = 0; ok && is_missing(search, from) && to < files; to++)
            if (has_common_functions(&found, search, from, to, &ok)) {
                places++;
                place = to;
                best = found;
            }
        for (uint32_t other = 0; ok && places == 1 && other < files; other++)
            claims += has_common_functions(&found, search, other, place, &ok);
        if (ok && claims == 1 && is_certain(search, from, place, &best))
            record_move(search, from, place);
    }
    return ok;
}

/* ---- all files of a pair, and of two lists of names -------------------------------------------------------------- */

/* Return "name (file)", the form of names in Python. `.ptr` is NULL if the arena is full. */
static struct gate_str name_with_file(struct gate_str name, struct gate_str file, struct gate_arena *arena) {
    return gate_str_format(arena, "%.*s (%.*s)", GATE_STR_ARG(name), GATE_STR_ARG(file));
}

/* Set `named` for each location: the innermost of its functions that is in a package that may have moved. */
static void name_locations(uint32_t *named, const struct search *search, const struct gate_profile *profile,
                           const uint32_t *name_of) {
    for (uint32_t i = 0; i < profile->location_count; i++) {
        struct gate_location location = gate_location_at(profile, i);
        struct gate_line_walk lines = gate_location_lines(profile, &location);
        named[i] = GATE_NO_INDEX;
        for (struct gate_line line; named[i] == GATE_NO_INDEX && gate_line_next(&lines, &line);) {
            uint32_t name = line.function == GATE_NO_INDEX ? GATE_NO_INDEX : name_of[line.function];
            if (name != GATE_NO_INDEX && !search->out->items[search->file_of_name[name]].is_kept)
                named[i] = name;
        }
    }
}

/* Charge the samples of a run to the functions of packages that may have moved. Unreadable samples are ignored here,
 * because the comparison reports them. */
static bool costs_add(struct search *search, const struct gate_run *run, const uint32_t *name_of) {
    const struct gate_profile *profile = run->input.profile;
    uint32_t *named = GATE_NEW_ARRAY(&search->scratch, uint32_t, profile->location_count);
    struct gate_sample_cursor cursor;
    struct gate_sample sample;
    struct gate_error ignored = {0};
    if (named == NULL)
        return false;
    name_locations(named, search, profile, name_of);
    gate_sample_begin(&cursor, profile);
    while (gate_sample_next(&cursor, &sample, &ignored)) {
        uint32_t at = 0, name = GATE_NO_INDEX;
        for (uint64_t id = 0; name == GATE_NO_INDEX && gate_stack_next(sample.stack, &at, &id);) {
            uint32_t location = gate_location_find(profile, id);
            name = location == GATE_NO_INDEX ? GATE_NO_INDEX : named[location];
        }
        int64_t value = sample.values[run->counts.value_column];
        if (name != GATE_NO_INDEX && value > 0)
            search->costs[name] += (double)value;
    }
    gate_sample_end(&cursor);
    return true;
}

static bool names_add(struct search *search, const struct gate_run *run, uint32_t group) {
    const struct gate_profile *profile = run->input.profile;
    enum gate_language language = gate_own_code_language(profile);
    bool has_costs = search->language == GATE_LANGUAGE_GO && !search->is_rough;
    uint32_t *name_of = has_costs ? GATE_NEW_ARRAY(&search->scratch, uint32_t, profile->function_count) : NULL;
    uint32_t ignored;
    bool ok = !has_costs || name_of != NULL;
    for (uint32_t i = 0; ok && i < profile->function_count; i++) {
        struct gate_code_place place = {.function = profile->functions[i].name, .file = profile->functions[i].file};
        if (language == GATE_LANGUAGE_NODE)
            place.function = name_with_file(place.function, place.file, &search->scratch);
        ok = place.function.ptr != NULL && name_add(search, &place, group, has_costs ? &name_of[i] : &ignored);
    }
    return ok && (!has_costs || costs_add(search, run, name_of));
}

static void search_begin(struct search *search, struct gate_moved_files *out, enum gate_language language,
                         uint32_t groups, struct gate_arena *arena) {
    *search = (struct search){
        .out = out, .language = language, .arena = arena, .group_count = groups, .words = (groups + WORD - 1) / WORD};
    *out = (struct gate_moved_files){0};
    gate_table_init(&out->paths, arena);
    gate_arena_fork(&search->scratch, arena);
    gate_table_init(&search->names, &search->scratch);
}

static bool search_end(struct search *search, bool ok, struct gate_error *err) {
    for (uint32_t i = 0; ok && i < search->out->paths.count; i++)
        if (search->firsts[i].is_nested)
            search->out->items[i].is_kept = keeps_path(search->language, &search->firsts[i].place);
    ok = (ok && find_converted_modules(search) && find_moved_files(search) && find_renamed_files(search)) ||
         gate_arena_error(search->scratch.is_refused ? &search->scratch : search->arena, err);
    gate_arena_free(&search->scratch);
    return ok;
}

/* Drop the files whose new path changes no name of a function. In JavaScript, names contain only the end of a path. */
static void keep_distinct(struct gate_moved_files *files) {
    for (uint32_t i = 0; i < files->paths.count; i++) {
        struct gate_str *now = &files->items[i].now;
        if (now->len != 0 &&
            gate_str_equal(gate_file_distinct_end(files->paths.keys[i]), gate_file_distinct_end(*now))) {
            *now = GATE_STR("");
            files->count--;
        }
    }
}

static bool pair_add(struct search *search, const struct gate_pair *pair) {
    bool is_one_by_one = gate_pair_is_series(pair), ok = true;
    for (uint32_t side = 0; ok && side < GATE_SIDES; side++)
        for (uint32_t r = 0; ok && r < pair->sides[side].run_count; r++)
            ok = names_add(search, &pair->sides[side].runs[r], is_one_by_one ? r : side);
    return ok;
}

/* Set `*out` to whether packages of the profiles may have moved. A fast check, because most have not. */
static bool packages_may_have_moved(bool *out, const struct gate_pair *pair, enum gate_language language,
                                    uint32_t groups, struct gate_arena *arena, struct gate_error *err) {
    struct gate_moved_files found;
    struct search search;
    search_begin(&search, &found, language, groups, arena);
    search.is_rough = true;
    search.arena = &search.scratch; /* nothing of this search is kept */
    gate_table_init(&found.paths, search.arena);
    bool ok = pair_add(&search, pair);
    *out = ok && may_have_moved(&search, &ok);
    ok = ok || gate_arena_error(&search.scratch, err);
    gate_arena_free(&search.scratch);
    return ok;
}

/* Return "shop.py is shop/__init__.py, and 2 more"; empty: there are none; `.ptr` NULL: the arena is full. O(files). */
static struct gate_str files_list(const struct gate_moved_files *files, struct gate_arena *arena) {
    uint32_t first = 0;
    if (files->count == 0)
        return GATE_STR("");
    while (files->items[first].now.len == 0)
        first++;
    struct gate_str one = gate_str_format(arena, "%.*s is %.*s", GATE_STR_ARG(files->paths.keys[first]),
                                          GATE_STR_ARG(files->items[first].now));
    return files->count == 1 || one.ptr == NULL
               ? one
               : gate_str_format(arena, "%.*s, and %u more", GATE_STR_ARG(one), (unsigned)files->count - 1);
}

bool gate_moved_files_find(struct gate_moved_files *out, struct gate_pair *pair, struct gate_arena *arena,
                           struct gate_error *err) {
    struct search search;
    enum gate_language language = gate_own_code_language(pair->sides[GATE_CANARY].runs[0].input.profile);
    uint32_t groups = gate_pair_is_series(pair) ? pair->sides[GATE_BASELINE].run_count : GATE_SIDES;
    bool has_packages = language == GATE_LANGUAGE_JVM || language == GATE_LANGUAGE_NATIVE ||
                        language == GATE_LANGUAGE_RUST || language == GATE_LANGUAGE_GO;
    bool is_possible = true;
    *out = (struct gate_moved_files){0};
    if (has_packages && !packages_may_have_moved(&is_possible, pair, language, groups, arena, err))
        return false;
    if (!is_possible)
        return true;
    search_begin(&search, out, language, groups, arena);
    bool ok = search_end(&search, pair_add(&search, pair), err);
    if (!ok)
        return false;
    if (language == GATE_LANGUAGE_NODE)
        keep_distinct(out);
    pair->moved = files_list(out, arena);
    return pair->moved.ptr != NULL || gate_arena_error(arena, err);
}

bool gate_moved_files_since(struct gate_moved_files *out, enum gate_language language,
                            const struct gate_str *const lists[GATE_SIDES], const uint32_t counts[GATE_SIDES],
                            struct gate_arena *arena, struct gate_error *err) {
    struct search search;
    uint32_t index;
    bool ok = true;
    search_begin(&search, out, language, GATE_SIDES, arena);
    for (uint32_t side = 0; ok && side < GATE_SIDES; side++)
        for (uint32_t i = 0; ok && i < counts[side]; i++) {
            const struct gate_code_place place = {.function = lists[side][i]};
            ok = name_add(&search, &place, side, &index);
        }
    return search_end(&search, ok, err);
}

/* Return a name in which moved namespaces after the path, such as in template arguments, have their new names. */
static struct gate_str with_namespaces(const struct gate_moved_files *files, struct gate_str name, size_t path_end,
                                       struct gate_arena *arena) {
    for (uint32_t i = 0; i < files->namespace_count && name.ptr != NULL; i++) {
        const struct gate_moved_namespace *space = &files->namespaces[i];
        size_t at = gate_str_find(name, space->before, path_end);
        while (at < name.len && name.ptr != NULL) {
            bool is_start = at == 0 || strchr("<,( *&", name.ptr[at - 1]) != NULL;
            size_t end = at + space->before.len;
            if (is_start) {
                name = gate_str_format(arena, "%.*s%.*s%.*s", GATE_STR_ARG(gate_str_slice(name, 0, at)),
                                       GATE_STR_ARG(space->now), GATE_STR_ARG(gate_str_slice(name, end, name.len)));
                end = at + space->now.len;
            }
            at = name.ptr == NULL ? 0 : gate_str_find(name, space->before, end);
        }
    }
    return name;
}

struct gate_str gate_moved_files_name(const struct gate_moved_files *files, struct gate_str name,
                                      struct gate_arena *arena) {
    if (files->count == 0)
        return name;
    struct gate_str file = file_of(name);
    size_t end = file.len;
    uint32_t index = file.len == 0 ? GATE_TABLE_NONE : gate_table_find(&files->paths, file);
    if (index != GATE_TABLE_NONE && files->items[index].now.len != 0) {
        end = files->items[index].now.len;
        name = replace_path(name, files->items[index].now, arena);
    }
    return files->namespace_count == 0 || name.ptr == NULL ? name : with_namespaces(files, name, end, arena);
}

/* ---- files of scripts, by their paths alone ---------------------------------------------------------------------- */

/* A name of functions in one file, and the first line at which one begins on each side; 0: none. */
struct spelling {
    uint32_t file;
    int64_t line[GATE_SIDES];
};

bool gate_script_has_name(const struct gate_function *function) {
    return function->file.len != 0 && function->start_line > 0 && function->name.len != 0 &&
           function->name.ptr[0] != '(' && !gate_str_starts(function->system_name, GATE_STR("("));
}

/* List the paths of all functions. At first, each path is a file of its own. */
static bool find_paths(struct gate_script_files *out, const struct gate_profile *const *profiles, const int *sides,
                       uint32_t count, struct gate_arena *arena) {
    size_t capacity = 0;
    gate_table_init(&out->paths, arena);
    out->on = NULL;
    out->differs = NULL;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t f = 0; f < profiles[i]->function_count; f++) {
            const struct gate_str path = profiles[i]->functions[f].file;
            uint32_t known = out->paths.count, at = gate_table_intern(&out->paths, path);
            if (at == GATE_TABLE_NONE || !GATE_GROW(arena, out->on, known, capacity))
                return false;
            if (at == known)
                memset(&out->on[at], 0, sizeof out->on[at]);
            out->on[at][sides[i]] = path;
        }
    out->file_of = GATE_NEW_ARRAY(arena, uint32_t, out->paths.count);
    for (uint32_t i = 0; out->file_of != NULL && i < out->paths.count; i++)
        out->file_of[i] = i;
    return out->file_of != NULL;
}

/* The paths with a common end, such as "lib/a.js", among those that only one side has. */
struct path_end {
    uint32_t path[GATE_SIDES]; /* per side; GATE_NO_INDEX: none; SEVERAL: more than one */
};

struct path_ends {
    struct gate_table table;
    struct path_end *items;
    size_t capacity;
};

/* Remove the first folder from a path's end. Return false if there is none. */
static bool next_end(struct gate_str *end) {
    const char *slash = end->len < 2 ? NULL : memchr(end->ptr, '/', end->len - 1);
    if (slash != NULL)
        *end = gate_str_slice(*end, (size_t)(slash - end->ptr) + 1, end->len);
    return slash != NULL;
}

static bool is_only_on(const struct gate_script_files *files, uint32_t path, int side) {
    return files->on[path][side].len != 0 && files->on[path][!side].len == 0;
}

static bool add_ends(struct path_ends *ends, struct gate_str path, uint32_t index, int side, struct gate_arena *arena) {
    for (int folder = 0; folder < ENDS_MOST && next_end(&path); folder++) {
        uint32_t known = ends->table.count, at = gate_table_intern(&ends->table, path);
        if (at == GATE_TABLE_NONE || !GATE_GROW(arena, ends->items, known, ends->capacity))
            return false;
        if (at == known)
            ends->items[at] = (struct path_end){{GATE_NO_INDEX, GATE_NO_INDEX}};
        uint32_t *one = &ends->items[at].path[side];
        *one = *one == GATE_NO_INDEX ? index : SEVERAL;
    }
    return true;
}

/* Treat a path that only the canary has as the same file as a path of the baseline. They must share their longest
 * common end, and no other path of either side may have that end. */
static void join_path(struct gate_script_files *files, const struct path_ends *ends, uint32_t path) {
    struct gate_str end = files->paths.keys[path];
    for (int folder = 0; folder < ENDS_MOST && next_end(&end); folder++) {
        const uint32_t *with = ends->items[gate_table_find(&ends->table, end)].path;
        if (with[GATE_BASELINE] == GATE_NO_INDEX)
            continue;
        if (with[GATE_BASELINE] != SEVERAL && with[GATE_CANARY] == path) {
            files->file_of[path] = with[GATE_BASELINE];
            files->on[with[GATE_BASELINE]][GATE_CANARY] = files->paths.keys[path];
        }
        return;
    }
}

static bool join_folders(struct gate_script_files *files, struct gate_arena *arena) {
    struct path_ends ends = {.items = NULL};
    gate_table_init(&ends.table, arena);
    for (uint32_t i = 0; i < files->paths.count; i++)
        for (int side = 0; side < GATE_SIDES; side++)
            if (is_only_on(files, i, side) && !add_ends(&ends, files->paths.keys[i], i, side, arena))
                return false;
    for (uint32_t i = 0; i < files->paths.count; i++)
        if (is_only_on(files, i, GATE_CANARY))
            join_path(files, &ends, i);
    return true;
}

/* Set `differs` of each file: one side lacks it, or a named function begins at different lines. */
static bool find_differences(struct gate_script_files *out, const struct gate_profile *const *profiles,
                             const int *sides, uint32_t count, struct gate_arena *arena) {
    struct gate_table names;
    struct spelling *spellings = NULL;
    size_t capacity = 0;
    gate_table_init(&names, arena);
    out->differs = GATE_NEW_ARRAY(arena, bool, out->paths.count);
    for (uint32_t i = 0; out->differs != NULL && i < count; i++)
        for (uint32_t f = 0; f < profiles[i]->function_count; f++) {
            const struct gate_function *function = &profiles[i]->functions[f];
            if (!gate_script_has_name(function))
                continue;
            uint32_t file = gate_script_files_at(out, function->file), known = names.count;
            struct gate_str key = gate_str_format(arena, "%u:%.*s", file, GATE_STR_ARG(function->name));
            uint32_t at = key.ptr == NULL ? GATE_TABLE_NONE : gate_table_intern(&names, key);
            if (at == GATE_TABLE_NONE || !GATE_GROW(arena, spellings, known, capacity))
                return false;
            if (at == known)
                spellings[at] = (struct spelling){.file = file};
            int64_t *line = &spellings[at].line[sides[i]];
            *line = *line == 0 || function->start_line < *line ? function->start_line : *line;
        }
    for (uint32_t i = 0; out->differs != NULL && i < out->paths.count; i++)
        out->differs[i] =
            out->paths.keys[i].len != 0 && (out->on[i][GATE_BASELINE].len == 0 || out->on[i][GATE_CANARY].len == 0);
    for (uint32_t i = 0; spellings != NULL && i < names.count; i++) {
        const int64_t *line = spellings[i].line;
        out->differs[spellings[i].file] |= line[0] != 0 && line[1] != 0 && line[0] != line[1];
    }
    return out->differs != NULL;
}

bool gate_script_files_find(struct gate_script_files *out, const struct gate_profile *const *profiles, const int *sides,
                            uint32_t count, struct gate_arena *arena) {
    return find_paths(out, profiles, sides, count, arena) &&
           (out->on == NULL || /* there is no path */
            (join_folders(out, arena) && find_differences(out, profiles, sides, count, arena)));
}

uint32_t gate_script_files_at(const struct gate_script_files *files, struct gate_str path) {
    return files->file_of[gate_table_find(&files->paths, path)];
}
