#pragma once

#include <string>
#include <vector>

#include "core/model/value.h"

namespace jettison {

// What a JSON schema refuses of a value, a line each that begins with the path. It knows those
// keywords that the schema of our chart uses; another one fails the test.
[[nodiscard]] std::vector<std::string> SchemaFaults(const Value& schema, const Value& value,
                                                    const std::string& path);

}  // namespace jettison
