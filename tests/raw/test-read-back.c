/* SPDX-License-Identifier: MIT */
/*
 * Reads back what `ktail decode` prints.
 *   test-read-back TRACE...
 * For each submission of the traces: printed with --raw, the same entries and dwords, to
 * the bit; printed without, the same methods and values in the same order. Then the former
 * for random dwords.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "annotate/listing/print.h"
#include "annotate/listing/select.h"
#include "decode/commands.h"
#include "raw/text/script.h"
#include "tests/suite.h"

/* What is printed, and what must be read. */
struct expected {
	FILE *out;
	bool raw;
	struct kt_text_printer printer;
	struct kt_selection selection;
	struct kt_selector selector;
	uint64_t submissions;
	uint64_t last;     /* number of the last submission */
	uint32_t *entries; /* two dwords each */
	size_t n_entries;
	uint32_t *segments; /* number of dwords of each entry */
	uint32_t *words;
	size_t n_words;
	uint64_t *methods;
	size_t n_methods;
};

static void *grow(void *items, size_t n, size_t size)
{
	if (n % 4096 == 0) {
		items = realloc(items, (n + 4096) * size);
		CU_ASSERT_PTR_NOT_NULL_FATAL(items);
	}
	return items;
}

static uint64_t method_key(const struct kt_method *m)
{
	return (uint64_t)m->subchannel << 48 | (uint64_t)m->offset << 32 | m->value;
}

static void put_entry(void *context, struct kt_submission *s,
		      const struct kt_submitted_entry *e)
{
	struct expected *x = context;

	x->submissions += s->number != x->last;
	x->last = s->number;
	x->entries = grow(x->entries, x->n_entries, 8);
	x->segments = grow(x->segments, x->n_entries, 4);
	x->entries[2 * x->n_entries] = (uint32_t)e->raw;
	x->entries[2 * x->n_entries + 1] = (uint32_t)(e->raw >> 32);
	x->segments[x->n_entries++] = (uint32_t)e->n_dwords;
	for (size_t i = 0; i < e->n_dwords; i++) {
		x->words = grow(x->words, x->n_words, 4);
		x->words[x->n_words++] = e->dwords[i];
	}
	kt_selector_visitor.entry(&x->selector, s, e);
}

static void put_method(void *context, struct kt_submission *s,
		       const struct kt_submitted_entry *e, const struct kt_decoded *d)
{
	struct expected *x = context;

	x->methods = grow(x->methods, x->n_methods, 8);
	x->methods[x->n_methods++] = method_key(&d->method);
	kt_selector_visitor.method(&x->selector, s, e, d);
}

static void put_decoded(void *context, const struct kt_submission *s,
			const struct kt_submitted_entry *e,
			const struct kt_decode_counts *counts)
{
	kt_selector_visitor.decoded(&((struct expected *)context)->selector, s, e, counts);
}

static void put_end(void *context, const struct kt_submission *s)
{
	kt_selector_visitor.end(&((struct expected *)context)->selector, s);
}

static const struct kt_submission_visitor visitor = {
	.entry = put_entry, .method = put_method, .decoded = put_decoded, .end = put_end};

static void begin(struct expected *x, bool raw, char **text, size_t *size)
{
	*x = (struct expected){.raw = raw, .out = open_memstream(text, size)};
	CU_ASSERT_PTR_NOT_NULL_FATAL(x->out);
	x->printer = (struct kt_text_printer){
		.out = x->out, .raw = raw, .most_data = UINT64_MAX};
	x->printer.line = kt_wrap_line(x->out, 0);
	x->selector = (struct kt_selector){.selection = &x->selection,
					   .printer = &kt_print_text,
					   .context = &x->printer,
					   .path = "trace"};
}

/* --- what was read --- */

static void check_words(const struct expected *x, const struct kt_raw_script *s)
{
	CU_ASSERT_EQUAL_FATAL(s->n_words, x->n_words);
	for (size_t i = 0; i < s->n_words; i++) {
		if (s->words[i] != x->words[i]) {
			printf("line %" PRIu32 ": %08" PRIx32 " for %08" PRIx32 "\n",
			       s->origins[i].line, s->words[i], x->words[i]);
			CU_FAIL_FATAL("a dword differs");
		}
	}
	for (size_t i = 0; i < s->n_entries; i++) {
		const struct kt_raw_entry *e = &s->entries[i];

		if (memcmp(e->raw, x->entries + 2 * i, 8) != 0 ||
		    e->n_words != x->segments[i]) {
			printf("line %zu: %08" PRIx32 " %08" PRIx32 " for %08" PRIx32
			       " %08" PRIx32 "\n",
			       e->line, e->raw[0], e->raw[1], x->entries[2 * i],
			       x->entries[2 * i + 1]);
			CU_FAIL_FATAL("an entry differs");
		}
	}
}

