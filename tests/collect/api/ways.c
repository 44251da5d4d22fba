/* SPDX-License-Identifier: MIT */
/*
 * Obtains the driver's functions in all possible ways, and prints their results, which are
 * the same with and without a recorder.
 * Usage: ways [WAY...]     (runs only these ways)
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/collect/api/stand-in.h"

typedef uint64_t one_fn(word);
typedef uint64_t seven_fn(word, word, word, word, word, word, word);
typedef int get_fn(const char *, void **, int, uint64_t, int *);
typedef int callback_fn(void (*)(void *), void *);

#define AS(type, pointer) as_##type(pointer)
#define MAKE_AS(type)                                                                      \
	static type *as_##type(void *pointer)                                              \
	{                                                                                  \
		type *function;                                                            \
                                                                                           \
		memcpy(&function, &pointer, sizeof(pointer));                              \
		return function;                                                           \
	}
MAKE_AS(one_fn)
MAKE_AS(seven_fn)
MAKE_AS(get_fn)
MAKE_AS(callback_fn)

static void say(const char *what, uint64_t value)
{
	printf("%s: %llu\n", what, (unsigned long long)value);
	fflush(stdout);
}

static void *library(void)
{
	void *handle = dlopen("libcuda.so.1", RTLD_NOW);

	if (!handle) {
		printf("no library: %s\n", dlerror());
		exit(1);
	}
	return handle;
}

/* --- by name --- */

/* Prints the results of dladdr() for the address of a symbol. */
static void say_address(const char *name)
{
	void *symbol = dlsym(library(), name);
	void *found = NULL;
	Dl_info info = {0};

	say(name, (uint64_t)dladdr(symbol, &info));
	printf("%s, %s, %d\n", info.dli_fname ? strrchr(info.dli_fname, '/') : "-",
	       info.dli_sname ? info.dli_sname : "-", info.dli_saddr == symbol);
	say("symbol", (uint64_t)dladdr1(symbol, &info, &found, RTLD_DL_SYMENT));
	say("size", found && ((ElfW(Sym) *)found)->st_size > 0);
}

static void by_name(void)
{
	void *handle = library();

	say("cuTest1", AS(one_fn, dlsym(handle, "cuTest1"))(1));
	say("cuTest7", AS(seven_fn, dlsym(handle, "cuTest7"))(1, 2, 3, 4, 5, 6, 7));
	say("cuTestData", (uint64_t) * (int *)dlsym(handle, "cuTestData"));
	say("same", dlsym(handle, "cuTest1") == dlsym(handle, "cuTest1"));
	say("none", dlsym(handle, "cuTestNone") == NULL);
	say("error", strstr(dlerror(), "undefined symbol: cuTestNone") != NULL);
	say("no error", dlerror() == NULL);
	say_address("cuTest1");
	say_address("cuTestData");
	say("cu", dlsym(handle, "cu") == NULL);
	say("c", dlsym(handle, "c") == NULL);
}

static void by_version(void)
{
	void *handle = library();

	say("none", dlvsym(handle, "cuTest2", "VERSION_1") == NULL);
	say("error", dlerror() != NULL);
	say("of libc",
	    dlvsym(RTLD_DEFAULT, "malloc", "GLIBC_2.2.5") == dlsym(RTLD_DEFAULT, "malloc"));
}

/*
 * RTLD_DEFAULT and RTLD_NEXT depend on the caller: the plug-in defines a cuTest2 of its
 * own.
 */
static void by_scope(void)
{
	void *plugin = dlopen(getenv("API_PLUGIN"), RTLD_NOW | RTLD_LOCAL);
	void *symbol = plugin ? dlsym(plugin, "plugin_ask") : NULL;

	say("default, local", dlsym(RTLD_DEFAULT, "cuTest3") == NULL);
	say("next, local", dlsym(RTLD_NEXT, "cuTest3") == NULL);
	library();
	dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
	say("default, global", AS(one_fn, dlsym(RTLD_DEFAULT, "cuTest1"))(4));
	say("next, global", AS(one_fn, dlsym(RTLD_NEXT, "cuTest1"))(5));
	say("ask", symbol ? AS(one_fn, symbol)(0) : 0);
	say("other", dlsym(RTLD_NEXT, "malloc") != NULL);
	symbol = plugin ? dlsym(plugin, "plugin_load") : NULL;
	say("near, from here", dlopen("libapi-near.so", RTLD_NOW) != NULL);
	say("near, from there", symbol ? AS(one_fn, symbol)(0) : 0);
}

