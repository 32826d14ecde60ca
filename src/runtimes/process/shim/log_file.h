#pragma once

#include <cstddef>
#include <cstdint>

namespace jettison::shim {

// The longest piece of output that is logged as one line; a longer line becomes several partial
// ones, as other CRI runtimes do.
inline constexpr std::size_t kMaxLineBytes = std::size_t{16} * 1024;

// One line of output, or a piece of one.
struct Line {
  const char* text = nullptr;  // without the line feed
  std::size_t size = 0;
  bool full = false;  // the line ended here
};

// Cuts one stream of bytes into lines. Write into space(), say how much with Commit, take the lines
// with Next until it has none; a line stays valid until the next call of Next.
class LineCutter {
 public:
  [[nodiscard]] char* space() { return buffer_ + used_; }
  [[nodiscard]] std::size_t room() const { return sizeof(buffer_) - used_; }
  void Commit(std::size_t size) { used_ += size; }
  // The next complete line, or a partial one when the buffer is full without a line feed.
  [[nodiscard]] bool Next(Line& line);
  // What is left when the stream has ended: a partial line.
  [[nodiscard]] bool Last(Line& line);

 private:
  char buffer_[kMaxLineBytes];
  std::size_t begin_ = 0;    // of the line that is being collected
  std::size_t scanned_ = 0;  // no line feed between begin_ and here
  std::size_t used_ = 0;
};

// The head of a line in the CRI log format: "TIMESTAMP STREAM F ", the timestamp being
// "2026-01-01T00:00:00.000000000Z", the stream "stdout" or "stderr", and P instead of F for a
// partial line.
inline constexpr std::size_t kHeadSize = 30 + 1 + 6 + 1 + 1 + 1;
void FormatHead(std::int64_t ns_since_epoch, const char* stream, bool full,
                char (&head)[kHeadSize + 1]);

// The log of one run of a container in the CRI log format. The agent gives it another name where it
// has grown too large, and has it opened anew; lines are never torn between files. A disk that is
// full loses output but never stops the container.
class LogFile {
 public:
  // Opens the file to append to it; false with errno set when it cannot be opened.
  [[nodiscard]] bool Open(const char* path);
  // Goes on in a new file of the same path.
  void Reopen();
  // Adds one line; it is written with the next Flush at the latest.
  void Add(std::int64_t ns_since_epoch, const char* stream, const Line& line);
  void Flush();
  // Bytes that could not be written.
  [[nodiscard]] std::int64_t lost_bytes() const { return lost_bytes_; }

 private:
  const char* path_ = nullptr;
  std::int64_t lost_bytes_ = 0;
  int fd_ = -1;
  bool torn_ = false;  // the last write broke off within a line
  std::size_t pending_ = 0;
  char buffer_[2 * kMaxLineBytes];
};

}  // namespace jettison::shim
