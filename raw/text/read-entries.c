/* SPDX-License-Identifier: MIT */
#include "raw/text/read-commands.h"

#include <inttypes.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/try.h"
#include "decode/gpfifo.h"

/* --- words --- */

int kt_raw_add_word(struct kt_raw_script *s, const struct kt_raw_line *line,
		    const struct kt_token *token, const struct kt_raw_expression *e)
{
	if (!e->is_address && e->number > UINT32_MAX) {
		return kt_token_fail(line, token, "0x%" PRIx64 " has more than 32 bits",
				     e->number);
	}
	KT_TRY(kt_array_reserve(&s->words, &s->words_capacity, s->n_words + 1));
	KT_TRY(kt_array_reserve(&s->origins, &s->origins_capacity, s->n_words + 1));
	if (e->is_address) {
		KT_TRY(kt_array_reserve(&s->fixups, &s->fixups_capacity, s->n_fixups + 1));
		s->fixups[s->n_fixups++] =
			(struct kt_raw_fixup){.word = s->n_words,
					      .buffer = e->buffer,
					      .addend = e->addend,
					      .mask = e->mask,
					      .shift = e->shift,
					      .column = (uint32_t)token->column,
					      .taken = e->taken};
	}
	s->origins[s->n_words] = (struct kt_raw_origin){.line = (uint32_t)line->number};
	s->words[s->n_words++] = (uint32_t)e->number;
	return KT_OK;
}

int kt_raw_add_number(struct kt_raw_script *s, const struct kt_raw_line *line,
		      uint32_t number)
{
	const struct kt_raw_expression e = {.number = number};

	return kt_raw_add_word(s, line, &(struct kt_token){.column = 1}, &e);
}

/* --- submissions and entries --- */

static int begin_submission(struct kt_raw_commands *c, size_t line)
{
	struct kt_raw_script *s = c->script;

	if (!c->submitting) {
		KT_TRY(kt_array_reserve(&s->steps, &s->steps_capacity, s->n_steps + 1));
		s->steps[s->n_steps++] = (struct kt_raw_step){
			.kind = KT_RAW_SUBMIT, .line = line, .first = s->n_entries};
		c->submitting = true;
	}
	return KT_OK;
}

static int begin_entry(struct kt_raw_commands *c, size_t line)
{
	struct kt_raw_script *s = c->script;

	KT_TRY(begin_submission(c, line));
	KT_TRY(kt_array_reserve(&s->entries, &s->entries_capacity, s->n_entries + 1));
	s->entries[s->n_entries++] =
		(struct kt_raw_entry){.line = line, .first_word = s->n_words};
	s->steps[s->n_steps - 1].n++;
	c->in_entry = true;
	c->last.known = false;
	return KT_OK;
}

/* Sets the length of the last entry to the number of its dwords. */
static int end_entry(struct kt_raw_commands *c)
{
	struct kt_raw_script *s = c->script;
	struct kt_raw_entry *entry;
	struct kt_gpfifo_entry e;

	if (!c->in_entry) {
		return KT_OK;
	}
	c->in_entry = false;
	c->last.known = false;
	entry = &s->entries[s->n_entries - 1];
	entry->n_words = s->n_words - entry->first_word;
	kt_gpfifo_decode(&e, entry->raw);
	if (entry->n_words == 0 || entry->n_words > KT_GPFIFO_MAX_WORDS) {
		return kt_error(KT_E_MALFORMED,
				"%s:%zu:1: an entry has 1 to %u dwords, this one %zu",
				s->file, entry->line, KT_GPFIFO_MAX_WORDS, entry->n_words);
	}
	if (e.words != entry->n_words) {
		e.words = (uint32_t)entry->n_words;
		kt_gpfifo_encode(entry->raw, &e);
	}
	return KT_OK;
}

/* Exchanges the pending data with those of the channel that the next lines are about. */
static int change_channel(struct kt_raw_commands *c, uint64_t channel)
{
	size_t i = 0;

	if (channel == c->channel) {
		return KT_OK;
	}
	if (c->pending.left > 0) {
		KT_TRY(kt_array_reserve(&c->carries, &c->carries_capacity,
					c->n_carries + 1));
		c->carries[c->n_carries++] =
			(struct kt_raw_carry){.channel = c->channel, .pending = c->pending};
	}
	c->channel = channel;
	c->pending.left = 0;
	while (i < c->n_carries && c->carries[i].channel != channel) {
		i++;
	}
	if (i < c->n_carries) {
		c->pending = c->carries[i].pending;
		c->carries[i] = c->carries[--c->n_carries];
	}
	return KT_OK;
}

int kt_raw_end_submission(struct kt_raw_commands *c)
{
	struct kt_raw_script *s = c->script;

	KT_TRY(end_entry(c));
	if (c->submitting && s->steps[s->n_steps - 1].n == 0) {
		return kt_error(KT_E_MALFORMED, "%s:%zu:1: a submission without an entry",
				s->file, s->steps[s->n_steps - 1].line);
	}
	c->submitting = false;
	return KT_OK;
}

int kt_raw_read_doorbell(struct kt_raw_commands *c, struct kt_raw_line *line)
{
	struct kt_token token = kt_token_take(line);
	uint64_t channel = c->channel;

	KT_TRY(kt_raw_end_submission(c));
	while (token.length > 0) {
		const bool named = kt_token_is(&token, "channel");

		token = kt_token_take(line);
		if (named && kt_token_number(&token, &channel)) {
			break;
		}
	}
	KT_TRY(change_channel(c, channel));
	return begin_submission(c, line->number);
}

