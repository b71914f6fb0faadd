// What the rows and the exit code say when a device is lost, hangs, runs out of memory, throttles or opens its gate early, and
// when a signal comes: the whole program on fake devices. Each run has a child of its own.
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <thread>

#include "core/base/csv.h"
#include "core/base/error.h"
#include "core/base/process.h"
#include "core/base/watchdog.h"
#include "core/experiment/experiment.h"
#include "fake_device.h"

namespace bench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr std::uint32_t kElements = 4096;

// What a driver's call does when its GPU does not answer.
void hang(std::string_view what) {
  const Deadline deadline(what);
  for (;;) pause();
}

void sleep_s(double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); }

struct Machine {
  FakeBehaviour cuda;
  FakeBehaviour vulkan;
  std::function<void(const std::string& variant)> set_up = [](const std::string&) {};  // by the host, at its beginning
};

using Row = std::map<std::string, std::string>;

class Faults : public testing::Test {
 protected:
  struct Outcome {
    int exit_code = -1;
    double seconds = 0;
    std::string err;
    std::vector<Row> rows;

    // "first cuda ok", ...
    std::vector<std::string> statuses() const {
      std::vector<std::string> result;
      for (const Row& row : rows) result.push_back(row.at("variant") + " " + row.at("api") + " " + row.at("status"));
      return result;
    }
  };

  Outcome run(const Machine& machine, std::vector<std::string> arguments = {}) {
    std::fflush(nullptr);
    const double start = now_s();
    const pid_t child = fork();
    if (child == 0) {
      if (std::freopen(folder_.file("out").c_str(), "w", stdout) == nullptr) _exit(99);
      if (std::freopen(folder_.file("err").c_str(), "w", stderr) == nullptr) _exit(99);
      const int code = run_program(machine, std::move(arguments), folder_.file("results.csv"));
      std::cout.flush();
      std::fflush(nullptr);
      _exit(code);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), now_s() - start, read_file(folder_.file("err")),
            read_rows(folder_.file("results.csv"))};
  }

 private:
  static std::vector<Row> read_rows(const std::string& path) {
    const std::vector<CsvRow> records = parse_csv(read_file(path));
    std::vector<Row> rows;
    for (std::size_t i = 1; i < records.size(); ++i) {
      EXPECT_EQ(records[i].size(), records[0].size());
      Row& row = rows.emplace_back();
      for (std::size_t c = 0; c < records[i].size(); ++c) row[records[0].at(c)] = records[i][c];
    }
    return rows;
  }

  static Prepared set_up(Workbench& bench, const std::string& variant) {
    Launch launch;
    launch.kernel = &bench.kernel({.images = nullptr, .entry = variant, .buffers = 2, .params_bytes = 0});
    launch.buffers = {&bench.input(0, kElements), &bench.output(variant, kElements)};
    bench.device().run(launch);
    bench.nothing_to_compare();
    return bench.device().prepare(launch, {});
  }

  // Three cases, of which the second is the one in trouble.
  static Experiment experiment_of(const Machine& machine) {
    Experiment experiment{
        .name = "exp99_faults", .question = "What now?", .params = {}, .model = {}, .variants = {}, .cases = {}};
    for (const char* variant : {"first", "second", "third"}) experiment.variants.push_back({variant, variant});
    experiment.cases = [variants = experiment.variants, machine](const Plan&) {
      std::vector<Case> cases;
      for (const VariantText& variant : variants) {
        Case& one = cases.emplace_back(twin(variant.name, {}, [machine, name = variant.name](Workbench& bench) {
          machine.set_up(name);
          return set_up(bench, name);
        }));
        one.elements = kElements;
        one.cache = variant.name == "second" ? Cache::kCold : Cache::kWarm;
      }
      return cases;
    };
    return experiment;
  }

  static int run_program(const Machine& machine, std::vector<std::string> arguments, const std::string& csv) {
    arguments.insert(arguments.begin(), {"exp99_faults", "--smoke"});
    if (std::find(arguments.begin(), arguments.end(), "--profile") == arguments.end()) {
      arguments.insert(arguments.end(), {"--csv", csv});
    }
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    std::vector<std::unique_ptr<Backend>> backends;
    backends.push_back(
        std::make_unique<FakeBackend>(cuda::kApi, std::vector{fake_gpu(cuda::kApi, 0, "NVIDIA H200", 0xaa)}, "", machine.cuda));
    backends.push_back(std::make_unique<FakeBackend>(vulkan::kApi, std::vector{fake_gpu(vulkan::kApi, 0, "NVIDIA H200", 0xaa)},
                                                     "", machine.vulkan));
    return run_main(static_cast<int>(arguments.size()), argv.data(), experiment_of(machine), std::move(backends));
  }

  TempDir folder_;
};

