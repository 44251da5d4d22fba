/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Bugs that a build can put into the module on purpose, to verify that the bench finds them
 * (bench --plant N). An installed module has none.
 */
#ifndef DW_PLANT_H
#define DW_PLANT_H

/*
 * The worker that closes a doorbell holds no reference to the mapping, and may use the
 * mapping after it is freed.
 */
#define DW_PLANT_USE_AFTER_FREE (DW_PLANT == 1)

/* Breakpoints of a new thread are set without the doorbell's lock. */
#define DW_PLANT_LOST_LOCK (DW_PLANT == 2)

#endif
