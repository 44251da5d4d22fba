/* SPDX-License-Identifier: MIT */
#include "infer/words/alphabet/letters.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/hash-index.h"
#include "base/try.h"
#include "base/utf8.h"

#define KEY_WORDS    32
#define LATEST_WORDS 5

/* Maps byte strings to letters. */
struct table {
	struct entry {
		uint32_t key; /* offset in table.keys */
		uint32_t length;
		uint32_t letter;
	} * entries;
	size_t n;
	size_t capacity;
	struct kt_hash_index by_key; /* indices of entries, by the hash of their keys */
	char *keys;
	size_t keys_length;
	size_t keys_capacity;
};

/* The latest key and letter of a rule. */
struct latest {
	uint32_t n; /* length of the key in 64-bit units; 0: no letter yet */
	uint32_t letter;
	uint64_t key[LATEST_WORDS];
};

struct kt_letters {
	struct latest *latest; /* by rule id */
	size_t n_latest;
	size_t latest_capacity;
	struct table by_name;   /* entry i is letter i */
	struct table by_values; /* keys from make_key() */
};

/* --- from byte strings to letters --- */

static uint32_t hash_bytes(const char *data, size_t length)
{
	uint64_t hash = length * UINT64_C(0x9e3779b97f4a7c15);

	while (length >= 8) {
		uint64_t chunk;

		memcpy(&chunk, data, 8);
		hash = (hash ^ chunk) * UINT64_C(0xff51afd7ed558ccd);
		hash ^= hash >> 32;
		data += 8;
		length -= 8;
	}
	for (; length > 0; length--, data++) {
		hash = (hash ^ (unsigned char)*data) * UINT64_C(0x100000001b3);
	}
	hash = (hash ^ hash >> 29) * UINT64_C(0xc4ceb9fe1a85ec53);
	return (uint32_t)(hash ^ hash >> 32);
}

/* Returns NULL if the key is not in the table. */
static const struct entry *table_find(const struct table *t, uint32_t hash, const void *key,
				      size_t length)
{
	struct kt_hash_probe probe = kt_hash_probe(&t->by_key, hash);
	uint32_t i;

	while (kt_hash_next(&t->by_key, &probe, &i)) {
		const struct entry *e = &t->entries[i];

		if (e->length == length && memcmp(t->keys + e->key, key, length) == 0) {
			return e;
		}
	}
	return NULL;
}

/* Stores the key with a terminating NUL, so that kt_letters_name() can return it. */
static int table_add(struct table *t, uint32_t hash, const void *key, size_t length,
		     uint32_t letter)
{
	KT_TRY(kt_array_reserve(&t->keys, &t->keys_capacity, t->keys_length + length + 1));
	if (t->keys_length + length >= UINT32_MAX) {
		return kt_error(KT_E_MEMORY, "number letters: more than 4 GiB of names");
	}
	KT_TRY(kt_array_reserve(&t->entries, &t->capacity, t->n + 1));
	KT_TRY(kt_hash_add(&t->by_key, hash, t->n));
	t->entries[t->n++] =
		(struct entry){(uint32_t)t->keys_length, (uint32_t)length, letter};
	memcpy(t->keys + t->keys_length, key, length);
	t->keys[t->keys_length + length] = '\0';
	t->keys_length += length + 1;
	return KT_OK;
}

static void table_free(struct table *t)
{
	kt_hash_free(&t->by_key);
	free(t->entries);
	free(t->keys);
}

/* --- letters --- */

int kt_letters_new(kt_letters **out)
{
	*out = calloc(1, sizeof(**out));
	if (!*out) {
		return kt_no_memory("number letters");
	}
	return KT_OK;
}

void kt_letters_free(kt_letters *letters)
{
	if (!letters) {
		return;
	}
	table_free(&letters->by_name);
	table_free(&letters->by_values);
	free(letters->latest);
	free(letters);
}

size_t kt_letters_count(const kt_letters *letters)
{
	return letters->by_name.n;
}

const char *kt_letters_name(const kt_letters *letters, uint32_t letter)
{
	const struct table *t = &letters->by_name;

	return letter < t->n ? t->keys + t->entries[letter].key : NULL;
}

