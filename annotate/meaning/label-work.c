/* SPDX-License-Identifier: MIT */
#include "annotate/meaning/label-work.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define MOST_NAMED 3

void kt_label_work_add(struct kt_label_work *work, const struct kt_work *one, bool graph)
{
	work->submissions++;
	work->launches += one->launches;
	work->empty_grids += one->empty_grids;
	work->inline_copies += one->inline_copies;
	work->inline_bytes += one->inline_bytes;
	work->copies += one->direct_copies - one->fills;
	work->copy_bytes += one->direct_bytes - one->fill_bytes;
	work->fills += one->fills;
	work->fill_bytes += one->fill_bytes;
	work->clears += one->submitted.commands[KT_COMMAND_CLEAR];
	work->draws += one->submitted.commands[KT_COMMAND_DRAW];
	work->releases += one->submitted.commands[KT_COMMAND_RELEASE];
	work->acquires += one->acquires;
	work->binds += one->submitted.commands[KT_COMMAND_BIND];
	work->entries += one->entries;
	work->words += one->words;
	work->unread |= one->submitted.unread;
	work->graph |= graph && one->launches + one->empty_grids > 0;
}

static void join(char *text, size_t size, const char *between, const char *part)
{
	size_t used = strlen(text);

	snprintf(text + used, size - used, "%s%s", used > 0 ? between : "", part);
}

void kt_label_work_name(char name[static KT_LABEL_WORK_NAME],
			const struct kt_label_work *work)
{
	const struct {
		uint64_t n;
		const char *name;
	} parts[] = {
		{work->launches + work->empty_grids,
		 work->graph ? "graph launch" : "launch"},
		{work->draws, "draw"},
		{work->clears, "clear"},
		{work->graph ? 0 : work->inline_copies, "inline copy"},
		{work->copies, "copy"},
		{work->fills, "fill"},
	};
	size_t named = 0;

	name[0] = '\0';
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		if (parts[i].n > 0 && named < MOST_NAMED) {
			join(name, KT_LABEL_WORK_NAME, " + ", parts[i].name);
			named++;
		}
	}
	if (named == 0) {
		join(name, KT_LABEL_WORK_NAME, "",
		     work->unread            ? "unread"
		     : work->binds > 0       ? "setup"
		     : work->releases > 0    ? "semaphore release"
		     : work->submissions > 0 ? "setup"
					     : "nothing");
	}
}

/* Appends a text such as "2 inline copies of 24 bytes", or nothing if n is 0. */
static void describe(char *text, size_t size, uint64_t n, const char *one, const char *many,
		     uint64_t bytes)
{
	char part[96];
	int used = snprintf(part, sizeof(part), "%" PRIu64 " %s", n, n == 1 ? one : many);

	if (n == 0) {
		return;
	}
	if (bytes > 0 && used > 0 && (size_t)used < sizeof(part)) {
		snprintf(part + used, sizeof(part) - (size_t)used, " of %" PRIu64 " bytes",
			 bytes);
	}
	join(text, size, ", ", part);
}

void kt_label_work_describe(char *text, size_t size, const struct kt_label_work *work)
{
	text[0] = '\0';
	describe(text, size, work->launches, "launch", "launches", 0);
	describe(text, size, work->empty_grids, "empty grid", "empty grids", 0);
	describe(text, size, work->draws, "draw", "draws", 0);
	describe(text, size, work->clears, "clear", "clears", 0);
	describe(text, size, work->inline_copies, "inline copy", "inline copies",
		 work->inline_bytes);
	describe(text, size, work->copies, "copy", "copies", work->copy_bytes);
	describe(text, size, work->fills, "fill", "fills", work->fill_bytes);
	describe(text, size, work->releases, "semaphore release", "semaphore releases", 0);
	describe(text, size, work->binds, "object bound", "objects bound", 0);
	describe(text, size, work->acquires, "semaphore acquire", "semaphore acquires", 0);
	if (work->unread) {
		join(text, size, ", ", "unread dwords");
	}
	if (!text[0]) {
		join(text, size, "", work->submissions > 0 ? "setup" : "nothing");
	}
}
