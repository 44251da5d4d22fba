/* SPDX-License-Identifier: MIT */
/*
 * Ground truth for labels: the driver's code states the purpose of its own accesses, for
 * comparison with labels inferred from a trace. A label applies to the thread that sets it,
 * from the place where it is set to the end of the block; a label that an inner block sets
 * replaces it up to the end of the inner block. Every request and every access to mapped
 * memory has a label.
 *
 * With KTAIL_SOFTGPU_LABELS=FILE each change appends a line to the file (which processes
 * may share): TIME, PID, TID, WHAT, TEXT, separated by tabs. TIME is CLOCK_MONOTONIC in
 * ns, taken before the labelled section begins and after it ends; LTTng's trace clock is
 * the same clock plus an offset, so every event of the thread lies between two lines.
 * WHAT is "label" (TEXT is the new label, or "" for none), "enter" or "leave" (TEXT is the
 * symbol of an exported function). Without the variable, a label costs only two reads of an
 * integer.
 */
#ifndef KTAIL_SOFTGPU_DRIVER_LABELS_H
#define KTAIL_SOFTGPU_DRIVER_LABELS_H

#include <stddef.h>

/*
 * Labels with the names used in annotated machines (ktail-annotate). ASK is for queries
 * about the computer, its driver or its GPUs; a query about an object that is being created
 * has the label of the creation. MAP_DOORBELL is for both usermode mappings.
 */
/* clang-format off */
#define KT_SOFTGPU_LABELS(X) \
	X(OPEN_DRIVER, "open the driver") \
	X(ASK, "ask what the GPU can do") \
	X(CREATE_SPACE, "create address space") \
	X(MAP_DOORBELL, "map the doorbell") \
	X(CREATE_GROUP, "create channel group") \
	X(CREATE_CHANNEL, "create channel") \
	X(ENABLE_CHANNEL, "enable channel") \
	X(CREATE_ENGINE, "create engine object") \
	X(ALLOCATE_MEMORY, "allocate memory") \
	X(MAP_MEMORY, "map memory") \
	X(GIVE_MEMORY, "give memory to the GPU") \
	X(REGISTER_MEMORY, "register host memory") \
	X(UNREGISTER_MEMORY, "unregister host memory") \
	X(TAKE_MEMORY, "take memory from the GPU") \
	X(UNMAP_MEMORY, "unmap memory") \
	X(FREE_MEMORY, "free memory") \
	X(DESTROY_CHANNEL, "destroy channel") \
	X(DESTROY_GROUP, "destroy channel group") \
	X(DESTROY_ENGINE, "destroy engine object") \
	X(CLOSE_DRIVER, "close the driver") \
	X(WRITE_COMMANDS, "write commands") \
	X(WRITE_RING, "write ring entry") \
	X(CHECK_NOTIFIER, "check error notifier") \
	X(SUBMIT_LAUNCH, "submit: launch") \
	X(SUBMIT_GRAPH, "submit: graph launch") \
	X(SUBMIT_INLINE, "submit: inline copy") \
	X(SUBMIT_COPY, "submit: copy") \
	X(SUBMIT_FILL, "submit: fill") \
	X(SUBMIT_RELEASE, "submit: semaphore release") \
	X(SUBMIT_SETUP, "submit: setup") \
	X(SUBMIT_NOTHING, "submit: nothing") \
	X(POLL, "poll for completion") \
	X(CHECK_PROGRESS, "check progress") \
	X(READ_TIMER, "read timer") \
	X(WRITE_STAGING, "write staging memory") \
	X(READ_STAGING, "read staging memory") \
	X(READ_MEMORY, "read memory") \
	X(WRITE_MEMORY, "write memory")
/* clang-format on */

enum kt_softgpu_label {
	KT_LABEL_NONE = 0,
#define KT_LABEL_ENUM(name, text) KT_LABEL_##name,
	KT_SOFTGPU_LABELS(KT_LABEL_ENUM)
#undef KT_LABEL_ENUM
};

