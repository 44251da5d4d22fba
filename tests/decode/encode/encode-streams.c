/* SPDX-License-Identifier: MIT */
/*
 * Encodes a description that uses names as the dwords of channels, for golden tests and as
 * seeds for fuzzers.
 *   encode-streams TABLES < STREAM                prints a script for emit-events
 *   encode-streams TABLES FOLDER NAME < STREAM    also writes seeds named NAME...
 *                                                 (write-seeds.h)
 *
 * The lines of a STREAM:
 *
 *   pid N | tid N | seq N | client N | begin NAME | end REASON | object ...
 *                                 as for emit-events
 *   channel HANDLE CLASS TOKEN    the lines after this one belong to the channel
 *   ring                          a doorbell, for all entries up to the next line of this
 *                                 kind or of those above
 *   bound SUBCHANNEL CLASS        names on the subchannel are those of the class; writes no
 *                                 dword
 *   entry ADDRESS [level] [sync] [fetch]     a segment: its dwords follow
 *   control OPCODE OPERAND        an entry without a segment
 *   base N                        bits 56:40 of later addresses; writes no dword
 *   qmd MAJOR MINOR               a QMD of subchannel 1's class, all 0 but its version
 *   set FIELD=VALUE...            sets fields of the QMD
 *   bind SUBCHANNEL CLASS         SET_OBJECT
 *   inc|non|once|imm|old-inc|old-non SUBCHANNEL METHOD VALUE...
 *                                 VALUE may be FIELD=VALUE,... of the method that gets
 *                                 the dword, or "qmd" for the dwords of the QMD
 *   word N                        the dword N
 *
 * METHOD is looked up among the methods of the host, then in the class on the subchannel.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/decode/encode/encode.h"
#include "tests/decode/qmd/qmd-tables.h"
#include "tests/decode/encode/write-seeds.h"

#define SUBCHANNELS 8
#define CHANNELS    4
#define ENTRIES     64
#define LINE_WORDS  60
#define HOST_END    0x100
#define MOST_VALUES 128

struct channel {
	uint32_t handle;
	uint32_t class_;
	uint32_t token;
	uint32_t next; /* index of the next ring entry */
	uint32_t bound[SUBCHANNELS];
	struct kt_seed_channel seed;
};

struct entry {
	uint64_t address; /* with the extended base */
	struct kt_ring_flags flags;
	bool control;
	uint32_t raw[2]; /* dwords of a control entry */
	struct kt_encoder segment;
};

static struct kt_table table;
static struct kt_qmd_table qmds;
static struct channel channels[CHANNELS];
static struct channel *channel;
static struct entry entries[ENTRIES]; /* since the last doorbell */
static size_t n_entries;
static bool doorbell_written;
static uint64_t base;
static const struct kt_qmd_table_layout *layout;
static uint32_t qmd[KT_QMD_TABLE_WORDS];
static const char *folder; /* NULL: no seeds */
static const char *seed_name;
static unsigned n_seeds;
static unsigned line_number;

static void fail(const char *what, const char *text)
{
	fprintf(stderr, "encode-streams: line %u: %s: %s\n", line_number, what, text);
	exit(1);
}

static uint64_t number(const char *text)
{
	char *end;
	uint64_t value = text ? strtoull(text, &end, 0) : 0;

	if (!text || end == text || *end) {
		fail("no number", text ? text : "nothing");
	}
	return value;
}

/* --- output --- */

static void print_words(const struct kt_encoder *segment)
{
	for (size_t i = 0; i < segment->n; i++) {
		if (i % LINE_WORDS == 0) {
			printf("%swords 0x%x %u %zu", i ? "\n" : "", channel->handle,
			       channel->next, i);
		}
		printf(" %x", segment->words[i]);
	}
	puts("");
}

static void print_entry(struct entry *entry)
{
	uint32_t *raw = entry->raw;

	if (!entry->control) {
		kt_encode_entry(raw, entry->address, (uint32_t)entry->segment.n,
				entry->flags);
	}
	printf("entry 0x%x 0x%x %u 0x%llx %zu submitted %x %x\n", channel->handle,
	       channel->class_, channel->next, (unsigned long long)entry->address,
	       entry->segment.n, raw[0], raw[1]);
	if (!entry->control) {
		print_words(&entry->segment);
		if (folder) {
			kt_seed_add(&channel->seed, &entry->segment);
		}
	}
	channel->next++;
}

/* Prints the doorbell, whose GP_PUT includes its entries, and then the entries. */
static void end_ring(void)
{
	if (doorbell_written) {
		printf("ring 0x%x %zu 0x%x 1\n", channel->handle, channel->next + n_entries,
		       channel->token);
	} else if (n_entries > 0) {
		fail("entries without a doorbell", "ring");
	}
	for (size_t i = 0; i < n_entries; i++) {
		print_entry(&entries[i]);
		kt_encoder_free(&entries[i].segment);
	}
	n_entries = 0;
	doorbell_written = false;
}

