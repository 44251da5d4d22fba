/* SPDX-License-Identifier: MIT */
/*
 * Objects of the kernel's driver: a client is the root of a tree, and below it a handle,
 * which the caller chooses, names one object. With an object goes all that is below it.
 */
#ifndef KTAIL_SOFTGPU_KMD_OBJECTS_H
#define KTAIL_SOFTGPU_KMD_OBJECTS_H

#include "corpus/softgpu/device/store.h"
#include "corpus/softgpu/kmd/kmd.h"

struct kt_kmd_map;

/*
 * Physical memory. The object that it was allocated for holds one reference, and so does
 * every channel whose USERD or error notifier lies in it.
 */
struct kt_kmd_block {
	uint64_t physical;
	unsigned references;
};

struct kt_kmd_memory {
	struct kt_kmd_block *block; /* NULL: memory of the user's, called `user` */
	uint64_t user;
	uint64_t bytes;
	unsigned cpu_mappings;   /* by 0x4e, less those undone by 0x4f */
	struct kt_kmd_map *maps; /* Weak: where it is in the GPU's address space */
};

struct kt_kmd_channel {
	struct kt_gpu_channel *channel; /* Owned by this */
	struct kt_kmd_block *userd;     /* one reference each; NULL: none */
	struct kt_kmd_block *notifier;
	uint32_t token;
	bool registered; /* with nvidia-uvm */
};

struct kt_kmd_object {
	struct kt_kmd_object *next_in_bucket;
	struct kt_kmd_object *parent;   /* Weak; NULL: a client */
	struct kt_kmd_object *children; /* the youngest first */
	struct kt_kmd_object *older;    /* siblings */
	struct kt_kmd_object *younger;
	const struct kt_kmd_class *class;
	uint32_t client;
	uint32_t handle;
	uint64_t maker; /* of a client: the number of the file that it was made by */
	union {
		struct kt_kmd_memory memory;
		struct kt_kmd_channel channel;
		struct kt_gpu_space *space; /* Owned by this */
		uint32_t space_handle; /* of a channel group or context share; 0: none */
		unsigned cpu_mappings; /* usermode, subdevice */
	} u;
	bool scheduled; /* a channel group */
};

/* A class: what its objects need and do. */
struct kt_kmd_class {
	uint32_t number;
	uint32_t parents[2];  /* classes; 0: none */
	uint32_t params_size; /* of its allocation; 0: none is looked at */
	bool params_needed;
	uint32_t space_type; /* for KT_ABI_GET_ADDR_SPACE_TYPE; 0: cannot be mapped */
	/* May be NULL. `params` has params_size bytes, zeroed if not given; it goes back.
	 */
	uint32_t (*allocate)(struct kt_kmd *kmd, struct kt_kmd_object *object,
			     void *params);
	void (*release)(struct kt_kmd *kmd, struct kt_kmd_object *object);
};

/* NULL: no such class. */
const struct kt_kmd_class *kt_kmd_class_find(uint32_t number);

/* NULL: none. The client itself is found by its handle as both. O(1) for some thousands. */
struct kt_kmd_object *kt_kmd_object_find(const struct kt_kmd *kmd, uint32_t client,
					 uint32_t handle);
/* The same; NULL too if it is of another class. */
struct kt_kmd_object *kt_kmd_object_of_class(const struct kt_kmd *kmd, uint32_t client,
					     uint32_t handle, uint32_t class_number);
/* A memory object: device, system, or the user's. */
struct kt_kmd_object *kt_kmd_object_memory(const struct kt_kmd *kmd, uint32_t client,
					   uint32_t handle);

/* What an allocation begins with; *handle 0: one is chosen. Adds nothing if it fails. */
uint32_t kt_kmd_object_add(struct kt_kmd *kmd, const struct kt_kmd_class *class,
			   uint32_t client, uint32_t parent, uint32_t *handle,
			   struct kt_kmd_object **out);
/* The object and all below it, the youngest first. */
void kt_kmd_object_free(struct kt_kmd *kmd, struct kt_kmd_object *object);

/* The requests 0x2b and 0x29. */
int kt_kmd_allocate(struct kt_kmd_call *call, void *data);
int kt_kmd_free(struct kt_kmd_call *call, void *data);

/* --- memory.c --- */

uint32_t kt_kmd_memory_allocate(struct kt_kmd *kmd, struct kt_kmd_object *object,
				void *params);
void kt_kmd_memory_release(struct kt_kmd *kmd, struct kt_kmd_object *object);
struct kt_kmd_block *kt_kmd_block_hold(struct kt_kmd_block *block);
void kt_kmd_block_drop(struct kt_kmd *kmd, struct kt_kmd_block *block);

/* The requests 0x27, 0x4e, 0x4f, 0x5e. */
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
void kt_kmd_group_schedule(struct kt_kmd_object *group, bool enable);

/* --- controls.c: the request 0x2a --- */

int kt_kmd_control(struct kt_kmd_call *call, void *data);

/* --- uvm.c --- */

/* What is mapped of the memory goes. */
void kt_kmd_unmap_memory(struct kt_kmd *kmd, struct kt_kmd_memory *memory);
/* The registered address space goes, and all that is mapped in it. */
void kt_kmd_forget_space(struct kt_kmd *kmd);

/* NVIDIA's status for a negative errno of the device. */
uint32_t kt_kmd_status(int error);

#endif
