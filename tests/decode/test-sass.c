/* SPDX-License-Identifier: MIT */
/* Tests control fields of real programs, and cubins built by hand, valid and malformed. */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "decode/sass.h"
#include "tests/suite.h"

#define EM_CUDA_MACHINE 190

/*
 * Instructions and the text of their control fields. Bits and text of the first six are
 * verbatim from CuAssembler's README; the last is CuAssembler's padding for 7.x. The bits
 * of the others are in the listing of sm_75 code in CuAssembler's TestData. Their text
 * follows from the program: an instruction that waits for a barrier uses the result of the
 * instruction that sets the barrier or overwrites its operand, and the slots marked R are
 * those of operands with ".reuse".
 */
static const struct {
	uint64_t low, high;
	const char *text;
} known[] = {
	/* IMAD.SHL.U32 R8, R4.reuse, 0x4, RZ */
	{0x0000000404087824, 0x040fe200078e00ff, "R---:B------:R-:W-:-:S01"},
	/* IADD3 R4, R4, 0x20, RZ */
	{0x0000002004047810, 0x000fce0007ffe0ff, "----:B------:R-:W-:Y:S07"},
	/* LDS.U R8, [R8+0x10] */
	{0x0000100008087984, 0x000e620000001800, "----:B------:R-:W1:-:S01"},
	/* @P0 FADD R5, RZ, R7 */
	{0x00000007ff050221, 0x001fc80000000000, "----:B0-----:R-:W-:Y:S04"},
	/* FADD R5, R8, R5 */
	{0x0000000508057221, 0x002fd00000000000, "----:B-1----:R-:W-:Y:S08"},
	/* SHF.L.U32 R8, R4.reuse, 0x2, RZ */
	{0x0000000204087819, 0x040fe400000006ff, "R---:B------:R-:W-:-:S02"},
	/* S2R R0, SR_CTAID.X; ISETP.GE.U32.AND P0, PT, R0, c[0x0][0x1b0], PT */
	{0x0000000000007919, 0x000e240000002500, "----:B------:R-:W0:-:S02"},
	{0x00006c0000007a0c, 0x001fd80003f06070, "----:B0-----:R-:W-:Y:S12"},
	/* F2I.FTZ.U32.TRUNC.NTZ R3, R2; IMAD.MOV.U32 R2, RZ, RZ, RZ; R9 = -R3 */
	{0x0000000200037305, 0x0004e4000021f000, "----:B------:R2:W3:-:S02"},
	{0x000000ffff027224, 0x004fe400078e00ff, "----:B--2---:R-:W-:-:S02"},
	{0x000000ffff097224, 0x008fc800078e0a03, "----:B---3--:R-:W-:Y:S04"},
	/* SHF.R.U32.HI R8, RZ, 0x8, R9.reuse */
	{0x00000008ff087819, 0x104fe40000011609, "--R-:B--2---:R-:W-:-:S02"},
	/* NOP, the padding after a function */
	{0x0000000000007918, 0x000fc00000000000, "----:B------:R-:W-:Y:S00"},
};

#define N_KNOWN (sizeof(known) / sizeof(known[0]))

static void put(uint8_t *at, uint64_t value, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		at[i] = (uint8_t)(value >> 8 * i);
	}
}

static void reads_known_words(void)
{
	struct kt_sass_control control;
	char text[KT_SASS_CONTROL_TEXT];

	for (size_t i = 0; i < N_KNOWN; i++) {
		uint8_t bytes[KT_SASS_BYTES];

		put(bytes, known[i].low, 8);
		put(bytes + 8, known[i].high, 8);
		kt_sass_control_decode(&control, bytes);
		kt_sass_control_text(text, &control);
		CU_ASSERT_STRING_EQUAL(text, known[i].text);
	}
}

/*
 * Sets each bit alone: only the field that contains the bit changes, and none does for a
 * bit outside of all fields.
 */
