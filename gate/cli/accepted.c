/* SPDX-License-Identifier: Apache-2.0 */
/* The baseline of a change from a store (see accepted.h). */
#include "gate/cli/accepted.h"

#include "gate/cli/accepted_work.h"
#include "gate/cli/option_value.h"
#include "gate/store/machine.h"
#include "gate/store/objects.h"
#include "gate/store/record_text.h"

enum { OTHERS_MAX = 20 };

static const struct gate_option accepted_rows[] = {
    {"accept-first", 0, NULL,
     "where nothing was accepted yet, accept the canary as the first baseline; it is not judged",
     gate_option_value_flag, offsetof(struct gate_accepted, accept_first), NULL},
    {0},
};
const struct gate_option_group gate_accepted_group = {"A baseline from a store (docs/baselines.md):", accepted_rows,
                                                      NULL};

/* One search. */
struct finding {
    struct gate_accepted *accepted;
    struct gate_profile_options *profiles;
    struct gate_record_run *canary; /* one a file */
    struct gate_store store;
    struct gate_records records;
    struct gate_cli *cli;
    struct gate_arena *arena;
    struct gate_error *err;
};

/* ---- the canary -------------------------------------------------------------------------------------------------- */

static bool check_usage(const struct finding *finding) {
    const struct gate_profile_options *profiles = finding->profiles;
    if (!gate_store_options_check(&finding->accepted->where, true, finding->err))
        return false;
    if (profiles->paths[GATE_BASELINE].count > 0 || profiles->pairs.count > 0)
        return gate_error_set(finding->err, GATE_ERR_USAGE,
                              "'%s' cannot be combined with '--store', which has the baseline; give canaries alone",
                              profiles->pairs.count > 0 ? "--pair" : "--baseline");
    if (profiles->paths[GATE_CANARY].count == 0 && profiles->arguments.count == 0)
        return gate_error_set(finding->err, GATE_ERR_USAGE, "the canary is missing: expected CANARY files");
    return true;
}

static bool add_kind(struct finding *finding, struct gate_str kind) {
    struct gate_accepted *accepted = finding->accepted;
    for (uint32_t i = 0; i < accepted->kind_count; i++)
        if (gate_str_equal(accepted->kinds[i], kind))
            return true;
    accepted->kinds[accepted->kind_count++] = kind; /* room for one a file */
    return true;
}

/* What the canary is: its files and the kinds of them. */
static bool find_canary(struct finding *finding) {
    struct gate_accepted *accepted = finding->accepted;
    struct gate_profile_options *profiles = finding->profiles;
    struct gate_paths *paths = &profiles->paths[GATE_CANARY];
    for (uint32_t i = 0; i < profiles->arguments.count; i++)
        if (!gate_paths_add(paths, profiles->arguments.items[i], finding->arena, finding->err))
            return false;
    profiles->arguments.count = 0;
    if (!gate_run_files_find(&accepted->canary, paths, -1, finding->cli, finding->err))
        return false;
    uint32_t count = accepted->canary.count;
    accepted->kinds = GATE_NEW_ARRAY(finding->arena, struct gate_str, (size_t)count + 1);
    finding->canary = GATE_NEW_ARRAY(finding->arena, struct gate_record_run, (size_t)count + 1);
    if (accepted->kinds == NULL || finding->canary == NULL)
        return gate_arena_error(finding->arena, finding->err);
    for (uint32_t i = 0; i < count; i++) {
        struct gate_arena scratch;
        struct gate_str bytes;
        gate_arena_fork(&scratch, finding->arena);
        bool ok = gate_run_files_load(&finding->canary[i], &bytes, &accepted->canary.items[i], &profiles->limits,
                                      &scratch, finding->arena, finding->err) &&
                  add_kind(finding, finding->canary[i].kind);
        if (ok) {
            finding->canary[i].object = gate_manifest_digest(bytes, finding->arena);
            ok = finding->canary[i].object.ptr != NULL || gate_arena_error(finding->arena, finding->err);
        }
        gate_arena_free(&scratch);
        if (!ok)
            return false;
    }
    return true;
}

