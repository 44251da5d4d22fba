/* SPDX-License-Identifier: MIT */
/* Environment variables by which ktail record configures the recorder in programs. */
#ifndef KTAIL_COLLECT_ENVIRONMENT_H
#define KTAIL_COLLECT_ENVIRONMENT_H

#define KT_ACCESS_VARIABLE       "KTAIL_RECORD_ACCESS" /* off, coalesced (default), exact */
#define KT_ACCESS_LIMIT_VARIABLE "KTAIL_RECORD_ACCESS_LIMIT" /* 0: no limit */
#define KT_PIN_VARIABLE          "KTAIL_RECORD_PIN"          /* 1: on */
/* off, auto (default), watchpoint, patch, protect */
#define KT_DOORBELL_VARIABLE "KTAIL_RECORD_DOORBELL"
/* What submission events contain: off (no such events), words (default). */
#define KT_SUBMISSIONS_VARIABLE "KTAIL_RECORD_SUBMISSIONS"
/* Source of ring entries and GP_PUTs: bus (default), stores, check. */
#define KT_RINGS_VARIABLE "KTAIL_RECORD_RINGS"
/* Calls of the CUDA API: none (default), wrap, cupti. */
#define KT_API_VARIABLE "KTAIL_RECORD_API"
/* Largest number of dwords in one event: an event must fit into a sub-buffer. */
#define KT_PART_VARIABLE "KTAIL_RECORD_PART_WORDS"
/* How long LTTng may block a process: milliseconds, or "forever". */
#define KT_HOLD_VARIABLE "KTAIL_RECORD_HOLD_MS"

/* Default limit of the accesses that `exact` reports one by one, per process. */
#define KT_ACCESS_LIMIT 1000000u

#endif
