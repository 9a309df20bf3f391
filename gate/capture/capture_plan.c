/* SPDX-License-Identifier: Apache-2.0 */
/* The plan of a capture. */
#include "gate/capture/capture_plan.h"

#include "gate/capture/backend.h"
#include "gate/capture/credentials.h"
#include "gate/capture/http.h"
#include "gate/capture/metrics.h"
#include "gate/model/limits.h"

void gate_capture_plan_note(const struct gate_capture_plan *plan, const char *text) {
    if (plan->fetch.listener.note != NULL)
        plan->fetch.listener.note(plan->fetch.listener.context, gate_str_from(text));
}

bool gate_capture_plan_blame(const struct gate_capture_plan *plan, const struct gate_capture_url *url,
                             struct gate_str shown, struct gate_error *err) {
    (void)gate_error_set(err, err->code, "%.*s: %s", GATE_STR_ARG(shown), err->message);
    gate_credentials_hide(err, &plan->credentials, url);
    return false;
}

bool gate_capture_plan_address(struct gate_capture_url *out, struct gate_str *shown,
                               const struct gate_capture_plan *plan, const struct gate_capture_source *source,
                               enum gate_capture_kind kind, struct gate_arena *arena, struct gate_error *err) {
    struct gate_str own = gate_capture_url_show(&source->url, arena);
    if (own.ptr == NULL)
        return gate_arena_error(arena, err);
    if (!gate_capture_url_of_kind(out, &source->url, kind, plan->seconds, arena, err))
        return gate_capture_plan_blame(plan, &source->url, own, err);
    *shown = gate_capture_url_show(out, arena);
    return shown->ptr != NULL || gate_arena_error(arena, err);
}

bool gate_capture_plan_query(struct gate_backend_query *out, struct gate_str *shown,
                             const struct gate_capture_plan *plan, const struct gate_capture_source *source,
                             enum gate_capture_kind kind, uint32_t round, struct gate_arena *arena,
                             struct gate_error *err) {
    GATE_ASSERT(round >= 1 && round <= plan->slices);
    *out = (struct gate_backend_query){.address = &source->store,
                                       .window = gate_window_slice(&source->window, round - 1, plan->slices)};
    if (!gate_backend_address_type(&out->type, &source->store, kind, err))
        return gate_capture_plan_blame(plan, &source->url, gate_capture_url_show(&source->url, arena), err);
    *shown = gate_backend_address_show(&source->store, out->type, &out->window, arena);
    return shown->ptr != NULL || gate_arena_error(arena, err);
}

/* Refuse the same profiles on both sides, or twice on one side: their comparison would always pass. */
static bool plan_check_stores(const struct gate_capture_plan *plan, struct gate_arena *arena, struct gate_error *err) {
    for (uint32_t i = 0; i < plan->source_count; i++) {
        const struct gate_capture_source *a = &plan->sources[i];
        if (!gate_window_check_slices(&a->window, plan->slices, err))
            return false;
        for (uint32_t j = 0; j < i; j++) {
            const struct gate_capture_source *b = &plan->sources[j];
            struct gate_str one = gate_backend_address_show(&a->store, a->store.type, NULL, arena);
            struct gate_str two = gate_backend_address_show(&b->store, b->store.type, NULL, arena);
            if (one.ptr == NULL || two.ptr == NULL)
                return gate_arena_error(arena, err);
            if (gate_str_equal(one, two) && gate_window_overlaps(&a->window, &b->window))
                return gate_error_set(err, GATE_ERR_USAGE,
                                      "%.*s: both sides select the same profiles, in windows that overlap; separate "
                                      "the sides by a label such as version, or by windows such as --baseline-ago 1w",
                                      GATE_STR_ARG(one));
        }
    }
    return true;
}

static bool plan_check_twice(const struct gate_capture_plan *plan, struct gate_arena *arena, struct gate_error *err) {
    for (uint32_t i = 0; i < plan->source_count; i++)
        for (uint32_t j = 0; j < i; j++) {
            const struct gate_capture_url *a = &plan->sources[i].url, *b = &plan->sources[j].url;
            const char *one = gate_capture_url_wire(a, arena), *two = gate_capture_url_wire(b, arena);
            if (one == NULL || two == NULL)
                return gate_arena_error(arena, err);
            if (strcmp(one, two) == 0 && gate_str_equal(a->socket, b->socket))
                return gate_error_set(err, GATE_ERR_USAGE,
                                      "%.*s: this address is named twice; every run wants a process of its own",
                                      GATE_STR_ARG(gate_capture_url_show(a, arena)));
        }
    return true;
}

