/* SPDX-License-Identifier: Apache-2.0 */
/* The whole of `pprofgate check`: a baseline, a canary and rules, all of any bytes, with every report written. What is
 * said has to agree: the exit status, the JSON's outcome and JUnit's; each report is read again by a reader that is not
 * ours. The input is three to five parts behind its first byte, split by "\n%%\n": baseline, canary, rules (none:
 * `recommended`), second run of the baseline, of the canary. Corpus: tests/fuzz/corpus/check. */
#include "gate/cli/exit_code.h"
#include "gate/cli/run.h"
#include "tests/fuzz/fuzz.h"

#include <dirent.h>
#include <jansson.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef FUZZ_HAS_LIBXML
#include <libxml/parser.h>
#endif

enum { PARTS = 5, WORDS_MAX = 64, PATH_MAX_LEN = 128 };

static const char *const part_names[PARTS] = {"baseline-1", "canary-1", "rules.yml", "baseline-2", "canary-2"};

/* Ways of one input, by the bits of its first byte. */
enum { WITH_WORK = 2, EXACT_NAMES = 4, BY_LINE = 8, NARROW = 16, WHERE = 32 };

static char path[64]; /* of the folder that one process works in */

static void empty_folder(const char *name);

static void remove_folder(void) {
    empty_folder(path);
    char report[PATH_MAX_LEN];
    (void)snprintf(report, sizeof report, "%s/report", path);
    (void)rmdir(report);
    (void)rmdir(path);
}

