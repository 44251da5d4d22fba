/* SPDX-License-Identifier: MIT */
#include "tests/decode/commands/command-oracle.h"

#include <stdlib.h>
#include <string.h>

#include "decode/qmd.h"

struct cell {
	uint64_t address;
	uint8_t byte;
	bool used;
};

struct engine {
	uint32_t number;
	uint32_t registers[0x4000];
};

struct kt_command_oracle {
	struct engine host;
	struct engine engines[8];
	struct cell *memory; /* hash table of the bytes that were written */
	size_t n_cells;      /* a power of two */
	size_t used;         /* at most half of n_cells */
	size_t writes;       /* number of writes of inline data */
	uint64_t to_keep;    /* bytes that the decoder may have to keep for these writes */
	/* Inline data in progress */
	bool active;
	unsigned subchannel;
	struct kt_command command;
	uint64_t length, lines, pitch;
	bool linear;
	uint32_t *data;
	size_t n_data;
	size_t capacity;
	uint32_t qmd[96];
};

struct kt_command_oracle *kt_command_oracle_new(uint32_t channel_class)
{
	struct kt_command_oracle *oracle = calloc(1, sizeof(*oracle));

	if (oracle) {
		oracle->host.number = channel_class;
		oracle->n_cells = 4096;
		oracle->memory = calloc(oracle->n_cells, sizeof(*oracle->memory));
		if (!oracle->memory) {
			free(oracle);
			return NULL;
		}
	}
	return oracle;
}

void kt_command_oracle_free(struct kt_command_oracle *oracle)
{
	if (oracle) {
		free(oracle->memory);
		free(oracle->data);
		free(oracle);
	}
}

/* --- memory --- */

static struct cell *cell_of(struct kt_command_oracle *oracle, uint64_t address)
{
	size_t last = oracle->n_cells - 1;
	size_t at = (size_t)(address * 0x9e3779b97f4a7c15u >> 32) & last;

	while (oracle->memory[at].used && oracle->memory[at].address != address) {
		at = (at + 1) & last;
	}
	return &oracle->memory[at];
}

static void grow(struct kt_command_oracle *oracle)
{
	struct cell *old = oracle->memory;
	size_t n = oracle->n_cells;

	oracle->n_cells *= 2;
	oracle->memory = calloc(oracle->n_cells, sizeof(*oracle->memory));
	if (!oracle->memory) {
		abort();
	}
	for (size_t i = 0; i < n; i++) {
		if (old[i].used) {
			*cell_of(oracle, old[i].address) = old[i];
		}
	}
	free(old);
}

static void poke(struct kt_command_oracle *oracle, uint64_t address, uint64_t offset,
		 uint8_t byte)
{
	struct cell *cell;

	if (__builtin_add_overflow(address, offset, &address)) {
		return; /* past the end of the address space */
	}
	if (oracle->used * 2 >= oracle->n_cells) {
		grow(oracle);
	}
	cell = cell_of(oracle, address);
	oracle->used += !cell->used;
	*cell = (struct cell){address, byte, true};
}

static void count_write(struct kt_command_oracle *oracle, uint64_t bytes)
{
	oracle->writes++;
	oracle->to_keep += bytes < 0x10000 ? bytes + 3 : 0x10000;
}

/* --- names --- */

static bool is_ours(uint32_t number)
{
	switch (number & 0xff) {
	case 0x6f: return number >= 0x906f;
	case 0xb5: return number >= 0xa0b5;
	case 0xc0: return number >= 0xa0c0;
	case 0x97: return number >= 0xa097;
	case 0x40: return number >= 0xa040;
	default: return false;
	}
}

static bool is_named(const struct engine *engine, uint32_t offset, const char *name)
{
	const struct kt_method_class *class_ = kt_method_class_find(engine->number);
	struct kt_method_info info;

	return class_ && kt_method_find(class_, offset, &info) && !strcmp(info.name, name);
}

