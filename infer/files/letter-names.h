/* SPDX-License-Identifier: MIT */
/* Names the letters of machines. */
#ifndef KTAIL_FILES_LETTER_NAMES_H
#define KTAIL_FILES_LETTER_NAMES_H

#include <ktail/fsm.h>

#include "base/option-table.h"

/*
 * Gives each letter without a name the name that decode/letter-names.h defines. A letter
 * "(a|b)+", which stands for runs of a and b, is named by the names of a and b. With
 * KT_NAMES_OFF, removes all names. KT_E_MEMORY.
 */
int kt_machine_name_letters(struct kt_fsm *fsm, enum kt_names names);

#endif
