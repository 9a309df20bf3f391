/* SPDX-License-Identifier: Apache-2.0 */
/* Why a profile was requested again. */
#ifndef GATE_CAPTURE_RETRIED_H
#define GATE_CAPTURE_RETRIED_H

/** The failure of the first attempt at a request that was repeated. */
enum gate_retried {
    GATE_RETRIED_NOT,   /* the first attempt succeeded, or it failed for another reason */
    GATE_RETRIED_BUSY,  /* the program was taking another CPU profile */
    GATE_RETRIED_CUT,   /* the connection broke before the answer was complete */
    GATE_RETRIED_DOWN,  /* no connection, or a proxy found no program behind it (HTTP 502, 503, 504) */
    GATE_RETRIED_VALUES /* number of values */
};

/** The words in manifest.json; the first is empty. */
extern const char *const gate_retried_words[GATE_RETRIED_VALUES];

#endif
