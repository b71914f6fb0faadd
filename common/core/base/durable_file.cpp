#include "core/base/durable_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

#include "core/base/error.h"

namespace bench {
namespace {

constexpr int kMostLinks = 40;  // Linux's own bound
constexpr mode_t kPermissions = 07777;

[[noreturn]] void refuse(const std::string& path, const char* what) {
  throw UsageError("cannot {} {}: {}", what, path, std::strerror(errno));
}

bool write_whole(int file, const std::string& text) {
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t written = write(file, text.data() + done, text.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    done += static_cast<std::size_t>(written);
  }
  return true;
}

bool is_at(const FileDescriptor& file, const std::string& path) {
  struct stat held {};
  struct stat there {};
  return fstat(file.handle(), &held) == 0 && stat(path.c_str(), &there) == 0 && held.st_ino == there.st_ino &&
         held.st_dev == there.st_dev;
}

}  // namespace

std::string file_behind(const std::string& path) {
  namespace fs = std::filesystem;
  fs::path place = path;
  std::error_code error;
  for (int links = 0; fs::is_symlink(place, error); ++links) {
    if (links == kMostLinks) throw UsageError("{}: its symbolic links never end", path);
    const fs::path target = fs::read_symlink(place, error);
    place = target.is_absolute() ? target : place.parent_path() / target;
  }
  const fs::file_status status = fs::status(place, error);
  if (fs::is_directory(status)) throw UsageError("{}: a folder has this name", path);
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    throw UsageError("{}: this is no regular file, which results need", path);
  }
  return place.string();
}

std::string read_file(const std::string& path) {
  const FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.handle() < 0 && errno == ENOENT) return "";
  std::string text;
  char chunk[1 << 16];
  ssize_t got = file.handle() < 0 ? -1 : 0;
  do {
    if (got < 0) refuse(path, "read");
    text.append(chunk, static_cast<std::size_t>(got));
    got = read(file.handle(), chunk, sizeof chunk);
  } while (got != 0);
  return text;
}

HeldFile::HeldFile(const std::string& path) : path_(path) {
  while (!try_to_hold()) is_new_ = false;
}

// False: between opening and holding it, another file took its place.
bool HeldFile::try_to_hold() {
  file_ = FileDescriptor(open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  bool made = file_.handle() >= 0;
  if (!made && errno == EEXIST) {
    file_ = FileDescriptor(open(path_.c_str(), O_RDWR | O_CLOEXEC));
    if (file_.handle() < 0 && errno == ENOENT) return false;
  }
  if (file_.handle() < 0) refuse(path_, "write");
  if (flock(file_.handle(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) throw Error("{}: another process is writing this file", path_);
    refuse(path_, "lock");
  }
  struct stat held {};
  if (fstat(file_.handle(), &held) != 0) refuse(path_, "look at");
  if (!is_at(file_, path_)) return false;
  is_new_ = made;
  mode_ = held.st_mode & kPermissions;
  return true;
}

HeldFile::~HeldFile() noexcept {
  if (!is_new_ || file_.handle() < 0) return;
  if (is_at(file_, path_)) unlink(path_.c_str());
}

NextContent::NextContent(std::string path, const std::string& content, mode_t mode) : path_(std::move(path)) {
  const std::filesystem::path place = path_;
  std::string name = (place.parent_path() / fmt::format(".{}.XXXXXX", place.filename().string())).string();
  file_ = FileDescriptor(mkostemp(name.data(), O_APPEND | O_CLOEXEC));
  if (file_.handle() < 0) refuse(path_, "write");
  temporary_ = name;
  struct stat old {};
  const bool replaces = stat(path_.c_str(), &old) == 0;
  bool done = fchmod(file_.handle(), replaces ? old.st_mode & kPermissions : mode) == 0;
  // Only root may give files away; whoever may not gets one of his own.
  if (replaces) static_cast<void>(fchown(file_.handle(), old.st_uid, old.st_gid) == 0);
  done = done && flock(file_.handle(), LOCK_EX | LOCK_NB) == 0 && write_whole(file_.handle(), content);
  if (done) return;
  const int why = errno;
  unlink(temporary_.c_str());  // no destructor runs
  errno = why;
  refuse(path_, "write");
}

NextContent::~NextContent() noexcept {
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

FileDescriptor NextContent::take_place() {
  if (rename(temporary_.c_str(), path_.c_str()) != 0) refuse(path_, "write");
  temporary_.clear();
  return std::move(file_);
}

void replace_file(const std::string& path, const std::string& content) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path, error);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status) && !std::filesystem::is_directory(status)) {
    const FileDescriptor file(open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (file.handle() < 0 || !write_whole(file.handle(), content)) refuse(path, "write");
    return;
  }
  const mode_t mask = umask(0);  // there is no other way to ask
  umask(mask);
  NextContent(file_behind(path), content, 0666 & ~mask).take_place();
}

void append(const FileDescriptor& file, const std::string& text, const std::string& path) {
  const off_t end = lseek(file.handle(), 0, SEEK_END);
  errno = 0;
  if (write_whole(file.handle(), text)) return;
  const int why = errno != 0 ? errno : ENOSPC;
  const bool taken_back = end >= 0 && ftruncate(file.handle(), end) == 0;
  throw Error("cannot write {}: {}{}", path, std::strerror(why), taken_back ? "" : "; it ends with a row that is cut short");
}

void check_in_place(const FileDescriptor& file, const std::string& path) {
  if (!is_at(file, path)) throw Error("{} was removed or replaced while this program was writing it", path);
}

void reserve_standard_descriptors() {
  for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; ++descriptor) {
    // The lowest free number is the one that is missing.
    if (fcntl(descriptor, F_GETFD) < 0 && open("/dev/null", O_RDWR) < 0)
      throw Error("cannot open /dev/null: {}", std::strerror(errno));
  }
}

}  // namespace bench
