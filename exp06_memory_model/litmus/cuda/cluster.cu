// No GLSL twin: Vulkan has no clusters.
// Every test with its blocks in clusters: the entries *_cluster.
#define LITMUS_CLUSTERED
#include "corr.cu"
#include "corw.cu"
#include "cowr.cu"
#include "coww.cu"
#include "flag.cu"
#include "handoff.cu"
#include "iriw.cu"
#include "lb.cu"
#include "mp.cu"
#include "r.cu"
#include "s.cu"
#include "sb.cu"
#include "two_plus_two_w.cu"
#include "wrc.cu"
