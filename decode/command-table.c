/* SPDX-License-Identifier: MIT */
/*
 * Lists the methods that make up commands, by family of classes and range of class numbers.
 * The mask of a row has the bits of the method that exist in this range of classes. Within
 * a family, newer generations have higher class numbers. Source: NVIDIA's open-gpu-doc,
 * class headers cl906f to clca6f, cla0b5 to clcab5, cla0c0 to clcec0, cla097 to clce97,
 * cla040 and cla140 (MIT).
 */
#include "decode/command-state.h"

#include <string.h>

#include "decode/method-names.h"

#define LAST 0xffff
#define ALL  UINT32_MAX

/* Masks of the upper half of addresses of 40, 49 and 57 bits. */
#define UPPER_40 0xffu
#define UPPER_49 0x1ffffu
#define UPPER_57 0x1ffffffu

struct row {
	uint16_t offset;
	uint16_t count; /* number of consecutive methods; 0 means one */
	uint16_t first; /* range of class numbers, `last` included */
	uint16_t last;
	uint32_t mask;
	uint8_t code;
};

#define ROW(name, first, last, mask, code)                                                 \
	{                                                                                  \
		name, 0, first, last, mask, code                                           \
	}
#define UPPER_OF_COPY(name, code)                                                          \
	ROW(name, 0xa0b5, 0xb0b5, UPPER_40, code),                                         \
		ROW(name, 0xc0b5, 0xc7b5, UPPER_49, code),                                 \
		ROW(name, 0xc8b5, LAST, UPPER_57, code)

/*
 * In LAUNCH_DMA, bit 23 (scrub) exists from class 0xc8b5 on, and bit 27 (64-bit payload)
 * from 0xc7b5 on.
 */
static const struct row copy[] = {
	UPPER_OF_COPY(KT_C8B5_OFFSET_IN_UPPER, KT_REG_FROM_UPPER),
	ROW(KT_C8B5_OFFSET_IN_LOWER, 0xa0b5, LAST, ALL, KT_REG_FROM_LOWER),
	UPPER_OF_COPY(KT_C8B5_OFFSET_OUT_UPPER, KT_REG_TO_UPPER),
	ROW(KT_C8B5_OFFSET_OUT_LOWER, 0xa0b5, LAST, ALL, KT_REG_TO_LOWER),
	ROW(KT_C8B5_LINE_LENGTH_IN, 0xa0b5, LAST, ALL, KT_REG_LENGTH),
	ROW(KT_C8B5_LINE_COUNT, 0xa0b5, LAST, ALL, KT_REG_LINES),
	ROW(KT_C8B5_SET_REMAP_COMPONENTS, 0xa0b5, LAST, ALL, KT_REG_REMAP),
	UPPER_OF_COPY(KT_C8B5_SET_SEMAPHORE_A, KT_REG_DONE_UPPER),
	ROW(KT_C8B5_SET_SEMAPHORE_B, 0xa0b5, LAST, ALL, KT_REG_DONE_LOWER),
	ROW(KT_C8B5_SET_SEMAPHORE_PAYLOAD, 0xa0b5, LAST, ALL, KT_REG_DONE_PAYLOAD),
	ROW(KT_C8B5_SET_SEMAPHORE_PAYLOAD_UPPER, 0xc7b5, LAST, ALL,
	    KT_REG_DONE_PAYLOAD_UPPER),
	ROW(KT_C8B5_LAUNCH_DMA, 0xa0b5, 0xc6b5, 0x077fffff, KT_DO_COPY),
	ROW(KT_C8B5_LAUNCH_DMA, 0xc7b5, 0xc7b5, 0x0f7fffff, KT_DO_COPY),
	ROW(KT_C8B5_LAUNCH_DMA, 0xc8b5, LAST, 0x0fffffff, KT_DO_COPY),
};

