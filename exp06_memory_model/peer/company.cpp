#include "company.h"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "core/base/error.h"
#include "core/base/stats.h"
#include "core/device/offers.h"
#include "core/experiment/verify.h"
#include "exp06_kernels.h"
#include "params.h"

using bench::Buffer;
using bench::Launch;
using bench::Workbench;

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kRuns = 9;                           // of which the measured columns are the median
constexpr std::uint32_t kExchangeBoundNs = 2'000'000'000;  // of one wait: by then the partner's kernel has started
constexpr std::uint32_t kUntimedRounds = 64;
constexpr std::uint32_t kWatchBoundNs = 50'000'000;
constexpr std::uint32_t kChangeDelayNs = 20'000;  // a thousand looks or so
constexpr std::uint32_t kToldBoundNs = 1'000'000'000;
constexpr std::chrono::seconds kHostBound{1};
constexpr std::uint64_t kFlagWords = 32;  // a line of its own

// One run of it all; the subject of a row.
struct Scene {
  bench::StartedWork* here = nullptr;
  bench::StartedWork* peer = nullptr;
  Launch launch;                    // here; its time is the row's
  std::optional<Launch> company;    // on the peer, started first
  std::function<void()> reset;      // before both
  std::function<void()> meanwhile;  // by the host; may be empty
  std::function<void()> check;      // after both; throws Error

  double run() const {
    reset();
    if (company) peer->start(*company);
    here->start(launch);
    if (meanwhile) meanwhile();
    const double ns = here->finish();
    if (company) peer->finish();
    check();
    return ns;
  }
};

// The sampler's lead-in launches are left out: a run's time is in its waits, whatever ran before.
class Staged final : public bench::Subject {
 public:
  explicit Staged(std::shared_ptr<const Scene> scene) : scene_(std::move(scene)) {}

  const bench::Kernel* kernel() const override { return scene_->launch.kernel; }
  // A run is timed by the stamps around its own launch alone: it needs no gate.
  bench::DeviceTime time_device(const bench::DeviceSampleSpec& spec) override {
    double ns = 0;
    for (std::uint32_t i = 0; i < spec.batch; ++i) ns += scene_->run();
    return {ns};
  }
  bench::HostTimes time_host(std::uint32_t batch) override {
    const auto begin = Clock::now();
    time_device({.batch = batch, .lead_in = 0, .evict_l2 = false});
    const double ns = std::chrono::duration<double, std::nano>(Clock::now() - begin).count();
    return {.roundtrip_ns = ns, .submit_ns = ns};
  }

 private:
  std::shared_ptr<const Scene> scene_;
};

template <std::size_t kWords>
std::array<std::uint32_t, kWords> first_words(bench::Device& device, const Buffer& buffer) {
  std::array<std::uint32_t, kWords> words{};
  device.download(buffer, 0, std::as_writable_bytes(std::span(words)));
  return words;
}

void clear(Workbench& bench, Buffer& buffer) { bench.device().fill(buffer, 0, buffer.bytes(), 0); }
void poison(Workbench& bench, Buffer& buffer) { bench.device().fill(buffer, 0, buffer.bytes(), bench::kPoison); }

const bench::Kernel& kernel(Workbench& bench, std::string_view stem, const std::string& entry, std::uint32_t buffers,
                            std::uint32_t params_bytes) {
  return bench.kernel({.images = &bench::find_kernel(bench::kernels::exp06(), stem),
                       .entry = entry,
                       .block_x = 1,
                       .buffers = buffers,
                       .params_bytes = params_bytes});
}

}  // namespace

bench::Prepared set_up_exchange(Workbench& bench, const Exchange& exchange) {
  const std::string entry = fmt::format("flag_{}", exchange.memory_order);
  const auto code = [&](Workbench& side) { return &kernel(side, "flag", entry, 3, sizeof(FlagParams)); };
  const bench::Kernel* here = code(bench);
  Workbench& peer = bench.peer();
  Buffer& mine = bench.output("flag", kFlagWords);
  Buffer& theirs = peer.output("flag", kFlagWords);
  Buffer& report = bench.output("report", EXP06_FLAG_WORDS);
  Buffer& their_report = peer.output("report", EXP06_FLAG_WORDS);
  // What this GPU writes, and what it polls.
  Buffer& outbox = exchange.held_by == "reader" ? theirs : mine;
  Buffer& inbox = exchange.held_by == "reader" ? mine : theirs;

  const std::uint32_t rounds = exchange.rounds;
  const auto params = [&](std::uint32_t starts) {
    return bench::params_bytes(FlagParams{rounds, kUntimedRounds, starts, kExchangeBoundNs});
  };
  const auto scene = std::make_shared<Scene>();
  scene->here = &bench.device().offer<bench::StartedWork>();
  scene->peer = &peer.device().offer<bench::StartedWork>();
  scene->launch = {.kernel = here, .buffers = {&outbox, &inbox, &report}, .params = params(1)};
  scene->company = Launch{.kernel = code(peer), .buffers = {&inbox, &outbox, &their_report}, .params = params(0)};
  scene->reset = [&bench, &peer, &mine, &theirs] {
    clear(bench, mine);
    clear(peer, theirs);
  };
  scene->check = [&bench, &peer, &report, &their_report, rounds] {
    const std::uint32_t last = first_words<1>(bench.device(), report)[EXP06_FLAG_VALUE];
    const std::uint32_t their_last = first_words<1>(peer.device(), their_report)[EXP06_FLAG_VALUE];
    if (last != 2 * rounds || their_last != 2 * rounds - 1) {
      throw bench::Error("the numbers received last are {} and {}, expected {} and {}: a wait of {} ms was in vain", last,
                         their_last, 2 * rounds, 2 * rounds - 1, kExchangeBoundNs / 1'000'000);
    }
  };
  scene->run();
  bench.compared();
  bench.makes_outputs_anew([&bench, &peer, &report, &their_report] {
    poison(bench, report);
    poison(peer, their_report);
  });
  return {std::make_unique<Staged>(scene), [scene, &bench, &report, rounds] {
            std::vector<double> one_way;
            for (std::size_t run = 0; run < kRuns; ++run) {
              scene->run();
              const double ns = first_words<EXP06_FLAG_WORDS>(bench.device(), report)[EXP06_FLAG_NS];
              one_way.push_back(ns / (rounds - kUntimedRounds) / 2);
            }
            return bench::Values{{"latency_ns", bench::summarize(one_way)}};
          }};
}

