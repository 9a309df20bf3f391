/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/names/stable_names.h"

#include "gate/base/str.h"

/* ---- numbered places in names, by compilers' mangling rules and profilers' output -------------------------------- */

static bool is_hex(char c) {
    return gate_hex_value(c) >= 0;
}

static bool is_word(char c) {
    return gate_is_digit(c) || gate_is_letter(c) || c == '_' || (unsigned char)c >= 0x80;
}

static char char_at(struct gate_str name, size_t at) {
    return at < name.len ? name.ptr[at] : '\0';
}

/* Fast check: the first two bytes nearly always decide. */
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
    while (end < name.len && gate_is_digit(name.ptr[end]))
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

/* Replace the number after `word` by '*' if it ends a segment of the name. */
static bool numbered_there(struct gate_str name, size_t at, const char *word, struct gate_name_numbering *edit) {
    if (!holds(name, at, word))
        return false;
    size_t len = strlen(word), number = digits(name, at + len);
    return number != 0 && !is_word(char_at(name, at + len + number)) && put(edit, len, number, "*");
}

static inline bool numbered(struct gate_str name, size_t at, const char *word, struct gate_name_numbering *edit) {
    return may_hold(name, at, word) && numbered_there(name, at, word, edit);
}

/* Return true if a closure may be at `at`: it has an enclosing function. "main.run.func1" is a closure; "main.func1"
 * is a function with that name, and "main.(*T).func1" a method. */
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

/* Return the length of a major version, "v2" or higher, that ends a part of a Go import path; 0 if there is none. */
static size_t go_major(struct gate_str name, size_t at) {
    size_t number = char_at(name, at) == 'v' ? digits(name, at + 1) : 0;
    char first = char_at(name, at + 1), next = char_at(name, at + 1 + number);
    bool is_version = number > 0 && first != '0' && (number > 1 || first != '1');
    return is_version && (next == '.' || next == '/') ? 1 + number : 0;
}

/* Return whether a Go import path of a module begins the name: its first part is the name of a host. */
static bool has_go_host(struct gate_str name, size_t at) {
    size_t slash = gate_str_find(name, GATE_STR("/"), 0);
    size_t dot = gate_str_find(name, GATE_STR("."), 0);
    return slash != SIZE_MAX && dot < slash && dot > 0 && slash <= at && memchr(name.ptr, ' ', at) == NULL;
}

/* Match the major version of a module of gopkg.in behind a dot, which takes `dot` bytes. */
static bool gopkg_major(struct gate_str name, size_t at, size_t dot, struct gate_name_numbering *edit) {
    size_t major = go_major(name, at + dot);
    return major > 0 && has_go_host(name, at) && holds(name, 0, "gopkg.in/") && put(edit, 0, dot + major, "");
}

static bool place_at_dot(struct gate_str name, size_t at, struct gate_name_numbering *edit) {
    const char *const outlined = ".omp_outlined";
    if (go_closure(name, at, edit))
        return true;
    if (gopkg_major(name, at, 1, edit)) /* "gopkg.in/yaml.v3" */
        return true;
    if (numbered(name, at, ".gowrap", edit) || numbered(name, at, ".deferwrap", edit) ||
        numbered(name, at, ".init.", edit) || numbered(name, at, "._omp_fn.", edit))
        return at != 0;
    if (!holds(name, at, outlined))
        return false;
    size_t end = at + strlen(outlined);
    while (end < name.len && (name.ptr[end] == '.' || gate_is_digit(name.ptr[end])))
        end++;
    if (end == at + strlen(outlined) || char_at(name, end) == '*')
        return false;
    return put(edit, strlen(outlined), end - at - strlen(outlined), ".*");
}

/* Match "[go.shape.int,go.shape.string]", including nested brackets, and "[...]". */
static bool go_type_arguments(struct gate_str name, size_t at, struct gate_name_numbering *edit) {
    size_t depth = 0, end = at;
    if (at == 0 || !is_word(name.ptr[at - 1]) || (!holds(name, at, "[go.shape.") && !holds(name, at, "[...]")))
        return false;
    for (; end < name.len; end++) {
        depth += name.ptr[end] == '[';
        depth -= name.ptr[end] == ']';
        if (depth == 0)
            return put(edit, 0, end + 1 - at, "");
    }
    return false;
}

/* ---- folders of releases ----------------------------------------------------------------------------------------- */

/* Return whether a part of a path is a date, a time or a number of six digits or more: "20261101", "2026-11-01T10". */
static bool is_date(struct gate_str part) {
    size_t count = 0;
    for (size_t i = 0; i < part.len; i++) {
        count += gate_is_digit(part.ptr[i]);
        if (!gate_is_digit(part.ptr[i]) && (i == 0 || strchr("-_.:T", part.ptr[i]) == NULL))
            return false;
    }
    return count >= (count == part.len ? 6u : 8u);
}

/* Return whether a part of a path is a hash of 7 hexadecimal digits or more. */
static bool is_hash(struct gate_str part) {
    size_t numbers = 0;
    for (size_t i = 0; i < part.len; i++)
        numbers += gate_is_digit(part.ptr[i]);
    return part.len >= 7 && hex_digits(part, 0) == part.len && numbers > 0 && numbers < part.len;
}

/* Return whether a part of a path is a version: "1.2.3", "v1.2-rc.1". */
static bool is_version(struct gate_str part) {
    size_t at = char_at(part, 0) == 'v', major = digits(part, at);
    size_t minor = major > 0 && char_at(part, at + major) == '.' ? digits(part, at + major + 1) : 0;
    char next = char_at(part, at + major + 1 + minor);
    return minor > 0 && (next == '\0' || next == '.' || next == '-' || next == '+');
}

