/* SPDX-License-Identifier: MIT */
/*
 * Adds two vectors as vadd does, by a Vulkan compute shader, in buffers that the host has
 * mapped.
 */
#include <stdlib.h>
#include <string.h>
#include <vulkan/vulkan_core.h>

#include "corpus/workloads/common.h"
#include "corpus/workloads/khronos.h"
#include "corpus/workloads/vector-add-spirv.h"

enum { MAX_DEVICES = 16, MAX_FAMILIES = 16, NVIDIA = 0x10de };

struct options {
	unsigned long size;
	unsigned long repeat;
	bool any;
};

static const struct kt_option table[] = {
	{"size", 'n', "N", "elements of 4 bytes in a vector (default 4096)",
	 KT_NUMBER(struct options, size, 1, 1ul << 22)},
	{"repeat", 'r', "N", "repetitions (default 1)",
	 KT_NUMBER(struct options, repeat, 1, 10000)},
	{"any", 'a', NULL, "use a device that is not a GPU if there is no GPU",
	 KT_FLAG(struct options, any)},
	KT_WORK_HELP,
	{0},
};

static const struct kt_command_line command = {
	.usage = "vulkan [--size N] [--repeat N] [--any]",
	.summary = "Adds two vectors on the device and checks the sum, by Vulkan.",
	.table = table,
};

static struct {
	KT_VULKAN_FUNCTIONS(KT_FUNCTION_FIELD)
} vk;
#define VK(function, ...) kt_work_check(#function, vk.function(__VA_ARGS__))

static VkInstance make_instance(void)
{
	VkApplicationInfo application = {
		.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
		.pApplicationName = "vulkan",
		.apiVersion = VK_API_VERSION_1_0,
	};
	VkInstanceCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
		.pApplicationInfo = &application,
	};
	VkInstance instance = VK_NULL_HANDLE;
	VkResult result = vk.vkCreateInstance(&info, NULL, &instance);

	if (result == VK_ERROR_INCOMPATIBLE_DRIVER) {
		kt_work_no_gpu("vkCreateInstance: no driver");
	}
	kt_work_check("vkCreateInstance", result);
	return instance;
}

/* Returns the first GPU of NVIDIA, else the first GPU, else, with `any`, the first device.
 */
static VkPhysicalDevice find_gpu(VkInstance instance, bool any)
{
	VkPhysicalDevice devices[MAX_DEVICES], best = VK_NULL_HANDLE;
	uint32_t n = MAX_DEVICES;
	int best_rank = any ? 0 : 1;
	VkResult result = vk.vkEnumeratePhysicalDevices(instance, &n, devices);

	if (result != VK_INCOMPLETE) {
		kt_work_check("vkEnumeratePhysicalDevices", result);
	}
	for (uint32_t i = 0; i < n; i++) {
		VkPhysicalDeviceProperties properties;
		int rank;

		vk.vkGetPhysicalDeviceProperties(devices[i], &properties);
		switch (properties.deviceType) {
		case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
		case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
		case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
			rank = properties.vendorID == NVIDIA ? 3 : 2;
			break;
		default: rank = 1;
		}
		if (rank > best_rank) {
			best = devices[i];
			best_rank = rank;
		}
	}
	if (!best) {
		kt_work_no_gpu("vkEnumeratePhysicalDevices: no %s", any ? "device" : "GPU");
	}
	return best;
}

static uint32_t compute_family(VkPhysicalDevice gpu)
{
	VkQueueFamilyProperties families[MAX_FAMILIES];
	uint32_t n = MAX_FAMILIES;

	vk.vkGetPhysicalDeviceQueueFamilyProperties(gpu, &n, families);
	for (uint32_t i = 0; i < n; i++) {
		if (families[i].queueFlags & VK_QUEUE_COMPUTE_BIT) {
			return i;
		}
	}
	kt_work_fail("vkGetPhysicalDeviceQueueFamilyProperties: no compute queue");
}

static VkDevice make_device(VkPhysicalDevice gpu, uint32_t family)
{
	float priority = 1;
	VkDeviceQueueCreateInfo queue = {
		.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
		.queueFamilyIndex = family,
		.queueCount = 1,
		.pQueuePriorities = &priority,
	};
	VkDeviceCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
		.queueCreateInfoCount = 1,
		.pQueueCreateInfos = &queue,
	};
	VkDevice device = VK_NULL_HANDLE;

	VK(vkCreateDevice, gpu, &info, NULL, &device);
	return device;
}

/* A buffer in memory of its own, mapped at `host`. */
struct buffer {
	VkBuffer buffer;
	VkDeviceMemory memory;
	uint32_t *host;
};