#define KT_LABEL_JOIN(a, b) a##b
#define KT_LABEL_NAME(line) KT_LABEL_JOIN(label_, line)

/* Sets a label from here to the end of the block. */
#define KT_LABEL(name)                                                                     \
	__attribute__((cleanup(kt_label_end), unused)) enum kt_softgpu_label               \
	KT_LABEL_NAME(__LINE__) = kt_label_begin(KT_LABEL_##name)

/* Evaluates the expression under this label. */
#define KT_LABELLED(name, expression)                                                      \
	__extension__({                                                                    \
		KT_LABEL(name);                                                            \
		(expression);                                                              \
	})

/* Sets the label of all submissions up to the end of the block: KT_SUBMITTING(COPY). */
#define KT_SUBMITTING(name)                                                                \
	__attribute__((cleanup(kt_submitting_end), unused)) enum kt_softgpu_label          \
	KT_LABEL_NAME(__LINE__) = kt_submitting_begin(KT_LABEL_SUBMIT_##name)

/* From here to the end of the block, sets the label that KT_SUBMITTING chose. */
#define KT_LABEL_SUBMISSION()                                                              \
	__attribute__((cleanup(kt_label_end), unused)) enum kt_softgpu_label               \
	KT_LABEL_NAME(__LINE__) = kt_label_begin(kt_submitting())

/* Writes "enter" here and "leave" at the end of the exported function `symbol`. */
#define KT_LABEL_CALL(symbol)                                                              \
	__attribute__((cleanup(kt_label_call_end), unused)) const char *KT_LABEL_NAME(     \
		__LINE__) = kt_label_call_begin(symbol)

enum { KT_LABELS_UNKNOWN, KT_LABELS_OFF, KT_LABELS_ON };
extern int kt_labels_state; /* atomic; used only by the functions below */

/*
 * Opens the file that KTAIL_SOFTGPU_LABELS names, if any, once per process. Returns -1 if
 * the file cannot be opened.
 */
int kt_labels_open(void);

/* kt_label_set and kt_submitting_set return the previous label. */
enum kt_softgpu_label kt_label_set(enum kt_softgpu_label label);
enum kt_softgpu_label kt_submitting(void);
enum kt_softgpu_label kt_submitting_set(enum kt_softgpu_label label);
void kt_label_call(const char *what, const char *symbol);

static inline int kt_labels_are_on(void)
{
	return __atomic_load_n(&kt_labels_state, __ATOMIC_RELAXED) == KT_LABELS_ON;
}

static inline enum kt_softgpu_label kt_label_begin(enum kt_softgpu_label label)
{
	return kt_labels_are_on() ? kt_label_set(label) : KT_LABEL_NONE;
}

static inline void kt_label_end(const enum kt_softgpu_label *before)
{
	if (kt_labels_are_on()) {
		kt_label_set(*before);
	}
}

static inline enum kt_softgpu_label kt_submitting_begin(enum kt_softgpu_label label)
{
	return kt_labels_are_on() ? kt_submitting_set(label) : KT_LABEL_NONE;
}

static inline void kt_submitting_end(const enum kt_softgpu_label *before)
{
	if (kt_labels_are_on()) {
		kt_submitting_set(*before);
	}
}

/* Returns NULL if nothing was written. */
static inline const char *kt_label_call_begin(const char *symbol)
{
	int state = __atomic_load_n(&kt_labels_state, __ATOMIC_RELAXED);

	if (state == KT_LABELS_UNKNOWN) {
		(void)kt_labels_open();
	}
	if (!kt_labels_are_on()) {
		return NULL;
	}
	kt_label_call("enter", symbol);
	return symbol;
}

static inline void kt_label_call_end(const char *const *symbol)
{
	if (*symbol) {
		kt_label_call("leave", *symbol);
	}
}

#endif
