/* SPDX-License-Identifier: MIT */
#include "raw/text/read-commands.h"

#include <inttypes.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/try.h"
#include "decode/classes.h"
#include "decode/gpfifo.h"
#include "raw/text/address-parts.h"

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
					      .column = (uint32_t)token->column};
	}
	s->origins[s->n_words] = (struct kt_raw_origin){.line = (uint32_t)line->number};
	s->words[s->n_words++] = (uint32_t)e->number;
	return KT_OK;
}

static int add_number(struct kt_raw_script *s, const struct kt_raw_line *line,
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

/* --- headers --- */

static int begin_dwords(struct kt_raw_commands *c, const struct kt_raw_line *line)
{
	return c->in_entry ? KT_OK : begin_entry(c, line->number);
}

/*
 * Applies the number that a line gives for a part of a dword. `now` is the part in the
 * dword so far, `was` that at the line's beginning. Returns false if two edits contradict.
 */
static bool edit(bool has_base, uint32_t was, uint32_t given, uint32_t *now)
{
	if (has_base && given == was) {
		return true;
	}
	if (has_base && *now != was && *now != given) {
		return false;
	}
	*now = given;
	return true;
}

struct header_text {
	bool has_base;
	uint32_t base;
	uint32_t form; /* index in forms[] */
	uint32_t count;
	uint32_t subchannel;
	uint32_t offset;
	uint32_t mask;
};

static const struct {
	const char *name;
	uint32_t word; /* operation and tertiary code */
	bool old;
	bool data;
	bool mask;
} forms[] = {
	{"GRP0_INC", 0, true, true, false},
	{"INC", 1u << 29, false, true, false},
	{"GRP2_NON_INC", 2u << 29, true, true, false},
	{"NON_INC", 3u << 29, false, true, false},
	{"IMMD", 4u << 29, false, true, false},
	{"ONE_INC", 5u << 29, false, true, false},
	{"END_PB_SEGMENT", 7u << 29, false, false, false},
	{"SET_SUB_DEV_MASK", 1u << 16, true, false, true},
	{"STORE_SUB_DEV_MASK", 2u << 16, true, false, true},
	{"USE_SUB_DEV_MASK", 3u << 16, true, false, true},
};
#define FORMS (sizeof(forms) / sizeof(forms[0]))

/* Reads "NAME=NUMBER"; sets *name to the part before the number. */
static bool read_assignment(const struct kt_token *token, const char *name, uint64_t *out)
{
	const size_t length = strlen(name);
	const struct kt_token value = {.text = token->text + length,
				       .length = token->length - length};

	return token->length > length && memcmp(token->text, name, length) == 0 &&
	       kt_token_number(&value, out);
}

static uint32_t encode_header(const struct header_text *h)
{
	const struct kt_method_header header = {
		.op = (enum kt_method_op)(forms[h->form].word >> 29),
		.count = (uint16_t)h->count,
		.subchannel = (uint8_t)h->subchannel,
		.offset = (uint16_t)h->offset,
	};

	return forms[h->form].mask   ? forms[h->form].word | h->mask << 4
	       : forms[h->form].data ? kt_method_header_encode(&header)
				     : forms[h->form].word;
}

/* Reads what follows "PB HDR". */
static int read_header(struct kt_raw_commands *c, struct kt_raw_line *line,
		       struct header_text *h)
{
	struct kt_method_header was = {0};
	struct header_text before;
	struct kt_token token = kt_token_take(line); /* HDR */
	uint64_t number;
	uint16_t mask = 0;
	uint32_t most;

	if (c->pending.left > 0) {
		return kt_token_fail(
			line, &token,
			"%" PRIu32 " more %s to come of the header in line %zu",
			c->pending.left, c->pending.left == 1 ? "dword has" : "dwords have",
			c->pending.line);
	}
	token = kt_token_take(line);
	if (h->has_base) {
		kt_method_header_decode(&was, h->base);
		kt_method_header_mask(h->base, &mask);
	}
	h->form = FORMS;
	for (uint32_t i = 0; i < FORMS; i++) {
		if (kt_token_is(&token, forms[i].name)) {
			h->form = i;
		}
	}
	if (h->form == FORMS) {
		return kt_token_fail(
			line, &token,
			"no form '%.*s'; there are INC, NON_INC, ONE_INC, IMMD, "
			"END_PB_SEGMENT, and old ones",
			KT_TOKEN(&token));
	}
	h->count = was.count;
	h->subchannel = was.subchannel;
	h->offset = was.offset;
	h->mask = mask;
	before = *h;
	most = forms[h->form].old ? 0x7ff : KT_METHOD_MAX_COUNT;
	while ((token = kt_token_take(line)).length > 0) {
		bool fits = true;
		bool agrees = true;

		if (read_assignment(&token, "count=", &number) ||
		    read_assignment(&token, "data=", &number)) {
			fits = number <= most;
			agrees = edit(h->has_base, before.count, (uint32_t)number,
				      &h->count);
		} else if (read_assignment(&token, "subch=", &number)) {
			fits = number < 8;
			agrees = edit(h->has_base, before.subchannel, (uint32_t)number,
				      &h->subchannel);
		} else if (read_assignment(&token, "addr_dw=", &number)) {
			fits = number <= (forms[h->form].old ? 0x7ffu : 0xfffu);
			agrees = edit(h->has_base, before.offset, (uint32_t)number * 4,
				      &h->offset);
		} else if (read_assignment(&token, "mask=", &number)) {
			fits = number <= 0xfff;
			agrees = edit(h->has_base, before.mask, (uint32_t)number, &h->mask);
		} else if (kt_token_is(&token, "(byte")) {
			kt_token_take(line); /* says addr_dw once more */
		} else {
			return kt_token_fail(line, &token, "a header has no '%.*s'",
					     KT_TOKEN(&token));
		}
		if (!fits) {
			return kt_token_fail(line, &token, "'%.*s' is too large",
					     KT_TOKEN(&token));
		}
		if (!agrees) {
			return kt_token_fail(line, &token, "'%.*s' contradicts this line",
					     KT_TOKEN(&token));
		}
	}
	return KT_OK;
}

static int add_header(struct kt_raw_commands *c, struct kt_raw_line *line,
		      struct header_text *h)
{
	struct kt_raw_pending *p = &c->pending;
	bool edited;
	uint32_t word;

	KT_TRY(read_header(c, line, h));
	word = encode_header(h);
	/* An unedited header keeps the bits that have no name. */
	edited = !h->has_base ||
		 strcmp(kt_method_header_form(h->base), forms[h->form].name) != 0;
	if (!edited) {
		struct kt_method_header was;
		uint16_t mask;

		kt_method_header_decode(&was, h->base);
		kt_method_header_mask(h->base, &mask);
		edited = (forms[h->form].data &&
			  (was.count != h->count || was.subchannel != h->subchannel ||
			   was.offset != h->offset)) ||
			 (forms[h->form].mask && mask != h->mask);
	}
	KT_TRY(add_number(c->script, line, edited ? word : h->base));
	c->last.known = false;
	if (forms[h->form].data) {
		kt_method_header_decode(&p->header, word);
		p->left = p->header.op == KT_METHOD_IMMEDIATE ? 1 : p->header.count;
		p->first = true;
		p->line = line->number;
		p->word = c->script->n_words - 1;
	}
	return KT_OK;
}

/* --- methods --- */

/* Takes a dword of the pending header: the next one goes to the next method. */
static void advance(struct kt_raw_pending *p)
{
	p->left--;
	if (p->header.op == KT_METHOD_INCREASING ||
	    p->header.op == KT_METHOD_OLD_INCREASING ||
	    (p->header.op == KT_METHOD_INCREASE_ONCE && p->first)) {
		p->header.offset = (uint16_t)(p->header.offset + 4);
	}
	p->first = false;
}

/* Makes a header for a method without one, or lengthens the header before it. */
static int make_header(struct kt_raw_commands *c, const struct kt_raw_line *line,
		       uint8_t subchannel, uint16_t offset)
{
	struct kt_raw_script *s = c->script;
	struct kt_method_header header = {.op = KT_METHOD_INCREASING,
					  .count = 1,
					  .subchannel = subchannel,
					  .offset = offset};

	if (c->last.known && c->last.added_header && c->last.subchannel == subchannel &&
	    c->last.offset + 4 == offset) {
		struct kt_method_header before;

		kt_method_header_decode(&before, s->words[c->last.header]);
		if (before.op == KT_METHOD_INCREASING &&
		    before.count < KT_METHOD_MAX_COUNT) {
			before.count++;
			s->words[c->last.header] = kt_method_header_encode(&before);
			return KT_OK;
		}
	}
	KT_TRY(add_number(s, line, kt_method_header_encode(&header)));
	c->last.header = s->n_words - 1;
	return KT_OK;
}

/* Chooses the part of an address that a method takes. */
static int choose_part(const struct kt_raw_line *line, const struct kt_token *token,
		       const struct kt_method_class *class_, uint32_t offset,
		       struct kt_raw_expression *e)
{
	struct kt_address_part part;

	if (!kt_raw_address_part(class_, offset, &part)) {
		return kt_token_fail(
			line, token,
			"this method takes no address by its name; say which part: "
			"lo($a), hi($a) or $a>>8");
	}
	e->shift = part.shift;
	return KT_OK;
}

/* Sets the class of the last method; most lines have that of the line before. */
static int find_class(struct kt_raw_commands *c, const struct kt_raw_line *line,
		      const struct kt_token *token)
{
	const struct kt_class *last =
		c->last.class_number ? kt_class_find(c->last.class_number) : NULL;

	return last && kt_token_is(token, last->name)
		       ? KT_OK
		       : kt_raw_class(line, token, &c->last.class_number);
}

/* Reads "SUBCHANNEL CLASS [OFFSET] [NAME]" up to the equals sign. */
static int read_target(struct kt_raw_commands *c, struct kt_raw_line *line,
		       const struct kt_token *first, struct kt_token *at,
		       const struct kt_method_class **class_, uint32_t *offset)
{
	struct kt_token token = kt_token_take(line);
	uint64_t subchannel = 0;
	uint64_t number;
	bool known = false;

	if (!kt_token_number(first, &subchannel) || subchannel > 7) {
		return kt_token_fail(line, first,
				     "expected a subchannel, 0 to 7, not '%.*s'",
				     KT_TOKEN(first));
	}
	c->last.subchannel = (uint8_t)subchannel;
	*class_ = NULL;
	if (kt_token_is(&token, "unknown")) {
		c->last.class_number = 0;
		kt_token_take(line); /* "unknown class" */
	} else {
		KT_TRY(find_class(c, line, &token));
		*class_ = kt_method_class_find(c->last.class_number);
	}
	*at = kt_token_peek(line);
	if (kt_token_number(at, &number)) {
		if (number > 0x3ffc + 4 * KT_METHOD_MAX_COUNT || number % 4 != 0) {
			return kt_token_fail(line, at, "no method is at '%.*s'",
					     KT_TOKEN(at));
		}
		*offset = (uint32_t)number;
		known = true;
		kt_token_take(line);
	}
	token = kt_token_peek(line);
	if (token.length == 0 || kt_token_is(&token, "=")) {
		return known ? KT_OK : kt_token_fail(line, &token, "expected a method");
	}
	kt_token_take(line);
	if (known && kt_token_number(&token, &number) && number == *offset) {
		return KT_OK; /* a method without a name */
	}
	if (!*class_) {
		return kt_token_fail(line, &token,
				     "the methods of this class have no known names");
	}
	{
		struct kt_method_info info;
		uint32_t named;

		if (known && kt_method_find(*class_, *offset, &info) && info.count == 1 &&
		    kt_token_is(&token, info.name)) {
			return KT_OK;
		}
		/* An offset that the name does not have was edited, or the name was. */
		KT_TRY(kt_raw_method(line, &token, *class_, &named));
		if (known && named != *offset) {
			return kt_token_fail(
				line, &token,
				"%.*s is at 0x%04" PRIx32 ", not 0x%04" PRIx32 "%s%s",
				KT_TOKEN(&token), named, *offset,
				kt_method_find(*class_, *offset, &info) ? ", which is "
									: "",
				kt_method_find(*class_, *offset, &info) ? info.name : "");
		}
		*offset = named;
	}
	return KT_OK;
}

/* Checks that the pending header writes to the method. */
static int expect_target(const struct kt_raw_commands *c, const struct kt_raw_line *line,
			 const struct kt_token *at, uint32_t offset)
{
	const struct kt_method_header *h = &c->pending.header;

	if (h->subchannel != c->last.subchannel || h->offset != (uint16_t)offset) {
		return kt_token_fail(
			line, at,
			"by the header in line %zu this dword goes to subchannel "
			"%u, 0x%04x, not to %u, 0x%04" PRIx32,
			c->pending.line, h->subchannel, h->offset, c->last.subchannel,
			offset);
	}
	return KT_OK;
}

/* Writes the value of an IMMEDIATE header into it. */
static int set_immediate(struct kt_raw_commands *c, const struct kt_raw_line *line,
			 const struct kt_token *token, uint32_t value)
{
	uint32_t *word = &c->script->words[c->last.word];
	struct kt_method_header header;

	if (value > KT_METHOD_MAX_COUNT) {
		return kt_token_fail(line, token,
				     "0x%" PRIx32 " does not fit into the 13 bits of IMMD",
				     value);
	}
	kt_method_header_decode(&header, *word);
	if (header.count != value) {
		header.count = (uint16_t)value;
		*word = kt_method_header_encode(&header);
	}
	return KT_OK;
}

/* Reads a method; `first` is its subchannel. */
static int read_method(struct kt_raw_commands *c, struct kt_raw_line *line,
		       const struct kt_token *first, bool has_base, uint32_t base)
{
	struct kt_raw_script *s = c->script;
	const struct kt_method_class *class_ = NULL;
	struct kt_raw_expression e = {.number = base};
	const bool continues = c->pending.left > 0;
	const size_t before = c->last.header;
	struct kt_token token;
	struct kt_token at;
	uint32_t offset = 0;
	uint8_t subchannel = c->last.subchannel;

	KT_TRY(read_target(c, line, first, &at, &class_, &offset));
	token = kt_token_take(line);
	c->last.has_value = kt_token_is(&token, "=");
	if (token.length > 0 && !c->last.has_value) {
		return kt_token_fail(line, &token, "expected '=', not '%.*s'",
				     KT_TOKEN(&token));
	}
	if (c->last.has_value) {
		token = kt_token_take(line);
		KT_TRY(kt_raw_expression(s, line, &token, &e));
		if (e.is_address && e.whole) {
			KT_TRY(choose_part(line, &token, class_, offset, &e));
		}
	}
	if (has_base && !continues) {
		return kt_token_fail(line, first, "the dword has no header above it");
	}
	if (continues) {
		KT_TRY(expect_target(c, line, &at, offset));
	} else {
		/* make_header() compares with the method before. */
		const uint8_t own = c->last.subchannel;

		c->last.subchannel = subchannel;
		c->last.header = before;
		if (offset > 0x3ffc) {
			return kt_token_fail(line, &at, "no header can begin at 0x%" PRIx32,
					     offset);
		}
		KT_TRY(make_header(c, line, own, (uint16_t)offset));
		c->last.subchannel = own;
	}
	c->last.known = true;
	c->last.added_header = !continues;
	c->last.offset = (uint16_t)offset;
	c->last.immediate = continues && c->pending.header.op == KT_METHOD_IMMEDIATE;
	c->last.has_base = has_base;
	c->last.base = base;
	c->last.is_address = e.is_address;
	c->last.value = (uint32_t)e.number;
	if (c->last.immediate) {
		if (e.is_address) {
			return kt_token_fail(line, &token, "IMMD takes a number");
		}
		c->last.word = c->pending.word;
		c->last.has_base = true;
		c->last.base = c->pending.header.count;
		if (!c->last.has_value) {
			c->last.value = c->last.base;
		}
		KT_TRY(set_immediate(c, line, &token, c->last.value));
	} else {
		KT_TRY(kt_raw_add_word(s, line, &token, &e));
		c->last.word = s->n_words - 1;
	}
	s->origins[c->last.word].class_number = c->last.class_number;
	if (continues) {
		advance(&c->pending);
	}
	return KT_OK;
}

/* --- blocks of data --- */

/* Lets the last method, which got a header, take one more dword. */
static int repeat_last(struct kt_raw_commands *c, const struct kt_raw_line *line)
{
	struct kt_raw_script *s = c->script;
	struct kt_method_header header;

	kt_method_header_decode(&header, s->words[c->last.header]);
	if (header.op == KT_METHOD_INCREASING && header.count > 1) {
		const uint32_t word = s->words[s->n_words - 1];

		/* Splits off the last method; what was its dword becomes its header. */
		header.count--;
		s->words[c->last.header] = kt_method_header_encode(&header);
		header.count = 1;
		header.offset = c->last.offset;
		KT_TRY(add_number(s, line, word));
		if (s->n_fixups > 0 && s->fixups[s->n_fixups - 1].word == s->n_words - 2) {
			s->fixups[s->n_fixups - 1].word++;
		}
		c->last.header = s->n_words - 2;
	}
	header.op = KT_METHOD_NON_INCREASING;
	if (header.count == KT_METHOD_MAX_COUNT) {
		header.count = 0;
		c->last.header = s->n_words;
		KT_TRY(add_number(s, line, 0));
	}
	header.count++;
	s->words[c->last.header] = kt_method_header_encode(&header);
	return KT_OK;
}

static int read_block(struct kt_raw_commands *c, struct kt_raw_line *line,
		      struct kt_token token)
{
	for (; token.length > 0; token = kt_token_take(line)) {
		struct kt_raw_expression e = {0};
		uint32_t word;

		if (kt_token_data(&token, &word)) {
			e.number = word;
		} else {
			KT_TRY(kt_raw_expression(c->script, line, &token, &e));
			if (!e.is_address || e.whole) {
				return kt_token_fail(
					line, &token,
					"'%.*s' is not eight hexadecimal digits, lo($a) or "
					"hi($a)",
					KT_TOKEN(&token));
			}
		}
		if (c->pending.left > 0) {
			if (c->pending.header.op == KT_METHOD_IMMEDIATE) {
				return kt_token_fail(line, &token,
						     "IMMD has its data in the header");
			}
			advance(&c->pending);
			c->last.known = false;
		} else if (c->last.known && c->last.added_header) {
			KT_TRY(repeat_last(c, line));
		}
		KT_TRY(kt_raw_add_word(c->script, line, &token, &e));
		c->last.word = c->script->n_words - 1;
		c->last.has_base = false;
		c->last.has_value = true;
		c->last.is_address = e.is_address;
		c->last.value = (uint32_t)e.number;
	}
	return KT_OK;
}

int kt_raw_read_dwords(struct kt_raw_commands *c, struct kt_raw_line *line)
{
	struct kt_token token = kt_token_take(line);
	struct header_text header = {0};
	struct kt_token next;
	uint64_t number;
	uint32_t word;

	KT_TRY(begin_dwords(c, line));
	if (token.text[token.length - 1] == ':') {
		token = kt_token_take(line); /* the index says nothing new */
	}
	if (kt_token_data(&token, &word) || token.text[0] == '$' || token.text[0] == 'l' ||
	    token.text[0] == 'h') {
		return read_block(c, line, token);
	}
	if (token.length > 3 && kt_token_number(&token, &number) && number <= UINT32_MAX) {
		header.has_base = true;
		header.base = (uint32_t)number;
		token = kt_token_take(line);
	}
	next = kt_token_peek(line);
	if (kt_token_is(&token, "PB") && kt_token_is(&next, "HDR")) {
		return add_header(c, line, &header);
	}
	return read_method(c, line, &token, header.has_base, header.base);
}

/* --- fields --- */

/* Reads "0x2 NAME", "0x2" or "NAME". */
static int read_field_value(struct kt_raw_line *line, const struct kt_method_class *class_,
			    const struct kt_method_field *field, bool has_base,
			    uint32_t was, uint32_t *out)
{
	struct kt_token token = kt_token_take(line);
	const uint32_t most = (uint32_t)((UINT64_C(2) << (field->hi - field->lo)) - 1);
	uint64_t number;
	uint32_t named;

	*out = was;
	if (kt_token_number(&token, &number)) {
		if (number > most) {
			return kt_token_fail(line, &token, "%s has %u bits", field->name,
					     field->hi - field->lo + 1u);
		}
		*out = (uint32_t)number;
		token = kt_token_take(line);
		if (token.length == 0) {
			return KT_OK;
		}
		KT_TRY(kt_raw_value(line, &token, class_, field, &named));
		if (!edit(has_base, was, named, out) || (!has_base && named != number)) {
			return kt_token_fail(line, &token, "%.*s is 0x%" PRIx32,
					     KT_TOKEN(&token), named);
		}
		return KT_OK;
	}
	return kt_raw_value(line, &token, class_, field, out);
}

int kt_raw_read_field(struct kt_raw_commands *c, struct kt_raw_line *line)
{
	const struct kt_method_class *class_ = kt_method_class_find(c->last.class_number);
	const struct kt_token token = kt_token_take(line);
	const struct kt_token equals = kt_token_take(line);
	struct kt_method_info info;
	struct kt_method_field field;
	uint32_t reference;
	uint32_t mask;
	uint32_t value;
	uint32_t was;
	uint32_t now;

	(void)equals;
	if (!c->last.known || !class_ || !kt_method_find(class_, c->last.offset, &info)) {
		return kt_token_fail(line, &token, "a field without a method above it");
	}
	KT_TRY(kt_raw_field(line, &token, class_, &info, &field));
	mask = (uint32_t)((UINT64_C(2) << (field.hi - field.lo)) - 1);
	reference = c->last.has_base ? c->last.base : c->last.value;
	was = reference >> field.lo & mask;
	now = c->last.value >> field.lo & mask;
	if (c->last.is_address) {
		return KT_OK; /* the bits are those of the address */
	}
	KT_TRY(read_field_value(line, class_, &field, c->last.has_base, was, &value));
	if (c->last.has_base ? !edit(true, was, value, &now)
			     : c->last.has_value && value != now) {
		return kt_token_fail(line, &token,
				     "%s is 0x%" PRIx32 " here, but 0x%" PRIx32
				     " in the value of %s; remove one of both",
				     field.name, value, now, info.name);
	}
	now = c->last.has_base ? now : value;
	c->last.value = (c->last.value & ~(mask << field.lo)) | now << field.lo;
	if (c->last.immediate) {
		return set_immediate(c, line, &token, c->last.value);
	}
	c->script->words[c->last.word] = c->last.value;
	return KT_OK;
}
