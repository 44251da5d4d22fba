/* SPDX-License-Identifier: MIT */
/*
 * The driver ABI of the software GPU: device files, requests, structs, classes, page
 * offsets and ring layout. Numbers, sizes and offsets equal those of NVIDIA's driver 580 on
 * x86-64, as far as the model uses them; additions of the model are marked. The source is
 * NVIDIA's open-gpu-kernel-modules 580 and open-gpu-doc (MIT). tests/softgpu/kmd/test-abi.c
 * compares sizes and offsets with numbers from that source and with
 * decode/tables/layouts.tsv.
 *
 * This header holds fixed-width types and no code, so a GPL-2.0 kernel module can include
 * it. The user-mode driver reaches the device only by open, ioctl, mmap, munmap and close
 * on these files. The KMD (kernel-mode driver), which runs in user space, can therefore be
 * replaced by a kernel module that implements the files.
 */
#ifndef KTAIL_SOFTGPU_ABI_H
#define KTAIL_SOFTGPU_ABI_H

#ifdef __KERNEL__
#include <linux/types.h>
#else
#include <stdint.h>
#endif

/* --- device files --- */

#define KT_ABI_FILE_CONTROL "/dev/nvidiactl"
#define KT_ABI_FILE_GPU     "/dev/nvidia0" /* the number is kt_abi_card_info.minor */
#define KT_ABI_FILE_UVM     "/dev/nvidia-uvm"
#define KT_ABI_FILE_VERSION "/proc/driver/nvidia/version"
#define KT_ABI_RELEASE      "580.159.04"
#define KT_ABI_VERSION_TEXT                                                                \
	"NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  " KT_ABI_RELEASE         \
	"  Release Build  (ktail software GPU)\n"

#define KT_ABI_GPU_ID    0x100u
#define KT_ABI_PAGE      4096u
#define KT_ABI_BIG_PAGE  0x200000u
#define KT_ABI_MAX_GPUS  32
#define KT_ABI_UUID_SIZE 16

/* --- requests of nvidiactl and nvidia0: _IOWR('F', NR, struct) --- */

#define KT_ABI_TYPE 'F'
enum {
	KT_ABI_NR_ALLOC_MEMORY = 0x27,   /* kt_abi_alloc_memory */
	KT_ABI_NR_FREE = 0x29,           /* kt_abi_free */
	KT_ABI_NR_CONTROL = 0x2a,        /* kt_abi_control */
	KT_ABI_NR_ALLOC = 0x2b,          /* kt_abi_alloc */
	KT_ABI_NR_MAP_MEMORY = 0x4e,     /* kt_abi_map */
	KT_ABI_NR_UNMAP_MEMORY = 0x4f,   /* kt_abi_unmap */
	KT_ABI_NR_UPDATE_MAPPING = 0x5e, /* kt_abi_update_mapping */
	KT_ABI_NR_CARD_INFO = 0xc8,      /* kt_abi_card_info[32] */
	KT_ABI_NR_REGISTER_FD = 0xc9,    /* kt_abi_register_fd, on nvidia0 */
	KT_ABI_NR_SYS_PARAMS = 0xd6,     /* kt_abi_sys_params */
};

/*
 * Values of `status` in the struct of a request. The ioctl itself returns 0 even if
 * `status` is an error. The comments give NVIDIA's names.
 */
