#include "transfer.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "../tma_params.h"
#include "core/base/error.h"
#include "core/base/stats.h"
#include "core/device/nvml.h"
#include "core/experiment/verify.h"
#include "exp06_kernels.h"
#include "params.h"

using bench::Buffer;
using bench::Launch;
using bench::Workbench;

namespace {

constexpr std::uint32_t kLoadStages = 4;  // chunks in flight a warp of load_bulk and load_tma
constexpr std::uint32_t kBarrierBytes = 8;

// Remembers the readings of the batch in use.
class Recorded final : public bench::Subject {
 public:
  explicit Recorded(std::unique_ptr<bench::Subject> subject) : subject_(std::move(subject)) {}

  const bench::Kernel* kernel() const override { return subject_->kernel(); }
  bench::DeviceTime time_device(const bench::DeviceSampleSpec& spec) override {
    if (spec.batch != batch_) readings_.clear();
    batch_ = spec.batch;
    const bench::DeviceTime time = subject_->time_device(spec);
    readings_.push_back(time.ns / batch_);
    return time;
  }
  bench::HostTimes time_host(std::uint32_t batch) override { return subject_->time_host(batch); }
  double median_ns() const { return bench::quantile(readings_, 0.5); }

 private:
  std::unique_ptr<bench::Subject> subject_;
  std::uint32_t batch_ = 0;
  std::vector<double> readings_;
};

std::string_view stem(Engine engine) {
  return engine == Engine::kPlain ? "plain" : engine == Engine::kBulk ? "bulk" : "tensor";
}

std::uint32_t params_size(Engine engine) {
  return engine == Engine::kPlain ? sizeof(TileParams) : engine == Engine::kBulk ? sizeof(RingParams) : sizeof(TmaParams);
}

const bench::Kernel& kernel(Workbench& bench, const PeerTransfer& transfer) {
  const Mechanism& how = *transfer.mechanism;
  const auto count = [](bool there) { return there ? 1U : 0U; };
  const std::uint32_t ring_bytes = transfer.stages() * (transfer.tile_bytes() + transfer.block() / 32 * kBarrierBytes);
  return bench.kernel({.images = &bench::find_kernel(bench::kernels::exp06(), stem(how.engine)),
                       .entry = transfer.is_ring() ? std::string(how.name) : fmt::format("{}_{}", how.name, transfer.unroll()),
                       .block_x = transfer.block(),
                       .buffers = 2 * count(how.in) + count(how.copies_out()) + count(how.out),
                       .params_bytes = params_size(how.engine),
                       .shared_bytes = transfer.is_ring() ? ring_bytes : 0});
}

// `far`: the peer's buffer that a tensor map is of.
std::vector<std::byte> params(const PeerTransfer& transfer, const Buffer& far) {
  if (!transfer.is_ring()) {
    return bench::params_bytes(TileParams{static_cast<std::uint32_t>(transfer.bytes / transfer.tile_bytes()), 0});
  }
  const std::uint32_t chunk_bytes = transfer.chunk_bytes();
  const RingParams ring{static_cast<std::uint32_t>(transfer.bytes / chunk_bytes), chunk_bytes, kLoadStages, 0};
  if (transfer.mechanism->engine == Engine::kBulk) return bench::params_bytes(ring);
  constexpr std::uint32_t kRowBytes = EXP06_ROW_WORDS * 4;
  const bench::cuda::Tensor2d tensor = {.row_words = EXP06_ROW_WORDS,
                                        .rows = transfer.bytes / kRowBytes,
                                        .box_words = EXP06_ROW_WORDS,
                                        .box_rows = chunk_bytes / kRowBytes};
  return bench::params_bytes(TmaParams{bench::cuda::tensor_map_2d(far, tensor), ring});
}

std::vector<std::uint32_t> words_of(bench::Device& device, const Buffer& buffer, std::uint64_t count) {
  std::vector<std::uint32_t> words(count);
  device.download(buffer, 0, std::as_writable_bytes(std::span(words)));
  return words;
}

// Words of the matrix that differ from what `launches` of tile_tma make of the input.
std::uint64_t wrong_words(const Workbench& bench, const std::vector<std::uint32_t>& found, std::uint32_t launches) {
  std::uint64_t wrong = 0;
  for (std::uint32_t i = 0; i < found.size(); ++i) {
    const std::uint32_t x = i % EXP06_SIDE;
    const std::uint32_t y = i / EXP06_SIDE;
    std::uint32_t word = std::bit_cast<std::uint32_t>(bench.input_value(0, i));
    if (x / EXP06_BOX % 2 == y / EXP06_BOX % 2) {
      const std::uint32_t place = y % EXP06_BOX * EXP06_BOX + x % EXP06_BOX;
      for (std::uint32_t launch = 0; launch < launches; ++launch) word = EXP06_CHANGED(word, place);
    }
    wrong += found[i] == word ? 0 : 1;
  }
  return wrong;
}

}  // namespace

