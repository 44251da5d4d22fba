/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "decode/api-functions.h"

/* A parameter of a function, as parsed from the table. */
struct parameter {
	size_t size;
	size_t alignment;
	bool floating;
};

/* Position of the next parameter, as given by the parameters before it. */
struct position {
	size_t registers; /* integer registers used so far */
	size_t vectors;   /* vector registers used so far */
	size_t stack;     /* stack bytes used so far */
};

enum { WORD = 8, VECTORS = 8 };

static size_t number(const char **text)
{
	size_t value = 0;

	for (; **text >= '0' && **text <= '9'; (*text)++) {
		value = value * 10 + (size_t)(**text - '0');
	}
	return value;
}

/* Parses the next parameter; false at the end of the text. */
static bool next(struct parameter *parameter, const char **text)
{
	char c = **text;

	if (c == '\0') {
		return false;
	}
	(*text)++;
	if (c == '(') { /* "(SIZE/ALIGN)" */
		parameter->size = number(text);
		(*text)++;
		parameter->alignment = number(text);
		(*text)++;
		parameter->floating = false;
	} else if (c == 'f') {
		*parameter = (struct parameter){4, 4, true};
	} else if (c == 'd') {
		*parameter = (struct parameter){8, 8, true};
	} else {
		*parameter =
			(struct parameter){(size_t)(c - '0'), (size_t)(c - '0'), false};
	}
	return true;
}

/*
 * Advances *position by a parameter, and returns how many integer registers the parameter
 * takes; 0 if it is passed in a vector register or on the stack.
 */
static size_t take(struct position *position, const struct parameter *parameter)
{
	size_t words = (parameter->size + WORD - 1) / WORD;

	if (parameter->floating && position->vectors < VECTORS) {
		position->vectors++;
		return 0;
	}
	if (!parameter->floating && words <= 2 &&
	    position->registers + words <= KT_API_ARGUMENTS) {
		position->registers += words;
		return words;
	}
	position->stack += words * WORD;
	return 0;
}

size_t kt_api_arguments_of_registers(uint64_t arguments[KT_API_ARGUMENTS],
				     const struct kt_api_function *function,
				     const uint64_t registers[KT_API_ARGUMENTS])
{
	struct position position = {0};
	struct parameter parameter;
	const char *text;
	size_t n = 0;

	if (!function || !function->parameters) {
		memcpy(arguments, registers, KT_API_ARGUMENTS * sizeof(*arguments));
		return KT_API_ARGUMENTS;
	}
	for (text = function->parameters; next(&parameter, &text);) {
		size_t words = take(&position, &parameter);

		for (size_t i = 0; i < words; i++, n++) {
			size_t left = parameter.size - i * WORD;

			arguments[n] = registers[n];
			if (left < WORD) {
				arguments[n] &= (UINT64_C(1) << (8 * left)) - 1;
			}
		}
	}
	return n;
}

size_t kt_api_arguments_of_struct(uint64_t arguments[KT_API_ARGUMENTS],
				  const struct kt_api_function *function,
				  const void *params)
{
	struct position position = {0};
	struct parameter parameter;
	const char *text;
	size_t offset = 0;
	size_t n = 0;

	if (!function || !function->parameters || !params) {
		return 0;
	}
	for (text = function->parameters; next(&parameter, &text);) {
		size_t words = take(&position, &parameter);

		offset = (offset + parameter.alignment - 1) / parameter.alignment *
			 parameter.alignment;
		for (size_t i = 0; i < words; i++, n++) {
			size_t left = parameter.size - i * WORD;

			arguments[n] = 0;
			memcpy(&arguments[n],
			       (const unsigned char *)params + offset + i * WORD,
			       left < WORD ? left : WORD);
		}
		offset += parameter.size;
	}
	return n;
}

size_t kt_api_stack_words(const struct kt_api_function *function)
{
	struct position position = {0};
	struct parameter parameter;

	if (!function || !function->parameters) {
		return 0;
	}
	for (const char *text = function->parameters; next(&parameter, &text);) {
		take(&position, &parameter);
	}
	return position.stack / WORD;
}

bool kt_api_bytes(uint64_t *bytes, const struct kt_api_function *function,
		  const uint64_t *arguments, size_t n)
{
	uint64_t rows = 1;

	if (!function || function->bytes < 0 || (size_t)function->bytes >= n ||
	    (function->rows >= 0 && (size_t)function->rows >= n)) {
		return false;
	}
	if (function->rows >= 0) {
		rows = arguments[function->rows];
	}
	return !__builtin_mul_overflow(arguments[function->bytes], rows, bytes) &&
	       !__builtin_mul_overflow(*bytes, (uint64_t)function->unit, bytes);
}
