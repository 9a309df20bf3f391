/* SPDX-License-Identifier: Apache-2.0 */
/* What a function's name tells (see name.h). */
#include "gate/profile/name.h"

static bool is_upper(char c) {
    return c >= 'A' && c <= 'Z';
}

/* Up to the parameters and type arguments, which hold dots, slashes and colons of their own. A Rust path in angle
 * brackets, "<app::Server as Service>::call", is read from its inside. */
static struct gate_str path_of(struct gate_str name) {
    if (gate_str_starts(name, GATE_STR("<")))
        name = gate_str_slice(name, 1, name.len);
    const struct gate_str unnamed = GATE_STR("(anonymous namespace)");
    size_t end = 0;
    while (end < name.len && name.ptr[end] != '\0' && strchr("<[ \t>", name.ptr[end]) == NULL) {
        bool receiver = name.ptr[end] == '(' && end > 0 && name.ptr[end - 1] == '.'; /* Go's ".(*T)" */
        bool is_unnamed = gate_str_starts(gate_str_slice(name, end, name.len), unnamed);
        if (name.ptr[end] == '(' && !receiver && !is_unnamed)
            break;
        end += is_unnamed ? unnamed.len : 1;
    }
    return gate_str_slice(name, 0, end);
}

/* "tokio::runtime::Runtime::block_on": the modules, without the function and the type that it belongs to. */
static struct gate_str colon_package(struct gate_str name, struct gate_str path) {
    size_t ends[2] = {0, 0}; /* of the last two "::" */
    bool in_type = path.len < name.len && name.ptr[path.len] == '<';
    for (size_t i = 0; i + 1 < path.len; i++)
        if (path.ptr[i] == ':' && path.ptr[i + 1] == ':') {
            ends[0] = ends[1];
            ends[1] = i++;
        }
    size_t last_start = ends[0] == 0 ? 0 : ends[0] + 2;
    if (!in_type && is_upper(path.ptr[last_start]))
        return gate_str_slice(path, 0, ends[0]);
    return gate_str_slice(path, 0, ends[1]);
}

/* "github.com/a/b.(*T).M" is Go: up to the first '.' behind the last '/'. "java/lang/Thread.run" is Java: up to it. */
static struct gate_str slash_package(struct gate_str path, size_t slash) {
    size_t first_slash = gate_str_find(path, GATE_STR("/"), 0);
    bool has_domain = memchr(path.ptr, '.', first_slash) != NULL;
    if (!has_domain && slash + 1 < path.len && is_upper(path.ptr[slash + 1]))
        return gate_str_slice(path, 0, slash);
    size_t dot = gate_str_find(path, GATE_STR("."), slash);
    return dot == SIZE_MAX ? GATE_STR("") : gate_str_slice(path, 0, dot);
}

/* "java.lang.Thread.run", "main.(*T).M", "os.path.join": up to the type, else the first part. */
static struct gate_str dot_package(struct gate_str path) {
    size_t start = 0;
    for (size_t i = 0; i < path.len; i++) {
        if (path.ptr[i] != '.')
            continue;
        if (i + 1 < path.len && (is_upper(path.ptr[i + 1]) || path.ptr[i + 1] == '('))
            return is_upper(path.ptr[0]) ? GATE_STR("") : gate_str_slice(path, 0, i);
        start = start == 0 ? i : start;
    }
    return is_upper(path.len == 0 ? 'A' : path.ptr[0]) ? GATE_STR("") : gate_str_slice(path, 0, start);
}

/* Up to the first '.' behind the last '/': types, receivers and closures follow. What the linker made is in none. */
static struct gate_str go_package(struct gate_str path) {
    if (gate_str_starts(path, GATE_STR("go:")) || gate_str_starts(path, GATE_STR("type:")) ||
        gate_str_starts(path, GATE_STR("type..")))
        return GATE_STR("");
    size_t start = path.len;
    while (start > 0 && path.ptr[start - 1] != '/')
        start--;
    size_t dot = gate_str_find(path, GATE_STR("."), start);
    return dot == SIZE_MAX ? GATE_STR("") : gate_str_slice(path, 0, dot);
}

struct gate_str gate_name_package(struct gate_str name, enum gate_language language) {
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

/* Prefixes, but for those that end in '$', which are whole names. */
static const char *const runtime_names[] = {
    /* Go */
    "runtime.", "runtime/", "internal/runtime/", "gcWriteBarrier", "memeqbody$", "cmpbody$", "indexbytebody$",
    "aeshashbody$", "gogo$", "callRet$", "racecall$",
    /* C and C++ allocators */
    "malloc$", "calloc$", "realloc$", "free$", "cfree$", "_int_malloc$", "_int_free$", "_int_realloc$",
    "malloc_consolidate$", "sysmalloc$", "systrim$", "unlink_chunk$", "__libc_malloc$", "__libc_free$",
    "__libc_calloc$", "__libc_realloc$", "operator new", "operator delete", "je_", "tcmalloc::", "tc_malloc", "tc_free",
    "tc_new", "tc_delete", "mi_malloc", "mi_free", "_mi_",
    /* Rust */
    "alloc::alloc::", "__rust_alloc", "__rust_dealloc", "__rust_realloc", "__rdl_alloc", "__rdl_dealloc",
    /* JVM */
    "G1CollectedHeap::", "G1ParScan", "G1Concurrent", "G1Young", "GCTaskThread",
    "WorkerThread::", "CompileBroker::", "C2Compiler::", "Compile::", "PhaseChaitin::", "PhaseIdealLoop::",
    "PhaseIterGVN::", "VMThread::", "SafepointSynchronize::", "PSPromotionManager::", "ParallelGC", "ShenandoahHeap",
    "ZDriver", "ZMark", "ZRelocate", "Interpreter$", "InterpreterRuntime::", "ObjectSynchronizer::",
    /* V8 */
    "(garbage collector)$", "(program)$", "(idle)$", "v8::internal::", "Builtin:", "BytecodeHandler:",
    /* Python, Ruby, .NET, Julia, OCaml */
    "_PyEval_EvalFrame", "PyEval_EvalFrame", "gc_collect_", "_PyObject_Malloc", "_PyObject_Free", "PyObject_Malloc",
    "PyObject_Free", "_PyGC_", "_Py_Dealloc", "rb_gc", "gc_sweep", "gc_mark", "gc_marks", "vm_exec$", "vm_exec_core$",
    "rb_vm_exec$", "WKS::gc_heap::", "SVR::gc_heap::", "coreclr!", "libcoreclr.so!", "jl_gc_", "ijl_gc_",
    "gc_heap::", "caml_major_collection", "caml_empty_minor_heap", "caml_alloc", NULL};

bool gate_name_is_runtime(struct gate_str name) {
    /* Roots of every Go stack: they contain the program's own code. */
    if (gate_str_equal(name, GATE_STR("runtime.main")) || gate_str_equal(name, GATE_STR("runtime.goexit")))
        return false;
    for (size_t i = 0; runtime_names[i] != NULL; i++) {
        if (name.len == 0 || runtime_names[i][0] != name.ptr[0])
            continue; /* nearly all of them, so that most are not measured */
        struct gate_str word = gate_str_from(runtime_names[i]);
        bool whole = word.ptr[word.len - 1] == '$';
        if (whole)
            word.len--;
        if (whole ? gate_str_equal(name, word) : gate_str_starts(name, word))
            return true;
    }
    return false;
}

bool gate_name_is_skid(struct gate_str name) {
    return gate_str_equal(name, GATE_STR("runtime.asyncPreempt")) ||
           gate_str_equal(name, GATE_STR("runtime.asyncPreempt.abi0"));
}
