/* SPDX-License-Identifier: MIT */
/*
 * Tests methods, fields and values known from command streams and headers, by generation.
 */
#include <string.h>

#include "decode/methods.h"
#include "tests/suite.h"

/* Returns whether the method at an offset has this name and element number. */
static bool is_method(uint32_t class_number, uint32_t offset, const char *name,
		      uint32_t index)
{
	const struct kt_method_class *class_ = kt_method_class_find(class_number);
	struct kt_method_info method;

	if (!class_ || !kt_method_find(class_, offset, &method)) {
		return false;
	}
	return strcmp(method.name, name) == 0 && method.index == index;
}

static bool is_nothing(uint32_t class_number, uint32_t offset)
{
	const struct kt_method_class *class_ = kt_method_class_find(class_number);
	struct kt_method_info method;

	return class_ && !kt_method_find(class_, offset, &method);
}

/* Returns the name that a field's value in a dword has, "" if the value has none. */
static const char *reads(uint32_t class_number, const char *method_name,
			 const char *field_name, uint32_t word)
{
	const struct kt_method_class *class_ = kt_method_class_find(class_number);
	struct kt_method_info method;
	struct kt_method_field field;

	if (!class_ || !kt_method_find_name(class_, method_name, &method)) {
		return "no method";
	}
	for (size_t i = 0; kt_method_field(class_, &method, i, &field); i++) {
		uint32_t mask = field.hi - field.lo == 31
					? UINT32_MAX
					: (1u << (field.hi - field.lo + 1)) - 1;
		const char *name;

		if (strcmp(field.name, field_name) == 0) {
			name = kt_method_value_name(class_, &field,
						    word >> field.lo & mask);
			return name ? name : "";
		}
	}
	return "no field";
}

#define READS(class_, method, field, word, name)                                           \
	CU_ASSERT_STRING_EQUAL(reads(class_, method, field, word), name)

static void knows_channels(void)
{
	CU_ASSERT_TRUE(is_method(0xa06f, 0x1c, "SEMAPHORED", 0));
	CU_ASSERT_TRUE(is_nothing(0xa06f, 0x6c));
	READS(0xa06f, "SEMAPHORED", "OPERATION", 2, "RELEASE");
	READS(0xa06f, "SEMAPHORED", "RELEASE_SIZE", 1u << 24, "4BYTE");
	READS(0xa06f, "SEMAPHORED", "REDUCTION", 0, "no field");
	READS(0xa16f, "SEMAPHORED", "REDUCTION", 1u << 27, "MAX");
	CU_ASSERT_TRUE(is_method(0xc36f, 0x6c, "SEM_EXECUTE", 0));
	READS(0xc36f, "SEM_EXECUTE", "REDUCTION_FORMAT", 1u << 31, "UNSIGNED");
	READS(0xc36f, "SEM_EXECUTE", "OPERATION", 7, "");
	READS(0xc86f, "SEM_EXECUTE", "OPERATION", 0x02000001, "RELEASE");
	READS(0xc86f, "SEM_EXECUTE", "RELEASE_TIMESTAMP", 0x02000001, "EN");
	CU_ASSERT_TRUE(is_method(0xc361, 0x90, "NOTIFY_CHANNEL_PENDING", 0));
	CU_ASSERT_TRUE(is_method(0xc761, 0x90, "NOTIFY_CHANNEL_PENDING", 0));
}

/*
 * NVIDIA's headers for the classes below name only some methods; the others are
 * inherited from the parent class.
 */
static void inherits_what_partial_headers_do_not_show(void)
{
	static const uint32_t classes[] = {0xc86f, 0xc96f, 0xca6f};

	for (size_t i = 0; i < 3; i++) {
		CU_ASSERT_TRUE(is_method(classes[i], 0x08, "NOP", 0));
		CU_ASSERT_TRUE(is_method(classes[i], 0x78, "WFI", 0));
		CU_ASSERT_TRUE(is_method(classes[i], 0x6c, "SEM_EXECUTE", 0));
		READS(classes[i], "SEM_EXECUTE", "PAYLOAD_SIZE", 1u << 24, "64BIT");
		READS(classes[i], "SEM_EXECUTE", "REDUCTION", 5u << 27, "IADD");
		READS(classes[i], "WFI", "SCOPE", 1, "ALL");
		READS(classes[i], "SET_OBJECT", "NVCLASS", 0xcbc0, "");
	}
	CU_ASSERT_TRUE(is_method(0xc4c0, 0x2b4, "SEND_PCAS_A", 0));
	CU_ASSERT_TRUE(is_method(0xcd40, 0x1b4, "LOAD_INLINE_DATA", 0));
}

