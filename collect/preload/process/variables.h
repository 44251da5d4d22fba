/* SPDX-License-Identifier: MIT */
/*
 * Reads the environment variables of collect/environment.h. The program cannot be stopped
 * because of a wrong value: it is counted, and the default is used. "" is an unset
 * variable. For the start of a process, when it has one thread.
 */
#ifndef KTAIL_COLLECT_VARIABLES_H
#define KTAIL_COLLECT_VARIABLES_H

#include <stdint.h>

/* Returns the value; NULL if the variable is unset or empty. */
const char *kt_variable(const char *variable);

/* Returns the index of the value in names[0..n), or `usual`. */
unsigned kt_variable_choose(const char *variable, const char *const *names, unsigned n,
			    unsigned usual);

/* Returns the value if it is a decimal number from lo to hi, or `usual`. */
uint64_t kt_variable_number(const char *variable, uint64_t lo, uint64_t hi, uint64_t usual);

/* Counts a wrong value; kt_counters keeps the first one. */
void kt_variable_refuse(const char *variable, const char *value);

#endif
