/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "raw/text/script.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/try.h"
#include "raw/text/move.h"
#include "raw/text/read-commands.h"

#define BUFFER_MOST (UINT64_C(1) << 40) /* bytes; larger than any device's memory */

struct reader {
	struct kt_raw_script *script; /* Weak */
	struct kt_raw_commands commands;
	/* The last lines were arguments of a launch, and more of their dwords may
	 * come.
	 */
	bool in_arguments;
	uint64_t arguments;
};

static int add_step(struct reader *r, const struct kt_raw_line *line, enum kt_raw_kind kind,
		    struct kt_raw_step **out)
{
	struct kt_raw_script *s = r->script;

	KT_TRY(kt_raw_end_submission(&r->commands));
	KT_TRY(kt_array_reserve(&s->steps, &s->steps_capacity, s->n_steps + 1));
	*out = &s->steps[s->n_steps++];
	**out = (struct kt_raw_step){
		.kind = kind, .line = line->number, .first = s->n_words};
	return KT_OK;
}

/* --- statements --- */

/* buffer NAME BYTES [device|host|low] */
static int read_buffer(struct reader *r, struct kt_raw_line *line)
{
	static const char *const memories[] = {"device", "host", "low"};
	struct kt_raw_script *s = r->script;
	const struct kt_token name = kt_token_take(line);
	struct kt_raw_buffer *buffer;
	struct kt_token token;
	uint64_t bytes;
	size_t i = 0;

	for (size_t j = 0; j < name.length; j++) {
		const char c = name.text[j];

		if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && c != '_' &&
		    !(j > 0 && c >= '0' && c <= '9')) {
			return kt_token_fail(
				line, &name,
				"a name has letters, digits and '_', and begins "
				"with no digit");
		}
	}
	if (name.length == 0) {
		return kt_token_fail(line, &name, "expected a name");
	}
	for (size_t j = 0; j < s->n_buffers; j++) {
		if (kt_token_is(&name, s->buffers[j].name)) {
			return kt_token_fail(line, &name,
					     "there is a buffer '%.*s' already",
					     KT_TOKEN(&name));
		}
	}
	token = kt_token_take(line);
	if (!kt_token_number(&token, &bytes) || bytes == 0 || bytes > BUFFER_MOST ||
	    bytes % 4 != 0) {
		return kt_token_fail(line, &token,
				     "expected a number of bytes that is a multiple of 4");
	}
	token = kt_token_take(line);
	while (token.length > 0 && i < 3 && !kt_token_is(&token, memories[i])) {
		i++;
	}
	if (i == 3) {
		return kt_token_fail(line, &token,
				     "expected device, host or low, not '%.*s'",
				     KT_TOKEN(&token));
	}
	KT_TRY(kt_array_reserve(&s->buffers, &s->buffers_capacity, s->n_buffers + 1));
	buffer = &s->buffers[s->n_buffers];
	*buffer = (struct kt_raw_buffer){.name = strndup(name.text, name.length),
					 .bytes = bytes,
					 .memory = (enum kt_raw_memory)i};
	if (!buffer->name) {
		return kt_no_memory("read script");
	}
	s->n_buffers++;
	return kt_token_end(line);
}

/* Reads an address and checks that a dword can lie there. */
static int read_range(struct reader *r, struct kt_raw_line *line, struct kt_raw_range *out)
{
	const struct kt_token token = kt_token_take(line);

	KT_TRY(kt_raw_range(r->script, line, &token, out));
	return out->offset % 4
		       ? kt_token_fail(line, &token,
				       "expected an address that is a multiple of 4")
		       : KT_OK;
}

static int check_inside(const struct reader *r, const struct kt_raw_line *line,
			const struct kt_token *token, struct kt_raw_range at,
			uint64_t bytes)
{
	const struct kt_raw_buffer *buffer = &r->script->buffers[at.buffer];

	return bytes > buffer->bytes - at.offset
		       ? kt_token_fail(line, token,
				       "only %" PRIu64 " bytes of $%s are from there on",
				       buffer->bytes - at.offset, buffer->name)
		       : KT_OK;
}

static int read_bytes(struct reader *r, struct kt_raw_line *line, struct kt_raw_range at,
		      uint64_t *out)
{
	const struct kt_token token = kt_token_take(line);

	if (!kt_token_number(&token, out) || *out == 0 || *out % 4 != 0) {
		return kt_token_fail(line, &token,
				     "expected a number of bytes that is a multiple of 4");
	}
	return check_inside(r, line, &token, at, *out);
}

/* ADDRESS DWORD... */
static int read_dwords(struct reader *r, struct kt_raw_line *line, enum kt_raw_kind kind)
{
	struct kt_raw_step *step;
	struct kt_token token;

	KT_TRY(add_step(r, line, kind, &step));
	KT_TRY(read_range(r, line, &step->at));
	while ((token = kt_token_take(line)).length > 0) {
		struct kt_raw_expression e;

		KT_TRY(kt_raw_expression(r->script, line, &token, &e));
		if (e.is_address && e.whole) {
			return kt_token_fail(line, &token,
					     "say which part of the address: lo(...) or "
					     "hi(...)");
		}
		KT_TRY(kt_raw_add_word(r->script, line, &token, &e));
		step->n++;
		KT_TRY(check_inside(r, line, &token, step->at, 4 * step->n));
	}
	return step->n ? KT_OK : kt_token_fail(line, &token, "expected a dword");
}

