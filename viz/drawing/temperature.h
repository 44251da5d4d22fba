/* SPDX-License-Identifier: MIT */
/*
 * Shows counts as temperatures, from cold blue to hot red on a logarithmic scale, as in the
 * papers (ATTRIBUTION.md). Every stroke colour has a contrast of at least 4.5 to 1 on
 * white, so it can be used for text. Every tint is light enough for black text.
 */
#ifndef KTAIL_VIZ_TEMPERATURE_H
#define KTAIL_VIZ_TEMPERATURE_H

#include <stdbool.h>
#include <stdint.h>

struct kt_colour {
	uint8_t red;
	uint8_t green;
	uint8_t blue;
};

/*
 * Returns the temperature of a count, from 0 to 1: its position between 1 and max on a
 * logarithmic scale, or 0 for counts below 2. A max below 10 is taken as 10, so that rare
 * events are never hot.
 */
double kt_temperature(uint64_t count, uint64_t max);

/* Returns the colour of lines and letters at a temperature from 0 to 1. */
struct kt_colour kt_temperature_stroke(double temperature);

/*
 * Returns the colour of areas at a temperature from 0 to 1: the stroke colour mixed with
 * white.
 */
struct kt_colour kt_temperature_tint(double temperature);

/* Returns the line width in points at a temperature from 0 to 1. */
double kt_temperature_pen(double temperature);

/*
 * Returns the colour of a text: like that of a stroke, but always dark after
 * kt_colours_grey().
 */
struct kt_colour kt_temperature_text(double temperature);

/*
 * After this call, all pictures are in shades of grey: the functions above give greys, and
 * kt_colour_shown() gives the grey that is as light as a colour.
 */
void kt_colours_grey(void);
bool kt_colours_are_grey(void);
struct kt_colour kt_colour_shown(struct kt_colour c);

#endif
