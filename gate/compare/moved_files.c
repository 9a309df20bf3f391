/* SPDX-License-Identifier: Apache-2.0 */
/* Source files, packages and namespaces that moved between two builds. */
#include "gate/compare/moved_files.h"

#include "gate/base/buf.h"
#include "gate/model/profile.h"
#include "gate/names/frame_name.h"
#include "gate/names/stable_names.h"

#include <string.h>

/* More files are too many to compare with each other, and of files with one
 * name in very many folders ("__init__.py") not all pairs of folders are looked at. */
enum { WORD = 64 }; /* groups in a word of `groups` */

enum { FILES_MOST = 2000, LISTED_MOST = 20000, TRIED_MOST = 32 };

/* Two folders with files of the same names. */
struct folders {
    struct gate_str before, after; /* with '/' at the end, or empty */
    uint32_t files;                /* that both have */
    bool is_refuted;               /* they are other folders */
};

/* What is searched. `out` has the files. */
struct search {
    struct gate_moved_files *out;
    struct gate_table names; /* stable, that contain a file */
    uint32_t *file_of_name;  /* by index in `names` */
    size_t capacity;
    uint32_t group_count, words; /* of each file's groups */
    bool is_rough;               /* of names that are not stable, without the table of them */
    struct gate_arena *arena;
    struct gate_arena scratch;
};

/* The folders that were found. */
struct folders_list {
    struct gate_table keys; /* both paths with a space between them */
    struct folders *items;
    size_t capacity;
};

/* Return whether `at` is behind the separator of a path: "/", or "::" in names of C++ and Rust. */
static bool is_folder_end(struct gate_str path, size_t at) {
    return at == 0 || path.ptr[at - 1] == '/' || (at > 1 && path.ptr[at - 1] == ':' && path.ptr[at - 2] == ':');
}

/* Return the file in a name, "shop/cart.py" of "parse (shop/cart.py)" and of "parse - shop/cart.py"; empty: none. */
static struct gate_str file_behind(struct gate_str name) {
    bool in_brackets = gate_str_ends(name, GATE_STR(")"));
    size_t end = name.len - in_brackets, at = end;
    bool has_dot = false;
    for (; at > 0 && (name.ptr[at - 1] != ' ' && name.ptr[at - 1] != '('); at--)
        has_dot = has_dot || name.ptr[at - 1] == '.';
    struct gate_str before = gate_str_slice(name, 0, at), file = gate_str_slice(name, at, end);
    bool is_file = has_dot && gate_str_ends(before, in_brackets ? GATE_STR(" (") : GATE_STR(" - "));
    return is_file && !gate_str_starts(file, GATE_STR("<")) ? file : GATE_STR("");
}

/* Return the package or class in front of a name: "acme/cart" of Go's "acme/cart.(*Item).Price", "acme/Cart" of the
 * JVM's "acme/Cart.price" and "acme::Cart" of "acme::Cart::price"; empty: none. */
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

static struct gate_str file_of(struct gate_str name) {
    struct gate_str file = file_behind(name);
    return file.len != 0 ? file : package_of(name);
}

static bool is_in(const struct gate_moved_file *file, uint32_t group) {
    return (file->groups[group / WORD] >> group % WORD & 1) != 0;
}

static void add_to(struct gate_moved_file *file, uint32_t group) {
    file->group_count += !is_in(file, group);
    file->groups[group / WORD] |= UINT64_C(1) << group % WORD;
}

static bool name_add(struct search *search, struct gate_str name, uint32_t group) {
    struct gate_moved_files *out = search->out;
    if (file_of(name).len == 0) /* which is quick to see */
        return true;
    struct gate_str stable = search->is_rough ? name : gate_name_stable(&search->scratch, name);
    if (stable.ptr == NULL)
        return false;
    struct gate_str path = file_of(stable);
    if (path.len == 0)
        return true;
    uint32_t files = out->paths.count, file = gate_table_intern_copy(&out->paths, path);
    uint32_t names = search->names.count;
    uint32_t index = search->is_rough ? names : gate_table_intern(&search->names, stable);
    if (file == GATE_TABLE_NONE || index == GATE_TABLE_NONE ||
        !GATE_GROW(search->arena, out->items, files, out->capacity) ||
        !GATE_GROW(&search->scratch, search->file_of_name, names, search->capacity))
        return false;
    if (file == files) {
        out->items[file] = (struct gate_moved_file){.groups = GATE_NEW_ARRAY(search->arena, uint64_t, search->words)};
        if (out->items[file].groups == NULL)
            return false;
    }
    if (index == names)
        search->file_of_name[index] = file;
    add_to(&out->items[file], group);
    return true;
}

