/* SPDX-License-Identifier: MIT */
/*
 * Reads events for all readers of traces. The layout of an event class is determined at the
 * first event of the class. Of each gpu_stack event the head is read; the other fields, and
 * what the event says about its process, are read on request. Internal: users include
 * events.h or trace.h.
 */
#ifndef KTAIL_WORDS_EVENT_CLASS_H
#define KTAIL_WORDS_EVENT_CLASS_H

#include <babeltrace2/babeltrace.h>

#include "base/hash-index.h"
#include "infer/words/alphabet/alphabet.h"
#include "infer/words/alphabet/letters.h"
#include "infer/words/read/events.h"
#include "infer/words/split/instances.h"

enum kt_provider {
	KT_PROVIDER_FOREIGN = 0, /* any other provider */
	KT_PROVIDER_USER,        /* gpu_stack:* */
	KT_PROVIDER_KERNEL,      /* gpu_stack_*, except gpu_stack_irq */
	KT_PROVIDER_IRQ,         /* gpu_stack_irq, whose events name no process */
	KT_PROVIDER_PROCNAME,    /* lttng_ust_statedump:procname: names a process */
};

/*
 * Returns the provider of an event whose class has this name. *event is the name without
 * the prefix of the provider for an event of gpu_stack, and NULL for any other event.
 */
enum kt_provider kt_provider_of(const char *name, const char **event);

#define KT_NO_FIELD UINT64_MAX

/* Fields of `version`: what, version, id, detail. */
enum { KT_VERSION_FIELDS = 4 };

/* Fields of process_begin: driver, recorder, access, doorbell, api. */
enum { KT_BEGIN_FIELDS = 5 };

/* Where the value of a member comes from. */
enum kt_member_source {
	KT_MEMBER_FIELD = 0, /* the field at `index` */
	KT_MEMBER_ELEMENT,   /* element kt_payload.entry of the sequence at `index` */
	KT_MEMBER_CONSTANT,  /* `text` for a string, 0 for a number */
};

struct kt_member {
	uint64_t index; /* index in the structure; KT_NO_FIELD: missing */
	enum kt_value_kind kind;
	enum kt_member_source source;
	const char *text; /* Weak */
	/* a boolean, which Babeltrace reads with a function of its own */
	bool is_bool;
};

/* The parts of an event `submission`, which stands for several events (ktail-events(7)). */
enum kt_submission_part {
	KT_PART_DOORBELL,
	KT_PART_ENTRY, /* gpfifo_entry */
	KT_PART_WORDS, /* pushbuffer */
	KT_PARTS,
};

/* The fields of a Babeltrace event, or of one part of a submission. */
struct kt_payload {
	const bt_field *fields; /* Weak */
	/*
	 * For a part of a submission: index of its ring entry, index of its first dword,
	 * and number of its dwords.
	 */
	uint64_t entry;
	uint64_t first;
	uint64_t n; /* UINT64_MAX: not a part, sequences are whole */
};

/* A field of an event's shape. */
struct kt_bound_field {
	struct kt_member member; /* of a sequence, only the index is used */
	enum kt_field_type type;
	size_t offset;
	size_t size; /* size of the struct member that stores the field */
};

