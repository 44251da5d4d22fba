/* SPDX-License-Identifier: MIT */
/* Writes a difference as JSON, with the meanings of annotated machines. */
#include "infer/ktail/diff/diff-text.h"

#include <inttypes.h>

#include "base/json-writer.h"
#include "base/try.h"

/* Writes an object with two lists: the list of the old machine and that of the new one. */
static void write_lists(struct kt_json_writer *w, const char *key,
			const struct kt_diff_meaning_list list[2])
{
	kt_json_object(kt_json_line(w), key);
	for (int s = 0; s < 2; s++) {
		w->line = s > 0;
		kt_json_array(w, kt_diff_version_names[s]);
		for (size_t i = 0; i < list[s].n; i++) {
			const struct kt_diff_meaning *meaning = &list[s].items[i];

			KT_OBJECT(w, NULL, KT_STR("text", meaning->text),
				  KT_U64("states", meaning->states),
				  KT_U64("transitions", meaning->transitions));
		}
		kt_json_end(w);
	}
	kt_json_end(w);
}

static void write_letters(struct kt_json_writer *w, const char *key,
			  const char *const *letters, size_t n)
{
	kt_json_array(w, key);
	for (size_t i = 0; i < n; i++) {
		kt_json_text(w, letters[i]);
	}
	kt_json_end(w);
}

/*
 * Writes how often each sequence occurs in words, and the diverging transitions that words
 * take. Writes nothing if a version has no words.
 */
static int write_seen(struct kt_json_writer *w, const struct kt_diff_report *r)
{
	if (!r->shown->known) {
		return KT_OK;
	}
	kt_json_object(kt_json_line(w), "seen");
	kt_json_array(w, "sequences");
	for (size_t i = 0; i < r->seen->n && r->seen->times; i++) {
		kt_json_print(w, NULL, "%" PRIu64, r->seen->times[i]);
	}
	kt_json_end(w);
	for (int s = 0; s < 2; s++) {
		const struct kt_diff_shown_version *shown = &r->shown->version[s];

		KT_OBJECT(kt_json_line(w), s ? "new" : "old", KT_U64("words", shown->words),
			  KT_U64("accepted", shown->accepted));
	}
	kt_json_rows(kt_json_line(w), "diverging");
	for (int s = 0; s < 2; s++) {
		const struct kt_operand *input = &r->versions->version[s].input;
		const struct kt_diff_shown_version *shown = &r->shown->version[s];

		for (size_t i = 0; i < shown->n_ways; i++) {
			const struct kt_diff_shown_way *way = &shown->ways[i];
			const struct kt_fsm_transition *t =
				&input->fsm->transitions[way->transition];
			struct kt_word_info info;
			uint64_t n;
			uint32_t from;

			KT_TRY(kt_words_get(input->words, way->word, &info, &n));
			KT_TRY(kt_diff_state(&from, r->diff,
					     s ? KT_COMPARE_NEW : KT_COMPARE_OLD, t->from));
			KT_OBJECT(w, NULL, KT_STR("side", s ? "new" : "old"),
				  KT_U64("from", from),
				  KT_STR("letter", input->fsm->letters[t->letter]),
				  KT_U64("words", way->n), KT_STR("word", info.name),
				  KT_U64("at", way->at));
		}
	}
	kt_json_end(w);
	kt_json_end(w);
	return KT_OK;
}

/*
 * Writes what changed between repeated recordings. Writes nothing unless both versions are
 * traces.
 */
static void write_changes(struct kt_json_writer *w, const struct kt_changes *changes)
{
	static const char *const kinds[] = {
		[KT_CHANGE_ADDED] = "added",
		[KT_CHANGE_REMOVED] = "removed",
		[KT_CHANGE_REPLACED] = "replaced",
		[KT_CHANGE_MOVED] = "moved",
	};

	if (!changes) {
		return;
	}
	kt_json_object(kt_json_line(w), "changes");
	KT_JSON(w, KT_U64("old_recordings", changes->recordings[0]),
		KT_U64("new_recordings", changes->recordings[1]),
		KT_U64("unaligned", changes->unaligned));
	write_letters(w, "noise", changes->noise, changes->n_noise);
	kt_json_array(w, "list");
	for (size_t i = 0; i < changes->n; i++) {
		const struct kt_change *c = &changes->items[i];

		kt_json_object(kt_json_line(w), NULL);
		KT_JSON(w, KT_STR("kind", kinds[c->kind]), KT_BOOL("found", c->found),
			KT_STR("word", c->word), KT_STR("call", c->call),
			KT_U64("at", c->at), KT_STR("after", c->position.before),
			KT_STR("before", c->position.after));
		if (c->kind == KT_CHANGE_MOVED) {
			KT_JSON(w, KT_STR("to_after", c->elsewhere.before),
				KT_STR("to_before", c->elsewhere.after));
		}
		KT_JSON(w, KT_U64("old", c->shown[0]), KT_U64("of_old", c->of[0]),
			KT_U64("new", c->shown[1]), KT_U64("of_new", c->of[1]));
		kt_json_print(w, "p", "%.6g", c->p);
		write_letters(w, "removed", c->removed, c->n_removed);
		write_letters(w, "added", c->added, c->n_added);
		kt_json_end(w);
	}
	kt_json_end(w);
	kt_json_end(w);
}

int kt_diff_report_write_json(FILE *out, const void *report)
{
	const struct kt_diff_report *r = report;
	const struct kt_diff_calls *calls = r->calls;
	struct kt_json_writer w = kt_json_resume(out);

	KT_TRY(kt_diff_write_members(r->diff, out));
	KT_TRY(write_seen(&w, r));
	write_changes(&w, r->changes);
	if (!(r->meanings->known[0] && r->meanings->known[1]) &&
	    !(calls->known[0] && calls->known[1])) {
		return kt_json_finish(&w, "write difference as JSON");
	}
	kt_json_object(kt_json_line(&w), "meanings");
	write_lists(&w, "labels", r->meanings->labels);
	write_lists(&w, "phases", r->meanings->phases);
	kt_json_rows(kt_json_line(&w), "calls");
	for (size_t i = 0; i < calls->n_figures; i++) {
		const struct kt_diff_figure *figure = &calls->figures[i];

		KT_OBJECT(&w, NULL, KT_STR("name", figure->name),
			  KT_STR("figure", figure->kind->key), KT_U64("old", figure->n[0]),
			  KT_U64("old_calls", figure->calls[0]),
			  KT_U64("new", figure->n[1]),
			  KT_U64("new_calls", figure->calls[1]));
	}
	kt_json_end(&w);
	kt_json_object(kt_json_line(&w), "functions");
	for (int s = 0; s < 2; s++) {
		kt_json_array(&w, kt_diff_version_names[s]);
		for (size_t i = 0; i < calls->n_only[s]; i++) {
			kt_json_text(&w, calls->only[s][i]);
		}
		kt_json_end(&w);
	}
	kt_json_end(&w);
	kt_json_end(kt_json_line(&w));
	return kt_json_finish(&w, "write difference as JSON");
}
