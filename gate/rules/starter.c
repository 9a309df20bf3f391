/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a first rules file from a profile. Names are untrusted, so they are quoted for YAML and for PCRE2. */
#include "gate/rules/starter.h"

#include "gate/base/buf.h"
#include "gate/base/escape.h"
#include "gate/base/table.h"
#include "gate/compare/evidence.h"
#include "gate/names/frame_name.h"
#include "gate/rules/rules.h"

#include <math.h>
#include <stdlib.h>

enum { STARTER_FUNCTIONS = 5, STARTER_NAME_MAX = 300 };

static const double PACKAGE_MOST = 0.6;

_Static_assert(GATE_RULES_MIN_SAMPLES == 100, "nothing_fails says it in words");

/* A function or a package, and its charged cost. */
struct starter_item {
    struct gate_str name;
    int64_t cost;   /* charged cost */
    uint32_t frame; /* index of the frame in the pair; GATE_NO_INDEX for a package */
};

/* A limit, and the growth that it can detect, in points. */
struct starter_limit {
    unsigned limit_pp, detectable_pp;
};

struct starter {
    struct gate_buf *out;
    const struct gate_pair *pair;
    const struct gate_delta_list *deltas;
    struct gate_evidence_options evidence;
    uint32_t family;
};

static void write_percent(struct gate_buf *out, const struct starter *starter, int64_t cost) {
    gate_buf_fixed(out, gate_share(cost, starter->pair->sides[GATE_BASELINE].total) * 100.0, 1);
    gate_buf_text(out, "%");
}

static int by_cost(const void *a, const void *b) {
    const struct starter_item *x = a;
    const struct starter_item *y = b;
    if (x->cost != y->cost)
        return x->cost < y->cost ? 1 : -1;
    return gate_str_compare(x->name, y->name);
}

/* Return whether a frame is the program's own code. Third-party modules, which count as own in Go, are excluded:
 * budgets should not name them. */
static bool is_own_code(const struct gate_frame *frame) {
    return frame->is_own && !frame->is_runtime && frame->code != GATE_CODE_THIRD_PARTY;
}

/* Return whether a frame is own code with a name, not an address, of reasonable length, and a charged share of at
 * least 1%. */
static bool is_worth_it(const struct starter *starter, uint32_t i) {
    const struct gate_frame *frame = &starter->pair->frames[i];
    int64_t cost = starter->deltas->items[i].value[GATE_CHARGED][GATE_BASELINE];
    return frame->is_symbolised && is_own_code(frame) && frame->name.len > 0 && frame->name.len <= STARTER_NAME_MAX &&
           gate_share(cost, starter->pair->sides[GATE_BASELINE].total) >= 0.01;
}

static bool list_functions(struct starter_item **out, uint32_t *count, const struct starter *starter,
                           struct gate_arena *arena, struct gate_error *err) {
    struct starter_item *items = GATE_NEW_ARRAY(arena, struct starter_item, starter->pair->frame_count);
    *count = 0;
    if (items == NULL)
        return gate_arena_error(arena, err);
    for (uint32_t i = 0; i < starter->pair->frame_count; i++)
        if (is_worth_it(starter, i))
            items[(*count)++] = (struct starter_item){starter->pair->frames[i].name,
                                                      starter->deltas->items[i].value[GATE_CHARGED][GATE_BASELINE], i};
    qsort(items, *count, sizeof *items, by_cost);
    *out = items;
    return true;
}

/* Find the package with the highest charged cost of at most PACKAGE_MOST. A larger share leaves too little room for
 * growth. `.name` is empty if names contain no packages or all packages are too large. */
static bool find_package(struct starter_item *out, const struct starter *starter, struct gate_arena *arena,
                         struct gate_error *err) {
    const struct gate_pair *pair = starter->pair;
    struct gate_table packages;
    gate_table_init(&packages, arena);
    struct starter_item *items = GATE_NEW_ARRAY(arena, struct starter_item, pair->frame_count);
    if (items == NULL)
        return gate_arena_error(arena, err);
    for (uint32_t i = 0; i < pair->frame_count; i++) {
        struct gate_str package = gate_name_package(pair->frames[i].name, pair->language);
        const struct gate_frame *frame = &pair->frames[i];
        if (package.len == 0 || package.len > STARTER_NAME_MAX || !is_own_code(frame))
            continue;
        uint32_t index = gate_table_intern(&packages, package);
        if (index == GATE_TABLE_NONE)
            return gate_arena_error(arena, err);
        items[index].name = package;
        items[index].frame = GATE_NO_INDEX;
        items[index].cost += starter->deltas->items[i].value[GATE_CHARGED][GATE_BASELINE];
    }
    qsort(items, packages.count, sizeof *items, by_cost);
    uint32_t first = 0;
    while (first < packages.count && gate_share(items[first].cost, pair->sides[GATE_BASELINE].total) > PACKAGE_MOST)
        first++;
    *out = items[first]; /* a zeroed item if there is none */
    return true;
}

