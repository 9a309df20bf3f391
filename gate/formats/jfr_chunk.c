/* SPDX-License-Identifier: Apache-2.0 */
/* One chunk of a JDK Flight Recorder file. The layout is that of jdk.jfr.internal.consumer in OpenJDK. */
#include "gate/formats/jfr_chunk.h"

#include "gate/base/search.h"

#include <math.h>
#include <stdlib.h>

/* ---- chunk header ------------------------------------------------------------------------------------------------ */

enum { COMPRESSED_BIT = 1, VERSION_LEAST = 1, VERSION_MOST = 2 };

static uint64_t big_endian(const char *at, size_t len) {
    uint64_t value = 0;
    for (size_t i = 0; i < len; i++)
        value = value << 8 | (unsigned char)at[i];
    return value;
}

static int64_t at_least(uint64_t value, int64_t least) {
    return (int64_t)value < least ? least : (int64_t)value;
}

static bool size_check(uint64_t size, size_t there, uint32_t number, size_t at, struct gate_error *err) {
    if (size == 0)
        return gate_error_set(
            err, GATE_ERR_FORMAT,
            "the recording's chunk %u at byte %zu is unfinished: stop the recording first, or copy it "
            "with jcmd's JFR.dump while it runs",
            number, at);
    if (size > there)
        return gate_error_set(err, GATE_ERR_FORMAT,
                              "the recording is truncated: its chunk %u at byte %zu has %llu bytes, of which %zu are "
                              "there; copy the file again when the recording has ended",
                              number, at, (unsigned long long)size, there);
    return size >= GATE_JFR_HEADER_BYTES ||
           gate_error_set(err, GATE_ERR_FORMAT, "the recording's chunk %u at byte %zu has only %llu bytes", number, at,
                          (unsigned long long)size);
}

bool gate_jfr_chunk_read(struct gate_jfr_chunk *out, struct gate_str file, size_t at, uint32_t number,
                         struct gate_error *err) {
    const struct gate_str magic = {"FLR\0", 4};
    struct gate_str rest = gate_str_slice(file, at, file.len);
    if (!gate_str_starts(rest, gate_str_slice(magic, 0, rest.len)))
        return gate_error_set(err, GATE_ERR_FORMAT, "expected chunk %u of the recording at byte %zu", number, at);
    if (rest.len < GATE_JFR_HEADER_BYTES)
        return gate_error_set(err, GATE_ERR_FORMAT,
                              "the recording is truncated in the header of its chunk %u at byte %zu; copy the file "
                              "again when the recording has ended",
                              number, at);
    unsigned major = (unsigned)big_endian(rest.ptr + 4, 2), minor = (unsigned)big_endian(rest.ptr + 6, 2);
    if (major < VERSION_LEAST || major > VERSION_MOST)
        return gate_error_set(err, GATE_ERR_FORMAT,
                              "a Java Flight Recorder file of version %u.%u; versions 1 and 2 are read (JDK 8u262 and "
                              "later, async-profiler)",
                              major, minor);
    uint64_t size = big_endian(rest.ptr + 8, 8);
    if (!size_check(size, rest.len, number, at, err))
        return false;
    *out = (struct gate_jfr_chunk){.bytes = gate_str_slice(rest, 0, (size_t)size),
                                   .start = at,
                                   .number = number,
                                   .constants_at = big_endian(rest.ptr + 16, 8),
                                   .metadata_at = big_endian(rest.ptr + 24, 8),
                                   .start_ns = at_least(big_endian(rest.ptr + 32, 8), 0),
                                   .duration_ns = at_least(big_endian(rest.ptr + 40, 8), 0),
                                   .ticks_per_second = at_least(big_endian(rest.ptr + 56, 8), 1),
                                   .is_compressed = (big_endian(rest.ptr + 64, 4) & COMPRESSED_BIT) != 0};
    return true;
}

/* ---- integers ---------------------------------------------------------------------------------------------------- */

enum { VARINT_MAX = 9 };

struct gate_jfr_cursor gate_jfr_cursor_at(const struct gate_jfr_chunk *chunk, size_t at, uint64_t *steps) {
    bool is_inside = at >= GATE_JFR_HEADER_BYTES && at < chunk->bytes.len;
    return (struct gate_jfr_cursor){.bytes = (const uint8_t *)chunk->bytes.ptr,
                                    .at = is_inside ? at : chunk->bytes.len,
                                    .end = chunk->bytes.len,
                                    .is_compressed = chunk->is_compressed,
                                    .steps = steps};
}

static void fault_set(struct gate_jfr_cursor *cursor, enum gate_jfr_fault fault) {
    if (cursor->fault == GATE_JFR_FINE)
        cursor->fault = fault;
}

/* Advance by `len` bytes and return their start, or NULL after a fault. */
static const uint8_t *bytes_take(struct gate_jfr_cursor *cursor, uint64_t len) {
    if (cursor->fault == GATE_JFR_FINE && len <= cursor->end - cursor->at) {
        const uint8_t *start = cursor->bytes + cursor->at;
        cursor->at += (size_t)len;
        return start;
    }
    fault_set(cursor, GATE_JFR_SHORT);
    return NULL;
}

static uint8_t jfr_byte(struct gate_jfr_cursor *cursor) {
    const uint8_t *at = bytes_take(cursor, 1);
    return at == NULL ? 0 : *at;
}

/* Little-endian groups of 7 bits; the ninth byte has 8. */
static int64_t varint_read(struct gate_jfr_cursor *cursor) {
    uint64_t value = 0;
    for (unsigned i = 0; i < VARINT_MAX; i++) {
        uint8_t byte = jfr_byte(cursor);
        uint64_t group = i == VARINT_MAX - 1 ? byte : byte & 0x7Fu;
        value |= group << (7 * i);
        if ((byte & 0x80u) == 0)
            break;
    }
    return cursor->fault == GATE_JFR_FINE ? (int64_t)value : 0;
}

static int64_t integer_read(struct gate_jfr_cursor *cursor, size_t len) {
    if (cursor->is_compressed)
        return varint_read(cursor);
    const uint8_t *at = bytes_take(cursor, len);
    return at == NULL ? 0 : (int64_t)big_endian((const char *)at, len);
}

static int32_t jfr_int(struct gate_jfr_cursor *cursor) {
    return (int32_t)integer_read(cursor, sizeof(int32_t));
}