/* Returns a field of the value of a method; 0 if the class has no such field. */
static uint32_t field(const struct engine *engine, const char *method, const char *name,
		      uint32_t value)
{
	const struct kt_method_class *class_ = kt_method_class_find(engine->number);
	struct kt_method_info info;
	struct kt_method_field f;

	if (class_ && kt_method_find_name(class_, method, &info)) {
		for (size_t i = 0; kt_method_field(class_, &info, i, &f); i++) {
			if (!strcmp(f.name, name)) {
				return (uint32_t)((uint64_t)value << (63 - f.hi) >>
						  (63 - f.hi + f.lo));
			}
		}
	}
	return 0;
}

/*
 * Returns the last value of a method, masked to its fields; 0 if the class is unknown or
 * has no such method.
 */
static uint64_t get(const struct engine *engine, const char *method)
{
	const struct kt_method_class *class_ = kt_method_class_find(engine->number);
	struct kt_method_info info;
	struct kt_method_field f;
	uint64_t mask = 0;

	if (!class_ || !kt_method_find_name(class_, method, &info)) {
		return 0;
	}
	for (size_t i = 0; kt_method_field(class_, &info, i, &f); i++) {
		for (unsigned bit = f.lo; bit <= f.hi; bit++) {
			mask |= UINT64_C(1) << bit;
		}
	}
	return engine->registers[info.offset] & (mask ? mask : UINT32_MAX);
}

static uint64_t pair(const struct engine *engine, const char *upper, const char *lower)
{
	return get(engine, upper) << 32 | get(engine, lower);
}

/* --- the copy engine --- */

static bool remap_reads(const struct engine *engine, uint32_t remap)
{
	static const char *const names[] = {"DST_X", "DST_Y", "DST_Z", "DST_W"};
	const char *const method = "SET_REMAP_COMPONENTS";
	uint32_t n = field(engine, method, "NUM_DST_COMPONENTS", remap) + 1;

	for (uint32_t i = 0; i < n; i++) {
		if (field(engine, method, names[i], remap) < 4) {
			return true;
		}
	}
	return false;
}

static void copy(const struct engine *engine, uint32_t value, struct kt_command *out)
{
	const char *const launch = "LAUNCH_DMA";
	uint32_t type = field(engine, launch, "DATA_TRANSFER_TYPE", value);
	uint32_t semaphore = field(engine, launch, "SEMAPHORE_TYPE", value);
	uint32_t remap = engine->registers[0x708];
	bool remapped = field(engine, launch, "REMAP_ENABLE", value);
	bool filled = field(engine, launch, "MEMORY_SCRUB_ENABLE", value) ||
		      (remapped && !remap_reads(engine, remap));

	if (type == 1 || type == 2) {
		const char *const components = "SET_REMAP_COMPONENTS";
		long double bytes = get(engine, "LINE_LENGTH_IN");
		uint64_t size = 1;

		out->kind = KT_COMMAND_COPY;
		out->lines = field(engine, launch, "MULTI_LINE_ENABLE", value)
				     ? (uint32_t)get(engine, "LINE_COUNT")
				     : 1;
		out->to = pair(engine, "OFFSET_OUT_UPPER", "OFFSET_OUT_LOWER");
		out->from = filled ? 0 : pair(engine, "OFFSET_IN_UPPER", "OFFSET_IN_LOWER");
		if (remapped) {
			size = (field(engine, components, "COMPONENT_SIZE", remap) + 1) *
			       (field(engine, components, "NUM_DST_COMPONENTS", remap) + 1);
		}
		bytes = bytes * out->lines * (long double)size;
		out->bytes = bytes >= 0x1p64L
				     ? UINT64_MAX
				     : get(engine, "LINE_LENGTH_IN") * out->lines * size;
	} else if (semaphore) {
		out->kind = KT_COMMAND_RELEASE;
	}
	if (semaphore) {
		out->releases = true;
		out->timestamp = semaphore == 2;
		out->address = pair(engine, "SET_SEMAPHORE_A", "SET_SEMAPHORE_B");
		out->payload = get(engine, "SET_SEMAPHORE_PAYLOAD");
		if (field(engine, launch, "SEMAPHORE_PAYLOAD_SIZE", value)) {
			out->payload |= get(engine, "SET_SEMAPHORE_PAYLOAD_UPPER") << 32;
		}
	}
}

/* --- inline data --- */

