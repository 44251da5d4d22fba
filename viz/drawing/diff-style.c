/* SPDX-License-Identifier: MIT */
#include "viz/drawing/diff-style.h"

static const struct kt_diff_style kept = {
	.verb = "kept",
	.sign = "",
	.stroke = {0x9a, 0xa1, 0xab},
	.text = {0x5f, 0x66, 0x70},
	.tint = {0xf3, 0xf4, 0xf6},
	.pen = 1.0,
};

static const struct kt_diff_style added = {
	.verb = "added",
	.sign = "+ ",
	.stroke = {0x1a, 0x7f, 0x37},
	.text = {0x1a, 0x7f, 0x37},
	.tint = {0xd3, 0xf2, 0xdc},
	.pen = 3.0,
};

static const struct kt_diff_style removed = {
	.verb = "removed",
	.sign = "− ",
	.stroke = {0xc8, 0x1e, 0x1e},
	.text = {0xc8, 0x1e, 0x1e},
	.tint = {0xfd, 0xe0, 0xe0},
	.pen = 2.2,
	.dashed = true,
};

const struct kt_diff_style *kt_diff_style(enum kt_presence presence)
{
	switch (presence) {
	case KT_PRESENCE_OLD: return &removed;
	case KT_PRESENCE_NEW: return &added;
	case KT_PRESENCE_BOTH:
	case KT_PRESENCE_NONE: break;
	}
	return &kept;
}
