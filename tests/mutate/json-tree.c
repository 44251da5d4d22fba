/* SPDX-License-Identifier: MIT */
/* Damages one node of a JSON tree. */
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "tests/mutate/mutate.h"

static json_t *make_odd(struct kt_random *r)
{
	static const char *const values[] = {
		"null",
		"true",
		"false",
		"-1",
		"0",
		"1",
		"1.5",
		"1e308",
		"\"\"",
		"\"\\u0000\"",
		"[]",
		"{}",
		"[[]]",
		"\"s0\"",
		"\"\\u202e\"",
		"2147483647",
		"2147483648",
		"4294967295",
		"4294967296",
		"9007199254740993",
		"9223372036854775807",
		"-9223372036854775808",
	};
	size_t i = kt_random_below(r, sizeof(values) / sizeof(values[0]));

	return json_loads(values[i], JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
}

static size_t count(json_t *node)
{
	size_t n = 1;
	size_t i;
	const char *key;
	json_t *value;

	if (json_is_array(node)) {
		json_array_foreach(node, i, value)
		{
			n += count(value);
		}
	}
	json_object_foreach(node, key, value)
	{
		n += count(value);
	}
	return n;
}

/* Removes, repeats, moves or replaces an element. */
static void change_element(json_t *array, size_t i, struct kt_random *r)
{
	switch (kt_random_below(r, 4)) {
	case 0: json_array_remove(array, i); break;
	case 1: json_array_insert(array, i, json_array_get(array, i)); break;
	case 2:
		json_array_append(array, json_array_get(array, i));
		json_array_remove(array, i);
		break;
	default: json_array_set_new(array, i, make_odd(r)); break;
	}
}

static void change_member(json_t *object, const char *key, struct kt_random *r)
{
	char *copy = strdup(key);

	switch (copy ? kt_random_below(r, 3) : 0) {
	case 0: json_object_del(object, key); break;
	case 1:
		json_object_set(object, "name", json_object_get(object, copy));
		json_object_del(object, copy);
		break;
	default: json_object_set_new(object, copy, make_odd(r)); break;
	}
	free(copy);
}

/*
 * Changes the node that comes *left nodes later in preorder; returns whether it was found.
 */
static bool walk(json_t *node, size_t *left, struct kt_random *r)
{
	size_t i;
	const char *key;
	json_t *value;

	if (json_is_array(node)) {
		json_array_foreach(node, i, value)
		{
			if ((*left)-- == 0) {
				change_element(node, i, r);
				return true;
			}
			if (walk(value, left, r)) {
				return true;
			}
		}
	}
	json_object_foreach(node, key, value)
	{
		if ((*left)-- == 0) {
			change_member(node, key, r);
			return true;
		}
		if (walk(value, left, r)) {
			return true;
		}
	}
	return false;
}

void kt_mutate_json(struct kt_bytes *bytes, struct kt_random *random)
{
	json_t *root =
		json_loadb((const char *)bytes->data, bytes->length, JSON_ALLOW_NUL, NULL);
	size_t left;
	char *text;

	if (!root || kt_random_below(random, 4) == 0) {
		kt_mutate_text(bytes, random);
		json_decref(root);
		return;
	}
	left = kt_random_below(random, count(root) - 1);
	walk(root, &left, random);
	text = json_dumps(root, JSON_INDENT(1));
	if (text) {
		kt_bytes_replace(bytes, 0, bytes->length, text, strlen(text));
	}
	free(text);
	json_decref(root);
}