static void complete(struct kt_command_oracle *oracle, struct kt_command *out)
{
	const uint8_t *bytes = (const uint8_t *)oracle->data;

	*out = oracle->command;
	out->data = oracle->data;
	out->data_words = oracle->n_data;
	oracle->active = false;
	for (uint64_t line = 0; out->bytes && oracle->linear && line < oracle->lines;
	     line++) {
		for (uint64_t i = 0; i < oracle->length; i++) {
			poke(oracle, out->to, line * oracle->pitch + i, *bytes++);
		}
	}
}

static void begin(struct kt_command_oracle *oracle, unsigned subchannel, uint32_t value,
		  struct kt_command *out)
{
	const struct engine *engine = &oracle->engines[subchannel];
	struct kt_command *command = &oracle->command;

	memset(command, 0, sizeof(*command));
	oracle->active = true;
	oracle->subchannel = subchannel;
	oracle->n_data = 0;
	oracle->length = get(engine, "LINE_LENGTH_IN");
	oracle->lines = get(engine, "LINE_COUNT");
	oracle->pitch = get(engine, "PITCH_OUT");
	oracle->linear = field(engine, "LAUNCH_DMA", "DST_MEMORY_LAYOUT", value) == 1 &&
			 !field(engine, "LAUNCH_DMA", "REDUCTION_ENABLE", value);
	command->kind = KT_COMMAND_INLINE;
	command->to = pair(engine, "OFFSET_OUT_UPPER", "OFFSET_OUT");
	command->lines = (uint32_t)oracle->lines;
	command->bytes = oracle->length * oracle->lines;
	if (field(engine, "LAUNCH_DMA", "COMPLETION_TYPE", value) == 2) {
		command->releases = true;
		command->address =
			pair(engine, "SET_I2M_SEMAPHORE_A", "SET_I2M_SEMAPHORE_B");
		command->payload = get(engine, "SET_I2M_SEMAPHORE_C");
		command->timestamp =
			!field(engine, "LAUNCH_DMA", "SEMAPHORE_STRUCT_SIZE", value);
	}
	count_write(oracle, command->bytes);
	if (!command->bytes) {
		complete(oracle, out);
	}
}

static void more(struct kt_command_oracle *oracle, unsigned subchannel, uint32_t value,
		 struct kt_command *out)
{
	if (!oracle->active || oracle->subchannel != subchannel) {
		return;
	}
	if (oracle->n_data == oracle->capacity) {
		oracle->capacity = oracle->capacity ? oracle->capacity * 2 : 64;
		oracle->data = realloc(oracle->data, oracle->capacity * 4);
		if (!oracle->data) {
			abort();
		}
	}
	oracle->data[oracle->n_data++] = value;
	if (oracle->n_data * 4 >= oracle->command.bytes) {
		complete(oracle, out);
	}
}

/* --- launches --- */

/* Returns EMPTY_GRID for a QMD that has a field for the program's address, which is 0. */
static enum kt_command_kind kind_of(const struct engine *engine, const struct kt_command *c)
{
	static const char *const halves[][2] = {
		{"PROGRAM_ADDRESS_LOWER", "PROGRAM_ADDRESS_UPPER"},
		{"PROGRAM_ADDRESS_LOWER_SHIFTED4", "PROGRAM_ADDRESS_UPPER_SHIFTED4"},
		{"SUB_TASK_PROGRAM_ADDRESS_LOWER_SHIFTED4",
		 "SUB_TASK_PROGRAM_ADDRESS_UPPER_SHIFTED4"},
	};
	const struct kt_qmd_layout *layout =
		c->qmd ? kt_qmd_find(engine->number, c->qmd, c->qmd_bytes) : NULL;
	bool has_field = false;
	uint64_t address = 0;

	for (size_t i = 0; layout && i < 6; i++) {
		struct kt_qmd_field f;

		if (kt_qmd_field_named(layout, halves[i / 2][i % 2], &f)) {
			has_field = true;
			address |= kt_qmd_get(layout, &f, 0, c->qmd, c->qmd_bytes);
		}
	}
	return has_field && !address ? KT_COMMAND_EMPTY_GRID : KT_COMMAND_LAUNCH;
}

