#include "runtimes/cri/pods/pod_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace jettison::cri {
namespace {

bool IsWord(std::string_view text) {
  return !text.empty() && text.size() <= 1024 &&
         std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c != 0x7f; });
}

// Reads the words of one line one after the other, and remembers whether one was missing or wrong.
class Words {
 public:
  explicit Words(std::string_view line) : line_(line) {}

  std::string Word() {
    const std::size_t end = line_.find(' ');
    const std::string_view word = line_.substr(0, end);
    line_.remove_prefix(end == std::string_view::npos ? line_.size() : end + 1);
    ok_ = ok_ && IsWord(word);
    return std::string(word);
  }
  template <typename T>
  T Number() {
    const std::string word = Word();
    T number{};
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    ok_ = ok_ && error == std::errc() && end == word.data() + word.size() && number >= T{0};
    return number;
  }
  // Whether no word was missing or wrong, and none is left.
  [[nodiscard]] bool Complete() const { return ok_ && line_.empty(); }

 private:
  std::string_view line_;
  bool ok_ = true;
};

// The text of so many bytes; only blank lines may follow it.
bool EndsWithPod(std::string_view text, std::size_t size) {
  return size <= text.size() && text.find_first_not_of('\n', size) == std::string_view::npos;
}

Sandbox ReadSandbox(Words& words) {
  Sandbox sandbox{.id = words.Word(), .attempt = words.Number<std::uint32_t>()};
  sandbox.host_network = words.Word() == "host";
  return sandbox;
}

PodRecord::Run ReadRun(Words& words) {
  PodRecord::Run run{.container = words.Word(),
                     .attempt = words.Number<int>(),
                     .id = words.Word(),
                     .started = Instant(Duration(words.Number<std::int64_t>()))};
  (void)words.Number<int>();  // the first process and its start, which the group tells better
  (void)words.Number<std::uint64_t>();
  const int signal = words.Number<int>();
  if (signal > 0) run.stop_signal = signal;
  return run;
}

}  // namespace

std::string FormatPodRecord(const PodRecord& record) {
  std::string text = fmt::format("sandbox {} {} {}\n", record.sandbox.id, record.sandbox.attempt,
                                 record.sandbox.host_network ? "host" : "pod");
  for (const PodRecord::Run& run : record.runs) {
    if (!IsWord(run.container) || !IsWord(run.id)) continue;
    text += fmt::format("run {} {} {} {} 0 0 {}\n", run.container, run.attempt, run.id,
                        run.started.time_since_epoch().count(), run.stop_signal.value_or(0));
  }
  return text + fmt::format("pod {}\n", record.written_pod.size()) + record.written_pod;
}

Result<PodRecord> ParsePodRecord(std::string_view text) {
  PodRecord record;
  for (;;) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) {
      return Fail(ErrorCode::kInvalidArgument, "the record is cut short");
    }
    Words words(text.substr(0, end));
    text.remove_prefix(end + 1);
    const std::string kind = words.Word();
    if (kind == "sandbox") {
      record.sandbox = ReadSandbox(words);
    } else if (kind == "run") {
      record.runs.push_back(ReadRun(words));
    } else if (kind == "pod" && !record.sandbox.id.empty()) {
      const auto size = words.Number<std::size_t>();
      if (!words.Complete() || !EndsWithPod(text, size)) break;
      record.written_pod = text.substr(0, size);
      return record;
    } else {
      break;
    }
    if (!words.Complete()) return Fail(ErrorCode::kInvalidArgument, "the record is damaged");
  }
  return Fail(ErrorCode::kInvalidArgument, "the record is cut short or damaged");
}

}  // namespace jettison::cri
