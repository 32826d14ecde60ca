#include "http/server/tokens.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <strings.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include "ports/file_descriptor.h"
#include "ports/system_error.h"

namespace jettison::http {
namespace {

constexpr std::size_t kRandomBytes = 32;
constexpr std::string_view kSpace = " \t\r\n";

std::string_view Trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

Result<std::string> ReadFile(const std::string& path) {
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file) return FailErrno("read the token of " + path);
  std::array<char, kLongestToken + 1> buffer{};
  const ssize_t size = ::read(file.get(), buffer.data(), buffer.size());
  if (size < 0) return FailErrno("read the token of " + path);
  if (static_cast<std::size_t>(size) > kLongestToken) {
    return Fail(ErrorCode::kInvalidArgument, path + " is too long for a token");
  }
  const std::string_view token = Trimmed({buffer.data(), static_cast<std::size_t>(size)});
  const auto printable = [](char c) { return c > ' ' && c < '\x7f'; };
  if (token.empty() || !std::ranges::all_of(token, printable)) {
    return Fail(ErrorCode::kInvalidArgument,
                path + " must hold one token, without spaces; make one with: openssl rand -hex 32");
  }
  return std::string(token);
}

bool IsSameInConstantTime(std::string_view given, std::string_view token) {
  unsigned difference = given.size() == token.size() ? 0 : 1;
  for (std::size_t i = 0; i < given.size(); ++i) {
    difference |=
        static_cast<unsigned char>(given[i]) ^ static_cast<unsigned char>(token[i % token.size()]);
  }
  return difference == 0;
}

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
Result<OwnFile> WriteNew(const std::string& path, std::string_view text) {
  if (::unlink(path.c_str()) != 0 && errno != ENOENT) return FailErrno("remove " + path);
  const FileDescriptor file(
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file) return FailErrno("make " + path);
  OwnFile own(path);
  if (::fchmod(file.get(), 0600) != 0) return FailErrno("set the mode of " + path);
  const ssize_t written = ::write(file.get(), text.data(), text.size());
  if (written != static_cast<ssize_t>(text.size())) return FailErrno("write " + path);
  return own;
}

}  // namespace

Result<BearerToken> BearerToken::Read(const std::string& path) {
  if (const auto read = ReadFile(path); !read) return Fail(read.error());
  return BearerToken(path);
}

bool BearerToken::Matches(std::string_view authorization) const {
  constexpr std::string_view kScheme = "Bearer ";
  if (authorization.size() <= kScheme.size() ||
      ::strncasecmp(authorization.data(), kScheme.data(), kScheme.size()) != 0) {
    return false;
  }
  const auto token = ReadFile(path_);
  return token && IsSameInConstantTime(Trimmed(authorization.substr(kScheme.size())), *token);
}

Result<OwnFile> MakeOwnToken(const std::string& path) {
  const auto fail = [](const Error& error) {
    return Fail(error.In("make a token for TCP (bearerTokenFile names one of your own)"));
  };
  if (auto folder = MakeFolderOf(path); !folder) return fail(folder.error());
  const auto word = RandomWord();
  if (!word) return fail(word.error());
  auto file = WriteNew(path + ".new", *word + "\n");
  if (!file) return fail(file.error());
  if (auto named = file->Rename(path); !named) return fail(named.error());
  return file;
}

}  // namespace jettison::http
