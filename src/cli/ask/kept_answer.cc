#include "cli/ask/kept_answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "kernel/files/files.h"

namespace jettison {
namespace {

namespace fs = std::filesystem;

std::string FileIn(const std::string& root) {
  return root + "/kubelet-configuration";
}

// The name of the node comes first, because a root may be given to another node.
std::string Content(const std::string& node, const std::string& text) {
  return node + "\n" + text;
}

}  // namespace

Result<void> KeepAnswer(const std::string& root, const std::string& node, const std::string& text) {
  const std::string file = FileIn(root);
  const std::string content = Content(node, text);
  if (kernel::ReadFile(file) != content) return kernel::WriteFile(file, content);
  std::error_code failed;
  fs::last_write_time(file, fs::file_time_type::clock::now(), failed);
  if (!failed) return {};
  return Fail(ErrorCode::kInternal, fmt::format("touch {}: {}", file, failed.message()));
}

std::optional<KeptAnswer> ReadKeptAnswer(const std::string& root, const std::string& node) {
  const std::string file = FileIn(root);
  const auto content = kernel::ReadFile(file);
  const std::string begin = Content(node, "");
  if (!content || !content->starts_with(begin)) return std::nullopt;
  KeptAnswer kept{.answer = AnswerOf(content->substr(begin.size()), node)};
  if (!kept.answer.side.document) return std::nullopt;
  std::error_code failed;
  const auto written = fs::last_write_time(file, failed);
  if (failed) return std::nullopt;
  kept.age =
      std::max(Duration(0),
               std::chrono::duration_cast<Duration>(fs::file_time_type::clock::now() - written));
  return kept;
}

}  // namespace jettison
