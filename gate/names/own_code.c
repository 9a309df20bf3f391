/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/names/own_code.h"

#include "gate/model/location.h"
#include "gate/model/profile.h"
#include "gate/names/frame_name.h"
#include "gate/names/own_code_table.h"

/* ---- parts of a frame that rows test ----------------------------------------------------------------------------- */

static struct gate_str from(struct gate_str text, size_t at) {
    return gate_str_slice(text, at, text.len);
}

/* Return the text up to the first of `marks`, or all of it if there is none. */
static struct gate_str up_to(struct gate_str text, const char *marks) {
    size_t end = text.len;
    for (; *marks != '\0' && end > 0; marks++) {
        const char *found = memchr(text.ptr, *marks, end);
        end = found == NULL ? end : (size_t)(found - text.ptr);
    }
    return gate_str_slice(text, 0, end);
}

static bool at_is(struct gate_str text, size_t at, struct gate_str word) {
    return at < text.len && gate_str_starts(from(text, at), word);
}

/* ---- Go ---------------------------------------------------------------------------------------------------------- */

/* Remove type arguments, "[go.shape.struct { main.item }]" of slices.SortFunc: they do not show who owns the
 * function. */
static struct gate_str go_name(struct gate_str spelled) {
    return up_to(spelled, "[");
}

/* Return "github.com" for github.com/a/b.(*T).M, "io" for io.discard.ReadFrom, "net" for net/http.Get. */
static struct gate_str go_root(struct gate_str name) {
    struct gate_str path = up_to(name, "(");
    size_t slash = gate_str_find(path, GATE_STR("/"), 0);
    return slash == SIZE_MAX ? up_to(path, ".") : gate_str_slice(path, 0, slash);
}

/* ---- the JVM ----------------------------------------------------------------------------------------------------- */

/* Remove the signature, and the brackets and 'L' of a type descriptor such as "[Ljava/lang/String;". */
static struct gate_str jvm_name(struct gate_str spelled) {
    size_t at = 0;
    if (gate_str_find(spelled, GATE_STR(";"), 0) != SIZE_MAX) {
        while (at < spelled.len && spelled.ptr[at] == '[')
            at++;
        at += at < spelled.len && spelled.ptr[at] == 'L' ? 1 : 0;
    }
    return up_to(from(spelled, at), "(");
}

/* ---- Rust -------------------------------------------------------------------------------------------------------- */

/* Return the position of the first path of a type, after prefixes such as "<&mut [" in "<&mut [shop::Item] as …>".
 * Longer mangled words come first. */
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
    while (end < name.len && gate_is_word(name.ptr[end]))
        end++;
    return gate_str_slice(name, at, end);
}

/* Return the crate of the path at `at`: "shop" for shop[8f2a]::Cart::add. Empty for a type without path: "T", "str",
 * "u64". */
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

/* Return the crate of a legacy symbol: "_ZN4core3fmt5write17h…E" or
 * "_ZN52_$LT$shop..Foo$u20$as$u20$core..fmt..Display$GT$3fmt…". */
static struct gate_str rust_legacy_root(struct gate_str name) {
    size_t at = 3, len = 0;
    while (at < name.len && gate_is_digit(name.ptr[at]) && len < name.len)
        len = len * 10 + (size_t)(name.ptr[at++] - '0');
    struct gate_str element = gate_str_slice(name, at, at + len);
    size_t skip = rust_skip(name, at) - at;
    if (skip == 0 || skip >= len)
        return element;
    struct gate_str crate = rust_crate(name, at + skip);
    size_t as = gate_str_find(element, GATE_STR("$u20$as$u20$"), 0);
    return crate.len != 0 || as == SIZE_MAX ? crate : rust_crate(name, at + as + strlen("$u20$as$u20$"));
}

