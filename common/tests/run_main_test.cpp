// The whole program on fake devices. Google Benchmark keeps its registrations and flags for the life of a process, and signals
// and exit codes are a process's own, so every run has a child of its own.
#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <thread>

#include "core/base/csv.h"
#include "core/base/environment.h"
#include "core/base/error.h"
#include "core/code/machine_code.h"
#include "core/experiment/checks.h"
#include "core/experiment/experiment.h"
#include "core/experiment/verify.h"
#include "core/run/open_devices.h"
#include "fake_device.h"

namespace bench {
namespace {

using testing::HasSubstr;
using testing::Not;

// What the fake GPU computes: entry `twice` is right, `wrong` forgets one element.
void execute(const Launch& launch) {
  const auto* from = words_of<float>(*launch.buffers[0]);
  auto* to = words_of<float>(*launch.buffers[1]);
  std::uint32_t count = 0;
  std::memcpy(&count, launch.params.data(), sizeof count);
  for (std::uint32_t i = 0; i < count; ++i) to[i] = 2 * from[i];
  if (launch.kernel->spec().entry == "wrong") words_of<std::uint32_t>(*launch.buffers[1])[count / 2] = kPoison;
}

constexpr std::string_view kNewerCompiler = "glslang 99.0";
const KernelImages kByNewerCompiler = {"twice", {}, {}, 0, {}, {}, kNewerCompiler};

// What the host alone times.
class RoundTrips final : public Subject {
 public:
  DeviceTime time_device(const DeviceSampleSpec& /*spec*/) override { throw Error("no stamps on the GPU"); }
  HostTimes time_host(std::uint32_t batch) override {
    return {.roundtrip_ns = batch * (2000 + 0.1 * static_cast<double>(++calls_ % 7)), .submit_ns = batch * 300.0};
  }
  bool timed_by_host() const override { return true; }

 private:
  std::uint64_t calls_ = 0;
};

std::unique_ptr<Subject> set_up(Workbench& bench, const std::string& entry, std::uint32_t count,
                                const KernelImages* images = nullptr) {
  const Buffer& input = bench.input(0, count);
  Buffer& output = bench.output("output", count);
  Launch launch;
  launch.kernel = &bench.kernel({.images = images, .entry = entry, .buffers = 2, .params_bytes = 4});
  launch.buffers = {&input, &output};
  launch.params = params_bytes(count);
  bench.device().run(launch);
  verify<float>(bench, output, count, kGuardWords, [&](std::uint64_t i) { return 2 * bench.input_value(0, i); });
  return bench.device().prepare(launch, {});
}

constexpr std::uint32_t kElements = 4096;
constexpr std::uint32_t kLargeElements = 1 << 20;  // 4 MiB a buffer

Case make(const std::string& variant, std::uint32_t block, std::uint32_t elements, const Plan& plan,
          const std::function<Prepared(Workbench&)>& side) {
  Case result = twin(variant, {{"block", block}}, side);
  result.model = {{"sectors", 4}};
  result.elements = elements;
  result.useful_bytes = 8ULL * elements;
  result.footprint_bytes = result.useful_bytes;
  result.cache = plan.caches_for(result.footprint_bytes).front();
  return result;
}

// What a test changes about the machine and the experiment.
struct Scenario {
  std::uint32_t gpus = 1;  // that a case uses
  std::vector<DeviceInfo> cuda = {fake_gpu(cuda::kApi, 0, "NVIDIA H200", 0xaa)};
  std::vector<DeviceInfo> vulkan = {fake_lavapipe(0), fake_gpu(vulkan::kApi, 1, "NVIDIA H200", 0xaa)};
  std::string cuda_reason;
  FakeBehaviour cuda_behaviour{.execute = execute};
  FakeBehaviour vulkan_behaviour{.execute = execute};
  std::vector<std::string> variants = {"twice", "twice_again"};  // also: wrong, lacking, large, graphics, unchecked, fetch,
                                                                 // unmodelled, asks, asks_badly, asks_amiss, mislaid, mistyped,
                                                                 // half_modelled, chosen, newer
  VulkanChoice choice = {};                                      // of `chosen`
  bool goes_wrong = false;                                       // each kernel computes what `wrong` does
  int interrupt_at = 0;                                          // the side, counted from 1, during whose set-up SIGINT arrives
};

Experiment experiment_of(const Scenario& scenario) {
  Experiment experiment{.name = "exp99_fake",
                        .question = "Does the program work?",
                        .params = {Column::integer("block", "threads", "of a block"), Column::text("mode", "").optional()},
                        .model = {Column::integer("sectors", "", "of a warp")},
                        .measured = {Column::integer("asked", "threads", "what it was asked").optional(),
                                     Column::real("times", "", "that it was asked").optional()},
                        .variants = {},
                        .cases = {},
                        .gpus = scenario.gpus};
  for (const std::string& variant : scenario.variants) experiment.variants.push_back({variant, "what " + variant + " does"});
  experiment.cases = [scenario, sides = std::make_shared<int>(0)](const Plan& plan) {
    std::vector<Case> cases;
    for (const std::string& variant : scenario.variants) {
      const std::uint32_t elements = variant == "large" ? kLargeElements : kElements;
      for (const std::uint32_t block : {128U, 256U}) {
        cases.push_back(make(variant, block, elements, plan, [=](Workbench& bench) -> Prepared {
          if (++*sides == scenario.interrupt_at) std::raise(SIGINT);
          if (variant == "lacking") throw Skip("wanted a feature, found none");
          if (variant == "silent") return bench.device().prepare(Launch{}, {});
          if (variant == "leaves_nothing") bench.nothing_to_compare();
          if (variant == "leaves_nothing") return bench.device().prepare(Launch{}, {});
          std::unique_ptr<Subject> subject = set_up(bench, scenario.goes_wrong || variant == "wrong" ? "wrong" : "twice",
                                                    elements, variant == "newer" ? &kByNewerCompiler : nullptr);
          if (variant == "by_host") return {std::make_unique<RoundTrips>()};
          if (variant == "remade") bench.makes_outputs_anew();
          if (variant == "asks") return {std::move(subject), [block] { return Values{{"asked", block}}; }};
          if (variant == "asks_thrice") {
            return {std::move(subject), [times = std::make_shared<double>(0)] { return Values{{"times", *times += 1}}; }, 3};
          }
          if (variant == "asks_amiss") return {std::move(subject), [] { return Values{{"answer", 42}}; }};
          if (variant == "asks_badly") return {std::move(subject), []() -> Values { throw Error("it hung"); }};
          return subject;
        }));
        if (variant == "graphics") cases.back().vulkan.queue = QueueKind::kGraphics;
        if (variant == "chosen") cases.back().vulkan = scenario.choice;
        if (variant == "unchecked") cases.back().vulkan = vulkan_of(Checks::kOff);
        if (variant == "fetch") cases.back().l2_fetch_bytes = 32;
        if (variant == "unmodelled") cases.back().model = {};
        if (variant == "mislaid") cases.back().sides.front().params.set("blocks", 1);
        if (variant == "mistyped") cases.back().sides.front().params.set("mode", 1);
        if (variant == "half_modelled") cases.back().model = {{"sectors", Value()}};
      }
    }
    return cases;
  };
  return experiment;
}

using Row = std::map<std::string, std::string>;

std::vector<Row> read_rows(const std::string& path) {
  const std::vector<CsvRow> records = parse_csv(read_file(path));
  std::vector<Row> rows;
  for (std::size_t i = 1; i < records.size(); ++i) {
    EXPECT_EQ(records[i].size(), records[0].size()) << "every row has the same columns";
    Row& row = rows.emplace_back();
    for (std::size_t c = 0; c < records[i].size(); ++c) row[records[0].at(c)] = records[i][c];
  }
  return rows;
}

std::string key(const Row& row) { return row.at("variant") + " " + row.at("api") + " " + row.at("block"); }
std::vector<std::string> keys(const std::vector<Row>& rows) {
  std::vector<std::string> result;
  for (const Row& row : rows) result.push_back(key(row));
  return result;
}

class RunMain : public testing::Test {
 protected:
  struct Outcome {
    int exit_code = -1;
    std::string out;
    std::string err;
  };

  // Runs the program with these options; --smoke unless the test sets its own budget.
  Outcome run(const Scenario& scenario, std::vector<std::string> arguments) {
    std::fflush(nullptr);
    const pid_t child = fork();
    if (child == 0) {
      if (std::freopen(folder_.file("out").c_str(), "w", stdout) == nullptr) _exit(99);
      if (std::freopen(folder_.file("err").c_str(), "w", stderr) == nullptr) _exit(99);
      const int code = run_program(scenario, std::move(arguments));
      std::cout.flush();
      std::fflush(nullptr);
      _exit(code);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), read_file(folder_.file("out")),
            read_file(folder_.file("err"))};
  }
  Outcome run_to_csv(const Scenario& scenario, std::vector<std::string> more = {}) {
    more.insert(more.end(), {"--smoke", "--csv", csv_});
    return run(scenario, std::move(more));
  }

