/* SPDX-License-Identifier: MIT */
/*
 * Objects of the resource manager: a client is the root of a tree, in which each object has
 * a handle that the caller or the KMD chose. Freeing an object frees all objects below it.
 */
#ifndef KTAIL_SOFTGPU_KMD_OBJECTS_H
#define KTAIL_SOFTGPU_KMD_OBJECTS_H

#include "corpus/softgpu/device/store.h"
#include "corpus/softgpu/kmd/kmd.h"

/* Answer of KT_ABI_GET_CTX_BUFFER_SIZE, that of an H200 with driver 580. */
#define KT_KMD_ENGINE_STATE_BYTES UINT64_C(0x52f000)

struct kt_kmd_map;

/*
 * Physical memory. References are held by the object that it was allocated for, and by
 * every channel whose USERD or error notifier lies in it.
 */
struct kt_kmd_block {
	uint64_t physical;
	unsigned references;
};

struct kt_kmd_memory {
	struct kt_kmd_block *block; /* NULL: registered user memory, named by `user` */
	uint64_t user;
	uint64_t bytes;
	unsigned cpu_mappings;   /* number of 0x4e requests minus 0x4f requests */
	struct kt_kmd_map *maps; /* Weak: mappings of the memory for the GPU */
};

struct kt_kmd_channel {
	struct kt_gpu_channel *channel; /* Owned by this */
	struct kt_kmd_block *userd;     /* `userd`, `notifier`: references; NULL: none */
	struct kt_kmd_block *notifier;
	uint32_t token;
	bool registered; /* registered with nvidia-uvm */
};

struct kt_kmd_object {
	struct kt_kmd_object *next_in_bucket;
	struct kt_kmd_object *parent;   /* Weak; NULL: a client */
	struct kt_kmd_object *children; /* the youngest child */
	struct kt_kmd_object *older;    /* the next older sibling */
	struct kt_kmd_object *younger;  /* the next younger sibling */
	const struct kt_kmd_class *class;
	uint32_t client;
	uint32_t handle;
	uint64_t maker; /* of a client: number of the file that created it */
	union {
		struct kt_kmd_memory memory;
		struct kt_kmd_channel channel;
		struct kt_gpu_space *space; /* Owned by this */
		uint32_t space_handle; /* of a channel group or context share; 0: none */
		unsigned cpu_mappings; /* of usermode and subdevice objects */
		bool closed;           /* of a client: nothing may duplicate its objects */
		uint32_t engine;       /* of an engine object: KT_ABI_ENGINE_... */
	} u;
	bool scheduled; /* of a channel group */
};

/* A class: requirements and operations of its objects. */
struct kt_kmd_class {
	uint32_t number;
	uint32_t parents[2];  /* allowed parent classes; 0: none */
	uint32_t params_size; /* size of the allocation parameters; 0: they are ignored */
	bool params_needed;
	uint32_t space_type; /* answer of KT_ABI_GET_ADDR_SPACE_TYPE; 0: not mappable */
	/*
	 * May be NULL. `params` has params_size bytes, all zero if the caller passed no
	 * parameters, and is copied back to the caller.
	 */
	uint32_t (*allocate)(struct kt_kmd *kmd, struct kt_kmd_object *object,
			     void *params);
	void (*release)(struct kt_kmd *kmd, struct kt_kmd_object *object);
};

/* Returns NULL if the class is unknown. */
const struct kt_kmd_class *kt_kmd_class_find(uint32_t number);

/*
 * Returns NULL if there is no such object. To find a client, pass its handle as both
 * `client` and `handle`. O(1) for some thousands of objects.
 */
struct kt_kmd_object *kt_kmd_object_find(const struct kt_kmd *kmd, uint32_t client,
					 uint32_t handle);
/* Like kt_kmd_object_find(), but returns NULL for an object of another class. */
struct kt_kmd_object *kt_kmd_object_of_class(const struct kt_kmd *kmd, uint32_t client,
					     uint32_t handle, uint32_t class_number);
/* Returns a memory object of any kind: device, system, or user memory. */
struct kt_kmd_object *kt_kmd_object_memory(const struct kt_kmd *kmd, uint32_t client,
					   uint32_t handle);

/*
 * Creates an object. If *handle is 0, the KMD chooses a handle and stores it there. Leaves
 * the tree unchanged on failure.
 */
uint32_t kt_kmd_object_add(struct kt_kmd *kmd, const struct kt_kmd_class *class,
			   uint32_t client, uint32_t parent, uint32_t *handle,
			   struct kt_kmd_object **out);
/* Frees the object and all objects below it, the youngest first. */
void kt_kmd_object_free(struct kt_kmd *kmd, struct kt_kmd_object *object);

/* Handle the requests 0x2b and 0x29. */
int kt_kmd_allocate(struct kt_kmd_call *call, void *data);
int kt_kmd_free(struct kt_kmd_call *call, void *data);

/* --- memory.c --- */

uint32_t kt_kmd_memory_allocate(struct kt_kmd *kmd, struct kt_kmd_object *object,
				void *params);
void kt_kmd_memory_release(struct kt_kmd *kmd, struct kt_kmd_object *object);
struct kt_kmd_block *kt_kmd_block_hold(struct kt_kmd_block *block);
void kt_kmd_block_drop(struct kt_kmd *kmd, struct kt_kmd_block *block);

/* Handle the requests 0x27, 0x4e, 0x4f, 0x5e. */
int kt_kmd_register_memory(struct kt_kmd_call *call, void *data);
int kt_kmd_map(struct kt_kmd_call *call, void *data);
int kt_kmd_unmap(struct kt_kmd_call *call, void *data);
int kt_kmd_update_mapping(struct kt_kmd_call *call, void *data);

/* --- channels.c --- */

uint32_t kt_kmd_group_allocate(struct kt_kmd *kmd, struct kt_kmd_object *object,
			       void *params);
uint32_t kt_kmd_share_allocate(struct kt_kmd *kmd, struct kt_kmd_object *object,
			       void *params);
uint32_t kt_kmd_channel_allocate(struct kt_kmd *kmd, struct kt_kmd_object *object,
				 void *params);
void kt_kmd_channel_release(struct kt_kmd *kmd, struct kt_kmd_object *object);
uint32_t kt_kmd_engine_allocate(struct kt_kmd *kmd, struct kt_kmd_object *object,
				void *params);
/* Number of copy engines, all on the runlist of compute. */
#define KT_KMD_COPY_ENGINES 2u
void kt_kmd_group_schedule(struct kt_kmd_object *group, bool enable);

/* --- controls.c: the request 0x2a --- */

int kt_kmd_control(struct kt_kmd_call *call, void *data);

/* --- uvm.c --- */

/* Removes all mappings of the memory. */
void kt_kmd_unmap_memory(struct kt_kmd *kmd, struct kt_kmd_memory *memory);
/* Removes the registered address space and all its mappings. */
void kt_kmd_forget_space(struct kt_kmd *kmd);

/* Returns NVIDIA's status for a negative errno of the device. */
uint32_t kt_kmd_status(int error);

#endif