static void inline_qmd(struct kt_command_oracle *oracle, const struct engine *engine,
		       uint32_t offset, struct kt_command *out)
{
	bool wide = field(engine, "SET_INLINE_QMD_ADDRESS_A", "INLINE_SIZE",
			  engine->registers[0x318]);
	size_t bytes = wide ? 384 : 256;
	/*
	 * The field has 9 bits from Hopper on; in older classes 32, of which the shift
	 * below drops 8.
	 */
	uint64_t upper = field(engine, "SET_INLINE_QMD_ADDRESS_A",
			       "QMD_ADDRESS_SHIFTED8_UPPER", engine->registers[0x318]);

	if (offset != 0x320 + bytes - 4) {
		return;
	}
	for (unsigned i = 0; i < bytes / 4; i++) {
		oracle->qmd[i] = engine->registers[0x320 + i * 4];
	}
	out->inlined = true;
	out->address = upper << 40 | (uint64_t)engine->registers[0x31c] << 8;
	out->qmd = oracle->qmd;
	out->qmd_bytes = bytes;
	out->kind = kind_of(engine, out);
	if (!oracle->active) {
		count_write(oracle, bytes);
		for (unsigned i = 0; i < bytes; i++) {
			poke(oracle, out->address, i,
			     (uint8_t)(oracle->qmd[i / 4] >> i % 4 * 8));
		}
	}
}

static void launch(struct kt_command_oracle *oracle, const struct engine *engine,
		   struct kt_command *out)
{
	size_t n = 0;

	out->address = get(engine, "SEND_PCAS_A") << 8;
	memset(oracle->qmd, 0, sizeof(oracle->qmd));
	for (; n < 384; n++) {
		const struct cell *cell = cell_of(oracle, out->address + n);

		if (!cell->used) {
			break;
		}
		oracle->qmd[n / 4] |= (uint32_t)cell->byte << n % 4 * 8;
	}
	if (n >= 256) {
		out->qmd = oracle->qmd;
		out->qmd_bytes = n / 4 * 4;
	}
	out->kind = kind_of(engine, out);
}

static bool pcas2_schedules(uint32_t action)
{
	return action == 2 || action == 3 || (action >= 9 && action <= 11);
}

/* --- semaphores --- */

static void semaphore(struct kt_command *out, bool release, bool acquire, uint64_t address,
		      uint64_t payload, bool timestamp)
{
	if (release || acquire) {
		out->kind = release ? KT_COMMAND_RELEASE : KT_COMMAND_ACQUIRE;
		out->releases = release;
		out->address = address;
		out->payload = payload;
		out->timestamp = timestamp;
	}
}

static void host_semaphore(const struct engine *host, uint32_t value, bool old,
			   struct kt_command *out)
{
	const char *const name = old ? "SEMAPHORED" : "SEM_EXECUTE";
	uint32_t operation = field(host, name, "OPERATION", value);

	if (old) {
		semaphore(out, operation == 2 || operation == 16,
			  operation == 1 || operation == 4 || operation == 8,
			  pair(host, "SEMAPHOREA", "SEMAPHOREB"), get(host, "SEMAPHOREC"),
			  operation == 2 && !field(host, name, "RELEASE_SIZE", value));
		return;
	}
	semaphore(out, operation == 1 || operation == 6,
		  operation == 0 || (operation >= 2 && operation <= 5),
		  pair(host, "SEM_ADDR_HI", "SEM_ADDR_LO"),
		  field(host, name, "PAYLOAD_SIZE", value)
			  ? pair(host, "SEM_PAYLOAD_HI", "SEM_PAYLOAD_LO")
			  : get(host, "SEM_PAYLOAD_LO"),
		  operation == 1 && field(host, name, "RELEASE_TIMESTAMP", value));
}

static void report(const struct engine *engine, uint32_t value, bool old,
		   struct kt_command *out)
{
	const char *const name =
		old ? "SET_REPORT_SEMAPHORE_D" : "REPORT_SEMAPHORE_EXECUTE";
	uint32_t operation = field(engine, name, "OPERATION", value);
	bool timestamp = !operation && !field(engine, name, "STRUCTURE_SIZE", value);

