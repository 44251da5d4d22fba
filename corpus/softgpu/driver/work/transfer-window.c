/* SPDX-License-Identifier: MIT */
/*
 * The window: KT_ABI_WINDOW_BYTES of the register page show that much of the GPU's address
 * space, at a multiple of their size. To move it: its new base, then a request number one
 * higher, then a look at what the device says is done.
 */
#include <sched.h>
#include <sys/mman.h>

#include "base/try.h"
#include "corpus/softgpu/driver/rm.h"
#include "corpus/softgpu/driver/work/transfer.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile uint8_t *registers; /* NULL: not mapped yet */
static uint32_t requests;           /* of the window */

int kt_transfer_lock(volatile uint8_t **page)
{
	pthread_mutex_lock(&lock);
	if (!registers) {
		KT_LABEL(MAP_MEMORY);
		struct kt_driver *driver = kt_driver_get();
		struct kt_rm_mapping mapping = {
			.memory = driver->subdevice,
			.aperture = true,
			.protection = PROT_READ | PROT_WRITE,
			.offset = KT_ABI_TRANSFER_OFFSET,
			.bytes = KT_ABI_TRANSFER_BYTES,
		};
		int code = kt_rm_map(driver, &mapping);

		if (code) {
			pthread_mutex_unlock(&lock);
			return code;
		}
		registers = mapping.cpu;
	}
	*page = registers;
	return KT_CU_OK;
}

void kt_transfer_unlock(void)
{
	pthread_mutex_unlock(&lock);
}

void kt_transfer_poll(const volatile uint32_t *reg, uint32_t value)
{
	KT_LABEL(POLL);

	while (__atomic_load_n(reg, __ATOMIC_ACQUIRE) != value) {
		sched_yield();
	}
}

int kt_move_window(const struct kt_move *move)
{
	volatile struct kt_abi_transfer_registers *r;
	volatile uint8_t *page = NULL;
	uint64_t address = move->device;
	uint64_t end = address + move->bytes;

	KT_TRY(kt_transfer_lock(&page));
	r = (volatile struct kt_abi_transfer_registers *)(page + KT_ABI_WINDOW_BYTES);
	for (size_t done = 0; address < end;) {
		uint64_t inside = address % KT_ABI_WINDOW_BYTES;
		uint8_t *window = (uint8_t *)(uintptr_t)page + inside;
		size_t now = KT_ABI_WINDOW_BYTES - inside;

		now = now < end - address ? now : end - address;
		{
			KT_LABEL(MAP_MEMORY);

			r->window_base = address - inside;
			__atomic_store_n(&r->window_request, ++requests, __ATOMIC_RELEASE);
			kt_transfer_poll(&r->window_done, requests);
		}
		kt_move_bytes(move, window, done, now);
		address += now;
		done += now;
	}
	kt_transfer_unlock();
	return KT_CU_OK;
}
