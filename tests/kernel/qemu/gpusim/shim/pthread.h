/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The pthread functions that the software GPU's device uses, implemented by kernel
 * functions.
 */
#ifndef GPUSIM_SHIM_PTHREAD_H
#define GPUSIM_SHIM_PTHREAD_H

#include <linux/mutex.h>
#include <linux/sched.h>

typedef struct mutex pthread_mutex_t;
typedef struct task_struct *pthread_t;

#define pthread_mutex_init(lock, attributes)                                               \
	({                                                                                 \
		mutex_init(lock);                                                          \
		0;                                                                         \
	})

static inline int pthread_mutex_lock(pthread_mutex_t *lock)
{
	mutex_lock(lock);
	return 0;
}

static inline int pthread_mutex_unlock(pthread_mutex_t *lock)
{
	mutex_unlock(lock);
	cond_resched(); /* the device's thread has no other scheduling point */
	return 0;
}

static inline int pthread_mutex_destroy(pthread_mutex_t *lock)
{
	mutex_destroy(lock);
	return 0;
}

#endif
