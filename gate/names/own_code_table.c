/* SPDX-License-Identifier: Apache-2.0 */
/* Rules for the kind of a frame's code, per language. To add a rule, add a row; the first row that matches decides. */
#include "gate/names/own_code_table.h"

#include "gate/model/profile.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* clang-format off */
enum {
    GO = 1 << GATE_LANGUAGE_GO, JVM = 1 << GATE_LANGUAGE_JVM, NODE = 1 << GATE_LANGUAGE_NODE,
    PYTHON = 1 << GATE_LANGUAGE_PYTHON, RUST = 1 << GATE_LANGUAGE_RUST, NATIVE = 1 << GATE_LANGUAGE_NATIVE,
    RUBY = 1 << GATE_LANGUAGE_RUBY, PHP = 1 << GATE_LANGUAGE_PHP, OTHER = 1 << GATE_LANGUAGE_UNKNOWN,
    ANY = (1 << GATE_LANGUAGES) - 1,
    OTHERS = RUBY | PHP | OTHER,       /* their profiles may have functions of an interpreter in C */
    BINARIES = RUST | NATIVE | OTHERS /* languages in which the nameless code of the program's binary is own code */
};

/* sizeof(NULL) - 1 is the length of a row without text; it is never used. */
#define TEST(on, how, text) {GATE_OWN_CODE_ON_##on, GATE_OWN_CODE_HOW_##how, sizeof(text) - 1, text}

#define OWN(languages, on, how, text) {languages, TEST(on, how, text), GATE_CODE_OWN}

#define THIRD(languages, on, how, text) {languages, TEST(on, how, text), GATE_CODE_THIRD_PARTY}

#define LIBRARY(languages, on, how, text) {languages, TEST(on, how, text), GATE_CODE_LIBRARY}

#define VOTE(language, on, how, text) {GATE_LANGUAGE_##language, TEST(on, how, text)}

