#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "core/model/value.h"
#include "core/units/result.h"

namespace jettison {

// How deep lists and maps may nest; deeper text is refused.
inline constexpr int kMaxDocumentDepth = 100;

// No limit to the memory that a text may take once it is understood.
inline constexpr std::size_t kUnlimitedMemory = std::numeric_limits<std::size_t>::max();

// Every document of a file, JSON or YAML told apart by content: what begins with '{' or '[' is JSON
// (one or several texts in a row), everything else YAML. Documents that say nothing (empty, null)
// are left out, so an empty file gives an empty list. Lines count from the start of `text`.
//
// Fails with kInvalidArgument and "line N: ..." on the first thing that cannot be read, or where
// the values of all documents would take more than `most_memory` bytes. While it reads, up to four
// times as much is held beside the text. A key that a map has twice is a fault as well, unless
// `repeated` is there: then the last one counts, and a line is added to it, "line N: the map that
// begins here has ...".
[[nodiscard]] Result<std::vector<Value>> ParseDocuments(
    std::string_view text, std::size_t most_memory = kUnlimitedMemory,
    std::vector<std::string>* repeated = nullptr);

}  // namespace jettison