static void reads_each_field(void)
{
	uint8_t bytes[KT_SASS_BYTES];
	struct kt_sass_control control;

	for (unsigned bit = 0; bit < 128; bit++) {
		memset(bytes, 0, sizeof(bytes));
		bytes[bit / 8] = (uint8_t)(1 << bit % 8);
		kt_sass_control_decode(&control, bytes);
		CU_ASSERT_EQUAL(control.stall,
				bit >= 105 && bit < 109 ? 1 << (bit - 105) : 0);
		CU_ASSERT_EQUAL(control.yield, bit != 109);
		CU_ASSERT_EQUAL(control.write_barrier,
				bit >= 110 && bit < 113 ? 1 << (bit - 110) : 0);
		CU_ASSERT_EQUAL(control.read_barrier,
				bit >= 113 && bit < 116 ? 1 << (bit - 113) : 0);
		CU_ASSERT_EQUAL(control.wait_mask,
				bit >= 116 && bit < 122 ? 1 << (bit - 116) : 0);
		CU_ASSERT_EQUAL(control.reuse,
				bit >= 122 && bit < 126 ? 1 << (bit - 122) : 0);
	}
}

static void writes_all_of_a_control(void)
{
	const struct kt_sass_control all = {15, true, 5, 0, 63, 15};
	char text[KT_SASS_CONTROL_TEXT];

	kt_sass_control_text(text, &all);
	CU_ASSERT_STRING_EQUAL(text, "RRRR:B012345:R0:W5:Y:S15");
}

/* --- a cubin: header, names, two functions and other sections, section table --- */

static const char names[] = "\0.text.one\0.text.two\0.rela.text.one\0.textual\0.text.zero";

enum { ONE = 1, TWO = 11, RELA = 21, TEXTUAL = 36, ZERO = 45 };

#define NAMES_AT  64
#define CODE_AT   128 /* known[], then known[0] again */
#define TABLE_AT  (CODE_AT + (N_KNOWN + 1) * 16)
#define SECTIONS  7
#define FILE_SIZE (TABLE_AT + SECTIONS * sizeof(Elf64_Shdr))

struct cubin {
	Elf64_Ehdr header;
	Elf64_Shdr sections[SECTIONS];
};

static void describe(struct cubin *cubin)
{
	*cubin = (struct cubin){
		.header = {.e_type = ET_EXEC,
			   .e_machine = EM_CUDA_MACHINE,
			   .e_version = 111,
			   .e_flags = 0x4b054b,
			   .e_shoff = TABLE_AT,
			   .e_ehsize = 64,
			   .e_shentsize = sizeof(Elf64_Shdr),
			   .e_shnum = SECTIONS,
			   .e_shstrndx = 1},
		.sections =
			{
				[1] = {.sh_type = SHT_STRTAB,
				       .sh_offset = NAMES_AT,
				       .sh_size = sizeof(names)},
				[2] = {ONE, SHT_PROGBITS, 6, 0, CODE_AT, N_KNOWN * 16, 0, 0,
				       0, 0},
				[3] = {RELA, SHT_RELA, 0, 0, CODE_AT, 48, 0, 0, 0, 0},
				[4] = {TEXTUAL, SHT_PROGBITS, 0, 0, CODE_AT, 7, 0, 0, 0, 0},
				[5] = {TWO, SHT_PROGBITS, 6, 0, CODE_AT + N_KNOWN * 16, 16,
				       0, 0, 0, 0},
				[6] = {ZERO, SHT_NOBITS, 6, 0, 1 << 30, 1 << 30, 0, 0, 0,
				       0},
			},
	};
	memcpy(cubin->header.e_ident, "\177ELF\2\1\1\63\7", 9);
}

/* Returns the bytes of the file in memory of exactly its size; the caller frees it. */
static uint8_t *build(const struct cubin *cubin)
{
	uint8_t *file = calloc(1, FILE_SIZE);

	CU_ASSERT_PTR_NOT_NULL_FATAL(file);
	memcpy(file, &cubin->header, sizeof(cubin->header));
	memcpy(file + NAMES_AT, names, sizeof(names));
	for (size_t i = 0; i <= N_KNOWN; i++) {
		put(file + CODE_AT + i * 16, known[i % N_KNOWN].low, 8);
		put(file + CODE_AT + i * 16 + 8, known[i % N_KNOWN].high, 8);
	}
	memcpy(file + TABLE_AT, cubin->sections, sizeof(cubin->sections));
	return file;
}

struct found {
	size_t n;
	size_t wrong;
	size_t limit;
	unsigned sm;
};

