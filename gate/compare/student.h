/* SPDX-License-Identifier: Apache-2.0 */
/* Tails of the normal and of Student's t, and their inverses.
 * Neighbours: compare/stats.h, compare/evidence.h. */
#ifndef GATE_COMPARE_STUDENT_H
#define GATE_COMPARE_STUDENT_H

#include "gate/base/error.h"

/** Upper-tail probability of the standard normal, and its natural logarithm (finite far into the tail). */
double gate_normal_p(double z);
double gate_normal_log_p(double z);
/** z of an upper-tail probability, 0 < p < 1 (Wichura, AS 241). */
double gate_normal_z(double p);
/** The same of its natural logarithm, as far into the tail as that goes; -INFINITY from 0 on. */
double gate_normal_log_z(double log_p);

/** Upper tail of Student's t with `df` degrees (INFINITY: normal), by the incomplete beta (Lentz). */
double gate_student_p(double t, double df);
double gate_student_log_p(double t, double df);
/** The latter to a hundredth, without the incomplete beta: of 4 degrees and more and up to 40 deviations; else itself.
 */
double gate_student_log_p_near(double t, double df);
/** t of an upper-tail probability, 0 < p < 1, to 12 digits of p. Under a microsecond, so that nothing is kept. */
double gate_student_t(double p, double df);

#endif
