#include "products.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <tuple>
#include <variant>

#include "core/base/error.h"
#include "core/base/parallel.h"
#include "core/experiment/verify.h"
#include "cublas.h"
#include "cuda/device/backend.h"
#include "cuda/tensor_params.h"
#include "inputs.h"
#include "meter.h"
#include "params.h"
#include "reference.h"
#include "variants.h"
#include "vulkan/device/backend.h"

// References of products, made once for all kernels, and the libraries.
class Products {
 public:
  explicit Products(std::span<const bench::KernelImages> kernels) : kernels_(kernels) {}
  const bench::KernelImages& kernel(std::string_view stem) const { return bench::find_kernel(kernels_, stem); }
  bench::VulkanLaunch::OtherMatrix halves(const Shape& shape) const {
    return ::halves(kernels_, shape.stem, {shape.in, shape.sums});
  }
  Cublas& cublas() { return *cublas_; }
  CublasLt& cublaslt() { return *cublaslt_; }
  const Product& of(std::uint64_t seed, Number in, Data data, const MatrixParams& params, Layout b) {
    auto& made = made_[{seed, in, data, params.m, params.k, b}];
    if (!made) made = std::make_unique<Product>(seed, in, data, params, b);
    return *made;
  }

 private:
  std::span<const bench::KernelImages> kernels_;
  std::shared_ptr<Cublas> cublas_ = Cublas::make();
  std::shared_ptr<CublasLt> cublaslt_ = CublasLt::make();
  std::map<std::tuple<std::uint64_t, Number, Data, std::uint32_t, std::uint32_t, Layout>, std::unique_ptr<Product>> made_;
};

