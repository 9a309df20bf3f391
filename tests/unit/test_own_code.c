/* SPDX-License-Identifier: Apache-2.0 */
/* Classification of frames as own code, third-party or library, by the names of each language. test_own_code_real.c
 * tests real profiles. */
#include "gate/names/own_code.h"
#include "tests/unit/unit.h"

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

TEST(go_frames) {
    static const struct row rows[] = {
        {OWN, "main.main", NULL, NULL},
        {OWN, "main.(*shop).handle.func1", NULL, NULL},
        {OWN, "main.main.NewRouter.func1", NULL, NULL},
        {OWN, "github.com/acme/shop/cart.Add", "/src/shop/cart/cart.go", NULL},
        {OWN, "github.com/a/b.(*T[...]).M", NULL, NULL},
        {OWN, "example.com/x.F", NULL, NULL},
        {OWN, "example%2ecom.F", NULL, NULL},
        {OWN, "example.com/yaml%2ev3.F", NULL, NULL},
        {OWN, "go.uber.org/zap.New", NULL, NULL}, /* begins like "go" of the standard library */
        {OWN, "shop.Total", NULL, NULL},
        {OWN, "myapp/handlers.Serve", "/src/myapp/handlers/serve.go", NULL},
        {OWN, "timeseries.Add", NULL, NULL}, /* begins like "time" */
        {OWN, "command-line-arguments.TestAdd", NULL, NULL},
        {THIRD, "gopkg.in/yaml%2ev3.(*Decoder).Decode", "/root/go/pkg/mod/gopkg.in/yaml.v3@v3.0.1/yaml.go", NULL},
        {THIRD, "github.com/acme/cart.Add", "github.com/acme/cart@v1.2.3/cart.go", NULL},
        {THIRD, "github.com/acme/cart.Add", "/src/shop/vendor/github.com/acme/cart/cart.go", NULL},
        {THIRD, "github.com/acme/cart.Add", "vendor/github.com/acme/cart/cart.go", NULL},
        {THIRD, "github.com/me/shop/vendor/github.com/acme/cart.Add", NULL, NULL},
        {LIBRARY, "io.discard.ReadFrom", NULL, NULL},
        {LIBRARY, "net/http.(*conn).serve", NULL, NULL},
        {LIBRARY, "slices.SortFunc[go.shape.struct { main.name string; main.price int }]", NULL, NULL},
        {LIBRARY, "slices.SortFunc[github.com/acme/shop.Item]", NULL, NULL},
        {LIBRARY, "vendor/golang.org/x/net/http2.(*Framer).ReadFrame",
         "/usr/local/go/src/vendor/golang.org/x/net/http2/frame.go", NULL},
        {LIBRARY, "runtime.mallocgc", "/root/go/pkg/mod/golang.org/toolchain@v0.0.1/src/runtime/malloc.go", NULL},
        {LIBRARY, "internal/runtime/maps.(*Map).getWithKey", NULL, NULL},
        {LIBRARY, "type:.eq.main.item", NULL, NULL},
        {LIBRARY, "type..hash.main.item", NULL, NULL},
        {LIBRARY, "go:buildid", NULL, NULL},
        {LIBRARY, "memeqbody", NULL, NULL},
        {LIBRARY, "aeshashbody", NULL, NULL},
        {LIBRARY, "gogo", NULL, NULL},
        {LIBRARY, "_cgo_wait_runtime_init_done", NULL, NULL},
        {LIBRARY, "x_cgo_thread_start", NULL, NULL},
        {LIBRARY, "sqlite3_step", "/root/go/pkg/mod/x@v1/sqlite3.c", NULL},
        {LIBRARY, "parse.isra.0", NULL, NULL},
        {LIBRARY, "parse.part.0", NULL, NULL},
        {LIBRARY, "cfree@GLIBC_2.2.5", NULL, NULL},
        {LIBRARY, "rocksdb::DB::Get", NULL, NULL},
        {LIBRARY, "", NULL, "*/app/shop"},
        {LIBRARY, "do_syscall_64_[k]", NULL, NULL},
    };
    expect_rows(GATE_LANGUAGE_GO, rows, COUNT(rows));
}

