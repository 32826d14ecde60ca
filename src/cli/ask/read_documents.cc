#include "cli/ask/read_documents.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <string_view>
#include <system_error>
#include <utility>

#include "codec/documents/documents.h"
#include "kernel/files/files.h"

namespace jettison {
namespace {

namespace fs = std::filesystem;

// No configuration is larger, and no YAML may be.
constexpr std::size_t kMostBytes = std::size_t{16} << 20;

std::string CannotBeRead(const std::string& why) {
  return "cannot be read: " + why;
}

Result<std::string> OrCannotBeRead(Result<std::string> text) {
  if (!text) return Fail(text.error().code, CannotBeRead(text.error().message));
  return text;
}

Fault FaultOf(const std::string& file, std::string message) {
  return {.file = file, .key = "", .value = "", .message = std::move(message)};
}

bool IsDropIn(std::string_view name) {
  constexpr auto kEndings = std::to_array<std::string_view>({".yaml", ".yml", ".json", ".conf"});
  return !name.starts_with('.') &&
         std::ranges::any_of(kEndings, [name](auto ending) { return name.ends_with(ending); });
}

// The drop-ins in a folder, in the order in which they count.
Result<std::vector<std::string>> DropInsOf(const fs::path& folder) {
  std::error_code error;
  std::vector<std::string> files;
  fs::directory_iterator entry(folder, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    if (IsDropIn(entry->path().filename().string())) files.push_back(entry->path());
  }
  if (error) {
    const bool gone = error == std::errc::no_such_file_or_directory;
    return Fail(gone ? ErrorCode::kNotFound : ErrorCode::kInternal, CannotBeRead(error.message()));
  }
  std::ranges::sort(files);
  return files;
}

// Why a file cannot be a drop-in: a pipe would be waited for. What is not there is told of later.
std::string FaultOfKind(const std::string& file) {
  std::error_code error;
  const fs::file_status status = fs::status(file, error);
  if (error || fs::is_regular_file(status)) return "";
  return fs::is_directory(status) ? "is a folder, but must be a file" : "must be a regular file";
}

bool HoldsNothing(const std::string& text) {
  return text.find_first_not_of(" \t\r\n") == std::string::npos;
}

// What is read from a pipe is gone, so it cannot be read again.
bool IsRegularFile(const std::string& file) {
  std::error_code error;
  return fs::is_regular_file(file, error);
}

class Reader {
 public:
  explicit Reader(Empty empty) : empty_(empty) {}

  void ReadFile(const std::string& file) { Add(file, TextOf(file), false); }
  // The descriptor that is open: whoever runs this may not be allowed to open it again, a socket
  // cannot be, and of a file that would begin at its first byte again.
  void ReadStandardInput() {
    Add("standard input", OrCannotBeRead(kernel::ReadToEnd(STDIN_FILENO, kMostBytes)), false);
  }
  void ReadDropIn(const std::string& file) {
    if (std::string why = FaultOfKind(file); !why.empty()) {
      reading_.faults.push_back(FaultOf(file, std::move(why)));
    } else {
      Add(file, TextOf(file), true);
    }
  }
  void ReadFolder(const std::string& folder) {
    const auto files = DropInsOf(folder);
    if (files) {
      for (const std::string& file : *files) ReadDropIn(file);
    } else if (files.error().code == ErrorCode::kNotFound) {
      reading_.missing.push_back(
          FaultOf(folder, "this folder does not exist, so no drop-in is read"));
    } else {
      reading_.unread = true;
      reading_.faults.push_back(FaultOf(folder, files.error().message));
    }
  }
  [[nodiscard]] DocumentsReading Take() { return std::move(reading_); }

 private:
  void Add(const std::string& file, const Result<std::string>& text, bool drop_in) {
    reading_.unread |= !text;
    auto parsed =
        text ? ParseDocuments(*text, kUnlimitedMemory, Keys::kMayRepeat) : Fail(text.error());
    if (!parsed) {
      reading_.half_written |= text.has_value() && IsRegularFile(file);
      reading_.faults.push_back(FaultOf(file, parsed.error().message));
      return;
    }
    const bool is_empty = drop_in ? HoldsNothing(*text) : parsed->empty();
    if (is_empty && IsFault(drop_in)) {
      reading_.half_written |= IsRegularFile(file);
      reading_.faults.push_back(FaultOf(file, "the file is empty"));
    }
    for (Value& document : *parsed) {
      if (IsKubeletConfiguration(document)) {
        std::ranges::move(LeaveLastKeys(file, document), std::back_inserter(reading_.warnings));
      }
      for (std::string& repeated : KeepLastOfEach(document)) {
        reading_.faults.push_back(FaultOf(file, std::move(repeated)));
      }
      reading_.documents.push_back(
          {.file = file, .document = std::move(document), .drop_in = drop_in});
    }
  }

  // Of an empty file.
  [[nodiscard]] bool IsFault(bool drop_in) const {
    switch (empty_) {
      case Empty::kAllowed: return false;
      case Empty::kFaultUnlessDropIn: return !drop_in;
      case Empty::kFault: break;
    }
    return true;
  }

  const Empty empty_;
  DocumentsReading reading_;
};

}  // namespace

bool IsKubeletConfiguration(const Value& document) {
  const Value* const kind = document.Find("kind");
  return kind != nullptr && kind->AsString() != nullptr &&
         *kind->AsString() == "KubeletConfiguration";
}

Faults LeaveLastKeys(const std::string& file, Value& kubelet) {
  Faults warnings;
  for (const std::string& repeated : KeepLastOfEach(kubelet)) {
    warnings.push_back(FaultOf(file, repeated + "; the last one counts, as for the kubelet"));
  }
  return warnings;
}

Result<std::string> TextOf(const std::string& file) {
  return OrCannotBeRead(kernel::ReadInput(file, kMostBytes));
}

DocumentsReading ReadDocuments(const ConfigSources& sources, Empty empty) {
  Reader reader(empty);
  for (const std::string& file : sources.files) {
    if (sources.dash_is_standard_input && file == "-") {
      reader.ReadStandardInput();
    } else {
      reader.ReadFile(file);
    }
  }
  if (!sources.drop_ins.empty()) reader.ReadFolder(sources.drop_ins);
  return reader.Take();
}

}  // namespace jettison
