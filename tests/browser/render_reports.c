/* SPDX-License-Identifier: Apache-2.0 */
/* Writes every report of an invented verdict into a directory: input of the browser tests and of the format readers.
 * usage: render_reports DIR [service|linked|diff|hostile|tiny|unsure|many|self|grown|busier|several|large NODES
 * [MIN_SHARE]]
 */
#include "gate/report/report.h"
#include "tests/unit/verdict_fixture.h"

#include <stdio.h>

static const struct {
    const char *name;
    const struct gate_report_format *report;
    enum gate_junit_flavor flavor;
} reports[] = {
    {"report.txt", &gate_report_terminal, GATE_JUNIT_RICH},
    {"report.json", &gate_report_json, GATE_JUNIT_RICH},
    {"junit.xml", &gate_report_junit, GATE_JUNIT_RICH},
    {"junit-strict.xml", &gate_report_junit, GATE_JUNIT_STRICT},
    {"graph.svg", &gate_report_svg, GATE_JUNIT_RICH},
    {"report.html", &gate_report_html, GATE_JUNIT_RICH},
    {"report.md", &gate_report_markdown, GATE_JUNIT_RICH},
    {"github.txt", &gate_report_github, GATE_JUNIT_RICH},
    {"codequality.json", &gate_report_codequality, GATE_JUNIT_RICH},
    {"code.sarif", &gate_report_sarif, GATE_JUNIT_RICH},
    {"metrics.txt", &gate_report_openmetrics, GATE_JUNIT_RICH},
    {"stacks.folded", &gate_report_folded, GATE_JUNIT_RICH},
    {"speedscope.json", &gate_report_speedscope, GATE_JUNIT_RICH},
};

static void build_hostile(struct fixture *f) {
    fixture_init(f);
    char name[2001];
    memset(name, 'x', 2000);
    memcpy(name, "long.package.path/", 18);
    memcpy(name + 1990, ".TheEnd", 7);
    name[2000] = '\0';
    char stack[4096];
    (void)snprintf(stack, sizeof stack, "main;%s;leaf", name);
    fixture_stack(f, stack, 300, 310);
    fixture_stack(f, "main;</script><script>document.title='owned'</script>;leaf", 100, 320);
    fixture_stack(f, "main;<img src=x onerror=alert(1)>\"'&amp;", 220, 90);
    fixture_stack(f,
                  "main;\xD7\xA9\xD7\x9C\xD7\x95\xD7\x9D.\xD7\xA2\xD7\x95\xD7\x9C\xD7\x9D;\xE2\x80\xAE"
                  "drow",
                  120, 130);
    fixture_stack(f, "main;\xF0\x9F\x94\xA5\xF0\x9F\x9A\x80.emoji\xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x92\xBB", 90, 80);
    fixture_stack(f, "main;\033[31mred\033[0m\x01\x7F\r\nnewline\ttab", 60, 70);
    fixture_stack(f, "main;::error file=x::y", 50, 40);
    fixture_stack(f, "main;a|b`c`*d*_e_[f](g)@user #1 ~h~ $i$ \\ <!-- -->", 80, 220);
    fixture_stack(f, "main;__proto__;constructor", 40, 44);
    fixture_stack(f, "main;\xFF\xFE bad bytes", 30, 31);
    fixture_seal(f);
    f->comparison.name = f->comparison.pair.type.type = GATE_STR("<b>type</b>|`x`\nnext");
    f->comparison.pair.type.unit = GATE_STR("<b>constructor</b>");
    fixture_budget(f, "hostile </title><script> | `budget` ::error::", GATE_OUTCOME_FAIL,
                   "</script><script>document.title='owned'</script>", GATE_CUMULATIVE);
    fixture_budget(f, "markup @everyone", GATE_OUTCOME_INCONCLUSIVE, "a|b`c`*d*_e_[f](g)@user #1 ~h~ $i$ \\ <!-- -->",
                   GATE_SELF);
    fixture_warning(f, GATE_GUARD_UNSYMBOLISED, "names hold control characters \033[31m and ::warning::");
}

