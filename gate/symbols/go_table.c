/* SPDX-License-Identifier: Apache-2.0 */
/* Reads Go's function table (pclntab). Every offset is checked, because a binary may be damaged. */
#include "gate/symbols/go_table.h"

#include "gate/base/str.h"
#include "gate/symbols/byte_order.h"

enum { HEAD_BYTES = 8, ENTRY_BYTES = 8, NAME_BYTES_MAX = 64 * 1024, STEPS_MAX = 1 << 20 };

enum { FUNCTION_NAME = 4, FUNCTION_FILES = 20, FUNCTION_LINES = 24, FUNCTION_UNIT = 32, FUNCTION_START = 36 };

static const uint32_t MAGIC_118 = 0xFFFFFFF0u, MAGIC_120 = 0xFFFFFFF1u;

static bool word_at(const struct gate_go_table *table, struct gate_str part, size_t at, size_t size, uint64_t *value) {
    if (part.len < size || at > part.len - size)
        return false;
    *value = gate_number_at(part.ptr + at, size, table->is_big_endian);
    return true;
}

static uint64_t word_or_zero(const struct gate_go_table *table, struct gate_str part, size_t at) {
    uint64_t value = 0;
    return word_at(table, part, at, 4, &value) ? value : 0;
}

/* Read word `index` after the first eight bytes of the table. */
static bool head_word(const struct gate_go_table *table, uint32_t index, uint64_t *value) {
    return word_at(table, table->bytes, HEAD_BYTES + (size_t)index * table->pointer_bytes, table->pointer_bytes, value);
}

bool gate_go_table_open(struct gate_go_table *out, struct gate_str bytes, uint64_t text) {
    uint64_t count = 0, offsets[5], magic = 0;
    struct gate_str *const parts[] = {&out->names, &out->units, &out->files, &out->values, &out->functions};
    *out = (struct gate_go_table){.bytes = bytes};
    out->is_big_endian = bytes.len != 0 && (unsigned char)bytes.ptr[0] == 0xFF; /* the magic numbers end with F0, F1 */
    if (!word_at(out, bytes, 0, 4, &magic) || (magic != MAGIC_118 && magic != MAGIC_120) || bytes.len < HEAD_BYTES)
        return false;
    out->has_start_lines = magic == MAGIC_120;
    out->quantum = (uint8_t)bytes.ptr[6];
    out->pointer_bytes = (uint8_t)bytes.ptr[7];
    if ((out->pointer_bytes != 4 && out->pointer_bytes != 8) || out->quantum == 0 || !head_word(out, 0, &count) ||
        !head_word(out, 2, &out->text))
        return false;
    for (uint32_t i = 0; i < 5; i++) {
        if (!head_word(out, 3 + i, &offsets[i]) || offsets[i] >= bytes.len)
            return false;
        *parts[i] = gate_str_slice(bytes, (size_t)offsets[i], bytes.len);
    }
    if (out->text == 0) /* set by the loader: position-independent programs, and Go 1.26 */
        out->text = text;
    if (count > out->functions.len / ENTRY_BYTES)
        return false;
    out->function_count = (uint32_t)count;
    return true;
}

/* Read a number with seven bits per byte. */
static bool varint_next(struct gate_str *bytes, uint32_t *value) {
    *value = 0;
    for (uint32_t shift = 0; shift < 32 && bytes->len != 0; shift += 7) {
        uint32_t byte = (unsigned char)bytes->ptr[0];
        *bytes = gate_str_slice(*bytes, 1, bytes->len);
        *value |= (byte & 0x7F) << shift;
        if (byte < 0x80)
            return true;
    }
    return false;
}

/* Return the value of a pc-value list at `offset` for the code `distance` bytes after the function's entry; -1 if
 * there is none. */
static int32_t value_at(const struct gate_go_table *table, uint64_t offset, uint64_t distance) {
    struct gate_str bytes =
        offset == 0 || offset > table->values.len ? GATE_STR("") : gate_str_slice(table->values, offset, SIZE_MAX);
    uint32_t value = UINT32_MAX, step = 0, length = 0;
    uint64_t reached = 0;
    for (uint32_t i = 0; i < STEPS_MAX; i++) {
        if (!varint_next(&bytes, &step) || (step == 0 && i != 0) || !varint_next(&bytes, &length))
            return -1;
        value += (step & 1) != 0 ? ~(step >> 1) : step >> 1;
        reached += (uint64_t)length * table->quantum;
        if (distance < reached)
            return (int32_t)value;
    }
    return -1;
}

static struct gate_str text_at(struct gate_str part, uint64_t offset) {
    if (offset >= part.len)
        return GATE_STR("");
    struct gate_str text = gate_str_slice(part, (size_t)offset, (size_t)offset + NAME_BYTES_MAX);
    const char *end = memchr(text.ptr, '\0', text.len);
    return end == NULL ? GATE_STR("") : gate_str_slice(text, 0, (size_t)(end - text.ptr));
}

static struct gate_str file_at(const struct gate_go_table *table, const struct gate_str *function, int32_t number) {
    uint64_t offset = 0;
    size_t unit = (size_t)word_or_zero(table, *function, FUNCTION_UNIT);
    if (number < 0 || !word_at(table, table->units, (unit + (size_t)number) * 4, 4, &offset) || offset == UINT32_MAX)
        return GATE_STR("");
    return text_at(table->files, offset);
}

/* Find the last function that starts at or before `distance`. The entry after the last function is the end of the
 * code. */
static bool row_find(const struct gate_go_table *table, uint64_t distance, uint32_t *row) {
    uint32_t low = 0, high = table->function_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (word_or_zero(table, table->functions, (size_t)middle * ENTRY_BYTES) <= distance)
            low = middle + 1;
        else
            high = middle;
    }
    *row = low - 1;
    return low != 0 && distance < word_or_zero(table, table->functions, (size_t)low * ENTRY_BYTES);
}

bool gate_go_table_find(struct gate_go_place *out, const struct gate_go_table *table, uint64_t address) {
    uint32_t row = 0;
    uint64_t distance = address - table->text;
    if (address < table->text || distance > UINT32_MAX || !row_find(table, distance, &row))
        return false;
    uint64_t entry = word_or_zero(table, table->functions, (size_t)row * ENTRY_BYTES);
    uint64_t offset = word_or_zero(table, table->functions, (size_t)row * ENTRY_BYTES + 4);
    struct gate_str function = gate_str_slice(table->functions, (size_t)offset, SIZE_MAX);
    *out = (struct gate_go_place){.name = text_at(table->names, word_or_zero(table, function, FUNCTION_NAME))};
    uint64_t files = word_or_zero(table, function, FUNCTION_FILES);
    int32_t own = value_at(table, files, 0), here = value_at(table, files, distance - entry);
    int32_t line = value_at(table, word_or_zero(table, function, FUNCTION_LINES), distance - entry);
    out->file = file_at(table, &function, own);
    out->line = here == own && line > 0 ? line : 0;
    out->start_line = table->has_start_lines ? (int64_t)word_or_zero(table, function, FUNCTION_START) : 0;
    return out->name.len != 0;
}