	if (old) {
		semaphore(out, operation == 0, false,
			  pair(engine, "SET_REPORT_SEMAPHORE_A", "SET_REPORT_SEMAPHORE_B"),
			  get(engine, "SET_REPORT_SEMAPHORE_C"), timestamp);
		return;
	}
	semaphore(out, operation == 0, operation == 1,
		  pair(engine, "SET_REPORT_SEMAPHORE_ADDRESS_UPPER",
		       "SET_REPORT_SEMAPHORE_ADDRESS_LOWER"),
		  field(engine, name, "PAYLOAD_SIZE64", value)
			  ? pair(engine, "SET_REPORT_SEMAPHORE_PAYLOAD_UPPER",
				 "SET_REPORT_SEMAPHORE_PAYLOAD_LOWER")
			  : get(engine, "SET_REPORT_SEMAPHORE_PAYLOAD_LOWER"),
		  timestamp);
}

/* --- methods --- */

static bool invalidates(const struct engine *engine, uint32_t offset)
{
	const struct kt_method_class *class_ = kt_method_class_find(engine->number);
	struct kt_method_info info;

	return class_ && kt_method_find(class_, offset, &info) &&
	       !strncmp(info.name, "INVALIDATE_", 11) &&
	       strcmp(info.name, "INVALIDATE_CONSTANT_BUFFER_CACHE_A") != 0 &&
	       strcmp(info.name, "INVALIDATE_CONSTANT_BUFFER_CACHE_B") != 0;
}

static bool draws(const struct engine *engine, uint32_t offset)
{
	const struct kt_method_class *class_ = kt_method_class_find(engine->number);
	struct kt_method_info info;

	return class_ && kt_method_find(class_, offset, &info) &&
	       !strncmp(info.name, "DRAW_", 5) &&
	       (strstr(info.name, "_BEGIN_END_INSTANCE_") ||
		strstr(info.name, "_BEGIN_END_B") || !strcmp(info.name, "DRAW_AUTO") ||
		!strcmp(info.name, "DRAW_INDEX_BUFFER") ||
		!strcmp(info.name, "DRAW_VERTEX_ARRAY"));
}

static void host_method(struct kt_command_oracle *oracle, uint32_t offset, uint32_t value,
			struct kt_command *out)
{
	const struct engine *host = &oracle->host;
	uint32_t operation = value >> 27;

	if (is_named(host, offset, "SEMAPHORED")) {
		host_semaphore(host, value, true, out);
	} else if (is_named(host, offset, "SEM_EXECUTE")) {
		host_semaphore(host, value, false, out);
	} else if (is_named(host, offset, "WFI")) {
		out->kind = KT_COMMAND_WAIT_FOR_IDLE;
	} else if (is_named(host, offset, "FB_FLUSH")) {
		out->kind = KT_COMMAND_INVALIDATE;
	} else if (is_named(host, offset,
			    host->number < 0xb06f ? "MEM_OP_B" : "MEM_OP_D") &&
		   operation != 0 && operation != 0xb && operation != 0x16) {
		out->kind = KT_COMMAND_INVALIDATE;
	}
}

static void engine_method(struct kt_command_oracle *oracle, unsigned subchannel,
			  uint32_t offset, uint32_t value, struct kt_command *out)
{
	const struct engine *engine = &oracle->engines[subchannel];
	bool is_compute = (engine->number & 0xff) == 0xc0;
	uint32_t qmd_words = is_compute && engine->number >= 0xcbc0   ? 96
			     : is_compute && engine->number >= 0xc0c0 ? 64
								      : 0;

	if (offset >= 0x320 && offset < 0x320 + qmd_words * 4) {
		inline_qmd(oracle, engine, offset, out);
	} else if (is_named(engine, offset, "LAUNCH_DMA")) {
		if ((engine->number & 0xff) == 0xb5) {
			copy(engine, value, out);
		} else {
			begin(oracle, subchannel, value, out);
		}
	} else if (is_named(engine, offset, "LOAD_INLINE_DATA")) {
		more(oracle, subchannel, value, out);
	} else if (is_named(engine, offset, "SEND_PCAS_B") ||
		   (is_named(engine, offset, "SEND_SIGNALING_PCAS_B") &&
		    field(engine, "SEND_SIGNALING_PCAS_B", "SCHEDULE", value)) ||
		   (is_named(engine, offset, "SEND_SIGNALING_PCAS2_B") &&
		    pcas2_schedules(value & 0xf))) {
		launch(oracle, engine, out);
	} else if (is_named(engine, offset, "SET_REPORT_SEMAPHORE_D")) {
		report(engine, value, true, out);
	} else if (is_named(engine, offset, "REPORT_SEMAPHORE_EXECUTE")) {
		report(engine, value, false, out);
	} else if (is_named(engine, offset, "WAIT_FOR_IDLE")) {
		out->kind = KT_COMMAND_WAIT_FOR_IDLE;
	} else if (invalidates(engine, offset)) {
		out->kind = KT_COMMAND_INVALIDATE;
	} else if (is_named(engine, offset, "CLEAR_SURFACE")) {
		out->kind = KT_COMMAND_CLEAR;
	} else if (draws(engine, offset)) {
		out->kind = KT_COMMAND_DRAW;
	}
}

