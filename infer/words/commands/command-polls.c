/* SPDX-License-Identifier: MIT */
#include "infer/words/commands/command-polls.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"

/* Numbers count the mappings of a process; a higher one is damage. */
#define MAX_MAPPING (1u << 24)

int kt_polls_map(struct kt_polls *p, uint32_t mapping, uint64_t address, uint64_t length)
{
	int code;

	if (mapping >= MAX_MAPPING) {
		return KT_OK;
	}
	code = kt_array_reserve(&p->mappings, &p->mappings_capacity, (size_t)mapping + 1);
	if (code) {
		return code;
	}
	while (p->n_mappings <= mapping) {
		p->mappings[p->n_mappings++] = (struct kt_poll_mapping){0, 0};
	}
	p->mappings[mapping] = (struct kt_poll_mapping){address, length};
	return KT_OK;
}

static struct kt_poll_semaphore *find(struct kt_poll_semaphore *table, size_t size,
				      uint64_t place)
{
	size_t i = (size_t)(place * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (size - 1);

	while (table[i].channel && table[i].place != place) {
		i = (i + 1) & (size - 1);
	}
	return &table[i];
}

static int grow(struct kt_polls *p)
{
	size_t size = p->size ? 2 * p->size : 64;
	struct kt_poll_semaphore *table;

	if (2 * (p->n + 1) <= p->size) {
		return KT_OK;
	}
	table = calloc(size, sizeof(*table));
	if (!table) {
		return kt_error(KT_E_MEMORY, "remember semaphores: out of memory");
	}
	for (size_t i = 0; i < p->size; i++) {
		if (p->semaphores[i].channel) {
			*find(table, size, p->semaphores[i].place) = p->semaphores[i];
		}
	}
	free(p->semaphores);
	p->semaphores = table;
	p->size = size;
	return KT_OK;
}

int kt_polls_release(struct kt_polls *p, uint32_t channel, uint64_t address)
{
	struct kt_poll_semaphore *semaphore;
	int code = grow(p);

	if (!code) {
		semaphore = find(p->semaphores, p->size, address / 16);
		p->n += !semaphore->channel;
		*semaphore = (struct kt_poll_semaphore){address / 16, channel + 1};
	}
	return code;
}

int kt_polls_submit(struct kt_polls *p, uint32_t channel)
{
	int code = kt_array_reserve(&p->waiting, &p->waiting_capacity, (size_t)channel + 1);

	if (code) {
		return code;
	}
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

	if (mapping >= p->n_mappings || !p->size || offset >= p->mappings[mapping].length) {
		return false;
	}
	semaphore =
		find(p->semaphores, p->size, (p->mappings[mapping].address + offset) / 16);
	if (!semaphore->channel || !p->waiting[semaphore->channel - 1]) {
		return false;
	}
	*channel = semaphore->channel - 1;
	p->waiting[*channel] = false;
	return true;
}

void kt_polls_free(struct kt_polls *p)
{
	free(p->mappings);
	free(p->semaphores);
	free(p->waiting);
	memset(p, 0, sizeof(*p));
}
