/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/compare/upgrades.h"

#include "gate/base/table.h"
#include "gate/compare/walk.h"
#include "gate/model/location.h"
#include "gate/model/profile.h"

/* ---- Go: versions in paths of files ------------------------------------------------------------------------------ */

/* A library while the versions are collected. */
struct library {
    struct gate_upgrade found;
    bool has_several; /* a side has two versions of it */
};

struct collection {
    struct gate_table paths;
    struct library *items;
    size_t capacity;
};

/* Set the module and the version of a file of the Go module cache, "github.com/acme/cart@v1.2.3/cart.go". */
static bool split(struct gate_str *path, struct gate_str *version, struct gate_str file) {
    const struct gate_str cache = GATE_STR("/pkg/mod/");
    size_t at = gate_str_find(file, GATE_STR("@v"), 0);
    size_t end = at == SIZE_MAX ? SIZE_MAX : gate_str_find(file, GATE_STR("/"), at);
    if (end == SIZE_MAX)
        return false;
    size_t begin = gate_str_find(file, cache, 0);
    begin = begin == SIZE_MAX || begin > at ? 0 : begin + cache.len;
    *path = gate_str_slice(file, begin, at);
    *version = gate_str_slice(file, at + 1, end);
    return path->len > 0 && !gate_str_equal(*path, GATE_STR("golang.org/toolchain"));
}

/* Add the versions of one side's libraries that the files of a run's functions show. */
static bool run_add(struct collection *to, const struct gate_profile *profile, int side, struct gate_arena *arena) {
    for (uint32_t i = 0; i < profile->function_count; i++) {
        struct gate_str path, version;
        if (!split(&path, &version, profile->functions[i].file))
            continue;
        uint32_t known = to->paths.count, index = gate_table_intern(&to->paths, path);
        if (index == GATE_TABLE_NONE || !GATE_GROW(arena, to->items, known, to->capacity))
            return false;
        struct library *library = &to->items[index];
        if (index == known)
            *library = (struct library){.found = {.paths = {path, path}}};
        struct gate_str *had = &library->found.versions[side];
        library->has_several = library->has_several || (had->len > 0 && !gate_str_equal(*had, version));
        *had = version;
    }
    return true;
}

/* Return the path of a module without its major version: "example.com/cart/v2", "gopkg.in/yaml.v3". */
static struct gate_str without_major(struct gate_str path) {
    bool is_gopkg = gate_str_find(path, GATE_STR("gopkg.in/"), 0) == 0;
    size_t at = path.len;
    while (at > 0 && path.ptr[at - 1] >= '0' && path.ptr[at - 1] <= '9')
        at--;
    bool is_major = at >= 2 && at < path.len && path.ptr[at - 1] == 'v' && path.ptr[at - 2] == (is_gopkg ? '.' : '/');
    return is_major ? gate_str_slice(path, 0, at - 2) : path;
}

static bool is_on_one_side(const struct library *library, int side) {
    const struct gate_str *versions = library->found.versions;
    return !library->has_several && versions[side].len > 0 && versions[1 - side].len == 0;
}

/* For a library of the baseline alone, return the canary's library with the path of another major version. NULL if
 * there is none, or if a side has several major versions. */
static struct library *find_other_major(const struct collection *all, const struct library *library) {
    struct gate_str wanted = without_major(library->found.paths[GATE_BASELINE]);
    struct library *other = NULL;
    uint32_t count = 0;
    for (uint32_t i = 0; i < all->paths.count; i++)
        if (gate_str_equal(without_major(all->items[i].found.paths[GATE_BASELINE]), wanted)) {
            count++;
            other = is_on_one_side(&all->items[i], GATE_CANARY) ? &all->items[i] : other;
        }
    return is_on_one_side(library, GATE_BASELINE) && count == 2 ? other : NULL;
}

/* ---- the JVM: lines of methods ----------------------------------------------------------------------------------- */

/*
 * Flight recordings do not contain the versions of libraries. They contain the lines of methods, and an edit of a file
 * changes the lines of the methods after it.
 *
 * A library is all code below the first two folders of a package: "org/dom4j" contains "org/dom4j/io/XMLWriter.write".
 * A method moved if each side has lines of it, no line is on both sides, and there are at least four lines in all. A
 * library has another version if at least three of its methods moved, and for every nine methods with a line on both
 * sides at least one moved. Between two recordings of one version, almost no method moves.
 *
 * The program itself also changes. Its functions are judged one by one, so it must not count as a library. A library
 * counts as the program if no other own code calls it on at least half of the stacks that contain it. Code that calls
 * the program, such as the handlers of a framework, is not a library either.
 */

/* LINES_LEAST: minimum number of lines for judging whether a method moved. MOVED_LEAST: minimum number of moved
 * methods. MOVED_PART_LEAST: minimum fraction of moved methods among these and those with a line on both sides. */
