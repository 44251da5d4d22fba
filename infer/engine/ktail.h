/* SPDX-License-Identifier: MIT */
/* All of libktail: words in, machines out. See libktail(3). */
#ifndef KTAIL_KTAIL_H
#define KTAIL_KTAIL_H

#include "exchange.h"
#include "fsm.h"
#include "infer.h"
#include "status.h"
#include "words.h"

#endif
