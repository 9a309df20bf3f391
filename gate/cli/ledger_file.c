/* SPDX-License-Identifier: Apache-2.0 */
/* Using a ledger (see ledger_file.h). */
#include "gate/cli/ledger_file.h"

#include "gate/base/outfile.h"
#include "gate/cli/input.h"
#include "gate/cli/judge_digest.h"
#include "gate/cli/ledger_pool.h"
#include "gate/cli/option_value.h"
#include "gate/report/headline.h"

#include <errno.h>
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

/* The first, and one more. */
enum { LOOKS_PLANNED = 2 };

static const struct gate_option rows[] = {
    {"ledger", 0, "FILE",
     "the looks at this change so far: a rerun with the same FILE is the next look, at all runs together, and the "
     "error "
     "rates are those of all looks",
     gate_option_value_text, offsetof(struct gate_ledger_options, path), NULL},
    {"looks", 0, "N", "at most N looks at a change (default 2: the first, and one more)", gate_option_value_count32,
     offsetof(struct gate_ledger_options, looks), NULL},
    {"change", 0, "NAME", "what the change is, such as a revision: another begins a new ledger (default: build ids)",
     gate_option_value_text, offsetof(struct gate_ledger_options, change), NULL},
    {0},
};
const struct gate_option_group gate_ledger_file_options = {.heading = "Looking more than once:", .rows = rows};

/* ---- what there is ----------------------------------------------------------------------------------------------- */

static bool file_usage(const struct gate_ledger_options *options, const struct gate_profile_options *profiles,
                       const struct gate_judge_options *judging, struct gate_error *err) {
    if (options->looks > GATE_SPENDING_LOOKS_MAX)
        return gate_error_set(err, GATE_ERR_USAGE, "'--looks' takes at most %u, found %u", GATE_SPENDING_LOOKS_MAX,
                              (unsigned)options->looks);
    if (profiles->pairs.count != 0)
        return gate_error_set(err, GATE_ERR_USAGE,
                              "'--ledger' cannot be combined with '--pair'; give each kind a ledger of its own");
    if (judging->history.count != 0)
        return gate_error_set(err, GATE_ERR_USAGE,
                              "'--ledger' cannot be combined with '--history': a ledger judges all runs of a change "
                              "together, a history each by itself");
    if (judging->looks.count != 0)
        return gate_error_set(err, GATE_ERR_USAGE,
                              "'--ledger' cannot be combined with a session whose manifest says how often it was "
                              "looked at; give its profiles by '--baseline' and '--canary'");
    for (int side = 0; side < GATE_SIDES; side++)
        for (uint32_t i = 0; i < profiles->paths[side].count; i++)
            if (gate_paths_is_stream(profiles->paths[side].items[i]))
                return gate_error_set(err, GATE_ERR_USAGE,
                                      "'--ledger' wants profiles in files, since the next look reads them again");
    return true;
}

