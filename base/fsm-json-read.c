/* SPDX-License-Identifier: MIT */
#include <ktail/fsm.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/fsm-json.h"
#include "base/json.h"
#include "base/try.h"
#include "base/utf8.h"

/*
 * Gets the array under key, and allocates *items with one element more than the array has,
 * since calloc() may return NULL for an empty array. Sets *n to 0.
 */
static int get_array(const json_t **out, void **items, size_t *n, const json_t *root,
		     const char *key, size_t size)
{
	KT_TRY(kt_json_get_array(out, root, key));
	*n = 0;
	*items = calloc(json_array_size(*out) + 1, size);
	return *items ? KT_OK : kt_error(KT_E_MEMORY, "out of memory");
}

/* Reads all elements of the array under key into *items, and sets *n to their number. */
static int read_all(struct kt_fsm *fsm, const json_t *root, const char *key, void **items,
		    size_t *n, size_t size,
		    int (*read)(struct kt_fsm *fsm, size_t i, const json_t *object))
{
	const json_t *array;

	KT_TRY(get_array(&array, items, n, root, key, size));
	for (size_t i = 0; i < json_array_size(array); i++) {
		++*n; /* so that kt_fsm_free() frees the element if read() fails */
		KT_TRY(kt_json_within(read(fsm, i, json_array_get(array, i)), key, i));
	}
	return KT_OK;
}

static bool is_diff(const struct kt_fsm *fsm)
{
	return strcmp(fsm->machine, "diff") == 0;
}

static int read_head(struct kt_fsm *fsm, const json_t *root)
{
	const json_t *alphabet = json_object_get(root, "alphabet");
	const json_t *gate = json_object_get(root, "gate");
	bool inferred;

	KT_TRY(kt_json_check_text(root, "format", KT_FSM_FORMAT));
	if (json_is_object(alphabet)) {
		fsm->alphabet_json = json_dumps(alphabet, JSON_PRESERVE_ORDER);
		if (!fsm->alphabet_json) {
			return kt_error(KT_E_MEMORY, "out of memory");
		}
	} else if (alphabet && !json_is_null(alphabet)) {
		return kt_json_mismatch("alphabet", alphabet, "an object or null");
	}
	KT_TRY(kt_json_get_string(&fsm->machine, root, "machine"));
	/*
	 * An inferred machine has a k, while "truth" and "imported" have none. A "diff" has
	 * a k if its two machines have the same k.
	 */
	inferred =
		strcmp(fsm->machine, "truth") != 0 && strcmp(fsm->machine, "imported") != 0;
	fsm->no_k = json_is_null(json_object_get(root, "k"));
	if (fsm->no_k == inferred && !is_diff(fsm)) {
		return kt_json_mismatch("k", json_object_get(root, "k"),
					"%s where \"machine\" is \"%s\"",
					inferred ? "a whole number" : "null", fsm->machine);
	}
	if (!fsm->no_k) {
		KT_TRY(kt_json_get_number(&fsm->k, root, "k", INT64_MAX));
	}
	if (gate && !json_is_boolean(gate)) {
		return kt_json_mismatch("gate", gate, "true or false");
	}
	fsm->gate = json_is_true(gate);
	return kt_json_get_string(&fsm->word, root, "word");
}

/* Checks that value is a text without control characters; `member` names it in messages. */
static int check_printable(const json_t *value, const char *member)
{
	return json_is_string(value) && kt_utf8_is_printable(json_string_value(value),
							     json_string_length(value))
		       ? KT_OK
		       : kt_json_mismatch(member, value,
					  "a string without control characters");
}

/*
 * Reads sorted, distinct texts. *n is the number of texts that were read, also on failure,
 * so that the caller can free them.
 */
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
						"greater than the previous one (sorted by "
						"bytes, without duplicates)");
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

