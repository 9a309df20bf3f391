/* SPDX-License-Identifier: Apache-2.0 */
/* Self cost, cumulative cost and diffs of real profiles equal those that google/pprof prints. The profiles and pprof's
 * output are beside the checkout; without them every test is skipped. */
#include "gate/base/table.h"
#include "gate/compare/delta.h"
#include "gate/formats/format.h"
#include "tests/unit/unit.h"

#include <dirent.h>
#include <inttypes.h>
#include <math.h>

#define CORPUS GATE_SHARED_DIR "/corpus"
#define PRINTS GATE_SHARED_DIR "/oracle/pprof"

/* The profiles to load, and how pprof printed them. */
struct row {
    char name[300];
    const char *base; /* NULL: `source` alone, no diff */
    const char *source;
    const char *column; /* sample type; "" for the default */
    bool normalised;
};

/* A row of pprof's output, summed over equal names. pprof separates frames of mappings with equal base names; our table
 * joins them. */
struct printed {
    struct gate_str name;
    int64_t flat, cumulative;
};

struct print {
    struct printed *items;
    uint32_t count;
    struct gate_table names;
};

static bool load(struct gate_profile *profile, const char *file, struct gate_arena *arena, struct gate_error *err) {
    struct gate_limits limits = gate_limits_default();
    struct gate_str bytes;
    struct gate_str path = gate_str_format(arena, CORPUS "/%s", file);
    return gate_source_read(&bytes, path, &limits, arena, err) &&
           gate_profile_load(profile, bytes, &limits, arena, err);
}

/* Example: "-7210000000ns 23.72% 23.72% -7210000000ns 23.72%  runtime.kevent (inline)" */
static bool parse_line(struct printed *out, const char *line, struct gate_arena *arena) {
    char flat[64], cumulative[64], ignored[3][64];
    int at = 0;
    if (sscanf(line, " %63s %63s %63s %63s %63s %n", flat, ignored[0], ignored[1], cumulative, ignored[2], &at) != 5 ||
        strchr(ignored[0], '%') == NULL)
        return false;
    out->flat = strtoll(flat, NULL, 10);
    out->cumulative = strtoll(cumulative, NULL, 10);
    struct gate_str name = gate_str_trim(gate_str_from(line + at));
    const struct gate_str marks[] = {GATE_STR(" (inline)"), GATE_STR(" (partial-inline)")};
    for (int i = 0; i < 2; i++)
        if (gate_str_ends(name, marks[i]))
            name.len -= marks[i].len;
    out->name = gate_str_copy(arena, name);
    return true;
}

static bool parse_print(struct print *print, const char *path, struct gate_arena *arena) {
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return false;
    static char line[1 << 20];
    size_t capacity = 0;
    struct printed row;
    bool in_table = false;
    *print = (struct print){0};
    gate_table_init(&print->names, arena);
    while (fgets(line, sizeof line, file) != NULL) {
        if (!in_table) {
            in_table = strstr(line, "flat%") != NULL; /* rows begin after the heading */
            continue;
        }
        if (!parse_line(&row, line, arena))
            continue;
        uint32_t index = gate_table_intern(&print->names, row.name);
        if (index == print->count) {
            assert_true(GATE_GROW(arena, print->items, print->count, capacity));
            print->items[print->count++] = row;
        } else {
            print->items[index].flat += row.flat;
            print->items[index].cumulative += row.cumulative;
        }
    }
    (void)fclose(file);
    return true;
}

/* Return our value of one frame. For a diff it is the change, with the source scaled as by pprof's -normalize. */
static double ours(const struct gate_pair *pair, const struct gate_delta *delta, enum gate_measure measure,
                   const struct row *row) {
    double source = (double)delta->value[measure][GATE_CANARY];
    if (row->base == NULL)
        return source;
    double scale =
        row->normalised ? (double)pair->sides[GATE_BASELINE].total / (double)pair->sides[GATE_CANARY].total : 1.0;
    return source * scale - (double)delta->value[measure][GATE_BASELINE];
}