const std::vector<std::string> kAllOk = {"first cuda ok",    "first vulkan ok", "second cuda ok",
                                         "second vulkan ok", "third cuda ok",   "third vulkan ok"};

bool is_second(const Launch& launch) { return launch.kernel->spec().entry == "second"; }

std::size_t lines_with(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++count;
  return count;
}

// The case in hand has failed with this reason, and none after it was tried.
void expect_lost(const testing::Matcher<std::string>& reason, int exit_code, const std::string& err,
                 const std::vector<Row>& rows) {
  EXPECT_EQ(exit_code, kDeviceLost) << err;
  ASSERT_EQ(rows.size(), 4U);
  for (const Row& row : rows) {
    const bool lost = row.at("variant") == "second";
    EXPECT_EQ(row.at("status"), lost ? "failed" : "ok");
    EXPECT_EQ(row.at("device_ns").empty(), lost);
    if (lost) {
      EXPECT_THAT(row.at("reason"), reason);
    }
  }
  EXPECT_THAT(err, Not(HasSubstr("third")));
  EXPECT_EQ(lines_with(err, "\ndevice lost: "), 1U) << err;
}

// ---- Lost

TEST_F(Faults, ADeviceLostInSetUpEndsTheProgram) {
  Machine machine;
  machine.cuda.execute = [](const Launch& launch) {
    if (is_second(launch)) throw DeviceLost("cudaErrorIllegalAddress");
  };
  const Outcome outcome = run(machine);
  expect_lost(testing::StartsWith("device lost: cudaErrorIllegalAddress"), outcome.exit_code, outcome.err, outcome.rows);
}

TEST_F(Faults, ADeviceLostWhileSamplingEndsTheProgram) {
  Machine machine;
  auto in_second = std::make_shared<bool>(false);
  machine.set_up = [in_second](const std::string& variant) { *in_second = variant == "second"; };
  machine.vulkan.sampled = [in_second] {
    if (*in_second) throw DeviceLost("ErrorDeviceLost");
  };
  const Outcome outcome = run(machine);
  expect_lost(HasSubstr("ErrorDeviceLost"), outcome.exit_code, outcome.err, outcome.rows);
}

// ---- Hanging

TEST_F(Faults, AKernelThatDoesNotComeBackEndsTheProgram) {
  Machine machine;
  machine.vulkan.execute = [](const Launch& launch) {
    if (is_second(launch)) hang("kernel second");
  };
  const Outcome outcome = run(machine, {"--timeout", "0.3"});
  expect_lost(HasSubstr("kernel second: not finished after 0.3 s"), outcome.exit_code, outcome.err, outcome.rows);
  EXPECT_LT(outcome.seconds, 5);
}

TEST(Deadline, NamesTheOptionOnlyWhereItSetsTheLimit) {
  EXPECT_EQ(Deadline("the kernel").option(), "--timeout");
  EXPECT_EQ(Deadline("opening the device", 0, WaitFor::kDriver).option(), "");
}

TEST_F(Faults, AHangWhileSamplingToo) {
  Machine machine;
  auto in_second = std::make_shared<bool>(false);
  machine.set_up = [in_second](const std::string& variant) { *in_second = variant == "second"; };
  machine.cuda.sampled = [in_second] {
    if (*in_second) hang("second");
  };
  const Outcome outcome = run(machine, {"--timeout", "0.3"});
  expect_lost(HasSubstr("second: not finished"), outcome.exit_code, outcome.err, outcome.rows);
}

