/* SPDX-License-Identifier: MIT */
#include "infer/words/read/event-class.h"

#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/try.h"
#include "infer/words/alphabet/command-fields.h"

#define USER_PREFIX   "gpu_stack:"
#define KERNEL_PREFIX "gpu_stack_"

enum kt_provider kt_provider_of(const char *name, const char **event)
{
	size_t length = sizeof(USER_PREFIX) - 1;

	*event = NULL;
	if (!name) {
		return KT_PROVIDER_FOREIGN;
	}
	if (strncmp(name, USER_PREFIX, length) == 0) {
		*event = name + length;
		return KT_PROVIDER_USER;
	}
	if (strcmp(name, KERNEL_PREFIX "irq") == 0) {
		*event = "irq";
		return KT_PROVIDER_IRQ;
	}
	if (strncmp(name, KERNEL_PREFIX, length) == 0) {
		*event = name + length;
		return KT_PROVIDER_KERNEL;
	}
	return strcmp(name, "lttng_ust_statedump:procname") == 0 ? KT_PROVIDER_PROCNAME
								 : KT_PROVIDER_FOREIGN;
}

/* --- fields --- */

bool kt_member_of(struct kt_member *out, const bt_field_class *structure, const char *name)
{
	uint64_t n = structure ? bt_field_class_structure_get_member_count(structure) : 0;
	const bt_field_class *field = NULL;
	bt_field_class_type type;

	*out = (struct kt_member){.index = KT_NO_FIELD};
	for (uint64_t i = 0; i < n && !field; i++) {
		const bt_field_class_structure_member *member =
			bt_field_class_structure_borrow_member_by_index_const(structure, i);

		if (strcmp(bt_field_class_structure_member_get_name(member), name) == 0) {
			out->index = i;
			field = bt_field_class_structure_member_borrow_field_class_const(
				member);
		}
	}
	if (!field) {
		return false;
	}
	type = bt_field_class_get_type(field);
	if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_UNSIGNED_INTEGER)) {
		out->kind = KT_VALUE_UNSIGNED;
	} else if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_SIGNED_INTEGER)) {
		out->kind = KT_VALUE_SIGNED;
	} else if (type == BT_FIELD_CLASS_TYPE_STRING) {
		out->kind = KT_VALUE_STRING;
	} else if (type == BT_FIELD_CLASS_TYPE_BOOL) {
		out->kind = KT_VALUE_UNSIGNED;
		out->is_bool = true;
	} else {
		return false;
	}
	return true;
}

/* Returns whether a field is a sequence of unsigned numbers of at most `bits` bits. */
static bool is_numbers(const bt_field_class *structure, uint64_t index, uint64_t bits)
{
	const bt_field_class *field =
		bt_field_class_structure_member_borrow_field_class_const(
			bt_field_class_structure_borrow_member_by_index_const(structure,
									      index));
	const bt_field_class *element;

	if (!bt_field_class_type_is(bt_field_class_get_type(field),
				    BT_FIELD_CLASS_TYPE_ARRAY)) {
		return false;
	}
	element = bt_field_class_array_borrow_element_field_class_const(field);
	return bt_field_class_type_is(bt_field_class_get_type(element),
				      BT_FIELD_CLASS_TYPE_UNSIGNED_INTEGER) &&
	       bt_field_class_integer_get_field_value_range(element) <= bits;
}

/* --- parts of a submission --- */

/*
 * Fields of a part that the submission does not have, or has under another name. All other
 * fields have the same names in a part and in the submission (ktail-events(7)).
 */
