/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "decode/classes.h"
#include "decode/controls.h"
#include "decode/ioctls.h"
#include "decode/letter-names.h"
#include "tests/suite.h"

static void names_letters(void)
{
	static const struct {
		const char *letter;
		const char *name; /* NULL: none */
	} letters[] = {
		{"ioctl:0x2a", "NV_ESC_RM_CONTROL"},
		{"ioctl:0x2b", "NV_ESC_RM_ALLOC"},
		{"ioctl:0xc9", "NV_ESC_REGISTER_FD"},
		{"ioctl:0x2a/0x205", "NV_ESC_RM_CONTROL GPU_GET_ID_INFO_V2"},
		{"ioctl:0x2a/0x20801218", "NV_ESC_RM_CONTROL GR_GET_CTX_BUFFER_SIZE"},
		/* the short name is ambiguous, so the whole name is used */
		{"ioctl:0x2a/0x906f0101",
		 "NV_ESC_RM_CONTROL NV906F_CTRL_GET_CLASS_ENGINEID"},
		{"ioctl:0x2a/0x208001e4", "NV_ESC_RM_CONTROL GPU_GET_FIPS_STATUS"},
		{"ioctl:0x2a/0xcb330101", "NV_ESC_RM_CONTROL SYSTEM_GET_CAPABILITIES"},
		/* the short name is ambiguous, so the whole name is used */
		{"ioctl:0x2a/0xa06c0101",
		 "NV_ESC_RM_CONTROL NVA06C_CTRL_CMD_GPFIFO_SCHEDULE"},
		/*
		 * two releases have different numbers for this name, so the number is added
		 */
		{"ioctl:0x2a/0x208001ea",
		 "NV_ESC_RM_CONTROL RUSD_GET_SUPPORTED_FEATURES 0x208001ea"},
		{"ioctl:0x2a/0xdead", "NV_ESC_RM_CONTROL 0xdead"},
		{"ioctl:0x2b/0xc8b5", "NV_ESC_RM_ALLOC HOPPER_DMA_COPY_A"},
		{"ioctl:0x29/0x3e", "NV_ESC_RM_FREE NV01_MEMORY_SYSTEM"},
		{"ioctl:0x4e/0xc661", "NV_ESC_RM_MAP_MEMORY HOPPER_USERMODE_A"},
		{"ioctl:0x2b/0xffffffff", "NV_ESC_RM_ALLOC 0xffffffff"},
		{"ioctl:uvm:0x21", "UVM_MAP_EXTERNAL_ALLOCATION"},
		{"ioctl:uvm:0x30000001", "UVM_INITIALIZE"},
		{"W:put", "write GP_PUT"},
		{"R:semaphore", "read semaphore"},
		{"R:poll", "read semaphore, polling"},
		{"W:doorbell", "write doorbell"},
		{"W:doorbell:unpolled", "write doorbell, unpolled"},
		{"W:doorbells", NULL},
		{"R:", NULL},
		{"map:0x90f1", "map:FERMI_VASPACE_A"},
		{"unmap:0x90f1", "unmap:FERMI_VASPACE_A"},
		{"R:0x90f1", "R:FERMI_VASPACE_A"},
		{"W:0x90f1", "W:FERMI_VASPACE_A"},
		/* already readable */
		{"R:sys", NULL},
		{"W:reg", NULL},
		{"map:pin", NULL},
		{"unmap:uvm", NULL},
		{"poll", NULL},
		{"submit:copy-inline+launch", NULL},
		{"m:HOPPER_DMA_COPY_A:LAUNCH_DMA", NULL},
		{"cuMemcpyHtoD_v2", NULL},
		/* in no table */
		{"ioctl:0x1", NULL},
		{"ioctl:0x1/0xc8b5", NULL},
		{"ioctl:uvm:0xffff", NULL},
		{"map:0xdead", NULL},
		/* not a letter of any alphabet */
		{"", NULL},
		{"ioctl:", NULL},
		{"ioctl:0x", NULL},
		{"ioctl:42", NULL},
		{"ioctl:0x2A", NULL},
		{"ioctl:0x02a", NULL},
		{"ioctl:0x2a ", NULL},
		{"ioctl:0x2a/", NULL},
		{"ioctl:0x2a/0x", NULL},
		{"ioctl:0x2a/0x0205", NULL},
		{"ioctl:0x2a/0x205/0x3e", NULL},
		{"ioctl:0x10000002a", NULL},
		{"ioctl:uvm:", NULL},
		{"ioctl:uvm:0x21/0x3e", NULL},
		{"ioctl:uvm", NULL},
		{"map:0x90f1:", NULL},
		{"map:", NULL},
		{"unmapped:0x90f1", NULL},
		{" ioctl:0x2a", NULL},
	};
	char buffer[KT_LETTER_NAME];

	for (size_t i = 0; i < sizeof(letters) / sizeof(letters[0]); i++) {
		const char *name = kt_letter_name(letters[i].letter, buffer);
		bool same = name && letters[i].name ? strcmp(name, letters[i].name) == 0
						    : name == letters[i].name;

		if (!same) {
			printf("%s: '%s'\n", letters[i].letter, name ? name : "NULL");
		}
		CU_ASSERT_TRUE(same);
	}
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/*
 * The letters of requests below 0x200, commands and classes have distinct names that fit.
 */
static void names_are_distinct(void)
{
	char **names = calloc(0x400 + kt_controls() + 0x10000, sizeof(*names));
	size_t n = 0;
	uint32_t before = UINT32_MAX;

	CU_ASSERT_PTR_NOT_NULL_FATAL(names);
	for (uint32_t i = 0; i < 0x400 + kt_controls() + 0x10000; i++) {
		char buffer[KT_LETTER_NAME];
		char letter[64];
		const char *name;
		bool expected = true;

		if (i < 0x400) {
			bool uvm = i >= 0x200;

			snprintf(letter, sizeof(letter), "ioctl:%s0x%" PRIx32,
				 uvm ? "uvm:" : "", i & 0x1ff);
			expected = kt_ioctl_name(uvm ? KT_IOCTL_UVM : KT_IOCTL_RM,
						 i & 0x1ff) != NULL;
		} else if (i < 0x400 + kt_controls()) {
			uint32_t command = kt_control_at(i - 0x400)->command;

			snprintf(letter, sizeof(letter), "ioctl:0x2a/0x%" PRIx32, command);
			expected = command != before;
			before = command;
			if (!expected) {
				continue;
			}
		} else {
			uint32_t number = i - 0x400 - (uint32_t)kt_controls();

			snprintf(letter, sizeof(letter), "map:0x%" PRIx32, number);
			expected = kt_class_find(number) != NULL;
		}
		name = kt_letter_name(letter, buffer);
		CU_ASSERT_EQUAL(name != NULL, expected);
		if (name) {
			CU_ASSERT_TRUE(strlen(name) < KT_LETTER_NAME - 1);
			names[n++] = strdup(name);
		}
	}
	CU_ASSERT_TRUE(n > 2000);
	qsort(names, n, sizeof(*names), compare);
	for (size_t i = 0; i < n; i++) {
		if (i > 0 && strcmp(names[i - 1], names[i]) == 0) {
			CU_FAIL("two letters have one name");
			printf("%s\n", names[i]);
		}
	}
	for (size_t i = 0; i < n; i++) {
		free(names[i]);
	}
	free(names);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"names letters", names_letters},
		{"names are distinct", names_are_distinct},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("letter names", tests);
}
