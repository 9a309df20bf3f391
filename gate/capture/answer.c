/* SPDX-License-Identifier: Apache-2.0 */
/* What to make of an answer (see answer.h). */
#include "gate/capture/answer.h"

#include "gate/base/buf.h"
#include "gate/base/json_text.h"

enum { STATUS_OK = 200, STATUS_TIMEOUT = 408, STATUS_MANY = 429, STATUS_ERROR = 500, SAID_BYTES = 160 };

/* A CPU profile takes half a minute: to wait for another one to end takes more patience than a fault does. */
static const double wait_most_s = 15, retry_after_most_s = 120, busy_factor = 4;
static const uint32_t busy_retries = 4;

static bool is_busy(const struct gate_answer *answer) {
    return answer->failure == GATE_ANSWER_CAME && answer->status >= STATUS_ERROR &&
           gate_str_find(answer->body, GATE_STR("profiling already in use"), 0) != SIZE_MAX;
}

static bool may_retry(const struct gate_answer *answer) {
    static const long statuses[] = {STATUS_TIMEOUT, STATUS_MANY, STATUS_ERROR, 502, 503, 504};
    if (answer->failure == GATE_ANSWER_NO_CONNECTION || answer->failure == GATE_ANSWER_CUT)
        return true;
    for (size_t i = 0; answer->failure == GATE_ANSWER_CAME && i < sizeof statuses / sizeof *statuses; i++)
        if (answer->status == statuses[i])
            return true;
    return false;
}

/* The first line of what the server says, where it is text and no page. One that was cut may end with a part of a
 * secret that nobody knows for one. */
static struct gate_str said(const struct gate_answer *answer) {
    size_t end = gate_str_find(answer->said, GATE_STR("\n"), 0);
    struct gate_str line = gate_str_trim(gate_str_slice(answer->said, 0, end));
    if (end == SIZE_MAX && answer->is_cut)
        return GATE_STR("");
    for (size_t i = 0; i < line.len; i++)
        if ((unsigned char)line.ptr[i] < ' ' || line.ptr[0] == '<')
            return GATE_STR("");
    return gate_str_slice(line, 0, SAID_BYTES);
}

static const char *next_step_of_store(const struct gate_answer *answer) {
    switch (answer->status) {
    case 401:
        return answer->has_credentials ? "; the token or password is not the right one, or --tenant ID is missing"
                                       : "; it asks who you are: --token-env, --token-file or --user-file tell it, and "
                                         "--tenant whose profiles";
    case 403:
        return answer->has_credentials ? "; who you are may not do that" : "; it may want a token: --token-env NAME";
    case 404:
        return "; is the address that of the store itself, and its path right?";
    default:
        return "";
    }
}

static const char *next_step(const struct gate_answer *answer) {
    if (answer->is_of_store)
        return next_step_of_store(answer);
    switch (answer->status) {
    case 401:
    case 407:
        return answer->has_credentials ? "; the token or password is not the right one"
                                       : "; it asks who you are: --token-env, --token-file or --user-file tell it";
    case 403:
        return answer->has_credentials ? "; who you are may not do that" : "; it may want a token: --token-env NAME";
    case 404:
        return answer->is_fgprof ? "; net/http/pprof has no wall profile: the program has to serve fgprof.Handler() at "
                                   "/debug/fgprof"
                                 : "; is the path right, and does the program import net/http/pprof?";
    default:
        return "";
    }
}

/* Other than of quotes: a secret that is written with them was not seen for one. */
static bool has_escapes(struct gate_str text) {
    for (size_t i = 0; i + 1 < text.len; i++)
        if (text.ptr[i] == '\\' && text.ptr[++i] != '"')
            return true;
    return false;
}

/* The message in what APIs answer with: {"message": "..."} (Connect, Kubernetes) or {"error": "..."} (Prometheus).
 * NULL: it is no such text. The tree is the caller's. */
static const char *said_in_json(json_t **tree, const struct gate_answer *answer) {
    struct gate_str text = gate_str_trim(answer->said);
    struct gate_json_fault fault;
    *tree = NULL;
    if (answer->is_cut || text.len == 0 || text.ptr[0] != '{' || has_escapes(text))
        return NULL;
    *tree = gate_json_text_read(&fault, text, 0);
    const json_t *message = json_object_get(*tree, "message");
    message = message == NULL ? json_object_get(*tree, "error") : message;
    const char *words = json_string_value(message);
    for (size_t i = 0; words != NULL && words[i] != '\0'; i++)
        if ((unsigned char)words[i] < ' ')
            return NULL;
    return words;
}

