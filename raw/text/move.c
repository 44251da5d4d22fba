/* SPDX-License-Identifier: MIT */
#include "raw/text/move.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/try.h"
#include "decode/method-stream.h"
#include "decode/methods.h"
#include "decode/qmd.h"
#include "raw/text/address-parts.h"

#define SUBCHANNELS   8
#define METHODS       4096 /* of a subchannel */
#define QMD_MOST      96   /* dwords */
#define POINTER_SHIFT 8    /* of a QMD's address in another QMD */

enum fixed { FREE = 0, EDITED, MOVED };

struct mover {
	struct kt_raw_script *script;   /* Weak */
	const struct kt_raw_move *from; /* the move of the last address found */
	unsigned char *fixed;           /* Owned by this: for each word, enum fixed */
	uint32_t *recorded;             /* Owned by this: the words before any was moved */
	uint32_t classes[SUBCHANNELS];
	/* Owned by this: 1 + index of the word last written to each method; 0: none */
	size_t (*written)[METHODS];
	/* Inline data: words [data, data + n_data). */
	size_t data;
	size_t n_data;
	uint32_t data_class;
};

/* Finds the buffer to which an address is moved. */
static bool find(struct mover *m, uint64_t address)
{
	for (size_t i = 0; i < m->script->n_moves; i++) {
		m->from = &m->script->moves[i];
		if (address >= m->from->address &&
		    address - m->from->address < m->from->bytes) {
			return true;
		}
	}
	return false;
}

/*
 * Replaces bits [left, left + width) of a word by bits of the moved address, from bit
 * `shift` on; `taken` as in struct kt_raw_fixup.
 */
static int replace(struct mover *m, size_t word, uint64_t address, unsigned shift,
		   unsigned left, unsigned width, uint64_t taken)
{
	struct kt_raw_script *s = m->script;
	const uint32_t mask = (uint32_t)((UINT64_C(1) << width) - 1);

	KT_TRY(kt_array_reserve(&s->fixups, &s->fixups_capacity, s->n_fixups + 1));
	s->fixups[s->n_fixups++] = (struct kt_raw_fixup){
		.word = word,
		.buffer = m->from->to.buffer,
		.addend = m->from->to.offset + (address - m->from->address),
		.mask = mask,
		.shift = (uint8_t)shift,
		.left = (uint8_t)left,
		.column = 1,
		.taken = taken,
	};
	s->words[word] &= ~(mask << left);
	m->fixed[word] = MOVED;
	return KT_OK;
}

/* --- methods --- */

/* Returns the buffer of a word's fixup. */
static size_t buffer_of(const struct mover *m, size_t word)
{
	size_t i = m->script->n_fixups;

	while (i > 0 && m->script->fixups[i - 1].word != word) {
		i--;
	}
	return i > 0 ? m->script->fixups[i - 1].buffer : SIZE_MAX;
}

/*
 * Moves an address of which the halves are two words; `mate` may have been moved as half of
 * an earlier address.
 */
static int move_halves(struct mover *m, size_t word, const struct kt_address_part *part,
		       const struct kt_address_part *other, size_t mate)
{
	const struct kt_raw_script *s = m->script;
	const unsigned shift = part->shift;
	const uint64_t low = m->recorded[shift ? mate : word];
	const uint64_t high = m->recorded[shift ? word : mate];
	const uint64_t address = high << 32 | low;
	const bool found = find(m, address);

	if (m->fixed[mate] == MOVED &&
	    (!found || buffer_of(m, mate) != m->from->to.buffer)) {
		return kt_error(KT_E_MALFORMED,
				"%s:%" PRIu32 ": one half of 0x%" PRIx64
				" is used for another address, too; write both halves of "
				"each",
				s->file, s->origins[mate].line, address);
	}
	if (!found || m->fixed[mate] == EDITED) {
		return KT_OK;
	}
	KT_TRY(replace(m, word, address, shift, 0, 32, kt_raw_taken(part)));
	return m->fixed[mate] == MOVED
		       ? KT_OK
		       : replace(m, mate, address, 32 - shift, 0, 32, kt_raw_taken(other));
}

/*
 * Moves the address that a method completes; `word` is its dword. `next` is the offset of
 * the next method of the header, or 0.
 */