/* Reads the optional names of letters. */
static int read_names(struct kt_fsm *fsm, const json_t *root)
{
	json_t *names = json_object_get(root, "names");
	const char *letter;
	json_t *value;

	if (names && !json_is_object(names)) {
		return kt_json_mismatch("names", names, "an object");
	}
	json_object_foreach(names, letter, value)
	{
		size_t i = kt_fsm_find_letter(fsm, letter);

		if (i == SIZE_MAX) {
			return kt_json_error("names", "'%s' is not in \"letters\"", letter);
		}
		KT_TRY(kt_json_in_member(check_printable(value, letter), "names"));
		KT_TRY(kt_fsm_set_name(fsm, i, json_string_value(value)));
	}
	return KT_OK;
}

static int read_version(struct kt_versions *out, const json_t *object)
{
	static const char *const keys[] = {"what", "version", "id", "detail"};
	const char *texts[] = {"", "", "", ""};

	if (!json_is_object(object)) {
		return kt_json_mismatch("", object, "an object");
	}
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		const json_t *value = json_object_get(object, keys[i]);

		if (!value && i > 0) {
			continue;
		}
		KT_TRY(check_printable(value, keys[i]));
		texts[i] = json_string_value(value);
	}
	return kt_versions_add(out, texts[0], texts[1], texts[2], texts[3]);
}

int kt_versions_read_json(struct kt_versions *out, const json_t *root)
{
	const json_t *array = json_object_get(root, "versions");

	if (array && !json_is_array(array)) {
		return kt_json_mismatch("versions", array, "an array");
	}
	for (size_t i = 0; i < json_array_size(array); i++) {
		KT_TRY(kt_json_within(read_version(out, json_array_get(array, i)),
				      "versions", i));
	}
	return KT_OK;
}

/* Reads an optional text; leaves *out unchanged if the member is absent. */
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

/*
 * Returns the share (0 to 1) of a label in the counts of the object's list of labels; 0 if
 * the object has no such list.
 */
static double share_of(const json_t *object, const char *label)
{
	json_int_t all = 0;
	json_int_t own = 0;
	const json_t *entry;
	size_t i;

	json_array_foreach(json_object_get(object, "labels"), i, entry)
	{
		const char *text = json_string_value(json_object_get(entry, "label"));
		json_int_t count = json_integer_value(json_object_get(entry, "count"));

		/*
		 * An invalid count makes the share unknown, but is not an error, because
		 * nothing else depends on the counts.
		 */
		if (count < 0 || count > INT64_MAX - all) {
			return 0;
		}
		all += count;
		own = label && text && strcmp(text, label) == 0 ? count : own;
	}
	return all > 0 ? (double)own / (double)all : 0;
}

/*
 * Allocates the origins of the states or transitions (`key`) of a "diff"; other machines
 * have no origins.
 */
static int make_origins(struct kt_fsm_origin **out, const struct kt_fsm *fsm,
			const json_t *root, const char *key)
{
	if (!is_diff(fsm)) {
		return KT_OK;
	}
	*out = calloc(json_array_size(json_object_get(root, key)) + 1, sizeof(**out));
	return *out ? KT_OK : kt_error(KT_E_MEMORY, "out of memory");
}

static int get_presence(enum kt_presence *out, const json_t *object)
{
	const json_t *value = json_object_get(object, "side");
	const char *name = json_string_value(value);

	for (enum kt_presence presence = KT_PRESENCE_BOTH;
	     name && presence <= KT_PRESENCE_NEW; presence++) {
		if (strcmp(name, kt_presence_name(presence)) == 0) {
			*out = presence;
			return KT_OK;
		}
	}
	return kt_json_mismatch("side", value, "\"both\", \"old\" or \"new\"");
}