/* Return a comment that explains why no growth of a function could fail, or NULL if growth could fail. */
static const char *nothing_fails(const struct starter *starter) {
    const struct gate_side *side = &starter->pair->sides[GATE_BASELINE];
    if (side->events < GATE_RULES_MIN_SAMPLES)
        return "# With fewer than 100 effective samples per side nothing can fail (min_samples): profile for longer, "
               "then run\n"
               "# `pprofgate init` again for budgets of single functions.\n";
    if (side->run_count < 2 && side->runs[0].counts.kind == GATE_COUNTS_DELAY)
        return "# With delays of one run per side nothing can fail: give two runs of the baseline, or more, for "
               "budgets "
               "of\n"
               "# single functions.\n";
    return NULL;
}

/* Choose the smallest limit whose detectable growth is at most three times the limit. Return false if there are too
 * few samples for all. */
static bool choose_limit(struct starter_limit *out, const struct starter *starter, uint32_t frame) {
    static const unsigned ladder[] = {1, 2, 3, 5, 8, 10, 15, 20};
    struct gate_evidence evidence = gate_evidence_of(starter->pair, starter->deltas, frame, GATE_CHARGED,
                                                     starter->pair->frames[frame].name, &starter->evidence);
    double level = 0.01 / (starter->family > 0 ? starter->family : 1);
    double room = 100.0 * (1.0 - evidence.share[GATE_BASELINE]); /* no frame can grow by more */
    for (size_t i = 0; i < sizeof ladder / sizeof *ladder; i++) {
        double detectable = gate_detectable_growth(&evidence, ladder[i] / 100.0, level, 0.05) * 100.0;
        if (!(detectable <= 3.0 * ladder[i] && detectable < room))
            continue;
        if (evidence.share[GATE_BASELINE] * 100.0 + ceil(detectable) >= 100.0)
            return false; /* the frame cannot grow by that much */
        *out = (struct starter_limit){ladder[i], (unsigned)ceil(detectable)};
        return true;
    }
    return false;
}

static void write_head(const struct starter *starter, const struct gate_starter_options *options) {
    struct gate_buf *out = starter->out;
    const struct gate_side *side = &starter->pair->sides[GATE_BASELINE];
    gate_buf_text(out, "# Rules of pprofgate: what a canary may cost more than its baseline.\n# Written from ");
    uint32_t others = side->run_count - 1;
    if (options->source.len != 0)
        gate_escape_terminal(out, gate_str_slice(options->source, 0, STARTER_NAME_MAX));
    else
        gate_buf_text(out, "a profile");
    if (others != 0)
        gate_buf_printf(out, " and %u other%s", (unsigned)others, others == 1 ? "" : "s");
    gate_buf_text(out, " (");
    gate_buf_fixed(out, side->events, 0);
    gate_buf_text(out, " effective samples of ");
    gate_escape_terminal(out, starter->pair->type.type);
    gate_buf_text(out, ").\n"
                       "# Change what does not fit, then check it: pprofgate validate FILE\n"
                       "version: 1\n"
                       "\n");
    if (options->preset == NULL)
        gate_buf_text(out,
                      "# No function of your own takes over or doubles, libraries included. Or: strict, none, a path.\n"
                      "extends: recommended\n");
    else
        gate_buf_printf(out, "# What fits such profiles. Or: recommended, strict, none, a path.\nextends: %s\n",
                        options->preset);
    gate_buf_text(
        out, "\n"
             "# charged: what a function of yours costs, with all that libraries and the runtime cost beneath it.\n");
}

static void write_function(const struct starter *starter, const struct starter_item *item,
                           const struct starter_limit *limit) {
    struct gate_buf *out = starter->out;
    gate_buf_text(out, "\n  # ");
    write_percent(out, starter, item->cost);
    uint32_t runs = starter->pair->sides[GATE_BASELINE].run_count;
    gate_buf_printf(out,
                    " of the profile. Growth of %u points fails four times in five with %u run%s per side, less may "
                    "pass.\n"
                    "  - name: '",
                    limit->detectable_pp, (unsigned)runs, runs == 1 ? "" : "s");
    gate_escape_yaml(out, item->name);
    gate_buf_text(out, " stays where it is'\n    sample_type: '");
    gate_escape_yaml(out, starter->pair->type.type);
    gate_buf_text(out, "'\n    select: {function: ");
    gate_escape_yaml_pattern(out, item->name);
    gate_buf_printf(out, "}\n    measure: charged\n    limit: \"+%upp\"\n    max_mde: \"%upp\"\n", limit->limit_pp,
                    limit->detectable_pp);
}

