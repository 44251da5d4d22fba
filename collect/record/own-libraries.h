/* SPDX-License-Identifier: MIT */
/* The libraries that belong to this program, and how others are made to load them. */
#ifndef KTAIL_COLLECT_OWN_LIBRARIES_H
#define KTAIL_COLLECT_OWN_LIBRARIES_H

#include <limits.h>

/*
 * Finds `name` (a file or a folder) in ../lib of this program, built or installed, or
 * beside it. KT_E_IO, with a message that says to `what` end: it is nowhere, or its path is
 * one that the loader would take apart.
 */
int kt_own_library_find(char path[static PATH_MAX], const char *name, const char *what);

/*
 * Puts `path` in front of what a variable holds that is a list with colons: LD_PRELOAD,
 * LD_LIBRARY_PATH. Where it is in front already, nothing is done.
 */
void kt_own_library_put_first(const char *variable, const char *path);

/*
 * Running a command on the software GPU (corpus/softgpu/README.md): where it lies, and what
 * the command's environment needs. Shared by ktail record and ktail softgpu.
 *
 * The folder ktail-softgpu lies beside our libraries. In it, libktail-softgpu.so plays the
 * kernel's driver and the device and is preloaded; libcuda.so.1 is the user-mode driver,
 * which programs find by LD_LIBRARY_PATH.
 */

/* What the user-mode driver reads. */
#define KT_SOFTGPU_DRIVER_VARIABLE   "KTAIL_SOFTGPU_DRIVER"   /* 1, or 2 (default) */
#define KT_SOFTGPU_TRANSFER_VARIABLE "KTAIL_SOFTGPU_TRANSFER" /* dma (default), ... */

struct kt_softgpu {
	const char *driver;   /* Weak; NULL: as the environment says, else 2 */
	const char *transfer; /* Weak; NULL: as the environment says, else dma */
	char folder[PATH_MAX];
	char kmd[PATH_MAX]; /* libktail-softgpu.so */
};

/* What the two may be: for KT_CHOICE() in an option table. */
#define KT_SOFTGPU_DRIVERS   "1", "2"
#define KT_SOFTGPU_TRANSFERS "dma", "mapped", "window", "chunk1", "chunk4"

/*
 * Finds the folder and looks whether both libraries are in it; KT_E_IO. Then takes what was
 * not set from the environment; KT_E_USAGE where that is no such value. So `driver` and
 * `transfer` are what the command will have.
 */
int kt_softgpu_find(struct kt_softgpu *softgpu);

/*
 * Changes the environment of this process: for the child that becomes the command. A
 * recorder that is to be preloaded too must be put in front afterwards.
 */
void kt_softgpu_set_environment(const struct kt_softgpu *softgpu);

/* Leaves softgpu.json in the folder of a trace: it is not of hardware. KT_E_IO. */
int kt_softgpu_mark(const struct kt_softgpu *softgpu, const char *folder);

#endif
