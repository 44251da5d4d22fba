/* SPDX-License-Identifier: MIT */
#include "tests/words/collect-rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "tests/suite.h"

struct rig rig;

/* --- the listener --- */

int rig_hear_begin(void *context, const struct kt_streamed_word *word)
{
	(void)context;
	CU_ASSERT_EQUAL_FATAL(word->number, rig.n_heard);
	CU_ASSERT_FATAL(rig.n_heard < 1024);
	rig.heard[rig.n_heard++] = (struct heard){.cut_begin = word->cut_begin,
						  .provisional = word->provisional};
	return KT_OK;
}

static int hear_letter(void *context, size_t number, const struct kt_record *record)
{
	struct heard *h = &rig.heard[number];

	(void)context;
	CU_ASSERT_FATAL(number < rig.n_heard && !h->ended);
	if ((h->n & (h->n + 1)) == 0) {
		h->letters = realloc(h->letters, 2 * (h->n + 1) * sizeof(*h->letters));
	}
	h->letters[h->n++] = *record;
	return KT_OK;
}

int rig_hear_end(void *context, size_t number)
{
	(void)context;
	CU_ASSERT_FALSE(rig.heard[number].ended);
	rig.heard[number].ended = true;
	return KT_OK;
}

static const struct kt_word_listener listener = {rig_hear_begin, hear_letter, rig_hear_end,
						 NULL};

const struct kt_record *rig_letters_of(const struct kt_collected_word *w)
{
	if (!rig.listening) {
		return w->letters;
	}
	CU_ASSERT_PTR_NULL(w->letters);
	CU_ASSERT_FATAL(w->number < rig.n_heard);
	CU_ASSERT_EQUAL_FATAL(rig.heard[w->number].n, w->n);
	CU_ASSERT_EQUAL(rig.heard[w->number].cut_begin, w->info.cut_begin);
	CU_ASSERT(rig.heard[w->number].ended);
	return rig.heard[w->number].letters;
}

/* --- the records --- */

void rig_begin_unit(enum kt_word_unit unit, enum kt_source source)
{
	rig.now = 0;
	CU_ASSERT_EQUAL_FATAL(kt_collector_new(&rig.collector, "trace", unit, source),
			      KT_OK);
	if (rig.listening) {
		kt_collector_listen(rig.collector, &listener);
	}
}

void rig_begin(void)
{
	rig_begin_unit(KT_WORD_PROCESS, KT_SOURCE_USER);
}

void rig_add_record(struct kt_origin origin, struct kt_record record)
{
	record.time = ++rig.now;
	CU_ASSERT_EQUAL_FATAL(kt_collector_add(rig.collector, &origin, &record), KT_OK);
	if (record.kind == KT_EVENT_OTHER) {
		kt_collector_instance(rig.collector)->acts = true;
	}
}

void rig_add(uint32_t pid, uint64_t seq, uint32_t letter)
{
	rig_add_record((struct kt_origin){.pid = pid},
		       (struct kt_record){
			       .seq = seq, .tid = pid, .letter = letter & KT_NO_LETTER});
}

void rig_add_begin(uint32_t pid, const char *name)
{
	rig_add_record(
		(struct kt_origin){.pid = pid},
		(struct kt_record){.tid = pid, .letter = NONE, .kind = KT_EVENT_BEGIN});
	CU_ASSERT_EQUAL_FATAL(
		kt_instance_name(kt_collector_instance(rig.collector), name, true), KT_OK);
}

void rig_add_end(uint32_t pid, uint64_t seq)
{
	rig_add_record(
		(struct kt_origin){.pid = pid},
		(struct kt_record){
			.seq = seq, .tid = pid, .letter = NONE, .kind = KT_EVENT_END});
}

void rig_add_access(uint32_t tid, uint64_t seq, enum kt_run run, uint32_t mapping,
		    uint32_t letter)
{
	rig_add_record((struct kt_origin){.pid = 1},
		       (struct kt_record){.seq = seq,
					  .tid = tid,
					  .letter = letter & KT_NO_LETTER,
					  .mapping = mapping,
					  .run = run});
}

void rig_finish(size_t words)
{
	CU_ASSERT_EQUAL_FATAL(kt_collector_finish(rig.collector), KT_OK);
	CU_ASSERT_EQUAL_FATAL(kt_collector_count(rig.collector), words);
}

void rig_expect(size_t i, const char *text)
{
	const struct kt_collected_word *w = kt_collector_word(rig.collector, i);
	char *got = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&got, &size);

	CU_ASSERT_PTR_NOT_NULL_FATAL(out);
	fputs(w->info.name, out);
	if (w->info.lost) {
		fprintf(out, " lost %llu", (unsigned long long)w->info.lost);
	}
	fprintf(out, "%s%s:", w->info.cut_begin ? " cut-begin" : "",
		w->info.cut_end ? " cut-end" : "");
	for (size_t j = 0; j < w->n; j++) {
		fprintf(out, " %u", (unsigned)rig_letters_of(w)[j].letter);
	}
	fclose(out);
	if (strcmp(got, text) != 0) {
		printf("\n    got '%s', expected '%s'\n", got, text);
	}
	CU_ASSERT_STRING_EQUAL(got, text);
	free(got);
}

void rig_end(void)
{
	kt_collector_free(rig.collector);
	rig.collector = NULL;
	while (rig.n_heard > 0) {
		free(rig.heard[--rig.n_heard].letters);
	}
}

void rig_add_both(void)
{
	rig_add_begin(1, "app");
	rig_add(1, 1, 1);
	rig_add_record((struct kt_origin){.pid = 1, .kernel = true, .no_seq = true},
		       (struct kt_record){.letter = 2});
	rig_add_end(1, 2);
	rig_add_record((struct kt_origin){.pid = 5, .kernel = true, .no_seq = true},
		       (struct kt_record){.letter = 3});
	rig_add_record((struct kt_origin){.pid = 5, .kernel = true, .no_seq = true},
		       (struct kt_record){.letter = 4});
}
