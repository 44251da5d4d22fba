/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Faults that can be planted in the module, to see that the bench finds them (bench
 * --plant N); a module that is installed has none.
 */
#ifndef DW_PLANT_H
#define DW_PLANT_H

/* A door that closes does not keep its mapping, which is freed while a worker uses it. */
#define DW_PLANT_USE_AFTER_FREE (DW_PLANT == 1)

/* A new thread's breakpoints are set without the door's lock. */
#define DW_PLANT_LOST_LOCK (DW_PLANT == 2)

#endif