static const struct part_field {
	enum kt_submission_part part;
	const char *name;
	enum kt_member_source source;
	const char *value; /* name of the sequence, or the text; NULL: the number 0 */
} part_fields[] = {
	{KT_PART_ENTRY, "index", KT_MEMBER_ELEMENT, "indexes"},
	{KT_PART_ENTRY, "entry", KT_MEMBER_ELEMENT, "entries"},
	{KT_PART_ENTRY, "address", KT_MEMBER_ELEMENT, "addresses"},
	{KT_PART_ENTRY, "words", KT_MEMBER_ELEMENT, "lengths"},
	{KT_PART_ENTRY, "state", KT_MEMBER_CONSTANT, "submitted"},
	{KT_PART_ENTRY, "unread", KT_MEMBER_CONSTANT, ""},
	{KT_PART_WORDS, "index", KT_MEMBER_ELEMENT, "indexes"},
	{KT_PART_WORDS, "address", KT_MEMBER_ELEMENT, "addresses"},
	{KT_PART_WORDS, "offset", KT_MEMBER_CONSTANT, NULL},
};

static const char *const part_names[KT_PARTS] = {
	[KT_PART_DOORBELL] = "doorbell",
	[KT_PART_ENTRY] = "gpfifo_entry",
	[KT_PART_WORDS] = "pushbuffer",
};

/*
 * Like kt_member_of(), for the payload of an event. `part` is KT_PARTS if the event is not
 * a part of a submission.
 */
static bool member_of(struct kt_member *out, const bt_field_class *payload,
		      enum kt_submission_part part, const char *name)
{
	const struct part_field *field = NULL;

	for (size_t i = 0; i < sizeof(part_fields) / sizeof(part_fields[0]); i++) {
		if (part_fields[i].part == part && strcmp(part_fields[i].name, name) == 0) {
			field = &part_fields[i];
		}
	}
	if (!field) {
		return kt_member_of(out, payload, name);
	}
	*out = (struct kt_member){.source = field->source, .kind = KT_VALUE_UNSIGNED};
	if (field->source == KT_MEMBER_CONSTANT) {
		out->kind = field->value ? KT_VALUE_STRING : KT_VALUE_UNSIGNED;
		out->text = field->value;
		return true;
	}
	kt_member_of(out, payload, field->value);
	if (out->index != KT_NO_FIELD && !is_numbers(payload, out->index, 64)) {
		out->index = KT_NO_FIELD;
	}
	out->source = KT_MEMBER_ELEMENT;
	out->kind = KT_VALUE_UNSIGNED;
	return out->index != KT_NO_FIELD;
}

const bt_field *kt_payload_sequence(uint64_t *first, uint64_t *n,
				    const struct kt_member *member,
				    const struct kt_payload *payload)
{
	const bt_field *sequence;
	uint64_t length;

	*first = *n = 0;
	if (member->index == KT_NO_FIELD) {
		return NULL;
	}
	sequence = bt_field_structure_borrow_member_field_by_index_const(payload->fields,
									 member->index);
	length = bt_field_array_get_length(sequence);
	*first = payload->first < length ? payload->first : length;
	*n = payload->n < length - *first ? payload->n : length - *first;
	return sequence;
}

void kt_event_parts_begin(struct kt_event_parts *out, const struct kt_event_head *head)
{
	const struct kt_event_class *c = head->class_;
	uint64_t first;

	*out = (struct kt_event_parts){.whole = *head};
	if (c->parts[0]) {
		kt_payload_sequence(&first, &out->n, &c->lengths, &head->payload);
	}
}

/*
 * Moves to the next entry, if there is one. `words` is the number of dwords of the current
 * entry.
 */
static void next_entry(struct kt_event_parts *parts, uint64_t words)
{
	parts->first += words;
	parts->entry++;
	parts->next = KT_PART_ENTRY;
	parts->over = parts->entry >= parts->n;
}

bool kt_event_parts_next(struct kt_event_parts *parts, struct kt_event_head *out)
{
	const struct kt_event_class *c = parts->whole.class_;
	uint64_t words = 0;

	if (parts->over) {
		return false;
	}
	*out = parts->whole;
	if (!c->parts[0]) {
		parts->over = true;
		return true;
	}
	parts->whole.seq++;
	out->class_ = c->parts[parts->next];
	out->payload.entry = parts->entry;
	out->payload.first = parts->first;
	out->payload.n = 0;
	if (parts->next == KT_PART_DOORBELL) {
		parts->next = KT_PART_ENTRY;
		parts->over = parts->n == 0;
		return true;
	}
	words = kt_payload_number(&(struct kt_member){.index = c->lengths.index,
						      .source = KT_MEMBER_ELEMENT,
						      .kind = KT_VALUE_UNSIGNED},
				  &out->payload);
	out->payload.n = words;
	if (parts->next == KT_PART_ENTRY && words > 0) {
		parts->next = KT_PART_WORDS;
	} else {
		next_entry(parts, words);
	}
	return true;
}