static void compare(const struct gate_pair *pair, const struct gate_delta_list *deltas, const struct print *print,
                    const struct row *row) {
    /* pprof rounds each scaled sample; we do not round. */
    double tolerance = row->normalised ? 1.0 + 0.5 * (double)pair->sides[GATE_CANARY].runs[0].stacks.record_count : 0.0;
    uint32_t matched = 0;
    for (uint32_t i = 0; i < pair->frame_count; i++) {
        double flat = ours(pair, &deltas->items[i], GATE_SELF, row);
        double cumulative = ours(pair, &deltas->items[i], GATE_CUMULATIVE, row);
        uint32_t index = gate_table_find(&print->names, pair->frames[i].name);
        if (index == GATE_TABLE_NONE) {
            /* pprof omits frames whose flat and cumulative values are both zero. */
            if (fabs(flat) > tolerance || fabs(cumulative) > tolerance)
                fail_msg("'%.*s' is not in the print: %.0f, %.0f", GATE_STR_ARG(pair->frames[i].name), flat,
                         cumulative);
            continue;
        }
        matched++;
        if (fabs(flat - (double)print->items[index].flat) > tolerance ||
            fabs(cumulative - (double)print->items[index].cumulative) > tolerance)
            fail_msg("'%.*s': %.0f and %.0f, pprof has %" PRId64 " and %" PRId64, GATE_STR_ARG(pair->frames[i].name),
                     flat, cumulative, print->items[index].flat, print->items[index].cumulative);
    }
    assert_int_equal(matched, print->count);
}

static void row_agrees(void **state) {
    skip_without_reference_profiles();
    const struct row *row = *state;
    AT_END(gate_arena_free) struct gate_arena arena = {0};
    struct gate_error err = {0};
    struct gate_profile profiles[2];
    struct print print;
    char path[512];
    (void)snprintf(path, sizeof path, PRINTS "/%s.txt", row->name);
    if (!parse_print(&print, path, &arena)) {
        fail_msg("%s cannot be read", path);
    }
    const char *base = row->base == NULL ? row->source : row->base;
    if (!load(&profiles[0], base, &arena, &err) || !load(&profiles[1], row->source, &arena, &err))
        fail_msg("%s", err.message);
    struct gate_run_input inputs[2] = {{.path = GATE_STR("base"), .profile = &profiles[0]},
                                       {.path = GATE_STR("source"), .profile = &profiles[1]}};
    const struct gate_run_input *const sides[GATE_SIDES] = {&inputs[0], &inputs[1]};
    const uint32_t counts[GATE_SIDES] = {1, 1};
    struct gate_pair_options options = {.sample_type = gate_str_from(row->column), .frames = {.exact_names = true}};
    struct gate_pair pair;
    struct gate_delta_list deltas;
    if (!gate_pair_make(&pair, sides, counts, &options, &arena, &err) ||
        !gate_delta_fold(&deltas, &pair, NULL, &arena, &err))
        fail_msg("%s", err.message);
    compare(&pair, &deltas, &print, row);
}

#define OLD_CPU "9592747f_go-sqllexer_cpu-old.prof"
#define NEW_CPU "541ecd2a_go-sqllexer_cpu-new.prof"
#define OLD_HEAP "92ae7ee8_go-sqllexer_mem-old.prof"
#define NEW_HEAP "c5ae7255_go-sqllexer_mem-new.prof"
#define DD_BEFORE "c3f6c4c1_dd-trace-go_heap.before.pprof"
#define DD_AFTER "6e39cf2b_dd-trace-go_heap.after.pprof"

