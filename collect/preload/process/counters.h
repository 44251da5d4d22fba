/* SPDX-License-Identifier: MIT */
/*
 * What `ktail record` learns from the processes it records: one page of counters that all
 * of them map, sealed against shrinking. A process gets it when it joins the recording
 * (collect/admission.h); one that belongs to none counts for itself.
 */
#ifndef KTAIL_COLLECT_COUNTERS_H
#define KTAIL_COLLECT_COUNTERS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct kt_counters {
	_Atomic uint64_t device_users;     /* of these, opened a device file */
	_Atomic uint64_t without_provider; /* could not load the LTTng provider */
	_Atomic uint64_t events;           /* handed to LTTng */
	_Atomic uint64_t doorbells;        /* stores seen */
	_Atomic uint64_t idle_doorbells; /* of these, no known channel's GP_PUT had moved */
	_Atomic uint64_t unknown_values; /* of these, the stored value stayed unknown */
	_Atomic uint64_t channels;       /* whose GP_PUT could be read */
	_Atomic uint64_t lagging;   /* of these, GP_PUT moved after their last doorbell */
	_Atomic uint64_t entries;   /* of rings, that doorbells have submitted */
	_Atomic uint64_t unread;    /* of these, some or all of what they hold is missing */
	_Atomic uint64_t words;     /* of their segments */
	_Atomic uint64_t bus_reads; /* loads by the recorder from memory of the device */
	_Atomic uint64_t put_stores;       /* seen to move a GP_PUT on */
	_Atomic uint64_t doorbells_stored; /* doorbells whose GP_PUTs are what was stored */
	_Atomic uint64_t puts_stored;      /* looks at GP_PUT: it is what was stored */
	_Atomic uint64_t puts_read;        /* of which no store was seen */
	_Atomic uint64_t puts_wrong;       /* something else was stored, it seems */
	_Atomic uint64_t entries_stored;   /* the same of ring entries */
	_Atomic uint64_t entries_read;
	_Atomic uint64_t entries_wrong;
	_Atomic uint64_t faults;            /* page faults taken to see accesses */
	_Atomic uint64_t emulated;          /* accesses done through a second mapping */
	_Atomic uint64_t windows;           /* opened for long runs */
	_Atomic uint64_t stepped;           /* instructions run with their page open */
	_Atomic uint64_t held;              /* openings for system calls */
	_Atomic uint64_t unwatched;         /* mappings whose accesses are not seen */
	_Atomic uint64_t limit_reached;     /* processes that reached --access-limit */
	_Atomic uint64_t doorbells_watched; /* doorbells guarded by a watchpoint */
	_Atomic uint64_t doorbells_by_page; /* doorbells guarded by closing their page */
	_Atomic uint64_t doorbells_open;    /* doorbells that nothing guards */
	_Atomic uint64_t patches;           /* stores that were replaced by a jump */
	_Atomic uint64_t patches_refused;   /* stores that could not be */
	_Atomic uint64_t patches_taken_out; /* of `patches`: their code is as it was */
	_Atomic uint64_t patched_doorbells; /* of `doorbells`, seen by a patched store */
	_Atomic uint64_t patch_traps;       /* threads that came to the middle of a jump */
	_Atomic uint64_t watchpoint_error;  /* errno of the last that was refused */
	_Atomic uint64_t missed;     /* accesses let through without being recorded */
	_Atomic uint64_t unreadable; /* requests whose struct has no known layout */
	_Atomic uint64_t watchpoint_refused; /* perf_event_open said no */
	_Atomic uint64_t begun;   /* words begun: a process, or a program that it became */
	_Atomic uint64_t ended;   /* of these, came to their end */
	_Atomic uint64_t unsent;  /* events that were not handed to LTTng */
	_Atomic uint64_t gaps;    /* runs of events that were not sent, or not recorded */
	_Atomic uint64_t gave_up; /* times that a process was held for too long */
	_Atomic uint64_t held_ns; /* time that LTTng held processes */
	_Atomic uint64_t api_wrapped; /* functions of the CUDA API that were wrapped */
	_Atomic uint64_t api_past;    /* that the program got hold of unwrapped */
	_Atomic uint64_t api_tables;  /* of these, tables of functions without names */
	_Atomic uint64_t api_unseen;  /* exported, and nobody asked for them */
	_Atomic uint64_t api_calls;   /* of those that were wrapped */
	_Atomic uint64_t filtered;    /* processes whose filter of system calls ended it */
	_Atomic uint64_t setup_failures; /* memory, pages or libraries not had */
	_Atomic uint64_t cupti_loaded; /* processes whose driver loaded libktail-cupti.so */
	_Atomic uint64_t cupti_on;     /* of these, CUPTI tells of their calls */
	_Atomic uint64_t cupti_missing; /* of these, found no libcupti */
	_Atomic uint64_t cupti_held;    /* of these, another tool has the subscription */
	_Atomic uint64_t cupti_refused; /* of these, CUPTI refused */
	_Atomic uint64_t cupti_error;   /* CUPTI's code for the last of these */
	_Atomic uint64_t cupti_calls;   /* of the API, that CUPTI told of */
	_Atomic uint64_t cupti_missed;  /* calls too deep within others to be recorded */
	_Atomic uint64_t not_joined;    /* processes that are not recorded for that */
	_Atomic uint64_t
		shut_out_user; /* the last of them that may not enter the run folder */
	/* After the numbers: of the first of `patches_refused`. Whoever prints the text
	 * bounds it: any process of the recording can write here. */
	char refused_why[96];
	uint8_t refused_code[16];
};

extern struct kt_counters *kt_counters; /* never NULL */

static inline void kt_count_many(_Atomic uint64_t *counter, uint64_t n)
{
	atomic_fetch_add_explicit(counter, n, memory_order_relaxed);
}

static inline void kt_count(_Atomic uint64_t *counter)
{
	atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);
}

/*
 * Maps the shared page. false, and the process counts for itself, where that fails, the
 * memory is not sealed, or it is too small. The descriptor stays the caller's.
 */
bool kt_counters_map(int fd);

#endif
