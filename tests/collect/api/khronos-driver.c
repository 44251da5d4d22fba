/* SPDX-License-Identifier: MIT */
/*
 * The driver's library: its functions also have names of the API, but only a lookup
 * function gives them to programs.
 */
#include "tests/collect/api/khronos.h"

STAND_IN uint64_t glDrawArrays(unsigned mode, int first, int count);
STAND_IN int clEnqueueNDRangeKernel(word queue, word kernel, unsigned dimensions,
				    word offset, word global, word local, unsigned n,
				    word list, word event);
STAND_IN int vkCreateDevice(word gpu, word info, word allocator, word device);
STAND_IN int driver_submit_a(word queue, unsigned n, word submits, word fence);
STAND_IN int driver_submit_b(word queue, unsigned n, word submits, word fence);

uint64_t glClear(unsigned mask)
{
	return STAND_IN_STEP(2, mask);
}

void glFlush(void)
{
}

uint64_t glDrawArrays(unsigned mode, int first, int count)
{
	return STAND_IN_STEP(STAND_IN_STEP(mode, first), count);
}

int clEnqueueNDRangeKernel(word queue, word kernel, unsigned dimensions, word offset,
			   word global, word local, unsigned n, word list, word event)
{
	return (int)(queue + 2 * kernel + 3 * dimensions + 4 * offset + 5 * global +
		     6 * local + 7 * n + 8 * list + 9 * event);
}

int vkCreateDevice(word gpu, word info, word allocator, word device)
{
	return (int)-(gpu + info + allocator + device);
}

int driver_submit_a(word queue, unsigned n, word submits, word fence)
{
	return (int)(queue + n + submits + fence);
}

int driver_submit_b(word queue, unsigned n, word submits, word fence)
{
	return (int)(1000 + queue + n + submits + fence);
}