static bool visit(void *context, const struct kt_sass_instruction *instruction)
{
	struct found *found = context;
	bool in_one = found->n < N_KNOWN;
	char text[KT_SASS_CONTROL_TEXT];

	kt_sass_control_text(text, &instruction->control);
	found->sm = instruction->sm;
	found->wrong += strcmp(instruction->function, in_one ? "one" : "two") != 0;
	found->wrong += instruction->offset != (in_one ? found->n * 16 : 0);
	found->wrong += strcmp(text, known[found->n % N_KNOWN].text) != 0;
	return ++found->n < found->limit;
}

static enum kt_sass_status read_cubin(const struct cubin *cubin, struct found *found)
{
	uint8_t *file = build(cubin);
	enum kt_sass_status status;

	*found = (struct found){.limit = SIZE_MAX};
	status = kt_sass_each(file, FILE_SIZE, visit, found, NULL);
	free(file);
	return status;
}

static void reads_a_cubin(void)
{
	struct cubin cubin;
	struct found found;

	describe(&cubin);
	CU_ASSERT_EQUAL(read_cubin(&cubin, &found), KT_SASS_OK);
	CU_ASSERT_EQUAL(found.n, N_KNOWN + 1);
	CU_ASSERT_EQUAL(found.wrong, 0);
	CU_ASSERT_EQUAL(found.sm, 75);
}

/* In this form of ELF, section 0 holds the values that do not fit the header. */
static void reads_a_cubin_with_many_sections(void)
{
	struct cubin cubin;
	struct found found;

	describe(&cubin);
	cubin.header.e_shnum = 0;
	cubin.header.e_shstrndx = SHN_XINDEX;
	cubin.sections[0].sh_size = SECTIONS;
	cubin.sections[0].sh_link = 1;
	CU_ASSERT_EQUAL(read_cubin(&cubin, &found), KT_SASS_OK);
	CU_ASSERT_EQUAL(found.n, N_KNOWN + 1);
	CU_ASSERT_EQUAL(found.wrong, 0);
}

static void knows_the_gpu(void)
{
	struct cubin cubin;
	struct found found;

	describe(&cubin);
	cubin.header.e_flags = 0x5a055a;
	CU_ASSERT_EQUAL(read_cubin(&cubin, &found), KT_SASS_OK);
	CU_ASSERT_EQUAL(found.sm, 90);
	cubin.header.e_ident[EI_OSABI] = 0x41;
	cubin.header.e_ident[EI_ABIVERSION] = 8;
	cubin.header.e_flags = 0x06007802;
	CU_ASSERT_EQUAL(read_cubin(&cubin, &found), KT_SASS_OK);
	CU_ASSERT_EQUAL(found.sm, 120);
	describe(&cubin);
	cubin.header.e_flags = 0x3d053d;
	CU_ASSERT_EQUAL(read_cubin(&cubin, &found), KT_SASS_OLD);
	CU_ASSERT_EQUAL(found.n, 0);
}

static void ends_when_asked(void)
{
	struct cubin cubin;
	struct found found = {.limit = 3};
	uint8_t *file;

	describe(&cubin);
	file = build(&cubin);
	CU_ASSERT_EQUAL(kt_sass_each(file, FILE_SIZE, visit, &found, NULL), KT_SASS_OK);
	CU_ASSERT_EQUAL(found.n, 3);
	free(file);
}

static void refuses_other_files(void)
{
	struct cubin cubin;
	struct found found;

	for (size_t i = 0; i < 7; i++) {
		describe(&cubin);
		cubin.header.e_ident[i]++;
		CU_ASSERT_EQUAL(read_cubin(&cubin, &found), KT_SASS_NO_CUBIN);
	}
	describe(&cubin);
	cubin.header.e_machine = EM_X86_64;
	CU_ASSERT_EQUAL(read_cubin(&cubin, &found), KT_SASS_NO_CUBIN);
	CU_ASSERT_EQUAL(kt_sass_each(NULL, 0, visit, &found, NULL), KT_SASS_NO_CUBIN);
	describe(&cubin);
	cubin.header.e_shoff = 0;
	CU_ASSERT_EQUAL(read_cubin(&cubin, &found), KT_SASS_OK);
	CU_ASSERT_EQUAL(found.n, 0);
}

