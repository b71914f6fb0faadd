// A task that the host waits for by the API's own means: see task.glsl.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "glsl/task.glsl"
