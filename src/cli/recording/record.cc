#include "cli/recording/record.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

#include "cli/ask/ask_agent.h"
#include "cli/ask/time_option.h"
#include "cli/terminal/exit_status.h"
#include "core/units/duration.h"
#include "http/client/client.h"
#include "kernel/files/whole_file.h"

namespace jettison {
namespace {

struct RecordOptions {
  std::string path;
  std::string since;
  std::string until;
  AskOptions ask{.timeout_seconds = 600};
};

// A line that grows, where somebody looks on.
class Progress {
 public:
  void Tell(std::uint64_t bytes) {
    if (!shown_ || bytes < told_ + (std::uint64_t{1} << 18)) return;
    told_ = bytes;
    fmt::print(stderr, "\r{} KiB", bytes >> 10U);
  }
  void End() const {
    if (shown_ && told_ > 0) fmt::print(stderr, "\r\033[K");
  }

 private:
  bool shown_ = ::isatty(STDERR_FILENO) == 1;
  std::uint64_t told_ = 0;
};

// As the agent is asked for it; nothing where nothing was said.
Result<std::string> TimeOf(std::string_view option, const std::string& text) {
  if (text.empty()) return std::string();
  return TimeNamed(option, text, Instant(std::chrono::system_clock::now())).map(FormatInstant);
}

Result<std::string> PathOf(const RecordOptions& options) {
  auto since = TimeOf("--since", options.since);
  if (!since) return since;
  auto until = TimeOf("--until", options.until);
  if (!until) return until;
  return fmt::format("/api/v1/recording?since={}&until={}", EncodedForUrl(*since),
                     EncodedForUrl(*until));
}

Result<void> Fetch(const RecordOptions& options, const std::string& path, WholeFile& file) {
  auto target = TargetOf(options.ask);
  if (!target) return Fail(target.error());
  Progress progress;
  target->take_body = [&](std::string_view piece) {
    const bool written = file.Add(piece);
    progress.Tell(file.size());
    return written;
  };
  const auto answer = HttpGet(*target, path);
  progress.End();
  if (file.fault()) return Fail(*file.fault());
  if (!answer) return Fail(answer.error());
  if (auto refused = CheckAnswer(*answer); !refused) return refused;
  return file.PutInPlace();
}

int RunRecord(const RecordOptions& options) {
  const auto path = PathOf(options);
  if (!path) {
    fmt::print(stderr, "jettison: {}\n", path.error().message);
    return kExitInvalidInput;
  }
  WholeFile file(options.path);
  if (file.fault()) {
    fmt::print(stderr, "jettison: {}\n", file.fault()->message);
    return kExitFailed;
  }
  if (const auto fetched = Fetch(options, *path, file); !fetched) {
    return ReportUnanswered(fetched.error());
  }
  fmt::print("{}: {} bytes\n", options.path, file.size());
  return 0;
}

constexpr const char* kRecordFooter =
    "The agent keeps a recording of its passes: their figures, pods, evictions and OOM kills.\n"
    "record fetches all of it, or the parts that cover the time that is asked for. FILE appears\n"
    "only when it is complete.\n"
    "\n"
    "Examples:\n"
    "  jettison record node.jtr\n"
    "  jettison record last-hours.jtr --since 6h\n"
    "  jettison record night.jtr --since 2026-01-31T00:00:00Z --until 2026-01-31T06:00:00Z\n"
    "\n"
    "Exit status: 0 done, 1 the agent could not be asked, records nothing, or the file cannot be\n"
    "written, 2 wrong usage.";

}  // namespace

void AddRecord(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<RecordOptions>();
  CLI::App* command =
      app.add_subcommand("record", "Fetch what the agent has recorded of its passes");
  command->add_option("FILE", options->path, "the file to write the recording to")->required();
  command->add_option("--since", options->since,
                      "start of the range: a time, a day or a duration before now (6h)");
  command->add_option("--until", options->until,
                      "end of the range: a time, a day or a duration before now");
  AddAskOptions(*command, options->ask);
  command->footer(kRecordFooter);
  command->callback([options, &exit_code] { exit_code = RunRecord(*options); });
}

}  // namespace jettison
