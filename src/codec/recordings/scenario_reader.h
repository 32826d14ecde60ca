#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "core/scenario/scenario.h"
#include "core/units/result.h"

namespace jettison {

// Reads what `jettison replay` takes (tests/testdata/vectors/README.md has the fields) from JSON
// records, one after another; its parsers are used again. Fails with
// kInvalidArgument and the path of what is wrong: "steps[2].summary.node.fs.inodes: must be a whole
// number, 0 or more".
class ScenarioReader {
 public:
  // Bytes that must be readable behind each record.
  static constexpr std::size_t kPadding = 64;

  ScenarioReader();
  ~ScenarioReader();

  // `record` is a scenario, or an object whose member "scenario" holds one or whose member
  // "imageGC" holds an image collection; members behind that one, recorded outcomes for instance,
  // are not read. A scenario is read into `into` and nothing is answered; an image collection is
  // answered.
  [[nodiscard]] Result<std::optional<ImageCollection>> Read(std::string_view record,
                                                            Scenario& into);

 private:
  class Walk;
  struct Parsers;
  std::unique_ptr<Parsers> parsers_;
};

}  // namespace jettison