static uint32_t host_memory_type(VkPhysicalDevice gpu, uint32_t allowed)
{
	const VkMemoryPropertyFlags wanted =
		VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
	VkPhysicalDeviceMemoryProperties memory;

	vk.vkGetPhysicalDeviceMemoryProperties(gpu, &memory);
	for (uint32_t i = 0; i < memory.memoryTypeCount; i++) {
		if ((allowed >> i & 1) &&
		    (memory.memoryTypes[i].propertyFlags & wanted) == wanted) {
			return i;
		}
	}
	kt_work_fail("vkGetPhysicalDeviceMemoryProperties: no memory for the host");
}

static struct buffer make_buffer(VkPhysicalDevice gpu, VkDevice device, size_t bytes)
{
	VkBufferCreateInfo info = {
		.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
		.size = bytes,
		.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT,
	};
	VkMemoryAllocateInfo allocation = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
	};
	VkMemoryRequirements needs;
	struct buffer result = {0};
	void *host = NULL;

	VK(vkCreateBuffer, device, &info, NULL, &result.buffer);
	vk.vkGetBufferMemoryRequirements(device, result.buffer, &needs);
	allocation.allocationSize = needs.size;
	allocation.memoryTypeIndex = host_memory_type(gpu, needs.memoryTypeBits);
	VK(vkAllocateMemory, device, &allocation, NULL, &result.memory);
	VK(vkBindBufferMemory, device, result.buffer, result.memory, 0);
	VK(vkMapMemory, device, result.memory, 0, VK_WHOLE_SIZE, 0, &host);
	result.host = host;
	return result;
}

static void destroy_buffer(VkDevice device, struct buffer *buffer)
{
	vk.vkUnmapMemory(device, buffer->memory);
	vk.vkDestroyBuffer(device, buffer->buffer, NULL);
	vk.vkFreeMemory(device, buffer->memory, NULL);
}

/* The shader with its three buffers. */
struct shader {
	VkDescriptorSetLayout set_layout;
	VkPipelineLayout layout;
	VkPipeline pipeline;
	VkDescriptorPool pool;
	VkDescriptorSet set;
};

static struct shader make_shader(VkDevice device, const struct buffer buffers[3])
{
	VkDescriptorSetLayoutBinding bindings[3];
	VkDescriptorSetLayoutCreateInfo set_layout = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
		.bindingCount = 3,
		.pBindings = bindings,
	};
	struct shader shader = {0};
	VkPipelineLayoutCreateInfo layout = {
		.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
		.setLayoutCount = 1,
		.pSetLayouts = &shader.set_layout,
	};
	VkShaderModuleCreateInfo code = {
		.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
		.codeSize = sizeof(kt_vector_add_spirv),
		.pCode = kt_vector_add_spirv,
	};
	VkComputePipelineCreateInfo pipeline = {
		.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
		.stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
			  .stage = VK_SHADER_STAGE_COMPUTE_BIT,
			  .pName = "main"},
	};
	VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 3};
	VkDescriptorPoolCreateInfo pool = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
		.maxSets = 1,
		.poolSizeCount = 1,
		.pPoolSizes = &size,
	};
	VkDescriptorSetAllocateInfo set = {
		.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
		.descriptorSetCount = 1,
		.pSetLayouts = &shader.set_layout,
	};

	for (uint32_t i = 0; i < 3; i++) {
		bindings[i] = (VkDescriptorSetLayoutBinding){
			.binding = i,
			.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
			.descriptorCount = 1,
			.stageFlags = VK_SHADER_STAGE_COMPUTE_BIT,
		};
	}
	VK(vkCreateDescriptorSetLayout, device, &set_layout, NULL, &shader.set_layout);
	VK(vkCreatePipelineLayout, device, &layout, NULL, &shader.layout);
	VK(vkCreateShaderModule, device, &code, NULL, &pipeline.stage.module);
	pipeline.layout = shader.layout;
	VK(vkCreateComputePipelines, device, VK_NULL_HANDLE, 1, &pipeline, NULL,
	   &shader.pipeline);
	vk.vkDestroyShaderModule(device, pipeline.stage.module, NULL);

	VK(vkCreateDescriptorPool, device, &pool, NULL, &shader.pool);
	set.descriptorPool = shader.pool;
	VK(vkAllocateDescriptorSets, device, &set, &shader.set);
	for (uint32_t i = 0; i < 3; i++) {
		VkDescriptorBufferInfo buffer = {buffers[i].buffer, 0, VK_WHOLE_SIZE};
		VkWriteDescriptorSet write = {
			.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
			.dstSet = shader.set,
			.dstBinding = i,
			.descriptorCount = 1,
			.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
			.pBufferInfo = &buffer,
		};

		vk.vkUpdateDescriptorSets(device, 1, &write, 0, NULL);
	}
	return shader;
}

