// Real programs. SIGTERM at seeded moments of their set-up, verification and sampling: each ends within 2 s, and leaves whole
// rows alone. A card with little memory: no row fails.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/csv.h"
#include "core/base/process.h"
#include "core/base/random.h"
#include "fake_device.h"

namespace bench {
namespace {

constexpr double kEndS = 2;
constexpr double kLastSignalS = 4;
constexpr int kTrials = 8;  // each

pid_t start(std::vector<std::string> arguments) {
  arguments.front() = BENCH_PROGRAMS + ("/" + arguments.front());
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  const pid_t child = fork();
  if (child != 0) return child;
  const int nowhere = open("/dev/null", O_WRONLY);
  dup2(nowhere, STDOUT_FILENO);
  dup2(nowhere, STDERR_FILENO);
  execv(argv[0], argv.data());
  _exit(99);
}

bool has_ended(pid_t child, int& status) { return waitpid(child, &status, WNOHANG) == child; }

void sleep_s(double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); }

// Every row as long as the header, and none `failed`.
void expect_whole_rows(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  if (text.empty()) return;
  EXPECT_EQ(text.back(), '\n');
  const std::vector<CsvRow> rows = parse_csv(text);
  for (const CsvRow& row : rows) {
    EXPECT_EQ(row.size(), rows.front().size());
    EXPECT_EQ(std::find(row.begin(), row.end(), "failed"), row.end());
  }
}

// Seventeen buffers of 4 MiB in either API are more than 64 MiB: the sizes shrink, and no row fails.
TEST(SmallCard, HasRoomForWhatIsLeftOfTheSizes) {
  const TempDir folder;
  const std::string csv = folder.file("results.csv");
  setenv("BENCH_MEMORY_LIMIT_MIB", "64", 1);
  const pid_t child =
      start({"exp02_descriptors", "--api", "vulkan", "--variant", "sum", "--quick", "--budget", "0.01", "--csv", csv});
  unsetenv("BENCH_MEMORY_LIMIT_MIB");
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == kAllSkipped) GTEST_SKIP() << "no Vulkan device";
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_TRUE(std::filesystem::exists(csv));
  expect_whole_rows(csv);
}

class Signals : public testing::TestWithParam<std::vector<std::string>> {};

TEST_P(Signals, EndAProgramInTime) {
  int interrupted = 0;
  const int count = trials(kTrials);
  // More of them, up to all, where none came in time.
  for (int trial = 0; trial < count || (interrupted == 0 && trial < kTrials); ++trial) {
    const TempDir folder;
    std::vector<std::string> arguments = GetParam();
    arguments.insert(arguments.end(), {"--csv", folder.file("results.csv")});
    const double moment_s =
        kLastSignalS * (trial % count + random_bits(1, 0, static_cast<std::uint64_t>(trial)) * 0x1p-32) / count;
    SCOPED_TRACE(testing::Message() << "SIGTERM after " << moment_s << " s");
    const pid_t child = start(arguments);
    sleep_s(moment_s);
    kill(child, SIGTERM);
    const double signaled = now_s();
    int status = 0;
    while (!has_ended(child, status) && now_s() - signaled < 2 * kEndS) sleep_s(0.01);
    EXPECT_LT(now_s() - signaled, kEndS);
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    // Before main() it ends as every program does; and it may have been done.
    if (WIFEXITED(status)) {
      EXPECT_TRUE(WEXITSTATUS(status) == kInterruptedBySignal || WEXITSTATUS(status) == kOk) << WEXITSTATUS(status);
      interrupted += WEXITSTATUS(status) == kInterruptedBySignal ? 1 : 0;
    }
    expect_whole_rows(folder.file("results.csv"));
  }
  EXPECT_GT(interrupted, 0) << "no signal came in time";
}

INSTANTIATE_TEST_SUITE_P(
    Programs, Signals,
    testing::Values(std::vector<std::string>{"exp01_vector_add", "--size", "2097120"},                // the largest of lavapipe
                    std::vector<std::string>{"exp01_vector_add", "--size", "4096", "--budget", "2"},  // sampling
                    std::vector<std::string>{"exp02_descriptors"},                                    // many pipelines
                    std::vector<std::string>{"exp06_litmus"}),
    [](const auto& program) { return "Program" + std::to_string(program.index); });

// Both streams of the program with the one driver of this manifest, and its exit code.
std::pair<std::string, int> run_with_driver(const std::string& manifest, const std::string& arguments) {
  const std::string command = "VK_DRIVER_FILES=" + manifest + " VK_ICD_FILENAMES=" + manifest +
                              " CUDA_VISIBLE_DEVICES= " + BENCH_PROGRAMS "/exp01_vector_add " + arguments + " 2>&1";
  std::string text;
  FILE* pipe = popen(command.c_str(), "r");
  for (int c = 0; (c = std::fgetc(pipe)) != EOF;) text += static_cast<char>(c);
  const int status = pclose(pipe);
  return {text, WIFEXITED(status) ? WEXITSTATUS(status) : -1};
}

TEST(Drivers, ADamagedManifestIsCalledOne) {
  const TempDir folder;
  std::ofstream(folder.file("driver.json")) << R"({"file_format_version": "1.0.0", "ICD": {)";
  const auto [text, code] = run_with_driver(folder.file("driver.json"), "--list-devices");
  EXPECT_EQ(code, kOk);
  // Newer loaders pass over such a manifest, and find no driver.
  EXPECT_THAT(text, testing::AnyOf(testing::HasSubstr("damaged manifest"), testing::HasSubstr("found no driver")));
  EXPECT_THAT(text, testing::Not(testing::HasSubstr("--size")));
}

TEST(Drivers, AWishForADeviceWhereThereIsNoneSaysWhy) {
  const TempDir folder;
  const auto [text, code] = run_with_driver(folder.file("none.json"), "--device 0");
  EXPECT_EQ(code, kUsage);
  EXPECT_THAT(text, testing::AllOf(testing::HasSubstr("--device 0: there is no device"), testing::HasSubstr("Vulkan: "),
                                   testing::HasSubstr("driver")));
}

}  // namespace
}  // namespace bench
