#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace jettison {

// Notes of several recordings: each note once, with the number of recordings that have it. Only the
// first few are listed.
class NoteList {
 public:
  static constexpr std::size_t kMostTold = 20;

  // Those of one.
  void Add(std::span<const std::string> notes);
  // A paragraph that says of how many of `all` each note is; `one` is what one of them is called.
  // Empty: there are no notes.
  [[nodiscard]] std::string Text(std::size_t all, std::string_view one) const;

 private:
  struct Note {
    std::string text;
    std::size_t times = 0;
  };
  std::vector<Note> told_;
  std::size_t more_ = 0;
};

}  // namespace jettison