static int move_method(struct mover *m, const struct kt_method *method, size_t word,
		       uint32_t next)
{
	const struct kt_raw_script *s = m->script;
	size_t *written = m->written[method->subchannel];
	const struct kt_method_class *class_;
	uint32_t number = s->origins[word].class_number;
	struct kt_address_part part;
	struct kt_address_part other;
	uint32_t mate;

	number = number ? number : m->classes[method->subchannel];
	if (method->offset >= 0x100) {
		m->classes[method->subchannel] = number;
	}
	class_ = kt_method_class_find(number);
	if (method->immediate || method->offset / 4u >= METHODS ||
	    !kt_raw_address_part(class_, method->offset, &part)) {
		return KT_OK;
	}
	written[method->offset / 4] = word + 1;
	if (m->fixed[word]) {
		return KT_OK;
	}
	if (part.mate == 0) {
		const uint64_t address = (uint64_t)s->words[word] << part.shift;

		return find(m, address) ? replace(m, word, address, part.shift, 0, 32,
						  kt_raw_taken(&part))
					: KT_OK;
	}
	/* If the next dword is the other half, the address is complete only then. */
	mate = (uint32_t)(method->offset + part.mate);
	return mate / 4 < METHODS && written[mate / 4] > 0 && mate != next &&
			       kt_raw_address_part(class_, mate, &other)
		       ? move_halves(m, word, &part, &other, written[mate / 4] - 1)
		       : KT_OK;
}

/* --- data --- */

/* Returns the number of bits by which a QMD's field shifts an address, by its name. */
static unsigned shift_of(const char *name)
{
	const char *shifted = strstr(name, "_SHIFTED");

	if (!shifted) {
		return 0;
	}
	return shifted[8] ? (unsigned)(shifted[8] - '0') : 8;
}

/* Replaces an element of a field whose value is some bits of the address. */
static int replace_field(struct mover *m, const struct kt_qmd_field *field, unsigned index,
			 uint64_t address, unsigned shift, uint64_t taken)
{
	const unsigned bit = kt_qmd_bit(field, index);

	return replace(m, m->data + bit / 32, address, shift, bit % 32,
		       field->hi - field->lo + 1u, taken);
}

static bool fits_dword(const struct kt_qmd_field *field, unsigned index)
{
	return kt_qmd_bit(field, index) % 32 + (field->hi - field->lo) < 32;
}

/* Returns bits [shift, shift + width) of an address. */
static uint64_t bits_from(unsigned shift, unsigned width)
{
	return (shift + width < 64 ? UINT64_C(1) << (shift + width) : 0) -
	       (UINT64_C(1) << shift);
}

static int move_field(struct mover *m, const struct kt_qmd_layout *layout,
		      const struct kt_qmd_field *field)
{
	const uint32_t *words = m->script->words + m->data;
	const char *lower = strstr(field->name, "_LOWER");
	const bool pointer = strstr(field->name, "QMD") && strstr(field->name, "POINTER");
	const unsigned shift = pointer ? POINTER_SHIFT : shift_of(field->name);
	const unsigned width = field->hi - field->lo + 1u;
	struct kt_qmd_field upper = {0};
	char name[96];

	if (lower) {
		snprintf(name, sizeof(name), "%.*s_UPPER%s", (int)(lower - field->name),
			 field->name, lower + 6);
	}
	if (!pointer && (!lower || !kt_qmd_field_named(layout, name, &upper))) {
		return KT_OK;
	}
	for (unsigned i = 0; i < field->count; i++) {
		const size_t bytes = m->n_data * 4;
		uint64_t address = kt_qmd_get(layout, field, i, words, bytes);
		uint64_t taken;

		if (lower) {
			address |= kt_qmd_get(layout, &upper, i, words, bytes) << width;
		}
		address <<= shift;
		taken = bits_from(shift, width + (lower ? upper.hi - upper.lo + 1u : 0));
		if (!find(m, address) || !fits_dword(field, i) ||
		    (lower && !fits_dword(&upper, i)) ||
		    m->fixed[m->data + kt_qmd_bit(field, i) / 32]) {
			continue;
		}
		KT_TRY(replace_field(m, field, i, address, shift, taken));
		if (lower) {
			KT_TRY(replace_field(m, &upper, i, address, shift + width, taken));
		}
	}
	return KT_OK;
}