enum {
	KT_ABI_OK = 0x00,
	KT_ABI_ILLEGAL_ACTION = 0x16,           /* NV_ERR_ILLEGAL_ACTION */
	KT_ABI_INSERT_DUPLICATE_NAME = 0x19,    /* NV_ERR_INSERT_DUPLICATE_NAME */
	KT_ABI_INSUFFICIENT_RESOURCES = 0x1a,   /* NV_ERR_INSUFFICIENT_RESOURCES */
	KT_ABI_INSUFFICIENT_PERMISSIONS = 0x1b, /* NV_ERR_INSUFFICIENT_PERMISSIONS */
	KT_ABI_INVALID_ADDRESS = 0x1e,          /* NV_ERR_INVALID_ADDRESS */
	KT_ABI_INVALID_ARGUMENT = 0x1f,         /* NV_ERR_INVALID_ARGUMENT */
	KT_ABI_INVALID_CHANNEL = 0x21,          /* NV_ERR_INVALID_CHANNEL */
	KT_ABI_INVALID_CLASS = 0x22,            /* NV_ERR_INVALID_CLASS */
	KT_ABI_INVALID_CLIENT = 0x23,           /* NV_ERR_INVALID_CLIENT */
	KT_ABI_INVALID_DEVICE = 0x26,           /* NV_ERR_INVALID_DEVICE */
	KT_ABI_INVALID_LIMIT = 0x2e,            /* NV_ERR_INVALID_LIMIT */
	KT_ABI_INVALID_OBJECT = 0x31,           /* NV_ERR_INVALID_OBJECT */
	KT_ABI_INVALID_OBJECT_HANDLE = 0x33,    /* NV_ERR_INVALID_OBJECT_HANDLE */
	KT_ABI_INVALID_OBJECT_PARENT = 0x36,    /* NV_ERR_INVALID_OBJECT_PARENT */
	KT_ABI_INVALID_OFFSET = 0x37,           /* NV_ERR_INVALID_OFFSET */
	KT_ABI_INVALID_OWNER = 0x39,            /* NV_ERR_INVALID_OWNER */
	KT_ABI_INVALID_PARAM_STRUCT = 0x3a,     /* NV_ERR_INVALID_PARAM_STRUCT */
	KT_ABI_INVALID_STATE = 0x40,            /* NV_ERR_INVALID_STATE */
	KT_ABI_NO_MEMORY = 0x51,                /* NV_ERR_NO_MEMORY */
	KT_ABI_NOT_SUPPORTED = 0x56,            /* NV_ERR_NOT_SUPPORTED */
	KT_ABI_OBJECT_NOT_FOUND = 0x57,         /* NV_ERR_OBJECT_NOT_FOUND */
	KT_ABI_STATE_IN_USE = 0x63,             /* NV_ERR_STATE_IN_USE */
	KT_ABI_UVM_ADDRESS_IN_USE = 0x68,       /* NV_ERR_UVM_ADDRESS_IN_USE */
};

struct kt_abi_free { /* NVOS00 */
	uint32_t client;
	uint32_t parent;
	uint32_t object;
	uint32_t status;
};

/*
 * NVOS02 with a file descriptor: registers user memory (class KT_ABI_CLASS_OS_DESCRIPTOR).
 */
struct kt_abi_alloc_memory {
	uint32_t client;
	uint32_t parent;
	uint32_t object;
	uint32_t class_number;
	uint32_t flags;
	uint32_t unused0;
	uint64_t address; /* user address, page-aligned */
	uint64_t limit;   /* length - 1 */
	uint32_t status;
	uint32_t unused1;
	int32_t fd; /* -1 */
	uint32_t unused2;
};

struct kt_abi_control { /* NVOS54 */
	uint32_t client;
	uint32_t object;
	uint32_t command;
	uint32_t flags;
	uint64_t params; /* address of the command's struct */
	uint32_t params_size;
	uint32_t status;
};

struct kt_abi_alloc {    /* NVOS64 */
	uint32_t client; /* out, if a client is allocated: the handle of the client */
	uint32_t parent;
	uint32_t object; /* 0 if a client is allocated; out: its handle */
	uint32_t class_number;
	uint64_t params; /* address of the class's struct, or 0 */
	uint64_t rights; /* 0 */
	uint32_t params_size;
	uint32_t flags;
	uint32_t status;
	uint32_t unused;
};

/*
 * NVOS33 with a file descriptor: the next mmap of `fd` at offset 0 maps the object. The
 * driver opens `fd` for this request and closes it after the mmap. It opens nvidia0 for
 * memory that is reached through the GPU's apertures (registers, device memory), and
 * nvidiactl for other memory.
 */
