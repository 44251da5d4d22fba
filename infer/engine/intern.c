/* SPDX-License-Identifier: MIT */
#include "infer/engine/intern.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/try.h"
#include "base/utf8.h"

#define NAMES_MAX    ((size_t)INT32_MAX)
#define MESSAGE_NAME 64 /* bytes of an overlong name that a message shows */

void kt_intern_clear(struct kt_intern *intern)
{
	for (size_t i = 0; i < intern->n_names; i++) {
		free(intern->names[i].text);
	}
	free(intern->names);
	kt_hash_free(&intern->index);
	*intern = (struct kt_intern){0};
}

int kt_intern_name(uint32_t *out, struct kt_intern *intern, const char *name, size_t length)
{
	uint32_t hash = (uint32_t)XXH3_64bits(name, length);
	struct kt_hash_probe probe = kt_hash_probe(&intern->index, hash);
	struct kt_name *added;
	uint32_t number;

	while (kt_hash_next(&intern->index, &probe, &number)) {
		const struct kt_name *known = &intern->names[number];

		if (known->length == length && memcmp(known->text, name, length) == 0) {
			*out = number;
			return KT_OK;
		}
	}
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
	KT_TRY(kt_array_reserve(&intern->names, &intern->names_capacity,
				intern->n_names + 1));
	if (kt_hash_reserve(&intern->index, intern->n_names + 1)) {
		return kt_no_memory("add letter");
	}
	added = &intern->names[intern->n_names];
	added->text = malloc(length + 1);
	if (!added->text) {
		return kt_no_memory("add letter");
	}
	memcpy(added->text, name, length);
	added->text[length] = '\0';
	added->length = (uint32_t)length;
	*out = (uint32_t)intern->n_names++;
	kt_hash_put(&intern->index, hash, *out);
	return KT_OK;
}
