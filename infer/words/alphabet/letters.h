/* SPDX-License-Identifier: MIT */
/*
 * Maps the fields of an event to a letter. Letters are numbered in order of first
 * appearance. If the same field values have come before, their letter is looked up instead
 * of formatted again.
 */
#ifndef KTAIL_WORDS_LETTERS_H
#define KTAIL_WORDS_LETTERS_H

#include <stddef.h>
#include <stdint.h>

#include "infer/words/alphabet/alphabet.h"

/* Stands for "no letter"; all letters are below this number. */
#define KT_NO_LETTER UINT32_C(0x03ffffff)

enum kt_value_kind {
	KT_VALUE_UNSIGNED = 0,
	KT_VALUE_SIGNED,
	KT_VALUE_STRING,
};

/* The value of an event's field. */
struct kt_value {
	enum kt_value_kind kind;
	uint64_t number;  /* in two's complement if signed */
	const char *text; /* Weak; NUL-terminated; only for strings */
};

typedef struct kt_letters kt_letters;

int kt_letters_new(kt_letters **out);

/* `letters` may be NULL. */
void kt_letters_free(kt_letters *letters);

/*
 * Evaluates the rules for an event; values[] holds the fields of the event by slot. *letter
 * is KT_NO_LETTER and *run KT_RUN_NONE if no rule matches or the matching rule gives no
 * letter. KT_E_MALFORMED if the letter contains control characters, is not valid UTF-8, is
 * blank, or begins with '#'. Expected O(rules of the event).
 */
int kt_letters_eval(kt_letters *letters, const struct kt_event_rules *rules,
		    const struct kt_value *values, uint32_t *letter, enum kt_run *run);

/*
 * Finds or adds the letter name[0..length), which need not be NUL-terminated.
 * KT_E_MALFORMED as for kt_letters_eval(). Expected O(length).
 */
int kt_letters_intern(kt_letters *letters, const char *name, size_t length,
		      uint32_t *letter);

/* Returns the number of distinct letters. */
size_t kt_letters_count(const kt_letters *letters);

/* Returns the name of a letter, owned by `letters`, or NULL if there is no such letter. */
const char *kt_letters_name(const kt_letters *letters, uint32_t letter);

/*
 * Checks the rules against kinds[], the kinds of the event's fields by slot.
 * KT_E_MALFORMED, naming the alphabet's line, if a rule compares a number with a text or
 * prints a text in hexadecimal. KT_E_MALFORMED, without a line, if the rules have runs but
 * the field `mapping` is a text.
 */
int kt_letters_check_kinds(const kt_alphabet *alphabet, const struct kt_event_rules *rules,
			   const enum kt_value_kind *kinds);

#endif
