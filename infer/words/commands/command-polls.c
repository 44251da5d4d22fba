/* SPDX-License-Identifier: MIT */
#include "infer/words/commands/command-polls.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/try.h"

/*
 * Mappings of a process are numbered consecutively, so a number this high means that the
 * trace is damaged; such a mapping is ignored.
 */
#define MAX_MAPPING (1u << 24)

int kt_polls_map(struct kt_polls *p, uint32_t mapping, uint64_t address, uint64_t length)
{
	if (mapping >= MAX_MAPPING) {
		return KT_OK;
	}
	KT_TRY(kt_array_reserve(&p->mappings, &p->mappings_capacity, (size_t)mapping + 1));
	while (p->n_mappings <= mapping) {
		p->mappings[p->n_mappings++] = (struct kt_poll_mapping){0, 0};
	}
	p->mappings[mapping] = (struct kt_poll_mapping){address, length};
	return KT_OK;
}

static struct kt_poll_semaphore *find(const struct kt_polls *p, uint64_t slot)
{
	struct kt_hash_probe probe = kt_hash_probe(&p->by_slot, kt_hash_number(slot));
	uint32_t i;

	while (kt_hash_next(&p->by_slot, &probe, &i)) {
		if (p->semaphores[i].slot == slot) {
			return &p->semaphores[i];
		}
	}
	return NULL;
}

int kt_polls_release(struct kt_polls *p, uint32_t channel, uint64_t address)
{
	struct kt_poll_semaphore *semaphore = find(p, address / 16);

	if (!semaphore) {
		KT_TRY(kt_array_reserve(&p->semaphores, &p->capacity, p->n + 1));
		KT_TRY(kt_hash_add(&p->by_slot, kt_hash_number(address / 16), p->n));
		semaphore = &p->semaphores[p->n++];
	}
	*semaphore = (struct kt_poll_semaphore){address / 16, channel};
	return KT_OK;
}

int kt_polls_submit(struct kt_polls *p, uint32_t channel)
{
	KT_TRY(kt_array_reserve(&p->waiting, &p->waiting_capacity, (size_t)channel + 1));
	while (p->n_waiting <= channel) {
		p->waiting[p->n_waiting++] = false;
	}
	p->waiting[channel] = true;
	return KT_OK;
}

void kt_polls_gap(struct kt_polls *p)
{
	for (size_t i = 0; i < p->n_waiting; i++) {
		p->waiting[i] = true;
	}
}

bool kt_polls_read(struct kt_polls *p, uint32_t mapping, uint64_t offset, uint32_t *channel)
{
	const struct kt_poll_semaphore *semaphore;

	if (mapping >= p->n_mappings || offset >= p->mappings[mapping].length) {
		return false;
	}
	semaphore = find(p, (p->mappings[mapping].address + offset) / 16);
	if (!semaphore || !p->waiting[semaphore->channel]) {
		return false;
	}
	*channel = semaphore->channel;
	p->waiting[*channel] = false;
	return true;
}

void kt_polls_free(struct kt_polls *p)
{
	free(p->mappings);
	free(p->semaphores);
	kt_hash_free(&p->by_slot);
	free(p->waiting);
	memset(p, 0, sizeof(*p));
}
