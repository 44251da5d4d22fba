/* SPDX-License-Identifier: MIT */
/*
 * Protocol by which a process joins the recording that started it. The process connects to
 * a socket in the run folder and sends the key from its environment, which only processes
 * of the same user can read (/proc/PID/environ). The supervisor makes LTTng record the
 * process and sends the descriptor of the counters. This happens before LTTng is
 * initialized in the process, so no event is lost. A process without the key is refused,
 * and LTTng ignores its events.
 */
#ifndef KTAIL_COLLECT_ADMISSION_H
#define KTAIL_COLLECT_ADMISSION_H

#include <stdint.h>

#define KT_ADMISSION_VARIABLE "KTAIL_RECORD_SOCKET" /* path of the socket */
#define KT_KEY_VARIABLE       "KTAIL_RECORD_KEY"
#define KT_KEY_SIZE           32 /* hexadecimal digits */

/* The connection is SOCK_SEQPACKET, with one packet in each direction. */
struct kt_admission_request {
	char key[KT_KEY_SIZE];
	uint32_t want_counters; /* 1: send their descriptor; 0: it was inherited by fork */
};

/*
 * Carries the descriptor (SCM_RIGHTS) if it was requested. A refused process gets no
 * answer: the socket is closed.
 */
struct kt_admission_answer {
	uint32_t admitted;
};

#endif
