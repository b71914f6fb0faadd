#include "core/base/environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ctime>
#include <fstream>
#include <regex>

#include "fake_device.h"

namespace bench {
namespace {

TEST(Environment, SlugIsAFolderName) {
  EXPECT_EQ(slug("NVIDIA H200"), "nvidia-h200");
  EXPECT_NE(slug("AMD Radeon Graphics (RADV REMBRANDT)"), slug("AMD Radeon Graphics (RADV PHOENIX)"));
  EXPECT_EQ(slug("Microsoft Direct3D12 (NVIDIA GeForce RTX 4090)"), "microsoft-direct3d12-nvidia-geforce-rtx-4090");
  EXPECT_EQ(slug("NVIDIA GeForce RTX 4090"), "nvidia-geforce-rtx-4090");
  EXPECT_EQ(slug("AMD Radeon RX 7900 XTX (RADV NAVI31) "), "amd-radeon-rx-7900-xtx-radv-navi31");
  EXPECT_EQ(slug("Intel(R) Arc(TM) A770"), "intel-arc-a770");
  EXPECT_EQ(slug("../../etc"), "etc");
  EXPECT_EQ(slug("(unnamed)"), "unnamed");
  EXPECT_EQ(slug("(R)"), "unknown");
  EXPECT_EQ(slug(""), "unknown");
}

TEST(Environment, TimeIsIso8601Utc) {
  const std::string text = utc_now();
  EXPECT_TRUE(std::regex_match(text, std::regex(R"(20\d\d-[01]\d-[0-3]\dT[0-2]\d:[0-5]\d:[0-6]\dZ)"))) << text;
  std::tm parts{};
  ASSERT_NE(strptime(text.c_str(), "%Y-%m-%dT%H:%M:%SZ", &parts), nullptr);
  EXPECT_NEAR(static_cast<double>(timegm(&parts)), static_cast<double>(std::time(nullptr)), 2);
}

TEST(Environment, AClockThatNoReaderTakesIsRefused) {
  for (const char* year : {"1970", "1999", "2100", "2106"}) {
    std::tm parts{};
    ASSERT_NE(strptime(year, "%Y", &parts), nullptr);
    parts.tm_mday = 1;
    EXPECT_THAT(message_of<Error>([&] { require_clock(timegm(&parts)); }),
                testing::HasSubstr("is in the year " + std::string(year)));
  }
  EXPECT_NO_THROW(require_clock(std::time(nullptr)));
}

TEST(Environment, NamesWhatItWasBuiltFrom) {
  EXPECT_FALSE(git_revision().empty());
  EXPECT_TRUE(glsl_toolkit().starts_with("glslang ")) << glsl_toolkit();
  EXPECT_TRUE(cuda_toolkit().empty() || cuda_toolkit().starts_with("CUDA ")) << cuda_toolkit();
}

TEST(ProgramRevision, TellsTwoProgramsOfATreeThatIsNoCommitApart) {
  const TempDir folder;
  std::ofstream(folder.file("a")) << "kernels and references";
  std::ofstream(folder.file("same")) << "kernels and references";
  std::ofstream(folder.file("b")) << "kernels and another reference";
  for (const char* revision : {"cafe-dirty", "unknown"}) {
    const std::string a = program_revision(revision, folder.file("a"));
    EXPECT_THAT(a, testing::MatchesRegex(std::string(revision) + "\\+[0-9a-f]{16}"));
    EXPECT_EQ(program_revision(revision, folder.file("same")), a);
    EXPECT_NE(program_revision(revision, folder.file("b")), a);
    EXPECT_NE(program_revision(revision, folder.file("missing")), a);
  }
  EXPECT_EQ(program_revision("cafe", folder.file("b")), "cafe") << "a commit says it all";
}

}  // namespace
}  // namespace bench
