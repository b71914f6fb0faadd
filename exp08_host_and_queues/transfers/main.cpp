// What do uploads and downloads reach, through every kind of memory that the host sees and every engine that can move them?
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "../host.h"
#include "../host_timed.h"
#include "arrived.h"
#include "backends.h"
#include "core/base/error.h"
#include "core/base/process.h"
#include "core/base/random.h"
#include "core/device/avx2_clone.h"
#include "core/experiment/experiment.h"
#include "core/experiment/per_api.h"
#include "core/experiment/verify.h"
#include "crew.h"
#include "sides.h"

namespace {

using bench::Column;
using bench::HostTimes;
using bench::Plan;
using bench::Prepared;
using bench::Workbench;

constexpr std::uint64_t kKib = 1 << 10;
constexpr std::uint64_t kMib = 1 << 20;
constexpr std::uint64_t kChunkBytes = 4 * kMib;  // of a staging buffer
constexpr std::uint64_t kSlowLooks = 4096;       // into memory that the host reads word by word over the bus
constexpr double kSleepingS = 0.01;              // how long transfers with a sleeping wait are watched for their CPU time

// The experiment is this table: what goes which way, at which sizes.
struct Row {
  const char* variant;
  Engine engine;
  HostMemory memory;
  std::uint32_t in_flight;  // staging buffers; 0: none
  std::vector<std::uint64_t> sizes;
};
const std::vector<std::uint64_t> kAllSizes = {4, 64 * kKib, kMib, 16 * kMib, 256 * kMib, 1024 * kMib};
const std::vector<std::uint64_t> kFewSizes = {4, kMib, 256 * kMib};
const std::vector<std::uint64_t> kStagedSizes = {kMib, 16 * kMib, 256 * kMib};
constexpr std::uint64_t kQuickSizes[] = {4, 256 * kMib};  // what one costs, and what many bytes reach
const Row kByKernel = {"transfer", Engine::kKernel, HostMemory::kCached, 0, kAllSizes};
const Row kRows[] = {
    // These want a device with a transfer queue, and follow each other.
    {"transfer", Engine::kCopyEngine, HostMemory::kCached, 0, kAllSizes},
    {"transfer", Engine::kCopyEngine, HostMemory::kUncached, 0, kFewSizes},
    {"transfer", Engine::kCopyEngine, HostMemory::kPageable, 0, kAllSizes},
    {"transfer", Engine::kCopyEngine, HostMemory::kOnDevice, 0, {4, 16 * kMib}},
    {"staged", Engine::kCopyEngine, HostMemory::kCachedStaging, 1, kStagedSizes},
    {"staged", Engine::kCopyEngine, HostMemory::kCachedStaging, 2, kStagedSizes},
    {"staged", Engine::kCopyEngine, HostMemory::kUncachedStaging, 2, {16 * kMib}},
    kByKernel,
    {"transfer", Engine::kKernel, HostMemory::kUncached, 0, kFewSizes},
    {"transfer", Engine::kComputeQueue, HostMemory::kCached, 0, kFewSizes},
    {"transfer", Engine::kComputeQueue, HostMemory::kUncached, 0, kFewSizes},
    {"staged", Engine::kComputeQueue, HostMemory::kCachedStaging, 1, kStagedSizes},
    {"staged", Engine::kComputeQueue, HostMemory::kCachedStaging, 2, kStagedSizes},
    // Last, on a device that imports memory.
    {"transfer", Engine::kCopyEngine, HostMemory::kImported, 0, kFewSizes},
    {"transfer", Engine::kComputeQueue, HostMemory::kImported, 0, {4, 256 * kMib}},
};
// Data that threads of the host make where the copy reads them, as an engine would.
struct GeneratedRow {
  Engine engine;
  HostMemory memory;
  std::uint32_t in_flight;  // buffers; 0: the data are made in the GPU's own memory
  std::vector<std::uint64_t> sizes;
};
const GeneratedRow kGeneratedRows[] = {
    {Engine::kCopyEngine, HostMemory::kCachedStaging, 2, {16 * kMib, 256 * kMib}},
    {Engine::kCopyEngine, HostMemory::kUncachedStaging, 2, {16 * kMib, 256 * kMib}},
    {Engine::kCopyEngine, HostMemory::kImportedStaging, 2, {16 * kMib, 256 * kMib}},
    {Engine::kCopyEngine, HostMemory::kOnDevice, 0, {16 * kMib}},
    {Engine::kComputeQueue, HostMemory::kCachedStaging, 2, {256 * kMib}},
    {Engine::kComputeQueue, HostMemory::kImportedStaging, 2, {256 * kMib}},
};
constexpr std::uint32_t kThreads[] = {1, 8};
// What the CPU itself writes and reads there, with memcpy. Reading past the bus takes seconds beyond these sizes.
struct CpuRow {
  HostMemory memory;
  std::vector<std::uint64_t> written;
  std::vector<std::uint64_t> read;
};
const CpuRow kCpuRows[] = {
    {HostMemory::kPageable, {64 * kKib, 16 * kMib}, {64 * kKib, 16 * kMib}},
    {HostMemory::kCached, {64 * kKib, 16 * kMib}, {64 * kKib, 16 * kMib}},
    {HostMemory::kUncached, {64 * kKib, 16 * kMib}, {64 * kKib}},
    {HostMemory::kOnDevice, {64 * kKib, 16 * kMib}, {64 * kKib}},
};

std::uint64_t looks(HostMemory memory) {
  return memory == HostMemory::kUncached || memory == HostMemory::kOnDevice ? kSlowLooks : kAllWords;
}

TransferSide& transfer_side(Workbench& bench) {
  return bench.kept<TransferSide>("transfers", [&] {
    const bench::PerApi<std::unique_ptr<TransferSide> (*)(bench::Device&)> makers = {{bench::cuda::kApi, cuda_transfers},
                                                                                     {bench::vulkan::kApi, vulkan_transfers}};
    return makers.at(bench.device().info().api, "transfers")(bench.device());
  });
}

// What is timed: one piece of data on its way, by whichever means.
struct Trip {
  std::function<HostTimes(bool sleeps)> go;
  std::span<std::byte> arrival;  // the host's end of a download; empty for an upload
  std::uint64_t looks = kAllWords;
};

// CPU time with a wait that lets the CPU go, and what a transfer takes then.
bench::Values sleeping(const Trip& trip) {
  const double began = bench::now_s();
  const CpuTime before = cpu_time();
  std::uint32_t count = 0;
  do {
    trip.go(true);
    ++count;
  } while (bench::now_s() - began < kSleepingS);
  const double wall_ns = (bench::now_s() - began) * 1e9 / count;
  const CpuTime used = cpu_time() - before;
  return {{"sleeping_ns", wall_ns}, {"cpu_ns", (used.user_s + used.system_s) * 1e9 / count}};
}

// Into spoiled memory of the host's, now and after the samples.
void check_trip(Workbench& bench, const Trip& trip) {
  const auto restore = [trip] { spoil(trip.arrival, trip.looks); };
  const auto check = [&bench, trip] { check_arrived(bench, trip.arrival, trip.looks); };
  restore();
  trip.go(false);
  check();
  bench.compared();
  bench.makes_outputs_anew(restore, check);
}

Prepared prepared(const Trip& trip, const std::string& memory_is) {
  return {std::make_unique<HostTimed>([trip] { return trip.go(false); }), [trip, memory_is] {
            bench::Values values = sleeping(trip);
            values.set("memory_is", memory_is);
            return values.set(host_values());
          }};
}

// The GPU's end: a poisoned buffer for an upload, the input for a download.
const bench::Buffer& gpu_end(Workbench& bench, Direction direction, std::uint64_t words) {
  return direction == Direction::kUp ? static_cast<const bench::Buffer&>(bench.output("output", words)) : bench.input(0, words);
}

// Runs it once and verifies it, by the GPU's buffer or by the host's memory.
void verify_trip(Workbench& bench, const Trip& trip, const bench::Buffer& buffer, std::uint64_t words) {
  if (!trip.arrival.empty()) return check_trip(bench, trip);
  trip.go(false);
  bench::verify<std::uint32_t>(bench, "input 0", buffer, words, bench::kGuardWords,
                               [&](std::uint64_t i) { return std::bit_cast<std::uint32_t>(bench.input_value(0, i)); });
  bench.makes_outputs_anew();
}

Prepared set_up_transfer(Workbench& bench, const Row& row, Direction direction, std::uint64_t bytes) {
  if (row.engine == Engine::kKernel) move_kernel(bench);
  TransferSide& own = transfer_side(bench);
  const std::span<std::byte> memory = own.memory(bench, row.memory, bytes);
  const std::uint64_t words = bytes / sizeof(std::uint32_t);
  const bench::Buffer& buffer = gpu_end(bench, direction, words);
  const std::shared_ptr<PreparedTransfer> transfer = own.prepare(
      bench, {.direction = direction, .engine = row.engine, .memory = row.memory, .buffer = &buffer, .bytes = bytes});
  const Trip trip = {.go =
                         [transfer](bool sleeps) {
                           transfer->ready();
                           const auto begin = HostClock::now();
                           transfer->submit();
                           const auto submitted = HostClock::now();
                           transfer->wait(sleeps);
                           return HostTimes{ns_between(begin, HostClock::now()), ns_between(begin, submitted)};
                         },
                     .arrival = direction == Direction::kDown ? memory.first(bytes) : std::span<std::byte>(),
                     .looks = looks(row.memory)};
  verify_trip(bench, trip, buffer, words);
  return prepared(trip, own.describe(row.memory));
}

// The application's own memory, of the last row that asked: as much as it takes.
class Application : public bench::Kept {
 public:
  std::span<std::byte> memory(Workbench& bench, std::uint64_t bytes) {
    if (bytes_.size() < bytes) {
      bytes_.resize(bytes);
      fill(bench, bytes_);
    }
    return std::span(bytes_).first(bytes);
  }