enum { LINES_LEAST = 4, MOVED_LEAST = 3 };

static const double MOVED_PART_LEAST = 0.1;

/* Minimum fraction of a library's stacks without another own caller for it to count as the program. It is below 1
 * because deep stacks lack their outer callers. */
static const double OUTERMOST_LEAST = 0.5;

/* The sides that have a line, as bits. */
enum { IN_BASELINE = 1, IN_CANARY = 2, IN_BOTH = 3 };

struct jvm_library {
    uint32_t same, moved;     /* methods */
    double stacks, outermost; /* samples on stacks that contain it, and on those in which no other own code calls it */
    uint64_t seen_in;         /* number of the last stack that contained it */
    bool calls_program;       /* it calls a library that no other own code calls */
};

struct method {
    uint32_t library;
    uint32_t lines[IN_BOTH + 1]; /* number of lines that only the baseline has, only the canary, and both */
};

/* A line of a method. */
struct place {
    uint32_t method;
    uint8_t sides; /* bits of the sides that have it */
};

struct finding {
    const struct gate_pair *pair;
    struct gate_arena *arena; /* scratch */
    struct gate_table paths, names, places;
    struct jvm_library *libraries;
    struct method *methods;
    struct place *lines; /* by index in `places` */
    size_t library_capacity, method_capacity, place_capacity;
    uint64_t stack;       /* number of the current stack */
    uint32_t *library_of; /* library of each frame; GATE_NO_INDEX: not own code */
};

/* Return the first two folders of a method's package, or an empty text. Classes of lambdas have dots instead of slashes
 * in flight recordings: "com.acme" of "com.acme.Cart$$Lambda$*.apply". */
static struct gate_str jvm_library_of(struct gate_str method) {
    size_t lambda = gate_str_find(method, GATE_STR("$$Lambda"), 0), end = 0, folders = 0;
    bool has_dots = lambda != SIZE_MAX && memchr(method.ptr, '/', lambda) == NULL;
    for (size_t i = 0; i < method.len && i < lambda && folders < 2 && (has_dots || method.ptr[i] != '.'); i++)
        if (method.ptr[i] == (has_dots ? '.' : '/')) {
            end = i;
            folders++;
        }
    return gate_str_slice(method, 0, end);
}

/* Return whether two library paths are equal; '.' and '/' are the same. */
static bool jvm_library_is_same(struct gate_str a, struct gate_str b) {
    bool is_same = a.len == b.len;
    for (size_t i = 0; is_same && i < a.len; i++)
        is_same = a.ptr[i] == b.ptr[i] || (a.ptr[i] == '.' && b.ptr[i] == '/') || (a.ptr[i] == '/' && b.ptr[i] == '.');
    return is_same;
}

/* Return the index of a method's library, whose path has slashes; GATE_TABLE_NONE if the arena is full. */
static uint32_t library_add(struct finding *f, struct gate_str path) {
    if (memchr(path.ptr, '.', path.len) != NULL) {
        char *slashed = gate_arena_alloc(f->arena, path.len);
        if (slashed == NULL)
            return GATE_TABLE_NONE;
        for (size_t i = 0; i < path.len; i++)
            slashed[i] = (char)(path.ptr[i] == '.' ? '/' : path.ptr[i]);
        path.ptr = slashed;
    }
    uint32_t known = f->paths.count, at = gate_table_intern(&f->paths, path);
    if (at == GATE_TABLE_NONE || !GATE_GROW(f->arena, f->libraries, known, f->library_capacity))
        return GATE_TABLE_NONE;
    if (at == known)
        f->libraries[at] = (struct jvm_library){0};
    return at;
}

/* Record that a side has a line of a method. Returns false if the arena is full. */
static bool line_add(struct finding *f, struct gate_str name, int64_t line, uint8_t side) {
    struct gate_str path = jvm_library_of(name);
    if (path.len == 0 || line <= 0)
        return true;
    uint32_t library = library_add(f, path), known = f->names.count, at = gate_table_intern(&f->names, name);
    if (library == GATE_TABLE_NONE || at == GATE_TABLE_NONE ||
        !GATE_GROW(f->arena, f->methods, known, f->method_capacity))
        return false;
    if (at == known)
        f->methods[at] = (struct method){.library = library};
    const int64_t key[2] = {at, line};
    known = f->places.count;
    uint32_t place = gate_table_intern_copy(&f->places, (struct gate_str){(const char *)key, sizeof key});
    if (place == GATE_TABLE_NONE || !GATE_GROW(f->arena, f->lines, known, f->place_capacity))
        return false;
    if (place == known)
        f->lines[place] = (struct place){at, 0};
    f->lines[place].sides |= side;
    return true;
}