bool gate_capture_plan_has(bool *has, const struct gate_capture_plan *plan, const struct gate_manifest_run *run,
                           struct gate_arena *arena, struct gate_error *err) {
    *has = false;
    if (plan->slices > 0 && run->round > plan->slices)
        return true;
    for (uint32_t s = 0; s < plan->source_count; s++)
        for (uint32_t k = 0; k < plan->kind_count && !*has; k++) {
            const struct gate_capture_source *source = &plan->sources[s];
            struct gate_capture_url url;
            struct gate_backend_query query;
            struct gate_str shown = {NULL, 0};
            if (!(plan->slices > 0
                      ? gate_capture_plan_query(&query, &shown, plan, source, plan->kinds[k], run->round, arena, err)
                      : gate_capture_plan_address(&url, &shown, plan, source, plan->kinds[k], arena, err)))
                return false;
            *has = run->side == plan->sources[s].side && gate_str_equal(run->source, shown) &&
                   gate_str_equal(run->kind, gate_str_from(gate_capture_kind_words[plan->kinds[k]]));
        }
    return true;
}

static bool plan_check_kinds(const struct gate_capture_plan *plan, struct gate_arena *arena, struct gate_error *err) {
    for (uint32_t s = 0; s < plan->source_count; s++) {
        const struct gate_capture_source *source = &plan->sources[s];
        const struct gate_capture_url *url = &source->url;
        struct gate_capture_url of_kind;
        struct gate_backend_query query;
        struct gate_str shown = {NULL, 0};
        if (plan->kind_count > 1 && (plan->slices > 0 ? source->store.type.len > 0 : !gate_capture_url_is_base(url)))
            return gate_error_set(
                err, GATE_ERR_USAGE,
                "%.*s: this is the address of one profile, but --kind has %u kinds; give %s, or one --kind",
                GATE_STR_ARG(gate_capture_url_show(url, arena)), (unsigned)plan->kind_count,
                plan->slices > 0 ? "the labels without a type" : "the server's address alone");
        for (uint32_t k = 0; k < plan->kind_count; k++)
            if (!(plan->slices > 0
                      ? gate_capture_plan_query(&query, &shown, plan, source, plan->kinds[k], 1, arena, err)
                      : gate_capture_plan_address(&of_kind, &shown, plan, source, plan->kinds[k], arena, err)))
                return false;
    }
    return true;
}

static bool is_this_host(struct gate_str host) {
    return gate_str_starts(host, GATE_STR("127.")) || gate_str_starts(host, GATE_STR("localhost")) ||
           gate_str_starts(host, GATE_STR("[::1]"));
}

/* Heap and goroutine profiles in a store are sums over all snapshots that were sent, so that amounts depend on how
 * often programs sent them. */
static void plan_warn_levels(const struct gate_capture_plan *plan) {
    for (uint32_t k = 0; k < plan->kind_count && plan->slices > 0; k++)
        if (plan->kinds[k] == GATE_CAPTURE_HEAP || plan->kinds[k] == GATE_CAPTURE_GOROUTINE)
            gate_capture_plan_note(plan, "a store adds up what it was sent of what is in use: shares can be compared, "
                                         "and amounts only where both sides sent equally often");
}

static void plan_warn(const struct gate_capture_plan *plan) {
    plan_warn_levels(plan);
    if (plan->fetch.is_insecure)
        gate_capture_plan_note(
            plan, "--insecure: no certificate is checked; whoever is between can read the token and change profiles");
    for (uint32_t s = 0; s < plan->source_count; s++) {
        const struct gate_capture_url *url = &plan->sources[s].url;
        bool has_secret = plan->credentials.authorization != NULL || url->user.len > 0;
        if (has_secret && !url->is_tls && url->host.len > 0 && !is_this_host(url->host)) {
            gate_capture_plan_note(
                plan, "the token or password goes over http://, which anybody between can read; use https://");
            return;
        }
    }
}

bool gate_capture_plan_check(const struct gate_capture_plan *plan, struct gate_arena *arena, struct gate_error *err) {
    const bool is_of_stores = plan->slices > 0;
    if (is_of_stores ? !plan_check_stores(plan, arena, err) || !plan_check_kinds(plan, arena, err)
                     : !plan_check_kinds(plan, arena, err) || !plan_check_twice(plan, arena, err))
        return false;
    plan_warn(plan);
    return true;
}
