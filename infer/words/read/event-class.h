/* SPDX-License-Identifier: MIT */
/*
 * Reads events for all readers of traces. The layout of an event class is looked up at its
 * first event. An event's head is always read, its process information and fields on
 * request. Internal: users include events.h or trace.h.
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
	KT_PROVIDER_FOREIGN = 0, /* another provider */
	KT_PROVIDER_USER,        /* gpu_stack:* */
	KT_PROVIDER_KERNEL,      /* gpu_stack_*, except gpu_stack_irq */
	KT_PROVIDER_PROCNAME,    /* lttng_ust_statedump:procname: names a process */
};

/*
 * Returns the provider of an event by the name of its class. *event is the rest of the name
 * for events of gpu_stack, else NULL.
 */
enum kt_provider kt_provider_of(const char *name, const char **event);

#define KT_NO_FIELD UINT64_MAX

/* Fields of `version`: what, version, id, detail. */
enum { KT_VERSION_FIELDS = 4 };

/* Fields of process_begin: driver, recorder, access, doorbell, api. */
enum { KT_BEGIN_FIELDS = 5 };

/* Source of the value of a member. */
enum kt_member_source {
	KT_MEMBER_FIELD = 0, /* the field at `index` */
	KT_MEMBER_ELEMENT,   /* element kt_payload.entry of the sequence at `index` */
	KT_MEMBER_CONSTANT,  /* `text` for a string, 0 for a number */
};

struct kt_member {
	uint64_t index; /* index in its structure; KT_NO_FIELD: missing */
	enum kt_value_kind kind;
	enum kt_member_source source;
	const char *text; /* Weak */
	bool is_bool;     /* a boolean, for which Babeltrace has another function */
};

/* Parts of an event `submission`: the events that it stands for (ktail-events(7)). */
enum kt_submission_part {
	KT_PART_DOORBELL,
	KT_PART_ENTRY, /* gpfifo_entry */
	KT_PART_WORDS, /* pushbuffer */
	KT_PARTS,
};

/* The fields of an event: all fields of a Babeltrace event, or a part of them. */
struct kt_payload {
	const bt_field *fields; /* Weak */
	/* For a part of a submission: its entry, and its dwords [first, first + n) */
	uint64_t entry;
	uint64_t first;
	uint64_t n; /* UINT64_MAX otherwise: sequences are whole */
};

/* A field of an event's shape. */
struct kt_bound_field {
	struct kt_member member; /* for a sequence, only the index is used */
	enum kt_field_type type;
	size_t offset;
	size_t size; /* of the struct member that stores it */
};

struct kt_event_class {
	const bt_event_class *class_; /* Owned by this: a reference */
	enum kt_provider provider;
	const char *event_name; /* Weak: name without the provider */
	enum kt_event_kind event;
	const struct kt_event_rules *rules; /* Weak; NULL: no letters */
	struct kt_member pid;
	struct kt_member tid;
	struct kt_member seq;
	struct kt_member name;     /* field `name` of process_begin and of API calls */
	struct kt_member procname; /* of the common context, or of the statedump event */
	struct kt_member vpid;     /* of the common context, or of a kernel process_begin */
	struct kt_member slots[KT_ALPHABET_MAX_FIELDS];
	struct kt_member versions[KT_VERSION_FIELDS]; /* fields of `version` */
	/* it is the event `version` and has its fields */
	bool is_version;
	struct kt_member begin[KT_BEGIN_FIELDS]; /* of process_begin; may be missing */
	bool is_begin;                           /* it is process_begin */
	struct kt_member detail;                 /* field `what` of `detail` */
	bool acts;                               /* it shows driver activity */
	bool call;   /* it is api_enter or api_exit with all required fields */
	bool enters; /* it is api_enter */
	struct kt_member correlation; /* of api_enter and api_exit */
	struct kt_member words;   /* of pushbuffer and submission: a sequence of numbers */
	struct kt_member lengths; /* of submission: a sequence of numbers */
	/*
	 * Owned by this: classes of a submission's parts, which read their fields from the
	 * event `submission`; NULL for all other events
	 */
	struct kt_event_class *parts[KT_PARTS];
	bool has_clock;
	size_t trace; /* index of the trace of its last event: a guess for its next event */
	size_t shape; /* index among the requested shapes; their number if it has none */
	struct kt_bound_field *fields; /* Owned by this: fields of the shape */
	size_t n_fields;
	size_t fields_size; /* size of the shape's struct up to the end of its last field */
};

