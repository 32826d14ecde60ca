#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace jettison {

// So many faults of one recording are told; the others are counted.
inline constexpr std::size_t kMostRecordingFaults = 20;

// What is wrong with a recording that is read, fault by fault.
class RecordingFaults {
 public:
  void Add(const std::string& fault);
  // The same fault came so often, one after the other, that reading does not go on.
  [[nodiscard]] bool IsStuck() const { return repeated_ >= kMostRecordingFaults; }
  // The first of them, and how many there are beside those; whether the rest was given up.
  [[nodiscard]] std::vector<std::string> Told() const;
  // An item was read since the last fault.
  void NoteProgress() { repeated_ = 0; }

 private:
  std::vector<std::string> told_;
  std::size_t more_ = 0;
  std::string last_;
  std::size_t repeated_ = 0;  // times that `last_` came without an item in between
};

}  // namespace jettison
