/* SPDX-License-Identifier: Apache-2.0 */
/* compare/frames.h: each line of a location gets the frame of its name, and a frame's code class is the best of its
 * places. The fast way looks each function up once and must agree with a slow way. */
#include "gate/compare/frames.h"

#include "gate/base/hash.h"
#include "gate/formats/pprof.h"
#include "gate/model/location.h"
#include "profile_fixture.h"

enum { FUNCTIONS = 60, LOCATIONS = 400, MAPPINGS = 3, NAMES = 25, LINES_MAX = 3 };

/* Functions of the same name are in several files, and locations of the same function are in several mappings. */
static struct gate_profile random_profile(struct gate_arena *arena, uint64_t seed) {
    static const char *const files[] = {"/usr/local/go/src/fmt/print.go", "/home/me/app/a.go", "", "app/b.py",
                                        "/usr/lib/python3/x.py"};
    static const char *const mappings[MAPPINGS] = {"/srv/app", "/lib/libc.so.6", "[vdso]"};
    struct gate_profile profile = {.function_count = FUNCTIONS, .location_count = LOCATIONS, .mapping_count = MAPPINGS};
    profile.functions = GATE_NEW_ARRAY(arena, struct gate_function, FUNCTIONS);
    profile.locations = GATE_NEW_ARRAY(arena, struct gate_location, LOCATIONS);
    profile.lines = GATE_NEW_ARRAY(arena, struct gate_line, (size_t)LOCATIONS * LINES_MAX);
    profile.mappings = GATE_NEW_ARRAY(arena, struct gate_mapping, MAPPINGS);
    profile.drop_frames = GATE_STR("");
    for (uint32_t i = 0; i < MAPPINGS; i++)
        profile.mappings[i].file = gate_str_from(mappings[i]);
    for (uint32_t i = 0; i < FUNCTIONS; i++) {
        uint64_t dice = gate_hash_number(i, seed);
        profile.functions[i].name = gate_str_format(arena, "pkg.name%c", (int)('A' + (int)(dice % NAMES)));
        profile.functions[i].file = gate_str_from(files[(dice >> 8) % (sizeof files / sizeof *files)]);
        profile.functions[i].start_line = (int64_t)(dice >> 16 & 3);
    }
    for (uint32_t i = 0; i < LOCATIONS; i++) {
        uint64_t dice = gate_hash_number(i, seed + 1);
        struct gate_location *location = &profile.locations[i];
        *location =
            (struct gate_location){.line_first = profile.line_count, .line_count = (uint32_t)(dice % (LINES_MAX + 1))};
        location->mapping = (dice >> 8) % 4 == MAPPINGS ? GATE_NO_INDEX : (uint32_t)((dice >> 8) % 4);
        for (uint32_t l = 0; l < location->line_count; l++)
            profile.lines[profile.line_count++] = (struct gate_line){
                (uint32_t)(gate_hash_number(i * 4 + l, seed + 2) % FUNCTIONS), 0, (dice >> 20 & 3) == 3 ? i + 1 : 0};
    }
    return profile;
}

/* Frame of a name, computed by the slow way. */
struct expected {
    struct gate_str name;
    struct gate_str file;
    int64_t start_line;
    enum gate_code code;
    bool is_own;
};

static uint32_t expected_find(struct expected *all, uint32_t *count, struct gate_str name) {
    for (uint32_t i = 0; i < *count; i++)
        if (gate_str_equal(all[i].name, name))
            return i;
    all[*count] = (struct expected){.name = name, .file = GATE_STR(""), .code = GATE_CODE_LIBRARY};
    return (*count)++;
}

static struct gate_str mapping_name(struct gate_arena *arena, struct gate_str mapping) {
    struct gate_str base = gate_str_basename(mapping);
    if (gate_str_equal(base, GATE_STR("[vdso]"))) /* has brackets already */
        return base;
    return base.len == 0 ? GATE_STR("<unknown>") : gate_str_format(arena, "[%.*s]", GATE_STR_ARG(base));
}

