/* SPDX-License-Identifier: MIT */
#include "raw/run.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/terminal.h"
#include "base/try.h"
#include "decode/classes.h"
#include "decode/gpfifo.h"
#include "raw/check/check.h"

#define DWORDS_A_LINE 8
#define USUAL_CHANNEL 0xc86fu /* assumed by a dry run if the script names none */
#define STAND_IN      UINT64_C(0x200000000) /* address of the first buffer in a dry run */
#define STAND_IN_STEP UINT64_C(0x200000)

/* --- checks --- */

static void say(void *context, const char *message)
{
	(void)context;
	kt_print_message("ktail", message);
}

static int check(const struct kt_raw_run *run, const struct kt_raw_script *script,
		 const struct kt_raw_target *target)
{
	size_t problems;

	KT_TRY(kt_raw_check(script, target, say, NULL, &problems));
	if (problems > 0 && !run->force) {
		return kt_error(
			KT_E_MALFORMED,
			"%s: %zu %s; nothing of it was submitted (--force submits it)",
			script->file, problems, problems == 1 ? "problem" : "problems");
	}
	return KT_OK;
}

/* --- steps --- */

static void print_dwords(FILE *out, const char *name, uint64_t offset,
			 const uint32_t *words, size_t n)
{
	for (size_t i = 0; i < n; i += DWORDS_A_LINE) {
		fprintf(out, "$%s+0x%" PRIx64 ":", name, offset + 4 * i);
		for (size_t j = i; j < n && j < i + DWORDS_A_LINE; j++) {
			fprintf(out, " %08" PRIx32, words[j]);
		}
		putc('\n', out);
	}
}

struct runner {
	const struct kt_raw_run *run; /* Weak, as the next two */
	const struct kt_raw_script *script;
	kt_raw *raw;
	const uint64_t *addresses;
	size_t waited; /* index of the first step that no wait has covered */
	bool differs;
};

static uint64_t address_of(const struct runner *r, struct kt_raw_range at)
{
	return r->addresses[at.buffer] + at.offset;
}

static int submit(struct runner *r, const struct kt_raw_step *step)
{
	struct kt_raw_segment *segments = calloc(step->n, sizeof(*segments));
	int code;

	if (!segments) {
		return kt_no_memory("submit");
	}
	for (size_t i = 0; i < step->n; i++) {
		const struct kt_raw_entry *e = &r->script->entries[step->first + i];

		segments[i] = (struct kt_raw_segment){
			.words = e->n_words ? r->script->words + e->first_word : NULL,
			.n = e->n_words,
			.entry = {e->raw[0], e->raw[1]},
		};
	}
	code = kt_raw_submit(r->raw, segments, step->n);
	free(segments);
	return code;
}

static size_t words_of(const struct kt_raw_script *script, const struct kt_raw_step *step)
{
	size_t words = 0;

	for (size_t i = 0; i < step->n; i++) {
		words += script->entries[step->first + i].n_words;
	}
	return words;
}

/*
 * Waits for the submissions of the steps before `end`, and prints their times. Errors that
 * are reported late are waited for where they are likely, and at the script's end.
 */
static int wait_until(struct runner *r, size_t end)
{
	struct kt_raw_times times[KT_RAW_TIMES];
	size_t pending = 0;
	size_t n = 0;

	for (size_t i = r->waited; i < end; i++) {
		pending += r->script->steps[i].kind == KT_RAW_SUBMIT;
	}
	if (pending > 0) {
		KT_TRY(kt_raw_wait(r->raw, times, &n));
	}
	if (r->run->force || end == r->script->n_steps) {
		KT_TRY(kt_raw_settle(r->raw));
	}
	for (size_t i = r->waited; i < end; i++) {
		const struct kt_raw_step *step = &r->script->steps[i];

		if (step->kind != KT_RAW_SUBMIT) {
			continue;
		}
		fprintf(r->run->out, "line %zu: submitted %zu %s, %zu dwords", step->line,
			step->n, step->n == 1 ? "entry" : "entries",
			words_of(r->script, step));
		if (pending <= n) {
			const struct kt_raw_times *t = &times[n - pending];

			fprintf(r->run->out, ", took %" PRIu64 " ns", t->end - t->begin);
		}
		putc('\n', r->run->out);
		pending--;
	}
	r->waited = end;
	return KT_OK;
}

