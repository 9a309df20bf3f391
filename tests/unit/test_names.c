/* SPDX-License-Identifier: Apache-2.0 */
/* Stable names: the example of each rule, names that must not change, and applying the rules twice changes nothing
 * more. */
#include "gate/names/frame_name.h"
#include "gate/names/stable_names.h"
#include "tests/unit/unit.h"

struct row {
    const char *from, *to;
};

static void expect_stable(const char *from, const char *to) {
    AT_END(gate_arena_free) struct gate_arena arena = {0};
    struct gate_str stable = gate_name_stable(&arena, gate_str_from(from));
    struct gate_str again = gate_name_stable(&arena, stable);
    if (!gate_str_equal(stable, gate_str_from(to)))
        fail_msg("'%s' became '%.*s', expected '%s'", from, GATE_STR_ARG(stable), to);
    if (!gate_str_equal(stable, again))
        fail_msg("'%.*s' is no fixed point: '%.*s'", GATE_STR_ARG(stable), GATE_STR_ARG(again));
}

TEST(every_rule_does_what_its_example_says) {
    for (const struct gate_name_stable_rule *rule = gate_name_stable_rules; rule->language != NULL; rule++)
        expect_stable(rule->from, rule->to);
}

/* Places of a name of more than 16 KiB are not searched for; its ends are cut all the same. */
TEST(positions_in_names_over_16_kib_are_kept) {
    enum { LONG = 16 * 1024 };
    char *name = malloc(LONG + 64);
    assert_non_null(name);
    memset(name, 'a', LONG);
    strcpy(name + LONG, ".func1.constprop.0");
    assert_int_equal(gate_name_stable(&arena, gate_str_from(name)).len, LONG + strlen(".func1"));
    free(name);
}

TEST(every_position_in_a_name_is_searched) {
    for (const struct gate_name_stable_rule *rule = gate_name_stable_rules; rule->language != NULL; rule++) {
        struct gate_str name = gate_str_from(rule->from);
        for (size_t at = 1; at < name.len; at++) {
            struct gate_name_numbering edit;
            if (gate_name_numbering_at(name, at, &edit) && gate_name_numbering_next(name, at) != at)
                fail_msg("'%s': a place begins at %zu with '%c'", rule->from, at, rule->from[at]);
        }
    }
}

