/* SPDX-License-Identifier: MIT */
/*
 * Reports what a program that uses the GPU runs with: the kernel's module, the GPUs and
 * their firmware, the loaded CUDA libraries, the recorder, the command line. A driver's
 * version alone is not enough: the user-mode driver (libcuda) may be of another one, from
 * the toolkit's folder `compat`.
 */
#ifndef KTAIL_COLLECT_VERSIONS_H
#define KTAIL_COLLECT_VERSIONS_H

/*
 * Stores what the constructor knows: the release of the GPU's kernel module and how it
 * describes itself ("": none), and the recorder's modes as "NAME=VALUE ...". All must stay
 * valid.
 */
void kt_versions_set(const char *release, const char *module, const char *modes);

/*
 * Emits the versions at the first call in the process image, and afterwards those of
 * libraries that were loaded since. Called before the program uses a device, without the
 * recorder's lock: dl_iterate_phdr() takes a lock of the loader's.
 */
void kt_versions_emit(void);

/* In a forked child: emits all again at the next call. */
void kt_versions_after_fork(void);

#endif
