/* SPDX-License-Identifier: MIT */
#include "raw/text/read-expression.h"

#include <inttypes.h>
#include <string.h>

#include <ktail/status.h>

#include "base/try.h"

/* What is left of a token. */
struct rest {
	const struct kt_raw_line *line; /* Weak */
	struct kt_token token;
};

static bool take(struct rest *rest, const char *text)
{
	const size_t length = strlen(text);

	if (rest->token.length < length || memcmp(rest->token.text, text, length) != 0) {
		return false;
	}
	rest->token.text += length;
	rest->token.length -= length;
	rest->token.column += length;
	return true;
}

/* Takes all up to the next operator. */
static struct kt_token take_operand(struct rest *rest)
{
	struct kt_token operand = rest->token;
	size_t n = 0;

	while (n < operand.length && !strchr("+->&|)", operand.text[n])) {
		n++;
	}
	operand.length = n;
	rest->token.text += n;
	rest->token.length -= n;
	rest->token.column += n;
	return operand;
}

static int take_number(struct rest *rest, uint64_t most, uint64_t *out)
{
	const struct kt_token operand = take_operand(rest);

	if (!kt_token_number(&operand, out) || *out > most) {
		return kt_token_fail(rest->line, &operand,
				     "'%.*s' is not a number up to %" PRIu64,
				     KT_TOKEN(&operand), most);
	}
	return KT_OK;
}

static int take_buffer(const struct kt_raw_script *script, struct rest *rest, size_t *out)
{
	const struct kt_token name = take_operand(rest);
	struct kt_nearest nearest = kt_nearest_begin(name.text, name.length);
	char hint[KT_DID_YOU_MEAN];

	for (size_t i = 0; i < script->n_buffers; i++) {
		if (kt_token_is(&name, script->buffers[i].name)) {
			*out = i;
			return KT_OK;
		}
		kt_nearest_try(&nearest, script->buffers[i].name);
	}
	return kt_token_fail(rest->line, &name, "no buffer '%.*s' above%s", KT_TOKEN(&name),
			     kt_did_you_mean(hint, nearest.found));
}

static int take_address(const struct kt_raw_script *script, struct rest *rest,
			struct kt_raw_expression *out)
{
	const struct kt_token all = rest->token;
	uint64_t number;
	bool minus;

	if (!take(rest, "$")) {
		return kt_token_fail(rest->line, &rest->token,
				     "'%.*s' is neither a number nor an address such as "
				     "$a+16",
				     KT_TOKEN(&rest->token));
	}
	KT_TRY(take_buffer(script, rest, &out->buffer));
	while ((minus = take(rest, "-")) || take(rest, "+")) {
		KT_TRY(take_number(rest, INT64_MAX, &number));
		out->addend += minus ? 0 - number : number;
	}
	if (out->addend > script->buffers[out->buffer].bytes) {
		return kt_token_fail(rest->line, &all,
				     "'%.*s' is outside of $%s, which has %" PRIu64
				     " bytes",
				     KT_TOKEN(&all), script->buffers[out->buffer].name,
				     script->buffers[out->buffer].bytes);
	}
	return KT_OK;
}

int kt_raw_expression(const struct kt_raw_script *script, const struct kt_raw_line *line,
		      const struct kt_token *token, struct kt_raw_expression *out)
{
	struct rest rest = {.line = line, .token = *token};
	uint64_t number;
	bool low;

	*out = (struct kt_raw_expression){.mask = UINT32_MAX, .taken = UINT64_MAX};
	if (kt_token_number(token, &out->number)) {
		return KT_OK;
	}
	out->is_address = out->whole = true;
	low = take(&rest, "lo(");
	if (low || take(&rest, "hi(")) {
		KT_TRY(take_address(script, &rest, out));
		out->shift = low ? 0 : 32;
		out->whole = false;
		if (!take(&rest, ")")) {
			return kt_token_fail(line, &rest.token, "expected ')'");
		}
	} else {
		KT_TRY(take_address(script, &rest, out));
	}
	if (out->whole && take(&rest, ">>")) {
		KT_TRY(take_number(&rest, 63, &number));
		out->shift = (uint8_t)number;
		out->whole = false;
	}
	if (take(&rest, "&")) {
		KT_TRY(take_number(&rest, UINT32_MAX, &number));
		out->mask = (uint32_t)number;
		out->whole = false;
	}
	if (take(&rest, "|")) {
		KT_TRY(take_number(&rest, UINT32_MAX, &out->number));
		out->whole = false;
	}
	if (rest.token.length > 0) {
		return kt_token_fail(line, &rest.token, "'%.*s' is not part of an address",
				     KT_TOKEN(&rest.token));
	}
	return KT_OK;
}

int kt_raw_range(const struct kt_raw_script *script, const struct kt_raw_line *line,
		 const struct kt_token *token, struct kt_raw_range *out)
{
	struct kt_raw_expression e;

	KT_TRY(kt_raw_expression(script, line, token, &e));
	if (!e.is_address || !e.whole) {
		return kt_token_fail(line, token,
				     "expected an address such as $a+16, not '%.*s'",
				     KT_TOKEN(token));
	}
	*out = (struct kt_raw_range){.buffer = e.buffer, .offset = e.addend};
	return KT_OK;
}
