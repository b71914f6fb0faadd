// The dot product of four signed bytes in each of two words, as glslang since 15.2 spells it and older ones cannot:
// SPV_KHR_integer_dot_product, its literal operand 0 being PackedVectorFormat4x8Bit.
#extension GL_EXT_spirv_intrinsics : require

spirv_instruction(extensions = ["SPV_KHR_integer_dot_product"], capabilities = [6019, 6018], id = 4450)
int dot_s8(int a, int b, spirv_literal int format);
spirv_instruction(extensions = ["SPV_KHR_integer_dot_product"], capabilities = [6019, 6018], id = 4453)
int dot_acc_s8(int a, int b, int sum, spirv_literal int format);
spirv_instruction(extensions = ["SPV_KHR_integer_dot_product"], capabilities = [6019, 6018], id = 4451)
uint dot_u8(uint a, uint b, spirv_literal int format);
spirv_instruction(extensions = ["SPV_KHR_integer_dot_product"], capabilities = [6019, 6017], id = 4450)
int dot_of_vectors(i8vec4 a, i8vec4 b);

// The spellings of a sum and the dot product of a and b.
#define DOT_THEN_ADD(a, b, sum) (dot_s8(a, b, 0) + sum)
#define DOT_ACCUMULATE(a, b, sum) dot_acc_s8(a, b, sum, 0)
#define DOT_UNSIGNED(a, b, sum) (dot_u8(a, b, 0) + sum)
#define DOT_VECTORS(a, b, sum) (dot_of_vectors(unpack8(a), unpack8(b)) + sum)