static void check_methods(const struct expected *x, const struct kt_raw_script *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n_entries; i++) {
		const struct kt_raw_entry *e = &s->entries[i];
		struct kt_method_stream stream;
		struct kt_method m;

		kt_method_stream_start(&stream, s->words + e->first_word, e->n_words);
		while (kt_method_next(&stream, &m) == KT_METHOD_GIVEN) {
			if (n >= x->n_methods || x->methods[n] != method_key(&m)) {
				printf("line %" PRIu32 "\n",
				       s->origins[e->first_word + m.at].line);
				CU_FAIL_FATAL("a method differs");
			}
			n++;
		}
	}
	CU_ASSERT_EQUAL(n, x->n_methods);
}

static void end(struct expected *x, char **text, size_t *size)
{
	struct kt_raw_script script;
	int code;

	fclose(x->out);
	code = kt_raw_script_read(&script, "listing", *text, *size);
	if (code) {
		printf("%s\n", kt_error_message());
	}
	CU_ASSERT_EQUAL_FATAL(code, KT_OK);
	CU_ASSERT_EQUAL_FATAL(script.n_entries, x->n_entries);
	CU_ASSERT_EQUAL(script.n_steps, x->submissions);
	if (x->raw) {
		check_words(x, &script);
	} else {
		check_methods(x, &script);
	}
	kt_raw_script_free(&script);
	free(*text);
	free(x->entries);
	free(x->segments);
	free(x->words);
	free(x->methods);
}

/* --- traces --- */

static char **traces;

static uint64_t check_trace(const char *path, bool raw)
{
	struct kt_submission_totals totals = {.reading.source = KT_SOURCE_USER};
	struct expected x;
	char *text;
	size_t size;

	begin(&x, raw, &text, &size);
	CU_ASSERT_EQUAL_FATAL(kt_submissions_read(path, &visitor, &x, &totals), KT_OK);
	kt_print_text.end(&x.printer, &totals);
	kt_submission_totals_free(&totals);
	end(&x, &text, &size);
	return x.submissions;
}

static void test_traces(void)
{
	uint64_t n = 0;

	for (char **path = traces; *path; path++) {
		n += check_trace(*path, true);
		check_trace(*path, false);
	}
	printf("%" PRIu64 " submissions ", n);
	CU_ASSERT(n >= 1000);
}

/* --- random dwords --- */

static uint32_t draw(void)
{
	static uint64_t state = 1;

	state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(state >> 32);
}

/* Returns a random dword, which is often a header, of any form, of a few dwords. */
static uint32_t draw_word(void)
{
	const uint32_t form = draw() % 8;

	if (draw() % 3 == 0) {
		return draw();
	}
	return form << 29 | (draw() % 6) << (form % 2 ? 16 : 18) | (draw() % 8) << 13 |
	       (draw() & 0xfff);
}

struct decoding {
	struct expected *expected;
	struct kt_submission *submission;
	struct kt_submitted_entry *entry;
};

static void each(void *context, const struct kt_decoded *decoded)
{
	const struct decoding *d = context;

	put_method(d->expected, d->submission, d->entry, decoded);
}

/* Puts an entry that is random but for its length. */
static void put_random(struct expected *x, struct kt_channel_decoder *decoder,
		       struct kt_submission *s)
{
	uint32_t words[64];
	struct kt_submitted_entry e = {.dwords = words, .unread = ""};
	struct decoding decoding = {x, s, &e};
	struct kt_decode_counts before;
	struct kt_decode_counts counts;

	e.n_dwords = 1 + draw() % 64;
	e.words = e.captured = (uint32_t)e.n_dwords;
	for (size_t i = 0; i < e.n_dwords; i++) {
		words[i] = draw_word();
	}
	e.raw = (draw() & 0x800003ff) | (uint64_t)e.n_dwords << 10;
	e.raw = e.raw << 32 | draw();
	kt_gpfifo_decode(&e.entry, (uint32_t[2]){(uint32_t)e.raw, (uint32_t)(e.raw >> 32)});
	e.address = e.entry.address;
	put_entry(x, s, &e);
	kt_channel_decoder_counts(decoder, &before);
	kt_channel_decode(decoder, words, e.n_dwords, each, &decoding);
	kt_channel_decoder_counts(decoder, &counts);
	counts.bad -= before.bad;
	put_decoded(x, s, &e, &counts);
}

