#include "codec/flight/chunk_reader.h"

#include <algorithm>
#include <span>
#include <utility>

#include "codec/flight/columns/crc32c.h"
#include "codec/flight/columns/zstd_stream.h"
#include "codec/flight/item_fields.h"
#include "codec/flight/values/following.h"
#include "codec/flight/values/node_row.h"

namespace jettison {
namespace {

constexpr std::uint64_t kAllParts =
    kState | kEvaluation | kDeeds | kPace | kAfterReclaim | kFastestPod | kCrossings;

tl::unexpected<Error> SenselessPasses() {
  return Fail(ErrorCode::kInvalidArgument, "what it holds of its passes makes no sense");
}

// Thresholds are told by their places in sets of a fixed size.
bool IsSound(const PassPolicy& policy) {
  return policy.thresholds.size() <= kMaxThresholds;
}

}  // namespace

ChunkReader::ChunkReader(ChunkHeader header, std::string body, PodDictionary& known)
    : header_(std::move(header)),
      body_(std::move(body)),
      known_(known),
      more_({}),
      passes_left_(header_.stretch.passes),
      others_left_(header_.others),
      at_(header_.about.at) {}

Result<std::unique_ptr<ChunkReader>> ChunkReader::Open(ChunkHeader header, std::string body,
                                                       PodDictionary& known) {
  if (body.size() != header.BodyBytes()) {
    return Fail(ErrorCode::kInvalidArgument, "it is not complete");
  }
  std::string_view rest = body;
  for (const ChunkSection& section : header.sections) {
    if (Crc32c(rest.substr(0, section.stored)) != section.checksum) {
      return Fail(ErrorCode::kInvalidArgument, "it is damaged: a checksum is wrong");
    }
    rest.remove_prefix(section.stored);
  }
  auto chunk =
      std::unique_ptr<ChunkReader>(new ChunkReader(std::move(header), std::move(body), known));
  if (auto read = chunk->ReadTables(); !read) return Fail(read.error());
  return chunk;
}

Result<std::string> ChunkReader::Section(SectionKind kind) const {
  std::size_t at = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(kind); ++i) {
    at += header_.sections[i].stored;
  }
  const ChunkSection& section = header_.sections[static_cast<std::size_t>(kind)];
  return ZstdText(std::string_view(body_).substr(at, section.stored), section.size);
}

Result<void> ChunkReader::ReadTables() {
  auto node = Section(SectionKind::kNode);
  if (!node) return Fail(node.error());
  auto more = Section(SectionKind::kMore);
  if (!more) return Fail(more.error());
  node_ = *std::move(node);
  more_text_ = *std::move(more);
  more_ = ByteReader(more_text_);
  ByteReader in(node_);
  for (std::size_t left = in.Count(); left > 0; --left) node_names_.emplace_back(in.Text());
  for (std::size_t left = in.Count(); left > 0; --left) {
    ByteReader bytes(in.Text());
    PassPolicy policy;
    BinaryValueReader(bytes).Read(policy);
    KubeletLines lines(policy.thresholds.size());
    if (!bytes.AtEnd()) BinaryValueReader(bytes).Read(lines);
    if (lines.size() != policy.thresholds.size()) return SenselessPasses();
    for (std::size_t i = 0; i < lines.size(); ++i) policy.thresholds[i].kubelet = lines[i];
    if (bytes.failed() || !bytes.AtEnd() || !IsSound(policy)) return SenselessPasses();
    policies_.push_back(std::make_shared<const PassPolicy>(std::move(policy)));
  }
  for (std::size_t i = 0; i < kPassWidth; ++i) columns_.emplace_back(in.Text());
  if (in.failed() || !in.AtEnd()) return SenselessPasses();
  return {};
}

Result<RecordedItem> ChunkReader::ReadOther() {
  BinaryValueReader values(more_);
  const std::uint64_t kind = more_.Number();
  RecordedItem item;
  if (kind == static_cast<std::uint64_t>(OtherItem::kOomKill)) {
    values.Read(item.emplace<RecordedOomKill>());
  } else if (kind == static_cast<std::uint64_t>(OtherItem::kGap)) {
    values.Read(item.emplace<RecordedGap>());
  } else if (kind == static_cast<std::uint64_t>(OtherItem::kNote)) {
    values.Read(item.emplace<RecordedNote>());
  } else {
    return SenselessPasses();
  }
  if (more_.failed()) return SenselessPasses();
  return item;
}