const struct gate_own_code_row gate_own_code_table_rows[] = {
    /* ---- any language: the kernel, frames without a symbol, folders of mappings ---- */
    LIBRARY(ANY, SPELLED, ENDS, "_[k]"),
    LIBRARY(ANY, SPELLED, ENDS, " [k]"),
    LIBRARY(ANY & ~GO, NAME, STARTS, "["), /* [unknown], [libjvm.so]; in Go the name ends before '[' */
    LIBRARY(ANY, MAPPING, STARTS, "[v"), /* [vdso], [vsyscall] */
    LIBRARY(ANY, MAPPING, STARTS, "[kernel"),
    LIBRARY(ANY, MAPPING, STARTS, "[guest.kernel"),
    THIRD(BINARIES, OTHER, CONTAINS, "site-packages/"), /* frames of other languages are decided by names and files */
    THIRD(BINARIES, OTHER, CONTAINS, "dist-packages/"),
    THIRD(BINARIES, OTHER, CONTAINS, "/node_modules/"),
    LIBRARY(BINARIES, OTHER, STARTS, "/lib/"),
    LIBRARY(BINARIES, OTHER, STARTS, "/usr/lib"), /* also lib64, lib32, libexec */
    LIBRARY(BINARIES, OTHER, CONTAINS, "/lib64/"),
    LIBRARY(BINARIES, OTHER, CONTAINS, "/lib/x86_64-linux-gnu/"),
    LIBRARY(BINARIES, OTHER, CONTAINS, "/lib/aarch64-linux-gnu/"),
    LIBRARY(BINARIES, OTHER, STARTS, "/nix/store/"),
    LIBRARY(BINARIES, OTHER, STARTS, "/System/Library/"),
    THIRD(BINARIES, OTHER, STARTS, "/usr/local/lib"),
    LIBRARY(BINARIES, STEM, STARTS, "ld-"),
    LIBRARY(BINARIES, STEM, IN, LIBRARY_STEMS),
    OWN(BINARIES, NAMELESS, PRESENT, NULL), /* the binary itself, or a library shipped with it */
    LIBRARY(ANY, SPELLED, LACKS, ""), /* any other frame without a name */

    /* ---- Go ---- */
    OWN(GO, NAME, STARTS, "main."),
    LIBRARY(GO, NAME, STARTS, "type:"), /* type:.eq.main.item */
    LIBRARY(GO, NAME, STARTS, "type.."),
    LIBRARY(GO, NAME, STARTS, "go:"),
    LIBRARY(GO, NAME, STARTS, "_cgo"),
    LIBRARY(GO, NAME, STARTS, "x_cgo"),
    LIBRARY(GO, NAME, CONTAINS, "::"), /* linked C++ and Rust code */
    LIBRARY(GO, NAME, CONTAINS, ".isra."), /* this row and the next four: linked C code */
    LIBRARY(GO, NAME, CONTAINS, ".constprop."),
    LIBRARY(GO, NAME, ENDS, ".part.0"),
    LIBRARY(GO, NAME, ENDS, ".cold"),
    LIBRARY(GO, NAME, CONTAINS, "@"),
    LIBRARY(GO, NAME, LACKS, "."), /* assembly and C symbols: memeqbody, gogo, start_thread */
    LIBRARY(GO, ROOT, IN, GO_ROOTS),
    THIRD(GO, NAME, CONTAINS, "/vendor/"),
    THIRD(GO, FILE, CONTAINS, "/vendor/"),
    THIRD(GO, FILE, STARTS, "vendor/"),
    THIRD(GO, FILE, CONTAINS, "@v"), /* github.com/acme/cart@v1.2.3/cart.go, in the module cache and with -trimpath */

    /* ---- the JVM ---- */
    LIBRARY(JVM, ROOT, IN, JVM_ROOTS),
    LIBRARY(JVM, NAME, STARTS, "com.sun."),
    LIBRARY(JVM, NAME, STARTS, "com/sun/"),
    LIBRARY(JVM, NAME, STARTS, "org.w3c.dom."),
    LIBRARY(JVM, NAME, STARTS, "org/w3c/dom/"),
    LIBRARY(JVM, NAME, STARTS, "org.xml.sax."),
    LIBRARY(JVM, NAME, STARTS, "org/xml/sax/"),
    LIBRARY(JVM, NAME, STARTS, "org.codehaus.groovy."),
    LIBRARY(JVM, NAME, STARTS, "org/codehaus/groovy/"),
    OWN(JVM, NAME, CONTAINS, ":::"), /* perf with perf-map-agent: com/acme/Cart:::add */
    OWN(JVM, NAME, CONTAINS, ";::"),
    LIBRARY(JVM, NAME, CONTAINS, "::"), /* the virtual machine's C++ */
    LIBRARY(JVM, NAME, CONTAINS, ".isra."),
    LIBRARY(JVM, NAME, CONTAINS, ".constprop."),
    LIBRARY(JVM, NAME, ENDS, ".part.0"),
    LIBRARY(JVM, NAME, ENDS, ".cold"),
    LIBRARY(JVM, NAME, ENDS, ".so"),
    LIBRARY(JVM, NAME, CONTAINS, ".so."), /* /usr/lib/libz.so.1.2.13 */
    LIBRARY(JVM, NAME, CONTAINS, "@"), /* cfree@GLIBC_2.2.5, memcpy@plt */
    LIBRARY(JVM, NAME, LACKS, "."), /* no class: call_stub, start_thread, byte[] */

    /* ---- Node and browsers ---- */
    LIBRARY(NODE, FILE, STARTS, "node:"),
    LIBRARY(NODE, FILE, STARTS, "internal/"),
    LIBRARY(NODE, FILE, STARTS, "native "),
    LIBRARY(NODE, FILE, STARTS, "ext:"),
    LIBRARY(NODE, FILE, STARTS, "extensions::"),
    LIBRARY(NODE, FILE, ENDS, ".cc"),
    LIBRARY(NODE, FILE, ENDS, ".cpp"),
    LIBRARY(NODE, FILE, ENDS, ".c"),
    LIBRARY(NODE, FILE, ENDS, ".h"),
    THIRD(NODE, FILE, CONTAINS, "/node_modules/"),
    THIRD(NODE, FILE, STARTS, "node_modules/"),
    THIRD(NODE, FILE, CONTAINS, "/.yarn/"),
    THIRD(NODE, FILE, CONTAINS, "/deno/npm/"),     /* Deno's cache of packages: ~/.cache/deno */
    THIRD(NODE, FILE, CONTAINS, "/deno-dir/npm/"), /* the same in Deno's container images */
    THIRD(NODE, FILE, STARTS, "chrome-extension:"),
    OWN(NODE, FILE, PRESENT, NULL),
    LIBRARY(NODE, SPELLED, PRESENT, NULL), /* no file: (garbage collector), RegExp: …, built-in functions in C++ */

    /* ---- Python ---- */
    THIRD(PYTHON, FILE, CONTAINS, "site-packages/"),
    THIRD(PYTHON, FILE, CONTAINS, "dist-packages/"),
    THIRD(PYTHON, FILE, CONTAINS, "/.pex/"),
    LIBRARY(PYTHON, FILE, STARTS, "<frozen "),
    LIBRARY(PYTHON, FILE, STARTS, "<built-in"),
    LIBRARY(PYTHON, FILE, CONTAINS, "/lib/python2"),
    LIBRARY(PYTHON, FILE, CONTAINS, "/lib/python3"),
    LIBRARY(PYTHON, FILE, CONTAINS, "/lib64/python2"),
    LIBRARY(PYTHON, FILE, CONTAINS, "/lib64/python3"),
    LIBRARY(PYTHON, FILE, STARTS, "lib/python3"),
    LIBRARY(PYTHON, FILE, CONTAINS, "/lib/pypy"),
    LIBRARY(PYTHON, FILE, CONTAINS, "/Lib/"), /* Windows, and Python's own sources */
    LIBRARY(PYTHON, FILE, CONTAINS, ".zip/encodings/"),
    LIBRARY(PYTHON, ROOT, IN, PYTHON_ROOTS), /* py-spy shortens files to what follows sys.path */
    OWN(PYTHON, FILE, ENDS, ".py"),
    OWN(PYTHON, FILE, ENDS, ".pyw"),
    OWN(PYTHON, FILE, ENDS, ".pyx"),
    OWN(PYTHON, FILE, ENDS, ".html"), /* templates */
    OWN(PYTHON, FILE, ENDS, ".j2"),
    OWN(PYTHON, FILE, ENDS, ".mako"),
    OWN(PYTHON, FILE, STARTS, "<string>"), /* python3 -c, and exec */
    OWN(PYTHON, FILE, STARTS, "<stdin>"),
    OWN(PYTHON, FILE, STARTS, "<console>"),
    OWN(PYTHON, FILE, STARTS, "<input>"),
    OWN(PYTHON, FILE, STARTS, "<ipython-input"), /* notebooks, and what they time */
    OWN(PYTHON, FILE, STARTS, "<command-"),
    OWN(PYTHON, FILE, STARTS, "<timed "),
    OWN(PYTHON, FILE, STARTS, "<magic-"),
    OWN(PYTHON, FILE, STARTS, "<timeit-src>"),
    OWN(PYTHON, FILE, STARTS, "<doctest "),
    OWN(PYTHON, FILE, STARTS, "<template>"), /* Jinja, of a text without a file */
    OWN(PYTHON, FILE, STARTS, "<unknown>"),  /* likewise, and the default of ast.parse */
    THIRD(PYTHON, FILE, STARTS, "<"),        /* generated: <attrs generated init …>, <werkzeug routing> */
    LIBRARY(PYTHON, SPELLED, PRESENT, NULL), /* native frames, processes, threads */

    /* ---- Rust ---- */
    LIBRARY(RUST, FILE, STARTS, "/rustc/"),
    LIBRARY(RUST, FILE, CONTAINS, "/library/std/src/"),
    LIBRARY(RUST, FILE, CONTAINS, "/library/core/src/"),
    LIBRARY(RUST, FILE, CONTAINS, "/library/alloc/src/"),
    LIBRARY(RUST, FILE, CONTAINS, "/rust/deps/"), /* crates that std uses */
    THIRD(RUST, FILE, CONTAINS, "cargo/registry/"),
    THIRD(RUST, FILE, CONTAINS, "cargo/git/"),
    THIRD(RUST, FILE, CONTAINS, "/vendor/"),
    LIBRARY(RUST, ROOT, IN, RUST_ROOTS),
    LIBRARY(RUST, NAME, STARTS, "__"), /* __rust_alloc, __libc_start_main, __umoddi3 */
    LIBRARY(RUST, NAME, STARTS, "_ZSt"),
    LIBRARY(RUST, NAME, STARTS, "_ZNSt"),
    LIBRARY(RUST, NAME, STARTS, "_ZNKSt"),
    OWN(RUST, FILE, ENDS, ".rs"),
    LIBRARY(RUST, FILE, ENDS, ".c"),
    LIBRARY(RUST, FILE, ENDS, ".cc"),
    LIBRARY(RUST, FILE, ENDS, ".cpp"),
    LIBRARY(RUST, FILE, ENDS, ".h"),
    OWN(RUST, NAME, STARTS, "_ZN"),
    OWN(RUST, NAME, STARTS, "_R"),
    LIBRARY(RUST, NAME, LACKS, "::"), /* C: main, malloc, start_thread */

    /* ---- Ruby ---- */
    THIRD(RUBY | OTHER, FILE, CONTAINS, "/gems/"),
    THIRD(RUBY, FILE, CONTAINS, "/vendor_ruby/"), /* gems that are packages of Debian */
    THIRD(RUBY, FILE, CONTAINS, "/site_ruby/"),
    LIBRARY(RUBY, FILE, CONTAINS, "lib/ruby/2."), /* not lib/ruby/price.rb, which a program may have */
    LIBRARY(RUBY, FILE, CONTAINS, "lib/ruby/3."),
    LIBRARY(RUBY, FILE, CONTAINS, "lib/ruby/4."),
    LIBRARY(RUBY, FILE, CONTAINS, "lib/ruby/stdlib/"), /* JRuby */
    LIBRARY(RUBY, FILE, STARTS, "<internal:"),
    LIBRARY(RUBY, FILE, IS, "<cfunc>"),    /* methods in C, as stackprof writes them */
    LIBRARY(RUBY, FILE, IS, "(unknown)"),  /* likewise, rbspy: "sleep [c function] - (unknown)" */
    OWN(RUBY, FILE, ENDS, ".rb"),
    OWN(RUBY, FILE, ENDS, ".erb"),
    LIBRARY(RUBY, SPELLED, STARTS, "("), /* (sweeping), (marking) */
    LIBRARY(RUBY, SPELLED, CONTAINS, "[c function]"),
    LIBRARY(RUBY, ROOT, IN, RUBY_ROOTS), /* collapsed stacks have no files */

    /* ---- PHP ---- */
    THIRD(PHP | OTHER, FILE, CONTAINS, "/vendor/"),
    THIRD(PHP, FILE, STARTS, "vendor/"),
    THIRD(PHP, FILE, CONTAINS, "/share/php/"), /* Debian's packages */
    THIRD(PHP, FILE, CONTAINS, "/share/pear/"),
    LIBRARY(PHP, FILE, IS, "php:internal"), /* xdebug */
    LIBRARY(PHP, FILE, IS, "<internal>"),   /* phpspy */
    LIBRARY(PHP, SPELLED, STARTS, "php::"),
    LIBRARY(PHP, SPELLED, CONTAINS, "|"), /* as Datadog's profiler writes built-in functions: Core|count */

    /* ---- C and C++ ---- */
    LIBRARY(NATIVE, NAME, STARTS, "std::"),
    LIBRARY(NATIVE, NAME, STARTS, "operator new"),
    LIBRARY(NATIVE, NAME, STARTS, "operator delete"),
    LIBRARY(NATIVE, NAME, STARTS, "tcmalloc::"),
    LIBRARY(NATIVE, NAME, STARTS, "tc_malloc"),
    LIBRARY(NATIVE, NAME, STARTS, "tc_free"),
    LIBRARY(NATIVE, NAME, STARTS, "tc_new"),
    LIBRARY(NATIVE, NAME, STARTS, "tc_delete"),
    LIBRARY(NATIVE, NAME, STARTS, "je_"),
    LIBRARY(NATIVE, NAME, STARTS, "mi_malloc"),
    LIBRARY(NATIVE, NAME, STARTS, "mi_free"),
    LIBRARY(NATIVE, NAME, STARTS, "_mi_"),
    LIBRARY(NATIVE, NAME, STARTS, "__"), /* reserved: __libc_…, __cxa_…, __gnu_cxx::, __x64_sys_… */
    LIBRARY(NATIVE, NAME, STARTS, "_ZSt"),
    LIBRARY(NATIVE, NAME, STARTS, "_ZNSt"),
    LIBRARY(NATIVE, NAME, STARTS, "_ZNKSt"),
    LIBRARY(NATIVE, NAME, STARTS, "_ZNSa"),
    LIBRARY(NATIVE, NAME, STARTS, "_ZNSs"),
    LIBRARY(NATIVE, NAME, STARTS, "_ZN9__gnu_cxx"),
    LIBRARY(NATIVE, NAME, STARTS, "_ZN10__cxxabiv1"),
    LIBRARY(NATIVE, NAME, STARTS, "_Zn"), /* operator new and delete */
    LIBRARY(NATIVE, NAME, STARTS, "_Zd"),
    LIBRARY(NATIVE, NAME, STARTS, "_IO_"),
    LIBRARY(NATIVE, NAME, STARTS, "_int_"),
    LIBRARY(NATIVE, NAME, STARTS, "_dl_"),
    LIBRARY(NATIVE, NAME, STARTS, "_nl_"),
    LIBRARY(NATIVE, NAME, STARTS, "_Unwind_"),
    LIBRARY(NATIVE, NAME, STARTS, "_mcleanup"),
    LIBRARY(NATIVE, NAME, IN, " _start _init _fini _exit _itoa_word _pthread_cleanup_push "),
    LIBRARY(NATIVE, SPELLED, ENDS, "@plt"),
    LIBRARY(NATIVE, NAME, IN, LIBC_NAMES),
    LIBRARY(NATIVE, FILE, CONTAINS, "/sysdeps/"),
    LIBRARY(NATIVE, FILE, CONTAINS, "/glibc-"),
    LIBRARY(NATIVE, FILE, STARTS, "./csu/"),
    LIBRARY(NATIVE, FILE, STARTS, "./nptl/"),
    LIBRARY(NATIVE, FILE, STARTS, "./malloc/"),
    LIBRARY(NATIVE, FILE, STARTS, "/usr/include/"), /* templates of the standard library and of installed libraries */
    LIBRARY(NATIVE, FILE, CONTAINS, "/include/c++/"),
    THIRD(NATIVE, FILE, STARTS, "/usr/local/include/"),
    THIRD(NATIVE, FILE, CONTAINS, "/third_party/"),
    THIRD(NATIVE, FILE, CONTAINS, "/_deps/"),
    THIRD(NATIVE, FILE, CONTAINS, "/.conan"),
    THIRD(NATIVE, FILE, CONTAINS, "/vcpkg/"),

    /* ---- Ruby, PHP, and languages without own rows ---- */
    LIBRARY(OTHERS, FILE, ENDS, ".c"), /* C code of the interpreter, as most functions are not C */
    LIBRARY(OTHERS, FILE, ENDS, ".h"),
    LIBRARY(OTHERS, FILE, ENDS, ".cc"),
    LIBRARY(OTHERS, FILE, ENDS, ".cpp"),
    LIBRARY(OTHERS, FILE, ENDS, ".S"),
    LIBRARY(OTHERS, FILE, ENDS, ".dylib"), /* Julia writes the library if the source is unknown */
    LIBRARY(OTHERS, FILE, ENDS, ".so"),
    LIBRARY(OTHERS, FILE, CONTAINS, ".so."),
    LIBRARY(OTHER, FILE, CONTAINS, "/share/julia/"),
    LIBRARY(OTHER, NAME, STARTS, "Alloc: "), /* the last frame of Julia's allocation profiles is the type */
    THIRD(OTHER, FILE, CONTAINS, "/.julia/packages/"),
    LIBRARY(OTHER, NAME, STARTS, "System."), /* .NET */
    LIBRARY(OTHER, NAME, STARTS, "Microsoft."),
    LIBRARY(OTHERS, NAME, IN, " start_thread clone clone3 _start "),
    LIBRARY(OTHERS, NAME, STARTS, "__libc_"),
    LIBRARY(OTHERS, NAME, STARTS, "__GI_"),
    LIBRARY(OTHERS, NAME, RUNTIME, NULL),

    /* ---- kernel frames without a mark ---- */
    LIBRARY(NATIVE | OTHERS, NAME, STARTS, "entry_SYSCALL"),
    LIBRARY(NATIVE | OTHERS, NAME, STARTS, "do_syscall_"),
    LIBRARY(OTHERS, NAME, STARTS, "__x64_sys_"),
    LIBRARY(OTHERS, NAME, STARTS, "__arm64_sys_"),
    LIBRARY(NATIVE | OTHERS, NAME, STARTS, "asm_"),
    LIBRARY(NATIVE | OTHERS, NAME, STARTS, "sysvec_"),
    LIBRARY(NATIVE | OTHERS, NAME, STARTS, "irqentry_"),
    LIBRARY(NATIVE | OTHERS, NAME, STARTS, "ksys_"),
    LIBRARY(NATIVE | OTHERS, NAME, STARTS, "vfs_"),
    LIBRARY(NATIVE | OTHERS, NAME, STARTS, "kmem_cache_"),
    LIBRARY(NATIVE | OTHERS, NAME, STARTS, "_raw_spin_"),
    LIBRARY(NATIVE | OTHERS, NAME, STARTS, "_copy_"),
    LIBRARY(NATIVE | OTHERS, NAME, STARTS, "perf_trace_"),
    LIBRARY(NATIVE | OTHERS, NAME, STARTS, "rcu_"),
    LIBRARY(NATIVE | OTHERS, NAME, IN, KERNEL_NAMES),

    OWN(ANY & ~(NODE | PYTHON), SPELLED, PRESENT, NULL), /* those two have a last row of their own */
};

