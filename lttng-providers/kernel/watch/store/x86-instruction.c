// SPDX-License-Identifier: GPL-2.0 OR MIT
#include "watch/store/x86-instruction.h"

/*
 * Operand bytes that follow an opcode byte:
 *
 *   '.' none                     'm' ModRM
 *   '1' 1 byte                   '2' 2 bytes
 *   'z' 2 or 4 bytes by operand size   'v' 2, 4 or 8 bytes by operand size
 *   'j' 4 bytes of a jump, or 'z' in 32-bit code   'a' a memory address
 *   'B' ModRM and 1 byte         'Z' ModRM and 'z'
 *   'g' ModRM, and 1 byte if its reg field is 0 or 1 (opcode f6)
 *   'G' ModRM, and 'z' if its reg field is 0 or 1 (opcode f7)
 *   'e' 3 bytes (enter)          'c' ModRM that names only registers
 *   'X', 'W', 'Y'  as '.', '1', 'B', but invalid in 64-bit code
 *   'F' a far pointer, invalid in 64-bit code
 *   'P' a prefix or escape, decoded elsewhere   '-' no instruction
 */
static const char one_byte[] =
	/*0*/ "mmmm1zXXmmmm1zXP"
	      /*1*/ "mmmm1zXXmmmm1zXX"
	      /*2*/ "mmmm1zPXmmmm1zPX"
	      /*3*/ "mmmm1zPXmmmm1zPX"
	      /*4*/ "................"
	      /*5*/ "................"
	      /*6*/ "XXPmPPPPzZ1B...."
	      /*7*/ "1111111111111111"
	      /*8*/ "BZYBmmmmmmmmmmmm"
	      /*9*/ "..........F....."
	      /*a*/ "aaaa....1z......"
	      /*b*/ "11111111vvvvvvvv"
	      /*c*/ "BB2.PPBZe.2..1X."
	      /*d*/ "mmmmWWX.mmmmmmmm"
	      /*e*/ "11111111jjF1...."
	      /*f*/ "P.PP..gG......mm";

static const char two_bytes[] =
	/*0*/ "mmmm-.....-.-m.B"
	      /*1*/ "mmmmmmmmmmmmmmmm"
	      /*2*/ "cccc----mmmmmmmm"
	      /*3*/ "......-.P-P-----"
	      /*4*/ "mmmmmmmmmmmmmmmm"
	      /*5*/ "mmmmmmmmmmmmmmmm"
	      /*6*/ "mmmmmmmmmmmmmmmm"
	      /*7*/ "BBBBmmm.mm--mmmm"
	      /*8*/ "jjjjjjjjjjjjjjjj"
	      /*9*/ "mmmmmmmmmmmmmmmm"
	      /*a*/ "...mBmmm...mBmmm"
	      /*b*/ "mmmmmmmmmmBmmmmm"
	      /*c*/ "mmBmBBBm........"
	      /*d*/ "mmmmmmmmmmmmmmmm"
	      /*e*/ "mmmmmmmmmmmmmmmm"
	      /*f*/ "mmmmmmmmmmmmmmmm";

/* State of decoding: bytes code[0..n), of which the next is code[at]. */
struct reader {
	const uint8_t *code;
	size_t n;
	size_t at;
	unsigned bits;
	uint8_t rex; /* bits of the REX prefix: W 8, R 4, X 2, B 1 */
	bool rex_last;
	bool broken;
};

static uint8_t take(struct reader *reader)
{
	if (reader->at >= reader->n || reader->at >= DW_INSTRUCTION_MAX) {
		reader->broken = true;
		return 0;
	}
	return reader->code[reader->at++];
}

/* Reads a little-endian number, sign-extended. */
static int64_t take_number(struct reader *reader, unsigned size)
{
	uint64_t number = 0;
	unsigned i;

	for (i = 0; i < size; i++) {
		number |= (uint64_t)take(reader) << (8 * i);
	}
	if (size && size < 8 && number >> (8 * size - 1)) {
		number |= ~(uint64_t)0 << (8 * size);
	}
	return (int64_t)number;
}

/* --- prefixes --- */

/* Returns whether the byte is a legacy prefix, after recording it in *out. */
static bool note_prefix(struct dw_instruction *out, uint8_t byte, unsigned bits)
{
	switch (byte) {
	case 0x26:
	case 0x2e:
	case 0x36:
	case 0x3e: break; /* segment prefixes without effect on the address */
	case 0x64:
	case 0x65: out->high_base = true; break;
	case 0x66:
		out->narrow = true;
		if (!out->prefix) {
			out->prefix = byte;
		}
		break;
	case 0x67: out->address_bits = bits == 64 ? 32 : 16; break;
	case 0xf0: out->locks = true; break;
	case 0xf2:
	case 0xf3:
		out->repeats = true;
		out->prefix = byte;
		break;
	default: return false;
	}
	return true;
}