const std::vector<Mechanism>& mechanisms() {
  static const std::vector<Mechanism> list = {
      {"load_plain", Engine::kPlain, true, false, "16-byte loads from the peer's memory, 64 KiB in flight an SM"},
      {"store_plain", Engine::kPlain, false, true, "16-byte stores to the peer's memory"},
      {"both_plain", Engine::kPlain, true, true, "half of the blocks load from the peer's memory, half store to it"},
      {"load_bulk", Engine::kBulk, true, false, "cp.async.bulk from the peer's memory to shared, 64 KiB in flight an SM"},
      {"store_bulk", Engine::kBulk, false, true, "cp.async.bulk from this GPU's memory to shared and on to the peer's"},
      {"both_bulk", Engine::kBulk, true, true, "half of the blocks as load_bulk, half as store_bulk"},
      {"load_tma", Engine::kTensor, true, false, "load_bulk through a 2-D tensor map of the peer's memory"},
      {"store_tma", Engine::kTensor, false, true, "store_bulk through a 2-D tensor map of the peer's memory"},
      {"copy_in", Engine::kApi, true, false, "the API's own copy, from the peer's memory to this GPU's"},
      {"copy_out", Engine::kApi, false, true, "the API's own copy, to the peer's memory"},
  };
  return list;
}

const Mechanism& mechanism(std::string_view name) {
  const auto found =
      std::find_if(mechanisms().begin(), mechanisms().end(), [&](const Mechanism& one) { return one.name == name; });
  if (found == mechanisms().end()) throw bench::Error("there is no mechanism {}", name);
  return *found;
}

std::uint32_t PeerTransfer::blocks_each() const {
  const std::uint32_t sms_each = std::max(1U, mechanism->in && mechanism->out ? sms / 2 : sms);
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(sms_each, bytes / tile_bytes()));
}

std::optional<double> Common::link_gbps(const bench::DeviceInfo& info) {
  if (asked_ == info.name) return link_gbps_;
  asked_ = info.name;
  const std::optional<std::uint32_t> links = bench::Nvml(info.uuid).nvlinks();
  // One way, a link: 25 GB/s from NVLink 2 to 4 (V100: 6 links, 300 GB/s both ways; A100: 12, 600; H100 and H200: 18, 900), 50
  // with NVLink 5 (B200: 18, 1800). Source: NVIDIA's data sheets.
  const bool newer = info.arch.size() > 5;  // sm_100 and on
  if (links) link_gbps_ = *links * (newer ? 50.0 : 25.0);
  return link_gbps_;
}

