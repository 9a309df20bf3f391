/* SPDX-License-Identifier: Apache-2.0 */
/* How a revision is tried, as the rules file's section `try` says it.
 * Pipeline: rules/rules_try.h -> rules/try_rules.h -> trial/try_plan.h */
#ifndef GATE_RULES_TRY_RULES_H
#define GATE_RULES_TRY_RULES_H

#include "gate/base/str.h"

struct gate_regex;

/** What fills in the commands that a section does not give. */
enum gate_try_preset {
    GATE_TRY_COMMAND, /* nothing: the section gives them */
    GATE_TRY_GO_BENCH,
    GATE_TRY_GO_SERVER,
    GATE_TRY_NODE,
    GATE_TRY_PY_SPY
};

/** Their names, NULL-terminated. */
extern const char *const gate_try_preset_words[];

/** What a section has unless it says otherwise. */
enum { GATE_TRY_ROUNDS = 10, GATE_TRY_ROUNDS_MAX = 64, GATE_TRY_TIMEOUT_SECONDS = 600 };

/** One variable of `try.env`. */
struct gate_try_variable {
    struct gate_str name, value;
};

/** The section; zeroed: not given. Texts are empty and numbers 0 where a key is not given. */
struct gate_try_rules {
    bool is_given;
    uint32_t line, column;            /* of the section, in the file that last said something in it */
    uint32_t preset;                  /* enum gate_try_preset */
    struct gate_str build, run, load; /* of `sh -c` */
    struct gate_str profile;          /* a path or glob that `run` writes, or a URL to take it from while `run` goes */
    struct gate_str ready;            /* a URL, or HOST:PORT, to wait for */
    struct gate_str bench;            /* go-bench: which benchmarks, as `go test -bench` takes it */
    struct gate_str package;          /* go-bench, go-server: of which package */
    struct gate_str script;           /* node, py-spy: what is run, with its arguments */
    double work;                      /* of one run, where it is always the same */
    struct gate_str work_text;        /* a pattern with one group, over what the run prints */
    const struct gate_regex *work_regex; /* the same, compiled; freed with the rules */
    double seconds;                      /* how long one profile is taken */
    double rounds;                       /* at most; whole */
    double timeout;                      /* seconds, of one command */
    struct gate_try_variable *env;
    uint32_t env_count;
};

/** Whether `profile` is to be fetched from a server: "http://..." or "https://...". */
bool gate_try_rules_is_url(struct gate_str profile);

#endif