static void by_address(void)
{
	get_fn *get = AS(get_fn, dlsym(library(), "cuGetProcAddress_v2"));
	void *function;
	int status;

	say("twice", (uint64_t)get("cuTestTwice", &function, 13000, 0, &status));
	say("result", AS(one_fn, function)(0));
	say("hidden", (uint64_t)get("cuTestHidden", &function, 13000, 0, &status));
	say("result", AS(one_fn, function)(0));
	say("itself", (uint64_t)get("cuGetProcAddress", &function, 13000, 0, &status));
	say("again",
	    (uint64_t)AS(get_fn, function)("cuTest7", &function, 13000, 0, &status));
	say("result", AS(seven_fn, function)(7, 6, 5, 4, 3, 2, 1));
	say("none", (uint64_t)get("cuTestNone", &function, 13000, 0, &status));
	say("status", (uint64_t)status);
	say("pointer", function == NULL);
}

static void by_table(void)
{
	static const char id[16] = "0123456789abcdef";
	int (*get)(const void **, const void *);
	void *symbol = dlsym(library(), "cuGetExportTable");
	const void *table;

	memcpy(&get, &symbol, sizeof(symbol));
	say("table", (uint64_t)get(&table, id));
	say("table", (uint64_t)get(&table, id));
}

/* Calls the driver through a library that is linked with it. */
static void by_import(void)
{
	void *plugin = dlopen(getenv("API_LINKED"), RTLD_NOW | RTLD_LOCAL);
	void *symbol = plugin ? dlsym(plugin, "linked_run") : NULL;

	say("linked", symbol ? AS(one_fn, symbol)(11) : 0);
	/*
	 * The library is named without a path, so the recorder finds it only at its next
	 * scan.
	 */
	plugin = dlopen("liblinked-lazily.so", RTLD_LAZY | RTLD_LOCAL);
	symbol = plugin ? dlsym(plugin, "linked_run") : NULL;
	dlopen("libc.so.6", RTLD_LAZY);
	say("lazily", symbol ? AS(one_fn, symbol)(12) : 0);
}

/* The recorder scans the plug-in just before the loader relocates it. */
static void by_early_import(void)
{
	void *plugin = dlopen(getenv("API_EARLY"), RTLD_NOW | RTLD_LOCAL);
	void *symbol = plugin ? dlsym(plugin, "early_run") : NULL;

	say("early", symbol ? AS(one_fn, symbol)(13) : 0);
}

/* --- callers --- */

static void *call_much(void *context)
{
	one_fn *one = AS(one_fn, context);
	uint64_t sum = 0;

	for (word i = 0; i < 200; i++) {
		sum += one(i);
	}
	return (void *)(uintptr_t)sum;
}

static void in_threads(void)
{
	void *symbol = dlsym(library(), "cuTest1");
	pthread_t threads[4];
	uint64_t sum = 0;

	for (int i = 0; i < 4; i++) {
		pthread_create(&threads[i], NULL, call_much, symbol);
	}
	for (int i = 0; i < 4; i++) {
		void *result;

		pthread_join(threads[i], &result);
		sum += (uintptr_t)result;
	}
	say("threads", sum);
}

/* Loads and unloads libraries while other threads call functions. */
static void *load_much(void *unused)
{
	uint64_t sum = 0;

	(void)unused;
	for (int i = 0; i < 50; i++) {
		void *plugin = dlopen(getenv("API_LINKED"), RTLD_NOW | RTLD_LOCAL);
		void *symbol = plugin ? dlsym(plugin, "linked_run") : NULL;

		sum += symbol ? AS(one_fn, symbol)(1) : 0;
		if (plugin) {
			dlclose(plugin);
		}
	}
	return (void *)(uintptr_t)sum;
}

static void *find_much(void *library_of)
{
	uint64_t sum = 0;

	for (word i = 0; i < 200; i++) {
		void *symbol = dlsym(library_of, i % 2 ? "cuTest1" : "cuTest4");

		sum += i % 2 ? AS(one_fn, symbol)(i) : symbol != NULL;
	}
	return (void *)(uintptr_t)sum;
}

