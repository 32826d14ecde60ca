#pragma once

#include <string>

#include "cli/import/import_request.h"
#include "core/units/result.h"
#include "sim/imported/convert.h"

namespace jettison {

// Where the recording of a node is written: `out` itself, or in it where it is a folder or is to
// hold several. Characters that have no place in the name of a file become "%2F" and
// the like.
[[nodiscard]] std::string RecordingPath(const std::string& out, const std::string& node,
                                        bool several);

// A recording that is there once it is complete, with its size.
struct WrittenNode {
  std::string path;
  std::uint64_t bytes = 0;
  ImportSummary summary;
};
// Makes and writes the recording of one node.
[[nodiscard]] Result<WrittenNode> WriteNode(const std::string& path, const std::string& node,
                                            const NodeSeries& series, const ImportOptions& options);

}  // namespace jettison
