/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of a frame that rows look at (see own_code_look.h), one small reader a language and part. */
#include "gate/profile/own_code_look.h"

#include "gate/profile/address_name.h"
#include "gate/profile/name.h"

static struct gate_str from(struct gate_str text, size_t at) {
    return gate_str_slice(text, at, text.len);
}

/* Up to the first of `marks`; all of it where there is none. */
static struct gate_str up_to(struct gate_str text, const char *marks) {
    size_t end = text.len;
    for (; *marks != '\0' && end > 0; marks++) {
        const char *found = memchr(text.ptr, *marks, end);
        end = found == NULL ? end : (size_t)(found - text.ptr);
    }
    return gate_str_slice(text, 0, end);
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_';
}

static bool at_is(struct gate_str text, size_t at, struct gate_str word) {
    return at < text.len && gate_str_starts(from(text, at), word);
}

/* ---- Go ---- */

/* "slices.SortFunc[go.shape.struct { main.item }]": what is in brackets says with what it was made, not whose it is. */
static struct gate_str go_name(struct gate_str spelled) {
    return up_to(spelled, "[");
}

/* "github.com" of github.com/a/b.(*T).M, "io" of io.discard.ReadFrom, "net" of net/http.Get. */
static struct gate_str go_root(struct gate_str name) {
    struct gate_str path = up_to(name, "(");
    size_t slash = gate_str_find(path, GATE_STR("/"), 0);
    return slash == SIZE_MAX ? up_to(path, ".") : gate_str_slice(path, 0, slash);
}

/* ---- the JVM ---- */

/* Without signature, and without the brackets and 'L' of a type descriptor: "[Ljava/lang/String;". */
static struct gate_str jvm_name(struct gate_str spelled) {
    size_t at = 0;
    if (gate_str_find(spelled, GATE_STR(";"), 0) != SIZE_MAX) {
        while (at < spelled.len && spelled.ptr[at] == '[')
            at++;
        at += at < spelled.len && spelled.ptr[at] == 'L' ? 1 : 0;
    }
    return up_to(from(spelled, at), "(");
}

/* ---- Rust ---- */

/* What stands before the first path of a type: "<&mut [shop::Item] as …>". Longer words first. */
static size_t rust_skip(struct gate_str name, size_t at) {
    static const char *const plain[] = {"<", "&", "(", "[", "*", "mut ", "const ", "dyn ", "impl "};
    static const char *const mangled[] = {"_$LT$", "$LT$",     "$RF$",       "$BP$",    "$LP$",
                                          "$u5b$", "mut$u20$", "const$u20$", "dyn$u20$"};
    bool is_mangled = gate_str_starts(name, GATE_STR("_ZN"));
    const char *const *words = is_mangled ? mangled : plain;
    size_t count = is_mangled ? sizeof mangled / sizeof *mangled : sizeof plain / sizeof *plain;
    for (size_t i = 0; i < count;) {
        size_t len = strlen(words[i]);
        bool skips = at_is(name, at, gate_str_from(words[i]));
        at += skips ? len : 0;
        i = skips ? 0 : i + 1;
    }
    return at;
}

static struct gate_str rust_word(struct gate_str name, size_t at) {
    size_t end = at;
    while (end < name.len && is_word(name.ptr[end]))
        end++;
    return gate_str_slice(name, at, end);
}

/* The crate of a path at `at`, "shop" of shop[8f2a]::Cart::add; empty where a lone type stands: "T", "str", "u64". */
static struct gate_str rust_crate(struct gate_str name, size_t at) {
    struct gate_str word = rust_word(name, at);
    size_t end = at + word.len;
    if (at_is(name, end, GATE_STR("["))) {
        size_t close = gate_str_find(name, GATE_STR("]"), end);
        end = close == SIZE_MAX ? end : close + 1;
    }
    bool is_path = at_is(name, end, GATE_STR("::")) || at_is(name, end, GATE_STR(".."));
    return is_path ? word : GATE_STR("");
}

/* "_ZN4core3fmt5write17h…E", and "_ZN52_$LT$shop..Foo$u20$as$u20$core..fmt..Display$GT$3fmt…". */
static struct gate_str rust_legacy_root(struct gate_str name) {
    size_t at = 3, len = 0;
    while (at < name.len && is_digit(name.ptr[at]) && len < name.len)
        len = len * 10 + (size_t)(name.ptr[at++] - '0');
    struct gate_str element = gate_str_slice(name, at, at + len);
    size_t skip = rust_skip(name, at) - at;
    if (skip == 0 || skip >= len)
        return element;
    struct gate_str crate = rust_crate(name, at + skip);
    size_t as = gate_str_find(element, GATE_STR("$u20$as$u20$"), 0);
    return crate.len != 0 || as == SIZE_MAX ? crate : rust_crate(name, at + as + strlen("$u20$as$u20$"));
}