/* The change that it is of, and the machine that it was taken on. */
static bool find_change(struct finding *finding) {
    struct gate_accepted *accepted = finding->accepted;
    struct gate_match_change *change = &accepted->change;
    const struct gate_store_options *where = &accepted->where;
    const struct gate_manifest *manifest = accepted->canary.manifest;
    *change = (struct gate_match_change){.kinds = accepted->kinds, .kind_count = accepted->kind_count};
    if (!gate_store_options_revision(&change->revision, &change->commit, &accepted->why_unknown, where,
                                     accepted->canary.version, finding->arena, finding->err))
        return false;
    gate_record_begin(&accepted->machine);
    const bool is_unknown = where->is_elsewhere || accepted->canary.is_of_stores;
    bool ok = true;
    if (manifest != NULL && !accepted->canary.is_of_stores)
        ok = gate_machine_add_host(&accepted->machine, &manifest->host, finding->arena, finding->err);
    else if (!is_unknown)
        ok = gate_machine_add_here(&accepted->machine, finding->arena, finding->err);
    for (uint32_t i = 0; ok && i < where->fact_count; i++)
        ok = gate_record_add_fact(&accepted->machine, where->facts[i].key, where->facts[i].value, finding->arena,
                                  finding->err);
    change->machine = &accepted->machine;
    return ok;
}

/* ---- what was accepted ------------------------------------------------------------------------------------------- */

static bool add_damage(struct finding *finding, struct gate_str message) {
    struct gate_accepted *accepted = finding->accepted;
    struct gate_str *items = gate_arena_grow(finding->arena, accepted->damages, accepted->damage_count,
                                             &accepted->damage_capacity, sizeof *items);
    struct gate_str copy = gate_str_copy(finding->arena, message);
    if (items == NULL || copy.ptr == NULL)
        return gate_arena_error(finding->arena, finding->err);
    accepted->damages = items;
    accepted->damages[accepted->damage_count++] = copy;
    return true;
}

/* Take out the runs of a record whose profiles are not what was accepted. */
static bool drop_damaged(struct finding *finding, struct gate_record *record, bool *dropped) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < record->run_count; i++) {
        struct gate_error why = {0};
        if (gate_objects_check(&finding->store, record->runs[i].object, finding->arena, &why))
            record->runs[count++] = record->runs[i];
        else if (why.code != GATE_ERR_FORMAT) /* that is no damage, and an older baseline would be another verdict */
            return gate_error_set(finding->err, why.code, "%s", why.message);
        else if (!add_damage(finding, gate_str_from(why.message)))
            return false;
    }
    *dropped = *dropped || count < record->run_count;
    record->run_count = count;
    return true;
}

/* The best match of intact profiles. */
static bool find_intact(struct finding *finding) {
    struct gate_accepted *accepted = finding->accepted;
    for (bool dropped = true; dropped;) {
        dropped = false;
        if (!gate_match_find(&accepted->match, &finding->records, &accepted->change, finding->arena, finding->err))
            return false;
        for (uint32_t i = 0; i < accepted->match.count; i++) {
            struct gate_record *record = &finding->records.items[accepted->match.records[i] - finding->records.items];
            if (!drop_damaged(finding, record, &dropped))
                return false;
        }
    }
    return true;
}

/* The best match of all kinds that were accepted or, where no revision has them all, of as many as one has. A kind that
 * damage took is not left out for it. */
static bool find_match(struct finding *finding) {
    struct gate_accepted *accepted = finding->accepted;
    const uint32_t all = accepted->kind_count;
    uint32_t known = gate_match_known_kinds(accepted->kinds, all, &finding->records);
    accepted->is_first = finding->records.count == 0 && finding->records.damaged_count == 0;
    for (bool is_whole = true; known > 0 && is_whole; known--) {
        accepted->change.kind_count = known;
        if (!find_intact(finding))
            return false;
        if (accepted->match.count > 0)
            break;
        is_whole = gate_match_known_kinds(accepted->kinds, known, &finding->records) == known;
    }
    accepted->is_missing = accepted->match.count == 0;
    accepted->kind_count = accepted->is_missing ? all : known;
    accepted->missing_count = all - accepted->kind_count;
    if (!accepted->is_missing || accepted->damage_count == 0)
        return true;
    return gate_error_set(finding->err, GATE_ERR_FORMAT, "%.*s; nothing else that was accepted fits this canary",
                          GATE_STR_ARG(accepted->damages[0]));
}

static bool is_matched(const struct gate_match *match, const struct gate_record *record) {
    for (uint32_t i = 0; i < match->count; i++)
        if (match->records[i] == record)
            return true;
    return false;
}

/* The title is for people: the object's name is a digest. */
static bool add_title(const struct finding *finding, const char *path, const struct gate_record *record,
                      const struct gate_record_run *run) {
    struct gate_accepted *accepted = finding->accepted;
    struct gate_accepted_title *titles = gate_arena_grow(finding->arena, accepted->titles, accepted->title_count,
                                                         &accepted->title_capacity, sizeof *titles);
    const struct gate_str parts[] = {record->service, GATE_STR("@"), gate_record_text_revision(record), GATE_STR("/"),
                                     run->name};
    struct gate_str title = gate_str_concat(finding->arena, parts, 5);
    if (titles == NULL || title.ptr == NULL)
        return gate_arena_error(finding->arena, finding->err);
    accepted->titles = titles;
    accepted->titles[accepted->title_count++] = (struct gate_accepted_title){path, title};
    return true;
}

