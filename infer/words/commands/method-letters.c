/* SPDX-License-Identifier: MIT */
#include "infer/words/commands/method-letters.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/try.h"

uint64_t kt_method_key(const struct kt_decoded *d)
{
	uint32_t offset = d->named ? d->info.offset : d->method.offset;

	return (uint64_t)d->class_number << 32 | (uint64_t)offset << 1 | 1;
}

int kt_method_letter(struct kt_method_letters *c, kt_letters *letters, uint64_t key,
		     const struct kt_decoded *d, uint32_t *letter)
{
	uint32_t hash = kt_hash_number(key);
	struct kt_hash_probe probe = kt_hash_probe(&c->by_key, hash);
	/* Names of classes and methods are short words. */
	char class_[64];
	char name[192];
	uint32_t i;
	int n;

	while (kt_hash_next(&c->by_key, &probe, &i)) {
		if (c->given[i].key == key) {
			*letter = c->given[i].letter;
			return KT_OK;
		}
	}
	if (d->class_) {
		snprintf(class_, sizeof(class_), "%s", kt_method_class_name(d->class_));
	} else {
		snprintf(class_, sizeof(class_), "0x%" PRIx32, d->class_number);
	}
	if (d->named) {
		n = snprintf(name, sizeof(name), "m:%s:%s", class_, d->info.name);
	} else {
		n = snprintf(name, sizeof(name), "m:%s:0x%" PRIx16, class_,
			     d->method.offset);
	}
	if (n < 0 || (size_t)n >= sizeof(name)) {
		return kt_error(KT_E_INTERNAL, "spell methods: a name is too long");
	}
	KT_TRY(kt_letters_intern(letters, name, (size_t)n, letter));
	KT_TRY(kt_array_reserve(&c->given, &c->capacity, c->n + 1));
	KT_TRY(kt_hash_add(&c->by_key, hash, c->n));
	c->given[c->n++] = (struct kt_method_letter){key, *letter};
	return KT_OK;
}

void kt_method_letters_free(struct kt_method_letters *c)
{
	free(c->given);
	kt_hash_free(&c->by_key);
	memset(c, 0, sizeof(*c));
}
