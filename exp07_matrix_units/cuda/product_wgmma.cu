#include "product_wgmma.cuh"

PRODUCT_WGMMA(product_wgmma_f16_f32, kF16F32, 8)
PRODUCT_WGMMA(product_wgmma_f16_f16, kF16F16, 8)
PRODUCT_WGMMA(product_wgmma_bf16_f32, kBf16F32, 8)
PRODUCT_WGMMA(product_wgmma_tf32_f32, kTf32F32, 8)
PRODUCT_WGMMA(product_wgmma_s8_s32, kS8S32, 8)
PRODUCT_WGMMA(product_wgmma_e4m3_f32, kE4m3F32, 8)
// The control for the cluster.
PRODUCT_WGMMA_ALONE(product_wgmma_alone_f16_f32, kF16F32, 16)
