#include "codec/flight/recording_lines.h"

#include <fmt/format.h>
#include <google/protobuf/util/json_util.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <variant>

namespace jettison {

LineWriter::LineWriter(Write write)
    : write_(std::move(write)),
      encoder_(RecordedForm::kWhole, [this](const recording::Item& item) { PutLine(item); }) {}

void LineWriter::PutLine(const recording::Item& message) {
  if (!done_) return;
  std::string line;
  const auto status = google::protobuf::util::MessageToJsonString(message, &line);
  line += '\n';
  done_ = status.ok() ? write_(line) : Fail(ErrorCode::kInvalidArgument, status.ToString());
}

Result<void> LineWriter::Add(const RecordedItem& item) {
  done_ = {};
  encoder_.Add(item);
  return done_;
}

Result<std::optional<RecordedItem>> RecordingLines::Next() {
  if (after_) return std::exchange(after_, std::nullopt);
  for (;;) {
    auto item = NextOfLines();
    if (!item || !*item || std::holds_alternative<RecordingAbout>(**item)) return item;
    const Instant at = WhenOf(**item);
    if (told_before_.Has(at)) continue;
    told_->Add(at);
    if (told_about_ == about_) return item;
    after_ = **std::move(item);
    told_about_ = about_;
    return RecordedItem(*about_);
  }
}

Result<std::optional<RecordedItem>> RecordingLines::NextOfLines() {
  if (due_) return std::exchange(due_, std::nullopt);
  while (!failed_) {
    const auto line = read_();
    if (!line) {
      failed_ = true;
      return Fail(line.error());
    }
    if (!*line) break;
    ++line_;
    if ((*line)->find_first_not_of(" \t\r") == std::string_view::npos) continue;
    auto item = ItemOf(**line);
    if (!item) {
      decoder_.Lose();
      if (!lost_line_) lost_line_ = line_;
      return Fail(item.error().In(fmt::format("line {}", line_)));
    }
    if (*item) return item;
  }
  return std::nullopt;
}

Result<std::optional<RecordedItem>> RecordingLines::ItemOf(std::string_view line) {
  recording::Item message;
  const auto status =
      google::protobuf::util::JsonStringToMessage({line.data(), line.size()}, &message);
  if (!status.ok()) {
    return Fail(ErrorCode::kInvalidArgument, std::string(status.message()));
  }
  if (message.has_chunk()) return Fail(ErrorCode::kInvalidArgument, "a line is of no chunk");
  auto item = decoder_.Take(message);
  if (!item || !*item) return item;
  if (auto* about = std::get_if<RecordingAbout>(&**item)) return TakeAbout(std::move(*about));
  const bool is_pass = std::holds_alternative<std::shared_ptr<const RecordedPass>>(**item);
  return is_pass ? BehindGap(**std::move(item)) : std::move(item);
}

// A start that was told before is told again only in front of an item that is new.
std::optional<RecordedItem> RecordingLines::TakeAbout(RecordingAbout about) {
  last_at_.reset();
  lost_line_.reset();
  about_ = std::move(about);
  const auto [told, is_new] = starts_.Of(*about_);
  told_ = told;
  told_before_ = *told;
  if (!is_new) return std::nullopt;
  told_about_ = about_;
  return RecordedItem(*about_);
}

// The pass itself, or where a line is lost the gap before it; the pass is due then.
RecordedItem RecordingLines::BehindGap(RecordedItem pass) {
  const Instant to = WhenOf(pass);
  const Instant from = std::min(std::exchange(last_at_, to).value_or(about_->at), to);
  if (!lost_line_) return pass;
  due_ = std::move(pass);
  return RecordedGap{
      .from = from,
      .to = to,
      .why = fmt::format("line {} could not be read", *std::exchange(lost_line_, std::nullopt))};
}

}  // namespace jettison