static void build_tiny(struct fixture *f) {
    fixture_init(f);
    fixture_stack(f, "main;work", 900, 900);
    fixture_stack(f, "main;rest", 100, 108);
    fixture_seal(f);
    fixture_budget(f, "no function takes over", GATE_OUTCOME_PASS, NULL, GATE_SELF);
}

/* The self cost of a function grew, its cumulative cost did not. A budget on self cost is broken, so only the self part
 * of its box is marked. */
static void build_self(struct fixture *f) {
    fixture_init(f);
    fixture_stack(f, "main;example.com/shop/orders.Total", 200, 440);
    fixture_stack(f, "main;example.com/shop/orders.Total;example.com/shop/tax.Of", 600, 380);
    fixture_stack(f, "main;example.com/shop/orders.List;sort.Slice", 1180, 1150);
    fixture_stack(f, "main;example.com/shop/orders.List", 20, 30);
    fixture_seal(f);
    fixture_budget(f, "own code", GATE_OUTCOME_FAIL, "example.com/shop/orders.Total", GATE_SELF);
    fixture_budget(f, "lists", GATE_OUTCOME_INCONCLUSIVE, "example.com/shop/orders.List", GATE_SELF);
}

/* The total grows by the growth of one function; all others cost what they did. With `is_busier` the canary did twice
 * the work. */
static void build_grown(struct fixture *f, bool is_busier) {
    fixture_init(f);
    fixture_stack(f, "main;shop.grown", 800, is_busier ? 1600 : 1800);
    fixture_stack(f, "main;shop.untouched", 900, is_busier ? 1800 : 900);
    fixture_stack(f, "main;shop.rest", 300, is_busier ? 600 : 300);
    fixture_seal(f);
    f->comparison.work_is_known = true;
    f->comparison.work_ratio = is_busier ? 2 : 1;
    f->comparison.equal = GATE_EQUAL_WORK;
    f->comparison.work_in_force[GATE_BASELINE] = 100;
    f->comparison.work_in_force[GATE_CANARY] = 100 * f->comparison.work_ratio;
    fixture_budget(f, "no function takes over", GATE_OUTCOME_PASS, NULL, GATE_SELF);
}

/* Seven causes: more than fit above the graph. */
static void build_many(struct fixture *f) {
    static const char *const parts[] = {"part1.Run", "part2.Run", "part3.Run", "part4.Run",
                                        "part5.Run", "part6.Run", "part7.Run"};
    fixture_init(f);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        char stack[160];
        (void)snprintf(stack, sizeof stack, "main;example.com/shop/%s;sort.Slice", parts[i]);
        fixture_stack(f, stack, 100, 260 + 20 * (uint32_t)i);
    }
    fixture_stack(f, "main;example.com/shop.Rest", 4000, 3000);
    fixture_seal(f);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        fixture_budget(f, parts[i], GATE_OUTCOME_FAIL, gate_str_format(&f->arena, "example.com/shop/%s", parts[i]).ptr,
                       GATE_CUMULATIVE);
}

static void build_unsure(struct fixture *f) {
    fixture_init(f);
    fixture_stack(f, "main;work", 40, 41);
    fixture_stack(f, "main;rest", 10, 16);
    fixture_seal(f);
    struct gate_finding *finding =
        fixture_budget(f, "no function takes over", GATE_OUTCOME_INCONCLUSIVE, "rest", GATE_SELF);
    finding->reason = GATE_REASON_UNCONFIRMED;
    finding->samples_to_settle = 2400;
}

/* Two sample types in one run: the same stacks, seen as bytes by a second comparison. */
static void build_several(struct fixture *f) {
    fixture_service(f);
    struct gate_comparison *both = GATE_NEW_ARRAY(&f->arena, struct gate_comparison, 2);
    both[0] = both[1] = f->comparison;
    both[1].name = GATE_STR("alloc_space");
    both[1].pair.type = (struct gate_value_type){GATE_STR("alloc_space"), GATE_STR("bytes")};
    f->verdict.comparisons = both;
    f->verdict.comparison_count = 2;
    f->results[1].comparison = 1;
}

/* A call tree of about `nodes` nodes: a fan-out of seven, so that both wide and deep places occur, and functions that
 * occur in many of them. One subtree grew, one shrank. */
