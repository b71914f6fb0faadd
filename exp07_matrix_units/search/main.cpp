// Which shape of each of Vulkan's products is the fastest? Not an experiment: what it finds becomes rows of exp07's tables.
#include "backends.h"
#include "core/experiment/experiment.h"
#include "matrix_search_kernels.h"
#include "meter.h"
#include "products.h"
#include "space.h"

namespace {

using bench::Column;

std::vector<bench::Case> cases(const bench::Plan& plan) {
  const auto products = make_products(bench::kernels::matrix_search());
  std::vector<bench::Case> list;
  for (const Shape& shape : search_space()) {
    const std::uint32_t size = plan.smoke || plan.cpu ? 256 : 8192;
    bench::Case one = product_case({shape, Data::kNormal, size, plan.multiprocessors}, products);
    one.sides.front().params.set("invocations", shape.invocations);
    one.sides.front().params.set("group_rows", shape.group_rows);
    one.host_samples = 1;
    list.push_back(std::move(one));
  }
  return list;
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Experiment search = {
      .name = "matrix_search",
      .question = "Which shape of each of Vulkan's products is the fastest?",
      .params = {Column::text("in", "the type of the numbers that are multiplied"),
                 Column::text("sums", "the type of their sums"),
                 Column::integer("size", "", "of the matrices: rows, columns and depth"), Column::text("data", "normal"),
                 Column::text("tile", "of a workgroup: rows and columns of C, and the depth of a step"),
                 Column::text("warps", "of a workgroup, over its tile").optional(),
                 Column::integer("invocations", "", "of a workgroup"),
                 Column::integer("group_rows", "", "of tiles that are made column by column; 0: row by row")},
      .model = product_columns(),
      .measured = meter_columns(),
      .variants = {{"product_workgroup", "matrices of the whole workgroup (NV_cooperative_matrix2), B by columns"},
                   {"product_workgroup_rows", "the same, B by rows"},
                   {"product_tile", "matrices of subgroups (KHR), tiles in shared memory, B by columns"},
                   {"product_tile_rows", "the same, B by rows"},
                   {"product_staged", "product_tile, sums by shared memory to C"},
                   {"product_staged_rows", "product_tile_rows, sums by shared memory to C"}},
      .cases = cases,
      .power_bound = true,
      .takes_size = false,
  };
  return bench::run_main(argc, argv, search, bench::all_backends());
}