  std::vector<Row> rows() const { return read_rows(csv_); }
  std::vector<Row> samples() const { return read_rows(folder_.file("results.samples.csv")); }

  TempDir folder_;
  std::string csv_ = folder_.file("results.csv");

 private:
  static int run_program(const Scenario& scenario, std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "exp99_fake");
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    std::vector<std::unique_ptr<Backend>> backends;
    backends.push_back(std::make_unique<FakeBackend>(cuda::kApi, scenario.cuda, scenario.cuda_reason, scenario.cuda_behaviour));
    backends.push_back(
        std::make_unique<FakeBackend>(vulkan::kApi, scenario.vulkan, "no Vulkan here", scenario.vulkan_behaviour));
    return run_main(static_cast<int>(arguments.size()), argv.data(), experiment_of(scenario), std::move(backends));
  }
};

TEST_F(RunMain, ADeviceThatCannotSayWhatItsL2FetchesIsSkipped) {
  Scenario scenario;
  scenario.variants = {"fetch", "twice"};
  EXPECT_EQ(run_to_csv(scenario, {"--smoke"}).exit_code, 0);
  for (const Row& row : read_rows(csv_)) {
    EXPECT_EQ(row.at("status"), row.at("variant") == "fetch" ? "skipped" : "ok") << key(row);
    EXPECT_THAT(row.at("reason"), HasSubstr(row.at("variant") == "fetch" ? "L2 fetches" : "")) << key(row);
  }
}

TEST_F(RunMain, ACaseWithoutAModelHasEmptyCellsForIt) {
  Scenario scenario;
  scenario.variants = {"unmodelled", "twice"};
  EXPECT_EQ(run_to_csv(scenario, {"--smoke"}).exit_code, 0);
  for (const Row& row : read_rows(csv_)) EXPECT_EQ(row.at("sectors"), row.at("variant") == "twice" ? "4" : "") << key(row);
}

TEST_F(RunMain, WhatASideMeasuresItselfIsInItsRow) {
  Scenario scenario;
  scenario.variants = {"twice", "asks", "asks_badly", "asks_amiss"};
  const Outcome outcome = run_to_csv(scenario, {"--smoke"});
  EXPECT_EQ(outcome.exit_code, 1);
  for (const Row& row : read_rows(csv_)) {
    const std::string& variant = row.at("variant");
    EXPECT_EQ(row.at("asked"), variant == "asks" ? row.at("block") : "") << key(row);
    const bool fails = variant == "asks_badly" || variant == "asks_amiss";
    EXPECT_EQ(row.at("status"), fails ? "failed" : "ok") << key(row);
    EXPECT_EQ(row.at("device_ns").empty(), fails) << key(row);
    EXPECT_EQ(row.at("reason"), !fails                    ? ""
                                : variant == "asks_badly" ? "it hung"
                                                          : "column answer: there is none of this name");
    EXPECT_EQ(row.at("seed"), "1") << "the columns behind stay in their places";
  }
}

TEST_F(RunMain, OfSeveralReadingsTheRowHasTheMedian) {
  Scenario scenario;
  scenario.variants = {"asks_thrice"};
  EXPECT_EQ(run_to_csv(scenario).exit_code, 0);
  for (const Row& row : read_rows(csv_)) EXPECT_EQ(row.at("times"), "2") << key(row);
}

TEST_F(RunMain, ARowHasWhatAnEmptyLaunchTakes) {
  Scenario scenario;
  scenario.vulkan_behaviour.launch_ns = 3000;
  EXPECT_EQ(run_to_csv(scenario).exit_code, 0);
  for (const Row& row : read_rows(csv_)) {
    const double launch_ns = row.at("api") == "vulkan" ? 3000 : 1000;
    EXPECT_NEAR(std::stod(row.at("fixed_ns")), launch_ns, 0.01 * launch_ns) << key(row);
    EXPECT_NEAR(std::stod(row.at("stamps_ns")), 500 / std::stod(row.at("batch")), 0.01) << key(row);
  }
}

TEST_F(RunMain, ACaseMayAskForAnotherQueue) {
  Scenario scenario;
  scenario.variants = {"twice", "graphics", "twice_again"};
  scenario.vulkan_behaviour.graphics_launch_ns = 3000;
  EXPECT_EQ(run_to_csv(scenario).exit_code, 0);
  EXPECT_EQ(rows().size(), 12U);
  for (const Row& row : rows()) {
    const bool graphics = row.at("variant") == "graphics" && row.at("api") == "vulkan";
    EXPECT_NEAR(std::stod(row.at("device_ns")), graphics ? 3000 : 1000, 30) << key(row);
  }
}

TEST_F(RunMain, ACaseMayAskForADeviceThatCanLeaveItsChecksOut) {
  Scenario scenario;
  scenario.variants = {"twice", "unchecked", "graphics", "twice_again"};
  scenario.vulkan_behaviour.graphics_launch_ns = 3000;
  scenario.vulkan_behaviour.unchecked_launch_ns = 500;
  EXPECT_EQ(run_to_csv(scenario).exit_code, 0);
  EXPECT_EQ(rows().size(), 16U);
  for (const Row& row : rows()) {
    const std::map<std::string, double> vulkan = {{"unchecked", 500}, {"graphics", 3000}};
    const auto found = row.at("api") == "vulkan" ? vulkan.find(row.at("variant")) : vulkan.end();
    EXPECT_NEAR(std::stod(row.at("device_ns")), found != vulkan.end() ? found->second : 1000, 30) << key(row);
  }
}

TEST_F(RunMain, WhereThatQueueIsMissingTheOthersGoOn) {
  Scenario scenario;
  scenario.variants = {"twice", "graphics", "twice_again"};
  EXPECT_EQ(run_to_csv(scenario).exit_code, 0);
  EXPECT_EQ(rows().size(), 12U);
  for (const Row& row : rows()) {
    const bool graphics = row.at("variant") == "graphics" && row.at("api") == "vulkan";
    EXPECT_EQ(row.at("status"), graphics ? "skipped" : "ok") << key(row);
    EXPECT_EQ(row.at("reason"), graphics ? "no graphics queue" : "") << key(row);
  }
}

TEST_F(RunMain, ADeviceThatFailsToOpenAnewFailsItsRowsAndTheOthersGoOn) {
  Scenario scenario;
  scenario.variants = {"twice", "graphics", "twice_again"};
  scenario.vulkan_behaviour.graphics_fails = true;
  scenario.vulkan_behaviour.graphics_launch_ns = 3000;
  for (const std::vector<std::string>& more : {std::vector<std::string>{}, {"--resume"}}) {
    EXPECT_EQ(run_to_csv(scenario, more).exit_code, 1);
    EXPECT_EQ(rows().size(), 12U);
    for (const Row& row : rows()) {
      const bool graphics = row.at("variant") == "graphics" && row.at("api") == "vulkan";
      EXPECT_EQ(row.at("status"), graphics ? "failed" : "ok") << key(row);
      EXPECT_EQ(row.at("reason"), graphics ? "VK_ERROR_INITIALIZATION_FAILED" : "") << key(row);
    }
  }
  scenario.vulkan_behaviour.graphics_fails = false;
  EXPECT_EQ(run_to_csv(scenario, {"--resume"}).exit_code, 0) << "what failed is tried again";
  EXPECT_EQ(rows().size(), 12U);
  for (const Row& row : rows()) EXPECT_EQ(row.at("status"), "ok") << key(row);
}

TEST_F(RunMain, ResultsThatAreRemovedOrReplacedMeanwhileFailTheRun) {
  for (const bool replaced : {false, true}) {
    Scenario scenario;
    const std::string csv = csv_;
    std::filesystem::remove(csv);
    scenario.vulkan_behaviour.sampled = [csv, replaced] {
      if (!std::filesystem::exists(csv)) return;
      std::filesystem::remove(csv);
      if (replaced) std::ofstream(csv) << "another's";
    };
    const Outcome outcome = run_to_csv(scenario);
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_THAT(outcome.err, HasSubstr("results.csv was removed or replaced while this program was writing it"));
  }
}

