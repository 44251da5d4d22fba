/* SPDX-License-Identifier: MIT */
/*
 * Protocol by which a process joins the recording that started it. The process connects to
 * a socket in the recording's run folder and sends the key from its environment; only
 * processes of the same user can read that environment (/proc/PID/environ). The supervisor
 * makes LTTng record the process and answers with a file descriptor of the recording's
 * counters. The process initializes LTTng only after the answer, so no event is lost. A
 * process that does not send the key is refused: LTTng does not record its events.
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
	uint32_t want_counters; /* 1: send the descriptor; 0: a forked child has it
				 * already */
};

/*
 * Answer to an admitted process, with the descriptor of the counters (SCM_RIGHTS) if it was
 * requested. A refused process gets no answer: its connection is closed.
 */
struct kt_admission_answer {
	uint32_t admitted;
};

#endif
