/* SPDX-License-Identifier: Apache-2.0 */
/* OTLP profiles to pprof (see otlp.h): the sample types of all profiles first, then the samples. */
#include "gate/profile/otlp.h"

#include "gate/profile/builder_write.h"
#include "gate/profile/otlp_file.h"
#include "gate/profile/otlp_header.h"
#include "gate/profile/otlp_labels.h"
#include "gate/profile/otlp_samples.h"

bool gate_otlp_sniff(struct gate_str bytes) {
    return gate_otlp_file_is(bytes);
}

bool gate_otlp_convert(struct gate_buf *out, struct gate_str bytes, const struct gate_limits *limits,
                       struct gate_arena *scratch, struct gate_error *err) {
    struct gate_otlp_file file;
    struct gate_otlp_columns columns;
    struct gate_builder builder;
    if (!gate_otlp_file_read(&file, bytes, scratch, err))
        return false;
    gate_builder_init(&builder, scratch);
    bool ok = gate_otlp_columns_find(&columns, &file, &builder, err) &&
              gate_otlp_header_read(&builder, &file, limits, scratch, err) &&
              gate_otlp_samples_add(&builder, &file, &columns, limits, err) && gate_builder_write(out, &builder, err);
    gate_builder_free(&builder);
    return ok;
}