/* "_RNvNtCs1234_4core3fmt5write": the first 'C' that stands where a path begins names the crate. */
static struct gate_str rust_v0_root(struct gate_str name) {
    size_t at = 2;
    while (at < name.len && strchr("INXMYRQSTs", name.ptr[at]) != NULL && name.ptr[at] != '\0') {
        char c = name.ptr[at++];
        if (c == 'N') {
            at++; /* the kind of the element */
        } else if (c == 's') {
            size_t end = gate_str_find(name, GATE_STR("_"), at);
            at = end == SIZE_MAX ? name.len : end + 1;
        }
    }
    if (!at_is(name, at, GATE_STR("C")))
        return GATE_STR("");
    at++;
    if (at_is(name, at, GATE_STR("s"))) {
        size_t end = gate_str_find(name, GATE_STR("_"), at);
        at = end == SIZE_MAX ? name.len : end + 1;
    }
    size_t len = 0;
    while (at < name.len && is_digit(name.ptr[at]) && len < name.len)
        len = len * 10 + (size_t)(name.ptr[at++] - '0');
    at += at_is(name, at, GATE_STR("_")) ? 1 : 0;
    return gate_str_slice(name, at, at + len);
}

/* The crate that a name belongs to: that of the type inside "<…>", or of the trait where the type is nobody's: "<T as
 * shop::Price>::round". */
static struct gate_str rust_root(struct gate_str name) {
    if (gate_str_starts(name, GATE_STR("_ZN")))
        return rust_legacy_root(name);
    if (gate_str_starts(name, GATE_STR("_R")))
        return rust_v0_root(name);
    const struct gate_str as = GATE_STR(" as ");
    struct gate_str crate = rust_crate(name, rust_skip(name, 0));
    size_t trait = gate_str_starts(name, GATE_STR("<")) ? gate_str_find(name, as, 0) : SIZE_MAX;
    return crate.len != 0 || trait == SIZE_MAX ? crate : rust_crate(name, rust_skip(name, trait + as.len));
}

/* ---- C and C++ ---- */

/* Where the qualified name begins in a demangled signature, "void shop::sort<int (*)(int)>(shop::Item*)": behind the
 * last space before its parameters that is in no brackets. Everything behind "operator" belongs to the name. */
static struct gate_str native_name(struct gate_str spelled) {
    const struct gate_str unnamed = GATE_STR("(anonymous namespace)"), word = GATE_STR("operator");
    size_t start = 0, end = 0, depth = 0;
    for (; end < spelled.len; end++) {
        char c = spelled.ptr[end];
        if (depth == 0 && c == 'o' && at_is(spelled, end, word) && (end == 0 || !is_word(spelled.ptr[end - 1])))
            return from(spelled, start);
        if (c == '(' && at_is(spelled, end, unnamed))
            end += unnamed.len - 1;
        else if (c == '(' && depth == 0 && end > start)
            break;
        else if (c == '<' || c == '(')
            depth++;
        else if ((c == '>' || c == ')') && depth > 0)
            depth--;
        else if (c == ' ' && depth == 0)
            start = end + 1;
    }
    struct gate_str name = gate_str_slice(spelled, start, end);
    bool is_symbol = gate_str_find(name, GATE_STR("::"), 0) == SIZE_MAX;
    return is_symbol ? up_to(name, ".@") : name; /* "finish_task_switch.isra.0", "cfree@GLIBC_2.2.5" */
}

/* ---- files ---- */

/* Some producers write a word where they know no file. */
enum { LONGEST_NONE = 9 };

static struct gate_str known_file(struct gate_str file) {
    static const char *const none[] = {"Unknown", "unknown", "<unknown>", "[unknown]", "??", "nothing"};
    if (file.len == 0 || file.len > LONGEST_NONE)
        return file;
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        if (gate_str_equal(file, gate_str_from(none[i])))
            return GATE_STR("");
    return file;
}

/* Without ":12" or ":12:34" at the end. */
static struct gate_str without_position(struct gate_str file) {
    for (int i = 0; i < 2; i++) {
        size_t at = file.len;
        while (at > 0 && is_digit(file.ptr[at - 1]))
            at--;
        if (at == file.len || at < 2 || file.ptr[at - 1] != ':')
            break;
        file.len = at - 1;
    }
    return file;
}

static size_t last_of(struct gate_str text, char c) {
    size_t at = text.len;
    while (at > 0 && text.ptr[at - 1] != c)
        at--;
    return at; /* behind it; 0 where there is none */
}