/* Puts a control entry. */
static void put_control(struct expected *x, struct kt_submission *s)
{
	struct kt_submitted_entry e = {.unread = ""};

	e.raw = (uint64_t)(draw() & 0x800003ff) << 32 | draw();
	kt_gpfifo_decode(&e.entry, (uint32_t[2]){(uint32_t)e.raw, (uint32_t)(e.raw >> 32)});
	put_entry(x, s, &e);
}

static void check_random(uint64_t number)
{
	struct kt_channel_decoder *decoder;
	struct kt_submission s = {
		.number = number, .process = "app", .class_number = 0xc86f};
	struct expected x;
	char *text;
	size_t size;

	begin(&x, true, &text, &size);
	CU_ASSERT_EQUAL_FATAL(kt_channel_decoder_new(&decoder, 0xc86f), KT_OK);
	kt_channel_decoder_allow(decoder, 0xcbc0);
	kt_channel_decoder_allow(decoder, 0xc8b5);
	for (uint32_t i = draw() % 4; i < 4; i++) {
		if (draw() % 8 == 0) {
			put_control(&x, &s);
		} else {
			put_random(&x, decoder, &s);
		}
	}
	put_end(&x, &s);
	kt_channel_decoder_free(decoder);
	end(&x, &text, &size);
}

static void test_random(void)
{
	for (uint64_t i = 1; i <= 2000; i++) {
		check_random(i);
	}
}

/* --- edited values --- */

/* Returns where the value of a method with a dword begins in the line; NULL if it has none.
 */
static char *value_in(char *line)
{
	char *equals = strstr(line, " = 0x");
	unsigned index;
	uint32_t word;
	unsigned subchannel;
	int n = 0;

	return equals &&
			       sscanf(line, " %u: 0x%8" SCNx32 "  %u %n", &index, &word,
				      &subchannel, &n) == 3 &&
			       n > 0
		       ? equals + 5
		       : NULL;
}

/* Copies the listing with some values edited; sets edits[line] to 1 + the new value, or 0.
 */
static char *edit_values(const char *text, uint64_t *edits)
{
	char *copy = strdup(text);
	char *out = NULL;
	size_t size = 0;
	FILE *stream = open_memstream(&out, &size);
	char *rest = copy;
	size_t number = 0;

	CU_ASSERT_FATAL(copy && stream);
	for (char *line; (line = strsep(&rest, "\n")) != NULL;) {
		char *value = value_in(line);

		edits[++number] = 0;
		if (value && draw() % 2 == 0) {
			const uint32_t drawn = draw() >> draw() % 32;

			edits[number] = UINT64_C(1) + drawn;
			*value = '\0';
			fprintf(stream, "%s%" PRIx32 "\n", line, drawn);
		} else {
			fprintf(stream, "%s\n", line);
		}
	}
	fclose(stream);
	free(copy);
	return out;
}

/* Edits values of the first trace's listing: these dwords change, and no others. */
static void test_edited(void)
{
	struct kt_submission_totals totals = {.reading.source = KT_SOURCE_USER};
	struct kt_raw_script script;
	struct expected x;
	uint64_t *edits;
	char *text;
	char *edited;
	size_t size;
	size_t n_edited = 0;

	begin(&x, true, &text, &size);
	CU_ASSERT_EQUAL_FATAL(kt_submissions_read(traces[0], &visitor, &x, &totals), KT_OK);
	kt_submission_totals_free(&totals);
	fflush(x.out);
	edits = calloc(size, sizeof(*edits));
	CU_ASSERT_PTR_NOT_NULL_FATAL(edits);
	edited = edit_values(text, edits);
	CU_ASSERT_EQUAL_FATAL(
		kt_raw_script_read(&script, "listing", edited, strlen(edited)), KT_OK);
	CU_ASSERT_EQUAL_FATAL(script.n_words, x.n_words);
	for (size_t i = 0; i < script.n_words; i++) {
		const uint64_t edit = edits[script.origins[i].line];

		n_edited += edit > 0;
		if (script.words[i] != (edit ? (uint32_t)(edit - 1) : x.words[i])) {
			printf("line %" PRIu32 "\n", script.origins[i].line);
			CU_FAIL_FATAL("a dword is not as edited");
		}
	}
	printf("%zu edits ", n_edited);
	CU_ASSERT(n_edited > 1000);
	kt_raw_script_free(&script);
	free(edited);
	free(edits);
	end(&x, &text, &size);
}

int main(int argc, char **argv)
{
	CU_TestInfo tests[] = {
		{"submissions of traces", test_traces},
		{"random dwords", test_random},
		{"edited values", test_edited},
		CU_TEST_INFO_NULL,
	};

	(void)argc;
	traces = argv + 1;
	return kt_run_suite("raw-read-back", tests);
}
