/* SPDX-License-Identifier: Apache-2.0 */
/* Own code in real profiles of each producer, and of a corpus if there is one; and the language of a profile. */
#include "gate/formats/format.h"
#include "gate/model/location.h"
#include "gate/model/sample.h"
#include "gate/names/own_code.h"
#include "tests/unit/unit.h"

#include <dirent.h>

#define OWN GATE_CODE_OWN
#define THIRD GATE_CODE_THIRD_PARTY
#define LIBRARY GATE_CODE_LIBRARY
#define COUNT(array) (sizeof(array) / sizeof *(array))

struct split {
    enum gate_language language;
    uint32_t frames[GATE_CODES];
    double total, charged; /* of the last column; `charged`: samples with an own frame on the stack */
};

static struct gate_code_place place_at(const struct gate_profile *profile, uint32_t index, uint32_t line) {
    const struct gate_location location = gate_location_at(profile, index);
    struct gate_code_place place = {.is_main_mapping = location.mapping == 0};
    if (location.mapping != GATE_NO_INDEX)
        place.mapping = profile->mappings[location.mapping].file;
    if (line < location.line_count) {
        const struct gate_function *function =
            &profile->functions[gate_location_line(profile, &location, line).function];
        place.function = function->name;
        place.file = function->file;
    }
    return place;
}

static bool location_has_own(struct split *split, const struct gate_profile *profile, uint32_t index) {
    bool has_own = false;
    for (uint32_t i = 0; i < gate_location_frames(profile, index); i++) {
        struct gate_code_place place = place_at(profile, index, i);
        enum gate_code code = gate_own_code_of(split->language, &place);
        split->frames[code]++;
        has_own = has_own || gate_own_code_is_own(split->language, code);
    }
    return has_own;
}

static bool split_load(struct split *split, struct gate_profile *profile, const char *path, struct gate_arena *arena,
                       struct gate_error *err) {
    struct gate_limits limits = gate_limits_default();
    struct gate_str bytes;
    *split = (struct split){0};
    if (!gate_source_read(&bytes, gate_str_from(path), &limits, arena, err) ||
        !gate_profile_load(profile, bytes, &limits, arena, err))
        return false;
    split->language = gate_own_code_language(profile);
    bool *own = GATE_NEW_ARRAY(arena, bool, profile->location_count + 1);
    assert_non_null(own);
    for (uint32_t i = 0; i < profile->location_count; i++)
        own[i] = location_has_own(split, profile, i);
    struct gate_sample_cursor cursor;
    struct gate_sample sample;
    gate_sample_begin(&cursor, profile);
    while (gate_sample_next(&cursor, &sample, err)) {
        uint64_t id = 0;
        bool has_own = false;
        for (uint32_t at = 0; gate_stack_next(sample.stack, &at, &id);)
            has_own = has_own || own[gate_location_find(profile, id)];
        double value = (double)sample.values[sample.value_count - 1];
        split->total += value;
        split->charged += has_own ? value : 0;
    }
    gate_sample_end(&cursor);
    return err->code == GATE_OK;
}

static void split_print(const struct split *split, const char *path) {
    if (getenv("GATE_VERBOSE") != NULL)
        print_message("%s: %s, frames: %u own, %u third-party, %u library; own in %.1f %% of the samples\n", path,
                      gate_own_code_language_name(split->language), (unsigned)split->frames[OWN],
                      (unsigned)split->frames[THIRD], (unsigned)split->frames[LIBRARY],
                      split->total == 0 ? 0 : 100 * split->charged / split->total);
}

/* A file, its language, the minimum percentage of samples with an own frame, and the class of some functions. */
struct real {
    const char *path;
    enum gate_language language;
    double percent;
    struct {
        const char *function;
        enum gate_code code;
    } frames[6];
};

static void expect_frame(const struct real *real, const struct gate_profile *profile, const char *function,
                         enum gate_code code) {
    bool is_there = false;
    for (uint32_t i = 0; i < profile->function_count; i++) {
        struct gate_code_place place = {.function = profile->functions[i].name, .file = profile->functions[i].file};
        if (!gate_str_equal(place.function, gate_str_from(function)))
            continue;
        is_there = true;
        if (gate_own_code_of(real->language, &place) != code)
            fail_msg("%s: '%s' is not %s", real->path, function, gate_own_code_name(code));
    }
    if (!is_there)
        fail_msg("%s: no function '%s'", real->path, function);
}

static void real_profile_is_split(const struct real *real) {
    AT_END(gate_arena_free) struct gate_arena arena = {0};
    struct gate_profile profile;
    struct split split;
    char path[512];
    (void)snprintf(path, sizeof path, GATE_SOURCE_DIR "/fixtures/%s", real->path);
    if (!split_load(&split, &profile, path, &arena, &err))
        fail_msg("%s: %s", real->path, err.message);
    split_print(&split, real->path);
    if (split.language != real->language)
        fail_msg("%s is taken for %s", real->path, gate_own_code_language_name(split.language));
    if (split.charged * 100 < real->percent * split.total)
        fail_msg("%s: own frames in %.1f %% of the samples, expected %.1f %%", real->path,
                 100 * split.charged / split.total, real->percent);
    for (size_t i = 0; i < COUNT(real->frames) && real->frames[i].function != NULL; i++)
        expect_frame(real, &profile, real->frames[i].function, real->frames[i].code);
}