bench::Prepared set_up_watch(Workbench& bench, const Watch& watch) {
  const std::string entry = fmt::format("watch_{}", watch.memory_order);
  const bench::Kernel& watcher = kernel(bench, "stale", entry, 3, sizeof(WatchParams));
  const auto changer = [](Workbench& side) { return &kernel(side, "stale", "change", 2, sizeof(ChangeParams)); };
  if (watch.changed_by == "kernel") changer(bench);  // so that its code can be looked at without a peer
  Workbench& peer = bench.peer();
  Workbench& holder = watch.held_by == "peer" ? peer : bench;
  Buffer& word = holder.output("word", kFlagWords);
  Buffer& told = peer.output("told", kFlagWords);
  Buffer& report = bench.output("report", EXP06_WATCH_WORDS);

  const auto scene = std::make_shared<Scene>();
  scene->here = &bench.device().offer<bench::StartedWork>();
  scene->peer = &peer.device().offer<bench::StartedWork>();
  scene->launch = {
      .kernel = &watcher, .buffers = {&word, &told, &report}, .params = bench::params_bytes(WatchParams{kWatchBoundNs, 0})};
  scene->reset = [&holder, &peer, &word, &told] {
    clear(holder, word);
    clear(peer, told);
  };
  if (watch.changed_by == "kernel") {
    scene->company = Launch{.kernel = changer(peer),
                            .buffers = {&word, &told},
                            .params = bench::params_bytes(ChangeParams{kChangeDelayNs, kToldBoundNs})};
  } else {
    scene->meanwhile = [&peer, &word, &told] {
      const auto begin = Clock::now();
      while (first_words<1>(peer.device(), told)[0] == 0) {
        if (Clock::now() - begin > kHostBound) return;  // the word stays as it was, which fails the check
      }
      const std::uint32_t news = EXP06_NEWS;
      peer.device().upload(word, 0, std::as_bytes(std::span(&news, 1)));
    };
  }
  const bool may_miss = watch.memory_order == "weak";
  scene->check = [&bench, &report, may_miss] {
    const auto words = first_words<EXP06_WATCH_WORDS>(bench.device(), report);
    const std::uint32_t seen = words[EXP06_WATCH_SEEN];
    const std::uint32_t strong = words[EXP06_WATCH_STRONG];
    if (strong != EXP06_NEWS || (seen != EXP06_NEWS && !(may_miss && seen == 0))) {
      throw bench::Error("the last of {} looks saw {:#x}, a strong load after it {:#x}, expected {:#x}",
                         words[EXP06_WATCH_POLLS], seen, strong, EXP06_NEWS);
    }
  };
  scene->run();
  bench.compared();
  bench.makes_outputs_anew([&bench, &report] { poison(bench, report); });
  return {
      std::make_unique<Staged>(scene), [scene, &bench, &report] {
        std::vector<double> polls;
        std::vector<double> seen_ns;
        for (std::size_t run = 0; run < kRuns; ++run) {
          scene->run();
          const auto words = first_words<EXP06_WATCH_WORDS>(bench.device(), report);
          polls.push_back(words[EXP06_WATCH_POLLS]);
          if (words[EXP06_WATCH_SEEN] == EXP06_NEWS) seen_ns.push_back(words[EXP06_WATCH_NS]);
        }
        bench::Values values = {{"seen", static_cast<double>(seen_ns.size()) / kRuns}, {"polls", bench::quantile(polls, 0.5)}};
        if (!seen_ns.empty()) values.set("seen_ns", bench::quantile(seen_ns, 0.5));
        return values;
      }};
}
