/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/names/frame_name.h"

#include "gate/base/arena.h"
#include "gate/base/str.h"
#include "gate/model/profile.h"

/* ---- the last part of a name ------------------------------------------------------------------------------------- */

/* Return whether a part of a name is that of a function without one: "func1", "gowrap1", "3", "{{closure}}",
 * "<lambda>", "<locals>", "(*Cart)", "2-fun-0-" of Erlang, "$_0" of C++, and what a compiler calls in the class of a
 * coroutine. */
static bool is_nameless(struct gate_str part) {
    static const char *const starts[] = {"func", "gowrap", "deferwrap"};
    static const char *const coroutines[] = {"MoveNext", "invokeSuspend"}; /* of .NET and Kotlin */
    size_t digits = 0;
    for (size_t i = 0; i < sizeof starts / sizeof *starts && digits == 0; i++)
        digits = gate_str_starts(part, gate_str_from(starts[i])) ? strlen(starts[i]) : 0;
    if (part.len == 0 || strchr("<{(", part.ptr[0]) != NULL || gate_str_starts(part, GATE_STR("$_")) ||
        gate_str_is_among(part, coroutines, sizeof coroutines / sizeof *coroutines))
        return true;
    bool is_numbered = digits < part.len;
    while (digits < part.len && (gate_is_digit(part.ptr[digits]) || part.ptr[digits] == '*'))
        digits++;
    return is_numbered &&
           (digits == part.len || gate_str_starts(gate_str_slice(part, digits, part.len), GATE_STR("-fun-")));
}

/* Return the length of a name without its parameters and without the file behind it. */
static size_t without_parameters(struct gate_str name) {
    size_t from = gate_str_starts(name, GATE_STR("block (")) ? gate_str_find(name, GATE_STR(") in "), 0) : 0;
    size_t file = gate_str_find(name, GATE_STR(" - "), 0), end = gate_str_find(name, GATE_STR(" ("), from);
    end = file < end ? file : end;
    for (size_t i = name.len; end == SIZE_MAX && i > 0 && name.ptr[name.len - 1] == ')'; i--)
        if (name.ptr[i - 1] == '(')
            end = i - 1;
    return end == SIZE_MAX ? name.len : end;
}

/* Return the start of the part that ends at `end`. Separators in type arguments and in braces, as in "{closure#0}", do
 * not count. */
static size_t part_start(struct gate_str name, size_t end) {
    int depth = 0;
    for (; end > 0; end--) {
        char c = name.ptr[end - 1];
        depth += c == '>' || c == ']' || c == '}';
        depth -= depth > 0 && (c == '<' || c == '[' || c == '{');
        if (depth == 0 && strchr(".:/#", c) != NULL)
            break;
    }
    return end;
}

/* Return whether the word "operator" at `at` begins an operator of C++: "operator<", "operator bool". A function may
 * have this name, as in "main.operator" and "operator (cart.py)". */
static bool is_operator(struct gate_str name, size_t at, size_t behind) {
    if (behind >= name.len || (at > 0 && name.ptr[at - 1] != ':' && name.ptr[at - 1] != ' '))
        return false;
    if (name.ptr[behind] == ' ')
        return behind + 1 < name.len && gate_is_word(name.ptr[behind + 1]);
    return !gate_is_word(name.ptr[behind]) && strchr(".:#$", name.ptr[behind]) == NULL;
}

/* Find the operator of C++ that a name ends with, without its parameters: "operator<", "operator()". */
static bool find_operator(struct gate_name_part *out, struct gate_str name) {
    const struct gate_str word = GATE_STR("operator");
    size_t at = gate_str_find(name, word, 0), end;
    while (at != SIZE_MAX && !is_operator(name, at, at + word.len))
        at = gate_str_find(name, word, at + word.len);
    if (at == SIZE_MAX)
        return false;
    end = gate_str_find(name, GATE_STR("("), at + word.len + 1);
    end = end == SIZE_MAX ? name.len : end;
    *out = (struct gate_name_part){at, end, end};
    return true;
}