/*
 * Finds the field `name`. If it is missing or its kind does not fit `type`, sets out->index
 * to KT_NO_FIELD.
 */
static void bind_field(struct kt_member *out, const bt_field_class *payload,
		       enum kt_submission_part part, const char *name,
		       enum kt_field_type type)
{
	bool scalar = member_of(out, payload, part, name);
	bool fits;

	if (out->index == KT_NO_FIELD) {
		return;
	}
	switch (type) {
	case KT_FIELD_WORDS:
	case KT_FIELD_NUMBERS:
		fits = !scalar &&
		       is_numbers(payload, out->index, type == KT_FIELD_WORDS ? 32 : 64);
		break;
	case KT_FIELD_TEXT: fits = scalar && out->kind == KT_VALUE_STRING; break;
	case KT_FIELD_INT32:
	case KT_FIELD_INT64: fits = scalar && out->kind == KT_VALUE_SIGNED; break;
	default: fits = scalar && out->kind == KT_VALUE_UNSIGNED; break;
	}
	out->index = fits ? out->index : KT_NO_FIELD;
}

/*
 * Finds the field `name`, which must be a string if `string` is true, else a number. If it
 * is missing or of the wrong kind, sets out->index to KT_NO_FIELD and returns false.
 */
static bool scalar_of(struct kt_member *out, const bt_field_class *structure,
		      const char *name, bool string)
{
	if (!kt_member_of(out, structure, name) ||
	    (out->kind == KT_VALUE_STRING) != string) {
		out->index = KT_NO_FIELD;
	}
	return out->index != KT_NO_FIELD;
}

/* --- classes --- */

/*
 * Returns the line of the first rule that uses the field in `slot`, or 0 if the field is
 * used only to form runs.
 */
static size_t line_of_slot(const struct kt_event_rules *rules, size_t slot)
{
	for (size_t i = 0; i < rules->n_rules; i++) {
		const struct kt_rule *rule = &rules->rules[i];

		for (size_t j = 0; j < rule->n_conditions; j++) {
			if (rule->conditions[j].slot == slot) {
				return rule->line;
			}
		}
		for (size_t j = 0; j < rule->n_parts; j++) {
			if (!rule->parts[j].literal && rule->parts[j].slot == slot) {
				return rule->line;
			}
		}
	}
	return 0;
}

/* Finds the fields of `version`, `process_begin`, `detail` and `map`. */
static void bind_version(struct kt_event_class *c, const bt_field_class *payload)
{
	static const char *const names[KT_VERSION_FIELDS] = {"what", "version", "id",
							     "detail"};

	static const char *const begin_names[KT_BEGIN_FIELDS] = {
		"driver", "recorder", "access", "doorbell", "api"};

	c->is_begin = c->event == KT_EVENT_BEGIN;
	for (size_t i = 0; i < KT_BEGIN_FIELDS; i++) {
		scalar_of(&c->begin[i], payload, begin_names[i], true);
	}
	c->detail.index = KT_NO_FIELD;
	c->detail_to.index = KT_NO_FIELD;
	if (strcmp(c->event_name, "detail") == 0) {
		scalar_of(&c->detail, payload, "what", true);
		scalar_of(&c->detail_to, payload, "to", true);
	}
	c->mapping.index = KT_NO_FIELD;
	c->space.index = KT_NO_FIELD;
	if (strcmp(c->event_name, "map") == 0) {
		scalar_of(&c->space, payload, "space", true);
	}
	if (c->detail.index != KT_NO_FIELD || c->space.index != KT_NO_FIELD) {
		scalar_of(&c->mapping, payload, "mapping", false);
	}
	c->is_version = strcmp(c->event_name, "version") == 0;
	for (size_t i = 0; i < KT_VERSION_FIELDS && c->is_version; i++) {
		c->is_version = scalar_of(&c->versions[i], payload, names[i], true);
	}
}

