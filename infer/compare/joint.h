/* SPDX-License-Identifier: MIT */
/*
 * Two machines over one alphabet, the basis of all comparisons of machines. Letters are
 * compared by name, and numbered in byte order of the names.
 */
#ifndef KTAIL_ENGINE_JOINT_H
#define KTAIL_ENGINE_JOINT_H

#include <ktail/fsm.h>

#include "base/order.h"

struct kt_joint_machine {
	const struct kt_fsm *fsm; /* Weak */
	size_t *first; /* Owned by this: state s has transitions first[s] to first[s + 1] -
			* 1 */
	/* Owned by this: for each letter of the machine, its number in the joint */
	uint32_t *letter;
};

struct kt_joint {
	struct kt_joint_machine machine[2]; /* old, new */
	const char **letters; /* Owned by this; the strings belong to the machines */
	size_t n_letters;
};

/*
 * Both machines must outlive the joint. KT_E_USAGE if a machine has no states, a value out
 * of range, letters or transitions that are not sorted, or two transitions of a state with
 * the same letter. On failure *out needs no kt_joint_clear(). O(sizes).
 */
int kt_joint_init(struct kt_joint *out, const struct kt_fsm *old, const struct kt_fsm *new);

/* Does nothing if *joint is zeroed. */
void kt_joint_clear(struct kt_joint *joint);

/* Returns the joint number of a transition's letter. */
static inline uint32_t kt_joint_letter(const struct kt_joint_machine *machine,
				       size_t transition)
{
	return machine->letter[machine->fsm->transitions[transition].letter];
}

/*
 * Walks the transitions of two states in parallel, in order of letters. Each step has a
 * letter and, for each machine, the transition with that letter.
 */
struct kt_joint_step {
	size_t at[2];    /* by machine: index of the next transition */
	size_t end[2];   /* by machine: index one past the last transition */
	size_t taken[2]; /* by machine: the transition with `letter`, or SIZE_MAX */
	uint32_t letter;
};

static inline struct kt_joint_step kt_joint_begin(const struct kt_joint *joint,
						  uint32_t old, uint32_t new)
{
	const size_t *first[2] = {joint->machine[0].first, joint->machine[1].first};

	return (struct kt_joint_step){
		.at = {first[0][old], first[1][new]},
		.end = {first[0][old + (size_t)1], first[1][new + (size_t)1]}};
}

/* Advances to the next letter. Returns false after the last one. */
static inline bool kt_joint_next(const struct kt_joint *joint, struct kt_joint_step *step)
{
	uint32_t letter[2] = {UINT32_MAX, UINT32_MAX};

	for (int s = 0; s < 2; s++) {
		if (step->at[s] < step->end[s]) {
			letter[s] = kt_joint_letter(&joint->machine[s], step->at[s]);
		}
	}
	step->letter = letter[0] < letter[1] ? letter[0] : letter[1];
	for (int s = 0; s < 2; s++) {
		bool takes = letter[s] == step->letter;

		step->taken[s] = takes ? step->at[s] : SIZE_MAX;
		step->at[s] += takes;
	}
	return step->letter != UINT32_MAX;
}

/* Returns the state that a transition leads to. */
static inline uint32_t kt_joint_target(const struct kt_joint *joint, int version,
				       size_t transition)
{
	return joint->machine[version].fsm->transitions[transition].to;
}

/*
 * Writes the states that the step's letter leads to in both machines. Returns false if one
 * of the machines has no transition with the letter.
 */
static inline bool kt_joint_both(const struct kt_joint *joint,
				 const struct kt_joint_step *step, uint32_t to[2])
{
	if (step->taken[0] == SIZE_MAX || step->taken[1] == SIZE_MAX) {
		return false;
	}
	to[0] = kt_joint_target(joint, 0, step->taken[0]);
	to[1] = kt_joint_target(joint, 1, step->taken[1]);
	return true;
}

/*
 * Groups the transitions of a machine by target state; each group is sorted by letter, then
 * by source state. KT_E_USAGE if there are 2^32 transitions or more. On failure *out needs
 * no clearing. O(size).
 */
int kt_arrivals_init(struct kt_groups *out, const struct kt_fsm *fsm);

#endif
