/* SPDX-License-Identifier: MIT */
/*
 * Counters that `ktail record` reads: one page that all recorded processes map, sealed
 * against shrinking. A process gets the page when it joins the recording
 * (collect/admission.h); a process outside a recording has counters of its own.
 */
#ifndef KTAIL_COLLECT_COUNTERS_H
#define KTAIL_COLLECT_COUNTERS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct kt_counters {
	_Atomic uint64_t device_users;     /* processes that opened a device file */
	_Atomic uint64_t without_provider; /* processes without the LTTng provider */
	_Atomic uint64_t events;           /* events passed to LTTng */
	_Atomic uint64_t doorbells;        /* doorbell stores observed */
	_Atomic uint64_t idle_doorbells;   /* doorbells at which no known GP_PUT had
					    * moved */
	_Atomic uint64_t unknown_values;   /* doorbells with an unknown stored value */
	_Atomic uint64_t channels;         /* channels whose GP_PUT could be read */
	_Atomic uint64_t lagging;          /* channels whose GP_PUT moved after their last
					    * doorbell */
	_Atomic uint64_t entries;          /* ring entries reported */
	_Atomic uint64_t unread;           /* of `entries`: not read, or only in part */
	_Atomic uint64_t words;      /* dwords reported from the segments of `entries` */
	_Atomic uint64_t bus_reads;  /* the recorder's loads from device memory */
	_Atomic uint64_t put_stores; /* observed stores that changed a GP_PUT */
	_Atomic uint64_t doorbells_stored;   /* doorbells whose moved GP_PUTs were all known
					      * from stores */
	_Atomic uint64_t puts_stored;        /* GP_PUTs taken from, or equal to, a store */
	_Atomic uint64_t puts_read;          /* GP_PUTs without an observed store */
	_Atomic uint64_t puts_wrong;         /* GP_PUTs unequal to the observed store */
	_Atomic uint64_t entries_stored;     /* entries taken from, or equal to, stores */
	_Atomic uint64_t entries_read;       /* entries without observed stores */
	_Atomic uint64_t entries_wrong;      /* entries unequal to the observed stores */
	_Atomic uint64_t faults;             /* page faults taken to observe accesses */
	_Atomic uint64_t emulated;           /* accesses made through a second mapping */
	_Atomic uint64_t windows;            /* times that a window of pages was opened */
	_Atomic uint64_t stepped;            /* instructions single-stepped */
	_Atomic uint64_t held;               /* openings of mappings for system calls */
	_Atomic uint64_t unwatched;          /* mappings whose accesses are not observed */
	_Atomic uint64_t limit_reached;      /* processes that reached --access-limit */
	_Atomic uint64_t doorbells_watched;  /* doorbells guarded by a watchpoint */
	_Atomic uint64_t doorbells_by_page;  /* doorbells guarded by closing their page */
	_Atomic uint64_t doorbells_open;     /* doorbells without a guard */
	_Atomic uint64_t patches;            /* stores replaced by a jump */
	_Atomic uint64_t patches_refused;    /* stores that could not be replaced */
	_Atomic uint64_t patches_taken_out;  /* of all patches: original code restored */
	_Atomic uint64_t access_patches;     /* other loads and stores replaced */
	_Atomic uint64_t access_patches_refused;
	_Atomic uint64_t patched_accesses;   /* made by them, or by `patches` elsewhere */
	_Atomic uint64_t faulted_doorbells;  /* of `doorbells`: seen by page faults */
	_Atomic uint64_t patched_doorbells;  /* of `doorbells`: made by patched stores */
	_Atomic uint64_t patch_traps;        /* traps of threads that jumped into a patch */
	_Atomic uint64_t watchpoint_error;   /* errno of the last refused watchpoint */
	_Atomic uint64_t missed;             /* accesses and doorbells not recorded */
	_Atomic uint64_t unreadable;         /* requests whose struct has no known layout */
	_Atomic uint64_t watchpoint_refused; /* doorbells for which a watchpoint failed */
	_Atomic uint64_t begun;              /* process instances started */
	_Atomic uint64_t ended;              /* process instances that ended */
	_Atomic uint64_t unsent;             /* events not passed to LTTng */
	_Atomic uint64_t gaps;               /* unbroken sequences of lost events */
	_Atomic uint64_t gave_up;            /* times that a process was blocked too long */
	_Atomic uint64_t held_ns;     /* ns for which LTTng blocked processes, in total */
	_Atomic uint64_t api_wrapped; /* API functions wrapped */
	_Atomic uint64_t api_past;    /* bypassed API functions and tables of functions */
	_Atomic uint64_t api_tables;  /* of `api_past`: tables without function names */
	_Atomic uint64_t api_unseen;  /* exported functions never looked up */
	_Atomic uint64_t api_calls;   /* traced calls of wrapped functions */
	_Atomic uint64_t api_counted; /* calls counted and not traced; if wrapped, counted
				       * here at the end of the process */
	_Atomic uint64_t filtered;    /* processes whose recording a filter ended */
	_Atomic uint64_t setup_failures; /* memory, pages or libraries not available */
	_Atomic uint64_t cupti_loaded;   /* processes that loaded libktail-cupti.so */
	_Atomic uint64_t cupti_on;       /* of `cupti_loaded`: CUPTI reports calls */
	_Atomic uint64_t cupti_missing;  /* of `cupti_loaded`: found no libcupti */
	_Atomic uint64_t cupti_held;     /* of `cupti_loaded`: another tool subscribed */
	_Atomic uint64_t cupti_refused;  /* of `cupti_loaded`: CUPTI refused */
	_Atomic uint64_t cupti_error;    /* CUPTI's code for the last refusal */
	_Atomic uint64_t cupti_calls;    /* API calls reported by CUPTI */
	_Atomic uint64_t cupti_missed;   /* API calls nested too deeply to be recorded */
	/* Of all threads, with --overhead (collect/preload/overhead/visits.h): */
	_Atomic uint64_t overhead_inside_ns; /* time in the recorder */
	_Atomic uint64_t overhead_rest_ns;   /* other time of the same threads */
	_Atomic uint64_t overhead_worst;     /* of one window of a thread, in 1/1000 */
	_Atomic uint64_t given_mappings;     /* mappings whose accesses were given up */
	_Atomic uint64_t given_accesses;     /* processes that gave up all accesses */
	_Atomic uint64_t given_commands;     /* processes that gave up commands */
	_Atomic uint64_t given_all; /* processes above the limit with nothing to give up */
	_Atomic uint64_t wrong_variables; /* unknown values of KTAIL_RECORD_* variables */
	_Atomic uint64_t not_joined;     /* processes that could not join */
	_Atomic uint64_t shut_out_user;  /* uid of the last process denied the run folder */
	/*
	 * For the first of `patches_refused`: the reason, and the first bytes of code.
	 * Readers must not rely on a terminating NUL, because any process of the recording
	 * can write here.
	 */
	char refused_why[96];
	uint8_t refused_code[16];
	/* the first of `wrong_variables`: "NAME=VALUE"; not to be relied on either */
	char wrong_variable[160];
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
 * Maps the shared page; the caller keeps the descriptor. Returns false, and the process
 * keeps its own counters, if the memory cannot be mapped, is too small, or is not sealed
 * against shrinking.
 */
bool kt_counters_map(int fd);

#endif
