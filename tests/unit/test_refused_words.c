/* SPDX-License-Identifier: Apache-2.0 */
/* Command lines that are refused: each ends with status 2, a message with the cause, and nothing on standard output.
 * The program runs in this process, in fixtures/. */

#include "gate/budget/outcome.h"
#include "gate/cli/command.h"
#include "tests/unit/unit.h"

#define GOOD "bad/good.pb.gz"
#define CANARY "bad/good-canary.pb.gz"
#define BASE "../tests/refusals/runs/base-0.folded"
#define SLOW "../tests/refusals/runs/slow-0.folded"

enum { WORDS_MAX = 14, SAID_BYTES = 4096 };

struct row {
    const char *words[WORDS_MAX];
    const char *told;
};

static const struct row of_sides[] = {
    {{"check", GOOD}, "the canary is missing: expected BASELINE CANARY"},
    {{"check", GOOD, GOOD, CANARY}, "expected BASELINE CANARY; for several runs of a side write"},
    {{"check", "--canary", CANARY, "--baseline", GOOD, "--", GOOD}, "so its side is not clear"},
    {{"check", "--pair", "cpu=" GOOD "," CANARY, GOOD}, "--pair cannot be combined with other profiles"},
    {{"check", "--pair", "=" GOOD "," CANARY}, "expected NAME=BASELINE,CANARY"},
    {{"check", "--pair", "cpu=" GOOD "," CANARY, "--pair", "cpu=" GOOD "," CANARY}, "cpu"},
    {{"check", "--history", GOOD, "--by", "endpoint", GOOD, CANARY}, "'--history' cannot be combined with '--by'"},
    {{"check", "--history", GOOD, "--pair", "cpu=" GOOD "," CANARY}, "'--history' cannot be combined with '--pair'"},
    {{"check", "--baseline", GOOD, "-"}, "the canary is missing"},
    {{"explain", GOOD}, "the profiles are missing: expected [FRAME] BASELINE CANARY"},
    {{"explain"}, "usage and examples: pprofgate help explain"},
    {{"explain", "main.hot", "main.warm", GOOD, CANARY}, "unexpected 'main.warm': expected [FRAME] BASELINE CANARY"},
    {{GOOD, CANARY}, "to compare both: pprofgate check " GOOD " " CANARY},
    {{"compare", GOOD, CANARY}, "unknown command 'compare' (did you mean 'check'?)"},
    {{"accept"}, "unknown command 'accept' (did you mean 'baseline accept'?)"},
    {{"check", "--fail-on", "5", GOOD, CANARY}, "unknown option '--fail-on': the rules define what fails"},
    {{"check", "--format", "json", GOOD, CANARY}, "each format has its own option: --json"},
    {{"check", "-o", "x", GOOD, CANARY}, "unknown option '-o': each format has its own option: --json"},
    {{"check", "--no-color", GOOD, CANARY}, "did you mean '--color never'?"},
    {{"check", "--threshold", "5", GOOD, CANARY}, "limits are in the rules"},
    {{"explain", "recommended", GOOD, CANARY, "--frame", "nobody"}, "no frame on either side matches 'nobody'"},
    {{"explain", "recommended", GOOD, CANARY, "--frame", "re:("}, ""},
    {{"diff", GOOD}, "the canary is missing"},
    {{"merge", "-o", "-"}, "expected"},
    {{"inspect"}, "expected"},
    {{"inspect", "nothing/here.pb"}, "nothing/here.pb"},
    {{"init"}, "expected"},
    {{"init", "-o", "-", "nothing/here.pb"}, "nothing/here.pb"},
};