/* Methods that the inline-to-memory, compute and 3D classes have. */
#define INLINE_TO_MEMORY(first)                                                            \
	ROW(KT_CBC0_WAIT_FOR_IDLE, first, LAST, ALL, KT_DO_WAIT),                          \
		ROW(KT_CBC0_LINE_LENGTH_IN, first, LAST, ALL, KT_REG_LENGTH),              \
		ROW(KT_CBC0_LINE_COUNT, first, LAST, ALL, KT_REG_LINES),                   \
		ROW(KT_CBC0_OFFSET_OUT, first, LAST, ALL, KT_REG_TO_LOWER),                \
		ROW(KT_CBC0_PITCH_OUT, first, LAST, ALL, KT_REG_PITCH),                    \
		ROW(KT_CBC0_SET_I2M_SEMAPHORE_B, first, LAST, ALL, KT_REG_DONE_LOWER),     \
		ROW(KT_CBC0_SET_I2M_SEMAPHORE_C, first, LAST, ALL, KT_REG_DONE_PAYLOAD),   \
		ROW(KT_CBC0_LAUNCH_DMA, first, LAST, ALL, KT_DO_INLINE),                   \
		ROW(KT_CBC0_LOAD_INLINE_DATA, first, LAST, ALL, KT_DO_INLINE_DATA)

static const struct row inline_to_memory[] = {
	INLINE_TO_MEMORY(0xa040),
	ROW(KT_CBC0_OFFSET_OUT_UPPER, 0xa040, 0xa040, UPPER_40, KT_REG_TO_UPPER),
	ROW(KT_CBC0_OFFSET_OUT_UPPER, 0xa140, LAST, UPPER_57, KT_REG_TO_UPPER),
	ROW(KT_CBC0_SET_I2M_SEMAPHORE_A, 0xa040, 0xa040, UPPER_40, KT_REG_DONE_UPPER),
	ROW(KT_CBC0_SET_I2M_SEMAPHORE_A, 0xa140, LAST, UPPER_57, KT_REG_DONE_UPPER),
};

#define INVALIDATE(offset, first, last) ROW(offset, first, last, ALL, KT_DO_INVALIDATE)

/*
 * Semaphores of the compute and 3D classes: `newer` is the first class with the newer form,
 * `last_40` the last one whose addresses have 40 bits, and `first_57` the next one.
 */
#define REPORT_SEMAPHORES(first, newer, last_40, first_57)                                 \
	ROW(KT_CBC0_SET_REPORT_SEMAPHORE_A, first, last_40, UPPER_40,                      \
	    KT_REG_REPORT_UPPER),                                                          \
		ROW(KT_CBC0_SET_REPORT_SEMAPHORE_A, first_57, LAST, UPPER_57,              \
		    KT_REG_REPORT_UPPER),                                                  \
		ROW(KT_CBC0_SET_REPORT_SEMAPHORE_B, first, LAST, ALL,                      \
		    KT_REG_REPORT_LOWER),                                                  \
		ROW(KT_CBC0_SET_REPORT_SEMAPHORE_C, first, LAST, ALL,                      \
		    KT_REG_REPORT_PAYLOAD),                                                \
		ROW(KT_CBC0_SET_REPORT_SEMAPHORE_D, first, LAST, ALL, KT_DO_REPORT),       \
		ROW(KT_CBC0_SET_REPORT_SEMAPHORE_PAYLOAD_LOWER, newer, LAST, ALL,          \
		    KT_REG_EXECUTE_PAYLOAD),                                               \
		ROW(KT_CBC0_SET_REPORT_SEMAPHORE_PAYLOAD_UPPER, newer, LAST, ALL,          \
		    KT_REG_EXECUTE_PAYLOAD_UPPER),                                         \
		ROW(KT_CBC0_SET_REPORT_SEMAPHORE_ADDRESS_LOWER, newer, LAST, ALL,          \
		    KT_REG_EXECUTE_LOWER),                                                 \
		ROW(KT_CBC0_SET_REPORT_SEMAPHORE_ADDRESS_UPPER, newer, last_40, UPPER_40,  \
		    KT_REG_EXECUTE_UPPER),                                                 \
		ROW(KT_CBC0_SET_REPORT_SEMAPHORE_ADDRESS_UPPER, first_57, LAST, UPPER_57,  \
		    KT_REG_EXECUTE_UPPER)