/* Return where the version, date or hash of a part begins: 5 in "shop-1.4.2" and "shop_20261101"; SIZE_MAX: nowhere. */
static size_t release_in(struct gate_str part) {
    for (size_t i = 1; i + 1 < part.len; i++) {
        struct gate_str rest = gate_str_slice(part, i + 1, part.len);
        bool is_apart = part.ptr[i] == '-' || part.ptr[i] == '_' || part.ptr[i] == '@';
        if (is_apart && (is_version(rest) || is_date(rest) || is_hash(rest)))
            return i + 1;
    }
    return SIZE_MAX;
}

/* Match the folder in "/srv/app/releases/20261101/app.py", "/opt/shop-1.4.2/app.py", "/lib/python3.11/json/decoder.py",
 * "lodash@4.17.21/". */
static bool release_folder(struct gate_str name, size_t at, struct gate_name_numbering *edit) {
    static const char python[] = "python";
    size_t end = gate_str_find(name, GATE_STR("/"), at + 1);
    if (end == SIZE_MAX)
        return false;
    struct gate_str part = gate_str_slice(name, at + 1, end);
    size_t release = release_in(part), from = strlen(python);
    if (is_date(part) || is_hash(part) || is_version(part))
        return put(edit, 1, part.len, "*");
    if (release != SIZE_MAX)
        return put(edit, 1 + release, part.len - release, "*");
    return holds(part, 0, python) && is_version(gate_str_slice(part, from, part.len)) &&
           put(edit, 1 + from, part.len - from, "*");
}

/* Match the crate disambiguator in "app[8f2a3b4c5d6e7f80]::serve", which rustc's v0 mangling adds. */
static bool rust_crate(struct gate_str name, size_t at, struct gate_name_numbering *edit) {
    size_t hex = hex_digits(name, at + 1);
    if (at == 0 || !is_word(name.ptr[at - 1]) || hex < 12 || hex > 17 || !holds(name, at + 1 + hex, "]"))
        return false;
    return (at + hex + 2 == name.len || holds(name, at + hex + 2, "::")) && put(edit, 0, hex + 2, "");
}

/* Return the length of the suffixes of a generated class name, one or more of "$14", "/0x0000000800c03000",
 * ".0x00007f0b", "/1234567". */
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

/* Match subclasses generated at run time: a marker, then random letters and digits. */
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

/* Match the numbers in names by Clojure's compiler: "$fn__1234", "$iter__4535__4539", "$reify__8422",
 * "$loading__6812__auto____8890". The compiler numbers all functions in order, so an edit changes the numbers of all
 * later ones. */
static bool clojure_function(struct gate_str name, size_t at, struct gate_name_numbering *edit) {
    size_t end = at + 1, number = 0;
    for (; is_word(char_at(name, end)); end++)
        if (number == 0 && end > at + 2 && gate_is_digit(name.ptr[end]) && holds(name, end - 2, "__"))
            number = end;
    return at != 0 && is_word(name.ptr[at - 1]) && number > at + 3 && gate_is_digit(name.ptr[end - 1]) &&
           put(edit, number - at, end - number, "*");
}

/* Match the hash that Kotlin's compiler appends to a function with a value class among its parameters:
 * "shop/Percent.on-fLcSEoc". The compiler computes it from the names of these classes, so it changes if a class is
 * renamed or moved. It has seven characters of base64url. Fewer than one hash in 400 has only small letters and '_';
 * such a hash is kept. Overloads become one function, as in every profile of the JVM. */
static bool kotlin_value_class(struct gate_str name, size_t at, struct gate_name_numbering *edit) {
    enum { HASH = 7 };
    size_t end = at + 1;
    bool is_hash = false;
    for (; is_word(char_at(name, end)) || char_at(name, end) == '-'; end++)
        is_hash |= gate_is_digit(name.ptr[end]) || gate_is_upper(name.ptr[end]) || name.ptr[end] == '-';
    bool ends = end == name.len || name.ptr[end] == '$';
    return is_hash && ends && end - at == 1 + HASH && at != 0 && is_word(name.ptr[at - 1]) &&
           memchr(name.ptr, '.', at) != NULL && put(edit, 1, HASH, "*");
}

/* Match clang's lambda "$_0", which gcc has as "{lambda(long)#1}". Inside a function "::" is before it. */
static bool clang_lambda(struct gate_str name, size_t at, struct gate_name_numbering *edit) {
    const size_t len = strlen("$_");
    size_t number = holds(name, at, "$_") && (at == 0 || name.ptr[at - 1] == ':') ? digits(name, at + len) : 0;
    return number != 0 && put(edit, 0, len + number, "{lambda#*}");
}

/* Match the end of the bridge that Scala's compiler puts around a lambda to convert its arguments:
 * "shop.Cart$.$anonfun$total$1$adapted". The JVM inlines one into the other in some runs. */
static bool scala_bridge(struct gate_str name, size_t at, struct gate_name_numbering *edit) {
    static const char end[] = "$adapted";
    return gate_str_ends(name, gate_str_from(end)) && at + strlen(end) == name.len &&
           gate_str_find(name, GATE_STR("$anonfun$"), 0) != SIZE_MAX && put(edit, 0, strlen(end), "");
}

