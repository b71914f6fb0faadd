// What do loads, stores, bulk and tensor copies reach in another GPU's memory over NVLink, and what does a poll there see?
#include <algorithm>
#include <bit>

#include "backends.h"
#include "company.h"
#include "core/experiment/experiment.h"
#include "core/experiment/verify.h"
#include "exp06_kernels.h"
#include "params.h"
#include "transfer.h"

namespace {

using bench::Buffer;
using bench::Column;
using bench::Plan;
using bench::Prepared;
using bench::Workbench;

constexpr std::uint64_t kKib = 1 << 10;
constexpr std::uint64_t kMib = 1 << 20;

// A chain of loads through a table in this GPU's memory or the peer's.
struct Chase {
  std::string_view memory_order;  // "weak", "relaxed"
  std::string_view held_by;       // "this", "peer"
  std::uint64_t table_bytes = 0;  // a power of two
  std::uint32_t steps = 0;
};

Prepared set_up_chase(Workbench& bench, const Chase& chase) {
  bench::Launch launch;
  launch.kernel = &bench.kernel({.images = &bench::find_kernel(bench::kernels::exp06(), "chase"),
                                 .entry = "chase_" + std::string(chase.memory_order),
                                 .block_x = 1,
                                 .buffers = 2,
                                 .params_bytes = sizeof(ChaseParams)});
  Workbench& peer = bench.peer();
  const std::uint64_t words = chase.table_bytes / sizeof(std::uint32_t);
  const ChaseParams params{static_cast<std::uint32_t>(words - 32), chase.steps};
  Buffer& end = bench.output("end", 1);
  launch.buffers = {&(chase.held_by == "peer" ? peer : bench).input(0, words), &end};
  launch.params = bench::params_bytes(params);
  bench.device().run(launch);
  std::uint32_t index = 0;
  for (std::uint32_t step = 0; step < params.steps; ++step) {
    index = EXP06_NEXT(std::bit_cast<std::uint32_t>(bench.input_value(0, index)), step, params.mask);
  }
  bench::verify<std::uint32_t>(bench, end, 1, bench::kGuardWords, [index](std::uint64_t) { return index; });
  bench.makes_outputs_anew();
  return bench.device().prepare(launch, {});
}

// CUDA alone, but for the API's own copies, whose Vulkan side says why there is none.
bench::Case make_case(std::string_view variant, const bench::Values& params,
                      const std::function<Prepared(Workbench&)>& set_up) {
  bench::Case result = bench::twin(std::string(variant), params, set_up);
  if (!variant.starts_with("copy_")) result.apis = {{bench::cuda::kApi}};
  result.host_samples = 2;
  result.budget_part = 0.15;
  return result;
}

bench::Case make_case(const PeerTransfer& transfer, const std::shared_ptr<Common>& common) {
  const Mechanism& how = *transfer.mechanism;
  const std::uint32_t sms = how.engine == Engine::kApi ? 0 : transfer.grid();
  bench::Case result = make_case(how.name, {{"direction", how.direction()}, {"sms", bench::unless_zero(sms)}},
                                 [=](Workbench& bench) { return set_up_transfer(bench, transfer, common); });
  result.elements = transfer.bytes / sizeof(std::uint32_t);
  result.useful_bytes = transfer.bytes * (how.in && how.out ? 2 : 1);  // what crosses the link
  return result;
}

// Every mechanism on all SMs for every size, and for the largest on 1, 2, 4, ... of them.
void add_transfers(const Plan& plan, std::vector<bench::Case>& list) {
  const auto common = std::make_shared<Common>();
  const bool few = plan.smoke || plan.cpu;
  const std::uint32_t all = std::max(plan.multiprocessors, 4U);  // only a device that will skip the rows has none
  std::vector<std::uint64_t> sizes =
      few ? std::vector{64 * kKib, 16 * kMib} : std::vector{64 * kKib, 1 * kMib, 16 * kMib, 256 * kMib};
  std::erase_if(sizes, [&](std::uint64_t bytes) { return bytes > std::max(plan.max_buffer_bytes, 64 * kKib); });
  const std::uint64_t largest = sizes.back();
  const auto add = [&](std::string_view name, std::uint64_t bytes, std::uint32_t sms) {
    list.push_back(make_case({&mechanism(name), bytes, sms}, common));
  };
  for (const Mechanism& how : mechanisms()) {
    const bool swept = how.engine <= Engine::kBulk && !(how.in && how.out);
    std::vector<std::uint32_t> some = swept                        ? std::vector<std::uint32_t>{1, 2, 4, 8, 16, 32, 64}
                                      : how.engine == Engine::kApi ? std::vector<std::uint32_t>{}
                                                                   : std::vector<std::uint32_t>{16};
    if (few || plan.quick) some.resize(std::min<std::size_t>(some.size(), 1));
    const bool by_size = !(how.in && how.out) && how.engine != Engine::kTensor;
    for (const std::uint64_t bytes : sizes) {
      if (by_size || few || bytes == largest) add(how.name, bytes, all);
    }
    for (const std::uint32_t sms : some) {
      if (sms < all) add(how.name, largest, sms);
    }
  }
  bench::Case tile = make_case("tile_tma", {{"direction", "both"}}, set_up_tile);
  tile.elements = tile_bytes_each_way() / sizeof(std::uint32_t);
  tile.useful_bytes = 2 * tile_bytes_each_way();
  list.push_back(tile);
}

void add_latencies(const Plan& plan, std::vector<bench::Case>& list) {
  const bool few = plan.smoke || plan.cpu;
  const auto add_chase = [&](std::string_view memory_order, std::string_view held_by, std::uint64_t bytes) {
    const Chase chase = {memory_order, held_by, bytes, few ? 256U : 4096U};
    list.push_back(make_case("chase", {{"memory_order", memory_order}, {"held_by", held_by}, {"table_bytes", bytes}},
                             [chase](Workbench& bench) { return set_up_chase(bench, chase); }));
    list.back().elements = chase.steps;
  };
  const auto staged = [&](bench::Case one, std::uint64_t elements) {
    one.elements = elements;
    one.spins = true;
    one.fixed_batch = 1;
    one.host_samples = 0;
    list.push_back(std::move(one));
  };
  for (const std::string_view holder : {"this", "peer"}) {
    add_chase("relaxed", holder, 4 * kMib);   // more than an L1, less than an L2
    add_chase("relaxed", holder, 16 * kKib);  // the same lines again and again, past the L1
    add_chase("weak", holder, 16 * kKib);     // and through it
  }
  for (const std::string_view memory_order : {"relaxed", "acq_rel"}) {
    for (const std::string_view holder : {"reader", "writer"}) {
      const Exchange exchange = {memory_order, holder, few ? 256U : 4096U};
      staged(make_case("flag", {{"memory_order", memory_order}, {"held_by", holder}},
                       [exchange](Workbench& bench) { return set_up_exchange(bench, exchange); }),
             2 * exchange.rounds);
    }
  }
  for (const std::string_view memory_order : {"weak", "volatile", "relaxed"}) {
    for (const auto& [holder, changer] : {std::pair{"peer", "kernel"}, {"peer", "host"}, {"this", "kernel"}}) {
      const Watch watch = {memory_order, holder, changer};
      staged(make_case("watch", {{"memory_order", memory_order}, {"held_by", holder}, {"changed_by", changer}},
                       [watch](Workbench& bench) { return set_up_watch(bench, watch); }),
             1);
    }
  }
}

std::vector<bench::Case> cases(const Plan& plan) {
  std::vector<bench::Case> list;
  add_transfers(plan, list);
  add_latencies(plan, list);
  for (const bench::Case& aa : bench::aa_controls(list.front())) list.push_back(aa);
  return list;
}

}  // namespace

