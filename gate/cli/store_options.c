/* SPDX-License-Identifier: Apache-2.0 */
/* The options of commands that use a store (see store_options.h). */
#include "gate/cli/store_options.h"

#include "gate/capture/backend_address.h"
#include "gate/cli/option_value.h"
#include "gate/store/ancestry.h"

#include <stdlib.h>
#include <time.h>

#define AT(field) offsetof(struct gate_store_options, field)

static bool read_fact(const struct gate_option_use *use, struct gate_error *err) {
    struct gate_store_options *options = use->out;
    struct gate_str text = gate_str_from(use->value);
    size_t equals = gate_str_find(text, GATE_STR("="), 0);
    if (equals == SIZE_MAX || equals == 0 || equals > GATE_RECORD_NAME_MAX)
        return gate_error_set(err, GATE_ERR_USAGE, "option '--fact': expected KEY=VALUE such as go=1.26, found '%s'",
                              use->value);
    struct gate_record_fact *facts =
        gate_arena_grow(use->arena, options->facts, options->fact_count, &options->fact_capacity, sizeof *facts);
    if (facts == NULL)
        return gate_arena_error(use->arena, err);
    options->facts = facts;
    options->facts[options->fact_count++] =
        (struct gate_record_fact){gate_str_slice(text, 0, equals), gate_str_slice(text, equals + 1, text.len)};
    return true;
}

#define STORE_ROW                                                                                                      \
    { "store", 0, "DIR", "the folder of accepted baselines", gate_option_value_text, AT(store), NULL }
#define SERVICE_ROWS                                                                                                   \
    {"service", 0, "NAME", "whose baselines", gate_option_value_text, AT(service), NULL}, {                            \
        "environment", 0, "NAME", "where they run, such as ci or staging (default: default)", gate_option_value_text,  \
            AT(environment), NULL                                                                                      \
    }

static const struct gate_option place_rows[] = {STORE_ROW, SERVICE_ROWS, {0}};
const struct gate_option_group gate_store_options_place = {.rows = place_rows};

static const struct gate_option service_rows[] = {SERVICE_ROWS, {0}};
const struct gate_option_group gate_store_options_service = {.rows = service_rows};

static const struct gate_option folder_rows[] = {STORE_ROW, {0}};
const struct gate_option_group gate_store_options_folder = {.rows = folder_rows};

static const struct gate_option change_rows[] = {
    {"revision", 0, "REV", "the revision that the profiles are of (default: the commit of this checkout)",
     gate_option_value_text, AT(revision), NULL},
    {"fact", 0, "KEY=VALUE",
     "something that is known of the build or the machine, such as go=1.26 or cpu_model=...; may be repeated",
     read_fact, 0, NULL},
    {"elsewhere", 0, NULL, "the profiles were not taken on this machine: take nothing of it for theirs",
     gate_option_value_flag, AT(is_elsewhere), NULL},
    {0},
};
const struct gate_option_group gate_store_options_change = {.rows = change_rows};

struct gate_str gate_store_options_service_name(const struct gate_store_options *options) {
    return gate_str_from(options->service == NULL ? "" : options->service);
}

struct gate_str gate_store_options_environment_name(const struct gate_store_options *options) {
    return gate_str_from(options->environment == NULL ? "default" : options->environment);
}

bool gate_store_options_check(const struct gate_store_options *options, bool needs_service, struct gate_error *err) {
    if (options->store == NULL || options->store[0] == '\0')
        return gate_error_set(err, GATE_ERR_USAGE, "no store is named; add --store DIR");
    if (gate_backend_address_is(gate_str_from(options->store)))
        return gate_error_set(
            err, GATE_ERR_USAGE,
            "option '--store': expected the folder of accepted baselines, found the address of a store "
            "of profiles; name it as a side: 'pprofgate check ADDRESS CANARY'");
    if (needs_service && options->service == NULL)
        return gate_error_set(err, GATE_ERR_USAGE, "no service is named; add --service NAME");
    return (options->service == NULL || gate_record_check_name("service", gate_str_from(options->service), err)) &&
           gate_record_check_name("environment", gate_store_options_environment_name(options), err);
}

bool gate_store_options_revision(struct gate_str *revision, struct gate_str *commit, struct gate_str *why,
                                 const struct gate_store_options *options, struct gate_str version,
                                 struct gate_arena *arena, struct gate_error *err) {
    struct gate_error unknown = {0};
    bool is_told = options->revision != NULL || version.len > 0;
    struct gate_str told = is_told ? version : GATE_STR("HEAD");
    if (options->revision != NULL)
        told = gate_str_from(options->revision);
    *revision = *commit = *why = GATE_STR("");
    if (!gate_record_check_name("revision", told, err))
        return false;
    if (gate_ancestry_commit(commit, told, arena, &unknown)) {
        *revision = *commit;
        return true;
    }
    *commit = GATE_STR("");
    *why = gate_str_copy(arena, gate_str_from(unknown.message));
    if (is_told)
        *revision = told;
    return why->ptr != NULL || gate_arena_error(arena, err);
}

int64_t gate_store_options_now(void) {
    struct timespec now = {0};
    const char *epoch = getenv("SOURCE_DATE_EPOCH");
    char *end = NULL;
    long long told = epoch == NULL ? 0 : strtoll(epoch, &end, 10);
    bool is_told = end != NULL && end != epoch && *end == '\0' && told > 0 && told < INT64_MAX / 1000;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    int64_t ms = (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
    return is_told && told * 1000 > ms ? told * 1000 : ms;
}
