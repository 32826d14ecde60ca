#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
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

// Every fault of what is read, as one error with a line each, which a command tells.
class FaultLines {
 public:
  void Add(std::string_view fault) {
    if (!text_.empty()) text_ += "\njettison: ";
    text_ += fault;
  }
  // Where there is no value its error is a fault.
  template <typename T>
  std::optional<T> Take(Result<T> read) {
    if (read) return *std::move(read);
    if (read.error().code != ErrorCode::kInvalidArgument) SetUnread();
    Add(read.error().message);
    return std::nullopt;
  }
  // Something could not be read, so another try may help.
  void SetUnread() { code_ = ErrorCode::kUnavailable; }
  [[nodiscard]] bool empty() const { return text_.empty(); }
  [[nodiscard]] Error AsError() const { return {code_, text_}; }

 private:
  std::string text_;
  ErrorCode code_ = ErrorCode::kInvalidArgument;
};

// Says what is wrong with lines of an input. Lines one after the other with the same fault are said
// as one, with their number; beyond kMostFaults (core/model/fault.h) faults are only counted.
class LineFaults {
 public:
  // `name` stands in front of the line's number.
  explicit LineFaults(std::string name) : name_(std::move(name)) {}

  void Add(std::size_t line, const std::string& fault);
  // Says what has not been said yet. Whether there was any fault.
  bool Close();

 private:
  void Say();

  std::string name_;
  std::string fault_;
  std::size_t first_ = 0;  // line with this fault
  std::size_t last_ = 0;
  std::size_t times_ = 0;  // 0: there is no fault to be said
  std::size_t said_ = 0;
  std::size_t unsaid_ = 0;
};

}  // namespace jettison
