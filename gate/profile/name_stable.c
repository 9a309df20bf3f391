/* SPDX-License-Identifier: Apache-2.0 */
/* Stable names (see name_stable.h): endings that compilers append are cut, then numbers that stand where compilers put
 * them become '*'. A marker stays, so that a closure is never taken for the function around it. The places are matched
 * one by one in name_numbering.c. */
#include "gate/profile/name_stable.h"

#include "gate/profile/name_numbering.h"

enum { PASSES_MAX = 16 };

const struct gate_name_stable_rule gate_name_stable_rules[] = {
    {"Go", "closure number", "main.(*Server).Serve.func1.2", "main.(*Server).Serve.func*.*"},
    {"Go", "go and defer wrapper number", "main.run.gowrap1", "main.run.gowrap*"},
    {"Go", "range-over-func body number", "main.walk-range1", "main.walk-range*"},
    {"Go", "init function number", "main.init.0", "main.init.*"},
    {"Go", "type arguments by shape", "slices.Sort[go.shape.int]", "slices.Sort[...]"},
    {"Go", "assembly ABI", "runtime.memmove.abi0", "runtime.memmove"},
    {"Rust", "symbol hash", "app::serve::h0123456789abcdef", "app::serve"},
    {"Rust", "mangled symbol hash", "_ZN3app5serve17h0123456789abcdefE", "_ZN3app5serveE"},
    {"Rust", "closure and impl number", "app::serve::{closure#0}", "app::serve::{closure#*}"},
    {"Rust", "crate disambiguator", "app[8f2a3b4c5d6e7f80]::serve", "app::serve"},
    {"Rust", "mangled crate disambiguator", "_RNvCskwGfYPst2Cb_3app5serve", "_RNvCs*_3app5serve"},
    {"C++", "clone of a function", "parse.constprop.0.isra.1", "parse"},
    {"C++", "clone of a function, demangled", "parse(int) [clone .part.3]", "parse(int)"},
    {"C++", "part outlined as cold", "parse.cold", "parse"},
    {"C++", "local made global by the linker", "parse.llvm.1234567", "parse"},
    {"C++", "lambda number", "run()::{lambda(int)#2}::operator()", "run()::{lambda(int)#*}::operator()"},
    {"C++", "lambda number (clang)", "run()::$_3::operator()", "run()::$_*::operator()"},
    {"C++", "lambda number (LLVM demangler)", "run()::'lambda0'(int)", "run()::'lambda*'(int)"},
    {"C++", "outlined parallel region", "main._omp_fn.0", "main._omp_fn.*"},
    {"C++", "offset in a function", "parse+0x1f", "parse"},
    {"C++", "symbol version", "cfree@GLIBC_2.2.5", "cfree"},
    {"JVM", "lambda class", "Main$$Lambda$14/0x0000000800c03000.run", "Main$$Lambda$*.run"},
    {"JVM", "lambda body", "Main.lambda$main$0", "Main.lambda$main$*"},
    {"JVM", "anonymous class", "Main$1.run", "Main$*.run"},
    {"JVM", "method handle form", "java.lang.invoke.LambdaForm$MH/0x0000000800c03000.invoke",
     "java.lang.invoke.LambdaForm$MH/*.invoke"},
    {"JVM", "reflection accessor", "jdk.internal.reflect.GeneratedMethodAccessor12.invoke",
     "jdk.internal.reflect.GeneratedMethodAccessor*.invoke"},
    {"JVM", "dynamic proxy", "jdk.proxy2.$Proxy7.get", "jdk.proxy*.$Proxy*.get"},
    {"JVM", "generated subclass", "Main$$EnhancerBySpringCGLIB$$1a2b3c4d.run", "Main$$EnhancerBySpringCGLIB$$*.run"},
    {"JVM", "hidden class", "Main/0x0000000800c03000.run", "Main/*.run"},
    {"JVM", "Groovy closure number", "App$_run_closure1.doCall", "App$_run_closure*.doCall"},
    {"JVM", "compilation state", "java/lang/Thread.run_[j]", "java/lang/Thread.run"},
    {"JVM", "compilation state with line or bytecode", "java/lang/Thread.run:829_[j]", "java/lang/Thread.run"},
    {".NET", "lambda, local function and iterator number", "App.Main.<Run>b__12_0", "App.Main.<Run>b__*"},
    {".NET", "closure class number", "App.<>c__DisplayClass3_0.<Run>b__0", "App.<>c__DisplayClass*.<Run>b__*"},
    {"V8", "optimisation tier", "*render", "render"},
    {"V8", "kind, tier and position", "LazyCompile:*render /app/view.js:12:34", "JS:render /app/view.js"},
    {"V8", "position of a function", "(anonymous:L#6:C#15)", "(anonymous)"},
    {"V8", "WebAssembly function number", "wasm-function[123]", "wasm-function[*]"},
    {"Python", "current line", "handle (app/views.py:42)", "handle (app/views.py)"},
    {"Ruby", "current line", "handle - app/views.rb:42", "handle - app/views.rb"},
    {"PHP", "closure line", "{closure:App::run():34}", "{closure:App::run():*}"},
    {"PHP", "compiled container", "Container6k4l23L\\getCacheService::do", "Container*\\getCacheService::do"},
    {"Julia", "method and closure number", "#solve#12", "#solve#*"},
    {"Julia", "native symbol number", "julia_solve_1234", "julia_solve_*"},
    {"Erlang", "fun number", "lists:-map/2-fun-1-", "lists:-map/2-fun-*-"},
    {"OCaml", "symbol stamp", "camlStdlib__List__map_1234", "camlStdlib__List__map_*"},
    {"Clojure", "fn number", "app.core$fn__1234.invoke", "app.core$fn__*.invoke"},
    {"Linux", "BPF program tag", "bpf_prog_6deef7357e7b4530_probe", "bpf_prog_*_probe"},
    {NULL, NULL, NULL, NULL}};

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool is_hex(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'f');
}

