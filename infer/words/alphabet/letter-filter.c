/* SPDX-License-Identifier: MIT */
#include "infer/words/alphabet/letter-filter.h"

#include <stdlib.h>
#include <string.h>

#include <jansson.h>
#include <ktail/status.h>

#include "base/array.h"
#include "base/json.h"
#include "base/json-writer.h"
#include "base/try.h"
#include "infer/words/alphabet/letters.h"

static void clear_list(struct kt_letter_list *list)
{
	for (size_t i = 0; i < list->n; i++) {
		free(list->items[i]);
	}
	free(list->items);
	*list = (struct kt_letter_list){0};
}

void kt_letter_filter_clear(struct kt_letter_filter *filter)
{
	clear_list(&filter->without);
	clear_list(&filter->runs);
}

int kt_letter_list_add(struct kt_letter_list *list, const char *letter)
{
	size_t at = 0;
	char *copy;

	while (at < list->n && strcmp(list->items[at], letter) < 0) {
		at++;
	}
	if (at < list->n && strcmp(list->items[at], letter) == 0) {
		return KT_OK;
	}
	KT_TRY(kt_array_reserve(&list->items, &list->capacity, list->n + 1));
	copy = strdup(letter);
	if (!copy) {
		return kt_no_memory("keep letters");
	}
	memmove(&list->items[at + 1], &list->items[at],
		(list->n - at) * sizeof(*list->items));
	list->items[at] = copy;
	list->n++;
	return KT_OK;
}

static int add_list(struct kt_letter_list *out, const struct kt_letter_list *list)
{
	for (size_t i = 0; i < list->n; i++) {
		KT_TRY(kt_letter_list_add(out, list->items[i]));
	}
	return KT_OK;
}

int kt_letter_filter_copy(struct kt_letter_filter *out,
			  const struct kt_letter_filter *filter)
{
	kt_letter_filter_clear(out);
	KT_TRY(add_list(&out->without, &filter->without));
	return add_list(&out->runs, &filter->runs);
}

bool kt_letter_filter_is_empty(const struct kt_letter_filter *filter)
{
	return filter->without.n == 0 && filter->runs.n == 0;
}

static bool has(const struct kt_letter_list *list, const char *letter)
{
	bool found = false;

	for (size_t i = 0; i < list->n && !found; i++) {
		found = strcmp(list->items[i], letter) == 0;
	}
	return found;
}

bool kt_letter_filter_omits(const struct kt_letter_filter *filter, const char *letter)
{
	return has(&filter->without, letter);
}

static bool same_list(const struct kt_letter_list *a, const struct kt_letter_list *b)
{
	bool same = a->n == b->n;

	for (size_t i = 0; i < a->n && same; i++) {
		same = strcmp(a->items[i], b->items[i]) == 0;
	}
	return same;
}

bool kt_letter_filter_same(const struct kt_letter_filter *a,
			   const struct kt_letter_filter *b)
{
	return same_list(&a->without, &b->without) && same_list(&a->runs, &b->runs);
}

void kt_letter_filter_text(char *out, size_t size, const struct kt_letter_filter *filter)
{
	const struct kt_letter_list *lists[] = {&filter->without, &filter->runs};
	size_t used = 0;

	out[0] = '\0';
	for (size_t i = 0; i < 2; i++) {
		for (size_t j = 0; j < lists[i]->n && used < size; j++) {
			used += (size_t)snprintf(
				out + used, size - used, "%s%s '%s'", used ? " " : "",
				i == 0 ? "--without" : "--runs", lists[i]->items[j]);
		}
	}
}

/* --- JSON of machines --- */