static const struct row compute[] = {
	INLINE_TO_MEMORY(0xa0c0),
	ROW(KT_CBC0_OFFSET_OUT_UPPER, 0xa0c0, 0xb1c0, UPPER_40, KT_REG_TO_UPPER),
	ROW(KT_CBC0_OFFSET_OUT_UPPER, 0xc0c0, 0xc9c0, UPPER_49, KT_REG_TO_UPPER),
	ROW(KT_CBC0_OFFSET_OUT_UPPER, 0xcbc0, LAST, UPPER_57, KT_REG_TO_UPPER),
	ROW(KT_CBC0_SET_I2M_SEMAPHORE_A, 0xa0c0, 0xc9c0, UPPER_40, KT_REG_DONE_UPPER),
	ROW(KT_CBC0_SET_I2M_SEMAPHORE_A, 0xcbc0, LAST, UPPER_57, KT_REG_DONE_UPPER),
	/*
	 * Launches. From 0xcbc0 on, bit 30 of SET_INLINE_QMD_ADDRESS_A selects a QMD of 384
	 * bytes.
	 */
	ROW(KT_CBC0_SEND_PCAS_A, 0xa0c0, LAST, ALL, KT_REG_PCAS),
	ROW(KT_CBC0_SEND_PCAS_B, 0xa0c0, LAST, ALL, KT_DO_PCAS),
	ROW(KT_CBC0_SEND_SIGNALING_PCAS_B, 0xa0c0, LAST, ALL, KT_DO_SIGNALING_PCAS),
	ROW(KT_CBC0_SEND_SIGNALING_PCAS2_B, 0xc6c0, LAST, ALL, KT_DO_SIGNALING_PCAS2),
	ROW(KT_CBC0_SET_INLINE_QMD_ADDRESS_A, 0xc0c0, 0xc9c0, 0xffffff, KT_REG_QMD_UPPER),
	ROW(KT_CBC0_SET_INLINE_QMD_ADDRESS_A, 0xcbc0, LAST, 0x400001ff, KT_REG_QMD_UPPER),
	ROW(KT_CBC0_SET_INLINE_QMD_ADDRESS_B, 0xc0c0, LAST, ALL, KT_REG_QMD_LOWER),
	{KT_CBC0_LOAD_INLINE_QMD_DATA, 64, 0xc0c0, 0xc9c0, ALL, KT_DO_QMD_DATA},
	{KT_CBC0_LOAD_INLINE_QMD_DATA, KT_QMD_WORDS, 0xcbc0, LAST, ALL, KT_DO_QMD_DATA},
	REPORT_SEMAPHORES(0xa0c0, 0xc7c0, 0xc9c0, 0xcbc0),
	ROW(KT_CBC0_REPORT_SEMAPHORE_EXECUTE, 0xc7c0, LAST, ALL, KT_DO_REPORT_EXECUTE),
	/* Caches */
	INVALIDATE(KT_CBC0_INVALIDATE_SHADER_CACHES, 0xa0c0, LAST),
	INVALIDATE(KT_CBC0_INVALIDATE_TEXTURE_HEADER_CACHE_NO_WFI, 0xa0c0, LAST),
	INVALIDATE(0x27c, 0xa0c0, 0xc1c0), /* INVALIDATE_CONSTANT_BUFFER_CACHE_C */
	INVALIDATE(KT_CBC0_INVALIDATE_SKED_CACHES, 0xb1c0, LAST),
	INVALIDATE(0x120c, 0xb1c0, 0xc4c0), /* INVALIDATE_SAMPLER_CACHE_ALL */
	INVALIDATE(0x1210, 0xb1c0, 0xc4c0), /* INVALIDATE_TEXTURE_HEADER_CACHE_ALL */
	INVALIDATE(KT_CBC0_INVALIDATE_TEXTURE_DATA_CACHE_NO_WFI, 0xa0c0, LAST),
	INVALIDATE(KT_CBC0_INVALIDATE_SAMPLER_CACHE, 0xa0c0, LAST),
	INVALIDATE(KT_CBC0_INVALIDATE_TEXTURE_HEADER_CACHE, 0xa0c0, LAST),
	INVALIDATE(KT_CBC0_INVALIDATE_TEXTURE_DATA_CACHE, 0xa0c0, LAST),
	INVALIDATE(KT_CBC0_INVALIDATE_SAMPLER_CACHE_NO_WFI, 0xa0c0, LAST),
	INVALIDATE(KT_CBC0_INVALIDATE_SHADER_CACHES_NO_WFI, 0xa0c0, LAST),
	INVALIDATE(0x1458, 0xcec0, LAST), /* INVALIDATE_SAMPLER_CACHE_BY_TAG */
	INVALIDATE(0x145c, 0xcec0, LAST), /* INVALIDATE_TEXTURE_HEADER_CACHE_BY_TAG */
	INVALIDATE(0x1460, 0xcec0, LAST), /* INVALIDATE_TEXTURE_DATA_CACHE_BY_TAG */
	INVALIDATE(0x1930, 0xcec0, LAST), /* 0x1930-0x1938: the three above with _NO_WFI */
	INVALIDATE(0x1934, 0xcec0, LAST),
	INVALIDATE(0x1938, 0xcec0, LAST),
};

