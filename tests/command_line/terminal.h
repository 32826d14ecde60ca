#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "ports/file_descriptor.h"

namespace jettison {

// A terminal with a program on it, as somebody at a keyboard has it. Only what programs do that
// draw whole pictures is understood: the last one is the text behind the last move to the corner.
class Terminal {
 public:
  // `environment` is added to the test's own, as "NAME=value".
  Terminal(const std::vector<std::string>& arguments, const std::vector<std::string>& environment,
           int columns, int rows);
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;
  ~Terminal();

  // Reads until the screen shows `text`; false when it does not within ten seconds.
  bool WaitFor(const std::string& text);
  void Type(const std::string& keys) const;
  void Signal(int signal) const;
  // Waits for the end: its exit status, 128 + n after signal n, -1 where it does not end.
  int Wait();

  // What stands on the screen, without colours.
  [[nodiscard]] std::vector<std::string> Screen() const;
  // Everything that was written.
  [[nodiscard]] const std::string& output() const { return output_; }

 private:
  bool ReadMore(int milliseconds);

  pid_t pid_ = -1;
  FileDescriptor terminal_;
  std::string output_;
};

}  // namespace jettison
