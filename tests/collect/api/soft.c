/* SPDX-License-Identifier: MIT */
/*
 * Linked with the software GPU's libcuda: gets some functions by import and the others by
 * cuGetProcAddress, as a program with a statically linked libcudart does.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

int cuInit(unsigned flags);
int cuDeviceGet(int *device, int ordinal);
int cuGetProcAddress_v2(const char *symbol, void **function, int version, uint64_t flags,
			int *status);

static void *find(const char *name)
{
	void *function = NULL;
	int status;

	if (cuGetProcAddress_v2(name, &function, 12000, 0, &status) || !function) {
		printf("no %s\n", name);
	}
	return function;
}

#define GET(variable, name)                                                                \
	do {                                                                               \
		void *found_ = find(name);                                                 \
		memcpy(&(variable), &found_, sizeof(found_));                              \
	} while (0)

int main(void)
{
	int (*retain)(void **, int);
	int (*set)(void *);
	int (*allocate)(uint64_t *, size_t);
	int (*to)(uint64_t, const void *, size_t);
	int (*from)(void *, uint64_t, size_t);
	char here[5000];
	char back[5000] = {0};
	uint64_t memory = 0;
	void *context = NULL;
	int device;
	int wrong = cuInit(0) || cuDeviceGet(&device, 0);

	GET(retain, "cuDevicePrimaryCtxRetain");
	GET(set, "cuCtxSetCurrent");
	GET(allocate, "cuMemAlloc");
	GET(to, "cuMemcpyHtoD");
	GET(from, "cuMemcpyDtoH");
	memset(here, 42, sizeof(here));
	wrong = wrong || retain(&context, device) || set(context) ||
		allocate(&memory, sizeof(here)) || to(memory, here, sizeof(here)) ||
		from(back, memory, sizeof(back)) || memcmp(here, back, sizeof(here)) != 0;
	puts(wrong ? "wrong" : "ok");
	return wrong;
}
