#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "cli/ask/ask_agent.h"
#include "cli/recording/recording.h"
#include "cli/recording/recording_file.h"
#include "cli/terminal/output.h"
#include "cli/terminal/terminal.h"
#include "codec/flight/recording_lines.h"
#include "codec/flight/recording_writer.h"
#include "core/json/json_writer.h"
#include "core/text/printable.h"

namespace jettison {
namespace {

template <typename T>
void Tell(std::vector<T>& list, T item) {
  if (list.size() < RecordingDigest::kMostTold) list.push_back(std::move(item));
}

template <typename... Args>
void Line(std::string& out, std::string_view name, fmt::format_string<Args...> text,
          Args&&... args) {
  fmt::format_to(std::back_inserter(out), "{:<12}", name);
  out += Printable(fmt::format(text, std::forward<Args>(args)...)) + '\n';
}

void More(std::string& out, std::uint64_t count, std::size_t told) {
  if (count > told) Line(out, "", "and {} more", count - told);
}

void PutGaps(std::string& out, const RecordingDigest& digest) {
  for (const DigestGap& gap : digest.gaps) {
    Line(out, "gap", "{} to {}: {}", FormatInstant(gap.from), FormatInstant(gap.to), gap.why);
  }
  More(out, digest.gap_count, digest.gaps.size());
  for (const DigestGap& step : digest.clock_steps) {
    Line(out, "clock", "set back from {} to {}", FormatInstant(step.from), FormatInstant(step.to));
  }
  More(out, digest.clock_step_count, digest.clock_steps.size());
}

void PutGaps(std::string_view name, const std::vector<DigestGap>& gaps, JsonWriter& json) {
  json.Objects(name, gaps, [&](const DigestGap& gap) {
    json.Field("from", FormatInstant(gap.from));
    json.Field("to", FormatInstant(gap.to));
    json.Field("why", gap.why);
  });
}

void PutCounts(const RecordingDigest& digest, JsonWriter& json) {
  json.Field("passes", digest.passes);
  json.Field("actingPasses", digest.acting_passes);
  json.Field("evictions", digest.evictions);
  json.Field("oomKills", digest.oom_kills);
  json.Field("reclaims", digest.reclaims);
  json.Field("pods", digest.pods.size());
  json.Field("policies", digest.policies);
  json.Field("starts", digest.start_count);
  json.Field("gapCount", digest.gap_count);
  json.Field("clockSteps", digest.clock_step_count);
}

void PutStarts(const std::vector<RecordingAbout>& starts, JsonWriter& json) {
  json.Objects("agentStarts", starts, [&](const RecordingAbout& start) {
    json.Field("at", FormatInstant(start.at));
    json.Field("maker", start.maker);
    json.Field("node", start.node);
  });
}

void PutEvicted(const std::vector<DigestEviction>& evicted, JsonWriter& json) {
  json.Objects("evicted", evicted, [&](const DigestEviction& eviction) {
    json.Field("uid", eviction.pod_uid);
    json.Field("at", FormatInstant(eviction.at));
    json.Field("message", eviction.message);
  });
}

void PutBytes(const RecordingFound& found, JsonWriter& json) {
  json.Field("bytes", found.bytes);
  json.Field("chunks", found.chunks);
  json.Field("damagedBytes", found.damaged_bytes);
  json.Field("missingChunks", found.chunks_missing);
}

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

void DigestMaker::Add(const RecordedItem& item) {
  if (const auto* about = std::get_if<RecordingAbout>(&item)) {
    digest_.nodes.insert(about->node);
    Tell(digest_.starts, *about);
    ++digest_.start_count;
    if (last_time_ && about->at < *last_time_) NoteStepBack(*last_time_, about->at);
    last_pass_.reset();
  } else if (const auto* gap = std::get_if<RecordedGap>(&item)) {
    AddGap({.from = gap->from, .to = gap->to, .why = gap->why});
    last_pass_.reset();
  } else if (const auto* note = std::get_if<RecordedNote>(&item)) {
    ++digest_.note_count;
    Tell(digest_.notes, note->text);
  } else if (std::holds_alternative<RecordedOomKill>(item)) {
    ++digest_.oom_kills;
  } else {
    AddPass(*std::get<std::shared_ptr<const RecordedPass>>(item));
  }
}

void DigestMaker::AddFault(const std::string& fault) {
  ++digest_.fault_count;
  Tell(digest_.faults, fault);
}

void DigestMaker::NoteStepBack(Instant from, Instant to) {
  ++digest_.clock_step_count;
  Tell(digest_.clock_steps, {from, to, "the clock was set back"});
}

void DigestMaker::AddGap(DigestGap gap) {
  ++digest_.gap_count;
  Tell(digest_.gaps, std::move(gap));
}

void DigestMaker::AddPass(const RecordedPass& pass) {
  const Instant at = pass.report.at;
  digest_.from = std::min(digest_.from.value_or(at), at);
  digest_.to = std::max(digest_.to.value_or(at), at);
  if (last_pass_ && at < *last_pass_) {
    NoteStepBack(*last_pass_, at);
  } else if (last_pass_ && Elapsed(*last_pass_, at) > kLongSilence) {
    AddGap({*last_pass_, at, "no pass was made, or the clock was set forward"});
  }
  last_pass_ = last_time_ = at;
  ++digest_.passes;
  if (pass.report.acting_for) ++digest_.acting_passes;
  if (!pass.report.reclaim_attempted.empty()) ++digest_.reclaims;
  digest_.evictions += pass.report.evictions.size();
  for (const EvictionRecord& eviction : pass.report.evictions) {
    Tell(digest_.evicted, {at, eviction.order.pod_uid, eviction.order.message});
  }
  for (const auto& pod : pass.pods) {
    if (!digest_.pods.contains(pod->pod.uid)) digest_.pods.insert(pod->pod.uid);
  }
  if (digest_.policies == 0 || pass.policy->thresholds != thresholds_) ++digest_.policies;
  thresholds_ = pass.policy->thresholds;
}

std::string DigestText(const RecordingDigest& digest, const RecordingFound* found) {
  std::string out;
  Line(out, "node", "{}", fmt::join(digest.nodes, ", "));
  if (digest.nodes.size() > 1) Line(out, "", "this is the recording of several nodes");
  if (digest.from) {
    Line(out, "from", "{}", FormatInstant(*digest.from));
    Line(out, "to", "{}", FormatInstant(*digest.to));
  }
  for (const RecordingAbout& start : digest.starts) {
    Line(out, "start", "{} by {} on {}", FormatInstant(start.at), start.maker, start.node);
  }
  More(out, digest.start_count, digest.starts.size());
  Line(out, "passes", "{}, of which {} acted for a threshold", digest.passes, digest.acting_passes);
  Line(out, "pods", "{}", digest.pods.size());
  Line(out, "policies", "{}", digest.policies);
  Line(out, "reclaims", "{}", digest.reclaims);
  Line(out, "OOM kills", "{}", digest.oom_kills);
  Line(out, "evictions", "{}", digest.evictions);
  for (const DigestEviction& eviction : digest.evicted) {
    Line(out, "", "{}: {}", eviction.pod_uid, eviction.message);
  }
  More(out, digest.evictions, digest.evicted.size());
  PutGaps(out, digest);
  for (const std::string& note : digest.notes) Line(out, "note", "{}", note);
  More(out, digest.note_count, digest.notes.size());
  if (found != nullptr) {
    Line(out, "size", "{} bytes in {} chunks", found->bytes, found->chunks);
    if (found->damaged_bytes > 0) Line(out, "damaged", "{} bytes", found->damaged_bytes);
  }
  for (const std::string& fault : digest.faults) Line(out, "fault", "{}", fault);
  More(out, digest.fault_count, digest.faults.size());
  return out;
}

std::string DigestJson(const RecordingDigest& digest, const RecordingFound* found) {
  std::string out;
  JsonWriter json(out, 2);
  json.Object([&] {
    json.Strings("nodes", digest.nodes);
    if (digest.from) {
      json.Field("from", FormatInstant(*digest.from));
      json.Field("to", FormatInstant(*digest.to));
    }
    PutCounts(digest, json);
    PutStarts(digest.starts, json);
    PutEvicted(digest.evicted, json);
    PutGaps("gaps", digest.gaps, json);
    PutGaps("setBack", digest.clock_steps, json);
    json.Field("noteCount", digest.note_count);
    json.Strings("notes", digest.notes);
    if (found != nullptr) PutBytes(*found, json);
    json.Field("faultCount", digest.fault_count);
    json.Strings("faults", digest.faults);
  });
  out += '\n';
  return out;
}

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
