/* SPDX-License-Identifier: MIT */
#include "infer/words/commands/role-letters.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ktail/status.h>

#include "base/array.h"
#include "base/try.h"

/* Names of roles in letters, which docs/glossary.md explains. */
static const char *const names[KT_ACCESS_USES] = {
	[KT_ACCESS_UNKNOWN] = "other",     [KT_ACCESS_PUSHBUFFER] = "commands",
	[KT_ACCESS_RING] = "ring",         [KT_ACCESS_SEMAPHORE] = "semaphore",
	[KT_ACCESS_NOTIFIER] = "notifier", [KT_ACCESS_STAGING] = "staging",
	[KT_ACCESS_GP_PUT] = "put",        [KT_ACCESS_GP_GET] = "get",
	[KT_ACCESS_TOKEN] = "token",       [KT_ACCESS_TIMER] = "timer",
};

/* The letter of an access by its role and whether it writes; KT_NO_LETTER: none yet. */
struct role_letters {
	uint32_t letters[KT_ACCESS_USES][2];
};

static int letter_of(struct role_letters *known, kt_letters *letters,
		     enum kt_access_role role, bool write, uint32_t *letter)
{
	uint32_t *slot = &known->letters[role][write];
	char name[32];

	if (*slot == KT_NO_LETTER) {
		snprintf(name, sizeof(name), "%c:%s", write ? 'W' : 'R', names[role]);
		KT_TRY(kt_letters_intern(letters, name, strlen(name), slot));
	}
	*letter = *slot;
	return KT_OK;
}

/* Gives the record of an access its letter. */
static int name_access(struct kt_record *record, const struct kt_command_event *event,
		       const kt_roles *roles, struct role_letters *known,
		       kt_letters *letters)
{
	const enum kt_access_role role = kt_roles_use(
		roles, 0, event->access.mapping, event->access.offset, event->access.role);
	uint32_t letter;

	KT_TRY(letter_of(known, letters, role, event->access.write, &letter));
	record->letter = letter & KT_NO_LETTER;
	record->run = event->access.write ? KT_RUN_ONCE : KT_RUN_OPEN;
	record->mapping = role;
	return KT_OK;
}

int kt_role_letters_encode(void *context, const struct kt_record *records, size_t n,
			   struct kt_record **out, size_t *n_out)
{
	struct kt_command_letters *tools = context;
	struct kt_record *encoded = malloc((n + 1) * sizeof(*encoded));
	kt_roles *roles = NULL;
	struct role_letters known;
	int code;

	if (!encoded) {
		return kt_no_memory("encode roles");
	}
	for (size_t i = 0; i < KT_ACCESS_USES; i++) {
		known.letters[i][0] = known.letters[i][1] = KT_NO_LETTER;
	}
	KT_TRY_END(kt_roles_new(&roles));
	KT_TRY_END(kt_command_letters_find_roles(tools, roles, records, n));
	kt_roles_settle(roles);
	for (size_t i = 0; i < n; i++) {
		const struct kt_command_event *event =
			records[i].detail ? &tools->of->events[records[i].detail - 1]
					  : NULL;

		encoded[i] = records[i];
		encoded[i].detail = 0;
		if (event && event->kind == KT_COMMAND_ACCESS) {
			KT_TRY_END(name_access(&encoded[i], event, roles, &known,
					       tools->letters));
		}
	}
	*out = encoded;
	*n_out = n;
end:
	kt_roles_free(roles);
	if (code) {
		free(encoded);
	}
	return code;
}

/* --- record by record --- */

struct waiting {
	struct kt_command_letters *tools; /* Weak */
	struct kt_record *records;        /* Owned by this: all records so far */
	size_t n;
	size_t capacity;
	struct kt_record *encoded; /* Owned by this; NULL before the last record */
};

static int begin(void *context, void **encoder)
{
	struct waiting *w = calloc(1, sizeof(*w));

	*encoder = w;
	if (!w) {
		return kt_no_memory("encode roles");
	}
	w->tools = context;
	return KT_OK;
}

static int take(void *encoder, const struct kt_record *record, bool after_gap,
		const struct kt_record **out, size_t *n)
{
	struct waiting *w = encoder;

	(void)after_gap; /* the sequence numbers show gaps */
	*n = 0;
	if (!record) {
		KT_TRY(kt_role_letters_encode(w->tools, w->records, w->n, &w->encoded, n));
		*out = w->encoded;
		return KT_OK;
	}
	KT_TRY(kt_array_reserve(&w->records, &w->capacity, w->n + 1));
	w->records[w->n++] = *record;
	return KT_OK;
}

static uint32_t strays(const void *encoder)
{
	(void)encoder;
	return 0;
}

static void drop(void *context, const struct kt_record *record)
{
	kt_command_events_forget(((struct kt_command_letters *)context)->forget,
				 record->detail);
}

static void end(void *encoder)
{
	struct waiting *w = encoder;

	for (size_t i = 0; i < w->n; i++) {
		drop(w->tools, &w->records[i]);
	}
	free(w->records);
	free(w->encoded);
	free(w);
}

const struct kt_encoding kt_role_encoding = {
	.all = kt_role_letters_encode,
	.begin = begin,
	.take = take,
	.strays = strays,
	.end = end,
	.drop = drop,
};