static const struct row of_values[] = {
    {{"completion"}, "expected a shell: bash, zsh or fish; found 0 words"},
    {{"completion", "tcsh"}, "expected a shell: bash, zsh or fish; found 'tcsh'"},
    {{"completion", "bash", "zsh"}, "found 2 words"},
    {{"manual", "nothing"}, "unknown command 'nothing'"},
    {{"manual", "baseline"}, "'baseline' has commands of its own"},
    {{"manual", "check", "it"}, "unknown command 'it'"},
    {{"manual", "-o", "/proc/nowhere", "check"}, "'--output' takes every page; name none"},
    {{"version", "please"}, "version takes no argument"},
    {{"help", "nothing"}, "unknown command 'nothing'"},
    {{"help", "baseline", "nothing"}, "unknown command 'baseline nothing'"},
    {{"baseline", "nothing"}, "unknown command 'baseline nothing'"},
    {{"checks"}, "did you mean 'check'?"},
    {{"check", "--nothing", GOOD, CANARY}, "--nothing"},
    {{"check", "-x", GOOD, CANARY}, "-x"},
    {{"check", "--quiet=yes", GOOD, CANARY}, "--quiet"},
    {{"check", GOOD, CANARY, "--json"}, "--json"},
    {{"check", "--color", "sometimes", GOOD, CANARY}, "sometimes"},
    {{"check", "--granularity", "word", GOOD, CANARY}, "word"},
    {{"check", "--names", "best", GOOD, CANARY}, "best"},
    {{"check", "--where", "endpoint", GOOD, CANARY}, "endpoint"},
    {{"check", "--frames", "-1", GOOD, CANARY}, "-1"},
    {{"check", "--period", "often", GOOD, CANARY}, "often"},
    {{"check", "--max-size", "1X", GOOD, CANARY}, "1X"},
    {{"check", "--by", "endpoint", GOOD, CANARY}, "none of its 10 samples has the label 'endpoint'"},
    {{"check", "--on-inconclusive", "maybe", GOOD, CANARY}, "maybe"},
    {{"check", "--report-url", "nowhere", GOOD, CANARY}, "nowhere"},
    {{"check", "--junit-flavor", "plain", GOOD, CANARY}, "plain"},
    {{"check", "--source-url", "nowhere", GOOD, CANARY}, "nowhere"},
    {{"validate"}, "expected"},
    {{"validate", "nothing.yml"}, "nothing.yml"},
};

static const struct row of_work[] = {
    {{"check", "--work", "100", GOOD, CANARY}, "expected baseline=N, canary=N, or canary:LABEL=VALUE:N"},
    {{"check", "--work", "baseline", GOOD, CANARY}, "expected baseline=N"},
    {{"check", "--work", "baseline+1", GOOD, CANARY}, "expected baseline=N"},
    {{"check", "--work", "baseline=", GOOD, CANARY}, "--work"},
    {{"check", "--work", "baseline=-1", GOOD, CANARY}, "--work"},
    {{"check", "--work", "canary:endpoint:3", GOOD, CANARY}, "--work"},
    {{"check", "--work", "canary:endpoint=/a", GOOD, CANARY}, "--work"},
    {{"check", "--work-file", "nothing.yml", GOOD, CANARY}, "nothing.yml"},
    {{"check", "--ledger", "/proc/nowhere/l.json", GOOD, CANARY}, "/proc/nowhere/l.json.lock: No such file"},
    {{"check", "--change", "c", GOOD, CANARY}, "--ledger"},
    {{"check", "--looks", "3", GOOD, CANARY}, "--ledger"},
    {{"check", "--noise", "nothing.yml", GOOD, CANARY}, "nothing.yml"},
    {{"check", "-r", "recommended", "--noise", "rules/own.yml", GOOD, CANARY}, "rules/own.yml"},
    {{"check", "-r", "recommended", "--granularity", "line", "--noise", "cases/noise_model/noise.yml", GOOD, CANARY},
     "another --granularity or --names"},
    {{"calibrate", "-o", "/proc/nowhere/n.yml"}, "expected GOOD profiles to learn from"},
    {{"calibrate", GOOD}, "no output is named"},
    {{"calibrate", "-o", "/proc/nowhere/n.yml", "--where", "a=b", GOOD}, "'--where' cannot be used here"},
    {{"calibrate", "-o", "/proc/nowhere/n.yml", "--work", "a", GOOD, CANARY}, "--work"},
    {{"calibrate", "-o", "/proc/nowhere/n.yml", "--work", "0", GOOD, CANARY}, "--work"},
    {{"calibrate", "-o", "/proc/nowhere/n.yml", "--work-file", "nothing.yml", GOOD, CANARY}, "nothing.yml"},
    {{"prove"}, "expected a BASELINE to plant growth in"},
    {{"prove", "--min-share", "much", GOOD}, "option '--min-share': expected a share such as '1%', found 'much'"},
    {{"prove", "--at-least", "1%", GOOD}, "option '--at-least': expected points such as '+5pp', found '1%'"},
    {{"prove", "--runs", "101", GOOD}, "101 runs per side are more than the 100 that can be drawn"},
    {{"prove", "--frame", "nobody", GOOD}, "no frame of the baseline is named 'nobody'"},
    {{"prove", "--min-share", "99%", BASE}, "no function of your own costs enough to plant growth in"},
    {{"prove", "--noise", "nothing.yml", GOOD}, "nothing.yml"},
    {{"prove", "--noise", "rules/own.yml", GOOD}, "rules/own.yml:"},
    {{"prove", "--granularity", "line", "--noise", "cases/noise_model/noise.yml", GOOD},
     "made with another --granularity or --names"},
    {{"trend"}, "expected"},
    {{"trend", "--store", "/proc/nowhere", "--service", "shop"}, "/proc/nowhere"},
    {{"trend", BASE, "nothing/here.folded"}, "nothing/here.folded"},
    {{"trend", "--last", "0", BASE, SLOW}, "--last"},
};