/* Return the index in `all` of a line's frame, found by name; append it if it is new. */
static uint32_t slow_line(struct expected *all, uint32_t *count, const struct gate_profile *profile,
                          const struct gate_location *location, const struct gate_line *line,
                          struct gate_arena *arena) {
    struct gate_code_place place = {.function = GATE_STR(""), .file = GATE_STR("")};
    if (location->mapping != GATE_NO_INDEX)
        place.mapping = profile->mappings[location->mapping].file;
    place.is_main_mapping = location->mapping == 0;
    if (line != NULL) {
        place.function = profile->functions[line->function].name;
        place.file = profile->functions[line->function].file;
    }
    struct gate_str name = place.function.len != 0 ? place.function : mapping_name(arena, place.mapping);
    uint32_t index = expected_find(all, count, name);
    struct expected *frame = &all[index];
    enum gate_language language = gate_own_code_language(profile);
    enum gate_code code = gate_own_code_of(language, &place);
    int64_t start_line = line == NULL ? 0 : profile->functions[line->function].start_line;
    frame->code = code < frame->code ? code : frame->code;
    frame->is_own |= gate_own_code_is_own(language, code);
    frame->file = place.file.len != 0 ? place.file : frame->file;
    if (start_line != 0 || frame->start_line == 0)
        frame->start_line = start_line != 0 ? start_line : line == NULL ? 0 : line->line;
    return index;
}

static void frames_agree(const struct gate_profile *profile, struct gate_arena *arena) {
    const struct gate_frame_options options = {0};
    struct expected *all = GATE_NEW_ARRAY(arena, struct expected, NAMES + MAPPINGS + 1);
    struct gate_frame_table table;
    struct gate_run run = {.input.profile = profile};
    uint32_t count = 0;
    gate_frame_table_init(&table, &options, arena);
    assert_true(gate_frame_table_add(&table, &run, &err));
    gate_frame_table_end(&table);
    for (uint32_t i = 0; i < profile->location_count; i++) {
        const struct gate_location *location = &profile->locations[i];
        uint32_t lines = location->line_count == 0 ? 1 : location->line_count;
        uint32_t frame_count = 0;
        const uint32_t *frames = gate_run_frames(&frame_count, &run, i);
        assert_int_equal(frame_count, lines);
        for (uint32_t l = 0; l < lines; l++) {
            const struct gate_line *line = location->line_count == 0 ? NULL : &profile->lines[location->line_first + l];
            assert_int_equal(frames[l], slow_line(all, &count, profile, location, line, arena));
        }
    }
    assert_int_equal(table.count, count);
    for (uint32_t i = 0; i < count; i++) {
        assert_true(gate_str_equal(table.frames[i].name, all[i].name));
        assert_true(gate_str_equal(table.frames[i].file, all[i].file));
        assert_int_equal(table.frames[i].start_line, all[i].start_line);
        assert_int_equal(table.frames[i].code, all[i].code);
        assert_int_equal(table.frames[i].is_own, all[i].is_own);
    }
}

TEST(looking_a_function_up_once_changes_nothing) {
    for (uint64_t seed = 1; seed <= 40; seed++) {
        struct gate_profile profile = random_profile(&arena, seed);
        frames_agree(&profile, &arena);
    }
}

/* The start line is the first line number above 0. Lines without a number, however many, are ignored. */
TEST(the_first_line_that_has_a_number_is_the_place) {
    struct gate_frame_table table;
    const struct gate_frame_options options = {0};
    struct gate_function function = {.name = GATE_STR("f"), .file = GATE_STR("")};
    struct gate_line lines[] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 5}, {0, 0, 6}};
    enum { LINES = sizeof lines / sizeof *lines };
    struct gate_location locations[LINES];
    for (uint32_t i = 0; i < LINES; i++)
        locations[i] = (struct gate_location){.mapping = GATE_NO_INDEX, .line_first = i, .line_count = 1};
    struct gate_profile profile = {.functions = &function,
                                   .function_count = 1,
                                   .locations = locations,
                                   .location_count = LINES,
                                   .lines = lines,
                                   .line_count = LINES,
                                   .drop_frames = GATE_STR("")};
    struct gate_run run = {.input.profile = &profile};
    gate_frame_table_init(&table, &options, &arena);
    assert_true(gate_frame_table_add(&table, &run, &err));
    gate_frame_table_end(&table);
    assert_int_equal(table.count, 1);
    assert_int_equal(table.frames[0].start_line, 5);
}

