#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace jettison {

// One thing wrong with an input, precise enough to mend it without asking: where it stands, what
// was found, and what is allowed.
struct Fault {
  std::string file;     // empty where the input has no name
  std::string key;      // a path: "evictionHard[memory.available]", "spec.containers[0].command"
  std::string value;    // as found
  std::string message;  // what is wrong and what is allowed
};
using Faults = std::vector<Fault>;

// The most faults, or warnings, that are listed of one input; then stands that there are more.
inline constexpr std::size_t kMostFaults = 100;

// Adds a fault, so that a hostile input makes no more of them than a person reads: behind
// kMostFaults stands "and more". Quoted text is shortened, and URLs in it are redacted.
void AddFault(Faults& faults, Fault fault);
// Adds the faults of a part of a file, with the file's name.
void AddFaults(Faults& faults, Faults&& part, const std::string& file);
// The same for lines of text.
void AddLine(std::vector<std::string>& lines, const std::string& line);

// At most `most` bytes of a text, cut between two characters, "..." behind it where it was longer.
[[nodiscard]] std::string Shortened(std::string_view text, std::size_t most);

// One line for people, whatever is in it (Printable): FILE: KEY: "VALUE": MESSAGE.
[[nodiscard]] std::string Describe(const Fault& fault);
// All of them in one line, separated by "; ".
[[nodiscard]] std::string DescribeAll(const Faults& faults);

}  // namespace jettison