 private:
  std::vector<std::byte> bytes_;
};
std::span<std::byte> application_memory(Workbench& bench, std::uint64_t bytes) {
  return bench.kept<Application>("application", [] { return std::make_unique<Application>(); }).memory(bench, bytes);
}

// The CPU copies a chunk while the GPU copies the one before it, if there is a second staging buffer to do so.
HostTimes go_staged(std::span<std::byte> data, std::span<std::byte> staging, std::uint32_t in_flight, Direction direction,
                    const std::vector<std::unique_ptr<PreparedTransfer>>& chunks, bool sleeps) {
  if (in_flight == 0) throw bench::Error("a staged transfer without a staging buffer");
  for (const std::unique_ptr<PreparedTransfer>& chunk : chunks) chunk->ready();
  const auto begin = HostClock::now();
  const auto part = [&](std::size_t i) {
    return data.subspan(i * kChunkBytes, std::min(kChunkBytes, data.size() - i * kChunkBytes));
  };
  const auto slot = [&](std::size_t i) { return staging.data() + i % in_flight * kChunkBytes; };
  const auto collect = [&](std::size_t i) {
    chunks[i]->wait(sleeps);
    if (direction == Direction::kDown) std::memcpy(part(i).data(), slot(i), part(i).size());
  };
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    if (i >= in_flight) collect(i - in_flight);
    if (direction == Direction::kUp) std::memcpy(slot(i), part(i).data(), part(i).size());
    chunks[i]->submit();
  }
  const auto submitted = HostClock::now();
  for (std::size_t i = chunks.size() - std::min<std::size_t>(in_flight, chunks.size()); i < chunks.size(); ++i) collect(i);
  return {ns_between(begin, HostClock::now()), ns_between(begin, submitted)};
}

