/* SPDX-License-Identifier: MIT */
#include "infer/graph/measure.h"

#include <ktail/status.h>

#include "infer/graph/components.h"
#include "infer/graph/kinds.h"
#include "infer/graph/loops.h"
#include "infer/graph/shortest-cycle.h"

static void count_loops(struct kt_measures *out, const struct kt_fsm *fsm)
{
	struct kt_loops loops;

	kt_loops_count(&loops, fsm);
	out->letters = loops.letters;
	out->self_loops = loops.self_loops;
	out->mixed = loops.mixed;
}

static void count_cycles(struct kt_measures *out, const struct kt_fsm *fsm,
			 const struct kt_components *components)
{
	for (size_t i = 0; i < components->n; i++) {
		uint32_t size = components->size[i];

		out->components += size > 1;
		out->cycle_states += size > 1 ? size : 0;
	}
	for (size_t i = 0; i < fsm->n_transitions; i++) {
		if (kt_components_hold(components, &fsm->transitions[i])) {
			out->cycles += fsm->transitions[i].count;
		}
	}
}

static int count_kinds(struct kt_measures *out, const struct kt_fsm *fsm,
		       const struct kt_components *components)
{
	struct kt_kinds kinds;
	int code = kt_kinds_count(&kinds, fsm, components);

	out->kinds = kinds.repeated;
	out->kinds_in_cycles = kinds.cycles;
	return code;
}

int kt_measure(struct kt_measures *out, const struct kt_fsm *fsm)
{
	struct kt_components components;
	int code = kt_components_find(&components, fsm);

	*out = (struct kt_measures){0};
	if (code) {
		return code;
	}
	count_loops(out, fsm);
	count_cycles(out, fsm, &components);
	code = count_kinds(out, fsm, &components);
	code = code ? code : kt_shortest_cycle(&out->shortest_cycle, fsm, &components);
	kt_components_clear(&components);
	return code;
}
