// What an experiment is: a question, and a table of cases whose sides are run alike.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/device/capacity.h"
#include "core/device/device.h"
#include "core/experiment/workbench.h"
#include "core/results/schema.h"
#include "core/timing/sampler.h"

namespace bench {

// What the experiment may assume about the machine and the command line when it lists its cases.
struct Plan : Capacity {
  bool cpu = false;                        // only a software device: small sizes
  bool smoke = false;                      // smallest size of everything
  bool quick = false;                      // a coarse sweep
  std::uint64_t memory_bytes = 0;          // of the GPU, for the buffers of both APIs; 0: no device tells
  std::uint64_t default_buffer_bytes = 0;  // what one buffer takes where there is memory enough; 0: no such bound
  std::uint64_t max_buffer_bytes = 0;      // what one buffer takes at most by default, on every device that will run
  std::uint64_t wished_buffer_bytes = 0;   // what --size may ask for; the guard behind an output fits beside it
  std::uint64_t max_grid_x = 0;            // blocks of one launch, on every device that will run; 0: no device tells
  std::vector<Api> apis;                   // that cases have sides of, with a device or without
  std::vector<std::uint64_t> sizes;        // --size, in elements; empty: the experiment's own
  std::vector<Cache> caches;               // --cache; empty: by footprint
  // Sizes that memory has cut short, in words.
  std::shared_ptr<std::set<std::string>> cuts = std::make_shared<std::set<std::string>>();

  static constexpr std::uint32_t kBuffers = 3;  // of a case, in each API, unless it says otherwise
  // A coarse sweep's largest buffer, of all memory: 256 MiB where there are 8 GB, and a full run's from 32 GB on.
  static constexpr std::uint64_t kQuickPart = 16;
  // Of all memory: both APIs' buffers, and as much as one more in each for the eviction and the driver.
  static std::uint64_t share_of(std::uint64_t memory_bytes, std::uint32_t buffers) { return memory_bytes / (2 * buffers + 2); }

  // The sizes to run, in elements: --size if given; else 2^first_log2 ... 2^last_log2 (every step-th power, the last always
  // in), cut to what fits when the case's largest buffer takes `bytes_per_element`. Throws UsageError when --size is more than
  // most().
  std::vector<std::uint64_t> sizes_or(std::uint32_t first_log2, std::uint32_t last_log2, std::uint32_t step,
                                      std::uint64_t bytes_per_element) const;
  // The largest power of two of elements that fits, at most 2^limit_log2; --size's largest if given. `buffers` of this size are
  // in use at once in either API: both APIs' must fit the memory together. What memory cuts short is in `cuts`.
  std::uint64_t largest(std::uint32_t limit_log2, std::uint64_t bytes_per_element, std::uint32_t buffers = kBuffers) const;
  // How many blocks of this size the GPU holds at once; where no device tells, how many any GPU does.
  std::uint32_t resident_blocks(std::uint32_t block) const;
  // The most elements that --size may ask for, in whole warps: what fits a buffer, whose words an index of 32 bits tells apart
  // (all kernels and references count in these), and for each of which a launch has a thread.
  std::uint64_t most(std::uint64_t bytes_per_element) const;
  bool is_dram(std::uint64_t footprint_bytes) const { return footprint_bytes >= dram_bytes; }
  // The cache states to run: --cache if given; else cold for DRAM-size footprints, warm below. Where there is nothing to evict,
  // always warm: such launches go back to back as the sampler likes.
  std::vector<Cache> caches_for(std::uint64_t footprint_bytes) const;
};

// Readings of what a launch leaves behind in a run, where one says little. An interval over six runs then has eighteen.
inline constexpr std::uint32_t kReadings = 3;

// A side that is ready to be timed.
struct Prepared {
  // NOLINTNEXTLINE(google-explicit-constructor): most sides are nothing but their subject
  Prepared(std::unique_ptr<Subject> timed) : subject(std::move(timed)) {}
  Prepared(std::unique_ptr<Subject> timed, std::function<Values()> ask, std::uint32_t how_often = 1)
      : subject(std::move(timed)), measure(std::move(ask)), readings(how_often) {}

