/* SPDX-License-Identifier: MIT */
/*
 * Random numbers that are the same everywhere: splitmix64 (Steele, Lea and Flood, "Fast
 * splittable pseudorandom number generators", OOPSLA 2014). No secret may depend on them.
 */
#ifndef KTAIL_ENGINE_RANDOM_H
#define KTAIL_ENGINE_RANDOM_H

#include <stdint.h>

struct kt_random {
	uint64_t state;
};

static inline uint64_t kt_random_mix(uint64_t x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

static inline uint64_t kt_random_next(struct kt_random *random)
{
	random->state += 0x9e3779b97f4a7c15u;
	return kt_random_mix(random->state);
}

/* One of many generators that have a seed in common. */
static inline struct kt_random kt_random_stream(uint64_t seed, uint64_t stream)
{
	return (struct kt_random){.state = kt_random_mix(seed) ^
					   kt_random_mix(~kt_random_mix(stream))};
}

/* Uniform in 0..n-1, n > 0; without a bias, so now and then a number is thrown away. */
static inline uint64_t kt_random_below(struct kt_random *random, uint64_t n)
{
	uint64_t unfair = -n % n;
	uint64_t x = kt_random_next(random);

	while (x < unfair) {
		x = kt_random_next(random);
	}
	return x % n;
}

#endif