struct kt_abi_map {
	uint32_t client;
	uint32_t device; /* the device, or the subdevice for apertures */
	uint32_t memory;
	uint32_t unused0;
	uint64_t offset; /* offset in the object */
	uint64_t length;
	uint64_t address; /* 0; out: the KMD's name for the mapping */
	uint32_t status;
	uint32_t flags;
	int32_t fd;
	uint32_t unused1;
};

/* Bits of kt_abi_map.flags: NVOS33_FLAGS_... */
enum {
	KT_ABI_MAP_WRITE_ONLY = 0x2,
	KT_ABI_MAP_FIXED = 0x40000,
	KT_ABI_MAP_RESERVE_ON_UNMAP = 0x80000,
};

struct kt_abi_unmap { /* NVOS34; the driver calls munmap afterwards */
	uint32_t client;
	uint32_t device;
	uint32_t memory;
	uint32_t unused0;
	uint64_t address; /* from kt_abi_map, or the new one of kt_abi_update_mapping */
	uint32_t status;
	uint32_t flags;
};

struct kt_abi_update_mapping { /* NVOS56: reports the address where the object was mapped */
	uint32_t client;
	uint32_t device;
	uint32_t memory;
	uint32_t unused0;
	uint64_t old_address;
	uint64_t new_address;
	uint32_t status;
	uint32_t unused1;
};

struct kt_abi_card_info {
	uint8_t valid;
	uint8_t unused0[3];
	struct {
		uint32_t domain;
		uint8_t bus;
		uint8_t slot;
		uint8_t function;
		uint8_t unused;
		uint16_t vendor;
		uint16_t device;
	} pci;
	uint32_t gpu_id;
	uint16_t interrupt_line;
	uint16_t unused1;
	uint64_t reg_address;
	uint64_t reg_size;
	uint64_t fb_address;
	uint64_t fb_size;
	uint32_t minor;
	uint8_t name[10];
	uint8_t unused2[2];
};

struct kt_abi_register_fd {
	int32_t control_fd;
};

struct kt_abi_sys_params {
	uint64_t memblock_size;
};

/* --- classes, each with the struct of its allocation parameters --- */

enum {
	KT_ABI_CLASS_MEMORY_SYSTEM = 0x3e,   /* kt_abi_memory_params */
	KT_ABI_CLASS_MEMORY_LOCAL = 0x40,    /* kt_abi_memory_params */
	KT_ABI_CLASS_CLIENT = 0x41,          /* no parameters */
	KT_ABI_CLASS_OS_DESCRIPTOR = 0x71,   /* allocated with KT_ABI_NR_ALLOC_MEMORY */
	KT_ABI_CLASS_DEVICE = 0x80,          /* kt_abi_device_params */
	KT_ABI_CLASS_SUBDEVICE = 0x2080,     /* kt_abi_subdevice_params */
	KT_ABI_CLASS_CONTEXT_SHARE = 0x9067, /* kt_abi_context_share_params */
	KT_ABI_CLASS_ADDRESS_SPACE = 0x90f1, /* kt_abi_address_space_params */
	KT_ABI_CLASS_CHANNEL_GROUP = 0xa06c, /* kt_abi_channel_group_params */
	KT_ABI_CLASS_USERMODE = 0xc661,      /* kt_abi_usermode_params */
	KT_ABI_CLASS_CHANNEL = 0xc86f,       /* kt_abi_channel_params */
	KT_ABI_CLASS_COPY = 0xc8b5,          /* kt_abi_copy_params */
	KT_ABI_CLASS_COMPUTE = 0xcbc0,       /* kt_abi_compute_params */
};

/* Bits of kt_abi_memory_params.flags: NVOS32_ALLOC_FLAGS_... */
enum {
	KT_ABI_ALLOC_IGNORE_BANK_PLACEMENT = 0x1,
	KT_ABI_ALLOC_ALIGNMENT_FORCE = 0x100,
	KT_ABI_ALLOC_HANDLE_PROVIDED = 0x4000,
	KT_ABI_ALLOC_MAP_NOT_REQUIRED = 0x8000,
	KT_ABI_ALLOC_PERSISTENT = 0x10000,
};

