/* SPDX-License-Identifier: MIT */
/*
 * Round trips: the decoder returns what the encoder wrote from the tables, for random
 * streams over the methods of every class, random QMDs of every version and class in every
 * way of launching them, and random ring entries. Seeds are fixed.
 */
#include <stdlib.h>
#include <string.h>

#include "decode/commands.h"
#include "decode/gpfifo.h"
#include "decode/qmd.h"
#include "tests/decode/encode/encode.h"
#include "tests/decode/qmd/qmd-tables.h"
#include "tests/suite.h"

#define HOST        0xc86fu
#define HOST_END    0x100u
#define OFFSET_END  0x4000u
#define OLD_END     0x2000u /* old forms encode offsets below this */
#define MOST_AHEAD  8       /* most dwords after a random header */
#define HEADERS     500     /* headers in a random stream */
#define LAUNCHED_AT UINT64_C(0x2345670100)

static struct kt_table table;
static struct kt_qmd_table qmds;

static uint64_t state;

static uint32_t random_word(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)(state >> 16);
}

static uint32_t below(uint32_t n)
{
	return random_word() % n;
}

static void seed(uint64_t number)
{
	state = number * UINT64_C(0x9e3779b97f4a7c15) + 1;
	random_word();
}

/* --- methods --- */

struct sent {
	uint32_t class_;
	uint8_t subchannel;
	uint16_t offset;
	uint32_t value;
};

struct stream {
	struct kt_encoder encoder;
	struct sent sent[HEADERS * MOST_AHEAD + KT_SUBCHANNELS];
	size_t n;
	size_t at; /* number of methods returned so far */
	size_t wrong;
	uint32_t host;
	uint32_t bound[KT_SUBCHANNELS];
};

static void note(struct stream *s, unsigned subchannel, uint32_t offset, uint32_t value)
{
	s->sent[s->n++] = (struct sent){offset < HOST_END ? s->host : s->bound[subchannel],
					(uint8_t)subchannel, (uint16_t)offset, value};
}

static void send_bind(struct stream *s, unsigned subchannel, uint32_t class_)
{
	kt_encode_header(&s->encoder, KT_FORM_INC, subchannel, 0, 1);
	kt_encode_word(&s->encoder, class_);
	s->bound[subchannel] = class_;
	note(s, subchannel, 0, class_);
}

static void send_words(struct stream *s, enum kt_form form, unsigned subchannel,
		       uint32_t offset, uint32_t n)
{
	kt_encode_header(&s->encoder, form, subchannel, offset, n);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t value = random_word();
		bool steps = form == KT_FORM_INC || form == KT_FORM_OLD_INC ||
			     (form == KT_FORM_ONCE && i == 0);

		kt_encode_word(&s->encoder, value);
		note(s, subchannel, offset, value);
		offset += steps ? 4 : 0;
	}
}

/* Writes a header of any form and its dwords, no more than there are offsets left. */
static void send_any(struct stream *s, unsigned subchannel, uint32_t offset)
{
	static const enum kt_form forms[] = {KT_FORM_INC,     KT_FORM_NON,
					     KT_FORM_ONCE,    KT_FORM_OLD_INC,
					     KT_FORM_OLD_NON, KT_FORM_IMMEDIATE};
	enum kt_form form = forms[below(offset < OLD_END ? 6 : 3)];
	uint32_t left = (OFFSET_END - offset) / 4;
	uint32_t n = below(MOST_AHEAD) + (form == KT_FORM_INC || form == KT_FORM_NON);

	if (form == KT_FORM_IMMEDIATE) {
		uint32_t value = below(KT_FORM_MOST + 1);

		kt_encode_header(&s->encoder, form, subchannel, offset, value);
		note(s, subchannel, offset, value);
		return;
	}
	n = n < MOST_AHEAD ? n : MOST_AHEAD;
	send_words(s, form, subchannel, offset, n < left ? n : left);
}

