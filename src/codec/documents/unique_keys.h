#pragma once

#include <string>

#include "core/model/value.h"

namespace jettison::documents {

// A key that the map holds more than once, or null; linear in small maps, n log n in large ones.
[[nodiscard]] const std::string* RepeatedKey(const Value::Map& map);

}  // namespace jettison::documents
