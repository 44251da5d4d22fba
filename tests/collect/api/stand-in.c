/* SPDX-License-Identifier: MIT */
#include "tests/collect/api/stand-in.h"

#include <errno.h>
#include <string.h>

int cuTestData = 42;

uint64_t cuTest0(void)
{
	return STAND_IN_STEP(0, 77);
}

static uint64_t sum(const word *values, int n)
{
	uint64_t result = 0;

	for (int i = 0; i < n; i++) {
		result = STAND_IN_STEP(result, values[i]);
	}
	return result;
}

#define SUM(n, ...) return sum((const word[]){__VA_ARGS__}, n)

uint64_t cuTest1(word a)
{
	SUM(1, a);
}

uint64_t cuTest2(word a, word b)
{
	SUM(2, a, b);
}

uint64_t cuTest3(word a, word b, word c)
{
	SUM(3, a, b, c);
}

uint64_t cuTest4(word a, word b, word c, word d)
{
	SUM(4, a, b, c, d);
}

uint64_t cuTest5(word a, word b, word c, word d, word e)
{
	SUM(5, a, b, c, d, e);
}

uint64_t cuTest6(word a, word b, word c, word d, word e, word f)
{
	SUM(6, a, b, c, d, e, f);
}

uint64_t cuTest7(word a, word b, word c, word d, word e, word f, word g)
{
	SUM(7, a, b, c, d, e, f, g);
}

uint64_t cuTest8(word a, word b, word c, word d, word e, word f, word g, word h)
{
	SUM(8, a, b, c, d, e, f, g, h);
}

uint64_t cuTest9(word a, word b, word c, word d, word e, word f, word g, word h, word i)
{
	SUM(9, a, b, c, d, e, f, g, h, i);
}

uint64_t cuTest10(word a, word b, word c, word d, word e, word f, word g, word h, word i,
		  word j)
{
	SUM(10, a, b, c, d, e, f, g, h, i, j);
}

uint64_t cuTest11(word a, word b, word c, word d, word e, word f, word g, word h, word i,
		  word j, word k)
{
	SUM(11, a, b, c, d, e, f, g, h, i, j, k);
}

uint64_t cuTest12(word a, word b, word c, word d, word e, word f, word g, word h, word i,
		  word j, word k, word l)
{
	SUM(12, a, b, c, d, e, f, g, h, i, j, k, l);
}

double cuTestDoubles(double a, word b, double c, double d, double e, double f, double g,
		     double h, double i, double j, double k)
{
	return a + 2 * (double)b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i +
	       10 * j + 11 * k;
}

uint64_t cuTestHandle(word *out, struct stand_in_handle handle, unsigned flags)
{
	uint64_t result = STAND_IN_STEP(0, flags);

	for (size_t i = 0; i < sizeof(handle.bytes); i++) {
		result = STAND_IN_STEP(result, handle.bytes[i]);
	}
	*out = (word)result;
	return result;
}

struct stand_in_pair cuTestPair(word a)
{
	return (struct stand_in_pair){(uint64_t)a, ~(uint64_t)a};
}

uint64_t cuTestAligned(word a, struct stand_in_handle handle)
{
	return STAND_IN_STEP((uintptr_t)&handle % 64, a + handle.bytes[63]);
}

uint64_t cuTestStack(word a)
{
	return ((uintptr_t)__builtin_frame_address(0) + (uintptr_t)a) % 64;
}

int cuTestErrno(int next)
{
	int last = errno;

	errno = next;
	return last;
}

int cuTestCallback(void (*callback)(void *), void *context)
{
	callback(context);
	return 0;
}

int cuTestFails(void)
{
	return 999;
}

int cuTestTwice_v2(void)
{
	return 0;
}

static int hidden(void)
{
	return 7;
}

typedef void (*any_function)(void);

static const struct {
	const char *name;
	any_function function;
} functions[] = {
	{"cuTestTwice", (any_function)cuTestTwice_v2},
	{"cuTestHidden", (any_function)hidden},
	{"cuTest7", (any_function)cuTest7},
	{"cuGetProcAddress", (any_function)cuGetProcAddress_v2},
	{"cuGetExportTable", (any_function)cuGetExportTable},
};

int cuGetProcAddress_v2(const char *symbol, void **function, int version, uint64_t flags,
			int *status)
{
	(void)version;
	(void)flags;
	*function = NULL;
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		if (strcmp(functions[i].name, symbol) == 0) {
			memcpy(function, &functions[i].function, sizeof(*function));
		}
	}
	*status = *function ? 0 : 1;
	return *function ? 0 : 500;
}

int cuGetExportTable(const void **table, const void *id)
{
	static const void *const empty[2];

	(void)id;
	*table = empty;
	return 0;
}

int cuModuleGetFunction(void **handle, void *module, const char *name)
{
	(void)module;
	*handle = &cuTestData;
	return name[0] ? 0 : 500;
}