TEST(own_code_of_each_producer_is_recognised) {
    static const struct real reals[] = {
        {"go-service/cpu/baseline-1.pb.gz", GATE_LANGUAGE_GO, 80,
         .frames = {{"main.priceRound", OWN},
                    {"main.(*shop).handleReport", OWN},
                    {"runtime.mallocgc", LIBRARY},
                    {"net/http.(*conn).serve", LIBRARY},
                    {"memeqbody", LIBRARY}}},
        {"go-service/heap/baseline-1.pb.gz", GATE_LANGUAGE_GO, 95, .frames = {{"main.main", OWN}}},
        {"go-service/mutex/lock-1.pb.gz", GATE_LANGUAGE_GO, 95, .frames = {{"sync.(*Mutex).Unlock", LIBRARY}}},
        {"captures/mix-1.cpu.pb.gz", GATE_LANGUAGE_GO, 80,
         .frames = {{"main.rankProducts.func1", OWN}, {"compress/flate.(*compressor).deflate", LIBRARY}}},
        {"producers/async-profiler/baseline.pb", GATE_LANGUAGE_JVM, 85,
         .frames = {{"Shop.roundPrice", OWN},
                    {"Shop$$Lambda$5.0x00007fb01a001218.test", OWN},
                    {"java/util/TimSort.sort", LIBRARY},
                    {"PhaseIdealLoop::optimize", LIBRARY},
                    {"start_thread", LIBRARY}}},
        {"producers/async-profiler/baseline.collapsed", GATE_LANGUAGE_JVM, 85,
         .frames = {{"Shop.roundPrice_[i]", OWN}, {"java/lang/String.equals_[i]", LIBRARY}, {"JavaMain", LIBRARY}}},
        {"producers/gperftools/baseline.prof", GATE_LANGUAGE_NATIVE, 99, .frames = {{NULL, OWN}}},
        {"producers/node-cpu-prof/baseline.cpuprofile", GATE_LANGUAGE_NODE, 95,
         .frames = {{"roundPrice", OWN},
                    {"(garbage collector)", LIBRARY},
                    {"createHash", LIBRARY},
                    {"consoleCall", LIBRARY}}},
        {"producers/node-pprof/baseline.pb.gz", GATE_LANGUAGE_NODE, 95,
         .frames =
             {{"roundPrice", OWN}, {"start", THIRD}, {"processImmediate", LIBRARY}, {"Garbage Collection", LIBRARY}}},
        {"producers/perf/baseline.collapsed", GATE_LANGUAGE_NATIVE, 99,
         .frames = {{"round_price", OWN},
                    {"main", OWN},
                    {"_int_malloc", LIBRARY},
                    {"operator new", LIBRARY},
                    {"std::_Rb_tree_decrement", LIBRARY},
                    {"handle_softirqs", LIBRARY}}},
        {"producers/pprof-rs/baseline.pb", GATE_LANGUAGE_RUST, 99,
         .frames = {{"shop::round_price", OWN},
                    {"core::fmt::write", LIBRARY},
                    {"<f64 as core::fmt::Display>::fmt", LIBRARY},
                    {"__libc_start_call_main", LIBRARY},
                    {"main", LIBRARY}}},
        {"producers/py-spy/baseline.collapsed", GATE_LANGUAGE_PYTHON, 99,
         .frames = {{"round_price (shop.py)", OWN},
                    {"<module> (shop.py)", OWN},
                    {"dumps (json/__init__.py)", LIBRARY},
                    {"_compile (re/__init__.py)", LIBRARY}}},
        {"producers/py-spy/baseline.speedscope.json", GATE_LANGUAGE_PYTHON, 99,
         .frames = {{"round_price", OWN}, {"dumps", LIBRARY}, {"_find_and_load", LIBRARY}}},
    };
    for (size_t i = 0; i < COUNT(reals); i++)
        real_profile_is_split(&reals[i]);
}

TEST(own_code_of_a_foreign_corpus_is_recognised) {
    skip_without_reference_profiles();
    DIR *folder = opendir(GATE_SHARED_DIR "/corpus");
    assert_non_null(folder);
    for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        struct gate_profile profile;
        struct split split;
        char path[512];
        (void)snprintf(path, sizeof path, GATE_SHARED_DIR "/corpus/%s", entry->d_name);
        if (entry->d_name[0] != '.' && split_load(&split, &profile, path, &arena, &err)) {
            split_print(&split, entry->d_name);
            assert_true(split.charged <= split.total);
        }
    }
    (void)closedir(folder);
}

/* ---- the language of a profile ----------------------------------------------------------------------------------- */