/* One run at a time: the lock ends with the process, however that ends. */
static bool file_lock(struct gate_ledger_file *file, struct gate_arena *arena, struct gate_error *err) {
    struct gate_str name = gate_str_format(arena, "%s.lock", file->path);
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (name.ptr == NULL)
        return gate_arena_error(arena, err);
    file->lock = open(name.ptr, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (file->lock < 0)
        return gate_error_set(err, GATE_ERR_IO, "%s: %s", name.ptr, strerror(errno));
    if (fcntl(file->lock, F_SETLK, &whole) == 0)
        return true;
    if (errno == EACCES || errno == EAGAIN)
        return gate_error_set(err, GATE_ERR_IO, "%s: another run is using this ledger; wait until it has ended",
                              file->path);
    return gate_error_set(err, GATE_ERR_IO, "%s: %s", name.ptr, strerror(errno));
}

static bool file_read(struct gate_ledger_file *file, const struct gate_cli *cli, struct gate_error *err) {
    struct gate_error why = {0};
    struct gate_str text;
    if (access(file->path, F_OK) != 0 && errno == ENOENT)
        return true;
    if (gate_input_read_small(&text, cli, file->path, cli->arena, &why) &&
        gate_ledger_read(&file->ledger, text, cli->arena, &why))
        return true;
    return gate_error_set(err, why.code, "%s: %s", file->path, why.message);
}

/* Two names that are known and not the same. */
static bool differ(struct gate_str a, struct gate_str b) {
    return a.len > 0 && b.len > 0 && !gate_str_equal(a, b);
}

/* What the change is: as it is told, or else the one build that all runs of the canary are of. */
static bool file_name(const struct gate_ledger_pool *pool, const struct gate_ledger *now, struct gate_error *err) {
    struct gate_str file = pool->unknown[GATE_CANARY];
    if (now->change.len > 0)
        return true;
    if (file.len > 0)
        return gate_error_set(err, GATE_ERR_USAGE,
                              "'--ledger' has to know what the change is, and %.*s does not say of which build it is; "
                              "name the change with '--change NAME', such as its revision",
                              GATE_STR_ARG(file));
    if (pool->build_counts[GATE_CANARY] > 1)
        return gate_error_set(err, GATE_ERR_USAGE,
                              "'--ledger' has to know what the change is, and the canary's profiles are of %u builds "
                              "(%.*s); name the change with '--change NAME', such as its revision",
                              (unsigned)pool->build_counts[GATE_CANARY], GATE_STR_ARG(now->builds[GATE_CANARY]));
    return true;
}

/* Whether the ledger is of another change than this run; where neither names nor builds tell, it is refused. */
static bool file_compare(bool *is_other, const struct gate_ledger_file *file, const struct gate_ledger *now,
                         struct gate_error *err) {
    const struct gate_ledger *old = &file->ledger;
    struct gate_str before = old->builds[GATE_CANARY], build = now->builds[GATE_CANARY];
    *is_other = false;
    if (old->planned == 0)
        return true;
    bool are_named = now->change.len > 0 && old->change.len > 0;
    *is_other = are_named ? !gate_str_equal(now->change, old->change) : differ(build, before);
    if (are_named || (build.len > 0 && before.len > 0))
        return true;
    if (old->change.len > 0)
        return gate_error_set(err, GATE_ERR_USAGE,
                              "%s: this ledger is of the change '%.*s', and nothing says whether this run is; give "
                              "'--change' again",
                              file->path, GATE_STR_ARG(old->change));
    return gate_error_set(err, GATE_ERR_USAGE,
                          "%s: this ledger is of a change by its build, and nothing says whether this run is of it; "
                          "name another ledger",
                          file->path);
}

/* The ledger is of these rules and this baseline, or it is refused; of another canary, it begins anew. */
static bool file_match(struct gate_ledger_file *file, const struct gate_ledger_options *options,
                       struct gate_ledger *now, struct gate_cli *cli, struct gate_error *err) {
    struct gate_ledger *old = &file->ledger;
    bool is_other = false;
    now->planned = options->looks > 0 ? options->looks : old->planned > 0 ? old->planned : LOOKS_PLANNED;
    if (old->planned > 0 && !gate_str_equal(old->rules_digest, now->rules_digest))
        return gate_error_set(err, GATE_ERR_INPUT,
                              "%s: this ledger is of other rules or options (%.*s), and this run has %.*s; judge by "
                              "the same rules, noise models and options, or name another ledger",
                              file->path, GATE_STR_ARG(old->rules), GATE_STR_ARG(now->rules));
    if (!file_compare(&is_other, file, now, err))
        return false;
    if (old->planned > 0 && !is_other && differ(now->builds[GATE_BASELINE], old->builds[GATE_BASELINE]))
        return gate_error_set(err, GATE_ERR_INPUT,
                              "%s: this ledger is of the baseline build %.*s, and this run has %.*s; compare with the "
                              "same baseline, or name another ledger",
                              file->path, GATE_STR_ARG(old->builds[GATE_BASELINE]),
                              GATE_STR_ARG(now->builds[GATE_BASELINE]));
    if (old->planned > 0 && !is_other && now->planned != old->planned)
        return gate_error_set(err, GATE_ERR_USAGE,
                              "%s: this ledger is of at most %u looks, and '--looks' says %u; a plan stays what it was",
                              file->path, (unsigned)old->planned, (unsigned)now->planned);
    if (is_other)
        gate_cli_note(cli,
                      gate_str_format(cli->arena, "%s: the canary is another one than it was, so a new ledger begins",
                                      file->path));
    if (old->planned == 0 || is_other)
        *old = *now;
    return true;
}

static bool file_builds(struct gate_ledger *now, const struct gate_ledger_pool *pool, struct gate_arena *arena,
                        struct gate_error *err) {
    for (int side = 0; side < GATE_SIDES; side++) {
        now->builds[side] = gate_ledger_pool_builds(pool, (enum gate_side_name)side, arena);
        if (now->builds[side].ptr == NULL)
            return gate_arena_error(arena, err);
    }
    return file_name(pool, now, err);
}

/* ---- which look this is ------------------------------------------------------------------------------------------ */

static void file_close_with(struct gate_ledger_file *file, const char *why) {
    file->is_closed = true;
    file->why = gate_str_from(why);
}

/* Of a ledger with looks, or none: whether this is the next look, and on what. */
static void file_place(struct gate_ledger_file *file, struct gate_looks *looks, bool has_new, bool is_whole) {
    struct gate_ledger *ledger = &file->ledger;
    enum gate_outcome last = ledger->count > 0 ? ledger->looks[ledger->count - 1].outcome : GATE_OUTCOME_INCONCLUSIVE;
    if (has_new && ledger->count == ledger->planned)
        file_close_with(file, "there are no more looks at this change");
    else if (!is_whole && (!has_new || last != GATE_OUTCOME_INCONCLUSIVE))
        file_close_with(file, "the profiles of the looks so far are gone or have changed");
    else
        file->is_next = has_new;
    uint32_t count = ledger->count + file->is_next;
    for (uint32_t i = 0; i < count; i++)
        file->fractions[i] = (double)(i + 1) / ledger->planned;
    *looks = (struct gate_looks){.fractions = file->fractions,
                                 .count = count,
                                 .planned = ledger->planned,
                                 .is_alone = file->is_next && !is_whole && ledger->count > 0};
}

bool gate_ledger_file_open(struct gate_ledger_file *out, const struct gate_ledger_options *options,
                           const struct gate_rules *rules, struct gate_profile_options *profiles,
                           struct gate_judge_options *judging, struct gate_cli *cli, struct gate_error *err) {
    *out = (struct gate_ledger_file){.path = options->path, .lock = -1};
    if (options->path == NULL) {
        if (options->looks == 0 && options->change == NULL)
            return true;
        return gate_error_set(err, GATE_ERR_USAGE, "'%s' is about a ledger: name it with '--ledger FILE'",
                              options->looks > 0 ? "--looks" : "--change");
    }
    struct gate_ledger now = {.rules = rules->source,
                              .change = gate_str_from(options->change == NULL ? "" : options->change)};
    struct gate_ledger_pool pool = {.profiles = profiles, .judging = judging, .path = options->path};
    if (!file_usage(options, profiles, judging, err) ||
        !gate_judge_digest(&now.rules_digest, rules, profiles, judging, cli, err) || !file_lock(out, cli->arena, err) ||
        !file_read(out, cli, err) || !gate_ledger_pool_look(&pool, cli, err) ||
        !file_builds(&now, &pool, cli->arena, err) || !file_match(out, options, &now, cli, err))
        return false;
    gate_ledger_pool_match(&pool, &out->ledger, cli);
    file_place(out, &judging->looks, pool.has_new, pool.is_whole);
    bool joins = !out->is_closed && pool.is_whole;
    return !joins || gate_ledger_pool_join(&pool, &out->ledger, cli->arena, err);
}

bool gate_ledger_file_apply(const struct gate_ledger_file *file, struct gate_verdict *verdict, struct gate_arena *arena,
                            struct gate_error *err) {
    if (file->path == NULL || file->is_next || file->ledger.count == 0)
        return true;
    const struct gate_ledger_look *last = &file->ledger.looks[file->ledger.count - 1];
    if (!file->is_closed && verdict->outcome == last->outcome)
        return true;
    struct gate_str why = file->is_closed ? file->why : GATE_STR("it was of the same profiles");
    verdict->outcome = last->outcome;
    verdict->looks.stands = gate_str_format(
        arena,
        "look %u of %u at this change ended with %s (%.*s), which stands: %.*s; another canary or another ledger "
        "begins anew",
        (unsigned)file->ledger.count, (unsigned)file->ledger.planned, gate_outcome_name(last->outcome),
        GATE_STR_ARG(last->found), GATE_STR_ARG(why));
    return verdict->looks.stands.ptr != NULL || gate_arena_error(arena, err);
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

static struct gate_str time_now(struct gate_arena *arena) {
    time_t now = time(NULL);
    struct tm day;
    char text[32] = "";
    if (gmtime_r(&now, &day) == NULL || strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &day) == 0)
        return GATE_STR("");
    return gate_str_copy(arena, gate_str_from(text));
}

/* The runs that no look had before. */
static bool new_runs(struct gate_ledger_runs *out, const struct gate_ledger_file *file, const struct gate_side *side,
                     struct gate_arena *arena, struct gate_error *err) {
    *out = (struct gate_ledger_runs){GATE_NEW_ARRAY(arena, struct gate_ledger_run, (size_t)side->run_count + 1), 0};
    if (out->items == NULL)
        return gate_arena_error(arena, err);
    for (uint32_t i = 0; i < side->run_count; i++) {
        const struct gate_run_input *run = &side->runs[i].input;
        if (gate_ledger_find(&file->ledger, run->digest) != NULL)
            continue;
        struct gate_str path = gate_ledger_pool_relative(file->path, run->path, arena);
        if (path.ptr == NULL)
            return gate_arena_error(arena, err);
        out->items[out->count++] = (struct gate_ledger_run){path, run->digest, run->work};
    }
    return true;
}

bool gate_ledger_file_save(struct gate_ledger_file *file, const struct gate_verdict *verdict, struct gate_arena *arena,
                           struct gate_error *err) {
    struct gate_headline headline;
    struct gate_ledger_look look = {.outcome = verdict->outcome};
    struct gate_buf text = {0};
    if (file->path == NULL || !file->is_next)
        return true;
    look.time = time_now(arena);
    if (!gate_headline_make(&headline, verdict, arena, err))
        return false;
    look.found = headline.text;
    for (int side = 0; side < GATE_SIDES; side++)
        if (!new_runs(&look.runs[side], file, &verdict->comparisons[0].pair.sides[side], arena, err))
            return false;
    if (!gate_ledger_add(&file->ledger, &look, arena, err))
        return false;
    gate_ledger_write(&text, &file->ledger);
    bool ok = gate_buf_check(&text, err) && gate_outfile_keep(file->path, gate_buf_view(&text), arena, err);
    gate_buf_free(&text);
    return ok;
}

void gate_ledger_file_close(struct gate_ledger_file *file) {
    if (file->path != NULL && file->lock >= 0)
        (void)close(file->lock);
    file->lock = -1;
}
