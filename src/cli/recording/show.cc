#include "cli/recording/show.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <string>

#include "cli/ask/ask_agent.h"
#include "cli/recording/digest_text.h"
#include "cli/recording/recording_digest.h"
#include "cli/recording/recording_file.h"
#include "cli/terminal/exit_status.h"
#include "cli/terminal/output.h"
#include "cli/terminal/progress_bar.h"
#include "codec/flight/recording_lines.h"
#include "codec/flight/recording_writer.h"

namespace jettison {
namespace {

// How far the reading is asked of the kernel.
constexpr std::size_t kItemsPerLook = 256;

struct ShowOptions {
  std::string path;
  std::string output = "text";
};

Result<void> WriteToStandardOutput(std::string_view bytes) {
  if (std::fwrite(bytes.data(), 1, bytes.size(), stdout) == bytes.size()) return {};
  return Fail(ErrorCode::kInternal, fmt::format("cannot write: {}", std::strerror(errno)));
}

std::unique_ptr<RecordingSink> SinkFor(const std::string& output) {
  if (output == "ndjson") return std::make_unique<LineWriter>(WriteToStandardOutput);
  if (output == "recording") return std::make_unique<RecordingWriter>(WriteToStandardOutput);
  return nullptr;
}

// What was read of a recording, told or passed on.
class Shower {
 public:
  Shower(RecordingFile& file, const ShowOptions& options)
      : file_(file), options_(options), sink_(SinkFor(options.output)) {
    // What goes to the same terminal would be written into the bar.
    if (!sink_ || ::isatty(STDOUT_FILENO) == 0) bar_.emplace(true);
  }

  int Run() {
    for (;;) {
      const auto item = file_.source().Next();
      if (!item) {
        Complain(item.error());
        continue;
      }
      if (!*item) break;
      if (!Take(**item)) return kExitFailed;
      if (bar_ && items_++ % kItemsPerLook == 0) bar_->Draw(file_.Progress());
    }
    bar_.reset();
    return End();
  }

 private:
  void Complain(const Error& error) {
    const std::string& fault = error.message;
    is_unread_ |= error.code != ErrorCode::kInvalidArgument;
    digest_.AddFault(fault);
    if (bar_) bar_->Clear();
    if (options_.output != "json") PrintError("jettison: {}: {}\n", options_.path, fault);
  }

  bool Take(const RecordedItem& item) {
    if (!sink_) {
      digest_.Add(item);
      return true;
    }
    return IsWritten(sink_->Add(item));
  }

  static bool IsWritten(const Result<void>& written) {
    if (!written) PrintError("jettison: {}\n", written.error().message);
    return written.has_value();
  }

  [[nodiscard]] int Print() const {
    const RecordingDigest& digest = digest_.digest();
    return options_.output == "json" ? PrintData(DigestJson(digest, file_.found()))
                                     : PrintText(DigestText(digest, file_.found()));
  }

  int End() {
    if (sink_) {
      if (!IsWritten(sink_->Finish())) return kExitFailed;
      if (PrintData("") != 0) return kExitFailed;
    } else if (Print() != 0) {
      return kExitFailed;
    }
    if (is_unread_) return kExitFailed;
    return digest_.digest().fault_count == 0 ? 0 : kExitInvalidInput;
  }

  RecordingFile& file_;
  const ShowOptions& options_;
  std::unique_ptr<RecordingSink> sink_;
  DigestMaker digest_;
  bool is_unread_ = false;  // reading itself failed
  std::optional<ProgressBar> bar_;
  std::size_t items_ = 0;
};

int RunShow(const ShowOptions& options) {
  auto file = RecordingFile::Open(options.path);
  if (!file) {
    PrintError("jettison: {}\n", file.error().message);
    return kExitFailed;
  }
  return Shower(*file, options).Run();
}

constexpr const char* kShowFooter =
    "A recording is a file that `jettison record` has fetched, or the same items as NDJSON. show\n"
    "names the parts that are damaged, and reads the rest. `--output ndjson` writes every item\n"
    "without loss, and `--output recording` makes a recording of the items again.\n"
    "\n"
    "Examples:\n"
    "  jettison show node.jtr\n"
    "  jettison show node.jtr --output ndjson | jq -c 'select(.pass.report.evictions)'\n"
    "  jettison show items.ndjson --output recording > node.jtr\n"
    "\n"
    "Exit status: 0 done, 1 a file could not be read or written, 2 a part of the recording is\n"
    "damaged, or wrong usage.";

}  // namespace

void AddShow(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<ShowOptions>();
  CLI::App* command = app.add_subcommand("show", "Say what is in a recording");
  command->add_option("RECORDING", options->path, "a recording; - reads standard input")
      ->type_name("FILE")
      ->required();
  command->add_option("--output", options->output, "text, json, ndjson or recording")
      ->check(CLI::IsMember({"text", "json", "ndjson", "recording"}))
      ->capture_default_str();
  command->footer(kShowFooter);
  command->callback([options, &exit_code] { exit_code = RunShow(*options); });
}

}  // namespace jettison
