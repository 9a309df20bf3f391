/* SPDX-License-Identifier: Apache-2.0 */
/* Tails and quantiles of the normal distribution and of Student's t. */
#ifndef GATE_COMPARE_STUDENT_H
#define GATE_COMPARE_STUDENT_H

/** Return the upper-tail probability of the standard normal, and its natural logarithm (finite far into the tail). */
double gate_normal_p(double z);

double gate_normal_log_p(double z);

/** Return z of an upper-tail probability, 0 < p < 1 (Wichura, AS 241). */
double gate_normal_z(double p);

/** Return z of the natural logarithm of an upper-tail probability, however small; -INFINITY for log_p >= 0. */
double gate_normal_log_z(double log_p);

/**
 * Return the natural logarithm of the upper-tail probability of Student's t with `df` degrees of freedom (INFINITY:
 * normal), by the incomplete beta function (Lentz).
 */
double gate_student_log_p(double t, double df);

/** Return gate_student_log_p to within 0.01, without the incomplete beta function. Exact if df < 4 or |t| > 40. */
double gate_student_log_p_near(double t, double df);

/** Return t of an upper-tail probability, 0 < p < 1, to 12 digits of p. Takes less than 1 µs, so it needs no cache. */
double gate_student_t(double p, double df);

#endif