/*
 * Returns the row of the method at an offset by scanning all rows; NULL if there is none.
 */
static const struct kt_table_row *row_at(const struct sent *sent, uint32_t *index)
{
	size_t first, end;

	kt_table_class(&table, sent->class_, &first, &end);
	for (size_t i = first; i < end; i++) {
		const struct kt_table_row *row = &table.rows[i];

		for (*index = 0; row->method[0] && !row->field[0] && *index < row->count;
		     ++*index) {
			if (row->offset + *index * row->stride == sent->offset) {
				return row;
			}
		}
	}
	return NULL;
}

static bool is_same(const struct sent *sent, const struct kt_decoded *decoded)
{
	uint32_t index;
	const struct kt_table_row *row = row_at(sent, &index);

	return sent->class_ == decoded->class_number &&
	       sent->subchannel == decoded->method.subchannel &&
	       sent->offset == decoded->method.offset &&
	       sent->value == decoded->method.value && decoded->named == (row != NULL) &&
	       (!row || (strcmp(row->method, decoded->info.name) == 0 &&
			 index == decoded->info.index));
}

static void take(void *context, const struct kt_decoded *decoded)
{
	struct stream *s = context;

	s->wrong += s->at >= s->n || !is_same(&s->sent[s->at], decoded);
	s->at++;
}

static void check_stream(struct stream *s)
{
	struct kt_channel_decoder *decoder;
	struct kt_decode_counts counts;

	CU_ASSERT_EQUAL_FATAL(kt_channel_decoder_new(&decoder, s->host), 0);
	kt_channel_decode(decoder, s->encoder.words, s->encoder.n, take, s);
	kt_channel_decoder_counts(decoder, &counts);
	CU_ASSERT_EQUAL(s->at, s->n);
	CU_ASSERT_EQUAL(s->wrong, 0);
	CU_ASSERT_EQUAL(counts.words, s->encoder.n);
	CU_ASSERT_EQUAL(counts.methods, s->n);
	CU_ASSERT_EQUAL(counts.bad, 0);
	kt_channel_decoder_free(decoder);
}

/*
 * Returns the offset of a random element of a random method of the class, or sometimes any
 * offset, which may have no name.
 */
static uint32_t any_offset(size_t first, size_t end)
{
	const struct kt_table_row *row =
		&table.rows[first + below((uint32_t)(end - first))];
	char text[KT_TABLE_NAME + 16];
	struct kt_method_info info;
	uint32_t offset = 0;

	if (!row->method[0] || below(16) == 0) {
		return 4 + 4 * below(OFFSET_END / 4 - 1);
	}
	/* A class may have fewer elements than its parent, whose fields it inherits. */
	snprintf(text, sizeof(text), "%s", row->method);
	CU_ASSERT_TRUE_FATAL(kt_encode_method(&table, row->class_, text, &offset));
	CU_ASSERT_TRUE_FATAL(
		kt_method_find(kt_method_class_find(row->class_), offset, &info));
	snprintf(text, sizeof(text), "%s(%u)", row->method, below(info.count));
	CU_ASSERT_TRUE_FATAL(kt_encode_method(&table, row->class_, text, &offset));
	return offset ? offset : 4; /* SET_OBJECT with a random class would bind it */
}

static void send_random(uint32_t class_, uint64_t number)
{
	struct stream *s = calloc(1, sizeof(*s));
	size_t first, end;

	CU_ASSERT_PTR_NOT_NULL_FATAL(s);
	kt_table_class(&table, class_, &first, &end);
	seed(class_ + (number << 16));
	s->host = strstr(table.rows[first].class_name, "CHANNEL") ? class_ : HOST;
	for (unsigned i = 0; i < KT_SUBCHANNELS; i++) {
		send_bind(s, i, i % 2 ? class_ : 0xc8b5);
	}
	for (int i = 0; i < HEADERS; i++) {
		send_any(s, 2 * below(4) + 1, any_offset(first, end));
	}
	check_stream(s);
	kt_encoder_free(&s->encoder);
	free(s);
}

