#pragma once

#include <set>
#include <string>
#include <string_view>

namespace jettison {

// Everything that the agent of a busy node exposes, those of its process included.
[[nodiscard]] std::string ExposedText();
// The names of the families in it.
[[nodiscard]] std::set<std::string> ExposedNames();
// Names in a text that look like metrics of ours: kubelet_*, jettison_*, process_*. Those of a
// histogram's series are told by the histogram's.
[[nodiscard]] std::set<std::string> NamesIn(std::string_view text);
[[nodiscard]] std::string FileText(const std::string& path);

}  // namespace jettison
