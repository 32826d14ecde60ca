#pragma once

#include <optional>
#include <string_view>

#include "core/scenario/scenario.h"
#include "core/units/result.h"

namespace jettison {

// Reads what `jettison replay` takes (tests/testdata/vectors/README.md has the fields) from a JSON
// record: a scenario, or an object whose member "scenario" holds one or whose member "imageGC"
// holds an image collection; other members, recorded outcomes for instance, are passed over. A
// scenario is read into `into` and nothing is answered; an image collection is answered.
//
// Fails with kInvalidArgument and everything that is wrong, each with its path:
// `steps[2].summary.node.fs.inodes: "-1": must be a whole number, 0 or more`.
[[nodiscard]] Result<std::optional<ImageCollection>> ReadScenario(std::string_view record,
                                                                  Scenario& into);

}  // namespace jettison