/* A folder in memory where there is one: thousands of executions a minute write into it. */
static const char *folder(void) {
    if (path[0] == '\0') {
        (void)snprintf(path, sizeof path, "%s/pprofgate-fuzz-XXXXXX",
                       access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
        FUZZ_CHECK(mkdtemp(path) != NULL && atexit(remove_folder) == 0);
        FUZZ_CHECK(unsetenv("PPROFGATE_WORK_BASELINE") == 0 && unsetenv("PPROFGATE_WORK_CANARY") == 0);
        FUZZ_CHECK(unsetenv("GITHUB_ACTIONS") == 0 && unsetenv("GITHUB_OUTPUT") == 0 &&
                   unsetenv("GITHUB_STEP_SUMMARY") == 0 && unsetenv("GITLAB_CI") == 0);
    }
    return path;
}

static const char *in_folder(char out[PATH_MAX_LEN], const char *name) {
    (void)snprintf(out, PATH_MAX_LEN, "%s/%s", folder(), name);
    return out;
}

static void empty_folder(const char *name) {
    DIR *listing = opendir(name);
    char below[PATH_MAX_LEN + 256];
    if (listing == NULL)
        return;
    for (struct dirent *entry = readdir(listing); entry != NULL; entry = readdir(listing)) {
        if (entry->d_name[0] == '.')
            continue;
        (void)snprintf(below, sizeof below, "%s/%s", name, entry->d_name);
        if (unlink(below) != 0)
            empty_folder(below);
    }
    (void)closedir(listing);
}

static void write_part(const char *name, struct gate_str bytes) {
    char file_path[PATH_MAX_LEN];
    FILE *file = fopen(in_folder(file_path, name), "wb");
    FUZZ_CHECK(file != NULL && fwrite(bytes.ptr, 1, bytes.len, file) == bytes.len);
    FUZZ_CHECK(fclose(file) == 0);
}

/* How many parts there are. */
static size_t write_parts(struct gate_str rest) {
    size_t count = 0;
    for (size_t at = 0; at != SIZE_MAX && count < PARTS; count++) {
        at = gate_str_find(rest, GATE_STR("\n%%\n"), 0);
        struct gate_str part = gate_str_slice(rest, 0, at);
        write_part(part_names[count], part);
        if (count == 2 && part.len == 0) {
            char file_path[PATH_MAX_LEN];
            FUZZ_CHECK(unlink(in_folder(file_path, part_names[count])) == 0);
        }
        rest = at == SIZE_MAX ? GATE_STR("") : gate_str_slice(rest, at + 4, rest.len);
    }
    return count;
}

/* The bytes of a file, NUL behind them; NULL: there is none. The caller frees. */
static char *read_file(const char *name, size_t *len) {
    char file_path[PATH_MAX_LEN];
    FILE *file = fopen(in_folder(file_path, name), "rb");
    struct stat stat;
    if (file == NULL)
        return NULL;
    FUZZ_CHECK(fstat(fileno(file), &stat) == 0);
    char *bytes = malloc((size_t)stat.st_size + 1);
    FUZZ_CHECK(bytes != NULL);
    *len = fread(bytes, 1, (size_t)stat.st_size, file);
    bytes[*len] = '\0';
    (void)fclose(file);
    return bytes;
}

/* The root of a report that is there. */
static json_t *read_json(const char *name) {
    size_t len = 0;
    char *bytes = read_file(name, &len);
    FUZZ_CHECK(bytes != NULL);
    json_error_t error;
    json_t *root = json_loadb(bytes, len, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &error);
    FUZZ_CHECK(root != NULL);
    free(bytes);
    return root;
}

static void check_xml(const char *name) {
    size_t len = 0;
    char *bytes = read_file(name, &len);
    FUZZ_CHECK(bytes != NULL && len > 0);
#ifdef FUZZ_HAS_LIBXML
    xmlDocPtr document = xmlReadMemory(bytes, (int)len, name, NULL,
                                       XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING | XML_PARSE_HUGE);
    FUZZ_CHECK(document != NULL);
    xmlFreeDoc(document);
#endif
    free(bytes);
}

static void check_page(void) {
    size_t len = 0, scripts = 0;
    char *bytes = read_file("report/report.html", &len);
    FUZZ_CHECK(bytes != NULL);
    struct gate_str page = {bytes, len};
    for (size_t at = 0; (at = gate_str_find(page, GATE_STR("<script"), at)) != SIZE_MAX; at++)
        scripts++;
    FUZZ_CHECK(scripts == 2);
    free(bytes);
}

/* The status that the JSON's outcome stands for. */
static int status_of_json(void) {
    json_t *root = read_json("report/report.json");
    const char *outcome = json_string_value(json_object_get(root, "verdict"));
    FUZZ_CHECK(outcome != NULL);
    int status = strcmp(outcome, "fail") == 0           ? GATE_EXIT_FAIL
                 : strcmp(outcome, "inconclusive") == 0 ? GATE_EXIT_INCONCLUSIVE
                                                        : GATE_EXIT_PASS;
    json_decref(root);
    return status;
}

/* on_inconclusive of the rules may end an inconclusive run as anything, and says so in the JSON's own way. */
static void check_reports(int status) {
    int told = status_of_json();
    FUZZ_CHECK(told == status || told == GATE_EXIT_INCONCLUSIVE);
    check_xml("report/junit.xml");
    check_xml("report/flamegraph.svg");
    check_page();
    json_decref(read_json("quality.json"));
    json_decref(read_json("speedscope.json"));
}

static int run(unsigned ways, size_t parts, FILE *out, FILE *err) {
    static char paths[10][PATH_MAX_LEN];
    const char *argv[WORDS_MAX];
    int argc = 0;
#define WORD(word) (argv[argc++] = (word))
    WORD("pprofgate"), WORD("check"), WORD("--max-memory"), WORD("64M"), WORD("--max-size"), WORD("4M");
    WORD("--report"), WORD(in_folder(paths[0], "report")), WORD("--speedscope"),
        WORD(in_folder(paths[1], "speedscope.json"));
    WORD("--gitlab-codequality"), WORD(in_folder(paths[2], "quality.json")), WORD("--folded"),
        WORD(in_folder(paths[3], "folded"));
    WORD("--openmetrics"), WORD(in_folder(paths[4], "metrics")), WORD("--pprof-diff"),
        WORD(in_folder(paths[5], "diff.pb.gz"));
    WORD("--github-annotations"), WORD("always");
    if (parts > 2 && access(in_folder(paths[6], part_names[2]), R_OK) == 0)
        WORD("--rules"), WORD(paths[6]);
    if (ways & WITH_WORK)
        WORD("--work"), WORD("baseline=1000"), WORD("--work"), WORD("canary=900");
    if (ways & EXACT_NAMES)
        WORD("--names"), WORD("exact");
    if (ways & BY_LINE)
        WORD("--granularity"), WORD("line");
    if (ways & NARROW)
        WORD("--min-share"), WORD("0.001"), WORD("--frames"), WORD("all");
    if (ways & WHERE)
        WORD("--where"), WORD("endpoint=/a");
    WORD("--baseline"), WORD(in_folder(paths[7], part_names[0]));
    if (parts > 3)
        WORD(in_folder(paths[8], part_names[3]));
    WORD("--canary"), WORD(in_folder(paths[9], part_names[1]));
    static char last[PATH_MAX_LEN];
    if (parts > 4)
        WORD(in_folder(last, part_names[4]));
#undef WORD
    FILE *in = tmpfile();
    FUZZ_CHECK(in != NULL);
    int status = gate_run(argc, argv, in, out, err);
    (void)fclose(in);
    return status;
}

/* No line of what is said is a command for the system that runs it, but annotations of ours, which have a place. */
static void check_lines(struct gate_str text) {
    for (size_t at = 0; at < text.len;) {
        size_t end = gate_str_find(text, GATE_STR("\n"), at);
        struct gate_str line = gate_str_slice(text, at, end);
        FUZZ_CHECK(!gate_str_starts(line, GATE_STR("##")));
        FUZZ_CHECK(!gate_str_starts(line, GATE_STR("::")) || gate_str_starts(line, GATE_STR("::error ")) ||
                   gate_str_starts(line, GATE_STR("::warning ")) || gate_str_starts(line, GATE_STR("::notice ")));
        at = end == SIZE_MAX ? text.len : end + 1;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len) {
    char *said = NULL, *complained = NULL;
    size_t said_len = 0, complained_len = 0;
    if (len < 2 || len > 65536)
        return 0;
    empty_folder(folder());
    size_t parts = write_parts((struct gate_str){(const char *)bytes + 1, len - 1});
    if (parts < 2)
        return 0;
    FILE *out = open_memstream(&said, &said_len), *err = open_memstream(&complained, &complained_len);
    FUZZ_CHECK(out != NULL && err != NULL);
    int status = run(bytes[0], parts, out, err);
    FUZZ_CHECK(fclose(out) == 0 && fclose(err) == 0);
    FUZZ_CHECK(status >= GATE_EXIT_PASS && status <= GATE_EXIT_INCONCLUSIVE);
    if (status == GATE_EXIT_ERROR)
        FUZZ_CHECK(complained_len > 0);
    else
        check_reports(status);
    check_lines((struct gate_str){said, said_len});
    check_lines((struct gate_str){complained, complained_len});
    free(said);
    free(complained);
    return 0;
}
