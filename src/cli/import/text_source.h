#pragma once

#include <string>
#include <vector>

#include "core/metric_series/metric_series.h"
#include "core/units/result.h"
#include "sim/imported/series.h"

namespace jettison {

// A dump of a Prometheus in a file. It is read line by line; nothing is held of it.
class TextSource {
 public:
  explicit TextSource(std::string path) : path_(std::move(path)) {}

  // Reads which series there are, and what they tell of nodes. Fails where the file cannot be read.
  [[nodiscard]] Result<void> Learn(NodeDirectory& directory);
  // Reads the samples of the series that the sink wants.
  [[nodiscard]] Result<void> ReadInto(SeriesSink& sink);

  // What is wrong with lines, by their numbers; the first kMostFaults, and how many there are.
  [[nodiscard]] const std::vector<std::string>& faults() const { return faults_; }
  [[nodiscard]] std::size_t fault_count() const { return fault_count_; }
  static constexpr std::size_t kMostFaults = 20;

 private:
  class Pass;
  void Note(std::size_t line, const std::string& fault);

  std::string path_;
  std::vector<std::string> faults_;
  std::size_t fault_count_ = 0;
};

}  // namespace jettison