int kt_letters_intern(kt_letters *letters, const char *name, size_t length,
		      uint32_t *letter)
{
	uint32_t hash = hash_bytes(name, length);
	const struct entry *e = table_find(&letters->by_name, hash, name, length);

	if (e) {
		*letter = e->letter;
		return KT_OK;
	}
	if (length == 0 || strspn(name, " ") >= length || name[0] == '#' ||
	    !kt_utf8_is_printable(name, length)) {
		return kt_error(KT_E_MALFORMED,
				"make letter: it is blank, begins with '#', contains "
				"control characters or is not valid UTF-8");
	}
	if (letters->by_name.n == KT_NO_LETTER) {
		return kt_error(KT_E_MEMORY, "make letter: too many distinct letters");
	}
	*letter = (uint32_t)letters->by_name.n;
	return table_add(&letters->by_name, hash, name, length, *letter);
}

/* --- rules --- */

static const struct kt_rule *match(const struct kt_event_rules *rules,
				   const struct kt_value *values)
{
	for (size_t i = 0; i < rules->n_rules; i++) {
		const struct kt_rule *rule = &rules->rules[i];
		bool holds = true;

		for (size_t j = 0; j < rule->n_conditions && holds; j++) {
			const struct kt_condition *c = &rule->conditions[j];
			const struct kt_value *v = &values[c->slot];
			bool equal;

			if (v->kind == KT_VALUE_STRING) {
				equal = v->text[0] == c->text[0] &&
					strcmp(v->text, c->text) == 0;
			} else {
				bool negative = v->kind == KT_VALUE_SIGNED &&
						(int64_t)v->number < 0;

				equal = c->is_number && c->number == v->number &&
					c->negative == negative;
			}
			holds = equal != c->unequal;
		}
		if (holds) {
			return rule;
		}
	}
	return NULL;
}

/* Appends a string with its NUL to the key; false if they do not fit. */
static bool pack_string(uint64_t *key, size_t *n, const char *text)
{
	unsigned char c;

	do {
		uint64_t word = 0;
		unsigned shift = 0;

		if (*n == KEY_WORDS) {
			return false;
		}
		do {
			c = (unsigned char)*text++;
			word |= (uint64_t)c << shift;
			shift += 8;
		} while (c && shift < 64);
		key[(*n)++] = word;
	} while (c);
	return true;
}

/*
 * Makes a key from the rule and the raw values that its letter contains. Returns the length
 * of the key in 64-bit units; 0 if the key is too long. Different letters have different
 * keys, because the kinds of the values come first and a string ends with its NUL. Only
 * whole 64-bit units are stored, because a 64-bit load of bytes that narrower stores have
 * just written is slow.
 */
static size_t make_key(uint64_t *key, const struct kt_rule *rule,
		       const struct kt_value *values)
{
	uint32_t kinds = 0;
	size_t n = 1;

	for (size_t i = 0; i < rule->n_parts; i++) {
		const struct kt_value *v = &values[rule->parts[i].slot];

		if (rule->parts[i].literal) {
			continue;
		}
		kinds = kinds * 3 + v->kind;
		if (v->kind == KT_VALUE_STRING) {
			if (!pack_string(key, &n, v->text)) {
				return 0;
			}
		} else if (n < KEY_WORDS) {
			key[n++] = v->number;
		} else {
			return 0;
		}
	}
	key[0] = rule->id | (uint64_t)kinds << 32;
	return n;
}

static bool same_key(const uint64_t *a, const uint64_t *b, size_t n)
{
	uint64_t differ = 0;

	for (size_t i = 0; i < n; i++) {
		differ |= a[i] ^ b[i];
	}
	return differ == 0;
}