/* Return whether the part before `start`, "::" between, is the class of a lambda: "{lambda()#1}" or "$_0". */
static bool is_in_lambda(struct gate_str name, size_t start) {
    size_t end = start > 2 ? start - 2 : 0, at = end;
    while (at > 0 && name.ptr[at - 1] != ':')
        at--;
    return end > 0 && (name.ptr[end - 1] == '}' || gate_str_starts(gate_str_slice(name, at, end), GATE_STR("$_")));
}

/* Find the selector of a method of Objective-C: "add:to:" of "-[Cart add:to:]". */
static bool find_selector(struct gate_name_part *out, struct gate_str name) {
    if (!gate_str_starts(name, GATE_STR("-[")) && !gate_str_starts(name, GATE_STR("+[")))
        return false;
    size_t at = gate_str_find(name, GATE_STR(" "), 0), end = gate_str_find(name, GATE_STR("]"), 0);
    if (at == SIZE_MAX || end == SIZE_MAX || at + 1 >= end)
        return false;
    *out = (struct gate_name_part){at + 1, end, end};
    return true;
}

struct gate_name_part gate_name_last_part(struct gate_str name) {
    struct gate_name_part found;
    bool is_operator = find_operator(&found, name), is_lambda = is_operator && is_in_lambda(name, found.start);
    if ((is_operator && !is_lambda) || find_selector(&found, name))
        return found;
    size_t end = is_lambda ? name.len : without_parameters(name), last = is_lambda ? found.start - 2 : end;
    if (gate_str_ends(name, GATE_STR(" (anonymous)"))) { /* a file's function without a name: "cart.js (anonymous)" */
        size_t start = name.len - gate_str_basename(name).len, dot = start;
        while (dot < end && name.ptr[dot] != '.')
            dot++;
        return (struct gate_name_part){start, dot, name.len};
    }
    for (size_t stop = last; stop > 0;) {
        size_t at = part_start(name, stop), named = at;
        if (!is_nameless(gate_str_slice(name, at, stop))) {
            while (named < stop && strchr("<[", name.ptr[named]) == NULL)
                named++;
            return (struct gate_name_part){at, named, stop == end ? named : end};
        }
        stop = at > 0 ? at - 1 : 0;
    }
    return (struct gate_name_part){0, 0, 0};
}

/* ---- packages ---------------------------------------------------------------------------------------------------- */

/* Return the name up to its parameters and type arguments, which may contain dots, slashes and colons. A Rust path
 * in angle brackets, "<app::Server as Service>::call", is read from its inside. */
static struct gate_str path_of(struct gate_str name) {
    if (gate_str_starts(name, GATE_STR("<")))
        name = gate_str_slice(name, 1, name.len);
    const struct gate_str unnamed = GATE_STR("(anonymous namespace)");
    size_t end = 0;
    while (end < name.len && name.ptr[end] != '\0' && strchr("<[ \t>", name.ptr[end]) == NULL) {
        bool receiver = name.ptr[end] == '(' && end > 0 && name.ptr[end - 1] == '.'; /* Go's receiver ".(*T)" */
        bool is_unnamed = gate_str_starts(gate_str_slice(name, end, name.len), unnamed);
        if (name.ptr[end] == '(' && !receiver && !is_unnamed)
            break;
        end += is_unnamed ? unnamed.len : 1;
    }
    return gate_str_slice(name, 0, end);
}

/* Return the modules of "tokio::runtime::Runtime::block_on", without the function and its type. */
static struct gate_str colon_package(struct gate_str name, struct gate_str path) {
    size_t ends[2] = {0, 0}; /* positions of the last two "::" */
    bool in_type = path.len < name.len && name.ptr[path.len] == '<';
    for (size_t i = 0; i + 1 < path.len; i++)
        if (path.ptr[i] == ':' && path.ptr[i + 1] == ':') {
            ends[0] = ends[1];
            ends[1] = i++;
        }
    size_t last_start = ends[0] == 0 ? 0 : ends[0] + 2;
    if (!in_type && gate_is_upper(path.ptr[last_start]))
        return gate_str_slice(path, 0, ends[0]);
    return gate_str_slice(path, 0, ends[1]);
}