enum { KT_ABI_TYPE_NOTIFIER = 0xd }; /* NVOS32_TYPE_..., member `type` */

/* Fields of kt_abi_memory_params.attr: NVOS32_ATTR_... */
enum {
	KT_ABI_ATTR_LOCATION = 0x6000000, /* a mask of the values of the next row and 0 */
	KT_ABI_ATTR_PCI = 0x2000000,      /* system memory; 0: device memory */
	KT_ABI_ATTR_ALLOW_NONCONTIGUOUS = 0x18000000,
	KT_ABI_ATTR_CACHED = 0x20000000,
};

struct kt_abi_memory_params { /* NV_MEMORY_ALLOCATION_PARAMS */
	uint32_t owner;
	uint32_t type;
	uint32_t flags;
	uint32_t width;
	uint32_t height;
	uint32_t pitch;
	uint32_t attr;
	uint32_t attr2;
	uint32_t format;
	uint32_t compression;
	uint32_t zcull;
	uint32_t unused0;
	uint64_t range_lo;
	uint64_t range_hi;
	uint64_t size; /* rounded up to whole pages */
	uint64_t alignment;
	uint64_t offset; /* out: physical address */
	uint64_t limit;  /* out: size - 1 */
	uint64_t address;
	uint32_t tag_offset;
	uint32_t address_space;
	uint32_t internal_flags;
	uint32_t tag;
	int32_t numa_node;
	uint32_t unused1;
};

struct kt_abi_device_params { /* NV0080_ALLOC_PARAMETERS */
	uint32_t device_id;   /* instance of the GPU */
	uint32_t client_share;
	uint32_t target_client;
	uint32_t target_device;
	uint32_t flags;
	uint32_t unused0;
	uint64_t va_size;
	uint64_t va_start;
	uint64_t va_limit;
	uint32_t va_mode;
	uint32_t unused1;
};

struct kt_abi_subdevice_params {
	uint32_t subdevice_id; /* 0 */
};

struct kt_abi_context_share_params {
	uint32_t address_space;
	uint32_t flags;
	uint32_t subcontext;
};

struct kt_abi_address_space_params { /* NV_VASPACE_ALLOCATION_PARAMETERS */
	uint32_t index;
	uint32_t flags;
	uint64_t size;
	uint64_t start;
	uint64_t limit;
	uint32_t big_page_size;
	uint32_t unused0;
	uint64_t base;
	uint32_t pasid;
	uint32_t unused1;
};

struct kt_abi_channel_group_params {
	uint32_t error;
	uint32_t ecc_error;
	uint32_t address_space;
	uint32_t engine;
	uint8_t is_vgpu;
	uint8_t unused[3];
};

/*
 * Parameters of KT_ABI_CLASS_USERMODE, whose objects are mapped with 64 KiB. Driver 580
 * allocates two of them, distinguished by `bar1`.
 */
struct kt_abi_usermode_params {
	uint8_t bar1;
	uint8_t privileged;
};

struct kt_abi_memory_descriptor {
	uint64_t base;
	uint64_t size;
	uint32_t address_space;
	uint32_t cache;
};

struct kt_abi_channel_params { /* NV_CHANNEL_ALLOC_PARAMS */
	uint32_t error_memory; /* mapped system memory: see "error notifier" below */
	uint32_t buffer;
	uint64_t gpfifo_address; /* GPU address of the ring */
	uint32_t gpfifo_entries; /* a power of two */
	uint32_t flags;
	uint32_t context_share;
	uint32_t address_space;   /* 0: the address space of the channel group */
	uint32_t userd_memory[8]; /* [0]: device or system memory with the USERD */
	uint64_t userd_offset[8]; /* [0]: offset in that memory, a multiple of 512 */
	uint32_t engine;
	uint32_t channel_id;
	uint32_t subdevice;
	uint32_t ecc_error;
	struct kt_abi_memory_descriptor instance;
	struct kt_abi_memory_descriptor userd;
	struct kt_abi_memory_descriptor ramfc;
	struct kt_abi_memory_descriptor method_buffer;
	uint32_t group;
	uint32_t internal_flags;
	struct kt_abi_memory_descriptor error_notifier;
	struct kt_abi_memory_descriptor ecc_notifier;
	uint32_t process;
	uint32_t subprocess;
	uint32_t encrypt_iv[3];
	uint32_t decrypt_iv[3];
	uint32_t hmac_nonce[8];
	uint32_t tpc_config;
	uint32_t unused;
};

