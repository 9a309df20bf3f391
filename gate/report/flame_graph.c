/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/report/flame_graph.h"

#include "gate/base/buf.h"
#include "gate/base/embedded.h"
#include "gate/base/escape.h"
#include "gate/base/figures.h"
#include "gate/base/own_mark.h"
#include "gate/compare/comparison.h"
#include "gate/compare/delta.h"
#include "gate/compare/tree.h"
#include "gate/model/unit.h"
#include "gate/report/headline.h"
#include "gate/report/report.h"
#include "gate/report/shorten.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- boxes: their places, colours and names, for any format ------------------------------------------------------ */

double gate_layout_share(const struct gate_layout *layout, uint32_t node, enum gate_side_name side) {
    return gate_share(layout->tree->nodes[node].total[side], layout->total[side]);
}

/* Return whether `side` has no cost in the node, but the other side has. */
static bool layout_is_absent(const struct gate_layout *layout, uint32_t node, enum gate_side_name side) {
    const struct gate_tree_node *n = &layout->tree->nodes[node];
    return n->total[side] == 0 && n->total[1 - side] != 0;
}

/* Return the change kind for the node's mark; GATE_LAYOUT_CHANGE_KINDS if it has none. */
static enum gate_layout_change_kind layout_marked(const struct gate_tree_node *node) {
    static const enum gate_layout_change_kind kinds[] = {[GATE_TREE_UNMARKED] = GATE_LAYOUT_CHANGE_KINDS,
                                                         [GATE_TREE_UNDECIDED] = GATE_LAYOUT_UNDECIDED,
                                                         [GATE_TREE_WARNED] = GATE_LAYOUT_WARNED,
                                                         [GATE_TREE_BROKEN] = GATE_LAYOUT_BROKEN};
    return kinds[node->mark];
}

enum gate_layout_change_kind gate_layout_classify(const struct gate_layout *layout, uint32_t node) {
    double change = gate_layout_change(layout, node);
    enum gate_layout_change_kind marked = layout_marked(&layout->tree->nodes[node]);
    if (marked != GATE_LAYOUT_CHANGE_KINDS && (change == 0 || !layout->tree->nodes[node].is_significant))
        return marked;
    if (change == 0)
        return GATE_LAYOUT_UNCHANGED;
    if (!layout->tree->nodes[node].is_significant)
        return GATE_LAYOUT_WITHIN_NOISE;
    if (layout_is_absent(layout, node, GATE_BASELINE))
        return GATE_LAYOUT_NEW;
    if (layout_is_absent(layout, node, GATE_CANARY))
        return GATE_LAYOUT_VANISHED;
    return change > 0 ? GATE_LAYOUT_GREW : GATE_LAYOUT_SHRANK;
}

const char *gate_layout_change_name(enum gate_layout_change_kind kind) {
    static const char *const names[GATE_LAYOUT_CHANGE_KINDS] = {
        [GATE_LAYOUT_UNCHANGED] = "unchanged",
        [GATE_LAYOUT_WITHIN_NOISE] = "within noise",
        [GATE_LAYOUT_GREW] = "grew",
        [GATE_LAYOUT_SHRANK] = "shrank",
        [GATE_LAYOUT_NEW] = "new",
        [GATE_LAYOUT_VANISHED] = "vanished",
        [GATE_LAYOUT_UNDECIDED] = "not decided",
        [GATE_LAYOUT_WARNED] = "over a limit that warns",
        [GATE_LAYOUT_BROKEN] = "breaks a budget",
    };
    return names[kind];
}

void gate_layout_describe(struct gate_buf *out, const struct gate_layout *layout, uint32_t node) {
    enum gate_layout_change_kind kind = gate_layout_classify(layout, node);
    enum gate_layout_change_kind marked = layout_marked(&layout->tree->nodes[node]);
    gate_buf_text(out, gate_layout_change_name(kind));
    if (marked != GATE_LAYOUT_CHANGE_KINDS && marked != kind)
        gate_buf_printf(out, ", %s", gate_layout_change_name(marked));
}