static bool place_at_dollar(struct gate_str name, size_t at, struct gate_name_numbering *edit) {
    if (holds(name, at, "$$Lambda")) {
        size_t number = jvm_number(name, at + 8);
        return number != 0 && put(edit, 8, number, "$*");
    }
    if (jvm_generated(name, at, edit) || numbered(name, at, "$Proxy", edit) || clang_lambda(name, at, edit) ||
        numbered(name, at, "$_", edit) || numbered(name, at, "$eval", edit) || clojure_function(name, at, edit) ||
        scala_bridge(name, at, edit))
        return true;
    return at != 0 && is_word(name.ptr[at - 1]) && numbered(name, at, "$", edit);
}

static bool lambda_form(struct gate_str name, size_t at, struct gate_name_numbering *edit) {
    const size_t len = strlen("LambdaForm$");
    if (!holds(name, at, "LambdaForm$"))
        return false;
    size_t kind = 0;
    while (is_word(char_at(name, at + len + kind)) && !gate_is_digit(char_at(name, at + len + kind)))
        kind++;
    size_t number = digits(name, at + len + kind);
    number += jvm_number(name, at + len + kind + number);
    return kind != 0 && number != 0 && put(edit, len + kind, number, "/*");
}

/* Match "<>c__DisplayClass3_0", the C# compiler's class for the variables of a closure. */
static bool csharp_class(struct gate_str name, size_t at, struct gate_name_numbering *edit) {
    const size_t len = strlen("DisplayClass");
    if (!holds(name, at, "DisplayClass") || at < 5 || !holds(name, at - 5, "<>c__"))
        return false;
    size_t number = digits(name, at + len);
    number += number != 0 && char_at(name, at + len + number) == '_' ? 1 + digits(name, at + len + number + 1) : 0;
    return number != 0 && put(edit, len, number, "*");
}

/* Match "Container6k4l23L\\getCacheService": Symfony's compiled container has a new name in each build. */
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

/* Match the base-62 crate disambiguator after "Cs" in a mangled name, "_RNvCskwGfYPst2Cb_3app5serve". */
static bool rust_mangled_crate(struct gate_str name, size_t at, struct gate_name_numbering *edit) {
    if (!holds(name, 0, "_R") || !holds(name, at, "Cs"))
        return false;
    size_t len = 0;
    while (is_word(char_at(name, at + 2 + len)) && char_at(name, at + 2 + len) != '_')
        len++;
    return len != 0 && char_at(name, at + 2 + len) == '_' && gate_is_digit(char_at(name, at + 3 + len)) &&
           put(edit, 2, len, "*");
}

/* Match the numbers in a parser that JavaCC generated: "jj_2_17", "jj_3_17", "jj_3R_272" and
 * "jj_3R_Condition_3312_5_190". They are places in the grammar (a counter, or line, column and counter), so an edit
 * changes all later ones. */
static bool javacc_lookahead(struct gate_str name, size_t at, struct gate_name_numbering *edit) {
    static const char *const words[] = {"jj_2_", "jj_3_", "jj_3R_"};
    enum { PLACE_NUMBERS = 3 };
    size_t start = at, end = at;
    for (size_t i = 0; i < sizeof words / sizeof *words && start == at; i++)
        start += holds(name, at, words[i]) ? strlen(words[i]) : 0;
    if (start == at || (at != 0 && is_word(name.ptr[at - 1])))
        return false;
    while (is_word(char_at(name, end)))
        end++;
    if (end > start && digits(name, start) == end - start)
        return put(edit, start - at, end - start, "*");
    size_t from = end;
    for (int i = 0; i < PLACE_NUMBERS; i++) {
        size_t number = from;
        while (number > start && gate_is_digit(name.ptr[number - 1]))
            number--;
        if (number == from || number < start + 2 || name.ptr[number - 1] != '_')
            return false;
        from = number - 1;
    }
    return put(edit, from + 1 - at, end - from - 1, "*");
}

/* Return the offset behind the parenthesis that closes the one at `at`; 0 if none of the next 2 KiB does. */
static size_t parenthesis_end(struct gate_str name, size_t at) {
    enum { SEARCHED_BYTES = 2048 }; /* limit, because many open parentheses would take quadratic time */
    size_t depth = 0;
    for (size_t end = at; end < name.len && end - at < SEARCHED_BYTES; end++) {
        depth += name.ptr[end] == '(';
        depth -= name.ptr[end] == ')';
        if (depth == 0)
            return end + 1;
    }
    return 0;
}

/* Return 1 if there is a space before a '>' at `at`. It is removed together with the text before it. */
static size_t space_before_close(struct gate_str name, size_t at) {
    return holds(name, at, " >") ? 1 : 0;
}

/* Match "{lambda(long)#1}" of libiberty and "<lambda(long int)>" of gcc's debug information. The parameters are
 * removed, too, because debug information spells them differently and lacks those of generic lambdas. */
static bool cpp_lambda(struct gate_str name, size_t at, struct gate_name_numbering *edit) {
    const size_t len = strlen("{lambda");
    bool is_braced = holds(name, at, "{lambda(");
    size_t end = is_braced || holds(name, at, "<lambda(") ? parenthesis_end(name, at + len) : 0;
    if (end == 0)
        return false;
    if (!is_braced)
        return char_at(name, end) == '>' &&
               put(edit, 0, end + 1 + space_before_close(name, end + 1) - at, "{lambda#*}");
    size_t number = digits(name, end + 1);
    number += number == 0 && char_at(name, end + 1) == '*';
    return holds(name, end, "#") && number != 0 && char_at(name, end + 1 + number) == '}' &&
           put(edit, len, end + 1 + number - at - len, "#*");
}

