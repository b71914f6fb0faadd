#include "core/base/child.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <iostream>
#include <thread>

#include "core/base/error.h"
#include "core/base/process.h"
#include "temp_dir.h"

namespace bench {
namespace {

ChildEnd shell(const std::string& script, double limit_s = 30) { return run_child({"sh", "-c", script}, limit_s); }

TEST(Child, ItsWordsAndItsEndAreTold) {
  const ChildEnd fine = shell("echo out; echo err >&2; read line || echo nothing to read");
  EXPECT_TRUE(fine.ok());
  EXPECT_EQ(fine.output, "out\nerr\nnothing to read\n");
  EXPECT_EQ(shell("exit 3").words(), "ended with exit code 3");
  EXPECT_EQ(shell("kill -SEGV $$").words(), "was ended by signal 11 (Segmentation fault)");
  EXPECT_EQ(run_child({"/nowhere/program"}, 1).exit_code, 127);
  EXPECT_EQ(run_child({"printf", "%s|", "a b", "$HOME", ""}, 30).output, "a b|$HOME||") << "no shell reads the words";
}

TEST(Child, ThatDoesNotEndIsKilledWithAllThatItStarted) {
  const TempDir folder;
  const double begin = now_s();
  const ChildEnd end = shell("echo begun; (sleep 2; touch " + folder.file("late") + ") & sleep 100", 0.5);
  EXPECT_LT(now_s() - begin, 2);
  EXPECT_TRUE(end.timed_out);
  EXPECT_FALSE(end.ok());
  EXPECT_EQ(end.words(), "did not end within 0.5 s and was killed");
  EXPECT_EQ(end.output, "begun\n");
  std::this_thread::sleep_for(std::chrono::milliseconds(2200));
  EXPECT_TRUE(folder.empty());
}

TEST(Child, ThatLeavesAProcessWithItsOutputOpenEndsAllTheSame) {
  const double begin = now_s();
  EXPECT_EQ(shell("sleep 100 & echo done").output, "done\n");
  EXPECT_LT(now_s() - begin, 10);
}

TEST(Child, WritesAsMuchAsItLikes) {
  const ChildEnd end = shell("echo first; head -c 5000000 /dev/zero; echo last");
  EXPECT_TRUE(end.ok());
  EXPECT_EQ(end.output.size(), std::size_t{1} << 20);
  EXPECT_TRUE(end.output.starts_with("first\n"));
  EXPECT_TRUE(end.output.ends_with("last\n"));
}

TEST(Child, WhatACopySaysIsItsOutput) {
  const ChildEnd end = run_in_child(
      [] {
        std::cout << std::string(3000000, 'x') << "\nlast\n" << std::flush;
        _exit(3);
        return std::string();
      },
      30, Says::kToOutput);
  EXPECT_EQ(end.exit_code, 3);
  EXPECT_EQ(end.output.size(), std::size_t{1} << 20);
  EXPECT_TRUE(end.output.ends_with("x\nlast\n"));
}

TEST(Child, ACopyOfThisProcess) {
  EXPECT_EQ(run_in_child([] { return std::string(100000, 'x'); }, 30).output.size(), 100000);
  const ChildEnd failed = run_in_child([]() -> std::string { throw Error("no luck"); }, 30);
  EXPECT_EQ(failed.exit_code, 1);
  EXPECT_EQ(failed.output, "no luck");
  EXPECT_EQ(run_in_child([] { return raise(SIGABRT), std::string(); }, 30).signal, SIGABRT);
  EXPECT_TRUE(run_in_child([] { return sleep(100), std::string(); }, 0.3).timed_out);
}

// Nobody else would end it, where the terminal is closed or the program killed.
TEST(Child, ACopyEndsWithWhoStartedIt) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  const pid_t starter = fork();
  if (starter == 0) {
    run_in_child([&] { return write(ends[1], "x", 1), sleep(100), std::string(); }, 100);
    _exit(0);
  }
  close(ends[1]);
  char byte = 0;
  ASSERT_EQ(read(ends[0], &byte, 1), 1) << "it runs";
  kill(starter, SIGKILL);
  waitpid(starter, nullptr, 0);
  pollfd waits = {ends[0], POLLIN, 0};
  ASSERT_EQ(poll(&waits, 1, 10000), 1);
  EXPECT_EQ(read(ends[0], &byte, 1), 0) << "nobody holds the other end";
  close(ends[0]);
}

}  // namespace
}  // namespace bench