TEST(LoadedClock, ComparesWithWhatTheGpuRunsAtUnderLoad) {
  LoadedClock clock(0.75);
  EXPECT_FALSE(clock.is_slow(1095)) << "locked far below its maximum: that is what it runs at";
  EXPECT_FALSE(clock.is_slow(1000));
  EXPECT_TRUE(clock.is_slow(820));
  EXPECT_FALSE(clock.is_slow(1980));
  EXPECT_TRUE(clock.is_slow(1095)) << "it has shown that it can run at more";
  LoadedClock never(0);
  EXPECT_FALSE(never.is_slow(1980));
  EXPECT_FALSE(never.is_slow(1));
}

TEST_F(RunMain, ComplaintsOfADeviceThatWasClosedCount) {
  Scenario scenario;
  scenario.variants = {"twice", "graphics"};
  scenario.vulkan_behaviour.complaints = {"a hazard"};
  EXPECT_EQ(run_to_csv(scenario).exit_code, 1) << "the second device, with the graphics queue, cannot be opened";
}

TEST_F(RunMain, TwoCasesOfOneNameAreAnError) {
  Scenario scenario;
  scenario.variants = {"twice", "twice"};
  const Outcome outcome = run_to_csv(scenario);
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("two cases are called exp99/twice/block:128/n:4096/warm/cuda"));
}

TEST_F(RunMain, AValueThatItsColumnCannotTakeIsAnErrorBeforeAnythingRuns) {
  for (const auto& [variant, said] :
       {std::pair{"mislaid", "exp99_fake, variant mislaid: column blocks: there is none of this name"},
        std::pair{"mistyped", "exp99_fake, variant mistyped: column mode: 1 is no text"},
        std::pair{"half_modelled", "exp99_fake, variant half_modelled: column sectors: not set"}}) {
    Scenario scenario;
    scenario.variants = {"twice", variant};
    const Outcome outcome = run_to_csv(scenario);
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_THAT(outcome.err, HasSubstr(said));
    EXPECT_FALSE(std::filesystem::exists(csv_));
  }
}

TEST_F(RunMain, DescribesItsVariantsAndColumns) {
  const Outcome outcome = run({}, {"--describe"});
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.out, testing::ContainsRegex("twice_again +what twice_again does"));
  EXPECT_THAT(outcome.out, testing::ContainsRegex("block +param +integer +threads +of a block"));
  EXPECT_THAT(outcome.out, testing::ContainsRegex("device_ns \\[lo, hi\\] +time +real +ns +GPU time"));
}

TEST_F(RunMain, TheColumnsAreDescribedBesideTheCsv) {
  EXPECT_EQ(run_to_csv({}).exit_code, 0);
  EXPECT_EQ(read_file(folder_.file("results.schema.json")), schema_of(experiment_of({})).json());
}

