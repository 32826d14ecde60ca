#pragma once

#include <string>
#include <utility>

#include "core/units/result.h"

namespace jettison {

// What keeps a command from beginning. Each fault is told on standard error at once, and the
// command goes on to look for others, so that one run tells all of them.
class CommandFaults {
 public:
  // Wrong usage. An empty text is no fault.
  void Add(const std::string& fault);
  // Wrong usage, or what cannot be read.
  void Add(const Error& error);
  // The value. Where there is none its error is a fault, and the answer is of no meaning.
  template <typename T>
  [[nodiscard]] T Take(Result<T> read) {
    if (read) return *std::move(read);
    Add(read.error());
    return T{};
  }

  // 0 where there is none, else the exit status of the command: that of wrong usage before that of
  // what cannot be read, because another try does not help.
  [[nodiscard]] int status() const { return status_; }

 private:
  int status_ = 0;
};

}  // namespace jettison
