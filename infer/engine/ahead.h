/* SPDX-License-Identifier: MIT */
/*
 * How many steps before it is needed a place in memory is asked for, in loops over large
 * arrays that look all over others.
 */
#ifndef KTAIL_ENGINE_AHEAD_H
#define KTAIL_ENGINE_AHEAD_H

#define KT_AHEAD 16

#endif