TEST_F(RunMain, ProfileRunsEveryKernelOnceAndTimesNothing) {
  const Outcome outcome = run({}, {"--smoke", "--profile"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("8 kernels run for a profiler, 0 failed, 0 skipped"));
  EXPECT_THAT(outcome.out, Not(HasSubstr("manual_time")));
  EXPECT_THAT(run({}, {"--smoke", "--profile", "--benchmark_filter=block:128"}).err, HasSubstr("4 kernels run"));
  Scenario wrong;
  wrong.variants = {"twice", "wrong"};
  EXPECT_EQ(run(wrong, {"--smoke", "--profile"}).exit_code, 1);
  EXPECT_EQ(run({}, {"--profile", "--csv", csv_}).exit_code, 2);
}

TEST_F(RunMain, WritesARowPerCaseAndApi) {
  tell_sources("0123456789ab");
  const Outcome outcome = run_to_csv({});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(keys(rows()), testing::ElementsAre("twice cuda 128", "twice vulkan 128", "twice cuda 256", "twice vulkan 256",
                                                 "twice_again cuda 128", "twice_again vulkan 128", "twice_again cuda 256",
                                                 "twice_again vulkan 256"));
  const std::string hash = isa_hash(std::as_bytes(std::span(std::string_view("twice."))));  // one "." a call: asked for once
  for (const Row& row : rows()) {
    SCOPED_TRACE(key(row));
    const std::map<std::string, std::string> expected = {{"schema", "2"},
                                                         {"experiment", "exp99_fake"},
                                                         {"status", "ok"},
                                                         {"reason", ""},
                                                         {"sectors", "4"},
                                                         {"elements", "4096"},
                                                         {"useful_bytes", "32768"},
                                                         {"cache", "warm"},
                                                         {"samples", "6"},
                                                         {"order", "ABBA"},
                                                         {"seed", "1"},
                                                         {"isa_hash", hash},
                                                         {"gpu", "NVIDIA H200"},
                                                         {"gpu_uuid", "aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa"},
                                                         {"sources", "0123456789ab"},
                                                         {"git_rev", std::string(git_revision())}};
    for (const auto& [column, value] : expected) EXPECT_EQ(row.at(column), value) << column;
    const double device_ns = std::stod(row.at("device_ns"));
    EXPECT_NEAR(device_ns, 1000, 10) << "1000 ns per launch, and less than 1 % of stamps";
    EXPECT_NEAR(std::stod(row.at("gbps")), 32768 / device_ns, 0.01);
    EXPECT_LE(std::stod(row.at("device_ns_lo")), device_ns);
    EXPECT_GE(std::stod(row.at("device_ns_hi")), device_ns);
    EXPECT_GT(std::stod(row.at("batch")), 50);
    EXPECT_GT(std::stod(row.at("roundtrip_ns")), 1000);
    EXPECT_EQ(row.at("peak_pct"), "") << "the footprint lies in the L2";
    EXPECT_FALSE(row.at("stop").empty());
  }
  EXPECT_EQ(samples().size(), 8U * (6 + 1)) << "6 device samples and one host sample a row";
  EXPECT_THAT(outcome.out, Not(HasSubstr("rows ok"))) << "prose goes to stderr";
  EXPECT_THAT(outcome.err, HasSubstr("8 rows ok, 0 failed, 0 skipped"));
  EXPECT_THAT(outcome.out, HasSubstr("exp99/twice/block:128/n:4096/warm/cuda"));
}

// Mesa's drivers, say: what is timed gives out no bytes, and is compiled once more to be listed.
TEST_F(RunMain, CodeThatIsListedAloneHasAHashToo) {
  for (const bool has_compiler : {true, false}) {
    Scenario scenario;
    scenario.vulkan_behaviour.tells = FakeKernel::Tells::kNothing;
    scenario.vulkan_behaviour.has_compiler = has_compiler;
    EXPECT_EQ(run_to_csv(scenario).exit_code, 0);
    const std::string listed = isa_hash(std::as_bytes(std::span(std::string_view("twice\n"))));
    for (const Row& row : rows()) {
      if (row.at("api") == "vulkan") {
        EXPECT_EQ(row.at("isa_hash"), has_compiler ? listed : "");
      } else {
        EXPECT_NE(row.at("isa_hash"), "");
      }
    }
  }
}

TEST_F(RunMain, WhatTheHostTimesIsNoGpuTime) {
  Scenario scenario;
  scenario.variants = {"by_host"};
  EXPECT_EQ(run_to_csv(scenario).exit_code, 0);
  ASSERT_EQ(rows().size(), 4U);
  for (const Row& row : rows()) {
    for (const char* column : {"device_ns", "device_ns_lo", "device_ns_min", "device_ns_p95", "stamps_ns", "fixed_ns"}) {
      EXPECT_EQ(row.at(column), "") << column;
    }
    const double host_ns = std::stod(row.at("host_ns"));
    EXPECT_NEAR(host_ns, 2000, 1);
    EXPECT_LE(std::stod(row.at("host_ns_lo")), host_ns);
    EXPECT_LE(host_ns, std::stod(row.at("host_ns_p95")));
    EXPECT_NEAR(std::stod(row.at("gbps")), 32768 / host_ns, 0.1);
    EXPECT_EQ(row.at("submit_ns"), "300");
    EXPECT_EQ(row.at("stop").find("host"), std::string::npos);
  }
  ASSERT_FALSE(samples().empty());
  for (const Row& sample : samples()) {
    EXPECT_EQ(sample.at("device_ns"), "");
    EXPECT_FALSE(sample.at("roundtrip_ns").empty());
  }
}

TEST_F(RunMain, ColdCasesOfDramSizeNameTheirPartOfThePeak) {
  Scenario scenario;
  scenario.variants = {"large"};  // 8 MiB of footprint, the L2 has 1 MiB
  scenario.cuda_behaviour.launch_ns = scenario.vulkan_behaviour.launch_ns = 20000;
  EXPECT_EQ(run_to_csv(scenario).exit_code, 0);
  ASSERT_EQ(rows().size(), 4U);
  for (const Row& row : rows()) {
    EXPECT_EQ(row.at("cache"), "cold");
    EXPECT_EQ(row.at("batch"), "1");
    EXPECT_NEAR(std::stod(row.at("peak_pct")), std::stod(row.at("gbps")) / 1000 * 100, 0.01);
  }
}

TEST_F(RunMain, AWrongResultFailsWithNoTime) {
  Scenario scenario;
  scenario.variants = {"twice", "wrong"};
  const Outcome outcome = run_to_csv(scenario);
  EXPECT_EQ(outcome.exit_code, 1);
  ASSERT_EQ(rows().size(), 8U);
  for (const Row& row : rows()) {
    SCOPED_TRACE(key(row));
    const bool wrong = row.at("variant") == "wrong";
    EXPECT_EQ(row.at("status"), wrong ? "failed" : "ok");
    EXPECT_EQ(row.at("device_ns").empty(), wrong);
    if (!wrong) continue;
    EXPECT_THAT(row.at("reason"), HasSubstr("1 of 4096 elements differ; [2048] found"));
    for (const char* column : {"batch", "samples", "device_ns_lo", "device_ns_min", "gbps", "roundtrip_ns", "stop", "order"}) {
      EXPECT_EQ(row.at(column), "") << column;
    }
  }
  for (const Row& sample : samples()) EXPECT_EQ(sample.at("variant"), "twice");
  EXPECT_THAT(outcome.err, testing::AllOf(HasSubstr("4 rows ok, 4 failed"), HasSubstr("[2048] found")));
}

TEST_F(RunMain, ASkippedCaseIsARowWithItsReason) {
  Scenario scenario;
  scenario.variants = {"twice", "lacking"};
  EXPECT_EQ(run_to_csv(scenario).exit_code, 0);
  ASSERT_EQ(rows().size(), 8U);
  for (const Row& row : rows()) {
    const bool lacking = row.at("variant") == "lacking";
    EXPECT_EQ(row.at("status"), lacking ? "skipped" : "ok");
    EXPECT_EQ(row.at("reason"), lacking ? "wanted a feature, found none" : "");
    EXPECT_EQ(row.at("device_ns").empty(), lacking);
  }
}

TEST_F(RunMain, AllSkippedIs77) {
  Scenario scenario;
  scenario.variants = {"lacking"};
  EXPECT_EQ(run_to_csv(scenario).exit_code, 77);
  EXPECT_EQ(rows().size(), 4U);
}

TEST_F(RunMain, NoDeviceAtAllIs77) {
  Scenario scenario;
  scenario.cuda.clear();
  scenario.vulkan.clear();
  scenario.cuda_reason = "no NVIDIA driver";
  const Outcome outcome = run_to_csv(scenario);
  EXPECT_EQ(outcome.exit_code, 77);
  EXPECT_THAT(outcome.err, testing::AllOf(HasSubstr("no NVIDIA driver"), HasSubstr("no Vulkan here")));
}

TEST_F(RunMain, AMissingApiIsSkippedWithItsReason) {
  Scenario scenario;
  scenario.cuda.clear();
  scenario.cuda_reason = "no NVIDIA driver";
  EXPECT_EQ(run_to_csv(scenario).exit_code, 0);
  ASSERT_EQ(rows().size(), 8U);
  for (const Row& row : rows()) {
    const bool cuda = row.at("api") == "cuda";
    EXPECT_EQ(row.at("status"), cuda ? "skipped" : "ok");
    EXPECT_EQ(row.at("reason"), cuda ? "no NVIDIA driver" : "");
    EXPECT_EQ(row.at("order"), cuda ? "" : "A") << "there is no partner to interleave with";
  }
}

TEST_F(RunMain, ARowNamesTheDeviceThatItsOwnApiRanOn) {
  Scenario scenario;
  scenario.cuda[0].driver = "580";
  scenario.vulkan[1].driver = "580.1";
  scenario.vulkan[1].name = "NVIDIA H200 (Vulkan)";
  EXPECT_EQ(run_to_csv(scenario).exit_code, 0);
  for (const Row& row : rows()) {
    const bool cuda = row.at("api") == "cuda";
    EXPECT_EQ(row.at("gpu"), cuda ? "NVIDIA H200" : "NVIDIA H200 (Vulkan)");
    EXPECT_EQ(row.at("driver"), cuda ? "580" : "580.1");
  }
}

TEST_F(RunMain, TwoDifferentDevicesAreNoPair) {
  Scenario scenario;
  scenario.vulkan = {fake_lavapipe(0)};
  scenario.vulkan[0].driver = "Mesa 22.3";
  const Outcome outcome = run_to_csv(scenario);
  EXPECT_EQ(outcome.exit_code, 0);
  ASSERT_EQ(rows().size(), 8U);
  for (const Row& row : rows()) {
    SCOPED_TRACE(key(row));
    const bool cuda = row.at("api") == "cuda";
    EXPECT_EQ(row.at("status"), cuda ? "ok" : "skipped");
    EXPECT_THAT(row.at("reason"), testing::AllOf(HasSubstr(cuda ? "" : "unpaired: "), HasSubstr(cuda ? "" : "llvmpipe")));
    EXPECT_THAT(row.at("gpu"), HasSubstr(cuda ? "H200" : "llvmpipe"));
    EXPECT_EQ(row.at("device_type"), cuda ? "gpu" : "cpu");
    EXPECT_EQ(row.at("gpu_uuid"), cuda ? "aaaaaaaa-aaaa-aaaa-aaaa-aaaaaaaaaaaa" : "11111111-1111-1111-1111-111111111111");
    EXPECT_EQ(row.at("device_ns").empty(), !cuda);
  }
  EXPECT_THAT(outcome.err, HasSubstr("unpaired"));
}

// The CUDA side of the same case holds buffers while Vulkan's runs out: they must outlive its timing.
TEST_F(RunMain, OutOfMemoryFailsThatSideOnly) {
  Scenario scenario;
  scenario.variants = {"twice", "large", "twice_again"};
  scenario.vulkan_behaviour.memory_bytes = 2 << 20;
  EXPECT_EQ(run_to_csv(scenario).exit_code, 1);
  ASSERT_EQ(rows().size(), 12U);
  for (const Row& row : rows()) {
    SCOPED_TRACE(key(row));
    const bool fails = row.at("variant") == "large" && row.at("api") == "vulkan";
    EXPECT_EQ(row.at("status"), fails ? "failed" : "ok") << row.at("reason");
    EXPECT_THAT(row.at("reason"), HasSubstr(fails ? "no room for 4194304 bytes" : ""));
  }
}

TEST_F(RunMain, AComplaintOfTheDeviceFailsTheRun) {
  Scenario scenario;
  scenario.vulkan_behaviour.complaints = {"VUID-something: wrong"};
  const Outcome outcome = run_to_csv(scenario);
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.err, HasSubstr("VUID-something: wrong"));
}

// A kernel that spoils one element in every fourth launch: a single look, before the samples, passes it.
TEST_F(RunMain, AKernelThatIsRightOnlySometimesFails) {
  Scenario scenario;
  scenario.variants = {"remade"};
  std::uint64_t launches = 0;
  scenario.cuda_behaviour.executes_samples = scenario.vulkan_behaviour.executes_samples = true;
  EXPECT_EQ(run_to_csv(scenario).exit_code, 0);
  for (const Row& row : rows()) EXPECT_GE(std::stoul(row.at("remade")), 1U) << key(row);
  const auto at_times = [&launches](const Launch& launch) {
    execute(launch);
    if (launch.kernel != nullptr && ++launches % 4 == 0) words_of<std::uint32_t>(*launch.buffers[1])[7] = kPoison;
  };
  scenario.vulkan_behaviour.execute = at_times;
  scenario.vulkan_behaviour.sampled = [sampled = 0]() mutable {  // sampling takes 0.4 s, making outputs anew 2 % of it
    if (++sampled < 200) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  };
  const Outcome outcome = run(scenario, {"--budget", "1", "--csv", csv_});
  EXPECT_EQ(outcome.exit_code, 1);
  for (const Row& row : rows()) {
    const bool fails = row.at("api") == "vulkan";
    EXPECT_EQ(row.at("status"), fails ? "failed" : "ok") << key(row);
    EXPECT_THAT(row.at("reason"), HasSubstr(fails ? "after the samples a launch made 4160 words whose checksum is" : ""));
    EXPECT_EQ(row.at("device_ns").empty(), fails);
  }
}

TEST_F(RunMain, ARowNamesTheCompilerOfItsOwnKernel) {
  Scenario scenario;
  scenario.variants = {"twice", "newer"};
  EXPECT_EQ(run_to_csv(scenario).exit_code, 0);
  for (const Row& row : rows()) {
    const bool newer = row.at("variant") == "newer" && row.at("api") == "vulkan";
    EXPECT_EQ(row.at("toolkit"), newer                     ? kNewerCompiler
                                 : row.at("api") == "cuda" ? cuda_toolkit()
                                                           : glsl_toolkit())
        << key(row);
  }
}