int kt_letter_filter_json(char **out, const struct kt_letter_filter *filter)
{
	size_t size = 0;
	struct kt_json_writer w;
	int failed;

	*out = NULL;
	if (kt_letter_filter_is_empty(filter)) {
		return KT_OK;
	}
	w = (struct kt_json_writer){.out = open_memstream(out, &size)};
	if (!w.out) {
		return kt_no_memory("write letters as JSON");
	}
	kt_json_object(&w, NULL);
	if (filter->runs.n) {
		kt_json_texts(&w, "runs", filter->runs.items, filter->runs.n);
	}
	if (filter->without.n) {
		kt_json_texts(&w, "without", filter->without.items, filter->without.n);
	}
	kt_json_end(&w);
	failed = ferror(w.out);
	if (fclose(w.out) != 0 || failed) {
		free(*out);
		*out = NULL;
		return kt_no_memory("write letters as JSON");
	}
	return KT_OK;
}

static int read_list(struct kt_letter_list *out, const json_t *root, const char *key)
{
	const json_t *array = json_object_get(root, key);

	if (array && !json_is_array(array)) {
		return kt_json_mismatch(key, array, "an array of letters");
	}
	for (size_t i = 0; i < json_array_size(array); i++) {
		const json_t *value = json_array_get(array, i);

		if (!json_is_string(value)) {
			int code = kt_json_mismatch("", value, "a letter");

			return kt_json_within(code, key, i);
		}
		KT_TRY(kt_letter_list_add(out, json_string_value(value)));
	}
	return KT_OK;
}

int kt_letter_filter_from_json(struct kt_letter_filter *out, const char *alphabet_json,
			       const char *file)
{
	json_t *root = NULL;
	int code = KT_OK;

	kt_letter_filter_clear(out);
	if (!alphabet_json) {
		return KT_OK;
	}
	root = json_loads(alphabet_json, 0, NULL);
	if (!root) {
		return kt_error(KT_E_MALFORMED, "read %s: alphabet: not JSON", file);
	}
	code = read_list(&out->without, root, "without");
	if (!code) {
		code = read_list(&out->runs, root, "runs");
	}
	json_decref(root);
	code = kt_json_in_member(code, "alphabet");
	return code ? kt_error_prepend(code, "read %s", file) : KT_OK;
}

int kt_letter_filter_agree(struct kt_letter_filter *filter, const char *alphabet_json,
			   const char *file)
{
	struct kt_letter_filter theirs = {.runs = {.n = 0}};
	char asked[256];
	char applied[256];
	int code;

	KT_TRY_END(kt_letter_filter_from_json(&theirs, alphabet_json, file));
	if (kt_letter_filter_is_empty(&theirs)) {
		goto end;
	}
	if (kt_letter_filter_is_empty(filter)) {
		code = kt_letter_filter_copy(filter, &theirs);
	} else if (!kt_letter_filter_same(filter, &theirs)) {
		kt_letter_filter_text(asked, sizeof(asked), filter);
		kt_letter_filter_text(applied, sizeof(applied), &theirs);
		code = kt_error(KT_E_USAGE,
				"read %s: its words were made with %s, which %s "
				"contradicts",
				file, applied, asked);
	}
end:
	kt_letter_filter_clear(&theirs);
	return code;
}

/* --- filtering --- */

enum fate { FATE_UNKNOWN = 0, FATE_KEPT, FATE_RUN, FATE_OMITTED };

void kt_filtering_clear(struct kt_filtering *filtering)
{
	free(filtering->fates);
	*filtering = (struct kt_filtering){0};
}

int kt_filtering_take(struct kt_filtering *f, uint32_t letter, const char *name,
		      uint32_t *before, bool *keep)
{
	*keep = true;
	if (!f->filter) {
		return KT_OK;
	}
	KT_TRY(kt_array_reserve(&f->fates, &f->capacity, (size_t)letter + 1));
	while (f->n <= letter) {
		f->fates[f->n++] = FATE_UNKNOWN;
	}
	if (f->fates[letter] == FATE_UNKNOWN) {
		f->fates[letter] = has(&f->filter->without, name) ? FATE_OMITTED
				   : has(&f->filter->runs, name)  ? FATE_RUN
								  : FATE_KEPT;
	}
	*keep = f->fates[letter] == FATE_KEPT ||
		(f->fates[letter] == FATE_RUN && *before != letter);
	if (*keep) {
		*before = letter;
	}
	return KT_OK;
}
