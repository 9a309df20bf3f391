/* SPDX-License-Identifier: Apache-2.0 */
/* `pprofgate check` with all reports, for arbitrary baselines, canaries and rules. The exit status must agree with
 * the outcome in the JSON report, and other parsers must be able to read the JSON and XML reports. After the first
 * byte (options), the input has two to five parts, separated by "\n%%\n": baseline, canary, rules (empty:
 * `recommended`), second run of the baseline, second run of the canary. Corpus: tests/fuzz/corpus/check. */
#include "gate/budget/outcome.h"
#include "gate/cli/command.h"
#include "tests/fuzz/fuzz_folder.h"

#include <jansson.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef FUZZ_HAS_LIBXML
#include <libxml/parser.h>
#endif

enum { PARTS = 5, WORDS_MAX = 64 };

static const char *const part_names[PARTS] = {"baseline-1", "canary-1", "rules.yml", "baseline-2", "canary-2"};

/* Options of a run, by the bits of the input's first byte. */
enum { WITH_WORK = 2, EXACT_NAMES = 4, BY_LINE = 8, NARROW = 16, WHERE = 32 };

/* Write the parts as files, and return their number. Empty rules are not written. */
static size_t write_parts(struct gate_str rest) {
    char file_path[FUZZ_PATH_MAX];
    size_t count = fuzz_write_parts(rest, part_names, PARTS);
    struct stat stat_of;
    if (count > 2 && stat(fuzz_in_folder(file_path, part_names[2]), &stat_of) == 0 && stat_of.st_size == 0)
        FUZZ_CHECK(unlink(file_path) == 0);
    return count;
}

/* Return the bytes of a file, terminated by NUL, or NULL if it does not exist. The caller frees them. */
static char *read_file(const char *name, size_t *len) {
    char file_path[FUZZ_PATH_MAX];
    FILE *file = fopen(fuzz_in_folder(file_path, name), "rb");
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

/* Return the root of a JSON report, which must exist. */
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

/* Return the exit status that belongs to the outcome in the JSON report. */
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

/* on_inconclusive in the rules may change the exit status of an inconclusive run. The outcome in the JSON report
 * stays inconclusive. */
static void check_reports(int status) {
    int told = status_of_json();
    FUZZ_CHECK(told == status || told == GATE_EXIT_INCONCLUSIVE);
    check_xml("report/junit.xml");
    check_xml("report/flamegraph.svg");
    check_page();
    json_decref(read_json("quality.json"));
    json_decref(read_json("code.sarif"));
    json_decref(read_json("speedscope.json"));
}

static int run(unsigned ways, size_t parts, FILE *out, FILE *err) {
    static char paths[11][FUZZ_PATH_MAX];
    const char *argv[WORDS_MAX];
    int argc = 0;
#define WORD(word) (argv[argc++] = (word))
    WORD("pprofgate"), WORD("check"), WORD("--max-memory"), WORD("64M"), WORD("--max-size"), WORD("4M");
    WORD("--report"), WORD(fuzz_in_folder(paths[0], "report")), WORD("--speedscope"),
        WORD(fuzz_in_folder(paths[1], "speedscope.json"));
    WORD("--sarif"), WORD(fuzz_in_folder(paths[10], "code.sarif"));
    WORD("--gitlab-codequality"), WORD(fuzz_in_folder(paths[2], "quality.json")), WORD("--folded"),
        WORD(fuzz_in_folder(paths[3], "folded"));
    WORD("--openmetrics"), WORD(fuzz_in_folder(paths[4], "metrics")), WORD("--pprof-diff"),
        WORD(fuzz_in_folder(paths[5], "diff.pb.gz"));
    WORD("--github-annotations"), WORD("always");
    if (parts > 2 && access(fuzz_in_folder(paths[6], part_names[2]), R_OK) == 0)
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
    WORD("--baseline"), WORD(fuzz_in_folder(paths[7], part_names[0]));
    if (parts > 3)
        WORD(fuzz_in_folder(paths[8], part_names[3]));
    WORD("--canary"), WORD(fuzz_in_folder(paths[9], part_names[1]));
    static char last[FUZZ_PATH_MAX];
    if (parts > 4)
        WORD(fuzz_in_folder(last, part_names[4]));
#undef WORD
    return gate_run(argc, argv, fuzz_input(), out, err);
}

/* No output line may be a command for the CI system, except pprofgate's own annotations. */
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
    fuzz_folder_empty(fuzz_folder());
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
