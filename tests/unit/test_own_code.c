/* SPDX-License-Identifier: Apache-2.0 */
/* Classification of frames as own code, third-party or library, by the names of each language. test_own_code_real.c
 * tests real profiles. */
#include "gate/names/own_code.h"
#include "tests/unit/sweep.h"

#define OWN GATE_CODE_OWN
#define THIRD GATE_CODE_THIRD_PARTY
#define LIBRARY GATE_CODE_LIBRARY
#define COUNT(array) (sizeof(array) / sizeof *(array))

/* A leading '*' in `mapping` marks the program's own binary. */
struct row {
    enum gate_code code;
    const char *function, *file, *mapping;
};

static enum gate_code code_of(enum gate_language language, const struct row *row) {
    const char *mapping = row->mapping == NULL ? "" : row->mapping;
    bool is_main = mapping[0] == '*';
    struct gate_code_place place = {
        .function = gate_str_from(row->function),
        .file = gate_str_from(row->file == NULL ? "" : row->file),
        .mapping = gate_str_from(mapping + (is_main ? 1 : 0)),
        .is_main_mapping = is_main,
    };
    return gate_own_code_of(language, &place);
}

static void expect_rows(enum gate_language language, const struct row *rows, size_t count) {
    for (size_t i = 0; i < count; i++) {
        enum gate_code code = code_of(language, &rows[i]);
        if (code != rows[i].code)
            fail_msg("%s: '%s' in file '%s', mapping '%s' is %s, expected %s", gate_own_code_language_name(language),
                     rows[i].function, rows[i].file == NULL ? "" : rows[i].file,
                     rows[i].mapping == NULL ? "" : rows[i].mapping, gate_own_code_name(code),
                     gate_own_code_name(rows[i].code));
    }
}

/* Functions without a file and a mapping. */
static void expect_names(enum gate_language language, enum gate_code code, const char *const *names) {
    for (; *names != NULL; names++)
        expect_rows(language, &(struct row){code, *names, NULL, NULL}, 1);
}
#define EXPECT_NAMES(language, code, ...) expect_names(language, code, (const char *const[]){__VA_ARGS__, NULL})

TEST(go_frames_are_classified) {
    static const struct row rows[] = {
        {OWN, "github.com/acme/shop/cart.Add", "/src/shop/cart/cart.go", NULL},
        {OWN, "go.uber.org/zap.New", NULL, NULL}, /* begins like "go" of the standard library */
        {OWN, "myapp/handlers.Serve", "/src/myapp/handlers/serve.go", NULL},
        {OWN, "timeseries.Add", NULL, NULL}, /* begins like "time" */
        {THIRD, "gopkg.in/yaml%2ev3.(*Decoder).Decode", "/root/go/pkg/mod/gopkg.in/yaml.v3@v3.0.1/yaml.go", NULL},
        {THIRD, "github.com/acme/cart.Add", "github.com/acme/cart@v1.2.3/cart.go", NULL},
        {THIRD, "github.com/acme/cart.Add", "/src/shop/vendor/github.com/acme/cart/cart.go", NULL},
        {THIRD, "github.com/acme/cart.Add", "vendor/github.com/acme/cart/cart.go", NULL},
        {LIBRARY, "vendor/golang.org/x/net/http2.(*Framer).ReadFrame",
         "/usr/local/go/src/vendor/golang.org/x/net/http2/frame.go", NULL},
        {LIBRARY, "runtime.mallocgc", "/root/go/pkg/mod/golang.org/toolchain@v0.0.1/src/runtime/malloc.go", NULL},
        {LIBRARY, "sqlite3_step", "/root/go/pkg/mod/x@v1/sqlite3.c", NULL},
        {LIBRARY, "", NULL, "*/app/shop"},
    };
    expect_rows(GATE_LANGUAGE_GO, rows, COUNT(rows));
    EXPECT_NAMES(GATE_LANGUAGE_GO, OWN, "main.main", "main.(*shop).handle.func1", "main.main.NewRouter.func1",
                 "github.com/a/b.(*T[...]).M", "example.com/x.F", "example%2ecom.F", "example.com/yaml%2ev3.F",
                 "shop.Total", "command-line-arguments.TestAdd");
    EXPECT_NAMES(GATE_LANGUAGE_GO, THIRD, "github.com/me/shop/vendor/github.com/acme/cart.Add");
    EXPECT_NAMES(GATE_LANGUAGE_GO, LIBRARY, "io.discard.ReadFrom", "net/http.(*conn).serve",
                 "slices.SortFunc[go.shape.struct { main.name string; main.price int }]",
                 "slices.SortFunc[github.com/acme/shop.Item]", "internal/runtime/maps.(*Map).getWithKey",
                 "type:.eq.main.item", "type..hash.main.item", "go:buildid", "memeqbody", "aeshashbody", "gogo",
                 "_cgo_wait_runtime_init_done", "x_cgo_thread_start", "parse.isra.0", "parse.part.0",
                 "cfree@GLIBC_2.2.5", "rocksdb::DB::Get", "do_syscall_64_[k]");
}