int64_t gate_jfr_long(struct gate_jfr_cursor *cursor) {
    return integer_read(cursor, sizeof(int64_t));
}

bool gate_jfr_event_open(struct gate_jfr_cursor *cursor) {
    size_t start = cursor->at;
    int32_t size = jfr_int(cursor);
    if (size <= 0 || cursor->fault != GATE_JFR_FINE || (size_t)size > cursor->end - start ||
        (size_t)size < cursor->at - start) {
        fault_set(cursor, GATE_JFR_SIZE_OF_EVENT);
        return false;
    }
    cursor->end = start + (size_t)size;
    return true;
}

bool gate_jfr_fault_error(const struct gate_jfr_cursor *cursor, const struct gate_jfr_chunk *chunk, const char *what,
                          size_t at, struct gate_error *err) {
    if (cursor->fault == GATE_JFR_STEPS)
        return gate_error_set(err, GATE_ERR_LIMIT,
                              "the recording asks for more steps of work to convert than its limit; raise --max-steps "
                              "if the input is trusted");
    static const char *const reasons[] = {
        [GATE_JFR_SHORT] = "ends within a value",
        [GATE_JFR_SIZE_OF_EVENT] = "has an impossible size",
        [GATE_JFR_UNKNOWN] = "has a value of a class that the metadata does not describe",
        [GATE_JFR_NESTED] = "has a class that contains itself",
        [GATE_JFR_STRING] = "has a string of unknown encoding",
    };
    return gate_error_set(err, GATE_ERR_FORMAT, "malformed recording: %s at byte %zu (chunk %u) %s", what,
                          chunk->start + at, chunk->number, reasons[cursor->fault]);
}

/* A value takes 30 to 50 ns to read, and a step is about 10 ns (model/limits.h). */
enum { VALUE_STEPS = 5 };

static bool step_take(struct gate_jfr_cursor *cursor) {
    if (*cursor->steps < VALUE_STEPS) {
        fault_set(cursor, GATE_JFR_STEPS);
        return false;
    }
    *cursor->steps -= VALUE_STEPS;
    return cursor->fault == GATE_JFR_FINE;
}

/* ---- strings ----------------------------------------------------------------------------------------------------- */

/* Read `count` UTF-16 units, each stored as an integer, and return their bytes. */
static struct gate_str chars_take(struct gate_jfr_cursor *cursor, int32_t count) {
    size_t start = cursor->at;
    for (int32_t i = 0; i < count && cursor->fault == GATE_JFR_FINE; i++)
        (void)integer_read(cursor, sizeof(uint16_t));
    return (struct gate_str){(const char *)cursor->bytes + start, cursor->at - start};
}

static struct gate_jfr_text jfr_text_read(struct gate_jfr_cursor *cursor) {
    struct gate_jfr_text text = {.encoding = (enum gate_jfr_encoding)jfr_byte(cursor), .raw = GATE_STR("")};
    int32_t count = 0;
    const uint8_t *raw = NULL;
    switch (text.encoding) {
    case GATE_JFR_NULL:
    case GATE_JFR_EMPTY:
        break;
    case GATE_JFR_CONSTANT:
        text.key = gate_jfr_long(cursor);
        break;
    case GATE_JFR_UTF8:
    case GATE_JFR_LATIN1:
        count = jfr_int(cursor);
        raw = bytes_take(cursor, count < 0 ? UINT64_MAX : (uint64_t)count);
        if (raw != NULL)
            text.raw = (struct gate_str){(const char *)raw, (size_t)count};
        break;
    case GATE_JFR_CHARS:
        count = jfr_int(cursor);
        if (count < 0)
            fault_set(cursor, GATE_JFR_SHORT);
        text.raw = chars_take(cursor, count);
        break;
    default:
        fault_set(cursor, GATE_JFR_STRING);
    }
    if (cursor->fault != GATE_JFR_FINE)
        return (struct gate_jfr_text){.encoding = GATE_JFR_NULL, .raw = GATE_STR("")};
    return text;
}

static char *utf8_put(char *to, uint32_t code) {
    if (code < 0x80) {
        *to++ = (char)code;
    } else if (code < 0x800) {
        *to++ = (char)(0xC0 | code >> 6);
        *to++ = (char)(0x80 | (code & 0x3F));
    } else if (code < 0x10000) {
        *to++ = (char)(0xE0 | code >> 12);
        *to++ = (char)(0x80 | (code >> 6 & 0x3F));
        *to++ = (char)(0x80 | (code & 0x3F));
    } else {
        *to++ = (char)(0xF0 | code >> 18);
        *to++ = (char)(0x80 | (code >> 12 & 0x3F));
        *to++ = (char)(0x80 | (code >> 6 & 0x3F));
        *to++ = (char)(0x80 | (code & 0x3F));
    }
    return to;
}

/* Return the next code point of UTF-16. A lone surrogate is U+FFFD. */
static uint32_t code_next(struct gate_jfr_cursor *cursor) {
    uint32_t unit = (uint32_t)integer_read(cursor, sizeof(uint16_t)) & 0xFFFFu;
    if (unit < 0xD800 || unit > 0xDFFF)
        return unit;
    struct gate_jfr_cursor ahead = *cursor;
    uint32_t low = ahead.at < ahead.end ? (uint32_t)integer_read(&ahead, sizeof(uint16_t)) & 0xFFFFu : 0;
    if (unit >= 0xDC00 || low < 0xDC00 || low > 0xDFFF)
        return 0xFFFD;
    *cursor = ahead;
    return 0x10000 + ((unit & 0x3FFu) << 10 | (low & 0x3FFu));
}

/* Return a string of any encoding but GATE_JFR_CONSTANT as UTF-8: a view of the chunk, or memory of `arena`. `.ptr` is
 * NULL if `arena` is full. Ill-formed UTF-8 is kept. O(len). */
static struct gate_str jfr_text_decode(const struct gate_jfr_text *text, bool is_compressed, struct gate_arena *arena) {
    if (text->encoding != GATE_JFR_CHARS && text->encoding != GATE_JFR_LATIN1)
        return text->raw;
    struct gate_jfr_cursor cursor = {
        .bytes = (const uint8_t *)text->raw.ptr, .end = text->raw.len, .is_compressed = is_compressed};
    bool is_latin = text->encoding == GATE_JFR_LATIN1;
    char *to = gate_arena_alloc(arena, 3 * text->raw.len + 1); /* 3 bytes at most for each stored byte */
    if (to == NULL)
        return (struct gate_str){NULL, 0};
    char *end = to;
    while (cursor.at < cursor.end && cursor.fault == GATE_JFR_FINE)
        end = utf8_put(end, is_latin ? jfr_byte(&cursor) : code_next(&cursor));
    return (struct gate_str){to, (size_t)(end - to)};
}