/* Match "(lambda at shop/cart.cpp:12:33)" of clang's debug information. */
static bool clang_lambda_place(struct gate_str name, size_t at, struct gate_name_numbering *edit) {
    size_t end = holds(name, at, "(lambda at ") ? parenthesis_end(name, at) : 0;
    return end != 0 && put(edit, 0, end + space_before_close(name, end) - at, "{lambda#*}");
}

/* Match "> >", which newer demanglers write as ">>". */
static bool cpp_closes(struct gate_str name, size_t at, struct gate_name_numbering *edit) {
    return holds(name, at, "> >") && put(edit, 1, 1, "");
}

/* Match the parameters of a function around a lambda or a local class: "(long)" in "app::price(long)::{lambda#*}", and
 * "(int) const" in "app::Cart::total(int) const::Sum::add". Functions themselves have none in symbols. */
static bool cpp_outer_parameters(struct gate_str name, size_t at, struct gate_name_numbering *edit) {
    static const char own[] = "operator", qualifier[] = " const";
    char before = at == 0 ? '\0' : name.ptr[at - 1];
    bool is_call = before == ')' && at > 1 && name.ptr[at - 2] == '('; /* operator()(int) */
    if (!is_word(before) && before != '>' && before != ']' && !is_call)
        return false;
    if (at >= strlen(own) && holds(name, at - strlen(own), own)) /* the operator's own name */
        return false;
    size_t end = parenthesis_end(name, at);
    if (end == 0)
        return false;
    end += holds(name, end, qualifier) ? strlen(qualifier) : 0;
    return holds(name, end, "::") && put(edit, 0, end - at, "");
}

/* Match "[abi:cxx11]", which marks functions that return a type of the standard library's second ABI. */
static bool cpp_abi_tag(struct gate_str name, size_t at, struct gate_name_numbering *edit) {
    const size_t len = strlen("[abi:");
    size_t end = at + len;
    if (at == 0 || !holds(name, at, "[abi:"))
        return false;
    while (is_word(char_at(name, end)))
        end++;
    return end > at + len && char_at(name, end) == ']' && put(edit, 0, end + 1 - at, "");
}

/* Match the inline namespaces of standard libraries: "__cxx11::" of libstdc++, "__1::" and "__ndk1::" of libc++. */
static bool cpp_inline_namespace(struct gate_str name, size_t at, struct gate_name_numbering *edit) {
    static const char *const words[] = {"__cxx11::", "__ndk1::"};
    if (at < 2 || !holds(name, at, "__") || name.ptr[at - 1] != ':')
        return false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (holds(name, at, words[i]))
            return put(edit, 0, strlen(words[i]), "");
    size_t number = digits(name, at + 2);
    return number != 0 && at >= strlen("std::") && holds(name, at - strlen("std::"), "std::") &&
           holds(name, at + 2 + number, "::") && put(edit, 0, 2 + number + 2, "");
}

/* Match "basic_string<char, std::char_traits<char>, std::allocator<char> >" behind "std::". Symbols abbreviate only
 * that of the first ABI. */
static bool cpp_string(struct gate_str name, size_t at, struct gate_name_numbering *edit) {
    static const struct {
        const char *from, *to;
    } types[] = {{"basic_string<char, std::char_traits<char>, std::allocator<char> >", "string"},
                 {"basic_string<char, std::char_traits<char>, std::allocator<char>>", "string"},
                 {"basic_string<char, std::char_traits<char> >", "string"},
                 {"basic_string<char>", "string"},
                 {"basic_ostream<char, std::char_traits<char> >", "ostream"},
                 {"basic_ostream<char, std::char_traits<char>>", "ostream"},
                 {"basic_istream<char, std::char_traits<char> >", "istream"},
                 {"basic_istream<char, std::char_traits<char>>", "istream"}};
    const size_t before = strlen("std::");
    if (at < before || !holds(name, at, "basic_") || !holds(name, at - before, "std::"))
        return false;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (holds(name, at, types[i].from)) {
            size_t len = strlen(types[i].from);
            return put(edit, 0, len + space_before_close(name, at + len), types[i].to);
        }
    return false;
}

static bool place_at_letter(struct gate_str name, size_t at, struct gate_name_numbering *edit) {
    if (memchr("CDGLbjw_", name.ptr[at], 8) == NULL) /* first letters of the words below */
        return false;
    if (lambda_form(name, at, edit) || numbered(name, at, "GeneratedMethodAccessor", edit) ||
        numbered(name, at, "GeneratedConstructorAccessor", edit) ||
        numbered(name, at, "GeneratedSerializationConstructorAccessor", edit) ||
        numbered(name, at, "jdk.proxy", edit) || numbered(name, at, "jdk/proxy", edit) ||
        numbered(name, at, "__cxx_global_var_init.", edit) || csharp_class(name, at, edit) ||
        php_container(name, at, edit) || rust_mangled_crate(name, at, edit) || javacc_lookahead(name, at, edit) ||
        cpp_inline_namespace(name, at, edit) || cpp_string(name, at, edit))
        return true;
    if (holds(name, at, "wasm-function[")) {
        size_t number = digits(name, at + 14);
        return number != 0 && holds(name, at + 14 + number, "]") && put(edit, 14, number, "*");
    }
    return holds(name, at, "bpf_prog_") && hex_digits(name, at + 9) == 16 && put(edit, 9, 16, "*");
}

/* Match "<Run>b__12_0", "<Run>d__5" and "<Run>g__Local|12_0" of the C# compiler. */
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