/* Collapsed stacks carry the file inside the name: "dumps (json/__init__.py:238)", "JS:render /app/view.js:1:2",
 * "shop.py:12 - run", "run - shop.rb:12". */
static struct gate_str file_in_name(struct gate_str spelled) {
    bool in_brackets = gate_str_ends(spelled, GATE_STR(")"));
    size_t dash = gate_str_find(spelled, GATE_STR(" - "), 0);
    struct gate_str file = from(spelled, last_of(spelled, in_brackets ? '(' : ' '));
    if (in_brackets)
        file = gate_str_slice(file, 0, file.len - 1);
    else if (dash != SIZE_MAX && gate_str_find(gate_str_slice(spelled, 0, dash), GATE_STR(":"), 0) != SIZE_MAX)
        file = gate_str_slice(spelled, 0, dash);
    size_t len = file.len;
    file = without_position(file);
    bool is_file = file.len < len || (in_brackets && up_to(file, ".<").len < file.len);
    return is_file && file.len < spelled.len ? file : GATE_STR("");
}

/* "json" of json/encoder.py, "socketserver" of socketserver.py; empty for a full path. */
static struct gate_str python_root(struct gate_str file) {
    if (file.len == 0 || strchr("/\\<", file.ptr[0]) != NULL || (file.len > 1 && file.ptr[1] == ':'))
        return GATE_STR("");
    struct gate_str first = up_to(file, "/\\");
    return gate_str_ends(first, GATE_STR(".py")) ? gate_str_slice(first, 0, first.len - 3) : first;
}

/* ---- mappings ---- */

/* "libc" of /usr/lib64/libc-2.31.so and libc.so.6, "libpython3" of libpython3.11.so.1.0. */
static struct gate_str library_stem(struct gate_str mapping) {
    struct gate_str stem = up_to(gate_str_basename(mapping), ".");
    size_t at = stem.len;
    while (at > 0 && is_digit(stem.ptr[at - 1]))
        at--;
    return at < stem.len && at > 0 && stem.ptr[at - 1] == '-' ? gate_str_slice(stem, 0, at - 1) : stem;
}

/* Only binaries are judged by the library they are in. */
static bool is_asked_for_stem(enum gate_language language) {
    return language == GATE_LANGUAGE_RUST || language == GATE_LANGUAGE_NATIVE || language == GATE_LANGUAGE_UNKNOWN;
}

static void look_at_name(struct gate_own_code_look *out, enum gate_language language, struct gate_str spelled) {
    struct gate_str *name = &out->on[GATE_OWN_CODE_ON_NAME], *root = &out->on[GATE_OWN_CODE_ON_ROOT];
    *name = spelled;
    *root = GATE_STR("");
    switch (language) {
    case GATE_LANGUAGE_GO:
        *name = go_name(spelled);
        *root = go_root(*name);
        break;
    case GATE_LANGUAGE_JVM:
        *name = jvm_name(spelled);
        *root = up_to(*name, "./");
        break;
    case GATE_LANGUAGE_PYTHON:
        *root = python_root(out->on[GATE_OWN_CODE_ON_FILE]);
        break;
    case GATE_LANGUAGE_RUST:
        *root = rust_root(spelled);
        break;
    case GATE_LANGUAGE_NATIVE:
        *name = native_name(spelled);
        break;
    case GATE_LANGUAGE_NODE:
    case GATE_LANGUAGE_UNKNOWN:
    case GATE_LANGUAGES:
        break;
    }
}

static bool is_windows(struct gate_str file) {
    return file.len != 0 && memchr(file.ptr, '\\', file.len) != NULL;
}

void gate_own_code_look_at_file(struct gate_own_code_look *out, struct gate_str file) {
    *out = (struct gate_own_code_look){.is_windows = is_windows(known_file(file))};
    out->on[GATE_OWN_CODE_ON_FILE] = known_file(file);
}

void gate_own_code_look_at(struct gate_own_code_look *out, enum gate_language language,
                           const struct gate_code_place *place) {
    bool has_file_in_name =
        language == GATE_LANGUAGE_PYTHON || language == GATE_LANGUAGE_NODE || language == GATE_LANGUAGE_UNKNOWN;
    struct gate_str spelled = gate_address_name_is(place->function) ? GATE_STR("") : place->function;
    struct gate_str file = known_file(place->file);
    if (file.len == 0 && has_file_in_name)
        file = file_in_name(spelled);
    out->on[GATE_OWN_CODE_ON_SPELLED] = spelled;
    out->on[GATE_OWN_CODE_ON_FILE] = file;
    out->on[GATE_OWN_CODE_ON_MAPPING] = place->mapping;
    out->on[GATE_OWN_CODE_ON_OTHER] = place->is_main_mapping ? GATE_STR("") : place->mapping;
    out->on[GATE_OWN_CODE_ON_STEM] =
        is_asked_for_stem(language) ? library_stem(out->on[GATE_OWN_CODE_ON_OTHER]) : GATE_STR("");
    out->is_windows = is_windows(file);
    out->on[GATE_OWN_CODE_ON_NAMELESS] = spelled.len == 0 ? place->mapping : GATE_STR("");
    look_at_name(out, language, spelled);
}