static void methods_of_every_class(void)
{
	size_t classes = 0;

	for (size_t i = 0; i < table.n; i++) {
		if (!table.rows[i].method[0]) {
			send_random(table.rows[i].class_, 1);
			send_random(table.rows[i].class_, 2);
			classes++;
		}
	}
	CU_ASSERT_EQUAL(classes, kt_method_classes());
}

/* Returns the value that a dword has in the field of a row, and the value's name. */
static uint32_t bits_of(const struct kt_table_row *row, uint32_t word, const char **name)
{
	const struct kt_method_class *class_ = kt_method_class_find(row->class_);
	struct kt_method_info method;
	struct kt_method_field field;

	CU_ASSERT_PTR_NOT_NULL_FATAL(class_);
	CU_ASSERT_TRUE_FATAL(kt_method_find_name(class_, row->method, &method));
	for (size_t i = 0; kt_method_field(class_, &method, i, &field); i++) {
		if (strcmp(field.name, row->field) == 0) {
			uint64_t mask = (UINT64_C(2) << (field.hi - field.lo)) - 1;
			uint32_t value = (uint32_t)(word >> field.lo & mask);

			*name = kt_method_value_name(class_, &field, value);
			return value;
		}
	}
	return ~row->number;
}

static void values_by_name(void)
{
	size_t wrong = 0, values = 0;

	for (size_t i = 0; i < table.n; i++) {
		const struct kt_table_row *row = &table.rows[i];
		char text[2 * KT_TABLE_NAME];
		const char *name = NULL;
		uint32_t word;

		if (!row->value[0]) {
			continue;
		}
		snprintf(text, sizeof(text), "%s=%s", row->field, row->value);
		values++;
		wrong += !kt_encode_value(&table, row->class_, row->method, text, &word) ||
			 bits_of(row, word, &name) != row->number || !name;
	}
	CU_ASSERT_EQUAL(wrong, 0);
	CU_ASSERT_TRUE(values > 3000);
}

static void refuses_what_is_not_there(void)
{
	uint32_t out;

	CU_ASSERT_FALSE(kt_encode_method(&table, 0xc8b5, "NO_SUCH", &out));
	CU_ASSERT_FALSE(kt_encode_method(&table, 0xc8b6, "LAUNCH_DMA", &out));
	CU_ASSERT_FALSE(kt_encode_method(&table, 0xc8b5, "LAUNCH_DMA(1)", &out));
	CU_ASSERT_FALSE(kt_encode_value(&table, 0xc8b5, "LAUNCH_DMA", "NO=1", &out));
	CU_ASSERT_FALSE(kt_encode_value(&table, 0xc8b5, "LAUNCH_DMA", "SRC_TYPE=NO", &out));
	CU_ASSERT_FALSE(kt_encode_value(&table, 0xc8b5, "LAUNCH_DMA", "SRC_TYPE=2", &out));
	CU_ASSERT_FALSE(kt_encode_value(&table, 0xc8b5, "LAUNCH_DMA", "SRC_TYPE", &out));
}

/* --- QMDs --- */

static uint64_t any_value(const struct kt_qmd_table_field *field)
{
	uint64_t value = (uint64_t)random_word() << 32 | random_word();
	unsigned width = field->hi - field->lo + 1;

	return width < 64 ? value & ((UINT64_C(1) << width) - 1) : value;
}

static void put_version(const struct kt_qmd_table_layout *layout, uint32_t *words)
{
	char text[64];
	bool set;

	snprintf(text, sizeof(text), "QMD_MAJOR_VERSION=%u", layout->major);
	set = kt_qmd_table_set(layout, text, words);
	snprintf(text, sizeof(text), "QMD_MINOR_VERSION=%u", layout->minor);
	if (!kt_qmd_table_field(layout, "QMD_MINOR_VERSION")) {
		snprintf(text, sizeof(text), "QMD_VERSION=%u", layout->minor);
	}
	CU_ASSERT_TRUE(set && kt_qmd_table_set(layout, text, words));
}