static void tell_status(const struct gate_answer *answer, bool busy, struct gate_error *why) {
    json_t *tree = NULL;
    const char *words = said_in_json(&tree, answer);
    struct gate_str text = words == NULL ? said(answer) : gate_str_slice(gate_str_from(words), 0, SAID_BYTES);
    bool has_text = text.len > 0;
    if (busy) {
        (void)gate_error_set(why, GATE_ERR_INPUT,
                             "the program takes another CPU profile, and can take only one at a time (HTTP %ld); stop "
                             "what else takes profiles of it, or try again later",
                             answer->status);
    } else {
        (void)gate_error_set(why, GATE_ERR_INPUT, "HTTP %ld%s%.*s%s%s", answer->status, has_text ? ", \"" : "",
                             GATE_STR_ARG(text), has_text ? "\"" : "", next_step(answer));
    }
    json_decref(tree);
}

static void tell_failure(const struct gate_answer *answer, bool is_over, struct gate_error *why) {
    const char *reason = answer->reason == NULL ? "" : answer->reason;
    switch (answer->failure) {
    case GATE_ANSWER_NO_HOST:
        (void)gate_error_set(why, GATE_ERR_IO, "the host is not known: %s", reason);
        break;
    case GATE_ANSWER_NO_CONNECTION:
        (void)gate_error_set(why, GATE_ERR_IO, "no connection: %s; is the program up, and is the port right?", reason);
        break;
    case GATE_ANSWER_CUT:
        (void)gate_error_set(why, GATE_ERR_IO, "the answer was cut: %s", reason);
        break;
    case GATE_ANSWER_TIMEOUT:
        (void)gate_error_set(why, GATE_ERR_IO, "no whole answer within %.3g s%s", answer->waited_s,
                             is_over ? "" : "; --timeout gives it longer");
        break;
    case GATE_ANSWER_TLS:
        (void)gate_error_set(why, GATE_ERR_IO,
                             "the connection is not safe: %s; --ca-file FILE names the authority that signed the "
                             "server's certificate",
                             reason);
        break;
    case GATE_ANSWER_TOO_LARGE:
        (void)gate_error_set(why, GATE_ERR_LIMIT, "the answer is larger than %zu bytes; raise --max-bytes",
                             answer->max_bytes);
        break;
    case GATE_ANSWER_REFUSED_REDIRECT:
        (void)gate_error_set(why, GATE_ERR_INPUT,
                             "it redirects to %s, which is another server; name that one, or allow it with "
                             "--follow-redirects any",
                             reason);
        break;
    default:
        (void)gate_error_set(why, GATE_ERR_IO, "%s", reason);
        break;
    }
}

static double wait_of(const struct gate_answer *answer, const struct gate_answer_policy *policy, bool busy,
                      double jitter) {
    double wait = policy->backoff_s * (busy ? busy_factor : 1);
    for (uint32_t i = 1; i < answer->attempt && wait < wait_most_s; i++)
        wait *= 2;
    wait = wait < wait_most_s ? wait : wait_most_s;
    wait *= 1 - jitter / 2;
    return wait > answer->retry_after_s ? wait : answer->retry_after_s;
}

void gate_answer_judge(struct gate_answer_step *out, const struct gate_answer *answer,
                       const struct gate_answer_policy *policy, double jitter, struct gate_error *why) {
    *out = (struct gate_answer_step){.is_busy = is_busy(answer)};
    out->is_well = answer->failure == GATE_ANSWER_CAME && answer->status == STATUS_OK;
    if (out->is_well)
        return;
    out->is_over =
        policy->has_deadline && (policy->left_s <= 0 || answer->is_short) && answer->failure == GATE_ANSWER_TIMEOUT;
    if (answer->failure == GATE_ANSWER_CAME)
        tell_status(answer, out->is_busy, why);
    else
        tell_failure(answer, out->is_over, why);
    if (!may_retry(answer)) {
        if (out->is_over)
            (void)gate_error_set(why, why->code, "the time is over: %s", why->message);
        return;
    }
    uint32_t most = policy->retries + (out->is_busy && policy->retries > 0 ? busy_retries : 0);
    bool is_too_long = answer->retry_after_s > retry_after_most_s;
    out->again = answer->attempt <= most && !is_too_long;
    out->wait_s = wait_of(answer, policy, out->is_busy, jitter);
    out->is_over = out->again && policy->has_deadline && out->wait_s >= policy->left_s;
    out->again = out->again && !out->is_over;
    if (out->again)
        return;
    if (out->is_over)
        (void)gate_error_set(why, why->code, "the time is over: %s, and it may be asked again only in %.1f s",
                             why->message, out->wait_s);
    else if (is_too_long)
        (void)gate_error_set(why, why->code, "%s; it asks to come back after %.0f s", why->message,
                             answer->retry_after_s);
    else if (answer->attempt > 1)
        (void)gate_error_set(why, why->code, "%s; asked %u times", why->message, (unsigned)answer->attempt);
}