/* Return whether the newest group lacks a file, and where it is now is not known yet. */
static bool is_left(const struct search *search, uint32_t index) {
    const struct gate_moved_file *file = &search->out->items[index];
    return file->now.len == 0 && !is_in(file, search->group_count - 1);
}

/* Return whether a file may be another one's new place: the newest group has it, and not all groups do. */
static bool is_place(const struct search *search, uint32_t index) {
    const struct gate_moved_file *file = &search->out->items[index];
    return file->group_count < search->group_count && is_in(file, search->group_count - 1);
}

/* Return whether a group has two files, which are two then. */
static bool are_together(const struct search *search, uint32_t one, uint32_t other) {
    const struct gate_moved_file *a = &search->out->items[one], *b = &search->out->items[other];
    for (uint32_t i = 0; i < search->words; i++)
        if ((a->groups[i] & b->groups[i]) != 0)
            return true;
    return false;
}

/* Return the index of a path to which file `from` may have moved, or GATE_TABLE_NONE. */
static uint32_t place_at(const struct search *search, uint32_t from, struct gate_str path) {
    uint32_t index = path.ptr == NULL ? GATE_TABLE_NONE : gate_table_find(&search->out->paths, path);
    return index != GATE_TABLE_NONE && is_place(search, index) && !are_together(search, from, index) ? index
                                                                                                     : GATE_TABLE_NONE;
}

static void move(struct search *search, uint32_t from, uint32_t to) {
    struct gate_moved_file *file = &search->out->items[from], *place = &search->out->items[to];
    file->now = search->out->paths.keys[to];
    for (uint32_t group = 0; group < search->group_count; group++) /* a group has a file once */
        if (is_in(file, group))
            add_to(place, group);
    search->out->count++;
}

/* Find modules that became packages, and packages that became modules. */
static bool find_packages(struct search *search) {
    const struct gate_moved_files *files = search->out;
    const struct gate_str module = GATE_STR(".py"), package = GATE_STR("/__init__.py");
    for (uint32_t i = 0; i < files->paths.count; i++) {
        struct gate_str path = files->paths.keys[i], other;
        if (!is_left(search, i) || !gate_str_ends(path, module))
            continue;
        bool is_package = gate_str_ends(path, package);
        struct gate_str stem = gate_str_slice(path, 0, path.len - (is_package ? package.len : module.len));
        other = gate_str_format(&search->scratch, "%.*s%.*s", GATE_STR_ARG(stem),
                                GATE_STR_ARG(is_package ? module : package));
        if (other.ptr == NULL)
            return false;
        uint32_t to = place_at(search, i, other);
        if (to != GATE_TABLE_NONE)
            move(search, i, to);
    }
    return true;
}