TEST(jvm_frames) {
    static const struct row rows[] = {
        {OWN, "Shop.main", NULL, NULL},
        {OWN, "com.acme.shop.Cart.add(java.lang.String)", "Cart.java", NULL},
        {OWN, "com/acme/shop/Cart.add_[j]", NULL, NULL},
        {OWN, "Shop.lambda$searchItems$0", NULL, NULL},
        {OWN, "Shop$$Lambda$5.0x00007fb01a001218.test_[i]", NULL, NULL},
        {OWN, "Main$$EnhancerBySpringCGLIB$$1a2b3c4d.run", NULL, NULL},
        {OWN, "Main/0x0000000800c03000.run", NULL, NULL},
        {OWN, "Lexer.next", NULL, NULL},
        {OWN, "javafoo.Cart.add", NULL, NULL}, /* begins like "java" */
        {OWN, "com.sunshine.Weather.get", NULL, NULL},
        {OWN, "com/acme/Cart:::add", NULL, NULL},
        {OWN, "[Lcom.acme.shop.Item;", NULL, NULL},
        {LIBRARY, "java.util.HashMap.get", NULL, NULL},
        {LIBRARY, "java/util/regex/Pattern$Slice.match_[1]", NULL, NULL},
        {LIBRARY, "java.base/java.lang.Thread.run", NULL, NULL},
        {LIBRARY, "javax.crypto.Cipher.doFinal", NULL, NULL},
        {LIBRARY, "jdk/internal/misc/Unsafe.park", NULL, NULL},
        {LIBRARY, "jdk.proxy2.$Proxy7.get", NULL, NULL},
        {LIBRARY, "sun.nio.ch.EPoll.wait", NULL, NULL},
        {LIBRARY, "com.sun.proxy.$Proxy12.call", NULL, NULL},
        {LIBRARY, "com/sun/crypto/provider/AESCrypt.encrypt", NULL, NULL},
        {LIBRARY, "org.xml.sax.helpers.DefaultHandler.characters", NULL, NULL},
        {LIBRARY, "kotlin.collections.CollectionsKt.map", NULL, NULL},
        {LIBRARY, "kotlinx/coroutines/DispatchedTask.run", NULL, NULL},
        {LIBRARY, "scala.collection.immutable.List.map", NULL, NULL},
        {LIBRARY, "[Ljava/lang/String;", NULL, NULL},
        {LIBRARY, "[Ljava.lang.String;", NULL, NULL},
        {LIBRARY, "byte[]_[i]", NULL, NULL},
        {LIBRARY, "Ljava/util/HashMap;::get", NULL, NULL},
        {LIBRARY, "PhaseIdealLoop::build_and_optimize", NULL, NULL},
        {LIBRARY, "G1ParScanThreadState::copy_to_survivor_space(G1HeapRegionAttr, oop)", NULL, NULL},
        {LIBRARY, "[libjvm.so]", NULL, NULL},
        {LIBRARY, "libzip.so", NULL, NULL},
        {LIBRARY, "/usr/lib/x86_64-linux-gnu/libz.so.1.2.13", NULL, NULL},
        {LIBRARY, "Interpreter", NULL, NULL},
        {LIBRARY, "call_stub", NULL, NULL},
        {LIBRARY, "start_thread", NULL, NULL},
        {LIBRARY, "I2C/C2I adapters", NULL, NULL},
        {LIBRARY, "finish_task_switch.isra.0_[k]", NULL, NULL},
        {LIBRARY, "cfree@GLIBC_2.2.5", NULL, NULL},
        {LIBRARY, "", NULL, "*/usr/bin/java"},
    };
    expect_rows(GATE_LANGUAGE_JVM, rows, COUNT(rows));
}