static bool jvm_run_add(struct finding *f, const struct gate_profile *profile, uint8_t side) {
    for (uint32_t i = 0; i < profile->location_count; i++) {
        const struct gate_location location = gate_location_at(profile, i);
        struct gate_line_walk lines = gate_location_lines(profile, &location);
        for (struct gate_line line; gate_line_next(&lines, &line);)
            if (line.function != GATE_NO_INDEX && !line_add(f, profile->functions[line.function].name, line.line, side))
                return false;
    }
    return true;
}

static void count_moved(struct finding *f) {
    for (uint32_t i = 0; i < f->places.count; i++)
        f->methods[f->lines[i].method].lines[f->lines[i].sides]++;
    for (uint32_t i = 0; i < f->names.count; i++) {
        const struct method *method = &f->methods[i];
        bool is_moved = method->lines[IN_BOTH] == 0 && method->lines[IN_BASELINE] > 0 && method->lines[IN_CANARY] > 0 &&
                        method->lines[IN_BASELINE] + method->lines[IN_CANARY] >= LINES_LEAST;
        f->libraries[method->library].moved += is_moved;
        f->libraries[method->library].same += method->lines[IN_BOTH] > 0;
    }
}

static bool is_changed(const struct jvm_library *library) {
    return library->moved >= MOVED_LEAST && library->moved >= MOVED_PART_LEAST * (library->moved + library->same);
}

static bool find_frames(struct finding *f) {
    f->library_of = GATE_NEW_ARRAY(f->arena, uint32_t, f->pair->frame_count);
    if (f->library_of == NULL)
        return false;
    for (uint32_t i = 0; i < f->pair->frame_count; i++) {
        struct gate_str path = jvm_library_of(f->pair->frames[i].name);
        f->library_of[i] = GATE_NO_INDEX;
        if (!f->pair->frames[i].is_own || path.len == 0)
            continue;
        f->library_of[i] = library_add(f, path);
        if (f->library_of[i] == GATE_TABLE_NONE)
            return false;
    }
    return true;
}

/* Return whether almost no other own code calls a library. It is then a part of the program, or of what starts it. */
static bool is_program(const struct jvm_library *library) {
    return library->outermost > 0.0 && library->outermost >= OUTERMOST_LEAST * library->stacks;
}

/* Count a stack for each library on it, and for the outermost one. `frames` starts at the leaf. */
static void count_stack(struct finding *f, const uint32_t *frames, uint32_t count, double samples) {
    struct jvm_library *last = NULL;
    f->stack++;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = f->library_of[frames[i]];
        if (at == GATE_NO_INDEX)
            continue;
        last = &f->libraries[at];
        last->stacks += last->seen_in == f->stack ? 0.0 : samples;
        last->seen_in = f->stack;
    }
    if (last != NULL)
        last->outermost += samples;
}

/* Mark libraries that call the program. */
static void mark_calls(struct finding *f, const uint32_t *frames, uint32_t count) {
    uint32_t first = GATE_NO_INDEX; /* the part of the program that is called here */
    bool has_several = false;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = f->library_of[frames[i]];
        if (at == GATE_NO_INDEX)
            continue;
        f->libraries[at].calls_program |= has_several || (first != GATE_NO_INDEX && first != at);
        if (!is_program(&f->libraries[at]) || first == at)
            continue;
        has_several = first != GATE_NO_INDEX;
        first = has_several ? first : at;
    }
}

static bool walk_stacks(struct finding *f, bool is_first) {
    uint32_t *frames = GATE_NEW_ARRAY(f->arena, uint32_t, f->pair->max_frames);
    for (int side = 0; frames != NULL && side < GATE_SIDES; side++)
        for (uint32_t i = 0; i < f->pair->sides[side].run_count; i++) {
            const struct gate_run *run = &f->pair->sides[side].runs[i];
            struct gate_stacks_walk walk = gate_stacks_begin(&run->stacks);
            struct gate_stack stack;
            while (gate_stacks_next(&stack, &walk)) {
                uint32_t count = gate_walk_frames(run, &stack, frames);
                if (is_first)
                    count_stack(f, frames, count, (double)stack.value);
                else
                    mark_calls(f, frames, count);
            }
        }
    return frames != NULL;
}

static bool jvm_find(struct finding *f) {
    gate_table_init(&f->paths, f->arena);
    gate_table_init(&f->names, f->arena);
    gate_table_init(&f->places, f->arena);
    for (int side = 0; side < GATE_SIDES; side++)
        for (uint32_t i = 0; i < f->pair->sides[side].run_count; i++)
            if (!jvm_run_add(f, f->pair->sides[side].runs[i].input.profile,
                             side == GATE_BASELINE ? IN_BASELINE : IN_CANARY))
                return false;
    count_moved(f);
    bool is_any = false;
    for (uint32_t i = 0; i < f->paths.count; i++)
        is_any = is_any || is_changed(&f->libraries[i]);
    return !is_any || (find_frames(f) && walk_stacks(f, true) && walk_stacks(f, false));
}

