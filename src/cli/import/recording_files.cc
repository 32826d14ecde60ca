#include "cli/import/recording_files.h"

#include <fmt/format.h>

#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

#include "codec/flight/recording_writer.h"
#include "core/text/ascii.h"
#include "kernel/files/whole_file.h"

namespace jettison {
namespace {

namespace fs = std::filesystem;

// No two nodes have the same.
std::string FileNameOf(const std::string& node) {
  std::string name;
  for (const char c : node) {
    const bool plain = IsDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
                       c == '_' || (c == '.' && !name.empty());
    name += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return name + ".jtr";
}

}  // namespace

std::string RecordingPath(const std::string& out, const std::string& node, bool several) {
  std::error_code ignored;
  if (!several && !out.ends_with('/') && !fs::is_directory(out, ignored)) return out;
  return (fs::path(out) / FileNameOf(node)).string();
}

Result<WrittenNode> WriteNode(const std::string& path, const std::string& node,
                              const NodeSeries& series, const ImportOptions& options) {
  std::error_code ignored;
  if (const fs::path folder = fs::path(path).parent_path(); !folder.empty()) {
    fs::create_directories(folder, ignored);
  }
  WholeFile file(path);
  if (file.fault()) return Fail(*file.fault());
  RecordingWriter writer([&](std::string_view chunk) -> Result<void> {
    if (!file.Add(chunk)) return Fail(*file.fault());
    return {};
  });
  auto summary = ImportNode(node, series, options, writer);
  if (!summary) return Fail(summary.error());
  if (auto placed = file.PutInPlace(); !placed) return Fail(placed.error());
  return WrittenNode{.path = path, .bytes = file.size(), .summary = *std::move(summary)};
}

}  // namespace jettison
