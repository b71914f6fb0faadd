#include "core/base/durable_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "core/base/error.h"
#include "core/base/process.h"
#include "fake_device.h"

namespace bench {
namespace {

using testing::HasSubstr;
using testing::UnorderedElementsAre;

class DurableFile : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return folder_.file(name); }
  void put(const std::string& name, const std::string& text) const { std::ofstream(path(name), std::ios::binary) << text; }
  std::string get(const std::string& name) const { return read_file(path(name)); }
  std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(path(""))) found.push_back(entry.path().filename().string());
    return found;
  }
  mode_t mode(const std::string& name) const {
    struct stat found {};
    EXPECT_EQ(stat(path(name).c_str(), &found), 0);
    return found.st_mode & 07777;
  }

  TempDir folder_;
};

TEST_F(DurableFile, LinksAreFollowedToTheEnd) {
  std::filesystem::create_directory(path("deep"));
  std::filesystem::create_symlink("deep/second", path("first"));
  std::filesystem::create_symlink("../file", path("deep/second"));
  EXPECT_TRUE(std::filesystem::path(file_behind(path("first"))).lexically_normal() == path("file")) << "which is not there yet";
  put("file", "text");
  EXPECT_EQ(read_file(file_behind(path("first"))), "text");
  std::filesystem::create_symlink("round", path("round"));
  EXPECT_THAT(message_of<UsageError>([&] { file_behind(path("round")); }), HasSubstr("never end"));
}

TEST_F(DurableFile, WhatIsNoRegularFileIsRefused) {
  ASSERT_EQ(mkfifo(path("fifo").c_str(), 0600), 0);
  std::filesystem::create_symlink("/dev/null", path("link"));
  for (const std::string& odd : {path("fifo"), path("link"), std::string("/dev/null")}) {
    EXPECT_THAT(message_of<UsageError>([&] { file_behind(odd); }),
                testing::AllOf(HasSubstr(odd), HasSubstr("no regular file")));
  }
  EXPECT_THAT(message_of<UsageError>([&] { file_behind(path("")); }), HasSubstr("a folder has this name"));
}

TEST_F(DurableFile, WhatCannotBeReadIsNotTakenForEmpty) {
  EXPECT_EQ(get("absent"), "");
  EXPECT_THAT(message_of<UsageError>([&] { get(""); }), HasSubstr("cannot read"));
}

TEST_F(DurableFile, NewContentIsThereWholeOrNotAtAll) {
  put("file", "old");
  {
    const NextContent next(path("file"), "new", 0600);
    EXPECT_EQ(get("file"), "old");
    EXPECT_EQ(names().size(), 2U);
  }
  EXPECT_THAT(names(), UnorderedElementsAre("file")) << "what never took its place is gone";
  EXPECT_EQ(get("file"), "old");
  const FileDescriptor file = NextContent(path("file"), "new\n", 0600).take_place();
  EXPECT_EQ(get("file"), "new\n");
  append(file, "more\n", path("file"));
  EXPECT_EQ(get("file"), "new\nmore\n");
  EXPECT_THAT(names(), UnorderedElementsAre("file"));
}

TEST_F(DurableFile, AFileIsReplacedInOneStep) {
  replace_file(path("fresh"), "new");
  EXPECT_EQ(get("fresh"), "new");
  const std::string old = path("fresh") + ".link";
  std::filesystem::create_hard_link(path("fresh"), old);
  replace_file(path("fresh"), "newer");
  EXPECT_EQ(get("fresh"), "newer");
  EXPECT_EQ(read_file(old), "new") << "the old content was not written over";
  EXPECT_THAT(names(), UnorderedElementsAre("fresh", "fresh.link"));
  EXPECT_THAT(message_of<UsageError>([&] { replace_file(path("no folder/file"), "new"); }), HasSubstr("cannot write"));
  EXPECT_THAT(message_of<UsageError>([&] { replace_file(path(""), "new"); }), HasSubstr("a folder has this name"));
  replace_file("/dev/null", "new");
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST_F(DurableFile, ATemporaryFileThatSomeoneLaidOutIsNotWrittenThrough) {
  put("precious", "text");
  std::filesystem::create_symlink("precious", path("file.new"));
  NextContent(path("file"), "new", 0600).take_place();
  EXPECT_EQ(get("precious"), "text");
}

TEST_F(DurableFile, TheOldFilesModeStaysAndTheUmaskGivesTheNewOnes) {
  put("file", "old");
  ASSERT_EQ(chmod(path("file").c_str(), 0640), 0);
  NextContent(path("file"), "new", 0600).take_place();
  EXPECT_EQ(mode("file"), 0640U);
  const mode_t before = umask(077);
  {
    const HeldFile held(path("fresh"));
    EXPECT_EQ(held.mode(), 0600U);
    NextContent(path("fresh"), "new", held.mode()).take_place();
    NextContent(path("beside"), "new", held.mode()).take_place();
  }
  umask(before);
  EXPECT_EQ(mode("fresh"), 0600U);
  EXPECT_EQ(mode("beside"), 0600U);
}

// Locks are a process's own: the second holder needs one.
int exit_code_of_a_process_that_holds(const std::string& path) {
  const pid_t child = fork();
  if (child == 0) {
    try {
      const HeldFile held(path);
    } catch (const Error& error) {
      _exit(std::string(error.what()).find("another process") == std::string::npos ? 2 : 1);
    }
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WEXITSTATUS(status);
}

TEST_F(DurableFile, IsHeldByOneProcessAlsoAcrossItsReplacement) {
  {
    const HeldFile held(path("file"));
    EXPECT_EQ(exit_code_of_a_process_that_holds(path("file")), 1);
    const FileDescriptor file = NextContent(path("file"), "new", held.mode()).take_place();
    EXPECT_EQ(exit_code_of_a_process_that_holds(path("file")), 1);
    EXPECT_EQ(get("file"), "new");
  }
  EXPECT_EQ(exit_code_of_a_process_that_holds(path("file")), 0);
  EXPECT_EQ(get("file"), "new");
}

TEST_F(DurableFile, HoldingAFileThatStaysEmptyLeavesNone) {
  { const HeldFile held(path("file")); }
  EXPECT_TRUE(folder_.empty());
  put("file", "");
  { const HeldFile held(path("file")); }
  EXPECT_THAT(names(), UnorderedElementsAre("file")) << "it was there before";
}

// A full disk, by the process's own limit.
TEST_F(DurableFile, WhatDoesNotFitIsTakenBack) {
  const pid_t child = fork();
  if (child == 0) {
    note_signals();  // as every program does: without it this process is killed
    const FileDescriptor file = NextContent(path("file"), "header\n", 0600).take_place();
    const rlimit limit = {.rlim_cur = 10, .rlim_max = 10};
    setrlimit(RLIMIT_FSIZE, &limit);
    try {
      append(file, "a row\n", path("file"));
    } catch (const Error& error) {
      _exit(std::string(error.what()).ends_with(": File too large") ? 1 : 2);
    }
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 1);
  EXPECT_EQ(get("file"), "header\n");
}

TEST(StandardDescriptors, AreNeverAFilesOwn) {
  const pid_t child = fork();
  if (child == 0) {
    close(STDOUT_FILENO);
    close(STDERR_FILENO);
    reserve_standard_descriptors();
    const int next = open("/dev/null", O_RDONLY);
    _exit(next > STDERR_FILENO ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace bench