bool kt_event_gives_up(const struct kt_event_head *head)
{
	const struct kt_event_class *c = head->class_;
	struct kt_value to = {.text = ""};

	if (c->detail.index == KT_NO_FIELD || c->detail_to.index == KT_NO_FIELD) {
		return false;
	}
	kt_payload_get(&c->detail_to, &head->payload, &to);
	return strcmp(to.text, "off") == 0;
}

static int bind_ours(struct kt_event_class *c, const bt_field_class *payload,
		     enum kt_submission_part part, const kt_alphabet *alphabet)
{
	const char *event = c->event_name;
	enum kt_value_kind kinds[KT_ALPHABET_MAX_FIELDS];

	if (!scalar_of(&c->pid, payload, "pid", false)) {
		return kt_error(KT_E_MALFORMED, "read event %s: no field pid", event);
	}
	scalar_of(&c->tid, payload, "tid", false);
	scalar_of(&c->seq, payload, "seq", false);
	scalar_of(&c->name, payload, "name", true);
	if (strcmp(event, "process_begin") == 0) {
		c->event = KT_EVENT_BEGIN;
	} else if (strcmp(event, "process_end") == 0) {
		c->event = KT_EVENT_END;
	} else if (c->provider != KT_PROVIDER_USER && kt_event_only_kernel(event)) {
		c->event = KT_EVENT_KERNEL;
	}
	bind_version(c, payload);
	c->vpid.index = KT_NO_FIELD; /* only a process_begin of the kernel has this field */
	if (c->event == KT_EVENT_BEGIN && c->provider == KT_PROVIDER_KERNEL) {
		scalar_of(&c->vpid, payload, "vpid", false);
	}
	c->enters = strcmp(event, "api_enter") == 0;
	c->call = (c->enters || strcmp(event, "api_exit") == 0) &&
		  scalar_of(&c->correlation, payload, "correlation", false) &&
		  c->correlation.kind == KT_VALUE_UNSIGNED && c->name.index != KT_NO_FIELD;
	/* Driver activity is any event except process events and API calls. */
	c->acts = strncmp(event, "process_", 8) != 0 && strncmp(event, "api_", 4) != 0;
	bind_field(&c->words, payload, part, "words", KT_FIELD_WORDS);
	c->rules = alphabet ? kt_alphabet_find(alphabet, event) : NULL;
	if (!c->rules) {
		return KT_OK;
	}
	for (size_t i = 0; i < c->rules->n_fields; i++) {
		const char *field = c->rules->fields[i];

		if (member_of(&c->slots[i], payload, part, field)) {
			kinds[i] = c->slots[i].kind;
			continue;
		}
		if (alphabet->commands == KT_COMMANDS_NONE ||
		    strcmp(field, KT_OPTIONAL_FIELD) != 0) {
			return kt_alphabet_error(
				alphabet, line_of_slot(c->rules, i),
				"event %s has no field %s that is a number or a string",
				c->rules->event, field);
		}
		c->slots[i] = (struct kt_member){
			.source = KT_MEMBER_CONSTANT, .kind = KT_VALUE_STRING, .text = ""};
		kinds[i] = c->slots[i].kind;
	}
	return kt_letters_check_kinds(alphabet, c->rules, kinds);
}

static const size_t field_sizes[] = {
	[KT_FIELD_TEXT] = sizeof(const char *),
	[KT_FIELD_BOOL] = sizeof(bool),
	[KT_FIELD_UINT32] = sizeof(uint32_t),
	[KT_FIELD_UINT64] = sizeof(uint64_t),
	[KT_FIELD_INT32] = sizeof(int32_t),
	[KT_FIELD_INT64] = sizeof(int64_t),
	[KT_FIELD_WORDS] = sizeof(struct kt_event_words),
	[KT_FIELD_NUMBERS] = sizeof(struct kt_event_numbers),
};