static void write_qmd(const struct kt_qmd_table_layout *layout, uint32_t *words)
{
	for (size_t i = 0; i < layout->n; i++) {
		const struct kt_qmd_table_field *field = &layout->fields[i];

		for (unsigned k = 0; k < field->rows * field->columns; k++) {
			kt_qmd_table_put(field, k, any_value(field), words);
		}
	}
	put_version(layout, words);
}

/*
 * Returns whether the dwords have this layout's version: the major number in four bits, the
 * minor number in the four bits below.
 */
static bool has_version(const struct kt_qmd_table_layout *layout, const uint32_t *words)
{
	const struct kt_qmd_table_field *field =
		kt_qmd_table_field(layout, "QMD_MAJOR_VERSION");
	unsigned at = field->lo - 4;

	return (words[at / 32] >> at % 32 & 0xff) == (layout->major << 4 | layout->minor);
}

/*
 * QMDs of a class may have their version at two positions. Returns whether random bits form
 * a version of the class at the other position.
 */
static bool is_ambiguous(const uint32_t *words, uint32_t class_, unsigned major,
			 unsigned minor)
{
	for (size_t i = 0; i < qmds.n; i++) {
		const struct kt_qmd_table_layout *layout = &qmds.layouts[i];
		bool other = layout->major != major || layout->minor != minor;

		for (size_t k = 0; other && k < layout->n_classes; k++) {
			if (layout->classes[k] == class_ && has_version(layout, words)) {
				return true;
			}
		}
	}
	return false;
}

static bool is_version(const char *name)
{
	return strcmp(name, "QMD_MAJOR_VERSION") == 0 ||
	       strcmp(name, "QMD_MINOR_VERSION") == 0 || strcmp(name, "QMD_VERSION") == 0;
}

/*
 * Counts the values that the reader does not find as written, and missing or extra fields.
 */
static size_t count_wrong(const struct kt_qmd_table_layout *layout,
			  const struct kt_qmd_layout *found, const uint32_t *words)
{
	struct kt_qmd_field field;
	size_t wrong = 0;

	for (size_t i = 0; i < layout->n; i++) {
		const struct kt_qmd_table_field *written = &layout->fields[i];

		if (!kt_qmd_field_named(found, written->name, &field) ||
		    field.count != written->rows * written->columns) {
			wrong++;
			continue;
		}
		for (unsigned k = 0; k < field.count; k++) {
			uint64_t value = any_value(written);

			wrong +=
				!is_version(written->name) &&
				kt_qmd_get(found, &field, k, words, layout->bytes) != value;
		}
	}
	return wrong + (size_t)kt_qmd_field(found, layout->n, &field);
}

static size_t round_trips;

static void qmd_round_trip(const struct kt_qmd_table_layout *layout, uint32_t class_,
			   uint64_t number)
{
	uint32_t words[KT_QMD_TABLE_WORDS] = {0};
	const struct kt_qmd_layout *found;

	seed(number);
	write_qmd(layout, words);
	if (is_ambiguous(words, class_, layout->major, layout->minor)) {
		return;
	}
	round_trips++;
	found = kt_qmd_find(class_, words, layout->bytes);
	CU_ASSERT_PTR_NOT_NULL_FATAL(found);
	CU_ASSERT_EQUAL(kt_qmd_major(found), layout->major);
	CU_ASSERT_EQUAL(kt_qmd_minor(found), layout->minor);
	CU_ASSERT_EQUAL(kt_qmd_bytes(found), layout->bytes);
	seed(number);
	CU_ASSERT_EQUAL(count_wrong(layout, found, words), 0);
}

/*
 * Returns whether the layout is the newest of its class and version, that is, the one that
 * the lookup finds.
 */
