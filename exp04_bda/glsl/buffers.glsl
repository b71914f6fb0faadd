// Declares the buffers A (read) and B (written) of TYPE, and the parameters, either way: bound as descriptors, or, with ADDRESS, as 64-bit
// addresses in the push constants. READ and WRITE are A's and B's qualifiers, ALIGN the alignment that an address is promised to have.
#ifdef ADDRESS
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_scalar_block_layout : require
layout(buffer_reference, scalar, buffer_reference_align = ALIGN) READ buffer Input { TYPE at[]; };
layout(buffer_reference, scalar, buffer_reference_align = ALIGN) WRITE buffer Output { TYPE at[]; };
layout(push_constant, std430) uniform Push {
  Input a;
  Output b;
  BdaParams params;
};
#define A a.at
#define B b.at
#else
layout(set = 0, binding = 0, std430) READ buffer Input { TYPE A[]; };
layout(set = 0, binding = 1, std430) WRITE buffer Output { TYPE B[]; };
layout(push_constant, std430) uniform Push { BdaParams params; };
#endif

layout(local_size_x_id = 0) in;
