/* SPDX-License-Identifier: MIT */
/* Environment variables by which ktail record configures the recorder in programs. */
#ifndef KTAIL_COLLECT_ENVIRONMENT_H
#define KTAIL_COLLECT_ENVIRONMENT_H

/* How accesses are reported: off, coalesced (default), exact. */
#define KT_ACCESS_VARIABLE "KTAIL_RECORD_ACCESS"
/* Number of accesses of a process that `exact` reports one by one; 0: no limit. */
#define KT_ACCESS_LIMIT_VARIABLE "KTAIL_RECORD_ACCESS_LIMIT"
/* 1: accesses to registered user memory are reported too. */
#define KT_PIN_VARIABLE "KTAIL_RECORD_PIN"
/* How doorbells are observed: off, auto (default), watchpoint, patch, protect. */
#define KT_DOORBELL_VARIABLE "KTAIL_RECORD_DOORBELL"
/* Submission events: off (none), words (default: with the dwords of commands). */
#define KT_SUBMISSIONS_VARIABLE "KTAIL_RECORD_SUBMISSIONS"
/* Source of ring entries and GP_PUTs: bus (default), stores, check. */
#define KT_RINGS_VARIABLE "KTAIL_RECORD_RINGS"
/* Calls of CUDA and other APIs: none (default), wrap, cupti. */
#define KT_API_VARIABLE "KTAIL_RECORD_API"
/* Limit of the recorder's overhead, in percent; unset: no limit. */
#define KT_OVERHEAD_VARIABLE "KTAIL_RECORD_OVERHEAD"
/*
 * Which API calls are traced: work (default: all but queries, see
 * decode/tables/api.tsv), all, or names of functions, separated by commas. The others are
 * counted.
 */
#define KT_API_CALLS_VARIABLE "KTAIL_RECORD_API_CALLS"
/* Largest number of dwords in one event: an event must fit into a sub-buffer. */
#define KT_PART_VARIABLE "KTAIL_RECORD_PART_WORDS"
/* How long in total LTTng may block a process: milliseconds, or "forever". */
#define KT_HOLD_VARIABLE "KTAIL_RECORD_HOLD_MS"

/*
 * Faults of a load or store after which KT_DOORBELL_VARIABLE=patch patches it, from 1 on.
 * Only tests set it: it has no option.
 */
#define KT_HOT_VARIABLE "KTAIL_RECORD_HOT_FAULTS"

/* Bytes of the value of KT_API_CALLS_VARIABLE, with its NUL: readers show it in one line.
 */
#define KT_API_CALLS_TEXT 500

/* Default of KT_ACCESS_LIMIT_VARIABLE. */
#define KT_ACCESS_LIMIT 1000000u

#endif