/* --- lines --- */

static struct kt_encoder *segment(void)
{
	if (n_entries == 0 || entries[n_entries - 1].control) {
		fail("words without a segment", "entry");
	}
	return &entries[n_entries - 1].segment;
}

static struct entry *add_entry(void)
{
	if (!doorbell_written || n_entries == ENTRIES) {
		fail("no doorbell, or too many entries", "entry");
	}
	entries[n_entries] = (struct entry){.address = 0};
	return &entries[n_entries++];
}

static void take_channel(char **rest)
{
	uint32_t handle = (uint32_t)number(strsep(rest, " "));

	end_ring();
	channel = channels;
	while (channel->handle && channel->handle != handle) {
		if (++channel == channels + CHANNELS) {
			fail("too many channels", "channel");
		}
	}
	channel->handle = handle;
	channel->class_ = (uint32_t)number(strsep(rest, " "));
	channel->token = (uint32_t)number(strsep(rest, " "));
}

static void take_entry(char **rest)
{
	struct entry *entry = add_entry();
	char *flag;

	entry->address = base << 40 | number(strsep(rest, " "));
	while ((flag = strsep(rest, " "))) {
		entry->flags.subroutine |= strcmp(flag, "level") == 0;
		entry->flags.wait |= strcmp(flag, "sync") == 0;
		entry->flags.conditional |= strcmp(flag, "fetch") == 0;
	}
}

static void take_control(char **rest)
{
	struct entry *entry = add_entry();
	unsigned opcode = (unsigned)number(strsep(rest, " "));

	entry->control = true;
	kt_encode_control(entry->raw, opcode, (uint32_t)number(strsep(rest, " ")));
}

static unsigned subchannel(char **rest)
{
	uint64_t value = number(strsep(rest, " "));

	if (value >= SUBCHANNELS) {
		fail("no such subchannel", "0 to 7");
	}
	return (unsigned)value;
}

static void write_qmd_seed(void)
{
	char name[256];

	snprintf(name, sizeof(name), "%s-%u", seed_name, n_seeds++);
	if (!kt_seed_write_qmd(channel->bound[1], qmd, layout->bytes / 4, folder, name)) {
		fail("cannot write", name);
	}
}

static void write_seeds(void)
{
	for (struct channel *c = channels; folder && c < channels + CHANNELS; c++) {
		char name[256];

		c->seed.class_ = c->class_;
		snprintf(name, sizeof(name), "%s-%x", seed_name, c->handle);
		if (c->handle && !kt_seed_write(&c->seed, folder, name)) {
			fail("cannot write", name);
		}
		kt_encoder_free(&c->seed.segments);
	}
}

static void take_bound(char **rest, bool send)
{
	unsigned at = subchannel(rest);

	channel->bound[at] = (uint32_t)number(strsep(rest, " "));
	if (send) {
		kt_encode_header(segment(), KT_FORM_INC, at, 0, 1);
		kt_encode_word(segment(), channel->bound[at]);
	}
}

static void set_field(const char *text)
{
	if (!layout || !kt_qmd_table_set(layout, text, qmd)) {
		fail("no such field or value of the QMD", text);
	}
}

static void take_qmd(char **rest)
{
	unsigned major = (unsigned)number(strsep(rest, " "));
	unsigned minor = (unsigned)number(strsep(rest, " "));
	char text[64];

	memset(qmd, 0, sizeof(qmd));
	layout = kt_qmd_table_find(&qmds, channel->bound[1], major, minor);
	snprintf(text, sizeof(text), "QMD_MAJOR_VERSION=%u", major);
	set_field(text);
	snprintf(text, sizeof(text), "%s=%u",
		 kt_qmd_table_field(layout, "QMD_VERSION") ? "QMD_VERSION"
							   : "QMD_MINOR_VERSION",
		 minor);
	set_field(text);
}

static void take_set(char **rest)
{
	char *text;

	while ((text = strsep(rest, " "))) {
		set_field(text);
	}
}

/* Returns the offset of the method that dword i after a header is written to. */
static uint32_t offset_of(enum kt_form form, uint32_t offset, size_t i)
{
	switch (form) {
	case KT_FORM_INC:
	case KT_FORM_OLD_INC: return offset + 4 * (uint32_t)i;
	case KT_FORM_ONCE: return offset + (i > 0 ? 4 : 0);
	default: return offset;
	}
}

struct method {
	enum kt_form form;
	uint32_t class_;
	uint32_t offset;
	uint32_t values[MOST_VALUES];
	size_t n;
};

