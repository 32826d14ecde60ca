#include "cli/recording/recording_file.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>

#include "codec/flight/recording_lines.h"
#include "codec/flight/recording_writer.h"
#include "kernel/files/line_reader.h"

namespace jettison {
namespace {

tl::unexpected<Error> CannotRead() {
  return Fail(ErrorCode::kInternal, fmt::format("cannot be read: {}", std::strerror(errno)));
}

RecordingReader::Read BytesOfStream(std::FILE* stream) {
  return [stream](std::span<char> into) -> Result<std::size_t> {
    const std::size_t read = std::fread(into.data(), 1, into.size(), stream);
    if (read == 0 && std::ferror(stream) != 0) return CannotRead();
    return read;
  };
}

RecordingLines::Read LinesOfStream(std::FILE* stream) {
  return [lines = std::make_shared<LineReader>(stream,
                                               0)]() -> Result<std::optional<std::string_view>> {
    const auto line = lines->Next();
    if (!line && lines->Failed()) return CannotRead();
    return line;
  };
}

}  // namespace

std::string EmptyInput(const std::string& name) {
  return fmt::format("{} is empty: it has no recording", name);
}

bool IsEmpty(std::FILE* stream) {
  const int first = std::getc(stream);
  if (first != EOF) std::ungetc(first, stream);
  return first == EOF && std::ferror(stream) == 0;
}

bool IsBinaryRecording(std::FILE* stream) {
  const int first = std::getc(stream);
  if (first != EOF) std::ungetc(first, stream);
  return first == static_cast<unsigned char>(kChunkMagic.front()) ||
         first == static_cast<unsigned char>(kFormerChunkMagic.front());
}

Result<RecordingFile> RecordingFile::Open(const std::string& path) {
  std::FILE* const stream = path == "-" ? stdin : std::fopen(path.c_str(), "re");
  if (stream == nullptr) {
    return Fail(ErrorCode::kInternal,
                fmt::format("cannot open {}: {}", path, std::strerror(errno)));
  }
  std::unique_ptr<std::FILE, CloseFile> owned(stream);
  const std::string name = path == "-" ? "standard input" : path;
  if (IsEmpty(stream)) return Fail(ErrorCode::kUnavailable, EmptyInput(name));
  // Of a folder, for instance, the first byte says it.
  if (std::ferror(stream) != 0) {
    return Fail(ErrorCode::kUnavailable,
                fmt::format("cannot read {}: {}", name, std::strerror(errno)));
  }
  RecordingFile file(stream);
  file.owned_ = std::move(owned);
  return file;
}

// What begins with a brace is NDJSON; anything else is looked through for chunks.
RecordingFile::RecordingFile(std::FILE* stream) : stream_(stream) {
  const int first = std::getc(stream);
  if (first != EOF) std::ungetc(first, stream);
  if (first == '{') {
    lines_ = std::make_unique<RecordingLines>(LinesOfStream(stream));
    source_ = lines_.get();
  } else {
    binary_ = std::make_unique<RecordingReader>(BytesOfStream(stream));
    source_ = binary_.get();
  }
}

const RecordingFound* RecordingFile::found() const {
  return binary_ ? &binary_->found() : nullptr;
}

double RecordingFile::Progress() const {
  struct stat status {};
  const int file = ::fileno(stream_);
  if (file < 0 || ::fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) return 0;
  const off_t at = ::ftello(stream_);
  return at <= 0 ? 0 : static_cast<double>(at) / static_cast<double>(status.st_size);
}

}  // namespace jettison