struct spoken {
    enum gate_language language;
    const char *functions[6][2]; /* name and file; the list ends with a NULL name */
    const char *mappings[4];
};

TEST(the_language_follows_from_files_then_names_then_mappings) {
    static const struct spoken rows[] = {
        {GATE_LANGUAGE_GO, {{"main.run", ""}, {"runtime.mcall", ""}}, {""}},
        {GATE_LANGUAGE_GO, {{"x", "/src/x.go"}, {"sqlite3_step", "sqlite3.c"}, {"malloc", ""}}, {""}},
        {GATE_LANGUAGE_GO, {{"x", "/src/x.go"}, {"y", "/src/x.go"}, {"f", "/srv/f.py"}}, {""}},
        {GATE_LANGUAGE_JVM, {{"Node::add", ""}, {"Compile::Compile", ""}, {"java/lang/Thread.run", ""}}, {""}},
        {GATE_LANGUAGE_JVM, {{"com.acme.Cart.add", "Cart.kt"}}, {""}},
        {GATE_LANGUAGE_NODE, {{"f", "webpack:///src/f.ts"}, {"v8::internal::Heap::Scavenge", ""}}, {""}},
        {GATE_LANGUAGE_NODE, {{"LazyCompile:*f /app/f.js:1:2", ""}, {"(program)", ""}}, {""}},
        {GATE_LANGUAGE_PYTHON,
         {{"f (shop.py:1)", ""}, {"_PyEval_EvalFrameDefault (ceval.c:1)", ""}, {"free", ""}},
         {""}},
        {GATE_LANGUAGE_RUST,
         {{"shop::main", ""}, {"core::fmt::write", ""}, {"main", ""}, {"malloc", "malloc.c"}},
         {""}},
        {GATE_LANGUAGE_NATIVE, {{"shop::main", ""}, {"std::sort", ""}, {"malloc", ""}}, {""}},
        {GATE_LANGUAGE_NATIVE, {{"round_price", "/app/price.c"}}, {""}},
        {GATE_LANGUAGE_RUBY, {{"Cart#add", "/app/cart.rb"}, {"rb_gc", "gc.c"}}, {""}},
        {GATE_LANGUAGE_PHP, {{"Acme\\Cart::add", ""}, {"malloc", ""}}, {""}},
        {GATE_LANGUAGE_PHP, {{"{closure}", ""}, {"{closure:C:\\shop\\cart.php:6-19}", ""}}, {""}},
        {GATE_LANGUAGE_RUBY, {{"rescue in #<Class:Cart>#load", ""}}, {""}},
        {GATE_LANGUAGE_RUBY, {{"Shop::Cart#price", ""}, {"rescue in Cart#load", ""}}, {""}},
        {GATE_LANGUAGE_JVM,
         {{"com.shop.Cart#price", ""}, {"com/shop/Cart#load", ""}, {"java.lang.Math#abs", ""}},
         {""}},
        /* functions without a name, and private ones, of other languages */
        {GATE_LANGUAGE_RUST, {{"main", ""}, {"{closure#0}", ""}}, {""}},
        {GATE_LANGUAGE_NATIVE, {{"main", ""}, {"shop::{unnamed type#1}::run", ""}}, {""}},
        {GATE_LANGUAGE_UNKNOWN, {{"closure #1 in Shop.run()", ""}, {"get #total", ""}, {"#solve#12", ""}}, {""}},
        {GATE_LANGUAGE_UNKNOWN, {{"C:\\shop\\shop.exe!main", ""}}, {""}},
        {GATE_LANGUAGE_UNKNOWN, {{"one", ""}, {"two", ""}}, {""}},
        {GATE_LANGUAGE_UNKNOWN, {{NULL, NULL}}, {""}},
        {GATE_LANGUAGE_NATIVE, {{NULL, NULL}}, {"/lib64/libc.so.6"}},
        {GATE_LANGUAGE_PYTHON, {{NULL, NULL}}, {"/usr/bin/python3.11"}},
        {GATE_LANGUAGE_JVM, {{NULL, NULL}}, {"/j/libjvm.so", "/j/libjvm.so", "/usr/bin/python3.11"}},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct gate_function functions[6];
        memset(functions, 0, sizeof functions);
        struct gate_mapping mappings[4] = {0};
        struct gate_profile profile = {.functions = functions, .mappings = mappings};
        for (; rows[i].mappings[profile.mapping_count] != NULL; profile.mapping_count++)
            mappings[profile.mapping_count].file = gate_str_from(rows[i].mappings[profile.mapping_count]);
        for (; rows[i].functions[profile.function_count][0] != NULL; profile.function_count++) {
            functions[profile.function_count].name = gate_str_from(rows[i].functions[profile.function_count][0]);
            functions[profile.function_count].file = gate_str_from(rows[i].functions[profile.function_count][1]);
        }
        enum gate_language language = gate_own_code_language(&profile);
        if (language != rows[i].language)
            fail_msg("row %zu is %s", i, gate_own_code_language_name(language));
    }
}
