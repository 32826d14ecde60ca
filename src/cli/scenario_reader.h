#pragma once

#include <memory>
#include <string_view>

#include "sim/scenario.h"
#include "units/result.h"

namespace jettison {

// Reads scenarios (tests/testdata/vectors/README.md has the fields) from JSON records, one after
// another; its buffers and the Scenario's memory are used again. Fails with kInvalidArgument and
// the path of what is wrong: "steps[2].summary.node.fs.inodes: must be a whole number, 0 or more".
class ScenarioReader {
 public:
  // Bytes that must be readable behind each record.
  static constexpr std::size_t kPadding = 64;

  ScenarioReader();
  ~ScenarioReader();

  // `record` is the scenario itself, or an object with the member "scenario"; other members of
  // that object, recorded outcomes for instance, are not read.
  [[nodiscard]] Result<void> Read(std::string_view record, Scenario& into);

 private:
  class Walk;
  struct Buffers;
  std::unique_ptr<Buffers> buffers_;
};

}  // namespace jettison
