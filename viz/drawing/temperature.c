/* SPDX-License-Identifier: MIT */
#include "viz/drawing/temperature.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * Colours at equal steps from cold to hot. The light colours of the usual rainbow are
 * missing, since they would be invisible on white.
 */
static const struct kt_colour palette[] = {
	{0x2f, 0x5f, 0xb3}, /* blue */
	{0x0e, 0x76, 0x7a}, /* teal */
	{0x3f, 0x76, 0x22}, /* green */
	{0xa8, 0x5b, 0x00}, /* amber */
	{0xc8, 0x1e, 0x1e}, /* red */
};

/* Greys from seldom to often, for print without colour. */
static const struct kt_colour greys[] = {
	{0x9a, 0x9a, 0x9a}, {0x7c, 0x7c, 0x7c}, {0x58, 0x58, 0x58},
	{0x30, 0x30, 0x30}, {0x00, 0x00, 0x00},
};

static bool grey;

#define N_STEPS (sizeof(palette) / sizeof(palette[0]) - 1)

double kt_temperature(uint64_t count, uint64_t max)
{
	if (count < 2) {
		return 0;
	}
	max = max < 10 ? 10 : max;
	return count >= max ? 1 : log((double)count) / log((double)max);
}

static uint8_t mix(uint8_t a, uint8_t b, double share)
{
	return (uint8_t)(a + (b - a) * share + 0.5);
}

static struct kt_colour mix_colours(struct kt_colour a, struct kt_colour b, double share)
{
	return (struct kt_colour){mix(a.red, b.red, share), mix(a.green, b.green, share),
				  mix(a.blue, b.blue, share)};
}

struct kt_colour kt_temperature_stroke(double temperature)
{
	double position = temperature * (double)N_STEPS;
	size_t step = (size_t)position < N_STEPS ? (size_t)position : N_STEPS - 1;

	return grey ? mix_colours(greys[step], greys[step + 1], position - (double)step)
		    : mix_colours(palette[step], palette[step + 1],
				  position - (double)step);
}

struct kt_colour kt_temperature_tint(double temperature)
{
	const struct kt_colour white = {0xff, 0xff, 0xff};

	return mix_colours(kt_temperature_stroke(temperature), white, 0.78);
}

struct kt_colour kt_temperature_text(double temperature)
{
	return kt_temperature_stroke(grey ? 0.75 : temperature);
}

double kt_temperature_pen(double temperature)
{
	return 1.0 + 2.5 * temperature;
}

void kt_colours_grey(void)
{
	grey = true;
}

bool kt_colours_are_grey(void)
{
	return grey;
}

struct kt_colour kt_colour_shown(struct kt_colour c)
{
	/* The weights of Rec. 601. */
	uint8_t light = (uint8_t)(0.299 * c.red + 0.587 * c.green + 0.114 * c.blue + 0.5);

	return grey ? (struct kt_colour){light, light, light} : c;
}
