/* SPDX-License-Identifier: MIT */
#include <ktail/fsm.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/fsm-json.h"
#include "base/json.h"
#include "base/utf8.h"

/* The array under key; room for its elements, at least one, in *items. */
static int get_array(const json_t **out, void **items, size_t *n, const json_t *root,
		     const char *key, size_t size)
{
	int code = kt_json_get_array(out, root, key);

	if (code) {
		return code;
	}
	*n = 0;
	*items = calloc(json_array_size(*out) + 1, size);
	return *items ? KT_OK : kt_error(KT_E_MEMORY, "out of memory");
}

static bool is_diff(const struct kt_fsm *fsm)
{
	return strcmp(fsm->machine, "diff") == 0;
}

/*
 * A machine was inferred with a k, or it is the truth or another program's, and there is
 * none; a difference has one if its two machines share it.
 */
static int read_k(struct kt_fsm *fsm, const json_t *root)
{
	bool inferred =
		strcmp(fsm->machine, "truth") != 0 && strcmp(fsm->machine, "imported") != 0;

	fsm->no_k = json_is_null(json_object_get(root, "k"));
	if (fsm->no_k == inferred && !is_diff(fsm)) {
		return kt_json_mismatch("k", json_object_get(root, "k"),
					"%s where \"machine\" is \"%s\"",
					inferred ? "a whole number" : "null", fsm->machine);
	}
	return fsm->no_k ? KT_OK : kt_json_get_number(&fsm->k, root, "k", INT64_MAX);
}

static int read_head(struct kt_fsm *fsm, const json_t *root)
{
	const json_t *alphabet = json_object_get(root, "alphabet");
	int code = kt_json_check_text(root, "format", KT_FSM_FORMAT);

	if (code) {
		return code;
	}
	if (json_is_object(alphabet)) {
		fsm->alphabet_json = json_dumps(alphabet, JSON_PRESERVE_ORDER);
		if (!fsm->alphabet_json) {
			return kt_error(KT_E_MEMORY, "out of memory");
		}
	} else if (alphabet && !json_is_null(alphabet)) {
		return kt_json_mismatch("alphabet", alphabet, "an object or null");
	}
	code = kt_json_get_string(&fsm->machine, root, "machine");
	code = code ? code : read_k(fsm, root);
	return code ? code : kt_json_get_string(&fsm->word, root, "word");
}

/* A text without control characters; the element or member of that name. */
static int check_printable(const json_t *value, const char *member)
{
	return json_is_string(value) && kt_utf8_is_printable(json_string_value(value),
							     json_string_length(value))
		       ? KT_OK
		       : kt_json_mismatch(member, value,
					  "a string without control characters");
}

/* Sorted, distinct texts. They are *out's from the first on. */
static int read_texts(char ***out, size_t *n, const json_t *object, const char *key)
{
	const json_t *array;
	int code = get_array(&array, (void **)out, n, object, key, sizeof(**out));

	for (size_t i = 0; !code && i < json_array_size(array); i++) {
		const json_t *value = json_array_get(array, i);
		const char *text = json_string_value(value);

		code = check_printable(value, "");
		if (!code && i && strcmp((*out)[i - 1], text) >= 0) {
			code = kt_json_mismatch("", value,
						"greater than the one before (sorted by "
						"bytes, each once)");
		}
		if (code) {
			return kt_json_within(code, key, i);
		}
		(*out)[i] = strdup(text);
		if (!(*out)[i]) {
			return kt_error(KT_E_MEMORY, "out of memory");
		}
		++*n;
	}
	return code;
}

static int read_points(struct kt_fsm_state *state, const json_t *object)
{
	size_t n = 0;
	int code;

	if (!json_object_get(object, "points")) {
		return KT_OK;
	}
	code = read_texts(&state->points, &n, object, "points");
	state->n_points = (uint32_t)n;
	return code;
}

/* A member that need not be there; *out stays NULL then. */
static int read_meaning(char **out, const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);
	int code = value ? check_printable(value, key) : KT_OK;

	if (!value || code) {
		return code;
	}
	*out = strdup(json_string_value(value));
	return *out ? KT_OK : kt_error(KT_E_MEMORY, "out of memory");
}

/* Room beside states or transitions for what the two machines have; of a "diff" alone. */
static int make_origins(struct kt_fsm_origin **out, const struct kt_fsm *fsm, size_t n)
{
	if (!is_diff(fsm)) {
		return KT_OK;
	}
	*out = calloc(n + 1, sizeof(**out));
	return *out ? KT_OK : kt_error(KT_E_MEMORY, "out of memory");
}

static int get_side(enum kt_side *out, const json_t *object)
{
	const json_t *value = json_object_get(object, "side");
	const char *name = json_string_value(value);

	for (enum kt_side side = KT_SIDE_BOTH; name && side <= KT_SIDE_NEW; side++) {
		if (strcmp(name, kt_side_name(side)) == 0) {
			*out = side;
			return KT_OK;
		}
	}
	return kt_json_mismatch("side", value, "\"both\", \"old\" or \"new\"");
}

