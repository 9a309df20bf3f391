/* SPDX-License-Identifier: Apache-2.0 */
/* A program that uses the library, for faults.py to break. It allocates no memory itself. Usage: faults_host BASELINE
 * CANARY. It compares twice, to see whether a failed comparison affects the next one. Standard output gets a line with
 * each verdict and the JSON of the first comparison. The exit status is that of the first. */
#include <pprofgate.h>

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static bool say(int descriptor, const char *text, size_t len) {
    for (size_t at = 0; at < len;) {
        ssize_t wrote = write(descriptor, text + at, len - at);
        if (wrote < 0)
            return false;
        at += (size_t)wrote;
    }
    return true;
}

static bool say_line(int descriptor, const char *text) {
    return say(descriptor, text, strlen(text)) && say(descriptor, "\n", 1);
}

/* Return whether a result with an error has a message and nothing else. */
static bool error_is_whole(const struct pprofgate_result *result) {
    size_t length = 1;
    return pprofgate_result_error(result)[0] != '\0' && pprofgate_result_json(result, &length)[0] == '\0' &&
           length == 0 && pprofgate_result_text(result, &length)[0] == '\0' && length == 0 &&
           pprofgate_result_count(result, PPROFGATE_CAUSES) == 0;
}

/* Compare, print, and return the verdict; 70 if the library violates its contract. */
static int compare(const struct pprofgate_request *request, bool is_first) {
    static const char *const words[] = {"pass", "fail", "error", "inconclusive"};
    struct pprofgate_result *result = pprofgate_compare(request);
    if (result == NULL)
        return say_line(STDERR_FILENO, "pprofgate: no result") && say_line(STDOUT_FILENO, words[PPROFGATE_ERROR])
                   ? PPROFGATE_ERROR
                   : 70;
    enum pprofgate_verdict verdict = pprofgate_result_verdict(result);
    size_t length = 0;
    const char *json = pprofgate_result_json(result, &length);
    bool ok = say_line(STDOUT_FILENO, words[verdict]);
    if (verdict == PPROFGATE_ERROR)
        ok = ok && error_is_whole(result) && say(STDERR_FILENO, "pprofgate: ", strlen("pprofgate: ")) &&
             say_line(STDERR_FILENO, pprofgate_result_error(result));
    else
        ok = ok && length == strlen(json) && length > 0 && (!is_first || say(STDOUT_FILENO, json, length));
    pprofgate_result_free(result);
    return ok ? (int)verdict : 70;
}

int main(int argc, char **argv) {
    if (argc != 3)
        return 70;
    const struct pprofgate_run runs[] = {{.name = argv[1]}, {.name = argv[2]}};
    const struct pprofgate_request request = {
        .size = sizeof request, .baseline = &runs[0], .baseline_count = 1, .canary = &runs[1], .canary_count = 1};
    sigset_t before, after;
    (void)pthread_sigmask(SIG_SETMASK, NULL, &before);
    int first = compare(&request, true), second = compare(&request, false);
    (void)pthread_sigmask(SIG_SETMASK, NULL, &after);
    for (int number = 1; number < SIGRTMIN; number++)
        if (sigismember(&before, number) != sigismember(&after, number))
            return 70;
    if (waitpid(-1, NULL, WNOHANG) >= 0) /* a child process is left */
        return 70;
    return second == 70 ? 70 : first;
}