static struct row diffs[] = {
    {"R13_sqllexer_cpu.diff", OLD_CPU, NEW_CPU, "", false},
    {"R13_sqllexer_cpu.diff_normalize", OLD_CPU, NEW_CPU, "", true},
    {"R13_sqllexer_cpu.i0.diff", OLD_CPU, NEW_CPU, "samples", false},
    {"R13_sqllexer_cpu.i0.diff_normalize", OLD_CPU, NEW_CPU, "samples", true},
    {"R14_sqllexer_mem.diff", OLD_HEAP, NEW_HEAP, "", false},
    {"R14_sqllexer_mem.diff_normalize", OLD_HEAP, NEW_HEAP, "", true},
    {"R14_sqllexer_mem.i0.diff", OLD_HEAP, NEW_HEAP, "alloc_objects", false},
    {"R14_sqllexer_mem.i0.diff_normalize", OLD_HEAP, NEW_HEAP, "alloc_objects", true},
    {"R14_sqllexer_mem.i2.diff", OLD_HEAP, NEW_HEAP, "inuse_objects", false},
    {"R14_sqllexer_mem.i2.diff_normalize", OLD_HEAP, NEW_HEAP, "inuse_objects", true},
    {"R14_sqllexer_mem.i3.diff", OLD_HEAP, NEW_HEAP, "inuse_space", false},
    {"R14_sqllexer_mem.i3.diff_normalize", OLD_HEAP, NEW_HEAP, "inuse_space", true},
    {"R36_dd_heap.diff", DD_BEFORE, DD_AFTER, "", false},
    {"R36_dd_heap.diff_normalize", DD_BEFORE, DD_AFTER, "", true},
    {"R36_dd_heap.i0.diff", DD_BEFORE, DD_AFTER, "alloc_objects", false},
    {"R36_dd_heap.i0.diff_normalize", DD_BEFORE, DD_AFTER, "alloc_objects", true},
    {"R36_dd_heap.i1.diff", DD_BEFORE, DD_AFTER, "alloc_space", false},
    {"R36_dd_heap.i1.diff_normalize", DD_BEFORE, DD_AFTER, "alloc_space", true},
    {"R36_dd_heap.i2.diff", DD_BEFORE, DD_AFTER, "inuse_objects", false},
    {"R36_dd_heap.i2.diff_normalize", DD_BEFORE, DD_AFTER, "inuse_objects", true},
};

/* Files without samples to compare, and files that are not protobuf. Other tests cover their refusal. */
static bool is_left_out(const char *file) {
    static const char *const names[] = {"MANIFEST.csv",
                                        "LICENSES",
                                        "e77152fe_flameshow_block.out",
                                        "d0a3a74a_pprof_gobench.heap",
                                        "7da90175_pprof_java.contention",
                                        NULL};
    for (int i = 0; names[i] != NULL; i++)
        if (strcmp(names[i], file) == 0)
            return true;
    return file[0] == '.';
}

enum { DIFF_COUNT = sizeof diffs / sizeof diffs[0], ROWS_MAX = 256 };

int main(void) {
    static struct row rows[ROWS_MAX];
    static char files[ROWS_MAX][256];
    struct CMUnitTest tests[ROWS_MAX];
    size_t count = 0;
    for (; count < DIFF_COUNT; count++)
        rows[count] = diffs[count];
    DIR *corpus = opendir(CORPUS);
    for (struct dirent *entry = corpus == NULL ? NULL : readdir(corpus); entry != NULL; entry = readdir(corpus)) {
        if (is_left_out(entry->d_name) || count == ROWS_MAX || strlen(entry->d_name) >= sizeof files[0])
            continue;
        (void)snprintf(files[count], sizeof files[count], "%s", entry->d_name);
        (void)snprintf(rows[count].name, sizeof rows[count].name, "%s.flat", files[count]);
        rows[count].source = files[count];
        rows[count].column = "";
        count++;
    }
    if (corpus != NULL)
        (void)closedir(corpus);
    for (size_t i = 0; i < count; i++)
        tests[i] = (struct CMUnitTest){rows[i].name, row_agrees, NULL, NULL, &rows[i]};
    return _cmocka_run_group_tests("oracle", tests, count, NULL, NULL);
}