static void build_large(struct fixture *f, uint32_t nodes) {
    fixture_init(f);
    char name[12][32];
    struct gate_str stack[12];
    for (uint32_t i = 0; i < nodes; i++) {
        uint32_t depth = 0;
        uint32_t digit = 0;
        for (uint32_t rest = i; depth < 12; rest /= 7) {
            digit = rest % 7;
            (void)snprintf(name[depth], sizeof name[depth], "pkg%u.(*Type%u).Func%u", rest % 40, depth, rest % 199);
            depth++;
            if (rest < 7)
                break;
        }
        for (uint32_t d = 0; d < depth; d++)
            stack[d] = gate_str_from(name[depth - 1 - d]);
        uint32_t weight = 1 + (uint32_t)(gate_hash_mix(i) % 20);
        fixture_stack_of(f, stack, depth, weight, digit == 3 ? weight * 2 : digit == 5 ? weight / 2 : weight);
    }
    fixture_seal(f);
    struct gate_str grown = f->comparison.pair.frames[f->comparison.by_self[0]].name;
    fixture_budget(f, "no function takes over", GATE_OUTCOME_FAIL,
                   gate_str_format(&f->arena, "%.*s", GATE_STR_ARG(grown)).ptr, GATE_CUMULATIVE);
}

static bool write_file(const char *dir, const char *name, struct gate_str bytes) {
    char path[4096];
    (void)snprintf(path, sizeof path, "%s/%s", dir, name);
    FILE *file = fopen(path, "wb");
    if (file == NULL)
        return false;
    bool written = fwrite(bytes.ptr, 1, bytes.len, file) == bytes.len;
    return (fclose(file) == 0) && written;
}

static bool render(struct fixture *f, const char *dir, double min_share, const char *kind) {
    struct gate_report_options options = {
        .frame_limit = 10, .min_share = min_share, .columns = 80, .without_verdict = strcmp(kind, "diff") == 0};
    if (strcmp(kind, "linked") == 0)
        options.source_url = "https://code.example/shop/blob/main/{path}#L{line}";
    for (size_t i = 0; i < sizeof reports / sizeof *reports; i++) {
        struct gate_buf out = {0};
        struct gate_error err = {0};
        options.junit_flavor = reports[i].flavor;
        if (!reports[i].report->write(&out, &f->verdict, &options, &f->arena, &err)) {
            (void)fprintf(stderr, "%s: %s\n", reports[i].name, err.message);
            return false;
        }
        if (!write_file(dir, reports[i].name, gate_buf_view(&out))) {
            perror(dir);
            return false;
        }
        gate_buf_free(&out);
    }
    return true;
}

int main(int argc, char **argv) {
    const char *kind = argc > 2 ? argv[2] : "service";
    struct fixture *f = calloc(1, sizeof *f);
    if (argc < 2 || f == NULL) {
        (void)fprintf(
            stderr,
            "usage: render_reports DIR [service|linked|diff|hostile|tiny|unsure|many|self|grown|busier|several|large "
            "NODES [MIN_SHARE]]\n");
        return 2;
    }
    double min_share = 0.001;
    if (strcmp(kind, "hostile") == 0)
        build_hostile(f);
    else if (strcmp(kind, "tiny") == 0)
        build_tiny(f);
    else if (strcmp(kind, "many") == 0)
        build_many(f);
    else if (strcmp(kind, "self") == 0)
        build_self(f);
    else if (strcmp(kind, "grown") == 0 || strcmp(kind, "busier") == 0)
        build_grown(f, strcmp(kind, "busier") == 0);
    else if (strcmp(kind, "unsure") == 0)
        build_unsure(f);
    else if (strcmp(kind, "large") == 0) {
        build_large(f, argc > 3 ? (uint32_t)strtoul(argv[3], NULL, 10) : 10000);
        min_share = argc > 4 ? strtod(argv[4], NULL) : 0;
    } else if (strcmp(kind, "several") == 0)
        build_several(f);
    else
        fixture_service(f);
    fixture_causes(f);
    bool done = render(f, argv[1], min_share, kind);
    gate_arena_free(&f->arena);
    free(f);
    return done ? 0 : 1;
}
