#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/units/duration.h"

namespace jettison {

// What is to be known of an imported recording, a sentence each without its full stop. Of one kind
// only the first few are told one by one, and the others are counted.
class ImportNotes {
 public:
  static constexpr std::size_t kMostOfAKind = 20;

  // `kind` says what the others are where there are too many: "gaps".
  void Add(std::string_view kind, std::string text);
  // A sentence that is told once, however often it is said.
  void AddOnce(std::string text);

  // In the order in which they were added, the counts last.
  [[nodiscard]] std::vector<std::string> All() const;

 private:
  std::vector<std::string> texts_;
  std::map<std::string, std::uint64_t, std::less<>> counts_;  // by kind
};

}  // namespace jettison
