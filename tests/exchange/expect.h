/* SPDX-License-Identifier: MIT */
/* What tests of formats expect; it asserts. */
#ifndef KTAIL_TESTS_EXCHANGE_EXPECT_H
#define KTAIL_TESTS_EXCHANGE_EXPECT_H

#include "tests/exchange/rig.h"

/* The file folder/file is the machine that json_folder/json holds. */
void rig_expect_machine(rig_read_fn read, const char *folder, const char *file,
			const char *json_folder, const char *json);

/* The machine of folder/json is written as folder/file has it. */
void rig_expect_text(rig_write_fn write, const char *folder, const char *json,
		     const char *file);

/*
 * Expects `text` to be refused, with a message that begins with `prefix` and contains
 * `reason`.
 */
void rig_expect_refusal(rig_read_fn read, const char *text, const char *prefix,
			const char *reason);

#endif