// `nothing` is what a case says, not what it forgot to say: a smoke run, which tests the experiments, tells them apart.
TEST_F(RunMain, ASmokeRunFailsCasesThatSayNothingOfWhatTheyCompared) {
  Scenario scenario;
  scenario.variants = {"twice", "silent", "leaves_nothing"};
  EXPECT_EQ(run(scenario, {"--smoke", "--csv", csv_}).exit_code, 1);
  for (const Row& row : rows()) {
    const bool fails = row.at("variant") == "silent";
    EXPECT_EQ(row.at("status"), fails ? "failed" : "ok") << key(row);
    EXPECT_THAT(row.at("reason"), HasSubstr(fails ? "this one says neither" : ""));
    const char* wanted = fails ? "" : row.at("variant") == "twice" ? "full" : "nothing";
    EXPECT_EQ(row.at("verified"), wanted);
  }
  std::filesystem::remove(csv_);
  EXPECT_EQ(run(scenario, {"--budget", "0.01", "--csv", csv_}).exit_code, 0) << "a measured row is not lost over it";
}

// ---- The machine code

TEST_F(RunMain, DumpsTheCodeOfEveryKernelAndTimesNothing) {
  const Outcome outcome = run({}, {"--dump-isa", folder_.file("isa")});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(read_file(folder_.file("isa/exp99_fake/twice.cuda.bin")), "twice.");
  EXPECT_EQ(read_file(folder_.file("isa/exp99_fake/twice.vulkan.bin")), "twice.");
  const auto index = nlohmann::json::parse(read_file(folder_.file("isa/exp99_fake/index.json")));
  EXPECT_EQ(index["gpu"], "NVIDIA H200");
  ASSERT_EQ(index["kernels"].size(), 2U);
  EXPECT_EQ(index["kernels"][0]["api"], "cuda");
  EXPECT_EQ(index["kernels"][1]["api"], "vulkan");
  EXPECT_EQ(index["kernels"][1]["arch"], "sm_90") << "as CUDA names it for the same GPU";
  EXPECT_THAT(outcome.err, HasSubstr("the code of 2 kernels"));
  EXPECT_EQ(outcome.out, "") << "no benchmark ran";
}

TEST_F(RunMain, DumpsWhatDoesNotLoadWithItsReason) {
  Scenario scenario;
  scenario.variants = {"twice", "wrong"};
  scenario.vulkan_behaviour.refused_entry = "twice";
  const Outcome outcome = run(scenario, {"--dump-isa", folder_.file("isa")});
  EXPECT_EQ(outcome.exit_code, 1) << "a kernel that computes wrongly fails here too";
  EXPECT_THAT(outcome.err, testing::AllOf(HasSubstr("[2048] found"), HasSubstr("twice (vulkan): no twin here")));
  const auto index = nlohmann::json::parse(read_file(folder_.file("isa/exp99_fake/index.json")));
  EXPECT_TRUE(std::any_of(index["kernels"].begin(), index["kernels"].end(),
                          [](const auto& kernel) { return kernel["reason"] == "no twin here"; }));
  EXPECT_FALSE(std::filesystem::exists(folder_.file("isa/exp99_fake/twice.vulkan.bin")));
  EXPECT_EQ(read_file(folder_.file("isa/exp99_fake/wrong.vulkan.bin")), "wrong.") << "its code is what one wants to see";
}

TEST_F(RunMain, TheDumpAsksForEveryFeatureThatARunAsksFor) {
  for (const VulkanChoice& choice :
       {VulkanChoice{.sparse_binding = true}, VulkanChoice{.companion = true}, VulkanChoice{.pipeline_robustness = true},
        VulkanChoice{.compute_queues = 2}, VulkanChoice{.transfer_queue = true}, VulkanChoice{.graphics_queue = true},
        VulkanChoice{.timeline = true}, VulkanChoice{.compute_queues = 2, .ranked_queues = true},
        VulkanChoice{.matrix_units = true}, VulkanChoice{.atomics = true}}) {
    Scenario scenario;
    scenario.variants = {"chosen"};
    scenario.choice = choice;
    scenario.vulkan_behaviour.refused_with = [choice](const VulkanChoice& opened) { return opened == choice ? "" : "twice"; };
    TempDir folder;
    const Outcome outcome = run(scenario, {"--dump-isa", folder.file("isa")});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ(read_file(folder.file("isa/exp99_fake/twice.vulkan.bin")), "twice.") << outcome.err;
  }
}

TEST_F(RunMain, AMissingApiHasNoEntriesInTheDump) {
  Scenario scenario;
  scenario.cuda.clear();
  EXPECT_EQ(run(scenario, {"--dump-isa", folder_.file("isa"), "--variant", "twice"}).exit_code, 0);
  EXPECT_THAT(read_file(folder_.file("isa/exp99_fake/index.json")), Not(HasSubstr(R"("cuda")")));
}

// ---- The command line

TEST_F(RunMain, UsageErrorsAre2AndWriteNothing) {
  struct Wrong {
    std::vector<std::string> arguments;
    std::vector<std::string> said;
  };
  for (const Wrong& wrong :
       {Wrong{{"--speed"}, {"--speed"}}, Wrong{{"--device", "gtx"}, {"--device gtx", "NVIDIA H200", "llvmpipe"}},
        Wrong{{"--variant", "thrice"}, {"thrice", "twice twice_again"}},
        Wrong{{"--dump-isa", folder_.file("isa")}, {"--dump-isa times nothing"}},
        Wrong{{"--benchmark_speed=11"}, {"--benchmark_speed=11"}}, Wrong{{"--benchmark_filter=thrice"}, {"thrice"}},
        Wrong{{"--benchmark_filter=("}, {"("}}, Wrong{{"--variant", "twice,thrice"}, {"--variant thrice matches nothing"}},
        Wrong{{"--variant", "twice,th*"}, {"--variant th* matches nothing"}}, Wrong{{"--seed", "2^64"}, {"--seed 2^64"}},
        Wrong{{"--benchmark_filter", std::string(100'000, '(')}, {"--benchmark_filter", "4096 at most"}},
        Wrong{{"--benchmark_repetitions=3"}, {"--benchmark_repetitions=3: expected 1"}},
        Wrong{{"--benchmark_repetitions=0"}, {"--benchmark_repetitions=0"}},
        Wrong{{"--benchmark_repetitions=-1"}, {"--benchmark_repetitions=-1"}},
        Wrong{{"--benchmark_format=xml"}, {"--benchmark_format=xml"}},
        Wrong{{"--benchmark_out", "/nonexistent/x"}, {"--benchmark_out=/nonexistent/x: No such file"}},
        Wrong{{"--benchmark_out", folder_.file("")}, {"Is a directory"}}}) {
    std::ofstream(csv_) << "precious";
    const Outcome outcome = run_to_csv({}, wrong.arguments);
    EXPECT_EQ(outcome.exit_code, 2) << wrong.arguments.front();
    for (const std::string& text : wrong.said) EXPECT_THAT(outcome.err, HasSubstr(text));
    EXPECT_EQ(read_file(csv_), "precious") << wrong.arguments.front();
    EXPECT_FALSE(std::filesystem::exists(folder_.file("results.samples.csv")));
  }
}

TEST_F(RunMain, OutputsOfOneNameAreAUsageError) {
  const std::string samples = folder_.file("results.samples.csv");
  std::filesystem::create_symlink(csv_, folder_.file("link.csv"));
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{"--benchmark_out", csv_},
                                                    {"--benchmark_out", folder_.file("link.csv")},
                                                    {"--benchmark_out", folder_.file("./results.csv")},
                                                    {"--benchmark_out", samples},
                                                    {"--checksums", csv_},
                                                    {"--checksums", samples},
                                                    {"--checksums", folder_.file("results.schema.json")},
                                                    {"--checksums", "sums", "--benchmark_out", "sums"}}) {
    const Outcome outcome = run_to_csv({}, arguments);
    EXPECT_EQ(outcome.exit_code, 2) << arguments[0] << ' ' << arguments[1];
    EXPECT_THAT(outcome.err, HasSubstr("writes that file"));
    EXPECT_FALSE(std::filesystem::exists(csv_));
  }
}

TEST_F(RunMain, AGpuThatSomebodyElseMeasuresOnIsLeftAlone) {
  const std::string file = own_locks().file("cuda_vulkan_bench.aaaaaaaa.lock");
  const int other = open(file.c_str(), O_RDWR | O_CREAT, 0644);
  ASSERT_EQ(flock(other, LOCK_EX | LOCK_NB), 0);
  const Outcome refused = run({}, {"--csv", csv_});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.err, HasSubstr("another program measures on NVIDIA H200"));
  EXPECT_FALSE(std::filesystem::exists(csv_));
  Scenario software;
  software.cuda.clear();
  software.vulkan = {fake_lavapipe(0)};
  EXPECT_EQ(run(software, {"--api", "vulkan", "--csv", csv_}).exit_code, 0) << "nobody reads its times";
  std::filesystem::remove(csv_);
  setenv("BENCH_GPU_LOCK", "aaaaaaaa", 1);
  EXPECT_EQ(run({}, {"--csv", csv_}).exit_code, 0) << "run.sh holds it for its programs";
  unsetenv("BENCH_GPU_LOCK");
  std::filesystem::remove(csv_);
  close(other);
  EXPECT_EQ(run({}, {"--csv", csv_}).exit_code, 0);
}

// A library in the place of NVML: see hot_nvml.cpp.
TEST_F(RunMain, AGpuThatAnotherProcessKeepsBusyIsLeftAlone) {
  void* library = dlopen(BENCH_HOT_NVML, RTLD_NOW);
  ASSERT_NE(library, nullptr) << dlerror();
  setenv("BENCH_TEST_COMPANY", "93", 1);
  const Outcome refused = run({}, {"--csv", csv_});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.err, HasSubstr("NVIDIA H200 is kept busy by another process (4711)"));
  EXPECT_FALSE(std::filesystem::exists(csv_));
  setenv("BENCH_TEST_COMPANY", "1", 1);
  EXPECT_THAT(run({}, {"--csv", csv_}).err, testing::Not(HasSubstr("is kept busy"))) << "it is there and does nothing";
  unsetenv("BENCH_TEST_COMPANY");
  dlclose(library);
}

