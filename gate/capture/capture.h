/* SPDX-License-Identifier: Apache-2.0 */
/* Rounds of profiles from live endpoints of both sides, into a folder with its manifest.
 * Pipeline: capture/capture_plan.h -> capture/capture.h -> the folder -> cli/manifest_dir.h */
#ifndef GATE_CAPTURE_CAPTURE_H
#define GATE_CAPTURE_CAPTURE_H

#include "gate/capture/capture_plan.h"
#include "gate/capture/manifest_file.h"

/** A folder in which rounds are taken. */
struct gate_capture {
    const struct gate_capture_plan *plan;
    struct gate_manifest manifest;
    struct gate_str builds[GATE_SIDES]; /* empty: not told so far */
    bool told_same_build;
    bool is_empty;     /* all that a round lacks is samples in a store */
    bool *is_left_out; /* of each slice of stores */
    bool *is_older;    /* of each source: its store knows only the older method */
    double deadline;   /* CLOCK_MONOTONIC, seconds: no round waits for longer; 0: none. May be set before each round */
    bool is_over;      /* a round failed since the deadline came */
    struct gate_arena *arena;
};

/**
 * Check the plan, begin the folder or go on in one that has runs of the same sources, and warm up. Nothing is asked of
 * a server yet.
 *
 * err   GATE_ERR_USAGE an address that is not of a kind, or named twice; GATE_ERR_INPUT a folder of other sources, or
 *       one that was judged while it was taken; what gate_manifest_file_begin says
 */
GATE_MUST_CHECK
bool gate_capture_begin(struct gate_capture *out, const struct gate_capture_plan *plan, struct gate_arena *arena,
                        struct gate_error *err);

/**
 * Take one round: every kind, one after another; of each, all addresses of both sides at the same time, the canary's
 * begun first in every other round. Of stores, a round is the first slice that is not whole, and what is missing of it;
 * one that is not over yet is waited for, and of slices that come, one that some store has no samples of is left out
 * with a note, three in a row at most: a canary comes up, or nobody asks it for a minute.
 * Each profile that arrives well is in the folder and its manifest at once, and stays
 * there when another one fails.
 *
 * err   the first failure, with its address; of one that the deadline ended, that the time is over
 */
GATE_MUST_CHECK bool gate_capture_round(struct gate_capture *capture, struct gate_error *err);

/** Let others write to the folder; whether gate_capture_begin was well or not. */
void gate_capture_end(struct gate_capture *capture);

/** Rounds that gate_capture_round can still take: of stores the slices that are not whole yet, else UINT32_MAX. */
uint32_t gate_capture_rounds_left(const struct gate_capture *capture);

/** Rounds of the folder that have a run of every kind and address. */
uint32_t gate_capture_whole_rounds(const struct gate_capture *capture);

#endif
