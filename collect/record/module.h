/* SPDX-License-Identifier: MIT */
/* A module of the kernel: loaded by modprobe(8), and removed in a time that has an end. */
#ifndef KTAIL_COLLECT_MODULE_H
#define KTAIL_COLLECT_MODULE_H

#include <stdbool.h>

/* By the name that the kernel writes, with _ for -; so all here but kt_module_load(). */
bool kt_module_is_loaded(const char *module);

/* argv[]: "modprobe", the module, parameters, NULL. KT_E_IO with a message that says why
 * not. */
int kt_module_load(char *const argv[]);

#define KT_MODULE_GOING (-1) /* its removal has begun, and waits for somebody */

/* 0 (also if it is not there), errno (EAGAIN: it is in use) or KT_MODULE_GOING. */
int kt_module_remove(const char *module);

#define KT_MODULE_WHY 200

/* What kt_module_remove() has given, in words. */
void kt_module_say_why(char why[static KT_MODULE_WHY], const char *module, int error);

#endif