static int move_qmd(struct mover *m)
{
	const uint32_t *words = m->script->words + m->data;
	const struct kt_qmd_layout *layout =
		m->n_data <= QMD_MOST ? kt_qmd_find(m->data_class, words, m->n_data * 4)
				      : NULL;
	struct kt_qmd_field field;

	if (!layout || kt_qmd_bytes(layout) != m->n_data * 4) {
		return KT_OK;
	}
	for (size_t i = 0; kt_qmd_field(layout, i, &field); i++) {
		KT_TRY(move_field(m, layout, &field));
	}
	return KT_OK;
}

/* Replaces addresses in the inline data that have ended. */
static int move_data(struct mover *m)
{
	const uint32_t *words = m->script->words;
	const size_t end = m->data + m->n_data;

	KT_TRY(move_qmd(m));
	for (size_t i = m->data; i + 1 < end; i++) {
		const uint64_t address = (uint64_t)words[i + 1] << 32 | words[i];

		if (!m->fixed[i] && !m->fixed[i + 1] && find(m, address)) {
			KT_TRY(replace(m, i, address, 0, 0, 32, UINT64_MAX));
			KT_TRY(replace(m, i + 1, address, 32, 0, 32, UINT64_MAX));
			i++;
		}
	}
	m->n_data = 0;
	return KT_OK;
}

static bool is_data(const struct mover *m, const struct kt_method *method, size_t word)
{
	const uint32_t number = m->script->origins[word].class_number;
	const struct kt_method_class *class_ =
		kt_method_class_find(number ? number : m->classes[method->subchannel]);
	struct kt_method_info info;

	return class_ && method->offset >= 0x100 &&
	       kt_method_find(class_, method->offset, &info) &&
	       (strcmp(info.name, "LOAD_INLINE_DATA") == 0 ||
		strcmp(info.name, "LOAD_INLINE_QMD_DATA") == 0);
}

static int move_entry(struct mover *m, struct kt_method_stream *stream,
		      const struct kt_raw_entry *entry)
{
	struct kt_method method;

	kt_method_stream_continue(stream, m->script->words + entry->first_word,
				  entry->n_words);
	while (kt_method_next(stream, &method) == KT_METHOD_GIVEN) {
		const size_t word = entry->first_word + method.at;

		if (!method.immediate && is_data(m, &method, word)) {
			if (m->n_data > 0 && m->data + m->n_data != word) {
				KT_TRY(move_data(m));
			}
			m->data = m->n_data > 0 ? m->data : word;
			m->n_data++;
			m->data_class = m->script->origins[word].class_number
						? m->script->origins[word].class_number
						: m->classes[method.subchannel];
			m->classes[method.subchannel] = m->data_class;
			continue;
		}
		KT_TRY(m->n_data > 0 ? move_data(m) : KT_OK);
		KT_TRY(move_method(m, &method, word,
				   method.last ? 0 : stream->header.offset));
	}
	return m->n_data > 0 ? move_data(m) : KT_OK;
}

static int compare_words(const void *a, const void *b)
{
	const struct kt_raw_fixup *x = a;
	const struct kt_raw_fixup *y = b;

	return x->word != y->word ? (x->word > y->word ? 1 : -1) : x->left - y->left;
}

int kt_raw_move(struct kt_raw_script *script)
{
	struct mover m = {.script = script};
	int code = KT_OK;

	if (script->n_moves == 0) {
		return KT_OK;
	}
	m.fixed = calloc(script->n_words + 1, 1);
	m.written = calloc(SUBCHANNELS, sizeof(*m.written));
	m.recorded = malloc((script->n_words + 1) * sizeof(*m.recorded));
	if (!m.fixed || !m.written || !m.recorded) {
		code = kt_no_memory("move addresses");
		goto end;
	}
	if (script->n_words > 0) {
		memcpy(m.recorded, script->words, script->n_words * sizeof(*m.recorded));
	}
	for (size_t i = 0; i < script->n_fixups; i++) {
		m.fixed[script->fixups[i].word] = EDITED;
	}
	for (size_t i = 0; i < script->n_steps && !code; i++) {
		const struct kt_raw_step *step = &script->steps[i];
		struct kt_method_stream stream;

		kt_method_stream_start(&stream, NULL, 0);
		for (size_t j = 0; step->kind == KT_RAW_SUBMIT && j < step->n; j++) {
			KT_TRY_END(
				move_entry(&m, &stream, &script->entries[step->first + j]));
		}
	}
	if (script->n_fixups > 1) {
		qsort(script->fixups, script->n_fixups, sizeof(*script->fixups),
		      compare_words);
	}
end:
	free(m.fixed);
	free(m.written);
	free(m.recorded);
	return code;
}