/* Finds the event's shape among those requested, and the fields of the shape. */
static int bind_shape(struct kt_event_class *out, const bt_field_class *payload,
		      enum kt_submission_part part, const struct kt_event_classes *wanted)
{
	const struct kt_event_shape *shape = wanted->shapes;

	while (out->shape < wanted->n_shapes && strcmp(shape->name, out->event_name) != 0) {
		out->shape++;
		shape++;
	}
	if (out->shape == wanted->n_shapes) {
		return KT_OK;
	}
	out->fields = calloc(shape->n + 1, sizeof(*out->fields));
	if (!out->fields) {
		return kt_no_memory("read events");
	}
	out->n_fields = shape->n;
	for (size_t i = 0; i < shape->n; i++) {
		struct kt_bound_field *bound = &out->fields[i];

		bound->type = shape->fields[i].type;
		bound->offset = shape->fields[i].offset;
		bound->size = field_sizes[bound->type];
		if (bound->offset + bound->size > out->fields_size) {
			out->fields_size = bound->offset + bound->size;
		}
		bind_field(&bound->member, payload, part, shape->fields[i].name,
			   bound->type);
	}
	return KT_OK;
}

static void free_class(struct kt_event_class *c)
{
	for (size_t i = 0; c && i < KT_PARTS; i++) {
		free_class(c->parts[i]);
	}
	free(c ? c->fields : NULL);
	free(c);
}

/*
 * Creates the classes of a submission's parts. KT_E_MALFORMED if the submission has no
 * sequence `lengths` or `words`.
 */
static int bind_parts(struct kt_event_class *out, const bt_field_class *payload,
		      const struct kt_event_classes *wanted)
{
	bind_field(&out->lengths, payload, KT_PARTS, "lengths", KT_FIELD_WORDS);
	if (out->lengths.index == KT_NO_FIELD || out->words.index == KT_NO_FIELD) {
		return kt_error(KT_E_MALFORMED,
				"read event submission: it has no lengths and words");
	}
	for (size_t i = 0; i < KT_PARTS; i++) {
		struct kt_event_class *part = calloc(1, sizeof(*part));

		if (!part) {
			return kt_no_memory("read events");
		}
		out->parts[i] = part;
		part->provider = out->provider;
		part->event_name = part_names[i];
		part->has_clock = out->has_clock;
		part->clock = out->clock;
		part->clock_zero = out->clock_zero;
		part->procname = out->procname;
		KT_TRY(bind_ours(part, payload, (enum kt_submission_part)i,
				 wanted->alphabet));
		KT_TRY(bind_shape(part, payload, (enum kt_submission_part)i, wanted));
	}
	return KT_OK;
}

/* Finds the clock of a stream class. LTTng's clocks have the boot's id as UUID. */
static void bind_clock(struct kt_event_class *out, const bt_stream_class *stream)
{
	const bt_clock_class *clock =
		bt_stream_class_borrow_default_clock_class_const(stream);
	bt_uuid uuid = clock ? bt_clock_class_get_uuid(clock) : NULL;
	uint64_t halves[2];
	int64_t seconds;
	uint64_t cycles;

	if (!uuid) {
		return;
	}
	memcpy(halves, uuid, sizeof(halves));
	out->clock = halves[0] ^ halves[1];
	bt_clock_class_get_offset(clock, &seconds, &cycles);
	out->clock_zero =
		(int64_t)((uint64_t)seconds * 1000000000u +
			  (uint64_t)((double)cycles * 1e9 /
				     (double)bt_clock_class_get_frequency(clock)));
}