struct kt_abi_copy_params { /* NVB0B5_ALLOCATION_PARAMETERS */
	uint32_t version;
	uint32_t engine; /* version 0: number of a copy engine; 1: KT_ABI_ENGINE_... */
};

struct kt_abi_compute_params { /* NV_GR_ALLOCATION_PARAMETERS */
	uint32_t version;
	uint32_t flags;
	uint32_t size;
	uint32_t caps;
};

/* Values of kt_abi_device_params.va_mode and of the `flags` of other structs. */
enum {
	KT_ABI_VA_MULTIPLE_SPACES = 2,       /* NV_DEVICE_ALLOCATION_VAMODE_... */
	KT_ABI_SPACE_EXTERNALLY_OWNED = 0x8, /* by nvidia-uvm */
	KT_ABI_SPACE_ENABLE_PAGE_FAULTING = 0x40,
	KT_ABI_SHARE_ASYNC = 1, /* a subcontext of its own for asynchronous compute */
};

enum {
	KT_ABI_ENGINE_GRAPHICS = 0x1, /* NV2080_ENGINE_TYPE_GR0: compute */
	KT_ABI_ENGINE_COPY0 = 0x9,    /* NV2080_ENGINE_TYPE_COPY0 */
};

/* --- RM controls, each with the struct of its parameters --- */

enum {
	/* Controls of the client. */
	KT_ABI_GET_BUILD_VERSION = 0x101,   /* 40 bytes; zeros are a valid answer */
	KT_ABI_GET_FEATURES = 0x1f0,        /* uint32_t */
	KT_ABI_GET_ATTACHED_IDS = 0x201,    /* kt_abi_gpu_ids */
	KT_ABI_GET_ID_INFO = 0x205,         /* kt_abi_id_info */
	KT_ABI_GET_PROBED_IDS = 0x214,      /* kt_abi_probed_ids */
	KT_ABI_ATTACH_IDS = 0x215,          /* kt_abi_attach_ids */
	KT_ABI_GET_ADDR_SPACE_TYPE = 0xd01, /* kt_abi_addr_space_type */
	KT_ABI_SET_SHARE_POLICY = 0xd04,    /* kt_abi_share_policy, no output */
	/* Controls of the device. */
	KT_ABI_GET_NUM_SUBDEVICES = 0x800280, /* uint32_t */
	KT_ABI_GET_CLASSES = 0x800292,        /* kt_abi_class_list */
	KT_ABI_GET_CHANNEL_LIST = 0x80170d,   /* kt_abi_channel_list */
	/* Controls of the subdevice. */
	KT_ABI_GET_NAME = 0x20800110,            /* kt_abi_name */
	KT_ABI_GET_SHORT_NAME = 0x20800111,      /* char[64] */
	KT_ABI_GET_GID = 0x2080014a,             /* kt_abi_gid */
	KT_ABI_GET_ENGINES = 0x20800170,         /* kt_abi_engines */
	KT_ABI_GET_CTX_BUFFER_SIZE = 0x20801218, /* kt_abi_ctx_buffer_size */
	KT_ABI_GET_FB_INFO = 0x20801303,         /* kt_abi_fb_info */
	KT_ABI_GET_ARCH = 0x20801701,            /* kt_abi_arch */
	KT_ABI_GET_COPY_CAPS = 0x20802a0a,       /* kt_abi_copy_caps */
};