/* 0x182 is the LAUNCH_DMA of a direct copy as drivers write it. */
static void knows_copies_of_every_generation(void)
{
	static const uint32_t classes[] = {0xa0b5, 0xb0b5, 0xc0b5, 0xc1b5, 0xc3b5, 0xc5b5,
					   0xc6b5, 0xc7b5, 0xc8b5, 0xc9b5, 0xcab5};

	for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++) {
		CU_ASSERT_TRUE(is_method(classes[i], 0x240, "SET_SEMAPHORE_A", 0));
		CU_ASSERT_TRUE(is_method(classes[i], 0x300, "LAUNCH_DMA", 0));
		CU_ASSERT_TRUE(is_method(classes[i], 0x400, "OFFSET_IN_UPPER", 0));
		CU_ASSERT_TRUE(is_method(classes[i], 0x418, "LINE_LENGTH_IN", 0));
		READS(classes[i], "LAUNCH_DMA", "DATA_TRANSFER_TYPE", 0x182,
		      "NON_PIPELINED");
		READS(classes[i], "LAUNCH_DMA", "FLUSH_ENABLE", 0x182, "FALSE");
		READS(classes[i], "LAUNCH_DMA", "SEMAPHORE_TYPE", 0x182, "NONE");
		READS(classes[i], "LAUNCH_DMA", "SRC_MEMORY_LAYOUT", 0x182, "PITCH");
		READS(classes[i], "LAUNCH_DMA", "DST_MEMORY_LAYOUT", 0x182, "PITCH");
		READS(classes[i], "LAUNCH_DMA", "SRC_TYPE", 0x1182, "PHYSICAL");
	}
}

static void knows_how_copies_changed(void)
{
	READS(0xa0b5, "LAUNCH_DMA", "BYPASS_L2", 1u << 11, "FORCE_VOLATILE");
	READS(0xc8b5, "LAUNCH_DMA", "BYPASS_L2", 0, "no field");
	READS(0xc3b5, "LAUNCH_DMA", "SEMAPHORE_TYPE", 3u << 3, "");
	READS(0xc5b5, "LAUNCH_DMA", "SEMAPHORE_TYPE", 3u << 3,
	      "RELEASE_CONDITIONAL_INTR_SEMAPHORE");
	READS(0xc6b5, "LAUNCH_DMA", "COPY_TYPE", 0, "no field");
	READS(0xc8b5, "LAUNCH_DMA", "COPY_TYPE", 1u << 20, "SECURE");
	READS(0xc9b5, "LAUNCH_DMA", "DATA_TRANSFER_TYPE", 3, "");
	READS(0xcab5, "LAUNCH_DMA", "DATA_TRANSFER_TYPE", 3, "PREFETCH");
	/* If a value has two names, the first is returned. */
	READS(0xc8b5, "LAUNCH_DMA", "SEMAPHORE_TYPE", 1u << 3,
	      "RELEASE_ONE_WORD_SEMAPHORE");
	READS(0xc86f, "MEM_OP_D", "OPERATION", 14u << 27, "L2_SYSMEM_INVALIDATE");
}

static void knows_compute_of_every_generation(void)
{
	static const uint32_t classes[] = {0xa0c0, 0xa1c0, 0xb0c0, 0xb1c0, 0xc0c0,
					   0xc1c0, 0xc3c0, 0xc4c0, 0xc5c0, 0xc6c0,
					   0xc7c0, 0xc9c0, 0xcbc0, 0xcdc0, 0xcec0};

	for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++) {
		CU_ASSERT_TRUE(is_method(classes[i], 0x180, "LINE_LENGTH_IN", 0));
		CU_ASSERT_TRUE(is_method(classes[i], 0x1b0, "LAUNCH_DMA", 0));
		CU_ASSERT_TRUE(is_method(classes[i], 0x1b4, "LOAD_INLINE_DATA", 0));
		CU_ASSERT_TRUE(is_method(classes[i], 0x2b4, "SEND_PCAS_A", 0));
		CU_ASSERT_TRUE(is_method(classes[i], 0x1b00, "SET_REPORT_SEMAPHORE_A", 0));
		READS(classes[i], "SET_REPORT_SEMAPHORE_D", "OPERATION", 0, "RELEASE");
		READS(classes[i], "LAUNCH_DMA", "DST_MEMORY_LAYOUT", 1, "PITCH");
	}
	CU_ASSERT_TRUE(is_nothing(0xc5c0, 0x2c0));
	CU_ASSERT_TRUE(is_method(0xc6c0, 0x2c0, "SEND_SIGNALING_PCAS2_B", 0));
	READS(0xcbc0, "SEND_SIGNALING_PCAS2_B", "PCAS_ACTION", 0xa,
	      "INVALIDATE_PREFETCH_COPY_SCHEDULE");
}

