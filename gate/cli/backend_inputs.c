/* SPDX-License-Identifier: Apache-2.0 */
/* Stores as inputs (see backend_inputs.h). */
#include "gate/cli/backend_inputs.h"

#include "gate/base/sandbox.h"
#include "gate/capture/backend_asking.h"
#include "gate/cli/progress.h"
#include "gate/cli/store_options.h"

/* Addresses as sources of a plan, and what they stand for. */
struct taking {
    struct gate_capture_plan plan;
    struct gate_backend_asking *askings; /* of one slice, by source */
    struct gate_str *shown;
    struct gate_cli_kept *kept; /* slice by slice of each source in turn */
    size_t kept_bytes;
    struct gate_cli *cli;
};

static bool is_address(const char *path) {
    return gate_backend_address_is(gate_str_from(path));
}

unsigned gate_backend_inputs_needs(const struct gate_paths *lists, uint32_t count) {
    for (uint32_t l = 0; l < count; l++)
        for (uint32_t i = 0; i < lists[l].count; i++)
            if (is_address(lists[l].items[i]))
                return GATE_NEEDS_NETWORK;
    return 0;
}

static uint32_t addresses_count(const struct gate_paths *lists, uint32_t count) {
    uint32_t found = 0;
    for (uint32_t l = 0; l < count; l++)
        for (uint32_t i = 0; i < lists[l].count; i++)
            found += is_address(lists[l].items[i]);
    return found;
}

/* ---- what is asked ----------------------------------------------------------------------------------------------- */

static bool sources_read(struct taking *taking, const struct gate_paths *lists, uint32_t count,
                         struct gate_error *err) {
    struct gate_capture_plan *plan = &taking->plan;
    for (uint32_t l = 0; l < count; l++)
        for (uint32_t i = 0; i < lists[l].count; i++) {
            struct gate_capture_source *source = &plan->sources[plan->source_count];
            struct gate_error why = {0};
            if (!is_address(lists[l].items[i]))
                continue;
            source->side = l == 0 ? GATE_BASELINE : GATE_CANARY;
            if (!gate_backend_address_read(&source->store, gate_str_from(lists[l].items[i]), taking->cli->arena, &why))
                return gate_error_set(err, why.code, "the address of a store: %s", why.message);
            if (source->store.from.len == 0)
                return gate_error_set(err, GATE_ERR_USAGE,
                                      "the address of a store: expected &from=TIME in it, such as &from=-30m, and "
                                      "&runs=N for so many slices");
            source->url = source->store.server;
            plan->source_count++;
        }
    return true;
}

static bool taking_make(struct taking *taking, const struct gate_paths *lists, uint32_t count,
                        const struct gate_capture_options *options, struct gate_error *err) {
    struct gate_capture_plan *plan = &taking->plan;
    struct gate_arena *arena = taking->cli->arena;
    const size_t room = (size_t)addresses_count(lists, count) + 1;
    const struct gate_backend_windows one = {.runs = 1};
    if (!gate_capture_options_ask(plan, options, taking->cli, err))
        return false;
    plan->sources = GATE_NEW_ARRAY(arena, struct gate_capture_source, room);
    plan->kinds[plan->kind_count++] = GATE_CAPTURE_CPU; /* where the address says nothing */
    if (plan->sources == NULL)
        return gate_arena_error(arena, err);
    if (!sources_read(taking, lists, count, err) ||
        !gate_backend_windows_fill(plan, &one, gate_store_options_now(), err) ||
        !gate_capture_plan_check(plan, arena, err))
        return false;
    taking->askings = GATE_NEW_ARRAY(arena, struct gate_backend_asking, room);
    taking->shown = GATE_NEW_ARRAY(arena, struct gate_str, room);
    taking->kept = GATE_NEW_ARRAY(arena, struct gate_cli_kept, room * plan->slices);
    return (taking->askings != NULL && taking->shown != NULL && taking->kept != NULL) || gate_arena_error(arena, err);
}

/* ---- asking ------------------------------------------------------------------------------------------------------ */

static bool slice_keep(struct taking *taking, uint32_t source, uint32_t slice, struct gate_error *err) {
    const struct gate_capture_plan *plan = &taking->plan;
    const struct gate_backend_asking *asking = &taking->askings[source];
    struct gate_arena *arena = taking->cli->arena;
    if (!asking->is_well) {
        *err = asking->err;
        return gate_capture_plan_blame(plan, &plan->sources[source].url, taking->shown[source], err);
    }
    const size_t most = gate_limits_default().memory_bytes;
    if (asking->profile.len > most - taking->kept_bytes)
        return gate_error_set(err, GATE_ERR_LIMIT,
                              "the slices are larger than %zu bytes together; take them into a folder with `pprofgate "
                              "capture`",
                              most);
    taking->kept_bytes += asking->profile.len;
    struct gate_str bytes = gate_str_copy(arena, asking->profile);
    taking->kept[source * plan->slices + slice] = (struct gate_cli_kept){taking->shown[source].ptr, bytes};
    return bytes.ptr != NULL || gate_arena_error(arena, err);
}

