/* SPDX-License-Identifier: GPL-2.0-or-later

   webgl: a program whose memory is mostly its graphics driver's.

   It does what a browser does for a page with WebGL: it creates a context without a window, hands
   the page's two shaders to the driver, draws one triangle and reads the picture back. Its own
   structures are few and measure themselves. The driver's are many, and nobody can: it is somebody
   else's code, it has no allocation hooks, and it starts threads of its own that allocate as well.

   What it shows, from top to bottom:
     - All calls into the driver are made under the tag "webgl". A thread that the driver starts
       meanwhile carries the tag too, so dmd attributes its allocations to the driver.
     - scene_measure is an ordinary reporter. For the driver's memory, the program publishes the
       sum that DMD_TAG_BYTES returns.
     - The dump comes while the context is alive. Afterwards there would be nothing to see.

   README.md shows what dmd says of it, also for --tag-threads=none.

   Build: cc -std=c11 -O1 -g webgl.c -lEGL -lGLESv2 -o webgl
   Run:   valgrind --tool=dmd ./webgl

   Needs EGL and OpenGL ES 2 with Mesa's software driver (on Debian: libegl-dev, libgles-dev,
   libgl1-mesa-dri). No graphics card and no display are needed, or used.
*/

#define _POSIX_C_SOURCE 200809L /* setenv, strdup */
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GLES2/gl2.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <valgrind/dmd.h>

enum {
  WIDTH = 64,
  HEIGHT = 64,
  BYTES_A_PIXEL = 4,
  CORNER_FLOATS = 6,
  CORNER = 0 /* the shader's input */
};

static void *or_die(void *p, const char *what) {
  if (p == NULL) {
    fprintf(stderr, "webgl: %s\n", what);
    exit(EXIT_FAILURE);
  }
  return p;
}

static void expect(bool good, const char *what) {
  if (!good) {
    fprintf(stderr, "webgl: %s (EGL error 0x%x)\n", what, (unsigned)eglGetError());
    exit(EXIT_FAILURE);
  }
}

/* ---- What the page has: measured. ---- */

struct scene {
  char *vertex_shader, *fragment_shader; /* source text */
  float *corners;                        /* x and y of three corners, from -1 to 1 */
  uint8_t *picture;                      /* WIDTH x HEIGHT pixels, red, green, blue, alpha */
};

DMD_MALLOC_SIZE_OF_FN(scene_size_of)

static size_t scene_measure(const struct scene *scene) {
  DMD_REPORTER_BEGIN("explicit/scene");
  size_t size = scene_size_of(scene) + scene_size_of(scene->vertex_shader) +
                scene_size_of(scene->fragment_shader) + scene_size_of(scene->corners) +
                scene_size_of(scene->picture);
  DMD_REPORTER_END(size);
  return size;
}

static char *copy(const char *text) {
  return or_die(strdup(text), "no memory");
}

static struct scene *scene_new(void) {
  static const float corners[CORNER_FLOATS] = {-0.9F, -0.9F, 0.9F, -0.9F, 0.0F, 0.9F};
  struct scene *scene = or_die(malloc(sizeof *scene), "no memory");
  scene->vertex_shader = copy("attribute vec2 corner;\n"
                              "void main() { gl_Position = vec4(corner, 0.0, 1.0); }\n");
  scene->fragment_shader = copy("precision mediump float;\n"
                                "uniform vec4 colour;\n"
                                "void main() { gl_FragColor = colour; }\n");
  scene->corners = or_die(malloc(sizeof corners), "no memory");
  memcpy(scene->corners, corners, sizeof corners);
  scene->picture = or_die(calloc(WIDTH * HEIGHT, BYTES_A_PIXEL), "no memory");
  return scene;
}

static void scene_delete(struct scene *scene) {
  free(scene->vertex_shader);
  free(scene->fragment_shader);
  free(scene->corners);
  free(scene->picture);
  free(scene);
}

/* ---- What the driver has: tagged. Nothing here allocates by itself. ---- */

struct context {
  EGLDisplay display;
  EGLContext context;
  GLuint program, texture, framebuffer, corners;
};

static void open_display(struct context *c) {
  PFNEGLGETPLATFORMDISPLAYEXTPROC get_display =
      (PFNEGLGETPLATFORMDISPLAYEXTPROC)eglGetProcAddress("eglGetPlatformDisplayEXT");
  expect(get_display != NULL, "no eglGetPlatformDisplayEXT");
  c->display = get_display(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
  expect(c->display != EGL_NO_DISPLAY, "no display without a surface");
  expect(eglInitialize(c->display, NULL, NULL), "cannot initialise EGL");
}

static void open_context(struct context *c) {
  static const EGLint wanted[] = {EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE,
                                  EGL_OPENGL_ES2_BIT, EGL_NONE};
  static const EGLint version[] = {EGL_CONTEXT_CLIENT_VERSION, 2, EGL_NONE};
  EGLConfig config;
  EGLint n = 0;
  expect(eglBindAPI(EGL_OPENGL_ES_API), "no OpenGL ES");
  expect(eglChooseConfig(c->display, wanted, &config, 1, &n) && n == 1, "no configuration");
  c->context = eglCreateContext(c->display, config, EGL_NO_CONTEXT, version);
  expect(c->context != EGL_NO_CONTEXT, "no context");
  expect(eglMakeCurrent(c->display, EGL_NO_SURFACE, EGL_NO_SURFACE, c->context),
         "a context needs a surface here");
}

/* Draws go into a texture, as there is no window. */
static void open_target(struct context *c) {
  glGenBuffers(1, &c->corners);
  glBindBuffer(GL_ARRAY_BUFFER, c->corners);
  glGenTextures(1, &c->texture);
  glBindTexture(GL_TEXTURE_2D, c->texture);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, WIDTH, HEIGHT, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
  glGenFramebuffers(1, &c->framebuffer);
  glBindFramebuffer(GL_FRAMEBUFFER, c->framebuffer);
  glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, c->texture, 0);
  expect(glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE, "cannot draw");
}