Result<void> ChunkReader::ReadParts(std::uint64_t parts) {
  BinaryValueReader values(more_);
  if (parts > kAllParts) return SenselessPasses();
  RecordedPass& pass = *pass_;
  if ((parts & kState) != 0) {
    values.Read(pass.before);
  } else {
    if (!has_state_) return SenselessPasses();
    pass.before = state_;
  }
  if ((parts & kEvaluation) != 0) {
    values.Read(pass.report.observations);
    values.Read(pass.report.evaluation);
  } else {
    FillInReport(pass);
  }
  if ((parts & kDeeds) != 0) values.Read(pass.report);
  if ((parts & kPace) != 0) values.Read(pass.pace.emplace());
  if ((parts & kAfterReclaim) != 0) values.Read(pass.after_reclaim.emplace());
  if ((parts & kFastestPod) != 0) {
    if (!pass.pace) return SenselessPasses();
    values.Read(pass.pace->fastest.emplace());
  }
  KubeletCrossings crossings;
  if ((parts & kCrossings) != 0) values.Read(crossings);
  pass.before.kubelet_line_crossed_at = crossings.before;
  pass.report.evaluation.next.kubelet_line_crossed_at = crossings.next;
  pass.report.evaluation.in_margin = crossings.in_margin;
  if (more_.failed()) return SenselessPasses();
  state_ = StateAfter(pass);
  has_state_ = true;
  return {};
}

void ChunkReader::ReadRow() {
  for (std::size_t slot = 0; slot < row_.size(); ++slot) row_[slot] = columns_[slot].Next();
  others_due_ = row_[kItemsBefore];
  pass_due_ = true;
  --passes_left_;
}

// One that nobody wanted is used again.
Result<void> ChunkReader::ReadPass() {
  const bool is_sound = row_[kPolicy] < policies_.size() && row_[kNodeName] < node_names_.size();
  if (!is_sound) return SenselessPasses();
  if (!pass_) pass_ = std::make_shared<RecordedPass>();
  RecordedPass& pass = *pass_;
  if (is_used_) pass.report = {}, pass.pace.reset(), pass.after_reclaim.reset();
  is_used_ = (row_[kParts] & ~std::uint64_t{kState | kCrossings}) != 0;
  number_ += row_[kNumber];
  at_ = Instant(Duration(static_cast<Duration::rep>(
      static_cast<std::uint64_t>(at_.time_since_epoch().count()) + row_[kAt])));
  has_time_ = true;
  pass.number = number_;
  pass.report.at = at_;
  pass.policy = policies_[row_[kPolicy]];
  pass.summary.node.node_name = node_names_[row_[kNodeName]];
  TakeNode(std::span<const std::uint64_t, kPassWidth>(row_).subspan<kPassSlots>(), at_,
           pass.summary.node);
  if (pods_) {
    pods_->PassOver(row_[kFiguresOf]);
  } else {
    passed_before_.push_back(row_[kFiguresOf]);
  }
  return ReadParts(row_[kParts]);
}

Result<void> ChunkReader::OpenPods() {
  auto pods = Section(SectionKind::kPods);
  if (!pods) return Fail(pods.error());
  auto facts = Section(SectionKind::kFacts);
  if (!facts) return Fail(facts.error());
  auto read = ChunkPods::Read(*std::move(pods), *facts, header_.about.profile, known_);
  if (!read) return Fail(read.error());
  pods_ = std::make_unique<ChunkPods>(*std::move(read));
  for (const std::uint64_t list : std::exchange(passed_before_, {})) pods_->PassOver(list);
  return {};
}

Result<RecordedItem> ChunkReader::WithPods() {
  if (!pods_) {
    if (auto opened = OpenPods(); !opened) return Fail(opened.error());
  }
  auto figures = pods_->Figures(row_[kFiguresOf]);
  if (!figures) return Fail(figures.error());
  auto active = pods_->Active(row_[kActive]);
  if (!active) return Fail(active.error());
  pass_->summary.pods = *std::move(figures);
  pass_->pods = *std::move(active);
  is_used_ = false;
  return RecordedItem(std::shared_ptr<const RecordedPass>(std::exchange(pass_, nullptr)));
}

bool ChunkReader::IsWanted(PassSieve* sieve) const {
  if (sieve == nullptr) return true;
  return sieve->Wants({.number = number_,
                       .at = at_,
                       .policy = *pass_->policy,
                       .node = pass_->summary.node,
                       .acted = (row_[kParts] & ~std::uint64_t{kCrossings}) != 0});
}

Result<std::optional<RecordedItem>> ChunkReader::Next(PassSieve* sieve) {
  for (;;) {
    if (others_due_ > 0) {
      if (others_left_ == 0) return SenselessPasses();
      --others_due_;
      --others_left_;
      return ReadOther();
    }
    if (std::exchange(pass_due_, false)) {
      if (auto read = ReadPass(); !read) return Fail(read.error());
      if (IsWanted(sieve)) return WithPods();
    } else if (passes_left_ > 0) {
      ReadRow();
    } else if (others_left_ > 0) {
      others_due_ = others_left_;
    } else {
      return End();
    }
  }
}

Result<std::optional<RecordedItem>> ChunkReader::End() const {
  const bool failed = std::ranges::any_of(columns_, &ColumnReader::failed);
  if (failed || !more_.AtEnd()) return SenselessPasses();
  return std::nullopt;
}

}  // namespace jettison