/* A function of Go in a file of another folder is as most of its package: a closure of the standard library that was
 * inlined into it, or one that the compiler wrote. Where as many are the program's own it stays that. */
TEST(functions_in_files_of_other_folders_are_as_their_package) {
    enum { ROWS = 9 };
    static const struct {
        const char *name, *file;
        enum gate_code code;
    } rows[ROWS] = {
        {"github.com/acme/cart.Add", "github.com/acme/cart@v1.2.3/add.go", GATE_CODE_THIRD_PARTY},
        {"github.com/acme/cart.Sum", "github.com/acme/cart@v1.2.3/sum.go", GATE_CODE_THIRD_PARTY},
        {"github.com/acme/cart.Sum.Search.func1", "sort/search.go", GATE_CODE_THIRD_PARTY},
        {"gopkg.in/yaml%2ev3.Load", "gopkg.in/yaml.v3@v3.0.1/load.go", GATE_CODE_THIRD_PARTY},
        {"gopkg.in/yaml%2ev3.(*T).Next", "<autogenerated>", GATE_CODE_THIRD_PARTY},
        {"example.com/shop/price.Of", "/src/shop/price/of.go", GATE_CODE_OWN},
        {"example.com/shop/price.(*T).Next", "<autogenerated>", GATE_CODE_OWN},
        {"main.serve", "/src/shop/main.go", GATE_CODE_OWN},
        {"main.serve.Search.func1", "sort/search.go", GATE_CODE_OWN},
    };
    struct gate_function functions[ROWS];
    struct gate_line lines[ROWS];
    struct gate_location locations[ROWS];
    for (uint32_t i = 0; i < ROWS; i++) {
        functions[i] = (struct gate_function){
            .name = gate_str_from(rows[i].name), .file = gate_str_from(rows[i].file), .start_line = 1};
        lines[i] = (struct gate_line){i, 2, 0};
        locations[i] = (struct gate_location){.mapping = GATE_NO_INDEX, .line_first = i, .line_count = 1};
    }
    struct gate_profile profile = {.functions = functions,
                                   .function_count = ROWS,
                                   .locations = locations,
                                   .location_count = ROWS,
                                   .lines = lines,
                                   .line_count = ROWS,
                                   .drop_frames = GATE_STR("")};
    const struct gate_frame_options options = {0};
    struct gate_frame_table table;
    struct gate_run run = {.input.profile = &profile};
    gate_frame_table_init(&table, &options, &arena);
    assert_true(gate_frame_table_add(&table, &run, &err));
    gate_frame_table_end(&table);
    for (uint32_t i = 0; i < ROWS; i++) {
        uint32_t count = 0;
        const uint32_t *frames = gate_run_frames(&count, &run, i);
        if (count != 1 || table.frames[frames[0]].code != rows[i].code)
            fail_msg("row %u: %u frames, code %d", i, count, (int)table.frames[frames[0]].code);
    }
}

/* ---- read in place ----------------------------------------------------------------------------------------------- */

enum { MANY_LOCATIONS = 40000, MANY_FUNCTIONS = 3000 }; /* enough for two threads to read ahead */

/* Write a profile: most locations have one line, functions share names, one function has no name, and some have no
 * start line. */
