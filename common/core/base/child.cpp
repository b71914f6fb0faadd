#include "core/base/child.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <exception>

#include "core/base/error.h"
#include "core/base/file_descriptor.h"
#include "core/base/process.h"

namespace bench {
namespace {

constexpr std::size_t kMostOutput = std::size_t{1} << 20;
constexpr int kLookMs = 50;  // how often a child is looked after that writes nothing

struct Pipe {
  FileDescriptor read_end;
  FileDescriptor write_end;
};

Pipe make_pipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) throw Error("no pipe for a child process: {}", strerror(errno));
  return {FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

// To its first and its last part: what failed first, and what ended it.
void shorten(std::string& output) {
  if (output.size() > kMostOutput) output.erase(kMostOutput / 2, output.size() - kMostOutput);
}

// Reads what there is; false at the end of it.
bool read_some(int handle, std::string& output) {
  std::array<char, 4096> part;
  const ssize_t got = read(handle, part.data(), part.size());
  if (got < 0) return errno == EINTR || errno == EAGAIN;
  output.append(part.data(), static_cast<std::size_t>(got));
  if (output.size() >= 2 * kMostOutput) shorten(output);
  return got > 0;
}

// The child leads a process group of its own: what it has started ends with it.
ChildEnd wait_for(pid_t child, int output, double limit_s) {
  ChildEnd end;
  end.limit_s = limit_s;
  fcntl(output, F_SETFL, O_NONBLOCK);
  const double last = now_s() + limit_s;
  int status = 0;
  bool has_ended = false;
  bool is_open = true;
  bool was_interrupted = false;
  while (!has_ended) {
    pollfd waits = {output, POLLIN, 0};
    const int ready = poll(&waits, is_open ? 1 : 0, kLookMs);
    if (ready > 0) is_open = read_some(output, end.output);
    has_ended = waitpid(child, &status, WNOHANG) == child;
    was_interrupted = interrupted();
    if (has_ended || (now_s() < last && !was_interrupted)) continue;
    end.timed_out = !was_interrupted;
    kill(-child, SIGKILL);
    kill(child, SIGKILL);  // it may not have its group yet
    waitpid(child, &status, 0);
    has_ended = true;
  }
  kill(-child, SIGKILL);  // whatever it left behind
  for (pollfd waits = {output, POLLIN, 0}; is_open && poll(&waits, 1, 0) > 0;) is_open = read_some(output, end.output);
  shorten(end.output);
  if (was_interrupted) throw Interrupted{};
  if (WIFSIGNALED(status)) {
    end.signal = WTERMSIG(status);
  } else {
    end.exit_code = WEXITSTATUS(status);
  }
  return end;
}

}  // namespace

std::string ChildEnd::words() const {
  if (timed_out) return fmt::format("did not end within {} s and was killed", limit_s);
  if (signal != 0) return fmt::format("was ended by signal {} ({})", signal, strsignal(signal));
  return fmt::format("ended with exit code {}", exit_code);
}

ChildEnd run_child(const std::vector<std::string>& command, double limit_s) {
  Pipe pipe = make_pipe();
  std::vector<char*> words;
  for (const std::string& word : command) words.push_back(const_cast<char*>(word.c_str()));  // posix_spawn changes none
  words.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, pipe.write_end.handle(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, pipe.write_end.handle(), STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&attributes, 0);
  pid_t child = 0;
  const int failed = posix_spawnp(&child, command.at(0).c_str(), &actions, &attributes, words.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  pipe.write_end = FileDescriptor();
  if (failed == ENOENT || failed == EACCES)
    return {.exit_code = 127, .output = fmt::format("{}: {}", command[0], strerror(failed))};
  if (failed != 0) throw Error("{} cannot be started: {}", command[0], strerror(failed));
  return wait_for(child, pipe.read_end.handle(), limit_s);
}

ChildEnd run_in_child(const std::function<std::string()>& body, double limit_s, Says says) {
  Pipe pipe = make_pipe();
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child < 0) throw Error("no child process: {}", strerror(errno));
  if (child == 0) {
    // Nobody else ends it where this process is killed, or its terminal closed: it would go on with the GPU.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);
    setpgid(0, 0);
    for (const int said : {STDOUT_FILENO, STDERR_FILENO}) {
      if (says == Says::kToOutput) dup2(pipe.write_end.handle(), said);
    }
    std::string text;
    int code = 0;
    try {
      text = body();
    } catch (const std::exception& error) {
      text = error.what();
      code = 1;
    } catch (...) {
      code = 1;
    }
    for (std::size_t done = 0; done < text.size();) {
      const ssize_t written = write(pipe.write_end.handle(), text.data() + done, text.size() - done);
      if (written < 0 && errno != EINTR) _exit(1);
      if (written > 0) done += static_cast<std::size_t>(written);
    }
    _exit(code);
  }
  pipe.write_end = FileDescriptor();
  return wait_for(child, pipe.read_end.handle(), limit_s);
}

}  // namespace bench
