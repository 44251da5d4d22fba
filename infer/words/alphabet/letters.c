/* SPDX-License-Identifier: MIT */
#include "infer/words/alphabet/letters.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/utf8.h"

#define KEY_WORDS    32
#define LATEST_WORDS 5

/* Open addressing over byte strings, at most half full. */
struct table {
	struct entry {
		uint64_t hash;
		uint32_t key; /* offset into keys */
		uint32_t length;
		uint32_t letter;
		bool used;
	} * entries;
	size_t size; /* a power of two, or 0 */
	size_t n;
	char *keys;
	size_t keys_length;
	size_t keys_capacity;
};

/* What a rule gave last. */
struct latest {
	uint32_t n; /* words of the key; 0: nothing yet */
	uint32_t letter;
	uint64_t key[LATEST_WORDS];
};

struct kt_letters {
	struct latest *latest; /* by rule */
	size_t n_latest;
	size_t latest_capacity;
	struct table by_name;
	struct table by_values; /* a rule and its raw field values */
	uint32_t *names;        /* letter -> offset into by_name.keys */
	size_t n_names;
	size_t names_capacity;
};

/* --- byte strings to letters --- */

static uint64_t hash_bytes(const char *data, size_t length)
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
	return hash ^ hash >> 32;
}

static struct entry *table_find(const struct table *t, uint64_t hash, const char *key,
				size_t length)
{
	for (size_t i = hash & (t->size - 1);; i = (i + 1) & (t->size - 1)) {
		struct entry *e = &t->entries[i];

		if (!e->used || (e->hash == hash && e->length == length &&
				 memcmp(t->keys + e->key, key, length) == 0)) {
			return e;
		}
	}
}

static int table_grow(struct table *t)
{
	size_t size = t->size ? t->size * 2 : 256;
	struct entry *entries = calloc(size, sizeof(*entries));

	if (!entries) {
		return kt_error(KT_E_MEMORY, "number letters: out of memory");
	}
	for (size_t i = 0; i < t->size; i++) {
		size_t j = t->entries[i].hash & (size - 1);

		if (!t->entries[i].used) {
			continue;
		}
		while (entries[j].used) {
			j = (j + 1) & (size - 1);
		}
		entries[j] = t->entries[i];
	}
	free(t->entries);
	t->entries = entries;
	t->size = size;
	return KT_OK;
}

/* Keys are kept NUL-ended. */
static int table_add(struct table *t, uint64_t hash, const char *key, size_t length,
		     uint32_t letter)
{
	struct entry *e;
	int code =
		kt_array_reserve(&t->keys, &t->keys_capacity, t->keys_length + length + 1);

	if (code) {
		return code;
	}
	if (t->keys_length + length >= UINT32_MAX) {
		return kt_error(KT_E_MEMORY, "number letters: more than 4 GiB of names");
	}
	if (2 * (t->n + 1) > t->size) {
		code = table_grow(t);
		if (code) {
			return code;
		}
	}
	e = table_find(t, hash, key, length);
	*e = (struct entry){hash, (uint32_t)t->keys_length, (uint32_t)length, letter, true};
	memcpy(t->keys + t->keys_length, key, length);
	t->keys[t->keys_length + length] = '\0';
	t->keys_length += length + 1;
	t->n++;
	return KT_OK;
}

static void table_free(struct table *t)
{
	free(t->entries);
	free(t->keys);
}

/* --- letters --- */

int kt_letters_new(kt_letters **out)
{
	*out = calloc(1, sizeof(**out));
	if (!*out) {
		return kt_error(KT_E_MEMORY, "number letters: out of memory");
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
	free(letters->names);
	free(letters->latest);
	free(letters);
}

size_t kt_letters_count(const kt_letters *letters)
{
	return letters->n_names;
}

const char *kt_letters_name(const kt_letters *letters, uint32_t letter)
{
	return letter < letters->n_names ? letters->by_name.keys + letters->names[letter]
					 : NULL;
}

static bool is_letter(const char *name, size_t length)
{
	return length > 0 && strspn(name, " ") < length && name[0] != '#' &&
	       kt_utf8_is_printable(name, length);
}

int kt_letters_intern(kt_letters *letters, const char *name, size_t length,
		      uint32_t *letter)
{
	uint64_t hash = hash_bytes(name, length);
	const struct entry *e = NULL;
	int code;

	if (letters->by_name.size) {
		e = table_find(&letters->by_name, hash, name, length);
	}
	if (e && e->used) {
		*letter = e->letter;
		return KT_OK;
	}
	if (!is_letter(name, length)) {
		return kt_error(KT_E_MALFORMED,
				"make letter: it is blank, begins with '#', holds control "
				"characters or is no valid UTF-8");
	}
	if (letters->n_names == KT_NO_LETTER) {
		return kt_error(KT_E_MEMORY, "make letter: too many distinct letters");
	}
	code = kt_array_reserve(&letters->names, &letters->names_capacity,
				letters->n_names + 1);
	if (code) {
		return code;
	}
	letters->names[letters->n_names] = (uint32_t)letters->by_name.keys_length;
	*letter = (uint32_t)letters->n_names;
	code = table_add(&letters->by_name, hash, name, length, *letter);
	letters->n_names += code == KT_OK;
	return code;
}

/* --- rules --- */

static bool holds(const struct kt_condition *c, const struct kt_value *v)
{
	bool equal;

	if (v->kind == KT_VALUE_STRING) {
		equal = v->text[0] == c->text[0] && strcmp(v->text, c->text) == 0;
	} else {
		bool negative = v->kind == KT_VALUE_SIGNED && (int64_t)v->number < 0;

		equal = c->is_number && c->number == v->number && c->negative == negative;
	}
	return equal != c->unequal;
}

static const struct kt_rule *match(const struct kt_event_rules *rules,
				   const struct kt_value *values)
{
	for (size_t i = 0; i < rules->n_rules; i++) {
		const struct kt_rule *rule = &rules->rules[i];
		size_t n = 0;

		while (n < rule->n_conditions &&
		       holds(&rule->conditions[n], &values[rule->conditions[n].slot])) {
			n++;
		}
		if (n == rule->n_conditions) {
			return rule;
		}
	}
	return NULL;
}

/* Puts a string and its NUL into words; false if they do not fit. */
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
 * The rule and the raw values that its letter is made of, in words; 0 if they are too long.
 * Different letters have different keys: a string ends with its NUL, and the kinds of the
 * values stand in front. Whole words, as loads of what was just stored in pieces are slow.
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

static void print_value(FILE *out, const struct kt_part *part, const struct kt_value *v)
{
	if (v->kind == KT_VALUE_STRING) {
		fputs(v->text, out);
	} else if (part->hex) {
		fprintf(out, "0x%llx", (unsigned long long)v->number);
	} else if (v->kind == KT_VALUE_SIGNED) {
		fprintf(out, "%lld", (long long)(int64_t)v->number);
	} else {
		fprintf(out, "%llu", (unsigned long long)v->number);
	}
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

		if (part->literal) {
			fputs(part->literal, out);
		} else {
			print_value(out, part, &values[part->slot]);
		}
	}
	code = fclose(out) == 0 ? kt_letters_intern(letters, text, length, letter)
				: kt_error_errno(KT_E_MEMORY, "make letter");
	free(text);
	return code;
}

