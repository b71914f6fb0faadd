// A program as its users run it, on whatever Vulkan device there is: killed at any moment, twice at once, with its outputs
// closed.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <map>
#include <random>
#include <thread>

#include "core/base/csv.h"
#include "core/base/durable_file.h"
#include "core/results/result_file.h"
#include "fake_device.h"

namespace bench {
namespace {

using testing::HasSubstr;
using Clock = std::chrono::steady_clock;

constexpr int kKills = 24;
constexpr int kAllSkipped = 77;

// What two runs of one program have in common.
const std::vector<std::string> kSame = {"schema",   "experiment",   "variant", "api",  "status",   "reason", "block",
                                        "elements", "useful_bytes", "cache",   "seed", "isa_hash", "gpu",    "driver"};

class KilledRun : public testing::Test {
 protected:
  // Starts the program with a few cases, its results in csv_.
  pid_t start(std::vector<std::string> more = {}, const std::vector<int>& closed = {}) const {
    std::vector<std::string> arguments = {BENCH_TEST_PROGRAM, "--smoke",         "--api", "vulkan",
                                          "--variant",        "add_f32*,copy_*", "--csv", csv_};
    arguments.insert(arguments.end(), more.begin(), more.end());
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    const pid_t child = fork();
    if (child != 0) return child;
    const int log = open(folder_.file("log").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    dup2(log, STDOUT_FILENO);
    dup2(log, STDERR_FILENO);
    close(log);
    for (const int descriptor : closed) close(descriptor);
    execv(argv[0], argv.data());
    _exit(99);
  }
  static int wait_for(pid_t child) {
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  // A program whose files may not grow beyond so many bytes.
  int run_with_room_for(rlim_t bytes) const {
    rlimit before{};
    getrlimit(RLIMIT_FSIZE, &before);
    const rlimit limit = {.rlim_cur = bytes, .rlim_max = before.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
    const pid_t child = start();
    setrlimit(RLIMIT_FSIZE, &before);
    return wait_for(child);
  }
  int run(const std::vector<std::string>& more = {}) const { return wait_for(start(more)); }
  std::string log() const { return read_file(folder_.file("log")); }

  // Every record whole; nullopt while there is no file.
  static std::vector<CsvRow> records(const std::string& path) {
    const std::string text = read_file(path);
    std::vector<CsvRow> records = parse_csv(text);
    EXPECT_TRUE(text.empty() || text.ends_with('\n')) << path << " ends with half a row";
    for (const CsvRow& record : records) EXPECT_EQ(record.size(), records[0].size()) << path;
    return records;
  }
  // The cells that every run of the program has alike, by row, sorted.
  std::vector<CsvRow> rows() const {
    const std::vector<CsvRow> all = records(csv_);
    std::vector<CsvRow> rows;
    for (std::size_t i = 1; i < all.size(); ++i) {
      CsvRow& row = rows.emplace_back();
      for (const std::string& column : kSame) {
        row.push_back(all[i].at(static_cast<std::size_t>(std::find(all[0].begin(), all[0].end(), column) - all[0].begin())));
      }
    }
    std::sort(rows.begin(), rows.end());
    return rows;
  }
  void remove_results() const {
    for (const std::string& path : {csv_, samples_path(csv_), schema_path(csv_)}) std::filesystem::remove(path);
  }

  TempDir folder_;
  std::string csv_ = folder_.file("killed.csv");
};

TEST_F(KilledRun, LosesTheCaseInHandAndNothingElse) {
  const auto begin = Clock::now();
  if (run() == kAllSkipped) GTEST_SKIP() << "no Vulkan device";
  const std::chrono::duration<double> whole_run = Clock::now() - begin;
  const std::vector<CsvRow> whole = rows();
  const std::size_t whole_samples = records(samples_path(csv_)).size();
  ASSERT_GT(whole.size(), 20U);
  remove_results();

  std::mt19937 random(20260131);
  std::uniform_real_distribution<double> moment(0, whole_run.count());
  int resumed = 0;
  const int kills = trials(kKills);
  // More of them, up to all, where too few came in time.
  for (int kill_number = 0; kill_number < kills || (resumed <= kills / 4 && kill_number < kKills); ++kill_number) {
    const std::size_t before = rows().size();
    resumed += before > 0 ? 1 : 0;
    const pid_t child = start({"--resume"});
    std::this_thread::sleep_for(std::chrono::duration<double>(moment(random)));
    kill(child, SIGKILL);
    const int code = wait_for(child);
    ASSERT_TRUE(code == 128 + SIGKILL || code == 0) << log();
    const std::vector<CsvRow> found = rows();
    EXPECT_GE(found.size(), before) << "what was finished stays";
    EXPECT_TRUE(std::includes(whole.begin(), whole.end(), found.begin(), found.end()));
    if (code == 0) remove_results();
  }
  EXPECT_GT(resumed, kills / 4) << "the kills come while there is something to lose";
  ASSERT_EQ(run({"--resume"}), 0) << log();
  EXPECT_EQ(rows(), whole);
  EXPECT_EQ(records(samples_path(csv_)).size(), whole_samples);
}

TEST_F(KilledRun, ASecondProcessOnTheSameFileSaysSoAndStops) {
  const pid_t first = start({"--budget", "1"});
  while (read_file(csv_).empty() && waitpid(first, nullptr, WNOHANG) == 0)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  const std::string log_of_first = folder_.file("log_of_first");
  std::filesystem::rename(folder_.file("log"), log_of_first);
  const int second = run();
  const std::string said = log();
  const int code = wait_for(first);
  if (code == kAllSkipped) GTEST_SKIP() << "no Vulkan device";
  EXPECT_EQ(code, 0) << read_file(log_of_first);
  EXPECT_EQ(second, 1);
  EXPECT_THAT(said, HasSubstr("another process is writing this file"));
  const std::vector<CsvRow> of_first = rows();
  EXPECT_EQ(run(), 0) << "and once it is free, anyone may have it";
  EXPECT_EQ(rows(), of_first);
}

TEST_F(KilledRun, WithItsOutputsClosedWritesRowsAlone) {
  const int code = wait_for(start({}, {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}));
  if (code == kAllSkipped) GTEST_SKIP() << "no Vulkan device";
  EXPECT_EQ(code, 0);
  EXPECT_GT(rows().size(), 20U);
  EXPECT_EQ(records(csv_)[0][0], "schema");
  EXPECT_EQ(records(samples_path(csv_))[0][0], "schema");
}

// The limit comes among the rows: the other files are smaller.
TEST_F(KilledRun, WhoseFilesMayNotGrowSaysSoAndEnds) {
  if (run() == kAllSkipped) GTEST_SKIP() << "no Vulkan device";
  const auto whole = std::filesystem::file_size(csv_);
  // How many samples a case has, and so the size of their file, depends on the machine.
  const auto others = std::max(std::filesystem::file_size(schema_path(csv_)), std::filesystem::file_size(samples_path(csv_)));
  ASSERT_LT(others, whole * 19 / 20);
  const auto limit = std::max(whole * 3 / 4, (others + whole) / 2);
  remove_results();
  const int with_room = run_with_room_for(2 * whole);
  // lavapipe of Mesa 25.0: it makes a file of memory, uses it without a look at whether it could grow, and dies of that.
  if (with_room == 128 + SIGBUS) GTEST_SKIP() << "this driver keeps a device's memory in files, which may not grow either";
  EXPECT_EQ(with_room, 0) << "there was room: " << log();
  remove_results();
  EXPECT_EQ(run_with_room_for(limit), 1) << "128 and more: ended by a signal. " << log();
  EXPECT_THAT(log(), HasSubstr("cannot write " + csv_ + ": File too large\n"));
  const std::size_t kept = rows().size();
  EXPECT_GT(kept, 0U) << "what was finished stays";
  EXPECT_EQ(run({"--resume"}), 0) << log();
  EXPECT_GT(rows().size(), kept);
}

}  // namespace
}  // namespace bench
