/* SPDX-License-Identifier: MIT */
/*
 * Makes a machine of the input and compares kt_measure() with the oracle. Then makes a
 * curve of the same input: the choice must be one of the curve's points, the plateaus must
 * be in order, and the texts must fit their buffers.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "infer/graph/say-choice.h"
#include "measure-oracle.h"

#define TRANSITIONS_MAX 64
#define POINTS_MAX      64
#define POINT_BYTES     6

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds, const char *what)
{
	if (!holds) {
		fprintf(stderr, "%s\n", what);
		abort();
	}
}

static int compare_froms(const void *a, const void *b)
{
	const struct kt_fsm_transition *s = a;
	const struct kt_fsm_transition *t = b;

	return (s->from > t->from) - (s->from < t->from);
}

static void fuzz_machine(const uint8_t *data, size_t size)
{
	struct kt_fsm_state states[ORACLE_STATES] = {0};
	struct kt_fsm_transition transitions[TRANSITIONS_MAX] = {0};
	char names[][12] = {"W:reg", "W:doorbell"};
	char *letters[] = {names[0], names[1]};
	struct kt_fsm fsm = {.states = states,
			     .transitions = transitions,
			     .letters = letters,
			     .n_letters = data[0] >> 7 ? 2 : 0};
	struct kt_measures expected;
	struct kt_measures m;

	fsm.n_states = 1 + data[0] % ORACLE_STATES;
	for (size_t i = 1; i + 1 < size && fsm.n_transitions < TRANSITIONS_MAX; i += 2) {
		struct kt_fsm_transition *t = &transitions[fsm.n_transitions++];

		t->from = (data[i] & 15) % (uint32_t)fsm.n_states;
		t->to = (data[i] >> 4) % (uint32_t)fsm.n_states;
		t->count = data[i + 1];
		t->letter = data[i + 1] % 3;
	}
	qsort(transitions, fsm.n_transitions, sizeof(*transitions), compare_froms);
	measure_slowly(&expected, &fsm);
	must(kt_measure(&m, &fsm) == KT_OK, "kt_measure");
	must(memcmp(&m, &expected, sizeof(m)) == 0, "measures differ");
}

static void fill_point(struct kt_curve_point *point, uint64_t k, const uint8_t *bytes)
{
	point->row.k = k;
	point->row.states = (uint64_t)bytes[0] << (bytes[5] & 7);
	point->row.transitions = (uint64_t)bytes[1] << (bytes[5] & 7);
	point->row.complex = bytes[2];
	point->measured = bytes[5] & 8;
	point->measures.components = bytes[5] >> 4;
	point->measures.cycles = bytes[3];
	point->measures.mixed = bytes[4];
	point->measures.letters = 255;
	point->measures.doorbells = bytes[4];
	point->measures.looping_doorbells = bytes[3] < bytes[4] ? bytes[3] : bytes[4];
}

static void check_curve(const struct kt_curve *curve)
{
	char text[KT_SAY_SIZE];
	size_t next = 0; /* the first point after the previous plateau */

	must(curve->choice.point < curve->n_points, "no point is chosen");
	kt_say_choice(text, curve);
	must(strlen(text) > 0 && strlen(text) < sizeof(text) - 1, "no room for the choice");
	for (size_t i = 0; i < curve->n_plateaus; i++) {
		const struct kt_plateau *p = &curve->plateaus[i];

		must(p->first >= next && p->last > p->first && p->last < curve->n_points,
		     "plateaus overlap");
		must(p->verdict == kt_curve_judge(curve, p->first), "a plateau's verdict");
		next = p->last + 1;
		kt_say_plateau(text, curve, p);
		must(strlen(text) < sizeof(text) - 1, "no room for a plateau");
	}
}

static void fuzz_curve(const uint8_t *data, size_t size)
{
	struct kt_curve_point points[POINTS_MAX] = {0};
	struct kt_curve curve = {.points = points, .words = 1, .letters = 255};
	uint64_t k = data[0];

	for (size_t i = 1; i + POINT_BYTES <= size && curve.n_points < POINTS_MAX;
	     i += POINT_BYTES) {
		fill_point(&points[curve.n_points++], k++, data + i);
	}
	if (curve.n_points > 0) {
		must(kt_plateaus_find(&curve) == KT_OK, "kt_plateaus_find");
		kt_curve_choose(&curve);
		check_curve(&curve);
	}
	free(curve.plateaus);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size > 0) {
		fuzz_machine(data, size);
		fuzz_curve(data, size);
	}
	return 0;
}