static bool is_youngest(const struct kt_qmd_table_layout *layout, uint32_t class_)
{
	const struct kt_qmd_table_layout *other = &qmds.layouts[qmds.n];

	while (--other > layout) {
		for (size_t i = 0; i < other->n_classes; i++) {
			if (other->classes[i] == class_ && other->major == layout->major &&
			    other->minor == layout->minor) {
				return false;
			}
		}
	}
	return true;
}

static void qmds_of_every_version(void)
{
	size_t all = 0;

	CU_ASSERT_EQUAL(qmds.n, kt_qmd_layouts());
	for (size_t i = 0; i < qmds.n; i++) {
		const struct kt_qmd_table_layout *layout = &qmds.layouts[i];

		for (size_t k = 0; k < layout->n_classes; k++) {
			CU_ASSERT_TRUE(is_youngest(layout, layout->classes[k]));
			for (uint64_t number = 1; number <= 20; number++) {
				qmd_round_trip(layout, layout->classes[k], number);
				all++;
			}
		}
	}
	CU_ASSERT_TRUE(round_trips >= all - 3);
}

struct launched {
	uint32_t words[KT_QMD_TABLE_WORDS];
	size_t bytes;
	uint64_t address;
	unsigned n;
};

static void take_launch(void *context, const struct kt_decoded *decoded)
{
	struct launched *launched = context;
	const struct kt_command *command = &decoded->command;

	if (command->kind != KT_COMMAND_LAUNCH) {
		return;
	}
	launched->n++;
	launched->address = command->address;
	launched->bytes = command->qmd ? command->qmd_bytes : 0;
	if (command->qmd && command->qmd_bytes <= sizeof(launched->words)) {
		memcpy(launched->words, command->qmd, command->qmd_bytes);
	}
}

static void send(struct kt_encoder *e, uint32_t class_, const char *method,
		 enum kt_form form, const uint32_t *words, uint32_t n)
{
	uint32_t offset = 0;

	CU_ASSERT_TRUE_FATAL(kt_encode_method(&table, class_, method, &offset));
	kt_encode_header(e, form, 1, offset, n);
	for (uint32_t i = 0; i < n; i++) {
		kt_encode_word(e, words[i]);
	}
}

static void send_one(struct kt_encoder *e, uint32_t class_, const char *method,
		     uint32_t value)
{
	send(e, class_, method, KT_FORM_INC, &value, 1);
}

static void send_inlined(struct kt_encoder *e, uint32_t class_, const uint32_t *qmd,
			 unsigned bytes)
{
	uint32_t upper = (uint32_t)(LAUNCHED_AT >> 40);

	if (bytes == 384) {
		upper |= 1u << 30;
	}
	send_one(e, class_, "SET_INLINE_QMD_ADDRESS_A", upper);
	send_one(e, class_, "SET_INLINE_QMD_ADDRESS_B", (uint32_t)(LAUNCHED_AT >> 8));
	send(e, class_, "LOAD_INLINE_QMD_DATA", KT_FORM_INC, qmd, bytes / 4);
}

static void send_referenced(struct kt_encoder *e, uint32_t class_, const uint32_t *qmd,
			    unsigned bytes)
{
	send_one(e, class_, "OFFSET_OUT_UPPER", (uint32_t)(LAUNCHED_AT >> 32));
	send_one(e, class_, "OFFSET_OUT", (uint32_t)LAUNCHED_AT);
	send_one(e, class_, "LINE_LENGTH_IN", bytes);
	send_one(e, class_, "LINE_COUNT", 1);
	send_one(e, class_, "LAUNCH_DMA", 0x41);
	send(e, class_, "LOAD_INLINE_DATA", KT_FORM_NON, qmd, bytes / 4);
	send_one(e, class_, "SEND_PCAS_A", (uint32_t)(LAUNCHED_AT >> 8));
	if (class_ >= 0xc6c0) {
		send_one(e, class_, "SEND_SIGNALING_PCAS2_B", 3);
	} else {
		send_one(e, class_, "SEND_SIGNALING_PCAS_B", 3);
	}
}

