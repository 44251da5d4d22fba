/* SPDX-License-Identifier: MIT */
/* All of libktail: words in, machines out. See libktail(3). */
#ifndef KTAIL_KTAIL_H
#define KTAIL_KTAIL_H

#include "check.h"
#include "compare.h"
#include "cross-validate.h"
#include "diff.h"
#include "exchange.h"
#include "fsm.h"
#include "infer.h"
#include "kgrams.h"
#include "merge-states.h"
#include "reduce.h"
#include "score.h"
#include "status.h"
#include "sweep.h"
#include "words.h"

#endif
