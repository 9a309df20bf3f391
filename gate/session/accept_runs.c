/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/session/accept_runs.h"

#include "gate/base/escape.h"
#include "gate/budget/outcome.h"
#include "gate/compare/work.h"
#include "gate/report/report.h"
#include "gate/rules/guard_rules.h"
#include "gate/rules/rules.h"
#include "gate/session/load_sides.h"
#include "gate/session/session.h"
#include "gate/session/store_options.h"
#include "gate/session/stored_baseline.h"
#include "gate/store/record.h"
#include "gate/store/store.h"

/* ---- accept profiles --------------------------------------------------------------------------------------------- */

/* ---- the record -------------------------------------------------------------------------------------------------- */

static bool begin(struct gate_record *record, const struct gate_accept_request *request, struct gate_arena *arena,
                  struct gate_error *err) {
    struct gate_str commit, why;
    const struct gate_store_options *where = request->where;
    gate_record_begin(record);
    record->service = gate_store_options_service_name(where);
    record->environment = gate_store_options_environment_name(where);
    record->accepted_ms = gate_store_options_now();
    record->verdict = request->checked != NULL ? request->checked->verdict : request->verdict;
    record->reason = request->reason;
    if (record->reason.len == 0 && request->checked != NULL)
        record->reason = request->checked->accepted;
    record->tool = GATE_STR("pprofgate " GATE_VERSION);
    if (!gate_store_options_revision(&record->revision, &commit, &why, where, request->files->version, arena, err))
        return false;
    if (record->revision.len == 0)
        return gate_error_set(err, GATE_ERR_USAGE, "no revision is known: %.*s; add --revision REV", GATE_STR_ARG(why));
    const bool is_of_stores = request->files->is_of_stores; /* captured on unknown machines */
    if (request->files->manifest != NULL && !is_of_stores &&
        !gate_machine_add_host(record, &request->files->manifest->host, arena, err))
        return false;
    if (request->files->manifest == NULL && !is_of_stores && !where->is_elsewhere &&
        !gate_machine_add_here(record, arena, err))
        return false;
    for (uint32_t i = 0; i < where->fact_count; i++)
        if (!gate_record_add_fact(record, where->facts[i].key, where->facts[i].value, arena, err))
            return false;
    return true;
}

/* Sets the work of run `index` from the command line. */
static bool set_work(struct gate_record_run *run, const struct gate_accept_request *request, uint32_t index,
                     struct gate_arena *arena, struct gate_error *err) {
    const struct gate_work *work = request->work;
    if (work == NULL || work->count == 0)
        return true;
    run->work = 0;
    run->by_count = 0;
    run->by = GATE_NEW_ARRAY(arena, struct gate_manifest_work, work->count);
    if (run->by == NULL)
        return gate_arena_error(arena, err);
    for (uint32_t i = 0; i < work->count; i++) {
        const struct gate_work_count *count = &work->items[i];
        const uint32_t files = request->files->count;
        if (count->count != files && count->count != 1)
            return gate_error_set(err, GATE_ERR_USAGE,
                                  "expected the work of %u runs, found %u numbers; give one per run, or that of all "
                                  "runs together",
                                  (unsigned)files, (unsigned)count->count);
        double number = count->count == files ? count->runs[index] : count->runs[0] / files;
        if (count->key.len == 0)
            run->work = number;
        else
            run->by[run->by_count++] = (struct gate_manifest_work){count->key, count->value, number};
    }
    return true;
}

/* ---- write to the store ------------------------------------------------------------------------------------------ */

