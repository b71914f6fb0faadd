// A backend that nothing above the backends knows: exp01_vector_add's own objects, linked with a list of backends that has the
// CPU reference as a third (third_backend/), list, select, verify, time and write its rows like any other's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/base/csv.h"
#include "core/base/process.h"
#include "fake_device.h"

namespace bench {
namespace {

using testing::HasSubstr;
using testing::Not;

using Row = std::map<std::string, std::string>;

class ThirdBackend : public testing::Test {
 protected:
  struct Outcome {
    int exit_code = -1;
    std::string out;
    std::string err;
  };

  Outcome run(const std::string& arguments) const {
    const std::string out = folder_.file("out");
    const std::string err = folder_.file("err");
    const int status = std::system((BENCH_TEST_PROGRAM " " + arguments + " >" + out + " 2>" + err).c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_file(out), read_file(err)};
  }
  Outcome run_to_csv(const std::string& arguments) const { return run("--smoke --csv " + csv_ + " " + arguments); }

  std::vector<Row> rows() const {
    const std::vector<CsvRow> records = parse_csv(read_file(csv_));
    std::vector<Row> rows;
    for (std::size_t i = 1; i < records.size(); ++i) {
      Row& row = rows.emplace_back();
      for (std::size_t c = 0; c < records[i].size(); ++c) row[records[0].at(c)] = records[i][c];
    }
    return rows;
  }

  TempDir folder_;
  std::string csv_ = folder_.file("results.csv");
};

TEST_F(ThirdBackend, IsListedBesideTheOthers) {
  const Outcome outcome = run("--list-devices");
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.out, testing::StartsWith("cuda    vulkan  cpu     uuid"));
  EXPECT_THAT(run("--help").out, HasSubstr("{both,cuda,vulkan,cpu}"));
  EXPECT_EQ(run("--api gpu").exit_code, kUsage);
  EXPECT_THAT(run("--api cpu --smoke --benchmark_list_tests").out,
              testing::AllOf(HasSubstr("exp01/add_f32/block:256/elem_bytes:4/unroll:1/n:1056/warm/cpu"),
                             Not(HasSubstr("copy_api/n:1056/warm/vulkan"))));
}

TEST_F(ThirdBackend, RunsTheWholeTable) {
  const Outcome outcome = run_to_csv("--api cpu");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  std::map<std::string, std::set<std::string>> variants;  // by API
  for (const Row& row : rows()) {
    variants[row.at("api")].insert(row.at("variant"));
    if (row.at("api") != "cpu") {
      EXPECT_EQ(row.at("status") + ": " + row.at("reason"), "skipped: --api left " + row.at("api") + " out");
      continue;
    }
    EXPECT_EQ(row.at("status"), "ok") << row.at("variant") << ": " << row.at("reason");
    EXPECT_EQ(row.at("gpu"), "CPU reference");
    EXPECT_FALSE(row.at("device_ns").empty());
    const bool leaves_nothing = row.at("variant") == "empty" || row.at("variant") == "stamp_pair";
    EXPECT_EQ(row.at("verified"), leaves_nothing ? "nothing" : "full") << row.at("variant");
    const bool has_mode = row.at("variant") == "empty" || row.at("variant") == "chain";
    EXPECT_EQ(has_mode, row.at("mode").starts_with("called")) << row.at("variant");
  }
  EXPECT_EQ(variants.at("cpu").size(), 14U) << "every variant that --describe tells of";
  EXPECT_EQ(variants.at("cuda"), variants.at("cpu"));
  EXPECT_EQ(variants.at("vulkan"), variants.at("cpu"));
}

TEST_F(ThirdBackend, AWrongKernelOfItIsFound) {
  setenv("BENCH_TEST_WRONG", "copy_f32", 1);
  const Outcome outcome = run_to_csv("--api cpu --variant copy_f32,add_f32");
  unsetenv("BENCH_TEST_WRONG");
  EXPECT_EQ(outcome.exit_code, kFailed);
  for (const Row& row : rows()) {
    if (row.at("api") != "cpu") continue;
    EXPECT_EQ(row.at("status"), row.at("variant") == "copy_f32" ? "failed" : "ok") << row.at("reason");
  }
}

// Both are this host's CPU.
TEST_F(ThirdBackend, IsTimedAlternatelyWithLavapipe) {
  if (run("--list-devices").out.find("llvmpipe") == std::string::npos) GTEST_SKIP() << "no lavapipe";
  const Outcome outcome = run_to_csv("--device llvmpipe --variant add_f32,aa_control_a,aa_control_b");
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_THAT(outcome.err, Not(HasSubstr("unpaired")));
  std::map<std::string, std::size_t> timed;
  for (const Row& row : rows()) {
    if (row.at("api") == "cuda" || row.at("checks") == "off") continue;  // which lavapipe cannot have
    EXPECT_EQ(row.at("status"), "ok") << row.at("reason");
    EXPECT_EQ(row.at("order"), "ABBA");
    ++timed[row.at("api")];
  }
  EXPECT_GT(timed["cpu"], 2U);
  EXPECT_EQ(timed["cpu"], timed["vulkan"]);
}

}  // namespace
}  // namespace bench
