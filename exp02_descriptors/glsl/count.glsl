// ++out[lane], one subgroup, its buffer reached by ADDRESS, BINDLESS, or at binding OUTPUT of a set: tells how many dispatches of
// a submission ran. Verification alone runs it.
#if defined ADDRESS
#extension GL_EXT_buffer_reference : require
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Out { uint out_[]; };
layout(push_constant, std430) uniform Push { Out destination; };
#define OUT destination.out_
#elif defined BINDLESS
#extension GL_EXT_nonuniform_qualifier : require
layout(set = 0, binding = 0, std430) buffer Out { uint out_[]; } buffers[];
layout(push_constant, std430) uniform Push { uint out_index; };
#define OUT buffers[out_index].out_
#else
layout(set = 0, binding = OUTPUT, std430) buffer Out { uint out_[]; };
#define OUT out_
#endif
layout(local_size_x_id = 0) in;

void main() { ++OUT[gl_LocalInvocationID.x]; }
