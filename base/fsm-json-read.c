/* SPDX-License-Identifier: MIT */
#include <ktail/fsm.h>

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/fsm-json.h"
#include "base/json.h"
#include "base/utf8.h"

static int malformed(const char *what)
{
	return kt_error(KT_E_MALFORMED, "%s", what);
}

/* The array under key; room for its elements, at least one, in *items. */
static int get_array(const json_t **out, void **items, size_t *n, const json_t *root,
		     const char *key, size_t size)
{
	*out = json_object_get(root, key);
	if (!json_is_array(*out) || json_array_size(*out) > UINT32_MAX) {
		return kt_error(KT_E_MALFORMED, "\"%s\" is no array", key);
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
		return malformed("\"k\" is null iff \"machine\" is \"truth\" or "
				 "\"imported\", and it is not so");
	}
	return fsm->no_k ? KT_OK : kt_json_get_number(&fsm->k, root, "k", INT64_MAX);
}

static int read_head(struct kt_fsm *fsm, const json_t *root)
{
	const char *format = json_string_value(json_object_get(root, "format"));
	const json_t *alphabet = json_object_get(root, "alphabet");
	int code;

	if (!format || strcmp(format, KT_FSM_FORMAT) != 0) {
		return malformed("\"format\" is not \"" KT_FSM_FORMAT "\"");
	}
	if (json_is_object(alphabet)) {
		fsm->alphabet_json = json_dumps(alphabet, JSON_PRESERVE_ORDER);
		if (!fsm->alphabet_json) {
			return kt_error(KT_E_MEMORY, "out of memory");
		}
	} else if (alphabet && !json_is_null(alphabet)) {
		return malformed("\"alphabet\" is neither an object nor null");
	}
	code = kt_json_get_string(&fsm->machine, root, "machine");
	code = code ? code : read_k(fsm, root);
	return code ? code : kt_json_get_string(&fsm->word, root, "word");
}

/* Sorted, distinct texts; `what` is one of them. They are *out's from the first on. */
static int read_texts(char ***out, size_t *n, const json_t *object, const char *key,
		      const char *what)
{
	const json_t *array;
	int code = get_array(&array, (void **)out, n, object, key, sizeof(**out));

	for (size_t i = 0; !code && i < json_array_size(array); i++) {
		const json_t *value = json_array_get(array, i);
		const char *text = json_string_value(value);

		if (!text || !kt_utf8_is_printable(text, json_string_length(value))) {
			return kt_error(KT_E_MALFORMED,
					"a %s is no text without control characters", what);
		}
		if (i && strcmp((*out)[i - 1], text) >= 0) {
			return kt_error(KT_E_MALFORMED,
					"\"%s\" are not sorted or not distinct", key);
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
	code = read_texts(&state->points, &n, object, "points", "point");
	state->n_points = (uint32_t)n;
	return code;
}

/* A member that need not be there; *out stays NULL then. */
static int read_meaning(char **out, const json_t *object, const char *key)
{
	const json_t *value = json_object_get(object, key);

	if (!value) {
		return KT_OK;
	}
	if (!json_is_string(value) ||
	    !kt_utf8_is_printable(json_string_value(value), json_string_length(value))) {
		return kt_error(KT_E_MALFORMED,
				"\"%s\" is no text without control characters", key);
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
	const char *name = json_string_value(json_object_get(object, "side"));

	for (enum kt_side side = KT_SIDE_BOTH; name && side <= KT_SIDE_NEW; side++) {
		if (strcmp(name, kt_side_name(side)) == 0) {
			*out = side;
			return KT_OK;
		}
	}
	return malformed("\"side\" is none of both, old, new");
}

/* A state has an id in each machine that has it, and in no other. */
static int read_ids(struct kt_fsm *fsm, size_t i, const json_t *object)
{
	enum kt_side *side = &fsm->states[i].side;
	int code;

	if (!is_diff(fsm)) {
		return KT_OK;
	}
	code = get_side(side, object);
	if (!code && (!json_object_get(object, "old") != (*side == KT_SIDE_NEW) ||
		      !json_object_get(object, "new") != (*side == KT_SIDE_OLD))) {
		return malformed("a state's \"old\" and \"new\" do not fit its \"side\"");
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
			return malformed("\"states\" are not in order of their ids");
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
	}
	if (!code && fsm->n_states == 0) {
		return malformed("\"states\" is empty");
	}
	code = code ? code : kt_json_get_number(&start, root, "start", fsm->n_states - 1);
	fsm->start = (uint32_t)start;
	return code;
}

static int read_word(struct kt_fsm_word *word, const json_t *object, size_t n_states)
{
	const json_t *complete = json_object_get(object, "complete");
	const char *hash = json_string_value(json_object_get(object, "hash"));
	uint64_t entry = 0;
	uint64_t leave = 0;
	int code;

	if (!json_is_boolean(complete) || !hash || strlen(hash) != 32 ||
	    strspn(hash, "0123456789abcdef") != 32) {
		return malformed(
			"a word lacks \"complete\" or a \"hash\" of 32 hex digits");
	}
	word->complete = json_is_true(complete);
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
	const char *letter = json_string_value(json_object_get(object, "letter"));
	char **found = letter ? bsearch(letter, fsm->letters, fsm->n_letters,
					sizeof(*fsm->letters), compare_letters)
			      : NULL;
	uint64_t from = 0;
	uint64_t to = 0;
	int code;

	if (!found) {
		return malformed("a transition's letter is not among \"letters\"");
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
			return malformed(
				"\"transitions\" are not in order, or one has a twin");
		}
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
		return malformed("counts are too large to add up");
	}
	if (is_diff(fsm)) {
		return kt_fsm_check_sides(fsm);
	}
	if (ends > fsm->n_words) {
		return malformed("more words end than there are");
	}
	if (counts != letters || visits != letters + fsm->n_words) {
		return malformed("counts and visits do not add up to the words' letters");
	}
	return KT_OK;
}

static int read_members(struct kt_fsm *fsm, const json_t *root)
{
	int code = read_head(fsm, root);

	code = code ? code
		    : read_texts(&fsm->letters, &fsm->n_letters, root, "letters", "letter");
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
