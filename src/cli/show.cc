#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "cli/commands.h"
#include "cli/recording/recording_file.h"
#include "cli/terminal/options.h"
#include "cli/terminal/output.h"
#include "codec/flight/recording_writer.h"
#include "core/json/json_writer.h"
#include "core/text/printable.h"

namespace jettison {
namespace {

template <typename... Args>
void Line(std::string& out, std::string_view name, fmt::format_string<Args...> text,
          Args&&... args) {
  fmt::format_to(std::back_inserter(out), "{:<12}", name);
  out += Printable(fmt::format(text, std::forward<Args>(args)...)) + '\n';
}

template <typename Gaps>
void PutGaps(std::string_view name, const Gaps& gaps, JsonWriter& json) {
  json.Objects(name, gaps.first, [&](const auto& gap) {
    json.Field("from", FormatInstant(gap.from));
    json.Field("to", FormatInstant(gap.to));
    json.Field("why", gap.why);
  });
}

// What is in a recording, and what is wrong with it, counted item by item.
class RecordingDigest {
 public:
  void Add(const RecordedItem& item) {
    if (const auto* about = std::get_if<RecordingAbout>(&item)) {
      nodes_.insert(about->node);
      starts_.Add(*about);
      if (last_time_ && about->at < *last_time_) {
        clock_steps_.Add({*last_time_, about->at, "the clock was set back"});
      }
      last_pass_.reset();
    } else if (const auto* gap = std::get_if<RecordedGap>(&item)) {
      gaps_.Add(*gap);
      last_pass_.reset();
    } else if (const auto* note = std::get_if<RecordedNote>(&item)) {
      notes_.Add(note->text);
    } else if (std::holds_alternative<RecordedOomKill>(item)) {
      ++oom_kills_;
    } else {
      AddPass(*std::get<std::shared_ptr<const RecordedPass>>(item));
    }
  }

  // Something is damaged or cannot be read: what, and where.
  void AddFault(const std::string& fault) { faults_.Add(fault); }
  [[nodiscard]] bool has_faults() const { return faults_.count > 0; }

  // For people, a line each. `found` is what was found of its bytes; null: it is no binary one.
  [[nodiscard]] std::string Text(const RecordingFound* found) const {
    std::string out;
    const auto list = [&out](std::string_view name, const auto& all, const auto& text_of) {
      for (const auto& each : all.first) Line(out, name, "{}", text_of(each));
      if (all.count > all.first.size()) Line(out, "", "and {} more", all.count - all.first.size());
    };
    const auto itself = [](const std::string& text) { return text; };
    Line(out, "node", "{}", fmt::join(nodes_, ", "));
    if (nodes_.size() > 1) Line(out, "", "this is the recording of several nodes");
    if (from_) {
      Line(out, "from", "{}", FormatInstant(*from_));
      Line(out, "to", "{}", FormatInstant(*to_));
    }
    list("start", starts_, [](const RecordingAbout& start) {
      return fmt::format("{} by {} on {}", FormatInstant(start.at), start.maker, start.node);
    });
    Line(out, "passes", "{}, of which {} acted for a threshold", passes_, acting_passes_);
    Line(out, "pods", "{}", pods_.size());
    Line(out, "policies", "{}", policies_);
    Line(out, "reclaims", "{}", reclaims_);
    Line(out, "OOM kills", "{}", oom_kills_);
    Line(out, "evictions", "{}", evictions_.count);
    list("", evictions_,
         [](const Eviction& each) { return fmt::format("{}: {}", each.pod_uid, each.message); });
    list("gap", gaps_, [](const RecordedGap& gap) {
      return fmt::format("{} to {}: {}", FormatInstant(gap.from), FormatInstant(gap.to), gap.why);
    });
    list("clock", clock_steps_, [](const RecordedGap& step) {
      return fmt::format("set back from {} to {}", FormatInstant(step.from),
                         FormatInstant(step.to));
    });
    list("note", notes_, itself);
    if (found != nullptr) {
      Line(out, "size", "{} bytes in {} chunks", found->bytes, found->chunks);
      if (found->damaged_bytes > 0) Line(out, "damaged", "{} bytes", found->damaged_bytes);
    }
    list("fault", faults_, itself);
    return out;
  }

  // The same for programs, one JSON object. Its members are described in docs/recording.md.
  [[nodiscard]] std::string Json(const RecordingFound* found) const {
    std::string out;
    JsonWriter json(out, 2);
    json.Object([&] {
      json.Strings("nodes", nodes_);
      if (from_) {
        json.Field("from", FormatInstant(*from_));
        json.Field("to", FormatInstant(*to_));
      }
      json.Field("passes", passes_);
      json.Field("actingPasses", acting_passes_);
      json.Field("evictions", evictions_.count);
      json.Field("oomKills", oom_kills_);
      json.Field("reclaims", reclaims_);
      json.Field("pods", pods_.size());
      json.Field("policies", policies_);
      json.Field("starts", starts_.count);
      json.Field("gapCount", gaps_.count);
      json.Field("clockSteps", clock_steps_.count);
      json.Objects("agentStarts", starts_.first, [&](const RecordingAbout& start) {
        json.Field("at", FormatInstant(start.at));
        json.Field("maker", start.maker);
        json.Field("node", start.node);
      });
      json.Objects("evicted", evictions_.first, [&](const Eviction& eviction) {
        json.Field("uid", eviction.pod_uid);
        json.Field("at", FormatInstant(eviction.at));
        json.Field("message", eviction.message);
      });
      PutGaps("gaps", gaps_, json);
      PutGaps("setBack", clock_steps_, json);
      json.Field("noteCount", notes_.count);
      json.Strings("notes", notes_.first);
      if (found != nullptr) {
        json.Field("bytes", found->bytes);
        json.Field("chunks", found->chunks);
        json.Field("damagedBytes", found->damaged_bytes);
        json.Field("missingChunks", found->chunks_missing);
      }
      json.Field("faultCount", faults_.count);
      json.Strings("faults", faults_.first);
    });
    return out += '\n';
  }

