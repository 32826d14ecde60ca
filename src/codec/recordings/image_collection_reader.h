#pragma once

#include "core/model/value.h"
#include "core/scenario/scenario.h"
#include "core/units/result.h"

namespace jettison {

// Reads the member "imageGC" of a record (tests/testdata/vectors/README.md has its fields). Fails
// with every fault in one message.
[[nodiscard]] Result<ImageCollection> ReadImageCollection(const Value& image_gc);

}  // namespace jettison
