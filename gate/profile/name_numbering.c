/* SPDX-License-Identifier: Apache-2.0 */
/* Numbered places in names (see name_numbering.h), as compilers' mangling rules have them and profilers print them. */
#include "gate/profile/name_numbering.h"

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool is_hex(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static bool is_word(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (unsigned char)c >= 0x80;
}

static char char_at(struct gate_str name, size_t at) {
    return at < name.len ? name.ptr[at] : '\0';
}

/* The first two bytes decide nearly always, so they are looked at before anything is called. */
static inline bool may_hold(struct gate_str name, size_t at, const char *word) {
    return at < name.len && name.ptr[at] == word[0] && (word[1] == '\0' || char_at(name, at + 1) == word[1]);
}

static inline bool holds(struct gate_str name, size_t at, const char *word) {
    if (!may_hold(name, at, word))
        return false;
    size_t len = strlen(word);
    return name.len - at >= len && memcmp(name.ptr + at, word, len) == 0;
}

static size_t digits(struct gate_str name, size_t at) {
    size_t end = at;
    while (end < name.len && is_digit(name.ptr[end]))
        end++;
    return end - at;
}

static size_t hex_digits(struct gate_str name, size_t at) {
    size_t end = at;
    while (end < name.len && is_hex(name.ptr[end]))
        end++;
    return end - at;
}

static bool put(struct gate_name_numbering *edit, size_t keep, size_t drop, const char *text) {
    *edit = (struct gate_name_numbering){keep, drop, text};
    return true;
}

/* `word` and then a number that ends a segment: the number becomes '*'. */
static bool numbered_there(struct gate_str name, size_t at, const char *word, struct gate_name_numbering *edit) {
    if (!holds(name, at, word))
        return false;
    size_t len = strlen(word), number = digits(name, at + len);
    return number != 0 && !is_word(char_at(name, at + len + number)) && put(edit, len, number, "*");
}

static inline bool numbered(struct gate_str name, size_t at, const char *word, struct gate_name_numbering *edit) {
    return may_hold(name, at, word) && numbered_there(name, at, word, edit);
}

/* A closure has a function to be in: "main.func1" is a function that someone named so, "main.run.func1" is a closure;
 * so is a method: "main.(*T).func1". */
static bool has_go_parent(struct gate_str name, size_t at) {
    if (at == 0 || name.ptr[at - 1] == ')')
        return false;
    for (size_t i = at; i > 0 && name.ptr[i - 1] != '/'; i--)
        if (name.ptr[i - 1] == '.')
            return true;
    return false;
}

static bool go_closure(struct gate_str name, size_t at, struct gate_name_numbering *edit) {
    static const char *const stars[] = {"*", "*.*", "*.*.*", "*.*.*.*", "*.*.*.*.*"};
    enum { DEPTH_MAX = 5 };
    if (!numbered(name, at, ".func", edit) || !has_go_parent(name, at))
        return false;
    size_t depth = 1;
    for (; depth < DEPTH_MAX; depth++) {
        size_t next = at + edit->keep + edit->drop;
        size_t number = char_at(name, next) == '.' ? digits(name, next + 1) : 0;
        if (number == 0 || is_word(char_at(name, next + 1 + number)))
            break;
        edit->drop += 1 + number;
    }
    edit->put = stars[depth - 1];
    return true;
}

static bool place_at_dot(struct gate_str name, size_t at, struct gate_name_numbering *edit) {
    const char *const outlined = ".omp_outlined";
    if (go_closure(name, at, edit))
        return true;
    if (numbered(name, at, ".gowrap", edit) || numbered(name, at, ".deferwrap", edit) ||
        numbered(name, at, ".init.", edit) || numbered(name, at, "._omp_fn.", edit))
        return at != 0;
    if (!holds(name, at, outlined))
        return false;
    size_t end = at + strlen(outlined);
    while (end < name.len && (name.ptr[end] == '.' || is_digit(name.ptr[end])))
        end++;
    if (end == at + strlen(outlined) || char_at(name, end) == '*')
        return false;
    return put(edit, strlen(outlined), end - at - strlen(outlined), ".*");
}

/* "[go.shape.int,go.shape.string]" with the brackets that nest in it. */
static bool go_shape(struct gate_str name, size_t at, struct gate_name_numbering *edit) {
    size_t depth = 0, end = at;
    if (!holds(name, at, "[go.shape."))
        return false;
    for (; end < name.len; end++) {
        depth += name.ptr[end] == '[';
        depth -= name.ptr[end] == ']';
        if (depth == 0)
            return put(edit, 0, end + 1 - at, "[...]");
    }
    return false;
}

/* "app[8f2a3b4c5d6e7f80]::serve": rustc's v0 mangling names the build of a crate. */
static bool rust_crate(struct gate_str name, size_t at, struct gate_name_numbering *edit) {
    size_t hex = hex_digits(name, at + 1);
    if (at == 0 || !is_word(name.ptr[at - 1]) || hex < 12 || hex > 17 || !holds(name, at + 1 + hex, "]"))
        return false;
    return (at + hex + 2 == name.len || holds(name, at + hex + 2, "::")) && put(edit, 0, hex + 2, "");
}

/* What follows a generated class name: "$14", "/0x0000000800c03000", ".0x00007f0b", "/1234567", once or more often. */
static size_t jvm_number(struct gate_str name, size_t at) {
    size_t end = at;
    for (;;) {
        char separator = char_at(name, end);
        if (separator == '\0' || strchr("$/.+", separator) == NULL)
            return end - at;
        size_t hex = holds(name, end + 1, "0x") ? hex_digits(name, end + 3) : 0;
        size_t number = hex != 0 ? hex + 2 : digits(name, end + 1);
        if (number == 0 || is_word(char_at(name, end + 1 + number)))
            return end - at;
        end += 1 + number;
    }
}

/* Subclasses made at run time: a marker, then letters and digits that mean nothing. */
static bool jvm_generated(struct gate_str name, size_t at, struct gate_name_numbering *edit) {
    static const char *const markers[] = {"$$EnhancerBySpringCGLIB$$",
                                          "$$FastClassBySpringCGLIB$$",
                                          "$$SpringCGLIB$$",
                                          "$$EnhancerByCGLIB$$",
                                          "$$FastClassByCGLIB$$",
                                          "$$EnhancerByGuice$$",
                                          "$$FastClassByGuice$$",
                                          "$ByteBuddy$",
                                          "$HibernateProxy$",
                                          "$MockitoMock$",
                                          "$auxiliary$"};
    for (size_t i = 0; i < sizeof markers / sizeof *markers; i++) {
        if (!holds(name, at, markers[i]))
            continue;
        size_t len = strlen(markers[i]), end = at + len;
        while (end < name.len && is_word(name.ptr[end]))
            end++;
        return end > at + len && put(edit, len, end - at - len, "*");
    }
    return false;
}

static bool place_at_dollar(struct gate_str name, size_t at, struct gate_name_numbering *edit) {
    if (holds(name, at, "$$Lambda")) {
        size_t number = jvm_number(name, at + 8);
        return number != 0 && put(edit, 8, number, "$*");
    }
    if (jvm_generated(name, at, edit) || numbered(name, at, "$Proxy", edit) || numbered(name, at, "$_", edit) ||
        numbered(name, at, "$fn__", edit) || numbered(name, at, "$eval", edit))
        return true;
    return at != 0 && is_word(name.ptr[at - 1]) && numbered(name, at, "$", edit);
}

static bool lambda_form(struct gate_str name, size_t at, struct gate_name_numbering *edit) {
    const size_t len = strlen("LambdaForm$");
    if (!holds(name, at, "LambdaForm$"))
        return false;
    size_t kind = 0;
    while (is_word(char_at(name, at + len + kind)) && !is_digit(char_at(name, at + len + kind)))
        kind++;
    size_t number = digits(name, at + len + kind);
    number += jvm_number(name, at + len + kind + number);
    return kind != 0 && number != 0 && put(edit, len + kind, number, "/*");
}

/* "<>c__DisplayClass3_0" of the C# compiler: the class that a closure's variables live in. */
static bool csharp_class(struct gate_str name, size_t at, struct gate_name_numbering *edit) {
    const size_t len = strlen("DisplayClass");
    if (!holds(name, at, "DisplayClass") || at < 5 || !holds(name, at - 5, "<>c__"))
        return false;
    size_t number = digits(name, at + len);
    number += number != 0 && char_at(name, at + len + number) == '_' ? 1 + digits(name, at + len + number + 1) : 0;
    return number != 0 && put(edit, len, number, "*");
}

/* "Container6k4l23L\\getCacheService": Symfony names its compiled container anew each time. */
static bool php_container(struct gate_str name, size_t at, struct gate_name_numbering *edit) {
    enum { TAG = 7 };
    const size_t len = strlen("Container");
    if (!holds(name, at, "Container") || (at != 0 && name.ptr[at - 1] != '\\'))
        return false;
    for (size_t i = 0; i < TAG; i++)
        if (!is_word(char_at(name, at + len + i)) || char_at(name, at + len + i) == '_')
            return false;
    return char_at(name, at + len + TAG) == '\\' && put(edit, len, TAG, "*");
}

/* "_RNvCskwGfYPst2Cb_3app5serve", not demangled: behind "Cs" stands the build of a crate, to base 62. */
static bool rust_mangled_crate(struct gate_str name, size_t at, struct gate_name_numbering *edit) {
    if (!holds(name, 0, "_R") || !holds(name, at, "Cs"))
        return false;
    size_t len = 0;
    while (is_word(char_at(name, at + 2 + len)) && char_at(name, at + 2 + len) != '_')
        len++;
    return len != 0 && char_at(name, at + 2 + len) == '_' && is_digit(char_at(name, at + 3 + len)) &&
           put(edit, 2, len, "*");
}

static bool place_at_letter(struct gate_str name, size_t at, struct gate_name_numbering *edit) {
    if (memchr("CDGLbjw_", name.ptr[at], 8) == NULL) /* first letters of the words below */
        return false;
    if (lambda_form(name, at, edit) || numbered(name, at, "GeneratedMethodAccessor", edit) ||
        numbered(name, at, "GeneratedConstructorAccessor", edit) ||
        numbered(name, at, "GeneratedSerializationConstructorAccessor", edit) ||
        numbered(name, at, "jdk.proxy", edit) || numbered(name, at, "jdk/proxy", edit) ||
        numbered(name, at, "__cxx_global_var_init.", edit) || csharp_class(name, at, edit) ||
        php_container(name, at, edit) || rust_mangled_crate(name, at, edit))
        return true;
    if (holds(name, at, "wasm-function[")) {
        size_t number = digits(name, at + 14);
        return number != 0 && holds(name, at + 14 + number, "]") && put(edit, 14, number, "*");
    }
    return holds(name, at, "bpf_prog_") && hex_digits(name, at + 9) == 16 && put(edit, 9, 16, "*");
}

/* "<Run>b__12_0", "<Run>d__5", "<Run>g__Local|12_0" of the C# compiler. */
static bool csharp(struct gate_str name, size_t at, struct gate_name_numbering *edit) {
    if (!holds(name, at, ">b__") && !holds(name, at, ">d__") && !holds(name, at, ">g__"))
        return false;
    size_t start = at + 4;
    while (name.ptr[at + 1] == 'g' && start < name.len && name.ptr[start] != '|')
        start++;
    start += char_at(name, start) == '|';
    size_t number = digits(name, start);
    number += number != 0 && char_at(name, start + number) == '_' ? 1 + digits(name, start + number + 1) : 0;
    return number != 0 && put(edit, start - at, number, "*");
}

/* "'lambda'", "'lambda0'", "'unnamed1'" of LLVM's demangler; the first one has no number. */
static bool llvm_quoted(struct gate_str name, size_t at, struct gate_name_numbering *edit) {
    static const char *const words[] = {"'lambda", "'unnamed"};
    for (size_t i = 0; i < 2; i++) {
        size_t len = strlen(words[i]);
        size_t number = holds(name, at, words[i]) ? digits(name, at + len) : 0;
        if (holds(name, at, words[i]) && char_at(name, at + len + number) == '\'')
            return put(edit, len, number, "*");
    }
    return false;
}

/* "#1}" closes a lambda, a closure or an impl; "#12" is Julia's, in names that begin with '#' or hold var"#...". */
static bool place_at_hash(struct gate_str name, size_t at, struct gate_name_numbering *edit) {
    size_t number = digits(name, at + 1);
    char next = char_at(name, at + 1 + number);
    bool braced = next == '}';
    bool julia = next == '#' || at + 1 + number == name.len || next == '"' || next == '\\';
    julia = julia && (name.ptr[0] == '#' || gate_str_find(name, GATE_STR("var\"#"), 0) != SIZE_MAX ||
                      gate_str_find(name, GATE_STR("var\\\"#"), 0) != SIZE_MAX);
    return number != 0 && (braced || julia) && put(edit, 1, number, "*");
}

static bool is_path_end(char c) {
    return c == ')' || c == '\0';
}

/* ":L#6:C#15" of Node; "(app.py:42)" of py-spy; " - app.rb:42" of rbspy; ":34}" of PHP. */
static bool place_at_colon(struct gate_str name, size_t at, struct gate_name_numbering *edit) {
    if (holds(name, at, ":L#")) {
        size_t len = 3 + digits(name, at + 3);
        if (holds(name, at + len, ":C#"))
            len += 3 + digits(name, at + len + 3);
        return len > 3 && put(edit, 0, len, "");
    }
    size_t number = digits(name, at + 1);
    char next = char_at(name, at + 1 + number);
    if (number == 0)
        return false;
    if (next == '}' && gate_str_find(name, GATE_STR("{closure:"), 0) != SIZE_MAX)
        return put(edit, 1, number, "*");
    if (!is_path_end(next))
        return false;
    const char *mark = next == ')' ? " (" : " - ";
    size_t start = at;
    while (start > 0 && !holds(name, start - 1, mark))
        start--;
    /* A path, which has a '.', in parentheses or behind a dash: nothing else is a place in a file. */
    return start != 0 && memchr(name.ptr + start, '.', at - start) != NULL && put(edit, 0, 1 + number, "");
}

/* "LazyCompile:*render /app/view.js:12:34" of V8's perf map: the kind and the tier change while a program runs. */
static bool v8_code(struct gate_str name, struct gate_name_numbering *edit) {
    static const char *const kinds[] = {"LazyCompile:", "Function:", "InterpretedFunction:", "Script:", "Eval:", "JS:"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        size_t len = strlen(kinds[i]);
        if (!holds(name, 0, kinds[i]))
            continue;
        size_t tier = 0;
        while (char_at(name, len + tier) != '\0' && strchr("*~^+", char_at(name, len + tier)) != NULL)
            tier++;
        return (tier != 0 || i != 5) && put(edit, 0, len + tier, "JS:");
    }
    return false;
}

/* ":12:34" at the end of V8's code names. */
static bool v8_position(struct gate_str name, size_t at, struct gate_name_numbering *edit) {
    size_t line = digits(name, at + 1);
    if (!holds(name, 0, "JS:") || line == 0)
        return false;
    size_t end = at + 1 + line;
    if (char_at(name, end) == ':' && digits(name, end + 1) != 0)
        end += 1 + digits(name, end + 1);
    return end == name.len && put(edit, 0, end - at, "");
}

/* Names that are numbered at their end: "julia_solve_1234", "camlStdlib__List__map_1234". */
static bool place_at_underscore(struct gate_str name, size_t at, struct gate_name_numbering *edit) {
    static const char *const julia[] = {"julia_", "jfptr_", "japi1_", "jlsys_", "jlplt_"};
    if (numbered(name, at, "_closure", edit) && memchr(name.ptr, '$', at) != NULL) /* Groovy: "App$_run_closure1" */
        return true;
    size_t number = digits(name, at + 1);
    if (number == 0 || at + 1 + number != name.len)
        return false;
    for (size_t i = 0; i < sizeof julia / sizeof *julia; i++)
        if (holds(name, 0, julia[i]) && at >= strlen(julia[i]))
            return put(edit, 1, number, "*");
    bool ocaml = holds(name, 0, "caml") && char_at(name, 4) >= 'A' && char_at(name, 4) <= 'Z';
    return ocaml && at > 4 && put(edit, 1, number, "*");
}

static bool hidden_class(struct gate_str name, size_t at, struct gate_name_numbering *edit) {
    size_t hex = holds(name, at, "/0x") ? hex_digits(name, at + 3) : 0;
    return at != 0 && hex >= 6 && !is_word(char_at(name, at + 3 + hex)) && put(edit, 1, hex + 2, "*");
}

bool gate_name_numbering_is_possible(struct gate_str name) {
    bool is_possible = false;
    for (size_t i = 0; !is_possible && i < name.len; i++)
        is_possible = is_digit(name.ptr[i]) || name.ptr[i] == '[' || name.ptr[i] == '\'' || name.ptr[i] == ':';
    return is_possible;
}

size_t gate_name_numbering_next(struct gate_str name, size_t at) {
    /* What any place below begins with: few bytes of a name do. */
    static const bool begins[256] = {
        ['.'] = true, ['$'] = true, ['['] = true, ['#'] = true,  [':'] = true, ['_'] = true,
        ['>'] = true, ['/'] = true, ['-'] = true, ['\''] = true, ['C'] = true, ['D'] = true,
        ['G'] = true, ['L'] = true, ['b'] = true, ['j'] = true,  ['w'] = true};
    while (at < name.len && !begins[(unsigned char)name.ptr[at]])
        at++;
    return at;
}

bool gate_name_numbering_at(struct gate_str name, size_t at, struct gate_name_numbering *edit) {
    if (at == 0 && v8_code(name, edit))
        return true;
    switch (name.ptr[at]) {
    case '.':
        return place_at_dot(name, at, edit);
    case '$':
        return place_at_dollar(name, at, edit);
    case '[':
        return go_shape(name, at, edit) || rust_crate(name, at, edit);
    case '#':
        return place_at_hash(name, at, edit);
    case ':':
        return v8_position(name, at, edit) || place_at_colon(name, at, edit);
    case '_':
        return place_at_underscore(name, at, edit) || place_at_letter(name, at, edit);
    case '>':
        return csharp(name, at, edit);
    case '\'':
        return llvm_quoted(name, at, edit);
    case '/':
        return hidden_class(name, at, edit);
    case '-':
        /* Go's body of a range loop has its package in front: "calc-range1" alone is somebody's own name. */
        return (numbered(name, at, "-range", edit) && memchr(name.ptr, '.', at) != NULL) ||
               (numbered(name, at, "-fun-", edit) && at != 0);
    default:
        return place_at_letter(name, at, edit);
    }
}
