#pragma once

#include <string>
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

// One line for people: FILE: KEY: "VALUE": MESSAGE.
[[nodiscard]] std::string Describe(const Fault& fault);
// All of them in one line, separated by "; ".
[[nodiscard]] std::string DescribeAll(const Faults& faults);

}  // namespace jettison