/*
 * Controls of a channel or a channel group. They are macros, because ISO C has no
 * enumerators beyond INT_MAX.
 */
#define KT_ABI_GET_CLASS_ENGINE 0x906f0101u /* kt_abi_class_engine: binds an engine */
#define KT_ABI_GET_TOKEN        0xc36f0108u /* uint32_t: the channel's work-submit token */
#define KT_ABI_SCHEDULE         0xa06c0101u /* kt_abi_schedule, of a channel group */

/*
 * Who may duplicate the client's objects: nvidia-uvm duplicates the address spaces,
 * channels and memory that are registered with it.
 */
struct kt_abi_share_policy { /* RS_SHARE_POLICY */
	uint32_t target;     /* the client */
	uint32_t access;     /* a mask */
	uint16_t type;
	uint8_t action; /* 0: replaces the policies so far */
	uint8_t unused;
};
#define KT_ABI_ACCESS_DUPLICATE 1u
#define KT_ABI_SHARE_PID        4u

struct kt_abi_gpu_ids {
	uint32_t ids[KT_ABI_MAX_GPUS]; /* unused entries: 0xffffffff */
};

struct kt_abi_probed_ids {
	uint32_t ids[KT_ABI_MAX_GPUS]; /* unused entries: 0xffffffff */
	uint32_t excluded[KT_ABI_MAX_GPUS];
	uint32_t flags[KT_ABI_MAX_GPUS];
};

struct kt_abi_attach_ids {
	uint32_t ids[KT_ABI_MAX_GPUS]; /* unused entries: 0xffffffff */
	uint32_t failed;
};

struct kt_abi_id_info {
	uint32_t gpu_id; /* in */
	uint32_t flags;
	uint32_t device_instance;
	uint32_t subdevice_instance;
	uint32_t sli_status;
	uint32_t board;
	uint32_t gpu_instance;
	int32_t numa_node;
};

struct kt_abi_addr_space_type {
	uint32_t object; /* in */
	uint32_t map_flags;
	uint32_t type; /* out: 2 system memory, 3 device memory, 4 registers */
};

struct kt_abi_class_list {
	uint32_t n;
	uint32_t classes[200];
};

struct kt_abi_channel_list {
	uint32_t n;
	uint32_t unused;
	uint64_t handles;  /* address of n handles */
	uint64_t channels; /* address to which the KMD writes n channel numbers */
};

struct kt_abi_name {
	uint32_t flags; /* 0: ASCII */
	char text[128]; /* Unicode has 16 bits a character */
};

/* Address range that a channel's engine state needs in its address space. */
struct kt_abi_ctx_buffer_size {
	uint32_t channel;
	uint32_t unused;
	uint64_t bytes; /* out */
};

struct kt_abi_gid {
	uint32_t index;
	uint32_t flags;
	uint32_t length; /* out: 16 */
	uint8_t data[256];
};

struct kt_abi_engines {
	uint32_t n;
	uint32_t engines[84];
};

#define KT_ABI_MAX_COPY_ENGINES 64

/*
 * NV2080_CTRL_CE_GET_ALL_CAPS_PARAMS. A copy engine with KT_ABI_COPY_GRCE shares the
 * runlist of graphics and compute, so that a channel may have objects of both.
 */
struct kt_abi_copy_caps {
	uint8_t caps[KT_ABI_MAX_COPY_ENGINES][2];
	uint64_t present; /* a mask of the engines' numbers */
};
enum { KT_ABI_COPY_GRCE = 0x1 }; /* NV2080_CTRL_CE_CAPS_CE_GRCE, in byte 0 */

/* The driver writes the indices, and the KMD writes the data for each index. */
struct kt_abi_fb_info {
	uint32_t n;
	struct {
		uint32_t index;
		uint32_t data;
	} list[128];
};

enum {
	KT_ABI_FB_INFO_TOTAL_KIB = 0x8, /* NV2080_CTRL_FB_INFO_INDEX_TOTAL_RAM_SIZE */
	KT_ABI_FB_INFO_FREE_KIB = 0x13, /* NV2080_CTRL_FB_INFO_INDEX_HEAP_FREE */
};