static bool check_run(const struct gate_record *record, const struct gate_record_run *run, struct gate_str bytes,
                      const char *path, const struct gate_accept_request *request, struct gate_error *err) {
    for (uint32_t i = 0; i < record->run_count; i++)
        if (gate_str_equal(record->runs[i].object, run->object))
            return gate_error_set(err, GATE_ERR_INPUT,
                                  "%s: this is the same profile as %.*s; every run has to be a separate capture", path,
                                  GATE_STR_ARG(record->runs[i].name));
    if (request->checked != NULL && !gate_checked_has(request->checked, bytes))
        return gate_error_set(err, GATE_ERR_INPUT,
                              "%s: the report of --verdict is about other canaries; give that of the check of this one",
                              path);
    return true;
}

static bool take_run(struct gate_record *record, const struct gate_accept_request *request, uint32_t index,
                     const struct gate_store *store, struct gate_arena *arena, struct gate_error *err) {
    const struct gate_run_file *file = &request->files->items[index];
    struct gate_record_run run;
    struct gate_arena scratch;
    struct gate_str bytes;
    gate_arena_fork(&scratch, arena);
    bool ok = gate_run_files_load(&run, &bytes, file, request->limits, &scratch, arena, err) &&
              check_run(record, &run, bytes, file->path, request, err) && set_work(&run, request, index, arena, err) &&
              gate_objects_put(&run.object, store, bytes, arena, err) && gate_record_add_run(record, &run, arena, err);
    gate_arena_free(&scratch);
    return ok;
}

static bool put(struct gate_record *record, struct gate_keep_counts *removed, const struct gate_accept_request *request,
                const struct gate_store *store, struct gate_arena *arena, struct gate_error *err) {
    struct gate_records own = {0}, all = {0};
    for (uint32_t i = 0; i < request->files->count; i++)
        if (!take_run(record, request, i, store, arena, err))
            return false;
    return gate_records_put(record, store, arena, err) &&
           gate_records_list(&own, store, record->service, record->environment, arena, err) &&
           gate_keep_last(removed, &own, store, request->keep, arena, err) &&
           (removed->records == 0 || (gate_records_list(&all, store, GATE_STR(""), GATE_STR(""), arena, err) &&
                                      gate_keep_collect(removed, &all, store, arena, err)));
}

bool gate_accept_runs(struct gate_record *record, struct gate_keep_counts *removed,
                      const struct gate_accept_request *request, struct gate_session *session, struct gate_error *err) {
    struct gate_store store;
    *removed = (struct gate_keep_counts){0};
    if (request->files->count > GATE_RECORD_RUNS_MAX)
        return gate_error_set(err, GATE_ERR_USAGE, "expected at most %d profiles, found %u", (int)GATE_RECORD_RUNS_MAX,
                              (unsigned)request->files->count);
    if (!begin(record, request, session->arena, err))
        return false;
    gate_sandboxing_narrow(session, 0); /* from here on, git is not needed */
    if (gate_str_equal(record->verdict, GATE_STR("fail")) && record->reason.len == 0)
        return gate_error_set(err, GATE_ERR_INPUT,
                              "the check of this canary failed, so it is not accepted; if the growth is intended, "
                              "accept it with --reason TEXT");
    if (!gate_store_open(&store, request->where->store, GATE_STORE_WRITE, session->arena, err))
        return false;
    bool ok = put(record, removed, request, &store, session->arena, err);
    gate_store_close(&store);
    return ok;
}

void gate_accept_runs_print(struct gate_buf *out, const struct gate_record *record) {
    gate_buf_printf(out, "%u run%s (", (unsigned)record->run_count, record->run_count == 1 ? "" : "s");
    gate_record_text_kinds(out, record);
    gate_buf_text(out, ") of ");
    gate_escape_terminal(out, record->service);
    gate_buf_text(out, " in ");
    gate_escape_terminal(out, record->environment);
    gate_buf_text(out, ", revision ");
    gate_escape_terminal(out, gate_record_text_revision(record));
}

/* ---- check without a baseline ------------------------------------------------------------------------------------ */