TEST_F(Faults, ACaseThatTookTheDeviceDownTwiceIsNotTriedAgain) {
  Machine machine;
  machine.cuda.execute = [](const Launch& launch) {
    if (is_second(launch)) hang("kernel second");
  };
  EXPECT_EQ(run(machine, {"--timeout", "0.3"}).exit_code, kDeviceLost);
  EXPECT_EQ(run(machine, {"--timeout", "0.3", "--resume"}).exit_code, kDeviceLost);
  const Outcome last = run(machine, {"--timeout", "0.3", "--resume"});
  EXPECT_EQ(last.exit_code, kFailed) << last.err;
  EXPECT_THAT(last.err, HasSubstr("--resume: 2 failed rows are not tried again: the device was lost there 2 times"));
  EXPECT_EQ(last.statuses(), (std::vector<std::string>{"first cuda ok", "first vulkan ok", "second cuda failed",
                                                       "second vulkan failed", "third cuda ok", "third vulkan ok"}));
  for (const Row& row : last.rows) EXPECT_EQ(row.at("device_losses"), row.at("variant") == "second" ? "2" : "");
  EXPECT_EQ(run(machine, {"--resume"}).exit_code, kFailed) << "it stays a failure";
}

TEST_F(Faults, AHangIsFoundWithoutRows) {
  Machine machine;
  machine.cuda.execute = [](const Launch& launch) {
    if (is_second(launch)) hang("kernel second");
  };
  const Outcome outcome = run(machine, {"--profile", "--timeout", "0.3"});
  EXPECT_EQ(outcome.exit_code, kDeviceLost);
  EXPECT_THAT(outcome.err, HasSubstr("kernel second: not finished after 0.3 s"));
}

// ---- Out of memory

TEST_F(Faults, OutOfMemoryOnceIsTriedAgain) {
  Machine machine;
  machine.cuda.no_room_for = [refused = std::make_shared<int>(0)](std::string_view label) {
    return label == "second" && ++*refused == 1;
  };
  const Outcome outcome = run(machine);
  EXPECT_EQ(outcome.exit_code, kOk) << outcome.err;
  EXPECT_EQ(outcome.statuses(), kAllOk);
}

TEST_F(Faults, TheTryAgainHasAllTheMemory) {
  Machine machine;
  // Room for one case's buffers (16 KiB and 16.25 KiB), not for two cases' outputs.
  machine.cuda.memory_bytes = 40 << 10;
  const Outcome outcome = run(machine);
  EXPECT_EQ(outcome.exit_code, kOk) << outcome.err;
  EXPECT_EQ(outcome.statuses(), kAllOk);
}

TEST_F(Faults, SoIsAnEvictorWithoutRoom) {
  Machine machine;
  machine.vulkan.no_room_for = [refused = std::make_shared<int>(0)](std::string_view label) {
    return label == "L2 evictor" && ++*refused == 1;
  };
  const Outcome outcome = run(machine);
  EXPECT_EQ(outcome.exit_code, kOk) << outcome.err;
  EXPECT_EQ(outcome.statuses(), kAllOk);
}

TEST_F(Faults, OutOfMemoryForEverFailsWithTheSizes) {
  Machine machine;
  machine.cuda.no_room_for = [](std::string_view label) { return label == "L2 evictor"; };
  const Outcome outcome = run(machine);
  EXPECT_EQ(outcome.exit_code, kFailed);
  EXPECT_THAT(outcome.statuses(), ElementsAre("first cuda ok", "first vulkan ok", "second cuda failed", "second vulkan failed",
                                              "third cuda ok", "third vulkan ok"));
  for (const Row& row : outcome.rows) {
    if (row.at("variant") == "second") {
      EXPECT_THAT(row.at("reason"), HasSubstr("L2 evictor: no room for 2097152 bytes"));
    }
  }
}

// ---- Throttling and gates

