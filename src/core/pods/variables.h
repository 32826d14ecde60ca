#pragma once

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/model/pod.h"

namespace jettison {

// Names with their values, in the order in which they were first set.
class Variables {
 public:
  Variables() = default;
  Variables(std::initializer_list<std::pair<std::string, std::string>> entries)
      : entries_(entries) {}

  // Of a name that is set twice the last value holds.
  void Set(std::string_view name, std::string value);
  [[nodiscard]] std::optional<std::string> Find(std::string_view name) const;
  // Replaces "$(NAME)" by the variable's value; an unknown one stays as it is written, "$$" is a
  // dollar sign, and any other text is kept. What was put in is not expanded again. A text that
  // becomes longer than a string of a program may be is cut off: a manifest with one is refused
  // (ProgramFaultOf). Source: third_party/forked/golang/expansion, Expand (Kubernetes).
  [[nodiscard]] std::string Expand(std::string_view text) const;

  [[nodiscard]] const std::vector<std::pair<std::string, std::string>>& entries() const {
    return entries_;
  }

 private:
  std::vector<std::pair<std::string, std::string>> entries_;
};

// What the container itself sets, each value expanded with the variables before it.
[[nodiscard]] Variables OwnVariables(const Container& container);

// Linux' limits for a program's environment and arguments (execve(2)): one string with its NUL has
// at most MAX_ARG_STRLEN bytes; all strings, with a pointer to each, have at most a quarter of the
// stack limit of 8 MiB. One page is reserved for what the runtime adds.
inline constexpr std::size_t kMostStringBytes = std::size_t{128} << 10;
inline constexpr std::size_t kMostProgramBytes = (std::size_t{2} << 20) - 4096;

// A violation of these limits by a container.
struct ProgramFault {
  std::string_view field;  // "env", "command" or "args"
  std::size_t index = 0;   // in it
  std::string message;     // the allowed size
};

// Checks the sizes of variables, command and arguments after their expansion. Returns the first
// string that is too long, or with which the sum is too large.
[[nodiscard]] std::optional<ProgramFault> ProgramFaultOf(const Container& container);

}  // namespace jettison