using Chunks = std::shared_ptr<std::vector<std::unique_ptr<PreparedTransfer>>>;

Chunks make_chunks(Workbench& bench, TransferSide& own, HostMemory memory, Engine engine, Direction direction,
                   std::uint32_t in_flight, const bench::Buffer& buffer, std::uint64_t bytes) {
  auto chunks = std::make_shared<std::vector<std::unique_ptr<PreparedTransfer>>>();
  for (std::uint64_t done = 0; done < bytes; done += kChunkBytes) {
    chunks->push_back(own.prepare(bench, {.direction = direction,
                                          .engine = engine,
                                          .memory = memory,
                                          .host_offset = done / kChunkBytes % in_flight * kChunkBytes,
                                          .buffer = &buffer,
                                          .buffer_offset = done,
                                          .bytes = std::min(kChunkBytes, bytes - done)}));
  }
  return chunks;
}

Prepared set_up_staged(Workbench& bench, const Row& row, Direction direction, std::uint64_t bytes) {
  TransferSide& own = transfer_side(bench);
  const std::span<std::byte> staging = own.memory(bench, row.memory, row.in_flight * kChunkBytes);
  const std::span<std::byte> data = application_memory(bench, bytes);
  const std::uint64_t words = bytes / sizeof(std::uint32_t);
  const bench::Buffer& buffer = gpu_end(bench, direction, words);
  const auto chunks = make_chunks(bench, own, row.memory, row.engine, direction, row.in_flight, buffer, bytes);
  const Trip trip = {.go = [=, in_flight = row.in_flight](
                               bool sleeps) { return go_staged(data, staging, in_flight, direction, *chunks, sleeps); },
                     .arrival = direction == Direction::kDown ? data : std::span<std::byte>()};
  verify_trip(bench, trip, buffer, words);
  return prepared(trip, own.describe(row.memory));
}