/* ---- metadata ---------------------------------------------------------------------------------------------------- */

enum { ELEMENT_DEPTH_MAX = 16, VALUE_DEPTH_MAX = 16 };

/* The kinds of element that are read. */
enum element { ELEMENT_OTHER, ELEMENT_CLASS, ELEMENT_FIELD, ELEMENT_ANNOTATION };

/* Reader of the metadata: a table of strings, then a tree of elements whose names and attributes are strings of it. */
struct metadata {
    struct gate_jfr_cursor cursor;
    struct gate_str *strings;
    uint32_t string_count;
    struct gate_jfr_classes *classes;
    struct gate_arena *arena;
    struct gate_error *err;
};

/* The attributes of an element that are read. */
struct attributes {
    struct gate_str name, id, type, constant, dimension, value;
};

static bool strings_read(struct metadata *metadata) {
    struct gate_jfr_cursor *cursor = &metadata->cursor;
    int32_t count = jfr_int(cursor);
    if (count < 0 || (size_t)count > cursor->end - cursor->at) {
        fault_set(cursor, GATE_JFR_SHORT);
        return true;
    }
    metadata->strings = GATE_NEW_ARRAY(metadata->arena, struct gate_str, count);
    if (metadata->strings == NULL)
        return gate_arena_error(metadata->arena, metadata->err);
    for (int32_t i = 0; i < count && step_take(cursor); i++) {
        struct gate_jfr_text text = jfr_text_read(cursor);
        metadata->strings[i] = jfr_text_decode(&text, cursor->is_compressed, metadata->arena);
        if (metadata->strings[i].ptr == NULL)
            return gate_arena_error(metadata->arena, metadata->err);
    }
    metadata->string_count = (uint32_t)count;
    return true;
}

static struct gate_str string_next(struct metadata *metadata) {
    int32_t index = jfr_int(&metadata->cursor);
    if (index >= 0 && (uint32_t)index < metadata->string_count)
        return metadata->strings[index];
    fault_set(&metadata->cursor, GATE_JFR_SHORT);
    return GATE_STR("");
}

static void attributes_read(struct attributes *out, struct metadata *metadata) {
    const struct {
        struct gate_str key;
        struct gate_str *value;
    } known[] = {
        {GATE_STR("name"), &out->name},           {GATE_STR("id"), &out->id},
        {GATE_STR("class"), &out->type},          {GATE_STR("constantPool"), &out->constant},
        {GATE_STR("dimension"), &out->dimension}, {GATE_STR("value"), &out->value},
    };
    int32_t count = jfr_int(&metadata->cursor);
    for (int32_t i = 0; i < count && step_take(&metadata->cursor); i++) {
        struct gate_str key = string_next(metadata), value = string_next(metadata);
        for (size_t j = 0; j < sizeof known / sizeof *known; j++)
            if (gate_str_equal(key, known[j].key))
                *known[j].value = value;
    }
}

/* Parse a class id. 0: not a number. */
static uint64_t id_of(struct gate_str text) {
    uint64_t id = 0;
    for (size_t i = 0; i < text.len; i++) {
        unsigned digit = (unsigned)(unsigned char)text.ptr[i] - '0';
        if (digit > 9 || __builtin_mul_overflow(id, (uint64_t)10, &id) || __builtin_add_overflow(id, digit, &id))
            return 0;
    }
    return id;
}