TEST(node_frames) {
    static const struct row rows[] = {
        {OWN, "handleRequest", "file:///app/shop.js", NULL},
        {OWN, "handleRequest", "/app/dist/shop.js", NULL},
        {OWN, "handleRequest", "C:\\app\\shop.js", NULL},
        {OWN, "(anonymous)", "file:///app/shop.mjs", NULL},
        {OWN, "(anonymous:L#41:C#23)", "/app/shop.js", NULL},
        {OWN, "render", "webpack:///./src/view.ts", NULL},
        {OWN, "LazyCompile:*render /app/view.js:12:34", NULL, NULL},
        {OWN, "render (/app/view.js:12:34)", NULL, NULL},
        {OWN, "node_modules_scan", "/app/scan.js", NULL},
        {THIRD, "next", "/app/node_modules/express/lib/router/index.js", NULL},
        {THIRD, "next", "file:///app/node_modules/.pnpm/express@4/node_modules/express/index.js", NULL},
        {THIRD, "next", "C:\\app\\node_modules\\express\\index.js", NULL},
        {THIRD, "next", "node_modules/express/index.js", NULL},
        {THIRD, "parse", "/app/.yarn/cache/qs-npm-6.zip/lib/parse.js", NULL},
        {LIBRARY, "processTicksAndRejections", "node:internal/process/task_queues", NULL},
        {LIBRARY, "emit", "node:events", NULL},
        {LIBRARY, "processImmediate", "internal/timers.js", NULL},
        {LIBRARY, "LazyCompile:*emit node:events:466:44", NULL, NULL},
        {LIBRARY, "(garbage collector)", NULL, NULL},
        {LIBRARY, "(program)", NULL, NULL},
        {LIBRARY, "(idle)", NULL, NULL},
        {LIBRARY, "(root)", NULL, NULL},
        {LIBRARY, "(anonymous)", NULL, NULL},
        {LIBRARY, "Garbage Collection", NULL, NULL},
        {LIBRARY, "RegExp: (?:^| )a2(?: |$)", NULL, NULL},
        {LIBRARY, "digest", NULL, NULL},
        {LIBRARY, "v8::internal::Heap::Scavenge()", NULL, NULL},
        {LIBRARY, "node::StreamBase::Write", "../src/stream_base.cc", NULL},
        {LIBRARY, "__libc_start_main", NULL, NULL},
    };
    expect_rows(GATE_LANGUAGE_NODE, rows, COUNT(rows));
}

TEST(python_frames) {
    static const struct row rows[] = {
        {OWN, "round_price", "/app/shop.py", NULL},
        {OWN, "round_price (shop.py:25)", NULL, NULL},
        {OWN, "round_price (shop.py)", NULL, NULL},
        {OWN, "<module> (shop.py:75)", NULL, NULL},
        {OWN, "total_of.<locals>.<genexpr> (shop/cart.py:31)", NULL, NULL},
        {OWN, "shop.py:12 - round_price", NULL, NULL},
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
        {THIRD, "get (site-packages/requests/api.py:73)", NULL, NULL},
        {THIRD, "__init__", "<attrs generated init shop.Item>", NULL},
        {THIRD, "<builder:'/orders/<id>'>", "<werkzeug routing>", NULL},
        {LIBRARY, "encode", "/usr/lib/python3.11/json/encoder.py", NULL},
        {LIBRARY, "encode", "/usr/lib64/python3.9/json/encoder.py", NULL},
        {LIBRARY, "encode", "/opt/pypy/lib/pypy3.10/json/encoder.py", NULL},
        {LIBRARY, "encode", "C:\\Python311\\Lib\\json\\encoder.py", NULL},
        {LIBRARY, "dumps (json/__init__.py:238)", NULL, NULL},
        {LIBRARY, "serve_forever (socketserver.py:232)", NULL, NULL},
        {LIBRARY, "serve_forever", "socketserver.py", NULL},
        {LIBRARY, "worker", "concurrent\\futures\\thread.py", NULL},
        {LIBRARY, "_find_and_load", "<frozen importlib._bootstrap>", NULL},
        {LIBRARY, "_find_and_load (<frozen importlib._bootstrap>:1027)", NULL, NULL},
        {LIBRARY, "_PyEval_EvalFrameDefault", NULL, NULL},
        {LIBRARY, "_PyEval_EvalFrameDefault (python3.11)", NULL, NULL},
        {LIBRARY, "_PyEval_EvalFrameDefault (Python/ceval.c:3200)", NULL, NULL},
        {LIBRARY, "sgemm_ (numpy.libs/libopenblas.so)", NULL, NULL},
        {LIBRARY, "__memcpy_avx_unaligned (libc-2.31.so)", NULL, NULL},
        {LIBRARY, "process 123:\"python shop.py\"", NULL, NULL},
        {LIBRARY, "thread (0x7F12A4B5C700)", NULL, NULL},
        {LIBRARY, "<native>", NULL, NULL},
    };
    expect_rows(GATE_LANGUAGE_PYTHON, rows, COUNT(rows));
}

