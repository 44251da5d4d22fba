/* SPDX-License-Identifier: MIT */
#include "infer/engine/intern.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/utf8.h"

#define SLOTS_MIN    64
#define NAMES_MAX    ((size_t)INT32_MAX)
#define MESSAGE_NAME 64 /* bytes of an overlong name that a message shows */

void kt_intern_clear(struct kt_intern *intern)
{
	for (size_t i = 0; i < intern->n_names; i++) {
		free(intern->names[i].text);
	}
	free(intern->names);
	free(intern->slots);
	*intern = (struct kt_intern){0};
}

static void occupy(uint32_t *slots, size_t n_slots, uint32_t hash, uint32_t number)
{
	size_t slot = hash & (n_slots - 1);

	while (slots[slot]) {
		slot = (slot + 1) & (n_slots - 1);
	}
	slots[slot] = number + 1;
}

/* Room for one more name, with a quarter of the slots left free. */
static int make_room(struct kt_intern *intern)
{
	size_t n_slots = intern->n_slots ? intern->n_slots * 2 : SLOTS_MIN;
	uint32_t *slots;
	int code = kt_array_reserve(&intern->names, &intern->names_capacity,
				    intern->n_names + 1);

	if (code || (intern->n_names + 1) * 4 <= intern->n_slots * 3) {
		return code;
	}
	slots = calloc(n_slots, sizeof(*slots));
	if (!slots) {
		return kt_error(KT_E_MEMORY, "add letter: out of memory");
	}
	for (size_t i = 0; i < intern->n_names; i++) {
		occupy(slots, n_slots, intern->names[i].hash, (uint32_t)i);
	}
	free(intern->slots);
	intern->slots = slots;
	intern->n_slots = n_slots;
	return KT_OK;
}

static int add_name(uint32_t *out, struct kt_intern *intern, const char *name,
		    size_t length, uint32_t hash)
{
	struct kt_name *added;
	int code;

	if (length == 0) {
		return kt_error(KT_E_MALFORMED, "add letter: it has no name");
	}
	if (!kt_utf8_is_printable(name, length)) {
		return kt_error(
			KT_E_MALFORMED,
			"add letter: its name is no UTF-8 or holds control characters");
	}
	if (length > UINT32_MAX - 1 || intern->n_names >= NAMES_MAX) {
		return kt_error(KT_E_MALFORMED, "add letter \"%.*s...\": %s", MESSAGE_NAME,
				name,
				length > UINT32_MAX - 1 ? "too long" : "too many letters");
	}
	code = make_room(intern);
	if (code) {
		return code;
	}
	added = &intern->names[intern->n_names];
	added->text = malloc(length + 1);
	if (!added->text) {
		return kt_error(KT_E_MEMORY, "add letter: out of memory");
	}
	memcpy(added->text, name, length);
	added->text[length] = '\0';
	added->length = (uint32_t)length;
	added->hash = hash;
	*out = (uint32_t)intern->n_names++;
	occupy(intern->slots, intern->n_slots, hash, *out);
	return KT_OK;
}

int kt_intern_name(uint32_t *out, struct kt_intern *intern, const char *name, size_t length)
{
	uint32_t hash = (uint32_t)XXH3_64bits(name, length);
	size_t mask = intern->n_slots - 1;

	if (!intern->n_slots) {
		return add_name(out, intern, name, length, hash);
	}
	for (size_t slot = hash & mask; intern->slots[slot]; slot = (slot + 1) & mask) {
		uint32_t number = intern->slots[slot] - 1;
		const struct kt_name *known = &intern->names[number];

		if (known->hash == hash && known->length == length &&
		    memcmp(known->text, name, length) == 0) {
			*out = number;
			return KT_OK;
		}
	}
	return add_name(out, intern, name, length, hash);
}