TEST(jvm_frames_are_classified) {
    static const struct row rows[] = {
        {OWN, "com.acme.shop.Cart.add(java.lang.String)", "Cart.java", NULL},
        {OWN, "javafoo.Cart.add", NULL, NULL}, /* begins like "java" */
        {LIBRARY, "", NULL, "*/usr/bin/java"},
    };
    expect_rows(GATE_LANGUAGE_JVM, rows, COUNT(rows));
    EXPECT_NAMES(GATE_LANGUAGE_JVM, OWN, "Shop.main", "com/acme/shop/Cart.add_[j]", "Shop.lambda$searchItems$0",
                 "Shop$$Lambda$5.0x00007fb01a001218.test_[i]", "Main$$EnhancerBySpringCGLIB$$1a2b3c4d.run",
                 "Main/0x0000000800c03000.run", "Lexer.next", "com.sunshine.Weather.get", "com/acme/Cart:::add",
                 "[Lcom.acme.shop.Item;");
    EXPECT_NAMES(GATE_LANGUAGE_JVM, LIBRARY, "java.util.HashMap.get", "java/util/regex/Pattern$Slice.match_[1]",
                 "java.base/java.lang.Thread.run", "javax.crypto.Cipher.doFinal", "jdk/internal/misc/Unsafe.park",
                 "jdk.proxy2.$Proxy7.get", "sun.nio.ch.EPoll.wait", "com.sun.proxy.$Proxy12.call",
                 "com/sun/crypto/provider/AESCrypt.encrypt", "org.xml.sax.helpers.DefaultHandler.characters",
                 "kotlin.collections.CollectionsKt.map", "kotlinx/coroutines/DispatchedTask.run",
                 "scala.collection.immutable.List.map", "[Ljava/lang/String;", "[Ljava.lang.String;", "byte[]_[i]",
                 "Ljava/util/HashMap;::get", "PhaseIdealLoop::build_and_optimize",
                 "G1ParScanThreadState::copy_to_survivor_space(G1HeapRegionAttr, oop)", "[libjvm.so]", "libzip.so",
                 "/usr/lib/x86_64-linux-gnu/libz.so.1.2.13", "Interpreter", "call_stub", "start_thread",
                 "I2C/C2I adapters", "finish_task_switch.isra.0_[k]", "cfree@GLIBC_2.2.5");
}