int gate_layout_step(const struct gate_layout *layout, uint32_t node) {
    double change = gate_layout_change(layout, node);
    if (!layout->tree->nodes[node].is_significant || change == 0 || layout->max_change <= 0)
        return 0;
    int step = (int)ceil(GATE_LAYOUT_STEPS * sqrt(fabs(change) / layout->max_change) - 1e-9);
    step = step < 1 ? 1 : step > GATE_LAYOUT_STEPS ? GATE_LAYOUT_STEPS : step;
    return change > 0 ? step : -step;
}

const char *gate_layout_part_name(const struct gate_tree *tree) {
    return gate_measure_name(tree->is_charged ? GATE_CHARGED : GATE_SELF);
}

struct gate_str gate_layout_name(const struct gate_tree *tree, const struct gate_pair *pair, uint32_t node) {
    uint32_t frame = tree->nodes[node].frame;
    return frame == GATE_NO_INDEX ? GATE_STR("all") : pair->frames[frame].name;
}

static void layout_measure(struct gate_layout *layout) {
    for (uint32_t node = 0; node < layout->tree->count; node++) {
        double base = gate_layout_share(layout, node, GATE_BASELINE);
        double canary = gate_layout_share(layout, node, GATE_CANARY);
        struct gate_layout_cost cost = {base > canary ? base : canary, canary - base};
        layout->costs[node] = cost;
        if (layout->tree->nodes[node].is_significant)
            layout->max_change = fmax(layout->max_change, fabs(cost.change));
    }
}

bool gate_layout_measure(struct gate_layout *out, const struct gate_tree *tree, struct gate_arena *arena,
                         struct gate_error *err) {
    *out = (struct gate_layout){.tree = tree, .levels = 1};
    for (int side = 0; side < GATE_SIDES; side++)
        out->total[side] = tree->nodes[0].total[side];
    out->costs = gate_arena_alloc(arena, tree->count * sizeof *out->costs);
    if (out->costs == NULL)
        return gate_arena_error(arena, err);
    layout_measure(out);
    return true;
}

/* Append the boxes of the children of box `at`. `boxes` has room for every node. */
static void layout_children(struct gate_layout *layout, uint32_t at, const struct gate_layout_options *options) {
    const struct gate_tree_node *nodes = layout->tree->nodes;
    const struct gate_layout_cost *costs = layout->costs;
    struct gate_box parent = layout->boxes[at];
    double sum = 0;
    for (uint32_t child = nodes[parent.node].first_child; child != GATE_NO_INDEX; child = nodes[child].next_sibling)
        sum += costs[child].weight;
    double whole = fmax(sum, costs[parent.node].weight);
    if (whole <= 0)
        return;
    uint32_t level = parent.level + 1;
    bool too_deep = options->max_levels != 0 && level >= options->max_levels;
    double x = parent.x;
    for (uint32_t child = nodes[parent.node].first_child; child != GATE_NO_INDEX; child = nodes[child].next_sibling) {
        double width = parent.width * costs[child].weight / whole;
        if (too_deep)
            layout->is_cut_deep = true;
        else if (width >= options->min_width && width > 0) {
            layout->boxes[layout->count++] = (struct gate_box){child, level, x, width};
            layout->levels = level + 1 > layout->levels ? level + 1 : layout->levels;
        }
        x += width;
    }
}

bool gate_layout_make(struct gate_layout *out, const struct gate_tree *tree, const struct gate_layout_options *options,
                      struct gate_arena *arena, struct gate_error *err) {
    struct gate_layout layout;
    if (!gate_layout_measure(&layout, tree, arena, err))
        return false;
    layout.boxes = gate_arena_alloc(arena, tree->count * sizeof *layout.boxes);
    if (layout.boxes == NULL)
        return gate_arena_error(arena, err);
    layout.boxes[layout.count++] = (struct gate_box){0, 0, 0, 1};
    for (uint32_t at = 0; at < layout.count; at++)
        layout_children(&layout, at, options);
    layout.left_out = tree->count - layout.count;
    *out = layout;
    return true;
}

/* ---- drawing a diff flame graph: callers above, callees below ---------------------------------------------------- */

/** Width of the drawing in its own units; a page scales it. */
enum { GATE_FLAME_SVG_WIDTH = 1200 };

enum { ROW = 18, HEAD = 92, FOOT = 30, TEXT_COLUMN = 7, MARK_WIDTH = 6, TITLE_COLUMNS = 130 };

#define GREW "\xE2\x96\xB2"