struct kt_abi_arch {
	uint32_t architecture;
	uint32_t implementation;
	uint32_t revision;
	uint8_t subrevision;
	uint8_t unused[3];
};
#define KT_ABI_ARCH_HOPPER 0x180u
/* Addition of the model, which executes no machine code; a GH100 is number 0. */
#define KT_ABI_IMPLEMENTATION_MODEL 0xffu

struct kt_abi_class_engine {
	uint32_t object;       /* in */
	uint32_t class_engine; /* out: class << 16 | low half of the data of SET_OBJECT */
	uint32_t class_number;
	uint32_t engine;
};

struct kt_abi_schedule {
	uint8_t enable;
	uint8_t skip_submit;
	uint8_t skip_enable;
};

/* --- requests of nvidia-uvm: the raw number, no _IOC encoding --- */

enum {
	KT_ABI_UVM_CREATE_RANGE_GROUP = 0x17,  /* kt_abi_uvm_range_group */
	KT_ABI_UVM_DESTROY_RANGE_GROUP = 0x18, /* kt_abi_uvm_range_group */
	KT_ABI_UVM_REGISTER_SPACE = 0x19,      /* kt_abi_uvm_register_space */
	KT_ABI_UVM_UNREGISTER_SPACE = 0x1a,    /* kt_abi_uvm_gpu */
	KT_ABI_UVM_REGISTER_CHANNEL = 0x1b,    /* kt_abi_uvm_register_channel */
	KT_ABI_UVM_UNREGISTER_CHANNEL = 0x1c,  /* kt_abi_uvm_unregister_channel */
	KT_ABI_UVM_MAP_EXTERNAL = 0x21,        /* kt_abi_uvm_map_external */
	KT_ABI_UVM_FREE = 0x22,                /* kt_abi_uvm_free */
	KT_ABI_UVM_REGISTER_GPU = 0x25,        /* kt_abi_uvm_register_gpu */
	KT_ABI_UVM_UNREGISTER_GPU = 0x26,      /* kt_abi_uvm_gpu */
	KT_ABI_UVM_PAGEABLE_ACCESS = 0x27,     /* kt_abi_uvm_pageable */
	KT_ABI_UVM_CREATE_EXTERNAL = 0x49,     /* kt_abi_uvm_range */
	KT_ABI_UVM_MM_INITIALIZE = 0x4b,       /* kt_abi_uvm_mm */
	KT_ABI_UVM_INITIALIZE = 0x30000001,    /* kt_abi_uvm_initialize */
};

struct kt_abi_uvm_initialize {
	uint64_t flags;
	uint32_t status;
	uint32_t unused;
};

/* This request is issued on a second descriptor of nvidia-uvm, which stays open. */
struct kt_abi_uvm_mm {
	int32_t fd; /* the first descriptor, on which KT_ABI_UVM_INITIALIZE was issued */
	uint32_t status;
};

struct kt_abi_uvm_pageable {
	uint8_t can; /* out: 0 */
	uint8_t unused[3];
	uint32_t status;
};

struct kt_abi_uvm_register_gpu {
	uint8_t uuid[KT_ABI_UUID_SIZE];
	uint8_t numa_enabled;
	uint8_t unused[3];
	int32_t numa_node;
	int32_t control_fd; /* -1, unless a partition of the GPU is registered */
	uint32_t client;
	uint32_t partition;
	uint32_t status;
};

struct kt_abi_uvm_gpu {
	uint8_t uuid[KT_ABI_UUID_SIZE];
	uint32_t status;
};

struct kt_abi_uvm_register_space {
	uint8_t uuid[KT_ABI_UUID_SIZE];
	int32_t control_fd;
	uint32_t client;
	uint32_t address_space;
	uint32_t status;
};

/* Reserves GPU addresses [base, base + length) for KT_ABI_UVM_MAP_EXTERNAL. */
struct kt_abi_uvm_range {
	uint64_t base;
	uint64_t length;
	uint32_t status;
	uint32_t unused;
};

