/* SPDX-License-Identifier: MIT */
#include "decode/commands.h"

#include <string.h>

#include "decode/classes.h"
#include "decode/command-state.h"

/* Methods below this byte offset belong to the host, whatever their subchannel. */
#define HOST_END 0x100

const char *kt_command_name(enum kt_command_kind kind)
{
	switch (kind) {
	case KT_COMMAND_NONE: return "register";
	case KT_COMMAND_BIND: return "bind";
	case KT_COMMAND_COPY: return "copy-direct";
	case KT_COMMAND_INLINE: return "copy-inline";
	case KT_COMMAND_LAUNCH: return "launch";
	case KT_COMMAND_EMPTY_GRID: return "empty-grid";
	case KT_COMMAND_RELEASE: return "semaphore-release";
	case KT_COMMAND_ACQUIRE: return "semaphore-acquire";
	case KT_COMMAND_WAIT_FOR_IDLE: return "wait-for-idle";
	case KT_COMMAND_INVALIDATE: return "invalidate";
	case KT_COMMAND_CLEAR: return "clear";
	case KT_COMMAND_DRAW: return "draw";
	case KT_COMMAND_KINDS: break;
	}
	return "unknown";
}

/* --- binding of subchannels --- */

void kt_command_bind(struct kt_engine *engine, uint32_t number, bool host)
{
	engine->number = number;
	engine->class_ = kt_method_class_find(number);
	memset(engine->registers, 0, sizeof(engine->registers));
	memset(engine->qmd, 0, sizeof(engine->qmd));
	kt_command_codes(engine, host);
}

/*
 * Binds an object of class `number` to a subchannel. If an object of this class is already
 * bound there, it stays bound and keeps its registers.
 */
static void bind_to(struct kt_channel_decoder *decoder, unsigned subchannel,
		    uint32_t number)
{
	struct kt_engine *engine = &decoder->engines[subchannel];

	if (engine->number == number) {
		return;
	}
	if (decoder->upload.active && decoder->upload.subchannel == subchannel) {
		kt_inline_log_drop(&decoder->log);
		decoder->upload.active = false;
	}
	kt_command_bind(engine, number, false);
}

void kt_channel_decoder_allow(struct kt_channel_decoder *decoder, uint32_t class_number)
{
	const struct kt_class *class_ = kt_class_find(class_number);
	unsigned subchannel;

	switch (class_ ? class_->kind : KT_CLASS_OTHER) {
	case KT_CLASS_GRAPHICS3D: subchannel = 0; break;
	case KT_CLASS_COMPUTE: subchannel = 1; break;
	case KT_CLASS_INLINE_TO_MEMORY: subchannel = 2; break;
	case KT_CLASS_TWOD: subchannel = 3; break;
	case KT_CLASS_DMA_COPY: subchannel = 4; break;
	default: return;
	}
	if (!decoder->engines[subchannel].bound) {
		bind_to(decoder, subchannel, class_number);
	}
}

/* --- methods --- */

/*
 * Returns the method's byte of engine->codes. On the first use of the method, looks up
 * whether it has a name.
 */
static uint8_t code_of(struct kt_engine *engine, uint16_t offset)
{
	uint8_t *code;

	if (offset / 4 >= KT_METHODS) {
		return KT_CODE_ASKED; /* incrementing offsets ran past the last method */
	}
	code = &engine->codes[offset / 4];
	if (!(*code & KT_CODE_ASKED)) {
		struct kt_method_info info;

		*code |= KT_CODE_ASKED;
		if (engine->class_ && kt_method_find(engine->class_, offset, &info)) {
			*code |= KT_CODE_NAMED;
		}
	}
	return *code;
}

/*
 * Returns whether a memory operation of the host is a barrier or invalidates caches or
 * TLBs.
 */
static bool is_barrier(uint32_t mem_op)
{
	const uint32_t mmu_operation = 0x0b;
	const uint32_t access_counter_clear = 0x16;
	uint32_t operation = mem_op >> 27;

	return operation != 0 && operation != mmu_operation &&
	       operation != access_counter_clear;
}

static void simple(const struct kt_engine *engine, enum kt_command_kind kind,
		   struct kt_command *out)
{
	out->kind = kind;
	out->class_number = engine->number;
}

