/* SPDX-License-Identifier: MIT */
/*
 * c[i] = a[i] + b[i] as a Vulkan compute shader: one thread for each element, buffers a, b
 * and c at bindings 0 to 2 of set 0. Numbers of instructions and operands: SPIR-V
 * Specification 1.0.
 */
#ifndef KTAIL_CORPUS_VECTOR_ADD_SPIRV_H
#define KTAIL_CORPUS_VECTOR_ADD_SPIRV_H

#include <stdint.h>

/*
 * Threads of a group. Every Vulkan device permits groups of 128 threads, and dispatches of
 * 65,535 groups.
 */
enum { KT_SPIRV_GROUP = 128 };

enum kt_spirv_instruction {
	OpMemoryModel = 14,
	OpEntryPoint = 15,
	OpExecutionMode = 16,
	OpCapability = 17,
	OpTypeVoid = 19,
	OpTypeBool = 20,
	OpTypeInt = 21,
	OpTypeVector = 23,
	OpTypeRuntimeArray = 29,
	OpTypeStruct = 30,
	OpTypePointer = 32,
	OpTypeFunction = 33,
	OpConstant = 43,
	OpFunction = 54,
	OpFunctionEnd = 56,
	OpVariable = 59,
	OpLoad = 61,
	OpStore = 62,
	OpAccessChain = 65,
	OpArrayLength = 68,
	OpDecorate = 71,
	OpMemberDecorate = 72,
	OpCompositeExtract = 81,
	OpIAdd = 128,
	OpULessThan = 176,
	OpSelectionMerge = 247,
	OpLabel = 248,
	OpBranch = 249,
	OpBranchConditional = 250,
	OpReturn = 253,
};

enum kt_spirv_operand {
	/* capability, addressing model, memory model, execution model, execution mode */
	Shader = 1,
	Logical = 0,
	GLSL450 = 1,
	GLCompute = 5,
	LocalSize = 17,
	/* storage classes */
	Uniform = 2,
	Input = 1,
	/* decorations, and a value of BuiltIn */
	BufferBlock = 3,
	ArrayStride = 6,
	BuiltIn = 11,
	Binding = 33,
	DescriptorSet = 34,
	Offset = 35,
	GlobalInvocationId = 28,
	/* function control, selection control */
	None = 0,
	/* the string "main" in two words */
	Main = 0x6e69616d,
	MainEnd = 0,
};

/* clang-format off */
/* Identifiers of the module, from 1 on; the last is their bound. */
enum kt_spirv_id {
	id_void = 1, id_function, id_bool, id_uint, id_uint3, id_array, id_vector,
	id_vector_pointer, id_uint_pointer, id_uint3_pointer, id_zero, /* the constant 0 */
	id_thread, id_a, id_b, id_c, id_main, id_entry, id_xyz, id_i, id_n, id_inside,
	id_add, id_end, id_at_a, id_at_b, id_at_c, id_x, id_y, id_sum,
	id_bound,
};

/* An instruction's first word has the number of its words in the upper half. */
#define KT_OP(op, ...)                                                                     \
	(uint32_t)(sizeof((uint32_t[]){op, __VA_ARGS__}) / 4 << 16 | (op)), __VA_ARGS__
#define KT_OP0(op) (1u << 16 | (op))

static const uint32_t kt_vector_add_spirv[] = {
	0x07230203, 0x00010000, 0, id_bound, 0, /* magic number, version, generator, bound, 0 */
	KT_OP(OpCapability, Shader),
	KT_OP(OpMemoryModel, Logical, GLSL450),
	KT_OP(OpEntryPoint, GLCompute, id_main, Main, MainEnd, id_thread),
	KT_OP(OpExecutionMode, id_main, LocalSize, KT_SPIRV_GROUP, 1, 1),

	KT_OP(OpDecorate, id_thread, BuiltIn, GlobalInvocationId),
	KT_OP(OpDecorate, id_array, ArrayStride, 4),
	KT_OP(OpMemberDecorate, id_vector, 0, Offset, 0),
	KT_OP(OpDecorate, id_vector, BufferBlock),
	KT_OP(OpDecorate, id_a, DescriptorSet, 0),
	KT_OP(OpDecorate, id_a, Binding, 0),
	KT_OP(OpDecorate, id_b, DescriptorSet, 0),
	KT_OP(OpDecorate, id_b, Binding, 1),
	KT_OP(OpDecorate, id_c, DescriptorSet, 0),
	KT_OP(OpDecorate, id_c, Binding, 2),

	KT_OP(OpTypeVoid, id_void),
	KT_OP(OpTypeFunction, id_function, id_void),
	KT_OP(OpTypeBool, id_bool),
	KT_OP(OpTypeInt, id_uint, 32, 0),
	KT_OP(OpTypeVector, id_uint3, id_uint, 3),
	KT_OP(OpTypeRuntimeArray, id_array, id_uint),
	KT_OP(OpTypeStruct, id_vector, id_array),
	KT_OP(OpTypePointer, id_vector_pointer, Uniform, id_vector),
	KT_OP(OpTypePointer, id_uint_pointer, Uniform, id_uint),
	KT_OP(OpTypePointer, id_uint3_pointer, Input, id_uint3),
	KT_OP(OpConstant, id_uint, id_zero, 0),
	KT_OP(OpVariable, id_uint3_pointer, id_thread, Input),
	KT_OP(OpVariable, id_vector_pointer, id_a, Uniform),
	KT_OP(OpVariable, id_vector_pointer, id_b, Uniform),
	KT_OP(OpVariable, id_vector_pointer, id_c, Uniform),

	KT_OP(OpFunction, id_void, id_main, None, id_function),
	KT_OP(OpLabel, id_entry),
	KT_OP(OpLoad, id_uint3, id_xyz, id_thread),
	KT_OP(OpCompositeExtract, id_uint, id_i, id_xyz, 0),
	KT_OP(OpArrayLength, id_uint, id_n, id_c, 0),
	KT_OP(OpULessThan, id_bool, id_inside, id_i, id_n),
	KT_OP(OpSelectionMerge, id_end, None),
	KT_OP(OpBranchConditional, id_inside, id_add, id_end),
	KT_OP(OpLabel, id_add),
	KT_OP(OpAccessChain, id_uint_pointer, id_at_a, id_a, id_zero, id_i),
	KT_OP(OpAccessChain, id_uint_pointer, id_at_b, id_b, id_zero, id_i),
	KT_OP(OpAccessChain, id_uint_pointer, id_at_c, id_c, id_zero, id_i),
	KT_OP(OpLoad, id_uint, id_x, id_at_a),
	KT_OP(OpLoad, id_uint, id_y, id_at_b),
	KT_OP(OpIAdd, id_uint, id_sum, id_x, id_y),
	KT_OP(OpStore, id_at_c, id_sum),
	KT_OP(OpBranch, id_end),
	KT_OP(OpLabel, id_end),
	KT_OP0(OpReturn),
	KT_OP0(OpFunctionEnd),
};
/* clang-format on */

#endif