TEST(node_frames_are_classified) {
    static const struct row rows[] = {
        {OWN, "handleRequest", "file:///app/shop.js", NULL},
        {OWN, "handleRequest", "/app/dist/shop.js", NULL},
        {OWN, "handleRequest", "C:\\app\\shop.js", NULL},
        {OWN, "(anonymous)", "file:///app/shop.mjs", NULL},
        {OWN, "(anonymous:L#41:C#23)", "/app/shop.js", NULL},
        {OWN, "render", "webpack:///./src/view.ts", NULL},
        {OWN, "node_modules_scan", "/app/scan.js", NULL},
        {THIRD, "next", "/app/node_modules/express/lib/router/index.js", NULL},
        {THIRD, "next", "file:///app/node_modules/.pnpm/express@4/node_modules/express/index.js", NULL},
        {THIRD, "next", "C:\\app\\node_modules\\express\\index.js", NULL},
        {THIRD, "next", "node_modules/express/index.js", NULL},
        {THIRD, "next", "file:///root/.cache/deno/npm/npm.example.org/express/4.18.2/index.js", NULL},
        {THIRD, "next", "/deno-dir/npm/npm.example.org/express/4.18.2/index.js", NULL},
        {LIBRARY, "loadExtScript", "ext:core/01_core.js", NULL},
        {OWN, "next", "/srv/deno/shop/npm/next.ts", NULL},
        {THIRD, "parse", "/app/.yarn/cache/qs-npm-6.zip/lib/parse.js", NULL},
        {LIBRARY, "processTicksAndRejections", "node:internal/process/task_queues", NULL},
        {LIBRARY, "emit", "node:events", NULL},
        {LIBRARY, "processImmediate", "internal/timers.js", NULL},
        {LIBRARY, "node::StreamBase::Write", "../src/stream_base.cc", NULL},
    };
    expect_rows(GATE_LANGUAGE_NODE, rows, COUNT(rows));
    EXPECT_NAMES(GATE_LANGUAGE_NODE, OWN, "LazyCompile:*render /app/view.js:12:34", "render (/app/view.js:12:34)");
    EXPECT_NAMES(GATE_LANGUAGE_NODE, LIBRARY, "LazyCompile:*emit node:events:466:44", "(garbage collector)",
                 "(program)", "(idle)", "(root)", "(anonymous)", "Garbage Collection", "RegExp: (?:^| )a2(?: |$)",
                 "RegExp: ^#(.+)", "RegExp: ^(?:Call|Member) (.*)", "RegExp: [\\w.]+ (a.b)", "digest",
                 "v8::internal::Heap::Scavenge()", "__libc_start_main");
}

TEST(python_frames) {
    static const struct row rows[] = {
        {OWN, "round_price", "/app/shop.py", NULL},
        {OWN, "<module>", "<string>", NULL},
        {OWN, "root", "<template>", NULL},
        {OWN, "<module>", "<timed exec>", NULL},
        {OWN, "handle", "C:\\app\\views.py", NULL},
        {OWN, "get", "resource.py", NULL}, /* the standard library's resource module is written in C */
        {OWN, "fast_sum", "shop/fast.pyx", NULL},
        {OWN, "parse", "parser.py", NULL},
        {OWN, "get", "jsonapi/views.py", NULL}, /* begins like "json" */
        {OWN, "get", "/home/me/lib/python/views.py", NULL},
        {OWN, "get", "/app/json/views.py", NULL}, /* the full path shows that it is not the standard library */
        {THIRD, "get", "/venv/lib/python3.11/site-packages/requests/api.py", NULL},
        {THIRD, "get", "/usr/lib/python3/dist-packages/requests/api.py", NULL},
        {THIRD, "get", "C:\\Python311\\Lib\\site-packages\\requests\\api.py", NULL},
        {THIRD, "__init__", "<attrs generated init shop.Item>", NULL},
        {THIRD, "<builder:'/orders/<id>'>", "<werkzeug routing>", NULL},
        {LIBRARY, "encode", "/usr/lib/python3.11/json/encoder.py", NULL},
        {LIBRARY, "encode", "/usr/lib64/python3.9/json/encoder.py", NULL},
        {LIBRARY, "encode", "/opt/pypy/lib/pypy3.10/json/encoder.py", NULL},
        {LIBRARY, "encode", "C:\\Python311\\Lib\\json\\encoder.py", NULL},
        {LIBRARY, "serve_forever", "socketserver.py", NULL},
        {LIBRARY, "worker", "concurrent\\futures\\thread.py", NULL},
        {LIBRARY, "_find_and_load", "<frozen importlib._bootstrap>", NULL},
    };
    expect_rows(GATE_LANGUAGE_PYTHON, rows, COUNT(rows));
    EXPECT_NAMES(GATE_LANGUAGE_PYTHON, OWN, "round_price (shop.py:25)", "round_price (shop.py)",
                 "<module> (shop.py:75)", "total_of.<locals>.<genexpr> (shop/cart.py:31)", "shop.py:12 - round_price");
    EXPECT_NAMES(GATE_LANGUAGE_PYTHON, THIRD, "get (site-packages/requests/api.py:73)");
    EXPECT_NAMES(GATE_LANGUAGE_PYTHON, LIBRARY, "dumps (json/__init__.py:238)", "serve_forever (socketserver.py:232)",
                 "_find_and_load (<frozen importlib._bootstrap>:1027)", "_PyEval_EvalFrameDefault",
                 "_PyEval_EvalFrameDefault (python3.11)", "_PyEval_EvalFrameDefault (Python/ceval.c:3200)",
                 "sgemm_ (numpy.libs/libopenblas.so)", "__memcpy_avx_unaligned (libc-2.31.so)",
                 "process 123:\"python shop.py\"", "thread (0x7F12A4B5C700)", "<native>");
}