/* Return the length of "'lambda0'" of LLVM's demangler, `word` being "'lambda"; 0 if it is not at `at`. The first one
 * in a scope has no number. */
static size_t llvm_quoted_len(struct gate_str name, size_t at, const char *word) {
    size_t len = strlen(word);
    if (!holds(name, at, word))
        return 0;
    len += digits(name, at + len);
    return char_at(name, at + len) == '\'' ? len + 1 : 0;
}

/* Match "'lambda0'(int)" and "'unnamed1'" of LLVM's demangler. */
static bool llvm_quoted(struct gate_str name, size_t at, struct gate_name_numbering *edit) {
    size_t lambda = llvm_quoted_len(name, at, "'lambda");
    if (lambda != 0) {
        size_t end = char_at(name, at + lambda) == '(' ? parenthesis_end(name, at + lambda) : 0;
        return put(edit, 0, end != 0 ? end - at : lambda, "{lambda#*}");
    }
    const size_t len = strlen("'unnamed");
    size_t unnamed = llvm_quoted_len(name, at, "'unnamed");
    return unnamed != 0 && put(edit, len, unnamed - len - 1, "*");
}

/* Match "#1}" at the end of a lambda, closure or impl, and Julia's "#12" in names that begin with '#' or contain
 * var"#...". */
static bool place_at_hash(struct gate_str name, size_t at, struct gate_name_numbering *edit) {
    size_t number = digits(name, at + 1);
    char next = char_at(name, at + 1 + number);
    bool braced = next == '}';
    bool julia = next == '#' || at + 1 + number == name.len || next == '"' || next == '\\';
    julia = julia && (name.ptr[0] == '#' || gate_str_find(name, GATE_STR("var\"#"), 0) != SIZE_MAX ||
                      gate_str_find(name, GATE_STR("var\\\"#"), 0) != SIZE_MAX);
    return number != 0 && (braced || julia) && put(edit, 1, number, "*");
}

/* Match "<T,A>" or "<'a, F>" after a name: the parameters of a generic type in symbols of Rust. If a release adds a
 * parameter to a type, the names of all its methods change. A parameter is one capital letter and digits; the names of
 * real types are longer. */
static bool rust_parameters(struct gate_str name, size_t at, struct gate_name_numbering *edit) {
    size_t end = at;
    if (at == 0 || !is_word(name.ptr[at - 1]))
        return false;
    do {
        end += char_at(name, end + 1) == ' ' ? 2 : 1;
        if (char_at(name, end) == '\'')
            for (end++; is_word(char_at(name, end));)
                end++;
        else if (gate_is_upper(char_at(name, end)))
            end += 1 + digits(name, end + 1);
        else
            return false;
    } while (char_at(name, end) == ',');
    return char_at(name, end) == '>' && put(edit, 0, end + 1 - at, "");
}

static bool is_path_end(char c) {
    return c == ')' || c == '\0';
}

/* Match the address of an object: of a hidden class of the JVM, "Main/0x0000000800c03000.run", or of a method of one
 * object in Ruby, "block in #<Shop::Page:0x00007f6f521c31d0>.render". */
static bool object_address(struct gate_str name, size_t at, struct gate_name_numbering *edit) {
    size_t hex = at != 0 && holds(name, at + 1, "0x") ? hex_digits(name, at + 3) : 0;
    bool is_object = name.ptr[at] == '/' || gate_str_find(gate_str_slice(name, 0, at), GATE_STR("#<"), 0) != SIZE_MAX;
    return is_object && hex >= 6 && !is_word(char_at(name, at + 3 + hex)) && put(edit, 1, hex + 2, "*");
}

/* Match the line of a closure of PHP: ":34}", ":6-19}" (xdebug) and "(26)}" (Excimer). */
static bool php_closure(struct gate_str name, size_t at, struct gate_name_numbering *edit) {
    size_t number = digits(name, at + 1);
    if (number != 0 && char_at(name, at + 1 + number) == '-')
        number += 1 + digits(name, at + 2 + number);
    return number != 0 && holds(name, at + 1 + number, name.ptr[at] == '(' ? ")}" : "}") &&
           gate_str_find(name, GATE_STR("{closure:"), 0) != SIZE_MAX && put(edit, 1, number, "*");
}

/* Match ":L#6:C#15" of Node, "(app.py:42)" of py-spy and " - app.rb:42" of rbspy. */
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
    if (!is_path_end(next))
        return false;
    const char *mark = next == ')' ? " (" : " - ";
    size_t start = at;
    while (start > 0 && !holds(name, start - 1, mark))
        start--;
    if (start == 0)
        return false;
    /* Only a path with a '.', or Python's name for code without a file, such as "<template>", is a position. */
    struct gate_str path = gate_str_slice(name, start - 1 + strlen(mark), at);
    bool is_code = next == ')' && gate_str_starts(path, GATE_STR("<")) && gate_str_ends(path, GATE_STR(">"));
    return (is_code || memchr(path.ptr, '.', path.len) != NULL) && put(edit, 0, 1 + number, "");
}

/* Match the prefix of "LazyCompile:*render /app/view.js:12:34" in V8's perf map. The kind and the tier change while
 * a program runs. */
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

/* Match ":12:34" at the end of V8's code names. */
static bool v8_position(struct gate_str name, size_t at, struct gate_name_numbering *edit) {
    size_t line = digits(name, at + 1);
    if (!holds(name, 0, "JS:") || line == 0)
        return false;
    size_t end = at + 1 + line;
    if (char_at(name, end) == ':' && digits(name, end + 1) != 0)
        end += 1 + digits(name, end + 1);
    return end == name.len && put(edit, 0, end - at, "");
}