TEST(rust_frames) {
    static const struct row rows[] = {
        {OWN, "shop::round_price", "Unknown", NULL},
        {OWN, "shop::main::h0123456789abcdef", NULL, NULL},
        {OWN, "shop[8f2a3b4c5d6e7f80]::serve", NULL, NULL},
        {OWN, "<shop::Foo as core::fmt::Display>::fmt", NULL, NULL},
        {OWN, "<&mut [shop::Item] as core::fmt::Debug>::fmt", NULL, NULL},
        {OWN, "<dyn shop::Price>::round", NULL, NULL},
        {OWN, "<u64 as shop::Price>::round", NULL, NULL}, /* a primitive type, but the program's own trait */
        {OWN, "<T as shop::Price>::round", NULL, NULL},
        {OWN, "shop::<impl core::fmt::Display for shop::Foo>::fmt", NULL, NULL},
        {OWN, "<shop::Foo>::sort::<u64>", NULL, NULL},
        {OWN, "<[u64] as shop::Price>::round", NULL, NULL},
        {OWN, "stdlike::run", NULL, NULL}, /* begins like "std" */
        {OWN, "round_price", "/app/src/main.rs", NULL},
        {OWN, "_ZN4shop11round_price17h0123456789abcdefE", NULL, NULL},
        {OWN, "_ZN52_$LT$shop..Foo$u20$as$u20$core..fmt..Display$GT$3fmt17h0123456789abcdefE", NULL, NULL},
        {OWN, "_RNvCskwGfYPst2Cb_4shop5serve", NULL, NULL},
        {OWN, "", NULL, "*/app/shop"},
        {THIRD, "serde_json::to_string", "/root/.cargo/registry/src/crates.io-6f17/serde_json-1.0/src/ser.rs", NULL},
        {THIRD, "tokio::run", "/usr/local/cargo/registry/src/x/tokio-1.0/src/lib.rs", NULL},
        {THIRD, "x::run", "/root/.cargo/git/checkouts/x/src/lib.rs", NULL},
        {THIRD, "x::run", "/src/shop/vendor/x/src/lib.rs", NULL},
        {LIBRARY, "core::slice::sort::stable::quicksort::quicksort", NULL, NULL},
        {LIBRARY, "core[8f2a3b4c5d6e7f80]::fmt::write", NULL, NULL},
        {LIBRARY, "<alloc::vec::Vec<T> as core::iter::FromIterator<shop::Item>>::from_iter", NULL, NULL},
        {LIBRARY, "<alloc::string::String as core::fmt::Write>::write_str", NULL, NULL},
        {LIBRARY, "<[T] as alloc::slice::SpecToVec>::to_vec", NULL, NULL},
        {LIBRARY, "<str as alloc::string::ToString>::to_string", NULL, NULL},
        {LIBRARY, "<f64 as core::fmt::Display>::fmt", NULL, NULL},
        {LIBRARY, "<&T as core::fmt::Debug>::fmt", NULL, NULL},
        {LIBRARY, "<str>::to_lowercase", NULL, NULL}, /* only core and alloc may add methods to primitive types */
        {LIBRARY, "<[shop::Item]>::sort_by::<shop::main::{closure#0}>", NULL, NULL},
        {LIBRARY, "<[<u8 as shop::Price>::Item]>::reverse", NULL, NULL},
        {LIBRARY, "<*const shop::Item>::align_offset", NULL, NULL},
        {LIBRARY, "core::ptr::drop_in_place<shop::Foo>", NULL, NULL},
        {LIBRARY, "hashbrown::raw::RawTable<T>::reserve_rehash", NULL, NULL},
        {LIBRARY, "quicksort", "/rustc/59807616e1fa/library/core/src/slice/sort.rs", NULL},
        {LIBRARY, "__rust_maybe_catch_panic", "src/libpanic_unwind/lib.rs", NULL},
        {LIBRARY, "__rustc::__rdl_realloc", NULL, NULL},
        {LIBRARY, "_ZN4core3fmt5write17h0123456789abcdefE", NULL, NULL},
        {LIBRARY, "_ZN12panic_unwind5imp_17h0123456789abcdefE", NULL, NULL},
        {LIBRARY, "_ZN3std2rt10lang_start17h0123456789abcdefE", NULL, NULL},
        {LIBRARY, "_ZN70_$LT$alloc..vec..Vec$LT$T$GT$$u20$as$u20$core..ops..drop..Drop$GT$4drop17h0123456789abcdefE",
         NULL, NULL},
        {LIBRARY, "_RNvNtCs1234_4core3fmt5write", NULL, NULL},
        {LIBRARY, "main", NULL, NULL},
        {LIBRARY, "malloc", NULL, NULL},
        {LIBRARY, "__libc_start_main_impl", "./csu/../csu/libc-start.c", NULL},
        {LIBRARY, "", NULL, "/lib/x86_64-linux-gnu/libc.so.6"},
    };
    expect_rows(GATE_LANGUAGE_RUST, rows, COUNT(rows));
}

