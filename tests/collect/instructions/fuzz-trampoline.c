/* SPDX-License-Identifier: MIT */
/*
 * Patches a store that is followed by arbitrary bytes. No byte after the given ones may be
 * read. Each copied instruction must have the same disassembly as the original, including
 * the addresses it names, or be a jump to the original.
 */
#define _GNU_SOURCE
#include <Zydis/Zydis.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "collect/preload/instructions/trampoline.h"
#include "tests/collect/instructions/trap-bytes.h"

#define SITE    0x7d0012345000u
#define HANDLER 0x7d0055555550u
#define TEXT    128

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static ZydisDecoder decoder;
static ZydisFormatter formatter;

static void set_up(void)
{
	static bool done;

	if (!done) {
		kt_trampoline_init();
		ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64,
				 ZYDIS_STACK_WIDTH_64);
		ZydisFormatterInit(&formatter, ZYDIS_FORMATTER_STYLE_INTEL);
		done = true;
	}
}

/* Writes the instruction's disassembly without its prefixes; returns its length. */
static size_t write_text(char text[TEXT], const uint8_t *code, size_t n, uintptr_t at)
{
	ZydisDecodedInstruction i;
	ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];

	if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, code, n, &i, operands)) ||
	    !ZYAN_SUCCESS(ZydisFormatterFormatInstruction(&formatter, &i, operands,
							  i.operand_count_visible, text,
							  TEXT, at, NULL))) {
		abort();
	}
	return i.length;
}

/*
 * Skips branch hints, `bnd` and the size of a branch's distance, which a copied branch does
 * not keep.
 */
static const char *bare(const char *text)
{
	static const char *const words[] = {"bnd ", "short ", "notrack "};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strncmp(text, words[i], strlen(words[i])) == 0) {
			text += strlen(words[i]);
		}
	}
	return text;
}

static void compare(const uint8_t *code, size_t n, size_t at, uintptr_t copy)
{
	char there[TEXT];
	char moved[TEXT];

	write_text(there, code + at, n - at, SITE + at);
	write_text(moved, (const uint8_t *)copy, 15, copy);
	if (strcmp(bare(there), bare(moved)) != 0) {
		fprintf(stderr, "%s, moved %s\n", there, moved);
		abort();
	}
}

static void check(const struct kt_trampoline *t, const uint8_t *code, size_t n)
{
	if (t->replaced > n || t->replaced < KT_JUMP_BYTES || t->jump[0] != 0xe9 ||
	    !(t->starts & 1)) {
		abort();
	}
	compare(code, n, 0, t->access);
	for (unsigned i = 0; i < t->n_inner; i++) {
		const struct kt_inner *inner = &t->inner[i];
		unsigned offset = inner->offset;

		if (inner->entry
			    ? inner->access != inner->copy + KT_JUMP_BYTES ||
				      memcmp((const void *)inner->copy, kt_trampoline_nop,
					     KT_JUMP_BYTES) != 0
			    : inner->access != inner->copy) {
			abort();
		}
		if (offset >= KT_JUMP_BYTES || !is_trap_byte(t->jump[offset]) ||
		    !(t->starts & 1u << offset)) {
			abort();
		}
		compare(code, n, offset, inner->access);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct kt_continue_site site;
	static const struct kt_trampoline_links links = {
		.number = 7, .handler = HANDLER, .site = &site};
	struct kt_trampoline t;
	size_t n = size < KT_SITE_BYTES ? size : KT_SITE_BYTES;
	uint8_t *code = malloc(n ? n : 1); /* exact size, for the sanitizer */

	set_up();
	memcpy(code, data, n);
	if (!kt_trampoline_make(&t, SITE, code, n, &links)) {
		check(&t, code, n);
		kt_trampoline_free(&t);
	} else if (t.bytes) {
		abort();
	}
	free(code);
	return 0;
}