/* Match numbers at the end of names: "julia_solve_1234", "camlStdlib__List__map_1234". */
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
    bool ocaml = holds(name, 0, "caml") && gate_is_upper(char_at(name, 4));
    return ocaml && at > 4 && put(edit, 1, number, "*");
}

static bool place_at_slash(struct gate_str name, size_t at, struct gate_name_numbering *edit) {
    size_t major = go_major(name, at + 1);
    if (major > 0 && has_go_host(name, at))
        return put(edit, 0, 1 + major, "");
    return object_address(name, at, edit) || release_folder(name, at, edit);
}

/** Return false only if `name` certainly has no numbered place: it has no digit, '[', '\'', ':', '-' or " >". */
static bool name_numbering_is_possible(struct gate_str name) {
    bool is_possible = false;
    for (size_t i = 0; !is_possible && i < name.len; i++)
        is_possible = gate_is_digit(name.ptr[i]) || name.ptr[i] == '[' || name.ptr[i] == '\'' || name.ptr[i] == ':' ||
                      name.ptr[i] == '-' || (name.ptr[i] == '>' && i > 0 && name.ptr[i - 1] == ' ');
    return is_possible;
}

size_t gate_name_numbering_next(struct gate_str name, size_t at) {
    /* The first bytes of all numbered places; few bytes of a name match. */
    static const bool begins[256] = {
        ['.'] = true, ['$'] = true, ['['] = true,  ['#'] = true, [':'] = true, ['_'] = true, ['>'] = true,
        ['/'] = true, ['-'] = true, ['\''] = true, ['C'] = true, ['D'] = true, ['G'] = true, ['L'] = true,
        ['b'] = true, ['j'] = true, ['w'] = true,  ['%'] = true, ['<'] = true, ['{'] = true, ['('] = true};
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
        return go_type_arguments(name, at, edit) || rust_crate(name, at, edit) || cpp_abi_tag(name, at, edit);
    case '%': /* Go's linker escapes dots in the last part of an import path: "gopkg.in/yaml%2ev3" */
        return holds(name, at, "%2e") && gopkg_major(name, at, strlen("%2e"), edit);
    case '#':
        return place_at_hash(name, at, edit);
    case ':':
        return v8_position(name, at, edit) || php_closure(name, at, edit) || object_address(name, at, edit) ||
               place_at_colon(name, at, edit);
    case '_':
        return place_at_underscore(name, at, edit) || place_at_letter(name, at, edit);
    case '<':
        return rust_parameters(name, at, edit) || cpp_lambda(name, at, edit);
    case '{':
        return cpp_lambda(name, at, edit);
    case '(':
        return php_closure(name, at, edit) || clang_lambda_place(name, at, edit) ||
               cpp_outer_parameters(name, at, edit);
    case '>':
        return csharp(name, at, edit) || cpp_closes(name, at, edit);
    case '\'':
        return llvm_quoted(name, at, edit);
    case '/':
        return place_at_slash(name, at, edit);
    case '-':
        /* Go's range-loop bodies have a package before them. "calc-range1" without one is a normal name. */
        return (numbered(name, at, "-range", edit) && memchr(name.ptr, '.', at) != NULL) ||
               (numbered(name, at, "-fun-", edit) && at != 0) || kotlin_value_class(name, at, edit);
    default:
        return place_at_letter(name, at, edit);
    }
}

/* ---- stable names ---------------------------------------------------------------------------------------------------
 *
 * Suffixes that compilers append are removed. Then numbers at numbered places become '*'. The marker around the
 * number stays, so that a closure is not confused with its function. */

enum { PASSES_MAX = 16 };

static bool name_stable_is_hex(char c) {
    return gate_is_digit(c) || (c >= 'a' && c <= 'f');
}

static struct gate_str without(struct gate_str name, size_t ending) {
    return gate_str_slice(name, 0, name.len - ending);
}

/* Return the length of the digits at the end and the '.' before them: 4 for ".123", 0 if there are none. */
static size_t number_ending(struct gate_str name) {
    size_t at = name.len;
    while (at > 0 && gate_is_digit(name.ptr[at - 1]))
        at--;
    return at < name.len && at > 0 && name.ptr[at - 1] == '.' ? name.len - at + 1 : 0;
}

static struct gate_str numbered_clone_cut(struct gate_str name) {
    static const char *const clones[] = {".isra", ".part",     ".constprop", ".cold",
                                         ".llvm", ".lto_priv", ".clone",     ".localalias"};
    size_t number = number_ending(name);
    struct gate_str base = without(name, number);
    for (size_t i = 0; number != 0 && i < sizeof clones / sizeof *clones; i++)
        if (gate_str_ends(base, gate_str_from(clones[i])) && base.len > strlen(clones[i]))
            return without(base, strlen(clones[i]));
    return name;
}

/* Return true if the name is a path with '.'. Then ".cold" may be a method with that name and is not removed. */
static bool has_path(struct gate_str name) {
    for (struct gate_str cut = numbered_clone_cut(name); cut.len != name.len; cut = numbered_clone_cut(name))
        name = cut;
    return memchr(name.ptr, '.', name.len) != NULL && gate_str_find(name, GATE_STR("::"), 0) == SIZE_MAX &&
           !gate_str_starts(name, GATE_STR("_Z")) && memchr(name.ptr, '(', name.len) == NULL;
}