namespace {

using bench::Buffer;
using bench::Launch;
using bench::Workbench;

struct Config : ProductConfig {
  std::uint32_t depth() const { return size / shape.parts; }
  MatrixParams params() const { return {size, size, depth(), 0}; }
  std::string k() const { return shape.parts == 1 ? "" : fmt::format(", {} deep", depth()); }  // where it is not the size
  std::uint64_t squared() const { return std::uint64_t{size} * size; }
  std::uint64_t in_bytes() const { return std::uint64_t{size} * depth() * bytes_of(shape.in); }  // of one operand
  std::uint64_t in_words() const { return in_bytes() / sizeof(std::uint32_t); }
  std::uint64_t out_words() const { return squared() * bytes_of(shape.sums) / sizeof(std::uint32_t); }
  double operations() const { return 2.0 * static_cast<double>(squared()) * depth(); }
  std::array<std::uint32_t, 3> grid() const {
    if (shape.implementation == Implementation::kTensor) return {std::max(sms / 2 * 2, 2U), 1, 1};
    return {size / shape.columns, size / shape.rows, 1};
  }
};

const Buffer& input(Workbench& bench, const Config& config, Operand operand) {
  const Matrix matrix = {bench.input_seed(), operand, config.shape.in, config.data};
  const std::string name = fmt::format("{} {} {} of {}{}", operand == Operand::kA ? "A" : "B", name_of(config.data),
                                       name_of(config.shape.in), config.size, config.k());
  return bench.made_input(name, config.in_words(), [matrix](std::uint64_t done, std::span<std::byte> chunk) {
    const std::span words(reinterpret_cast<std::uint32_t*>(chunk.data()), chunk.size() / sizeof(std::uint32_t));
    bench::parallel_for(words.size(), 1 << 14, [&](std::uint64_t begin, std::uint64_t end) {
      matrix.words(done / sizeof(std::uint32_t) + begin, words.subspan(begin, end - begin));
    });
  });
}

// Reads all of C back. Throws Error if it is not the product, or if something was written behind it.
bench::Checksum compare(bench::Device& device, const Buffer& output, const Product& product, const Config& config) {
  Comparison comparison(product, config.shape.sums);
  bench::Checksum sum;
  std::mutex mutex;  // taken once by each thread of a chunk
  device.read(output, 0, config.out_words() * sizeof(std::uint32_t), [&](std::uint64_t done, std::span<const std::byte> chunk) {
    comparison.add(done / bytes_of(config.shape.sums), chunk);
    const std::span words(reinterpret_cast<const std::uint32_t*>(chunk.data()), chunk.size() / sizeof(std::uint32_t));
    bench::parallel_for(words.size(), 1 << 14, [&](std::uint64_t begin, std::uint64_t end) {
      bench::Checksum part;
      part.add(done / sizeof(std::uint32_t) + begin, words.subspan(begin, end - begin));
      const std::scoped_lock lock(mutex);
      sum.add(part);
    });
  });
  comparison.finish();
  std::vector<std::uint32_t> guard(bench::kGuardWords);
  device.download(output, config.out_words() * sizeof(std::uint32_t), std::as_writable_bytes(std::span(guard)));
  if (std::any_of(guard.begin(), guard.end(), [](std::uint32_t word) { return word != bench::kPoison; }))
    throw bench::Error("wrong output: the kernel wrote past the end of C");
  sum.add(config.out_words(), guard);
  return sum;
}

TensorMatrixParams tensor_params(const Config& config, const Buffer& a, const Buffer& b) {
  const auto map = [&](const Buffer& buffer, std::uint32_t box_rows) {
    return bench::cuda::tensor_map_2d(
        buffer, {.row_words = std::uint64_t{config.depth()} * bytes_of(config.shape.in) / sizeof(std::uint32_t),
                 .rows = config.size,
                 .box_words = EXP07_WGMMA_ROW_BYTES / sizeof(std::uint32_t),
                 .box_rows = box_rows,
                 .swizzle = bench::cuda::Swizzle::k128Bytes,
                 .wide_l2_reads = true});
  };
  return {map(a, EXP07_WGMMA_ROWS), map(b, EXP07_WGMMA_COLUMNS / std::max(config.shape.cluster, 1U)), config.params()};
}

// By a kernel, or by a library.
using ProductWork = std::variant<Launch, bench::StreamCall>;

// Throws Skip where the device has not what the kernel is written for.
void want(const bench::DeviceInfo& device, const Config& config) {
  if (config.shape.down != 0) want_subgroups(device, config.shape.subgroup);
  if (config.shape.implementation == Implementation::kTensor && config.sms == 0)
    throw bench::Skip("no device tells how many SMs this GPU has");
}

Launch make_launch(const Config& config, const bench::Kernel& kernel, const Buffer& a, const Buffer& b, const Buffer& c) {
  Launch launch;
  launch.kernel = &kernel;
  launch.buffers = {&a, &b, &c};
  launch.params = config.shape.implementation == Implementation::kTensor ? bench::params_bytes(tensor_params(config, a, b))
                                                                         : bench::params_bytes(config.params());
  launch.grid = config.grid();
  return launch;
}

// By the fastest of the algorithms that cuBLASLt proposes: each runs once and is timed. C is poisoned behind them.
bench::StreamCall fastest_call(Workbench& bench, const Config& config, Products& products, const Buffer& a, const Buffer& b,
                               const Buffer& c) {
  auto& calls = bench.device().offer<bench::StreamCalls>();
  const Buffer& workspace = bench.output("cuBLASLt's workspace", CublasLt::kWorkspaceBytes / sizeof(std::uint32_t));
  bench::StreamCall fastest;
  double least_ns = std::numeric_limits<double>::infinity();
  for (std::size_t place = 0; place < CublasLt::kMostAlgorithms; ++place) {
    bench::StreamCall call =
        products.cublaslt().product(a, b, c, workspace, config.params(), config.shape.in, config.shape.sums, place);
    try {
      calls.run(call);
    } catch (const bench::Skip&) {
      if (place == 0) throw;
      break;
    }
    const double ns = calls.prepare(call, {})->time_device({.batch = 3, .lead_in = 1}).ns;
    if (ns >= least_ns) continue;
    least_ns = ns;
    fastest = std::move(call);
  }
  bench.output("C", config.out_words());
  return fastest;
}

ProductWork make_work(Workbench& bench, const Config& config, Products& products, const Buffer& a, const Buffer& b,
                      const Buffer& c) {
  const Shape& shape = config.shape;
  if (shape.implementation == Implementation::kCublasLt) return fastest_call(bench, config, products, a, b, c);
  if (shape.implementation == Implementation::kCublas)
    return products.cublas().product(a, b, c, config.params(), shape.in, shape.sums);
  want(bench.device().info(), config);
  return make_launch(config, bench.kernel(product_kernel(config, products)), a, b, c);
}

// Six steps, the same for both APIs: inputs, poisoned output, kernel, one run, verification, the subject to be timed.
bench::Prepared set_up(Workbench& bench, const Config& config, Products& products) {
  const Shape& shape = config.shape;
  const Buffer& a = input(bench, config, Operand::kA);
  const Buffer& b = input(bench, config, Operand::kB);
  Buffer& c = bench.output("C", config.out_words());
  bench::Device& device = bench.device();
  const ProductWork product = make_work(bench, config, products, a, b, c);
  const auto* const launch = std::get_if<Launch>(&product);
  auto* const library = launch == nullptr ? &device.offer<bench::StreamCalls>() : nullptr;
  if (launch != nullptr) device.run(*launch);
  if (library != nullptr) library->run(std::get<bench::StreamCall>(product));
  bench.confirm(fmt::format("product of {} matrices of {}, {} each{}{}, sums of {}", name_of(config.data), name_of(shape.in),
                            config.size, config.k(), shape.b == Layout::kByRows ? ", B by rows" : "", name_of(shape.sums)),
                c, config.out_words() + bench::kGuardWords, [&] {
                  return compare(bench.device(), c,
                                 products.of(bench.input_seed(), shape.in, config.data, config.params(), shape.b), config);
                });
  bench.makes_outputs_anew();
  return metered(device,
                 launch != nullptr ? device.prepare(*launch, {}) : library->prepare(std::get<bench::StreamCall>(product), {}),
                 config.operations());
}

// Bytes that blocks ask the L2 for: each tile of C reads its rows of A and its columns of B once, blocks of a cluster together.
std::uint64_t l2_read_bytes(const Config& config) {
  const Shape& shape = config.shape;
  const std::uint64_t tiles = config.squared() / shape.rows / shape.columns;
  const std::uint64_t rows = shape.rows;
  const std::uint64_t columns = shape.columns / std::max(shape.cluster, 1U);  // those of B come once for all of its blocks
  return tiles * (rows + columns) * config.depth() * bytes_of(shape.in);
}

}  // namespace

