/* SPDX-License-Identifier: MIT */
#ifndef KTAIL_BASE_TAKE_AFTER_H
#define KTAIL_BASE_TAKE_AFTER_H

/*
 * Gives the file `fd` the owner, group, mode, access control list and user attributes of
 * the file `old`, which it is to replace; both are open. The set-id bits are not taken
 * over: a write would take them away too. 0, or -1 with errno if the caller may not, or the
 * file system cannot.
 */
int kt_take_after(int fd, int old);

#endif