static struct gate_str clone_cut(struct gate_str name) {
    static const char *const plain[] = {".cold", ".localalias", ".abi0", ".abiinternal"};
    struct gate_str cut = numbered_clone_cut(name);
    if (name.len == 0 || memchr("ds0l", name.ptr[name.len - 1], 4) == NULL) /* last letters of the suffixes */
        return cut;
    for (size_t i = 0; cut.len == name.len && i < sizeof plain / sizeof *plain; i++) {
        size_t len = strlen(plain[i]);
        if (gate_str_ends(name, gate_str_from(plain[i])) && name.len > len && (i > 0 || !has_path(without(name, len))))
            return without(name, len);
    }
    return cut;
}

static struct gate_str demangled_clone_cut(struct gate_str name) {
    const struct gate_str mark = GATE_STR(" [clone .");
    size_t at = gate_str_find(name, mark, 0);
    return at == SIZE_MAX || at == 0 || !gate_str_ends(name, GATE_STR("]")) ? name : gate_str_slice(name, 0, at);
}

static struct gate_str rust_hash_cut(struct gate_str name) {
    enum { HEX = 16 };
    bool mangled = gate_str_starts(name, GATE_STR("_ZN")) && gate_str_ends(name, GATE_STR("E"));
    const char *mark = mangled ? "17h" : "::h";
    size_t end = name.len - (mangled ? 1 : 0);
    if (end <= HEX + 3 || memcmp(name.ptr + end - HEX - 3, mark, 3) != 0)
        return name;
    for (size_t i = end - HEX; i < end; i++)
        if (!name_stable_is_hex(name.ptr[i]))
            return name;
    return gate_str_slice(name, 0, end - HEX - 3); /* the caller appends the 'E' of a mangled name again */
}

/* Remove "@GLIBC_2.2.5" or "@@GLIBCXX_3.4" from the end. The symbol version depends on the machine. */
static struct gate_str version_cut(struct gate_str name) {
    static const char *const families[] = {"GLIBC_", "GLIBCXX_", "CXXABI_", "GCC_"};
    size_t at = gate_str_find(name, GATE_STR("@"), 0);
    if (at == SIZE_MAX || at == 0)
        return name;
    size_t from = at + (at + 1 < name.len && name.ptr[at + 1] == '@' ? 2 : 1);
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        if (gate_str_starts(gate_str_slice(name, from, name.len), gate_str_from(families[i])))
            return gate_str_slice(name, 0, at);
    return name;
}

/* Remove line or bytecode index, "Shop.main:98" or "Shop.main@64", which jfrconv writes before a compilation state. */
static struct gate_str without_place(struct gate_str name) {
    size_t at = name.len;
    while (at > 0 && gate_is_digit(name.ptr[at - 1]))
        at--;
    bool is_place = at > 1 && at < name.len && (name.ptr[at - 1] == ':' || name.ptr[at - 1] == '@');
    return is_place ? gate_str_slice(name, 0, at - 1) : name;
}

/* Remove "+0x1f" or "_[j]" from the end. */
static struct gate_str ending_cut(struct gate_str name) {
    size_t at = name.len;
    while (at > 0 && name_stable_is_hex(name.ptr[at - 1]))
        at--;
    if (at < name.len && at > 3 && memcmp(name.ptr + at - 3, "+0x", 3) == 0 &&
        !gate_str_ends(gate_str_slice(name, 0, at - 3), GATE_STR("$$Lambda")))
        return gate_str_slice(name, 0, at - 3);
    if (name.len > 4 && memcmp(name.ptr + name.len - 4, "_[", 2) == 0 && name.ptr[name.len - 1] == ']' &&
        strchr("jik01", name.ptr[name.len - 2]) != NULL)
        return without_place(without(name, 4));
    return name;
}

/* Remove V8's tier mark before a name: '*' optimised, '~' interpreted, '^' and '+' in between. */
static struct gate_str tier_cut(struct gate_str name) {
    if (name.len < 2 || memchr("*~^+", name.ptr[0], 4) == NULL)
        return name;
    char c = name.ptr[1];
    bool named = gate_is_letter(c) || c == '_' || c == '$';
    bool anonymous = gate_str_starts(name, GATE_STR("*(anonymous")) || gate_str_starts(name, GATE_STR("~(anonymous"));
    if (!anonymous && (!named || memchr(name.ptr, '(', name.len) != NULL)) /* "~Node()" is a destructor */
        return name;
    return gate_str_slice(name, 1, name.len);
}

static struct gate_str ends_cut(struct gate_str name) {
    for (;;) {
        struct gate_str cut = tier_cut(ending_cut(version_cut(demangled_clone_cut(clone_cut(name)))));
        if (cut.len == name.len)
            return cut;
        name = cut;
    }
}

/* The rewritten name under construction; allocated at the first change. */
struct rewriting {
    struct gate_arena *arena;
    char *ptr;
    size_t len;
    size_t copied; /* bytes of the source that are copied or dropped */
};

/* An edit makes the name at most one byte longer (an 'E' or a '*'), so twice the length is always enough. */
static bool rewriting_edit(struct rewriting *out, struct gate_str name, size_t at,
                           const struct gate_name_numbering *edit) {
    if (out->ptr == NULL)
        out->ptr = gate_arena_alloc(out->arena, name.len * 2 + 64);
    if (out->ptr == NULL)
        return false;
    size_t keep_to = at + edit->keep;
    size_t put = strlen(edit->put);
    memcpy(out->ptr + out->len, name.ptr + out->copied, keep_to - out->copied);
    out->len += keep_to - out->copied;
    memcpy(out->ptr + out->len, edit->put, put);
    out->len += put;
    out->copied = keep_to + edit->drop;
    return true;
}

