/* SPDX-License-Identifier: MIT */
/*
 * A library with the file name of the CUDA driver's. The names of its functions resemble
 * those of the driver's, and the functions report the arguments with which they were
 * called.
 */
#ifndef KTAIL_TESTS_API_STAND_IN_H
#define KTAIL_TESTS_API_STAND_IN_H

#include <stdalign.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define STAND_IN __attribute__((visibility("default")))

typedef int64_t word;

struct stand_in_handle {
	char bytes[64];
};

struct stand_in_pair {
	uint64_t first;
	uint64_t second;
};

/* Combines arguments into a number that differs for all argument lists of the tests. */
#define STAND_IN_STEP(sum, value) ((sum)*1000003u + (uint64_t)(value))

STAND_IN uint64_t cuTest0(void);
STAND_IN uint64_t cuTest1(word a);
STAND_IN uint64_t cuTest2(word a, word b);
STAND_IN uint64_t cuTest3(word a, word b, word c);
STAND_IN uint64_t cuTest4(word a, word b, word c, word d);
STAND_IN uint64_t cuTest5(word a, word b, word c, word d, word e);
STAND_IN uint64_t cuTest6(word a, word b, word c, word d, word e, word f);
STAND_IN uint64_t cuTest7(word a, word b, word c, word d, word e, word f, word g);
STAND_IN uint64_t cuTest8(word a, word b, word c, word d, word e, word f, word g, word h);
STAND_IN uint64_t cuTest9(word a, word b, word c, word d, word e, word f, word g, word h,
			  word i);
STAND_IN uint64_t cuTest10(word a, word b, word c, word d, word e, word f, word g, word h,
			   word i, word j);
STAND_IN uint64_t cuTest11(word a, word b, word c, word d, word e, word f, word g, word h,
			   word i, word j, word k);
STAND_IN uint64_t cuTest12(word a, word b, word c, word d, word e, word f, word g, word h,
			   word i, word j, word k, word l);

/*
 * Takes ten doubles, eight in registers and the last two on the stack, with an integer
 * between them.
 */
STAND_IN double cuTestDoubles(double a, word b, double c, double d, double e, double f,
			      double g, double h, double i, double j, double k);
STAND_IN uint64_t cuTestHandle(word *out, struct stand_in_handle handle, unsigned flags);
STAND_IN struct stand_in_pair cuTestPair(word a);
/* Returns the address of the struct, modulo 64, and its contents. */
STAND_IN uint64_t cuTestAligned(word a, struct stand_in_handle handle);
/* Returns the stack pointer modulo 64. */
STAND_IN uint64_t cuTestStack(word a);
/* Sets errno to `next` and returns its previous value. */
STAND_IN int cuTestErrno(int next);
STAND_IN int cuTestCallback(void (*callback)(void *), void *context);
STAND_IN int cuTestFails(void);
/* Exported under two names. */
STAND_IN int cuTestTwice_v2(void);

/*
 * As in the CUDA driver API's manual, but also returns cuTestHidden, which is not exported.
 */
STAND_IN int cuGetProcAddress_v2(const char *symbol, void **function, int version,
				 uint64_t flags, int *status);
/* Fails with an empty name. */
STAND_IN int cuModuleGetFunction(void **handle, void *module, const char *name);
STAND_IN int cuGetExportTable(const void **table, const void *id);

/* A variable, not a function: the recorder must not replace its address. */
extern STAND_IN int cuTestData;

#ifdef __cplusplus
}
#endif

#endif
