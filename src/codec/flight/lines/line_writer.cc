#include "codec/flight/lines/line_writer.h"

#include <variant>

#include "codec/flight/item_fields.h"
#include "codec/flight/lines/json_values.h"
#include "codec/flight/values/following.h"
#include "codec/flight/values/pod_entry.h"

namespace jettison {
namespace {

// {"name": {members}}
template <typename Members>
std::string Line(std::string_view name, const Members& members) {
  std::string line;
  JsonWriter json(line);
  json.Object([&] { json.Object(name, [&] { members(json); }); });
  line += '\n';
  return line;
}

template <typename T>
std::string LineOf(std::string_view name, const T& value) {
  return Line(name, [&](JsonWriter& json) {
    JsonValueWriter fields(json);
    ListFields(fields, value);
  });
}

bool EvaluationFollows(const RecordedPass& pass) {
  RecordedPass bare{.policy = pass.policy, .before = pass.before};
  bare.summary.node = pass.summary.node;
  bare.report.at = pass.report.at;
  FillInReport(bare);
  return BytesOf(bare.report.observations) == BytesOf(pass.report.observations) &&
         BytesOf(bare.report.evaluation) == BytesOf(pass.report.evaluation);
}

}  // namespace

Result<void> LineWriter::Add(const RecordedItem& item) {
  if (const auto* about = std::get_if<RecordingAbout>(&item)) {
    next_state_.clear();
    return write_(LineOf("about", *about));
  }
  if (const auto* kill = std::get_if<RecordedOomKill>(&item))
    return write_(LineOf("oomKill", *kill));
  if (const auto* gap = std::get_if<RecordedGap>(&item)) return write_(LineOf("gap", *gap));
  if (const auto* note = std::get_if<RecordedNote>(&item)) return write_(LineOf("note", *note));
  return AddPass(*std::get<std::shared_ptr<const RecordedPass>>(item));
}

Result<std::size_t> LineWriter::PolicyId(const PassPolicy& policy) {
  const auto [at, is_new] = policies_.try_emplace(BytesOf(policy), policies_.size());
  if (!is_new) return at->second;
  const auto written = write_(Line("policy", [&, id = at->second](JsonWriter& json) {
    json.Field("id", id);
    JsonValueWriter fields(json);
    ListFields(fields, policy);
  }));
  if (!written) return Fail(written.error());
  return at->second;
}

Result<std::size_t> LineWriter::PodId(const PodFacts& facts) {
  const PodEntry entry = EntryOf(facts);
  std::string bytes;
  ByteWriter out(bytes);
  WriteEntry(entry, out);
  const auto [at, is_new] = pods_.try_emplace(std::move(bytes), pods_.size());
  if (!is_new) return at->second;
  const auto written = write_(Line("pod", [&, id = at->second](JsonWriter& json) {
    json.Field("id", id);
    json.Field("source", NameOf(entry.source));
    json.Field("protection", NameOf(entry.protection));
    json.Key("pod");
    json.Json(entry.json);
  }));
  if (!written) return Fail(written.error());
  return at->second;
}

Result<void> LineWriter::AddPass(const RecordedPass& pass) {
  const auto policy = PolicyId(*pass.policy);
  if (!policy) return Fail(policy.error());
  std::vector<std::size_t> pods;
  for (const auto& facts : pass.pods) {
    const auto id = PodId(*facts);
    if (!id) return Fail(id.error());
    pods.push_back(*id);
  }
  const bool state_follows = BytesOf(pass.before) == next_state_;
  next_state_ = BytesOf(StateAfter(pass));
  return write_(Line("pass", [&](JsonWriter& json) {
    JsonValueWriter fields(json);
    json.Field("number", pass.number);
    json.Field("at", FormatInstant(pass.report.at));
    json.Field("policy", *policy);
    fields("pods", pods);
    if (!state_follows) json.Key("state"), fields.Write(pass.before);
    fields("summary", pass.summary);
    if (!EvaluationFollows(pass)) {
      json.Key("observations"), fields.Write(pass.report.observations);
      json.Key("evaluation"), fields.Write(pass.report.evaluation);
    }
    fields("pace", pass.pace);
    fields("summaryAfterReclaim", pass.after_reclaim);
    fields("report", pass.report);
  }));
}

}  // namespace jettison