static void write_profile(struct gate_buf *out, uint64_t seed) {
    enum { STRINGS_BEFORE = S_STRINGS, NAMELESS = 7 };
    struct gate_buf message = {0};
    char name[32];
    put_types(out);
    PUT(out, 3, {1, 1}, {2, 1 << 12}, {5, S_LEAF});
    PUT(out, 3, {1, 2}, {2, 2 << 12}, {5, S_FILE});
    for (uint64_t i = 0; i < MANY_LOCATIONS; i++) {
        uint64_t dice = gate_hash_number(i, seed), lines = dice % 8 < 6 ? 1 : dice % 8 - 6;
        gate_wire_put_number(&message, 1, i + 1);
        gate_wire_put_number(&message, 2, dice >> 8 & 1 ? 1 : dice >> 12 & 3);
        gate_wire_put_number(&message, 3, dice >> 40);
        for (uint64_t l = 0; l < lines + (dice >> 16 & 1); l++)
            PUT(&message, 4,
                {1, 1 + (dice >> 20 & 63 ? gate_hash_number(i * 4 + l, seed + 2) % MANY_FUNCTIONS : NAMELESS)},
                {2, i % 3});
        put_message(out, 4, &message);
    }
    for (uint64_t i = 0; i < MANY_FUNCTIONS; i++) {
        uint64_t dice = gate_hash_number(i, seed + 1);
        PUT(out, 5, {1, i + 1}, {2, i == NAMELESS ? 0 : STRINGS_BEFORE + dice % MANY_FUNCTIONS},
            {4, dice >> 16 & 1 ? S_FILE : S_EMPTY}, {5, dice >> 20 & 3});
    }
    put_strings(out);
    for (uint64_t i = 0; i < MANY_FUNCTIONS; i++) {
        (void)snprintf(name, sizeof name, "pkg.name%d", (int)i);
        gate_wire_put_bytes(out, 6, gate_str_from(name));
    }
}

/* Return the same profile with locations and lines in lists, none of which is read in place. */
static struct gate_profile listed(const struct gate_profile *profile, struct gate_arena *arena) {
    struct gate_profile out = *profile;
    struct gate_location *locations = GATE_NEW_ARRAY(arena, struct gate_location, profile->location_count);
    struct gate_line *lines = GATE_NEW_ARRAY(arena, struct gate_line, (size_t)profile->location_count * 4);
    out.line_count = 0;
    for (uint32_t i = 0; i < profile->location_count; i++) {
        locations[i] = gate_location_at(profile, i);
        struct gate_line_walk walk = gate_location_lines(profile, &locations[i]);
        uint32_t first = out.line_count;
        while (gate_line_next(&walk, &lines[out.line_count]))
            out.line_count++;
        locations[i].line_first = first;
        locations[i].lines_in = GATE_LINES_KEPT;
    }
    out.locations = locations;
    out.lines = lines;
    out.location_places = NULL;
    return out;
}

static void expect_same_frames(const struct gate_profile profiles[2], struct gate_arena *arena) {
    const struct gate_frame_options options = {0};
    struct gate_frame_table tables[2];
    struct gate_run runs[2] = {{.input.profile = &profiles[0]}, {.input.profile = &profiles[1]}};
    for (int i = 0; i < 2; i++) {
        gate_frame_table_init(&tables[i], &options, arena);
        assert_true(gate_frame_table_add(&tables[i], &runs[i], &err));
        gate_frame_table_end(&tables[i]);
    }
    assert_int_equal(tables[0].count, tables[1].count);
    for (uint32_t i = 0; i < tables[0].count; i++) {
        const struct gate_frame *a = &tables[0].frames[i], *b = &tables[1].frames[i];
        assert_true(gate_str_equal(a->name, b->name) && gate_str_equal(a->file, b->file));
        assert_int_equal(a->start_line, b->start_line);
        assert_int_equal(a->code, b->code);
    }
    for (uint32_t i = 0; i < MANY_LOCATIONS; i++) {
        uint32_t counts[2];
        const uint32_t *frames[2] = {gate_run_frames(&counts[0], &runs[0], i),
                                     gate_run_frames(&counts[1], &runs[1], i)};
        assert_int_equal(counts[0], counts[1]);
        assert_memory_equal(frames[0], frames[1], counts[0] * sizeof *frames[0]);
    }
}

TEST(locations_in_place_have_the_frames_of_those_in_lists) {
    for (uint64_t seed = 1; seed <= 2; seed++) {
        AT_END(gate_buf_free) struct gate_buf bytes = {0};
        struct gate_limits limits = gate_limits_default();
        struct gate_profile profiles[2];
        write_profile(&bytes, seed);
        assert_true(gate_pprof_decode(&profiles[0], gate_buf_view(&bytes), &limits, &arena, &err));
        profiles[1] = listed(&profiles[0], &arena);
        expect_same_frames(profiles, &arena);
    }
}
