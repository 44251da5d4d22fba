/* SPDX-License-Identifier: MIT */
#include "infer/words/commands/method-letters.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

uint64_t kt_method_key(const struct kt_decoded *d)
{
	uint32_t offset = d->named ? d->info.offset : d->method.offset;

	return (uint64_t)d->class_number << 32 | (uint64_t)offset << 1 | 1;
}

static struct kt_method_letter *find(struct kt_method_letter *slots, size_t size,
				     uint64_t key)
{
	size_t i = (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (size - 1);

	while (slots[i].key && slots[i].key != key) {
		i = (i + 1) & (size - 1);
	}
	return &slots[i];
}

static int grow(struct kt_method_letters *c)
{
	size_t size = c->size ? 2 * c->size : 256;
	struct kt_method_letter *slots;

	if (2 * (c->n + 1) <= c->size) {
		return KT_OK;
	}
	slots = calloc(size, sizeof(*slots));
	if (!slots) {
		return kt_error(KT_E_MEMORY, "spell methods: out of memory");
	}
	for (size_t i = 0; i < c->size; i++) {
		if (c->slots[i].key) {
			*find(slots, size, c->slots[i].key) = c->slots[i];
		}
	}
	free(c->slots);
	c->slots = slots;
	c->size = size;
	return KT_OK;
}

/* Names of classes and methods are short words. */
static int spell(kt_letters *letters, const struct kt_decoded *d, uint32_t *letter)
{
	char class_[64];
	char name[192];
	int n;

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
	return kt_letters_intern(letters, name, (size_t)n, letter);
}

int kt_method_letter(struct kt_method_letters *c, kt_letters *letters, uint64_t key,
		     const struct kt_decoded *decoded, uint32_t *letter)
{
	struct kt_method_letter *slot;
	int code = grow(c);

	if (code) {
		return code;
	}
	slot = find(c->slots, c->size, key);
	if (slot->key) {
		*letter = slot->letter;
		return KT_OK;
	}
	code = spell(letters, decoded, letter);
	if (!code) {
		*slot = (struct kt_method_letter){key, *letter};
		c->n++;
	}
	return code;
}

void kt_method_letters_free(struct kt_method_letters *c)
{
	free(c->slots);
	memset(c, 0, sizeof(*c));
}