/* --- entries --- */

static const char *const opcodes[] = {
	[KT_GPFIFO_NOP] = "NOP",
	[KT_GPFIFO_ILLEGAL] = "ILLEGAL",
	[KT_GPFIFO_GP_CRC] = "GP_CRC",
	[KT_GPFIFO_PB_CRC] = "PB_CRC",
	[KT_GPFIFO_SET_EXTENDED_BASE] = "SET_EXTENDED_BASE",
};

/* Reads one of two words into a flag; the word that equals the base's flag says nothing. */
static int read_flag(struct kt_raw_line *line, const char *off, const char *on, bool *out)
{
	const struct kt_token token = kt_token_take(line);

	if (!kt_token_is(&token, on) && !kt_token_is(&token, off)) {
		return kt_token_fail(line, &token, "expected %s or %s, not '%.*s'", off, on,
				     KT_TOKEN(&token));
	}
	*out = kt_token_is(&token, on);
	return KT_OK;
}

/* Reads a control entry after its opcode. */
static int read_control(struct kt_raw_commands *c, struct kt_raw_line *line,
			struct kt_gpfifo_entry *e, const struct kt_token *opcode)
{
	struct kt_raw_entry *entry = &c->script->entries[c->script->n_entries - 1];
	const struct kt_token token = kt_token_take(line);
	uint64_t operand;
	size_t i = 0;

	while (i < sizeof(opcodes) / sizeof(opcodes[0]) &&
	       !kt_token_is(opcode, opcodes[i])) {
		i++;
	}
	if (i == sizeof(opcodes) / sizeof(opcodes[0]) && !kt_token_is(opcode, "unknown")) {
		return kt_token_fail(line, opcode, "an entry has no '%.*s'",
				     KT_TOKEN(opcode));
	}
	if (!kt_token_number(&token, &operand) || operand > UINT32_MAX) {
		return kt_token_fail(line, &token, "expected an operand of 32 bits");
	}
	c->in_entry = false;
	if (e->words == 0 && e->operand == operand &&
	    (kt_token_is(opcode, "unknown") || e->opcode == i)) {
		return KT_OK; /* unedited: keeps bits without a name */
	}
	*e = (struct kt_gpfifo_entry){.opcode = kt_token_is(opcode, "unknown") ? e->opcode
									       : (uint8_t)i,
				      .operand = (uint32_t)operand};
	kt_gpfifo_encode(entry->raw, e);
	return KT_OK;
}

int kt_raw_read_entry(struct kt_raw_commands *c, struct kt_raw_line *line)
{
	struct kt_gpfifo_entry was;
	struct kt_gpfifo_entry e;
	struct kt_raw_entry *entry;
	struct kt_token token;
	uint64_t number;

	KT_TRY(end_entry(c));
	KT_TRY(begin_entry(c, line->number));
	entry = &c->script->entries[c->script->n_entries - 1];
	kt_token_take(line);
	/* "entry 3 at 0x...: 0x..." of a listing, or "entry" */
	token = kt_token_peek(line);
	if (token.length > 0 && token.text[0] >= '0' && token.text[0] <= '9') {
		do {
			token = kt_token_take(line);
		} while (token.length > 0 && token.text[token.length - 1] != ':');
		token = kt_token_take(line);
		if (!kt_token_number(&token, &number)) {
			return kt_token_fail(
				line, &token,
				"expected the entry's two dwords as one number");
		}
		entry->raw[0] = (uint32_t)number;
		entry->raw[1] = (uint32_t)(number >> 32);
	}
	kt_gpfifo_decode(&e, entry->raw);
	was = e;
	while ((token = kt_token_take(line)).length > 0) {
		if (kt_token_is(&token, "level")) {
			KT_TRY(read_flag(line, "main", "subroutine", &e.subroutine));
		} else if (kt_token_is(&token, "sync")) {
			KT_TRY(read_flag(line, "proceed", "wait", &e.wait));
		} else if (kt_token_is(&token, "conditional")) {
			e.conditional = true;
		} else if (kt_token_is(&token, "doorbell")) {
			kt_token_take(line); /* "doorbell unknown" */
		} else if (kt_token_is(&token, "unread:") ||
			   kt_token_is(&token, "missing")) {
			return kt_token_fail(line, &token,
					     "dwords of this entry were not recorded");
		} else if (kt_token_is(&token, "dwords")) {
			return kt_token_fail(line, &token,
					     "dwords of this entry were not decoded");
		} else if (kt_token_number(&token, &number)) {
			/* An address or "14 dwords": the segment's place and length are
			 * known. */
			token = kt_token_peek(line);
			if (kt_token_is(&token, "dwords")) {
				kt_token_take(line);
			}
		} else {
			return read_control(c, line, &e, &token);
		}
	}
	if (e.subroutine != was.subroutine || e.wait != was.wait ||
	    e.conditional != was.conditional) {
		e.words = e.words ? e.words : 1; /* end_entry() sets it */
		kt_gpfifo_encode(entry->raw, &e);
	}
	return KT_OK;
}

int kt_raw_begin_dwords(struct kt_raw_commands *c, const struct kt_raw_line *line)
{
	return c->in_entry ? KT_OK : begin_entry(c, line->number);
}
