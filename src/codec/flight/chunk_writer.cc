#include "codec/flight/chunk_writer.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <utility>

#include "codec/flight/columns/crc32c.h"
#include "codec/flight/item_fields.h"
#include "codec/flight/values/following.h"
#include "codec/flight/values/node_row.h"

namespace jettison {
namespace {

// The report's observations and evaluation.
std::string EvaluationBytes(const CycleReport& report) {
  std::string bytes;
  ByteWriter out(bytes);
  BinaryValueWriter values(out);
  values.Write(report.observations);
  values.Write(report.evaluation);
  return bytes;
}

bool HasKubeletLines(const PassPolicy& policy) {
  return std::ranges::any_of(
      policy.thresholds, [](const Threshold& threshold) { return threshold.kubelet.has_value(); });
}

std::string EvaluationThatFollows(const RecordedPass& pass) {
  RecordedPass bare{.policy = pass.policy, .before = pass.before};
  bare.summary.node = pass.summary.node;
  bare.report.at = pass.report.at;
  FillInReport(bare);
  return EvaluationBytes(bare.report);
}

// Puts a section behind the others: `write` adds its pieces and answers how many bytes they have.
template <typename Write>
Result<void> AddSection(ZstdWriter& zstd, const Write& write, ChunkSection& section,
                        std::string& body) {
  const std::size_t before = body.size();
  zstd.Begin(body);
  const std::size_t size = write();
  auto written = zstd.Finish();
  section = {.stored = body.size() - before,
             .size = size,
             .checksum = Crc32c(std::string_view(body).substr(before))};
  return written;
}

}  // namespace

ChunkWriter::ChunkWriter(const RecordingAbout& about, std::uint64_t sequence)
    : header_{.about = about, .sequence = sequence}, columns_(kPassWidth), last_at_(about.at) {
  header_.stretch.first = header_.stretch.last = about.at;
}

void ChunkWriter::Note(Instant at) {
  RecordedStretch& stretch = header_.stretch;
  stretch.first = empty() ? at : std::min(stretch.first, at);
  stretch.last = empty() ? at : std::max(stretch.last, at);
}

void ChunkWriter::NoteExtremes(const Observations& observations) {
  for (const Signal signal : kAllSignals) {
    const auto& seen = observations[signal];
    if (!seen) continue;
    auto& extremes = header_.stretch.by_signal[IndexOf(signal)];
    if (!extremes) extremes = SignalExtremes{seen->available, seen->capacity};
    extremes->least_available = std::min(extremes->least_available, seen->available);
    extremes->most_capacity = std::max(extremes->most_capacity, seen->capacity);
  }
}

std::uint32_t ChunkWriter::PolicyPlace(const std::shared_ptr<const PassPolicy>& policy) {
  if (policy == last_policy_) return last_policy_place_;
  std::string bytes = BytesOf(*policy);
  KubeletLines lines;
  for (const Threshold& threshold : policy->thresholds) lines.push_back(threshold.kubelet);
  if (HasKubeletLines(*policy)) bytes += BytesOf(lines);
  const auto known = std::ranges::find(policies_, bytes);
  last_policy_ = policy;
  last_policy_place_ = static_cast<std::uint32_t>(known - policies_.begin());
  if (known == policies_.end()) policies_.push_back(std::move(bytes));
  return last_policy_place_;
}

std::uint32_t ChunkWriter::NodeNamePlace(const std::string& name) {
  const auto known = std::ranges::find(node_names_, name);
  const auto place = static_cast<std::uint32_t>(known - node_names_.begin());
  if (known == node_names_.end()) node_names_.push_back(name);
  return place;
}

std::uint64_t ChunkWriter::PutParts(const RecordedPass& pass) {
  static const std::string kNoDeeds = BytesOf(CycleReport{});
  ByteWriter to(more_);
  BinaryValueWriter values(to);
  std::uint64_t parts = 0;
  if (BytesOf(pass.before) != next_state_) {
    parts |= kState;
    values.Write(pass.before);
  }
  if (const std::string bytes = EvaluationBytes(pass.report);
      bytes != EvaluationThatFollows(pass)) {
    parts |= kEvaluation;
    more_ += bytes;
  }
  if (const std::string deeds = BytesOf(pass.report); deeds != kNoDeeds) {
    parts |= kDeeds;
    more_ += deeds;
  }
  if (pass.pace) {
    parts |= kPace;
    values.Write(*pass.pace);
  }
  if (pass.after_reclaim) {
    parts |= kAfterReclaim;
    values.Write(*pass.after_reclaim);
  }
  if (pass.pace && pass.pace->fastest) {
    parts |= kFastestPod;
    values.Write(*pass.pace->fastest);
  }
  if (HasKubeletLines(*pass.policy)) {
    parts |= kCrossings;
    values.Write(KubeletCrossings{.before = pass.before.kubelet_line_crossed_at,
                                  .next = pass.report.evaluation.next.kubelet_line_crossed_at,
                                  .in_margin = pass.report.evaluation.in_margin});
  }
  next_state_ = BytesOf(StateAfter(pass));
  return parts;
}

void ChunkWriter::Add(const RecordedPass& pass) {
  Note(pass.report.at);
  NoteExtremes(pass.report.observations);
  ++header_.stretch.passes;
  header_.stretch.evictions += pass.report.evictions.size();
  std::array<std::uint64_t, kPassWidth> row{};
  row[kItemsBefore] = std::exchange(items_before_, 0);
  row[kNumber] = pass.number - std::exchange(last_number_, pass.number);
  const Instant before = std::exchange(last_at_, pass.report.at);
  row[kAt] = static_cast<std::uint64_t>(pass.report.at.time_since_epoch().count()) -
             static_cast<std::uint64_t>(before.time_since_epoch().count());
  row[kPolicy] = PolicyPlace(pass.policy);
  row[kNodeName] = NodeNamePlace(pass.summary.node.node_name);
  row[kFiguresOf] = figures_.Put(pass.summary.pods);
  row[kActive] = facts_.PlaceOf(pass.pods);
  row[kParts] = PutParts(pass);
  PutNode(pass.summary.node, pass.report.at, std::span(row).subspan<kPassSlots, kNodeRowWidth>());
  for (std::size_t slot = 0; slot < row.size(); ++slot) columns_.Put(slot, row[slot]);
  header_.stretch.has_storage_limits = facts_.has_storage_limits();
}

template <typename T>
void ChunkWriter::AddOther(OtherItem kind, Instant at, const T& item) {
  Note(at);
  ByteWriter to(more_);
  to.Number(static_cast<std::uint64_t>(kind));
  BinaryValueWriter(to).Write(item);
  ++header_.others;
  ++items_before_;
}

void ChunkWriter::Add(const RecordedOomKill& kill) {
  AddOther(OtherItem::kOomKill, kill.at, kill);
}

void ChunkWriter::Add(const RecordedGap& gap) {
  AddOther(OtherItem::kGap, gap.from, gap);
}

void ChunkWriter::Add(const RecordedNote& note) {
  AddOther(OtherItem::kNote, note.at, note);
}

std::size_t ChunkWriter::bytes() const {
  return columns_.bytes() + figures_.bytes() + facts_.bytes() + more_.size();
}

std::string ChunkWriter::NodeSection() const {
  std::string text;
  ByteWriter out(text);
  out.Number(node_names_.size());
  for (const std::string& name : node_names_) out.Text(name);
  out.Number(policies_.size());
  for (const std::string& policy : policies_) out.Text(policy);
  columns_.Write(out);
  return text;
}

Result<void> ChunkWriter::Write(ZstdWriter& zstd, std::string& out) const {
  ChunkHeader header = header_;
  std::string body;
  const auto add = [&](SectionKind kind, const auto& write) {
    return AddSection(zstd, write, header.sections[static_cast<std::size_t>(kind)], body);
  };
  const auto text = [&zstd](const std::string& part) {
    zstd.Add(part);
    return part.size();
  };
  auto done = add(SectionKind::kNode, [&] { return text(NodeSection()); });
  if (done) {
    done = add(SectionKind::kPods, [&] { return facts_.WriteLists(zstd) + figures_.Write(zstd); });
  }
  if (done) done = add(SectionKind::kFacts, [&] { return facts_.WriteEntries(zstd); });
  if (done) done = add(SectionKind::kMore, [&] { return text(more_); });
  if (!done) return done;
  WriteChunkHeader(header, out);
  out += body;
  return {};
}

}  // namespace jettison
