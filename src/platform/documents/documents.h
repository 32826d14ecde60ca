#pragma once

#include <string_view>
#include <vector>

#include "model/value.h"
#include "units/result.h"

namespace jettison {

// How deep lists and maps may nest; deeper text is refused.
inline constexpr int kMaxDocumentDepth = 100;

// Every document of a file, JSON or YAML told apart by content: what begins with '{' or '[' is JSON
// (one or several texts in a row), everything else YAML. Documents that say nothing (empty, null)
// are left out, so an empty file gives an empty list. Lines count from the start of `text`.
//
// Fails with kInvalidArgument and "line N: ..." on the first thing that cannot be read.
[[nodiscard]] Result<std::vector<Value>> ParseDocuments(std::string_view text);

}  // namespace jettison
