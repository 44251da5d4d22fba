/* SPDX-License-Identifier: MIT */
/* Measures of a machine from all shortest paths: slow, and easy to verify. */
#ifndef KTAIL_TESTS_GRAPH_MEASURE_ORACLE_H
#define KTAIL_TESTS_GRAPH_MEASURE_ORACLE_H

#include "infer/graph/measure.h"

#define ORACLE_STATES 16

/* For machines of up to ORACLE_STATES states and with letters below 64. */
void measure_slowly(struct kt_measures *out, const struct kt_fsm *fsm);

#endif