static void read_value(struct method *m, const char *text)
{
	uint32_t offset = offset_of(m->form, m->offset, m->n);
	const char *name = kt_encode_name(&table, m->class_, offset);

	if (strcmp(text, "qmd") == 0 && layout && m->n + layout->bytes / 4 <= MOST_VALUES) {
		memcpy(m->values + m->n, qmd, layout->bytes);
		m->n += layout->bytes / 4;
		if (folder) {
			write_qmd_seed();
		}
	} else if (m->n == MOST_VALUES ||
		   !kt_encode_value(&table, m->class_, name ? name : "", text,
				    &m->values[m->n++])) {
		fail("no such value", text);
	}
}

static void find_method(struct method *m, unsigned at, const char *name)
{
	m->class_ = channel->class_;
	if (name && kt_encode_method(&table, m->class_, name, &m->offset) &&
	    m->offset < HOST_END) {
		return;
	}
	m->class_ = channel->bound[at];
	if (!name || !kt_encode_method(&table, m->class_, name, &m->offset)) {
		fail("no such method", name ? name : "nothing");
	}
}

static void take_method(enum kt_form form, char **rest)
{
	struct method m = {.form = form};
	unsigned at = subchannel(rest);
	char *text;

	find_method(&m, at, strsep(rest, " "));
	while ((text = strsep(rest, " "))) {
		read_value(&m, text);
	}
	if (form == KT_FORM_IMMEDIATE) {
		if (m.n != 1 || m.values[0] > KT_FORM_MOST) {
			fail("no immediate value", "one of 13 bits is needed");
		}
		kt_encode_header(segment(), form, at, m.offset, m.values[0]);
		return;
	}
	kt_encode_header(segment(), form, at, m.offset, (uint32_t)m.n);
	for (size_t i = 0; i < m.n; i++) {
		kt_encode_word(segment(), m.values[i]);
	}
}

static bool take_form(const char *word, char **rest)
{
	static const struct {
		const char *name;
		enum kt_form form;
	} forms[] = {{"inc", KT_FORM_INC},         {"non", KT_FORM_NON},
		     {"once", KT_FORM_ONCE},       {"imm", KT_FORM_IMMEDIATE},
		     {"old-inc", KT_FORM_OLD_INC}, {"old-non", KT_FORM_OLD_NON}};

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		if (strcmp(forms[i].name, word) == 0) {
			take_method(forms[i].form, rest);
			return true;
		}
	}
	return false;
}

/* Returns whether a line goes to emit-events unchanged. */
static bool is_of_script(const char *word)
{
	static const char *const words[] = {"pid",   "tid", "seq",   "client",
					    "begin", "end", "object"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strcmp(words[i], word) == 0) {
			return true;
		}
	}
	return false;
}

static void take_line(char *line)
{
	char *rest = line;
	char *word = strsep(&rest, " ");

	if (is_of_script(word)) {
		end_ring();
		printf("%s%s%s\n", word, rest ? " " : "", rest ? rest : "");
	} else if (strcmp(word, "channel") == 0) {
		take_channel(&rest);
	} else if (!channel) {
		fail("no channel yet", word);
	} else if (strcmp(word, "ring") == 0) {
		end_ring();
		doorbell_written = true;
	} else if (strcmp(word, "entry") == 0) {
		take_entry(&rest);
	} else if (strcmp(word, "control") == 0) {
		take_control(&rest);
	} else if (strcmp(word, "base") == 0) {
		base = number(rest);
	} else if (strcmp(word, "bound") == 0 || strcmp(word, "bind") == 0) {
		take_bound(&rest, word[3] == 'd');
	} else if (strcmp(word, "qmd") == 0) {
		take_qmd(&rest);
	} else if (strcmp(word, "set") == 0) {
		take_set(&rest);
	} else if (strcmp(word, "word") == 0) {
		kt_encode_word(segment(), (uint32_t)number(rest));
	} else if (!take_form(word, &rest)) {
		fail("no such line", word);
	}
}

int main(int argc, char **argv)
{
	char line[4096];

	if ((argc != 2 && argc != 4) || kt_table_read(&table, argv[1]) != 0 ||
	    kt_qmd_table_read(&qmds, argv[1]) != 0) {
		fputs("usage: encode-streams TABLES [FOLDER NAME] < STREAM\n", stderr);
		return 2;
	}
	if (argc == 4) {
		folder = argv[2];
		seed_name = argv[3];
	}
	while (fgets(line, sizeof(line), stdin)) {
		char *text = line + strspn(line, "\t ");

		line_number++;
		text[strcspn(text, "\n")] = '\0';
		if (text[0] && text[0] != '#') {
			take_line(text);
		}
	}
	end_ring();
	write_seeds();
	kt_qmd_table_free(&qmds);
	kt_table_free(&table);
	return 0;
}
