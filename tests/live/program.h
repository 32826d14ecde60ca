#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

#include "kernel/files/testing/temporary_folder.h"
#include "ports/file_descriptor.h"

namespace jettison {

using kernel::TemporaryFolder;

// A path as one word for a shell, whatever the project lies in.
[[nodiscard]] std::string Quoted(std::string_view path);

// A program that runs, its output (both streams) in a pipe. While one lives, the test adopts every
// process that it leaves behind. When this goes it is asked to end, and killed after ten seconds.
class Program {
 public:
  // `environment` is added to the test's own, as "NAME=value".
  Program(const std::vector<std::string>& arguments, const std::vector<std::string>& environment);
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program();

  // Reads on until the output holds `text`; false when it ends, or says nothing for a minute,
  // before that.
  bool ReadUntil(const std::string& text);
  void Signal(int signal) const;
  // Reads the rest of the output and waits for the end: its exit status, 128 + n after signal n.
  int Wait();

  [[nodiscard]] pid_t pid() const { return pid_; }
  [[nodiscard]] const std::string& output() const { return output_; }

 private:
  bool ReadMore();

  pid_t pid_ = -1;
  bool reaped_ = false;
  FileDescriptor pipe_;
  std::string output_;
};

// How many processes that a program has left behind are there still, two seconds later at most.
[[nodiscard]] int ProcessesLeft();
// Directories of that name directly below any mounted control group hierarchy.
[[nodiscard]] std::vector<std::string> CgroupsNamed(const std::string& name);
// Mounts whose description holds `path`.
[[nodiscard]] std::vector<std::string> MountsOf(const std::string& path);

}  // namespace jettison