/* Return the crate of a v0 symbol, "_RNvNtCs1234_4core3fmt5write": the first 'C' at the start of a path names it. */
static struct gate_str rust_v0_root(struct gate_str name) {
    size_t at = 2;
    while (at < name.len && strchr("INXMYRQSTs", name.ptr[at]) != NULL && name.ptr[at] != '\0') {
        char c = name.ptr[at++];
        if (c == 'N') {
            at++; /* skip the letter of the namespace */
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
    while (at < name.len && gate_is_digit(name.ptr[at]) && len < name.len)
        len = len * 10 + (size_t)(name.ptr[at++] - '0');
    at += at_is(name, at, GATE_STR("_")) ? 1 : 0;
    return gate_str_slice(name, at, at + len);
}

/* Return whether the name is a method of a primitive type that is of no trait: "<str>::to_lowercase",
 * "<[shop::Item]>::sort". Rust lets core and alloc alone define such methods. Those of "dyn shop::Price" may be
 * anyone's. */
static bool rust_is_primitive(struct gate_str name) {
    if (!at_is(name, 0, GATE_STR("<")) || at_is(name, 1, GATE_STR("dyn ")) || rust_crate(name, 1).len != 0)
        return false;
    size_t at = 1, depth = 1;
    for (; at < name.len && depth != 0; at++) {
        bool is_arrow = name.ptr[at] == '>' && name.ptr[at - 1] == '-';
        if (depth == 1 && at_is(name, at, GATE_STR(" as ")))
            return false;
        depth += name.ptr[at] == '<' ? 1 : 0;
        depth -= name.ptr[at] == '>' && !is_arrow ? 1 : 0;
    }
    return at_is(name, at, GATE_STR("::"));
}

/* Return the crate of a name: that of the type inside "<…>" or, if the type has none, that of the trait: "<T as
 * shop::Price>::round". */
static struct gate_str rust_root(struct gate_str name) {
    if (gate_str_starts(name, GATE_STR("_ZN")))
        return rust_legacy_root(name);
    if (gate_str_starts(name, GATE_STR("_R")))
        return rust_v0_root(name);
    if (rust_is_primitive(name))
        return GATE_STR("core");
    const struct gate_str as = GATE_STR(" as ");
    struct gate_str crate = rust_crate(name, rust_skip(name, 0));
    size_t trait = gate_str_starts(name, GATE_STR("<")) ? gate_str_find(name, as, 0) : SIZE_MAX;
    return crate.len != 0 || trait == SIZE_MAX ? crate : rust_crate(name, rust_skip(name, trait + as.len));
}

/* ---- C and C++ --------------------------------------------------------------------------------------------------- */

/* Return the qualified name in a demangled signature such as "void shop::sort<int (*)(int)>(shop::Item*)". It begins
 * after the last space that is before the parameters and outside brackets. Everything after "operator" belongs to
 * it. */
static struct gate_str native_name(struct gate_str spelled) {
    const struct gate_str unnamed = GATE_STR("(anonymous namespace)"), word = GATE_STR("operator");
    size_t start = 0, end = 0, depth = 0;
    for (; end < spelled.len; end++) {
        char c = spelled.ptr[end];
        if (depth == 0 && c == 'o' && at_is(spelled, end, word) && (end == 0 || !gate_is_word(spelled.ptr[end - 1])))
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
    /* removes suffixes: "finish_task_switch.isra.0", "cfree@GLIBC_2.2.5" */
    return is_symbol ? up_to(name, ".@") : name;
}

/* ---- Ruby -------------------------------------------------------------------------------------------------------- */

/* Return "Array" for "Array#uniq" and "rescue in block in Array#each", "JSON" for "JSON::Ext::Parser#parse". */
static struct gate_str ruby_root(struct gate_str spelled) {
    const struct gate_str in = GATE_STR(" in ");
    size_t block;
    while ((block = gate_str_find(spelled, in, 0)) != SIZE_MAX)
        spelled = from(spelled, block + in.len);
    return up_to(spelled, "#.:");
}

/* Return true for "Shop::Cart#price". In "com.shop.Cart#price", which is a method of the JVM, the class has dots. */
static bool is_ruby_method(struct gate_str spelled) {
    size_t hash = gate_str_find(spelled, GATE_STR("#"), 0);
    return hash != SIZE_MAX && up_to(spelled, "./").len > hash;
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

/* Remove ":12" or ":12:34" from the end. */
static struct gate_str without_position(struct gate_str file) {
    for (int i = 0; i < 2; i++) {
        size_t at = file.len;
        while (at > 0 && gate_is_digit(file.ptr[at - 1]))
            at--;
        if (at == file.len || at < 2 || file.ptr[at - 1] != ':')
            break;
        file.len = at - 1;
    }
    return file;
}

/* Return the file of a closure of PHP: "{closure:/app/cart.php(34)}", "{closure:C:\\app\\cart.php:6-19}". */
static struct gate_str file_of_closure(struct gate_str spelled) {
    struct gate_str place = from(spelled, strlen("{closure:"));
    size_t drive = gate_str_find(place, GATE_STR(":\\"), 0) == 1 ? strlen("C:") : 0;
    bool is_file = drive != 0 || gate_str_starts(place, GATE_STR("/"));
    return is_file ? gate_str_slice(place, 0, drive + up_to(from(place, drive), "(:}").len) : GATE_STR("");
}

/* Return the file that collapsed stacks have inside the name: "dumps (json/__init__.py:238)", "JS:render
 * /app/view.js:1:2", "shop.py:12 - run", "run - shop.rb:12". */
static struct gate_str file_in_name(struct gate_str spelled) {
    if (gate_str_starts(spelled, GATE_STR("{closure:")))
        return file_of_closure(spelled);
    if (gate_str_starts(spelled, GATE_STR("RegExp:"))) /* V8 gives the pattern, which may look like a file: "^#(.+)" */
        return GATE_STR("");
    bool in_brackets = gate_str_ends(spelled, GATE_STR(")"));
    size_t dash = gate_str_find(spelled, GATE_STR(" - "), 0);
    struct gate_str file = from(spelled, gate_str_behind_last(spelled, in_brackets ? '(' : ' '));
    if (in_brackets)
        file = gate_str_slice(file, 0, file.len - 1);
    else if (dash != SIZE_MAX && gate_str_find(gate_str_slice(spelled, 0, dash), GATE_STR(":"), 0) != SIZE_MAX)
        file = gate_str_slice(spelled, 0, dash);
    size_t len = file.len;
    file = without_position(file);
    bool is_file = file.len < len || (in_brackets && up_to(file, ".<").len < file.len);
    return is_file && file.len < spelled.len ? file : GATE_STR("");
}

/* Return "json" for json/encoder.py, "socketserver" for socketserver.py. For an absolute path, the result is no name of
 * a module: "" or "C:". */
static struct gate_str python_root(struct gate_str file) {
    struct gate_str first = up_to(file, "/\\");
    return gate_str_ends(first, GATE_STR(".py")) ? gate_str_slice(first, 0, first.len - 3) : first;
}

/* ---- mappings ---------------------------------------------------------------------------------------------------- */

/* Return "libc" for /usr/lib64/libc-2.31.so and libc.so.6, "libpython3" for libpython3.11.so.1.0. */
static struct gate_str library_stem(struct gate_str mapping) {
    struct gate_str stem = up_to(gate_str_basename(mapping), ".");
    size_t at = stem.len;
    while (at > 0 && gate_is_digit(stem.ptr[at - 1]))
        at--;
    return at < stem.len && at > 0 && stem.ptr[at - 1] == '-' ? gate_str_slice(stem, 0, at - 1) : stem;
}

bool gate_is_shared_library(struct gate_str mapping) {
    struct gate_str base = gate_str_basename(mapping);
    return gate_str_ends(base, GATE_STR(".so")) || gate_str_find(base, GATE_STR(".so."), 0) != SIZE_MAX;
}

bool gate_is_system_library(struct gate_str mapping) {
    const struct gate_code_place place = {
        .function = GATE_STR(""), .file = GATE_STR(""), .mapping = mapping, .is_main_mapping = false};
    return gate_is_shared_library(mapping) && gate_own_code_of(GATE_LANGUAGE_NATIVE, &place) == GATE_CODE_LIBRARY;
}

/* Return true for languages whose rows test the library's stem (BINARIES). */
static bool has_stem_rows(enum gate_language language) {
    return language == GATE_LANGUAGE_RUST || language == GATE_LANGUAGE_NATIVE || language == GATE_LANGUAGE_RUBY ||
           language == GATE_LANGUAGE_PHP || language == GATE_LANGUAGE_UNKNOWN;
}

bool gate_language_is_interpreted(enum gate_language language) {
    return language == GATE_LANGUAGE_PYTHON || language == GATE_LANGUAGE_RUBY || language == GATE_LANGUAGE_PHP;
}

static void look_at_name(struct gate_own_code_lookup *out, enum gate_language language, struct gate_str spelled) {
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
    case GATE_LANGUAGE_RUBY:
        *root = ruby_root(spelled);
        break;
    case GATE_LANGUAGE_NODE:
    case GATE_LANGUAGE_PHP:
    case GATE_LANGUAGE_UNKNOWN:
    case GATE_LANGUAGES:
        break;
    }
}

static bool is_windows(struct gate_str file) {
    return file.len != 0 && memchr(file.ptr, '\\', file.len) != NULL;
}

/** Set only the file, for a place without a name. */
static void own_code_lookup_at_file(struct gate_own_code_lookup *out, struct gate_str file) {
    *out = (struct gate_own_code_lookup){.is_windows = is_windows(gate_file_known(file))};
    out->on[GATE_OWN_CODE_ON_FILE] = gate_file_known(file);
}

void gate_own_code_lookup_at(struct gate_own_code_lookup *out, enum gate_language language,
                             const struct gate_code_place *place) {
    bool has_file_in_name =
        gate_language_is_interpreted(language) || language == GATE_LANGUAGE_NODE || language == GATE_LANGUAGE_UNKNOWN;
    struct gate_str spelled = gate_address_name_is(place->function) ? GATE_STR("") : place->function;
    struct gate_str file = gate_file_known(place->file);
    if (file.len == 0 && has_file_in_name)
        file = file_in_name(spelled);
    out->on[GATE_OWN_CODE_ON_SPELLED] = spelled;
    out->on[GATE_OWN_CODE_ON_FILE] = file;
    out->on[GATE_OWN_CODE_ON_MAPPING] = place->mapping;
    /* A recording of perf lists its mappings in the order of its samples, so that the first one may be a library. */
    bool is_program = place->is_main_mapping && !gate_is_shared_library(place->mapping);
    out->on[GATE_OWN_CODE_ON_OTHER] = is_program ? GATE_STR("") : place->mapping;
    out->on[GATE_OWN_CODE_ON_STEM] =
        has_stem_rows(language) ? library_stem(out->on[GATE_OWN_CODE_ON_OTHER]) : GATE_STR("");
    out->is_windows = is_windows(file);
    out->on[GATE_OWN_CODE_ON_NAMELESS] = spelled.len == 0 ? place->mapping : GATE_STR("");
    look_at_name(out, language, spelled);
}

/* Compare with '\' in a Windows path equal to '/' in the table. */
static bool same_path(const char *part, const char *text, size_t len) {
    for (size_t i = 0; i < len; i++)
        if (part[i] != text[i] && !(part[i] == '\\' && text[i] == '/'))
            return false;
    return true;
}

/* Compare the first and last letters first, which rejects most rows. */
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

/* Return the position of the letter of a word that is probably rarest. */
static size_t rarest_letter(struct gate_str word) {
    /* Frequency rank of letters in names, packages and paths; 0: rare. */
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

/* Each word of `words` has a space before and after it. A word that is searched for contains none. */
static bool is_one_of(struct gate_str word, struct gate_str words) {
    if (word.len + 2 > words.len || memchr(word.ptr, ' ', word.len) != NULL)
        return false;
    size_t letter = rarest_letter(word);
    const char *at = words.ptr + 1 + letter, *last = words.ptr + words.len - 1 - word.len + letter;
    while (at <= last && (at = memchr(at, word.ptr[letter], (size_t)(last - at) + 1)) != NULL) {
        const char *start = at++ - letter;
        if (start[-1] == ' ' && start[word.len] == ' ' && memcmp(start, word.ptr, word.len) == 0)
            return true;
    }
    return false;
}

bool gate_own_code_lookup_fits(const struct gate_own_code_lookup *look, const struct gate_own_code_test *test) {
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
    case GATE_OWN_CODE_HOW_METHOD:
        return is_ruby_method(part);
    case GATE_OWN_CODE_HOW_RUNTIME:
        return gate_name_is_runtime(part);
    }
    return false;
}

/* ---- kind of code of a frame: the rows of own_code_table.c, in order --------------------------------------------- */

/* C and C++ appear in every other language's profiles as its runtime. They are the program's language only if the
 * next best language has fewer than 1 in MINORITY votes. */
enum { MINORITY = 10 };

static const char *const language_names[GATE_LANGUAGES] = {
    [GATE_LANGUAGE_UNKNOWN] = "an unknown language",
    [GATE_LANGUAGE_GO] = "Go",
    [GATE_LANGUAGE_JVM] = "the JVM",
    [GATE_LANGUAGE_NODE] = "JavaScript",
    [GATE_LANGUAGE_PYTHON] = "Python",
    [GATE_LANGUAGE_RUST] = "Rust",
    [GATE_LANGUAGE_NATIVE] = "C or C++",
    [GATE_LANGUAGE_RUBY] = "Ruby",
    [GATE_LANGUAGE_PHP] = "PHP",
};

static const char *const code_names[GATE_CODES] = {
    [GATE_CODE_OWN] = "own",
    [GATE_CODE_THIRD_PARTY] = "third-party",
    [GATE_CODE_LIBRARY] = "library",
};

const char *gate_own_code_language_name(enum gate_language language) {
    return language_names[language];
}

const char *gate_own_code_name(enum gate_code code) {
    return code_names[code];
}

/* Return the language that the frame votes for, or GATE_LANGUAGES if there is no vote. `files_only`: ignore names
 * and mappings. */
static enum gate_language look_vote(const struct gate_own_code_lookup *look, bool files_only) {
    for (size_t i = 0; i < gate_own_code_table_vote_count; i++) {
        const struct gate_own_code_vote *vote = &gate_own_code_table_votes[i];
        if (files_only && vote->test.on != GATE_OWN_CODE_ON_FILE)
            break;
        if (gate_own_code_lookup_fits(look, &vote->test))
            return vote->language;
    }
    return GATE_LANGUAGES;
}

static enum gate_language place_vote(const struct gate_code_place *place) {
    struct gate_own_code_lookup look;
    gate_own_code_lookup_at(&look, GATE_LANGUAGE_UNKNOWN, place);
    return look_vote(&look, false);
}

static enum gate_language votes_winner(const uint32_t votes[GATE_LANGUAGES]) {
    enum gate_language best = GATE_LANGUAGE_UNKNOWN;
    uint64_t total = 0;
    for (enum gate_language i = GATE_LANGUAGE_UNKNOWN; i < GATE_LANGUAGES; i++) {
        total += votes[i];
        if (i != GATE_LANGUAGE_NATIVE && votes[i] > votes[best])
            best = i;
    }
    return (uint64_t)votes[best] * MINORITY < total ? GATE_LANGUAGE_NATIVE : best;
}

static enum gate_language profile_language(const struct gate_profile *profile) {
    uint32_t votes[GATE_LANGUAGES + 1] = {0};
    for (uint32_t i = 0; i < profile->function_count; i++) {
        const struct gate_function *function = &profile->functions[i];
        struct gate_code_place place = {.function = function->name, .file = function->file};
        votes[place_vote(&place)]++;
    }
    bool has_voted = votes[GATE_LANGUAGES] < profile->function_count;
    for (uint32_t i = 0; !has_voted && i < profile->mapping_count; i++) {
        struct gate_code_place place = {.mapping = profile->mappings[i].file};
        votes[place_vote(&place)]++;
    }
    return votes_winner(votes);
}

enum gate_language gate_own_code_language(const struct gate_profile *profile) {
    if (profile->format == GATE_FORMAT_JFR) /* a few samples may have no name of the JDK */
        return GATE_LANGUAGE_JVM;
    return profile->has_language ? profile->language : profile_language(profile);
}

/* Return the language whose rows apply. The language of the frame's file has precedence, for example Rust in a
 * Python process. C and C++ files do not change the language, as they are the runtime of the others. */
static enum gate_language place_language(enum gate_language language, const struct gate_code_place *place) {
    struct gate_own_code_lookup look;
    if (place->file.len == 0)
        return language;
    own_code_lookup_at_file(&look, place->file);
    enum gate_language own = look_vote(&look, true);
    return own == GATE_LANGUAGES || own == GATE_LANGUAGE_UNKNOWN || own == GATE_LANGUAGE_NATIVE ? language : own;
}

enum gate_code gate_own_code_of(enum gate_language language, const struct gate_code_place *place) {
    struct gate_own_code_lookup look;
    language = place_language(language, place);
    gate_own_code_lookup_at(&look, language, place);
    for (size_t i = 0; i < gate_own_code_table_row_count; i++) {
        const struct gate_own_code_row *row = &gate_own_code_table_rows[i];
        if ((row->languages & 1u << language) != 0 && gate_own_code_lookup_fits(&look, &row->test))
            return row->code;
    }
    return GATE_CODE_LIBRARY; /* not reached: the last row of each language matches every named frame */
}

bool gate_own_code_is_own(enum gate_language language, enum gate_code code) {
    return code == GATE_CODE_OWN ||
           (code == GATE_CODE_THIRD_PARTY && (language == GATE_LANGUAGE_GO || language == GATE_LANGUAGE_JVM));
}

/* ---- packages of Go whose files disagree about whose code they are ----------------------------------------------- */

void gate_package_votes_init(struct gate_package_votes *votes, struct gate_arena *arena) {
    *votes = (struct gate_package_votes){0};
    gate_table_init(&votes->packages, arena);
}

/* Return whether the file of a function is outside the folder of its package. `package` is an import path. */
static bool is_of_other_folder(struct gate_str package, struct gate_str file) {
    struct gate_str name = gate_str_basename(package), base = gate_str_basename(file);
    struct gate_str folder = gate_str_slice(file, 0, file.len - base.len);
    if (folder.len > 0)
        folder = gate_str_basename(gate_str_slice(folder, 0, folder.len - 1));
    return !gate_str_starts(folder, gate_str_slice(name, 0, gate_str_find(name, GATE_STR("%"), 0)));
}

bool gate_package_votes_is_open(const struct gate_function *function, enum gate_code code) {
    if (code != GATE_CODE_OWN)
        return false;
    struct gate_str package = gate_name_package(function->name, GATE_LANGUAGE_GO);
    return !gate_str_equal(package, GATE_STR("main")) && is_of_other_folder(package, function->file);
}

bool gate_package_votes_add(struct gate_package_votes *votes, const struct gate_function *function,
                            enum gate_code code) {
    uint32_t known = votes->packages.count;
    uint32_t at = gate_table_intern(&votes->packages, gate_name_package(function->name, GATE_LANGUAGE_GO));
    if (at == GATE_TABLE_NONE || !GATE_GROW(votes->packages.arena, votes->items, known, votes->capacity))
        return false;
    if (at == known)
        votes->items[at] = (struct gate_package_vote){0};
    votes->items[at].own += code == GATE_CODE_OWN && !gate_package_votes_is_open(function, code);
    votes->items[at].third_party += code == GATE_CODE_THIRD_PARTY;
    return true;
}

bool gate_package_votes_overrule(const struct gate_package_votes *votes, const struct gate_function *function,
                                 enum gate_code code) {
    if (!gate_package_votes_is_open(function, code))
        return false;
    uint32_t at = gate_table_find(&votes->packages, gate_name_package(function->name, GATE_LANGUAGE_GO));
    return at != GATE_TABLE_NONE && votes->items[at].third_party > votes->items[at].own;
}