static int read_set(struct reader *r, struct kt_raw_line *line)
{
	return read_dwords(r, line, KT_RAW_SET);
}

static int read_expect(struct reader *r, struct kt_raw_line *line)
{
	return read_dwords(r, line, KT_RAW_EXPECT);
}

/* fill ADDRESS BYTES DWORD|index */
static int read_fill(struct reader *r, struct kt_raw_line *line)
{
	struct kt_raw_expression e;
	struct kt_raw_step *step;
	struct kt_token token;

	KT_TRY(add_step(r, line, KT_RAW_FILL, &step));
	KT_TRY(read_range(r, line, &step->at));
	KT_TRY(read_bytes(r, line, step->at, &step->bytes));
	token = kt_token_take(line);
	if (!kt_token_is(&token, "index")) {
		KT_TRY(kt_raw_expression(r->script, line, &token, &e));
		if (e.is_address && e.whole) {
			return kt_token_fail(line, &token, "expected a dword or index");
		}
		KT_TRY(kt_raw_add_word(r->script, line, &token, &e));
		step->n = 1;
	}
	return kt_token_end(line);
}

static int read_print(struct reader *r, struct kt_raw_line *line)
{
	struct kt_raw_step *step;

	KT_TRY(add_step(r, line, KT_RAW_PRINT, &step));
	KT_TRY(read_range(r, line, &step->at));
	KT_TRY(read_bytes(r, line, step->at, &step->bytes));
	return kt_token_end(line);
}

/* same ADDRESS ADDRESS BYTES */
static int read_same(struct reader *r, struct kt_raw_line *line)
{
	struct kt_raw_step *step;
	struct kt_token token;

	KT_TRY(add_step(r, line, KT_RAW_SAME, &step));
	KT_TRY(read_range(r, line, &step->at));
	KT_TRY(read_range(r, line, &step->other));
	token = kt_token_peek(line);
	KT_TRY(read_bytes(r, line, step->at, &step->bytes));
	KT_TRY(check_inside(r, line, &token, step->other, step->bytes));
	return kt_token_end(line);
}

/* move ADDRESS BYTES BUFFER-ADDRESS */
static int read_move(struct reader *r, struct kt_raw_line *line)
{
	struct kt_raw_script *s = r->script;
	struct kt_raw_move move;
	struct kt_token token = kt_token_take(line);

	if (!kt_token_number(&token, &move.address)) {
		return kt_token_fail(line, &token,
				     "expected a recorded address, not '%.*s'",
				     KT_TOKEN(&token));
	}
	token = kt_token_take(line);
	if (!kt_token_number(&token, &move.bytes) || move.bytes == 0) {
		return kt_token_fail(line, &token, "expected a number of bytes");
	}
	KT_TRY(read_range(r, line, &move.to));
	KT_TRY(check_inside(r, line, &token, move.to, move.bytes));
	KT_TRY(kt_array_reserve(&s->moves, &s->moves_capacity, s->n_moves + 1));
	s->moves[s->n_moves++] = move;
	return kt_token_end(line);
}

static int read_wait(struct reader *r, struct kt_raw_line *line)
{
	struct kt_raw_step *step;

	KT_TRY(add_step(r, line, KT_RAW_WAIT, &step));
	return kt_token_end(line);
}

/* --- lines of a listing --- */

static int read_entry(struct reader *r, struct kt_raw_line *line)
{
	line->at = 0;
	return kt_raw_read_entry(&r->commands, line);
}

static int read_doorbell(struct reader *r, struct kt_raw_line *line)
{
	line->at = 0;
	return kt_raw_read_doorbell(&r->commands, line);
}

static int read_ring(struct reader *r, struct kt_raw_line *line)
{
	const struct kt_token token = kt_token_peek(line);

	if (kt_token_is(&token, "from")) {
		return kt_token_fail(line, &token, "entries of the ring were not recorded");
	}
	return read_doorbell(r, line);
}

static int skip(struct reader *r, struct kt_raw_line *line)
{
	(void)r;
	(void)line;
	return KT_OK;
}

/* arguments ADDRESS, BYTES bytes: */
static int begin_arguments(struct reader *r, struct kt_raw_line *line)
{
	struct kt_token token = kt_token_take(line);
	uint64_t bytes = 0;

	token = kt_token_take(line);
	(void)kt_token_number(&token, &bytes);
	r->arguments = bytes / 4 + (bytes % 4 != 0);
	return KT_OK;
}

