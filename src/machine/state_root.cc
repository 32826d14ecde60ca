#include "machine/state_root.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>

#include "kernel/files/files.h"
#include "ports/file_descriptor.h"
#include "ports/system_error.h"

namespace jettison {
namespace {

constexpr Duration kReadPatience = std::chrono::seconds(1);
constexpr Duration kReadAgainAfter = std::chrono::milliseconds(50);
constexpr std::string_view kTitle = "jettison state ";
constexpr std::string_view kRemark =
    "The version of what jettison keeps in this folder. A program that does not know it leaves the "
    "folder alone.\n";

std::string In(const std::string& root, std::string_view name) {
  return fmt::format("{}/{}", root == "/" ? "" : root, name);
}

Result<void> MakeRoot(const std::string& root) {
  std::error_code error;
  std::filesystem::create_directories(root, error);
  if (error || access(root.c_str(), W_OK) != 0) {
    return Fail(ErrorCode::kPermissionDenied,
                fmt::format("root directory {} cannot be written: {}; set `root` in "
                            "JettisonConfiguration to a directory that can",
                            root, error ? error.message() : std::string("not writable")));
  }
  return {};
}

bool IsOtherThanFile(const std::string& path) {
  struct stat facts {};
  return ::lstat(path.c_str(), &facts) == 0 && !S_ISREG(facts.st_mode);
}

// kInvalidArgument: what is there says no version. Absent where nobody has noted one. A file that
// is blank was being made when the machine went down, which comes before anything else in that
// folder.
Result<std::optional<std::uint64_t>> VersionIn(const std::string& file) {
  const auto text = kernel::ReadFile(file);
  if (!text && text.error().code == ErrorCode::kNotFound) return std::nullopt;
  if (!text) {
    return Fail(IsOtherThanFile(file)
                    ? Error{ErrorCode::kInvalidArgument, file + " does not say a version"}
                    : text.error());
  }
  if (text->find_first_not_of(std::string_view(" \n\0", 3)) == std::string::npos) {
    return std::nullopt;
  }
  std::string_view line = std::string_view(*text).substr(0, text->find('\n'));
  std::uint64_t version = 0;
  if (line.starts_with(kTitle)) {
    line.remove_prefix(kTitle.size());
    const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), version);
    if (error == std::errc() && end == line.data() + line.size() && version > 0) return version;
  }
  return Fail(ErrorCode::kInvalidArgument, file + " does not say a version");
}

// The version below a root, or that of this program where it cannot be read: a disk that fails for
// a moment is far likelier than state of another version. Absent and kInvalidArgument as in
// VersionIn.
Result<std::optional<std::uint64_t>> VersionPatientlyIn(const std::string& file, const Log& log,
                                                        const RootWait& wait) {
  auto version = VersionIn(file);
  const auto is_unread = [&] {
    return !version && version.error().code != ErrorCode::kInvalidArgument;
  };
  for (Duration waited{0}; is_unread() && waited < kReadPatience; waited += kReadAgainAfter) {
    wait(kReadAgainAfter);
    version = VersionIn(file);
  }
  if (!is_unread()) return version;
  log.Warn("the version of the saved state cannot be read; it is taken to be the known one",
           {{"file", file},
            {"err", version.error().message},
            {"known", fmt::format("version {}", kStateVersion)}});
  return kStateVersion;
}

// To the disk: what it tells of survives the machine.
Result<void> NoteVersion(const std::string& file) {
  const std::string text = fmt::format("{}{}\n{}", kTitle, kStateVersion, kRemark);
  if (auto written = kernel::RewriteFile(file, text); !written) return written;
  const FileDescriptor opened(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!opened || ::fsync(opened.get()) != 0) return FailErrno("write to the disk " + file);
  return {};
}

bool HoldsPods(const std::string& root) {
  const auto pods = kernel::NamesIn(In(root, "pods"));
  return !pods || !pods->empty();
}

Result<AgentConfig> BesideOther(const AgentConfig& config, const std::string& found,
                                const Log& log) {
  const bool runs_pods = config.source == SourceKind::kManifests && !config.static_pod_path.empty();
  if (runs_pods || HoldsPods(config.root)) {
    return Fail(
        ErrorCode::kInternal,
        fmt::format("root directory {} {}, and this program knows version {}; nothing in it was "
                    "changed, and running pods keep running. Install the program that wrote it "
                    "again, or set `root` in JettisonConfiguration to another directory",
                    config.root, found, kStateVersion));
  }
  AgentConfig own = config;
  own.root = In(config.root, fmt::format("version-{}", kStateVersion));
  const std::string logs = In(config.root, "");
  if (own.logs.directory.starts_with(logs)) {
    own.logs.directory = In(own.root, own.logs.directory.substr(logs.size()));
  }
  if (auto made = MakeRoot(own.root); !made) return Fail(made.error());
  log.Warn(
      "the state below root has another version and is not used; the agent guards the node without "
      "the records and back-offs in it",
      {{"root", config.root},
       {"found", found},
       {"known", fmt::format("version {}", kStateVersion)},
       {"used", own.root},
       {"mend", "install the program that wrote it again"}});
  return own;
}

}  // namespace

void RestFor(Duration duration) {
  std::this_thread::sleep_for(duration);
}

Result<AgentConfig> OpenStateRoot(const AgentConfig& config, const Log& log, const RootWait& wait) {
  if (geteuid() != 0) {
    return Fail(ErrorCode::kPermissionDenied,
                "the agent makes control groups and ends processes of others, so it must be root: "
                "run it as a service or with sudo");
  }
  if (auto made = MakeRoot(config.root); !made) return Fail(made.error());
  const std::string file = In(config.root, "state-version");
  const auto version = VersionPatientlyIn(file, log, wait);
  if (!version) {
    return BesideOther(config, "holds state of an unknown version: " + version.error().message,
                       log);
  }
  if (*version && **version != kStateVersion) {
    return BesideOther(config, fmt::format("holds state of version {}", **version), log);
  }
  if (*version) return config;
  if (const auto noted = NoteVersion(file); !noted) {
    log.Warn(
        "the version of the saved state cannot be written; the next agent takes it to be version 1",
        {{"file", file}, {"err", noted.error().message}});
  }
  return config;
}

}  // namespace jettison