#define SHRANK "\xE2\x96\xBC"

enum {
    FIGURES = 128,
    FIGURE_BYTES = 47,
    NAMES = 512,
    NAME_BYTES = 200,
    ESCAPED_MOST = 6
}; /* bytes of an escaped
      character, "&quot;" */

/* Cache of the text for a side of a box, because many boxes have equal costs. */
struct svg_figure {
    int64_t total;
    uint8_t len; /* 0: empty slot */
    char text[FIGURE_BYTES];
};

/* Cache of the escaped name of a frame. Most frames have several boxes. */
struct svg_name {
    uint32_t frame;
    struct gate_str text; /* NULL: empty slot */
};

/* State of one drawing. */
struct svg_pen {
    struct gate_buf *out;
    const struct gate_flame_svg *graph;
    const struct gate_unit *unit;
    struct gate_arena *arena;
    struct svg_figure figures[GATE_SIDES][FIGURES];
    struct svg_name names[NAMES]; /* by frame; of several frames with one slot, the first one stays */
};

static void svg_side_print(struct gate_buf *out, const struct svg_pen *pen, uint32_t node, enum gate_side_name side) {
    gate_figures_share(out, gate_layout_share(pen->graph->layout, node, side));
    gate_buf_text(out, " (");
    gate_unit_print_known(out, pen->graph->layout->tree->nodes[node].total[side], pen->unit);
    gate_buf_char(out, ')');
}

static void svg_side(struct svg_pen *pen, uint32_t node, enum gate_side_name side) {
    int64_t total = pen->graph->layout->tree->nodes[node].total[side];
    struct svg_figure *figure = &pen->figures[side][gate_hash_mix((uint64_t)total) % FIGURES];
    if (figure->len == 0 || figure->total != total) {
        struct gate_buf text = gate_buf_lent(figure->text, sizeof figure->text);
        svg_side_print(&text, pen, node, side);
        figure->total = total;
        figure->len = text.failed ? 0 : (uint8_t)text.len;
    }
    if (figure->len > 0)
        gate_buf_bytes(pen->out, figure->text, figure->len);
    else
        svg_side_print(pen->out, pen, node, side);
}

/* Append the escaped name of a node. It is cached if it is short and was written in one piece. */
static void svg_name(struct svg_pen *pen, uint32_t node) {
    const struct gate_layout *layout = pen->graph->layout;
    uint32_t frame = layout->tree->nodes[node].frame;
    struct svg_name *known = &pen->names[frame % NAMES];
    if (known->text.ptr != NULL && known->frame == frame) {
        gate_buf_str(pen->out, known->text);
        return;
    }
    struct gate_str name = gate_layout_name(layout->tree, &pen->graph->comparison->pair, node);
    if (known->text.ptr != NULL || name.len > NAME_BYTES || !gate_buf_reserve(pen->out, ESCAPED_MOST * name.len)) {
        gate_escape_xml(pen->out, name);
        return;
    }
    size_t from = pen->out->len;
    gate_escape_xml(pen->out, name);
    known->frame = frame;
    known->text = gate_str_copy(pen->arena, (struct gate_str){pen->out->ptr + from, pen->out->len - from});
}

static void svg_part(struct gate_buf *out, const struct gate_tree *tree) {
    gate_buf_text(out, " (");
    gate_buf_text(out, gate_layout_part_name(tree));
    gate_buf_char(out, ')');
}

static void svg_box_title(struct svg_pen *pen, uint32_t node) {
    struct gate_buf *out = pen->out;
    const struct gate_flame_svg *graph = pen->graph;
    gate_buf_text(out, "<title>");
    svg_name(pen, node);
    if (graph->layout->tree->nodes[node].is_self)
        svg_part(out, graph->layout->tree);
    gate_buf_text(out, "&#10;baseline ");
    svg_side(pen, node, GATE_BASELINE);
    gate_buf_text(out, ", canary ");
    svg_side(pen, node, GATE_CANARY);
    gate_buf_text(out, "&#10;");
    gate_figures_points(out, gate_layout_change(graph->layout, node));
    gate_buf_text(out, ", ");
    gate_layout_describe(out, graph->layout, node);
    gate_buf_text(out, "</title>");
}

