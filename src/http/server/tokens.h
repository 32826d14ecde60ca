#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "core/units/result.h"
#include "http/server/listen.h"

namespace jettison::http {

// Most bytes of a token, white space around it included.
constexpr std::size_t kLongestToken = 4096;

// The token of a file, its white space at both ends left out; one line. A file is short, and read
// for each request.
class BearerToken {
 public:
  // Reads the file; empty, of several words, or longer than kLongestToken is kInvalidArgument.
  [[nodiscard]] static Result<BearerToken> Read(const std::string& path);

  // Whether `authorization`, the value of that header, is "Bearer" and the token that the file has
  // now; while it cannot be read, or has no token, nothing matches. How long it takes does not tell
  // how much of the token was right.
  [[nodiscard]] bool Matches(std::string_view authorization) const;

 private:
  explicit BearerToken(std::string path) : path_(std::move(path)) {}

  std::string path_;
};

// Makes a token of random bytes in a file that only its owner, root, can read. A file that is there
// is replaced, and its folder (0755) is made where it is missing.
[[nodiscard]] Result<OwnFile> MakeOwnToken(const std::string& path);

}  // namespace jettison::http