#define DRAW(offset, first) ROW(offset, first, LAST, ALL, KT_DO_DRAW)

/*
 * Methods whose every dword is an index (DRAW_INLINE_INDEX) or a vertex are left out,
 * because a draw consists of many such dwords.
 */
static const struct row graphics[] = {
	INLINE_TO_MEMORY(0xa097),
	ROW(KT_CBC0_OFFSET_OUT_UPPER, 0xa097, 0xc997, UPPER_40, KT_REG_TO_UPPER),
	ROW(KT_CBC0_OFFSET_OUT_UPPER, 0xcb97, LAST, UPPER_57, KT_REG_TO_UPPER),
	ROW(KT_CBC0_SET_I2M_SEMAPHORE_A, 0xa097, 0xc997, UPPER_40, KT_REG_DONE_UPPER),
	ROW(KT_CBC0_SET_I2M_SEMAPHORE_A, 0xcb97, LAST, UPPER_57, KT_REG_DONE_UPPER),
	REPORT_SEMAPHORES(0xa097, 0xc797, 0xc997, 0xcb97),
	ROW(KT_CBC0_REPORT_SEMAPHORE_EXECUTE, 0xc797, LAST, ALL, KT_DO_REPORT_EXECUTE_3D),
	ROW(0x19d0, 0xa097, LAST, ALL, KT_DO_CLEAR), /* CLEAR_SURFACE */
	DRAW(0xd78, 0xa097),                         /* DRAW_VERTEX_ARRAY */
	DRAW(0x123c, 0xa097),                        /* DRAW_AUTO */
	DRAW(0x17e0, 0xa097),                        /* DRAW_INDEX_BUFFER */
	DRAW(0x26c, 0xc597),                         /* DRAW_INDEX_BUFFER_BEGIN_END_B */
	DRAW(0x274, 0xc597),                         /* DRAW_VERTEX_ARRAY_BEGIN_END_B */
	/* DRAW_VERTEX_ARRAY_BEGIN_END_INSTANCE_FIRST, _SUBSEQUENT */
	DRAW(0x1214, 0xa097),
	DRAW(0x1218, 0xa097),
	/* DRAW_INDEX_BUFFER32_BEGIN_END_INSTANCE_FIRST, 16, 8; the same with _SUBSEQUENT */
	{0x17e4, 6, 0xa097, LAST, ALL, KT_DO_DRAW},
	/* Caches */
	INVALIDATE(KT_CBC0_INVALIDATE_SHADER_CACHES, 0xa097, LAST),
	INVALIDATE(0x27c, 0xc597, LAST),    /* INVALIDATE_RASTER_CACHE_NO_WFI */
	INVALIDATE(0xda4, 0xa097, LAST),    /* INVALIDATE_SHADER_CACHES_NO_WFI */
	INVALIDATE(0x120c, 0xb197, 0xc397), /* INVALIDATE_SAMPLER_CACHE_ALL */
	INVALIDATE(0x1210, 0xb197, 0xc397), /* INVALIDATE_TEXTURE_HEADER_CACHE_ALL */
	INVALIDATE(KT_CBC0_INVALIDATE_TEXTURE_DATA_CACHE_NO_WFI, 0xa097, LAST),
	INVALIDATE(KT_CBC0_INVALIDATE_SAMPLER_CACHE, 0xa097, LAST),
	INVALIDATE(KT_CBC0_INVALIDATE_TEXTURE_HEADER_CACHE, 0xa097, LAST),
	INVALIDATE(KT_CBC0_INVALIDATE_TEXTURE_DATA_CACHE, 0xa097, LAST),
	INVALIDATE(KT_CBC0_INVALIDATE_SAMPLER_CACHE_NO_WFI, 0xa097, LAST),
	INVALIDATE(0x1428, 0xa097, LAST),   /* INVALIDATE_TEXTURE_HEADER_CACHE_NO_WFI */
	INVALIDATE(0x142c, 0xa097, 0xa297), /* INVALIDATE_DA_DMA_CACHE */
	INVALIDATE(0x1458, 0xce97, LAST),   /* INVALIDATE_SAMPLER_CACHE_BY_TAG */
	INVALIDATE(0x145c, 0xce97, LAST),   /* INVALIDATE_TEXTURE_HEADER_CACHE_BY_TAG */
	INVALIDATE(0x1460, 0xce97, LAST),   /* INVALIDATE_TEXTURE_DATA_CACHE_BY_TAG */
	INVALIDATE(0x1930, 0xa097, 0xa297), /* INVALIDATE_CONSTANT_BUFFER_CACHE */
	INVALIDATE(0x1930, 0xce97, LAST),   /* 0x1930-0x1938: BY_TAG with _NO_WFI */
	INVALIDATE(0x1934, 0xce97, LAST),
	INVALIDATE(0x1938, 0xce97, LAST),
	INVALIDATE(0x1958, 0xa097, LAST), /* INVALIDATE_ZCULL */
};