/* Reads the ids that a state has in the two machines of a "diff". */
static int read_ids(struct kt_fsm *fsm, size_t i, const json_t *object)
{
	enum kt_presence *presence = &fsm->states[i].presence;
	const char *absent;

	KT_TRY(get_presence(presence, object));
	/* A state must have an id for each machine that has the state, and no other id. */
	absent = *presence == KT_PRESENCE_NEW ? "old" : "new";
	if (*presence != KT_PRESENCE_BOTH && json_object_get(object, absent)) {
		return kt_json_error(absent,
				     "must be absent: \"side\" is the other machine");
	}
	if (*presence != KT_PRESENCE_NEW) {
		KT_TRY(kt_json_get_number(&fsm->state_origins[i].in_old, object, "old",
					  UINT32_MAX));
	}
	if (*presence != KT_PRESENCE_OLD) {
		KT_TRY(kt_json_get_number(&fsm->state_origins[i].in_new, object, "new",
					  UINT32_MAX));
	}
	return KT_OK;
}

static int read_state(struct kt_fsm *fsm, size_t i, const json_t *object)
{
	struct kt_fsm_state *state = &fsm->states[i];
	uint64_t id = 0;
	size_t n = 0;
	int code;

	KT_TRY(kt_json_get_number(&id, object, "id", UINT32_MAX));
	if (id != i) {
		return kt_json_mismatch("id", json_object_get(object, "id"), "%zu", i);
	}
	KT_TRY(kt_json_get_number(&state->visits, object, "visits", INT64_MAX));
	KT_TRY(kt_json_get_number(&state->ends, object, "ends", INT64_MAX));
	if (is_diff(fsm)) {
		KT_TRY(read_ids(fsm, i, object));
	}
	if (json_object_get(object, "points")) {
		code = read_texts(&state->points, &n, object, "points");
		state->n_points = (uint32_t)n;
		KT_TRY(code);
	}
	KT_TRY(read_meaning(&state->label, object, "label"));
	state->label_share = share_of(object, state->label);
	return read_meaning(&state->phase, object, "phase");
}

static int read_states(struct kt_fsm *fsm, const json_t *root)
{
	uint64_t start = 0;

	KT_TRY(make_origins(&fsm->state_origins, fsm, root, "states"));
	KT_TRY(read_all(fsm, root, "states", (void **)&fsm->states, &fsm->n_states,
			sizeof(*fsm->states), read_state));
	if (fsm->n_states == 0) {
		return kt_json_error("states", "is empty");
	}
	KT_TRY(kt_json_get_number(&start, root, "start", fsm->n_states - 1));
	fsm->start = (uint32_t)start;
	return KT_OK;
}

static int read_word(struct kt_fsm *fsm, size_t i, const json_t *object)
{
	struct kt_fsm_word *word = &fsm->words[i];
	const char *hash = NULL;
	uint64_t entry = 0;
	uint64_t leave = 0;

	KT_TRY(kt_json_get_boolean(&word->complete, object, "complete"));
	KT_TRY(kt_json_get_hash(&hash, object, "hash"));
	memcpy(word->hash, hash, sizeof(word->hash));
	KT_TRY(kt_json_get_number(&word->events, object, "events", INT64_MAX));
	KT_TRY(kt_json_get_number(&word->lost, object, "lost", INT64_MAX));
	KT_TRY(kt_json_get_number(&entry, object, "entry", fsm->n_states - 1));
	KT_TRY(kt_json_get_number(&leave, object, "exit", fsm->n_states - 1));
	word->entry = (uint32_t)entry;
	word->exit = (uint32_t)leave;
	return kt_json_get_string(&word->name, object, "name");
}

/*
 * Returns whether t is greater than the transition before it in the array, in the order of
 * from, letter, to. Only in a "diff" may a state have two transitions with one letter.
 */
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

