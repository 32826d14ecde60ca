#include "codec/flight/recording_writer.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/util/json_util.h>

#include <memory>
#include <utility>
#include <variant>

#include "codec/flight/messages.h"
#include "codec/flight/zstd_frame.h"

namespace jettison {

RecordingWriter::RecordingWriter(Write write, ChunkLimits limits)
    : write_(std::move(write)),
      limits_(limits),
      encoder_(RecordedForm::kChanges, [this](const recording::Item& item) { PutMessage(item); }) {}

void RecordingWriter::PutMessage(const recording::Item& message) {
  const std::size_t before = messages_.size();
  {
    google::protobuf::io::StringOutputStream stream(&messages_);
    google::protobuf::io::CodedOutputStream out(&stream);
    out.SetSerializationDeterministic(true);
    out.WriteVarint64(message.ByteSizeLong());
    message.SerializeWithCachedSizes(&out);
  }
  bytes_ += messages_.size() - before;
}

Result<void> RecordingWriter::Begin(Instant first) {
  encoder_.BeginAnew();
  is_open_ = true;
  first_ = first;
  passes_ = bytes_ = begins_with_ = 0;
  recording::Item head;
  recording::Chunk& chunk = *head.mutable_chunk();
  ToMessage(*about_, *chunk.mutable_about());
  chunk.set_sequence(sequence_);
  PutNanoseconds(first.time_since_epoch().count(), *chunk.mutable_first());
  PutMessage(head);
  frames_ = kChunkMagic;
  return AppendZstdFrame(std::exchange(messages_, {}), frames_);
}

Result<void> RecordingWriter::Add(const RecordedItem& item) {
  const Instant at = WhenOf(item);
  if (const auto* about = std::get_if<RecordingAbout>(&item)) {
    auto written = Cut();
    about_ = *about;
    sequence_ = 0;
    auto begun = Begin(at);
    return written ? begun : written;
  }
  if (!about_) {
    return Fail(ErrorCode::kInvalidArgument, "a recording must begin with whose it is");
  }
  if (!is_open_) {
    if (auto begun = Begin(at); !begun) return begun;
  }
  encoder_.Add(item);
  if (std::holds_alternative<std::shared_ptr<const RecordedPass>>(item)) ++passes_;
  if (passes_ <= 1) begins_with_ = bytes_;
  return IsFull(at) ? Cut() : Result<void>();
}

bool RecordingWriter::IsFull(Instant at) const {
  return passes_ >= limits_.passes || bytes_ >= begins_with_ + limits_.bytes ||
         Elapsed(first_, at) >= limits_.time;
}

Result<void> RecordingWriter::Flush() {
  Result<void> done;
  if (!messages_.empty()) done = AppendZstdFrame(messages_, frames_);
  messages_.clear();
  if (done && !frames_.empty()) done = write_(frames_);
  frames_.clear();
  if (done) return done;
  // Readers see by the number that a part is missing.
  is_open_ = false;
  sequence_ += 2;
  return done;
}

Result<void> RecordingWriter::Cut() {
  if (!is_open_) return {};
  auto written = Flush();
  if (std::exchange(is_open_, false)) ++sequence_;
  return written;
}

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

}  // namespace jettison
