#include "sim/replay.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

#include "cli/commands.h"
#include "cli/recording/recording_file.h"
#include "cli/terminal/options.h"
#include "cli/terminal/output.h"
#include "codec/recordings/replay_writer.h"
#include "codec/recordings/scenario_reader.h"
#include "core/model/fault.h"
#include "core/scenario/scenario.h"
#include "kernel/files/line_reader.h"

namespace jettison {
namespace {

// Replays a file record by record, or pass by pass; what is wrong with one does not stop the
// others.
class Replayer {
 public:
  explicit Replayer(RecordingFile& file) : file_(file), lines_(file.stream()) {}

  int Run() {
    if (!(HasRecords() ? ReplayRecords() : ReplayPasses()) || !Flush()) return kExitFailed;
    if (lines_.Failed()) {
      PrintError("jettison: cannot read {}: {}\n", file_.name(), std::strerror(errno));
      return kExitFailed;
    }
    if (faults_ > kMostFaults) {
      PrintError("jettison: {}: {} lines have faults\n", file_.name(), faults_);
    }
    return faults_ > 0 || is_damaged_ ? kExitInvalidInput : 0;
  }

 private:
  static constexpr std::size_t kFlushAt = std::size_t{1} << 18;

  // Lines of text are records, whatever the first one is: what is wrong with it does not stop the
  // others. A binary recording whose first byte is damaged has bytes that no text has.
  bool HasRecords() {
    const bool is_text = file_.Head().find('\0') == std::string_view::npos;
    return file_.has_scenarios() || (is_text && !file_.Head().starts_with('{'));
  }

  bool ReplayRecords() {
    while (const auto line = lines_.Next()) {
      if (lines_.IsCutOff()) {
        Complain(lines_.TooLong());
      } else if (!IsBlank(*line)) {
        One(*line);
      }
      if (!HasRoom()) return false;
    }
    return true;
  }

  bool ReplayPasses() {
    Profile profile = Profile::kKubelet;
    for (;;) {
      const auto item = file_.source().Next();
      if (!item) {
        is_damaged_ = true;
        PrintError("jettison: {}: {}\n", file_.name(), item.error().message);
        if (item.error().code == ErrorCode::kInvalidArgument) continue;
        (void)Flush();
        return false;
      }
      if (!*item) return true;
      if (const auto* about = std::get_if<RecordingAbout>(&**item)) profile = about->profile;
      if (const auto* pass = std::get_if<std::shared_ptr<const RecordedPass>>(&**item)) {
        const Scenario scenario = ScenarioOf(**pass, profile);
        WriteReplay(scenario, Replay(scenario), out_);
      }
      if (!HasRoom()) return false;
    }
  }

  void One(std::string_view record) {
    const auto read = ReadScenario(record, scenario_);
    if (!read) {
      Complain(read.error().message);
    } else if (*read) {
      WriteReplay(**read, Replay(**read), out_);
    } else {
      WriteReplay(scenario_, Replay(scenario_), out_);
    }
  }

  void Complain(const std::string& problem) {
    if (++faults_ > kMostFaults) return;
    PrintError("jettison: {}:{}: {}\n", file_.name(), lines_.line_number(), problem);
  }

  // Whether there is room for more; false where it cannot be made.
  bool HasRoom() { return out_.size() < kFlushAt || Flush(); }

  bool Flush() {
    const bool written = PrintData(out_) == 0;
    out_.clear();
    return written;
  }

  RecordingFile& file_;
  LineReader lines_;
  Scenario scenario_;
  std::string out_;
  std::size_t faults_ = 0;  // lines that are wrong
  bool is_damaged_ = false;
};

int RunReplay(const std::string& path) {
  const auto file = RecordingFile::Open(path);
  if (!file) return Report(file.error());
  if ((*file)->IsEmpty()) {
    PrintError("jettison: {}\n", EmptyInput((*file)->name()));
    return kExitFailed;
  }
  return Replayer(**file).Run();
}

constexpr const char* kReplayFooter =
    "A record is a scenario ({\"name\", \"start\", \"kubeletConfig\", \"disk\", \"pods\", "
    "\"steps\"}),\n"
    "an object with a scenario in its member \"scenario\", or an image collection\n"
    "({\"imageGC\": {...}}). A recording that `jettison record` has fetched, or its items as\n"
    "NDJSON, is replayed pass by pass.\n"
    "The answer to each record is one line: {\"name\", \"steps\"} or\n"
    "{\"name\", \"removed\", \"error\", \"event\"}.\n"
    "\n"
    "Examples:\n"
    "  jettison replay scenarios.ndjson > answers.ndjson\n"
    "  zcat recorded.ndjson.gz | jettison replay -\n"
    "  jettison replay node.jtr\n"
    "\n"
    "Exit status: 0 done, 1 a file could not be read or written, 2 an invalid record or wrong\n"
    "usage.";

}  // namespace

void AddReplay(CLI::App& app, int& exit_code) {
  const auto [command, options] =
      AddCommand(app, exit_code, "replay",
                 "Say what the agent would have done in each scenario (NDJSON in and out)",
                 kReplayFooter, RunReplay);
  command
      .add_option("FILE", options,
                  "records, one on each line, or a recording; - reads standard input")
      ->type_name("FILE")
      ->required();
}

}  // namespace jettison