// Six steps: kernel, inputs and outputs on both GPUs, one run, verification, the subject to be timed.
bench::Prepared set_up_transfer(Workbench& bench, const PeerTransfer& transfer, const std::shared_ptr<Common>& common) {
  const Mechanism& how = *transfer.mechanism;
  const bool api = how.engine == Engine::kApi;
  const bench::Kernel* code = api ? nullptr : &kernel(bench, transfer);
  Workbench& peer = bench.peer();
  const std::uint64_t words = transfer.bytes / sizeof(std::uint32_t);
  const Buffer* in = how.in ? &peer.input(0, words) : nullptr;
  const Buffer* from = how.copies_out() ? &bench.input(0, words) : nullptr;
  Workbench& target = how.out ? peer : bench;
  Buffer* out = how.out || api ? &target.output("output", words) : nullptr;
  Buffer* sums = how.in && !api ? &bench.output("sums", transfer.blocks_each()) : nullptr;
  bench::Work work;
  if (api) {
    work = bench::Copy{in != nullptr ? in : from, out, transfer.bytes};
  } else {
    Launch launch;
    launch.kernel = code;
    launch.grid = {transfer.grid(), 1, 1};
    for (const Buffer* buffer : {in, from, static_cast<const Buffer*>(out), static_cast<const Buffer*>(sums)}) {
      if (buffer != nullptr) launch.buffers.push_back(buffer);
    }
    // NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): it has one of them
    launch.params = params(transfer, how.in ? *in : *out);
    work = launch;
  }

  bench.device().run(work);
  const auto check = [&bench, &target, out, sums, words, transfer, common] {
    if (out != nullptr) {
      const bool made_up = transfer.mechanism->engine == Engine::kPlain;
      bench::verify<std::uint32_t>(target.device(), *out, words, bench::kGuardWords, [&](std::uint64_t i) {
        return made_up ? EXP06_STORED(static_cast<std::uint32_t>(i)) : std::bit_cast<std::uint32_t>(bench.input_value(0, i));
      });
    }
    if (sums != nullptr) {
      const std::vector<std::uint32_t> expected =
          block_sums(bench, transfer.bytes, transfer.tile_bytes(), transfer.blocks_each(), common->sums);
      bench::verify<std::uint32_t>(bench.device(), *sums, expected.size(), bench::kGuardWords,
                                   [&](std::uint64_t i) { return expected[i]; });
    }
  };
  check();
  bench.compared();
  const auto poison = [&bench, &target, out, sums, words, transfer] {
    if (out != nullptr) target.output("output", words);
    if (sums != nullptr) bench.output("sums", transfer.blocks_each());
  };
  bench.makes_outputs_anew(poison, check);
  auto subject = std::make_unique<Recorded>(bench.device().prepare(work, {}));
  const Recorded* recorded = subject.get();
  const std::optional<double> link_gbps = common->link_gbps(bench.device().info());
  const double crossing = static_cast<double>(transfer.bytes) * (how.in && how.out ? 2 : 1);
  return {std::move(subject), [recorded, link_gbps, crossing, &how] {
            if (!link_gbps) return bench::Values{};
            const double rate = *link_gbps * (how.in && how.out ? 2 : 1);
            return bench::Values{{"link_gbps", rate}, {"link_pct", 100 * crossing / recorded->median_ns() / rate}};
          }};
}

bench::Prepared set_up_tile(Workbench& bench) {
  constexpr std::uint64_t kWords = std::uint64_t{EXP06_SIDE} * EXP06_SIDE;
  constexpr std::uint32_t kMoreLaunches = 100;
  Launch launch;
  launch.kernel = &bench.kernel({.images = &bench::find_kernel(bench::kernels::exp06(), "tensor"),
                                 .entry = "tile_tma",
                                 .block_x = 256,
                                 .buffers = 1,
                                 .params_bytes = sizeof(bench::cuda::TensorMap)});
  launch.grid = {EXP06_BOXES / 2, EXP06_BOXES, 1};
  Workbench& peer = bench.peer();
  Buffer& matrix = peer.output("matrix", kWords);
  launch.buffers = {&matrix};
  launch.params = bench::params_bytes(bench::cuda::tensor_map_2d(
      matrix, {.row_words = EXP06_SIDE, .rows = EXP06_SIDE, .box_words = EXP06_BOX, .box_rows = EXP06_BOX}));
  const auto fill = [&peer, &matrix] {
    std::vector<std::uint32_t> words(kWords);
    for (std::uint64_t i = 0; i < kWords; ++i) words[i] = std::bit_cast<std::uint32_t>(peer.input_value(0, i));
    peer.device().upload(matrix, 0, std::as_bytes(std::span(words)));
  };
  const auto check = [&bench, &peer, &matrix] {
    const std::vector<std::uint32_t> words = words_of(peer.device(), matrix, kWords);
    if (const std::uint64_t wrong = wrong_words(bench, words, 1); wrong != 0) {
      throw bench::Error("wrong output: {} of {} words of the matrix differ", wrong, words.size());
    }
  };
  fill();
  bench.device().run(launch);
  check();
  bench.compared();
  bench.makes_outputs_anew(fill, check);
  return {bench.device().prepare(launch, {}), [&bench, &peer, &matrix, launch, fill] {
            fill();
            for (std::uint32_t i = 0; i < kMoreLaunches; ++i) bench.device().run(launch);
            const auto wrong = static_cast<double>(wrong_words(bench, words_of(peer.device(), matrix, kWords), kMoreLaunches));
            return bench::Values{{"wrong_words", bench::Estimate{wrong, {{wrong, wrong}}}}};
          }};
}

std::uint64_t tile_bytes_each_way() { return std::uint64_t{EXP06_SIDE} * EXP06_SIDE / 2 * sizeof(std::uint32_t); }
