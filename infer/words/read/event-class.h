/* SPDX-License-Identifier: MIT */
/*
 * How all readers of traces read an event: what its class holds, looked up once, when its
 * first event comes; the head that every event of ours has; what it says of its process;
 * its fields, where they are asked for. Not for users of events.h and trace.h.
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
	KT_PROVIDER_FOREIGN = 0, /* not ours */
	KT_PROVIDER_USER,        /* gpu_stack:* */
	KT_PROVIDER_KERNEL,      /* gpu_stack_* */
	KT_PROVIDER_PROCNAME,    /* lttng_ust_statedump:procname: names a process */
};

/* Whose an event is, by the name of its class; *event is the name after the provider. */
enum kt_provider kt_provider_of(const char *name, const char **event);

#define KT_NO_FIELD UINT64_MAX

struct kt_member {
	uint64_t index; /* in its structure; KT_NO_FIELD: there is none */
	enum kt_value_kind kind;
	bool is_bool; /* a number that Babeltrace wants to be asked for differently */
};

/* A field of an event's shape. */
struct kt_bound_field {
	struct kt_member member; /* of a sequence only its index is of use */
	enum kt_field_type type;
	size_t offset;
	size_t size; /* of the member that keeps it */
};

struct kt_event_class {
	const bt_event_class *class_; /* Owned by this: a reference */
	enum kt_provider provider;
	const char *event_name; /* Weak: after the provider's */
	enum kt_event_kind event;
	const struct kt_event_rules *rules; /* Weak; NULL: no letters */
	struct kt_member pid;
	struct kt_member tid;
	struct kt_member seq;
	struct kt_member name;     /* of process_begin, and of calls of the API */
	struct kt_member procname; /* in the common context, or of the statedump's event */
	struct kt_member vpid; /* in the common context, or of a kernel's process_begin */
	struct kt_member slots[KT_ALPHABET_MAX_FIELDS];
	bool acts;              /* of the driver */
	bool call;              /* api_enter or api_exit, with all that it needs */
	struct kt_member words; /* of pushbuffer: a sequence of numbers */
	bool has_clock;
	size_t trace; /* a guess at which trace its events are of: that of the last one */
	size_t shape; /* its place among those that are wanted, or their number */
	struct kt_bound_field *fields; /* Owned by this: of the shape */
	size_t n_fields;
	size_t fields_size; /* of the shape's struct, up to its last field */
};

/* A trace, or a part of one: those of a session that was rotated share a UUID. */
struct kt_known_trace {
	const bt_trace *trace; /* Owned by this: a reference keeps its address */
	uint32_t number; /* that of the first one with its UUID; pids repeat among them */
	uint32_t host;   /* from 1, by name; 0: it has none */
};

/* All classes and traces of a graph. All zero but for what is wanted: none yet. */
struct kt_event_classes {
	const kt_alphabet *alphabet;         /* Weak; NULL: no letters are wanted */
	const struct kt_event_shape *shapes; /* Weak */
	size_t n_shapes;
	struct kt_event_class **items; /* Owned by this, each as well */
	size_t n;
	size_t capacity;
	struct kt_event_class *last; /* Weak: of the event before; NULL: none */
	struct kt_hash_index by_address;
	struct kt_known_trace *traces; /* Owned by this */
	size_t n_traces;
	size_t traces_capacity;
};

/* What every event of ours says. */
struct kt_event_head {
	struct kt_event_class *class_; /* Weak */
	const bt_message *message;     /* Weak */
	const bt_event *event;         /* Weak */
	const bt_field *payload;       /* Weak */
	struct kt_origin origin;
	int64_t time; /* ns since the epoch; 0 where its stream has no clock */
	uint64_t seq;
	uint32_t tid;
};

/*
 * The class of an event and its head; of others' events only class_, message and event are
 * set. KT_E_MALFORMED if an event of ours lacks pid, or the alphabet's rules look at a
 * field that is not there or of a kind they cannot compare. Expected O(1) but for the first
 * event of a class.
 */
int kt_event_head_read(struct kt_event_head *out, struct kt_event_classes *classes,
		       const bt_message *message);

/* Whether it is an event of ours. */
static inline bool kt_event_is_ours(const struct kt_event_head *head)
{
	return head->class_->provider == KT_PROVIDER_USER ||
	       head->class_->provider == KT_PROVIDER_KERNEL;
}

/* Fills in where an event comes from, but for its pid. */
int kt_event_origin(struct kt_origin *out, struct kt_event_classes *classes,
		    const struct kt_event_head *head);

/* Notes in the life of an event of ours what that says of its process: name, vpid, acts. */
int kt_event_note_instance(const struct kt_event_head *head, struct kt_instance *instance);

/* Frees all, and the references; what is wanted stays. */
void kt_event_classes_clear(struct kt_event_classes *classes);

/* The value of a member of a structure field. */
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
		/* Of an empty one Babeltrace 2.0.4 gives what an earlier event had there.
		 */
		out->text = bt_field_string_get_length(field)
				    ? bt_field_string_get_value(field)
				    : "";
	}
}

/* A number of a structure; 0 where it has no such member. */
static inline uint64_t kt_member_number(const struct kt_member *member,
					const bt_field *structure)
{
	struct kt_value v = {.number = 0};

	if (member->index != KT_NO_FIELD) {
		kt_member_get(member, structure, &v);
	}
	return v.number;
}

/* Whether a field class is one that rules can look at. */
bool kt_member_of(struct kt_member *out, const bt_field_class *structure, const char *name);

#endif
