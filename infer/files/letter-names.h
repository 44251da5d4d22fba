/* SPDX-License-Identifier: MIT */
/* Names of a machine's letters. */
#ifndef KTAIL_FILES_LETTER_NAMES_H
#define KTAIL_FILES_LETTER_NAMES_H

#include <ktail/fsm.h>

#include "base/option-table.h"

/*
 * Gives each letter without a name the one that decode/letter-names.h knows for it, runs
 * of letters ("(a|b)+") too, or with KT_NAMES_OFF takes all names away. KT_E_MEMORY.
 */
int kt_machine_name_letters(struct kt_fsm *fsm, enum kt_names names);

#endif
