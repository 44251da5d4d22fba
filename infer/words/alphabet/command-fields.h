/* SPDX-License-Identifier: MIT */
/*
 * Events and fields of the alphabets `submission`, `methods` and `roles`, whose letters are
 * made by code.
 */
#ifndef KTAIL_WORDS_COMMAND_FIELDS_H
#define KTAIL_WORDS_COMMAND_FIELDS_H

#include "infer/words/alphabet/alphabet.h"

enum kt_command_event_kind {
	KT_COMMAND_DOORBELL = 0,
	KT_COMMAND_ENTRY, /* gpfifo_entry */
	KT_COMMAND_WORDS, /* pushbuffer */
	KT_COMMAND_OBJECT,
	KT_COMMAND_MAP,
	KT_COMMAND_ACCESS,
	KT_COMMAND_EVENT_KINDS,
	/* Only `roles` uses these. */
	KT_COMMAND_UNMAP = KT_COMMAND_EVENT_KINDS,
	KT_COMMAND_IOCTL,
	KT_COMMAND_ROLE_EVENT_KINDS,
};

/*
 * Slots of the fields of each event, counted from kt_event_rules.kept. Only `roles` has
 * KT_ENTRY_ADDRESS, KT_MAP_SPACE, KT_MAP_CLASS and KT_ACCESS_ROLE.
 */
enum { KT_DOORBELL_KNOWN, KT_DOORBELL_VALUE, KT_DOORBELL_MOVED, KT_DOORBELL_CHANNEL };
enum {
	KT_ENTRY_CLIENT,
	KT_ENTRY_CHANNEL,
	KT_ENTRY_CLASS,
	KT_ENTRY_INDEX,
	KT_ENTRY_WORDS,
	KT_ENTRY_STATE,
	KT_ENTRY_UNREAD,
	KT_ENTRY_ADDRESS,
};
enum { KT_WORDS_CLIENT, KT_WORDS_CHANNEL, KT_WORDS_INDEX, KT_WORDS_OFFSET };
enum {
	KT_OBJECT_ACTION,
	KT_OBJECT_CLIENT,
	KT_OBJECT_PARENT,
	KT_OBJECT_OBJECT,
	KT_OBJECT_CLASS,
};
enum {
	KT_MAP_MAPPING,
	KT_MAP_ERROR,
	KT_MAP_ADDRESS,
	KT_MAP_LENGTH,
	KT_MAP_SPACE,
	KT_MAP_CLASS,
};
enum { KT_ACCESS_OP, KT_ACCESS_MAPPING, KT_ACCESS_OFFSET, KT_ACCESS_ROLE };
enum { KT_UNMAP_MAPPING, KT_UNMAP_LENGTH };

/* A field that may be missing from an event. Its value is then "". */
#define KT_OPTIONAL_FIELD "role"

#endif