TEST_F(RunMain, ACaseDuringWhichAnotherProcessUsedTheGpuFails) {
  for (const std::string guest : {"here", "elsewhere"}) {
    void* library = dlopen(BENCH_HOT_NVML, RTLD_NOW);
    ASSERT_NE(library, nullptr) << dlerror();
    setenv("BENCH_TEST_GUEST", guest.c_str(), 1);
    const Outcome outcome = run({}, {"--quick", "--csv", csv_});
    unsetenv("BENCH_TEST_GUEST");
    dlclose(library);
    const bool is_told = guest == "here";  // elsewhere NVML's two lists have no process in common: it may be this one
    EXPECT_EQ(outcome.exit_code, is_told ? 1 : 0) << outcome.err;
    const std::vector<Row> all = rows();
    ASSERT_GE(all.size(), 6U);
    for (std::size_t i = 0; i < all.size(); ++i) {
      const bool disturbed = is_told && i / 2 == 1;  // the second case's rows
      EXPECT_EQ(all[i].at("status"), disturbed ? "failed" : "ok") << key(all[i]);
      EXPECT_EQ(all[i].at("device_ns").empty(), disturbed);
      EXPECT_EQ(all[i].at("reason"),
                disturbed ? "another process (4711) used the GPU meanwhile: --resume measures the case again" : "");
    }
    std::filesystem::remove(csv_);
  }
}

TEST_F(RunMain, WhatWasMeasuredIsNotReplacedUnasked) {
  EXPECT_EQ(run({}, {"--quick", "--csv", csv_}).exit_code, 0);
  const std::string measured = read_file(csv_);
  const std::string sampled = read_file(folder_.file("results.samples.csv"));
  for (const std::vector<std::string>& more : {std::vector<std::string>{}, {"--smoke"}, {"--quick"}}) {
    std::vector<std::string> arguments = {"--csv", csv_};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome refused = run({}, arguments);
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_THAT(refused.err, testing::AllOf(HasSubstr(csv_ + ": the file has"), HasSubstr("--resume"), HasSubstr("--replace")));
    EXPECT_EQ(read_file(csv_), measured);
    EXPECT_EQ(read_file(folder_.file("results.samples.csv")), sampled);
  }
  EXPECT_EQ(run({}, {"--smoke", "--replace", "--csv", csv_}).exit_code, 0);
  EXPECT_NE(read_file(csv_), measured);
  EXPECT_EQ(run({}, {"--quick", "--csv", csv_}).exit_code, 0) << "a smoke run's rows are no figures worth keeping";
  for (const std::string notes : {"what I found, \"yesterday\"\n", "an open \"quote\n", "name,run\nmine,1\n"}) {
    std::ofstream(csv_) << notes;
    EXPECT_EQ(run({}, {"--smoke", "--csv", csv_}).exit_code, 2);
    EXPECT_EQ(read_file(csv_), notes);
  }
}

TEST_F(RunMain, ALayerThatNobodyAskedForIsRefusedBeforeAnyTime) {
  Scenario scenario;
  for (DeviceInfo& device : scenario.vulkan) device.layers = {"VK_LAYER_MANGOHUD_overlay", "VK_LAYER_RENDERDOC_Capture"};
  const Outcome outcome = run(scenario, {"--csv", csv_});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_THAT(outcome.err,
              testing::AllOf(HasSubstr("the layers VK_LAYER_MANGOHUD_overlay, VK_LAYER_RENDERDOC_Capture are active"),
                             HasSubstr("VK_LOADER_LAYERS_DISABLE=~all~")));
  EXPECT_FALSE(std::filesystem::exists(csv_));
  EXPECT_EQ(run(scenario, {"--api", "cuda", "--csv", csv_}).exit_code, 0) << "CUDA has none";
}

TEST_F(RunMain, ListsAndStops) {
  const Outcome devices = run({}, {"--list-devices", "--csv", csv_});
  EXPECT_EQ(devices.exit_code, 0);
  EXPECT_THAT(devices.out, testing::AllOf(HasSubstr("NVIDIA H200"), HasSubstr("llvmpipe")));
  const Outcome variants = run({}, {"--list-variants"});
  EXPECT_EQ(variants.exit_code, 0);
  EXPECT_THAT(variants.out, testing::AllOf(HasSubstr("twice_again"), HasSubstr("what twice does")));
  EXPECT_EQ(run({}, {"--print-slug"}).out, "nvidia-h200\n");
  EXPECT_THAT(run({}, {"--print-board"}).out, testing::MatchesRegex("[0-9a-f]{8}\n"));
  Scenario pair;
  pair.gpus = 2;
  EXPECT_EQ(run(pair, {"--print-slug"}).out, "nvidia-h200\n") << "there is one GPU";
  pair.cuda.push_back(fake_gpu(cuda::kApi, 1, "NVIDIA H200", 0xbb));
  EXPECT_EQ(run(pair, {"--device", "0", "--print-slug"}).out, "nvidia-h200-x2\n");
  EXPECT_EQ(run({}, {"--api", "vulkan", "--device", "llvmpipe", "--print-slug"}).out, "software-llvmpipe\n");
  Scenario twins;  // of one name, and two models
  twins.cuda.clear();
  twins.vulkan = {fake_gpu(vulkan::kApi, 0, "Intel(R) UHD Graphics", 0xcc),
                  fake_gpu(vulkan::kApi, 1, "Intel(R) UHD Graphics", 0xdd)};
  for (DeviceInfo& gpu : twins.vulkan) gpu.vendor_id = 0x8086;
  twins.vulkan[0].device_id = 0x9bc4;
  twins.vulkan[1].device_id = 0x46a6;
  EXPECT_EQ(run(twins, {"--device", "0", "--print-slug"}).out, "intel-uhd-graphics-8086-9bc4\n");
  EXPECT_EQ(run(twins, {"--device", "1", "--print-slug"}).out, "intel-uhd-graphics-8086-46a6\n");
  twins.vulkan[1].device_id = 0x9bc4;
  EXPECT_EQ(run(twins, {"--device", "1", "--print-slug"}).out, "intel-uhd-graphics\n") << "of one model";
  const Outcome tests = run({}, {"--benchmark_list_tests", "--csv", csv_});
  EXPECT_EQ(tests.exit_code, 0);
  EXPECT_THAT(tests.out, HasSubstr("exp99/twice_again/block:256/n:4096/warm/vulkan"));
  EXPECT_FALSE(std::filesystem::exists(csv_));
  EXPECT_EQ(run({}, {"--benchmark_list_tests", "--benchmark_filter=twice_again", "--csv", csv_}).exit_code, 0);
  EXPECT_FALSE(std::filesystem::exists(csv_));
}