static bool slice_take(struct taking *taking, uint32_t slice, struct gate_error *err) {
    const struct gate_capture_plan *plan = &taking->plan;
    struct gate_arena *arena = taking->cli->arena;
    struct gate_backend_asking **asked = gate_arena_calloc(arena, plan->source_count, sizeof *asked);
    struct gate_fetch_options options = plan->fetch;
    options.what = gate_str_format(arena, "slice %u", (unsigned)slice + 1).ptr;
    if (asked == NULL)
        return gate_arena_error(arena, err);
    for (uint32_t i = 0; i < plan->source_count; i++) {
        asked[i] = &taking->askings[i];
        const bool is_older = asked[i]->query.is_older;
        if (!gate_capture_plan_query(&asked[i]->query, &taking->shown[i], plan, &plan->sources[i], plan->kinds[0],
                                     slice + 1, arena, err))
            return false;
        asked[i]->query.is_older = is_older;
    }
    bool ok =
        gate_backend_asking_all(asked, plan->source_count, &options, &plan->credentials, plan->max_bytes, arena, err);
    for (uint32_t i = 0; i < plan->source_count; i++) {
        ok = ok && slice_keep(taking, i, slice, err);
        gate_backend_asking_free(asked[i]);
    }
    return ok;
}

/* The names of the slices where the addresses were. */
static bool lists_fill(struct gate_paths *lists, uint32_t count, const struct taking *taking, struct gate_error *err) {
    const uint32_t slices = taking->plan.slices;
    uint32_t source = 0;
    for (uint32_t l = 0; l < count; l++) {
        const struct gate_paths before = lists[l];
        lists[l] = (struct gate_paths){0};
        for (uint32_t i = 0; i < before.count; i++) {
            bool is_asked = is_address(before.items[i]);
            for (uint32_t s = 0; s < (is_asked ? slices : 1); s++)
                if (!gate_paths_add(&lists[l], is_asked ? taking->kept[source * slices + s].path : before.items[i],
                                    taking->cli->arena, err))
                    return false;
            source += is_asked;
        }
    }
    return true;
}

bool gate_backend_inputs_take(struct gate_paths *lists, uint32_t count, const struct gate_capture_options *options,
                              struct gate_cli *cli, struct gate_error *err) {
    struct taking taking = {.cli = cli};
    if (addresses_count(lists, count) == 0)
        return true;
    if (!taking_make(&taking, lists, count, options, err))
        return false;
    gate_progress_stage(cli->progress, "asking for profiles");
    for (uint32_t slice = 0; slice < taking.plan.slices; slice++)
        if (!slice_take(&taking, slice, err))
            return false;
    cli->kept = taking.kept;
    cli->kept_count = taking.plan.source_count * taking.plan.slices;
    return lists_fill(lists, count, &taking, err);
}

/* ---- two sides --------------------------------------------------------------------------------------------------- */

bool gate_backend_inputs_sides(struct gate_profile_options *profiles, bool has_baseline,
                               const struct gate_capture_options *options, struct gate_cli *cli,
                               struct gate_error *err) {
    struct gate_paths *arguments = &profiles->arguments;
    bool are_two = !has_baseline && arguments->count == 2 && profiles->paths[GATE_BASELINE].count == 0 &&
                   profiles->paths[GATE_CANARY].count == 0 && addresses_count(arguments, 1) > 0;
    for (int side = 0; are_two && side < GATE_SIDES; side++)
        if (!gate_paths_add(&profiles->paths[side], arguments->items[side], cli->arena, err))
            return false;
    arguments->count = are_two ? 0 : arguments->count;
    if (has_baseline && profiles->paths[GATE_BASELINE].count == 0) {
        for (uint32_t i = 0; i < arguments->count; i++)
            if (!gate_paths_add(&profiles->paths[GATE_CANARY], arguments->items[i], cli->arena, err))
                return false;
        arguments->count = 0;
    }
    if (addresses_count(arguments, 1) > 0)
        return gate_error_set(
            err, GATE_ERR_USAGE,
            "the address of a store is a side: expected BASELINE CANARY, or --store DIR with what was "
            "accepted");
    bool are_pairs = profiles->paths[GATE_BASELINE].count == 1 && profiles->paths[GATE_CANARY].count == 1 &&
                     addresses_count(profiles->paths, GATE_SIDES) == 2;
    if (!gate_backend_inputs_take(profiles->paths, GATE_SIDES, options, cli, err))
        return false;
    if (!are_pairs)
        return true;
    uint32_t slices = profiles->paths[GATE_BASELINE].count;
    uint32_t *rounds = GATE_NEW_ARRAY(cli->arena, uint32_t, slices);
    if (rounds == NULL)
        return gate_arena_error(cli->arena, err);
    for (uint32_t i = 0; i < slices; i++)
        rounds[i] = i + 1;
    profiles->rounds[GATE_BASELINE] = profiles->rounds[GATE_CANARY] = rounds;
    return true;
}
