#pragma once

#include "core/json/json_writer.h"
#include "core/model/value.h"

namespace jettison::kube {

// Writes a value as the JSON that it was read from, but for blanks.
void WriteValue(const Value& value, JsonWriter& json);

}  // namespace jettison::kube