static int read_transition(struct kt_fsm *fsm, size_t i, const json_t *object)
{
	struct kt_fsm_transition *t = &fsm->transitions[i];
	const json_t *value = json_object_get(object, "letter");
	const char *text = json_string_value(value);
	size_t letter = text ? kt_fsm_find_letter(fsm, text) : SIZE_MAX;
	uint64_t from = 0;
	uint64_t to = 0;

	if (letter == SIZE_MAX) {
		return kt_json_mismatch("letter", value, "one of \"letters\"");
	}
	KT_TRY(kt_json_get_number(&from, object, "from", fsm->n_states - 1));
	KT_TRY(kt_json_get_number(&to, object, "to", fsm->n_states - 1));
	KT_TRY(kt_json_get_number(&t->count, object, "count", INT64_MAX));
	t->from = (uint32_t)from;
	t->to = (uint32_t)to;
	t->letter = (uint32_t)letter;
	if (is_diff(fsm)) {
		KT_TRY(get_presence(&t->presence, object));
		KT_TRY(kt_json_get_number(&fsm->transition_origins[i].in_old, object, "old",
					  INT64_MAX));
		KT_TRY(kt_json_get_number(&fsm->transition_origins[i].in_new, object, "new",
					  INT64_MAX));
	}
	KT_TRY(read_meaning(&t->label, object, "label"));
	t->label_share = share_of(object, t->label);
	if (json_object_get(object, "initiates")) {
		KT_TRY(kt_json_get_number(&t->initiates, object, "initiates", INT64_MAX));
	}
	if (json_object_get(object, "notices")) {
		KT_TRY(kt_json_get_number(&t->notices, object, "notices", INT64_MAX));
	}
	return i == 0 || in_order(fsm, t)
		       ? KT_OK
		       : kt_json_error("", "not sorted by from and letter, or a duplicate");
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
		return kt_fsm_check_presence(fsm);
	}
	if (ends > fsm->n_words) {
		return kt_error(KT_E_MALFORMED,
				"the \"ends\" of \"states\" add up to %" PRIu64
				", but the number of words is %zu",
				ends, fsm->n_words);
	}
	if (counts != letters) {
		return kt_error(KT_E_MALFORMED,
				"the \"count\" of \"transitions\" adds up to %" PRIu64
				", but the \"events\" of \"words\" to %" PRIu64,
				counts, letters);
	}
	if (visits != letters + fsm->n_words) {
		return kt_error(KT_E_MALFORMED,
				"the \"visits\" of \"states\" add up to %" PRIu64
				", but the words have %" PRIu64
				" letters and %zu beginnings",
				visits, letters, fsm->n_words);
	}
	return KT_OK;
}

int kt_fsm_from_json(struct kt_fsm **out, const json_t *root, const char *name)
{
	struct kt_fsm *fsm = NULL;
	int code;

	*out = NULL;
	KT_TRY_END(kt_fsm_new(&fsm));
	KT_TRY_END(read_head(fsm, root));
	KT_TRY_END(read_texts(&fsm->letters, &fsm->n_letters, root, "letters"));
	KT_TRY_END(read_names(fsm, root));
	KT_TRY_END(kt_versions_read_json(&fsm->versions, root));
	KT_TRY_END(read_states(fsm, root));
	KT_TRY_END(read_all(fsm, root, "words", (void **)&fsm->words, &fsm->n_words,
			    sizeof(*fsm->words), read_word));
	KT_TRY_END(make_origins(&fsm->transition_origins, fsm, root, "transitions"));
	KT_TRY_END(read_all(fsm, root, "transitions", (void **)&fsm->transitions,
			    &fsm->n_transitions, sizeof(*fsm->transitions),
			    read_transition));
	KT_TRY_END(check_conservation(fsm));
	*out = fsm;
	return KT_OK;
end:
	kt_fsm_free(fsm);
	return kt_error_prepend(code, "read %s", name);
}

int kt_fsm_read_json(struct kt_fsm **out, FILE *in, const char *name)
{
	json_t *root = NULL;
	int code;

	*out = NULL;
	KT_TRY(kt_json_load(&root, in, name));
	code = kt_fsm_from_json(out, root, name);
	json_decref(root);
	return code;
}