/* Two programs, an address of a store, and two stores. */
#define LIVE "-o", "/proc/nowhere/d", "--baseline", "http://a", "--canary", "http://b"
#define STORE(host, more) "pyroscope+http://" host "?query={service_name=\"s\"}" more
#define STORES(baseline, canary)                                                                                       \
    "-o", "/proc/nowhere/d", "--baseline", STORE("a", baseline), "--canary", STORE("b", canary)

static const struct row of_servers[] = {
    {{"capture"}, "no folder is named; add --output DIR"},
    {{"capture", "-o", "/proc/nowhere/d", "--baseline", "http://127.0.0.1:9"}, "--canary"},
    {{"capture", "-o", "/proc/nowhere/d", "--baseline", "ftp://a", "--canary", "http://b"}, "ftp://a"},
    {{"capture", LIVE, "-k", "cpu,cpu"}, "'cpu' is named twice"},
    {{"capture", LIVE, "-k", "film"}, "goroutine or wall, found 'film'"},
    {{"capture", LIVE, "-s", "0"}, "--seconds"},
    {{"capture", LIVE, "--warm-up", "x"}, "--warm-up"},
    {{"capture", LIVE, "--work-by", "x"}, "it needs --work-metric"},
    {{"capture", LIVE, "--work-metric", "a{b"}, "a{b"},
    {{"capture", LIVE, "--window", "x"}, "option '--window': it is for stores"},
    {{"capture", LIVE, "--token-env", "NO_SUCH_TOKEN"}, "NO_SUCH_TOKEN"},
    {{"capture", LIVE, "--token-file", "/proc/nowhere/t"}, "/proc/nowhere/t"},
    {{"capture", LIVE, "--user-file", GOOD}, GOOD},
    {{"capture", LIVE, "--tenant", "a\nb"}, "expected a tenant of"},
    {{"capture", LIVE, "--follow-redirects", "all"}, "all"},
    {{"capture", "-o", "/proc/nowhere/d", "--baseline", "k8s://prod", "--canary", "k8s://prod"}, "k8s://NAMESPACE/"},
    {{"capture", "-o", "/proc/nowhere/d", "--baseline", "k8s://p/s:1", "--canary", "k8s://p/t:1", "--kubeconfig",
      "/proc/nowhere/config"},
     "/proc/nowhere/config"},
    {{"capture", "-o", "/proc/nowhere/d", "--baseline", "pyroscope+http://a", "--canary", "pyroscope+http://b"},
     "query"},
    {{"capture", LIVE, "--work-url-baseline", "http://c"}, "'--work-url-baseline': it needs --work-metric COUNTER"},
    {{"capture", LIVE, "--work-metric", "c", "--work-url-canary", "http://c", "--work-url-canary", "http://d"},
     "option '--work-url-canary': expected one for each --canary, found 2 for 1"},
    {{"capture", "-o", "/proc/nowhere/d", "--baseline", "http://a", "--canary", STORE("b", "&from=-1h")},
     "some addresses are of stores and some of programs"},
    {{"capture", STORES("", ""), "--window", "last 1h", "--work-metric", "c"}, "take --work-query PROMQL"},
    {{"capture", STORES("", "")}, "a store needs a time window: expected --window 'last 30m'"},
    {{"capture", STORES("", ""), "--window", "last 1h", "--to", "-1m"}, "cannot be combined with --from and --to"},
    {{"capture", STORES("", ""), "--window", "x"}, "option '--window': "},
    {{"capture", STORES("", ""), "--from", "soon"}, "option '--from': "},
    {{"capture", STORES("", ""), "--from", "-1h", "--to", "soon"}, "option '--to': "},
    {{"capture", STORES("", ""), "--from", "-1h", "--to", "-2h"}, "options '--from' and '--to': "},
    {{"capture", STORES("&to=-1m", ""), "--from", "-1h"}, "'to' in the address: it needs from=TIME beside it"},
    {{"capture", STORES("&from=soon", "")}, "'from' in the address: "},
    {{"capture", STORES("&from=-1h&to=soon", "")}, "'to' in the address: "},
    {{"capture", STORES("&from=-1h&to=-2h", "")}, "'from' and 'to' in the address: "},
    {{"capture", STORES("&from=-1h&runs=2", "&from=-1h&runs=3")}, "one has 2 and another 3"},
    {{"capture", STORES("", ""), "--from", "1970-01-02T00:00:00Z", "--to", "1970-01-03T00:00:00Z", "--baseline-ago",
      "1w"},
     "option '--baseline-ago': that is before 1970"},
    {{"capture", STORES("", ""), "--window", "last 1h", "--work-query", "q"}, "expected it with --work-query-url URL"},
    {{"capture", STORES("", ""), "--window", "last 1h", "--work-query", "q", "--work-query-url", "http://p:1/?a=b"},
     "such as http://prometheus:9090, without a query"},
    {{"gate", STORES("&from=-1h", "")}, "slices are taken as they come"},
    {{"gate", STORES("", ""), "--warm-up", "5"}, "begin when they are warm"},
    {{"check", "--head", "0123456789012345678901234567890123456789", GOOD, CANARY}, "only used with '--accepted'"},
    {{"gate", "-o", "/proc/nowhere/d", "--baseline", "http://a", "--canary", "http://b", "-t", "soon"}, "soon"},
    {{"gate", "-o", "/proc/nowhere/d", "--baseline", "http://a", "--canary", "http://b", "-r", "nothing.yml"},
     "nothing.yml"},
    {{"gate", "--baseline", "http://a", "--canary", "http://b"}, "--output"},
    {{"check", "pyroscope+http://a?query={a=\"b\"}&from=-1h", "pyroscope+http://a?query=x"}, "query"},
    {{"baseline", "accept", GOOD}, "--store"},
    {{"baseline", "accept", "--store", "x", "--service", "s", "--verdict", "-", "--work-file", "-", GOOD},
     "standard input and can be read only once"},
    {{"baseline", "list"}, "--store"},
    {{"baseline", "list", "--store", "/proc/nowhere/s", "word"}, "word"},
    {{"baseline", "show", "--store", "/proc/nowhere/s", "--service", "shop", "r1", "r2"}, "r2"},
    {{"baseline", "prune"}, "--store"},
    {{"baseline", "prune", "--store", "/proc/nowhere/s", "word"}, "word"},
    {{"baseline", "prune", "--store", "/proc/nowhere/s", "--keep", "0"}, "--keep"},
    {{"try"}, "expected"},
    {{"try", "--bisect", "a"}, "'--bisect' expects two revisions"},
    {{"try", "--bisect", "--canary", "c", "a", "b"}, "'--canary' cannot be combined with '--bisect'"},
    {{"try", "no-such-revision-here"}, "there is no .pprofgate.yml here with the build and run commands"},
    {{"check", "--rules-from", "no-such-revision-here", GOOD, CANARY}, "'--rules-from no-such-revision-here'"},
};