 private:
  static constexpr std::size_t kMostTold = 100;
  template <typename T>
  struct List {
    void Add(T item) {
      if (++count <= kMostTold) first.push_back(std::move(item));
    }
    std::vector<T> first;  // kMostTold of them
    std::uint64_t count = 0;
  };
  struct Eviction {
    Instant at;
    std::string pod_uid;
    std::string message;
  };
  void AddPass(const RecordedPass& pass) {
    const Instant at = pass.report.at;
    from_ = std::min(from_.value_or(at), at);
    to_ = std::max(to_.value_or(at), at);
    if (last_pass_ && at < *last_pass_) {
      clock_steps_.Add({*last_pass_, at, "the clock was set back"});
    } else if (last_pass_ && Elapsed(*last_pass_, at) > kLongSilence) {
      gaps_.Add({*last_pass_, at, "no pass was made, or the clock was set forward"});
    }
    last_pass_ = last_time_ = at;
    ++passes_;
    if (pass.report.acting_for) ++acting_passes_;
    if (!pass.report.reclaim_attempted.empty()) ++reclaims_;
    for (const EvictionRecord& eviction : pass.report.evictions) {
      evictions_.Add({at, eviction.order.pod_uid, eviction.order.message});
    }
    for (const auto& pod : pass.pods) {
      if (!pods_.contains(pod->pod.uid)) pods_.insert(pod->pod.uid);
    }
    if (policies_ == 0 || pass.policy->thresholds != thresholds_) ++policies_;
    thresholds_ = pass.policy->thresholds;
  }

  std::set<std::string> nodes_;
  List<RecordingAbout> starts_;  // of an agent
  std::optional<Instant> from_;
  std::optional<Instant> to_;
  std::uint64_t passes_ = 0;
  std::uint64_t acting_passes_ = 0;  // a threshold was acted for
  std::uint64_t oom_kills_ = 0;
  std::uint64_t reclaims_ = 0;  // passes that reclaimed before they evicted
  std::set<std::string> pods_;
  std::uint64_t policies_ = 0;     // that differ from the one before
  List<RecordedGap> gaps_;         // of which there is no information
  List<RecordedGap> clock_steps_;  // by which the clock was set back
  List<Eviction> evictions_;
  List<std::string> notes_;  // what the recording says of itself
  List<std::string> faults_;
  std::optional<Instant> last_pass_;   // since the start or the gap
  std::optional<Instant> last_time_;   // of any pass
  std::vector<Threshold> thresholds_;  // of the pass before
};

struct ShowOptions {
  std::string path;
  std::string output = "text";
};

// PrintData says what fails.
Result<void> WriteToStandardOutput(std::string_view bytes) {
  if (PrintData(bytes) == 0) return {};
  return Fail(ErrorCode::kInternal, "cannot write");
}

std::unique_ptr<RecordingSink> SinkFor(const std::string& output) {
  if (output == "ndjson") return std::make_unique<LineWriter>(WriteToStandardOutput);
  if (output == "recording") return std::make_unique<RecordingWriter>(WriteToStandardOutput);
  return nullptr;
}

// What is read of the recording is told, or passed on in another form.
int RunShow(const ShowOptions& options) {
  const auto opened = RecordingFile::Open(options.path);
  if (!opened) return Report(opened.error());
  if ((*opened)->IsEmpty()) {
    PrintError("jettison: {}\n", EmptyInput((*opened)->name()));
    return kExitFailed;
  }
  RecordingFile& file = **opened;
  const std::unique_ptr<RecordingSink> sink = SinkFor(options.output);
  RecordingDigest digest;
  bool is_unread = false;  // reading itself failed
  for (;;) {
    const auto item = file.source().Next();
    if (!item) {
      const Error& error = item.error();
      is_unread |= error.code != ErrorCode::kInvalidArgument;
      digest.AddFault(error.message);
      if (options.output != "json") PrintError("jettison: {}: {}\n", options.path, error.message);
      continue;
    }
    if (!*item) break;
    if (sink && !sink->Add(**item)) return kExitFailed;
    if (!sink) digest.Add(**item);
  }
  if (sink && !sink->Finish()) return kExitFailed;
  const int printed = sink                       ? PrintData("")
                      : options.output == "json" ? PrintData(digest.Json(file.found()))
                                                 : PrintText(digest.Text(file.found()));
  if (printed != 0 || is_unread) return kExitFailed;
  return digest.has_faults() ? kExitInvalidInput : 0;
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
  const auto [command, options] =
      AddCommand(app, exit_code, "show", "Say what is in a recording", kShowFooter, RunShow);
  command.add_option("RECORDING", options.path, "a recording; - reads standard input")
      ->type_name("FILE")
      ->required();
  command.add_option("--output", options.output, "text, json, ndjson or recording")
      ->check(CLI::IsMember({"text", "json", "ndjson", "recording"}))
      ->capture_default_str();
}

}  // namespace jettison
