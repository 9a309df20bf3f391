/* SPDX-License-Identifier: Apache-2.0 */
/* Expands Kubernetes addresses to URLs of the cluster's API server. */
#include "gate/session/kube_sources.h"

#include "gate/capture/capture_plan.h"
#include "gate/capture/http.h"
#include "gate/capture/kubernetes.h"
#include "gate/session/paths.h"
#include "gate/session/session.h"

struct expanding {
    struct gate_kube_sources *sources;
    struct gate_capture_plan *plan;
    struct gate_kube_config config;
    struct gate_arena *arena;
};

/* ---- credentials ------------------------------------------------------------------------------------------------- */

static bool command_ask(struct expanding *expanding, struct gate_error *err) {
    const struct gate_kube_config *config = &expanding->config;
    const struct gate_kube_exec_cluster cluster = {config->server, config->ca_pem, config->is_insecure};
    struct gate_kube_exec_answer answer;
    if (!gate_kube_command_run(&answer, &config->exec, &cluster, expanding->arena, err))
        return false;
    expanding->plan->fetch.client_pem = answer.client_pem;
    expanding->plan->fetch.client_key_pem = answer.client_key_pem;
    return answer.token.len == 0 ||
           gate_credentials_of_token(&expanding->plan->credentials, answer.token, expanding->arena, err);
}

static bool credentials_fill(struct expanding *expanding, struct gate_error *err) {
    const struct gate_kube_config *config = &expanding->config;
    struct gate_capture_plan *plan = expanding->plan;
    const bool is_told = plan->credentials.authorization != NULL;
    plan->fetch.ca_pem = plan->fetch.ca_file == NULL ? config->ca_pem : GATE_STR("");
    plan->fetch.is_insecure = plan->fetch.is_insecure || config->is_insecure;
    if (is_told)
        return true;
    plan->fetch.client_pem = config->client_pem;
    plan->fetch.client_key_pem = config->client_key_pem;
    if (config->token.len > 0)
        return gate_credentials_of_token(&plan->credentials, config->token, expanding->arena, err);
    if (config->client_pem.len > 0)
        return true;
    if (config->exec.argv != NULL)
        return command_ask(expanding, err);
    return config->auth_provider.len == 0 ||
           gate_error_set(err, GATE_ERR_USAGE,
                          "the cluster's configuration names the auth-provider '%.*s', which is not known here and not "
                          "to kubectl since 1.26; let the cluster's own tool write the file anew, or give the token "
                          "with --token-env",
                          GATE_STR_ARG(config->auth_provider));
}

/* ---- pods -------------------------------------------------------------------------------------------------------- */

static bool page_ask(struct gate_kube_pods *pods, struct gate_str *more, const struct gate_kube_address *address,
                     struct expanding *expanding, struct gate_error *err) {
    const struct gate_capture_plan *plan = expanding->plan;
    struct gate_str list = gate_kube_address_list(address, *more, expanding->arena);
    const struct gate_str parts[] = {expanding->config.server, list};
    struct gate_str text = gate_str_concat(expanding->arena, parts, 2);
    struct gate_fetch fetch = {
        .credentials = &plan->credentials, .max_bytes = GATE_KUBE_PAGE_BYTES_MAX, .is_of_store = true};
    struct gate_fetch *request = &fetch;
    struct gate_fetch_options options = plan->fetch;
    options.what = "the pods of the cluster";
    if (list.ptr == NULL || text.ptr == NULL)
        return gate_arena_error(expanding->arena, err);
    if (!gate_capture_url_read(&fetch.url, text, err) || !gate_fetch_all(&request, 1, &options, expanding->arena, err))
        return false;
    *err = fetch.err;
    bool ok = fetch.is_well && gate_kube_address_pods(pods, more, gate_buf_view(&fetch.body), expanding->arena, err);
    gate_buf_free(&fetch.body);
    gate_buf_free(&fetch.grpc_lines);
    return ok || gate_capture_plan_blame(plan, &fetch.url, gate_capture_url_show(&fetch.url, expanding->arena), err);
}

