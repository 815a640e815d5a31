/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * triangle: draws a triangle into memory with OpenGL ES, which Mesa does with llvmpipe where there
 * is no graphics processor. Prints who drew, and a number made of all pixels.
 */
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GLES2/gl2.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIDE = 256, FRAMES = 50 };

static const char *const g_corners = "attribute vec2 at; varying vec2 colour;"
                                     "void main() { colour = at; gl_Position = vec4(at, 0., 1.); }";
static const char *const g_inside = "precision mediump float; varying vec2 colour;"
                                    "void main() { gl_FragColor = vec4(colour, 1., 1.); }";

static void need(int condition, const char *what) {
  if (condition)
    return;
  fprintf(stderr, "triangle: no %s\n", what);
  exit(1);
}

static void make_context(void) {
  static const EGLint wanted[] = {EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_NONE};
  static const EGLint version[] = {EGL_CONTEXT_CLIENT_VERSION, 2, EGL_NONE};
  static const EGLint size[] = {EGL_WIDTH, SIDE, EGL_HEIGHT, SIDE, EGL_NONE};
  EGLConfig config;
  EGLint n;
  EGLDisplay display =
      eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
  need(eglInitialize(display, NULL, NULL), "display");
  need(eglChooseConfig(display, wanted, &config, 1, &n) && n == 1, "configuration");
  EGLContext context = eglCreateContext(display, config, EGL_NO_CONTEXT, version);
  EGLSurface surface = eglCreatePbufferSurface(display, config, size);
  need(eglMakeCurrent(display, surface, surface, context), "context");
}

static void attach(GLuint program, GLenum kind, const char *source) {
  GLint good;
  GLuint shader = glCreateShader(kind);
  glShaderSource(shader, 1, &source, NULL);
  glCompileShader(shader);
  glGetShaderiv(shader, GL_COMPILE_STATUS, &good);
  need(good, "shader");
  glAttachShader(program, shader);
}

int main(void) {
  static const float corners[] = {-1, -1, 1, -1, 0, 1};
  static unsigned char pixels[SIDE * SIDE * 4];
  make_context();
  GLuint program = glCreateProgram();
  attach(program, GL_VERTEX_SHADER, g_corners);
  attach(program, GL_FRAGMENT_SHADER, g_inside);
  glBindAttribLocation(program, 0, "at");
  glLinkProgram(program);
  glUseProgram(program);
  glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, corners);
  glEnableVertexAttribArray(0);
  uint32_t sum = 0;
  for (int frame = 0; frame < FRAMES; frame++) {
    glClear(GL_COLOR_BUFFER_BIT);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    glReadPixels(0, 0, SIDE, SIDE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
    for (size_t i = 0; i < sizeof pixels; i++)
      sum = sum * 31 + pixels[i];
  }
  printf("%s: %08x\n", (const char *)glGetString(GL_RENDERER), sum);
  return 0;
}