/* "github.com/a/b.(*T).M" is Go: the package ends at the first '.' after the last '/'. "java/lang/Thread.run" is
 * Java: it ends at the last '/'. */
static struct gate_str slash_package(struct gate_str path, size_t slash) {
    size_t first_slash = gate_str_find(path, GATE_STR("/"), 0);
    bool has_domain = memchr(path.ptr, '.', first_slash) != NULL;
    if (!has_domain && slash + 1 < path.len && gate_is_upper(path.ptr[slash + 1]))
        return gate_str_slice(path, 0, slash);
    size_t dot = gate_str_find(path, GATE_STR("."), slash);
    return dot == SIZE_MAX ? GATE_STR("") : gate_str_slice(path, 0, dot);
}

/* "java.lang.Thread.run", "main.(*T).M": the package ends before the type. "os.path.join": it is the first element. */
static struct gate_str dot_package(struct gate_str path) {
    size_t start = 0;
    for (size_t i = 0; i < path.len; i++) {
        if (path.ptr[i] != '.')
            continue;
        if (i + 1 < path.len && (gate_is_upper(path.ptr[i + 1]) || path.ptr[i + 1] == '('))
            return gate_is_upper(path.ptr[0]) ? GATE_STR("") : gate_str_slice(path, 0, i);
        start = start == 0 ? i : start;
    }
    return gate_is_upper(path.len == 0 ? 'A' : path.ptr[0]) ? GATE_STR("") : gate_str_slice(path, 0, start);
}

/* The package ends at the first '.' after the last '/'; types, receivers and closures follow. Linker symbols have no
 * package. */
static struct gate_str go_package(struct gate_str path) {
    if (gate_str_starts(path, GATE_STR("go:")) || gate_str_starts(path, GATE_STR("type:")) ||
        gate_str_starts(path, GATE_STR("type..")))
        return GATE_STR("");
    size_t start = gate_str_behind_last(path, '/');
    size_t dot = gate_str_find(path, GATE_STR("."), start);
    return dot == SIZE_MAX ? GATE_STR("") : gate_str_slice(path, 0, dot);
}

/* Python, "price (shop/cart.py)": the package is the folder, without the part up to the installed packages or the
 * standard library. For a file without a folder it is the file's name. Other names of Python contain only the class or
 * outer function, not the package. */
static struct gate_str python_package(struct gate_str name) {
    static const char *const roots[] = {"site-packages/", "dist-packages/", "/lib/python", "/lib64/python"};
    size_t open = gate_str_find(name, GATE_STR(" ("), 0), end = gate_str_find(name, GATE_STR(".py"), 0);
    if (open == SIZE_MAX || end == SIZE_MAX || end < open || !gate_str_ends(name, GATE_STR(")")))
        return GATE_STR("");
    size_t start = open + 2, slash = 0;
    for (size_t i = 0; i < sizeof roots / sizeof *roots; i++) {
        size_t at = gate_str_find(name, gate_str_from(roots[i]), start);
        size_t behind = at == SIZE_MAX ? SIZE_MAX : gate_str_find(name, GATE_STR("/"), at + strlen(roots[i]) - 1);
        if (behind != SIZE_MAX) {
            start = behind + 1;
            break;
        }
    }
    for (size_t i = start; i < name.len; i++)
        slash = name.ptr[i] == '/' ? i : slash;
    if (slash > start)
        return gate_str_slice(name, start, slash);
    for (end = start; end < name.len && name.ptr[end] != '.';)
        end++;
    return gate_str_slice(name, start, end);
}

