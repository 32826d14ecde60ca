#include "machine/log/log_writer.h"

#include <atomic>
#include <chrono>
#include <utility>

namespace jettison {
namespace {

constexpr Duration kPatienceAtEnd = std::chrono::seconds(1);

std::size_t BytesOf(const LogLine& line) {
  std::size_t bytes = sizeof(LogLine);
  for (const std::string& part : line) bytes += sizeof(std::string) + part.size();
  return bytes;
}

}  // namespace

struct LogWriter::Shared {
  const Write write;
  const Gap gap;
  const std::size_t most_bytes;
  std::atomic<std::size_t> bytes = 0;      // of lines that wait
  std::atomic<std::uint64_t> lost = 0;     // in total
  std::atomic<std::uint64_t> refused = 0;  // for lack of space, since the last line that found some
  std::uint64_t untold = 0;                // of the jobs: lost, and not reported yet

  Shared(Write how, Gap say, std::size_t most)
      : write(std::move(how)), gap(std::move(say)), most_bytes(most) {}

  void WriteLine(const LogLine& line, std::uint64_t lost_before) {
    Report(lost_before);
    if (!write(line)) {
      ++lost;
      ++untold;
    }
    if (bytes == 0) Report(refused.exchange(0));
  }
  // If there is no reader, the next line causes the next try.
  void Report(std::uint64_t more) {
    untold += more;
    if (untold > 0 && write(gap(untold))) untold = 0;
  }
};

LogWriter::LogWriter(Write write, Gap gap, std::size_t most_bytes)
    : shared_(std::make_shared<Shared>(std::move(write), std::move(gap), most_bytes)) {}

LogWriter::~LogWriter() {
  (void)Flush(kPatienceAtEnd);
}

void LogWriter::Put(LogLine line) {
  const std::size_t size = BytesOf(line);
  if (shared_->bytes + size > shared_->most_bytes) {
    ++shared_->lost;
    ++shared_->refused;
    return;
  }
  shared_->bytes += size;
  jobs_.Do([shared = shared_, line = std::move(line), size, before = shared_->refused.exchange(0)] {
    shared->bytes -= size;
    shared->WriteLine(line, before);
  });
}

bool LogWriter::Flush(Duration patience) {
  return jobs_.running() && jobs_.FinishWithin(patience);
}

std::uint64_t LogWriter::lost() const {
  return shared_->lost;
}

}  // namespace jettison
