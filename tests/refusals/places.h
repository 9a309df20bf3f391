/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses the request of a run that is refused: each place that makes a request is refused once. A place is a call with
 * all its callers, so each place has its own way back from the error. $REFUSALS_DEPTH limits the number of callers, for
 * runs that take long. With $REFUSALS_WITHIN, only requests below one function are refused. *_requests.c -> places.c ->
 * refusals.c */
#ifndef TESTS_PLACES_H
#define TESTS_PLACES_H

#include <stdbool.h>
#include <stddef.h>

/** Whether the program can go on without some requests, so that a report may contain less. */
extern const bool places_may_differ;

/** Refuse one request from now on: the first from a place that was not refused before. Requests on the descriptor
 * `spared`, to which error messages are written, are never refused. */
void places_begin(int spared);

/** Return whether requests on `descriptor` are never refused. */
bool places_spares(int descriptor);

/** While `is_on`, refuse no request of this thread. */
void places_pause(bool is_on);

/** Stop refusing. Returns whether a request was refused. */
bool places_end(void);

/** Return the number of places refused so far. */
size_t places_count(void);

/** Print the callers of the last refused request. */
void places_show(void);

/** Return whether a function whose name begins with `name`, and that is not static, was a caller of the last refused
 * request. */
bool places_passed(const char *name);

/**
 * Return whether the function that begins at `start`, which may be static, was a caller of the last refused request.
 */
bool places_passed_through(const void *start);

/** Return whether to refuse the request made to this function's caller, whose frame is `frame`. */
bool places_refuse(void *const *frame);

#define PLACES_REFUSE() places_refuse(__builtin_frame_address(0))

#endif
