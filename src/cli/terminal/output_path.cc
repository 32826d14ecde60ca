#include "cli/terminal/output_path.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <optional>
#include <utility>

namespace jettison {
namespace {

constexpr const char* kStandardStream = "-";

using FileIdentity = std::pair<dev_t, ino_t>;

std::optional<FileIdentity> RegularFile(int failed, const struct stat& facts) {
  if (failed != 0 || !S_ISREG(facts.st_mode)) return std::nullopt;
  return FileIdentity(facts.st_dev, facts.st_ino);
}

std::optional<FileIdentity> OutputAt(const std::string& path) {
  if (path.empty() || path == kStandardStream) return std::nullopt;
  struct stat facts {};
  return RegularFile(::stat(path.c_str(), &facts), facts);
}

std::optional<FileIdentity> InputAt(const std::string& path) {
  struct stat facts {};
  if (path == kStandardStream) return RegularFile(::fstat(STDIN_FILENO, &facts), facts);
  return RegularFile(::stat(path.c_str(), &facts), facts);
}

}  // namespace

std::string WhyInputWouldBeLost(const std::vector<OutputPath>& outputs,
                                const std::vector<std::string>& inputs) {
  for (const OutputPath& output : outputs) {
    const auto written = OutputAt(output.path);
    if (!written) continue;
    for (const std::string& input : inputs) {
      if (InputAt(input) != written) continue;
      return fmt::format("{} {}: is the same file as the input {}; name another file",
                         output.option, output.path,
                         input == kStandardStream ? "on standard input" : input);
    }
  }
  return "";
}

}  // namespace jettison
