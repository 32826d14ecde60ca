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
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "codec/flight/recording_lines.h"
#include "codec/recordings/scenario_reader.h"
#include "core/text/hash128.h"
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

RecordingLines::Read LinesOfStream(std::FILE* stream) {
  return
      [lines = std::make_shared<LineReader>(stream)]() -> Result<std::optional<std::string_view>> {
        const auto line = lines->Next();
        if (!line && lines->Failed()) return CannotRead();
        return line;
      };
}

bool AreSame(const PassPolicy& a, const PassPolicy& b) {
  return a.thresholds == b.thresholds &&
         a.pressure_transition_period == b.pressure_transition_period &&
         a.max_pod_grace_period_seconds == b.max_pod_grace_period_seconds &&
         a.local_storage_capacity_isolation == b.local_storage_capacity_isolation &&
         a.layout == b.layout && a.hard_first == b.hard_first;
}

constexpr std::string_view kBlanks = " \t\r\n";

// Items of a recording as NDJSON are objects of one member. What begins otherwise with a brace is a
// scenario; anything else is looked through for the chunks of a recording.
constexpr std::array<std::string_view, 7> kItems = {"about", "policy",  "pod", "pass",
                                                    "gap",   "oomKill", "note"};

bool BeginsAsScenario(std::string_view head) {
  const auto skip = [&head](std::string_view characters) {
    head.remove_prefix(std::min(head.find_first_not_of(characters), head.size()));
  };
  skip(kBlanks);
  if (!head.starts_with('{')) return head.empty();
  head.remove_prefix(1);
  skip(kBlanks);
  if (!head.starts_with('"')) return true;
  head.remove_prefix(1);
  for (const std::string_view item : kItems) {
    if (!head.starts_with(item) || !head.substr(item.size()).starts_with('"')) continue;
    head.remove_prefix(item.size() + 1);
    skip(kBlanks);
    skip(":");
    skip(kBlanks);
    return !head.starts_with('{');
  }
  return true;
}

class ScenarioSource final : public RecordingSource {
 public:
  ScenarioSource(std::string name, std::FILE* stream) : name_(std::move(name)), lines_(stream) {}

  Result<std::optional<RecordedItem>> Next() override {
    while (ready_.empty()) {
      const auto line = lines_.Next();
      if (!line) {
        if (!lines_.Failed()) return std::nullopt;
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
  // Pods and policies that stay the same are the same objects.
  std::shared_ptr<const PodFacts> Shared(const std::shared_ptr<const PodFacts>& facts) {
    std::shared_ptr<const PodFacts>& known = pods_[facts->pod.uid];
    if (known == nullptr || known->protection != facts->protection || !(known->pod == facts->pod)) {
      known = facts;
    }
    return known;
  }

  Result<void> Read(std::string_view record) {
    if (lines_.IsCutOff()) return Fail(ErrorCode::kInvalidArgument, lines_.TooLong());
    std::string hash = HashOf(record);
    if (known_.contains(hash)) return {};
    const auto read = ReadScenario(record, scenario_);
    if (!read) return Fail(read.error());
    known_.insert(std::move(hash));
    if (*read) return {};  // an image collection, which evicts nobody
    if (passes_ == 0) {
      ready_.emplace_back(RecordingAbout{
          .at = scenario_.start, .node = "", .maker = "jettison", .profile = scenario_.profile});
    }
    for (RecordedPass& pass : RecordedPassesOf(scenario_)) {
      pass.number = ++passes_;
      if (policy_ == nullptr || !AreSame(*policy_, *pass.policy)) policy_ = pass.policy;
      pass.policy = policy_;
      for (auto& pod : pass.pods) pod = Shared(pod);
      ready_.emplace_back(std::make_shared<const RecordedPass>(std::move(pass)));
    }
    return {};
  }

  std::string name_;
  LineReader lines_;
  Scenario scenario_;
  std::deque<RecordedItem> ready_;
  std::map<std::string, std::shared_ptr<const PodFacts>, std::less<>> pods_;  // by UID
  std::shared_ptr<const PassPolicy> policy_;
  std::set<std::string> known_;  // hashes of the records that were read
  std::uint64_t passes_ = 0;
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

Result<RecordingFile> RecordingFile::OpenBytes(const std::string& path) {
  RecordingFile file;
  file.name_ = path == "-" ? "standard input" : path;
  file.bytes_ = std::make_unique<Bytes>();
  if (auto opened = file.bytes_->Open(path); !opened) return Fail(opened.error());
  return file;
}

// What begins with a brace is NDJSON; anything else is looked through for chunks.
void RecordingFile::ReadItems() {
  if (Head().starts_with('{')) {
    source_ = std::make_unique<RecordingLines>(LinesOfStream(stream()));
    return;
  }
  auto binary = std::make_unique<RecordingReader>(BytesOfStream(stream()));
  binary_ = binary.get();
  source_ = std::move(binary);
}

Result<RecordingFile> RecordingFile::Open(const std::string& path) {
  auto file = OpenBytes(path);
  if (!file) return file;
  if (file->IsEmpty()) return Fail(ErrorCode::kUnavailable, EmptyInput(file->name_));
  file->ReadItems();
  return file;
}

Result<RecordingFile> RecordingFile::OpenAny(const std::string& path) {
  auto file = OpenBytes(path);
  if (!file) return file;
  file->has_scenarios_ = BeginsAsScenario(file->Head());
  if (file->has_scenarios_) {
    file->source_ = std::make_unique<ScenarioSource>(file->name_, file->stream());
  } else {
    file->ReadItems();
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
