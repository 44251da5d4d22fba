/* SPDX-License-Identifier: MIT */
/* Checks that the tests of formats share; failures are CUnit assertions. */
#ifndef KTAIL_TESTS_EXCHANGE_EXPECT_H
#define KTAIL_TESTS_EXCHANGE_EXPECT_H

#include "tests/exchange/rig.h"

/* Expects `read` to read the machine of json_folder/json from folder/file. */
void rig_expect_machine(rig_read_fn read, const char *folder, const char *file,
			const char *json_folder, const char *json);

/* Expects `write` to write the machine of folder/json as the text of folder/file. */
void rig_expect_text(rig_write_fn write, const char *folder, const char *json,
		     const char *file);

/* Expects `read` to refuse `text`; its message begins with `prefix` and has `reason`. */
void rig_expect_refusal(rig_read_fn read, const char *text, const char *prefix,
			const char *reason);

#endif