static bool find_jvm(struct gate_pair *pair, struct gate_arena *arena, struct gate_error *err) {
    struct gate_arena scratch;
    struct finding f = {.pair = pair, .arena = &scratch};
    gate_arena_fork(&scratch, arena);
    bool ok = jvm_find(&f);
    pair->upgrades = ok ? GATE_NEW_ARRAY(arena, struct gate_upgrade, f.paths.count) : NULL;
    ok = pair->upgrades != NULL;
    for (uint32_t i = 0; ok && i < f.paths.count; i++) {
        const struct jvm_library *library = &f.libraries[i];
        if (!is_changed(library) || is_program(library) || library->calls_program)
            continue;
        struct gate_str path = gate_str_copy(arena, f.paths.keys[i]);
        ok = path.ptr != NULL;
        pair->upgrades[pair->upgrade_count++] = (struct gate_upgrade){.paths = {path, path}};
    }
    gate_arena_free(&scratch);
    return ok || gate_arena_error(arena, err);
}

/* ---- all --------------------------------------------------------------------------------------------------------- */

bool gate_upgrades_find(struct gate_pair *pair, struct gate_arena *arena, struct gate_error *err) {
    struct collection all = {0};
    pair->upgrades = NULL;
    pair->upgrade_count = 0;
    if (pair->language == GATE_LANGUAGE_JVM)
        return find_jvm(pair, arena, err);
    if (pair->language != GATE_LANGUAGE_GO)
        return true;
    gate_table_init(&all.paths, arena);
    for (int side = 0; side < GATE_SIDES; side++)
        for (uint32_t r = 0; r < pair->sides[side].run_count; r++)
            if (!run_add(&all, pair->sides[side].runs[r].input.profile, side, arena))
                return gate_arena_error(arena, err);
    pair->upgrades = GATE_NEW_ARRAY(arena, struct gate_upgrade, all.paths.count);
    if (pair->upgrades == NULL)
        return gate_arena_error(arena, err);
    for (uint32_t i = 0; i < all.paths.count; i++) {
        struct gate_upgrade *one = &all.items[i].found;
        const struct library *other = find_other_major(&all, &all.items[i]);
        if (other != NULL) {
            one->paths[GATE_CANARY] = other->found.paths[GATE_CANARY];
            one->versions[GATE_CANARY] = other->found.versions[GATE_CANARY];
        }
        if (!all.items[i].has_several && one->versions[GATE_BASELINE].len > 0 && one->versions[GATE_CANARY].len > 0 &&
            !gate_str_equal(one->versions[GATE_BASELINE], one->versions[GATE_CANARY]))
            pair->upgrades[pair->upgrade_count++] = *one;
    }
    return true;
}

uint32_t gate_upgrade_of(const struct gate_pair *pair, uint32_t frame) {
    struct gate_str path, version;
    if (pair->upgrade_count == 0)
        return GATE_NO_INDEX;
    bool is_jvm = pair->language == GATE_LANGUAGE_JVM;
    if (is_jvm)
        path = jvm_library_of(pair->frames[frame].name);
    else if (!split(&path, &version, pair->frames[frame].file))
        return GATE_NO_INDEX;
    for (uint32_t i = 0; i < pair->upgrade_count; i++) {
        const struct gate_str *paths = pair->upgrades[i].paths;
        if (is_jvm ? jvm_library_is_same(path, paths[GATE_BASELINE])
                   : gate_str_equal(path, paths[GATE_BASELINE]) || gate_str_equal(path, paths[GATE_CANARY]))
            return i;
    }
    return GATE_NO_INDEX;
}

void gate_upgrade_put(struct gate_buf *out, const struct gate_upgrade *upgrade) {
    struct gate_str path = upgrade->paths[GATE_BASELINE];
    for (size_t i = 0; i < path.len; i++) {
        char c = path.ptr[i], next = i + 1 < path.len ? path.ptr[i + 1] : '\0';
        bool is_upper = c == '!' && next >= 'a' && next <= 'z';
        gate_buf_char(out, is_upper ? (char)(next - 'a' + 'A') : c);
        i += is_upper;
    }
    if (upgrade->versions[GATE_CANARY].len == 0)
        gate_buf_text(out, " (another version, by its lines)");
    else
        gate_buf_printf(out, " %.*s → %.*s", GATE_STR_ARG(upgrade->versions[GATE_BASELINE]),
                        GATE_STR_ARG(upgrade->versions[GATE_CANARY]));
}
