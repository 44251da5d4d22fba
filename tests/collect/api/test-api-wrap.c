/* SPDX-License-Identifier: MIT */
/*
 * Wrapped functions behave like the originals. This program is linked with the stand-in,
 * wraps its functions itself, and counts the calls that would become events.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <link.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "collect/environment.h"
#include "collect/preload/api/api-calls.h"
#include "collect/preload/api/api-choice.h"
#include "collect/preload/api/api-imports.h"
#include "collect/preload/api/api-libraries.h"
#include "collect/preload/api/api-table.h"
#include "collect/preload/emit/lock.h"
#include "tests/collect/api/stand-in.h"
#include "tests/suite.h"

/* --- stubs of the recorder --- */

static struct {
	unsigned entered;
	unsigned left;
	char names[64][KT_API_NAME];
	uint64_t first[6];
	size_t n;
	int32_t result;
	int known;
	bool foreign;
	unsigned kernels; /* calls of kt_api_kernel() */
} seen;

void kt_api_enter(struct kt_api_call *call, const uint64_t *arguments, size_t n)
{
	volatile double scratch[8] = {1, 2, 3, 4, 5, 6, 7, 8};

	/* Overwrites the registers in which arguments are passed. */
	for (int i = 0; i < 8; i++) {
		scratch[i] *= 1.5;
	}
	strcpy(seen.names[seen.entered % 64], call->name);
	memcpy(seen.first, arguments, n * sizeof(*arguments));
	seen.n = n;
	seen.entered++;
	errno = E2BIG;
}

void kt_api_exit(const struct kt_api_call *call, int known, int32_t result)
{
	(void)call;
	seen.known = known;
	seen.result = result;
	seen.left++;
	errno = E2BIG;
}

void kt_api_kernel(const struct kt_api_call *call, const struct kt_api_function *function,
		   const uint64_t *arguments, size_t n)
{
	(void)call;
	CU_ASSERT_STRING_EQUAL(function->name, "cuModuleGetFunction");
	memcpy(seen.first, arguments, n * sizeof(*arguments));
	seen.n = n;
	CU_ASSERT_EQUAL(seen.left, 0);
	seen.kernels++;
	errno = E2BIG;
}

/* The linker substitutes this function for the recorder's (--wrap). */
bool __wrap_kt_process_is_own(void);

bool __wrap_kt_process_is_own(void)
{
	return !seen.foreign;
}

static uintptr_t address_of(const char *name)
{
	/*
	 * Looks up the name in the library, because this program's own reference may be
	 * wrapped.
	 */
	void *library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
	void *found = library ? dlsym(library, name) : NULL;

	CU_ASSERT_PTR_NOT_NULL_FATAL(found);
	dlclose(library);
	return (uintptr_t)found;
}

static uintptr_t wrapped(const char *name)
{
	return kt_api_wrap(address_of(name), name, "dlsym");
}

