/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/session/store_options.h"

#include "gate/base/system.h"
#include "gate/capture/backend.h"
#include "gate/store/match.h"
#include "gate/store/record.h"
#include "gate/store/store.h"

#include <stdlib.h>

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

bool gate_store_options_open(struct gate_store *out, const struct gate_store_options *options, struct gate_arena *arena,
                             struct gate_error *err) {
    struct gate_str file = GATE_STR("");
    if (!options->may_be_tracked && !gate_tracked_find(&file, options->store, arena, err))
        return false;
    if (file.len > 0)
        return gate_error_set(err, GATE_ERR_INPUT,
                              "git tracks '%.*s' in the store '%s', so a change could edit what it is compared with: "
                              "move the store out of the checkout, or add --store-in-checkout to read it nevertheless",
                              GATE_STR_ARG(file), options->store);
    return gate_store_open(out, options->store, GATE_STORE_READ, arena, err);
}

bool gate_store_options_revision(struct gate_str *revision, struct gate_str *commit, struct gate_str *why,
                                 const struct gate_store_options *options, struct gate_str version,
                                 struct gate_arena *arena, struct gate_error *err) {
    struct gate_error unknown = {0};
    bool is_given = options->revision != NULL || version.len > 0;
    struct gate_str name = is_given ? version : GATE_STR("HEAD");
    if (options->revision != NULL)
        name = gate_str_from(options->revision);
    *revision = *commit = *why = GATE_STR("");
    if (!gate_record_check_name("revision", name, err))
        return false;
    if (gate_ancestry_commit(commit, name, arena, &unknown)) {
        *revision = *commit;
        return true;
    }
    if (unknown.code == GATE_ERR_LIMIT || unknown.code == GATE_ERR_MEMORY) {
        *err = unknown;
        return false;
    }
    *commit = GATE_STR("");
    *why = gate_str_copy(arena, gate_str_from(unknown.message));
    if (is_given)
        *revision = name;
    return why->ptr != NULL || gate_arena_error(arena, err);
}

/* Start of the year 10000. Dates are compared as text, where a year of five digits would be before today. */
static const long long EPOCH_END = 253402300800;

int64_t gate_store_options_now(void) {
    const char *epoch = getenv("SOURCE_DATE_EPOCH");
    char *end = NULL;
    long long seconds = epoch == NULL ? 0 : strtoll(epoch, &end, 10);
    bool is_valid = end != NULL && end != epoch && *end == '\0' && seconds > 0 && seconds < EPOCH_END;
    int64_t ms = gate_clock_ms(CLOCK_REALTIME);
    return is_valid && seconds * 1000 > ms ? seconds * 1000 : ms;
}
