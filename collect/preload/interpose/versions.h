/* SPDX-License-Identifier: MIT */
/*
 * Reports the environment of a program that uses the GPU: the kernel module, the GPUs and
 * their firmware, the loaded CUDA libraries, the recorder, the command line. The module's
 * version alone is not enough, because the user-mode driver (libcuda) may have another
 * version, from the toolkit's folder `compat`.
 */
#ifndef KTAIL_COLLECT_VERSIONS_H
#define KTAIL_COLLECT_VERSIONS_H

/*
 * Stores the release of the GPU's kernel module, the module's description of itself ("":
 * none), and the recorder's modes as "NAME=VALUE ...". Call at start. All texts must stay
 * valid.
 */
void kt_versions_set(const char *release, const char *module, const char *modes);

/*
 * Emits all versions at the first call after an exec or fork; afterwards, emits only the
 * versions of libraries loaded since the last call. Call before the program uses a device.
 * The caller must not hold the recorder's lock, because dl_iterate_phdr() takes a lock of
 * the loader, and a thread that holds that lock may be waiting for the recorder's.
 */
void kt_versions_emit(void);

/* Call in a forked child: the next kt_versions_emit() emits all versions again. */
void kt_versions_after_fork(void);

#endif
