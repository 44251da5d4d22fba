/* SPDX-License-Identifier: MIT */
/*
 * From an event's fields to a letter: an alphabet at work. Letters are numbered in order of
 * first appearance; the same field values give their letter without being printed again.
 */
#ifndef KTAIL_WORDS_LETTERS_H
#define KTAIL_WORDS_LETTERS_H

#include <stddef.h>
#include <stdint.h>

#include "infer/words/alphabet/alphabet.h"

/* Letters are below this. */
#define KT_NO_LETTER UINT32_C(0x0fffffff)

enum kt_value_kind {
	KT_VALUE_UNSIGNED = 0,
	KT_VALUE_SIGNED,
	KT_VALUE_STRING,
};

/* The value of a field of an event. */
struct kt_value {
	enum kt_value_kind kind;
	uint64_t number;  /* in two's complement if signed */
	const char *text; /* Weak; of strings, NUL-ended */
};

typedef struct kt_letters kt_letters;

int kt_letters_new(kt_letters **out);

/* NULL is allowed. */
void kt_letters_free(kt_letters *letters);

/*
 * The letter that the rules give for an event whose fields (the slots of the rules) are
 * values[]. *letter is KT_NO_LETTER and *run KT_RUN_NONE where no rule matches or the one
 * that does says so. KT_E_MALFORMED if the letter holds control characters, is no valid
 * UTF-8, blank, or begins with '#'. O(rules of the event), expected.
 */
int kt_letters_eval(kt_letters *letters, const struct kt_event_rules *rules,
		    const struct kt_value *values, uint32_t *letter, enum kt_run *run);

/*
 * The letter of that name, which need not end in NUL. KT_E_MALFORMED as above. O(length),
 * expected.
 */
int kt_letters_intern(kt_letters *letters, const char *name, size_t length,
		      uint32_t *letter);

/* Number of distinct letters. */
size_t kt_letters_count(const kt_letters *letters);

/* The name of a letter, owned by `letters`. NULL if there is no such letter. */
const char *kt_letters_name(const kt_letters *letters, uint32_t letter);

/*
 * Whether every rule can be used with fields of these kinds: a number must not be compared
 * with a text, nor a text be printed in hexadecimal. KT_E_MALFORMED naming the alphabet's
 * line.
 */
int kt_letters_check_kinds(const kt_alphabet *alphabet, const struct kt_event_rules *rules,
			   const enum kt_value_kind *kinds);

#endif