static int fill(struct runner *r, const struct kt_raw_step *step)
{
	const size_t n = step->bytes / 4;
	uint32_t *words = malloc(step->bytes);
	int code;

	if (!words) {
		return kt_no_memory("fill");
	}
	for (size_t i = 0; i < n; i++) {
		words[i] = step->n ? r->script->words[step->first] : (uint32_t)i;
	}
	code = kt_raw_write(r->raw, address_of(r, step->at), words, step->bytes);
	free(words);
	return code;
}

/* Compares dwords of a buffer; says where the first difference is. */
static void compare(struct runner *r, const struct kt_raw_step *step, const uint32_t *is,
		    const uint32_t *expected, size_t n)
{
	const char *name = r->script->buffers[step->at.buffer].name;

	for (size_t i = 0; i < n; i++) {
		if (is[i] != expected[i]) {
			kt_error(KT_E_USAGE,
				 "%s:%zu: $%s+0x%" PRIx64 " is 0x%" PRIx32
				 ", expected 0x%" PRIx32,
				 r->script->file, step->line, name, step->at.offset + 4 * i,
				 is[i], expected[i]);
			say(NULL, kt_error_message());
			r->differs = true;
			return;
		}
	}
}

/* PRINT, EXPECT, SAME */
static int inspect(struct runner *r, const struct kt_raw_step *step)
{
	const size_t n = step->kind == KT_RAW_EXPECT ? step->n : step->bytes / 4;
	uint32_t *words = malloc(2 * n * sizeof(*words));
	int code;

	if (!words) {
		return kt_no_memory("read buffer");
	}
	KT_TRY_END(kt_raw_read(r->raw, address_of(r, step->at), words, 4 * n));
	if (step->kind == KT_RAW_PRINT) {
		print_dwords(r->run->out, r->script->buffers[step->at.buffer].name,
			     step->at.offset, words, n);
	} else if (step->kind == KT_RAW_EXPECT) {
		compare(r, step, words, r->script->words + step->first, n);
	} else {
		KT_TRY_END(
			kt_raw_read(r->raw, address_of(r, step->other), words + n, 4 * n));
		compare(r, step, words, words + n, n);
	}
end:
	free(words);
	return code;
}

static int act(struct runner *r, const struct kt_raw_step *step)
{
	switch (step->kind) {
	case KT_RAW_SUBMIT: return submit(r, step);
	case KT_RAW_WAIT: return wait_until(r, (size_t)(step - r->script->steps));
	case KT_RAW_SET:
		return kt_raw_write(r->raw, address_of(r, step->at),
				    r->script->words + step->first, 4 * step->n);
	case KT_RAW_FILL: return fill(r, step);
	default: return inspect(r, step);
	}
}

/* A step, or the wait at the script's end, of which the line is the last submission's. */
static int do_step(struct runner *r, size_t i)
{
	const struct kt_raw_step *steps = r->script->steps;
	const bool end = i == r->script->n_steps;
	const int code = end ? wait_until(r, i) : act(r, &steps[i]);

	while (end && i > 0 &&
	       (i == r->script->n_steps || steps[i].kind != KT_RAW_SUBMIT)) {
		i--;
	}
	return code ? kt_error_prepend(code, "%s:%zu", r->script->file, steps[i].line)
		    : KT_OK;
}

/* Returns the first error: `code`, or that of the channel at its end. */
static int close_channel(kt_raw *raw, const char *file, int code)
{
	char *message = code ? strdup(kt_error_message()) : NULL;
	const int closed = kt_raw_close(raw);

	if (message) {
		kt_error(code, "%s", message);
	} else if (!code && closed) {
		code = kt_error_prepend(closed, "%s", file);
	}
	free(message);
	return code;
}