/* Append the label, with an arrow first, because colour must not be the only sign of direction. */
static void svg_box_label(const struct svg_pen *pen, const struct gate_box *box, double x, int64_t y, int step) {
    struct gate_buf *out = pen->out;
    const struct gate_flame_svg *graph = pen->graph;
    size_t columns = (size_t)fmax(0, (box->width * GATE_FLAME_SVG_WIDTH - 6) / TEXT_COLUMN);
    if (columns < 8)
        return;
    size_t mark = step == 0 ? 0 : 2;
    const struct gate_tree *tree = graph->layout->tree;
    struct gate_str name = tree->nodes[box->node].is_self
                               ? gate_str_from(gate_layout_part_name(tree)) /* the box above has the function's name */
                               : gate_layout_name(tree, &graph->comparison->pair, box->node);
    struct gate_str shown = gate_shorten_name(pen->arena, name, columns - mark < 8 ? 8 : columns - mark);
    gate_buf_text(out, "<text x=\"");
    gate_buf_fixed(out, x + 3, 1);
    gate_buf_text(out, "\" y=\"");
    gate_buf_integer(out, y + 13);
    gate_buf_text(out, "\">");
    gate_buf_text(out, step == 0 ? "" : step > 0 ? GREW " " : SHRANK " ");
    gate_escape_xml(out, shown.ptr == NULL ? GATE_STR("") : shown);
    gate_buf_text(out, "</text>");
}

/* Return the class of a box's edge. A very narrow box has no dashed edge, which would not be readable. */
static const char *svg_edge(const struct gate_flame_svg *graph, const struct gate_box *box) {
    if (graph->layout->tree->nodes[box->node].mark == GATE_TREE_BROKEN)
        return "broken";
    if (box->width * GATE_FLAME_SVG_WIDTH < MARK_WIDTH)
        return "";
    return layout_is_absent(graph->layout, box->node, GATE_BASELINE) ? "new"
           : layout_is_absent(graph->layout, box->node, GATE_CANARY) ? "gone"
                                                                     : "";
}

static void svg_box(struct svg_pen *pen, const struct gate_box *box) {
    struct gate_buf *out = pen->out;
    const struct gate_flame_svg *graph = pen->graph;
    int step = gate_layout_step(graph->layout, box->node);
    double x = box->x * GATE_FLAME_SVG_WIDTH;
    int64_t y = HEAD + (int64_t)box->level * ROW;
    const char *mark = svg_edge(graph, box);
    gate_buf_text(out, "<g");
    if (step != 0 || *mark != '\0') {
        const char *const words[] = {step == 0  ? ""
                                     : step > 0 ? "g"
                                                : "s",
                                     step != 0 && *mark != '\0' ? " " : "", mark};
        gate_buf_text(out, " class=\"");
        gate_buf_text(out, words[0]);
        if (step != 0)
            gate_buf_integer(out, abs(step));
        gate_buf_text(out, words[1]);
        gate_buf_text(out, words[2]);
        gate_buf_char(out, '"');
    }
    gate_buf_char(out, '>');
    svg_box_title(pen, box->node);
    gate_buf_text(out, "<rect x=\"");
    gate_buf_fixed(out, x, 1);
    gate_buf_text(out, "\" y=\"");
    gate_buf_integer(out, y);
    gate_buf_text(out, "\" width=\"");
    gate_buf_fixed(out, fmax(box->width * GATE_FLAME_SVG_WIDTH, 0.1), 1);
    gate_buf_text(out, "\" height=\"");
    gate_buf_integer(out, ROW);
    gate_buf_text(out, "\"/>");
    svg_box_label(pen, box, x, y, step);
    gate_buf_text(out, "</g>\n");
}

static void svg_swatch(struct gate_buf *out, int x, const char *step, int width) {
    gate_buf_printf(out, "<g class=\"%s\"><rect x=\"%d\" y=\"34\" width=\"%d\" height=\"14\"/></g>", step, x, width);
}

static void svg_note(struct gate_buf *out, int x, int y, struct gate_buf *text) {
    gate_buf_printf(out, "<text class=\"note\" x=\"%d\" y=\"%d\">", x, y);
    gate_escape_xml(out, gate_buf_view(text));
    gate_buf_text(out, "</text>\n");
    out->failed = out->failed || text->failed;
    text->len = 0;
}