bench::KernelSpec product_kernel(const ProductConfig& of, const Products& products) {
  const Config config{of};
  const Shape& shape = config.shape;
  const bool is_tensor = shape.implementation == Implementation::kTensor;
  return {.images = &products.kernel(shape.stem),
          .entry = shape.entry(),
          .block_x = shape.block(),
          .constants = shape.constants(),
          .buffers = 3,
          .params_bytes = static_cast<std::uint32_t>(is_tensor ? sizeof(TensorMatrixParams) : sizeof(MatrixParams)),
          .shared_bytes = shape.shared_bytes(),
          .cuda = {.cluster_x = shape.cluster},
          .vulkan = {.binding = bench::BufferBinding::kAddress,
                     .matrix = shape.matrix(),
                     .other_matrix = products.halves(shape),
                     .workgroup_matrix = shape.workgroup_matrix()}};
}

Launch product_launch(Workbench& bench, const ProductConfig& of, const bench::Kernel& kernel) {
  const Config config{of};
  want(bench.device().info(), config);
  return make_launch(config, kernel, input(bench, config, Operand::kA), input(bench, config, Operand::kB),
                     bench.output("C", config.out_words()));
}

void check_product(Workbench& bench, const ProductConfig& of, Products& products, const Launch& launched) {
  const Config config{of};
  compare(bench.device(), *launched.buffers.back(),
          products.of(bench.input_seed(), config.shape.in, config.data, config.params(), config.shape.b), config);
}

