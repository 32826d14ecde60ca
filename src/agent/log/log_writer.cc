#include "agent/log/log_writer.h"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
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

struct LogWriter::Queue {
  struct Item {
    LogLine line;
    std::uint64_t lost_before = 0;  // lines that found no space just before it
  };
  const Write write;
  const Gap gap;
  const std::size_t most_bytes;
  mutable std::mutex mutex;
  std::condition_variable done;
  // What follows is guarded by mutex.
  std::deque<Item> items;
  std::size_t bytes = 0;
  std::uint64_t lost = 0;     // in total
  std::uint64_t refused = 0;  // for lack of space, since the last line that found some
  std::uint64_t failed = 0;   // not written, and not reported yet
  bool writing = false;

  Queue(Write how, Gap say, std::size_t most)
      : write(std::move(how)), gap(std::move(say)), most_bytes(most) {}

  void Put(LogLine line);
  void WriteAll();

 private:
  [[nodiscard]] std::optional<Item> Take();
  void Wrote(std::uint64_t failures);
  void Rest();
};

void LogWriter::Queue::Put(LogLine line) {
  const std::lock_guard lock(mutex);
  const std::size_t size = BytesOf(line);
  if (bytes + size > most_bytes) {
    ++lost;
    ++refused;
    return;
  }
  bytes += size;
  items.push_back({std::move(line), std::exchange(refused, 0)});
}

// The next line with the number of lines lost before it; without a line if only that number is
// left.
std::optional<LogWriter::Queue::Item> LogWriter::Queue::Take() {
  const std::lock_guard lock(mutex);
  writing = true;
  Item item;
  if (items.empty()) {
    item.lost_before = std::exchange(refused, 0);
  } else {
    item = std::move(items.front());
    items.pop_front();
    bytes -= BytesOf(item.line);
  }
  item.lost_before += std::exchange(failed, 0);
  if (item.line.empty() && item.lost_before == 0) return std::nullopt;
  return item;
}

void LogWriter::Queue::Wrote(std::uint64_t failures) {
  const std::lock_guard lock(mutex);
  failed += failures;
}

void LogWriter::Queue::Rest() {
  const std::lock_guard lock(mutex);
  writing = false;
  done.notify_all();
}

void LogWriter::Queue::WriteAll() {
  while (const auto item = Take()) {
    std::uint64_t failures = 0;
    if (item->lost_before > 0 && !write(gap(item->lost_before))) failures = item->lost_before;
    // If there is no reader, the next line causes the next try.
    if (item->line.empty() && failures > 0) {
      Wrote(failures);
      break;
    }
    if (!item->line.empty() && !write(item->line)) {
      ++failures;
      const std::lock_guard lock(mutex);
      ++lost;
    }
    Wrote(failures);
  }
  Rest();
}

LogWriter::LogWriter(Write write, Gap gap, std::size_t most_bytes)
    : queue_(std::make_shared<Queue>(std::move(write), std::move(gap), most_bytes)) {}

LogWriter::~LogWriter() {
  Flush(kPatienceAtEnd);
}

void LogWriter::Put(LogLine line) {
  queue_->Put(std::move(line));
  jobs_.DoInstead([queue = queue_] { queue->WriteAll(); });
}

bool LogWriter::Flush(Duration patience) {
  if (!jobs_.running()) return false;
  std::unique_lock lock(queue_->mutex);
  return queue_->done.wait_for(lock, patience,
                               [this] { return queue_->items.empty() && !queue_->writing; });
}

std::uint64_t LogWriter::lost() const {
  const std::lock_guard lock(queue_->mutex);
  return queue_->lost;
}

}  // namespace jettison