/* A state has an id in each machine that has it, and in no other. */
static int check_absent(const json_t *object, const char *key)
{
	return json_object_get(object, key)
		       ? kt_json_error(key, "must not be there: \"side\" is the other")
		       : KT_OK;
}

static int read_ids(struct kt_fsm *fsm, size_t i, const json_t *object)
{
	enum kt_side *side = &fsm->states[i].side;
	int code;

	if (!is_diff(fsm)) {
		return KT_OK;
	}
	code = get_side(side, object);
	if (!code && *side != KT_SIDE_BOTH) {
		code = check_absent(object, *side == KT_SIDE_NEW ? "old" : "new");
	}
	if (!code && *side != KT_SIDE_NEW) {
		code = kt_json_get_number(&fsm->state_origins[i].in_old, object, "old",
					  UINT32_MAX);
	}
	if (!code && *side != KT_SIDE_OLD) {
		code = kt_json_get_number(&fsm->state_origins[i].in_new, object, "new",
					  UINT32_MAX);
	}
	return code;
}

static int read_counts(struct kt_fsm *fsm, size_t i, const json_t *object)
{
	int code;

	if (!is_diff(fsm)) {
		return KT_OK;
	}
	code = get_side(&fsm->transitions[i].side, object);
	code = code ? code
		    : kt_json_get_number(&fsm->transition_origins[i].in_old, object, "old",
					 INT64_MAX);
	return code ? code
		    : kt_json_get_number(&fsm->transition_origins[i].in_new, object, "new",
					 INT64_MAX);
}

static int read_states(struct kt_fsm *fsm, const json_t *root)
{
	const json_t *array;
	uint64_t start = 0;
	int code = get_array(&array, (void **)&fsm->states, &fsm->n_states, root, "states",
			     sizeof(*fsm->states));

	code = code ? code : make_origins(&fsm->state_origins, fsm, json_array_size(array));
	for (size_t i = 0; !code && i < json_array_size(array); i++) {
		const json_t *object = json_array_get(array, i);
		uint64_t id = 0;

		code = kt_json_get_number(&id, object, "id", UINT32_MAX);
		if (!code && id != i) {
			code = kt_json_mismatch("id", json_object_get(object, "id"), "%zu",
						i);
		}
		code = code ? code
			    : kt_json_get_number(&fsm->states[i].visits, object, "visits",
						 INT64_MAX);
		code = code ? code
			    : kt_json_get_number(&fsm->states[i].ends, object, "ends",
						 INT64_MAX);
		fsm->n_states++; /* from here on its points are freed with it */
		code = code ? code : read_ids(fsm, i, object);
		code = code ? code : read_points(&fsm->states[i], object);
		code = code ? code : read_meaning(&fsm->states[i].label, object, "label");
		code = code ? code : read_meaning(&fsm->states[i].phase, object, "phase");
		code = kt_json_within(code, "states", i);
	}
	if (!code && fsm->n_states == 0) {
		return kt_json_error("states", "is empty");
	}
	code = code ? code : kt_json_get_number(&start, root, "start", fsm->n_states - 1);
	fsm->start = (uint32_t)start;
	return code;
}

static int read_word(struct kt_fsm_word *word, const json_t *object, size_t n_states)
{
	const char *hash = NULL;
	uint64_t entry = 0;
	uint64_t leave = 0;
	int code = kt_json_get_boolean(&word->complete, object, "complete");

	code = code ? code : kt_json_get_hash(&hash, object, "hash");
	if (code) {
		return code;
	}
	memcpy(word->hash, hash, sizeof(word->hash));
	code = kt_json_get_number(&word->events, object, "events", INT64_MAX);
	code = code ? code : kt_json_get_number(&word->lost, object, "lost", INT64_MAX);
	code = code ? code : kt_json_get_number(&entry, object, "entry", n_states - 1);
	code = code ? code : kt_json_get_number(&leave, object, "exit", n_states - 1);
	word->entry = (uint32_t)entry;
	word->exit = (uint32_t)leave;
	return code ? code : kt_json_get_string(&word->name, object, "name");
}

static int read_words(struct kt_fsm *fsm, const json_t *root)
{
	const json_t *array;
	int code = get_array(&array, (void **)&fsm->words, &fsm->n_words, root, "words",
			     sizeof(*fsm->words));

	for (size_t i = 0; !code && i < json_array_size(array); i++) {
		fsm->n_words++;
		code = read_word(&fsm->words[i], json_array_get(array, i), fsm->n_states);
		code = kt_json_within(code, "words", i);
	}
	return code;
}

static int compare_letters(const void *key, const void *element)
{
	return strcmp(key, *(char *const *)element);
}