struct gate_str gate_name_package(struct gate_str name, enum gate_language language) {
    if (language == GATE_LANGUAGE_PYTHON)
        return python_package(name);
    struct gate_str path = path_of(name);
    if (language == GATE_LANGUAGE_GO && gate_str_find(path, GATE_STR("::"), 0) == SIZE_MAX)
        return go_package(path);
    if (gate_str_find(path, GATE_STR("::"), 0) != SIZE_MAX)
        return colon_package(gate_str_starts(name, GATE_STR("<")) ? gate_str_slice(name, 1, name.len) : name, path);
    for (size_t i = path.len; i > 0; i--)
        if (path.ptr[i - 1] == '/')
            return i == 1 ? GATE_STR("") : slash_package(path, i - 1);
    return dot_package(path);
}

/* Return the place after the last `folder` of a file, or SIZE_MAX. */
static size_t after_last(struct gate_str file, const char *folder) {
    size_t at = SIZE_MAX;
    for (size_t next = 0; (next = gate_str_find(file, gate_str_from(folder), next)) != SIZE_MAX;)
        at = next += strlen(folder);
    return at;
}

/* Return where the name of a package begins in a file of Deno's cache, after the registry's host:
 * ".cache/deno/npm/HOST/@scope/name/1.2.3/mod.js". SIZE_MAX: the file is another. */
static size_t deno_package_start(struct gate_str file) {
    static const char *const folders[] = {"/deno/npm/", "/deno-dir/npm/"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        size_t host = after_last(file, folders[i]);
        size_t end = host == SIZE_MAX ? SIZE_MAX : gate_str_find(file, GATE_STR("/"), host);
        if (end != SIZE_MAX)
            return end + 1;
    }
    return SIZE_MAX;
}

/* Return the package of a JavaScript file that is not the program's own code: "node" of "node:internal/url", "deno" of
 * "ext:core/01_core.js", "lodash" and "@scope/name" of files below node_modules or in Deno's cache. Returns an empty
 * text for other files. */
static struct gate_str javascript_package(struct gate_str file) {
    if (gate_str_starts(file, GATE_STR("node:")))
        return GATE_STR("node");
    if (gate_str_starts(file, GATE_STR("ext:")))
        return GATE_STR("deno");
    size_t at = after_last(file, "node_modules/");
    at = at == SIZE_MAX ? deno_package_start(file) : at;
    if (at == SIZE_MAX)
        return GATE_STR("");
    bool is_scoped = at < file.len && file.ptr[at] == '@';
    size_t end = at;
    for (int slashes = 0; end < file.len && (slashes += file.ptr[end] == '/') <= (is_scoped ? 1 : 0);)
        end++;
    return gate_str_slice(file, at, end);
}

bool gate_file_has_package(struct gate_str file) {
    return javascript_package(file).len != 0;
}

struct gate_str gate_name_with_package(struct gate_arena *arena, struct gate_str name, struct gate_str file) {
    struct gate_str package = javascript_package(file);
    if (package.len == 0 || name.len == 0 || name.ptr[name.len - 1] == ')')
        return name;
    const struct gate_str parts[] = {name, GATE_STR(" ("), package, GATE_STR(")")};
    return gate_str_concat(arena, parts, 4);
}

/* Names of runtime functions by first letter. An entry is a prefix, or a whole name if it ends with '$'. They are
 * those of Go; allocators in C, C++ and Rust; the JVM (GC, compilers, safepoints), V8, CPython, Ruby, .NET, Julia
 * and OCaml. */
/* clang-format off */
#define NAMES(...) (const char *const[]){__VA_ARGS__, NULL}

