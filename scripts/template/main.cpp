// What is the question?
#include "backends.h"
#include "core/experiment/access_model.h"
#include "core/experiment/experiment.h"
#include "core/experiment/verify.h"
#include "exp00_kernels.h"
#include "params.h"

namespace {

using bench::Buffer;
using bench::Column;
using bench::Launch;
using bench::Plan;
using bench::Workbench;

constexpr std::uint32_t kLargestLog2 = 28;  // 2^28 floats * 4 B = 1 GiB a buffer
constexpr float kFactor = 2;

struct Variant {
  const char* name;  // of its kernels too
  std::uint32_t block;
  std::uint32_t read_bytes;  // per element
  std::uint32_t write_bytes;
};

// The experiment is this table.
const Variant kVariants[] = {
    {"scale", 128, 4, 4},
    {"scale", 256, 4, 4},
};

// CPU reference: what element i of the output must be.
float expect(const Workbench& bench, std::uint64_t i) { return kFactor * bench.input_value(0, i); }

// The same steps for both APIs: kernel, input, poisoned output, one run, verification, the subject to be timed.
bench::Prepared set_up(Workbench& bench, const Variant& variant, std::uint64_t elements) {
  Buffer& output = bench.output("output", elements);
  Launch launch;
  launch.kernel = &bench.kernel({.images = &bench::find_kernel(bench::kernels::exp00(), variant.name),
                                 .entry = variant.name,
                                 .block_x = variant.block,
                                 .buffers = 2,
                                 .params_bytes = sizeof(ScaleParams)});
  launch.grid = {static_cast<std::uint32_t>((elements + variant.block - 1) / variant.block), 1, 1};
  launch.buffers = {&bench.input(0, elements), &output};
  launch.params = bench::params_bytes(ScaleParams{static_cast<std::uint32_t>(elements), kFactor});

  bench.device().run(launch);
  bench::verify<float>(bench, output, elements, bench::kGuardWords, [&](std::uint64_t i) { return expect(bench, i); });
  bench.makes_outputs_anew();  // each launch writes all of it: looked at again after the samples
  return bench.device().prepare(launch, {});
}

bench::Case make_case(const Variant& variant, std::uint64_t elements) {
  bench::Case result = bench::twin(variant.name, {{"block", variant.block}},
                                   [variant, elements](Workbench& bench) { return set_up(bench, variant, elements); });
  // What one warp asks for, from its lanes' addresses.
  const auto neighbours = [](std::uint32_t bytes) {
    return bench::warp_access(bytes, [bytes](std::uint32_t lane) { return std::uint64_t{lane} * bytes; });
  };
  result.model = bench::model_values(neighbours(variant.read_bytes), neighbours(variant.write_bytes),
                                     elements * variant.read_bytes, elements * variant.write_bytes);
  result.elements = elements;
  result.useful_bytes = elements * (variant.read_bytes + variant.write_bytes);
  result.footprint_bytes = result.useful_bytes;
  return result;
}

std::vector<bench::Case> cases(const Plan& plan) {
  std::vector<bench::Case> list;
  for (const std::uint64_t elements : plan.sizes_or(16, kLargestLog2, plan.quick ? 6 : 3, sizeof(float))) {
    for (const Variant& variant : kVariants) {
      bench::Case one = make_case(variant, elements);
      for (const bench::Cache cache : plan.caches_for(one.footprint_bytes)) {
        one.cache = cache;
        list.push_back(one);
      }
    }
  }
  for (const bench::Case& control : bench::aa_controls(bench::Case(list.back()))) list.push_back(control);
  return list;
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Experiment experiment = {
      .name = "exp00_template",
      .question = "What is the question?",
      .params = {Column::integer("block", "threads", "of a block")},
      .model = bench::model_columns(),
      .variants = {{"scale", "out = factor * x, one float per thread: 8 bytes per float"},
                   {"aa_control_a", "A/A control: scale at the largest size, paired with aa_control_b, which is the same"},
                   {"aa_control_b", "the other half of the A/A control"}},
      .cases = cases,
  };
  return bench::run_main(argc, argv, experiment, bench::all_backends());
}