static bool svg_has_broken(const struct gate_flame_svg *graph) {
    for (uint32_t i = 0; i < graph->layout->tree->count; i++)
        if (graph->layout->tree->nodes[i].mark == GATE_TREE_BROKEN)
            return true;
    return false;
}

/* Append the legend: colours from blue over grey to red, with the changes at the ends. */
static void svg_legend(struct gate_buf *out, const struct gate_flame_svg *graph) {
    struct gate_buf text = {0};
    char step[3] = "s5";
    gate_buf_text(&text, SHRANK " shrank ");
    if (graph->layout->max_change > 0)
        gate_figures_points(&text, -graph->layout->max_change);
    svg_note(out, 4, 46, &text);
    for (int i = 0; i < GATE_LAYOUT_STEPS; i++) {
        step[0] = 's';
        step[1] = (char)('5' - i);
        svg_swatch(out, 150 + 22 * i, step, 22);
        step[0] = 'g';
        step[1] = (char)('1' + i);
        svg_swatch(out, 440 + 22 * i, step, 22);
    }
    svg_swatch(out, 260, "n", 180);
    gate_buf_text(&text, "unchanged or within noise");
    svg_note(out, 272, 46, &text);
    if (graph->layout->max_change > 0)
        gate_figures_points(&text, graph->layout->max_change);
    gate_buf_text(&text, " grew " GREW);
    svg_note(out, 556, 46, &text);
    gate_buf_text(&text, "dashed: on one side only");
    svg_note(out, 690, 46, &text);
    if (svg_has_broken(graph)) {
        gate_buf_text(&text, "thick edge: breaks a budget");
        svg_note(out, 860, 46, &text);
    }
    gate_totals_print(&text, graph->comparison, graph->work_unit);
    gate_buf_text(&text, "; width: the larger of both shares; colour: the change of share, where it is significant");
    svg_note(out, 4, 66, &text);
    gate_buf_free(&text);
}

static void svg_left_out(struct gate_buf *out, const struct gate_flame_svg *graph, int y) {
    const struct gate_layout *layout = graph->layout;
    struct gate_buf text = {0};
    if (graph->min_share > 0) {
        gate_buf_text(&text, "functions below ");
        gate_figures_given(&text, 100 * graph->min_share);
        gate_buf_text(&text, "% on both sides are left out: ");
        gate_figures_share(&text, gate_share(layout->tree->pruned[GATE_BASELINE], layout->total[GATE_BASELINE]));
        gate_buf_text(&text, " of the baseline and ");
        gate_figures_share(&text, gate_share(layout->tree->pruned[GATE_CANARY], layout->total[GATE_CANARY]));
        gate_buf_text(&text, " of the canary show in their callers instead");
    } else
        gate_buf_text(&text, "no function is left out");
    if (layout->left_out > 0)
        gate_buf_printf(&text, "; %u boxes too narrow%s to draw", layout->left_out,
                        layout->is_cut_deep ? " or too deep" : "");
    svg_note(out, 4, y, &text);
    gate_buf_free(&text);
}

/** Return the height of the drawing in its units. */
static int flame_svg_height(const struct gate_flame_svg *graph) {
    return HEAD + (int)graph->layout->levels * ROW + FOOT;
}

void gate_flame_svg_draw(struct gate_buf *out, const struct gate_flame_svg *graph, int y, struct gate_arena *arena) {
    int height = flame_svg_height(graph);
    gate_buf_text(out, "<svg class=\"flame\" xmlns=\"http://www.w3.org/2000/svg\"");
    if (y >= 0)
        gate_buf_printf(out, " y=\"%d\" height=\"%d\"", y, height);
    gate_buf_printf(out,
                    " viewBox=\"0 0 %d %d\" width=\"100%%\" role=\"img\" aria-labelledby=\"flame-title-%u\">\n"
                    "<title id=\"flame-title-%u\">",
                    GATE_FLAME_SVG_WIDTH, height, graph->number, graph->number);
    gate_escape_xml(out, graph->title);
    gate_buf_text(out, "</title>\n");
    gate_buf_printf(out, "<rect class=\"paper\" width=\"%d\" height=\"%d\"/>\n<text class=\"title\" x=\"4\" y=\"22\">",
                    GATE_FLAME_SVG_WIDTH, height);
    struct gate_str title = gate_shorten_to_start(graph->title, TITLE_COLUMNS);
    gate_escape_xml(out, title);
    gate_buf_text(out, title.len < graph->title.len ? "\xE2\x80\xA6</text>\n" : "</text>\n");
    svg_legend(out, graph);
    struct svg_pen pen = {
        .out = out, .graph = graph, .unit = gate_unit_find(graph->comparison->pair.type.unit), .arena = arena};
    for (uint32_t i = 0; i < graph->layout->count; i++)
        svg_box(&pen, &graph->layout->boxes[i]);
    svg_left_out(out, graph, height - 10);
    gate_buf_text(out, "</svg>\n");
}

