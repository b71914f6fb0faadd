// own_kernel as a user starts it: two shaders alone, from the TOML file to the end on the console and the files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <string>

#include "core/base/child.h"
#include "core/base/csv.h"
#include "temp_dir.h"

namespace bench::own {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Matcher;
using testing::Not;

class OwnKernel : public testing::Test {
 protected:
  static ChildEnd run(const std::string& example, std::vector<std::string> more) {
    std::vector<std::string> command = {BENCH_OWN_KERNEL, std::string(BENCH_OWN_EXAMPLES) + "/" + example};
    command.insert(command.end(), more.begin(), more.end());
    return run_child(command, 300);
  }
  std::string path(const std::string& name) const { return folder_.file(name); }
  static std::string read(const std::string& name) {
    std::ifstream in(name);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  TempDir folder_;
};

TEST_F(OwnKernel, TwoShadersFromTheFileToTheEnd) {
  const ChildEnd end =
      run("two_glsl_versions/scale_shaders.toml", {"--processes", "2", "--budget", "0.05", "--csv", path("rows.csv"), "--json",
                                                   path("result.json"), "--dump-isa", path("isa")});
  if (end.exit_code == 77) GTEST_SKIP() << end.output;
  EXPECT_EQ(end.exit_code, 0) << end.output;
  EXPECT_LE(std::count(end.output.begin(), end.output.end(), '\n'), 15) << end.output;
  EXPECT_THAT(end.output, HasSubstr("n = 65536, warm: one float "));

  const auto result = nlohmann::json::parse(read(path("result.json")));
  EXPECT_EQ(result["name"], "scale_shaders");
  EXPECT_EQ(result["sides"][1]["side"], "four floats");
  const bool is_software = result["software"];
  EXPECT_EQ(result["cases"][0].contains("ratio"), !is_software) << "a software device decides nothing";
  if (!is_software) {
    EXPECT_EQ(result["cases"][0]["ratio"]["processes"].size(), 2U);
  }
  EXPECT_THAT(end.output, is_software ? AllOf(HasSubstr("whose times say nothing about GPUs"), Not(HasSubstr("ratio")),
                                              Not(HasSubstr("slower")))
                                      : Matcher<const std::string&>(HasSubstr("(ratio ")));
  EXPECT_EQ(result["cases"][0]["sides"][0]["processes"].size(), 2U);
  EXPECT_TRUE(result["faults"].empty());

  const std::vector<CsvRow> rows = parse_csv(read(path("rows.csv")));
  ASSERT_GT(rows.size(), 1U);
  const auto column = [&](const char* name) { return std::ranges::find(rows[0], name) - rows[0].begin(); };
  std::set<std::string> processes;
  std::size_t ok = 0;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    processes.insert(rows[i][static_cast<std::size_t>(column("process"))]);
    ok += rows[i][static_cast<std::size_t>(column("status"))] == "ok" ? 1 : 0;
  }
  EXPECT_EQ(processes, (std::set<std::string>{"1", "2"}));
  EXPECT_GE(ok, 8U) << "two sides, two sizes, two processes";
  EXPECT_GT(parse_csv(read(path("rows.samples.csv"))).size(), 2U * 2 * 2 * 6) << "six samples each, at least";
  EXPECT_TRUE(nlohmann::json::parse(read(path("rows.schema.json"))).contains("columns"));
  EXPECT_TRUE(std::filesystem::exists(path("isa"))) << end.output;
}

// Where there is no CUDA, the shader is run alone.
TEST_F(OwnKernel, EveryExampleRunsOnOneApi) {
  for (const char* example : {"reduction/reduction.toml", "spv_entry/negate.toml"}) {
    const ChildEnd end = run(example, {"--processes", "1", "--budget", "0.02"});
    if (end.exit_code == 77) GTEST_SKIP() << end.output;
    EXPECT_EQ(end.exit_code, 0) << end.output;
    EXPECT_LE(std::count(end.output.begin(), end.output.end(), '\n'), 15) << end.output;
  }
}

TEST_F(OwnKernel, ACheckNeedsNoDevice) {
  const ChildEnd end = run("two_glsl_versions/scale_shaders.toml", {"--check"});
  EXPECT_EQ(end.exit_code, 0) << end.output;
}

TEST_F(OwnKernel, AChipThatIsNotHereIsListed) {
  for (const char* wave : {"32", "64"}) {
    const ChildEnd end =
        run("two_glsl_versions/scale_shaders.toml", {"--chip", "gfx1100", "--wave", wave, "--dump-isa", path("chip")});
    if (end.exit_code == 1 && end.output.find("scripts/setup.sh --mesa") != std::string::npos) GTEST_SKIP() << end.output;
    EXPECT_EQ(end.exit_code, 0) << end.output;
    EXPECT_THAT(end.output, AllOf(HasSubstr("2 of 2 kernels listed"), HasSubstr(std::string("subgroups of ") + wave)));
    EXPECT_THAT(end.output, AllOf(HasSubstr("vgprs "), HasSubstr("s_endpgm")));
  }
}

TEST_F(OwnKernel, AFirstFileIsReadBack) {
  const std::string kernel = std::string(BENCH_OWN_EXAMPLES) + "/two_glsl_versions/scale.comp";
  const ChildEnd made = run_child({BENCH_OWN_KERNEL, "--init", kernel, kernel}, 60);
  ASSERT_EQ(made.exit_code, 0) << made.output;
  // Its paths start where the program was started.
  const std::filesystem::path first = std::filesystem::current_path() / "own_kernel_program_test.toml";
  std::ofstream(first) << made.output;
  const ChildEnd end = run_child({BENCH_OWN_KERNEL, first.string(), "--check"}, 60);
  std::filesystem::remove(first);
  EXPECT_EQ(end.exit_code, 0) << end.output << made.output;
}

// What was to be said is lost otherwise, and the exit code tells of no fault.
TEST_F(OwnKernel, AStandardOutputThatIsFullIsAFault) {
  const std::string toml = std::string(BENCH_OWN_EXAMPLES) + "/two_glsl_versions/scale_shaders.toml";
  const ChildEnd end = run_child({"/bin/sh", "-c", std::string(BENCH_OWN_KERNEL) + " " + toml + " --check > /dev/full"}, 60);
  EXPECT_EQ(end.exit_code, 1);
  EXPECT_THAT(end.output, HasSubstr("standard output cannot be written"));
}

TEST_F(OwnKernel, WithoutCountersARunThatWasToCountSaysSo) {
  const ChildEnd end = run("spv_entry/negate.toml", {"--processes", "1", "--budget", "0.02", "--count", path("counts.csv")});
  if (end.exit_code == 77) GTEST_SKIP() << end.output;
  if (std::filesystem::exists(path("counts.csv"))) GTEST_SKIP() << "this GPU counts";
  EXPECT_THAT(end.output, HasSubstr("--count: nothing is counted: "));
  EXPECT_EQ(run("spv_entry/negate.toml", {"--count", path("gone/counts.csv")}).exit_code, 2);
}

TEST_F(OwnKernel, WhatIsReadIsNotWrittenOver) {
  std::filesystem::copy(std::string(BENCH_OWN_EXAMPLES) + "/two_glsl_versions", folder_.path());
  const std::string toml = path("scale_shaders.toml");
  for (const char* option : {"--csv", "--json", "--count"}) {
    for (const char* file : {"scale_shaders.toml", "scale.comp"}) {
      const std::string before = read(path(file));
      const ChildEnd end = run_child({BENCH_OWN_KERNEL, toml, option, path(file)}, 60);
      EXPECT_EQ(end.exit_code, 2);
      EXPECT_THAT(end.output, HasSubstr("this run reads it"));
      EXPECT_EQ(read(path(file)), before);
    }
  }
  const ChildEnd end = run_child({BENCH_OWN_KERNEL, toml, "--csv", path("same"), "--json", path("same")}, 60);
  EXPECT_EQ(end.exit_code, 2);
  EXPECT_THAT(end.output, HasSubstr("--json names it, too"));
}

TEST_F(OwnKernel, AFolderForTemporaryFilesThatIsNotThereIsNamed) {
  const std::string toml = std::string(BENCH_OWN_EXAMPLES) + "/two_glsl_versions/scale_shaders.toml";
  const ChildEnd end = run_child({"/usr/bin/env", "TMPDIR=/nowhere", BENCH_OWN_KERNEL, toml}, 60);
  EXPECT_EQ(end.exit_code, 1);
  EXPECT_THAT(end.output, HasSubstr("no folder for temporary files: /nowhere: No such file or directory"));
}

TEST_F(OwnKernel, UsageIsTwo) {
  EXPECT_EQ(run_child({BENCH_OWN_KERNEL}, 60).exit_code, 2);
  EXPECT_EQ(run("nowhere.toml", {}).exit_code, 2);
  EXPECT_EQ(run("two_glsl_versions/scale_shaders.toml", {"--budget", "none"}).exit_code, 2);
  EXPECT_EQ(run("two_glsl_versions/scale_shaders.toml", {"--fail-on", "faster"}).exit_code, 2);
  EXPECT_EQ(run("two_glsl_versions/scale_shaders.toml", {"--device", "no such GPU"}).exit_code, 2);
  EXPECT_EQ(run("two_glsl_versions/scale_shaders.toml", {"--wave", "32"}).exit_code, 2);
  EXPECT_EQ(run("two_glsl_versions/scale_shaders.toml", {"--chip", "gfx1100", "--csv", path("rows.csv")}).exit_code, 2);
  EXPECT_EQ(run("two_glsl_versions/scale_shaders.toml", {"--chip", "no such chip"}).exit_code, 2);
}

}  // namespace
}  // namespace bench::own