struct kt_event_class {
	/* Owned by this: a reference; NULL for a part of a submission */
	const bt_event_class *class_;
	enum kt_provider provider;
	const char *event_name; /* Weak: name without the prefix of the provider */
	enum kt_event_kind event;
	const struct kt_event_rules *rules; /* Weak; NULL: its events give no letters */
	struct kt_member pid;
	struct kt_member tid;
	struct kt_member seq;
	struct kt_member name;     /* field `name` of process_begin and of API calls */
	struct kt_member procname; /* of the common context, or of the statedump event */
	struct kt_member vpid;     /* of the common context, or of a kernel process_begin */
	struct kt_member slots[KT_ALPHABET_MAX_FIELDS];
	struct kt_member versions[KT_VERSION_FIELDS]; /* fields of `version` */
	/* the event is `version` and has all fields of it */
	bool is_version;
	/* fields of process_begin; each may be missing */
	struct kt_member begin[KT_BEGIN_FIELDS];
	bool is_begin;           /* the event is process_begin */
	struct kt_member detail; /* field `what` of the event `detail` */
	struct kt_member detail_to; /* its field `to` */
	struct kt_member mapping;   /* of `detail` and `map` */
	struct kt_member space;     /* of `map` */
	bool acts;               /* the event shows driver activity */
	/* the event is api_enter or api_exit with all required fields */
	bool call;
	bool enters; /* the event is api_enter */
	/* of api_enter and api_exit: the number of the call */
	struct kt_member correlation;
	struct kt_member words;   /* of pushbuffer and submission: a sequence of numbers */
	struct kt_member lengths; /* of submission: a sequence of numbers */
	/*
	 * Owned by this: classes of a submission's parts, which read their fields from the
	 * event `submission`; NULL for all other events
	 */
	struct kt_event_class *parts[KT_PARTS];
	bool has_clock;
	uint64_t clock; /* of its origins: see kt_origin */
	int64_t clock_zero;
	struct kt_member line; /* of irq */
	/*
	 * index of the trace of this class's latest event, tried first for the next event
	 */
	size_t trace;
	/* index in kt_event_classes.shapes; n_shapes: the event has no shape */
	size_t shape;
	struct kt_bound_field *fields; /* Owned by this: fields of the shape */
	size_t n_fields;
	size_t fields_size; /* size of the shape's struct up to the end of the last field */
};

/*
 * A trace as Babeltrace reads it. Each part of a rotated session is a trace, and all parts
 * have the same UUID.
 */
struct kt_known_trace {
	/* Owned by this: a reference, so that no other trace gets the address */
	const bt_trace *trace;
	/* shared by all traces with one UUID; tells apart equal pids of different traces */
	uint32_t number;
	uint32_t host; /* number of the host name, from 1; 0: the trace names no host */
};

/*
 * All event classes and traces of a graph. The owner sets the first three members, the
 * requests; all other members are zero until the first event.
 */
struct kt_event_classes {
	const kt_alphabet *alphabet;         /* Weak; NULL: no letters requested */
	const struct kt_event_shape *shapes; /* Weak */
	size_t n_shapes;
	struct kt_event_class **items; /* Owned by this: the array and its items */
	size_t n;
	size_t capacity;
	struct kt_event_class *last; /* Weak: class of the previous event; NULL: none */
	struct kt_hash_index by_address;
	struct kt_known_trace *traces; /* Owned by this */
	size_t n_traces;
	size_t traces_capacity;
};

/* The head that every gpu_stack event has. */
struct kt_event_head {
	struct kt_event_class *class_; /* Weak */
	const bt_message *message;     /* Weak */
	const bt_event *event;         /* Weak */
	struct kt_payload payload;
	struct kt_origin origin;
	int64_t time; /* ns since the epoch; 0: the stream has no clock */
	uint64_t seq;
	uint32_t tid;
};

/*
 * Reads the class and the head of an event; for an event of another provider, sets only
 * class_, message and event. KT_E_MALFORMED if a gpu_stack event has no pid, if a
 * submission has no sequences, or if a rule of the alphabet uses a field that is missing or
 * of a kind that the rule cannot use. Expected O(1), except for the first event of a class.
 */
int kt_event_head_read(struct kt_event_head *out, struct kt_event_classes *classes,
		       const bt_message *message);

/*
 * Iterator over the events for which an event stands: for a submission its parts, for any
 * other event only the event itself.
 */
struct kt_event_parts {
	struct kt_event_head whole;
	enum kt_submission_part next;
	uint64_t n;     /* number of entries of a submission */
	uint64_t entry; /* index of the next entry */
	uint64_t first; /* index of the first dword of the next entry */
	bool over;
};

/*
 * Begins an iteration over the parts of an event, whose head kt_event_head_read() has read.
 */
void kt_event_parts_begin(struct kt_event_parts *out, const struct kt_event_head *head);

/*
 * Writes the next event, with its own sequence number, to *out. Returns false after the
 * last event.
 */