static bool accept_first(struct gate_nothing_compared *out, const struct gate_stored_baseline *accepted,
                         const struct gate_work *work, const struct gate_limits *limits, struct gate_session *session,
                         struct gate_error *err) {
    struct gate_record record = {0};
    struct gate_keep_counts removed;
    struct gate_buf text = {0};
    const struct gate_accept_request request = {.where = &accepted->where,
                                                .files = &accepted->canary,
                                                .work = work,
                                                .verdict = GATE_STR("first"),
                                                .reason = GATE_STR(""),
                                                .keep = GATE_ACCEPT_RUNS_KEEP,
                                                .limits = limits};
    if (!gate_accept_runs(&record, &removed, &request, session, err))
        return false;
    out->word = "first";
    out->capitals = "FIRST";
    gate_buf_text(&text, "accepted as the first baseline, nothing was compared: ");
    gate_accept_runs_print(&text, &record);
    return gate_buf_keep_into(&out->message, &text, session->arena, err);
}

static bool describe_missing(struct gate_nothing_compared *out, const struct gate_stored_baseline *accepted,
                             struct gate_session *session, struct gate_error *err) {
    struct gate_buf text = {0};
    out->word = "no_baseline";
    out->capitals = "NO BASELINE";
    /* A misspelt service must not lead to a first baseline under that name. */
    out->next =
        accepted->services.len > 0
            ? GATE_STR("check --service and --environment; if they are new, accept the profiles of a good build with "
                       "'pprofgate baseline accept', or let this canary be the first with --accept-first")
        : accepted->is_first
            ? GATE_STR("accept the profiles of a good build with 'pprofgate baseline accept', or let this "
                       "canary be the first with --accept-first")
            : GATE_STR("accept the profiles of a good build with 'pprofgate baseline accept'");
    gate_buf_text(&text, "nothing was compared: no accepted ");
    for (uint32_t i = 0; i < accepted->kind_count; i++) {
        gate_buf_text(&text, i == 0 ? "" : " and ");
        gate_buf_str(&text, accepted->kinds[i]);
    }
    gate_buf_text(&text, " baseline of service '");
    gate_buf_str(&text, gate_store_options_service_name(&accepted->where));
    gate_buf_text(&text, "', environment '");
    gate_buf_str(&text, gate_store_options_environment_name(&accepted->where));
    gate_buf_char(&text, '\'');
    if (!accepted->store.is_there) {
        gate_buf_text(&text, "; there is no store in ");
        gate_buf_text(&text, accepted->where.store);
    }
    if (accepted->services.len > 0) {
        gate_buf_text(&text, "; the store has baselines of ");
        gate_buf_str(&text, accepted->services);
    }
    return gate_buf_keep_into(&out->message, &text, session->arena, err);
}

bool gate_no_baseline_end(struct gate_nothing_compared *out, const struct gate_stored_baseline *accepted,
                          const struct gate_work *work, const struct gate_rules *rules,
                          const struct gate_limits *limits, struct gate_session *session, struct gate_error *err) {
    enum gate_severity severity = gate_guard_severity(rules, GATE_GUARD_BASELINE_MISSING);
    bool accepts = accepted->accept_first && accepted->is_first;
    bool is_open = !accepts && severity == GATE_SEVERITY_ERROR;
    bool fails = is_open && rules->on_inconclusive == GATE_ON_INCONCLUSIVE_FAIL;
    *out = (struct gate_nothing_compared){.message = {"", 0}, .next = {"", 0}};
    out->severity = gate_severity_name(accepts ? GATE_SEVERITY_WARN : severity);
    out->state = fails ? GATE_NOTHING_FAILURE : is_open ? GATE_NOTHING_ERROR : GATE_NOTHING_SKIPPED;
    session->status = fails ? GATE_EXIT_FAIL : is_open ? GATE_EXIT_INCONCLUSIVE : GATE_EXIT_PASS;
    session->github_outputs.word = accepts ? "first" : "no_baseline";
    return accepts ? accept_first(out, accepted, work, limits, session, err)
                   : describe_missing(out, accepted, session, err);
}
