/* SPDX-License-Identifier: MIT */
#include "collect/preload/overhead/overhead.h"

void kt_overhead_open(struct kt_overhead *account, uint64_t now)
{
	account->begun = now;
	account->inside = 0;
	account->n = 0;
}

void kt_overhead_add(struct kt_overhead *account, uint32_t mapping, uint64_t ns)
{
	size_t i = 0;

	account->inside += ns;
	while (i < account->n && account->shares[i].mapping != mapping) {
		i++;
	}
	if (mapping == 0 || i == KT_OVERHEAD_SHARES) {
		return;
	}
	if (i == account->n) {
		account->shares[i] = (struct kt_overhead_share){.mapping = mapping};
		account->n = i + 1;
	}
	account->shares[i].ns += ns;
}

uint64_t kt_overhead_rest(const struct kt_overhead *account, uint64_t now)
{
	uint64_t all = now - account->begun;

	return all > account->inside ? all - account->inside : 0;
}

bool kt_overhead_is_above(const struct kt_overhead *account, uint64_t now, uint32_t percent,
			  struct kt_overhead_choice *choice)
{
	/* The rest stays the same, whatever is given up. */
	uint64_t allowed = kt_overhead_rest(account, now) / 100 * percent;
	struct kt_overhead left = *account;

	*choice = (struct kt_overhead_choice){.n = 0};
	if (account->inside <= allowed) {
		return false;
	}
	while (left.inside > allowed && left.n > 0) {
		size_t costliest = 0;

		for (size_t i = 1; i < left.n; i++) {
			if (left.shares[i].ns > left.shares[costliest].ns) {
				costliest = i;
			}
		}
		choice->mappings[choice->n++] = left.shares[costliest].mapping;
		left.inside -= left.shares[costliest].ns;
		left.shares[costliest] = left.shares[--left.n];
	}
	choice->all = left.inside > allowed;
	return true;
}
