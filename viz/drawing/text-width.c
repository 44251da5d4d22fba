/* SPDX-License-Identifier: MIT */
#include "viz/drawing/text-width.h"

#include <stdbool.h>
#include <string.h>

#include "base/utf8.h"

#define NO_BREAK "\xc2\xa0"

/* Widths of the characters from ' ' to '~', in thousandths of the size: regular, bold. */
static const short widths[2]['~' - ' ' + 1] = {
	{318,  401, 460, 838, 637, 951, 780, 275, 391, 391, 500, 838, 318, 361, 318, 337,
	 637,  637, 637, 637, 637, 637, 637, 637, 637, 637, 337, 337, 838, 838, 838, 557,
	 1016, 685, 687, 723, 771, 667, 611, 778, 752, 295, 500, 667, 558, 863, 749, 788,
	 667,  788, 723, 667, 611, 732, 685, 989, 686, 667, 686, 391, 337, 391, 838, 557,
	 500,  613, 635, 550, 635, 616, 353, 635, 634, 278, 278, 580, 278, 975, 634, 612,
	 635,  635, 412, 521, 393, 634, 592, 818, 592, 592, 525, 637, 337, 637, 838},
	{349,  457, 521, 838, 696, 1002, 873, 307,  458, 458, 523, 838, 380, 416,  380, 366,
	 696,  696, 696, 696, 696, 696,  696, 696,  696, 696, 400, 400, 838, 838,  838, 611,
	 1000, 774, 763, 734, 831, 684,  684, 821,  837, 373, 557, 775, 638, 996,  837, 851,
	 733,  851, 771, 721, 683, 813,  774, 1104, 771, 725, 726, 458, 366, 458,  838, 557,
	 500,  675, 716, 593, 716, 679,  436, 716,  712, 343, 343, 666, 343, 1042, 712, 688,
	 716,  716, 494, 596, 479, 712,  652, 924,  646, 652, 583, 712, 366, 712,  838},
};

static int width_of(const char *c, bool bold)
{
	return *c >= ' ' && *c <= '~'                        ? widths[bold][*c - ' ']
	       : strncmp(c, NO_BREAK, strlen(NO_BREAK)) == 0 ? widths[bold][0]
							     : 1000; /* the width of "…" */
}

static double measure(const char *text, double size, bool bold)
{
	size_t length = strlen(text);
	long width = 0;

	for (size_t i = 0; i < length;) {
		size_t n = kt_utf8_sequence(text + i, length - i);

		width += width_of(text + i, bold);
		i += n ? n : 1;
	}
	return (double)width * size / 1000;
}

double kt_text_width(const char *text, double size)
{
	return measure(text, size, false);
}

double kt_bold_width(const char *text, double size)
{
	return measure(text, size, true);
}

size_t kt_text_line(const char *text, double size, double width)
{
	size_t fits = 0;

	for (size_t i = 1;; i++) {
		char line[1024];

		if (text[i - 1] != '\0' && text[i - 1] != ' ') {
			continue;
		}
		if (i > sizeof(line)) {
			break;
		}
		memcpy(line, text, i - 1);
		line[i - 1] = '\0';
		if (fits && kt_text_width(line, size) > width) {
			break;
		}
		fits = i - 1;
		if (text[i - 1] == '\0') {
			break;
		}
	}
	return fits;
}