TEST_F(RunMain, ChoosesVariantsApisAndDevices) {
  EXPECT_EQ(run_to_csv({}, {"--variant", "twice_*"}).exit_code, 0);
  for (const Row& row : rows()) EXPECT_EQ(row.at("variant"), "twice_again");
  EXPECT_EQ(rows().size(), 4U);

  EXPECT_EQ(run_to_csv({}, {"--api", "vulkan", "--device", "llvmpipe"}).exit_code, 0);
  ASSERT_EQ(rows().size(), 8U);
  for (const Row& row : rows()) {
    EXPECT_EQ(row.at("status"), row.at("api") == "vulkan" ? "ok" : "skipped");
    EXPECT_EQ(row.at("reason"), row.at("api") == "vulkan" ? "" : "--api left cuda out");
    EXPECT_THAT(row.at("gpu"), HasSubstr("llvmpipe"));
  }
}

// The filter sees the names that --benchmark_list_tests prints, and the rows follow it.
TEST_F(RunMain, BenchmarkFilterChoosesRows) {
  EXPECT_EQ(run_to_csv({}, {"--benchmark_filter=twice/.*/cuda"}).exit_code, 0);
  EXPECT_THAT(keys(rows()), testing::ElementsAre("twice cuda 128", "twice cuda 256"));
  EXPECT_EQ(run_to_csv({}, {"--benchmark_filter=-/cuda"}).exit_code, 0);
  EXPECT_EQ(rows().size(), 4U);
  const std::string listed = run({}, {"--benchmark_list_tests"}).out;
  const std::string name = listed.substr(0, listed.find('\n'));
  EXPECT_EQ(run_to_csv({}, {"--benchmark_filter=^" + name + "$"}).exit_code, 0) << name;
  EXPECT_THAT(keys(rows()), testing::ElementsAre("twice cuda 128"));
  EXPECT_EQ(run_to_csv({}, {"--benchmark_filter", "twice/.*128.*/cuda"}).exit_code, 0);
  EXPECT_THAT(keys(rows()), testing::ElementsAre("twice cuda 128"));
}

TEST_F(RunMain, BenchmarkOutIsWrittenWholeOrTheRunFails) {
  const std::string out = folder_.file("out.file");
  EXPECT_EQ(run({}, {"--smoke", "--benchmark_out", out}).exit_code, 0);
  EXPECT_THAT(read_file(out), testing::AllOf(HasSubstr("\"experiment\": \"exp99_fake\""), testing::EndsWith("}\n")));
  EXPECT_EQ(run({}, {"--smoke", "--benchmark_out", out, "--benchmark_out_format", "csv"}).exit_code, 0);
  EXPECT_THAT(read_file(out), HasSubstr("name,iterations,real_time"));
  EXPECT_EQ(run({}, {"--smoke", "--benchmark_out", out, "--benchmark_out_format=console"}).exit_code, 0);
  EXPECT_THAT(read_file(out), testing::AllOf(HasSubstr("exp99/twice/"), Not(HasSubstr("\x1b"))));
  EXPECT_EQ(run({}, {"--smoke", "--benchmark_out", out, "--benchmark_filter=thrice"}).exit_code, 2);
  EXPECT_THAT(read_file(out), HasSubstr("exp99/twice/")) << "a wrong flag leaves the file as it is";

  const Outcome full = run({}, {"--smoke", "--benchmark_out=/dev/full"});
  EXPECT_EQ(full.exit_code, 1);
  EXPECT_THAT(full.err, HasSubstr("--benchmark_out=/dev/full: the file could not be written to its end"));
}

// ---- Interruption

TEST_F(RunMain, ResumeCompletesAnInterruptedRun) {
  EXPECT_EQ(run_to_csv({}).exit_code, 0);
  const std::vector<std::string> whole = keys(rows());

  Scenario interrupted;
  interrupted.interrupt_at = 6;  // the Vulkan side of the third case
  const Outcome first = run_to_csv(interrupted);
  EXPECT_EQ(first.exit_code, 130);
  EXPECT_THAT(first.err, HasSubstr("--resume"));
  EXPECT_EQ(keys(rows()), std::vector<std::string>(whole.begin(), whole.begin() + 4))
      << "the case in hand is lost, and nothing else";
  const std::string finished = read_file(csv_);

  const Outcome second = run_to_csv({}, {"--resume"});
  EXPECT_EQ(second.exit_code, 0);
  EXPECT_EQ(keys(rows()), whole);
  EXPECT_TRUE(read_file(csv_).starts_with(finished)) << "finished rows are left as they are";
  EXPECT_EQ(samples().size(), 8U * (6 + 1));

  const Outcome third = run_to_csv({}, {"--resume"});
  EXPECT_EQ(third.exit_code, 0);
  EXPECT_THAT(third.err, testing::AllOf(HasSubstr("nothing is left to do"), Not(HasSubstr("Failed to match"))));
  EXPECT_EQ(keys(rows()), whole);
}

