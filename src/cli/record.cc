#include <fmt/format.h>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "cli/ask/ask_agent.h"
#include "cli/commands.h"
#include "cli/terminal/options.h"
#include "cli/terminal/output.h"
#include "codec/flight/recording_writer.h"
#include "core/units/duration.h"
#include "http/client/client.h"
#include "kernel/files/whole_file.h"

namespace jettison {
namespace {

constexpr const char* kStandardOutput = "-";

struct RecordOptions {
  std::string path;
  std::string since;
  std::string until;
  AskOptions ask{.timeout_seconds = 600};
};

std::string PathOf(const RecordOptions& options, CommandFaults& faults) {
  const Instant now(std::chrono::system_clock::now());
  const auto time_of = [&](std::string_view option, const std::string& text) {
    if (text.empty()) return std::optional<Instant>();
    return faults.Take(
        TimeNamed(option, text, now).map([](Instant at) { return std::optional(at); }));
  };
  const auto encoded = [](const std::optional<Instant>& at) {
    return at ? EncodedForUrl(FormatInstant(*at)) : "";
  };
  const auto since = time_of("--since", options.since);
  const auto until = time_of("--until", options.until);
  if (since && until && *since >= *until) {
    faults.Add(fmt::format("--since {}: must be before --until {}, which is {}", options.since,
                           options.until, FormatInstant(*until)));
  }
  return fmt::format("/api/v1/recording?since={}&until={}", encoded(since), encoded(until));
}

// The answer goes on to the file once it has begun as a recording does.
Result<void> Fetch(const RecordOptions& options, HttpTarget target, const std::string& path,
                   WholeFile& file) {
  std::string head;
  bool has_begun = false;
  // False: no more is wanted.
  target.take_body = [&](std::string_view piece) {
    if (has_begun) return file.Add(piece);
    head += piece;
    if (head.size() < kChunkMagic.size()) return true;
    has_begun = head.starts_with(kChunkMagic);
    return has_begun && file.Add(head);
  };
  const auto answer = HttpGet(target, path);
  if (has_begun && file.fault()) return Fail(*file.fault());
  if (!has_begun && !head.empty()) {
    return Fail(ErrorCode::kInternal,
                fmt::format("{} does not answer as an agent does: the answer is no recording",
                            options.ask.server));
  }
  if (!answer) return Fail(answer.error());
  if (auto refused = CheckAnswer(*answer); !refused) return refused;
  if (head.empty()) {
    return Fail(ErrorCode::kNotFound,
                options.since.empty() && options.until.empty()
                    ? "the agent has recorded nothing yet"
                    : "the agent has recorded nothing in that time (--since, --until)");
  }
  return file.PutInPlace();
}

// The file is complete. What is said of a recording on standard output does not stand in it.
int Tell(const RecordOptions& options, std::uint64_t bytes) {
  const std::string line = fmt::format("{}: {} bytes\n", options.path, bytes);
  if (options.path != kStandardOutput && options.path != "/dev/stdout") return PrintText(line);
  PrintError("{}", line);
  return 0;
}

int RunRecord(const RecordOptions& options) {
  CommandFaults faults;
  const std::string path = PathOf(options, faults);
  HttpTarget target = faults.Take(TargetOf(options.ask));
  if (faults.status() != 0) return faults.status();
  WholeFile file(options.path == kStandardOutput ? "/dev/stdout" : options.path);
  if (file.fault()) return Report(*file.fault());
  if (const auto fetched = Fetch(options, std::move(target), path, file); !fetched) {
    return Report(fetched.error());
  }
  return Tell(options, file.size());
}

constexpr const char* kRecordFooter =
    "The agent keeps a recording of its passes: their figures, pods, evictions and OOM kills.\n"
    "record fetches all of it, or the parts that cover the time that is asked for. FILE appears\n"
    "only when it is complete; a device or a pipe is written to as the recording arrives.\n"
    "\n"
    "Examples:\n"
    "  jettison record node.jtr\n"
    "  jettison record last-hours.jtr --since 6h\n"
    "  jettison record - --since 6h | jettison show -\n"
    "  jettison record night.jtr --since 2026-01-31T00:00:00Z --until 2026-01-31T06:00:00Z\n"
    "\n"
    "Exit status: 0 done, 1 the agent could not be asked, has recorded nothing in that time, or\n"
    "the file cannot be written, 2 wrong usage.";

}  // namespace

void AddRecord(CLI::App& app, int& exit_code) {
  const auto [command, options] =
      AddCommand(app, exit_code, "record", "Fetch what the agent has recorded of its passes",
                 kRecordFooter, RunRecord);
  command
      .add_option("FILE", options.path,
                  "the file to write the recording to; - writes it to standard output")
      ->type_name("FILE")
      ->required();
  command.add_option("--since", options.since,
                     "start of the range: a time, a day or a duration before now (6h)");
  command.add_option("--until", options.until,
                     "end of the range: a time, a day or a duration before now");
  AddAskOptions(command, options.ask);
}

}  // namespace jettison
