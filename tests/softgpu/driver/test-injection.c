/* SPDX-License-Identifier: MIT */
/*
 * Loads LIBCUDA and calls cuInit three times, at first from two threads at once. The
 * program is also loaded a second time, as a tool's library: its InitializeInjection calls
 * cuInit itself, and counts its own calls in an environment variable, which both copies
 * see. N is the expected count.
 * Usage: test-injection LIBCUDA N
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int (*init)(unsigned);

static int find_init(const char *path)
{
	void *library = dlopen(path, RTLD_NOW);
	void *symbol = library ? dlsym(library, "cuInit") : NULL;

	memcpy(&init, &symbol, sizeof(init));
	return init ? 0 : -1;
}

static int calls(void)
{
	const char *text = getenv("TEST_INJECTION_CALLS");

	return text ? atoi(text) : 0;
}

__attribute__((visibility("default"))) int InitializeInjection(void);

int InitializeInjection(void)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", calls() + 1);
	setenv("TEST_INJECTION_CALLS", text, 1);
	if (find_init(getenv("TEST_INJECTION_LIBCUDA")) || init(0) != 0) {
		setenv("TEST_INJECTION_CALLS", "-1", 1);
	}
	return 1;
}

static void *init_in_thread(void *result)
{
	*(int *)result = init(0);
	return NULL;
}

int main(int argc, char **argv)
{
	int results[3] = {-1, -1, -1};
	pthread_t thread;

	if (argc != 3 || setenv("TEST_INJECTION_LIBCUDA", argv[1], 1) ||
	    find_init(argv[1])) {
		fprintf(stderr, "usage: test-injection LIBCUDA N\n");
		return 2;
	}
	if (pthread_create(&thread, NULL, init_in_thread, &results[0])) {
		return 2;
	}
	results[1] = init(0);
	pthread_join(thread, NULL);
	results[2] = init(0);
	printf("cuInit: %d %d %d; injected: %d\n", results[0], results[1], results[2],
	       calls());
	return results[0] || results[1] || results[2] || calls() != atoi(argv[2]);
}
