#include "cli/simulate/recording_faults.h"

#include <fmt/format.h>

namespace jettison {

void RecordingFaults::Add(const std::string& fault) {
  const bool is_same = repeated_ > 0 && fault == last_;
  repeated_ = is_same ? repeated_ + 1 : 1;
  if (is_same) return;
  last_ = fault;
  if (told_.size() < kMostRecordingFaults) {
    told_.push_back(fault);
  } else {
    ++more_;
  }
}

std::vector<std::string> RecordingFaults::Told() const {
  std::vector<std::string> told = told_;
  if (more_ > 0) told.push_back(fmt::format("and {} more faults", more_));
  if (IsStuck()) {
    told.push_back(fmt::format("reading does not go on, so the rest is not read: {}", last_));
  }
  return told;
}

}  // namespace jettison
