/* SPDX-License-Identifier: MIT */
#include "viz/sides.h"

static const struct kt_side_look kept = {
	.verb = "kept",
	.sign = "",
	.stroke = {0x9a, 0xa1, 0xab},
	.text = {0x5f, 0x66, 0x70},
	.tint = {0xf3, 0xf4, 0xf6},
	.pen = 1.0,
};

static const struct kt_side_look added = {
	.verb = "added",
	.sign = "+ ",
	.stroke = {0x1a, 0x7f, 0x37},
	.text = {0x1a, 0x7f, 0x37},
	.tint = {0xd3, 0xf2, 0xdc},
	.pen = 3.0,
};

static const struct kt_side_look removed = {
	.verb = "removed",
	.sign = "− ",
	.stroke = {0xc8, 0x1e, 0x1e},
	.text = {0xc8, 0x1e, 0x1e},
	.tint = {0xfd, 0xe0, 0xe0},
	.pen = 2.2,
	.dashed = true,
};

const struct kt_side_look *kt_side_look(enum kt_side side)
{
	switch (side) {
	case KT_SIDE_OLD: return &removed;
	case KT_SIDE_NEW: return &added;
	case KT_SIDE_BOTH:
	case KT_SIDE_NONE: break;
	}
	return &kept;
}