static int bind_class(struct kt_event_class *out, const bt_event_class *class_,
		      const struct kt_event_classes *wanted)
{
	const bt_stream_class *stream = bt_event_class_borrow_stream_class_const(class_);
	const bt_field_class *context =
		bt_stream_class_borrow_event_common_context_field_class_const(stream);
	const bt_field_class *payload =
		bt_event_class_borrow_payload_field_class_const(class_);

	out->provider = kt_provider_of(bt_event_class_get_name(class_), &out->event_name);
	out->has_clock = bt_stream_class_borrow_default_clock_class_const(stream) != NULL;
	if (out->provider == KT_PROVIDER_PROCNAME) {
		scalar_of(&out->procname, payload, "procname", true);
		scalar_of(&out->vpid, context, "vpid", false);
	}
	if (out->provider == KT_PROVIDER_IRQ) {
		scalar_of(&out->line, payload, "line", false);
	} else if (out->provider != KT_PROVIDER_USER &&
		   out->provider != KT_PROVIDER_KERNEL) {
		return KT_OK;
	}
	bind_clock(out, stream);
	KT_TRY(bind_ours(out, payload, KT_PARTS, wanted->alphabet));
	scalar_of(&out->procname, context, "procname", true);
	return strcmp(out->event_name, "submission") == 0
		       ? bind_parts(out, payload, wanted)
		       : bind_shape(out, payload, KT_PARTS, wanted);
}

static int find_class(struct kt_event_classes *all, struct kt_event_class **out,
		      const bt_event_class *class_)
{
	struct kt_event_class *c = all->last;
	struct kt_hash_probe probe;
	uint32_t hash;
	uint32_t i;
	int code;

	if (c && c->class_ == class_) {
		*out = c;
		return KT_OK;
	}
	hash = kt_hash_number((uintptr_t)class_);
	probe = kt_hash_probe(&all->by_address, hash);
	while (kt_hash_next(&all->by_address, &probe, &i)) {
		if (all->items[i]->class_ == class_) {
			*out = all->last = all->items[i];
			return KT_OK;
		}
	}
	KT_TRY(kt_array_reserve(&all->items, &all->capacity, all->n + 1));
	KT_TRY(kt_hash_reserve(&all->by_address, all->n + 1));
	c = calloc(1, sizeof(*c));
	if (!c) {
		return kt_no_memory("read events");
	}
	code = bind_class(c, class_, all);
	if (code) {
		free_class(c);
		return code;
	}
	bt_event_class_get_ref(class_);
	c->class_ = class_;
	kt_hash_put(&all->by_address, hash, (uint32_t)all->n);
	all->items[all->n++] = *out = all->last = c;
	return KT_OK;
}

void kt_event_classes_clear(struct kt_event_classes *classes)
{
	for (size_t i = 0; i < classes->n; i++) {
		bt_event_class_put_ref(classes->items[i]->class_);
		free_class(classes->items[i]);
	}
	for (size_t i = 0; i < classes->n_traces; i++) {
		bt_trace_put_ref(classes->traces[i].trace);
	}
	free(classes->items);
	kt_hash_free(&classes->by_address);
	free(classes->traces);
	*classes = (struct kt_event_classes){.alphabet = classes->alphabet,
					     .shapes = classes->shapes,
					     .n_shapes = classes->n_shapes};
}

/* --- traces --- */

static const char *host_of(const bt_trace *trace)
{
	const bt_value *host =
		bt_trace_borrow_environment_entry_value_by_name_const(trace, "hostname");

	return host && bt_value_is_string(host) ? bt_value_string_get(host) : "";
}

/*
 * Finds a trace among the traces that are read together, or adds it. *position is its index
 * in all->traces. Traces with the same UUID get the same number.
 */
static int find_trace(struct kt_event_classes *all, size_t *position, const bt_trace *trace)
{
	struct kt_known_trace new = {.trace = trace, .number = (uint32_t)all->n_traces};
	bt_uuid uuid;
	const char *host;

	for (size_t i = 0; i < all->n_traces; i++) {
		if (all->traces[i].trace == trace) {
			*position = i;
			return KT_OK;
		}
	}
	KT_TRY(kt_array_reserve(&all->traces, &all->traces_capacity, all->n_traces + 1));
	uuid = bt_trace_get_uuid(trace);
	host = host_of(trace);
	new.host = *host ? new.number + 1 : 0;
	for (size_t i = all->n_traces; i-- > 0;) {
		const struct kt_known_trace *other = &all->traces[i];
		bt_uuid its = bt_trace_get_uuid(other->trace);

		if (uuid && its && memcmp(uuid, its, 16) == 0) {
			new.number = other->number;
		}
		if (new.host && strcmp(host, host_of(other->trace)) == 0) {
			new.host = other->host;
		}
	}
	bt_trace_get_ref(trace);
	*position = all->n_traces;
	all->traces[all->n_traces++] = new;
	return KT_OK;
}

