// One invocation a workgroup waits by the GPU's clock and says that it ran: 4 bytes written a workgroup.
#extension GL_EXT_shader_realtime_clock : require

layout(set = 0, binding = 0, std430) writeonly buffer Tags { uint tags[]; };

uint ticks() { return clockRealtime2x32EXT().x; }

void run_block(JobParams params, uint block) {
  const uint begin = ticks();
  uint now = begin;
  for (uint turn = 0; turn < params.max_turns && now - begin < params.ticks; ++turn) now = ticks();
  tags[params.first + block] = EXP08_TAG(params.first + block);
}