static struct context context_open(void) {
  struct context c = {0};
  DMD_TAG_PUSH("webgl");
  open_display(&c);
  open_context(&c);
  open_target(&c);
  DMD_TAG_POP();
  return c;
}

static void attach(GLuint program, GLenum kind, const char *source) {
  GLuint shader = glCreateShader(kind);
  glShaderSource(shader, 1, &source, NULL);
  glCompileShader(shader);
  glAttachShader(program, shader);
}

/* As programs for the web are advised to: ask nothing before all has been handed over. So a driver
 * that has a thread for it compiles there. */
static void context_use_shaders(struct context *c, const struct scene *scene) {
  GLint good = 0;
  DMD_TAG_PUSH("webgl");
  c->program = glCreateProgram();
  attach(c->program, GL_VERTEX_SHADER, scene->vertex_shader);
  attach(c->program, GL_FRAGMENT_SHADER, scene->fragment_shader);
  glBindAttribLocation(c->program, CORNER, "corner");
  glLinkProgram(c->program);
  glUseProgram(c->program);
  glFlush();
  glGetProgramiv(c->program, GL_LINK_STATUS, &good);
  expect(good, "the shaders do not compile and link");
  DMD_TAG_POP();
}

static void context_draw(const struct context *c, struct scene *scene) {
  DMD_TAG_PUSH("webgl");
  glUniform4f(glGetUniformLocation(c->program, "colour"), 1.0F, 0.0F, 0.0F, 1.0F);
  glViewport(0, 0, WIDTH, HEIGHT);
  glClearColor(0.0F, 0.0F, 1.0F, 1.0F);
  glClear(GL_COLOR_BUFFER_BIT);
  glBufferData(GL_ARRAY_BUFFER, CORNER_FLOATS * sizeof(float), scene->corners, GL_STATIC_DRAW);
  glVertexAttribPointer(CORNER, 2, GL_FLOAT, GL_FALSE, 0, NULL);
  glEnableVertexAttribArray(CORNER);
  glDrawArrays(GL_TRIANGLES, 0, 3);
  glFlush();
  glReadPixels(0, 0, WIDTH, HEIGHT, GL_RGBA, GL_UNSIGNED_BYTE, scene->picture);
  expect(glGetError() == GL_NO_ERROR, "cannot draw the triangle");
  DMD_TAG_POP();
}

/* Shaders go with the context. */
static void context_close(struct context *c) {
  DMD_TAG_PUSH("webgl");
  eglMakeCurrent(c->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
  eglDestroyContext(c->display, c->context);
  eglTerminate(c->display);
  eglReleaseThread();
  DMD_TAG_POP();
}

/* ---- The program. ---- */

static bool has_colour(const struct scene *scene, size_t x, size_t y, const char *rgba) {
  return memcmp(scene->picture + (y * WIDTH + x) * BYTES_A_PIXEL, rgba, BYTES_A_PIXEL) == 0;
}

int main(void) {
  setenv("LIBGL_ALWAYS_SOFTWARE", "1", 0);        /* also where there is a graphics card */
  setenv("MESA_SHADER_CACHE_DISABLE", "true", 0); /* one run is like another */
  struct scene *scene = scene_new();
  struct context context = context_open();
  context_use_shaders(&context, scene);
  context_draw(&context, scene);
  expect(has_colour(scene, WIDTH / 2, HEIGHT / 2, "\xff\x00\x00\xff"), "the triangle is not red");
  expect(has_colour(scene, 1, HEIGHT - 2, "\x00\x00\xff\xff"), "the rest is not blue");
  printf("%s: a red triangle on blue\n", (const char *)glGetString(GL_RENDERER));

  size_t of_scene = scene_measure(scene);
  size_t of_driver = DMD_TAG_BYTES("webgl");
  printf("memory report, bytes:\n");
  printf("  explicit/scene         %10zu\n", of_scene);
  printf("  explicit/webgl/driver  %10zu in %zu blocks\n", of_driver, DMD_TAG_BLOCKS("webgl"));
  DMD_MEMORY_REPORT(&(struct dmd_memory_report){
      NULL, "explicit/webgl/driver", DMD_KIND_HEAP, DMD_UNITS_BYTES, (long long)of_driver,
      "Memory that the graphics driver allocated, on whatever thread."});
  DMD_DUMP("drawn");

  context_close(&context);
  scene_delete(scene);
  return 0;
}