static struct gate_str without(struct gate_str name, size_t ending) {
    return gate_str_slice(name, 0, name.len - ending);
}

/* Length of the digits at the end, and of a '.' before them: ".123" is 4, "" is 0. */
static size_t number_ending(struct gate_str name) {
    size_t at = name.len;
    while (at > 0 && is_digit(name.ptr[at - 1]))
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

/* ".cold" alone may be a method of that name: it is cut only where no other '.' says that the name is a path. */
static bool has_path(struct gate_str name) {
    for (struct gate_str cut = numbered_clone_cut(name); cut.len != name.len; cut = numbered_clone_cut(name))
        name = cut;
    return memchr(name.ptr, '.', name.len) != NULL && gate_str_find(name, GATE_STR("::"), 0) == SIZE_MAX &&
           !gate_str_starts(name, GATE_STR("_Z")) && memchr(name.ptr, '(', name.len) == NULL;
}

static struct gate_str clone_cut(struct gate_str name) {
    static const char *const plain[] = {".cold", ".localalias", ".abi0", ".abiinternal"};
    struct gate_str cut = numbered_clone_cut(name);
    if (name.len == 0 || memchr("ds0l", name.ptr[name.len - 1], 4) == NULL) /* their last letters */
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
        if (!is_hex(name.ptr[i]))
            return name;
    return gate_str_slice(name, 0, end - HEX - 3); /* a mangled name gets its 'E' back from the caller */
}

/* "@GLIBC_2.2.5", "@@GLIBCXX_3.4" at the end: which one is linked depends on the machine. */
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

/* "Shop.main:98" and "Shop.main@64", line and bytecode as jfrconv writes them before a compilation state. */
static struct gate_str without_place(struct gate_str name) {
    size_t at = name.len;
    while (at > 0 && is_digit(name.ptr[at - 1]))
        at--;
    bool is_place = at > 1 && at < name.len && (name.ptr[at - 1] == ':' || name.ptr[at - 1] == '@');
    return is_place ? gate_str_slice(name, 0, at - 1) : name;
}

/* "+0x1f" and "_[j]" at the end. */
static struct gate_str ending_cut(struct gate_str name) {
    size_t at = name.len;
    while (at > 0 && is_hex(name.ptr[at - 1]))
        at--;
    if (at < name.len && at > 3 && memcmp(name.ptr + at - 3, "+0x", 3) == 0 &&
        !gate_str_ends(gate_str_slice(name, 0, at - 3), GATE_STR("$$Lambda")))
        return gate_str_slice(name, 0, at - 3);
    if (name.len > 4 && memcmp(name.ptr + name.len - 4, "_[", 2) == 0 && name.ptr[name.len - 1] == ']' &&
        strchr("jik01", name.ptr[name.len - 2]) != NULL)
        return without_place(without(name, 4));
    return name;
}

/* V8's tier marks before a name: '*' optimised, '~' interpreted, '^' and '+' between. */
static struct gate_str tier_cut(struct gate_str name) {
    if (name.len < 2 || memchr("*~^+", name.ptr[0], 4) == NULL)
        return name;
    char c = name.ptr[1];
    bool named = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
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

/* The rewritten name while it grows; made at the first change. */
struct rewriting {
    struct gate_arena *arena;
    char *ptr;
    size_t len;
    size_t copied; /* bytes of the source that are taken over */
};

/* Every edit drops at least as much as it puts, or one byte less (an 'E', a '*'): twice the length always holds it. */
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

/* One pass over the name; `*changed` says whether anything was rewritten. */
static struct gate_str places_rewrite(struct gate_arena *arena, struct gate_str name, bool *changed) {
    struct rewriting out = {.arena = arena};
    *changed = false;
    if (!gate_name_numbering_is_possible(name))
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
    enum { NAME_MAX_BYTES = 16 * 1024 }; /* some places look back: a hostile name must not cost its length squared */
    if (name.len == 0 || name.len > NAME_MAX_BYTES)
        return name.ptr == NULL ? GATE_STR("") : ends_cut(name);
    /* Cutting an ending can bare another, so until nothing changes: this also makes the result a fixed point. A name
     * that still changes after so many rounds was made to: it stays as it is, which is a fixed point too. */
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