static uint8_t take_prefixes(struct reader *reader, struct dw_instruction *out)
{
	uint8_t byte = take(reader);

	while (!reader->broken) {
		if (note_prefix(out, byte, reader->bits)) {
			/* A REX prefix counts only directly before the opcode */
			reader->rex = 0;
			reader->rex_last = false;
		} else if (reader->bits == 64 && (byte & 0xf0) == 0x40) {
			reader->rex = byte & 0x0f;
			reader->rex_last = true;
		} else {
			break;
		}
		byte = take(reader);
	}
	return byte;
}

/* --- operands --- */

static void take_memory(struct reader *reader, struct dw_instruction *out)
{
	uint8_t mode = out->modrm >> 6;
	uint8_t base = out->modrm & 7;
	unsigned displacement = mode == 1 ? 1 : mode == 2 ? 4 : 0;

	/* Skips 16-bit address forms: their addresses are never computed. */
	if (out->address_bits == 16) {
		if (mode == 1) {
			take_number(reader, 1);
		} else if (mode == 2 || base == 6) {
			take_number(reader, 2);
		}
		return;
	}
	out->base = (uint8_t)(base | (reader->rex & 1) << 3);
	if (base == 4) {
		uint8_t sib = take(reader);

		base = sib & 7;
		out->base = (uint8_t)(base | (reader->rex & 1) << 3);
		out->index = (uint8_t)((sib >> 3 & 7) | (reader->rex & 2) << 2);
		out->scale = (uint8_t)(1u << (sib >> 6));
		if (out->index == 4) {
			out->index = DW_NO_REGISTER;
		}
		if (base == 5 && mode == 0) {
			out->base = DW_NO_REGISTER;
			displacement = 4;
		}
	} else if (base == 5 && mode == 0) {
		out->base = reader->bits == 64 ? DW_REGISTER_IP : DW_NO_REGISTER;
		displacement = 4;
	}
	out->scaled_displacement = out->encoding == DW_EVEX && displacement == 1;
	out->displacement = take_number(reader, displacement);
}

static void take_modrm(struct reader *reader, struct dw_instruction *out, bool memory)
{
	out->has_modrm = true;
	out->modrm = take(reader);
	out->reg = (uint8_t)((out->modrm >> 3 & 7) | (reader->rex & 4) << 1);
	if (!memory || out->modrm >= 0xc0) {
		out->modrm |= 0xc0;
		return;
	}
	take_memory(reader, out);
}

/* Returns the size of 'z' in bytes: 4, or 2 with the operand-size prefix and without W. */
static unsigned size_z(const struct dw_instruction *out)
{
	return out->narrow && !out->wide ? 2 : 4;
}

static void take_operands(struct reader *reader, struct dw_instruction *out, char kind)
{
	bool old = reader->bits == 32;

	reader->broken |=
		!old && (kind == 'X' || kind == 'W' || kind == 'Y' || kind == 'F');
	switch (kind) {
	case '.':
	case 'X': break;
	case 'm': take_modrm(reader, out, true); break;
	case 'c': take_modrm(reader, out, false); break;
	case 'W':
	case '1': out->immediate = take_number(reader, 1); break;
	case '2': out->immediate = take_number(reader, 2); break;
	case 'z': out->immediate = take_number(reader, size_z(out)); break;
	case 'v': out->immediate = take_number(reader, out->wide ? 8 : size_z(out)); break;
	case 'j': out->immediate = take_number(reader, old ? size_z(out) : 4); break;
	case 'Y':
	case 'B':
		take_modrm(reader, out, true);
		out->immediate = take_number(reader, 1);
		break;
	case 'Z':
		take_modrm(reader, out, true);
		out->immediate = take_number(reader, size_z(out));
		break;
	case 'g':
	case 'G':
		take_modrm(reader, out, true);
		if ((out->modrm >> 3 & 7) < 2) {
			out->immediate = take_number(reader, kind == 'g' ? 1 : size_z(out));
		}
		break;
	case 'a': out->displacement = take_number(reader, out->address_bits / 8); break;
	case 'e': out->immediate = take_number(reader, 3); break;
	case 'F': take_number(reader, size_z(out) + 2); break;
	default: reader->broken = true; break;
	}
}