TEST(native_frames) {
    static const struct row rows[] = {
        {OWN, "round_price", NULL, "*/app/shop"},
        {OWN, "round_price", NULL, NULL},
        {OWN, "round_price", NULL, "/app/lib/libprice.so"},
        {OWN, "main", NULL, "*/usr/lib/postgresql/15/bin/postgres"},
        {LIBRARY, "sin", NULL, "*/usr/lib/x86_64-linux-gnu/libm.so.6"}, /* perf's first sample may be in a library */
        {LIBRARY, "", NULL, "*/usr/lib/x86_64-linux-gnu/libc-2.31.so"},
        {OWN, "round_price", NULL, "*/app/lib/libprice.so"},
        {OWN, "shop::Cart::add(std::string const&)", NULL, NULL},
        {OWN, "void shop::sort<std::less<int> >(std::vector<int>&)", NULL, NULL},
        {OWN, "std::vector<int> shop::collect<int>(int)", NULL, NULL},
        {OWN, "(anonymous namespace)::round(double)", NULL, NULL},
        {OWN, "shop::Price::operator<(shop::Price const&) const", NULL, NULL},
        {OWN, "shop::Pool::operator new(unsigned long)", NULL, NULL},
        {OWN, "non-virtual thunk to shop::Cart::add()", NULL, NULL},
        {OWN, "_ZN4shop4Cart3addERKSs", NULL, NULL},
        {OWN, "_helper", NULL, NULL},
        {OWN, "parse.constprop.0", NULL, NULL},
        {OWN, "", NULL, "*/app/shop"},
        {OWN, "0x55d0c8a3f1b2", NULL, "*/app/shop"},
        {THIRD, "absl::StrCat", "/src/shop/third_party/absl/strings.cc", NULL},
        {THIRD, "fmt::print", "/src/shop/build/_deps/fmt-src/print.cc", NULL},
        {THIRD, "anything", NULL, "/usr/local/lib/libtorch.so"},
        {THIRD, "cblas_dgemm", NULL, "/app/venv/lib/python3.11/site-packages/numpy.libs/libblas.so"},
        {LIBRARY, "std::_Rb_tree_decrement", NULL, "*/app/shop"},
        {LIBRARY, "void std::__introsort_loop<shop::Item*, long>(shop::Item*, long)", NULL, NULL},
        {LIBRARY, "std::_Function_handler<void (), shop::run()::{lambda()#1}>::_M_invoke(std::_Any_data const&)", NULL,
         NULL},
        {LIBRARY, "bool std::operator==<char>(std::string const&, char const*)", NULL, NULL},
        {LIBRARY, "__gnu_cxx::__to_xstring<std::string>", NULL, NULL},
        {LIBRARY, "operator new(unsigned long)", NULL, NULL},
        {LIBRARY, "operator delete@plt", NULL, NULL},
        {LIBRARY, "round_price@plt", NULL, NULL},
        {LIBRARY, "_ZNSt6vectorIiSaIiEE9push_backERKi", NULL, NULL},
        {LIBRARY, "_Znwm", NULL, NULL},
        {LIBRARY, "_ZNKSt6vectorIiSaIiEE4sizeEv", NULL, NULL},
        {LIBRARY, "vfs_read", NULL, NULL},
        {LIBRARY, "__libc_start_call_main", NULL, NULL},
        {LIBRARY, "__cxa_throw", NULL, NULL},
        {LIBRARY, "_start", NULL, NULL},
        {LIBRARY, "_int_malloc", NULL, NULL},
        {LIBRARY, "cfree@GLIBC_2.2.5", NULL, NULL},
        {LIBRARY, "unlink_chunk.constprop.0", NULL, NULL},
        {LIBRARY, "anything", NULL, "/lib/x86_64-linux-gnu/libc.so.6"},
        {LIBRARY, "anything", NULL, "/usr/grte/v3/lib64/libnss_files-2.15.so"},
        {LIBRARY, "anything", NULL, "/opt/jdk/lib/server/libjvm.so"},
        {LIBRARY, "anything", NULL, "/opt/x/ld-linux-x86-64.so.2"},
        {LIBRARY, "", NULL, "libstdc++.so.6"},
        {LIBRARY, "", NULL, "libm-2.31.so"},
        {LIBRARY, "__vdso_clock_gettime", NULL, "[vdso]"},
        {LIBRARY, "step_into", NULL, "[kernel.kallsyms]"},
        {LIBRARY, "step_into_[k]", NULL, NULL},
        {LIBRARY, "step_into [k]", NULL, NULL},
        {LIBRARY, "entry_SYSCALL_64_after_hwframe", NULL, NULL},
        {LIBRARY, "do_syscall_64", NULL, NULL},
        {LIBRARY, "finish_task_switch.isra.0", NULL, NULL},
        {LIBRARY, "[unknown]", NULL, NULL},
        {LIBRARY, "sort", "/usr/include/c++/12/bits/stl_algo.h", NULL},
        {LIBRARY, "", NULL, NULL},
    };
    expect_rows(GATE_LANGUAGE_NATIVE, rows, COUNT(rows));
}

