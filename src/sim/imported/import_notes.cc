#include "sim/imported/import_notes.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace jettison {

void ImportNotes::Add(std::string_view kind, std::string text) {
  auto count = counts_.find(kind);
  if (count == counts_.end()) count = counts_.emplace(kind, 0).first;
  if (++count->second <= kMostOfAKind) texts_.push_back(std::move(text));
}

void ImportNotes::AddOnce(std::string text) {
  if (std::ranges::find(texts_, text) == texts_.end()) texts_.push_back(std::move(text));
}

std::vector<std::string> ImportNotes::All() const {
  std::vector<std::string> all = texts_;
  for (const auto& [kind, count] : counts_) {
    if (count <= kMostOfAKind) continue;
    all.push_back(fmt::format("{} more {} are not told one by one", count - kMostOfAKind, kind));
  }
  return all;
}

}  // namespace jettison