/* ---- the SVG report: the diff flame graphs of all comparisons in one file ---------------------------------------- */

enum { MAX_LEVELS = 200 };

/* The flame graph of one comparison. */
struct picture {
    struct gate_layout layout;
    struct gate_flame_svg graph;
    struct gate_buf title;
};

static bool picture_make(struct picture *out, const struct gate_verdict *verdict,
                         const struct gate_report_options *options, uint32_t index, struct gate_arena *arena,
                         struct gate_error *err) {
    const struct gate_comparison *comparison = &verdict->comparisons[index];
    const struct gate_tree *tree;
    struct gate_layout_options layout = {.min_width = 0.4 / GATE_FLAME_SVG_WIDTH, .max_levels = MAX_LEVELS};
    struct gate_headline headline;
    if (!gate_trees_get(&tree, options->trees, verdict, index, GATE_BY_CALLER, options->min_share, arena, err) ||
        !gate_layout_make(&out->layout, tree, &layout, arena, err) ||
        !gate_headline_make(&headline, verdict, arena, err))
        return false;
    gate_buf_str(&out->title, comparison->name); /* first, because a long title is cut */
    gate_buf_printf(&out->title, " \xE2\x80\x94 %s: ", headline.word);
    gate_buf_str(&out->title, headline.text);
    out->graph = (struct gate_flame_svg){.layout = &out->layout,
                                         .comparison = comparison,
                                         .title = gate_buf_view(&out->title),
                                         .work_unit = verdict->rules->work_unit,
                                         .min_share = options->min_share,
                                         .number = index};
    return gate_buf_check(&out->title, err);
}

/* Append the graphs one below the other, in one document with one style. */
static void pictures_draw(struct gate_buf *out, const struct picture *pictures, uint32_t count,
                          struct gate_arena *arena) {
    int height = 0;
    for (uint32_t i = 0; i < count; i++)
        height += flame_svg_height(&pictures[i].graph);
    gate_buf_printf(out,
                    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" GATE_OWN_MARK_SVG
                    "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"100%%\">\n<style>\n",
                    GATE_FLAME_SVG_WIDTH, height);
    gate_buf_str(out, gate_embedded_find("graph.css"));
    gate_buf_text(out, "</style>\n");
    int y = 0;
    for (uint32_t i = 0; i < count; i++) {
        gate_flame_svg_draw(out, &pictures[i].graph, y, arena);
        y += flame_svg_height(&pictures[i].graph);
    }
    gate_buf_text(out, "</svg>\n");
}

static bool report_svg(struct gate_buf *out, const struct gate_verdict *verdict,
                       const struct gate_report_options *options, struct gate_arena *arena, struct gate_error *err) {
    uint32_t count = verdict->comparison_count;
    struct picture *pictures = gate_arena_calloc(arena, (size_t)count + 1, sizeof *pictures);
    if (pictures == NULL)
        return gate_arena_error(arena, err);
    bool ok = true;
    for (uint32_t i = 0; i < count && ok; i++)
        ok = picture_make(&pictures[i], verdict, options, i, arena, err);
    if (ok)
        pictures_draw(out, pictures, count, arena);
    for (uint32_t i = 0; i < count; i++)
        gate_buf_free(&pictures[i].title);
    return ok && gate_buf_check(out, err);
}

const struct gate_report_format gate_report_svg = {
    .name = "svg",
    .is_rare = true,
    .mark = GATE_OWN_SVG,
    .file = "flamegraph.svg",
    .help = "the diff flame graph alone",
    .write = report_svg,
    .draws = GATE_REPORT_DRAWS_CALLERS,
    .is_large = true,
};