TEST(frames_of_an_unknown_language_are_own_unless_a_row_matches) {
    static const struct row rows[] = {
        {OWN, "App::Cart#add", "/app/cart.rb", NULL},
        {OWN, "anything", NULL, NULL},
        {OWN, "__construct", "/app/src/Cart.php", NULL},
        {OWN, "Acme.Shop.Cart.Add", NULL, NULL},
        {OWN, "", NULL, "*/app/shop"},
        {OWN, "round_price", "/app/cart.jl", NULL},
        {THIRD, "Rack::Handler#call", "/usr/lib/ruby/gems/3.1.0/gems/rack-2.2/lib/rack.rb", NULL},
        {THIRD, "Twig\\Environment::render", "/var/www/html/vendor/twig/twig/src/Environment.php", NULL},
        {THIRD, "solve", "/home/me/.julia/packages/Solver/x/src/solve.jl", NULL},
        {LIBRARY, "JSON.generate", "/usr/lib/ruby/3.1.0/json/common.rb", NULL},
        {LIBRARY, "jl_apply_generic", "/cache/build/julia/src/gf.c", NULL},
        {LIBRARY, "Core|class_exists", NULL, NULL},
        {LIBRARY, "System.String.Concat", NULL, NULL},
        {LIBRARY, "map", "/opt/julia/share/julia/base/array.jl", NULL},
        {LIBRARY, "rb_gc_mark", NULL, NULL},
        {LIBRARY, "malloc", NULL, NULL},
        {LIBRARY, "do_syscall_64", NULL, NULL},
        {LIBRARY, "[libruby.so]", NULL, NULL},
        {LIBRARY, "anything", NULL, "/usr/lib/libruby-3.1.so.3.1"},
        {LIBRARY, "", NULL, NULL},
    };
    expect_rows(GATE_LANGUAGE_UNKNOWN, rows, COUNT(rows));
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

TEST(third_parties_are_own_where_they_cannot_be_told_everywhere) {
    for (enum gate_language i = GATE_LANGUAGE_UNKNOWN; i < GATE_LANGUAGES; i++) {
        assert_true(gate_own_code_is_own(i, GATE_CODE_OWN));
        assert_false(gate_own_code_is_own(i, GATE_CODE_LIBRARY));
        assert_int_equal(gate_own_code_is_own(i, GATE_CODE_THIRD_PARTY),
                         i == GATE_LANGUAGE_GO || i == GATE_LANGUAGE_JVM);
    }
}