static const char *const *const runtime_names['z'] = {
    ['('] = NAMES("(garbage collector)$", "(program)$", "(idle)$", "(JVM garbage collector)$"),
    ['B'] = NAMES("Builtin:", "BytecodeHandler:"),
    ['C'] = NAMES("CompileBroker::", "C2Compiler::", "Compile::"),
    ['G'] = NAMES("G1CollectedHeap::", "G1ParScan", "G1Concurrent", "G1Young", "GCTaskThread"),
    ['I'] = NAMES("Interpreter$", "InterpreterRuntime::"),
    ['O'] = NAMES("ObjectSynchronizer::"),
    ['P'] = NAMES("PhaseChaitin::", "PhaseIdealLoop::", "PhaseIterGVN::", "PSPromotionManager::", "ParallelGC",
                  "PyEval_EvalFrame", "PyObject_Malloc", "PyObject_Free"),
    ['S'] = NAMES("SafepointSynchronize::", "ShenandoahHeap", "SVR::gc_heap::"),
    ['V'] = NAMES("VMThread::"),
    ['W'] = NAMES("WorkerThread::", "WKS::gc_heap::"),
    ['Z'] = NAMES("ZDriver", "ZMark", "ZRelocate"),
    ['_'] = NAMES("_int_malloc$", "_int_free$", "_int_realloc$", "__libc_malloc$", "__libc_free$", "__libc_calloc$",
                  "__libc_realloc$", "_mi_", "__rust_alloc", "__rust_dealloc", "__rust_realloc", "__rdl_alloc",
                  "__rdl_dealloc", "_PyEval_EvalFrame", "_PyObject_Malloc", "_PyObject_Free", "_PyGC_",
                  "_Py_Dealloc"),
    ['a'] = NAMES("aeshashbody$", "alloc::alloc::"),
    ['c'] = NAMES("cmpbody$", "callRet$", "calloc$", "cfree$", "coreclr!", "caml_major_collection",
                  "caml_empty_minor_heap", "caml_alloc"),
    ['f'] = NAMES("free$"),
    ['g'] = NAMES("gcWriteBarrier", "gogo$", "gc_collect_", "gc_sweep", "gc_mark", "gc_marks", "gc_heap::"),
    ['i'] = NAMES("internal/runtime/", "indexbytebody$", "ijl_gc_"),
    ['j'] = NAMES("je_", "jl_gc_"),
    ['l'] = NAMES("libcoreclr.so!"),
    ['m'] = NAMES("memeqbody$", "malloc$", "malloc_consolidate$", "mi_malloc", "mi_free"),
    ['o'] = NAMES("operator new", "operator delete"),
    ['r'] = NAMES("runtime.", "runtime/", "racecall$", "realloc$", "rb_gc", "rb_vm_exec$"),
    ['s'] = NAMES("sysmalloc$", "systrim$"),
    ['t'] = NAMES("tcmalloc::", "tc_malloc", "tc_free", "tc_new", "tc_delete"),
    ['u'] = NAMES("unlink_chunk$"),
    ['v'] = NAMES("v8::internal::", "vm_exec$", "vm_exec_core$"),
};

/* clang-format on */

/* Return true if `name` begins with `word` or, if `word` ends with '$', is equal to it. */
static bool runtime_name_fits(const char *word, struct gate_str name) {
    size_t i = 1;
    while (i < name.len && word[i] == name.ptr[i] && word[i] != '$' && word[i] != '\0')
        i++;
    return word[i] == '\0' || (word[i] == '$' && word[i + 1] == '\0' && i == name.len);
}

bool gate_name_is_runtime(struct gate_str name) {
    unsigned char first = name.len == 0 ? 0 : (unsigned char)name.ptr[0];
    if (first >= sizeof runtime_names / sizeof *runtime_names || runtime_names[first] == NULL)
        return false;
    /* Roots of every Go stack, which contain the program's own code. */
    if (gate_str_equal(name, GATE_STR("runtime.main")) || gate_str_equal(name, GATE_STR("runtime.goexit")))
        return false;
    for (const char *const *word = runtime_names[first]; *word != NULL; word++)
        if (runtime_name_fits(*word, name))
            return true;
    return false;
}

bool gate_name_is_skid(struct gate_str name) {
    return gate_str_equal(name, GATE_STR("runtime.asyncPreempt")) ||
           gate_str_equal(name, GATE_STR("runtime.asyncPreempt.abi0"));
}