double product_operations(const ProductConfig& of) { return Config{of}.operations(); }

std::shared_ptr<Products> make_products(std::span<const bench::KernelImages> kernels) {
  return std::make_shared<Products>(kernels);
}

bench::Case product_case(const ProductConfig& of, const std::shared_ptr<Products>& products) {
  Config config{of};
  if (config.shape.sized) config.shape.size = config.size;
  const Shape& shape = config.shape;
  bench::Case result = bench::twin(std::string(shape.variant),
                                   {{"in", name_of(shape.in)},
                                    {"sums", name_of(shape.sums)},
                                    {"size", config.size},
                                    {"data", name_of(config.data)},
                                    {"tile", shape.tile()},
                                    {"warps", shape.warps()}},
                                   [config, products](Workbench& bench) { return set_up(bench, config, *products); });
  if (shape.implementation != Implementation::kTwins)
    result.apis = {{shape.implementation == Implementation::kVulkan ? bench::vulkan::kApi : bench::cuda::kApi}};
  const std::uint64_t operands = 2 * config.in_bytes();
  const std::uint64_t product = config.squared() * bytes_of(shape.sums);
  result.model = {{"operations", static_cast<std::uint64_t>(config.operations())},
                  {"min_read_bytes", operands},
                  {"min_write_bytes", product}};
  if (shape.rows != 0) result.model.set("l2_read_bytes", l2_read_bytes(config));
  result.elements = config.squared();
  result.footprint_bytes = operands + product;
  result.cache = bench::Cache::kWarm;
  result.host_samples = 2;
  result.budget_part = 0.3;
  result.vulkan = {.matrix_units = true};
  return result;
}

std::vector<bench::Column> product_columns() {
  using bench::Column;
  return {Column::integer("operations", "", "of one launch: a multiplication and an addition are two"),
          Column::integer("l2_read_bytes", "bytes", "that the blocks of one launch ask the L2 for, predicted").optional(),
          Column::integer("min_read_bytes", "bytes", "distinct, that one launch must read").optional(),
          Column::integer("min_write_bytes", "bytes", "distinct, that one launch must write").optional()};
}

std::vector<bench::Case> product_cases(const bench::Plan& plan, std::span<const bench::KernelImages> kernels) {
  const auto products = make_products(kernels);
  std::vector<std::uint32_t> sizes = {4096, 8192};
  if (plan.smoke || plan.cpu) sizes = {256};
  std::vector<bench::Case> list;
  for (const std::uint32_t size : sizes) {
    std::set<std::string_view> seen;
    for (const Shape& shape : shapes(plan)) {
      const bool first = shape.in == Number::kF16 && shape.sums == Number::kF32;
      // What the search found is held against the library at the size that was searched, in every type.
      const bool searched = was_found(shape.variant) || is_library(shape.implementation);
      if (!first && size != sizes.front() && !searched) continue;
      // With sums of f32 it has many tiles: only at the size that was searched.
      if (first && shape.variant.starts_with("product_walk") && size != sizes.back()) continue;
      // A coarse sweep: each way's best known shape, of large f16 matrices.
      const bool further = shape.in == Number::kBf16 || shape.variant == "product_double" || shape.variant == "product_clamped";
      if (plan.quick && (further || size != (first ? sizes.back() : sizes.front()) || (!first && was_found(shape.variant))))
        continue;
      list.push_back(product_case({shape, Data::kNormal, size, plan.multiprocessors}, products));
      // Zeros: each way's first shape, where there is most to do.
      if (!plan.quick && first && !seeks_cause(shape.variant) && !was_found(shape.variant) && size == sizes.back() &&
          seen.insert(shape.variant).second)
        list.push_back(product_case({shape, Data::kZeros, size, plan.multiprocessors}, products));
    }
  }
  return list;
}
