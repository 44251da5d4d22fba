/* SPDX-License-Identifier: MIT */
/*
 * Finds the libraries that belong to this program, and sets the variables that make
 * programs load them.
 */
#ifndef KTAIL_COLLECT_OWN_LIBRARIES_H
#define KTAIL_COLLECT_OWN_LIBRARIES_H

#include <limits.h>
#include <stdbool.h>

/*
 * Finds `name`, a file or a folder, in the library folder of this program (../lib, in a
 * build or an installation) or next to the program. KT_E_IO if it is not found, or if its
 * path contains a character that the loader treats as a separator; `what` begins the
 * message.
 */
int kt_own_library_find(char path[static PATH_MAX], const char *name, const char *what);

/*
 * Prepends `path` to a variable that holds a colon-separated list: LD_PRELOAD,
 * LD_LIBRARY_PATH. Does nothing if `path` is the first element already.
 */
void kt_own_library_put_first(const char *variable, const char *path);

/*
 * Prepares a command to run on the software GPU (corpus/softgpu/README.md): finds the
 * libraries and sets the command's environment. Shared by ktail record and ktail softgpu.
 *
 * The folder ktail-softgpu is next to our libraries. In it, libktail-softgpu.so implements
 * the kernel driver and the device and is preloaded; libcuda.so.1 is the user-mode driver,
 * which programs find by LD_LIBRARY_PATH.
 */

/* The variables that the user-mode driver reads. */
#define KT_SOFTGPU_DRIVER_VARIABLE   "KTAIL_SOFTGPU_DRIVER"   /* 1, or 2 (default) */
#define KT_SOFTGPU_TRANSFER_VARIABLE "KTAIL_SOFTGPU_TRANSFER" /* dma (default), ... */

struct kt_softgpu {
	/* only the user-mode driver, on NVIDIA's kernel module and its device */
	bool hardware;
	const char *driver;   /* Weak; NULL: from the environment, default 2 */
	const char *transfer; /* Weak; NULL: from the environment, default dma */
	char folder[PATH_MAX];
	char kmd[PATH_MAX]; /* libktail-softgpu.so */
};

/* Values of the two variables above, for KT_CHOICE() in an option table. */
#define KT_SOFTGPU_DRIVERS   "1", "2"
#define KT_SOFTGPU_TRANSFERS "dma", "mapped", "window", "chunk1", "chunk4"

/*
 * Sets `driver` and `transfer` from the environment if they are NULL, then finds the folder
 * and the two libraries in it. KT_E_USAGE if a value is invalid; KT_E_IO if a library is
 * missing.
 */
int kt_softgpu_find(struct kt_softgpu *softgpu);

/*
 * Changes the environment of the calling process, which then executes the command. If the
 * recorder is preloaded as well, prepend it after this call.
 */
void kt_softgpu_set_environment(const struct kt_softgpu *softgpu);

/*
 * Writes softgpu.json to the folder of a trace, to distinguish the trace from one of
 * hardware. KT_E_IO if that fails.
 */
int kt_softgpu_mark(const struct kt_softgpu *softgpu, const char *folder);

#endif