static bool pods_list(struct gate_kube_pods *pods, const struct gate_kube_address *address, struct expanding *expanding,
                      struct gate_error *err) {
    struct gate_str more = GATE_STR("");
    for (uint32_t page = 0; page == 0 || more.len > 0; page++) {
        if (page > GATE_KUBE_PODS_MAX)
            return gate_error_set(err, GATE_ERR_LIMIT, "the list of pods has no end");
        if (!page_ask(pods, &more, address, expanding, err))
            return false;
    }
    return pods->count > 0 ||
           gate_error_set(err, GATE_ERR_INPUT, "no running pod in the namespace '%.*s' has the labels '%.*s'",
                          GATE_STR_ARG(address->name_space), GATE_STR_ARG(address->selector));
}

/* ---- addresses --------------------------------------------------------------------------------------------------- */

static bool proxy_add(const struct gate_kube_address *address, enum gate_side_name side, struct gate_str pod,
                      struct expanding *expanding, struct gate_error *err) {
    struct gate_kube_sources *sources = expanding->sources;
    struct gate_str server = expanding->config.server;
    struct gate_str url = gate_kube_address_proxy(address, server, pod, address->path, expanding->arena);
    struct gate_str work = gate_kube_address_proxy(address, server, pod, GATE_STR("/metrics"), expanding->arena);
    if (url.ptr == NULL || work.ptr == NULL)
        return gate_arena_error(expanding->arena, err);
    return gate_paths_add(&sources->urls[side], url.ptr, expanding->arena, err) &&
           gate_paths_add(&sources->work_urls[side], work.ptr, expanding->arena, err);
}

static bool address_expand(const char *text, enum gate_side_name side, struct expanding *expanding,
                           struct gate_error *err) {
    struct gate_kube_address address;
    struct gate_kube_pods pods = {0};
    if (!gate_kube_address_read(&address, gate_str_from(text), err))
        return false;
    if (address.selector.len == 0)
        return proxy_add(&address, side, GATE_STR(""), expanding, err);
    if (!pods_list(&pods, &address, expanding, err))
        return false;
    for (uint32_t i = 0; i < pods.count; i++)
        if (!proxy_add(&address, side, pods.names[i], expanding, err))
            return false;
    return true;
}

/* Counts the Kubernetes addresses. Returns UINT32_MAX if there are other addresses too. */
static uint32_t count_of_cluster(const struct gate_paths *urls) {
    uint32_t found = 0, all = 0;
    for (int side = 0; side < GATE_SIDES; side++)
        for (uint32_t i = 0; i < urls[side].count; i++, all++)
            found += gate_kube_address_is(gate_str_from(urls[side].items[i]));
    return found == 0 || found == all ? found : UINT32_MAX;
}

bool gate_kube_sources_expand(struct gate_kube_sources *sources, struct gate_capture_plan *plan, const char *kubeconfig,
                              const char *context, struct gate_session *session, struct gate_error *err) {
    const struct gate_kube_sources told = *sources;
    struct expanding expanding = {.sources = sources, .plan = plan, .arena = session->arena};
    const struct gate_kube_config_places places = gate_kube_config_here(kubeconfig, context);
    const uint32_t count = count_of_cluster(told.urls);
    struct gate_error why = {0};
    if (count == 0)
        return (kubeconfig == NULL && context == NULL) ||
               gate_error_set(err, GATE_ERR_USAGE,
                              "options '--kubeconfig' and '--kube-context': they are for addresses that begin with "
                              "k8s://");
    if (count == UINT32_MAX || told.work_urls[GATE_BASELINE].count + told.work_urls[GATE_CANARY].count > 0)
        return gate_error_set(err, GATE_ERR_USAGE,
                              "addresses that begin with k8s:// cannot be combined with others: the cluster's "
                              "credentials are sent to no other server");
    for (int side = 0; side < GATE_SIDES; side++) /* check all addresses before the first request */
        for (uint32_t i = 0; i < told.urls[side].count; i++) {
            struct gate_kube_address address;
            if (!gate_kube_address_read(&address, gate_str_from(told.urls[side].items[i]), err))
                return false;
        }
    if (!gate_kube_config_find(&expanding.config, &places, session->arena, &why))
        return gate_error_set(err, why.code, "the cluster's configuration: %s", why.message);
    if (!credentials_fill(&expanding, err))
        return false;
    *sources = (struct gate_kube_sources){0};
    for (int side = 0; side < GATE_SIDES; side++)
        for (uint32_t i = 0; i < told.urls[side].count; i++)
            if (!address_expand(told.urls[side].items[i], (enum gate_side_name)side, &expanding, err))
                return false;
    return true;
}