bool kt_event_parts_next(struct kt_event_parts *parts, struct kt_event_head *out);

/* Returns whether the event is a gpu_stack event. */
static inline bool kt_event_is_ours(const struct kt_event_head *head)
{
	return head->class_->provider == KT_PROVIDER_USER ||
	       head->class_->provider == KT_PROVIDER_KERNEL;
}

/* Returns whether the event says that the recorder has given something up: `detail`, to
 * off. */
bool kt_event_gives_up(const struct kt_event_head *head);

/* Writes the origin of an event to *out; the pid is not read but set to 0. */
int kt_event_origin(struct kt_origin *out, struct kt_event_classes *classes,
		    const struct kt_event_head *head);

/*
 * Stores in the process instance what an event says about its process: name, vpid, driver
 * activity.
 */
int kt_event_note_instance(const struct kt_event_head *head, struct kt_instance *instance);

/* Frees everything and puts all references; the requests (alphabet and shapes) stay. */
void kt_event_classes_clear(struct kt_event_classes *classes);

/* Reads the value of a member of a structure field. */
static inline void kt_member_get(const struct kt_member *member, const bt_field *structure,
				 struct kt_value *out)
{
	const bt_field *field = bt_field_structure_borrow_member_field_by_index_const(
		structure, member->index);

	out->kind = member->kind;
	if (member->is_bool) {
		out->number = bt_field_bool_get_value(field) != 0;
	} else if (member->kind == KT_VALUE_UNSIGNED) {
		out->number = bt_field_integer_unsigned_get_value(field);
	} else if (member->kind == KT_VALUE_SIGNED) {
		out->number = (uint64_t)bt_field_integer_signed_get_value(field);
	} else {
		/*
		 * Checks the length, because for an empty string
		 * bt_field_string_get_value() of Babeltrace 2.0.4 returns the value of an
		 * earlier event.
		 */
		out->text = bt_field_string_get_length(field)
				    ? bt_field_string_get_value(field)
				    : "";
	}
}

/* Returns the value of a number in a structure, or 0 if the member is missing. */
static inline uint64_t kt_member_number(const struct kt_member *member,
					const bt_field *structure)
{
	struct kt_value v = {.number = 0};

	if (member->index != KT_NO_FIELD) {
		kt_member_get(member, structure, &v);
	}
	return v.number;
}

/* Reads the value of a member of a payload. */
static inline void kt_payload_get(const struct kt_member *member,
				  const struct kt_payload *payload, struct kt_value *out)
{
	const bt_field *sequence;

	if (member->source == KT_MEMBER_FIELD) {
		kt_member_get(member, payload->fields, out);
		return;
	}
	out->kind = member->kind;
	if (member->kind == KT_VALUE_STRING) {
		out->text = member->text;
		return;
	}
	out->number = 0;
	if (member->source == KT_MEMBER_ELEMENT) {
		sequence = bt_field_structure_borrow_member_field_by_index_const(
			payload->fields, member->index);
		if (payload->entry < bt_field_array_get_length(sequence)) {
			out->number = bt_field_integer_unsigned_get_value(
				bt_field_array_borrow_element_field_by_index_const(
					sequence, payload->entry));
		}
	}
}

/* Returns the value of a number in a payload, or 0 if the member is missing. */
static inline uint64_t kt_payload_number(const struct kt_member *member,
					 const struct kt_payload *payload)
{
	struct kt_value v = {.number = 0};

	if (member->index != KT_NO_FIELD) {
		kt_payload_get(member, payload, &v);
	}
	return v.number;
}

/*
 * Returns the field of a member that is a sequence of numbers, or NULL if the member is
 * missing. Of the elements of the sequence, [*first, *first + *n) belong to the payload.
 */
const bt_field *kt_payload_sequence(uint64_t *first, uint64_t *n,
				    const struct kt_member *member,
				    const struct kt_payload *payload);

/*
 * Finds a member of a structure by its name. Returns false if the member is missing or of a
 * kind that rules cannot use.
 */
bool kt_member_of(struct kt_member *out, const bt_field_class *structure, const char *name);

#endif
