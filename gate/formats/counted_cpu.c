/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/formats/counted_cpu.h"

#include "gate/formats/format.h"
#include "gate/formats/merge.h"
#include "gate/model/labels.h"

#include <math.h>
#include <string.h>

static const double LEAST_NS = 2e8;

/* A century in nanoseconds. A larger time is damaged, and may not fit into 64 bits. */
static const double MOST_NS = 3.2e18;

/* ---- comment with the counted times ------------------------------------------------------------------------------ */

/* Each number follows its word. `go tool pprof` hides comments that start with '#'. */
static const char all_word[] = "# ns of cpu counted by the system: ", collector_word[] = ", of the collector: ",
                  sampled_word[] = ", in samples: ";

bool gate_counted_cpu_note(struct gate_builder *builder, const struct gate_counted_cpu *counted,
                           struct gate_arena *arena, struct gate_error *err) {
    if (counted->all_ns - counted->collector_ns < LEAST_NS || counted->sampled_ns <= 0.0)
        return true;
    struct gate_str text = gate_str_format(arena, "%s%.0f%s%.0f%s%.0f", all_word, counted->all_ns, collector_word,
                                           counted->collector_ns, sampled_word, counted->sampled_ns);
    if (text.ptr == NULL)
        return gate_arena_error(arena, err);
    gate_builder_comment(builder, text);
    return true;
}

/* Add the number after `word` to `*to`. Return false if there is none. */
static bool add_number(double *to, struct gate_str text, const char *word) {
    size_t at = gate_str_find(text, gate_str_from(word), 0);
    double number = 0.0;
    if (at == SIZE_MAX)
        return false;
    size_t first = at + strlen(word);
    for (at = first; at < text.len && gate_is_digit(text.ptr[at]); at++)
        number = 10.0 * number + (text.ptr[at] - '0');
    *to += number;
    return at > first;
}

bool gate_counted_cpu_read(struct gate_counted_cpu *out, const struct gate_profile *profile) {
    *out = (struct gate_counted_cpu){0};
    for (uint32_t c = 0; c < profile->comment_count; c++)
        if (gate_str_starts(profile->comments[c], gate_str_from(all_word)) &&
            !(add_number(&out->all_ns, profile->comments[c], all_word) &&
              add_number(&out->collector_ns, profile->comments[c], collector_word) &&
              add_number(&out->sampled_ns, profile->comments[c], sampled_word)))
            return false;
    return out->all_ns > out->collector_ns && out->all_ns < MOST_NS && out->sampled_ns > 0.0;
}

bool gate_counted_cpu_find(struct gate_counted_cpu *out, const struct gate_profile *profile) {
    return !gate_profile_is_counted(profile) && gate_counted_cpu_read(out, profile);
}

/* ---- a profile of the counted CPU time --------------------------------------------------------------------------- */

/* Return the index of a column of a merged profile by type and unit; GATE_NO_INDEX if there is none. */
static uint32_t column_of(const struct gate_builder *builder, const char *type, const char *unit) {
    for (uint32_t i = 0; i < builder->type_count; i++)
        if (!builder->type_dropped[i] && gate_str_equal(builder->types[i].type, gate_str_from(type)) &&
            gate_str_equal(builder->types[i].unit, gate_str_from(unit)))
            return i;
    return GATE_NO_INDEX;
}

/* Multiply a column by `factor`. Return false if a value does not fit. */
static bool column_scale(struct gate_stack_tree *samples, uint32_t column, double factor) {
    bool ok = true;
    for (uint32_t at = gate_stack_tree_first(samples); ok && at != 0; at = gate_stack_tree_next(samples, at)) {
        double value = (double)gate_stack_tree_value(samples, at, column) * factor;
        ok = fabs(value) < 0x1p62 && gate_stack_tree_set(samples, at, column, llround(value));
    }
    return ok;
}

static double column_sum(const struct gate_stack_tree *samples, uint32_t column) {
    double sum = 0.0;
    for (uint32_t at = gate_stack_tree_first(samples); at != 0; at = gate_stack_tree_next(samples, at))
        sum += (double)gate_stack_tree_value(samples, at, column);
    return sum;
}

/* Add one stack with the garbage collector's CPU time. Its ratio to the column `cpu` is that of the counted times. */
static bool collector_add(struct gate_builder *builder, uint32_t cpu, const struct gate_counted_cpu *counted,
                          struct gate_error *err) {
    uint32_t samples = column_of(builder, "samples", "count");
    double rest = column_sum(&builder->samples, cpu);
    double collector = rest * counted->collector_ns / (counted->all_ns - counted->collector_ns);
    int64_t values[GATE_VALUES_MAX] = {0};
    uint64_t frame = gate_builder_frame(builder, GATE_STR(GATE_COLLECTOR_FRAME), GATE_STR(""), 0);
    const struct gate_builder_sample added = {.locations = &frame, .depth = 1, .values = values};
    values[cpu] = llround(collector);
    if (samples != GATE_NO_INDEX && rest > 0.0)
        values[samples] = llround(column_sum(&builder->samples, samples) * collector / rest);
    return values[cpu] == 0 || (samples != GATE_NO_INDEX && values[samples] == 0) || frame == 0 ||
           gate_builder_sample(builder, &added, err);
}

/* Write `profile` to `bytes`, with `cpu` scaled to the CPU time that the system counted. */
static bool counted_write(struct gate_buf *bytes, const struct gate_profile *profile, struct gate_arena *scratch,
                          struct gate_error *err) {
    struct gate_counted_cpu counted;
    struct gate_merge merge;
    struct gate_builder *builder = &merge.builder;
    gate_merge_begin(&merge, scratch);
    bool ok = gate_merge_add(&merge, profile, scratch, err);
    uint32_t cpu = ok ? column_of(builder, "cpu", "nanoseconds") : GATE_NO_INDEX;
    if (cpu != GATE_NO_INDEX && gate_counted_cpu_find(&counted, profile)) {
        gate_builder_comment(builder, GATE_STR(GATE_COMMENT_COUNTED));
        ok = column_scale(&builder->samples, cpu, (counted.all_ns - counted.collector_ns) / counted.sampled_ns) ||
             gate_error_set(err, GATE_ERR_OVERFLOW, "the CPU time that the system counted does not fit in 64 bits");
        ok = ok && collector_add(builder, cpu, &counted, err);
    }
    ok = ok && gate_merge_write(bytes, &merge, GATE_CONTAINER_RAW, err);
    gate_merge_end(&merge);
    return ok;
}

bool gate_counted_cpu_apply(struct gate_profile *out, const struct gate_profile *profile,
                            const struct gate_limits *limits, struct gate_arena *arena, struct gate_error *err) {
    struct gate_buf bytes = {0};
    struct gate_str kept = {NULL, 0};
    struct gate_arena scratch;
    gate_arena_fork(&scratch, arena);
    bool ok = counted_write(&bytes, profile, &scratch, err);
    gate_arena_free(&scratch);
    ok = ok && gate_buf_keep_into(&kept, &bytes, arena, err);
    gate_buf_free(&bytes);
    if (!ok || !gate_profile_load(out, kept, limits, arena, err))
        return false;
    out->format = profile->format;
    return true;
}