TEST(rust_frames_are_classified) {
    static const struct row rows[] = {
        {OWN, "shop::round_price", "Unknown", NULL},
        {OWN, "<u64 as shop::Price>::round", NULL, NULL}, /* a primitive type, but the program's own trait */
        {OWN, "stdlike::run", NULL, NULL},                /* begins like "std" */
        {OWN, "round_price", "/app/src/main.rs", NULL},
        {OWN, "", NULL, "*/app/shop"},
        {THIRD, "serde_json::to_string", "/root/.cargo/registry/src/crates.io-6f17/serde_json-1.0/src/ser.rs", NULL},
        {THIRD, "tokio::run", "/usr/local/cargo/registry/src/x/tokio-1.0/src/lib.rs", NULL},
        {THIRD, "x::run", "/root/.cargo/git/checkouts/x/src/lib.rs", NULL},
        {THIRD, "x::run", "/src/shop/vendor/x/src/lib.rs", NULL},
        {LIBRARY, "<str>::to_lowercase", NULL, NULL}, /* only core and alloc may add methods to primitive types */
        {LIBRARY, "quicksort", "/rustc/59807616e1fa/library/core/src/slice/sort.rs", NULL},
        {LIBRARY, "__rust_maybe_catch_panic", "src/libpanic_unwind/lib.rs", NULL},
        {LIBRARY, "__libc_start_main_impl", "./csu/../csu/libc-start.c", NULL},
        {LIBRARY, "", NULL, "/lib/x86_64-linux-gnu/libc.so.6"},
    };
    expect_rows(GATE_LANGUAGE_RUST, rows, COUNT(rows));
    EXPECT_NAMES(GATE_LANGUAGE_RUST, OWN, "shop::main::h0123456789abcdef", "shop[8f2a3b4c5d6e7f80]::serve",
                 "<shop::Foo as core::fmt::Display>::fmt", "<&mut [shop::Item] as core::fmt::Debug>::fmt",
                 "<dyn shop::Price>::round", "<T as shop::Price>::round",
                 "shop::<impl core::fmt::Display for shop::Foo>::fmt", "<shop::Foo>::sort::<u64>",
                 "<[u64] as shop::Price>::round", "_ZN4shop11round_price17h0123456789abcdefE",
                 "_ZN52_$LT$shop..Foo$u20$as$u20$core..fmt..Display$GT$3fmt17h0123456789abcdefE",
                 "_RNvCskwGfYPst2Cb_4shop5serve");
    EXPECT_NAMES(GATE_LANGUAGE_RUST, LIBRARY, "core::slice::sort::stable::quicksort::quicksort",
                 "core[8f2a3b4c5d6e7f80]::fmt::write",
                 "<alloc::vec::Vec<T> as core::iter::FromIterator<shop::Item>>::from_iter",
                 "<alloc::string::String as core::fmt::Write>::write_str", "<[T] as alloc::slice::SpecToVec>::to_vec",
                 "<str as alloc::string::ToString>::to_string", "<f64 as core::fmt::Display>::fmt",
                 "<&T as core::fmt::Debug>::fmt", "<[shop::Item]>::sort_by::<shop::main::{closure#0}>",
                 "<[<u8 as shop::Price>::Item]>::reverse", "<*const shop::Item>::align_offset",
                 "core::ptr::drop_in_place<shop::Foo>", "hashbrown::raw::RawTable<T>::reserve_rehash",
                 "__rustc::__rdl_realloc", "_ZN4core3fmt5write17h0123456789abcdefE",
                 "_ZN12panic_unwind5imp_17h0123456789abcdefE", "_ZN3std2rt10lang_start17h0123456789abcdefE",
                 "_ZN70_$LT$alloc..vec..Vec$LT$T$GT$$u20$as$u20$core..ops..drop..Drop$GT$4drop17h0123456789abcdefE",
                 "_RNvNtCs1234_4core3fmt5write", "main", "malloc");
}