int kt_event_origin(struct kt_origin *out, struct kt_event_classes *classes,
		    const struct kt_event_head *head)
{
	struct kt_event_class *c = head->class_;
	const bt_trace *trace =
		bt_stream_borrow_trace_const(bt_event_borrow_stream_const(head->event));

	if (c->trace >= classes->n_traces || classes->traces[c->trace].trace != trace) {
		KT_TRY(find_trace(classes, &c->trace, trace));
	}
	*out = (struct kt_origin){.trace = classes->traces[c->trace].number,
				  .host = classes->traces[c->trace].host,
				  .clock = c->clock,
				  .clock_zero = c->clock_zero,
				  .kernel = c->provider == KT_PROVIDER_KERNEL,
				  .no_seq = c->seq.index == KT_NO_FIELD};
	return KT_OK;
}

/* --- events --- */

int kt_event_head_read(struct kt_event_head *out, struct kt_event_classes *classes,
		       const bt_message *message)
{
	const struct kt_event_class *c;

	out->message = message;
	out->event = bt_message_event_borrow_event_const(message);
	KT_TRY(find_class(classes, &out->class_, bt_event_borrow_class_const(out->event)));
	if (!kt_event_is_ours(out) && out->class_->provider != KT_PROVIDER_IRQ) {
		return KT_OK;
	}
	c = out->class_;
	KT_TRY(kt_event_origin(&out->origin, classes, out));
	out->payload = (struct kt_payload){
		.fields = bt_event_borrow_payload_field_const(out->event), .n = UINT64_MAX};
	out->origin.pid = (uint32_t)kt_payload_number(&c->pid, &out->payload);
	out->seq = kt_payload_number(&c->seq, &out->payload);
	out->tid = (uint32_t)kt_payload_number(&c->tid, &out->payload);
	out->time = 0;
	if (c->has_clock &&
	    bt_clock_snapshot_get_ns_from_origin(
		    bt_message_event_borrow_default_clock_snapshot_const(message),
		    &out->time) != BT_CLOCK_SNAPSHOT_GET_NS_FROM_ORIGIN_STATUS_OK) {
		bt_current_thread_clear_error();
		return kt_error(KT_E_MALFORMED,
				"read event %s: its time, in ns since the epoch, does not "
				"fit into 64 bits",
				c->event_name);
	}
	return KT_OK;
}

int kt_event_note_instance(const struct kt_event_head *head, struct kt_instance *instance)
{
	const struct kt_event_class *c = head->class_;
	struct kt_value name = {.text = NULL};
	uint32_t vpid;

	if (c->acts) {
		instance->first_act = instance->acts ? instance->first_act : head->time;
		instance->last_act = head->time;
		instance->acts = true;
	}
	if (c->vpid.index != KT_NO_FIELD) {
		vpid = (uint32_t)kt_payload_number(&c->vpid, &head->payload);
		instance->vpid = vpid ? vpid : instance->vpid;
	}
	if (c->event == KT_EVENT_BEGIN && c->name.index != KT_NO_FIELD) {
		kt_payload_get(&c->name, &head->payload, &name);
		return kt_instance_name(instance, name.text, true);
	}
	if (c->space.index != KT_NO_FIELD) {
		kt_payload_get(&c->space, &head->payload, &name);
		KT_TRY(kt_instance_map(
			instance, (uint32_t)kt_payload_number(&c->mapping, &head->payload),
			name.text));
	}
	if (c->procname.index == KT_NO_FIELD || instance->name) {
		return KT_OK;
	}
	kt_member_get(&c->procname, bt_event_borrow_common_context_field_const(head->event),
		      &name);
	return kt_instance_name(instance, name.text, false);
}