/* ---- functions that wait ----------------------------------------------------------------------------------------- */

/* Python functions without their class, and the ends of their files' paths. */
static const struct {
    const char *name, *file;
} python_waits[] = {
    {"select", "selectors.py"},
    {"wait", "threading.py"},
    {"_wait_for_tstate_lock", "threading.py"},
    {"_worker", "concurrent/futures/thread.py"}, /* it waits for its queue in C code */
    {"accept", "socket.py"},
    {"readinto", "socket.py"},
    {"_try_wait", "subprocess.py"},
    {"poll", "multiprocessing/popen_fork.py"},
    {"_recv", "multiprocessing/connection.py"},
    {"poll", "asyncore.py"},
    {"wait", "gunicorn/workers/sync.py"},
    {"sleep", "gunicorn/arbiter.py"},
};

static const char *const system_waits[] = {
    "accept",
    "accept4",
    "clock_nanosleep",
    "epoll_pwait",
    "epoll_wait",
    "nanosleep",
    "poll",
    "ppoll",
    "pselect",
    "select",
    "sem_wait",
    "pthread_cond_timedwait",
    "futex",
    "usleep",
    "sigtimedwait",
    "pthread_cond_wait",
};

/* Return whether `path` is `end` or ends with a slash and `end`. */
static bool path_ends(struct gate_str path, struct gate_str end) {
    return gate_str_ends(path, end) && (path.len == end.len || path.ptr[path.len - end.len - 1] == '/');
}

/* Split a frame of collapsed stacks, "select (/usr/lib/python3/selectors.py)", into name and file. */
static void place_cut(struct gate_str *name, struct gate_str *file) {
    size_t open = gate_str_behind_last(*name, '(');
    if (!gate_str_ends(*name, GATE_STR(")")) || open < 2 || name->ptr[open - 2] != ' ')
        return;
    size_t end = gate_str_find(*name, GATE_STR(".py"), open);
    if (end == SIZE_MAX)
        return;
    *file = gate_str_slice(*name, open, end + 3);
    *name = gate_str_slice(*name, 0, open - 2);
}

bool gate_name_waits(struct gate_str name, struct gate_str file) {
    place_cut(&name, &file);
    if (gate_str_ends(file, GATE_STR(".py"))) {
        /* py-spy writes "EpollSelector.select" since Python 3.11 */
        name = gate_str_slice(name, gate_str_behind_last(name, '.'), name.len);
        for (size_t i = 0; i < sizeof python_waits / sizeof *python_waits; i++)
            if (gate_str_equal(name, gate_str_from(python_waits[i].name)) &&
                path_ends(file, gate_str_from(python_waits[i].file)))
                return true;
        return false;
    }
    if (gate_str_starts(name, GATE_STR("__"))) /* "__poll" of glibc */
        name = gate_str_slice(name, 2, name.len);
    return gate_str_is_among(name, system_waits, sizeof system_waits / sizeof *system_waits);
}

/* ---- clean paths ------------------------------------------------------------------------------------------------- */

static bool may_be_unclean(struct gate_str path) {
    return gate_str_holds(path, GATE_STR("//")) || gate_str_holds(path, GATE_STR("/.")) ||
           gate_str_starts(path, GATE_STR("./")) || (path.len > 1 && gate_str_ends(path, GATE_STR("/")));
}

/* Return the position after "webpack://", or 0. */
static size_t scheme_end(struct gate_str path) {
    size_t at = gate_str_find(path, GATE_STR("://"), 0);
    return at == SIZE_MAX || at == 0 || memchr(path.ptr, '/', at) != NULL ? 0 : at + 3;
}

/* A path under construction. ".." cannot shorten its first `kept` bytes: the root, or leading ".." elements. */
struct cleaning {
    char *out;
    size_t len, kept;
    bool is_rooted;
};

