// Files that others may rely on: replaced in one step or not at all, appended to by one write, held by one process at a time.
#pragma once

#include <sys/types.h>

#include <string>

#include "core/base/file_descriptor.h"

namespace bench {

// Where `path` leads to, its symbolic links followed. Throws UsageError if they never end, or if what is there is no regular
// file. There need not be any.
std::string file_behind(const std::string& path);

// The content; "" if there is no such file. Throws UsageError if it cannot be read.
std::string read_file(const std::string& path);

// The whole content of a file in one step: whoever reads it finds the old one or this. What is there and no regular file, a
// pipe or /dev/stdout, is written as it is. Throws UsageError. Not while other threads make files: it asks for the umask.
void replace_file(const std::string& path, const std::string& content);

// Holds a file for this process: others that ask for it meanwhile are refused. Where there is none it makes an empty one, which
// goes again if nothing has taken its place by the end.
class HeldFile {
 public:
  // Throws UsageError if the file can't be opened to write, Error if another process holds it.
  explicit HeldFile(const std::string& path);
  HeldFile(HeldFile&&) noexcept = default;
  HeldFile& operator=(HeldFile&&) noexcept = default;
  ~HeldFile() noexcept;

  // The permissions that the umask left a new file, or those of the one that was there.
  mode_t mode() const { return mode_; }

 private:
  bool try_to_hold();

  std::string path_;
  FileDescriptor file_;
  mode_t mode_ = 0;
  bool is_new_ = false;
};

// The next content of a file. It lies beside the file, under a name that nobody can guess, until it takes its place, and goes
// if that never happens. It is held from the start, as by HeldFile.
class NextContent {
 public:
  // With the mode and, where that is allowed, the owner of the file that is there; `mode` where there is none. Throws
  // UsageError.
  NextContent(std::string path, const std::string& content, mode_t mode);
  NextContent(const NextContent&) = delete;
  NextContent& operator=(const NextContent&) = delete;
  ~NextContent() noexcept;

  // The file has this content from now on; the descriptor appends to it. Throws UsageError.
  FileDescriptor take_place();

 private:
  std::string path_;
  std::string temporary_;  // empty: there is none any more
  FileDescriptor file_;
};

// One write. Throws Error if not all of it can be written; what was is taken back.
void append(const FileDescriptor& file, const std::string& text, const std::string& path);

// Throws Error if `path` does not lead to this file any more: it was removed, or another has taken its place.
void check_in_place(const FileDescriptor& file, const std::string& path);

// So that no file that is opened later gets the number of a closed stdin, stdout or stderr, and what is written there with it.
void reserve_standard_descriptors();

}  // namespace bench