TEST(numbers_that_compilers_append_are_removed) {
    static const struct row rows[] = {
        {"main.glob..func1", "main.glob..func*"},
        {"github.com/a/b.(*T).Run.func2.1.3", "github.com/a/b.(*T).Run.func*.*.*"},
        {"main.run.func1.gowrap2", "main.run.func*.gowrap*"},
        {"main.walk.func1-range2", "main.walk.func*-range*"},
        {"main.init.func3", "main.init.func*"},
        {"slices.pdqsortOrdered[go.shape.[]uint8,go.shape.int].func1", "slices.pdqsortOrdered.func*"},
        {"main.(*List[go.shape.string]).Push", "main.(*List).Push"},
        {"example.com/btree.(*items[...]).find", "example.com/btree.(*items).find"},
        {"example.com/cache/v3/internal/lru.(*Cache).Get", "example.com/cache/internal/lru.(*Cache).Get"},
        {"example.com/cache/v12.Get", "example.com/cache.Get"},
        {"gopkg.in/yaml.v3.(*parser).parse", "gopkg.in/yaml.(*parser).parse"},
        {"run (/srv/releases/20261101120000/app.py)", "run (/srv/releases/*/app.py)"},
        {"run (/opt/shop-1.4.2/app.py)", "run (/opt/shop-*/app.py)"},
        {"run (/opt/my-shop_20261101/app.py)", "run (/opt/my-shop_*/app.py)"},
        {"run (/opt/shop-1.4-rc1-9f8e7d6/app.py)", "run (/opt/shop-*/app.py)"},
        {"run (/opt/shop-9f8e7d6/app.py)", "run (/opt/shop-*/app.py)"},
        {"run (/opt/shop-v2/app.py)", "run (/opt/shop-v2/app.py)"}, /* of an interface, perhaps */
        {"run (/opt/shop-12/app.py)", "run (/opt/shop-12/app.py)"},
        {"run (/opt/1.4-shop/-1.4/app.py)", "run (/opt/*/-1.4/app.py)"},
        {"run (/srv/releases/2026-11-01T12-00/app.py)", "run (/srv/releases/*/app.py)"},
        {"run (/srv/3f2a91c/app.py)", "run (/srv/*/app.py)"},
        {"run (/opt/app/1.4.2-rc.1/app.js)", "run (/opt/app/*/app.js)"},
        {"run (/n/.pnpm/lodash@4.17.21/lodash/run.js)", "run (/n/.pnpm/lodash@*/lodash/run.js)"},
        {"loads (/usr/lib/python3.11/json/decoder.py)", "loads (/usr/lib/python*/json/decoder.py)"},
        {"core::ops::function::FnOnce::call_once{{vtable.shim}}::h0123456789abcdef.llvm.42",
         "core::ops::function::FnOnce::call_once{{vtable.shim}}"},
        {"app::serve::{{closure}}::hfedcba9876543210", "app::serve::{{closure}}"},
        {"parse.part.0.cold", "parse"},
        {"_ZN3app5serveEv.constprop.0.cold.1", "_ZN3app5serveEv"},
        {"parse(int) [clone .isra.0] [clone .cold]", "parse(int)"},
        {"main.omp_outlined..3", "main.omp_outlined.*"},
        {"Main$$Lambda/0x00007f0b1c0a0000.apply", "Main$$Lambda$*.apply"},
        {"Cart$$FastClassByCGLIB$$1a2b3c4d.invoke", "Cart$$FastClassByCGLIB$$*.invoke"},
        {"Cart$ByteBuddy$q7Xk2.add", "Cart$ByteBuddy$*.add"},
        {"Cart$auxiliary$q7Xk2.call", "Cart$auxiliary$*.call"},
        {"Main$$Lambda$14.0x0000000800c03000.apply", "Main$$Lambda$*.apply"},
        {"Main$$Lambda+0x00007f0b1c0a0000.apply", "Main$$Lambda$*.apply"},
        {"jdk/proxy2/$Proxy7.get", "jdk/proxy*/$Proxy*.get"},
        {"jdk/internal/reflect/GeneratedConstructorAccessor3.newInstance",
         "jdk/internal/reflect/GeneratedConstructorAccessor*.newInstance"},
        {"jdk/internal/reflect/GeneratedSerializationConstructorAccessor3.newInstance",
         "jdk/internal/reflect/GeneratedSerializationConstructorAccessor*.newInstance"},
        {"__cxx_global_var_init.12", "__cxx_global_var_init.*"},
        {"java/lang/invoke/LambdaForm$DMH012.0x0000000800c03000.invoke", "java/lang/invoke/LambdaForm$DMH/*.invoke"},
        {"com.sun.proxy.$Proxy12.call", "com.sun.proxy.$Proxy*.call"},
        {"shop.core$rows$iter__4535__4539$fn__4540$fn__4541.invoke", "shop.core$rows$iter__*$fn__*$fn__*.invoke"},
        {"shop/core$reify__8422.get", "shop/core$reify__*.get"},
        {"shop.core$price$item_QMARK___7610.invoke", "shop.core$price$item_QMARK___*.invoke"},
        {"shop.core$loading__6812__auto____8890.invoke", "shop.core$loading__*.invoke"},
        {"App$$anonfun$main$1.apply", "App$$anonfun$main$*.apply"},
        {"App$.$anonfun$main$1$adapted", "App$.$anonfun$main$*"},
        {"shop/Percent.on-fLcSEoc", "shop/Percent.on-*"},
        {"shop.PricesKt.total-e_WfEFA$default", "shop.PricesKt.total-*$default"},
        {"shop.PricesKt.total-x-WfEFA$lambda$3", "shop.PricesKt.total-*$lambda$*"},
        {"main.(*Cart).walk-range12", "main.(*Cart).walk-range*"},
        {"App$run$1$2.invokeSuspend", "App$run$*$*.invokeSuspend"},
        {"App.<>c.<Main>b__0_1", "App.<>c.<Main>b__*"},
        {"App.<Main>g__Step|3_0", "App.<Main>g__Step|*"},
        {"JS:~render /app/view.js:12:34", "JS:render /app/view.js"},
        {"LazyCompile:~ /app/view.js:12:34", "JS: /app/view.js"},
        {"*(anonymous)", "(anonymous)"},
        {"render:L#12:C#3", "render"},
        {"#12#13", "#*#*"},
        {"(::CTDirect.var\"#13#30\"{Bool, CTDirect.var\"#_x#16\"{Int64}})(::Vector)",
         "(::CTDirect.var\"#*#*\"{Bool, CTDirect.var\"#_x#*\"{Int64}})(::Vector)"},
        {"var\\\"#13#30\\\"", "var\\\"#*#*\\\""}, /* of JSON that was escaped twice */
        {"_handle_fromlist (<frozen importlib._bootstrap>:1234)", "_handle_fromlist (<frozen importlib._bootstrap>)"},
        {"malloc@@GLIBC_2.2.5", "malloc"},
        {"block in #<Shop::Page:0x00007f6f521c31d0>.render", "block in #<Shop::Page:*>.render"},
        {"Container6k4l23L\\App_Kernel::load", "Container*\\App_Kernel::load"},
        {"jfptr_solve_881", "jfptr_solve_*"},
        /* the shortest and the longest of each kind */
        {"run (/srv/202611/app.py)", "run (/srv/*/app.py)"},
        {"run (/srv/3f2a91c/app.py:42)", "run (/srv/*/app.py)"},
        {"block_main (<template>:45)", "block_main (<template>)"},
        {"__init__ (<attrs generated init shop.Cart>:3)", "__init__ (<attrs generated init shop.Cart>)"},
        {"app[8f2a3b4c5d6e]::serve", "app::serve"},
        {"app[8f2a3b4c5d6e7f809]::serve", "app::serve"},
        {"app[8f2a3b4c5d6e7f80]", "app"},
        {"bpf_prog_0123456789abcdef_sched", "bpf_prog_*_sched"},
        {"wasm-function[7]", "wasm-function[*]"},
        {"shop/Parser.jj_2_17", "shop/Parser.jj_2_*"},
        {"shop/Parser.jj_3_212", "shop/Parser.jj_3_*"},
        {"shop/Parser.jj_3R_272", "shop/Parser.jj_3R_*"},
        {"shop/Parser.jj_3R_Form2_3312_5_190", "shop/Parser.jj_3R_Form2_*"},
        {"shop::Parser::jj_3R_Join_List_9_5_1()", "shop::Parser::jj_3R_Join_List_*()"},
        {"example.com/cache/v2.Get", "example.com/cache.Get"},
        {"main.run.func1.2.3.4.5", "main.run.func*.*.*.*.*"},
        {"App.<Main>d__5", "App.<Main>d__*"},
        {"run:L#7", "run"},
        {"~'lambda'(int)", "~{lambda#*}"},
        {"run(int)::'lambda0'", "run::{lambda#*}"}, /* of debug information, or cut */
        {"'lambda1", "'lambda1"},
        {"run::'unnamed2'::go", "run::'unnamed*'::go"},
        {"$_2::operator()", "{lambda#*}::operator()"},
        {"App$_1.run", "App$_*.run"},
        {"std::sort<long*, (lambda at /src/cart (new).cpp:12:33)>", "std::sort<long*, {lambda#*}>"},
        {"fold<(lambda at cart.cpp:9:4) >", "fold<{lambda#*}>"},
        {"fold<(lambda at cart.cpp", "fold<(lambda at cart.cpp"},
        {"fold<list<list<int> > >", "fold<list<list<int>>>"},
        {"app::each<app::price(long)::{lambda(long)#1}>", "app::each<app::price::{lambda#*}>"},
        {"app::each<app::price(long int)::<lambda(long int)> >", "app::each<app::price::{lambda#*}>"},
        {"app::price::{lambda#*}::operator()", "app::price::{lambda#*}::operator()"}, /* as of debug information */
        {"main::{lambda(auto:1)#1}::operator()<long>", "main::{lambda#*}::operator()<long>"},
        {"app::S::m(int) const::L::go", "app::S::m::L::go"},
        {"app::S::operator()(int (*)(int)) const::L::go", "app::S::operator()::L::go"},
        {"app::(anonymous namespace)::an(int)::{unnamed type#1}::go",
         "app::(anonymous namespace)::an::{unnamed type#*}::go"},
        {"app::stat(std::string const&)::{lambda()#2}::operator()() const::{lambda(int)#1}::operator()",
         "app::stat::{lambda#*}::operator()::{lambda#*}::operator()"},
        {"app::lab[abi:cxx11]()::{lambda()#1}::operator()", "app::lab::{lambda#*}::operator()"},
        {"app::parse[abi:cxx11](int)", "app::parse(int)"},
        {"app::load(std::__cxx11::basic_string<char>)", "app::load(std::string)"},
        {"fold<std::__1::basic_string<char, std::__1::char_traits<char>, std::__1::allocator<char>>>",
         "fold<std::string>"},
        {"std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >::_M_append",
         "std::string::_M_append"},
        {"std::filesystem::__cxx11::path::path", "std::filesystem::path::path"},
        {"std::__ndk1::vector<int>::at", "std::vector<int>::at"},
        {"std::basic_ostream<char, std::char_traits<char> >::flush", "std::ostream::flush"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        expect_stable(rows[i].from, rows[i].to);
}

TEST(names_in_source_code_are_kept) {
    static const char *const names[] = {
        "main.func1",      /* a function that a programmer named func1 */
        "main.(*T).func1", /* a method of that name */
        "main.parse2",
        "main.sha256",
        "crypto/sha256.block",
        "main.h0123456789abcdef",
        "App17h0123456789abcdefE", /* the hash of a mangled name ends one with _ZN alone */
        "shop/Percent.constructor-impl",
        "shop/jobs.run-process", /* small letters alone are a word, not a hash of Kotlin */
        "shop/jobs.run-my_task",
        "on-fLcSEoc", /* no class */
        "shop/Percent.on-fLcSEo",
        "shop/Percent.on-fLcSEoc.run",
        "shop.core$__12.invoke",   /* Clojure has a word before its numbers */
        "com.weather.Sensor.cold", /* a method, not an outlined part of a function */
        "com.weather.Sensor.part",
        "parse.part.", /* no number behind the dot */
        "app.v2.handler",
        "golang.org/x/net/http2.(*Framer).ReadFrame",
        "utf8::decode2",
        "Foo::~Foo()",
        "~Foo()",
        "operator new[](unsigned long)",
        "operator*(Vec, Vec)",
        "<lambda>",
        "<listcomp>",
        "<module>",
        "app.py:42",
        "connect (localhost:8080)",
        "at (std::vector<int>:3)",
        "read_0x1f",
        "x86_64",
        "__memcpy_avx512_unaligned",
        "f[int]",
        "map[string]int",
        "std::array<int, 16>::at",
        "a[0]",
        "block (2 levels) in run",
        "[unknown]",
        "0x7f0012",
        "foo_12",
        "caml_alloc_small_1",
        "$0",
        "#",
        "a#",
        "*",
        "~",
        "",
        ".cold",
        ".isra.0",
        "calc-range1",
        "std::vector<Key, int>::push",
        "shop::Price<Tax>::of",
        "shop::Price<T",
        "shop::Price<>::of",
        "<T as shop::Price>::of",
        "make_closure2",
        "C#",
        "frames 1:2",
        "write@plt",
        "Container::get",
        "ContainerBuilder\\x",
        /* one less than the shortest of each kind, or one more than the longest */
        "run (/srv/20261/app.py)",
        "run (/srv/2026-11-0/app.py)",
        "run (/srv/-2026-11-01/app.py)",
        "run (/srv/3f2a91/app.py)",
        "run (/srv/deadbee/app.py)",
        "run (/srv/v1/app.py)",
        "run (/srv/1.4_2/app.py)",
        "run (/n/lodash@four/run.js)",
        "run (/usr/lib/python3/decoder.py)",
        "app[8f2a3b4c5d6]::serve",
        "app[8f2a3b4c5d6e7f8091]::serve",
        "app[8f2a3b4c5d6e]serve",
        "bpf_prog_0123456789abcde_sched",
        "bpf_prog_0123456789abcdef0_sched",
        "wasm-function[]",
        "shop/Parser.jj_3R_",
        "shop/Parser.jj_3R_Condition_5_190",
        "shop/Parser.jj_3R_1_2_3_4x",
        "shop/Parser.jj_3_name",
        "shop/Parser.my_jj_3_12",
        "shop/Parser.jj_scan_token",
        "wasm-function[7",
        "example.com/cache/v1.Get",
        "example.com/cache/v0.Get",
        "gopkg.in/yaml.v1.Get",
        "shop:0x00007f6f521c31d0",
        "Container6k4l23\\get",
        "Container6k4l23Lx\\get",
        "Container6k4_23L\\get",
        "Cart$ByteBuddy$",
        "Cart$price__2nd.call",
        "Cart$price_2.call",
        "$price__12",
        "render:L#",
        "render:L#x",
        "App.<Main>b__x",
        "DisplayClass3_0",
        "caml_solve",
        "julia_",
        "(anonymous namespace)::mix(int)", /* no parameters */
        "std::function<void (int)>::operator()",
        "app::S::operator()(int) const",
        "Sorter<int, std::less<int>>::sort(int*)",
        "Sum<(shop::Kind)1>::of",
        "decltype (f(x))::of",
        "std::basic_string<wchar_t, std::char_traits<wchar_t>, std::allocator<wchar_t>>::size",
        "basic_string<char>",
        "app::__1::run",
        "app::run[abi:",
        "{lambda(int)#1",
        "<lambda(int)",
        "<lambda()",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        expect_stable(names[i], names[i]);
}

TEST(closures_stay_apart_from_their_parents) {
    static const struct row rows[] = {{"main.run", "main.run.func1"},
                                      {"main.run.func1", "main.run.func1.1"},
                                      {"main.run.func1", "main.run.gowrap1"},
                                      {"app::run", "app::run::{{closure}}"},
                                      {"Main.run", "Main$1.run"},
                                      {"main", "main._omp_fn.0"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_false(gate_str_equal(gate_name_stable(&arena, gate_str_from(rows[i].from)),
                                    gate_name_stable(&arena, gate_str_from(rows[i].to))));
}

TEST(hashes_of_contents_are_no_part_of_a_script) {
    static const struct {
        const char *path, *stable;
    } rows[] = {
        {"dist/main-X3FNXXXC.mjs", "dist/main-*.mjs"},     /* esbuild */
        {"main-ABCDEFGH.js", "main-*.js"},                 /* the same, without a digit */
        {"assets/index-Bx93k_aZ.js", "assets/index-*.js"}, /* Vite, Rollup */
        {"assets/index-B-93k_aZ.js", "assets/index-*.js"},
        {"assets/index-DaRwXkYb.js", "assets/index-*.js"},
        {"app.3f2a9c1b4d5e6f708192.js", "app.*.js"}, /* webpack */
        {"app.3f2a9c1b.js", "app.*.js"},
        {"/opt/shop-1.4.2/main-X3FNXXXC.js", "/opt/shop-*/main-*.js"},
        {"src/page-checkout.js", "src/page-checkout.js"},
        {"src/user-shopCart.js", "src/user-shopCart.js"},
        {"src/worker-thread01.js", "src/worker-thread01.js"},
        {"src/jquery-3.7.1.min.js", "src/jquery-3.7.1.min.js"},
        {"src/X3FNXXXC.js", "src/X3FNXXXC.js"},
        {"src/main-X3FNXXXC.ts", "src/main-X3FNXXXC.ts"},
        {"src/report-20261124.js", "src/report-20261124.js"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct gate_str stable = gate_file_path_stable(&arena, gate_str_from(rows[i].path));
        if (!gate_str_equal(stable, gate_str_from(rows[i].stable)))
            fail_msg("%s: %.*s", rows[i].path, GATE_STR_ARG(stable));
        assert_true(gate_str_equal(gate_file_path_stable(&arena, stable), stable));
    }
}

TEST(a_full_arena_is_an_error) {
    gate_arena_init(&arena, 16);
    assert_null(gate_name_stable(&arena, GATE_STR("main.run.func1")).ptr);
    assert_non_null(gate_name_stable(&arena, GATE_STR("main.run")).ptr);
}

TEST(packages_are_read_per_language) {
    static const struct row rows[] = {
        {"main.main", "main"},
        {"main.(*Server).Serve.func1", "main"},
        {"github.com/a/b.(*T).M", "github.com/a/b"},
        {"github.com/Foo/Bar.Baz", "github.com/Foo/Bar"},
        {"net/http.(*conn).serve", "net/http"},
        {"slices.Sort[go.shape.[]github.com/a/b.T]", "slices"},
        {"tokio::runtime::Runtime::block_on", "tokio::runtime"},
        {"core::ptr::drop_in_place<app::Server>", "core::ptr"},
        {"<app::net::Server as Service>::call", "app::net"},
        {"std::vector<int>::push_back(int)", "std"},
        {"(anonymous namespace)::parse(int)", "(anonymous namespace)"},
        {"java.lang.Thread.run", "java.lang"},
        {"java/lang/Thread.run", "java/lang"},
        {"Main.main", ""},
        {"os.path.join", "os"},
        {"malloc", ""},
        {"", ""},
        {"/", ""},
        {"app::run(std::string const&)", "app"}, /* text in parentheses or brackets is not a package */
        {"app::run(std::map<a::b, c>::iterator)", "app"},
        {"app::(anonymous namespace)::run(std::string)", "app::(anonymous namespace)"},
        {"run(std::string)", ""},
        {"main.(*T).Run", "main"},
        {"app.Run(java.lang.String)", "app"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct gate_str package = gate_name_package(gate_str_from(rows[i].from), GATE_LANGUAGE_UNKNOWN);
        if (!gate_str_equal(package, gate_str_from(rows[i].to)))
            fail_msg("package of '%s' is '%.*s', expected '%s'", rows[i].from, GATE_STR_ARG(package), rows[i].to);
    }
}

/* The last part of a name: without file, package, class, receiver, parameters and type arguments. */
TEST(the_last_part_of_a_name_is_the_function) {
    static const struct {
        const char *name, *last, *named; /* `named`: without the closure; NULL: there is none */
    } rows[] = {
        {"total (shop/cart.py)", "total", NULL},
        {"Cart.total (/srv/my shop/cart.py)", "total", NULL},
        {"Cart.items.<locals>.total (cart.py)", "total", NULL},
        {"Cart.total.<locals>.<lambda> (cart.py)", "total.<locals>.<lambda>", "total"},
        {"<module> (cart.py)", "", NULL},
        {"Cart#total - shop/cart.rb", "total", NULL},
        {"block in Cart#total - shop/cart.rb", "total", NULL},
        {"example.com/shop/cart.(*Item).Total", "Total", NULL},
        {"example.com/shop/cart.Item[...].Total", "Total", NULL},
        {"example.com/shop/cart.Total[...]", "Total", NULL},
        {"example.com/shop/cart.(*Item).Total.func1", "Total.func1", "Total"},
        {"example.com/shop/cart.(*Item).Total.func1.2", "Total.func1.2", "Total"},
        {"example.com/shop/cart.Total.func*", "Total.func*", "Total"},
        {"example.com/shop/cart.Total.gowrap1", "Total.gowrap1", "Total"},
        {"example.com/shop/cart.functional", "functional", NULL},
        {"example.com/shop/cart.func", "func", NULL},
        {"acme/shop/Cart.total", "total", NULL},
        {"acme.shop.Cart$Item.total(int, acme.Item)", "total", NULL},
        {"acme/shop/Cart.<init>", "Cart.<init>", "Cart"},
        {"acme::Cart::total", "total", NULL},
        {"acme::Cart::total(acme::Item const&)", "total", NULL},
        {"acme::Cart<acme::Item>::total<acme::Item>", "total", NULL},
        {"<acme::Cart as acme::Priced>::total", "total", NULL},
        {"acme::total::{{closure}}", "total::{{closure}}", "total"},
        {"acme::Cart::total::{closure#0}", "total::{closure#0}", "total"},
        {"acme::Cart::operator<(acme::Cart const&)", "operator<", NULL},
        {"acme::Cart::operator->() const", "operator->", NULL},
        {"acme::Cart::operator()(int) const", "operator()", NULL},
        {"acme::Cart::operator[](int)", "operator[]", NULL},
        {"acme::Cart::operator std::string() const", "operator std::string", NULL},
        {"acme::total(int)::{lambda(int)#1}::operator()(int) const",
         "total(int)::{lambda(int)#1}::operator()(int) const", "total(int)"},
        {"acme::total::$_0::operator()() const", "total::$_0::operator()() const", "total"},
        {"main.operator", "operator", NULL},
        {"operator (cart.py)", "operator", NULL},
        {"-[Cart add:to:]", "add:to:", NULL},
        {"block (2 levels) in Cart#total (cart.rb)", "total", NULL},
        {"Acme\\Cart::{closure:Acme\\Cart::total():12}", "Acme\\Cart::{closure:Acme\\Cart::total():12}", "Acme\\Cart"},
        {"Acme.Cart+<Total>d__3.MoveNext()", "Cart+<Total>d__3.MoveNext", "Cart+"},
        {"acme/Cart$total$1.invokeSuspend", "Cart$total$1.invokeSuspend", "Cart$total$1"},
        {"lists:-total/2-fun-*-", "-total/2-fun-*-", "-total"},
        {"shop/cart.js (anonymous)", "cart.js (anonymous)", "cart"},
        {"total", "total", NULL},
        {"", "", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct gate_str name = gate_str_from(rows[i].name);
        struct gate_name_part part = gate_name_last_part(name);
        const char *named = rows[i].named == NULL ? rows[i].last : rows[i].named;
        if (!gate_str_equal(gate_str_slice(name, part.start, part.end), gate_str_from(rows[i].last)) ||
            !gate_str_equal(gate_str_slice(name, part.start, part.named), gate_str_from(named)))
            fail_msg("%s: %zu, %zu, %zu", rows[i].name, part.start, part.named, part.end);
    }
}

TEST(runtime_frames_are_known) {
    assert_true(gate_name_is_runtime(GATE_STR("runtime.gcBgMarkWorker")));
    assert_true(gate_name_is_runtime(GATE_STR("malloc")));
    assert_true(gate_name_is_runtime(GATE_STR("operator new(unsigned long)")));
    assert_true(gate_name_is_runtime(GATE_STR("(garbage collector)")));
    assert_false(gate_name_is_runtime(GATE_STR("malloc_stats_of_ours")));
    assert_false(gate_name_is_runtime(GATE_STR("runtime.main")));
    assert_false(gate_name_is_runtime(GATE_STR("main.runtime.x")));
    assert_false(gate_name_is_runtime(GATE_STR("")));
    assert_false(gate_name_is_runtime((struct gate_str){NULL, 0}));
}

TEST(only_gos_asyncpreempt_is_a_skid_frame) {
    assert_true(gate_name_is_skid(GATE_STR("runtime.asyncPreempt")));
    assert_false(gate_name_is_skid(GATE_STR("runtime.asyncPreempt2")));
    assert_false(gate_name_is_skid(GATE_STR("main.asyncPreempt")));
}

TEST(functions_that_wait_are_known_by_name_and_file) {
    static const struct {
        const char *name, *file;
        bool waits;
    } rows[] = {
        {"select", "/usr/lib/python3.11/selectors.py", true},
        {"EpollSelector.select", "selectors.py", true},
        {"EpollSelector.select (/usr/lib/python3.11/selectors.py:468)", "", true},
        {"EpollSelector.select (/usr/lib/python*/selectors.py)", "", true},
        {"Condition.wait (threading.py:327)", "", true},
        {"_worker (concurrent/futures/thread.py:81)", "", true},
        {"epoll_wait", "", true},
        {"__poll", "", true},
        {"select", "/srv/app/pick.py", false},
        {"select (my_selectors.py:4)", "", false},
        {"wait", "", false},
        {"register", "/usr/lib/python3.11/selectors.py", false},
        {"poll (shop.py:3)", "", false},
        {"select()", "", false},
        {"", "", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (gate_name_waits(gate_str_from(rows[i].name), gate_str_from(rows[i].file)) != rows[i].waits)
            fail_msg("'%s' in '%s'", rows[i].name, rows[i].file);
}

/* The package path as `go list` prints it. A type, a method, a closure, or inlined ones may follow the package. */
TEST(packages_of_go_end_at_the_first_point) {
    static const struct row rows[] = {
        {"main.main", "main"},
        {"main.main.NewRouter.func1", "main"},
        {"main.(*Server).Serve.func1", "main"},
        {"main.glob..func1", "main"},
        {"io.discard.ReadFrom", "io"},
        {"io.(*discard).ReadFrom", "io"},
        {"reflect.Value.Call", "reflect"},
        {"sync/atomic.Value.Load", "sync/atomic"},
        {"net/http.HandlerFunc.ServeHTTP", "net/http"},
        {"example.com/Shop/Cart.Cart.Add.func2.1", "example.com/Shop/Cart"},
        {"encoding/Json.Marshal", "encoding/Json"},
        {"gopkg.in/yaml%2ev3.(*parser).parse", "gopkg.in/yaml%2ev3"},
        {"slices.SortFunc[go.shape.[]example.com/a/b.T,go.shape.int]", "slices"},
        {"maps.Keys[...].func1", "maps"},
        {"type:.eq.main.key", ""},
        {"type..hash.main.key", ""},
        {"go:buildid", ""},
        {"std::vector<int>::push_back(int)", "std"},
        {"__libc_start_main", ""},
        {"gcWriteBarrier", ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct gate_str package = gate_name_package(gate_str_from(rows[i].from), GATE_LANGUAGE_GO);
        if (!gate_str_equal(package, gate_str_from(rows[i].to)))
            fail_msg("package of '%s' is '%.*s', expected '%s'", rows[i].from, GATE_STR_ARG(package), rows[i].to);
    }
}

TEST(packages_of_python_are_folders) {
    static const struct {
        const char *from, *to;
    } rows[] = {
        {"price (shop/cart.py)", "shop"},
        {"Cart.price.<locals>.<lambda> (/srv/shop/cart.py)", "/srv/shop"},
        {"render (/srv/venv/lib/python3.11/site-packages/jinja2/ext/utils.py)", "jinja2/ext"},
        {"get (/usr/lib/python3/dist-packages/six.py)", "six"},
        {"iterencode (/usr/lib/python*/json/encoder.py)", "json"},
        {"deepcopy (/usr/lib/python3.11/copy.py)", "copy"},
        {"<module> (work.py)", "work"},
        {"score.<locals>.key", ""},
        {"Cart.price", ""},
        {"price", ""},
        {"price (shop/cart.rb)", ""},
        {".py (", ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct gate_str package = gate_name_package(gate_str_from(rows[i].from), GATE_LANGUAGE_PYTHON);
        if (!gate_str_equal(package, gate_str_from(rows[i].to)))
            fail_msg("package of '%s' is '%.*s', expected '%s'", rows[i].from, GATE_STR_ARG(package), rows[i].to);
    }
}

TEST(code_that_runs_once_is_known_by_its_frames) {
    static const struct {
        const char *name, *file;
        bool initialises;
    } rows[] = {
        {"_find_and_load (<frozen importlib._bootstrap>)", "", true},
        {"exec_module", "<frozen importlib._bootstrap_external>", true},
        {"runtime.doInit1", "", true},
        {"com.shop.Prices.<clinit>", "", true},
        {"Kernel#require", "", true},
        {"clojure/core$load_lib.doInvoke", "", true}, /* `require`, `use` and `ns` */
        {"clojure.core$load_lib$fn__6873.invoke", "", true},
        {"clojure/core$load_string.invoke", "", false}, /* a program may evaluate code at any time */
        {"com.shop.Prices.<init>", "", false},
        {"runtime.main", "runtime/proc.go", false},
        {"import_module (/usr/lib/python3.11/importlib/__init__.py)", "", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (gate_name_initialises(gate_str_from(rows[i].name), gate_str_from(rows[i].file)) != rows[i].initialises)
            fail_msg("%s", rows[i].name);
}

TEST(names_of_javascript_have_their_package) {
    static const struct {
        const char *name, *file, *expected;
    } rows[] = {
        {"digest", "node:internal/crypto/hash", "digest (node)"},
        {"get", "/srv/shop/node_modules/lodash/get.js", "get (lodash)"},
        {"get", "/srv/shop/node_modules/.pnpm/a@1/node_modules/@shop/cart/lib/get.js", "get (@shop/cart)"},
        {"get", "node_modules/lodash", "get (lodash)"},
        {"loadExtScript", "ext:core/01_core.js", "loadExtScript (deno)"},
        {"get", "file:///root/.cache/deno/npm/npm.example.org/lodash/4.17.21/get.js", "get (lodash)"},
        {"get", "/deno-dir/npm/npm.example.org/@shop/cart/1.0.0/lib/get.js", "get (@shop/cart)"},
        {"get", "/deno-dir/npm/get.js", "get"},
        {"get", "/srv/deno/shop/get.ts", "get"},
        {"get", "/srv/shop/src/cart.js", "get"},
        {"index.js (anonymous)", "/srv/shop/node_modules/lodash/index.js", "index.js (anonymous)"},
        {"", "node:fs", ""},
        {"get", "", "get"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct gate_str name = gate_name_with_package(&arena, gate_str_from(rows[i].name), gate_str_from(rows[i].file));
        if (!gate_str_equal(name, gate_str_from(rows[i].expected)))
            fail_msg("row %zu: '%.*s'", i, GATE_STR_ARG(name));
    }
}