static enum gate_jfr_kind kind_of(struct gate_str name) {
    static const struct {
        const char *name;
        enum gate_jfr_kind kind;
    } kinds[] = {{"boolean", GATE_JFR_BYTE},    {"byte", GATE_JFR_BYTE},     {"char", GATE_JFR_SHORT_INT},
                 {"short", GATE_JFR_SHORT_INT}, {"int", GATE_JFR_INT},       {"long", GATE_JFR_LONG},
                 {"float", GATE_JFR_FLOAT},     {"double", GATE_JFR_DOUBLE}, {"java.lang.String", GATE_JFR_TEXT}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (gate_str_equal(name, gate_str_from(kinds[i].name)))
            return kinds[i].kind;
    return GATE_JFR_FIELDS;
}

static uint8_t slot_of(struct gate_str name) {
    static const struct {
        const char *name;
        enum gate_jfr_slot slot;
    } slots[] = {{"stackTrace", GATE_JFR_STACK},
                 {"sampledThread", GATE_JFR_THREAD},
                 {"eventThread", GATE_JFR_THREAD},
                 {"state", GATE_JFR_STATE},
                 {"samples", GATE_JFR_SAMPLES},
                 {"allocationSize", GATE_JFR_SIZE},
                 {"size", GATE_JFR_SIZE},
                 {"tlabSize", GATE_JFR_TLAB},
                 {"weight", GATE_JFR_WEIGHT},
                 {"duration", GATE_JFR_DURATION},
                 {"parkedClass", GATE_JFR_PARKED},
                 {"samplingPeriod", GATE_JFR_PERIOD},
                 {"failed", GATE_JFR_FAILED},
                 {"id", GATE_JFR_ID},
                 {"name", GATE_JFR_NAME},
                 {"value", GATE_JFR_VALUE},
                 {"type", GATE_JFR_TYPE},
                 {"string", GATE_JFR_STRING_OF},
                 {"description", GATE_JFR_DESCRIPTION},
                 {"osName", GATE_JFR_OS_NAME},
                 {"javaName", GATE_JFR_JAVA_NAME},
                 {"frames", GATE_JFR_FRAMES},
                 {"method", GATE_JFR_METHOD},
                 {"lineNumber", GATE_JFR_LINE},
                 {"startTime", GATE_JFR_START},
                 {"jvmUser", GATE_JFR_LOAD_USER},
                 {"jvmSystem", GATE_JFR_LOAD_SYSTEM},
                 {"hwThreads", GATE_JFR_THREADS},
                 {"userTime", GATE_JFR_TIME_USER},
                 {"systemTime", GATE_JFR_TIME_SYSTEM}};
    for (size_t i = 0; i < sizeof slots / sizeof *slots; i++)
        if (gate_str_equal(name, gate_str_from(slots[i].name)))
            return (uint8_t)slots[i].slot;
    return GATE_JFR_SLOTS;
}

static bool class_add(struct metadata *metadata, const struct attributes *attributes) {
    struct gate_jfr_classes *classes = metadata->classes;
    if (!GATE_REGROW(metadata->arena, classes->items, classes->count, classes->capacity))
        return gate_arena_error(metadata->arena, metadata->err);
    classes->items[classes->count++] = (struct gate_jfr_class){.id = id_of(attributes->id),
                                                               .name = attributes->name,
                                                               .first_field = classes->field_count,
                                                               .kind = kind_of(attributes->name)};
    return true;
}

static bool field_add(struct metadata *metadata, const struct attributes *attributes) {
    struct gate_jfr_classes *classes = metadata->classes;
    if (!GATE_REGROW(metadata->arena, classes->fields, classes->field_count, classes->field_capacity))
        return gate_arena_error(metadata->arena, metadata->err);
    classes->fields[classes->field_count++] = (struct gate_jfr_field){
        .class_id = id_of(attributes->type),
        .slot = slot_of(attributes->name),
        .is_constant = gate_str_equal(attributes->constant, GATE_STR("true")),
        .is_array = attributes->dimension.len != 0 && !gate_str_equal(attributes->dimension, GATE_STR("0"))};
    classes->items[classes->count - 1].field_count++;
    return true;
}

/* Set the unit of the last field from an annotation such as @Timespan("NANOSECONDS"). */
static void unit_set(struct metadata *metadata, const struct attributes *attributes) {
    static const struct {
        const char *name;
        int64_t per_second;
    } units[] = {{"NANOSECONDS", 1000000000}, {"MICROSECONDS", 1000000}, {"MILLISECONDS", 1000}, {"SECONDS", 1}};
    struct gate_jfr_classes *classes = metadata->classes;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (gate_str_equal(attributes->value, gate_str_from(units[i].name)))
            classes->fields[classes->field_count - 1].per_second = units[i].per_second;
}

static enum element element_of(struct gate_str name, enum element parent) {
    if (gate_str_equal(name, GATE_STR("class")))
        return ELEMENT_CLASS;
    if (gate_str_equal(name, GATE_STR("field")) && parent == ELEMENT_CLASS)
        return ELEMENT_FIELD;
    bool is_unit = gate_str_equal(name, GATE_STR("annotation")) && parent == ELEMENT_FIELD;
    return is_unit ? ELEMENT_ANNOTATION : ELEMENT_OTHER;
}

/* Read an element and what it contains. Returns false if `err` is set; faults stay in the cursor. */
static bool element_read(struct metadata *metadata, enum element parent, uint32_t depth) {
    struct gate_jfr_cursor *cursor = &metadata->cursor;
    struct attributes attributes = {0};
    enum element element = element_of(string_next(metadata), parent);
    attributes_read(&attributes, metadata);
    if (depth == ELEMENT_DEPTH_MAX)
        fault_set(cursor, GATE_JFR_NESTED);
    if (cursor->fault != GATE_JFR_FINE)
        return true;
    if (element == ELEMENT_CLASS && !class_add(metadata, &attributes))
        return false;
    if (element == ELEMENT_FIELD && !field_add(metadata, &attributes))
        return false;
    if (element == ELEMENT_ANNOTATION)
        unit_set(metadata, &attributes);
    int32_t count = jfr_int(cursor);
    for (int32_t i = 0; i < count && step_take(cursor); i++)
        if (!element_read(metadata, element, depth + 1))
            return false;
    return true;
}

static bool classes_link(struct gate_jfr_classes *classes, const struct gate_jfr_chunk *chunk, struct gate_arena *arena,
                         struct gate_error *err) {
    uint64_t id = 0;
    enum gate_id_fault fault = GATE_ID_FINE;
    if (classes->count != 0)
        fault = gate_id_index_build(&classes->index, &classes->items->id, sizeof *classes->items, classes->count, arena,
                                    &id);
    if (fault == GATE_ID_MEMORY)
        return gate_arena_error(arena, err);
    if (classes->count == 0 || fault != GATE_ID_FINE)
        return gate_error_set(err, GATE_ERR_FORMAT, "malformed recording: the metadata of chunk %u has %s",
                              chunk->number,
                              classes->count == 0     ? "no class"
                              : fault == GATE_ID_ZERO ? "a class without an id"
                                                      : "two classes of one id");
    for (uint32_t i = 0; i < classes->field_count; i++)
        classes->fields[i].class_index = gate_jfr_class_find(classes, (int64_t)classes->fields[i].class_id);
    return true;
}

bool gate_jfr_classes_read(struct gate_jfr_classes *out, const struct gate_jfr_chunk *chunk, uint64_t *steps,
                           struct gate_arena *arena, struct gate_error *err) {
    size_t at = chunk->metadata_at > chunk->bytes.len ? chunk->bytes.len : (size_t)chunk->metadata_at;
    struct metadata metadata = {
        .cursor = gate_jfr_cursor_at(chunk, at, steps), .classes = out, .arena = arena, .err = err};
    struct gate_jfr_cursor *cursor = &metadata.cursor;
    *out = (struct gate_jfr_classes){0};
    if (gate_jfr_event_open(cursor)) {
        int64_t type = gate_jfr_long(cursor); /* the event's class, then its start, duration and number */
        for (int i = 0; i < 3; i++)
            (void)gate_jfr_long(cursor);
        if (type != 0 && cursor->fault == GATE_JFR_FINE)
            return gate_error_set(err, GATE_ERR_FORMAT, "malformed recording: expected metadata at byte %zu (chunk %u)",
                                  chunk->start + at, chunk->number);
        if (!strings_read(&metadata) || !element_read(&metadata, ELEMENT_OTHER, 0))
            return false;
    }
    if (cursor->fault != GATE_JFR_FINE)
        return gate_jfr_fault_error(cursor, chunk, "the metadata", at, err);
    return classes_link(out, chunk, arena, err);
}

uint32_t gate_jfr_class_find(const struct gate_jfr_classes *classes, int64_t id) {
    return id <= 0 ? GATE_NO_INDEX : gate_id_index_find(&classes->index, (uint64_t)id);
}

/* ---- values of classes ------------------------------------------------------------------------------------------- */

static void fields_read(struct gate_jfr_picks *picks, struct gate_jfr_cursor *cursor,
                        const struct gate_jfr_classes *classes, uint32_t class_index, uint32_t depth);

/* Read a float, in billionths. 0: it is not finite, or too large. */
static int64_t billionths_read(struct gate_jfr_cursor *cursor) {
    const double billion = 1e9, most = 1e9;
    const uint8_t *bytes = bytes_take(cursor, sizeof(float));
    float value = 0.0f;
    if (bytes == NULL)
        return 0;
    uint32_t bits = (uint32_t)big_endian((const char *)bytes, sizeof bits);
    memcpy(&value, &bits, sizeof value);
    return fabsf(value) < most ? llround((double)value * billion) : 0;
}

/* Read a value that is not a constant. `text` is set to a string. Returns an integer, or 0. */
static int64_t plain_read(struct gate_jfr_text *text, struct gate_jfr_cursor *cursor,
                          const struct gate_jfr_classes *classes, uint32_t class_index, uint32_t depth) {
    switch (classes->items[class_index].kind) {
    case GATE_JFR_BYTE:
        return jfr_byte(cursor);
    case GATE_JFR_SHORT_INT:
        return (int16_t)integer_read(cursor, sizeof(int16_t));
    case GATE_JFR_INT:
        return jfr_int(cursor);
    case GATE_JFR_LONG:
        return gate_jfr_long(cursor);
    case GATE_JFR_FLOAT:
        return billionths_read(cursor);
    case GATE_JFR_DOUBLE:
        (void)bytes_take(cursor, sizeof(double));
        return 0;
    case GATE_JFR_TEXT:
        *text = jfr_text_read(cursor);
        return 0;
    default:
        fields_read(NULL, cursor, classes, class_index, depth + 1);
        return 0;
    }
}

static int64_t element_value_read(struct gate_jfr_text *text, struct gate_jfr_cursor *cursor,
                                  const struct gate_jfr_classes *classes, const struct gate_jfr_field *field,
                                  uint32_t depth) {
    if (!step_take(cursor))
        return 0;
    if (field->is_constant)
        return gate_jfr_long(cursor);
    if (field->class_index != GATE_NO_INDEX)
        return plain_read(text, cursor, classes, field->class_index, depth);
    fault_set(cursor, GATE_JFR_UNKNOWN);
    return 0;
}

static void field_read(struct gate_jfr_picks *picks, struct gate_jfr_cursor *cursor,
                       const struct gate_jfr_classes *classes, const struct gate_jfr_field *field, uint32_t depth) {
    struct gate_jfr_value value = {.field = field, .text = {.raw = GATE_STR("")}};
    if (!field->is_array) {
        value.number = element_value_read(&value.text, cursor, classes, field, depth);
    } else {
        struct gate_jfr_text ignored;
        value.number = jfr_int(cursor);
        value.at = cursor->at;
        if (value.number < 0)
            fault_set(cursor, GATE_JFR_SHORT);
        for (int64_t i = 0; i < value.number && cursor->fault == GATE_JFR_FINE; i++)
            (void)element_value_read(&ignored, cursor, classes, field, depth);
    }
    if (picks != NULL && field->slot < GATE_JFR_SLOTS) {
        picks->found |= 1u << field->slot;
        picks->values[field->slot] = value;
    }
}

static void fields_read(struct gate_jfr_picks *picks, struct gate_jfr_cursor *cursor,
                        const struct gate_jfr_classes *classes, uint32_t class_index, uint32_t depth) {
    const struct gate_jfr_class *type = &classes->items[class_index];
    if (depth == VALUE_DEPTH_MAX)
        fault_set(cursor, GATE_JFR_NESTED);
    for (uint32_t i = 0; i < type->field_count && cursor->fault == GATE_JFR_FINE; i++)
        field_read(picks, cursor, classes, &classes->fields[type->first_field + i], depth);
}

void gate_jfr_value_read(struct gate_jfr_picks *picks, struct gate_jfr_cursor *cursor,
                         const struct gate_jfr_classes *classes, uint32_t class_index) {
    struct gate_jfr_text text = {.raw = GATE_STR("")};
    if (picks != NULL)
        picks->found = 0;
    if (classes->items[class_index].kind == GATE_JFR_FIELDS) {
        fields_read(picks, cursor, classes, class_index, 0);
        return;
    }
    int64_t number = step_take(cursor) ? plain_read(&text, cursor, classes, class_index, 0) : 0;
    if (picks != NULL) {
        picks->found = 1u << GATE_JFR_STRING_OF;
        picks->values[GATE_JFR_STRING_OF] = (struct gate_jfr_value){.number = number, .text = text};
    }
}

/* ---- constant pools: checkpoint events --------------------------------------------------------------------------- */

static const char *const pool_classes[] = {
    [GATE_JFR_POOL_STRING] = "java.lang.String",    [GATE_JFR_POOL_SYMBOL] = "jdk.types.Symbol",
    [GATE_JFR_POOL_CLASS] = "java.lang.Class",      [GATE_JFR_POOL_METHOD] = "jdk.types.Method",
    [GATE_JFR_POOL_STACK] = "jdk.types.StackTrace", [GATE_JFR_POOL_FRAME_TYPE] = "jdk.types.FrameType",
    [GATE_JFR_POOL_THREAD] = "java.lang.Thread",    [GATE_JFR_POOL_THREAD_STATE] = "jdk.types.ThreadState",
};

/* Return the pool of a class, or NULL if its constants are not kept. */
static struct gate_jfr_pool *pool_of(struct gate_jfr_pools *pools, uint32_t class_index) {
    for (int kind = 0; kind < GATE_JFR_POOLS; kind++)
        if (pools->pools[kind].class_index == class_index)
            return &pools->pools[kind];
    return NULL;
}

static void pools_name(struct gate_jfr_pools *pools) {
    for (int kind = 0; kind < GATE_JFR_POOLS; kind++) {
        pools->pools[kind] = (struct gate_jfr_pool){.class_index = GATE_NO_INDEX};
        for (uint32_t i = 0; i < pools->classes->count; i++)
            if (gate_str_equal(pools->classes->items[i].name, gate_str_from(pool_classes[kind])))
                pools->pools[kind].class_index = i;
    }
}

static bool constant_add(struct gate_jfr_pools *pools, struct gate_jfr_pool *pool, int64_t key, size_t at,
                         struct gate_error *err) {
    if (!GATE_REGROW(pools->arena, pool->items, pool->count, pool->capacity) || pool->count == UINT32_MAX)
        return gate_arena_error(pools->arena, err);
    pool->items[pool->count] = (struct gate_jfr_constant){.key = key, .at = at, .order = pool->count};
    pool->count++;
    return true;
}

/* Read the constants of one class. */
static bool constants_read(struct gate_jfr_pools *pools, struct gate_jfr_cursor *cursor, struct gate_error *err) {
    size_t start = cursor->at;
    int64_t id = gate_jfr_long(cursor);
    int32_t count = jfr_int(cursor);
    uint32_t class_index = gate_jfr_class_find(pools->classes, id);
    if (cursor->fault == GATE_JFR_FINE && class_index == GATE_NO_INDEX)
        return gate_error_set(err, GATE_ERR_FORMAT,
                              "malformed recording: constants of a class %lld that its metadata does not describe, at "
                              "byte %zu (chunk %u)",
                              (long long)id, pools->chunk->start + start, pools->chunk->number);
    struct gate_jfr_pool *pool = pool_of(pools, class_index);
    for (int32_t i = 0; i < count && cursor->fault == GATE_JFR_FINE; i++) {
        int64_t key = gate_jfr_long(cursor);
        size_t at = cursor->at;
        gate_jfr_value_read(NULL, cursor, pools->classes, class_index);
        if (pool != NULL && !constant_add(pools, pool, key, at, err))
            return false;
    }
    return true;
}

/**
 * Read the checkpoint at `at`, which ends before `limit`. `*delta` is set to the distance of the one before it, a
 * negative number, or to 0.
 */
static bool checkpoint_read(int64_t *delta, struct gate_jfr_pools *pools, size_t at, size_t limit,
                            struct gate_error *err) {
    struct gate_jfr_cursor cursor = gate_jfr_cursor_at(pools->chunk, at, pools->steps);
    cursor.end = limit > cursor.at ? limit : cursor.at;
    *delta = 0;
    if (gate_jfr_event_open(&cursor)) {
        int64_t type = gate_jfr_long(&cursor);
        if (type != 1 && cursor.fault == GATE_JFR_FINE)
            return gate_error_set(err, GATE_ERR_FORMAT,
                                  "malformed recording: expected a checkpoint at byte %zu (chunk %u)",
                                  pools->chunk->start + at, pools->chunk->number);
        (void)gate_jfr_long(&cursor); /* start */
        (void)gate_jfr_long(&cursor); /* duration */
        *delta = gate_jfr_long(&cursor);
        (void)jfr_byte(&cursor); /* kind of checkpoint */
        int32_t count = jfr_int(&cursor);
        for (int32_t i = 0; i < count && cursor.fault == GATE_JFR_FINE; i++)
            if (!constants_read(pools, &cursor, err))
                return false;
    }
    return cursor.fault == GATE_JFR_FINE || gate_jfr_fault_error(&cursor, pools->chunk, "the checkpoint", at, err);
}

static bool chain_read(struct gate_jfr_pools *pools, struct gate_error *err) {
    const struct gate_jfr_chunk *chunk = pools->chunk;
    size_t limit = chunk->bytes.len;
    uint64_t at = chunk->constants_at;
    for (int64_t delta = -1; delta != 0; at += (uint64_t)delta) {
        /* Checkpoints may not overlap: each byte is read once. */
        if (at < GATE_JFR_HEADER_BYTES || at >= limit)
            return gate_error_set(err, GATE_ERR_FORMAT,
                                  "malformed recording: the chain of checkpoints of chunk %u leads from byte %zu to "
                                  "byte %lld, which is not before it in the chunk",
                                  chunk->number, chunk->start + limit, (long long)(chunk->start + at));
        if (!checkpoint_read(&delta, pools, (size_t)at, limit, err))
            return false;
        limit = (size_t)at;
    }
    return true;
}

static int constant_order(const void *a, const void *b) {
    const struct gate_jfr_constant *left = a, *right = b;
    if (left->key != right->key)
        return left->key < right->key ? -1 : 1;
    return (left->order < right->order) - (left->order > right->order);
}

/* Sort by key. Of several constants with one key, keep the one that was read last, as the JDK's own reader does. */
static void pool_sort(struct gate_jfr_pool *pool) {
    uint32_t kept = 0;
    if (pool->count > 1)
        qsort(pool->items, pool->count, sizeof *pool->items, constant_order);
    for (uint32_t i = 0; i < pool->count; i++)
        if (kept == 0 || pool->items[kept - 1].key != pool->items[i].key)
            pool->items[kept++] = pool->items[i];
    pool->count = kept;
}

static struct gate_jfr_constant *constant_find(struct gate_jfr_pool *pool, int64_t key) {
    size_t at = 0;
    GATE_SEARCH(at, pool->count, pool->items[at].key < key);
    return at < pool->count && pool->items[at].key == key ? &pool->items[at] : NULL;
}

/* Read the fields of a constant. They are in bounds, as they were read once before. Only steps may run out. */
static bool constant_read(struct gate_jfr_picks *picks, const struct gate_jfr_pools *pools, size_t at,
                          uint32_t class_index, struct gate_error *err) {
    struct gate_jfr_cursor cursor = gate_jfr_cursor_at(pools->chunk, at, pools->steps);
    gate_jfr_value_read(picks, &cursor, pools->classes, class_index);
    return cursor.fault == GATE_JFR_FINE || gate_jfr_fault_error(&cursor, pools->chunk, "a constant", at, err);
}

/* ---- texts ------------------------------------------------------------------------------------------------------- */

enum { TEXT_HOPS_MAX = 8 };

static bool text_follow(struct gate_str *out, struct gate_jfr_pools *pools, const struct gate_jfr_value *value,
                        uint32_t hops, struct gate_error *err);

static bool text_keep(struct gate_jfr_constant *constant, struct gate_jfr_pools *pools, struct gate_str text,
                      struct gate_error *err) {
    if (!GATE_REGROW(pools->arena, pools->texts, pools->text_count, pools->text_capacity) ||
        pools->text_count >= UINT32_MAX)
        return gate_arena_error(pools->arena, err);
    pools->texts[pools->text_count++] = text;
    constant->known = (uint32_t)pools->text_count;
    return true;
}

/* Return the text of a constant: the first of its fields that has one. */
static bool constant_text(struct gate_str *out, struct gate_jfr_pools *pools, struct gate_jfr_pool *pool, int64_t key,
                          uint32_t hops, struct gate_error *err) {
    static const enum gate_jfr_slot slots[] = {GATE_JFR_STRING_OF, GATE_JFR_JAVA_NAME, GATE_JFR_OS_NAME, GATE_JFR_NAME,
                                               GATE_JFR_DESCRIPTION};
    struct gate_jfr_constant *constant = pool == NULL ? NULL : constant_find(pool, key);
    *out = GATE_STR("");
    if (constant == NULL || pool == &pools->pools[GATE_JFR_POOL_METHOD] || pool == &pools->pools[GATE_JFR_POOL_STACK])
        return true;
    if (constant->known != 0) {
        *out = pools->texts[constant->known - 1];
        return true;
    }
    struct gate_jfr_picks picks;
    if (!constant_read(&picks, pools, constant->at, pool->class_index, err))
        return false;
    for (size_t i = 0; i < sizeof slots / sizeof *slots && out->len == 0; i++)
        if (gate_jfr_has(&picks, slots[i]) && !text_follow(out, pools, &picks.values[slots[i]], hops + 1, err))
            return false;
    return text_keep(constant, pools, *out, err);
}

static bool text_follow(struct gate_str *out, struct gate_jfr_pools *pools, const struct gate_jfr_value *value,
                        uint32_t hops, struct gate_error *err) {
    if (hops == TEXT_HOPS_MAX)
        return gate_error_set(err, GATE_ERR_FORMAT,
                              "malformed recording: the constants of chunk %u refer to each other in a cycle",
                              pools->chunk->number);
    *out = GATE_STR("");
    if (value->field != NULL && value->field->is_array)
        return true;
    if (value->field != NULL && value->field->is_constant)
        return constant_text(out, pools, pool_of(pools, value->field->class_index), value->number, hops, err);
    if (value->text.encoding == GATE_JFR_CONSTANT)
        return constant_text(out, pools, &pools->pools[GATE_JFR_POOL_STRING], value->text.key, hops, err);
    *out = jfr_text_decode(&value->text, pools->chunk->is_compressed, pools->arena);
    return out->ptr != NULL || gate_arena_error(pools->arena, err);
}

bool gate_jfr_text_of(struct gate_str *out, struct gate_jfr_pools *pools, const struct gate_jfr_value *value,
                      struct gate_error *err) {
    return text_follow(out, pools, value, 0, err);
}

/* ---- methods ----------------------------------------------------------------------------------------------------- */

/* Native methods of the JDK that wait for the network or another process. Their samples are not CPU time. */
static const char *const waits[] = {
    "java/lang/ProcessHandleImpl.waitForProcessExit0",
    "java/lang/ProcessImpl.waitForInterruptibly",
    "java/net/PlainDatagramSocketImpl.peek",
    "java/net/PlainDatagramSocketImpl.receive0",
    "java/net/PlainSocketImpl.socketAccept",
    "java/net/PlainSocketImpl.socketConnect",
    "java/net/SocketInputStream.socketRead0",
    "sun/nio/ch/DatagramChannelImpl.receive0",
    "sun/nio/ch/DatagramDispatcher.read0",
    "sun/nio/ch/EPoll.wait",
    "sun/nio/ch/EPollArrayWrapper.epollWait",
    "sun/nio/ch/FileDispatcherImpl.read0",
    "sun/nio/ch/KQueue.poll",
    "sun/nio/ch/Net.accept",
    "sun/nio/ch/Net.poll",
    "sun/nio/ch/ServerSocketChannelImpl.accept0",
    "sun/nio/ch/SocketDispatcher.read0",
    "sun/nio/ch/UnixDomainSockets.accept0",
    "sun/nio/ch/WEPoll.wait",
    "sun/nio/ch/WindowsSelectorImpl$SubSelector.poll0",
};

static bool is_wait(struct gate_str name) {
    return gate_str_is_among(name, waits, sizeof waits / sizeof *waits);
}

/* Return true for a frame of C, C++ or the kernel: its class is a library, or none. */
static bool is_native(struct gate_jfr_pools *pools, struct gate_str type) {
    bool is_c = pools->has_native_code && gate_str_equal(type, GATE_STR("Native"));
    return is_c || gate_str_equal(type, GATE_STR("C++")) || gate_str_equal(type, GATE_STR("Kernel"));
}

/* Return the name as async-profiler's converter spells it: "com/acme/Cart.add", or a C function's alone. */
static bool method_name(struct gate_str *out, struct gate_jfr_pools *pools, const struct gate_jfr_picks *picks,
                        struct gate_str frame_type, struct gate_error *err) {
    struct gate_str parts[3] = {GATE_STR(""), GATE_STR("."), GATE_STR("")};
    if (gate_jfr_has(picks, GATE_JFR_TYPE) && !gate_jfr_text_of(&parts[0], pools, &picks->values[GATE_JFR_TYPE], err))
        return false;
    if (gate_jfr_has(picks, GATE_JFR_NAME) && !gate_jfr_text_of(&parts[2], pools, &picks->values[GATE_JFR_NAME], err))
        return false;
    if (parts[0].len == 0 || is_native(pools, frame_type))
        *out = parts[2];
    else
        *out = gate_str_concat(pools->arena, parts, 3);
    return out->ptr != NULL || gate_arena_error(pools->arena, err);
}

/* Return the method with that key. A missing one has no function. */
static bool method_of(struct gate_jfr_method *out, struct gate_jfr_pools *pools, int64_t key,
                      struct gate_str frame_type, struct gate_error *err) {
    struct gate_jfr_pool *pool = &pools->pools[GATE_JFR_POOL_METHOD];
    struct gate_jfr_constant *constant = constant_find(pool, key);
    *out = (struct gate_jfr_method){0};
    if (constant == NULL)
        return true;
    if (constant->known != 0) {
        *out = pools->methods[constant->known - 1];
        return true;
    }
    struct gate_jfr_picks picks;
    struct gate_str name = GATE_STR("");
    if (!constant_read(&picks, pools, constant->at, pool->class_index, err) ||
        !method_name(&name, pools, &picks, frame_type, err))
        return false;
    if (!GATE_REGROW(pools->arena, pools->methods, pools->method_count, pools->method_capacity))
        return gate_arena_error(pools->arena, err);
    struct gate_function function = {.name = name, .system_name = name, .file = GATE_STR("")};
    out->is_wait = is_wait(name);
    out->function = name.len == 0 ? 0 : gate_builder_function(pools->builder, &function);
    pools->methods[pools->method_count++] = *out;
    constant->known = (uint32_t)pools->method_count;
    return true;
}

/* ---- stack traces ------------------------------------------------------------------------------------------------ */

/* Add a compiled method, and what was inlined into it, as one location. */
static bool location_add(struct gate_jfr_stack *stack, struct gate_jfr_pools *pools, struct gate_error *err) {
    uint64_t location = gate_builder_location(pools->builder, 0, 0, pools->lines, (uint32_t)pools->line_count);
    pools->line_count = 0;
    stack->depth++;
    if (location == 0)
        return gate_arena_error(pools->builder->arena, err);
    if (!GATE_REGROW(pools->arena, pools->locations, pools->location_count, pools->location_capacity))
        return gate_arena_error(pools->arena, err);
    pools->locations[pools->location_count++] = location;
    return true;
}

static bool frame_read(struct gate_jfr_stack *stack, struct gate_jfr_pools *pools, struct gate_jfr_cursor *cursor,
                       uint32_t class_index, bool is_leaf, struct gate_error *err) {
    struct gate_jfr_picks picks;
    struct gate_jfr_method method = {0};
    struct gate_str type = GATE_STR("");
    size_t at = cursor->at;
    gate_jfr_value_read(&picks, cursor, pools->classes, class_index);
    if (cursor->fault != GATE_JFR_FINE)
        return gate_jfr_fault_error(cursor, pools->chunk, "a frame", at, err);
    if (gate_jfr_has(&picks, GATE_JFR_TYPE) && !gate_jfr_text_of(&type, pools, &picks.values[GATE_JFR_TYPE], err))
        return false;
    if (gate_jfr_has(&picks, GATE_JFR_METHOD) &&
        !method_of(&method, pools, picks.values[GATE_JFR_METHOD].number, type, err))
        return false;
    int64_t line = gate_jfr_has(&picks, GATE_JFR_LINE) ? picks.values[GATE_JFR_LINE].number : 0;
    if (!GATE_REGROW(pools->arena, pools->lines, pools->line_count, pools->line_capacity))
        return gate_arena_error(pools->arena, err);
    if (method.function != 0)
        pools->lines[pools->line_count++] = (struct gate_builder_line){method.function, line > 0 ? line : 0, 0};
    stack->is_wait |= is_leaf && method.is_wait;
    stack->is_interpreted |= is_leaf && gate_str_equal(type, GATE_STR("Interpreted"));
    return gate_str_equal(type, GATE_STR("Inlined")) || location_add(stack, pools, err);
}

static bool frames_read(struct gate_jfr_stack *stack, struct gate_jfr_pools *pools, const struct gate_jfr_value *frames,
                        struct gate_error *err) {
    struct gate_jfr_cursor cursor = gate_jfr_cursor_at(pools->chunk, frames->at, pools->steps);
    bool is_list =
        frames->field->is_array && !frames->field->is_constant && frames->field->class_index != GATE_NO_INDEX;
    int64_t depth = is_list ? frames->number : 0;
    if (depth > pools->limits->depth)
        return gate_error_set(err, GATE_ERR_LIMIT, "a stack trace at byte %zu is %lld frames deep; raise --max-depth",
                              pools->chunk->start + frames->at, (long long)depth);
    for (int64_t i = 0; i < depth; i++)
        if (!frame_read(stack, pools, &cursor, frames->field->class_index, i == 0, err))
            return false;
    /* Lines remain if the recorder truncated the stack before the method that they are inlined into. */
    return pools->line_count == 0 || location_add(stack, pools, err);
}

bool gate_jfr_stack_of(struct gate_jfr_stack *out, struct gate_jfr_pools *pools, int64_t key, struct gate_error *err) {
    struct gate_jfr_pool *pool = &pools->pools[GATE_JFR_POOL_STACK];
    struct gate_jfr_constant *constant = constant_find(pool, key);
    *out = (struct gate_jfr_stack){.first = pools->location_count};
    if (constant == NULL)
        return true;
    if (constant->known != 0) {
        *out = pools->stacks[constant->known - 1];
        return true;
    }
    struct gate_jfr_picks picks;
    if (!constant_read(&picks, pools, constant->at, pool->class_index, err) ||
        (gate_jfr_has(&picks, GATE_JFR_FRAMES) && !frames_read(out, pools, &picks.values[GATE_JFR_FRAMES], err)))
        return false;
    if (!GATE_REGROW(pools->arena, pools->stacks, pools->stack_count, pools->stack_capacity))
        return gate_arena_error(pools->arena, err);
    pools->stacks[pools->stack_count++] = *out;
    constant->known = (uint32_t)pools->stack_count;
    return true;
}

/* ---- reading all constants --------------------------------------------------------------------------------------- */

/* Return in `found` whether a pool has a constant with that text. */
static bool text_find(bool *found, struct gate_jfr_pools *pools, enum gate_jfr_pool_kind kind, struct gate_str wanted,
                      struct gate_error *err) {
    struct gate_jfr_pool *pool = &pools->pools[kind];
    struct gate_str text = GATE_STR("");
    *found = false;
    for (uint32_t i = 0; i < pool->count && !*found; i++) {
        if (!constant_text(&text, pools, pool, pool->items[i].key, 0, err))
            return false;
        *found = gate_str_equal(text, wanted);
    }
    return true;
}

bool gate_jfr_pools_read(struct gate_jfr_pools *out, struct gate_error *err) {
    pools_name(out);
    if (out->chunk->constants_at != 0 && !chain_read(out, err))
        return false;
    for (int kind = 0; kind < GATE_JFR_POOLS; kind++)
        pool_sort(&out->pools[kind]);
    return text_find(&out->has_native_code, out, GATE_JFR_POOL_FRAME_TYPE, GATE_STR("Kernel"), err) &&
           text_find(&out->has_cpu_state, out, GATE_JFR_POOL_THREAD_STATE, GATE_STR("STATE_DEFAULT"), err);
}
