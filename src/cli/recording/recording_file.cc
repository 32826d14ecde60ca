#include "cli/recording/recording_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "codec/recordings/scenario_reader.h"
#include "kernel/files/line_reader.h"
#include "sim/replay.h"

namespace jettison {
namespace {

RecordingReader::Read BytesOfStream(std::FILE* stream) {
  return [stream](std::span<char> into) -> Result<std::size_t> {
    const std::size_t read = std::fread(into.data(), 1, into.size(), stream);
    if (read == 0 && std::ferror(stream) != 0) {
      return Fail(ErrorCode::kInternal, fmt::format("cannot be read: {}", std::strerror(errno)));
    }
    return read;
  };
}

// Items of a recording as NDJSON are objects of one member. What begins otherwise with a brace is a
// scenario; anything else is looked through for the chunks of a recording.
constexpr std::array<std::string_view, 7> kItems = {"about", "policy",  "pod", "pass",
                                                    "gap",   "oomKill", "note"};

bool BeginsAsScenario(std::string_view head) {
  const std::size_t brace = head.find_first_not_of(" \t\r\n");
  if (brace == std::string_view::npos) return true;
  if (head[brace] != '{') return false;
  head.remove_prefix(std::min(head.find('"', brace), head.size() - 1) + 1);
  return std::ranges::find(kItems, head.substr(0, head.find('"'))) == kItems.end();
}

class ScenarioSource final : public RecordingSource {
 public:
  ScenarioSource(std::string name, std::FILE* stream) : name_(std::move(name)), lines_(stream) {}

  Result<std::optional<RecordedItem>> Next() override {
    while (ready_.empty()) {
      const auto line = lines_.Next();
      if (!line) {
        if (!lines_.Failed() || std::exchange(has_failed_, true)) return std::nullopt;
        return Fail(ErrorCode::kUnavailable,
                    fmt::format("cannot read {}: {}", name_, std::strerror(errno)));
      }
      if (IsBlank(*line)) continue;
      if (auto read = Read(*line); !read) {
        return Fail(read.error().In(fmt::format("{}:{}", name_, lines_.line_number())));
      }
    }
    RecordedItem item = std::move(ready_.front());
    ready_.pop_front();
    return item;
  }

 private:
  Result<void> Read(std::string_view record) {
    if (lines_.IsCutOff()) return Fail(ErrorCode::kInvalidArgument, lines_.TooLong());
    const auto read = ReadScenario(record, scenario_);
    if (!read) return Fail(read.error());
    if (*read) return {};  // an image collection, which evicts nobody
    if (!known_.insert(std::hash<std::string_view>()(record)).second) return {};
    if (passes_ == 0) {
      ready_.emplace_back(RecordingAbout{
          .at = scenario_.start, .node = "", .maker = "jettison", .profile = scenario_.profile});
    }
    for (RecordedPass& pass : RecordedPassesOf(scenario_)) {
      pass.number = ++passes_;
      ready_.emplace_back(std::make_shared<const RecordedPass>(std::move(pass)));
    }
    return {};
  }

  std::string name_;
  LineReader lines_;
  Scenario scenario_;
  std::deque<RecordedItem> ready_;
  std::unordered_set<std::size_t> known_;  // hashes of what was read: what stands twice counts once
  std::uint64_t passes_ = 0;
  bool has_failed_ = false;  // which was told
};

}  // namespace

Result<std::unique_ptr<RecordingFile>> RecordingFile::Open(const std::string& path) {
  std::unique_ptr<RecordingFile> file(new RecordingFile);
  file->name_ = path == "-" ? "standard input" : path;
  file->descriptor_ = FileDescriptor(path == "-" ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
                                                 : ::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status {};
  const auto fail = [&](std::string_view why) {
    return Fail(ErrorCode::kUnavailable, fmt::format("cannot open {}: {}", path, why));
  };
  if (!file->descriptor_ || ::fstat(file->descriptor_.get(), &status) != 0) {
    return fail(std::strerror(errno));
  }
  if (S_ISDIR(status.st_mode)) return fail("it is a folder");
  cookie_io_functions_t functions{};
  functions.read = [](void* self, char* into, std::size_t most) {
    return static_cast<RecordingFile*>(self)->Read(into, most);
  };
  file->stream_.reset(::fopencookie(file.get(), "r", functions));
  if (!file->stream_) return fail("no memory");
  if (BeginsAsScenario(file->Head())) {
    file->source_ = std::make_unique<ScenarioSource>(file->name_, file->stream());
  } else {
    auto items = std::make_unique<RecordingReader>(BytesOfStream(file->stream()));
    file->items_ = items.get();
    file->source_ = std::move(items);
  }
  return file;
}

ssize_t RecordingFile::Read(char* into, std::size_t most) {
  if (taken_ == head_.size()) return ReadMore(into, most);
  const std::size_t part = head_.copy(into, most, taken_);
  taken_ += part;
  return static_cast<ssize_t>(part);
}

ssize_t RecordingFile::ReadMore(char* into, std::size_t most) {
  ssize_t read = 0;
  do {
    read = ::read(descriptor_.get(), into, most);
  } while (read < 0 && errno == EINTR);
  ended_ |= read == 0;
  if (read > 0) count_ += static_cast<std::uint64_t>(read);
  return read;
}

std::string_view RecordingFile::Head() {
  std::array<char, kHeadBytes> part;
  while (taken_ == 0 && head_.size() < kHeadBytes) {
    const ssize_t read = ReadMore(part.data(), kHeadBytes - head_.size());
    if (read <= 0) break;
    head_.append(part.data(), static_cast<std::size_t>(read));
  }
  return head_;
}

std::string EmptyInput(const std::string& name) {
  return fmt::format("{} is empty: it has no recording", name);
}

}  // namespace jettison