/* A trace, or a part of a rotated session; such parts share a UUID. */
struct kt_known_trace {
	const bt_trace *trace; /* Owned by this: the reference keeps the address valid */
	/* number of the first trace with its UUID; pids repeat among traces */
	uint32_t number;
	uint32_t host; /* number of its host name, from 1; 0: it has none */
};

/* All event classes and traces of a graph. All zero except the requests: none read yet. */
struct kt_event_classes {
	const kt_alphabet *alphabet;         /* Weak; NULL: no letters requested */
	const struct kt_event_shape *shapes; /* Weak */
	size_t n_shapes;
	struct kt_event_class **items; /* Owned by this, each as well */
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
	int64_t time; /* ns since the epoch; 0 if its stream has no clock */
	uint64_t seq;
	uint32_t tid;
};

/*
 * Reads the class and the head of an event; for another provider's event only class_,
 * message and event are set. KT_E_MALFORMED if a gpu_stack event has no pid or a submission
 * no sequences, or if the alphabet's rules use a field that is missing or of a kind that
 * they cannot use. Expected O(1), except for the first event of a class.
 */
int kt_event_head_read(struct kt_event_head *out, struct kt_event_classes *classes,
		       const bt_message *message);

/*
 * Iterator over the events for which one event stands: the parts of a submission, or else
 * the event itself.
 */
struct kt_event_parts {
	struct kt_event_head whole;
	enum kt_submission_part next;
	uint64_t n;     /* number of entries of a submission */
	uint64_t entry; /* index of the next entry */
	uint64_t first; /* index of the first dword of that entry */
	bool over;
};

/* Begins with the parts of an event that kt_event_head_read() has read. */
void kt_event_parts_begin(struct kt_event_parts *out, const struct kt_event_head *head);

/* Returns the next event, with its sequence number; false after the last one. */
bool kt_event_parts_next(struct kt_event_parts *parts, struct kt_event_head *out);

/* Whether the event is a gpu_stack event. */
static inline bool kt_event_is_ours(const struct kt_event_head *head)
{
	return head->class_->provider == KT_PROVIDER_USER ||
	       head->class_->provider == KT_PROVIDER_KERNEL;
}

/* Fills in the origin of an event, except its pid. */
int kt_event_origin(struct kt_origin *out, struct kt_event_classes *classes,
		    const struct kt_event_head *head);

/*
 * Stores in the process instance what an event says about its process: name, vpid, driver
 * activity.
 */
int kt_event_note_instance(const struct kt_event_head *head, struct kt_instance *instance);

/* Frees everything and puts the references; the requests stay. */
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
		 * For an empty string, bt_field_string_get_value() of Babeltrace 2.0.4
		 * returns the value of an earlier event.
		 */
		out->text = bt_field_string_get_length(field)
				    ? bt_field_string_get_value(field)
				    : "";
	}
}

/* Returns a number in a structure, 0 if it has no such member. */
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

/* Returns a number in a payload, 0 if it has no such member. */
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
 * Returns the sequence of numbers of a member. Its elements [*first, *first + *n) belong to
 * the payload. Returns NULL if there is no such member.
 */
const bt_field *kt_payload_sequence(uint64_t *first, uint64_t *n,
				    const struct kt_member *member,
				    const struct kt_payload *payload);

/*
 * Finds a member of a structure. Returns false if it is missing or of a kind that rules
 * cannot use.
 */
bool kt_member_of(struct kt_member *out, const bt_field_class *structure, const char *name);

#endif