// A library in the place of NVML, whose GPU is hot: see hot_nvml.cpp.
TEST_F(Faults, AGpuThatThrottlesForEverFailsItsCases) {
  void* library = dlopen(BENCH_HOT_NVML, RTLD_NOW);
  ASSERT_NE(library, nullptr) << dlerror();
  const Outcome outcome = run({});
  dlclose(library);
  EXPECT_EQ(outcome.exit_code, kFailed);
  ASSERT_EQ(outcome.rows.size(), 6U);
  for (const Row& row : outcome.rows) {
    EXPECT_EQ(row.at("status"), "failed");
    EXPECT_THAT(row.at("reason"), HasSubstr("the GPU was throttled for"));
  }
  EXPECT_LT(outcome.seconds, 10);
}

TEST_F(Faults, SamplesWithoutTheirGateAreNamed) {
  Machine machine;
  machine.cuda.gated = false;
  const Outcome outcome = run(machine);
  EXPECT_EQ(outcome.exit_code, kOk);
  EXPECT_EQ(outcome.statuses(), kAllOk);
  for (const Row& row : outcome.rows) {
    const std::string text = row.at("samples") + " samples whose launches were not all queued before the first one began";
    EXPECT_EQ(row.at("reason"), row.at("api") == "cuda" ? text : "");
    EXPECT_EQ(row.at("ungated_samples"), row.at("api") == "cuda" ? row.at("samples") : "0");
  }
}

// ---- Signals

TEST_F(Faults, ASignalEndsAfterTheSampleInHand) {
  Machine machine;
  machine.cuda.sampled = [calls = std::make_shared<int>(0)] {
    if (++*calls == 200) std::raise(SIGTERM);
  };
  const Outcome outcome = run(machine);
  EXPECT_EQ(outcome.exit_code, kInterruptedBySignal);
  EXPECT_THAT(outcome.err, HasSubstr("--resume"));
  for (const Row& row : outcome.rows) EXPECT_EQ(row.at("status"), "ok") << "what was interrupted is no failure";
}

TEST_F(Faults, ASampleThatTakesTooLongIsLeft) {
  Machine machine;
  machine.cuda.execute = [](const Launch& launch) {
    if (!is_second(launch)) return;
    std::raise(SIGTERM);
    hang("kernel second");
  };
  const Outcome outcome = run(machine);
  EXPECT_EQ(outcome.exit_code, kInterruptedBySignal);
  EXPECT_THAT(outcome.statuses(), ElementsAre("first cuda ok", "first vulkan ok"));
  EXPECT_LT(outcome.seconds, 2 + 2);
}

TEST_F(Faults, SoIsTheHostsWork) {
  Machine machine;
  machine.set_up = [](const std::string& variant) {
    if (variant != "second") return;
    std::raise(SIGINT);
    sleep_s(30);
  };
  const Outcome outcome = run(machine);
  EXPECT_EQ(outcome.exit_code, kInterruptedBySignal);
  EXPECT_THAT(outcome.statuses(), ElementsAre("first cuda ok", "first vulkan ok"));
  EXPECT_LT(outcome.seconds, 2 + 2);
}

TEST_F(Faults, TheSecondSignalEndsAtOnce) {
  Machine machine;
  machine.set_up = [](const std::string& variant) {
    if (variant != "second") return;
    std::raise(SIGINT);
    std::raise(SIGTERM);
    sleep_s(30);
  };
  const Outcome outcome = run(machine);
  EXPECT_EQ(outcome.exit_code, kInterruptedBySignal);
  EXPECT_THAT(outcome.statuses(), ElementsAre("first cuda ok", "first vulkan ok"));
  EXPECT_THAT(outcome.err, Not(HasSubstr("interrupted")));
}

TEST(Unbroken, IsEndedByASecondSignalOnlyWhenItIsOver) {
  EXPECT_EXIT(
      {
        note_signals();
        {
          const Unbroken writing;
          std::raise(SIGTERM);
          std::raise(SIGTERM);
          std::cerr << "written whole";
        }
        std::cerr << "not reached";
      },
      testing::ExitedWithCode(kInterruptedBySignal), "written whole$");
}

}  // namespace
}  // namespace bench
