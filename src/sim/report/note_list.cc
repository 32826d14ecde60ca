#include "sim/report/note_list.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/text/printable.h"
#include "sim/report/report_words.h"

namespace jettison {

void NoteList::Add(std::span<const std::string> notes) {
  for (std::size_t i = 0; i < notes.size(); ++i) {
    const auto before = notes.first(i);
    if (std::ranges::find(before, notes[i]) != before.end()) continue;
    const auto at = std::ranges::find(told_, notes[i], &Note::text);
    if (at != told_.end()) {
      ++at->times;
    } else if (told_.size() < kMostTold) {
      told_.push_back({.text = notes[i], .times = 1});
    } else {
      ++more_;
    }
  }
}

std::string NoteList::Text(std::size_t all, std::string_view one) const {
  if (told_.empty()) return "";
  std::string out = "NOTES  what the recordings say of themselves\n";
  for (const Note& note : told_) {
    out +=
        fmt::format("  - of {} of {}: {}\n", note.times, CountText(all, one), Printable(note.text));
  }
  if (more_ > 0) out += fmt::format("  - and {} more\n", more_);
  return out;
}

}  // namespace jettison