struct kt_abi_uvm_map_external {
	uint64_t base;
	uint64_t length;
	uint64_t offset; /* offset in the memory object */
	struct {
		uint8_t uuid[KT_ABI_UUID_SIZE];
		uint32_t mapping_type;
		uint32_t caching_type;
		uint32_t format_type;
		uint32_t element_bits;
		uint32_t compression_type;
	} gpus[256];
	uint64_t n_gpus;
	int32_t control_fd;
	uint32_t client;
	uint32_t memory;
	uint32_t status;
};

/* Frees the range that begins at `base` and all mappings in it. */
struct kt_abi_uvm_free {
	uint64_t base;
	uint64_t length;
	uint32_t status;
	uint32_t unused;
};

struct kt_abi_uvm_range_group {
	uint64_t id;
	uint32_t status;
	uint32_t unused;
};

struct kt_abi_uvm_register_channel {
	uint8_t uuid[KT_ABI_UUID_SIZE];
	int32_t control_fd;
	uint32_t client;
	uint32_t channel;
	uint32_t unused0;
	uint64_t base; /* range that nvidia-uvm uses for the engine state */
	uint64_t length;
	uint32_t status;
	uint32_t unused1;
};

struct kt_abi_uvm_unregister_channel {
	uint8_t uuid[KT_ABI_UUID_SIZE];
	uint32_t client;
	uint32_t channel;
	uint32_t status;
};

/* --- register pages, and the error notifier --- */

/* Layout of a mapped usermode object. */
#define KT_ABI_USERMODE_BYTES    0x10000u
#define KT_ABI_USERMODE_TIME_LO  0x80u /* nanoseconds, low dword */
#define KT_ABI_USERMODE_TIME_HI  0x84u
#define KT_ABI_USERMODE_DOORBELL 0x90u /* write: a channel's work-submit token */

/*
 * The error notifier of a channel: 16 bytes at offset 0 of its error memory. The device
 * writes time and number before the status, because the driver checks the status first.
 * Status 0 means no error.
 */
struct kt_abi_notification {
	uint64_t time;   /* nanoseconds */
	uint32_t number; /* Xid, see below */
	uint16_t code;
	uint16_t status; /* 0xffff: the channel is dead */
};
enum {
	KT_ABI_XID_NO_METHOD = 11,    /* the engine's class does not have the method */
	KT_ABI_XID_GR_EXCEPTION = 13, /* graphics engine exception */
	KT_ABI_XID_MMU_FAULT = 31,
	KT_ABI_XID_PBDMA_ERROR = 32,    /* bad ring entry or method header */
	KT_ABI_XID_COPY_EXCEPTION = 39, /* copy engine exception */
};

/*
 * Addition of the model: a range of GPU registers for the transfer methods that need no
 * channel. It is mapped through the subdevice at offset KT_ABI_TRANSFER_OFFSET. Layout:
 * corpus/softgpu/README.md, "Transfers".
 */
#define KT_ABI_TRANSFER_OFFSET 0x700000u
#define KT_ABI_TRANSFER_BYTES  0x11000u
#define KT_ABI_WINDOW_BYTES    0x10000u /* size of the window, which is at offset 0 */
#define KT_ABI_CHUNK_BYTES     256u
#define KT_ABI_MAILBOXES       4
struct kt_abi_transfer_registers { /* at offset KT_ABI_WINDOW_BYTES */
	uint64_t window_base;      /* GPU address that the window should show */
	uint32_t window_request;   /* incremented by the driver after it sets window_base */
	uint32_t window_done;      /* set to window_request by the device when ready */
	struct {
		uint64_t from;  /* GPU address */
		uint64_t to;    /* GPU address */
		uint32_t bytes; /* at most KT_ABI_CHUNK_BYTES */
		uint32_t request;
		uint32_t done;  /* written by the device */
		uint32_t error; /* written by the device: 0, or an Xid */
	} mailboxes[KT_ABI_MAILBOXES];
};

#endif
