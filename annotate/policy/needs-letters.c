/* SPDX-License-Identifier: MIT */
/*
 * Needs found in letters of the alphabets rm and calls: "ioctl:0x2a/0x20800102" needs a
 * control, "ioctl:0x2b/0xc86f" an allocation, "ioctl:uvm:0x21" a request of the
 * unified-memory driver, "map:reg" a mapping.
 */
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "annotate/policy/needs.h"
#include "base/ends-in.h"
#include "base/try.h"
#include "decode/ioctls.h"
#include "infer/files/machine.h"
#include "infer/words/file/events-file.h"

/*
 * Parses a number "0x..." and moves *text to the end of the number. Returns false if *text
 * does not begin with "0x", or if the number is followed neither by `end` nor by the end of
 * the text.
 */
static bool parse(uint32_t *out, const char **text, char end)
{
	char *after;

	if (strncmp(*text, "0x", 2) != 0) {
		return false;
	}
	*out = (uint32_t)strtoul(*text, &after, 16);
	*text = after;
	return *after == end || *after == '\0';
}

int kt_needs_letter(struct kt_needs *needs, const char *letter, uint64_t count,
		    const char *path, bool *general)
{
	struct kt_need need = {.device = "", .space = "", .calls = count, .path = path};
	const char *rest = letter + strlen("ioctl:");
	uint32_t subject;

	if (strncmp(letter, "map:", 4) == 0) {
		need.kind = KT_NEED_MAP;
		need.space = letter + 4;
		return kt_needs_count(needs, &need);
	}
	if (strncmp(letter, "ioctl:", 6) != 0) {
		return KT_OK;
	}
	if (strncmp(rest, "uvm:", 4) == 0) {
		rest += 4;
		need.kind = KT_NEED_UVM;
		return parse(&need.number, &rest, '\0') ? kt_needs_count(needs, &need)
							: KT_OK;
	}
	if (!parse(&need.number, &rest, '/')) {
		return KT_OK;
	}
	need.kind = KT_NEED_REQUEST;
	KT_TRY(kt_needs_count(needs, &need));
	if (*rest == '\0') {
		*general = *general || need.number == KT_NR_CONTROL;
		return KT_OK;
	}
	rest++;
	if (!parse(&subject, &rest, '\0') ||
	    (need.number != KT_NR_CONTROL && !kt_need_allocates(need.number))) {
		return KT_OK;
	}
	need.kind = need.number == KT_NR_CONTROL ? KT_NEED_CONTROL : KT_NEED_CLASS;
	need.number = subject;
	return kt_needs_count(needs, &need);
}

static int note_versions(struct kt_needs *needs, const struct kt_versions *versions)
{
	const struct kt_version *libcuda =
		versions ? kt_versions_find(versions, "libcuda") : NULL;

	return libcuda ? kt_needs_driver(needs, libcuda->version) : KT_OK;
}

static int read_machine(struct kt_needs *needs, const char *path, bool *general)
{
	struct kt_fsm *fsm;
	int code = KT_OK;

	KT_TRY(kt_machine_read(&fsm, path));
	kt_needs_begin(needs);
	KT_TRY_END(note_versions(needs, &fsm->versions));
	for (size_t i = 0; i < fsm->n_transitions; i++) {
		const struct kt_fsm_transition *t = &fsm->transitions[i];

		KT_TRY_END(kt_needs_letter(needs, fsm->letters[t->letter], t->count, path,
					   general));
	}
end:
	kt_fsm_free(fsm);
	return code;
}

static int read_words(struct kt_needs *needs, const char *path, bool *general)
{
	struct kt_word_info info;
	kt_words *words;
	uint64_t n;
	int code;

	KT_TRY(kt_words_new(&words));
	KT_TRY_END(kt_events_read(words, path));
	kt_needs_begin(needs);
	KT_TRY_END(kt_words_get(words, 0, &info, &n));
	KT_TRY_END(note_versions(needs, info.versions));
	for (uint64_t i = 0; i < n; i++) {
		uint32_t letter;

		KT_TRY_END(kt_words_read(words, 0, i, 1, &letter));
		KT_TRY_END(kt_needs_letter(needs, kt_words_letter_name(words, letter), 1,
					   path, general));
	}
end:
	kt_words_free(words);
	return code;
}

int kt_needs_read(struct kt_needs *needs, const char *path,
		  struct kt_activity_totals *totals)
{
	const struct kt_activity_visitor *visitor = &kt_needs_visitor;
	void *context = needs;
	bool general = false;

	needs->path = path;
	if (kt_ends_in(path, ".events")) {
		KT_TRY(read_words(needs, path, &general));
	} else if (kt_machine_is_named(path)) {
		KT_TRY(kt_needs_is_list(path) ? kt_needs_read_list(needs, path)
					      : read_machine(needs, path, &general));
	} else {
		kt_needs_begin(needs);
		KT_TRY(kt_activity_read(path, &visitor, &context, 1, totals));
	}
	if (general) {
		return kt_error(KT_E_USAGE,
				"read %s: its letters do not distinguish controls and "
				"classes; use --alphabet rm, or the trace itself",
				path);
	}
	return KT_OK;
}
