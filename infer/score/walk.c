/* SPDX-License-Identifier: MIT */
#include "infer/score/walk.h"

#include "infer/score/random.h"

#define NOWHERE UINT32_MAX

/* The machine's transition of a state and a joint letter, SIZE_MAX if it has none. */
static size_t find(const struct kt_joint_machine *machine, uint32_t state, uint32_t letter)
{
	size_t begin = machine->first[state];
	size_t end = machine->first[state + (size_t)1];

	while (begin < end) {
		size_t middle = begin + (end - begin) / 2;
		uint32_t found = kt_joint_letter(machine, middle);

		if (found == letter) {
			return middle;
		}
		if (found < letter) {
			begin = middle + 1;
		} else {
			end = middle;
		}
	}
	return SIZE_MAX;
}

/* Whether the same letters can follow a state of each machine. */
static bool is_exact(const struct kt_joint_machine *a, uint32_t state,
		     const struct kt_joint_machine *b, uint32_t other)
{
	size_t i = a->first[state];
	size_t j = b->first[other];
	size_t n = a->first[state + (size_t)1] - i;

	if (b->first[other + (size_t)1] - j != n) {
		return false;
	}
	for (; n > 0; n--) {
		if (kt_joint_letter(a, i++) != kt_joint_letter(b, j++)) {
			return false;
		}
	}
	return true;
}

/* One of n transitions t; its index. */
static size_t choose(const struct kt_fsm_transition *t, size_t n,
		     enum kt_score_choice choice, struct kt_random *random)
{
	uint64_t sum = 0; /* stays 0 where no transition was ever taken */
	uint64_t left;
	size_t i = 0;

	for (size_t j = 0; choice == KT_SCORE_COUNTS && j < n; j++) {
		sum += t[j].count;
	}
	if (!sum) {
		return n == 1 ? 0 : (size_t)kt_random_below(random, n);
	}
	left = kt_random_below(random, sum);
	while (left >= t[i].count) {
		left -= t[i++].count;
	}
	return i;
}

void kt_walk_tally(struct kt_walk_tally *out, const struct kt_joint *joint, int side,
		   const struct kt_score_options *options)
{
	const struct kt_joint_machine *from = &joint->side[side];
	const struct kt_joint_machine *in = &joint->side[!side];

	*out = (struct kt_walk_tally){0};
	for (uint64_t i = 0; i < options->walks; i++) {
		struct kt_random random = kt_random_stream(options->seed, i);
		uint32_t state = from->fsm->start;
		uint32_t there = in->fsm->start;
		uint64_t length = 0;

		for (;; length++) {
			size_t t = from->first[state];
			size_t n = from->first[state + (size_t)1] - t;

			out->exact += there != NOWHERE && is_exact(from, state, in, there);
			if (n == 0 || length == options->length) {
				out->stuck += length < options->length;
				break;
			}
			t += choose(from->fsm->transitions + t, n, options->choice,
				    &random);
			state = from->fsm->transitions[t].to;
			if (there != NOWHERE) {
				size_t u = find(in, there, kt_joint_letter(from, t));

				there = u == SIZE_MAX ? NOWHERE
						      : in->fsm->transitions[u].to;
				out->fitting += there != NOWHERE;
			}
		}
		out->letters += length;
		out->positions += length + 1;
		out->accepted += there != NOWHERE;
	}
}
