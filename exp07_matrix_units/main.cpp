// How fast do CUDA and Vulkan multiply matrices on the same units, from bare instructions to the best kernel of each?
#include <algorithm>

#include "backends.h"
#include "core/experiment/experiment.h"
#include "exp07_kernels.h"
#include "meter.h"
#include "products.h"
#include "rates.h"

namespace {

using bench::Column;

std::vector<bench::Case> cases(const bench::Plan& plan) {
  std::vector<bench::Case> list = rate_cases(plan);
  for (bench::Case& one : product_cases(plan, bench::kernels::exp07())) list.push_back(std::move(one));
  const auto is_plain = [](const bench::Case& one) { return one.sides.front().variant == "product_tile"; };
  for (const bench::Case& aa : bench::aa_controls(*std::find_if(list.begin(), list.end(), is_plain))) list.push_back(aa);
  return list;
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Experiment experiment = {
      .name = "exp07_matrix_units",
      .question =
          "How fast do CUDA and Vulkan multiply matrices on the same units, from bare instructions to the best kernel of each?",
      .params =
          {Column::text("in", "the type of the numbers that are multiplied"), Column::text("sums", "the type of their sums"),
           Column::integer("size", "", "of the matrices: rows, columns and depth (product_shallow: a quarter of it deep)")
               .optional(),
           Column::text("data", "the matrices' elements: normal (of the normal distribution; s8: evenly), zeros").optional(),
           Column::text("tile", "of a block: rows and columns of C, and the depth of a step").optional(),
           Column::text("warps", "of a block, over its tile").optional()},
      .model = product_columns(),
      .measured = meter_columns(),
      .variants =
          {{"rate_warp", "a warp's matrix instruction from registers: mma.sync, a subgroup's cooperative matrix"},
           {"rate_group", "a warp group's from shared memory: wgmma, 64x256; CUDA alone"},
           {"rate_fma", "chains of fused multiply-adds: f32, two f16 at once, f64"},
           {"rate_dot_add", "chains of int8 dot products of four: __dp4a; OpSDot and an addition"},
           {"rate_dot_acc", "the same by OpSDotAccSat, which adds (and saturates); CUDA's side is __dp4a again"},
           {"rate_dot_vec", "rate_dot_add, the words unpacked to vectors of four bytes; CUDA's side is __dp4a again"},
           {"rate_dot_unsigned", "rate_dot_add of unsigned bytes: __dp4a; OpUDot and an addition"},
           {"rate_dot_pair_add", "two chains take turns, each adding the other's dot product: __dp4a; OpSDot and an addition"},
           {"rate_dot_pair_acc", "the same by OpSDotAccSat: clpeak's kernel"},
           {"product_tile",
            "wmma (bf16, s8: mma.sync) and cooperative matrices: tiles through registers into shared memory, one at a time"},
           {"product_offsets", "product_tile, a thread's accesses at constant offsets from its first"},
           {"product_shallow", "product_tile, K a quarter of the rows of C"},
           {"product_staged", "product_tile, sums by shared memory to C, by stores of 16 bytes"},
           {"product_double", "the same with two tiles in turn and one barrier per step; Vulkan alone"},
           {"product_workgroup", "matrices of the whole workgroup by tensor layouts (NV_cooperative_matrix2); Vulkan alone"},
           {"product_clamped", "the same for sizes of any kind: what lies outside is clamped; Vulkan alone"},
           {"product_workgroup_128", "product_workgroup by 128 invocations, the fastest that the search found; Vulkan alone"},
           {"product_workgroup_rows_128", "the same with B by rows, too; Vulkan alone"},
           {"product_staged_rows", "product_staged with B by rows, too; Vulkan alone"},
           {"product_workgroup_sized",
            "product_workgroup by 128 invocations, for matrices of one size, known when the kernel is compiled; Vulkan alone"},
           {"product_staged_rows_sized", "product_staged_rows for matrices of one size, too; Vulkan alone"},
           {"product_walk_rows_sized", "the same with addresses that advance and loads under no condition, and wmma"},
           {"product_walk_double_rows_sized", "the same with two tiles in turn, stored during products"},
           {"product_walk_mma_rows_sized", "product_walk_rows_sized by ldmatrix and mma.sync; CUDA alone"},
           {"product_walk_sized", "product_walk_rows_sized with B by columns, in other shapes; Vulkan alone"},
           {"product_mma", "mma.sync, ldmatrix, and a ring of cp.async; CUDA alone"},
           {"product_wgmma", "wgmma, tiles by TMA, clusters of two blocks, a warp group that only loads; CUDA alone"},
           {"product_wgmma_alone", "the same without clusters; CUDA alone"},
           {"product_cublas", "cuBLAS, where it is installed; CUDA alone"},
           {"product_cublaslt", "cuBLASLt, the fastest of the algorithms that it proposes; CUDA alone"},
           {"aa_control_a", "A/A control: product_tile, paired with aa_control_b, which is the same"},
           {"aa_control_b", "the other half of the A/A control"}},
      .cases = cases,
      .power_bound = true,
      .takes_size = false,
      .counts_tensor = true,
  };
  return bench::run_main(argc, argv, experiment, bench::all_backends());
}
