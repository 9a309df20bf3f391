/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/guards/guards_origin.h"

#include "gate/base/str.h"
#include "gate/formats/format.h"
#include "gate/model/location.h"

/* Guards on the origin of a profile: profiler, architecture, kind of build. pprof has no fields for these, so they are
 * inferred from names. */

/* Size of a vote table. winner() returns the index with the most votes, or -1 without votes. */
enum { ORIGIN_WORDS = 12 };

/* Length of the longest ending below with its dot, and of the longest machine name with the '_' before it. */
enum { ENDING_LENGTH = 6, MACHINE_LENGTH = 8 };

static const struct {
    const char *ending;
    int language;
} endings[] = {
    {".go", 0},  {".rs", 1}, {".java", 2}, {".kt", 2}, {".scala", 2}, {".js", 3}, {".mjs", 3},
    {".cjs", 3}, {".ts", 3}, {".py", 4},   {".rb", 5}, {".c", 6},     {".cc", 6}, {".cpp", 6},
    {".cxx", 6}, {".h", 6},  {".hpp", 6},  {".cs", 7}, {".php", 8},   {".jl", 9}, {".swift", 10},
};

static const char *const languages[] = {"Go",       "Rust", "the JVM", "JavaScript", "Python", "Ruby",
                                        "C or C++", ".NET", "PHP",     "Julia",      "Swift"};

static const struct {
    const char *word;
    int architecture;
} machines[] = {
    {"amd64", 0},   {"x86_64", 0}, {"x86-64", 0}, {"arm64", 1}, {"aarch64", 1}, {"riscv64", 2},
    {"ppc64le", 3}, {"s390x", 4},  {"i386", 5},   {"i686", 5},  {"386", 5},
};

static const char *const architectures[] = {"amd64", "arm64", "riscv64", "ppc64le", "s390x", "386"};

static int winner(const uint32_t votes[ORIGIN_WORDS]) {
    int best = -1;
    for (int i = 0; i < ORIGIN_WORDS; i++)
        if (votes[i] != 0 && (best < 0 || votes[i] > votes[best]))
            best = i;
    return best;
}

/* Return a file name's ending with its dot; empty if it is longer than any known ending. */
static struct gate_str ending_of(struct gate_str file) {
    for (size_t i = file.len; i > 0 && file.len - i < ENDING_LENGTH; i--)
        if (file.ptr[i - 1] == '.')
            return gate_str_slice(file, i - 1, file.len);
    return GATE_STR("");
}

/* Return the language of an ending, or -1. */
static int language_of_ending(struct gate_str ending) {
    for (size_t i = 0; ending.len > 1 && i < sizeof endings / sizeof *endings; i++)
        if (endings[i].ending[1] == ending.ptr[1] && gate_str_equal(ending, gate_str_from(endings[i].ending)))
            return endings[i].language;
    return -1;
}

static int language_of(const struct gate_profile *profile) {
    uint32_t votes[ORIGIN_WORDS] = {0};
    struct gate_str known = {"", 0}; /* ending of the previous file; usually the same */
    int language = -1;
    for (uint32_t f = 0; f < profile->function_count; f++) {
        struct gate_str ending = ending_of(profile->functions[f].file);
        if (!gate_str_equal(ending, known))
            language = language_of_ending(ending);
        known = ending;
        if (language >= 0)
            votes[language]++;
    }
    return winner(votes);
}

/* Return the length of ".go" or ".s" at the end of a file name, else 0. */
static size_t go_ending(struct gate_str file) {
    const char *end = file.ptr + file.len;
    if (file.len >= 3 && end[-1] == 'o' && end[-2] == 'g' && end[-3] == '.')
        return 3;
    return file.len >= 2 && end[-1] == 's' && end[-2] == '.' ? 2 : 0;
}

/* Count "_amd64.s" or "_arm64.go": Go's naming convention, the most reliable sign. */
static void vote_by_file(uint32_t votes[ORIGIN_WORDS], struct gate_str file) {
    size_t ending = file.len == 0 ? 0 : go_ending(file);
    if (ending == 0)
        return;
    struct gate_str stem = {file.ptr, file.len - ending};
    struct gate_str last = gate_str_slice(stem, stem.len > MACHINE_LENGTH ? stem.len - MACHINE_LENGTH : 0, stem.len);
    if (last.len == 0 || memchr(last.ptr, '_', last.len) == NULL)
        return;
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++) {
        struct gate_str word = gate_str_from(machines[i].word);
        votes[machines[i].architecture] +=
            stem.len > word.len && stem.ptr[stem.len - word.len - 1] == '_' && gate_str_ends(stem, word);
    }
}