#define MALFORMED(field, value)                                                            \
	do {                                                                               \
		describe(&cubin);                                                          \
		cubin.field = (value);                                                     \
		CU_ASSERT_EQUAL(read_cubin(&cubin, &found), KT_SASS_MALFORMED);            \
	} while (0)

static void refuses_what_is_malformed(void)
{
	struct cubin cubin;
	struct found found;

	MALFORMED(header.e_shentsize, 40);
	MALFORMED(header.e_shoff, FILE_SIZE);
	MALFORMED(header.e_shoff, FILE_SIZE - 63);
	MALFORMED(header.e_shoff, UINT64_MAX);
	MALFORMED(header.e_shnum, SECTIONS + 1);
	MALFORMED(header.e_shnum, 0); /* section 0 gives no number either */
	MALFORMED(header.e_shstrndx, SECTIONS);
	MALFORMED(header.e_shstrndx, 0);
	MALFORMED(sections[1].sh_offset, FILE_SIZE);
	MALFORMED(sections[1].sh_size, UINT64_MAX);
	/* the sum overflows: the names would end after a 0 in the header */
	MALFORMED(sections[1].sh_size, UINT64_MAX - 52);
	MALFORMED(sections[1].sh_size, 0);
	/* the last name does not end with a 0 */
	MALFORMED(sections[1].sh_size, sizeof(names) - 1);
	MALFORMED(sections[2].sh_name, sizeof(names));
	MALFORMED(sections[2].sh_name, UINT32_MAX);
	MALFORMED(sections[2].sh_offset, FILE_SIZE - 16);
	MALFORMED(sections[2].sh_offset, UINT64_MAX - 15);
	MALFORMED(sections[2].sh_size, 17);
	MALFORMED(sections[2].sh_size, UINT64_MAX - 15);
	CU_ASSERT_EQUAL(found.n, 0);
	/*
	 * The sections are longer in total than the file: instructions are returned up to
	 * the section that exceeds it.
	 */
	describe(&cubin);
	cubin.sections[5].sh_offset = 0;
	cubin.sections[5].sh_size = FILE_SIZE / 16 * 16;
	CU_ASSERT_EQUAL(read_cubin(&cubin, &found), KT_SASS_MALFORMED);
	CU_ASSERT_EQUAL(found.n, N_KNOWN);
}

/*
 * Reads truncated files in memory of exactly their size, so that sanitizers detect reads
 * past the end.
 */
static void reads_nothing_after_the_end(void)
{
	struct cubin cubin;
	uint8_t *whole;

	describe(&cubin);
	whole = build(&cubin);
	for (size_t size = 1; size < FILE_SIZE; size++) {
		uint8_t *cut = malloc(size);
		struct found found = {.limit = SIZE_MAX};

		CU_ASSERT_PTR_NOT_NULL_FATAL(cut);
		memcpy(cut, whole, size);
		CU_ASSERT_EQUAL(kt_sass_each(cut, size, visit, &found, NULL),
				size < 64 ? KT_SASS_NO_CUBIN : KT_SASS_MALFORMED);
		CU_ASSERT_EQUAL(found.n, 0);
		free(cut);
	}
	free(whole);
}

static void names_statuses(void)
{
	for (int i = 0; i < KT_SASS_STATUSES; i++) {
		CU_ASSERT_TRUE(strlen(kt_sass_status_text((enum kt_sass_status)i)) > 7);
	}
	CU_ASSERT_STRING_EQUAL(kt_sass_status_text(KT_SASS_STATUSES), "unknown");
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"reads known words", reads_known_words},
		{"reads each field", reads_each_field},
		{"writes all of a control word", writes_all_of_a_control},
		{"reads a cubin", reads_a_cubin},
		{"reads a cubin with many sections", reads_a_cubin_with_many_sections},
		{"knows the GPU", knows_the_gpu},
		{"ends when asked", ends_when_asked},
		{"refuses other files", refuses_other_files},
		{"refuses what is malformed", refuses_what_is_malformed},
		{"reads nothing after the end", reads_nothing_after_the_end},
		{"names statuses", names_statuses},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("sass", tests);
}
