/* SPDX-License-Identifier: MIT */
/* What ktail record says to the recorder in its programs by the environment. */
#ifndef KTAIL_COLLECT_ENVIRONMENT_H
#define KTAIL_COLLECT_ENVIRONMENT_H

#define KT_ACCESS_VARIABLE       "KTAIL_RECORD_ACCESS" /* off, coalesced (default), exact */
#define KT_ACCESS_LIMIT_VARIABLE "KTAIL_RECORD_ACCESS_LIMIT" /* 0: none */
#define KT_PIN_VARIABLE          "KTAIL_RECORD_PIN"          /* 1: on */
/* off, auto (default), watchpoint, patch, protect */
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

#endif