struct gate_str gate_accepted_title(const struct gate_accepted *accepted, struct gate_str path) {
    for (uint32_t i = 0; i < accepted->title_count; i++)
        if (gate_str_equal(path, gate_str_from(accepted->titles[i].path)))
            return accepted->titles[i].title;
    return path;
}

/* A job that ran twice accepts one capture twice: it counts once. */
static bool has_path(const struct gate_paths *paths, const char *path) {
    for (uint32_t i = 0; i < paths->count; i++)
        if (strcmp(paths->items[i], path) == 0)
            return true;
    return false;
}

static bool add_object(struct gate_paths *paths, const struct finding *finding, const struct gate_record *record,
                       const struct gate_record_run *run) {
    const char *path = gate_objects_path(&finding->store, run->object, finding->arena);
    if (path == NULL)
        return gate_arena_error(finding->arena, finding->err);
    return has_path(paths, path) ||
           (add_title(finding, path, record, run) && gate_paths_add(paths, path, finding->arena, finding->err));
}

/* Whether a profile is compared: as one of the baseline's, or as the canary that it was before it was accepted. */
static bool is_compared(const struct finding *finding, struct gate_str object) {
    const struct gate_match *match = &finding->accepted->match;
    for (uint32_t i = 0; i < match->count; i++)
        for (uint32_t r = 0; r < match->records[i]->run_count; r++)
            if (gate_str_equal(match->records[i]->runs[r].object, object))
                return true;
    for (uint32_t i = 0; i < finding->accepted->canary.count; i++)
        if (gate_str_equal(finding->canary[i].object, object))
            return true;
    return false;
}

/* Runs of the baseline's machine that are not compared: what the noise model may be made of. */
static bool find_others(struct finding *finding, struct gate_accepted_others *others) {
    const struct gate_match *match = &finding->accepted->match;
    const char *fact = NULL;
    for (uint32_t i = 0; i < finding->records.count; i++) {
        const struct gate_record *record = &finding->records.items[i];
        if (is_matched(match, record) || gate_match_machines_differ(record, match->records[0], &fact))
            continue;
        for (uint32_t r = 0; r < record->run_count && others->files.count < OTHERS_MAX; r++) {
            struct gate_error why = {0};
            if (!gate_str_equal(record->runs[r].kind, others->kind) || is_compared(finding, record->runs[r].object))
                continue;
            bool is_intact = gate_objects_check(&finding->store, record->runs[r].object, finding->arena, &why);
            if (!is_intact && why.code != GATE_ERR_FORMAT)
                return gate_error_set(finding->err, why.code, "%s", why.message);
            if (is_intact && !add_object(&others->files, finding, record, &record->runs[r]))
                return false;
        }
    }
    return true;
}

/* ---- both as sides ----------------------------------------------------------------------------------------------- */

static bool fill_sides(struct gate_paths sides[GATE_SIDES], const struct finding *finding, struct gate_str kind) {
    struct gate_accepted *accepted = finding->accepted;
    sides[GATE_BASELINE] = sides[GATE_CANARY] = (struct gate_paths){0};
    for (uint32_t i = 0; i < accepted->match.count; i++)
        for (uint32_t r = 0; r < accepted->match.records[i]->run_count; r++)
            if (gate_str_equal(accepted->match.records[i]->runs[r].kind, kind) &&
                !add_object(&sides[GATE_BASELINE], finding, accepted->match.records[i],
                            &accepted->match.records[i]->runs[r]))
                return false;
    for (uint32_t i = 0; i < accepted->canary.count; i++)
        if (gate_str_equal(finding->canary[i].kind, kind) &&
            !gate_paths_add(&sides[GATE_CANARY], accepted->canary.items[i].path, finding->arena, finding->err))
            return false;
    accepted->run_count += sides[GATE_BASELINE].count;
    return true;
}

/* Also where one kind of several is left: rules name pairs by kind. */
static bool is_paired(const struct gate_accepted *accepted) {
    return accepted->kind_count + accepted->missing_count > 1;
}

static bool fill_profiles(struct finding *finding) {
    const struct gate_accepted *accepted = finding->accepted;
    struct gate_profile_options *profiles = finding->profiles;
    if (!is_paired(accepted))
        return fill_sides(profiles->paths, finding, accepted->kinds[0]);
    profiles->paths[GATE_CANARY] = (struct gate_paths){0};
    profiles->pairs.items = GATE_NEW_ARRAY(finding->arena, struct gate_profile_pair, accepted->kind_count);
    if (profiles->pairs.items == NULL)
        return gate_arena_error(finding->arena, finding->err);
    for (uint32_t i = 0; i < accepted->kind_count; i++) {
        struct gate_profile_pair *pair = &profiles->pairs.items[profiles->pairs.count++];
        pair->label = accepted->kinds[i];
        if (!fill_sides(pair->paths, finding, accepted->kinds[i]))
            return false;
    }
    return true;
}

