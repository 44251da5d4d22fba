/* SPDX-License-Identifier: MIT */
/* The life of the recorder within a process. */
#ifndef KTAIL_COLLECT_PRELOAD_H
#define KTAIL_COLLECT_PRELOAD_H

#include <stdbool.h>

/* What the library reads from its environment. */
#define KT_ACCESS_VARIABLE       "KTAIL_RECORD_ACCESS" /* off, coalesced (default), exact */
#define KT_ACCESS_LIMIT_VARIABLE "KTAIL_RECORD_ACCESS_LIMIT" /* 0: none */
#define KT_PIN_VARIABLE          "KTAIL_RECORD_PIN"          /* 1: on */
/* off, auto (default), watchpoint, protect */
#define KT_DOORBELL_VARIABLE "KTAIL_RECORD_DOORBELL"
/* What doorbells submit: off, words (default) */
#define KT_SUBMISSIONS_VARIABLE "KTAIL_RECORD_SUBMISSIONS"
/* Where rings and GP_PUTs are taken from: bus (default), stores, check */
#define KT_RINGS_VARIABLE "KTAIL_RECORD_RINGS"
/* Calls of the CUDA API: none (default), wrap, cupti */
#define KT_API_VARIABLE "KTAIL_RECORD_API"
/* Words in one event at most: an event has to fit into a sub-buffer */
#define KT_PART_VARIABLE "KTAIL_RECORD_PART_WORDS"
/* How long LTTng may hold a process: milliseconds, or forever */
#define KT_HOLD_VARIABLE "KTAIL_RECORD_HOLD_MS"

/* Accesses that `exact` reports one by one, if nothing else is said. */
#define KT_ACCESS_LIMIT 1000000u

/* Finds LTTng's functions for forks and threads; after the provider is loaded. */
void kt_process_init(void);

/* The first device file was opened: from now on, this is a process that uses the GPU. */
void kt_preload_device_used(void);

/*
 * Whether this is the process that the tables describe. Not so in the child of a vfork,
 * which runs in its parent's memory until it execs: nothing it does may be noted there.
 */
bool kt_preload_is_own_process(void);

/* The process is about to end ("exit") or to become another program ("exec"). */
void kt_preload_end(const char *reason);

/*
 * Nothing of ours goes on in this process: its word ends ("filter"), and all that was
 * watched is as the program has made it.
 */
void kt_preload_stop(void);

/* exec has failed after all: the process goes on. */
void kt_preload_go_on(void);

/* In a forked child, after LTTng has been told. */
void kt_preload_child(void);

#endif