/* A line of the arguments' dwords. */
static int read_arguments(struct reader *r, struct kt_raw_line *line, struct kt_token token)
{
	for (; token.length > 0; token = kt_token_take(line)) {
		uint32_t data;

		if (r->arguments == 0 || !kt_token_data(&token, &data)) {
			return kt_token_fail(
				line, &token,
				"this is not among the dwords of the arguments");
		}
		r->arguments--;
	}
	return KT_OK;
}

static int end_submission(struct reader *r, struct kt_raw_line *line)
{
	(void)line;
	return kt_raw_end_submission(&r->commands);
}

/* What a line does, by its first word. */
static const struct {
	const char *word;
	int (*read)(struct reader *r, struct kt_raw_line *line);
	bool statement; /* proposed for a word that is near */
} words[] = {
	{"buffer", read_buffer, true},     {"set", read_set, true},
	{"fill", read_fill, true},         {"print", read_print, true},
	{"expect", read_expect, true},     {"same", read_same, true},
	{"wait", read_wait, true},         {"move", read_move, true},
	{"doorbell", read_doorbell, true}, {"ring", read_ring, false},
	{"entry", read_entry, true},
};

/* What a listing adds, in the forms of kt_token_form(). */
static const struct {
	const char *form;
	int (*read)(struct reader *r, struct kt_raw_line *line);
} added[] = {
	{"trace *", end_submission},
	{"submitted: N *", end_submission},
	{"device: done at *", skip},
	{"=> *", skip},
	{"arguments N N bytes:", begin_arguments},
	{"constants N N N bytes", skip},
	{"release N payload N", skip},
	{"QMD W = N *", skip},
	{"not decoded: N from an unknown header on", skip},
	/* totals */
	{"submissions: N N of them shown; in the whole trace:", end_submission},
	{"doorbells: N N of them without an entry", end_submission},
	{"entries: N N of them control, N without a known doorbell", skip},
	{"dwords: N in segments, *", skip},
	{"dwords that cannot be decoded because earlier ones are missing: N", skip},
	{"dwords announced by a header but missing: N", skip},
	{"methods: N N without a public name, *", skip},
	{"unread: *", skip},
	{"nothing was dropped: all dwords were captured and decoded", skip},
	{"the trace is incomplete: *", skip},
	{"all captured dwords were decoded", skip},
};

static int read_line(struct reader *r, struct kt_raw_line *line)
{
	struct kt_token token = kt_token_take(line);
	struct kt_nearest nearest = kt_nearest_begin(token.text, token.length);
	const struct kt_token next = kt_token_peek(line);
	char hint[KT_DID_YOU_MEAN];
	uint64_t number;
	uint32_t data;

	if (token.length == 0) {
		return KT_OK;
	}
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (kt_token_is(&token, words[i].word)) {
			r->in_arguments = false;
			return words[i].read(r, line);
		}
	}
	for (size_t i = 0; i < sizeof(added) / sizeof(added[0]); i++) {
		if (kt_token_form(line, added[i].form)) {
			r->in_arguments = added[i].read == begin_arguments;
			return added[i].read(r, line);
		}
	}
	if (kt_token_is(&next, "=")) {
		line->at = 0;
		return kt_raw_read_field(&r->commands, line);
	}
	if (kt_token_number(&token, &number) && kt_token_is(&next, "dwords")) {
		return kt_token_fail(
			line, &token,
			"the listing leaves dwords out; list it without --data");
	}
	if (r->in_arguments && kt_token_data(&token, &data)) {
		return read_arguments(r, line, token);
	}
	r->in_arguments = false;
	if ((token.text[0] >= '0' && token.text[0] <= '9') || token.text[0] == '$' ||
	    (token.length == 8 && kt_token_data(&token, &(uint32_t){0})) ||
	    (token.length > 3 &&
	     (memcmp(token.text, "lo(", 3) == 0 || memcmp(token.text, "hi(", 3) == 0)) ||
	    kt_token_is(&token, "PB")) {
		line->at = 0;
		return kt_raw_read_dwords(&r->commands, line);
	}
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (words[i].statement) {
			kt_nearest_try(&nearest, words[i].word);
		}
	}
	return kt_token_fail(line, &token, "no statement '%.*s'%s", KT_TOKEN(&token),
			     kt_did_you_mean(hint, nearest.found));
}

int kt_raw_script_read(struct kt_raw_script *out, const char *file, const char *text,
		       size_t length)
{
	struct reader r = {.script = out, .commands = {.script = out}};
	struct kt_raw_line line = {.file = file};
	const char *end = text + length;
	int code = KT_OK;

	*out = (struct kt_raw_script){.file = file};
	while (text < end && !code) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));

		line.number++;
		line.text = text;
		line.length = (size_t)((newline ? newline : end) - text);
		line.at = 0;
		code = read_line(&r, &line);
		text = newline ? newline + 1 : end;
	}
	if (!code) {
		code = kt_raw_end_submission(&r.commands);
	}
	if (!code) {
		code = kt_raw_move(out);
	}
	free(r.commands.carries);
	return code;
}
