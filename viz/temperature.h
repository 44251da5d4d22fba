/* SPDX-License-Identifier: MIT */
/*
 * Frequencies as temperatures, from cold blue to hot red on a logarithmic scale, as the
 * papers draw them. Every stroke colour has a contrast of at least 4.5 to 1 on white, so
 * that it can be a text's colour; every tint is light enough for black text.
 */
#ifndef KTAIL_VIZ_TEMPERATURE_H
#define KTAIL_VIZ_TEMPERATURE_H

#include <stdint.h>

struct kt_colour {
	uint8_t red;
	uint8_t green;
	uint8_t blue;
};

/*
 * Where count stands between 1 and max, in 0..1; 0 for counts below 2. A max below 10 is
 * taken as 10: what never happened often is not hot.
 */
double kt_temperature(uint64_t count, uint64_t max);

/* The colour of lines and letters at a temperature in 0..1. */
struct kt_colour kt_temperature_stroke(double temperature);

/* The colour of areas at a temperature in 0..1: the stroke's, mixed with white. */
struct kt_colour kt_temperature_tint(double temperature);

/* The width of lines in points. */
double kt_temperature_pen(double temperature);

#endif
