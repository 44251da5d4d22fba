/* SPDX-License-Identifier: MIT */
/* dlsym and kin, where the CUDA API's functions are asked for by name. */
#ifndef KTAIL_COLLECT_INTERPOSE_DLSYM_H
#define KTAIL_COLLECT_INTERPOSE_DLSYM_H

/*
 * At start, once kt_api_mode is known: looks for what was loaded with the program, if API
 * calls are to be wrapped.
 */
void kt_dlsym_init(void);

/* Looks for what was loaded since, if they are. Not with the recorder's lock. */
void kt_dlsym_look(void);

#endif
