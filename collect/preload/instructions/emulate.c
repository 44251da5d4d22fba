/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "collect/preload/instructions/emulate.h"

#include <string.h>

#include "collect/preload/instructions/guard.h"
#include "collect/preload/instructions/instruction.h"
#include "collect/preload/process/memory.h"

#define VECTOR         64      /* bytes of the largest vector register */
#define RESUME_FLAG    0x10000 /* set by the fault, for the faulting instruction alone */
#define DIRECTION_FLAG 0x400
#define BUFFER         2048 /* limit of bytes moved at once to or from ordinary memory */

/* Makes the context continue after the emulated instruction. */
static void step_over(const struct kt_instruction *instruction, ucontext_t *context)
{
	greg_t *registers = context->uc_mcontext.gregs;

	registers[REG_RIP] += instruction->length;
	registers[REG_EFL] &= ~(greg_t)RESUME_FLAG;
}

/* --- movs, stos and lods --- */

/* The source or the destination of a string instruction. */
struct operand {
	bool used; /* movs uses both operands; stos and lods use one */
	bool write;
	bool watched;
	uintptr_t at;    /* the program's address of the next element */
	uintptr_t delta; /* added to the address to reach the alias of watched memory */
};

/* State of a string instruction in progress. */
struct string {
	enum kt_guard_action action;
	size_t width;
	bool down;
	size_t left;
	size_t done;
	uint64_t rax;
	bool known; /* `value` holds the last element that was moved */
	uint64_t value;
	struct operand from;
	struct operand to;
	kt_translate_fn translate;
	void *context;
};

/*
 * Returns how many elements, counted from the next one, lie in the page of the next
 * element; 1 if the next element itself crosses into another page. SIZE_MAX for an unused
 * operand.
 */
static size_t in_page(const struct string *s, const struct operand *operand)
{
	size_t offset = operand->at % KT_PAGE;

	if (!operand->used) {
		return SIZE_MAX;
	}
	if (offset + s->width > KT_PAGE) {
		return 1;
	}
	return s->down ? offset / s->width + 1 : (KT_PAGE - offset) / s->width;
}

/* Returns the lowest address of the next n elements. */
static uintptr_t lowest(const struct string *s, uintptr_t at, size_t n)
{
	return s->down ? at - (n - 1) * s->width : at;
}

/*
 * Returns whether the operand's next n elements are reachable with the same `delta` as the
 * elements processed so far. The `delta` must not change, because a report covers only one
 * range of one mapping.
 */
static bool reach(const struct string *s, struct operand *operand, size_t n)
{
	uintptr_t low = lowest(s, operand->at, n);
	bool known = true;
	uintptr_t alias;

	if (!operand->used) {
		return true;
	}
	alias = (uintptr_t)s->translate(low, n * s->width, operand->write, &known,
					s->context);
	if (!alias && !known) {
		return false;
	}
	if (s->done && ((alias != 0) != operand->watched ||
			(alias && alias - low != operand->delta))) {
		return false;
	}
	operand->watched = alias != 0;
	operand->delta = alias ? alias - low : 0;
	return true;
}

static void *alias_of(const struct operand *operand)
{
	return (void *)(operand->at + operand->delta);
}

/*
 * Executes movs between watched and ordinary memory, for at most BUFFER bytes. The ordinary
 * memory lies in one page, so it exists as a whole or not at all.
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

/*
 * Processes the next elements, until one of the operands reaches the end of a page. Returns
 * the number of elements processed, 0 on failure.
 */
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
		/*
		 * The element goes through a register, so that the device sees one access
		 * of the element's width.
		 */
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

static void go_on(const struct string *s, struct operand *operand, size_t n)
{
	operand->at += s->down ? -(n * s->width) : n * s->width;
}

static void report(const struct string *s, const struct operand *operand,
		   struct kt_emulated *done)
{
	struct kt_emulated_access access = {
		.address =
			s->down ? operand->at + s->width : operand->at - s->done * s->width,
		.size = s->done * s->width,
		.write = operand->write,
		.known = operand->write && s->done == 1 &&
			 (s->action == KT_STOS || s->left == 0),
		.value = s->value,
	};

	if (operand->used && operand->watched) {
		done->accesses[done->n++] = access;
	}
}

static bool emulate_string(const struct kt_instruction *instruction, ucontext_t *context,
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
		step_over(instruction, context);
	}
	report(&s, &s.from, done);
	report(&s, &s.to, done);
	return true;
}

/* --- forms with one memory operand --- */

/* Returns the size in bytes, at least 16, of the vector register that `in` names. */
static unsigned register_size(const struct kt_instruction *in)
{
	return in->width < 16 ? 16 : in->width;
}

static bool emulate_vector_load(const struct kt_instruction *in, ucontext_t *context,
				const void *memory)
{
	unsigned char value[VECTOR] = {0};
	struct kt_guard_values narrow = {0};

	if (!kt_vector_present(context, in->vector, register_size(in)) ||
	    (in->kept != KT_NO_REGISTER &&
	     !kt_vector_read(context, in->kept, register_size(in), value))) {
		return false;
	}
	if (in->width >= 16) {
		if (!kt_guard_copy(in->width, value, memory)) {
			return false;
		}
	} else {
		if (!kt_guard_do(KT_LOAD, in->width, (void *)(uintptr_t)memory, &narrow)) {
			return false;
		}
		memcpy(value + in->lane, &narrow.value, in->width);
	}
	return kt_vector_write(context, in->vector, register_size(in), value,
			       in->clears_above);
}

