/* SPDX-License-Identifier: Apache-2.0 */
/* Mangled names: which are demangled, which stay, and a short one that would expand to gigabytes. */
#include "profile_fixture.h"

#include "gate/base/hash.h"
#include "gate/symbols/demangle.h"

static void expect(const char *mangled, const char *wanted) {
    AT_END(gate_arena_free) struct gate_arena arena = {0};
    struct gate_str name = gate_demangle(&arena, gate_str_from(mangled));
    if (!gate_str_equal(name, gate_str_from(wanted)))
        fail_msg("'%s' is '%.*s', expected '%s'", mangled, GATE_STR_ARG(name), wanted);
}

TEST(names_are_as_programmers_wrote_them) {
    if (!gate_demangle_is_built())
        skip();
    expect("_ZN4shop5orderEm", "shop::order");
    expect("_ZNK4shop4CartIiE5totalEm", "shop::Cart<int>::total");
    expect("_ZN4shop12_GLOBAL__N_15spellEm", "shop::(anonymous namespace)::spell");
    expect("_ZN4shop5orderEm.isra.0", "shop::order");
    expect("__ZN4shop5orderEm", "shop::order"); /* with Mach-O's extra underscore */
    expect("_ZN4shop4cart5total17h0123456789abcdefE", "shop::cart::total");
    expect("_RNvNtCs1234_4shop4cart5total", "shop::cart::total");
}

TEST(names_that_are_not_mangled_are_unchanged) {
    static const char *const names[] = {"",    "main",        "main.order", "_Z",      "_ZN",      "_R",
                                        "_Z1", "shop::order", "Zebra",      "$s4shop", "?f@@YAXXZ"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        expect(names[i], names[i]);
}

/* Each template argument contains the one before it twice, so 30 of them expand to gigabytes. The name must stay. */
TEST(a_name_that_expands_to_gigabytes_is_unchanged) {
    char name[1024] = "_Z1fI1A1BIS0_S0_E";
    size_t len = strlen(name);
    static const char digits[] = "23456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    for (size_t i = 0; i < 30; i++)
        len += (size_t)snprintf(name + len, sizeof name - len, "S1_IS%c_S%c_E", digits[i], digits[i]);
    (void)snprintf(name + len, sizeof name - len, "Evv");
    struct gate_str found = gate_demangle(&arena, gate_str_from(name));
    assert_true(gate_str_equal(found, gate_str_from(name)));
}

TEST(damaged_names_are_survived) {
    static const char *const seeds[] = {"_ZNK4shop4CartISt6vectorIiSaIiEEE5totalEmPFvRKS_E",
                                        "_RINvNtCs1234_4shop4cart5totalNtB2_4LineEB4_",
                                        "_ZN4shop4cart5total17h0123456789abcdefE"};
    uint64_t random = 7;
    for (int turn = 0; turn < 6000; turn++) {
        char name[128];
        (void)snprintf(name, sizeof name, "%s", seeds[turn % 3]);
        for (int i = 0; i < 3; i++) {
            random = gate_hash_mix(random);
            name[2 + random % (strlen(seeds[turn % 3]) - 2)] = (char)(33 + (random >> 32) % 94);
        }
        struct gate_str found = gate_demangle(&arena, gate_str_from(name));
        assert_non_null(found.ptr);
    }
}
