/* SPDX-License-Identifier: MIT */
#include "raw/text/read-commands.h"

#include <inttypes.h>

#include <ktail/status.h>

#include "base/try.h"
#include "decode/classes.h"
#include "raw/text/address-parts.h"

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
	KT_TRY(kt_raw_add_number(s, line, kt_method_header_encode(&header)));
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
	e->taken = kt_raw_taken(&part);
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

int kt_raw_set_immediate(struct kt_raw_commands *c, const struct kt_raw_line *line,
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
		KT_TRY(kt_token_end(line));
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
		KT_TRY(kt_raw_set_immediate(c, line, &token, c->last.value));
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
		KT_TRY(kt_raw_add_number(s, line, word));
		if (s->n_fixups > 0 && s->fixups[s->n_fixups - 1].word == s->n_words - 2) {
			s->fixups[s->n_fixups - 1].word++;
		}
		c->last.header = s->n_words - 2;
	}
	header.op = KT_METHOD_NON_INCREASING;
	if (header.count == KT_METHOD_MAX_COUNT) {
		header.count = 0;
		c->last.header = s->n_words;
		KT_TRY(kt_raw_add_number(s, line, 0));
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
	bool has_base = false;
	uint32_t base = 0;
	struct kt_token next;
	uint64_t number;
	uint32_t word;

	KT_TRY(kt_raw_begin_dwords(c, line));
	if (token.text[token.length - 1] == ':') {
		token = kt_token_take(line); /* the index says nothing new */
	}
	if (token.length == 0) {
		return kt_token_fail(line, &token, "expected a dword");
	}
	if (kt_token_data(&token, &word) || token.text[0] == '$' || token.text[0] == 'l' ||
	    token.text[0] == 'h') {
		return read_block(c, line, token);
	}
	if (token.length > 3 && kt_token_number(&token, &number) && number <= UINT32_MAX) {
		has_base = true;
		base = (uint32_t)number;
		token = kt_token_take(line);
	}
	next = kt_token_peek(line);
	if (kt_token_is(&token, "PB") && kt_token_is(&next, "HDR")) {
		return kt_raw_read_header(c, line, has_base, base);
	}
	return read_method(c, line, &token, has_base, base);
}