/* "'cart' and 'shop'": a service of which nothing was accepted may be misspelt. */
static bool find_services(struct finding *finding) {
    enum { SHOWN = 8 };
    struct gate_records all = {0};
    struct gate_str seen[SHOWN];
    size_t count = 0;
    struct gate_buf text = {0};
    if (!gate_records_list(&all, &finding->store, GATE_STR(""), GATE_STR(""), finding->arena, finding->err))
        return false;
    for (uint32_t i = 0; i < all.count && count < SHOWN; i++) {
        bool is_known = false;
        for (size_t s = 0; s < count; s++)
            is_known = is_known || gate_str_equal(seen[s], all.items[i].service);
        if (is_known)
            continue;
        gate_buf_printf(&text, "%s'%.*s'", count == 0 ? "" : ", ", GATE_STR_ARG(all.items[i].service));
        seen[count++] = all.items[i].service;
    }
    finding->accepted->services = gate_str_copy(finding->arena, gate_buf_view(&text));
    gate_buf_free(&text);
    return finding->accepted->services.ptr != NULL || gate_arena_error(finding->arena, finding->err);
}

static bool find_in_store(struct finding *finding) {
    struct gate_accepted *accepted = finding->accepted;
    if (!gate_records_list(&finding->records, &finding->store, gate_store_options_service_name(&accepted->where),
                           gate_store_options_environment_name(&accepted->where), finding->arena, finding->err))
        return false;
    for (uint32_t i = 0; i < finding->records.damaged_count; i++)
        if (!add_damage(finding, finding->records.damaged[i].message))
            return false;
    if (!find_match(finding) || accepted->is_missing)
        return accepted->is_missing && finding->err->code == GATE_OK && (!accepted->is_first || find_services(finding));
    accepted->others = GATE_NEW_ARRAY(finding->arena, struct gate_accepted_others, (size_t)accepted->kind_count + 1);
    if (accepted->others == NULL)
        return gate_arena_error(finding->arena, finding->err);
    for (uint32_t i = 0; i < accepted->kind_count; i++) {
        accepted->others[i].kind = accepted->kinds[i];
        if (!find_others(finding, &accepted->others[i]))
            return false;
    }
    return fill_profiles(finding);
}

/* Of one kind, what was told counts for both sides; of several, each pair has its own, where all runs have it. */
static bool tell_work(struct finding *finding, struct gate_judge_options *judging) {
    const struct gate_accepted *accepted = finding->accepted;
    struct gate_profile_pairs *pairs = &finding->profiles->pairs;
    if (!is_paired(accepted))
        return gate_accepted_work_tell(judging, &accepted->match, finding->canary, accepted->canary.count,
                                       finding->arena, finding->err);
    for (uint32_t i = 0; i < pairs->count; i++)
        if (!gate_accepted_work_tell_pair(&pairs->items[i].work, &accepted->match, finding->canary,
                                          accepted->canary.count, pairs->items[i].label, finding->arena, finding->err))
            return false;
    return true;
}

void gate_accepted_close(struct gate_accepted *accepted) {
    if (accepted->holds_store)
        gate_store_close(&accepted->store);
    accepted->holds_store = false;
}

bool gate_accepted_find(struct gate_accepted *accepted, struct gate_profile_options *profiles,
                        struct gate_judge_options *judging, struct gate_cli *cli, struct gate_error *err) {
    struct gate_error why = {0};
    struct finding finding = {.accepted = accepted, .profiles = profiles, .cli = cli, .arena = cli->arena, .err = &why};
    if (accepted->where.store == NULL)
        return (!accepted->accept_first && accepted->where.service == NULL) ||
               gate_error_set(err, GATE_ERR_USAGE, "'%s' is for baselines of a store; add --store DIR",
                              accepted->accept_first ? "--accept-first" : "--service");
    bool ok = check_usage(&finding) && find_canary(&finding) && find_change(&finding) &&
              gate_store_open(&finding.store, accepted->where.store, GATE_STORE_READ, cli->arena, &why);
    if (ok) {
        ok = find_in_store(&finding) && (accepted->is_missing || tell_work(&finding, judging));
        accepted->store = finding.store;
        accepted->holds_store = true;
    }
    if (!ok || accepted->is_missing)
        gate_accepted_close(accepted);
    judging->accepted = accepted;
    if (!ok)
        *err = why;
    return ok;
}