int kt_raw_run(const struct kt_raw_run *run, struct kt_raw_script *script, bool *differs)
{
	struct runner r = {.run = run, .script = script};
	uint64_t *addresses = calloc(script->n_buffers + 1, sizeof(*addresses));
	struct kt_raw_target target;
	struct kt_raw_info info;
	int code;

	*differs = false;
	if (!addresses) {
		return kt_no_memory("run script");
	}
	code = kt_raw_open(&r.raw, &run->channel);
	if (run->verbose) {
		kt_raw_describe(stderr);
	}
	if (code) {
		goto end;
	}
	info = kt_raw_info(r.raw);
	r.addresses = addresses;
	for (size_t i = 0; i < script->n_buffers; i++) {
		const struct kt_raw_buffer *b = &script->buffers[i];

		/* The values of both enums are in the same order. */
		code = kt_raw_allocate(r.raw, (enum kt_raw_memory_kind)b->memory, b->bytes,
				       &addresses[i]);
		if (code) {
			kt_error_prepend(code, "%s: $%s", script->file, b->name);
			goto end;
		}
	}
	KT_TRY_END(kt_raw_script_resolve(script, addresses));
	target = (struct kt_raw_target){.channel_class = info.channel_class,
					.engines = info.engines,
					.n_engines = info.n_engines,
					.addresses = addresses,
					.ring_entries = info.segments,
					.segment_words = info.segment_words};
	KT_TRY_END(check(run, script, &target));
	fprintf(run->out,
		"channel 0x%" PRIx32 " %s  token 0x%" PRIx32 "  GP_PUT %" PRIu32 "\n",
		info.channel, kt_class_find(info.channel_class)->name, info.token,
		info.gp_put);
	for (size_t i = 0; i <= script->n_steps && script->n_steps > 0 && !r.differs; i++) {
		KT_TRY_END(do_step(&r, i));
	}
	*differs = r.differs;
end:
	code = close_channel(r.raw, script->file, code);
	free(addresses);
	return code;
}

/* --- dry runs --- */

/* Adds the classes of engines that the script names; returns the channel's class. */
static uint32_t collect_classes(const struct kt_raw_script *script, uint32_t *engines,
				size_t most, size_t *n)
{
	uint32_t channel = USUAL_CHANNEL;

	*n = 0;
	for (size_t i = 0; i < script->n_words; i++) {
		const uint32_t number = script->origins[i].class_number;
		const struct kt_class *class_ = kt_class_find(number);
		size_t j = 0;

		if (class_ && class_->kind == KT_CLASS_CHANNEL) {
			channel = number;
		}
		if (!class_ || (class_->kind != KT_CLASS_COMPUTE &&
				class_->kind != KT_CLASS_DMA_COPY)) {
			continue;
		}
		while (j < *n && engines[j] != number) {
			j++;
		}
		if (j == *n && *n < most) {
			engines[(*n)++] = number;
		}
	}
	return channel;
}

static void print_submission(FILE *out, const struct kt_raw_script *script,
			     const struct kt_raw_step *step)
{
	fprintf(out, "line %zu: %zu %s, %zu dwords\n", step->line, step->n,
		step->n == 1 ? "entry" : "entries", words_of(script, step));
	for (size_t i = 0; i < step->n; i++) {
		const struct kt_raw_entry *e = &script->entries[step->first + i];

		fprintf(out, "  entry 0x%08" PRIx32 "%08" PRIx32 "\n", e->raw[1],
			e->raw[0]);
		for (size_t j = 0; j < e->n_words; j++) {
			fprintf(out, "%s%08" PRIx32, j % DWORDS_A_LINE ? " " : "    ",
				script->words[e->first_word + j]);
			if (j % DWORDS_A_LINE == DWORDS_A_LINE - 1 || j + 1 == e->n_words) {
				putc('\n', out);
			}
		}
	}
}

int kt_raw_dry_run(const struct kt_raw_run *run, struct kt_raw_script *script)
{
	uint32_t engines[8];
	uint64_t *addresses = calloc(script->n_buffers + 1, sizeof(*addresses));
	uint64_t next = STAND_IN;
	struct kt_raw_target target = {.engines = engines,
				       .addresses = addresses,
				       .ring_entries = SIZE_MAX,
				       .segment_words = KT_GPFIFO_MAX_WORDS};
	int code;

	if (!addresses) {
		return kt_no_memory("check script");
	}
	for (size_t i = 0; i < script->n_buffers; i++) {
		const uint64_t bytes = script->buffers[i].bytes + STAND_IN_STEP - 1;

		addresses[i] = next;
		next += bytes / STAND_IN_STEP * STAND_IN_STEP;
		fprintf(run->out, "$%s at 0x%" PRIx64 " (stand-in), %" PRIu64 " bytes\n",
			script->buffers[i].name, addresses[i], script->buffers[i].bytes);
	}
	target.channel_class = collect_classes(script, engines, 8, &target.n_engines);
	KT_TRY_END(kt_raw_script_resolve(script, addresses));
	KT_TRY_END(check(run, script, &target));
	for (size_t i = 0; i < script->n_steps; i++) {
		if (script->steps[i].kind == KT_RAW_SUBMIT) {
			print_submission(run->out, script, &script->steps[i]);
		}
	}
end:
	free(addresses);
	return code;
}