TEST(native_frames_are_classified) {
    static const struct row rows[] = {
        {OWN, "round_price", NULL, "*/app/shop"},
        {OWN, "round_price", NULL, "/app/lib/libprice.so"},
        {OWN, "main", NULL, "*/usr/lib/postgresql/15/bin/postgres"},
        {LIBRARY, "sin", NULL, "*/usr/lib/x86_64-linux-gnu/libm.so.6"}, /* perf's first sample may be in a library */
        {LIBRARY, "", NULL, "*/usr/lib/x86_64-linux-gnu/libc-2.31.so"},
        {OWN, "round_price", NULL, "*/app/lib/libprice.so"},
        {OWN, "", NULL, "*/app/shop"},
        {OWN, "0x55d0c8a3f1b2", NULL, "*/app/shop"},
        {THIRD, "absl::StrCat", "/src/shop/third_party/absl/strings.cc", NULL},
        {THIRD, "fmt::print", "/src/shop/build/_deps/fmt-src/print.cc", NULL},
        {THIRD, "anything", NULL, "/usr/local/lib/libtorch.so"},
        {THIRD, "cblas_dgemm", NULL, "/app/venv/lib/python3.11/site-packages/numpy.libs/libblas.so"},
        {LIBRARY, "std::_Rb_tree_decrement", NULL, "*/app/shop"},
        {LIBRARY, "anything", NULL, "/lib/x86_64-linux-gnu/libc.so.6"},
        {LIBRARY, "anything", NULL, "/usr/grte/v3/lib64/libnss_files-2.15.so"},
        {LIBRARY, "anything", NULL, "/opt/jdk/lib/server/libjvm.so"},
        {LIBRARY, "anything", NULL, "/opt/x/ld-linux-x86-64.so.2"},
        {LIBRARY, "", NULL, "libstdc++.so.6"},
        {LIBRARY, "", NULL, "libm-2.31.so"},
        {LIBRARY, "__vdso_clock_gettime", NULL, "[vdso]"},
        {LIBRARY, "step_into", NULL, "[kernel.kallsyms]"},
        {LIBRARY, "sort", "/usr/include/c++/12/bits/stl_algo.h", NULL},
    };
    expect_rows(GATE_LANGUAGE_NATIVE, rows, COUNT(rows));
    EXPECT_NAMES(GATE_LANGUAGE_NATIVE, OWN, "round_price", "shop::Cart::add(std::string const&)",
                 "void shop::sort<std::less<int> >(std::vector<int>&)", "std::vector<int> shop::collect<int>(int)",
                 "(anonymous namespace)::round(double)", "shop::Price::operator<(shop::Price const&) const",
                 "shop::Pool::operator new(unsigned long)", "non-virtual thunk to shop::Cart::add()",
                 "_ZN4shop4Cart3addERKSs", "_helper", "parse.constprop.0");
    EXPECT_NAMES(GATE_LANGUAGE_NATIVE, LIBRARY, "void std::__introsort_loop<shop::Item*, long>(shop::Item*, long)",
                 "std::_Function_handler<void (), shop::run()::{lambda()#1}>::_M_invoke(std::_Any_data const&)",
                 "bool std::operator==<char>(std::string const&, char const*)", "__gnu_cxx::__to_xstring<std::string>",
                 "operator new(unsigned long)", "operator delete@plt", "round_price@plt",
                 "_ZNSt6vectorIiSaIiEE9push_backERKi", "_Znwm", "_ZNKSt6vectorIiSaIiEE4sizeEv", "vfs_read",
                 "__libc_start_call_main", "__cxa_throw", "_start", "_int_malloc", "cfree@GLIBC_2.2.5",
                 "unlink_chunk.constprop.0", "step_into_[k]", "step_into [k]", "entry_SYSCALL_64_after_hwframe",
                 "do_syscall_64", "finish_task_switch.isra.0", "[unknown]", "");
}