// Words [first, first + count) of input 0.
BENCH_AVX2_CLONE void generate(std::uint32_t* words, std::uint64_t first, std::uint64_t count, std::uint64_t seed) {
  for (std::uint64_t i = 0; i < count; ++i) words[i] = std::bit_cast<std::uint32_t>(bench::random_float(seed, 0, first + i));
}

// Each thread its own run of whole lines.
void generate_by(Crew& crew, std::span<std::byte> to, std::uint64_t first_byte, std::uint64_t seed) {
  constexpr std::uint64_t kLine = 256;
  const std::uint64_t share = (to.size() / crew.threads() + kLine - 1) / kLine * kLine;
  crew.run([&](std::uint32_t thread) {
    const std::uint64_t begin = std::min<std::uint64_t>(thread * share, to.size());
    const std::span<std::byte> part = to.subspan(begin, std::min(share, to.size() - begin));
    generate(reinterpret_cast<std::uint32_t*>(part.data()), (first_byte + begin) / 4, part.size() / 4, seed);
  });
}

// The threads make a chunk while the GPU copies the one before it.
HostTimes go_generated(Crew& crew, std::uint64_t bytes, std::span<std::byte> staging, std::uint32_t in_flight,
                       const std::vector<std::unique_ptr<PreparedTransfer>>& chunks, std::uint64_t seed, bool sleeps) {
  if (in_flight == 0) throw bench::Error("a chunked upload without a chunk in flight");
  for (const std::unique_ptr<PreparedTransfer>& chunk : chunks) chunk->ready();
  const auto begin = HostClock::now();
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    if (i >= in_flight) chunks[i - in_flight]->wait(sleeps);
    const std::uint64_t first = i * kChunkBytes;
    generate_by(crew, staging.subspan(i % in_flight * kChunkBytes, std::min(kChunkBytes, bytes - first)), first, seed);
    chunks[i]->submit();
  }
  const auto submitted = HostClock::now();
  for (std::size_t i = chunks.size() - std::min<std::size_t>(in_flight, chunks.size()); i < chunks.size(); ++i)
    chunks[i]->wait(sleeps);
  return {ns_between(begin, HostClock::now()), ns_between(begin, submitted)};
}

