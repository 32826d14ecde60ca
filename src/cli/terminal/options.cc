#include "cli/terminal/options.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "core/model/signal.h"
#include "core/text/spelling.h"

namespace jettison {
namespace {

constexpr const char* kStandardStream = "-";

using FileIdentity = std::pair<dev_t, ino_t>;

// Of a file that can be lost.
std::optional<FileIdentity> RegularFileAt(const std::string& path) {
  struct stat facts {};
  const int failed =
      path == kStandardStream ? ::fstat(STDIN_FILENO, &facts) : ::stat(path.c_str(), &facts);
  if (failed != 0 || !S_ISREG(facts.st_mode)) return std::nullopt;
  return FileIdentity(facts.st_dev, facts.st_ino);
}

}  // namespace

CLI::Option* AddOutput(CLI::App& command, std::string& output, const std::string& help) {
  return command.add_option("--output", output, help)
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
}

std::function<std::string(const std::string&)> KnownSignal() {
  return [](const std::string& text) -> std::string {
    std::vector<std::string_view> names;
    for (const Signal signal : kAllSignals) names.push_back(NameOf(signal));
    if (std::ranges::find(names, text) != names.end()) return "";
    return fmt::format("{}: there is no such signal{}; allowed: {}", text, DidYouMean(text, names),
                       Alternatives(names));
  };
}

std::string WhyDataWouldBeLost(const std::vector<OutputPath>& outputs,
                               const std::vector<std::string>& inputs) {
  std::map<std::filesystem::path, std::string_view> written_by;
  for (const OutputPath& output : outputs) {
    std::error_code ignored;
    if (output.path.empty() || output.path == kStandardStream ||
        std::filesystem::is_other(output.path, ignored)) {
      continue;
    }
    const auto [first, is_new] =
        written_by.emplace(std::filesystem::weakly_canonical(output.path, ignored), output.option);
    if (!is_new) {
      return fmt::format("{} {}: is the same file as that of {}; name another file", output.option,
                         output.path, first->second);
    }
    const auto written = RegularFileAt(output.path);
    if (!written) continue;
    for (const std::string& input : inputs) {
      if (RegularFileAt(input) != written) continue;
      return fmt::format("{} {}: is the same file as the input {}; name another file",
                         output.option, output.path,
                         input == kStandardStream ? "on standard input" : input);
    }
  }
  return "";
}

}  // namespace jettison