static void write_package(const struct starter *starter, const struct starter_item *package) {
    struct gate_buf *out = starter->out;
    gate_buf_text(out, "\n  # All functions of the most expensive package as one: ");
    write_percent(out, starter, package->cost);
    gate_buf_text(out, " of the profile.\n  - name: 'package ");
    gate_escape_yaml(out, package->name);
    gate_buf_text(out, " as a whole'\n    severity: warn\n    sample_type: '");
    gate_escape_yaml(out, starter->pair->type.type);
    gate_buf_text(out, "'\n    select: {package: ");
    gate_escape_yaml_pattern(out, package->name);
    gate_buf_text(out, "}\n    measure: charged\n    as: group\n    limit: \"+10%\"\n");
}

static const char tail[] =
    "\n"
    "# More that a budget can say (rules/README.md is the reference):\n"
    "#\n"
    "#   - name: checkout stays cheap, whatever else shrinks\n"
    "#     measure: cumulative_cost        # per unit of work: check --work baseline=N --work canary=N\n"
    "#     where: {endpoint: /checkout}    # only samples with this label\n"
    "#     limit: {increase: {warn: \"+5%\", error: \"+10%\"}}\n"
    "#     owner: team-cart\n"
    "#\n"
    "#   - name: no function doubles      # leaves out what the next one judges; likewise 'no function takes over'\n"
    "#     select: {not: '^main\\.newRanking$'}\n"
    "#   - name: the total does not grow  # with what the function adds to it\n"
    "#     limit: \"+60%\"\n"
    "#     expires: 2030-12-31\n"
    "#   - name: ranking may cost more until it is cached\n"
    "#     select: '^main\\.newRanking$'\n"
    "#     measure: charged\n"
    "#     limit: {share: \"25%\"}\n"
    "#     reason: known, ISSUE-12\n"
    "#     expires: 2030-12-31             # after that day no run passes\n";

/* Write budgets of functions, then of the package. Functions whose names are printed alike get only one budget,
 * because budget names must be unique. */
static bool write_budgets(const struct starter *starter, const struct starter_item *items, uint32_t count,
                          const struct starter_item *package, struct gate_arena *arena) {
    const char *hindrance = nothing_fails(starter);
    struct gate_table names;
    uint32_t written = 0;
    gate_table_init(&names, arena);
    for (uint32_t i = 0; hindrance == NULL && i < count; i++) {
        struct starter_limit limit;
        struct gate_buf shown = {0};
        gate_escape_yaml(&shown, items[i].name);
        uint32_t before = names.count;
        bool fits = !shown.failed && gate_table_intern_copy(&names, gate_buf_view(&shown)) != GATE_TABLE_NONE;
        bool first = names.count != before;
        gate_buf_free(&shown);
        if (!fits)
            return false;
        if (!first || !choose_limit(&limit, starter, items[i].frame))
            continue;
        gate_buf_text(starter->out, written++ == 0 ? "\nbudgets:" : "");
        write_function(starter, &items[i], &limit);
    }
    if (package->cost > 0) {
        gate_buf_text(starter->out, written++ == 0 ? "\nbudgets:" : "");
        write_package(starter, package);
    }
    if (hindrance != NULL)
        gate_buf_printf(starter->out, "\n%s", hindrance);
    else if (written == 0)
        gate_buf_text(starter->out, "\n# Too few samples, or too few names, for budgets of single functions.\n");
    return true;
}

bool gate_starter_write(struct gate_buf *out, const struct gate_pair *pair, const struct gate_delta_list *deltas,
                        const struct gate_starter_options *options, struct gate_arena *arena, struct gate_error *err) {
    struct starter starter = {.out = out, .pair = pair, .deltas = deltas};
    struct starter_item *items = NULL;
    struct starter_item package = {0};
    uint32_t count = 0;
    if (!gate_evidence_prior(&starter.evidence, pair, deltas, arena, err))
        return false;
    for (uint32_t i = 0; i < pair->frame_count; i++)
        starter.family += deltas->items[i].value[GATE_CHARGED][GATE_BASELINE] != 0;
    /* Number of hypotheses: two budgets of the preset test every function, and each budget written here tests one. */
    uint32_t wanted = options->function_limit == 0 ? STARTER_FUNCTIONS : options->function_limit;
    starter.family = 2 * starter.family + (wanted < starter.family ? wanted : starter.family);
    if (!list_functions(&items, &count, &starter, arena, err) || !find_package(&package, &starter, arena, err))
        return false;
    write_head(&starter, options);
    if (!write_budgets(&starter, items, count < wanted ? count : wanted, &package, arena))
        return gate_arena_error(arena, err);
    gate_buf_text(out, tail);
    return gate_buf_check(out, err);
}