static int make_letter(kt_letters *letters, const struct kt_rule *rule,
		       const struct kt_value *values, uint32_t *letter)
{
	char *text = NULL;
	size_t length = 0;
	FILE *out = open_memstream(&text, &length);
	int code;

	if (!out) {
		return kt_error_errno(KT_E_MEMORY, "make letter");
	}
	for (size_t i = 0; i < rule->n_parts; i++) {
		const struct kt_part *part = &rule->parts[i];
		const struct kt_value *v = &values[part->slot];

		if (part->literal) {
			fputs(part->literal, out);
		} else if (v->kind == KT_VALUE_STRING) {
			fputs(v->text, out);
		} else if (part->hex) {
			fprintf(out, "0x%llx", (unsigned long long)v->number);
		} else if (v->kind == KT_VALUE_SIGNED) {
			fprintf(out, "%lld", (long long)(int64_t)v->number);
		} else {
			fprintf(out, "%llu", (unsigned long long)v->number);
		}
	}
	code = fclose(out) == 0 ? kt_letters_intern(letters, text, length, letter)
				: kt_error_errno(KT_E_MEMORY, "make letter");
	free(text);
	return code;
}

int kt_letters_eval(kt_letters *letters, const struct kt_event_rules *rules,
		    const struct kt_value *values, uint32_t *letter, enum kt_run *run)
{
	const struct kt_rule *rule = match(rules, values);
	uint64_t key[KEY_WORDS];
	const struct entry *e;
	struct latest *latest;
	uint32_t hash;
	size_t n;

	*letter = KT_NO_LETTER;
	*run = KT_RUN_NONE;
	if (!rule || rule->n_parts == 0) {
		return KT_OK;
	}
	*run = rule->run;
	n = make_key(key, rule, values);
	if (n == 0) {
		return make_letter(letters, rule, values, letter);
	}
	if (rule->id < letters->n_latest) {
		latest = &letters->latest[rule->id];
		if (latest->n == n && same_key(latest->key, key, n)) {
			*letter = latest->letter;
			return KT_OK;
		}
	}
	hash = hash_bytes((const char *)key, 8 * n);
	e = table_find(&letters->by_values, hash, key, 8 * n);
	if (e) {
		*letter = e->letter;
	} else {
		int code = make_letter(letters, rule, values, letter);

		if (!code) {
			code = table_add(&letters->by_values, hash, key, 8 * n, *letter);
		}
		if (code) {
			return kt_error_prepend(code, "event %s", rules->event);
		}
	}
	KT_TRY(kt_array_reserve(&letters->latest, &letters->latest_capacity,
				(size_t)rule->id + 1));
	while (letters->n_latest <= rule->id) {
		letters->latest[letters->n_latest++].n = 0;
	}
	if (n <= LATEST_WORDS) {
		latest = &letters->latest[rule->id];
		latest->n = (uint32_t)n;
		latest->letter = *letter;
		memcpy(latest->key, key, 8 * n);
	}
	return KT_OK;
}

int kt_letters_check_kinds(const kt_alphabet *alphabet, const struct kt_event_rules *rules,
			   const enum kt_value_kind *kinds)
{
	for (size_t i = 0; i < rules->n_rules; i++) {
		const struct kt_rule *rule = &rules->rules[i];

		for (size_t j = 0; j < rule->n_parts; j++) {
			const struct kt_part *part = &rule->parts[j];

			if (!part->literal && part->hex &&
			    kinds[part->slot] == KT_VALUE_STRING) {
				return kt_alphabet_error(
					alphabet, rule->line,
					"field %s of event %s is a string: {%s:x} is for "
					"numbers",
					rules->fields[part->slot], rules->event,
					rules->fields[part->slot]);
			}
		}
		for (size_t j = 0; j < rule->n_conditions; j++) {
			const struct kt_condition *c = &rule->conditions[j];

			if (kinds[c->slot] != KT_VALUE_STRING && !c->is_number) {
				return kt_alphabet_error(
					alphabet, rule->line,
					"field %s of event %s is a number, but '%s' is not",
					rules->fields[c->slot], rules->event, c->text);
			}
		}
	}
	if (rules->has_runs && kinds[rules->mapping] == KT_VALUE_STRING) {
		return kt_alphabet_error(alphabet, 0,
					 "runs of event %s: field mapping is not a number",
					 rules->event);
	}
	return KT_OK;
}