static void in_a_storm(void)
{
	void *(*const runs[])(void *) = {load_much, find_much, load_much, find_much};
	void *handle = library();
	pthread_t threads[4];
	uint64_t sum = 0;

	for (int i = 0; i < 4; i++) {
		pthread_create(&threads[i], NULL, runs[i], handle);
	}
	for (int i = 0; i < 4; i++) {
		void *result;

		pthread_join(threads[i], &result);
		sum += (uintptr_t)result;
	}
	say("storm", sum);
}

static void fork_in_call(void *context)
{
	one_fn *one = AS(one_fn, dlsym(library(), "cuTest1"));
	pid_t child = fork();
	int status = 0;

	if (child == 0) {
		one(1);
		one(2);
		_exit((int)(one(3) % 100));
	}
	waitpid(child, &status, 0);
	*(int *)context = WEXITSTATUS(status);
}

/* Forks inside the call, so that parent and child both return from it. */
static void fork_and_return(void *context)
{
	*(int *)context = fork();
}

/* fork(2) by the program's own instruction, which the recorder does not see. */
static long own_fork(void)
{
	long child = SYS_fork;

	__asm__ volatile("syscall" : "+a"(child) : : "rcx", "r11", "memory");
	return child;
}

static char clone_stack[65536] __attribute__((aligned(16)));

static int call_in_clone(void *function)
{
	return (*(one_fn **)function)(3) == STAND_IN_STEP(0, 3) ? 0 : 1;
}

static void in_forks(void)
{
	callback_fn *call = AS(callback_fn, dlsym(library(), "cuTestCallback"));
	one_fn *one = AS(one_fn, dlsym(library(), "cuTest1"));
	int status = 0;
	pid_t child;

	say("call", (uint64_t)call(fork_in_call, &status));
	say("status", (uint64_t)status);
	say("call", (uint64_t)call(fork_and_return, &child));
	if (child == 0) {
		_exit((int)(one(4) % 100));
	}
	waitpid(child, &status, 0);
	say("status", (uint64_t)WEXITSTATUS(status));
	child = vfork();
	if (child == 0) {
		_exit(one(3) == STAND_IN_STEP(0, 3) ? 0 : 1);
	}
	waitpid(child, &status, 0);
	say("vfork", (uint64_t)WEXITSTATUS(status));
	/* A child that did not pass through the recorder keeps the parent's calls apart
	 * too. */
	child = (pid_t)own_fork();
	if (child == 0) {
		_exit(one(3) == STAND_IN_STEP(0, 3) ? 0 : 1);
	}
	waitpid(child, &status, 0);
	say("own fork", (uint64_t)WEXITSTATUS(status));
	child = clone(call_in_clone, clone_stack + sizeof(clone_stack),
		      CLONE_VM | CLONE_VFORK | SIGCHLD, &one);
	waitpid(child, &status, 0);
	say("clone", (uint64_t)WEXITSTATUS(status));
	say("again", one(3));
}

static _Atomic bool begun;
static _Atomic bool enough;

/*
 * For an unknown name the loader allocates a message, and a child under the address
 * sanitizer can hang in that allocation
 * (tests/collect/scenarios/processes/fork-beside-writers.c). The sanitized test therefore
 * looks up a name of libc, which takes the same path through the recorder.
 */
#ifdef __SANITIZE_ADDRESS__
#define LOOKED_FOR "cuserid"
#else
#define LOOKED_FOR "cuTestNone"
#endif

/* Makes the recorder scan the loaded objects repeatedly. */
static void *scan_repeatedly(void *unused)
{
	uint64_t sum = 0;

	(void)unused;
	begun = true;
	while (!enough) {
		sum += dlsym(RTLD_DEFAULT, LOOKED_FOR) != NULL;
	}
	return (void *)(uintptr_t)sum;
}

/* Waits at most 10 s for the child. Returns whether it ended by itself, and its status. */
static bool ends(pid_t child, int *status)
{
	for (int i = 0; i < 1000; i++) {
		if (waitpid(child, status, WNOHANG) == child) {
			return true;
		}
		usleep(10000);
	}
	kill(child, SIGKILL);
	waitpid(child, status, 0);
	return false;
}