/* A method that the program adds to a class of Ruby is its own, if the file is known. */
TEST(ruby_has_methods_in_c_and_gems) {
    static const struct row rows[] = {
        {OWN, "App::Cart#add", "/app/cart.rb", NULL},
        {OWN, "String#slug", "/app/lib/slug.rb", NULL},
        {OWN, "Price#round", "lib/ruby/price.rb", NULL},
        {OWN, "block in <main>", "main.rb", NULL},
        {OWN, "add", "/app/views/cart.html.erb", NULL},
        {OWN, "", NULL, "*/app/shop"},
        {THIRD, "Rack::Handler#call", "/usr/lib/ruby/gems/3.1.0/gems/rack-2.2/lib/rack.rb", NULL},
        {THIRD, "Mustache#render", "/usr/lib/ruby/vendor_ruby/mustache.rb", NULL},
        {THIRD, "Ox.parse", "/usr/local/lib/site_ruby/ox.rb", NULL},
        {LIBRARY, "JSON.generate", "/usr/lib/ruby/3.1.0/json/common.rb", NULL},
        {LIBRARY, "Set#add", "lib/ruby/4.0.0/set.rb", NULL},
        {LIBRARY, "Set#add", "/opt/jruby/lib/ruby/stdlib/set.rb", NULL},
        {LIBRARY, "Array#each", "<internal:array>", NULL},
        {LIBRARY, "App::Native#add", "<cfunc>", NULL},
        {LIBRARY, "sleep", "(unknown)", NULL},
        {LIBRARY, "anything", NULL, "/usr/lib/libruby-3.1.so.3.1"},
    };
    expect_rows(GATE_LANGUAGE_RUBY, rows, COUNT(rows));
    EXPECT_NAMES(GATE_LANGUAGE_RUBY, OWN, "App::Cart#add", "Object#handle", "Data::Import#run", "<main>",
                 "block in <main>", "Arrays#add", "handle - app/views.rb:42", "block in App::Cart#add");
    EXPECT_NAMES(GATE_LANGUAGE_RUBY, LIBRARY, "Array#uniq", "rescue in block in Array#each", "Integer.sqrt",
                 "JSON::Ext::Generator::State#generate", "(sweeping)", "sleep [c function] - (unknown)", "rb_gc_mark",
                 "do_syscall_64", "get - /usr/lib/ruby/3.1.0/net/http.rb:12");
}

TEST(php_has_internal_functions_and_vendors) {
    static const struct row rows[] = {
        {OWN, "__construct", "/app/src/Cart.php", NULL},
        {THIRD, "Twig\\Environment::render", "/var/www/html/vendor/twig/twig/src/Environment.php", NULL},
        {THIRD, "Acme\\parse", "vendor/acme/parse.php", NULL},
        {THIRD, "Twig\\Environment::render", "/usr/share/php/Twig/Environment.php", NULL},
        {LIBRARY, "php::strlen", "php:internal", NULL},
        {LIBRARY, "strlen", "<internal>", NULL},
    };
    expect_rows(GATE_LANGUAGE_PHP, rows, COUNT(rows));
    EXPECT_NAMES(GATE_LANGUAGE_PHP, OWN, "Shop\\Cart::add", "/app/main.php", "{closure:/app/cart.php(34)}",
                 "{closure:Shop\\Cart::add():34}", "{closure}");
    EXPECT_NAMES(GATE_LANGUAGE_PHP, THIRD, "{closure:/app/vendor/acme/parse.php:6-19}",
                 "{closure:C:\\app\\vendor\\acme\\parse.php:6-19}", "{closure:/usr/share/php/Twig/Template.php(376)}");
    EXPECT_NAMES(GATE_LANGUAGE_PHP, LIBRARY, "Core|class_exists", "php::strlen", "malloc");
}

TEST(frames_of_an_unknown_language_are_own_unless_a_row_matches) {
    static const struct row rows[] = {
        {OWN, "", NULL, "*/app/shop"},
        {OWN, "round_price", "/app/cart.jl", NULL},
        {THIRD, "solve", "/home/me/.julia/packages/Solver/x/src/solve.jl", NULL},
        {THIRD, "parse", "/app/vendor/acme/parse.lua", NULL},
        {LIBRARY, "jl_apply_generic", "/cache/build/julia/src/gf.c", NULL},
        {LIBRARY, "map", "/opt/julia/share/julia/base/array.jl", NULL},
        {LIBRARY, "anything", NULL, "/usr/lib/libruby-3.1.so.3.1"},
    };
    expect_rows(GATE_LANGUAGE_UNKNOWN, rows, COUNT(rows));
    EXPECT_NAMES(GATE_LANGUAGE_UNKNOWN, OWN, "anything", "Acme.Shop.Cart.Add");
    EXPECT_NAMES(GATE_LANGUAGE_UNKNOWN, LIBRARY, "System.String.Concat", "rb_gc_mark", "malloc", "do_syscall_64",
                 "[libruby.so]", "");
}