  std::unique_ptr<Subject> subject;
  // Asked after the case's last sample, with nothing else on the GPU: the values of the experiment's measured columns. May
  // launch more work. Throws Error: the row is then failed, as it is if the values are not what the columns say.
  std::function<Values()> measure;
  // How often, each time but the first after another launch of the subject. Of several readings the real figures are medians,
  // the others the first one's.
  std::uint32_t readings = 1;
};

// One side of a case: a row of the CSV.
struct Side {
  Api api = {};  // none, in an experiment's table: each API's, see with_sides()
  std::string variant;
  Values params;
  // Allocates, fills, runs once, verifies (throws Error on a wrong result, Skip when the machine lacks something), and returns
  // what is to be timed. Buffers and kernels belong to the workbench.
  std::function<Prepared(Workbench&)> set_up;
  // Further parameters, whose values the API words: what it calls a thing. May be empty.
  std::function<Values(const Api&)> worded = {};
};

// One or two sides that are timed together, alternately. A twin's sides differ only in their api.
struct Case {
  std::vector<Side> sides;
  std::optional<std::vector<Api>> apis = {};  // of sides that name none: these alone
  Values model;                               // none: it has no model
  std::uint64_t elements = 0;
  std::uint64_t useful_bytes = 0;     // read + written by one launch, by the case's formula; 0: none worth a bandwidth
  std::uint64_t footprint_bytes = 0;  // distinct bytes touched by one launch: decides whether DRAM's peak is a fair denominator
  Cache cache = Cache::kWarm;
  std::uint32_t fixed_batch = 0;     // launches per sample; 0: the sampler decides
  std::size_t host_samples = 10;     // round trips to time per side
  double budget_part = 1;            // of the time that --budget gives a case: less where the time is not the question
  std::uint32_t l2_fetch_bytes = 0;  // see L2Fetch; 0: the device's own
  bool spins = false;  // a kernel waits for a time or a word in a loop: how many instructions it executes says nothing
  // Another than the case before opens a device anew that heeds it: cases that agree should follow each other. A device with
  // queues of both kinds would not do: its compute queue is then as slow with short blocks as the graphics queue (H200, driver
  // 580).
  VulkanChoice vulkan;
};

// A variant's name, and its plain-language description for --describe and --list-variants.
struct VariantText {
  std::string name;
  std::string text;
};

struct Experiment {
  std::string_view name;       // exp01_vector_add
  std::string_view question;   // one line
  std::vector<Column> params;  // with variant and api, elements and cache, they tell one row from another
  std::vector<Column> model;   // that the access model fills
  // That Prepared::measure fills: what was counted or read back, beside the times.
  std::vector<Column> measured = {};
  std::vector<VariantText> variants;
  std::function<std::vector<Case>(const Plan&)> cases;
  // Its kernels may draw all the power that the board is allowed: how low that makes the clock is what it measures, and no
  // sample is taken again for a low clock, unless --throttled-below says so. Reasons other than the cap's still count.
  bool power_bound = false;
  bool takes_size = true;      // its cases come from Plan::sizes_or() or largest(): --size chooses
  std::uint32_t gpus = 1;      // that one case uses; where the host has them, --print-slug ends in e.g. -x2
  bool counts_shared = false;  // --count counts shared memory's wavefronts, too, in a session of their own
  bool counts_tensor = false;  // likewise the cycles in which the matrix units work; one of the two
};

// The columns of its files.
Schema schema_of(const Experiment& experiment);

// A twin: the same set_up for each API.
Case twin(const std::string& variant, const Values& params, const std::function<Prepared(Workbench&)>& set_up);

// The table's cases with a side for each API where one names none. A case of one such side becomes a pair of the APIs; a case
// of two becomes a case of each API, in which both are that API's.
std::vector<Case> with_sides(const std::vector<Case>& table, std::span<const Api> apis);

// A/A controls: each side of `original` paired with itself through the same sampler, as variants aa_control_a and aa_control_b.
// What their ratio reads apart from 1 is the run's noise floor.
std::vector<Case> aa_controls(const Case& original);

// The whole program: options, devices, Google Benchmark, sampling, CSV. Returns the exit code: 0 all ran, 1 something failed,
// 2 usage, 3 the GPU was lost, 77 everything was skipped, 130 interrupted.
int run_main(int argc, char** argv, const Experiment& experiment, std::vector<std::unique_ptr<Backend>> backends);

}  // namespace bench
