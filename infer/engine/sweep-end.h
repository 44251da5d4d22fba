/* SPDX-License-Identifier: MIT */
/* For kt_infer(), which needs one machine of a sweep and nothing more. */
#ifndef KTAIL_ENGINE_SWEEP_END_H
#define KTAIL_ENGINE_SWEEP_END_H

#include <ktail/sweep.h>

/*
 * The machine of the k that was given last, as kt_sweep_machine(); the sweep, which can
 * only be freed then, gives back its memory before the machine is checked.
 */
int kt_sweep_end(struct kt_fsm **out, kt_sweep *sweep);

#endif