TEST(a_file_of_another_language_brings_its_own_rows) {
    static const struct row python[] = {
        {THIRD, "serde_json::to_string", "/root/.cargo/registry/src/x/serde_json-1.0/src/ser.rs", NULL},
        {LIBRARY, "core::fmt::write", "/rustc/59807616e1fa/library/core/src/fmt/mod.rs", NULL},
        {LIBRARY, "gc_collect_main", "Modules/gcmodule.c", NULL},
    };
    static const struct row native[] = {
        {OWN, "handle", "/app/views.py", NULL},
        {LIBRARY, "dumps", "json/__init__.py", NULL},
        {LIBRARY, "emit", "node:events", NULL},
        {OWN, "round_price", "/app/price.c", NULL},
    };
    expect_rows(GATE_LANGUAGE_PYTHON, python, COUNT(python));
    expect_rows(GATE_LANGUAGE_NATIVE, native, COUNT(native));
}

TEST(third_party_code_is_own_if_it_cannot_be_recognised) {
    for (enum gate_language i = GATE_LANGUAGE_UNKNOWN; i < GATE_LANGUAGES; i++) {
        assert_true(gate_own_code_is_own(i, GATE_CODE_OWN));
        assert_false(gate_own_code_is_own(i, GATE_CODE_LIBRARY));
        assert_int_equal(gate_own_code_is_own(i, GATE_CODE_THIRD_PARTY),
                         i == GATE_LANGUAGE_GO || i == GATE_LANGUAGE_JVM);
    }
}

/* One function of the package is own and two are third-party, then two and two. What the compiler wrote has no file. */
TEST(a_file_of_another_folder_is_classified_as_most_of_its_package) {
    const struct gate_function function = {.name = GATE_STR("a.org/shop/cart.Add"), .file = GATE_STR("/cart/cart.go")},
                               open = {.name = GATE_STR("a.org/shop/cart.Sort"), .file = GATE_STR("<autogenerated>")};
    static const enum gate_code codes[] = {OWN, THIRD, THIRD, OWN};
    struct gate_package_votes votes;
    gate_package_votes_init(&votes, &arena);
    for (int i = 0; i < 4; i++) {
        assert_true(gate_package_votes_add(&votes, &function, codes[i]));
        assert_true(gate_package_votes_add(&votes, &open, OWN));
        assert_int_equal(gate_package_votes_overrule(&votes, &open, OWN), i == 2);
        assert_false(gate_package_votes_overrule(&votes, &function, OWN));
    }
}

/* Go spells the dots of the last part of an import path as %2e, and has paths of files that were shortened. */
TEST(a_file_is_of_its_package_if_its_folder_has_the_name) {
    static const struct {
        const char *function, *file;
        bool is_open;
    } rows[] = {
        {"a.org/shop/cart.Add", "/src/cart/add.go", false},
        {"a.org/shop/cart.Add", "cart/add.go", false},
        {"a.org/shop/cart.Add", "/src/sort/cart.go", true},
        {"a.org/shop/cart.Add", "cart.go", true},
        {"a.org/x/yaml%2ev3.Read", "yaml.v3/read.go", false},
        {"a.org/x/%2ecart.Add", ".cart/add.go", false},
        {"main.main", "sort/search.go", false},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct gate_function function = {.name = gate_str_from(rows[i].function),
                                               .file = gate_str_from(rows[i].file)};
        if (gate_package_votes_is_open(&function, OWN) != rows[i].is_open)
            fail_msg("'%s' in '%s'", rows[i].function, rows[i].file);
        assert_false(gate_package_votes_is_open(&function, THIRD));
    }
}

TEST(votes_without_memory_are_an_error) {
    const struct gate_function function = {.name = GATE_STR("a.org/shop/cart.Add"), .file = GATE_STR("/cart/cart.go")};
    for (struct sweep s = {0}; sweep_next(&s, 16);) {
        struct gate_package_votes votes;
        gate_package_votes_init(&votes, &s.arena);
        s.done = gate_package_votes_add(&votes, &function, OWN) || gate_arena_error(&s.arena, &s.err);
    }
}
