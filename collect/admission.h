/* SPDX-License-Identifier: MIT */
/*
 * How a process joins the recording that it was started by. It connects to a socket in the
 * run folder and shows the key from its environment, which only processes of the same user
 * can read (/proc/PID/environ). The supervisor has LTTng record this process and hands over
 * the memory of the counters. This happens before LTTng is initialized in the process, so
 * no event is lost. A process without the key is refused: LTTng ignores its events.
 */
#ifndef KTAIL_COLLECT_ADMISSION_H
#define KTAIL_COLLECT_ADMISSION_H

#include <stdint.h>

#define KT_ADMISSION_VARIABLE "KTAIL_RECORD_SOCKET" /* its path */
#define KT_KEY_VARIABLE       "KTAIL_RECORD_KEY"
#define KT_KEY_SIZE           32 /* hexadecimal digits */

/* One packet of a SOCK_SEQPACKET connection each way. */
struct kt_admission_request {
	char key[KT_KEY_SIZE];
	uint32_t want_counters; /* 1: hand over their descriptor; 0: inherited by fork */
};

/* With SCM_RIGHTS if it was asked for. A refused process gets none: the socket is closed.
 */
struct kt_admission_answer {
	uint32_t admitted;
};

#endif
