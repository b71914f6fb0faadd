// The dot product of four signed bytes in each of two words, as glslang since 15.2 spells it and older ones cannot:
// SPV_KHR_integer_dot_product, its literal operand 0 being PackedVectorFormat4x8Bit.
#extension GL_EXT_spirv_intrinsics : require

spirv_instruction(extensions = ["SPV_KHR_integer_dot_product"], capabilities = [6019, 6018], id = 4450)
int dot_s8(int a, int b, spirv_literal int format);
spirv_instruction(extensions = ["SPV_KHR_integer_dot_product"], capabilities = [6019, 6018], id = 4453)
int dot_acc_s8(int a, int b, int sum, spirv_literal int format);

#define DOT_THEN_ADD(x, m) (dot_s8(x, m, 0) + x)
#define DOT_ACCUMULATE(x, m) dot_acc_s8(x, m, x, 0)