static void refused(const struct row *rows, size_t count) {
    size_t wrong = 0;
    for (size_t i = 0; i < count; i++) {
        const char *argv[WORDS_MAX + 2] = {"pprofgate"};
        char said[SAID_BYTES];
        int argc = 1;
        for (; argc <= WORDS_MAX && rows[i].words[argc - 1] != NULL; argc++)
            argv[argc] = rows[i].words[argc - 1];
        FILE *in = tmpfile(), *out = tmpfile(), *err = tmpfile();
        assert_true(in != NULL && out != NULL && err != NULL);
        int status = gate_run(argc, argv, in, out, err);
        bool is_silent = ftell(out) == 0;
        rewind(err);
        said[fread(said, 1, sizeof said - 1, err)] = '\0';
        if (status != GATE_EXIT_ERROR || !is_silent || strncmp(said, "pprofgate: ", 11) != 0 ||
            strstr(said, rows[i].told) == NULL) {
            print_error("%s %s %s ...: status %d%s, said '%s', expected '%s'\n", argv[1], argc > 2 ? argv[2] : "",
                        argc > 3 ? argv[argc - 1] : "", status, is_silent ? "" : ", with output", said, rows[i].told);
            wrong++;
        }
        (void)fclose(in);
        (void)fclose(out);
        (void)fclose(err);
    }
    assert_int_equal(wrong, 0);
}

#define REFUSED(name)                                                                                                  \
    static void name##_are_refused(void **state) {                                                                     \
        (void)state;                                                                                                   \
        refused(name, sizeof name / sizeof *(name));                                                                   \
    }

REFUSED(of_sides)
REFUSED(of_values)
REFUSED(of_work)
REFUSED(of_servers)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_sides_are_refused),
        cmocka_unit_test(of_values_are_refused),
        cmocka_unit_test(of_work_are_refused),
        cmocka_unit_test(of_servers_are_refused),
    };
    if (chdir(GATE_SOURCE_DIR "/fixtures") != 0)
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