static int read_transition(struct kt_fsm_transition *t, const json_t *object,
			   const struct kt_fsm *fsm)
{
	const json_t *value = json_object_get(object, "letter");
	const char *letter = json_string_value(value);
	char **found = letter ? bsearch(letter, fsm->letters, fsm->n_letters,
					sizeof(*fsm->letters), compare_letters)
			      : NULL;
	uint64_t from = 0;
	uint64_t to = 0;
	int code;

	if (!found) {
		return kt_json_mismatch("letter", value, "one of \"letters\"");
	}
	code = kt_json_get_number(&from, object, "from", fsm->n_states - 1);
	code = code ? code : kt_json_get_number(&to, object, "to", fsm->n_states - 1);
	code = code ? code : kt_json_get_number(&t->count, object, "count", INT64_MAX);
	t->from = (uint32_t)from;
	t->to = (uint32_t)to;
	t->letter = (uint32_t)(found - fsm->letters);
	return code;
}

/* By from, letter, to; but for a "diff", a state has one transition for a letter. */
static bool in_order(const struct kt_fsm *fsm, const struct kt_fsm_transition *t)
{
	if (t[-1].from != t->from) {
		return t[-1].from < t->from;
	}
	if (t[-1].letter != t->letter) {
		return t[-1].letter < t->letter;
	}
	return is_diff(fsm) && t[-1].to < t->to;
}

static int read_transitions(struct kt_fsm *fsm, const json_t *root)
{
	const json_t *array;
	int code = get_array(&array, (void **)&fsm->transitions, &fsm->n_transitions, root,
			     "transitions", sizeof(*fsm->transitions));

	code = code ? code
		    : make_origins(&fsm->transition_origins, fsm, json_array_size(array));
	for (size_t i = 0; !code && i < json_array_size(array); i++) {
		struct kt_fsm_transition *t = &fsm->transitions[i];
		const json_t *object = json_array_get(array, i);

		fsm->n_transitions++; /* from here on its label is freed with it */
		code = read_transition(t, object, fsm);
		code = code ? code : read_counts(fsm, i, object);
		code = code ? code : read_meaning(&t->label, object, "label");
		if (!code && i && !in_order(fsm, t)) {
			code = kt_json_error("", "not behind the one before by from and "
						 "letter, or a twin of it");
		}
		code = kt_json_within(code, "transitions", i);
	}
	return code;
}

static bool add(uint64_t *sum, uint64_t n)
{
	return !__builtin_add_overflow(*sum, n, sum);
}

static int check_conservation(const struct kt_fsm *fsm)
{
	uint64_t letters = 0;
	uint64_t visits = 0;
	uint64_t counts = 0;
	uint64_t ends = 0;
	bool fits = true;

	for (size_t i = 0; i < fsm->n_words; i++) {
		fits = fits && add(&letters, fsm->words[i].events);
	}
	for (size_t i = 0; i < fsm->n_states; i++) {
		fits = fits && add(&visits, fsm->states[i].visits) &&
		       add(&ends, fsm->states[i].ends);
	}
	for (size_t i = 0; i < fsm->n_transitions; i++) {
		fits = fits && add(&counts, fsm->transitions[i].count);
	}
	if (!fits || letters > INT64_MAX) {
		return kt_error(KT_E_MALFORMED, "counts are too large to add up");
	}
	if (is_diff(fsm)) {
		return kt_fsm_check_sides(fsm);
	}
	if (ends > fsm->n_words) {
		return kt_error(KT_E_MALFORMED,
				"the \"ends\" of \"states\" are %" PRIu64
				" in all, but there are %zu words",
				ends, fsm->n_words);
	}
	if (counts != letters) {
		return kt_error(KT_E_MALFORMED,
				"the \"count\" of \"transitions\" is %" PRIu64
				" in all, but the \"events\" of \"words\" are %" PRIu64,
				counts, letters);
	}
	if (visits != letters + fsm->n_words) {
		return kt_error(KT_E_MALFORMED,
				"the \"visits\" of \"states\" are %" PRIu64
				" in all, but the words have %" PRIu64
				" letters and %zu beginnings",
				visits, letters, fsm->n_words);
	}
	return KT_OK;
}

static int read_members(struct kt_fsm *fsm, const json_t *root)
{
	int code = read_head(fsm, root);

	code = code ? code : read_texts(&fsm->letters, &fsm->n_letters, root, "letters");
	code = code ? code : read_states(fsm, root);
	code = code ? code : read_words(fsm, root);
	code = code ? code : read_transitions(fsm, root);
	return code ? code : check_conservation(fsm);
}

int kt_fsm_from_json(struct kt_fsm **out, const json_t *root, const char *name)
{
	struct kt_fsm *fsm = NULL;
	int code = kt_fsm_new(&fsm);

	*out = NULL;
	code = code ? code : read_members(fsm, root);
	if (code) {
		kt_fsm_free(fsm);
		return kt_error_prepend(code, "read %s", name);
	}
	*out = fsm;
	return KT_OK;
}

int kt_fsm_read_json(struct kt_fsm **out, FILE *in, const char *name)
{
	json_t *root = NULL;
	int code = kt_json_load(&root, in, name);

	*out = NULL;
	code = code ? code : kt_fsm_from_json(out, root, name);
	json_decref(root);
	return code;
}
