#include "cuda/memory/tensor_map.h"

#include <bit>

#include "cuda/api/driver.h"
#include "cuda/memory/buffer.h"

namespace bench::cuda {

TensorMap tensor_map_2d(const bench::Buffer& buffer, const Tensor2d& tensor) {
  constexpr std::uint64_t kWord = sizeof(std::uint32_t);
  const Buffer& words = own(buffer);
  words.check_range(0, tensor.rows * tensor.row_words * kWord);
  const cuuint64_t sizes[] = {tensor.row_words, tensor.rows};
  const cuuint64_t pitch_bytes[] = {tensor.row_words * kWord};
  const cuuint32_t box[] = {tensor.box_words, tensor.box_rows};
  const cuuint32_t every[] = {1, 1};
  const auto swizzle = tensor.swizzle == Swizzle::k128Bytes ? CU_TENSOR_MAP_SWIZZLE_128B : CU_TENSOR_MAP_SWIZZLE_NONE;
  const auto promotion = tensor.wide_l2_reads ? CU_TENSOR_MAP_L2_PROMOTION_L2_256B : CU_TENSOR_MAP_L2_PROMOTION_NONE;
  CUtensorMap map{};
  static_assert(sizeof(map) == sizeof(TensorMap));
  // Of the driver API alone. Version: CUDA 12.0, where it came in.
  const auto encode = driver_function<PFN_cuTensorMapEncodeTiled_v12000>("cuTensorMapEncodeTiled", 12000);
  BENCH_CU(status_of(encode(&map, CU_TENSOR_MAP_DATA_TYPE_UINT32, 2, words.handle(), sizes, pitch_bytes, box, every,
                            CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle, promotion, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE)),
           "{} rows of {} words, box {} x {}", tensor.rows, tensor.row_words, tensor.box_words, tensor.box_rows);
  return {std::bit_cast<decltype(TensorMap::bytes)>(map)};
}

}  // namespace bench::cuda