Prepared set_up_generated(Workbench& bench, const GeneratedRow& row, std::uint32_t threads, std::uint64_t bytes) {
  TransferSide& own = transfer_side(bench);
  const auto crew = std::make_shared<Crew>(threads);
  const std::uint64_t seed = bench.input_seed();
  if (row.in_flight == 0) {
    const std::span<std::byte> memory = own.memory(bench, row.memory, bytes).first(bytes);
    const Trip trip = {.go =
                           [=](bool /*sleeps*/) {
                             const auto begin = HostClock::now();
                             generate_by(*crew, memory, 0, seed);
                             const double ns = ns_between(begin, HostClock::now());
                             return HostTimes{ns, ns};
                           },
                       .arrival = memory,
                       .looks = looks(row.memory)};
    check_trip(bench, trip);
    return prepared(trip, own.describe(row.memory));
  }
  const std::span<std::byte> staging = own.memory(bench, row.memory, row.in_flight * kChunkBytes);
  const std::uint64_t words = bytes / sizeof(std::uint32_t);
  const bench::Buffer& buffer = gpu_end(bench, Direction::kUp, words);
  const auto chunks = make_chunks(bench, own, row.memory, row.engine, Direction::kUp, row.in_flight, buffer, bytes);
  const Trip trip = {.go = [=, in_flight = row.in_flight](
                               bool sleeps) { return go_generated(*crew, bytes, staging, in_flight, *chunks, seed, sleeps); },
                     .arrival = std::span<std::byte>()};
  verify_trip(bench, trip, buffer, words);
  return prepared(trip, own.describe(row.memory));
}

// The CPU alone: between the mapped memory and the application's.
Prepared set_up_cpu(Workbench& bench, HostMemory kind, bool writes, std::uint64_t bytes) {
  TransferSide& own = transfer_side(bench);
  const std::span<std::byte> mapped = own.memory(bench, kind, bytes).first(bytes);
  const std::span<std::byte> other = application_memory(bench, bytes);
  const std::span<std::byte> to = writes ? mapped : other;
  const Trip trip = {.go =
                         [to, from = writes ? other : mapped](bool /*sleeps*/) {
                           const auto begin = HostClock::now();
                           std::memcpy(to.data(), from.data(), from.size());
                           const double ns = ns_between(begin, HostClock::now());
                           return HostTimes{ns, ns};
                         },
                     .arrival = to,
                     .looks = writes ? looks(kind) : kAllWords};
  check_trip(bench, trip);
  return prepared(trip, own.describe(kind));
}

bench::Case finished(bench::Case made, std::uint64_t bytes) {
  made.elements = bytes / sizeof(std::uint32_t);
  made.useful_bytes = bytes;
  made.fixed_batch = 1;
  made.budget_part = 0.2;  // runs differ more than the samples of one: the others would take 10 s
  return made;
}

bench::Case transfer_case(const Row& row, Direction direction, std::uint64_t bytes) {
  bench::Case made = bench::twin(row.variant,
                                 {{"direction", to_string(direction)},
                                  {"engine", to_string(row.engine)},
                                  {"host_memory", to_string(row.memory)},
                                  {"in_flight", bench::unless_zero(row.in_flight)}},
                                 [=](Workbench& bench) {
                                   return row.in_flight != 0 ? set_up_staged(bench, row, direction, bytes)
                                                             : set_up_transfer(bench, row, direction, bytes);
                                 });
  made.vulkan.transfer_queue = row.engine == Engine::kCopyEngine;
  made.vulkan.host_pointers = row.memory == HostMemory::kImported;
  if (row.memory == HostMemory::kPageable) made.apis = {{bench::cuda::kApi}};
  if (row.memory == HostMemory::kOnDevice || row.engine == Engine::kComputeQueue) made.apis = {{bench::vulkan::kApi}};
  return finished(std::move(made), bytes);
}

bench::Case generated_case(const GeneratedRow& row, std::uint32_t threads, std::uint64_t bytes) {
  const bool copies = row.in_flight != 0;
  bench::Case made = bench::twin("generated",
                                 {{"direction", to_string(Direction::kUp)},
                                  {"engine", copies ? to_string(row.engine) : ""},
                                  {"host_memory", to_string(row.memory)},
                                  {"in_flight", bench::unless_zero(row.in_flight)},
                                  {"threads", threads}},
                                 [=](Workbench& bench) { return set_up_generated(bench, row, threads, bytes); });
  made.vulkan.transfer_queue = row.engine == Engine::kCopyEngine;
  made.vulkan.host_pointers = true;
  if (!copies || row.engine == Engine::kComputeQueue) made.apis = {{bench::vulkan::kApi}};
  return finished(std::move(made), bytes);
}