static void part_add(struct cleaning *path, struct gate_str part) {
    bool is_up = gate_str_equal(part, GATE_STR(".."));
    if (part.len == 0 || gate_str_equal(part, GATE_STR(".")) || (is_up && path->is_rooted && path->len == path->kept))
        return;
    if (is_up && path->len > path->kept) {
        while (path->len > path->kept && path->out[path->len - 1] != '/')
            path->len--;
        if (path->len > path->kept)
            path->len--; /* the '/' */
        return;
    }
    if (path->len > 0 && path->out[path->len - 1] != '/')
        path->out[path->len++] = '/';
    memcpy(path->out + path->len, part.ptr, part.len);
    path->len += part.len;
    if (is_up)
        path->kept = path->len;
}

struct gate_str gate_file_path_clean(struct gate_arena *arena, struct gate_str path) {
    if (!may_be_unclean(path))
        return path;
    struct cleaning cleaned = {.out = gate_arena_alloc(arena, path.len + 1)};
    size_t scheme = scheme_end(path);
    struct gate_str rest = gate_str_slice(path, scheme, path.len);
    if (cleaned.out == NULL)
        return (struct gate_str){NULL, 0};
    memcpy(cleaned.out, path.ptr, scheme);
    cleaned.out += scheme;
    cleaned.is_rooted = gate_str_starts(rest, GATE_STR("/"));
    if (cleaned.is_rooted)
        cleaned.out[cleaned.len++] = '/';
    cleaned.kept = cleaned.len;
    for (size_t at = 0; at < rest.len;) {
        size_t end = gate_str_find(rest, GATE_STR("/"), at);
        end = end == SIZE_MAX ? rest.len : end;
        part_add(&cleaned, gate_str_slice(rest, at, end));
        at = end + 1;
    }
    if (cleaned.len == 0)
        cleaned.out[cleaned.len++] = '.';
    return (struct gate_str){cleaned.out - scheme, scheme + cleaned.len};
}

struct gate_str gate_file_distinct_end(struct gate_str path) {
    struct gate_str base = gate_str_basename(path);
    bool is_common = gate_str_starts(base, GATE_STR("index.")) || gate_str_starts(base, GATE_STR("main."));
    size_t at = path.len - base.len;
    while (is_common && at > 1 && path.ptr[at - 2] != '/')
        at--;
    return gate_str_slice(path, is_common && at > 0 ? at - 1 : at, path.len);
}

struct gate_str gate_file_known(struct gate_str file) {
    static const char *const none[] = {"Unknown", "unknown", "<unknown>", "[unknown]", "??", "nothing"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        if (gate_str_equal(file, gate_str_from(none[i])))
            return GATE_STR("");
    return file;
}

bool gate_name_initialises(struct gate_str name, struct gate_str file) {
    static const char *const words[] = {
        "<frozen importlib._bootstrap", "runtime.doInit",       ".<clinit>", "Kernel#require",
        "clojure.core$load_lib",        "clojure/core$load_lib"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (gate_str_find(name, gate_str_from(words[i]), 0) != SIZE_MAX ||
            gate_str_find(file, gate_str_from(words[i]), 0) != SIZE_MAX)
            return true;
    return false;
}

bool gate_name_is_script(struct gate_str file) {
    size_t query = gate_str_find(file, GATE_STR("?"), 0);
    file = gate_str_slice(file, 0, query);
    return gate_str_ends(file, GATE_STR(".js")) || gate_str_ends(file, GATE_STR(".mjs")) ||
           gate_str_ends(file, GATE_STR(".cjs"));
}

bool gate_name_is_short(struct gate_str name) {
    enum { LETTERS = 2 };
    size_t end = gate_str_find(name, GATE_STR("."), 0);
    struct gate_str head = gate_str_slice(name, 0, end), rest = gate_str_slice(name, head.len, name.len);
    bool is_letter = head.len != 0 && (gate_is_letter(head.ptr[0]) || head.ptr[0] == '_' || head.ptr[0] == '$');
    return is_letter && head.len <= LETTERS && (rest.len == 0 || gate_str_starts(rest, GATE_STR(".(anonymous)")));
}