static bool emulate_vector_store(const struct kt_instruction *in, const ucontext_t *context,
				 void *memory, struct kt_emulated_access *access)
{
	unsigned char value[VECTOR];
	struct kt_guard_values narrow = {0};

	if (!kt_vector_read(context, in->vector, register_size(in), value)) {
		return false;
	}
	if (in->width >= 16) {
		access->wide = in->width / sizeof(access->eights[0]);
		memcpy(access->eights, value, in->width);
		return kt_guard_copy(in->width, memory, value);
	}
	memcpy(&narrow.value, value + in->lane, in->width);
	access->known = true;
	access->value = narrow.value;
	return kt_guard_do(KT_STORE, in->width, memory, &narrow);
}

/*
 * Finds the alias of the memory operand and describes the access in done->accesses[0].
 * Returns NULL if the instruction is to be left to the processor.
 */
static void *find_operand(const struct kt_instruction *in, const ucontext_t *context,
			  kt_translate_fn translate, void *translate_context,
			  struct kt_emulated_access *access)
{
	uintptr_t ip = (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
	bool known = true;

	if (!kt_instruction_address(in, context, ip, &access->address) ||
	    (in->must_be_aligned && access->address % in->width)) {
		return NULL;
	}
	access->size = in->width;
	access->write = in->writes;
	access->known = false;
	access->value = 0;
	access->wide = 0;
	return translate(access->address, in->width, in->writes, &known, translate_context);
}

bool kt_emulate_is_whole_vector(const struct kt_instruction *in)
{
	return (in->width == 16 || in->width == 32) && in->vector < 16 &&
	       (in->form == KT_FORM_VECTOR_STORE ||
		(in->form == KT_FORM_VECTOR_LOAD && in->kept == KT_NO_REGISTER));
}

/* Makes registers 0 to 15 have their whole width. */
static void widen(struct kt_saved_vectors *v)
{
	if (v->saved != KT_VECTORS_LOW) {
		return;
	}
	for (unsigned i = 0; i < 16; i++) {
		memset(v->registers[i] + 16, 0, sizeof(v->registers[i]) - 16);
	}
	v->saved = v->processor;
}

static bool move_saved(const struct kt_instruction *in, struct kt_saved_vectors *v,
		       void *memory, struct kt_emulated_access *access)
{
	unsigned char *at = v->registers[in->vector];
	unsigned known = v->saved == KT_VECTORS_LOW ? 16 : in->width;

	if (in->form == KT_FORM_VECTOR_STORE) {
		/* A store does not put the upper halves of the registers in use. */
		access->wide = in->width / sizeof(access->eights[0]);
		memcpy(access->eights, at, known);
		memset((unsigned char *)access->eights + known, 0, in->width - known);
		return kt_guard_copy(in->width, memory, access->eights);
	}
	if (in->width > 16) {
		widen(v);
	}
	if (!kt_guard_copy(in->width, at, memory)) {
		return false;
	}
	if (in->clears_above) {
		memset(at + in->width, 0, sizeof(v->registers[0]) - in->width);
	}
	return true;
}

bool kt_emulate_decoded(const struct kt_instruction *in, ucontext_t *context,
			struct kt_saved_vectors *vectors, kt_translate_fn translate,
			void *translate_context, struct kt_emulated *done)
{
	struct kt_emulated_access *access = &done->accesses[0];
	void *memory;

	done->n = 0;
	memory = find_operand(in, context, translate, translate_context, access);
	if (!memory || !(in->form == KT_FORM_GENERAL
				 ? kt_emulate_operation(in, context, memory, access)
				 : move_saved(in, vectors, memory, access))) {
		return false;
	}
	step_over(in, context);
	done->n = 1;
	return true;
}

bool kt_emulate(ucontext_t *context, kt_translate_fn translate, void *translate_context,
		struct kt_emulated *done)
{
	uintptr_t ip = (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
	struct kt_instruction in;
	struct kt_emulated_access *access = &done->accesses[0];
	bool emulated = false;
	void *memory;

	memset(done, 0, sizeof(*done));
	if (!kt_instruction_at(&in, ip)) {
		return false;
	}
	switch (in.form) {
	case KT_FORM_STRING:
		return emulate_string(&in, context, translate, translate_context, done);
	case KT_FORM_GENERAL:
		return kt_emulate_decoded(&in, context, NULL, translate, translate_context,
					  done);
	case KT_FORM_VECTOR_LOAD:
		memory = find_operand(&in, context, translate, translate_context, access);
		emulated = memory && emulate_vector_load(&in, context, memory);
		break;
	case KT_FORM_VECTOR_STORE:
		memory = find_operand(&in, context, translate, translate_context, access);
		emulated = memory && emulate_vector_store(&in, context, memory, access);
		break;
	default: return false;
	}
	if (emulated) {
		step_over(&in, context);
		done->n = 1;
	}
	return emulated;
}
