#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

#include "codec/flight/recording_reader.h"
#include "core/recording/recording.h"
#include "core/units/result.h"
#include "ports/file_descriptor.h"

namespace jettison {

// A recording in a file or on standard input ("-"), whose form is told by how it begins: binary,
// items as NDJSON, or scenarios. It is read once, in order.
class RecordingFile {
 public:
  // Fails where it cannot be opened, and where it is a folder. Scenarios, one a line, are a
  // recording, too: each step is a pass, and what it did is found by making it again.
  [[nodiscard]] static Result<std::unique_ptr<RecordingFile>> Open(const std::string& path);
  RecordingFile(const RecordingFile&) = delete;
  RecordingFile& operator=(const RecordingFile&) = delete;

  [[nodiscard]] RecordingSource& source() { return *source_; }
  // As messages call it.
  [[nodiscard]] const std::string& name() const { return name_; }
  // Whether these are scenarios, which name no node.
  [[nodiscard]] bool has_scenarios() const { return items_ == nullptr; }
  // What was found of a binary one; null: it is none.
  [[nodiscard]] const RecordingFound* found() const {
    return items_ == nullptr ? nullptr : items_->found();
  }

  // The bytes that it is read from, for who reads them otherwise.
  [[nodiscard]] std::FILE* stream() { return stream_.get(); }
  // How they begin: up to kHeadBytes. What cannot be read ends it.
  [[nodiscard]] std::string_view Head();
  static constexpr std::size_t kHeadBytes = 4096;
  // Whether there is no byte; false where that cannot be read.
  [[nodiscard]] bool IsEmpty() { return Head().empty() && ended_; }
  [[nodiscard]] std::uint64_t bytes() const { return count_; }

 private:
  struct Close {
    void operator()(std::FILE* stream) const { std::fclose(stream); }
  };
  RecordingFile() = default;
  // As read(2): what was looked at already first.
  ssize_t Read(char* into, std::size_t most);
  ssize_t ReadMore(char* into, std::size_t most);

  std::string name_;
  FileDescriptor descriptor_;
  std::string head_;
  std::size_t taken_ = 0;  // of the head
  std::uint64_t count_ = 0;
  bool ended_ = false;
  std::unique_ptr<std::FILE, Close> stream_;
  const RecordingReader* items_ = nullptr;  // the source, where it is one
  std::unique_ptr<RecordingSource> source_;
};

// What to say of an input without a single byte, which is a failed download more often than a
// recording of nothing.
[[nodiscard]] std::string EmptyInput(const std::string& name);

}  // namespace jettison
