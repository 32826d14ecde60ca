#include "cli/simulate/simulated_file.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <string_view>
#include <utility>

namespace jettison {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

// Items of a recording as NDJSON are objects of one member. What begins otherwise with a brace is a
// scenario; anything else is looked through for the chunks of a recording.
constexpr std::array<std::string_view, 7> kItems = {"about", "policy",  "pod", "pass",
                                                    "gap",   "oomKill", "note"};

bool BeginsAsScenario(std::string_view head) {
  const auto skip = [&head](std::string_view characters) {
    head.remove_prefix(std::min(head.find_first_not_of(characters), head.size()));
  };
  skip(kBlanks);
  if (!head.starts_with('{')) return head.empty();
  head.remove_prefix(1);
  skip(kBlanks);
  if (!head.starts_with('"')) return true;
  head.remove_prefix(1);
  for (const std::string_view item : kItems) {
    if (!head.starts_with(item) || !head.substr(item.size()).starts_with('"')) continue;
    head.remove_prefix(item.size() + 1);
    skip(kBlanks);
    skip(":");
    skip(kBlanks);
    return !head.starts_with('{');
  }
  return true;
}

}  // namespace

Result<SimulatedFile> SimulatedFile::Open(const std::string& path) {
  auto stream = InputStream::Open(path);
  if (!stream) return Fail(stream.error());
  SimulatedFile simulated;
  simulated.name_ = path == "-" ? "standard input" : path;
  simulated.stream_ = std::move(*stream);
  std::FILE* const file = simulated.stream_->file();
  if (BeginsAsScenario(simulated.stream_->Head())) {
    simulated.scenarios_ = std::make_unique<ScenarioSource>(simulated.name_, file);
  } else {
    simulated.recording_.emplace(file);
  }
  return simulated;
}

RecordingSource& SimulatedFile::source() {
  if (recording_) return recording_->source();
  return *scenarios_;
}

}  // namespace jettison