/* Rewrite the numbered places in one pass. `*changed` is set to true if there were any. */
static struct gate_str places_rewrite(struct gate_arena *arena, struct gate_str name, bool *changed) {
    struct rewriting out = {.arena = arena};
    *changed = false;
    if (!name_numbering_is_possible(name))
        return name;
    for (size_t at = 0; at < name.len;) {
        struct gate_name_numbering edit = {0};
        bool is_place = gate_name_numbering_at(name, at, &edit);
        if (is_place && !rewriting_edit(&out, name, at, &edit))
            return (struct gate_str){NULL, 0};
        *changed |= is_place;
        at = gate_name_numbering_next(name, is_place ? out.copied : at + 1);
    }
    if (!*changed)
        return name;
    memcpy(out.ptr + out.len, name.ptr + out.copied, name.len - out.copied);
    return (struct gate_str){out.ptr, out.len + name.len - out.copied};
}

static struct gate_str rust_hash_rewrite(struct gate_arena *arena, struct gate_str name) {
    struct gate_str cut = rust_hash_cut(name);
    if (cut.len == name.len || !gate_str_ends(name, GATE_STR("E")) || !gate_str_starts(name, GATE_STR("_ZN")))
        return cut;
    return gate_str_format(arena, "%.*sE", (int)cut.len, cut.ptr);
}

struct gate_str gate_name_stable(struct gate_arena *arena, struct gate_str name) {
    /* bounds the cost, as some places search backwards, which is quadratic in the length */
    enum { NAME_MAX_BYTES = 16 * 1024 };
    if (name.len == 0 || name.len > NAME_MAX_BYTES)
        return name.ptr == NULL ? GATE_STR("") : ends_cut(name);
    /* Repeat until nothing changes, as removing a suffix can expose another one. The result is then a fixed point. A
     * name that still changes after PASSES_MAX passes is hostile; it stays unchanged, which is a fixed point, too. */
    struct gate_str now = name;
    for (int pass = 0; pass < PASSES_MAX; pass++) {
        bool changed = false;
        struct gate_str cut = rust_hash_rewrite(arena, ends_cut(now));
        if (cut.ptr == NULL)
            return cut;
        struct gate_str next = places_rewrite(arena, cut, &changed);
        if (next.ptr == NULL || (!changed && cut.len == now.len))
            return next;
        now = next;
    }
    return name;
}

/* ---- hashes of contents in the names of bundles ------------------------------------------------------------------ */

enum { CONTENT_HASH = 8 };

/* Return whether 8 characters are a hash: of base32 in capital letters, as esbuild writes it, or of base64url, as
 * Rollup and Vite do. A word has no capital letter beside a digit, and does not change between small and capital
 * letters three times. */
static bool is_content_hash(struct gate_str part) {
    bool has_digit = false, has_capital = false, is_base32 = true;
    unsigned changes = 0;
    for (size_t i = 0; i < part.len; i++) {
        char c = part.ptr[i], before = i == 0 ? '\0' : part.ptr[i - 1];
        if (!is_word(c) && c != '-')
            return false;
        has_digit |= gate_is_digit(c);
        has_capital |= gate_is_upper(c);
        is_base32 &= gate_is_upper(c) || (c >= '2' && c <= '7');
        changes += gate_is_letter(c) && gate_is_letter(before) && gate_is_upper(c) != gate_is_upper(before);
    }
    return part.len == CONTENT_HASH && has_capital && (has_digit || is_base32 || changes >= 3);
}

/* Set the place of the hash in the name of a bundle: "X3FNXXXC" in "dist/main-X3FNXXXC.mjs", "3f2a9c1b" in
 * "app.3f2a9c1b.js". Returns false if there is none. */
static bool content_hash_find(size_t *from, size_t *to, struct gate_str path) {
    static const char *const ends[] = {".js", ".mjs", ".cjs"};
    size_t base = path.len - gate_str_basename(path).len;
    *to = 0;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (gate_str_ends(path, gate_str_from(ends[i])))
            *to = path.len - strlen(ends[i]);
    for (*from = *to; *from > base && is_hex(path.ptr[*from - 1]);)
        --*from;
    if (!is_hash(gate_str_slice(path, *from, *to)))
        *from = *to >= CONTENT_HASH ? *to - CONTENT_HASH : 0;
    struct gate_str hash = gate_str_slice(path, *from, *to);
    char before = *from > base + 1 ? path.ptr[*from - 1] : '\0';
    return (before == '-' || before == '.') && (is_hash(hash) || is_content_hash(hash));
}

struct gate_str gate_file_path_stable(struct gate_arena *arena, struct gate_str path) {
    const struct gate_str before = GATE_STR("f (");
    struct gate_str name = gate_str_format(arena, "%.*s%.*s)", GATE_STR_ARG(before), GATE_STR_ARG(path));
    if (name.ptr != NULL)
        name = gate_name_stable(arena, name);
    bool is_kept = gate_str_starts(name, before) && gate_str_ends(name, GATE_STR(")"));
    if (name.ptr == NULL)
        return name;
    size_t from, to;
    struct gate_str stable = is_kept ? gate_str_slice(name, before.len, name.len - 1) : path;
    if (!content_hash_find(&from, &to, stable))
        return stable;
    return gate_str_format(arena, "%.*s*%.*s", GATE_STR_ARG(gate_str_slice(stable, 0, from)),
                           GATE_STR_ARG(gate_str_slice(stable, to, stable.len)));
}