static int architecture_of(const struct gate_profile *profile) {
    uint32_t votes[ORIGIN_WORDS] = {0};
    for (uint32_t f = 0; f < profile->function_count; f++)
        vote_by_file(votes, profile->functions[f].file);
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++) {
        /* "386" is too short to look for in a path. */
        for (uint32_t m = 0; m < profile->mapping_count && strlen(machines[i].word) > 3; m++)
            votes[machines[i].architecture] +=
                gate_str_find(profile->mappings[m].file, gate_str_from(machines[i].word), 0) != SIZE_MAX;
    }
    return winner(votes);
}

static const struct gate_profile *first_of(const struct gate_guard_check *check, uint32_t side) {
    return check->pair->sides[side].runs[0].input.profile;
}

bool gate_guards_origin_different_producer(struct gate_guard_check *check, double limit) {
    const struct gate_profile *a = first_of(check, GATE_BASELINE);
    const struct gate_profile *b = first_of(check, GATE_CANARY);
    int language[GATE_SIDES] = {language_of(a), language_of(b)};
    (void)limit;
    if (a->format != b->format)
        return gate_guard_check_warn(
            check, GATE_GUARD_DIFFERENT_PRODUCER,
            "the sides come from different profilers: the baseline is %s, the canary %s; take both with "
            "the same one",
            gate_format_name(a->format), gate_format_name(b->format));
    if (language[0] < 0 || language[1] < 0 || language[0] == language[1])
        return true;
    return gate_guard_check_warn(
        check, GATE_GUARD_DIFFERENT_PRODUCER,
        "the sides come from different programs or profilers: most source files of the baseline are %s, "
        "those of the canary %s; compare builds of one program",
        languages[language[0]], languages[language[1]]);
}

bool gate_guards_origin_different_architecture(struct gate_guard_check *check, double limit) {
    int found[GATE_SIDES] = {architecture_of(first_of(check, GATE_BASELINE)),
                             architecture_of(first_of(check, GATE_CANARY))};
    (void)limit;
    if (found[0] < 0 || found[1] < 0 || found[0] == found[1])
        return true;
    return gate_guard_check_warn(
        check, GATE_GUARD_DIFFERENT_ARCHITECTURE,
        "the sides ran on different architectures: %s in the baseline, %s in the canary; compare like with like",
        architectures[found[0]], architectures[found[1]]);
}

/* Return whether a frame belongs to the runtime of a sanitizer or race detector. */
static bool is_sanitizer(struct gate_str name) {
    static const char *const starts[] = {"__asan",         "__tsan",      "__msan",      "__ubsan",
                                         "__interceptor_", "__sanitizer", "runtime.race"};
    if (name.len == 0 || (name.ptr[0] != '_' && name.ptr[0] != 'r'))
        return false;
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (starts[i][0] == name.ptr[0] && name.len > 8 && starts[i][2] == name.ptr[2] &&
            gate_str_starts(name, gate_str_from(starts[i])))
            return true;
    return false;
}

static double sanitizer_share(const struct gate_guard_check *check, uint32_t side) {
    int64_t sum = 0;
    for (uint32_t i = 0; i < check->pair->frame_count; i++)
        if (is_sanitizer(check->pair->frames[i].name))
            sum += check->comparison->deltas.items[i].value[GATE_SELF][side];
    return gate_share(sum, check->pair->sides[side].total);
}

/* Return whether a Go profile has no inlined calls, as with -gcflags=-l. Every ordinary Go program has some. Needs 200
 * locations. Profiles of fgprof never have any. */
static bool go_without_inlining(const struct gate_profile *profile) {
    enum { LEAST = 200 };
    uint32_t plain = 0;
    if (profile->most_lines > 1 || profile->format != GATE_FORMAT_PPROF || language_of(profile) != 0 ||
        gate_str_equal(profile->period_type.type, GATE_STR("wallclock")))
        return false;
    for (uint32_t i = 0; i < profile->location_count && plain < LEAST; i++)
        plain += gate_location_at(profile, i).line_count == 1;
    return plain == LEAST;
}

static const char *debug_sign(const struct gate_guard_check *check, uint32_t side) {
    const struct gate_profile *profile = first_of(check, side);
    if (sanitizer_share(check, side) >= 0.01)
        return "it runs with a sanitizer or race detector";
    for (uint32_t i = 0; i < profile->mapping_count; i++)
        if (gate_str_find(profile->mappings[i].file, GATE_STR("/target/debug/"), 0) != SIZE_MAX ||
            gate_str_find(profile->mappings[i].file, GATE_STR("/Debug/"), 0) != SIZE_MAX)
            return "its binary is in a debug folder";
    return go_without_inlining(profile) ? "no function is inlined (-gcflags=-l?)" : NULL;
}

bool gate_guards_origin_debug_build(struct gate_guard_check *check, double limit) {
    (void)limit;
    for (uint32_t side = 0; side < GATE_SIDES; side++) {
        const char *sign = debug_sign(check, side);
        if (sign != NULL)
            return gate_guard_check_warn(check, GATE_GUARD_DEBUG_BUILD,
                                         "the %s looks like a debug build: %s; profile what is deployed",
                                         gate_side_word(side), sign);
    }
    return true;
}
