#include "http/peers/own_token.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <utility>

#include "http/peers/inode_of.h"
#include "http/peers/listen.h"
#include "ports/file_descriptor.h"
#include "ports/system_error.h"

namespace jettison::http {
namespace {

constexpr std::size_t kRandomBytes = 32;

Result<std::string> RandomWord() {
  std::array<unsigned char, kRandomBytes> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    return FailErrno("get random bytes");
  }
  std::string word;
  for (const unsigned char byte : bytes) word += fmt::format("{:02x}", byte);
  return word;
}

// A new file under that name, readable by its owner alone from its first moment on.
Result<void> WriteNew(const std::string& path, std::string_view text) {
  if (::unlink(path.c_str()) != 0 && errno != ENOENT) return FailErrno("remove " + path);
  const FileDescriptor file(
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file) return FailErrno("make " + path);
  if (::fchmod(file.get(), 0600) != 0) return FailErrno("set the mode of " + path);
  const ssize_t written = ::write(file.get(), text.data(), text.size());
  if (written == static_cast<ssize_t>(text.size())) return {};
  const auto failed = FailErrno("write " + path);
  ::unlink(path.c_str());
  return failed;
}

}  // namespace

std::string OwnTokenFile(std::string_view address, std::string_view folder) {
  return fmt::format("{}/http-{}.token", folder, address);
}

Result<OwnToken> OwnToken::Make(const std::string& path) {
  const auto fail = [](const Error& error) {
    return Fail(error.In("make a token for TCP (bearerTokenFile names one of your own)"));
  };
  if (auto folder = MakeFolderOf(path); !folder) return fail(folder.error());
  auto word = RandomWord();
  if (!word) return fail(word.error());
  const std::string unfinished = path + ".new";
  if (auto written = WriteNew(unfinished, *word + "\n"); !written) return fail(written.error());
  const ino_t inode = InodeOf(unfinished);
  if (::rename(unfinished.c_str(), path.c_str()) == 0) return OwnToken(path, inode);
  const Error refused = SystemError(errno, "make " + path);
  ::unlink(unfinished.c_str());
  return fail(refused);
}

OwnToken::OwnToken(OwnToken&& other) noexcept
    : path_(std::exchange(other.path_, {})), inode_(other.inode_) {}

OwnToken& OwnToken::operator=(OwnToken&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(inode_, other.inode_);
  return *this;
}

OwnToken::~OwnToken() {
  // Not one that another agent has put in its place.
  if (!path_.empty() && InodeOf(path_) == inode_) ::unlink(path_.c_str());
}

}  // namespace jettison::http