/* --- opcodes --- */

/*
 * Reads the rest of a VEX, EVEX or XOP prefix. The R, X and B bits are inverted; the pp
 * bits replace the legacy prefixes 66, f3 and f2. Each first byte is followed by these
 * bits, with a comma between bytes:
 *
 *     c5: R vvvv L pp; c4 and 8f (XOP): R X B map, W vvvv L pp
 *     62: R X B R' 0 map, W vvvv 1 pp, z L'L b V' aaa
 */
static void take_new_prefix(struct reader *reader, struct dw_instruction *out,
			    uint8_t first)
{
	static const uint8_t prefixes[] = {0, 0x66, 0xf3, 0xf2};
	uint8_t byte = take(reader);

	reader->rex = (uint8_t)(~byte >> 5 & (first == 0xc5 ? 4 : 7));
	switch (first) {
	case 0x62:
		out->encoding = DW_EVEX;
		out->map = byte & 0x07;
		reader->broken |=
			byte & 0x08 || !out->map || out->map == 4 || out->map == 7;
		byte = take(reader);
		reader->broken |= !(byte & 0x04);
		take(reader);
		break;
	case 0x8f:
		out->encoding = DW_XOP;
		out->map = byte & 0x1f;
		byte = take(reader);
		reader->broken |= out->map > 10;
		break;
	case 0xc4:
		out->encoding = DW_VEX;
		out->map = byte & 0x1f;
		byte = take(reader);
		reader->broken |= !out->map || out->map > 3;
		break;
	default:
		out->encoding = DW_VEX;
		out->map = 1;
		byte &= 0x7f;
		break;
	}
	out->prefix = prefixes[byte & 3];
	out->wide = byte & 0x80;
}

static void take_new(struct reader *reader, struct dw_instruction *out, uint8_t byte)
{
	char kind = 'm';

	reader->broken |= out->prefix || out->locks || reader->rex_last;
	take_new_prefix(reader, out, byte);
	if (reader->bits == 32) {
		reader->rex = 0;
	}
	out->opcode = take(reader);
	/* All these encodings have ModRM, except 0f 77 (vzeroupper). */
	if (out->encoding == DW_XOP) {
		kind = out->map == 8 ? 'B' : 'm';
	} else if (out->map == 1) {
		kind = two_bytes[out->opcode];
		kind = out->opcode == 0x77 || kind == 'B' ? kind : 'm';
	} else if (out->map == 3) {
		kind = 'B';
	}
	take_operands(reader, out, kind);
	if (out->encoding == DW_XOP && out->map == 10) {
		take_number(reader, 4);
	}
}

bool dw_instruction_decode(struct dw_instruction *out, const uint8_t *code, size_t n,
			   unsigned bits)
{
	struct reader reader = {.code = code, .n = n, .bits = bits};
	bool may_be_old = bits == 32;
	uint8_t byte;
	uint8_t next;

	*out = (struct dw_instruction){
		.base = DW_NO_REGISTER,
		.index = DW_NO_REGISTER,
		.address_bits = (uint8_t)bits,
	};
	byte = take_prefixes(&reader, out);
	next = reader.at < n ? code[reader.at] : 0;
	out->wide = reader.rex & 8;
	if (((byte == 0x62 || byte == 0xc4 || byte == 0xc5) &&
	     (!may_be_old || next >= 0xc0)) ||
	    (byte == 0x8f && (next & 0x1f) >= 8)) {
		take_new(&reader, out, byte);
	} else if (byte == 0x0f) {
		out->map = 1;
		out->opcode = take(&reader);
		if (out->opcode == 0x38 || out->opcode == 0x3a) {
			out->map = out->opcode == 0x38 ? 2 : 3;
			out->opcode = take(&reader);
			take_operands(&reader, out, out->map == 2 ? 'm' : 'B');
		} else {
			take_operands(&reader, out, two_bytes[out->opcode]);
			if (out->opcode == 0x78 &&
			    (out->prefix == 0x66 || out->prefix == 0xf2)) {
				take_number(&reader, 2); /* extrq, insertq */
			}
		}
	} else {
		char kind = one_byte[byte];

		out->opcode = byte;
		if (may_be_old && (byte == 0x62 || byte == 0xc4 || byte == 0xc5)) {
			kind = 'm'; /* bound, les, lds */
		}
		take_operands(&reader, out, kind);
	}
	out->length = (uint8_t)reader.at;
	return !reader.broken;
}
