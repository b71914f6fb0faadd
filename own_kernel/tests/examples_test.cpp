// Every example, without a GPU: it is read, compiled, and what it gives is what its kernels take.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "compile/check.h"
#include "compile/tools.h"
#include "core/base/process.h"
#include "description/read.h"

namespace bench::own {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

std::vector<fs::path> examples() {
  std::vector<fs::path> all;
  for (const auto& folder : fs::directory_iterator(BENCH_OWN_EXAMPLES)) {
    for (const auto& file : fs::directory_iterator(folder)) {
      if (file.path().extension() == ".toml") all.push_back(file.path());
    }
  }
  std::sort(all.begin(), all.end());
  return all;
}

class Examples : public testing::TestWithParam<fs::path> {};

TEST_P(Examples, GiveWhatTheirKernelsTake) {
  const CheckReport report = check(read_description(GetParam()), {});
  const bool has_cuda = find_nvcc({}).has_value();
  const bool is_all_cuda = report.text.find("agrees") == std::string::npos;
  if (!has_cuda && is_all_cuda && report.exit_code == kAllSkipped) GTEST_SKIP() << "no nvcc on this machine";
  EXPECT_THAT(report.text, HasSubstr("agrees"));
  EXPECT_THAT(report.text, Not(HasSubstr("failed")));
  EXPECT_THAT(report.text, Not(HasSubstr("differs")));
  EXPECT_TRUE(report.exit_code == kOk || (!has_cuda && report.exit_code == kAllSkipped)) << report.text;
}

std::string name_of(const testing::TestParamInfo<fs::path>& info) { return info.param.stem().string(); }
INSTANTIATE_TEST_SUITE_P(All, Examples, testing::ValuesIn(examples()), name_of);

// The page's own example, on the files of examples/saxpy.
TEST(Readme, ItsExampleGivesWhatTheKernelsTake) {
  const fs::path folder = BENCH_OWN_EXAMPLES;
  std::ifstream file(folder.parent_path() / "README.md");
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const std::size_t begin = text.find("```toml\n");
  ASSERT_NE(begin, std::string::npos);
  const std::string toml = text.substr(begin + 8, text.find("```\n", begin + 8) - begin - 8);
  const CheckReport report = check(read_description(std::string_view(toml), folder / "saxpy/readme.toml"), {});
  EXPECT_TRUE(report.exit_code == kOk || (!find_nvcc({}) && report.exit_code == kAllSkipped)) << report.text;
  EXPECT_THAT(report.text, HasSubstr("Vulkan: saxpy.comp, main"));
}

TEST(Examples, AreThere) { EXPECT_GE(examples().size(), 7); }

}  // namespace
}  // namespace bench::own
