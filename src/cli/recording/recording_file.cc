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
#include "ports/file_descriptor.h"
#include "sim/replay.h"

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

// The bytes of a file, whose beginning can be looked at before they are read, and which are
// counted.
struct RecordingFile::Bytes {
  struct Close {
    void operator()(std::FILE* stream) const { std::fclose(stream); }
  };

  Result<void> Open(const std::string& path) {
    descriptor = FileDescriptor(path == "-" ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
                                            : ::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    struct stat status {};
    const auto fail = [&](std::string_view why) {
      return Fail(ErrorCode::kUnavailable, fmt::format("cannot open {}: {}", path, why));
    };
    if (!descriptor || ::fstat(descriptor.get(), &status) != 0) return fail(std::strerror(errno));
    if (S_ISDIR(status.st_mode)) return fail("it is a folder");
    if (S_ISREG(status.st_mode)) size = static_cast<std::uint64_t>(status.st_size);
    cookie_io_functions_t functions{};
    functions.read = [](void* self, char* into, std::size_t most) {
      return static_cast<Bytes*>(self)->Read(into, most);
    };
    file.reset(::fopencookie(this, "r", functions));
    if (!file) return fail("no memory");
    return {};
  }

  ssize_t ReadMore(char* into, std::size_t most) {
    ssize_t read = 0;
    do {
      read = ::read(descriptor.get(), into, most);
    } while (read < 0 && errno == EINTR);
    ended |= read == 0;
    if (read > 0) count += static_cast<std::uint64_t>(read);
    return read;
  }

  ssize_t Read(char* into, std::size_t most) {
    if (taken == head.size()) return ReadMore(into, most);
    const std::size_t part = head.copy(into, most, taken);
    taken += part;
    return static_cast<ssize_t>(part);
  }

  FileDescriptor descriptor;
  std::string head;
  std::size_t taken = 0;  // of the head
  std::uint64_t count = 0;
  std::uint64_t size = 0;  // of the file; 0: not known
  bool ended = false;
  std::unique_ptr<std::FILE, Close> file;
};

RecordingFile::RecordingFile() = default;
RecordingFile::RecordingFile(RecordingFile&&) noexcept = default;
RecordingFile& RecordingFile::operator=(RecordingFile&&) noexcept = default;
RecordingFile::~RecordingFile() = default;

Result<RecordingFile> RecordingFile::Open(const std::string& path) {
  RecordingFile file;
  file.name_ = path == "-" ? "standard input" : path;
  file.bytes_ = std::make_unique<Bytes>();
  if (auto opened = file.bytes_->Open(path); !opened) return Fail(opened.error());
  file.has_scenarios_ = BeginsAsScenario(file.Head());
  if (file.has_scenarios_) {
    file.source_ = std::make_unique<ScenarioSource>(file.name_, file.stream());
  } else {
    auto items = std::make_unique<RecordingReader>(BytesOfStream(file.stream()));
    file.items_ = items.get();
    file.source_ = std::move(items);
  }
  return file;
}

std::FILE* RecordingFile::stream() {
  return bytes_->file.get();
}

std::string_view RecordingFile::Head() {
  std::array<char, kHeadBytes> part;
  std::string& head = bytes_->head;
  while (bytes_->taken == 0 && head.size() < kHeadBytes) {
    const ssize_t read = bytes_->ReadMore(part.data(), kHeadBytes - head.size());
    if (read <= 0) break;
    head.append(part.data(), static_cast<std::size_t>(read));
  }
  return head;
}

bool RecordingFile::IsEmpty() {
  return Head().empty() && bytes_->ended;
}

double RecordingFile::Progress() const {
  if (bytes_->size == 0) return 0;
  const std::uint64_t ahead = bytes_->head.size() - bytes_->taken;
  return static_cast<double>(bytes_->count - ahead) / static_cast<double>(bytes_->size);
}

std::uint64_t RecordingFile::bytes() const {
  return bytes_->count;
}

std::string EmptyInput(const std::string& name) {
  return fmt::format("{} is empty: it has no recording", name);
}

}  // namespace jettison
