/* SPDX-License-Identifier: MIT */
/*
 * Feeds dwords to a channel's decoder and keeps its results. Declares the cases of
 * test-commands, which are in one file for each subject.
 */
#ifndef KTAIL_TESTS_DECODE_COMMANDS_RIG_H
#define KTAIL_TESTS_DECODE_COMMANDS_RIG_H

#include <stddef.h>
#include <stdint.h>

#include "decode/commands.h"

#define N(array) (sizeof(array) / sizeof((array)[0]))

struct seen {
	struct kt_channel_decoder *decoder;
	size_t methods;
	size_t n;
	struct kt_decoded given[64]; /* methods that start a command */
	struct kt_decoded first;
	struct kt_decoded last;
	uint32_t qmd[96]; /* of the newest launch */
	uint32_t data[8]; /* the first dwords of the newest inline data */
};

void begin(struct seen *seen, uint32_t channel_class);
void feed(struct seen *seen, const uint32_t *words, size_t n);

#define FEED(seen, ...)                                                                    \
	do {                                                                               \
		static const uint32_t words_[] = {__VA_ARGS__};                            \
		feed(seen, words_, N(words_));                                             \
	} while (0)

/* Compares the decoder's counts, checks that they add up, and frees the decoder. */
void end(struct seen *seen, uint64_t headers, uint64_t methods, uint64_t bad);

/* Returns the one command that the newest dwords started. */
const struct kt_command *only(const struct seen *seen, enum kt_command_kind kind);

/* SET_OBJECT as the driver writes it: compute on subchannel 1, copy engine on 4. */
#define BIND_HOPPER 0x20012000, 0xcbc0, 0x20018000, 0xc8b5

#define QMD_ADDRESS 0x1234000400u /* SEND_PCAS_A holds 40 bits */

/* Writes dwords that copy inline data of equal bytes; returns the number of dwords. */
size_t inline_write(uint32_t *words, uint64_t to, uint32_t bytes, uint8_t byte);
void write_inline(struct seen *seen, uint64_t to, uint32_t bytes, uint8_t byte);

/* Launches the QMD at an address, by SEND_PCAS_A and a SEND_SIGNALING_PCAS2_B of 0xa. */
const struct kt_command *launch(struct seen *seen, uint64_t address);
/* Sends a QMD in the same way. The command that this starts must be of the given kind. */
const struct kt_command *send_qmd(struct seen *seen, uint64_t address,
				  enum kt_command_kind kind);

/* commands-copies.c */
void copies_directly(void);
void copies_lines_and_components(void);
void releases_by_the_copy_engine(void);
void copies_inline(void);
void copies_inline_in_pieces(void);
void keeps_the_beginning_of_much(void);

/* commands-launches.c */
void launches(void);
void finds_qmds_in_pieces(void);
void finds_qmds_of_lines(void);
void forgets_the_oldest(void);
void launches_inline_qmds(void);
void launches_on_kepler(void);
void finds_arguments(void);
void recognises_empty_grids(void);

/* commands-semaphores.c */
void knows_host_semaphores(void);
void knows_compute_semaphores(void);
void knows_barriers(void);

#endif