int main(int argc, char** argv) {
  bench::Experiment experiment = {
      .name = "exp06_peer",
      .question =
          "What do loads, stores, bulk and tensor copies reach in another GPU's memory over NVLink, and what does a poll there "
          "see?",
      .params = {Column::text("direction", "of the data: in, out or both").optional(),
                 Column::integer("sms", "SMs", "that the kernel may use").optional(),
                 Column::text("memory_order", "of the loads and stores").optional(),
                 Column::text("held_by", "in whose memory the data are: this, peer; reader, writer").optional(),
                 Column::text("changed_by", "who changes the word that is watched: kernel or host").optional(),
                 Column::integer("table_bytes", "bytes", "of the table that is chased through").optional()},
      .model = {},
      .measured =
          {Column::real("link_gbps", "GB/s", "of the GPU's active NVLinks in the row's directions").optional(),
           Column::real("link_pct", "%", "of that rate").optional(),
           Column::real("latency_ns", "ns", "of a number on its way, one way").interval().optional(),
           Column::real("seen", "", "share of the runs in which the watcher saw the change").optional(),
           Column::real("polls", "loads", "of the watcher: median").optional(),
           Column::real("seen_ns", "ns", "from the first load to the one that saw the change: median").optional(),
           Column::integer("wrong_words", "words", "of the matrix that are wrong after 100 launches").interval().optional()},
      .variants = {{"tile_tma", "boxes of the peer's matrix by tensor copy into shared memory, changed, and back"},
                   {"chase", "one thread follows a chain of loads through a table: time of one"},
                   {"flag", "a thread on each GPU, and a number that goes back and forth: `latency_ns` one way"},
                   {"watch",
                    "a thread loads a word until it sees the change that another GPU or the host makes, 50 ms at most"},
                   {"aa_control_a", "A/A control: the first load_plain, paired with aa_control_b, which is the same"},
                   {"aa_control_b", "the other half of the A/A control"}},
      .cases = cases,
      .takes_size = false,
      .gpus = 2,
  };
  std::vector<bench::VariantText> texts;
  for (const Mechanism& how : mechanisms()) texts.push_back({std::string(how.name), std::string(how.text)});
  experiment.variants.insert(experiment.variants.begin(), texts.begin(), texts.end());
  return bench::run_main(argc, argv, experiment, bench::all_backends());
}
