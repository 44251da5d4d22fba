/* SPDX-License-Identifier: MIT */
/* Checks that the tests of formats share; each asserts what it expects. */
#ifndef KTAIL_TESTS_EXCHANGE_EXPECT_H
#define KTAIL_TESTS_EXCHANGE_EXPECT_H

#include "tests/exchange/rig.h"

/* Expects the file folder/file to be the machine in json_folder/json. */
void rig_expect_machine(rig_read_fn read, const char *folder, const char *file,
			const char *json_folder, const char *json);

/* Expects `write` to write the machine in folder/json as the text in folder/file. */
void rig_expect_text(rig_write_fn write, const char *folder, const char *json,
		     const char *file);

/*
 * Expects `text` to be refused, with a message that begins with `prefix` and contains
 * `reason`.
 */
void rig_expect_refusal(rig_read_fn read, const char *text, const char *prefix,
			const char *reason);

#endif
