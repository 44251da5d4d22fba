/* SPDX-License-Identifier: MIT */
#include "raw/text/read-commands.h"

#include <inttypes.h>
#include <string.h>

#include <ktail/status.h>

#include "base/try.h"

bool kt_raw_edit(bool has_base, uint32_t was, uint32_t given, uint32_t *now)
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
			agrees = kt_raw_edit(h->has_base, before.count, (uint32_t)number,
					     &h->count);
		} else if (read_assignment(&token, "subch=", &number)) {
			fits = number < 8;
			agrees = kt_raw_edit(h->has_base, before.subchannel,
					     (uint32_t)number, &h->subchannel);
		} else if (read_assignment(&token, "addr_dw=", &number)) {
			fits = number <= (forms[h->form].old ? 0x7ffu : 0xfffu);
			agrees = kt_raw_edit(h->has_base, before.offset,
					     (uint32_t)number * 4, &h->offset);
		} else if (read_assignment(&token, "mask=", &number)) {
			fits = number <= 0xfff;
			agrees = kt_raw_edit(h->has_base, before.mask, (uint32_t)number,
					     &h->mask);
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

int kt_raw_read_header(struct kt_raw_commands *c, struct kt_raw_line *line, bool has_base,
		       uint32_t base)
{
	struct header_text text = {.has_base = has_base, .base = base};
	struct header_text *h = &text;
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
	KT_TRY(kt_raw_add_number(c->script, line, edited ? word : h->base));
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