static void knows_elements_of_arrays(void)
{
	CU_ASSERT_TRUE(is_method(0xc0c0, 0x31c, "SET_INLINE_QMD_ADDRESS_B", 0));
	CU_ASSERT_TRUE(is_method(0xc0c0, 0x320, "LOAD_INLINE_QMD_DATA", 0));
	CU_ASSERT_TRUE(is_method(0xc0c0, 0x41c, "LOAD_INLINE_QMD_DATA", 63));
	CU_ASSERT_TRUE(is_nothing(0xc0c0, 0x420));
	CU_ASSERT_TRUE(is_nothing(0xc0c0, 0x322));
	/* From Hopper on, an inline QMD has 384 bytes. */
	CU_ASSERT_TRUE(is_method(0xcbc0, 0x49c, "LOAD_INLINE_QMD_DATA", 95));
	CU_ASSERT_TRUE(is_method(0xcec0, 0x49c, "LOAD_INLINE_QMD_DATA", 95));
	CU_ASSERT_TRUE(is_nothing(0xcbc0, 0x4a0));
}

static void separates_interleaved_arrays(void)
{
	CU_ASSERT_TRUE(is_method(0xcbc0, 0x3800, "CALL_MME_MACRO", 0));
	CU_ASSERT_TRUE(is_method(0xcbc0, 0x3804, "CALL_MME_DATA", 0));
	CU_ASSERT_TRUE(is_method(0xcbc0, 0x3ff8, "CALL_MME_MACRO", 255));
	CU_ASSERT_TRUE(is_method(0xcbc0, 0x3ffc, "CALL_MME_DATA", 255));
	CU_ASSERT_TRUE(is_nothing(0xcbc0, 0x4000));
	CU_ASSERT_TRUE(is_method(0x50c0, 0x420, "SET_GLOBAL_MEM_A", 1));
	CU_ASSERT_TRUE(is_method(0x50c0, 0x5f0, "SET_GLOBAL_MEM_FORMAT", 15));
	CU_ASSERT_TRUE(is_nothing(0x50c0, 0x414));
	CU_ASSERT_TRUE(is_nothing(0x50c0, 0x5f4));
}

static void gives_what_an_encoder_needs(void)
{
	const struct kt_method_class *class_ = kt_method_class_find(0xcbc0);
	struct kt_method_info method;

	CU_ASSERT_TRUE_FATAL(kt_method_find_name(class_, "CALL_MME_DATA", &method));
	CU_ASSERT_EQUAL(method.offset, 0x3804);
	CU_ASSERT_EQUAL(method.count, 256);
	CU_ASSERT_EQUAL(method.stride, 8);
	CU_ASSERT_EQUAL(method.index, 0);
	CU_ASSERT_TRUE_FATAL(kt_method_find(class_, 0x380c, &method));
	CU_ASSERT_EQUAL(method.offset, 0x3804);
	CU_ASSERT_EQUAL(method.index, 1);
	CU_ASSERT_FALSE(kt_method_find_name(class_, "CALL_MME", &method));
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"knows channels", knows_channels},
		{"inherits what partial headers do not show",
		 inherits_what_partial_headers_do_not_show},
		{"knows copies of every generation", knows_copies_of_every_generation},
		{"knows how copies changed", knows_how_copies_changed},
		{"knows compute of every generation", knows_compute_of_every_generation},
		{"knows elements of arrays", knows_elements_of_arrays},
		{"tells arrays apart that interleave", separates_interleaved_arrays},
		{"gives what an encoder needs", gives_what_an_encoder_needs},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("methods", tests);
}