static void launch(const struct kt_qmd_table_layout *layout, uint32_t class_, bool inlined)
{
	uint32_t words[KT_QMD_TABLE_WORDS] = {0};
	struct kt_channel_decoder *decoder;
	struct kt_encoder encoder = {0};
	struct launched launched = {.n = 0};

	seed(class_);
	write_qmd(layout, words);
	kt_encode_header(&encoder, KT_FORM_INC, 1, 0, 1);
	kt_encode_word(&encoder, class_);
	if (inlined) {
		send_inlined(&encoder, class_, words, layout->bytes);
	} else {
		send_referenced(&encoder, class_, words, layout->bytes);
	}
	CU_ASSERT_EQUAL_FATAL(kt_channel_decoder_new(&decoder, HOST), 0);
	kt_channel_decode(decoder, encoder.words, encoder.n, take_launch, &launched);
	CU_ASSERT_EQUAL(launched.n, 1);
	CU_ASSERT_EQUAL(launched.address, LAUNCHED_AT);
	CU_ASSERT_TRUE(launched.bytes >= layout->bytes);
	CU_ASSERT_EQUAL(memcmp(launched.words, words, layout->bytes), 0);
	kt_channel_decoder_free(decoder);
	kt_encoder_free(&encoder);
}

/* From Pascal on, a QMD may be inline in the stream. */
static void launches_of_every_version(void)
{
	for (size_t i = 0; i < qmds.n; i++) {
		const struct kt_qmd_table_layout *layout = &qmds.layouts[i];

		for (size_t k = 0; k < layout->n_classes; k++) {
			launch(layout, layout->classes[k], false);
			if (layout->classes[k] >= 0xc0c0) {
				launch(layout, layout->classes[k], true);
			}
		}
	}
}

/* --- ring entries --- */

static void ring_entries(void)
{
	seed(7);
	for (int i = 0; i < 100000; i++) {
		struct kt_ring_flags flags = {below(2), below(2), below(2)};
		uint64_t address = ((uint64_t)random_word() << 32 | random_word()) &
				   UINT64_C(0xfffffffffc);
		uint32_t words = 1 + below(KT_GPFIFO_MAX_WORDS);
		uint32_t operand = random_word() & 0x1ffff;
		unsigned opcode = below(256);
		struct kt_gpfifo_entry entry;
		uint32_t raw[2];

		kt_encode_entry(raw, address, words, flags);
		kt_gpfifo_decode(&entry, raw);
		CU_ASSERT_TRUE(entry.address == address && entry.words == words &&
			       entry.subroutine == flags.subroutine &&
			       entry.wait == flags.wait &&
			       entry.conditional == flags.conditional);
		kt_encode_control(raw, opcode, operand);
		kt_gpfifo_decode(&entry, raw);
		CU_ASSERT_TRUE(entry.words == 0 && entry.opcode == opcode &&
			       entry.operand == operand);
	}
}

int main(int argc, char **argv)
{
	CU_TestInfo tests[] = {
		{"methods of every class", methods_of_every_class},
		{"values by name", values_by_name},
		{"refuses what is not there", refuses_what_is_not_there},
		{"QMDs of every version", qmds_of_every_version},
		{"launches of every version", launches_of_every_version},
		{"ring entries", ring_entries},
		CU_TEST_INFO_NULL,
	};
	int failed;

	if (argc != 2 || kt_table_read(&table, argv[1]) != 0 ||
	    kt_qmd_table_read(&qmds, argv[1]) != 0) {
		return 2;
	}
	failed = kt_run_suite("what was encoded is decoded", tests);
	kt_qmd_table_free(&qmds);
	kt_table_free(&table);
	return failed;
}