/*
 * Forks while another thread looks up functions. No child may wait for a thread that exists
 * only in its parent.
 */
static void in_forks_of_many(void)
{
	void *handle = library();
	pthread_t thread;
	int hung = 0;
	int failed = 0;
	int status;

	pthread_create(&thread, NULL, scan_repeatedly, NULL);
	while (!begun) {
		sched_yield();
	}
	for (int i = 0; i < 50 && hung == 0; i++) {
		pid_t child = fork();

		if (child == 0) {
			_exit(dlsym(handle, "cuTest4") ? 0 : 1);
		}
		hung += !ends(child, &status);
		failed += status != 0;
	}
	enough = true;
	pthread_join(thread, NULL);
	say("hung", (uint64_t)hung);
	say("failed", (uint64_t)failed);
}

static void leave(void *unused)
{
	(void)unused;
	pthread_exit((void *)5);
}

static void *die(void *symbol)
{
	AS(callback_fn, symbol)(leave, NULL);
	return NULL;
}

static void nest(void *context)
{
	int *depth = context;

	if ((*depth)-- > 0) {
		AS(callback_fn, dlsym(library(), "cuTestCallback"))(nest, depth);
	}
}

static void in_calls(void)
{
	void *symbol = dlsym(library(), "cuTestCallback");
	pthread_t thread;
	void *result;
	int depth = 5;

	nest(&depth);
	say("depth", (uint64_t)(depth + 1));
	pthread_create(&thread, NULL, die, symbol);
	pthread_join(thread, &result);
	say("died", (uintptr_t)result);
}

/* Loads the library, calls it and closes it; no handle remains. */
static void again_and_again(void)
{
	for (int i = 0; i < 3; i++) {
		void *handle = library();

		say("cuTest1", AS(one_fn, dlsym(handle, "cuTest1"))(i));
		dlclose(handle);
	}
	say("gone", dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD) == NULL);
}

static void *call_for_ever(void *symbol)
{
	one_fn *one = AS(one_fn, symbol);
	int before;

	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &before);
	for (;;) {
		one(1);
	}
	return NULL;
}

/*
 * Cancels threads at any time, so the number of calls is unknown. This way must run alone.
 */
static void cancelled(void)
{
	void *symbol = dlsym(library(), "cuTest1");
	int n = 0;

	for (useconds_t i = 0; i < 200; i++) {
		pthread_t thread;
		void *result;

		pthread_create(&thread, NULL, call_for_ever, symbol);
		usleep(i % 37 * 10);
		pthread_cancel(thread);
		pthread_join(thread, &result);
		n += result == PTHREAD_CANCELED;
		AS(one_fn, symbol)(2);
	}
	say("cancelled", (uint64_t)n);
}

/*
 * Executes a program that does not exist. The word ends before the exec and continues after
 * it.
 */
static void executes_in_vain(void)
{
	one_fn *one = AS(one_fn, dlsym(library(), "cuTest1"));
	char path[] = "/nonexistent";
	char *arguments[] = {path, NULL};

	say("cuTest1", one(1));
	say("exec", execv(arguments[0], arguments) == -1);
	say("cuTest1", one(2));
}

/* Looks up no function after the library is unloaded. This way must run alone. */
static void closed(void)
{
	void *handle = library();

	say("cuTest1", AS(one_fn, dlsym(handle, "cuTest1"))(1));
	dlclose(handle);
}

static const struct {
	const char *name;
	void (*run)(void);
} ways[] = {
	{"again", again_and_again}, {"scope", by_scope},        {"name", by_name},
	{"version", by_version},    {"address", by_address},    {"table", by_table},
	{"import", by_import},      {"threads", in_threads},    {"storm", in_a_storm},
	{"forks", in_forks},        {"many", in_forks_of_many}, {"calls", in_calls},
	{"early", by_early_import}, {"vain", executes_in_vain}, {"closed", closed},
	{"cancelled", cancelled},
};

int main(int argc, char **argv)
{
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		bool wanted = argc == 1 && ways[i].run != cancelled;

		for (int a = 1; a < argc; a++) {
			wanted = wanted || strcmp(argv[a], ways[i].name) == 0;
		}
		if (wanted) {
			printf("%s\n", ways[i].name);
			fflush(stdout);
			ways[i].run();
		}
	}
	return 0;
}