/* Set the parts of two paths in front of what they have in common; false: not even the file's name. */
static bool part_folders(struct folders *out, struct gate_str before, struct gate_str after) {
    size_t same = 0, common = SIZE_MAX;
    for (; same <= before.len && same <= after.len; same++) {
        if (same > 0 && is_folder_end(before, before.len - same) && is_folder_end(after, after.len - same))
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

/* Return a folder without the separator behind it. */
static struct gate_str folder_name(struct gate_str folder) {
    size_t separator = gate_str_ends(folder, GATE_STR("::")) ? 2 : folder.len > 0;
    return gate_str_slice(folder, 0, folder.len - separator);
}

/* Return a path of folder `from` in folder `to`, where the package "shop" is in the folder "shop/"; empty: it is not in
 * that folder; `.ptr` NULL: the arena is full. */
static struct gate_str path_in(struct gate_str path, struct gate_str from, struct gate_str to,
                               struct gate_arena *arena) {
    if (from.len != 0 && gate_str_equal(path, folder_name(from)))
        return folder_name(to);
    return gate_str_starts(path, from) ? gate_str_format(arena, "%.*s%.*s", GATE_STR_ARG(to),
                                                         GATE_STR_ARG(gate_str_slice(path, from.len, path.len)))
                                       : GATE_STR("");
}

/* Return the index of a file that is left in the other folder, or GATE_TABLE_NONE. */
static uint32_t file_in(struct search *search, uint32_t file, const struct folders *folders, bool *ok) {
    const struct gate_moved_files *files = search->out;
    if (!is_left(search, file))
        return GATE_TABLE_NONE;
    struct gate_str now = path_in(files->paths.keys[file], folders->before, folders->after, &search->scratch);
    *ok = *ok && now.ptr != NULL;
    return place_at(search, file, now);
}

/* Return a name with another path in place of its own. `.ptr` NULL: the arena is full. */
static struct gate_str with_path(struct gate_str name, struct gate_str path, struct gate_arena *arena) {
    struct gate_str file = file_of(name);
    size_t at = (size_t)(file.ptr - name.ptr);
    return gate_str_format(arena, "%.*s%.*s%.*s", GATE_STR_ARG(gate_str_slice(name, 0, at)), GATE_STR_ARG(path),
                           GATE_STR_ARG(gate_str_slice(name, at + file.len, name.len)));
}

/* Return whether the files that two folders have contain the same functions: half of those on the side with fewer.
 * Every part of a program may have its "models.py" and "views.py". */
static bool have_same_functions(struct search *search, const struct folders *folders, bool *ok) {
    const struct gate_moved_files *files = search->out;
    uint32_t before = 0, after = 0, same = 0;
    for (uint32_t i = 0; *ok && i < search->names.count; i++) {
        uint32_t file = search->file_of_name[i], to = file_in(search, file, folders, ok);
        if (is_place(search, file)) {
            struct gate_str old = path_in(files->paths.keys[file], folders->after, folders->before, &search->scratch);
            uint32_t from = old.len == 0 ? GATE_TABLE_NONE : gate_table_find(&files->paths, old);
            after += from != GATE_TABLE_NONE && is_left(search, from) && !are_together(search, from, file);
            *ok = *ok && old.ptr != NULL;
        }
        if (to == GATE_TABLE_NONE)
            continue;
        struct gate_str now = with_path(search->names.keys[i], files->paths.keys[to], &search->scratch);
        *ok = *ok && now.ptr != NULL;
        before++;
        same += *ok && gate_table_find(&search->names, now) != GATE_TABLE_NONE;
    }
    return 2 * same >= (before < after ? before : after);
}

/* Count one more file that two folders have. `key` is scratch. */
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

/* List the folders of all files that are left, with the number of files that both have. */
static bool list_folders(struct folders_list *out, struct search *search) {
    const struct gate_moved_files *files = search->out;
    struct gate_buf key = {0};
    bool ok = true;
    gate_table_init(&out->keys, &search->scratch);
    for (uint32_t i = 0; ok && i < files->paths.count; i++)
        for (uint32_t k = 0; ok && is_left(search, i) && k < files->paths.count; k++) {
            struct folders at;
            if (is_place(search, k) && !are_together(search, i, k) &&
                part_folders(&at, files->paths.keys[i], files->paths.keys[k]))
                ok = folders_add(out, &at, &key, &search->scratch);
        }
    gate_buf_free(&key);
    return ok;
}

/* Return the folders that have most files in common and are not refuted, or NULL. */
static struct folders *most_in_common(const struct folders_list *list) {
    struct folders *most = NULL;
    for (uint32_t i = 0; i < list->keys.count; i++)
        if (!list->items[i].is_refuted && (most == NULL || list->items[i].files > most->files))
            most = &list->items[i];
    return most;
}

/* Return whether half of the files that are left in a folder are in the other one. */
static bool have_half(const struct search *search, const struct folders *folders) {
    const struct gate_table *paths = &search->out->paths;
    uint32_t all = 0;
    for (uint32_t i = 0; i < paths->count; i++)
        all += is_left(search, i) && gate_str_starts(paths->keys[i], folders->before);
    return 2 * folders->files >= all;
}

/* Return the folders that are one, with most files; NULL: none. `is_only`: one file is left, and has one place. */
static const struct folders *one_folder(const struct folders_list *list, struct search *search, bool is_only,
                                        bool *ok) {
    for (int n = 0; *ok && n < TRIED_MOST; n++) {
        struct folders *most = most_in_common(list);
        if (most == NULL || (most->files < 2 && !is_only))
            return NULL;
        if (have_half(search, most) && have_same_functions(search, most, ok))
            return most;
        most->is_refuted = true;
    }
    return NULL;
}

static uint32_t count(const struct search *search, bool (*is_one)(const struct search *search, uint32_t index)) {
    uint32_t files = 0;
    for (uint32_t i = 0; i < search->out->paths.count; i++)
        files += is_one(search, i);
    return files;
}

/* Keep the folders if the newest group has nothing in the old one: it is in other names, too, as in the arguments of
 * templates. */
static bool keep_whole(struct search *search, const struct folders *folders) {
    struct gate_moved_files *files = search->out;
    if (!gate_str_ends(folders->before, GATE_STR("::")))
        return true;
    for (uint32_t i = 0; i < files->paths.count; i++)
        if (is_in(&files->items[i], search->group_count - 1) && gate_str_starts(files->paths.keys[i], folders->before))
            return true;
    struct gate_moved_namespace *kept = &files->namespaces[files->namespace_count++];
    kept->before = gate_str_copy(search->arena, folders->before);
    kept->now = gate_str_copy(search->arena, folders->after);
    return kept->before.ptr != NULL && kept->now.ptr != NULL;
}

/* Return whether there are folders that may be one, before names of functions are compared. */
static bool may_have_moved(struct search *search, bool *ok) {
    struct folders_list list = {0};
    uint32_t before = count(search, is_left), after = count(search, is_place);
    if (before == 0 || after == 0 || before > FILES_MOST || after > FILES_MOST)
        return false;
    *ok = *ok && list_folders(&list, search);
    const struct folders *most = *ok ? most_in_common(&list) : NULL;
    return most != NULL && (most->files > 1 || (before == 1 && after == 1));
}

/* Find files in folders that have another name now. */
static bool find_moved(struct search *search) {
    struct gate_moved_files *files = search->out;
    bool ok = true;
    for (int n = 0; ok && n < GATE_MOVED_FOLDERS_MOST; n++) {
        struct folders_list list = {0};
        uint32_t before = count(search, is_left), after = count(search, is_place);
        if (before > FILES_MOST || after > FILES_MOST)
            break;
        if (!list_folders(&list, search))
            return false;
        const struct folders *folders = one_folder(&list, search, before == 1 && after == 1, &ok);
        if (folders == NULL)
            break;
        for (uint32_t i = 0; ok && i < files->paths.count; i++) {
            uint32_t to = file_in(search, i, folders, &ok);
            if (to != GATE_TABLE_NONE)
                move(search, i, to);
        }
        ok = ok && keep_whole(search, folders);
    }
    return ok;
}

/* ---- files with another name in the same folder ------------------------------------------------------------------ */

/* Return whether two paths have one folder and one ending. */
static bool are_alike(struct gate_str one, struct gate_str other) {
    size_t folder = gate_str_behind_last(one, '/');
    return folder == gate_str_behind_last(other, '/') &&
           gate_str_equal(gate_str_slice(one, 0, folder), gate_str_slice(other, 0, folder)) &&
           gate_str_equal(gate_str_slice(one, gate_str_behind_last(one, '.'), one.len),
                          gate_str_slice(other, gate_str_behind_last(other, '.'), other.len));
}

/* Return whether no other file than these two has a function of the name at `index`. */
static bool is_theirs_alone(const struct search *search, uint32_t index, uint32_t one, uint32_t other) {
    struct gate_str name = search->names.keys[index];
    struct gate_str function = gate_str_slice(name, 0, (size_t)(file_behind(name).ptr - name.ptr));
    for (uint32_t i = 0; i < search->names.count; i++)
        if (search->file_of_name[i] != one && search->file_of_name[i] != other &&
            gate_str_starts(search->names.keys[i], function))
            return false;
    return function.len > 0 && function.ptr[0] != '<';
}

/* Return whether file `to` may be file `from` with another name: half of the functions are the same, of the file with
 * fewer, and one of these has a name that no other file has. */
static bool is_renamed(struct search *search, uint32_t from, uint32_t to, bool *ok) {
    const struct gate_str *paths = search->out->paths.keys;
    uint32_t before = 0, after = 0, same = 0;
    bool is_known = false;
    if (!is_left(search, from) || !is_place(search, to) || are_together(search, from, to) ||
        !are_alike(paths[from], paths[to]))
        return false;
    for (uint32_t i = 0; *ok && i < search->names.count; i++) {
        after += search->file_of_name[i] == to;
        if (search->file_of_name[i] != from || file_behind(search->names.keys[i]).len == 0)
            continue;
        before++;
        struct gate_str now = with_path(search->names.keys[i], paths[to], &search->scratch);
        *ok = now.ptr != NULL;
        if (*ok && gate_table_find(&search->names, now) != GATE_TABLE_NONE) {
            same++;
            is_known = is_known || is_theirs_alone(search, i, from, to);
        }
    }
    return is_known && 2 * same >= (before < after ? before : after);
}

/* Find files with another name now, unless one has several places, or a place several files. */
static bool find_renamed(struct search *search) {
    uint32_t files = search->out->paths.count;
    bool ok = true;
    if (count(search, is_left) > TRIED_MOST || count(search, is_place) > TRIED_MOST)
        return true;
    for (uint32_t from = 0; ok && from < files; from++) {
        uint32_t places = 0, claims = 0, place = 0;
        for (uint32_t to = 0; ok && is_left(search, from) && to < files; to++)
            if (is_renamed(search, from, to, &ok)) {
                places++;
                place = to;
            }
        for (uint32_t other = 0; ok && places == 1 && other < files; other++)
            claims += is_renamed(search, other, place, &ok);
        if (ok && claims == 1)
            move(search, from, place);
    }
    return ok;
}

bool gate_moved_files_may_be(enum gate_language language) {
    return language != GATE_LANGUAGE_GO;
}

/* Return the name with the file behind it, as names of Python have it. `.ptr` NULL: the arena is full. */
static struct gate_str name_with_file(struct gate_str name, struct gate_str file, struct gate_arena *arena) {
    return gate_str_format(arena, "%.*s (%.*s)", GATE_STR_ARG(name), GATE_STR_ARG(file));
}

static bool names_add(struct search *search, const struct gate_profile *profile, uint32_t group) {
    enum gate_language language = gate_own_code_language(profile);
    bool ok = true;
    for (uint32_t i = 0; ok && i < profile->function_count; i++) {
        struct gate_str name = profile->functions[i].name;
        if (language == GATE_LANGUAGE_NODE)
            name = name_with_file(name, profile->functions[i].file, &search->scratch);
        ok = name.ptr != NULL && name_add(search, name, group);
    }
    return ok;
}

static void search_begin(struct search *search, struct gate_moved_files *out, uint32_t groups,
                         struct gate_arena *arena) {
    *search = (struct search){.out = out, .arena = arena, .group_count = groups, .words = (groups + WORD - 1) / WORD};
    *out = (struct gate_moved_files){0};
    gate_table_init(&out->paths, arena);
    gate_arena_fork(&search->scratch, arena);
    gate_table_init(&search->names, &search->scratch);
}

static bool search_end(struct search *search, bool ok, struct gate_error *err) {
    ok = (ok && find_packages(search) && find_moved(search) && find_renamed(search)) ||
         gate_arena_error(search->arena, err);
    gate_arena_free(&search->scratch);
    return ok;
}

/* Forget the files whose new path changes no name, as only functions without a name are named for their file. */
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

/* Return whether all runs are on the baseline's side, as of a series of builds: one of them is the canary, too. */
static bool is_series(const struct gate_pair *pair) {
    const struct gate_side *canary = &pair->sides[GATE_CANARY];
    return canary->run_count == 1 && canary->runs[0].input.profile == pair->sides[GATE_BASELINE].runs[0].input.profile;
}

static bool pair_add(struct search *search, const struct gate_pair *pair) {
    bool is_one_by_one = is_series(pair), ok = true;
    for (uint32_t side = 0; ok && side < GATE_SIDES; side++)
        for (uint32_t r = 0; ok && r < pair->sides[side].run_count; r++)
            ok = names_add(search, pair->sides[side].runs[r].input.profile, is_one_by_one ? r : side);
    return ok;
}

/* Set `*out` to whether the packages of the profiles may have moved. Most have not, which this finds out quickly. */
static bool packages_may_have_moved(bool *out, const struct gate_pair *pair, uint32_t groups, struct gate_arena *arena,
                                    struct gate_error *err) {
    struct gate_moved_files found;
    struct gate_arena rough;
    struct search search;
    gate_arena_fork(&rough, arena);
    search_begin(&search, &found, groups, &rough);
    search.is_rough = true;
    bool ok = pair_add(&search, pair);
    *out = ok && may_have_moved(&search, &ok);
    gate_arena_free(&search.scratch);
    gate_arena_free(&rough);
    return ok || gate_arena_error(arena, err);
}

bool gate_moved_files_find(struct gate_moved_files *out, const struct gate_pair *pair, struct gate_arena *arena,
                           struct gate_error *err) {
    struct search search;
    enum gate_language language = gate_own_code_language(pair->sides[GATE_CANARY].runs[0].input.profile);
    uint32_t groups = is_series(pair) ? pair->sides[GATE_BASELINE].run_count : GATE_SIDES;
    bool has_packages =
        language == GATE_LANGUAGE_JVM || language == GATE_LANGUAGE_NATIVE || language == GATE_LANGUAGE_RUST;
    bool is_possible = gate_moved_files_may_be(language);
    *out = (struct gate_moved_files){0};
    if (has_packages && !packages_may_have_moved(&is_possible, pair, groups, arena, err))
        return false;
    if (!is_possible)
        return true;
    search_begin(&search, out, groups, arena);
    bool ok = search_end(&search, pair_add(&search, pair), err);
    if (ok && language == GATE_LANGUAGE_NODE)
        keep_distinct(out);
    return ok;
}

bool gate_moved_files_since(struct gate_moved_files *out, const struct gate_str *before, uint32_t before_count,
                            const struct gate_str *now, uint32_t now_count, struct gate_arena *arena,
                            struct gate_error *err) {
    enum { BEFORE, NOW, GROUPS };
    struct search search;
    bool ok = true;
    search_begin(&search, out, GROUPS, arena);
    for (uint32_t i = 0; ok && i < before_count; i++)
        ok = name_add(&search, before[i], BEFORE);
    for (uint32_t i = 0; ok && i < now_count; i++)
        ok = name_add(&search, now[i], NOW);
    return search_end(&search, ok, err);
}

struct gate_str gate_moved_files_list(const struct gate_moved_files *files, struct gate_arena *arena) {
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

/* Return a name with the new namespaces in what follows its path, such as the arguments of a template. */
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
        name = with_path(name, files->items[index].now, arena);
    }
    return files->namespace_count == 0 || name.ptr == NULL ? name : with_namespaces(files, name, end, arena);
}

struct gate_str gate_moved_files_path(const struct gate_moved_files *files, struct gate_str path,
                                      struct gate_arena *arena) {
    struct gate_str stable = gate_file_path_stable(arena, path);
    if (stable.ptr == NULL)
        return stable;
    uint32_t index = gate_table_find(&files->paths, stable);
    bool is_moved = index != GATE_TABLE_NONE && files->items[index].now.len != 0;
    return is_moved ? files->items[index].now : GATE_STR("");
}