const size_t gate_own_code_table_row_count = COUNT(gate_own_code_table_rows);

const struct gate_own_code_vote gate_own_code_table_votes[] = {
    /* ---- files ---- */
    VOTE(GO, FILE, ENDS, ".go"),
    VOTE(NODE, FILE, STARTS, "node:"),
    VOTE(NODE, FILE, ENDS, ".js"), VOTE(NODE, FILE, ENDS, ".mjs"), VOTE(NODE, FILE, ENDS, ".cjs"),
    VOTE(NODE, FILE, ENDS, ".ts"), VOTE(NODE, FILE, ENDS, ".mts"), VOTE(NODE, FILE, ENDS, ".tsx"),
    VOTE(NODE, FILE, ENDS, ".jsx"), VOTE(NODE, FILE, STARTS, "file://"),
    VOTE(PYTHON, FILE, ENDS, ".py"), VOTE(PYTHON, FILE, ENDS, ".pyx"), VOTE(PYTHON, FILE, STARTS, "<frozen "),
    VOTE(JVM, FILE, ENDS, ".java"), VOTE(JVM, FILE, ENDS, ".kt"), VOTE(JVM, FILE, ENDS, ".kts"),
    VOTE(JVM, FILE, ENDS, ".scala"), VOTE(JVM, FILE, ENDS, ".clj"), VOTE(JVM, FILE, ENDS, ".groovy"),
    VOTE(RUST, FILE, ENDS, ".rs"),
    VOTE(NATIVE, FILE, ENDS, ".c"), VOTE(NATIVE, FILE, ENDS, ".h"), VOTE(NATIVE, FILE, ENDS, ".cc"),
    VOTE(NATIVE, FILE, ENDS, ".cpp"), VOTE(NATIVE, FILE, ENDS, ".cxx"), VOTE(NATIVE, FILE, ENDS, ".hpp"),
    VOTE(NATIVE, FILE, ENDS, ".hh"), VOTE(NATIVE, FILE, ENDS, ".C"), VOTE(NATIVE, FILE, ENDS, ".tcc"),
    VOTE(NATIVE, FILE, CONTAINS, "/include/c++/"),
    VOTE(RUBY, FILE, ENDS, ".rb"), VOTE(RUBY, FILE, ENDS, ".erb"), VOTE(RUBY, FILE, IS, "<cfunc>"),
    VOTE(PHP, FILE, ENDS, ".php"), VOTE(PHP, FILE, ENDS, ".phtml"), VOTE(PHP, FILE, IS, "php:internal"),
    VOTE(UNKNOWN, FILE, ENDS, ".jl"),
    VOTE(UNKNOWN, FILE, ENDS, ".cs"), VOTE(UNKNOWN, FILE, ENDS, ".fs"), VOTE(UNKNOWN, FILE, ENDS, ".ex"),
    VOTE(UNKNOWN, FILE, ENDS, ".exs"), VOTE(UNKNOWN, FILE, ENDS, ".erl"), VOTE(UNKNOWN, FILE, ENDS, ".lua"),
    VOTE(UNKNOWN, FILE, ENDS, ".pl"), VOTE(UNKNOWN, FILE, ENDS, ".pm"), VOTE(UNKNOWN, FILE, ENDS, ".swift"),
    VOTE(UNKNOWN, FILE, ENDS, ".ml"), VOTE(UNKNOWN, FILE, ENDS, ".hs"), VOTE(UNKNOWN, FILE, ENDS, ".dart"),
    /* ---- names ---- */
    VOTE(GO, SPELLED, STARTS, "runtime."), VOTE(GO, SPELLED, STARTS, "runtime/"), VOTE(GO, SPELLED, STARTS, "main."),
    VOTE(GO, SPELLED, CONTAINS, ".(*"), VOTE(GO, SPELLED, STARTS, "github.com/"),
    VOTE(GO, SPELLED, STARTS, "golang.org/"), VOTE(GO, SPELLED, STARTS, "google.golang.org/"),
    VOTE(GO, SPELLED, STARTS, "type:."),
    VOTE(JVM, SPELLED, STARTS, "java."), VOTE(JVM, SPELLED, STARTS, "java/"), VOTE(JVM, SPELLED, STARTS, "javax."),
    VOTE(JVM, SPELLED, STARTS, "javax/"), VOTE(JVM, SPELLED, STARTS, "jdk."), VOTE(JVM, SPELLED, STARTS, "jdk/"),
    VOTE(JVM, SPELLED, STARTS, "sun."), VOTE(JVM, SPELLED, STARTS, "sun/"), VOTE(JVM, SPELLED, STARTS, "kotlin."),
    VOTE(JVM, SPELLED, STARTS, "kotlin/"), VOTE(JVM, SPELLED, STARTS, "scala."), VOTE(JVM, SPELLED, STARTS, "scala/"),
    VOTE(JVM, SPELLED, STARTS, "Ljava/"),
    VOTE(NODE, SPELLED, IS, "(garbage collector)"), VOTE(NODE, SPELLED, IS, "(program)"),
    VOTE(NODE, SPELLED, STARTS, "LazyCompile:"), VOTE(NODE, SPELLED, STARTS, "JS:"),
    VOTE(NODE, SPELLED, STARTS, "RegExp:"), VOTE(NODE, SPELLED, STARTS, "BytecodeHandler:"),
    VOTE(RUST, SPELLED, STARTS, "core::"), VOTE(RUST, SPELLED, STARTS, "alloc::"),
    VOTE(RUST, SPELLED, STARTS, "std::rt::"), VOTE(RUST, SPELLED, STARTS, "std::sys"),
    VOTE(RUST, SPELLED, STARTS, "std::panic"), VOTE(RUST, SPELLED, STARTS, "std::io::"),
    VOTE(RUST, SPELLED, STARTS, "std::collections::"), VOTE(RUST, SPELLED, STARTS, "__rust"),
    VOTE(RUST, SPELLED, CONTAINS, " as core::"), VOTE(RUST, SPELLED, CONTAINS, " as alloc::"),
    VOTE(RUST, SPELLED, CONTAINS, "<core::"), VOTE(RUST, SPELLED, CONTAINS, "<alloc::"),
    VOTE(RUST, SPELLED, CONTAINS, "::{{"), VOTE(RUST, SPELLED, CONTAINS, "{closure#"),
    VOTE(RUST, SPELLED, STARTS, "_R"), VOTE(RUST, SPELLED, STARTS, "_ZN4core"),
    VOTE(RUST, SPELLED, STARTS, "_ZN5alloc"), VOTE(RUST, SPELLED, STARTS, "_ZN3std"),
    VOTE(RUST, SPELLED, CONTAINS, "$LT$"),
    VOTE(NATIVE, SPELLED, STARTS, "std::"), VOTE(NATIVE, SPELLED, STARTS, "_Z"),
    VOTE(NATIVE, SPELLED, STARTS, "__libc_"), VOTE(NATIVE, SPELLED, STARTS, "__gnu_cxx::"),
    VOTE(NATIVE, SPELLED, STARTS, "operator new"), VOTE(NATIVE, SPELLED, ENDS, "@plt"),
    VOTE(NATIVE, SPELLED, IN, LIBC_NAMES), VOTE(NATIVE, SPELLED, CONTAINS, "{lambda("),
    VOTE(NATIVE, SPELLED, CONTAINS, "{unnamed type#"),
    VOTE(PHP, SPELLED, ENDS, ".php"), /* a script as Excimer writes it: /srv/shop/main.php */
    VOTE(PHP, SPELLED, STARTS, "php::"), VOTE(PHP, SPELLED, STARTS, "{closure:"), VOTE(PHP, SPELLED, IS, "{closure}"),
    VOTE(UNKNOWN, SPELLED, CONTAINS, ":\\"), /* a path of Windows: C:\shop\shop.exe!main */
    VOTE(PHP, SPELLED, CONTAINS, "\\"),
    VOTE(RUBY, SPELLED, STARTS, "block in "), VOTE(RUBY, SPELLED, CONTAINS, "#<"),
    VOTE(UNKNOWN, SPELLED, STARTS, "#"),   /* Julia: #solve#12; JavaScript: #price */
    VOTE(UNKNOWN, SPELLED, CONTAINS, " #"), /* Swift: closure #1 in Cart.price(); JavaScript: get #price */
    VOTE(RUBY, SPELLED, METHOD, NULL),
    VOTE(NATIVE, SPELLED, CONTAINS, "::"),
    /* ---- mappings, used only if no function has a vote ---- */
    VOTE(JVM, MAPPING, CONTAINS, "/libjvm."), VOTE(PYTHON, MAPPING, CONTAINS, "/python3"),
    VOTE(PYTHON, MAPPING, CONTAINS, "/libpython"), VOTE(NODE, MAPPING, ENDS, "/node"),
    VOTE(NATIVE, MAPPING, CONTAINS, "/libc.so"), VOTE(NATIVE, MAPPING, CONTAINS, "/libc-2."),
    VOTE(NATIVE, MAPPING, CONTAINS, "/libstdc++"),
};

/* clang-format on */

const size_t gate_own_code_table_vote_count = COUNT(gate_own_code_table_votes);