#define GET(type, name, variable)                                                          \
	type real_##variable;                                                              \
	type variable;                                                                     \
	uintptr_t address_##variable = address_of(name);                                   \
	memcpy(&real_##variable, &address_##variable, sizeof(uintptr_t));                  \
	address_##variable = wrapped(name);                                                \
	memcpy(&variable, &address_##variable, sizeof(uintptr_t));                         \
	CU_ASSERT_NOT_EQUAL((uintptr_t)variable, (uintptr_t)real_##variable)

static void begin(void)
{
	memset(&seen, 0, sizeof(seen));
}

/* --- arguments and results --- */

#define ARGUMENTS_0
#define ARGUMENTS_1  0x1111111111111111
#define ARGUMENTS_2  ARGUMENTS_1, -2
#define ARGUMENTS_3  ARGUMENTS_2, 0x3333333333333333
#define ARGUMENTS_4  ARGUMENTS_3, 4
#define ARGUMENTS_5  ARGUMENTS_4, -5
#define ARGUMENTS_6  ARGUMENTS_5, 0x6666666666666666
#define ARGUMENTS_7  ARGUMENTS_6, 7
#define ARGUMENTS_8  ARGUMENTS_7, -8
#define ARGUMENTS_9  ARGUMENTS_8, 0x0999999999999999
#define ARGUMENTS_10 ARGUMENTS_9, 10
#define ARGUMENTS_11 ARGUMENTS_10, -11
#define ARGUMENTS_12 ARGUMENTS_11, 12

#define TRY(n)                                                                             \
	do {                                                                               \
		GET(__typeof__(&cuTest##n), "cuTest" #n, f);                               \
		begin();                                                                   \
		CU_ASSERT_EQUAL(f(ARGUMENTS_##n), real_f(ARGUMENTS_##n));                  \
		CU_ASSERT_EQUAL(seen.entered, 1);                                          \
		CU_ASSERT_EQUAL(seen.left, 1);                                             \
		CU_ASSERT_EQUAL(seen.result, (int32_t)real_f(ARGUMENTS_##n));              \
		CU_ASSERT_STRING_EQUAL(seen.names[0], "cuTest" #n);                        \
	} while (0)

static void hands_on_integers(void)
{
	TRY(0);
	TRY(1);
	TRY(2);
	TRY(3);
	TRY(4);
	TRY(5);
	TRY(6);
	TRY(7);
	TRY(8);
	TRY(9);
	TRY(10);
	TRY(11);
	TRY(12);
	CU_ASSERT_EQUAL(seen.n, 6);
	CU_ASSERT_EQUAL(seen.first[0], 0x1111111111111111);
	CU_ASSERT_EQUAL(seen.first[5], 0x6666666666666666);
}

static void hands_on_doubles(void)
{
	GET(__typeof__(&cuTestDoubles), "cuTestDoubles", f);
	CU_ASSERT_EQUAL(f(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11),
			real_f(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11));
	CU_ASSERT_EQUAL(f(.5, -2, 3, -4, 5, -6, 7, -8, 9, -10, 11),
			real_f(.5, -2, 3, -4, 5, -6, 7, -8, 9, -10, 11));
}

static void hands_on_structs(void)
{
	GET(__typeof__(&cuTestHandle), "cuTestHandle", f);
	struct stand_in_handle handle;
	word out = 0;
	uint64_t result;

	for (size_t i = 0; i < sizeof(handle.bytes); i++) {
		handle.bytes[i] = (char)(3 * i + 1);
	}
	result = f(&out, handle, 5);
	CU_ASSERT_EQUAL((uint64_t)out, result);
	CU_ASSERT_EQUAL(real_f(&out, handle, 5), result);
}

static void reports_kernels(void)
{
	GET(__typeof__(&cuModuleGetFunction), "cuModuleGetFunction", f);
	void *handle = NULL;

	(void)real_f;
	begin();
	CU_ASSERT_EQUAL(f(&handle, NULL, "scale"), 0);
	CU_ASSERT_PTR_NOT_NULL(handle);
	CU_ASSERT_EQUAL(seen.kernels, 1);
	CU_ASSERT_EQUAL(seen.n, 3);
	CU_ASSERT_EQUAL(seen.first[0], (uintptr_t)&handle);
	CU_ASSERT_STRING_EQUAL((const char *)(uintptr_t)seen.first[2], "scale");
	CU_ASSERT_EQUAL(seen.left, 1);
	/* A call that fails gives no handle. */
	begin();
	CU_ASSERT_NOT_EQUAL(f(&handle, NULL, ""), 0);
	CU_ASSERT_EQUAL(seen.kernels, 0);
	CU_ASSERT_EQUAL(seen.left, 1);
}

static void hands_back_pairs(void)
{
	GET(__typeof__(&cuTestPair), "cuTestPair", f);
	struct stand_in_pair pair = f(0x123456789abcdef);

	(void)real_f;
	CU_ASSERT_EQUAL(pair.first, 0x123456789abcdef);
	CU_ASSERT_EQUAL(pair.second, ~UINT64_C(0x123456789abcdef));
}

/* The alignment of stack arguments within 64 bytes is the same as without the wrapper. */
static void keeps_alignment(void)
{
	GET(__typeof__(&cuTestStack), "cuTestStack", f);
	GET(__typeof__(&cuTestAligned), "cuTestAligned", g);
	struct stand_in_handle handle = {{1}};

	for (size_t i = 0; i < 8; i++) {
		volatile char padding[16 * 9];
		volatile char *more = __builtin_alloca(16 * (i + 1));

		more[0] = padding[0] = 0;
		CU_ASSERT_EQUAL(f(3), real_f(3));
		CU_ASSERT_EQUAL(g(3, handle), real_g(3, handle));
	}
}

static void keeps_errno(void)
{
	GET(__typeof__(&cuTestErrno), "cuTestErrno", f);
	(void)real_f;
	errno = 11;
	CU_ASSERT_EQUAL(f(12), 11);
	CU_ASSERT_EQUAL(errno, 12);
}

/* --- nested calls, and calls that do not return --- */

static void call_again(void *context)
{
	int *depth = context;
	GET(__typeof__(&cuTestCallback), "cuTestCallback", f);
	(void)real_f;
	if ((*depth)-- > 0) {
		f(call_again, depth);
	}
}

static void nests(void)
{
	int depth = 20;

	begin();
	call_again(&depth);
	CU_ASSERT_EQUAL(seen.entered, 20);
	CU_ASSERT_EQUAL(seen.left, 20);
}

static void walk_stack(void *context)
{
	void *addresses[64];
	int n = backtrace(addresses, 64);

	for (int i = 0; i < n; i++) {
		Dl_info info;

		/* The unwinder has reached the caller of main(). */
		if (dladdr(addresses[i], &info) && info.dli_sname &&
		    strcmp(info.dli_sname, "__libc_start_main") == 0) {
			*(bool *)context = true;
		}
	}
}

static void can_be_looked_through(void)
{
	GET(__typeof__(&cuTestCallback), "cuTestCallback", f);
	bool to_the_end = false;

	(void)real_f;
	CU_ASSERT_EQUAL(f(walk_stack, &to_the_end), 0);
	CU_ASSERT_TRUE(to_the_end);
}

static void leave_thread(void *context)
{
	(void)context;
	pthread_exit((void *)77);
}

static void note_cleanup(int **counter)
{
	**counter += 1;
}

static int cleanups;

__attribute__((noinline)) static void call_and_die(void)
{
	__attribute__((cleanup(note_cleanup))) int *counter = &cleanups;
	GET(__typeof__(&cuTestCallback), "cuTestCallback", f);
	(void)real_f;
	f(leave_thread, counter);
}

static void *die_in_call(void *unused)
{
	__attribute__((cleanup(note_cleanup))) int *counter = &cleanups;

	(void)unused;
	call_and_die();
	return counter;
}

static void threads_may_end_in_it(void)
{
	pthread_t thread;
	void *result = NULL;

	cleanups = 0;
	begin();
	CU_ASSERT_EQUAL_FATAL(pthread_create(&thread, NULL, die_in_call, NULL), 0);
	pthread_join(thread, &result);
	CU_ASSERT_EQUAL((uintptr_t)result, 77);
	CU_ASSERT_EQUAL(cleanups, 2);
	CU_ASSERT_EQUAL(seen.entered, 1);
	CU_ASSERT_EQUAL(seen.left, 0);
}

static jmp_buf way_out;

static void jump_out(void *context)
{
	(void)context;
	longjmp(way_out, 5);
}

static void may_be_jumped_out_of(void)
{
	GET(__typeof__(&cuTestCallback), "cuTestCallback", f);
	int landed;

	(void)real_f;
	landed = setjmp(way_out);
	if (!landed) {
		f(jump_out, NULL);
	}
	CU_ASSERT_EQUAL(landed, 5);
	nests();
}

/* --- contexts in which nothing is recorded --- */

static void wraps_nothing_within_the_recorder(void)
{
	GET(__typeof__(&cuTestFails), "cuTestFails", f);
	bool locked;

	begin();
	locked = kt_lock();
	CU_ASSERT_EQUAL(f(), real_f());
	kt_unlock(locked);
	seen.foreign = true;
	CU_ASSERT_EQUAL(f(), 999);
	CU_ASSERT_EQUAL(seen.entered, 0);
	seen.foreign = false;
	CU_ASSERT_EQUAL(f(), 999);
	CU_ASSERT_EQUAL(seen.entered, 1);
	CU_ASSERT_EQUAL(seen.result, 999);
	CU_ASSERT_EQUAL(seen.known, 1);
}

/* --- the end of the stack: the memory above the arguments may be unmapped --- */

static ucontext_t back;
static ucontext_t there;

static void run_at_the_end(void)
{
	GET(__typeof__(&cuTest7), "cuTest7", f);
	CU_ASSERT_EQUAL(f(1, 2, 3, 4, 5, 6, 7), real_f(1, 2, 3, 4, 5, 6, 7));
}

/*
 * The context starts with the wrapped function, so nothing lies above its frame on the
 * stack.
 */
static void works_at_a_stack_s_end(void)
{
	enum { SIZE = 65536, GUARD = 4096 };
	uintptr_t f = wrapped("cuTest0");
	void (*start)(void);
	char *stack = mmap(NULL, SIZE + GUARD, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	memcpy(&start, &f, sizeof(f));
	CU_ASSERT_NOT_EQUAL_FATAL(stack, MAP_FAILED);
	mprotect(stack + SIZE, GUARD, PROT_NONE);
	for (int i = 0; i < 2; i++) {
		getcontext(&there);
		there.uc_stack.ss_sp = stack;
		there.uc_stack.ss_size = SIZE;
		there.uc_link = &back;
		makecontext(&there, i ? start : run_at_the_end, 0);
		swapcontext(&back, &there);
	}
	munmap(stack, SIZE + GUARD);
}

/* --- names --- */

static void names_are_those_exported(void)
{
	int (*get)(const char *, void **, int, uint64_t, int *);
	uintptr_t address = wrapped("cuGetProcAddress_v2");
	void *found = NULL;
	int status;
	int (*f)(void);

	memcpy(&get, &address, sizeof(address));
	CU_ASSERT_EQUAL(get("cuTestTwice", &found, 13000, 0, &status), 0);
	CU_ASSERT_EQUAL((uintptr_t)found, wrapped("cuTestTwice_v2"));
	memcpy(&f, &found, sizeof(found));
	begin();
	f();
	CU_ASSERT_STRING_EQUAL(seen.names[0], "cuTestTwice_v2");
	CU_ASSERT_EQUAL(get("cuTestHidden", &found, 13000, 0, &status), 0);
	memcpy(&f, &found, sizeof(found));
	begin();
	CU_ASSERT_EQUAL(f(), 7);
	CU_ASSERT_STRING_EQUAL(seen.names[0], "cuTestHidden");
	CU_ASSERT_EQUAL(get("cuTestNowhere", &found, 13000, 0, &status), 500);
	CU_ASSERT_PTR_NULL(found);
}

static void leaves_others_alone(void)
{
	uintptr_t data = address_of("cuTestData");
	uintptr_t own = (uintptr_t)leaves_others_alone;

	CU_ASSERT_EQUAL(kt_api_wrap(data, "cuTestData", "dlsym"), data);
	CU_ASSERT_EQUAL(kt_api_wrap(own, "cuTest0", "dlsym"), own);
	CU_ASSERT_EQUAL(kt_api_wrap(0, "cuTest0", "dlsym"), 0);
	CU_ASSERT_FALSE(kt_api_is_stub(own));
	CU_ASSERT_FALSE(kt_api_is_stub(0));
	CU_ASSERT_TRUE(kt_api_is_stub(wrapped("cuTest0")));
	CU_ASSERT_EQUAL(kt_api_wrap(wrapped("cuTest0"), "cuTest0", "dlsym"),
			wrapped("cuTest0"));
}

static void stubs_name_their_functions(void)
{
	uintptr_t function = address_of("cuTest5");
	uintptr_t stub = wrapped("cuTest5");

	CU_ASSERT_EQUAL(kt_api_function_of(stub), function);
	CU_ASSERT_EQUAL(kt_api_function_of(function), function);
	CU_ASSERT_EQUAL(kt_api_function_of(stub + 1), function);
	CU_ASSERT_EQUAL(kt_api_function_of(0), 0);
	/* The page that follows a page of stubs has none. */
	CU_ASSERT_EQUAL(kt_api_function_of((stub | 4095) + 1), (stub | 4095) + 1);
}

/* --- functions whose calls are counted, but not traced --- */

/* Returns the entry of the stub at this address, or NULL. */
static const struct kt_api_entry *entry_of(uintptr_t stub)
{
	for (size_t i = 0; i < kt_api_entries(); i++) {
		if (kt_api_entry_at(i)->stub == stub) {
			return kt_api_entry_at(i);
		}
	}
	return NULL;
}

typedef double (*many_arguments)(word, word, word, word, word, word, word, double);

static double mix(word a, word b, word c, word d, word e, word f, word g, double h)
{
	errno = ERANGE;
	return (double)(a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g) + h;
}

static void counts_queries(void)
{
	uintptr_t stub;
	many_arguments f;

	kt_api_choose("work");
	stub = kt_api_wrap_any((uintptr_t)mix, "glGetIntegerv", "test");
	memcpy(&f, &stub, sizeof(f));
	begin();
	errno = 0;
	for (int i = 0; i < 1000; i++) {
		CU_ASSERT_EQUAL(f(1, 2, 3, 4, 5, 6, i, .5), mix(1, 2, 3, 4, 5, 6, i, .5));
	}
	CU_ASSERT_EQUAL(errno, ERANGE);
	CU_ASSERT_EQUAL(seen.entered, 0);
	CU_ASSERT_EQUAL(entry_of(stub)->calls, 1000);
	CU_ASSERT_FALSE(entry_of(stub)->is_traced);
	CU_ASSERT_EQUAL(kt_api_function_of(stub), (uintptr_t)mix);
}

static uintptr_t give_mix(word device, const char *name)
{
	(void)device;
	return strcmp(name, "vkQueueWaitIdle") == 0 ? (uintptr_t)mix : 0;
}

/* A lookup and a function that gives a kernel do their work though they are not traced. */
static void counts_what_is_not_named(void)
{
	uintptr_t lookup;
	uintptr_t find_kernel;
	uintptr_t given;
	uintptr_t (*get)(word, const char *);
	int (*get_function)(void **, void *, const char *);
	void *handle;

	kt_api_choose("vkQueueWaitIdle,cuTest3");
	lookup = kt_api_wrap_any((uintptr_t)give_mix, "vkGetDeviceProcAddr", "test");
	find_kernel = kt_api_wrap_any(address_of("cuModuleGetFunction"),
				      "cuModuleGetFunction_v2", "test");
	memcpy(&get, &lookup, sizeof(get));
	memcpy(&get_function, &find_kernel, sizeof(get_function));
	begin();
	given = get(1, "vkQueueWaitIdle");
	CU_ASSERT_EQUAL(kt_api_function_of(given), (uintptr_t)mix);
	CU_ASSERT_TRUE(entry_of(given)->is_traced);
	CU_ASSERT_EQUAL(get_function(&handle, NULL, "scale"), 0);
	CU_ASSERT_EQUAL(seen.kernels, 1);
	CU_ASSERT_EQUAL(seen.entered, 0);
	CU_ASSERT_EQUAL(entry_of(lookup)->calls, 1);
	CU_ASSERT_EQUAL(entry_of(find_kernel)->calls, 1);
	kt_api_choose("all");
}

static bool is_chosen(const char *name)
{
	return kt_api_is_chosen(name, kt_api_function_find(name));
}

static void choices_are_by_name(void)
{
	char longest[KT_API_CALLS_TEXT + 1] = "";

	kt_api_choose(NULL);
	CU_ASSERT_STRING_EQUAL(kt_api_choice(), "work");
	CU_ASSERT_FALSE(is_chosen("cudaGetDevice"));
	CU_ASSERT_FALSE(is_chosen("cuStreamIsCapturing_ptsz"));
	CU_ASSERT_FALSE(is_chosen("__cudaPushCallConfiguration"));
	CU_ASSERT_TRUE(is_chosen("cuStreamQuery"));
	CU_ASSERT_TRUE(is_chosen("cuEventElapsedTime"));
	CU_ASSERT_TRUE(is_chosen("cuTest1"));
	kt_api_choose("cuMemAlloc,cudaGetDevice,cuMemFree_v2");
	CU_ASSERT_TRUE(is_chosen("cuMemAlloc_v2"));
	CU_ASSERT_TRUE(is_chosen("cudaGetDevice"));
	CU_ASSERT_TRUE(is_chosen("cuMemFree_v2_ptds"));
	CU_ASSERT_FALSE(is_chosen("cuMemFree"));
	CU_ASSERT_FALSE(is_chosen("cuMemAllocAsync"));
	CU_ASSERT_FALSE(is_chosen("cudaGetDeviceCount"));
	CU_ASSERT_FALSE(is_chosen("cuMem"));
	kt_api_choose("");
	CU_ASSERT_STRING_EQUAL(kt_api_choice(), "work");
	memset(longest, 'c', KT_API_CALLS_TEXT);
	kt_api_choose(longest);
	CU_ASSERT_STRING_EQUAL(kt_api_choice(), "work");
	kt_api_choose("all");
	CU_ASSERT_TRUE(is_chosen("cudaGetDevice"));
}

static void notes_tables(void)
{
	static const unsigned char id[16] = {0x21, 0x31, 0x8c, 0x60, 0x97, 0x14,
					     0x32, 0x48, 0x8c, 0xa6, 0x41, 0xff,
					     0x73, 0x24, 0xc8, 0xf2};
	int (*get)(const void **, const void *);
	uintptr_t address = wrapped("cuGetExportTable");
	const void *table = NULL;
	size_t before = kt_api_pasts();

	memcpy(&get, &address, sizeof(address));
	CU_ASSERT_EQUAL(get(&table, id), 0);
	CU_ASSERT_EQUAL(get(&table, id), 0);
	CU_ASSERT_PTR_NOT_NULL(table);
	CU_ASSERT_EQUAL_FATAL(kt_api_pasts(), before + 1);
	CU_ASSERT_STRING_EQUAL(kt_api_past_at(before)->name,
			       "export-table 21318c60-9714-3248-8ca6-41ff7324c8f2");
}

/* --- this program's own imports --- */

static void *call_many(void *unused)
{
	(void)unused;
	for (int i = 0; i < 1000; i++) {
		if (cuTest7(1, 2, 3, 4, 5, 6, i) == 0) {
			return (void *)1;
		}
	}
	return NULL;
}

static void imports_are_wrapped(void)
{
	int (*volatile pointer)(void) = cuTestFails;

	kt_api_imports_scan();
	begin();
	CU_ASSERT_EQUAL(cuTest1(5), STAND_IN_STEP(0, 5));
	CU_ASSERT_EQUAL(seen.entered, 1);
	CU_ASSERT_EQUAL(cuTestData, 42);
	(void)pointer;
	CU_ASSERT_EQUAL(call_many(NULL), NULL);
}

/* A signal handler may jump out of any function that it interrupts, such as ioctl(). */
static sigjmp_buf way_back;
static volatile sig_atomic_t armed;

static void jump_back(int signal)
{
	(void)signal;
	if (armed) {
		armed = 0;
		siglongjmp(way_back, 1);
	}
}

static int count_object(struct dl_phdr_info *info, size_t size, void *context)
{
	(void)info;
	(void)size;
	*(size_t *)context += 1;
	return 0;
}

static void *count_objects(void *count)
{
	dl_iterate_phdr(count_object, count);
	return NULL;
}

static void scan_until_interrupted(void)
{
	const struct itimerval soon = {{0, 0}, {0, 50}};
	bool of_api;

	if (sigsetjmp(way_back, 1) == 0) {
		armed = 1;
		setitimer(ITIMER_REAL, &soon, NULL);
		for (;;) {
			kt_api_imports_scan();
			kt_api_imports_definers("cuTest1", &of_api);
		}
	}
}

static void scans_may_be_jumped_out_of(void)
{
	const struct sigaction action = {.sa_handler = jump_back};
	struct timespec late;
	pthread_t thread;
	size_t count = 0;

	sigaction(SIGALRM, &action, NULL);
	for (int i = 0; i < 2000; i++) {
		scan_until_interrupted();
	}
	signal(SIGALRM, SIG_DFL);
	CU_ASSERT_EQUAL_FATAL(pthread_create(&thread, NULL, count_objects, &count), 0);
	clock_gettime(CLOCK_REALTIME, &late);
	late.tv_sec += 5;
	CU_ASSERT_EQUAL_FATAL(pthread_timedjoin_np(thread, NULL, &late), 0);
	CU_ASSERT_TRUE(count > 2);
}

static void kinds_go_by_file_names(void)
{
	CU_ASSERT_STRING_EQUAL(kt_api_library_kind("/usr/lib/libcuda.so.1"), "driver");
	CU_ASSERT_STRING_EQUAL(kt_api_library_kind("libcuda.so.580.159.04"), "driver");
	CU_ASSERT_STRING_EQUAL(kt_api_library_kind("/x/libcudart.so.12"), "runtime");
	CU_ASSERT_STRING_EQUAL(kt_api_library_kind("/x/libcudart-d0da41ae.so.11.0"),
			       "runtime");
	CU_ASSERT_STRING_EQUAL(kt_api_library_kind("/x/libOpenCL.so.1"), "opencl");
	CU_ASSERT_STRING_EQUAL(kt_api_library_kind("/x/libEGL.so.1"), "egl");
	CU_ASSERT_STRING_EQUAL(kt_api_library_kind("/x/libGL.so.1.7.0"), "opengl");
	CU_ASSERT_STRING_EQUAL(kt_api_library_kind("/x/libGLESv2.so.2"), "opengl");
	CU_ASSERT_STRING_EQUAL(kt_api_library_kind("/x/libOpenGL.so.0"), "opengl");
	CU_ASSERT_STRING_EQUAL(kt_api_library_kind("/x/libvulkan.so.1"), "vulkan");
	CU_ASSERT_PTR_NULL(kt_api_library_kind("/x/libEGL_nvidia.so.0"));
	CU_ASSERT_STRING_EQUAL(kt_api_library_kind("/x/libGLX.so.0"), "opengl");
	CU_ASSERT_PTR_NULL(kt_api_library_kind("/x/libGLX_nvidia.so.0"));
	CU_ASSERT_PTR_NULL(kt_api_library_kind("/x/libGLdispatch.so.0"));
	CU_ASSERT_PTR_NULL(kt_api_library_kind("/x/libvulkan_lvp.so"));
	CU_ASSERT_PTR_NULL(kt_api_library_kind("/x/libEGL-none"));
	CU_ASSERT_PTR_NULL(kt_api_library_kind("/usr/lib/libcudadebugger.so.1"));
	CU_ASSERT_PTR_NULL(kt_api_library_kind("/x/libcudnn.so.9"));
	CU_ASSERT_PTR_NULL(kt_api_library_kind("/libcuda.so.1/program"));
	CU_ASSERT_PTR_NULL(kt_api_library_kind(""));
	CU_ASSERT_PTR_NULL(kt_api_library_kind(NULL));
}

static void names_have_apis(void)
{
	CU_ASSERT_STRING_EQUAL(kt_api_of_name("cuInit"), "driver");
	CU_ASSERT_STRING_EQUAL(kt_api_of_name("cuTest1"), "driver");
	CU_ASSERT_STRING_EQUAL(kt_api_of_name("cudaMalloc"), "runtime");
	CU_ASSERT_STRING_EQUAL(kt_api_of_name("clFinish"), "opencl");
	CU_ASSERT_STRING_EQUAL(kt_api_of_name("eglInitialize"), "egl");
	CU_ASSERT_STRING_EQUAL(kt_api_of_name("glClear"), "opengl");
	CU_ASSERT_STRING_EQUAL(kt_api_of_name("vkCreateInstance"), "vulkan");
	CU_ASSERT_PTR_NULL(kt_api_of_name("cudbgApiInit"));
	CU_ASSERT_PTR_NULL(kt_api_of_name("clearenv"));
	CU_ASSERT_PTR_NULL(kt_api_of_name("close"));
	CU_ASSERT_PTR_NULL(kt_api_of_name("glob"));
	CU_ASSERT_PTR_NULL(kt_api_of_name("vkTest1"));
	CU_ASSERT_PTR_NULL(kt_api_of_name(""));
}

/* Functions of this program stand for those of two drivers. */
static void wraps_functions_of_drivers(void)
{
	const uintptr_t first = (uintptr_t)names_have_apis;
	const uintptr_t second = (uintptr_t)kinds_go_by_file_names;
	const uintptr_t stub = kt_api_wrap_any(first, "vkQueueSubmit", "test");

	CU_ASSERT_NOT_EQUAL(stub, first);
	CU_ASSERT_EQUAL(kt_api_function_of(stub), first);
	CU_ASSERT_EQUAL(kt_api_wrap(first, "vkQueueSubmit", "test"), first);
	kt_api_forget_unloaded();
	CU_ASSERT_NOT_EQUAL(kt_api_wrap_any(second, "vkQueueSubmit", "test"), stub);
	CU_ASSERT_EQUAL(kt_api_function_of(stub), first);
	CU_ASSERT_EQUAL(kt_api_wrap_any(first, "vkQueueSubmit", "test"), stub);
	CU_ASSERT_EQUAL(kt_api_wrap_any(stub, "vkQueueSubmit", "test"), stub);
	CU_ASSERT_EQUAL(kt_api_wrap_any(first, "vkNoFunction", "test"), first);
}

/* After thousands of functions were wrapped, the first still has its stub. */
static void grows(void)
{
	uintptr_t first = wrapped("cuTest3");
	uintptr_t function = address_of("cuTest12");
	char name[32];

	for (unsigned i = 0; i < 3000; i++) {
		snprintf(name, sizeof(name), "cuMany%u", i);
		/*
		 * Wraps addresses within cuTest12, as if functions that are not exported
		 * began there.
		 */
		CU_ASSERT_NOT_EQUAL(kt_api_wrap(function + 1 + i % 8, name, "dlsym"),
				    function + 1 + i % 8);
	}
	CU_ASSERT_EQUAL(wrapped("cuTest3"), first);
	TRY(3);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{"kinds depend on file names", kinds_go_by_file_names},
		{"names have APIs", names_have_apis},
		{"wraps functions of drivers", wraps_functions_of_drivers},
		{"imports are wrapped", imports_are_wrapped},
		{"a scan may be left by a jump", scans_may_be_jumped_out_of},
		{"passes integers", hands_on_integers},
		{"passes doubles", hands_on_doubles},
		{"passes structs", hands_on_structs},
		{"reports kernels", reports_kernels},
		{"returns pairs", hands_back_pairs},
		{"keeps alignment", keeps_alignment},
		{"keeps errno", keeps_errno},
		{"nests", nests},
		{"can be unwound", can_be_looked_through},
		{"threads may end in it", threads_may_end_in_it},
		{"may be left by a jump", may_be_jumped_out_of},
		{"wraps nothing within the recorder", wraps_nothing_within_the_recorder},
		{"works at a stack's end", works_at_a_stack_s_end},
		{"names are those exported", names_are_those_exported},
		{"leaves others alone", leaves_others_alone},
		{"stubs name their functions", stubs_name_their_functions},
		{"counts queries", counts_queries},
		{"counts what is not named", counts_what_is_not_named},
		{"choices are by name", choices_are_by_name},
		{"records tables", notes_tables},
		{"grows", grows},
		CU_TEST_INFO_NULL,
	};

	return kt_run_suite("api wrap", tests);
}
