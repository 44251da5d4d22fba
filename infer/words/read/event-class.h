/* SPDX-License-Identifier: MIT */
/* What is known of an event class once its first event was seen. */
#ifndef KTAIL_WORDS_EVENT_CLASS_H
#define KTAIL_WORDS_EVENT_CLASS_H

#include "infer/words/read/event-reader.h"
#include "infer/words/read/known-traces.h"

#define KT_NO_FIELD UINT64_MAX

struct kt_member {
	uint64_t index; /* in its structure; KT_NO_FIELD: there is none */
	enum kt_value_kind kind;
	bool is_bool; /* a number that Babeltrace wants to be asked for differently */
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
	bool acts;                    /* of the driver: kt_is_of_driver() */
	bool call;                    /* api_enter or api_exit, with all that it needs */
	bool enter;                   /* api_enter */
	struct kt_member correlation; /* of these */
	struct kt_member words;       /* of pushbuffer: a sequence of numbers */
	bool has_clock;
	size_t trace; /* a guess at which trace its events are of: that of the last one */
};

/*
 * Looks an event class up; `alphabet` is NULL where no letters are wanted. KT_E_MALFORMED
 * if an event of ours lacks pid, or the rules look at a field that is not there or of a
 * kind they cannot compare.
 */
int kt_event_class_bind(struct kt_event_class *out, const bt_event_class *class_,
			const kt_alphabet *alphabet);

/* Gives the reference back. */
void kt_event_class_release(struct kt_event_class *class_);

/* Fills in where an event of that class comes from, but for its pid. */
int kt_event_class_origin(struct kt_event_class *class_, struct kt_known_traces *traces,
			  const bt_event *event, struct kt_origin *out);

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

/* When an event was, ns since the epoch; 0 where its stream has no clock. */
static inline int64_t kt_event_time(bool has_clock, const bt_message *message)
{
	const bt_clock_snapshot *clock;
	int64_t ns = 0;

	if (!has_clock) {
		return 0;
	}
	clock = bt_message_event_borrow_default_clock_snapshot_const(message);
	if (bt_clock_snapshot_get_ns_from_origin(clock, &ns) !=
	    BT_CLOCK_SNAPSHOT_GET_NS_FROM_ORIGIN_STATUS_OK) {
		bt_current_thread_clear_error();
	}
	return ns;
}

/*
 * Whether an event of ours tells what a process did to the driver, by its name after the
 * provider's: not of its life, nor of its calls of the API.
 */
bool kt_is_of_driver(const char *event);

/* Whether a member of a structure is a sequence of unsigned numbers; of at most 32 bits. */
bool kt_is_numbers(const bt_field_class *structure, uint64_t index);
bool kt_is_words(const bt_field_class *structure, uint64_t index);

/* Whether a field class is one that rules can look at. */
bool kt_member_of(struct kt_member *out, const bt_field_class *structure, const char *name);

#endif