TEST_F(RunMain, ResumeTriesAgainWhatFailedOrWasLeftOut) {
  Scenario short_of_memory;
  short_of_memory.variants = {"twice", "large"};
  short_of_memory.vulkan_behaviour.memory_bytes = 2 << 20;
  EXPECT_EQ(run_to_csv(short_of_memory).exit_code, 1);
  Scenario enough;
  enough.variants = short_of_memory.variants;
  const Outcome outcome = run_to_csv(enough, {"--resume"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, HasSubstr("--resume: 2 failed rows are tried again"));
  EXPECT_EQ(rows().size(), 8U);
  for (const Row& row : rows()) EXPECT_EQ(row.at("status"), "ok") << key(row);

  EXPECT_EQ(run_to_csv({}, {"--api", "vulkan"}).exit_code, 0);
  EXPECT_THAT(run_to_csv({}, {"--resume"}).err, HasSubstr("4 skipped rows are tried again"));
  EXPECT_EQ(rows().size(), 8U);
  for (const Row& row : rows()) EXPECT_EQ(row.at("status"), "ok") << key(row);
}

TEST_F(RunMain, ResumeOfWhatIsAllSkippedIsNoRunThatSkippedEverything) {
  Scenario begun;
  begun.variants = {"twice"};
  EXPECT_EQ(run_to_csv(begun).exit_code, 0);
  Scenario whole;
  whole.variants = {"twice", "lacking"};
  const Outcome outcome = run_to_csv(whole, {"--resume"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
}

TEST_F(RunMain, ResumeDoesNotMixKindsOfRunsOrDrivers) {
  Scenario older;
  older.cuda[0].driver = "580";
  EXPECT_EQ(run_to_csv(older).exit_code, 0);
  const std::string before = read_file(csv_);
  const Outcome quick = run(older, {"--quick", "--resume", "--csv", csv_});
  EXPECT_EQ(quick.exit_code, 2);
  EXPECT_THAT(quick.err, testing::AllOf(HasSubstr("run smoke"), HasSubstr("this run has quick")));
  Scenario newer;
  newer.cuda[0].driver = "999";
  const Outcome driver = run_to_csv(newer, {"--resume"});
  EXPECT_EQ(driver.exit_code, 2);
  EXPECT_THAT(driver.err, testing::AllOf(HasSubstr("driver 580"), HasSubstr("this run has 999"))) << "CUDA's";
  EXPECT_EQ(read_file(csv_), before);
}

TEST_F(RunMain, TheOrderOfTheCasesIsDrawnFromTheSeed) {
  Scenario scenario;
  scenario.variants = {"twice", "twice_again", "asks", "unmodelled"};
  EXPECT_EQ(run_to_csv(scenario).exit_code, 0);
  const std::vector<std::string> listed = keys(rows());
  EXPECT_EQ(rows().front().at("case_order"), "listed");
  EXPECT_EQ(run_to_csv(scenario, {"--shuffle", "--seed", "5"}).exit_code, 0);
  const std::vector<Row> of_5 = rows();
  EXPECT_EQ(of_5.front().at("case_order"), "random");
  EXPECT_EQ(of_5.front().at("seed"), "5");
  EXPECT_EQ(of_5.front().at("input_seed"), "1");
  EXPECT_EQ(run_to_csv(scenario, {"--shuffle", "--seed", "6"}).exit_code, 0);
  EXPECT_NE(keys(of_5), listed);
  EXPECT_NE(keys(rows()), keys(of_5));
  EXPECT_THAT(keys(rows()), testing::UnorderedElementsAreArray(listed));
}

TEST_F(RunMain, AShuffledRunIsResumedInItsOwnOrder) {
  Scenario scenario;
  scenario.variants = {"twice", "twice_again", "asks", "unmodelled"};
  EXPECT_EQ(run_to_csv(scenario, {"--shuffle", "--seed", "5"}).exit_code, 0);
  const std::vector<std::string> whole = keys(rows());
  scenario.interrupt_at = 7;  // sides: in the fourth case
  EXPECT_EQ(run_to_csv(scenario, {"--shuffle", "--seed", "5"}).exit_code, 130);
  EXPECT_LT(rows().size(), whole.size());
  scenario.interrupt_at = 0;
  EXPECT_EQ(run_to_csv(scenario, {"--shuffle", "--seed", "5", "--resume"}).exit_code, 0);
  EXPECT_EQ(keys(rows()), whole);
  const Outcome listed = run_to_csv(scenario, {"--seed", "5", "--resume"});
  EXPECT_EQ(listed.exit_code, 2);
  EXPECT_THAT(listed.err, HasSubstr("case_order random, this run has listed"));
}

TEST_F(RunMain, OnlyTheCasesOfAFileRun) {
  Scenario scenario;
  scenario.variants = {"twice", "twice_again", "asks", "unmodelled"};
  EXPECT_EQ(run_to_csv(scenario).exit_code, 0);
  std::vector<CsvRow> records = parse_csv(read_file(csv_));
  const std::vector<std::string> whole = keys(rows());
  const std::string file = folder_.file("cases.csv");
  const auto list = [&](const std::vector<std::size_t>& chosen) {
    std::string text = csv_record(records[0]);
    for (const std::size_t at : chosen) text += csv_record(records[at]);
    std::ofstream(file) << text;
  };
  // Of the second case CUDA's row is enough: a case runs whole. Rows 1 and 2 are the first case's.
  list({1, 2, 3, 9});
  EXPECT_EQ(run_to_csv(scenario, {"--cases", file, "--replace"}).exit_code, 0);
  EXPECT_EQ(keys(rows()), (std::vector<std::string>{whole[0], whole[1], whole[2], whole[3], whole[8], whole[9]}));

  const std::vector<std::string> shuffled = {"--cases", file, "--shuffle", "--seed", "5"};
  const auto with = [&](const std::string& more) {
    std::vector<std::string> arguments = shuffled;
    arguments.push_back(more);
    return arguments;
  };
  scenario.interrupt_at = 3;  // in the second of three cases
  EXPECT_EQ(run_to_csv(scenario, with("--replace")).exit_code, 130);
  EXPECT_EQ(rows().size(), 2U);
  scenario.interrupt_at = 0;
  const Outcome resumed = run_to_csv(scenario, with("--resume"));
  EXPECT_EQ(resumed.exit_code, 0);
  EXPECT_THAT(resumed.err, testing::AllOf(HasSubstr("3 of "), HasSubstr("those that " + file + " names")));
  EXPECT_EQ(rows().size(), 6U);
  EXPECT_THAT(run_to_csv(scenario, with("--resume")).err, HasSubstr("nothing is left to do"));
}

TEST_F(RunMain, ACaseThatIsNotThereIsOneLine) {
  EXPECT_EQ(run_to_csv({}).exit_code, 0);
  const std::string before = read_file(csv_);
  const std::string file = folder_.file("cases.csv");
  const std::vector<CsvRow> records = parse_csv(before);
  CsvRow none = records[1];
  const auto column = std::find(records[0].begin(), records[0].end(), "elements");
  none[static_cast<std::size_t>(column - records[0].begin())] = "4097";
  const std::string header = csv_record(records[0]);
  const std::pair<std::string, std::string> faults[] = {
      {header + csv_record(records[1]) + csv_record(none), "record 3: exp99_fake has no such case: twice,cuda,"},
      {header, "there is no row in it"},
      {"variant,api\ntwice,cuda\n", "there is no column "},
      {header + "twice,cuda\n", "record 2 is not as long as the header"},
      {"", "there is no row in it, or no such file"}};
  for (const auto& [text, said] : faults) {
    std::ofstream(file) << text;
    const Outcome outcome = run_to_csv({}, {"--cases", file, "--resume"});
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_THAT(outcome.err, HasSubstr(fmt::format("exp99_fake: --cases {}: {}", file, said)));
    EXPECT_EQ(read_file(csv_), before);
  }
}

TEST_F(RunMain, ALaterRunIsVerifiedByTheFirstOnesChecksums) {
  const std::string sums = folder_.file("first/results.checksums");
  const Outcome first = run_to_csv({}, {"--checksums", sums});
  EXPECT_EQ(first.exit_code, 0) << first.err;
  EXPECT_THAT(first.err, HasSubstr("(4 sides by checksum, 4 in full)"));
  for (const Row& row : rows()) EXPECT_EQ(row.at("verified"), row.at("api") == "cuda" ? "full" : "checksum") << key(row);
  const Outcome second = run_to_csv({}, {"--checksums", sums, "--seed", "2", "--shuffle"});
  EXPECT_EQ(second.exit_code, 0) << second.err;
  EXPECT_THAT(second.err, HasSubstr("(8 sides by checksum, 0 in full)"));
  for (const Row& row : rows()) EXPECT_EQ(row.at("verified"), "checksum") << key(row);
  const Outcome other_input = run_to_csv({}, {"--checksums", sums, "--input-seed", "2"});
  EXPECT_THAT(other_input.err, HasSubstr("(4 sides by checksum, 4 in full)"));
}

TEST_F(RunMain, AWrongResultOfALaterRunFails) {
  const std::string sums = folder_.file("results.checksums");
  Scenario scenario;
  scenario.variants = {"twice"};
  EXPECT_EQ(run_to_csv(scenario, {"--checksums", sums}).exit_code, 0);
  scenario.goes_wrong = true;
  EXPECT_EQ(run_to_csv(scenario, {"--checksums", sums}).exit_code, 1);
  for (const Row& row : rows()) {
    EXPECT_EQ(row.at("status"), "failed");
    EXPECT_THAT(row.at("reason"), HasSubstr("wrong output"));
  }
}

TEST_F(RunMain, SaysWhatItsTimeWentInto) {
  const Outcome outcome = run({}, {"--smoke"});
  EXPECT_THAT(outcome.err, testing::ContainsRegex("exp99_fake: [0-9]+ % of its time was sampling, [0-9]+ % set-up, "));
}

TEST_F(RunMain, APathThatIsNotForResultsIsRefusedAndLeftAsItIs) {
  ASSERT_EQ(mkfifo(folder_.file("pipe.csv").c_str(), 0600), 0);
  std::filesystem::create_symlink("/dev/null", folder_.file("null.csv"));
  for (const auto& [path, said] :
       {std::pair{std::string("/dev/null"), "no regular file"}, std::pair{folder_.file("null.csv"), "no regular file"},
        std::pair{folder_.file("pipe.csv"), "no regular file"}, std::pair{folder_.file("run.v1"), "ends in .csv"},
        std::pair{std::string("--resume"), "--csv"}}) {
    for (const bool resumes : {false, true}) {
      std::vector<std::string> arguments = {"--smoke", "--csv", path};
      if (resumes) arguments.emplace_back("--resume");
      const Outcome outcome = run({}, arguments);
      EXPECT_EQ(outcome.exit_code, 2) << path;
      EXPECT_THAT(outcome.err, HasSubstr(said)) << path;
    }
  }
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  EXPECT_TRUE(std::filesystem::is_fifo(folder_.file("pipe.csv")));
  EXPECT_FALSE(std::filesystem::exists(folder_.file("run.v1")));
}

TEST_F(RunMain, ResumeNeverRepeatsARow) {
  EXPECT_EQ(run_to_csv({}, {"--benchmark_filter=twice/.*/cuda"}).exit_code, 0);
  EXPECT_EQ(run_to_csv({}, {"--resume"}).exit_code, 0);
  std::vector<std::string> found = keys(rows());
  EXPECT_EQ(found.size(), 8U);
  std::sort(found.begin(), found.end());
  EXPECT_EQ(std::adjacent_find(found.begin(), found.end()), found.end());
}

TEST_F(RunMain, ResumeRefusesAnotherSeedOrGpu) {
  EXPECT_EQ(run_to_csv({}).exit_code, 0);
  const std::string before = read_file(csv_);
  const Outcome seed = run_to_csv({}, {"--resume", "--seed", "2"});
  EXPECT_EQ(seed.exit_code, 2);
  EXPECT_THAT(seed.err, testing::AllOf(HasSubstr("seed 1"), HasSubstr("this run has 2")));
  Scenario other;
  other.cuda = {fake_gpu(cuda::kApi, 0, "NVIDIA A100", 0xbb)};
  other.vulkan = {fake_gpu(vulkan::kApi, 0, "NVIDIA A100", 0xbb)};
  const Outcome gpu = run_to_csv(other, {"--resume"});
  EXPECT_EQ(gpu.exit_code, 2);
  EXPECT_THAT(gpu.err, testing::AllOf(HasSubstr("aaaaaaaa-aaaa"), HasSubstr("bbbbbbbb-bbbb")));
  EXPECT_EQ(read_file(csv_), before);
}

}  // namespace
}  // namespace bench