bench::Case cpu_case(HostMemory memory, bool writes, std::uint64_t bytes) {
  bench::Case made = bench::twin(writes ? "cpu_write" : "cpu_read", {{"host_memory", to_string(memory)}},
                                 [=](Workbench& bench) { return set_up_cpu(bench, memory, writes, bytes); });
  if (memory == HostMemory::kPageable) made.apis = {{bench::cuda::kApi}};
  if (memory == HostMemory::kOnDevice) made.apis = {{bench::vulkan::kApi}};
  return finished(std::move(made), bytes);
}

std::vector<bench::Case> cases(const Plan& plan) {
  const std::uint64_t most =
      plan.smoke || plan.cpu ? 64 * kKib : plan.largest(28, sizeof(std::uint32_t)) * sizeof(std::uint32_t);
  const auto chosen = [&](std::vector<std::uint64_t> sizes) {
    if (plan.quick)
      std::erase_if(sizes, [](std::uint64_t bytes) { return std::ranges::find(kQuickSizes, bytes) == std::end(kQuickSizes); });
    for (std::uint64_t& bytes : sizes) bytes = std::min(bytes, most);
    sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
    return sizes;
  };
  std::vector<bench::Case> list;
  for (const Row& row : kRows) {
    if (plan.quick && (row.engine == Engine::kComputeQueue || row.memory == HostMemory::kUncached)) continue;
    for (const std::uint64_t bytes : chosen(row.sizes)) {
      for (const Direction direction : {Direction::kUp, Direction::kDown}) list.push_back(transfer_case(row, direction, bytes));
    }
  }
  for (const GeneratedRow& row : kGeneratedRows) {
    if (plan.quick) break;
    for (const std::uint64_t bytes : chosen(row.sizes)) {
      for (const std::uint32_t threads : kThreads) list.push_back(generated_case(row, threads, bytes));
    }
  }
  for (const CpuRow& row : kCpuRows) {
    for (const std::uint64_t bytes : chosen(row.written)) list.push_back(cpu_case(row.memory, true, bytes));
    for (const std::uint64_t bytes : chosen(row.read)) list.push_back(cpu_case(row.memory, false, bytes));
  }
  const std::uint64_t control = std::min(kMib, most);
  for (const bench::Case& one : bench::aa_controls(transfer_case(kByKernel, Direction::kUp, control))) list.push_back(one);
  return list;
}

std::vector<Column> measured_columns() {
  std::vector<Column> columns = {
      Column::real("sleeping_ns", "ns", "of one, with a wait that lets the CPU go").optional(),
      Column::real("cpu_ns", "ns", "CPU time of the thread for one, with such a wait: user and system").optional(),
      Column::text("memory_is", "the host's memory, in the API's own words").optional()};
  for (const Column& column : host_columns()) columns.push_back(column);
  return columns;
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Experiment experiment = {
      .name = "exp08_transfers",
      .question =
          "What do uploads and downloads reach, through every kind of memory that the host sees and every engine that can "
          "move them?",
      .params = {Column::text("direction", "of the data: up to the GPU, or down").optional(),
                 Column::text("engine", "what moves them: copy_engine, compute_queue or kernel").optional(),
                 Column::text("host_memory", "the host's end: pageable, cached, uncached, imported or on_device"),
                 Column::integer("in_flight", "buffers", "of 4 MiB that the data are staged through").optional(),
                 Column::integer("threads", "", "of the host that make the data").optional()},
      .model = {},
      .measured = measured_columns(),
      .variants = {{"transfer", "one piece of data between the host's memory and the GPU's, from its submission to its end"},
                   {"staged",
                    "from the application's memory through staging buffers of 4 MiB, which the CPU copies to and from"},
                   {"generated",
                    "made by `threads` threads where the copy reads them, a piece of 4 MiB while the one before is copied"},
                   {"cpu_write", "the CPU alone: memcpy from the application's memory into that memory"},
                   {"cpu_read", "the CPU alone: memcpy from that memory into the application's"},
                   {"aa_control_a", "A/A control: 1 MiB up by a kernel, paired with aa_control_b, which is the same"},
                   {"aa_control_b", "the other half of the A/A control"}},
      .cases = cases,
      .takes_size = false,
  };
  return bench::run_main(argc, argv, experiment, bench::all_backends());
}