static void bind(struct kt_command_oracle *oracle, unsigned subchannel, uint32_t number)
{
	struct engine *engine = &oracle->engines[subchannel];

	if (engine->number != number) {
		memset(engine, 0, sizeof(*engine));
		engine->number = number;
		if (oracle->subchannel == subchannel) {
			oracle->active = false;
		}
	}
}

void kt_command_oracle_next(struct kt_command_oracle *oracle,
			    const struct kt_method *method, struct kt_decoded *out)
{
	uint32_t offset = method->offset;
	struct engine *engine =
		offset < 0x100 ? &oracle->host : &oracle->engines[method->subchannel];
	const struct kt_method_class *class_ = kt_method_class_find(engine->number);

	memset(out, 0, sizeof(*out));
	out->method = *method;
	out->class_number = engine->number;
	out->named = class_ && kt_method_find(class_, offset, &out->info);
	if (offset < 0x4000) {
		engine->registers[offset] = method->value;
	}
	if (offset == 0) {
		bind(oracle, method->subchannel, method->value & 0xffff);
		out->command.kind = KT_COMMAND_BIND;
		out->command.class_number = method->value & 0xffff;
		return;
	}
	if (class_ && is_ours(engine->number)) {
		if (offset < 0x100) {
			host_method(oracle, offset, method->value, &out->command);
		} else {
			engine_method(oracle, method->subchannel, offset, method->value,
				      &out->command);
		}
	}
	if (out->command.kind != KT_COMMAND_NONE) {
		out->command.class_number = engine->number;
	}
}

static bool same_qmd(const struct kt_command *a, const struct kt_command *b, bool forgot)
{
	if (!b->qmd) {
		return b->qmd_bytes == 0 && (!a->qmd || forgot);
	}
	return a->qmd && !memcmp(a->qmd, b->qmd, b->qmd_bytes) &&
	       (a->qmd_bytes == b->qmd_bytes || (forgot && a->qmd_bytes > b->qmd_bytes));
}

static bool same_data(const struct kt_command *a, const struct kt_command *b)
{
	size_t kept = a->data_words < 0x4000 ? a->data_words : 0x4000;

	return b->data_words == kept && (!kept || !memcmp(a->data, b->data, kept * 4));
}

bool kt_command_oracle_agrees(const struct kt_command_oracle *oracle,
			      const struct kt_decoded *expected,
			      const struct kt_decoded *decoded)
{
	const struct kt_command *a = &expected->command;
	const struct kt_command *b = &decoded->command;
	/*
	 * The decoder keeps the data of a write contiguous, so half of its buffer may be
	 * unused.
	 */
	bool forgot = oracle->to_keep > 0x8000 || oracle->writes >= 512;

	return expected->method.at == decoded->method.at &&
	       expected->class_number == decoded->class_number &&
	       expected->named == decoded->named &&
	       (!expected->named || (expected->info.name == decoded->info.name &&
				     expected->info.index == decoded->info.index)) &&
	       a->kind == b->kind && a->class_number == b->class_number &&
	       a->from == b->from && a->to == b->to && a->bytes == b->bytes &&
	       a->lines == b->lines && a->address == b->address &&
	       a->payload == b->payload && a->releases == b->releases &&
	       a->timestamp == b->timestamp && a->inlined == b->inlined &&
	       same_qmd(a, b, forgot && !a->inlined) && same_data(a, b);
}