static int find_letter(kt_letters *letters, const struct kt_rule *rule,
		       const struct kt_value *values, const uint64_t *key, size_t n,
		       uint32_t *letter)
{
	uint64_t hash = hash_bytes((const char *)key, 8 * n);
	int code;

	if (letters->by_values.size) {
		const struct entry *e =
			table_find(&letters->by_values, hash, (const char *)key, 8 * n);

		if (e->used) {
			*letter = e->letter;
			return KT_OK;
		}
	}
	code = make_letter(letters, rule, values, letter);
	return code ? code
		    : table_add(&letters->by_values, hash, (const char *)key, 8 * n,
				*letter);
}

static int remember(kt_letters *letters, uint32_t rule, const uint64_t *key, size_t n,
		    uint32_t letter)
{
	int code = kt_array_reserve(&letters->latest, &letters->latest_capacity,
				    (size_t)rule + 1);

	if (code) {
		return code;
	}
	while (letters->n_latest <= rule) {
		letters->latest[letters->n_latest++].n = 0;
	}
	if (n <= LATEST_WORDS) {
		letters->latest[rule].n = (uint32_t)n;
		letters->latest[rule].letter = letter;
		memcpy(letters->latest[rule].key, key, 8 * n);
	}
	return KT_OK;
}

int kt_letters_eval(kt_letters *letters, const struct kt_event_rules *rules,
		    const struct kt_value *values, uint32_t *letter, enum kt_run *run)
{
	const struct kt_rule *rule = match(rules, values);
	uint64_t key[KEY_WORDS];
	size_t n;
	int code;

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
		const struct latest *l = &letters->latest[rule->id];

		if (l->n == n && same_key(l->key, key, n)) {
			*letter = l->letter;
			return KT_OK;
		}
	}
	code = find_letter(letters, rule, values, key, n, letter);
	return code ? kt_error_prepend(code, "event %s", rules->event)
		    : remember(letters, rule->id, key, n, *letter);
}

/* A text has no hexadecimal digits. */
static int check_parts(const kt_alphabet *alphabet, const struct kt_event_rules *rules,
		       const struct kt_rule *rule, const enum kt_value_kind *kinds)
{
	for (size_t i = 0; i < rule->n_parts; i++) {
		const struct kt_part *part = &rule->parts[i];

		if (!part->literal && part->hex && kinds[part->slot] == KT_VALUE_STRING) {
			return kt_alphabet_error(
				alphabet, rule->line,
				"field %s of event %s is a string: {%s:x} is for numbers",
				rules->fields[part->slot], rules->event,
				rules->fields[part->slot]);
		}
	}
	return KT_OK;
}

int kt_letters_check_kinds(const kt_alphabet *alphabet, const struct kt_event_rules *rules,
			   const enum kt_value_kind *kinds)
{
	for (size_t i = 0; i < rules->n_rules; i++) {
		const struct kt_rule *rule = &rules->rules[i];
		int code = check_parts(alphabet, rules, rule, kinds);

		if (code) {
			return code;
		}
		for (size_t j = 0; j < rule->n_conditions; j++) {
			const struct kt_condition *c = &rule->conditions[j];

			if (kinds[c->slot] != KT_VALUE_STRING && !c->is_number) {
				return kt_alphabet_error(
					alphabet, rule->line,
					"field %s of event %s is a number, '%s' is none",
					rules->fields[c->slot], rules->event, c->text);
			}
		}
	}
	if (rules->has_runs && kinds[rules->mapping] == KT_VALUE_STRING) {
		return kt_alphabet_error(alphabet, 0,
					 "runs of event %s: field mapping is no number",
					 rules->event);
	}
	return KT_OK;
}
