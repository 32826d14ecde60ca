#pragma once

#include "core/json/json_writer.h"
#include "core/model/value.h"
#include "core/units/result.h"
#include "ports/clock.h"

namespace jettison {

// A moment as a member of a file's JSON:
//
//   {"at":"2026-01-01T00:00:00Z","bootID":"...","sinceBoot":"1h2m3s"}
void WriteTimeMark(const TimeMark& mark, JsonWriter& json);
// kInvalidArgument where it is none.
[[nodiscard]] Result<TimeMark> TimeMarkIn(const Value& value);

}  // namespace jettison
