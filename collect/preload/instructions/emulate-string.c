/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "collect/preload/instructions/emulate-string.h"

#include "collect/preload/instructions/guard.h"
#include "collect/preload/process/memory.h"

#define DIRECTION_FLAG 0x400
#define BUFFER         2048 /* bytes between a watched side and an ordinary one */

/* The source or the destination. */
struct side {
	bool used; /* movs has both, stos and lods have one */
	bool write;
	bool watched;
	uintptr_t at;    /* the element that comes next, as the program sees it */
	uintptr_t delta; /* of a watched side: what leads to the alias */
};

/* What is done and what is left. */
struct string {
	enum kt_guard_action action;
	size_t width;
	bool down;
	size_t left;
	size_t done;
	uint64_t rax;
	bool known; /* value is what the last element was */
	uint64_t value;
	struct side from;
	struct side to;
	kt_translate_fn translate;
	void *context;
};

/* How many elements, the next one first, lie in one page with it; one may lie across. */
static size_t in_page(const struct string *s, const struct side *side)
{
	size_t offset = side->at % KT_PAGE;

	if (!side->used) {
		return SIZE_MAX;
	}
	if (offset + s->width > KT_PAGE) {
		return 1;
	}
	return s->down ? offset / s->width + 1 : (KT_PAGE - offset) / s->width;
}

/* The lowest byte of the next n elements. */
static uintptr_t lowest(const struct string *s, uintptr_t at, size_t n)
{
	return s->down ? at - (n - 1) * s->width : at;
}

/*
 * Whether the side's next n elements can be reached, and in the way in which those before
 * them were: what is reported is one range of one mapping.
 */
static bool reach(const struct string *s, struct side *side, size_t n)
{
	uintptr_t low = lowest(s, side->at, n);
	bool known = true;
	uintptr_t alias;

	if (!side->used) {
		return true;
	}
	alias = (uintptr_t)s->translate(low, n * s->width, side->write, &known, s->context);
	if (!alias && !known) {
		return false;
	}
	if (s->done &&
	    ((alias != 0) != side->watched || (alias && alias - low != side->delta))) {
		return false;
	}
	side->watched = alias != 0;
	side->delta = alias ? alias - low : 0;
	return true;
}

static void *alias_of(const struct side *side)
{
	return (void *)(side->at + side->delta);
}

/*
 * movs with ordinary memory on one side, at most a buffer full. It lies in one page, so
 * that all of it is there or nothing.
 */
static size_t move_through(struct string *s, size_t n)
{
	unsigned char buffer[BUFFER];
	unsigned width = (unsigned)s->width;
	size_t size = n * s->width;
	unsigned char *first = buffer + (s->down ? size - s->width : 0);
	bool moved;

	if (s->to.watched) {
		moved = kt_memory_read(buffer, lowest(s, s->from.at, n), size) == size &&
			kt_guard_string(KT_MOVS, width, alias_of(&s->to), first, n, &s->rax,
					s->down);
	} else {
		moved = kt_guard_string(KT_MOVS, width, first, alias_of(&s->from), n,
					&s->rax, s->down) &&
			kt_memory_write(lowest(s, s->to.at, n), buffer, size) == size;
	}
	return moved ? n : 0;
}

/* The next elements, as many as lie in one page on each side. Returns how many. */
static size_t do_chunk(struct string *s)
{
	struct kt_guard_values values = {.value = s->rax};
	size_t n = s->left;

	n = in_page(s, &s->from) < n ? in_page(s, &s->from) : n;
	n = in_page(s, &s->to) < n ? in_page(s, &s->to) : n;
	if (!reach(s, &s->from, n) || !reach(s, &s->to, n) ||
	    !(s->from.watched || s->to.watched)) {
		return 0;
	}
	if (n == 1) {
		/* It goes through a register, so that a device sees one access of its
		 * width. */
		if (s->from.used && s->from.watched) {
			if (!kt_guard_do(KT_LOAD, (unsigned)s->width, alias_of(&s->from),
					 &values)) {
				return 0;
			}
		} else if (s->from.used && kt_memory_read(&values.value, s->from.at,
							  s->width) != s->width) {
			return 0;
		}
		s->known = true;
		s->value = values.value & (~0ull >> (64 - 8 * s->width));
		if (s->action == KT_LODS) {
			s->rax = values.value;
			return 1;
		}
		return s->to.watched ? kt_guard_do(KT_STORE, (unsigned)s->width,
						   alias_of(&s->to), &values)
				     : kt_memory_write(s->to.at, &values.value, s->width) ==
					       s->width;
	}
	s->known = false;
	if (s->action == KT_MOVS && !(s->from.watched && s->to.watched)) {
		return move_through(s, n * s->width > BUFFER ? BUFFER / s->width : n);
	}
	return kt_guard_string(s->action, (unsigned)s->width, alias_of(&s->to),
			       alias_of(&s->from), n, &s->rax, s->down)
		       ? n
		       : 0;
}

static void go_on(const struct string *s, struct side *side, size_t n)
{
	side->at += s->down ? -(n * s->width) : n * s->width;
}

static void tell(const struct string *s, const struct side *side, struct kt_emulated *done)
{
	struct kt_emulated_access access = {
		.address = s->down ? side->at + s->width : side->at - s->done * s->width,
		.size = s->done * s->width,
		.write = side->write,
		.known = side->write && s->done == 1 &&
			 (s->action == KT_STOS || s->left == 0),
		.value = s->value,
	};

	if (side->used && side->watched) {
		done->accesses[done->n++] = access;
	}
}

bool kt_emulate_string(const struct kt_instruction *instruction, ucontext_t *context,
		       kt_translate_fn translate, void *translate_context,
		       struct kt_emulated *done)
{
	struct string s = {
		.action = instruction->action,
		.width = instruction->width,
		.down = context->uc_mcontext.gregs[REG_EFL] & DIRECTION_FLAG,
		.left = instruction->repeats ? kt_register_read(context, KT_RCX) : 1,
		.rax = kt_register_read(context, KT_RAX),
		.from = {.used = instruction->action != KT_STOS,
			 .at = kt_register_read(context, KT_RSI)},
		.to = {.used = instruction->action != KT_LODS,
		       .write = true,
		       .at = kt_register_read(context, KT_RDI)},
		.translate = translate,
		.context = translate_context,
	};

	while (s.left) {
		size_t n = do_chunk(&s);

		if (!n) {
			break;
		}
		s.done += n;
		s.left -= n;
		go_on(&s, &s.from, n);
		go_on(&s, &s.to, n);
	}
	if (!s.done) {
		return false;
	}
	if (s.from.used) {
		kt_register_write(context, KT_RSI, s.from.at);
	}
	if (s.to.used) {
		kt_register_write(context, KT_RDI, s.to.at);
	}
	if (s.action == KT_LODS) {
		kt_part_write(context, instruction->part, s.rax);
	}
	if (instruction->repeats) {
		kt_register_write(context, KT_RCX, s.left);
	}
	if (!s.left) {
		kt_emulated_step_over(instruction, context);
	}
	tell(&s, &s.from, done);
	tell(&s, &s.to, done);
	return true;
}