/* Windows' '\' in a file is a '/' of the table. */
static bool same_path(const char *part, const char *text, size_t len) {
    for (size_t i = 0; i < len; i++)
        if (part[i] != text[i] && !(part[i] == '\\' && text[i] == '/'))
            return false;
    return true;
}

/* Of most rows the letters at both ends tell that they do not fit. */
static bool same_text(const char *part, const char *text, size_t len, bool is_windows) {
    if (is_windows)
        return same_path(part, text, len);
    return len == 0 || (part[0] == text[0] && part[len - 1] == text[len - 1] && memcmp(part, text, len) == 0);
}

static bool has_text(struct gate_str part, struct gate_str text, bool is_windows) {
    if (!is_windows)
        return gate_str_find(part, text, 0) != SIZE_MAX;
    for (size_t i = 0; i + text.len <= part.len; i++)
        if (same_path(part.ptr + i, text.ptr, text.len))
            return true;
    return false;
}

size_t gate_own_code_look_rarest(struct gate_str word) {
    /* How often names, packages and paths hold a letter, as far as single letters tell; 0 where it is seldom. */
    static const uint8_t common[UINT8_MAX + 1] = {
        ['.'] = 29, ['/'] = 28, ['e'] = 27, ['i'] = 26, ['a'] = 25, ['s'] = 24, ['t'] = 23, ['r'] = 22,
        ['n'] = 21, ['o'] = 20, ['l'] = 19, ['c'] = 18, ['d'] = 17, ['m'] = 16, ['u'] = 15, ['p'] = 14,
        ['b'] = 13, ['h'] = 12, ['g'] = 11, ['f'] = 10, ['y'] = 9,  ['k'] = 8,  ['w'] = 7,  ['_'] = 6,
        ['v'] = 5,  ['z'] = 4,  ['x'] = 3,  ['j'] = 2,  ['q'] = 1};
    size_t at = 0;
    for (size_t i = 1; i < word.len; i++)
        at = common[(unsigned char)word.ptr[i]] < common[(unsigned char)word.ptr[at]] ? i : at;
    return at;
}

/* Each word stands between two spaces, and a word that is looked for holds none. */
static bool is_one_of(struct gate_str word, struct gate_str words) {
    if (word.len + 2 > words.len || memchr(word.ptr, ' ', word.len) != NULL)
        return false;
    size_t letter = gate_own_code_look_rarest(word);
    const char *at = words.ptr + 1 + letter, *last = words.ptr + words.len - 1 - word.len + letter;
    while (at <= last && (at = memchr(at, word.ptr[letter], (size_t)(last - at) + 1)) != NULL) {
        const char *start = at++ - letter;
        if (start[-1] == ' ' && start[word.len] == ' ' && memcmp(start, word.ptr, word.len) == 0)
            return true;
    }
    return false;
}

bool gate_own_code_look_fits(const struct gate_own_code_look *look, const struct gate_own_code_test *test) {
    struct gate_str part = look->on[test->on], text = {test->text, test->len};
    bool is_windows = look->is_windows && test->on == GATE_OWN_CODE_ON_FILE;
    if (part.len == 0)
        return test->how == GATE_OWN_CODE_HOW_LACKS;
    switch (test->how) {
    case GATE_OWN_CODE_HOW_IS:
        return part.len == text.len && same_text(part.ptr, text.ptr, text.len, is_windows);
    case GATE_OWN_CODE_HOW_STARTS:
        return part.len >= text.len && same_text(part.ptr, text.ptr, text.len, is_windows);
    case GATE_OWN_CODE_HOW_ENDS:
        return part.len >= text.len && same_text(part.ptr + part.len - text.len, text.ptr, text.len, is_windows);
    case GATE_OWN_CODE_HOW_CONTAINS:
        return has_text(part, text, is_windows);
    case GATE_OWN_CODE_HOW_LACKS:
        return !has_text(part, text, is_windows);
    case GATE_OWN_CODE_HOW_IN:
        return is_one_of(part, text);
    case GATE_OWN_CODE_HOW_PRESENT:
        return true;
    case GATE_OWN_CODE_HOW_RUNTIME:
        return gate_name_is_runtime(part);
    }
    return false;
}