static void start(struct kt_channel_decoder *decoder, struct kt_engine *engine,
		  unsigned code, const struct kt_method *method, struct kt_command *out)
{
	unsigned subchannel = method->subchannel;
	uint32_t value = method->value & engine->masks[code];

	switch ((enum kt_command_code)code) {
	case KT_DO_BIND:
		decoder->engines[subchannel].bound = true;
		bind_to(decoder, subchannel, value);
		simple(&decoder->engines[subchannel], KT_COMMAND_BIND, out);
		break;
	case KT_DO_COPY: kt_command_copy(engine, value, out); break;
	case KT_DO_INLINE: kt_command_inline(decoder, subchannel, value, out); break;
	case KT_DO_INLINE_DATA:
		kt_command_inline_data(decoder, subchannel, value, out);
		break;
	case KT_DO_QMD_DATA:
		kt_command_inline_qmd(decoder, engine, method->offset, value, out);
		break;
	case KT_DO_PCAS:
	case KT_DO_SIGNALING_PCAS:
	case KT_DO_SIGNALING_PCAS2:
		kt_command_pcas(decoder, engine, code, value, out);
		break;
	case KT_DO_WAIT: simple(engine, KT_COMMAND_WAIT_FOR_IDLE, out); break;
	case KT_DO_INVALIDATE: simple(engine, KT_COMMAND_INVALIDATE, out); break;
	case KT_DO_CLEAR: simple(engine, KT_COMMAND_CLEAR, out); break;
	case KT_DO_DRAW: simple(engine, KT_COMMAND_DRAW, out); break;
	case KT_DO_MEM_OP:
		if (is_barrier(value)) {
			simple(engine, KT_COMMAND_INVALIDATE, out);
		}
		break;
	default: kt_command_semaphore(engine, code, value, out); break;
	}
}

void kt_channel_decode(struct kt_channel_decoder *decoder, const uint32_t *words, size_t n,
		       kt_decoded_fn *each, void *context)
{
	struct kt_decode_counts *counts = &decoder->counts;
	struct kt_decoded *given = &decoder->given;
	struct kt_method_stream *stream = &decoder->stream;
	struct kt_method method;
	enum kt_method_status status;
	uint64_t methods = 0;
	size_t read;

	kt_method_stream_continue(stream, words, n);
	while ((status = kt_method_next(stream, &method)) == KT_METHOD_GIVEN) {
		struct kt_engine *engine = method.offset < HOST_END
						   ? &decoder->host
						   : &decoder->engines[method.subchannel];
		uint8_t byte = code_of(engine, method.offset);
		bool named = byte & KT_CODE_NAMED;
		unsigned code = byte & KT_CODE_MASK;

		methods++;
		counts->unbound += !engine->class_;
		counts->unnamed += engine->class_ && !named;
		if (given->command.kind != KT_COMMAND_NONE) {
			memset(&given->command, 0, sizeof(given->command));
		}
		if (code < KT_REGISTERS) {
			engine->registers[code] = method.value & engine->masks[code];
		} else {
			start(decoder, engine, code, &method, &given->command);
		}
		counts->commands[given->command.kind]++;
		if (!each) {
			continue;
		}
		/* Look up the name only if the method differs from the previous one. */
		if (!named) {
			memset(&given->info, 0, sizeof(given->info));
		} else if (!given->named || given->class_ != engine->class_ ||
			   given->method.offset != method.offset) {
			kt_method_find(engine->class_, method.offset, &given->info);
		}
		given->named = named;
		given->inline_data = code == KT_DO_INLINE_DATA;
		given->method = method;
		given->class_number = engine->number;
		given->class_ = engine->class_;
		given->decoder = decoder;
		each(context, given);
	}
	/* An END counts as a header, and all dwords after it as bad. */
	read = stream->at + (status == KT_METHOD_NO_MORE && stream->at < n);
	counts->words += n;
	counts->methods += methods;
	counts->headers += read - methods;
	counts->bad += n - read;
}

void kt_channel_decoder_gap(struct kt_channel_decoder *decoder)
{
	kt_method_stream_start(&decoder->stream, NULL, 0);
}

void kt_channel_decoder_counts(const struct kt_channel_decoder *decoder,
			       struct kt_decode_counts *out)
{
	*out = decoder->counts;
}
