/* SPDX-License-Identifier: MIT */
/*
 * Draws triangles by OpenGL ES without a display: into a pbuffer of an EGL device. Each
 * frame has its own colours; one pixel inside the triangle and one outside it are read
 * back.
 */
#define EGL_NO_X11
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GLES2/gl2.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "corpus/workloads/common.h"
#include "corpus/workloads/khronos.h"

enum { MAX_DEVICES = 16 };

struct options {
	unsigned long size;
	unsigned long frames;
	bool any;
};

static const struct kt_option table[] = {
	{"size", 'n', "N", "width and height of a frame in pixels (default 64)",
	 KT_NUMBER(struct options, size, 4, 2048)},
	{"frames", 'f', "N", "frames (default 10)",
	 KT_NUMBER(struct options, frames, 1, 10000)},
	{"any", 'a', NULL, "use a device that is not a GPU if there is no GPU",
	 KT_FLAG(struct options, any)},
	KT_WORK_HELP,
	{0},
};

static const struct kt_command_line command = {
	.usage = "opengl [--size N] [--frames N] [--any]",
	.summary = "Draws a triangle a frame by OpenGL ES, without a display, and checks "
		   "two pixels.",
	.table = table,
};

static struct {
	KT_EGL_FUNCTIONS(KT_FUNCTION_FIELD)
} egl;
static struct {
	KT_GLES_FUNCTIONS(KT_FUNCTION_FIELD)
} gl;

/* Exits with a message if `done`, which `function` has returned, is false. */
static void check(const char *function, bool done)
{
	if (!done) {
		kt_work_fail("%s: error 0x%04x", function, (unsigned)egl.eglGetError());
	}
}
#define EGL(function, ...) check(#function, egl.function(__VA_ARGS__))

/*
 * Initialises and returns the display of the first device that is a GPU. If there is none
 * and `any` is set, takes the first other device.
 */
static EGLDisplay find_display(bool any)
{
	PFNEGLQUERYDEVICESEXTPROC query_devices;
	PFNEGLQUERYDEVICESTRINGEXTPROC query_string;
	EGLDeviceEXT devices[MAX_DEVICES];
	EGLint n = 0;

	query_devices =
		(PFNEGLQUERYDEVICESEXTPROC)egl.eglGetProcAddress("eglQueryDevicesEXT");
	query_string = (PFNEGLQUERYDEVICESTRINGEXTPROC)egl.eglGetProcAddress(
		"eglQueryDeviceStringEXT");
	if (!query_devices || !query_string) {
		kt_work_no_gpu("eglGetProcAddress: no EGL_EXT_device_enumeration");
	}
	if (!query_devices(MAX_DEVICES, devices, &n)) {
		n = 0;
	}
	for (int software = 0; software <= any; software++) {
		for (EGLint i = 0; i < n; i++) {
			const char *has = query_string(devices[i], EGL_EXTENSIONS);
			EGLDisplay display;

			if ((has && strstr(has, "EGL_MESA_device_software")) != software) {
				continue;
			}
			display = egl.eglGetPlatformDisplay(EGL_PLATFORM_DEVICE_EXT,
							    devices[i], NULL);
			/* This fails if the user may not open the GPU's device file. */
			if (display && egl.eglInitialize(display, NULL, NULL)) {
				return display;
			}
		}
	}
	kt_work_no_gpu("eglQueryDevicesEXT: no %s", any ? "device" : "GPU");
}

static GLuint compile(GLenum kind, const char *source)
{
	GLuint shader = gl.glCreateShader(kind);
	GLint done = 0;
	char log[1024] = "";

	gl.glShaderSource(shader, 1, &source, NULL);
	gl.glCompileShader(shader);
	gl.glGetShaderiv(shader, GL_COMPILE_STATUS, &done);
	if (!done) {
		gl.glGetShaderInfoLog(shader, sizeof(log), NULL, log);
		kt_work_fail("glCompileShader: %s", log);
	}
	return shader;
}

/* Makes and uses a program that draws in one colour; returns the colour's location. */
static GLint use_program(GLuint *program)
{
	GLuint vertex = compile(GL_VERTEX_SHADER,
				"attribute vec2 corner;\n"
				"void main() { gl_Position = vec4(corner, 0.0, 1.0); }\n");
	GLuint fragment =
		compile(GL_FRAGMENT_SHADER, "precision mediump float;\n"
					    "uniform vec4 colour;\n"
					    "void main() { gl_FragColor = colour; }\n");
	GLint done = 0;

	*program = gl.glCreateProgram();
	gl.glAttachShader(*program, vertex);
	gl.glAttachShader(*program, fragment);
	gl.glBindAttribLocation(*program, 0, "corner");
	gl.glLinkProgram(*program);
	gl.glGetProgramiv(*program, GL_LINK_STATUS, &done);
	if (!done) {
		kt_work_fail("glLinkProgram: not linked");
	}
	gl.glDeleteShader(vertex);
	gl.glDeleteShader(fragment);
	gl.glUseProgram(*program);
	return gl.glGetUniformLocation(*program, "colour");
}

