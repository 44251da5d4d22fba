/* SPDX-License-Identifier: MIT */
/* Helpers of the tests of chains and of prefix trees; failures are CUnit assertions. */
#ifndef KTAIL_TESTS_INFER_RIG_H
#define KTAIL_TESTS_INFER_RIG_H

#include <stdint.h>

#include <ktail/ktail.h>

/* The caller owns the machine. */
struct kt_fsm *rig_infer(const kt_words *words, enum kt_machine machine, uint64_t k);

/*
 * Returns the machine of the strings (set_of_strings()), after comparing it with the
 * reference's. The caller owns it.
 */
struct kt_fsm *rig_infer_strings(enum kt_machine machine, uint64_t k, size_t n,
				 const char *const *strings);

/* The size, computed by hand, of the machine of n words. */
struct rig_row {
	const char *words[4];
	size_t n;
	uint64_t k;
	size_t states;
	size_t transitions;
};

void rig_check_rows(const struct rig_row *rows, size_t n, enum kt_machine machine);

void rig_check_transition(const struct kt_fsm *fsm, size_t i, uint32_t from,
			  const char *letter, uint32_t to, uint64_t count);

/* Appends a letter named by the number, in at least three digits. */
void rig_append_number(kt_words *words, uint32_t number);

#endif
