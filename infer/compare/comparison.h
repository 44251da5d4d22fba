/* SPDX-License-Identifier: MIT */
/* What is behind kt_compare, for the engine's own eyes. */
#ifndef KTAIL_ENGINE_COMPARISON_H
#define KTAIL_ENGINE_COMPARISON_H

#include <ktail/compare.h>

#include "infer/compare/joint.h"
#include "infer/compare/product.h"

struct kt_compare {
	struct kt_joint joint;
	struct kt_product product; /* zeroed if the languages are equal */
	struct kt_compare_summary summary;
};

#endif