static const struct row host[] = {
	ROW(0x10, 0x906f, LAST, UPPER_40, KT_REG_REPORT_UPPER), /* SEMAPHOREA */
	ROW(0x14, 0x906f, LAST, ~UINT32_C(3), KT_REG_REPORT_LOWER),
	ROW(0x18, 0x906f, LAST, ALL, KT_REG_REPORT_PAYLOAD),
	/* SEMAPHORED. Bit 4 of the operation, a reduction, exists only in some classes. */
	ROW(0x1c, 0x906f, 0xa06f, ~UINT32_C(0x10), KT_DO_SEMAPHORED),
	ROW(0x1c, 0xa16f, 0xa16f, ALL, KT_DO_SEMAPHORED),
	ROW(0x1c, 0xa26f, 0xa26f, ~UINT32_C(0x10), KT_DO_SEMAPHORED),
	ROW(0x1c, 0xb06f, LAST, ALL, KT_DO_SEMAPHORED),
	INVALIDATE(0x24, 0x906f, LAST),               /* FB_FLUSH */
	ROW(0x2c, 0x906f, 0xa26f, ALL, KT_DO_MEM_OP), /* MEM_OP_B */
	ROW(KT_C86F_MEM_OP_D, 0xb06f, LAST, ALL, KT_DO_MEM_OP),
	ROW(KT_C86F_SEM_ADDR_LO, 0xc36f, LAST, ~UINT32_C(3), KT_REG_EXECUTE_LOWER),
	ROW(KT_C86F_SEM_ADDR_HI, 0xc36f, 0xc76f, UPPER_40, KT_REG_EXECUTE_UPPER),
	ROW(KT_C86F_SEM_ADDR_HI, 0xc86f, LAST, UPPER_57, KT_REG_EXECUTE_UPPER),
	ROW(KT_C86F_SEM_PAYLOAD_LO, 0xc36f, LAST, ALL, KT_REG_EXECUTE_PAYLOAD),
	ROW(KT_C86F_SEM_PAYLOAD_HI, 0xc36f, LAST, ALL, KT_REG_EXECUTE_PAYLOAD_UPPER),
	ROW(KT_C86F_SEM_EXECUTE, 0xc36f, LAST, ALL, KT_DO_SEM_EXECUTE),
	ROW(KT_C86F_WFI, 0xa16f, LAST, ALL, KT_DO_WAIT),
};

#define ROWS(table) table, sizeof(table) / sizeof((table)[0])

static const struct {
	uint8_t family; /* low byte of the class numbers */
	const struct row *rows;
	size_t n;
} families[] = {
	{0x6f, ROWS(host)},
	{0xb5, ROWS(copy)},
	{0xc0, ROWS(compute)},
	{0x97, ROWS(graphics)},
	{0x40, ROWS(inline_to_memory)},
};

void kt_command_codes(struct kt_engine *engine, bool is_host)
{
	memset(engine->codes, 0, sizeof(engine->codes));
	memset(engine->masks, 0, sizeof(engine->masks));
	for (size_t i = 0; engine->class_ && i < sizeof(families) / sizeof(families[0]);
	     i++) {
		if (families[i].family != (engine->number & 0xff)) {
			continue;
		}
		for (size_t j = 0; j < families[i].n; j++) {
			const struct row *row = &families[i].rows[j];
			size_t n = row->count ? row->count : 1;

			if (engine->number < row->first || row->last < engine->number) {
				continue;
			}
			engine->masks[row->code] = row->mask;
			for (size_t k = 0; k < n; k++) {
				engine->codes[row->offset / 4 + k] = row->code;
			}
		}
	}
	if (is_host) {
		engine->codes[KT_C86F_SET_OBJECT / 4] = KT_DO_BIND;
		engine->masks[KT_DO_BIND] = 0xffff;
	}
}