/* Red, green, blue and alpha, from 0 to 255. */
struct colour {
	unsigned char part[4];
};

static struct colour colour_of(uint32_t seed)
{
	uint32_t bits;

	kt_fill(&bits, 1, seed);
	return (struct colour){{bits & 255, bits >> 8 & 255, bits >> 16 & 255, 255}};
}

/* Draws a frame; returns whether its two pixels have the right colours. */
static bool draw(uint32_t frame, GLint location, GLsizei size, struct colour pixels[2])
{
	struct colour expected[2] = {colour_of(2 * frame), colour_of(2 * frame + 1)};
	const unsigned char *inside = expected[0].part, *outside = expected[1].part;
	GLenum error;

	gl.glClearColor(outside[0] / 255.0f, outside[1] / 255.0f, outside[2] / 255.0f, 1);
	gl.glClear(GL_COLOR_BUFFER_BIT);
	gl.glUniform4f(location, inside[0] / 255.0f, inside[1] / 255.0f, inside[2] / 255.0f,
		       1);
	gl.glDrawArrays(GL_TRIANGLES, 0, 3);
	gl.glFinish();
	gl.glReadPixels(0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, &pixels[0]);
	gl.glReadPixels(size - 1, size - 1, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, &pixels[1]);
	error = gl.glGetError();
	if (error != GL_NO_ERROR) {
		kt_work_fail("frame %" PRIu32 ": OpenGL error 0x%04x", frame, error);
	}
	return memcmp(pixels, expected, sizeof(expected)) == 0;
}

int main(int argc, char **argv)
{
	/* The lower left half of the frame. */
	static const GLfloat corners[] = {-1, -1, 1, -1, -1, 1};
	static const EGLint wanted[] = {
		EGL_SURFACE_TYPE,
		EGL_PBUFFER_BIT,
		EGL_RENDERABLE_TYPE,
		EGL_OPENGL_ES2_BIT,
		EGL_RED_SIZE,
		8,
		EGL_GREEN_SIZE,
		8,
		EGL_BLUE_SIZE,
		8,
		EGL_ALPHA_SIZE,
		8,
		EGL_NONE,
	};
	static const EGLint version[] = {EGL_CONTEXT_CLIENT_VERSION, 2, EGL_NONE};
	struct options options = {.size = 64, .frames = 10};
	EGLint area[] = {EGL_WIDTH, 0, EGL_HEIGHT, 0, EGL_NONE};
	struct colour pixels[2] = {0};
	EGLDisplay display;
	EGLConfig config = NULL;
	EGLContext context;
	EGLSurface surface;
	EGLint n = 0;
	GLuint program, buffer = 0;
	GLint location;
	GLsizei size;
	bool right = true;

	kt_work_options("opengl", &command, argc, argv, &options);
	KT_FUNCTIONS_LOAD("libEGL.so.1", KT_EGL_FUNCTIONS, &egl);
	KT_FUNCTIONS_LOAD("libGLESv2.so.2", KT_GLES_FUNCTIONS, &gl);
	size = (GLsizei)options.size;

	display = find_display(options.any);
	EGL(eglBindAPI, EGL_OPENGL_ES_API);
	EGL(eglChooseConfig, display, wanted, &config, 1, &n);
	if (n == 0) {
		kt_work_fail("eglChooseConfig: no configuration for a pbuffer");
	}
	area[1] = area[3] = size;
	context = egl.eglCreateContext(display, config, EGL_NO_CONTEXT, version);
	check("eglCreateContext", context);
	surface = egl.eglCreatePbufferSurface(display, config, area);
	check("eglCreatePbufferSurface", surface);
	EGL(eglMakeCurrent, display, surface, surface, context);

	location = use_program(&program);
	gl.glGenBuffers(1, &buffer);
	gl.glBindBuffer(GL_ARRAY_BUFFER, buffer);
	gl.glBufferData(GL_ARRAY_BUFFER, sizeof(corners), corners, GL_STATIC_DRAW);
	gl.glEnableVertexAttribArray(0);
	gl.glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, NULL);
	gl.glViewport(0, 0, size, size);
	for (unsigned long frame = 0; frame < options.frames && right; frame++) {
		right = draw((uint32_t)frame, location, size, pixels);
		if (!right) {
			printf("opengl: frame %lu is wrong\n", frame);
		}
	}
	printf("opengl: %lu frames of %lu x %lu pixels, checksum %016" PRIx64 ": %s\n",
	       options.frames, options.size, options.size,
	       kt_checksum(pixels, sizeof(pixels)), right ? "ok" : "wrong");

	gl.glDeleteBuffers(1, &buffer);
	gl.glDeleteProgram(program);
	EGL(eglMakeCurrent, display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
	EGL(eglDestroySurface, display, surface);
	EGL(eglDestroyContext, display, context);
	EGL(eglTerminate, display);
	check("eglReleaseThread", egl.eglReleaseThread());
	return kt_work_end(right);
}
