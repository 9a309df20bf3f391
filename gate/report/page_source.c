/* SPDX-License-Identifier: Apache-2.0 */
/* Where a function's source is, with a link where its address is known (see page.h); assets/report_tip.js does the same
 * for the live page. */
#include "gate/report/page.h"

#include "gate/base/escape.h"
#include "gate/report/checkout.h"

/* A path inside of an address. */
static void source_path(struct gate_buf *out, struct gate_str path) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.~/";
    for (size_t i = 0; i < path.len; i++) {
        if (path.ptr[i] != '\0' && strchr(plain, path.ptr[i]) != NULL)
            gate_buf_char(out, path.ptr[i]);
        else
            gate_buf_printf(out, "%%%02X", (unsigned)(unsigned char)path.ptr[i]);
    }
}

static void source_address(struct gate_buf *out, const char *pattern, struct gate_str file, int64_t at) {
    static const struct gate_str path = {"{path}", 6}, line = {"{line}", 6};
    struct gate_str rest = gate_str_from(pattern);
    for (size_t i = 0; i < rest.len; i++) {
        struct gate_str here = gate_str_slice(rest, i, rest.len);
        bool is_path = gate_str_starts(here, path);
        if (is_path)
            source_path(out, file);
        else if (gate_str_starts(here, line))
            gate_buf_printf(out, "%lld", (long long)(at > 0 ? at : 1));
        else {
            gate_buf_char(out, rest.ptr[i]);
            continue;
        }
        i += is_path ? path.len - 1 : line.len - 1;
    }
}

void gate_page_source(const struct gate_page *page, const struct gate_frame *frame) {
    struct gate_buf address = {0}, path = {0};
    bool has_link = page->options->source_url != NULL && frame->is_own &&
                    gate_checkout_put(&path, page->options->checkout, frame->file);
    if (frame->file.len == 0) {
        gate_buf_free_part(page->out, &path);
        return;
    }
    gate_buf_text(page->out, "<p class=\"source\">");
    if (has_link) {
        source_address(&address, page->options->source_url, gate_buf_view(&path), frame->start_line);
        gate_buf_text(page->out, "<a rel=\"noopener noreferrer\" target=\"_blank\" href=\"");
        gate_escape_xml(page->out, gate_buf_view(&address));
        gate_buf_text(page->out, "\">");
    }
    gate_buf_text(page->out, "<bdi>");
    gate_escape_xml(page->out, frame->file);
    if (frame->start_line > 0)
        gate_buf_printf(page->out, ":%lld", (long long)frame->start_line);
    gate_buf_printf(page->out, "</bdi>%s</p>\n", has_link ? "</a>" : "");
    gate_buf_free_part(page->out, &address);
    gate_buf_free_part(page->out, &path);
}
