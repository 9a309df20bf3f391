/* SPDX-License-Identifier: Apache-2.0 */
/* Converts a file of any supported format to pprof: the format's reader fills a builder, whose profile is written. */
#include "gate/formats/reader.h"

#include "gate/formats/json_tree.h"
#include "gate/formats/pprof_write.h"

bool gate_reader_convert(struct gate_buf *out, const struct gate_reader *reader, struct gate_str bytes,
                         const struct gate_limits *limits, struct gate_arena *scratch, struct gate_error *err) {
    struct gate_json_tree tree;
    struct gate_builder builder;
    const bool is_json = reader->fill_json != NULL;
    if (is_json && !gate_json_tree_load(&tree, bytes, scratch, err))
        return false;
    gate_builder_init(&builder, scratch, limits);
    builder.stack = gate_arena_alloc(scratch, ((size_t)limits->depth + 1) * sizeof *builder.stack);
    bool ok =
        (builder.stack != NULL || gate_arena_error(scratch, err)) &&
        (is_json ? reader->fill_json(&builder, tree.root, limits, err) : reader->fill(&builder, bytes, limits, err)) &&
        gate_builder_write(out, &builder, err);
    gate_builder_free(&builder);
    if (is_json)
        gate_json_tree_free(&tree, scratch);
    return ok;
}