static void destroy_shader(VkDevice device, struct shader *shader)
{
	vk.vkDestroyDescriptorPool(device, shader->pool, NULL);
	vk.vkDestroyPipeline(device, shader->pipeline, NULL);
	vk.vkDestroyPipelineLayout(device, shader->layout, NULL);
	vk.vkDestroyDescriptorSetLayout(device, shader->set_layout, NULL);
}

/* Returns commands of the pool that run the shader on n elements. */
static VkCommandBuffer record_commands(VkDevice device, VkCommandPool pool,
				       const struct shader *shader, uint32_t n)
{
	VkCommandBufferAllocateInfo allocation = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
		.commandPool = pool,
		.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
		.commandBufferCount = 1,
	};
	VkCommandBufferBeginInfo begin = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
	};
	VkMemoryBarrier written = {
		.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
		.srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
		.dstAccessMask = VK_ACCESS_HOST_READ_BIT,
	};
	VkCommandBuffer commands = VK_NULL_HANDLE;

	VK(vkAllocateCommandBuffers, device, &allocation, &commands);
	VK(vkBeginCommandBuffer, commands, &begin);
	vk.vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, shader->pipeline);
	vk.vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, shader->layout,
				   0, 1, &shader->set, 0, NULL);
	vk.vkCmdDispatch(commands, (n + KT_SPIRV_GROUP - 1) / KT_SPIRV_GROUP, 1, 1);
	/* A fence alone does not make the shader's writes visible to the host. */
	vk.vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
				VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &written, 0, NULL, 0,
				NULL);
	VK(vkEndCommandBuffer, commands);
	return commands;
}

/* Submits the commands and waits for their end. */
static void run_commands(VkDevice device, VkQueue queue, VkCommandBuffer commands)
{
	VkFenceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
	VkSubmitInfo submission = {
		.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
		.commandBufferCount = 1,
		.pCommandBuffers = &commands,
	};
	VkFence fence = VK_NULL_HANDLE;

	VK(vkCreateFence, device, &info, NULL, &fence);
	VK(vkQueueSubmit, queue, 1, &submission, fence);
	VK(vkWaitForFences, device, 1, &fence, VK_TRUE, UINT64_MAX);
	vk.vkDestroyFence(device, fence, NULL);
}

int main(int argc, char **argv)
{
	struct options options = {.size = 4096, .repeat = 1};
	VkCommandPoolCreateInfo pool_info = {
		.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
	};
	VkInstance instance;
	VkPhysicalDevice gpu;
	VkDevice device;
	VkQueue queue;
	VkCommandPool pool = VK_NULL_HANDLE;
	VkCommandBuffer commands;
	struct buffer buffers[3]; /* a, b, and their sum */
	struct shader shader;
	uint32_t n;
	bool right = true;

	kt_work_options("vulkan", &command, argc, argv, &options);
	KT_FUNCTIONS_LOAD("libvulkan.so.1", KT_VULKAN_FUNCTIONS, &vk);
	n = (uint32_t)options.size;

	instance = make_instance();
	gpu = find_gpu(instance, options.any);
	pool_info.queueFamilyIndex = compute_family(gpu);
	device = make_device(gpu, pool_info.queueFamilyIndex);
	vk.vkGetDeviceQueue(device, pool_info.queueFamilyIndex, 0, &queue);
	for (int i = 0; i < 3; i++) {
		buffers[i] = make_buffer(gpu, device, n * sizeof(uint32_t));
	}
	shader = make_shader(device, buffers);
	VK(vkCreateCommandPool, device, &pool_info, NULL, &pool);
	commands = record_commands(device, pool, &shader, n);

	for (unsigned long round = 0; round < options.repeat && right; round++) {
		kt_fill(buffers[0].host, n, (uint32_t)round);
		kt_fill(buffers[1].host, n, (uint32_t)round + 1);
		run_commands(device, queue, commands);
		right = kt_sum_check(buffers[0].host, buffers[1].host, buffers[2].host, n);
	}
	kt_sum_report(buffers[2].host, options.size, options.repeat, right);

	vk.vkDestroyCommandPool(device, pool, NULL);
	destroy_shader(device, &shader);
	for (int i = 0; i < 3; i++) {
		destroy_buffer(device, &buffers[i]);
	}
	vk.vkDestroyDevice(device, NULL);
	vk.vkDestroyInstance(instance, NULL);
	return kt_work_end(right);
}
